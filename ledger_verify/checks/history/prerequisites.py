"""Which calls can ever be allowed, given that the calls that they need must be allowed before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from weakref import WeakKeyDictionary

from ledger_verify.checks.base.finding import Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.history.past_calls import histories, tools_of, truth_alone, without_past
from ledger_verify.checks.history.possible_past import Past, Possible
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.cases import truths_in
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.solver.asking import Asking
from ledger_verify.solver.outcome import Outcome, Ruling, Search, Undecided
from ledger_verify.solver.question import Question

Truths = Callable[[Case, Sequence[Expr]], "tuple[Truth, ...] | None"]


@dataclass(frozen=True)
class Blocked:
    """A tool of which no call can be allowed after calls that the gate let happen.

    `needs` are the tools of which an earlier call would have to be possible (one more of them may
    do), `core` is a smallest set of rules that brings it about.
    """

    tool: Tool
    needs: tuple[str, ...]
    core: tuple[Rule, ...]


@dataclass(frozen=True)
class Prerequisites:
    """What became of the tools whose rules read earlier calls and that cannot be called first.

    `allowed` are all tools, among these and those whose calls they need, of which some call can be
    allowed; for the `undecided` ones that could not be told, or only if others of these can be.
    """

    allowed: frozenset[str] = frozenset()
    blocked: Mapping[str, Blocked] = field(default_factory=dict)
    undecided: frozenset[str] = frozenset()


def readers(domain: Domain) -> tuple[Tool, ...]:
    """The agent's tools with rules that read earlier calls."""
    return tuple(
        tool
        for tool in domain.tools.values()
        if not tool.by_user
        and any(histories(rule.holds) for rule in domain.rules_by_tool[tool.name])
    )


def jobs_of_readers(bench: Bench, look: Callable[[Bench, Tool], Iterable[Claim]]) -> Iterator[Job]:
    """One job for each of these tools."""
    for tool in readers(bench.domain):
        yield Job(tool.name, tool.name, partial(look, bench, tool))


def involved(domain: Domain) -> tuple[Tool, ...]:
    """The tools with rules that read earlier calls, and the tools whose calls those are."""
    names = [tool.name for tool in readers(domain)]
    for tool in readers(domain):
        names += _read_by(domain, tool)
    return tuple(domain.tools[name] for name in dict.fromkeys(names))


def can_be_first(bench: Bench, tool: Tool) -> bool:
    """Whether a call of the tool can be allowed before any other was made, if one can be at all."""
    return _search(bench).is_able_first(tool)


def prerequisites(bench: Bench) -> Prerequisites:
    """The least set of tools that can be allowed, found by allowing one after another.

    Raises `Undecided` where a limit hides why a tool cannot be.
    """
    return _search(bench).found


_searches: WeakKeyDictionary[Bench, _Search] = WeakKeyDictionary()
"""What was found out already for a bench."""


def _search(bench: Bench) -> _Search:
    if bench not in _searches:
        _searches[bench] = _Search(bench.domain, bench.solver, partial(truths_in, bench.gate))
    return _searches[bench]


def possible_calls(
    domain: Domain, allowed: Iterable[str], names: Iterable[str]
) -> dict[str, Possible]:
    """What earlier calls of the named tools can be like if calls of `allowed` can be allowed."""
    able = frozenset(allowed)
    return {name: _possible(domain, domain.tools[name], name in able) for name in names}


def _possible(domain: Domain, tool: Tool, is_allowed: bool) -> Possible:
    if tool.by_user:
        return Possible(("BLOCK", "UNCHECKED"))
    unasked = () if tool.kind is ToolKind.WRITE else ("UNCHECKED",)
    allowed = ("ALLOW",) if is_allowed else ()
    rules = domain.rules_by_tool[tool.name]
    return Possible((*allowed, "REVISE", "BLOCK", *unasked), rules)


def _read_by(domain: Domain, tool: Tool) -> list[str]:
    rules = domain.rules_by_tool[tool.name]
    return [
        name
        for rule in rules
        for calls in histories(rule.holds)
        for name in tools_of(calls, domain)
    ]


