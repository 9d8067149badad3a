"""A part of a rule's condition is true in every case, or false in every case.

Usually an `&&` was meant to be an `||` or the other way round, a comparison is the wrong way
round, or the schema already settles it. Mend the condition, or leave it out.

Faulty:

    rules:
      - id: few_or_fast
        tools: [ship]
        require: args.speed == "fast" || args.parcels > 5 && args.parcels < 3
        clause: Few parcels, or fast ones.

Right:

    rules:
      - id: few_or_fast
        tools: [ship]
        require: args.speed == "fast" || args.parcels > 2 && args.parcels < 5
        clause: Few parcels, or fast ones.

Each comparison, connective and macro of `require` and `when` is looked at by itself, one inside a
macro for any item of the list; the smallest that is constant is reported. What has no value in
some cases is not constant. A part that only the conditions around it settle is passed over, and so
is what is written as `true` or `false`, what stands in a template, which is general (parameters
given to it are looked at), and what is constant for some of the rule's tools only. If all of the
rule always holds, never holds or never applies, `vacuous_rule`, `dead_action` or
`inapplicable_rule` says that instead. A literal that cannot occur is an `impossible_literal`, and a
limit that not even the first call meets a `zero_limit`.

Claim of the solver: "it is otherwise, or has no value" is unsatisfiable iff the part is constant,
for lists of any length; a case in which it has the one value was found. Results out of bounds
(beyond 64 bits, beyond the calendar) count as values. A part that is not
constant has both values, or no value, in cases that the solver found with lists up to the bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided, written
from ledger_verify.checks.impossible_literal import misfits
from ledger_verify.checks.zero_limit import zero_limit
from ledger_verify.lang.typed import (
    And,
    Apply,
    Choose,
    Constant,
    Expr,
    Fold,
    HasField,
    Or,
    distinct,
    parts,
)
from ledger_verify.lang.types import BoolType, strip_null
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import stands_in
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.outcome import Undecided
from ledger_verify.solver.question import Question

ABOUT = About("LV106", "constant_condition", "warning")
_CHOOSERS = frozenset({"item_at", "value_at", "min", "max"})
_LONGEST = 80


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule."""
    for rules in bench.domain.rules_by_id.values():
        yield Job(rules[0].id, rules[0].tool, partial(_look, bench, rules))


def is_blamed(bench: Bench, rule: Rule) -> bool:
    """Whether a part of the rule is constant for its tool."""
    found, open_ = _constants(bench, rule)
    if open_ and not found:
        raise Undecided
    return bool(found)


def _look(bench: Bench, rules: tuple[Rule, ...]) -> Iterator[Claim]:
    if any(zero_limit(bench, rule) for rule in rules):
        return
    first, *others = rules
    found, open_ = _constants(bench, first)
    for rule in others:
        if found or open_:
            there, more = _constants(bench, rule)
            found = {place: one for place, one in found.items() if there.get(place) == one}
            open_ = [*open_, *more]
    if found and any(_is_settled(bench, rule) for rule in rules):
        return
    for place, value in found.items():
        for rule in rules:
            part = _parts(bench.domain, rule).by_place[place]
            yield _finding(bench.domain, rule, part, value)
    if open_:
        text = _shown(bench.domain, open_[0])
        message = f"could not tell whether `{text}` is always true or always false"
        yield undecided(ABOUT, bench.domain, first, message)
    elif not found:
        yield Claim()


def _finding(domain: Domain, rule: Rule, part: Expr, value: bool) -> Claim:
    return rule_finding(
        ABOUT,
        domain,
        rule,
        f"`{_shown(domain, part)}` is always {str(value).lower()}",
        at=part,
        fix="check the condition for a slip, or leave it out",
    )


def _shown(domain: Domain, part: Expr) -> str:
    text = written(domain, part)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _is_settled(bench: Bench, rule: Rule) -> bool:
    """Whether all of the rule always holds or never does, of which other checks speak."""
    tool = bench.domain.tools[rule.tool]
    never_fails = Question(tool, untrue=(rule.holds,), in_bounds=True)
    never_holds = Question(tool, true=(rule.holds,))
    impossible = bench.solver.impossible
    return impossible(never_fails).decided or impossible(never_holds).decided


@dataclass(frozen=True)
class _Parts:
    """The parts of a rule to be looked at, and those with a value of their own."""

    asked: tuple[Expr, ...]
    folded: tuple[Constant, ...]

    @property
    def by_place(self) -> dict[Any, Expr]:
        """The parts by where they stand, which is the same for all tools of the rule."""
        return {_place(part): part for part in (*self.asked, *self.folded)}


def _place(part: Expr) -> Any:
    return part.span, part.span.place


def _predicates(rule: Rule) -> tuple[Expr, ...]:
    return (rule.require,) if rule.when is None else (rule.when, rule.require)


def _parts(domain: Domain, rule: Rule) -> _Parts:
    """Conditions that stand in the policy, without those over a literal that cannot occur."""
    blamed = {id(misfit.condition) for misfit in misfits(domain, rule.holds)}
    asked: list[Expr] = []
    folded: list[Constant] = []
    tainted: dict[int, bool] = {}

    def is_tainted(expr: Expr) -> bool:
        if id(expr) not in tainted:
            below = [is_tainted(part) for part in parts(expr)]
            tainted[id(expr)] = id(expr) in blamed or any(below)
        return tainted[id(expr)]

    found = (part for predicate in _predicates(rule) for part in distinct(predicate))
    for part in found:
        if not _is_condition(part) or is_tainted(part):
            continue
        if not stands_in(part.span, domain.sources.values()):
            continue
        if not isinstance(part, Constant):
            asked.append(part)
        elif written(domain, part) not in ("true", "false"):
            folded.append(part)
    return _Parts(tuple(asked), tuple(folded))


def _is_condition(expr: Expr) -> bool:
    if not isinstance(strip_null(expr.type), BoolType):
        return False
    match expr:
        case Apply(operation=operation):
            return operation not in _CHOOSERS
        case And() | Or() | Fold() | HasField() | Choose() | Constant():
            return True
    return False


def _constants(bench: Bench, rule: Rule) -> tuple[dict[Any, bool], list[Expr]]:
    """The smallest constant parts by their place, and parts that stayed undecided."""
    looked_at = _parts(bench.domain, rule)
    tool = bench.domain.tools[rule.tool]
    values = {id(part): bool(part.value) for part in looked_at.folded}
    open_: list[Expr] = []
    if looked_at.asked:
        found = bench.solver.constants(
            Question(tool, _predicates(rule), family=(rule.holds,), in_bounds=True),
            looked_at.asked,
        )
        values |= {id(looked_at.asked[number]): value for number, value in found.values.items()}
        open_ = [looked_at.asked[number] for number in found.undecided]
    smallest = {
        _place(part): values[id(part)]
        for part in (*looked_at.asked, *looked_at.folded)
        if id(part) in values
        and not any(id(below) in values for below in distinct(part) if below is not part)
    }
    return smallest, open_
