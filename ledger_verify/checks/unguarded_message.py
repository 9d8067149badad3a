"""A message reads something that a violation of its rule does not guarantee to exist.

The person then reads `<none>` in its place. Test for it in the message, as in
`{has(o.coupon) ? o.coupon : "no coupon"}`, or say it without.

Faulty:

    rules:
      - id: cheap
        tools: [ship]
        let: {o: "ledger.orders[args.order_id]"}
        require: o.total < 100.0
        message: "Coupon {o.coupon} is not for orders of {o.total}."
        clause: Orders of 100 and more are not shipped.

Right:

    rules:
      - id: cheap
        tools: [ship]
        let: {o: "ledger.orders[args.order_id]"}
        when: has(o.coupon)
        require: o.total < 100.0
        message: "Coupon {o.coupon} is not for orders of {o.total}."
        clause: Orders of 100 and more are not shipped with a coupon.

Claim of the solver: "the rule is FALSE and the expression in the message has no value, everything
being observed" is unsatisfiable iff the message can be relied on. The case that is shown was
replayed through the gate. Absent fields, keys of maps, items of lists, null where a value is needed
and divisions by zero count; results that are too large do not, nor do cases in which the rule
itself has no value.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ledger_verify.checks.base.finding import FOR_TOOLS, About, Claim
from ledger_verify.checks.base.job import Bench, Job
from ledger_verify.checks.base.reporting import rule_finding, undecided, written
from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.cases import prune
from ledger_verify.lang.partial import absent_parts
from ledger_verify.lang.typed import Apply, Expr
from ledger_verify.lang.types import BOOL
from ledger_verify.policy.case import Case
from ledger_verify.policy.rules import Rule
from ledger_verify.solver.outcome import Outcome, Ruling
from ledger_verify.solver.question import Question

ABOUT = About("LV208", "unguarded_message", "warning")


def jobs(bench: Bench) -> Iterator[Job]:
    """One for each rule and tool whose message reads what may be absent."""
    for rule in bench.domain.rules:
        holes = {
            piece: parts
            for piece in rule.message
            if not isinstance(piece, str) and (parts := absent_parts(piece))
        }
        if holes:
            subject = f"{rule.id} for {rule.tool}"
            yield Job(subject, rule.tool, partial(_look, bench, rule, holes))


def _look(bench: Bench, rule: Rule, holes: dict[Expr, tuple[Expr, ...]]) -> Iterator[Claim]:
    for hole, parts in holes.items():
        family = (rule.holds, hole, *parts)
        # as it is written it shares more with the rule, which makes the proof easy
        whole = _question(bench, rule, hole, family)
        if parts != (hole,) and bench.solver.impossible(whole) is Ruling.PROVED:
            yield Claim()
            continue
        yield next(
            (claim for part in parts for claim in _found(bench, rule, hole, part, family)), Claim()
        )


def _question(bench: Bench, rule: Rule, expr: Expr, family: tuple[Expr, ...]) -> Question:
    tool = bench.domain.tools[rule.tool]
    return Question(tool, false=(rule.holds,), valueless=(expr,), family=family, in_bounds=True)


def _found(
    bench: Bench, rule: Rule, hole: Expr, part: Expr, family: tuple[Expr, ...]
) -> Iterator[Claim]:
    """What is to be said of one part of a hole; nothing if it always has a value."""
    search = bench.shown(_question(bench, rule, part, family))
    if search.outcome is Outcome.NONE:
        return
    shown = written(bench.domain, hole)
    case = None if search.case is None else _smallest(bench, rule, part, search.case)
    if case is None:
        message = f"could not tell whether `{shown}` in the message of `{rule.id}` can be absent"
        yield undecided(ABOUT, bench.domain, rule, message, search)
        return
    yield rule_finding(
        ABOUT,
        bench.domain,
        rule,
        f"the message of `{rule.id}` can read `<none>` in place of `{shown}`{FOR_TOOLS}",
        at=hole,
        case=case,
        fix='test for it, as in `{has(r.field) ? r.field : "none"}`, or say it without',
    )


def _smallest(bench: Bench, rule: Rule, part: Expr, case: Case) -> Case | None:
    """The case without what it does not need; None if it shows nothing when replayed."""
    # equal to itself, or without a value
    itself = Apply("eq", (part, part), BOOL)
    verdict = bench.replay(case)
    if verdict is None or bench.truths(case, (rule.holds, itself)) != (Truth.FALSE, Truth.ERROR):
        return None
    return prune(bench.gate, case, verdict, (itself,))