def _as_allowed(case: Case, able: Collection[str]) -> Case:
    """The case with earlier calls that were allowed in place of those that nobody asked about."""
    history = tuple(
        replace(call, verdict="ALLOW")
        if call.tool in able and call.verdict == "UNCHECKED"
        else call
        for call in case.history
    )
    return replace(case, history=history)


class _Search:
    """The search for tools that can be allowed."""

    def __init__(self, domain: Domain, solver: Asking, truths: Truths) -> None:
        self._domain = domain
        self._solver = solver
        self._truths = truths
        self._tools = involved(domain)
        self._first: dict[str, bool] = {}
        self._cases: dict[str, Search] = {}
        self._undecided: set[str] = set()

    @cached_property
    def found(self) -> Prerequisites:
        """What became of all tools."""
        reading = readers(self._domain)
        waiting = [tool for tool in reading if not self.is_able_first(tool)]
        if not waiting:
            return Prerequisites()
        able = {t.name for t in self._tools if t not in waiting and self._is_alive(t)}
        asked: dict[str, set[str]] = {}
        while True:
            still = []
            for tool in waiting:
                new = able & set(_read_by(self._domain, tool))
                if new != asked.get(tool.name) and self._is_able(tool, able):
                    able.add(tool.name)
                else:
                    asked[tool.name] = new
                    still.append(tool)
            if len(still) == len(waiting):
                break
            waiting = still
        blocked = {tool.name: self._blocked(tool, able) for tool in waiting if self._is_alive(tool)}
        self._undecided |= {name for name in able if self._is_open(self._domain.tools[name])}
        while more := {name for name in able - self._undecided if self._rests_on_doubt(name, able)}:
            self._undecided |= more
        return Prerequisites(frozenset(able), blocked, frozenset(self._undecided))

    def _is_open(self, tool: Tool) -> bool:
        """Whether it could not be told if a call can be allowed after any calls at all."""
        if tool.by_user or not self._domain.rules_by_tool[tool.name]:
            return False
        return self._free(tool).outcome not in (Outcome.FOUND, Outcome.NONE)

    def _rests_on_doubt(self, name: str, able: Collection[str]) -> bool:
        """Whether a tool can be allowed only if one can of which that could not be told."""
        tool = self._domain.tools[name]
        doubtful = self._undecided & {*_read_by(self._domain, tool)}
        if not doubtful or tool not in readers(self._domain) or self.is_able_first(tool):
            return False
        sure = {*able} - self._undecided
        return self._after(tool, sure, _read_by(self._domain, tool)) is not Outcome.FOUND

    def is_able_first(self, tool: Tool) -> bool:
        """Whether a call can be allowed before any other was made, if one can be at all."""
        if tool.name not in self._first:
            self._first[tool.name] = self._is_able_first(tool)
        return self._first[tool.name]

    def _is_able_first(self, tool: Tool) -> bool:
        reading, others = self._rules(tool)
        cut = [without_past(expr) for expr in reading]
        if all(truth_alone(predicate) is True for predicate in cut):
            return True
        case = self._free(tool).case
        tried = None if case is None else replace(case, history=())
        return self._can_hold(tool, cut, others, tried) is Outcome.FOUND

    def _rules(self, tool: Tool) -> tuple[list[Expr], list[Expr]]:
        """The predicates of a tool that read earlier calls, and the others."""
        holds = [rule.holds for rule in self._domain.rules_by_tool[tool.name]]
        reading = [expr for expr in holds if histories(expr)]
        return reading, [expr for expr in holds if expr not in reading]

    def _free(self, tool: Tool) -> Search:
        """The search for a call that is allowed after any calls at all."""
        if tool.name not in self._cases:
            holds = tuple(rule.holds for rule in self._domain.rules_by_tool[tool.name])
            self._cases[tool.name] = self._solver.search(Question(tool, true=holds))
        return self._cases[tool.name]

    def _is_alive(self, tool: Tool) -> bool:
        """Whether a call can be allowed after any calls at all."""
        if tool.by_user:
            return False
        if not self._domain.rules_by_tool[tool.name]:
            return tool.kind is not ToolKind.WRITE
        return self._free(tool).outcome is not Outcome.NONE

    def _is_able(self, tool: Tool, able: Collection[str]) -> bool:
        outcome = self._after(tool, able, _read_by(self._domain, tool))
        if outcome not in (Outcome.FOUND, Outcome.NONE):
            self._undecided.add(tool.name)
        return outcome is not Outcome.NONE

    def _after(self, tool: Tool, able: Collection[str], names: Iterable[str]) -> Outcome:
        """Whether a call can be allowed after possible calls of the named tools."""
        past, case = self._past(able, names), self._free(tool).case
        reading, others = self._rules(tool)
        tried = None if case is None else _as_allowed(case, able)
        return self._can_hold(tool, [past.cut(expr) for expr in reading], others, tried)

    def _past(self, able: Iterable[str], names: Iterable[str]) -> Past:
        possible = possible_calls(self._domain, able, dict.fromkeys(names))
        return Past(self._domain, possible, self._allows)

    def _allows(self, name: str, predicates: tuple[Expr, ...]) -> bool:
        tool = self._domain.tools[name]
        case, told = self._free(tool).case, [p for p in predicates if truth_alone(p) is not True]
        if not told or (case is not None and self._all_true(case, told)):
            return True
        reading, others = self._rules(tool)
        question = Question(tool, true=(*reading, *others, *told))
        return not self._solver.impossible(question).decided

    def _can_hold(
        self, tool: Tool, cut: list[Expr], others: list[Expr], tried: Case | None
    ) -> Outcome:
        """Whether all predicates can be true; `cut` are those that were changed.

        A case that may do is tried first, and what settles it without the others.
        """
        everything = (*cut, *others)
        if tried is not None and self._all_true(tried, everything):
            return Outcome.FOUND
        if any(truth_alone(predicate) is False for predicate in cut):
            return Outcome.NONE
        if self._solver.impossible(Question(tool, true=tuple(cut))) is Ruling.PROVED:
            return Outcome.NONE
        return self._solver.search(Question(tool, true=everything)).outcome

    def _all_true(self, case: Case, predicates: Sequence[Expr]) -> bool:
        truths = self._truths(case, predicates)
        return truths is not None and set(truths) <= {Truth.TRUE}

    def _blocked(self, tool: Tool, able: Collection[str]) -> Blocked:
        needs = list(dict.fromkeys(_read_by(self._domain, tool)))
        for name in list(needs):
            rest = [other for other in needs if other != name]
            match self._after(tool, able, rest):
                case Outcome.NONE:
                    needs = rest
                case Outcome.UNDECIDED:
                    raise Undecided
        past = self._past(able, needs)
        rules: Mapping[str, Rule] = {
            rule.id: rule for rule in self._domain.rules_by_tool[tool.name]
        }
        named = [(name, past.cut(rule.holds)) for name, rule in rules.items()]
        core = self._solver.core(tool, named)
        if not core.smallest:
            raise Undecided
        return Blocked(tool, tuple(needs), tuple(rules[name] for name in core.names))


def cycles(found: Prerequisites) -> list[tuple[str, ...]]:
    """The circles in which blocked tools need each other, one of each knot of them."""
    if not found.blocked:
        return []
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    for name, blocked in found.blocked.items():
        graph.add_edges_from((name, need) for need in blocked.needs if need in found.blocked)
    out = []
    for knot in nx.strongly_connected_components(graph):
        part = graph.subgraph(knot)
        if part.number_of_edges():
            first = min(knot, key=list(found.blocked).index)
            out.append(tuple(edge[0] for edge in nx.find_cycle(part, first)))
    return sorted(out, key=lambda cycle: list(found.blocked).index(cycle[0]))
