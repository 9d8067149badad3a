"""Why a call is not plainly allowed: the decision of section 7 of the design, step by step."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ledger_verify.evaluate.kleene import Truth
from ledger_verify.gate.absent import no_such
from ledger_verify.gate.asking import Wanted, wanted_of_user
from ledger_verify.gate.awaited import awaited_tools, of_records, unknown_outcomes
from ledger_verify.gate.course import Course
from ledger_verify.gate.heard import ask_text, with_whom
from ledger_verify.gate.judge import Judgement, Standing, stand_of
from ledger_verify.gate.messages import bare_message, describe, rule_message
from ledger_verify.gate.proposal import Proposal
from ledger_verify.gate.prospect import opening
from ledger_verify.gate.reads import ReadPlanner
from ledger_verify.gate.repair import repair
from ledger_verify.gate.verdict import (
    NOT_SETTLED,
    Decision,
    MissingRead,
    Repair,
    RuleReport,
    Verdict,
)
from ledger_verify.lang.deadline import Expired
from ledger_verify.policy.evidence import MissingPath
from ledger_verify.policy.rules import Otherwise

log = logging.getLogger("ledger_verify.gate")


@dataclass(frozen=True)
class _Outcome:
    """A decision, and what leads from it to ALLOW."""

    decision: Decision
    missing: Sequence[MissingRead] = ()
    repair: Repair | None = None
    sought_repair: bool = False
    wanted: Wanted | None = None
    asked: Sequence[MissingPath] = ()


def explain(proposal: Proposal, shown: Mapping[str, Any]) -> Verdict:
    """The verdict on a call that the compiled predicates did not allow.

    `shown` are the arguments as they were proposed. Past the proposal's deadline it is a refusal
    that says what is open; only the verdict on a read that is to be advised raises `Expired` then.
    """
    course = Course(proposal)
    try:
        return _explained(course, shown)
    except Expired:
        if proposal.advising:
            raise
        log.warning("a refusal of `%s` is not explained in full: no time", proposal.tool.name)
        return _cut_off(course, shown)


def _explained(course: Course, shown: Mapping[str, Any]) -> Verdict:
    proposal = course.proposal
    for rule in proposal.rules:
        course.standings.append(stand_of(proposal, rule))
    try:
        course.settles()
        judged = Judgement(proposal, proposal.rules, course.standings)
        course.standings = list(judged.standings)
        outcome = _decide(judged, course)
    except Expired:
        raise
    except Exception as problem:
        reason = _why_undecided(problem)
        if reason is None:
            raise
        log.warning("a call of `%s` is blocked: %s", proposal.tool.name, reason)
        return _verdict(course, shown, _Outcome(Decision.BLOCK), "error", reason)
    sought = outcome.sought_repair and bool(proposal.repairable)
    if judged.unsettled and outcome.decision is Decision.REVISE:
        return _verdict(course, shown, outcome, "limit", course.reason(unsettled=True))
    decided_by = "solver" if judged.asked_solver or sought else "compiled"
    return _verdict(course, shown, outcome, decided_by)


def _cut_off(course: Course, shown: Mapping[str, Any]) -> Verdict:
    """The refusal by what is known when the time is over; nothing here takes long."""
    verdict = course.decided
    if verdict is None:
        reports = _reports(course.all_standings, lambda s: bare_message(s.rule))
        name = course.proposal.tool.name
        verdict = Verdict(course.decision, name, shown, "", reports, decided_by="limit")
    return replace(verdict, message=describe(verdict, (), course.reason(), step=course.next_step))


def _reports(
    standings: Iterable[Standing], message: Callable[[Standing], str]
) -> tuple[RuleReport, ...]:
    return tuple(RuleReport(s.rule.id, s.truth.value, message(s), s.rule.clause) for s in standings)


def _decide(judged: Judgement, course: Course) -> _Outcome:
    standings = judged.standings
    violated = [s for s in standings if s.violated]
    undetermined = [s for s in standings if s.undetermined]
    if not violated and not undetermined:
        return _Outcome(Decision.ALLOW)
    if any(s.rule.otherwise is Otherwise.BLOCK for s in violated):
        return _Outcome(Decision.BLOCK)
    if not violated:
        course.reads()
    if not violated and judged.reads_suffice(undetermined):
        return _Outcome(Decision.REVISE, judged.reads(undetermined))
    course.opens()
    rules = [s.rule for s in standings]
    opened = opening(judged.proposal, rules)
    if opened.reads:
        return _Outcome(Decision.REVISE, opened.reads, asked=opened.asked)
    course.asks()
    wanted = wanted_of_user(judged) if violated else None
    if wanted is not None:
        return _Outcome(Decision.REVISE, wanted.reads, wanted=wanted)
    course.repairs()
    found = repair(judged.proposal, rules)
    if found is not None:
        return _Outcome(Decision.REVISE, found[1], found[0], sought_repair=True)
    revise = _revise_all_the_same(judged)
    outcome = revise or _Outcome(Decision.BLOCK, sought_repair=True)
    return replace(outcome, asked=opened.asked)


def _revise_all_the_same(judged: Judgement) -> _Outcome | None:
    """Nothing leads to ALLOW; violated rules with `otherwise: revise` still lead to REVISE, unless
    what the other rules say is a BLOCK.
    """
    others = [
        s for s in judged.standings if not (s.violated and s.rule.otherwise is Otherwise.REVISE)
    ]
    if len(others) == len(judged.standings):
        return None
    undetermined = [s for s in others if s.undetermined]
    if not any(s.violated for s in others) and judged.reads_suffice(undetermined):
        return _Outcome(Decision.REVISE, judged.reads(undetermined), sought_repair=True)
    if repair(judged.proposal, [s.rule for s in others]) is not None:
        return _Outcome(Decision.REVISE, sought_repair=True)
    return None


def _why_undecided(problem: Exception) -> str | None:
    """What to say of a limit of the solver, or None for any other exception."""
    from ledger_verify.solver.completions import Contradiction
    from ledger_verify.solver.outcome import Undecided

    match problem:
        case Undecided():
            return "the solver reached its limit of time before it was settled"
        case Contradiction():
            return "what was observed contradicts the assumptions of the domain"
    return None


def _verdict(
    course: Course, shown: Mapping[str, Any], outcome: _Outcome, decided_by: str,
    reason: str | None = None,
) -> Verdict:  # fmt: skip
    proposal, standings = course.proposal, course.standings
    name, decision = proposal.tool.name, outcome.decision
    if decision is Decision.ALLOW:
        return Verdict(decision, name, shown, "", decided_by=decided_by)
    verdict = Verdict(
        decision,
        name,
        shown,
        "",
        _reports(standings, lambda s: bare_message(s.rule)),
        tuple(outcome.missing),
        outcome.repair,
        decided_by,
        ask=outcome.wanted.arguments if outcome.wanted else (),
    )
    course.decides(verdict)
    reports = _reports(standings, partial(_message, proposal))
    ledger, planner = proposal.ledger, ReadPlanner(proposal)
    records = of_records(p for s in standings if s.truth is not Truth.TRUE for p in s.missing)
    tried = tuple(planner.remarks([*records, *outcome.asked]))
    absent = no_such(proposal, [s.rule for s in standings if s.truth is not Truth.TRUE])
    verdict = replace(verdict, rules=reports, tried=tried, absent=tuple(absent))
    unreadable: Sequence[str] = ()
    if reason is None and decision is Decision.BLOCK and not any(s.violated for s in standings):
        unreadable = planner.unreadable(records)
    awaited = awaited_tools((p for s in standings if s.undetermined for p in s.missing), ledger)
    open_rules = [s.rule for s in standings if s.truth is not Truth.TRUE]
    whom = with_whom(proposal.domain, open_rules, proposal.ledger)
    asking = ask_text(outcome.wanted.arguments) if outcome.wanted else ""
    message = describe(verdict, unreadable, reason, awaited, whom, asking)
    return replace(verdict, message=message)


def _message(proposal: Proposal, standing: Standing) -> str:
    """What to say of a rule: its message, or what it hangs on where that is no record."""
    if standing.truth is Truth.TRUE:
        return ""
    if standing.undetermined:
        unknown = unknown_outcomes(standing.missing, proposal.ledger)
        if unknown is not None:
            return f"{NOT_SETTLED}{unknown}."
    return rule_message(standing.rule, proposal.scope, proposal.domain)
