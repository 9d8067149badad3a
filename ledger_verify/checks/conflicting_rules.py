"""Rules can each be met where all of them apply, but never together.

Every call to which all of them apply is refused, whatever its arguments are, though no rule says
so. Narrow a guard, so that they do not apply at the same time, or loosen what they require.

Faulty:

    rules:
      - id: few_if_fast
        tools: [ship]
        when: args.speed == "fast"
        require: args.parcels <= 2
        clause: Fast deliveries are small.
      - id: many_if_gold
        tools: [ship]
        when: ledger.customer.tier == "gold"
        require: args.parcels >= 3
        clause: Gold customers order by the crate.

Right:

    rules:
      - id: few_if_fast
        tools: [ship]
        when: args.speed == "fast"
        require: args.parcels <= 3
        clause: Fast deliveries are small.
      - id: many_if_gold
        tools: [ship]
        when: ledger.customer.tier == "gold"
        require: args.parcels >= 3
        clause: Gold customers order by the crate.

Claim of the solver: where the guards of all rules of the core are true, "all of them hold" is
unsatisfiable, for lists of any length; and for each rule of the core, a case was found in which the
guards are true and all others of the core hold. The counterexample is a call to which all of them
apply and that only one of them forbids.

A rule that excludes another's guard is a prohibition and no conflict: `require: args.speed !=
"fast"` makes a rule for fast calls a `redundant_rule`. Rules that conflict without any guard make a
`dead_action`; a literal that cannot occur is an `impossible_literal`. The check looks at each guard
and each pair of guards, with all rules of the tool. It misses conflicts that three or more
different guards bring about, those where the guards meet only in lists beyond the bound, and those
in calls that another rule alone forbids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from ledger_verify.checks.base.finding import FOR_TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided
from ledger_verify.checks.impossible_literal import blamed_rules
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.cases import prune
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Tool
from ledger_verify.solver.outcome import Doubt, Outcome, Search, Undecided
from ledger_verify.solver.question import Question

ABOUT = About("LV105", "conflicting_rules", "error")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each tool with a guarded rule that is not alone."""
    blamed = blamed_rules(bench.domain)
    for tool in bench.domain.tools.values():
        rules = bench.domain.rules_by_tool[tool.name]
        if len(rules) > 1 and any(rule.when is not None for rule in rules):
            look = partial(_look, _Search(bench, tool, rules), blamed)
            yield Job(tool.name, tool.name, look)


def _look(search: _Search, blamed: frozenset[str]) -> Iterator[Claim]:
    cores, open_ = search.conflicts()
    told = False
    for core in cores:
        if not any(rule.id in blamed for rule in core):
            told = True
            yield from _finding(search, core)
    if open_:
        listed = " and ".join(f"`{rule.id}`" for rule in open_)
        apply = "applies" if len(open_) == 1 else "apply"
        tool = search.tool.name
        message = (
            f"could not tell whether a call of `{tool}` to which {listed} {apply} can be allowed"
        )
        doubtful, other = search.doubt(open_)
        if other is not None:
            message += f": it must meet `{other.id}` as well"
        rules = open_ if other is None else (*open_, other)
        domain = search.bench.domain
        yield undecided(ABOUT, domain, open_[0], message, doubtful, rules=rules)
    elif not told:
        yield Claim()


def _finding(search: _Search, core: Sequence[Rule]) -> Iterator[Claim]:
    last = max(core, key=lambda rule: rule.location.line)
    listed = ", ".join(f"`{rule.id}`" for rule in core)
    case = search.example(core, last)
    yield rule_finding(
        ABOUT,
        search.bench.domain,
        last,
        f"{listed} can each be met, but never together{FOR_TOOLS}: a call to which all of them "
        "apply is always refused",
        rules=core,
        core=core,
        case=case,
        fix="narrow a guard so that they do not apply together, or loosen what they require",
    )
    if case is None:
        message = f"no call was found to which {listed} apply and that only `{last.id}` forbids"
        yield undecided(ABOUT, search.bench.domain, last, message, rules=core)


