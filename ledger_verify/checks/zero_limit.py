"""A limit on the number of earlier calls that not even the first call meets.

The count of earlier calls begins at 0, and the limit asks for less than that: `size(...) < 0`, or
`< limit` where the limit is 0 whenever the rule applies. So the first call is refused already. A
limit of N calls, this one among them, is `size(...) < N`.

Faulty:

    rules:
      - id: once
        tools: [ship]
        require: size(history.ship.filter(c, c.ok)) < 0
        clause: Shipped once.

Right:

    rules:
      - id: once
        tools: [ship]
        require: size(history.ship.filter(c, c.ok)) < 1
        clause: Shipped once.

A tool that must never be called needs no count: `require: "false"` says so. `dead_action` stays
silent where such a limit is part of the contradiction.

Claim of the solver: "the rule applies and the limit is met by a count of 0" is unsatisfiable, while
a count below 0 would meet it. Only comparisons that must hold for the rule to hold are looked at,
and only counts made with `size`, their sums and multiples, that are bounded from above.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from ledger_verify.checks.base.finding import FOR_TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import given, rule_finding, written
from ledger_verify.checks.history.past_calls import histories, truth_alone
from ledger_verify.lang.rewrite import conjuncts, rewritten
from ledger_verify.lang.typed import Apply, Constant, Expr
from ledger_verify.lang.types import INT
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.question import Question

ABOUT = About("LV503", "zero_limit", "error")
_WRITTEN = "for at most N calls, this one among them, write `< N`"
_FAR_BELOW_ZERO = -1_000_000
_UPPER_BOUNDS = {"lt": (0, 1), "le": (0, 1), "gt": (1, 0), "ge": (1, 0)}
"""By operation: which operand is bounded from above, and which one is the bound."""


@dataclass(frozen=True)
class Limit:
    """A comparison that must hold, of something with counts of earlier calls and a limit."""

    comparison: Apply
    limit: Expr

    def at(self, count: int, limit: int | None = None) -> Expr:
        """The comparison where every count is this, and the limit another one."""

        def replaced(part: Expr) -> Expr:
            if limit is not None and part is self.limit:
                return Constant(limit, INT, part.span)
            return Constant(count, INT, part.span) if is_count(part) else part

        return rewritten(self.comparison, replaced)


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule and tool with a limit."""
    for rule in bench.domain.rules:
        if list(limits(rule)):
            subject = f"{rule.id} for {rule.tool}"
            yield Job(subject, rule.tool, partial(_look, bench, rule))


def _look(bench: Bench, rule: Rule) -> Iterator[Claim]:
    found = zero_limit(bench, rule)
    if found is None:
        yield Claim()
        return
    domain = bench.domain
    whole, limit = (written(domain, part) for part in (found.comparison, found.limit))
    parameter = given(domain, found.limit)
    counted = "of earlier calls" if parameter else f"in `{whole}`"
    yield rule_finding(
        ABOUT,
        domain,
        rule,
        f"`{rule.id}` refuses the first call already{FOR_TOOLS}: before it the count {counted} "
        f"is 0, and the limit is `{limit}`",
        at=found.limit if parameter else found.comparison,
        fix=_raised(found, parameter) if parameter else _WRITTEN,
    )


def _raised(limit: Limit, parameter: str) -> str:
    """How to give the template a limit that the first call meets."""
    met = (n for n in range(3) if truth_alone(limit.at(0, n)) is True)
    least = next(met, None) if isinstance(limit.limit, Constant) else None
    if least is None:
        return f"give a higher `{parameter}`"
    return f"set `{parameter}: {least}` for one call, or more"


def zero_limit(bench: Bench, rule: Rule) -> Limit | None:
    """The limit of the rule that not even the first call meets, if it has one."""
    tool = bench.domain.tools[rule.tool]
    applies = () if rule.when is None else (rule.when,)
    for limit in limits(rule):
        first, below = limit.at(0), limit.at(_FAR_BELOW_ZERO)
        if (
            truth_alone(first) is not True
            and bench.solver.impossible(Question(tool, true=(*applies, first))).decided
            and bench.solver.caseless(Question(tool, true=(*applies, below))).found
        ):
            return limit
    return None


def limits(rule: Rule) -> Iterator[Limit]:
    """The comparisons with counts of earlier calls that the rule requires."""
    for part in conjuncts(rule.require):
        if isinstance(part, Apply) and part.operation in _UPPER_BOUNDS:
            counted, limit = (part.operands[place] for place in _UPPER_BOUNDS[part.operation])
            if histories(counted) and _grows(counted) and not histories(limit):
                yield Limit(part, limit)


def _grows(expr: Expr) -> bool:
    """Whether more earlier calls can only make the value greater, if they change it."""
    if is_count(expr) or not histories(expr):
        return True
    match expr:
        case Apply(operation="add_int" | "add_num", operands=operands):
            return all(map(_grows, operands))
        case Apply(operation="mul_int" | "mul_num", operands=(left, right)):
            return any(
                isinstance(factor, Constant) and factor.value >= 0 and _grows(other)
                for factor, other in ((left, right), (right, left))
            )
    return False


def is_count(part: Expr) -> bool:
    """Whether the expression is a number of earlier calls."""
    return isinstance(part, Apply) and part.operation == "size" and bool(histories(part))
