"""Two domains compared: the calls newly allowed and newly refused, tool by tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ledger_verify.checks.contradictory_assumptions import contradiction, described
from ledger_verify.comparison.changed import evidence_changes, notes
from ledger_verify.comparison.context import (
    Reach,
    common_assumptions,
    looser,
    rule_changes,
    unseen,
)
from ledger_verify.comparison.report import (
    Change,
    DiffReport,
    Direction,
    ToolDiff,
)
from ledger_verify.comparison.search import Effort, Search
from ledger_verify.comparison.sides import Pair, Side
from ledger_verify.gate.cases import confirms
from ledger_verify.gate.gate import Gate
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.form import form
from ledger_verify.lang.types import RecordType, Type
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.session_facts import shared_facts
from ledger_verify.schema.relations import has_forms, same_values, within
from ledger_verify.solver.difference import Contrast
from ledger_verify.solver.static import StaticSolver


def diff(
    old: Domain,
    new: Domain,
    effort: Effort | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> DiffReport:
    """Compare the calls that two domains allow, on the same ledger at the same moment, in a session
    with the same facts, each side being told of those that it declares.

    Each direction of each tool is proved empty, or shown by a case of which the one gate says
    ALLOW and the other does not, or left undecided with the reason. `progress(done, total)` is
    called as tools are done. Raises `InputError` where the assumptions of a domain contradict each
    other, since anything could be proved then.
    """
    effort = effort or Effort()
    doubt = _of_assumptions(old, effort) or _of_assumptions(new, effort)
    before, after = Side.of("OLD", old), Side.of("NEW", new)
    tools = []
    names = _compared(before, after)
    for done, name in enumerate(names):
        progress(done, len(names))
        allowed = _direction(Pair(after, before), name, effort)
        refused = _direction(Pair(before, after), name, effort)
        tools.append(ToolDiff(name, _doubted(allowed, doubt), _doubted(refused, doubt)))
    return DiffReport(
        old, new, tuple(tools), rule_changes(old, new),
        tuple(notes(old, new)), tuple(evidence_changes(old, new)),
    )  # fmt: skip


def _of_assumptions(domain: Domain, effort: Effort) -> str | None:
    """What is not known of a domain's assumptions; raises `InputError` if they cannot be met."""
    if not domain.assumptions:
        return None
    bare = replace(domain, assumptions=())
    agrees = partial(confirms, Gate(bare, explain_ms=None))
    core = contradiction(domain, StaticSolver(bare, effort.scope, effort.limits, agrees))
    place = domain.assumptions[0].location
    if core:
        problem = f"{described(core)}, so everything would be proved"
        raise InputError(problem, location=core[-1].location)
    return None if core == () else f"{place}: it could not be told whether assumptions can be met"


def _doubted(direction: Direction, doubt: str | None) -> Direction:
    """The direction, of which nothing is proved where there is a doubt."""
    if doubt is None or direction.change is not Change.NONE or direction.reason is not None:
        return direction
    return Direction(Change.UNDECIDED, reason=doubt)


def _compared(before: Side, after: Side) -> list[str]:
    """The agent's writes of either side, all tools that have rules or ask the user, and those
    without that were not always the agent's or do not take the same arguments.
    """
    old, new = before.domain, after.domain
    judged = {
        name
        for domain in (old, new)
        for name in (
            *(t.name for t in domain.writes),
            *(rule.tool for rule in domain.rules),
            *(t.name for t in domain.tools.values() if t.asks),
        )
    }
    names = dict.fromkeys((*new.tools, *old.tools))
    return [name for name in names if name in judged or _is_called_otherwise(before, after, name)]


def _is_called_otherwise(before: Side, after: Side, name: str) -> bool:
    """Whether a tool without rules is not open to the same calls on both sides."""
    closed = [side.refuses_all(name) is not None for side in (before, after)]
    if any(closed):
        return not all(closed)
    arguments = [side.domain.tools[name].arguments for side in (before, after)]
    return not same_values(*arguments)


