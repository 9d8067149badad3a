"""Which parts of a record the writes of a domain can make stale while the rest stays fresh."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from ledger_verify.lang.environment import KEY
from ledger_verify.lang.typed import Expr, FieldOf, Variable
from ledger_verify.lang.types import MapType, RecordType, Type, strip_null
from ledger_verify.policy.tools import Tool, Touch


class Entries(Enum):
    """A step into a map: to ONE entry that a call names, or to EACH that was observed."""

    ONE = "one"
    EACH = "each"


PartStep = str | Entries


@dataclass
class Parts:
    """The parts at and below one place of a record; at `ends` a write may touch just this place."""

    ends: bool = False
    below: dict[PartStep, Parts] = field(default_factory=dict)

    def add(self, steps: tuple[PartStep, ...]) -> None:
        """Note a part at these steps."""
        if not steps:
            self.ends = True
            return
        self.below.setdefault(steps[0], Parts()).add(steps[1:])


def parts_of_records(tools: Iterable[Tool], pattern: str, record: Type) -> Parts:
    """The parts of the records at a pattern that `touches` can make stale; its root never ends."""
    found = Parts()
    for _, touch in _touches(tools, pattern):
        for steps in _steps(touch, record):
            if steps:
                found.add(steps)
    return found


def fields_apart(tools: Iterable[Tool], pattern: str, record: Type) -> dict[str, str]:
    """The fields of the records that can be stale while the rest is not.

    Each has the name of a field that is stale whenever it is: itself, or one that all writes touch
    together with it.
    """
    touched: dict[str, set[object]] = defaultdict(set)
    for tool, touch in _touches(tools, pattern):
        for steps in _steps(touch, record):
            if steps and isinstance(steps[0], str):
                # what is said of each entry says nothing of an empty map
                alone = steps if Entries.EACH in steps else ()
                touched[steps[0]].add((tool.name, touch.keys, touch.each, alone))
    alike: dict[frozenset[object], str] = {}
    return {name: alike.setdefault(frozenset(of), name) for name, of in touched.items()}


def types_of_parts(parts: Parts, type_: Type | None) -> Iterator[tuple[Type, bool] | None]:
    """The type of each part of a record, and whether it may be absent; None where it has none.

    The order depends on the parts alone.
    """
    bare = None if type_ is None else strip_null(type_)
    for step, inner in parts.below.items():
        found: Type | None = None
        optional = True
        if isinstance(bare, RecordType) and isinstance(step, str) and step in bare.by_name:
            found, optional = bare.by_name[step].type, bare.by_name[step].optional
        elif isinstance(bare, MapType) and isinstance(step, Entries):
            found = bare.value
        if inner.ends:
            yield None if found is None else (found, optional)
        yield from types_of_parts(inner, found)


def _touches(tools: Iterable[Tool], pattern: str) -> Iterator[tuple[Tool, Touch]]:
    for tool in tools:
        for touch in tool.touches:
            if touch.pattern == pattern:
                yield tool, touch


def _steps(touch: Touch, record: Type) -> Iterator[tuple[PartStep, ...]]:
    """The steps to what the touch may make stale: more than one where a key cannot be told."""
    steps: list[PartStep] = []
    type_ = record
    for number, step in enumerate(touch.within):
        bare = strip_null(type_)
        if isinstance(bare, RecordType) and isinstance(step, str) and step in bare.by_name:
            steps.append(step)
            type_ = bare.by_name[step].type
            continue
        if not isinstance(bare, MapType):
            break
        if step == KEY:
            if number == len(touch.within) - 1:
                break  # nothing is known of the map as a whole
            steps.append(Entries.EACH)
        else:
            if not isinstance(step, str) and not _always_told(step):
                yield tuple(steps)
            steps.append(Entries.ONE)
        type_ = bare.value
    yield tuple(steps)


def _always_told(step: Expr) -> bool:
    """Whether the key is an argument that each call has."""
    match step:
        case FieldOf(of=Variable(name="args", type=RecordType(by_name=fields)), field_name=name):
            return not fields[name].optional and strip_null(step.type) == step.type
    return False
