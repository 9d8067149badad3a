"""Rules, assumptions and invariants after loading: typed and bound to one tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from ledger_verify.lang.errors import Location
from ledger_verify.lang.typed import Apply, Expr, Or, Variable
from ledger_verify.lang.types import BOOL
from ledger_verify.policy.regions import Region


class Otherwise(Enum):
    """What the violation of a rule leads to."""

    AUTO = "auto"
    REVISE = "revise"
    BLOCK = "block"


@dataclass(frozen=True)
class Rule:
    """A rule as it applies to calls of one tool.

    `message` holds literal pieces and expressions. `places` maps the parts of the rule to their
    places in the file; those of a template's use (`template` is its name) may be in the template.
    `ignored` are codes or names of checks whose findings are accepted, with the reasons.
    """

    id: str
    tool: str
    when: Expr | None
    require: Expr
    otherwise: Otherwise
    message: tuple[str | Expr, ...]
    clause: str
    location: Location
    places: Mapping[str, Location]
    template: str | None = None
    ignored: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def holds(self) -> Expr:
        """The rule as one predicate: the guard is false, or the requirement true.

        A guard without a value counts as applicable, since `ERROR || x` is true only if `x` is.
        """
        if self.when is None:
            return self.require
        return Or((Apply("not", (self.when,), BOOL), self.require))


@dataclass(frozen=True)
class StrayTool:
    """A rule or invariant (`owner`) names a tool that the domain does not have."""

    name: str
    owner: str
    owner_id: str
    region: Region
    hint: str | None


@dataclass(frozen=True)
class Assumption:
    """A fact of the world. With a `pattern` it holds of every record there, bound to `variable`."""

    text: str
    body: Expr
    location: Location
    pattern: str | None = None
    variable: Variable | None = None


@dataclass(frozen=True)
class Always:
    """A statement about the records that stays true, whatever allowed calls are made in a session.

    `initially` is what is true when the session starts; None if that is `always` itself.
    """

    id: str
    always: Assumption
    initially: Assumption | None
    clause: str
    location: Location


@dataclass(frozen=True)
class Invariant:
    """A condition that no allowed call of the tool may meet."""

    id: str
    tool: str
    never: Expr
    clause: str
    location: Location