def _direction(pair: Pair, name: str, effort: Effort) -> Direction:
    """Whether the one side allows calls of the tool that the other does not."""
    first, second = pair.allowing, pair.other
    never = first.refuses_all(name)
    if never is not None:
        return Direction(Change.NONE, reason=never)
    rules, others = first.rules(name), second.rules(name)
    reach = Reach.of(tuple(rule.holds for rule in (*rules, *others)))
    keyed_otherwise = _keyed_otherwise(first, second, reach)
    if keyed_otherwise is not None:
        return Direction(Change.UNDECIDED, reason=keyed_otherwise)
    refused = second.refuses_all(name)
    doubted = [] if refused is not None else [r for r in others if not _kept(pair, r, rules)]
    loose = [] if refused is not None else looser(first, second, reach)
    doubts = [] if refused is not None else list(unseen(first, second, reach))
    fit = refused is None and _arguments_fit(pair, name) and _facts_fit(pair)
    if fit and not doubted and not doubts and not loose:
        return Direction(Change.NONE)
    contrast = Contrast(
        first.domain, second.domain, name,
        tuple(rule.holds for rule in rules),
        tuple(rule.holds for rule in sorted(doubted, key=lambda r: _is_same(r, rules))),
        common_assumptions(first.domain, second.domain),
        other_allows=refused is None,
        alike=_alike(pair, name, replace(reach, session=True)),
        structured=_needs_texts(pair, name, reach),
    )  # fmt: skip
    return Search(pair, contrast, effort, fit, loose, doubts).run()


def _kept(pair: Pair, rule: Rule, rules: tuple[Rule, ...]) -> bool:
    """Whether the side that allows has the same rule, over the same types."""
    return _is_same(rule, rules) and _alike(pair, rule.tool, Reach.of((rule.holds,)))


def _alike(pair: Pair, tool: str, reach: Reach) -> bool:
    """Whether what is read of a call of the tool has the same types and present on both sides."""
    first, second = pair.allowing.domain, pair.other.domain
    called = {tool, *reach.histories}
    return (
        (not reach.now or first.clock_us == second.clock_us)
        and (not reach.session or _same_facts(first.session, second.session))
        and all(
            name in first.tools
            and name in second.tools
            and same_values(first.tools[name].arguments, second.tools[name].arguments)
            for name in called
        )
        and all(
            pattern in first.ledger
            and pattern in second.ledger
            and same_values(first.ledger[pattern].record, second.ledger[pattern].record)
            and first.ledger[pattern].key_fields == second.ledger[pattern].key_fields
            for pattern in reach.patterns
        )
    )


def _is_same(rule: Rule, rules: tuple[Rule, ...]) -> bool:
    wanted = form(rule.holds)
    return any(form(other.holds) == wanted for other in rules)


def _arguments_fit(pair: Pair, name: str) -> bool:
    """Whether arguments that fit the first side surely fit the other."""
    given = pair.allowing.domain.tools[name].arguments
    return within(given, pair.other.domain.tools[name].arguments)


def _facts_fit(pair: Pair) -> bool:
    """Whether facts with which the first side opens a session surely fit the other."""
    return all(
        within(given.type, wanted.type) and (wanted.optional or not given.optional)
        for _, given, wanted in shared_facts(
            pair.allowing.domain.session, pair.other.domain.session
        )
    )


def _same_facts(first: RecordType | None, second: RecordType | None) -> bool:
    if first is None or second is None:
        return first is second
    return same_values(first, second)


def _keyed_otherwise(first: Side, second: Side, reach: Reach) -> str | None:
    """Why records cannot be compared at all: their keys are of other kinds."""
    for pattern in sorted(reach.patterns & set(first.domain.ledger) & set(second.domain.ledger)):
        kinds = [
            [(str(key), getattr(key, "date", None)) for key in side.domain.ledger[pattern].keys]
            for side in (first, second)
        ]
        if kinds[0] != kinds[1]:
            return f"the keys of `{pattern}` have other types in {first.label} and {second.label}"
    return None


def _needs_texts(pair: Pair, name: str, reach: Reach) -> bool:
    """Whether texts that fit one schema may have a form that the other refuses."""
    first, second = pair.allowing.domain, pair.other.domain
    types: list[tuple[Type, Type]] = []
    for called in {name, *reach.histories} & set(first.tools) & set(second.tools):
        types.append((first.tools[called].arguments, second.tools[called].arguments))
    for pattern in reach.patterns & set(first.ledger) & set(second.ledger):
        types.append((first.ledger[pattern].record, second.ledger[pattern].record))
    shared = shared_facts(first.session, second.session)
    types += [(given.type, wanted.type) for _, given, wanted in shared]
    return any(not within(given, wanted) and has_forms(wanted) for given, wanted in types)
