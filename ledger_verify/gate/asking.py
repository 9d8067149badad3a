"""What the user could still say: a call that only lacks a word of the user waits for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ledger_verify.gate.heard import asks_about_user
from ledger_verify.gate.judge import Judgement
from ledger_verify.gate.prospect import opening
from ledger_verify.gate.verdict import MissingRead
from ledger_verify.lang.said import Willing


@dataclass(frozen=True)
class Wanted:
    """The arguments that the user has to say, and the reads that matter besides."""

    arguments: tuple[str, ...]
    reads: tuple[MissingRead, ...]


def wanted_of_user(judged: Judgement) -> Wanted | None:
    """What the user has to say for the rules to hold; None where that is not all that stands in
    the way. Raises what the solver raises at its limits.
    """
    if not any(s.violated and asks_about_user(s.rule) for s in judged.standings):
        return None
    proposal, willing = judged.proposal, Willing()
    supposed = replace(proposal, ledger=replace(proposal.ledger, heard=willing))
    again = Judgement(supposed, [s.rule for s in judged.standings])
    again.planner = judged.planner  # reads are advised by what was really said
    reads = _reads_besides(again)
    if reads is None:
        return None
    heard = proposal.ledger.heard
    missing = [value for value, said in willing.asked if not said(heard)]
    names = tuple(n for n, value in proposal.arguments.items() if _holds(value, missing))
    return Wanted(names, reads)


def _reads_besides(supposed: Judgement) -> tuple[MissingRead, ...] | None:
    """The reads that matter if the user says it all; None where even these do not help."""
    undetermined = [s for s in supposed.standings if s.undetermined]
    if any(s.violated for s in supposed.standings) or not supposed.reads_suffice(undetermined):
        rules = [s.rule for s in supposed.standings]
        return tuple(opening(supposed.proposal, rules, supposed.planner).reads) or None
    return tuple(supposed.reads(undetermined)) if undetermined else ()


def _holds(value: Any, missing: list[Any]) -> bool:
    """Whether an argument is, or lists, one of the values."""
    items = value if isinstance(value, tuple) else (value,)
    return any(type(item) is type(other) and item == other for item in items for other in missing)
