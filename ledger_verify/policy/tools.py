"""Tools: their arguments, what a read observes, and what a write touches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from ledger_verify.lang.errors import Location
from ledger_verify.lang.typed import Expr, FieldOf, Read, Variable, walk
from ledger_verify.lang.types import RecordType, Type
from ledger_verify.policy.text_shape import TextShape


class ToolKind(Enum):
    """Observes state, changes the environment, or does neither."""

    READ = "read"
    WRITE = "write"
    NEUTRAL = "neutral"


@dataclass(frozen=True)
class Failing:
    """What a result says: the expression `when` over `result`, of the type `result`, and `args`.

    Such as that the result is a failure.
    Of the fields at `shown` it matters only whether they are there, and whether they are null.
    """

    when: Expr
    result: Type
    shown: frozenset[tuple[str, ...]] = frozenset()


@dataclass(frozen=True)
class More:
    """That the result of a read is one page of a list: `open` is true if there are further ones.

    `next` are the arguments that lead to the next page, as expressions over the `result` and `args`
    of the last one; without any, nobody can say. On the first page they are left out, or as `first`
    says.
    """

    open: Failing
    next: tuple[tuple[str, Failing], ...] = ()
    first: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True)
class Observation:
    """Records that a read yields, or a write that succeeded.

    `source` leads from the result to them: names step into objects, `*` over the items of a list.
    With `text` the value found there is prose, which the shape turns into records. `keys` are
    expressions over `args` and `item` (the record), `additions` over `args` fill in fields that
    the record lacks. Nothing is observed unless `when`, over `args` and the ledger, is true;
    records for which `where` is not true are passed over. A record for which `complete` is true,
    over `args`, the ledger and those fields of `item` that are keys, does not exist if a read that
    succeeded did not show it; without it, nothing follows from what is not shown. With `more` a
    result may be one page of the list.
    """

    pattern: str
    source: tuple[str, ...]
    keys: tuple[Expr, ...]
    additions: tuple[tuple[str, Expr], ...] = ()
    where: Expr | None = None
    when: Expr | None = None
    text: TextShape | None = None
    complete: Expr | None = None
    more: More | None = None

    @cached_property
    def reads(self) -> frozenset[str]:
        """The patterns of the ledger on which it hangs what is shown in full."""
        parts = () if self.complete is None else walk(self.complete)
        return frozenset(part.pattern for part in parts if isinstance(part, Read))

    def argument_of_key(self, index: int) -> str | None:
        """The argument that the key is, if it is simply one."""
        match self.keys[index]:
            case FieldOf(of=Variable(name="args"), field_name=name):
                return name
            case _:
                return None

    def field_of_key(self, index: int) -> str | None:
        """The field of the record that the key is, if it is simply one."""
        match self.keys[index]:
            case FieldOf(of=Variable(name="item"), field_name=name):
                return name
            case _:
                return None


@dataclass(frozen=True)
class Touch:
    """Records, or the part of them at the steps `within`, that a successful write makes stale.

    A key is None for all records of the pattern, the step `*` stands for all entries of a map.
    With `each`, an expression over `args` and the ledger for a list, keys and steps may read its
    `item`; all may read the `result`, if the tool declares its form.
    """

    pattern: str
    keys: tuple[Expr | None, ...]
    within: tuple[str | Expr, ...] = ()
    each: Expr | None = None


@dataclass(frozen=True)
class Effect:
    """What a successful write puts at one place: the record at `keys`, the part at `within`.

    `value`, like the keys, is an expression over `args`, `now`, `call` and the ledger as it was
    before the call.
    """

    pattern: str
    keys: tuple[Expr, ...]
    within: tuple[str | Expr, ...]
    value: Expr
    type: Type
    location: Location


@dataclass(frozen=True)
class Tool:
    """A tool of the domain.

    `free` are the arguments that are declared as such; those that a call is `about` key a record
    that it touches.

    `asks` are arguments that only the user can give, each with the predicate over `args` that is
    TRUE iff the user said it. `identifies` is the pattern of the one record that tells with whom
    the conversation is: the first that the read shows stays. `result` is the form of the text that
    a call that succeeded returns, `failed` says when a result is a failure. A tool `by_user` is
    the user's own: the agent cannot call it.
    What a write `observes` is fresh once it succeeded, whatever it touches.
    `effects` say what becomes of what it touches; without one, nothing is known of it.
    `ignored` are codes or names of checks whose findings are accepted, with the reasons.
    """

    name: str
    kind: ToolKind
    arguments: RecordType
    observes: tuple[Observation, ...] = ()
    touches: tuple[Touch, ...] = ()
    free: tuple[str, ...] = ()
    description: str = ""
    asks: Mapping[str, Expr] = field(default_factory=dict)
    result: TextShape | None = None
    by_user: bool = False
    ignored: Mapping[str, str] = field(default_factory=dict)
    effects: tuple[Effect, ...] = ()
    about: frozenset[str] = frozenset()
    identifies: str | None = None
    failed: Failing | None = None


Tools = Mapping[str, Tool]
