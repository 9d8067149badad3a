"""Which rules changed between two domains, and what a proof cannot see of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from ledger_verify.schema.relations import has_times, within


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