@dataclass(frozen=True)
class _Search:
    """Looks for conflicts among the rules of one tool."""

    bench: Bench
    tool: Tool
    rules: tuple[Rule, ...]

    @property
    def family(self) -> tuple[Expr, ...]:
        """The predicates of all rules; guards are parts of them."""
        return tuple(rule.holds for rule in self.rules)

    def conflicts(self) -> tuple[list[list[Rule]], tuple[Rule, ...]]:
        """The cores, and the guarded rules of a question that stayed undecided, if one did."""
        guarded = [rule for rule in self.rules if rule.when is not None]
        cores: dict[frozenset[str], list[Rule]] = {}
        alone, unsure = self._never_allowed([(rule,) for rule in guarded])
        fine = [rule for rule in guarded if (rule,) not in alone]
        together, also_unsure = self._never_allowed(list(combinations(fine, 2)))
        for group in (*alone, *together):
            core = self._core(group)
            if core is not None:
                cores.setdefault(frozenset(rule.id for rule in core), core)
        return list(cores.values()), next(iter((*unsure, *also_unsure)), ())

    def doubt(self, group: tuple[Rule, ...]) -> tuple[Search, Rule | None]:
        """Why it stayed undecided whether calls to which a group applies can be allowed, and a rule
        that is enough to make it so, if one alone is and there is time to ask.
        """
        solver, guards = self.bench.solver, _guards(group)
        whole = solver.caseless(self._question((*guards, *self.family)))
        if whole.outcome is Outcome.FOUND or whole.doubt is Doubt.TIME:
            return Search(Outcome.UNDECIDED, doubt=Doubt.TIME), None
        own = (*guards, *(rule.holds for rule in group))
        if solver.outcome(self._question(own)) is not Outcome.FOUND:
            return whole, None
        for rule in self.rules:
            if solver.outcome(self._question((*own, rule.holds))) is not Outcome.FOUND:
                return whole, rule
        return whole, None

    def _never_allowed(
        self, groups: Sequence[tuple[Rule, ...]]
    ) -> tuple[list[tuple[Rule, ...]], list[tuple[Rule, ...]]]:
        """Groups whose guards can be true together, but in no call that is allowed; and groups of
        which that could not be told.
        """
        solver = self.bench.solver
        allowed = solver.reach(self.tool, [_guards(g) for g in groups], self.family, self.family)
        left = [group for number, group in enumerate(groups) if number not in allowed.met]
        applied = solver.reach(self.tool, [_guards(group) for group in left], (), self.family)
        met = [group for number, group in enumerate(left) if number in applied.met]
        unsure = [left[number] for number in applied.undecided]
        refused = []
        for group in met:
            outcome = solver.outcome(self._question((*_guards(group), *self.family)))
            if outcome is Outcome.NONE:
                refused.append(group)
            elif outcome is not Outcome.FOUND:
                unsure.append(group)
        return refused, unsure

    def _core(self, group: tuple[Rule, ...]) -> list[Rule] | None:
        """Rules that conflict where those of the group apply, which are among them; or None."""
        given = (*_guards(group), *(rule.holds for rule in group))
        core = list(group)
        if not self.bench.solver.impossible(self._question(given)).decided:
            named = [(rule.id, rule.holds) for rule in self.rules if rule not in group]
            found = self.bench.solver.core(self.tool, named, self._question(given))
            if not found.smallest:
                raise Undecided
            core = [rule for rule in self.rules if rule in group or rule.id in found.names]
        guards = _guards(core)
        if len(core) < 2 or not guards:
            return None
        for left_out in core:
            rest = (rule.holds for rule in core if rule is not left_out)
            if not self.bench.solver.caseless(self._question((*guards, *rest))).found:
                return None
        return None if self._is_prohibited(core) else core

    def _is_prohibited(self, core: Sequence[Rule]) -> bool:
        """Whether another rule alone forbids every call to which all of the core apply."""
        others = [rule for rule in self.rules if rule not in core]
        given = _guards(core)
        possible = self.bench.solver.reach(
            self.tool, [(rule.holds,) for rule in others], given, self.family
        )
        return any(
            self.bench.solver.impossible(self._question((*given, rule.holds))).decided
            for number, rule in enumerate(others)
            if number not in possible.met
        )

    def example(self, core: Sequence[Rule], violated: Rule) -> Case | None:
        """A call to which all rules of the core apply and that only one of them forbids."""
        rest = tuple(rule.holds for rule in core if rule is not violated)
        wanted = (*_guards(core), *rest)
        case = self.bench.shown(self._question(wanted)).case
        if case is None or set(self.bench.truths(case, wanted) or ()) != {Truth.TRUE}:
            return None
        verdict = self.bench.replay(case)
        return None if verdict is None else prune(self.bench.gate, case, verdict, wanted)

    def _question(self, true: tuple[Expr, ...]) -> Question:
        return Question(self.tool, true=true, family=self.family)


def _guards(rules: Iterable[Rule]) -> tuple[Expr, ...]:
    return tuple(rule.when for rule in rules if rule.when is not None)
