"""What changed between two domains besides the rules, and what a proof cannot see of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ledger_verify.comparison.report import RuleChanges
from ledger_verify.comparison.sides import Side
from ledger_verify.lang.form import Form, form
from ledger_verify.lang.typed import (
    Apply,
    Expr,
    FieldOf,
    Observed,
    Read,
    Records,
    Variable,
    distinct,
)
from ledger_verify.lang.types import ListType, MapType, RecordType, strip_null
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Assumption, Rule
from ledger_verify.policy.session_facts import shared_facts
from ledger_verify.policy.tools import Tool
from ledger_verify.schema.relations import has_times, same_values, within


@dataclass(frozen=True)
class Reach:
    """What predicates read: patterns of the ledger, earlier calls by tool, the present, the facts
    of the session, and whether any of what was observed or proposed is a time.
    """

    patterns: frozenset[str]
    histories: frozenset[str]
    now: bool
    times: bool
    session: bool = False

    @classmethod
    def of(cls, predicates: tuple[Expr, ...]) -> Reach:
        """All that any of the predicates reads."""
        patterns, histories, now, times, session = set(), set(), False, False, False
        for predicate in predicates:
            for part in distinct(predicate):
                times = times or _is_given_time(part)
                match part:
                    case Read(pattern=pattern) | Records(pattern=pattern):
                        patterns.add(pattern)
                    case Observed(read=read):
                        patterns.add(read.pattern)
                    case Variable(name=name) if part.is_history:
                        histories.add(name.partition(".")[2])
                    case Variable(name="now"):
                        now = True
                    case Variable(name="session"):
                        session = True
        return cls(frozenset(patterns), frozenset(histories), now, times, session)


def _is_given_time(part: Expr) -> bool:
    """Whether a date or time of the ledger or the call may enter here, alone or within a value."""
    match part:
        case FieldOf(type=type_) | Read(type=type_):
            return not isinstance(strip_null(type_), RecordType) and has_times(type_)
        case Records(type=ListType(item=item)):
            return not isinstance(strip_null(item), RecordType) and has_times(item)
        case Apply(operands=operands) if part.operation != "size":
            whole = (o.type for o in operands if isinstance(strip_null(o.type), _WHOLE))
            return any(map(has_times, whole))
    return False


_WHOLE = (RecordType, ListType, MapType)


def assumption_form(assumption: Assumption) -> Form:
    """What an assumption says, wherever it stands."""
    variable = assumption.variable
    name = None if variable is None else variable.name
    return (assumption.pattern, name, form(assumption.body))


def common_assumptions(domain: Domain, other: Domain) -> tuple[Assumption, ...]:
    """The assumptions of the first that the second makes as well."""
    known = {assumption_form(a) for a in other.assumptions}
    return tuple(a for a in domain.assumptions if assumption_form(a) in known)


def own_assumptions(
    domain: Domain, other: Domain, patterns: frozenset[str]
) -> tuple[Assumption, ...]:
    """The assumptions that only the first makes and that bear upon records of the patterns."""
    common = common_assumptions(domain, other)
    return tuple(a for a in bearing_assumptions(domain, other, patterns) if a not in common)


def bearing_assumptions(
    domain: Domain, other: Domain, patterns: frozenset[str]
) -> tuple[Assumption, ...]:
    """The assumptions of the first that bear upon records of the patterns, if only by others."""
    touched = [_patterns(a) for a in (*domain.assumptions, *other.assumptions)]
    near, size = set(patterns), -1
    while size != len(near):
        size = len(near)
        near.update(*(some for some in touched if some & near))
    return tuple(a for a in domain.assumptions if _patterns(a) & near)


def _patterns(assumption: Assumption) -> frozenset[str]:
    own = frozenset() if assumption.pattern is None else frozenset({assumption.pattern})
    return Reach.of((assumption.body,)).patterns | own


def looser(allowing: Side, other: Side, reach: Reach) -> list[str]:
    """The patterns of which the second side takes records as evidence that the first keeps out."""
    first, second = allowing.domain.ledger, other.domain.ledger
    return [
        pattern
        for pattern in sorted(reach.patterns & set(first) & set(second))
        if not within(second[pattern].record, first[pattern].record)
        or any(
            name is not None and name != other
            for name, other in zip(
                first[pattern].key_fields, second[pattern].key_fields, strict=True
            )
        )
    ]


def unseen(allowing: Side, other: Side, reach: Reach) -> Iterator[str]:
    """Why a proof that the second side allows whatever the first does would not cover all.

    What is told of records is the matter of `looser`.
    """
    first, second = allowing.domain, other.domain
    for name in sorted(_remembered(reach, first, second)):
        if not within(second.tools[name].arguments, first.tools[name].arguments):
            yield (
                f"earlier calls of `{name}` that {other.label} reads need not fit the arguments "
                f"of {allowing.label}"
            )
    if "" in reach.histories and set(first.tools) != set(second.tools):
        yield "rules read `history`, and the two sides do not have the same tools"
    for assumption in own_assumptions(first, second, reach.patterns):
        yield (
            f"only {allowing.label} assumes `{assumption.text.strip()}`, by which it may allow "
            "calls before all of the evidence was read"
        )
    for assumption in own_assumptions(second, first, reach.patterns):
        yield (
            f"only {other.label} assumes `{assumption.text.strip()}`, and it may refuse calls "
            "where the evidence breaks that"
        )
    bearing = bearing_assumptions(first, second, reach.patterns)
    times = reach.times or Reach.of(tuple(a.body for a in bearing)).times
    if first.timezone != second.timezone and times:
        yield (
            f"the time zones differ (`{first.timezone}` and `{second.timezone}`), so the same "
            "text can be another moment"
        )


def _remembered(reach: Reach, first: Domain, second: Domain) -> set[str]:
    both = set(first.tools) & set(second.tools)
    return both if "" in reach.histories else both & reach.histories


def rule_changes(old: Domain, new: Domain) -> RuleChanges:
    """The rules that were added, removed and changed, by id, in the order of their files."""
    before, after = _demands(old), _demands(new)
    return RuleChanges(
        tuple(id_ for id_ in after if id_ not in before),
        tuple(id_ for id_ in before if id_ not in after),
        tuple(id_ for id_ in after if id_ in before and before[id_] != after[id_]),
    )


def _demands(domain: Domain) -> Mapping[str, Mapping[str, Form]]:
    demands: dict[str, dict[str, Form]] = {}
    for rule in domain.rules:
        demands.setdefault(rule.id, {})[rule.tool] = demand(rule)
    return demands


def demand(rule: Rule) -> Form:
    """What a rule demands, and what its violation leads to."""
    return (form(rule.holds), rule.otherwise)


def notes(old: Domain, new: Domain) -> Iterator[str]:
    """What else changed, in words."""
    for name in new.tools:
        if name not in old.tools:
            yield f"tool `{name}` was added"
    for name in old.tools:
        if name not in new.tools:
            yield f"tool `{name}` was removed"
    for name in (name for name in new.tools if name in old.tools):
        yield from _tool_notes(old.tools[name], new.tools[name])
    for pattern in dict.fromkeys((*old.ledger, *new.ledger)):
        if pattern not in old.ledger or pattern not in new.ledger:
            yield f"path `{pattern}` was {'added' if pattern in new.ledger else 'removed'}"
        elif not same_values(old.ledger[pattern].record, new.ledger[pattern].record):
            yield f"the schema of records at `{pattern}` was changed"
        elif old.ledger[pattern].key_fields != new.ledger[pattern].key_fields:
            yield f"the key of records at `{pattern}` was changed"
    yield from _session_notes(old.session, new.session)
    settings: tuple[tuple[str, Callable[[Domain], object]], ...] = (
        ("default", lambda d: d.default),
        ("timezone", lambda d: d.timezone),
        ("clock", lambda d: "none" if d.clock_us is None else d.clock_us),
    )
    for name, get in settings:
        if get(old) != get(new):
            changed = f": it was `{get(old)}`, it is `{get(new)}`" if name != "clock" else ""
            yield f"`{name}` was changed{changed}"
    for gone in own_assumptions(old, new, frozenset(old.ledger)):
        yield f"assumption `{gone.text.strip()}` was removed"
    for added in own_assumptions(new, old, frozenset(new.ledger)):
        yield f"assumption `{added.text.strip()}` was added"


def _session_notes(old: RecordType | None, new: RecordType | None) -> Iterator[str]:
    before, after = (() if side is None else side.by_name for side in (old, new))
    for name in dict.fromkeys((*after, *before)):
        if name not in before or name not in after:
            yield f"session fact `{name}` was {'added' if name in after else 'removed'}"
    for name, was, is_ in shared_facts(old, new):
        if was.optional != is_.optional or not same_values(was.type, is_.type):
            yield f"session fact `{name}` was changed"


def _tool_notes(old: Tool, new: Tool) -> Iterator[str]:
    if old.kind is not new.kind:
        yield f"tool `{new.name}` was a {old.kind.value} tool and is a {new.kind.value} tool"
    if old.by_user != new.by_user:
        owner = "person" if new.by_user else "agent"
        yield f"tool `{new.name}` now belongs to the {owner}"
    if not same_values(old.arguments, new.arguments):
        yield f"the arguments of `{new.name}` were changed"


def evidence_changes(old: Domain, new: Domain) -> Iterator[str]:
    """By which the same conversation can make another ledger, so that no proof speaks of it."""
    for name in dict.fromkeys((*old.tools, *new.tools)):
        before, after = old.tools.get(name), new.tools.get(name)
        if before is not None and after is not None:
            if _observed(before) != _observed(after):
                yield f"`{name}` observes something else than before"
            if _touched(before) != _touched(after):
                yield f"`{name}` touches something else than before"
            if before.kind is not after.kind:
                yield f"`{name}` is of another kind, so calls of it leave something else behind"
            if after.observes and not same_values(before.arguments, after.arguments):
                yield f"`{name}` observes nothing where its arguments do not fit, and those changed"
        elif before is None and after is not None and after.observes:
            yield f"`{name}` is a new way to observe records"
        elif before is not None and before.observes:
            yield f"`{name}` observes no records any more"
        else:
            lacking = "OLD" if before is None else "NEW"
            yield f"{lacking} does not know `{name}`, so a call of it makes all stale there"


def _observed(tool: Tool) -> Form:
    return tuple(
        (
            o.pattern, o.source, tuple(map(form, o.keys)),
            tuple((name, form(expr)) for name, expr in o.additions),
            None if o.where is None else form(o.where), None if o.when is None else form(o.when),
            o.text,
        )
        for o in tool.observes
    )  # fmt: skip


def _touched(tool: Tool) -> Form:
    return (
        tool.result,
        tuple(
            (
                t.pattern, tuple(None if k is None else form(k) for k in t.keys),
                tuple(s if isinstance(s, str) else form(s) for s in t.within),
                None if t.each is None else form(t.each),
            )
            for t in tool.touches
        ),
    )  # fmt: skip
