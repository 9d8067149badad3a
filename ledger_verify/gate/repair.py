"""Other values of a call's free arguments that make it legal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ledger_verify.gate.awaited import of_records
from ledger_verify.gate.judge import Judgement, Question, Standing, in_order, stand, that_matter
from ledger_verify.gate.proposal import Proposal, load_solver
from ledger_verify.gate.reads import ReadPlanner
from ledger_verify.gate.verdict import MissingRead, Repair
from ledger_verify.policy.evidence import MissingPath, Unknown
from ledger_verify.policy.repairable import texts_in
from ledger_verify.policy.rules import Rule
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.render import to_json


def repair(
    proposal: Proposal, rules: Sequence[Rule]
) -> tuple[Repair, tuple[MissingRead, ...]] | None:
    """The smallest repair under which all the rules can hold, and the reads that it needs.

    The repaired call was judged like any other: without reads it is allowed as it stands. None if
    there is no repair. Raises what the solver raises at its limits.
    """
    if not proposal.repairable:
        return None
    load_solver(proposal.deadline)
    from ledger_verify.solver.completions import ASK, find_repair
    from ledger_verify.solver.decode import ABSENT

    missing = of_records(p for standing in stand(proposal, rules) for p in standing.missing)
    reach = ReadPlanner(proposal).reach(missing)
    found = find_repair(
        proposal.situation(), [rule.holds for rule in rules], reach, asking=bool(missing)
    )
    if not found:
        return None
    asked = tuple(name for name, value in found.items() if value is ASK)
    without = tuple(name for name, value in found.items() if value is ABSENT)
    given = {n: value for n, value in found.items() if n not in asked and n not in without}
    kept = {n: value for n, value in proposal.arguments.items() if n not in without}
    repaired = proposal.with_arguments({**kept, **given})
    if asked:
        return _with_reads_whatever_is_said(repaired, rules, found, asked, without)
    json = _json_arguments(repaired)
    if not _is_legal(repaired, json):
        return None
    judged = Judgement(repaired, rules)
    undetermined = [s for s in judged.standings if s.undetermined]
    if any(s.violated for s in judged.standings) or not judged.reads_suffice(undetermined):
        return None
    texts = tuple(name for name in given if any(texts_in(proposal.tool, name)))
    if undetermined and texts:
        # whose records show the text is open as long as a rule is
        return _with_reads_whatever_is_said(repaired, rules, found, texts, without)
    proposed = {name: json[name] for name in given}
    reads = tuple(judged.reads(undetermined))
    return Repair(proposed, needs_reads=bool(undetermined), without=without), reads


def _json_arguments(proposal: Proposal) -> dict[str, Any]:
    fields, zone = proposal.tool.arguments.by_name, proposal.domain.zone
    return {
        name: to_json(value, fields[name].type, zone) for name, value in proposal.arguments.items()
    }


def _is_legal(repaired: Proposal, json: Mapping[str, Any]) -> bool:
    """Whether the arguments, as they would be proposed, mean what was judged."""
    try:
        typed = coercer(repaired.tool.arguments, repaired.domain.zone)(json)
    except Misfit:
        return False
    return bool(typed == repaired.arguments)


def _whatever_is_said(
    repaired: Proposal,
    standings: Sequence[Standing],
    readable: Sequence[MissingPath],
    asked: tuple[str, ...],
) -> list[MissingPath]:
    """The records that matter for some value of the asked arguments."""
    from ledger_verify.solver.completions import Completions

    opened = [s for s in standings if s.undetermined]
    completions = Completions(repaired.situation(), [s.rule.holds for s in opened], free=asked)
    question = Question(completions, {s.rule.id: i for i, s in enumerate(opened)})
    return that_matter(repaired, opened, readable, question)


def _with_reads_whatever_is_said(
    repaired: Proposal, rules: Sequence[Rule], found: Mapping[str, Any],
    asked: tuple[str, ...], without: tuple[str, ...],
) -> tuple[Repair, tuple[MissingRead, ...]] | None:  # fmt: skip
    """The repair with what is missing while nobody knows what the user will choose.

    None where nothing is left to be read: no record will show what there is to choose from.
    """
    unsaid = {name: Unknown(frozenset()) for name in asked}
    supposed = repaired.with_arguments({**repaired.arguments, **unsaid})
    standings = stand(supposed, rules)
    if any(s.violated for s in standings):
        return None
    planner = ReadPlanner(supposed)
    missing = of_records(path for standing in standings for path in standing.missing)
    reach = planner.reach(missing)
    readable = [path for path in missing if reach.has(path.pattern, path.keys)]
    kept = _whatever_is_said(repaired, standings, readable, asked)
    # where nothing matters to the rules, the records still show what there is to choose from
    planned = planner.plan(
        kept or in_order(supposed, standings, readable), [s.places for s in standings]
    )
    if not planned:
        return None
    told = {name: value for name, value in repaired.arguments.items() if name not in asked}
    json = _json_arguments(repaired.with_arguments(told))
    changes = {name: None if name in asked else json[name] for name in found if name not in without}
    return Repair(changes, needs_reads=True, without=without, ask=asked), tuple(planned)
