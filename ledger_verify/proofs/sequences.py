"""Invariants over sequences of calls: what stays true whatever the policy lets the agent do.

A claim is proved for all sequences by induction: it holds at the start and after every sequence of
up to k calls, and k calls that start in any state in which it holds lead to one in which it holds.
Or it is proved by exhaustion: the rules let no session have more than so many calls that change
something, and it holds after each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ledger_verify.gate.gate import Gate
from ledger_verify.gate.sequences import Replayed, prune_sequence, replay_sequence
from ledger_verify.lang.environment import SESSION
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.footprint import histories_read
from ledger_verify.policy.rules import Always
from ledger_verify.proofs.invariants import Proof
from ledger_verify.schema.render import time_text
from ledger_verify.solver.outcome import Doubt, Ruling
from ledger_verify.solver.sequences import SequenceSolver, Strength


@dataclass(frozen=True)
class SequenceResult:
    """What became of an invariant over sequences.

    `calls` is the length up to which it was looked at; it is proved for all, or for these only,
    or refuted by a sequence of that length. `bound` is the number of items of lists up to which a
    proof holds, None where it has none. `reasons` say what stands in the way of a proof; what is
    UNDECIDED has one at least.
    """

    invariant: Always
    proof: Proof
    calls: int
    bound: int | None = None
    counterexample: Replayed | None = None
    reasons: tuple[str, ...] = ()

    def to_json(self, domain: Domain) -> dict[str, Any]:
        """The result as JSON."""
        location = self.invariant.location
        found = self.counterexample
        return {
            "id": self.invariant.id,
            "outcome": self.proof.name,
            "k": self.calls,
            "bound": self.bound,
            "clause": self.invariant.clause,
            "location": {
                "file": location.file, "line": location.line, "column": location.column,
            },
            "reasons": list(self.reasons),
            "sequence": None if found is None else _sequence_json(found, domain),
        }  # fmt: skip


def _sequence_json(found: Replayed, domain: Domain) -> dict[str, Any]:
    calls = []
    for call, changes in zip(found.sequence.calls, found.changes, strict=True):
        calls.append(
            {
                "tool": call.tool,
                "arguments": dict(call.arguments),
                "time": time_text(call.now_us, False, domain.zone),
                "verdict": call.verdict,
                "ok": call.ok,
                "done": call.done,
                "read": [path for path in call.observed if path in found.sequence.ledger],
                "unread": list(call.unread),
                "changes": [
                    {"path": c.path, "there": c.there, "value": c.value, "declared": c.declared}
                    for c in changes
                ],
            }
        )
    facts, heard = found.sequence.facts, found.sequence.heard
    return {
        **({SESSION: dict(facts)} if facts else {}),
        "ledger": dict(found.sequence.ledger),
        **({"heard": list(heard)} if heard else {}),
        "calls": calls,
        "broken": dict(found.broken),
    }


def prove_sequences(
    domain: Domain, solver: SequenceSolver, longest: int, only: str | None = None
) -> Iterator[SequenceResult]:
    """Each invariant over sequences (or the one named `only`), for up to `longest` calls."""
    gate = Gate(domain, explain_ms=None)
    for always in domain.always:
        if only is None or always.id == only:
            yield _prove(gate, solver, always, longest)


def _prove(gate: Gate, solver: SequenceSolver, always: Always, longest: int) -> SequenceResult:
    start, place = solver.unstartable(always), (always.initially or always.always).location
    if start is Ruling.PROVED:
        told = f"{place}: no record can be like this"
        return SequenceResult(always, Proof.UNDECIDED, 0, reasons=(told,))
    strength, reasons, doubts = Strength.ALL, tuple[str, ...](), list[str]()
    longer = list[str]()  # what kept proofs for all sequences from being found
    # calls that change nothing can only matter to rules that read the history
    countable = not histories_read(always.always.body)
    for length in range(0 if always.initially is not None else 1, longest + 1):
        shown, doubt = solver.after(always, length, whole=False), None
        if shown.strength is not Strength.ALL:
            found = _counterexample(gate, solver, always, length)
            if isinstance(found, Replayed):
                calls = len(found.sequence.calls)
                return SequenceResult(always, Proof.REFUTED, calls, counterexample=found)
            doubt = found
        weakest = shown.strength
        if not shown.complete:
            shown = solver.after(always, length, whole=True)
            weakest = min(weakest, shown.strength, key=list(Strength).index)
            if weakest is Strength.OPEN and shown.doubt is not None:
                doubts.append((doubt or shown.doubt).value)
        strength = max(strength, weakest, key=list(Strength).index)
        reasons = tuple(dict.fromkeys((*reasons, *shown.unkept)))
        longer += shown.bounded
        if shown.unkept and shown.doubt is Doubt.TIME:
            reasons = tuple(dict.fromkeys((*reasons, Doubt.TIME.value)))
        if not length or reasons or strength is not Strength.ALL:
            continue
        if start is Ruling.OPEN:
            told = f"{place}: it could not be told whether a record can be like this"
            return SequenceResult(always, Proof.UNDECIDED, length, reasons=(told, Doubt.TIME.value))
        rulings = [solver.step(always, length)]
        if countable:
            rulings.append(solver.exhausted(always, length))
        if Ruling.PROVED in rulings:
            return SequenceResult(always, Proof.PROVED, length)
        if countable:
            rulings.append(solver.after_changes(always, length))
            countable = rulings[-1] is Ruling.PROVED
        if Ruling.OPEN in rulings:
            longer.append(Doubt.TIME.value)
    if strength is Strength.OPEN or reasons:
        reasons = reasons or tuple(dict.fromkeys(doubts))
        return SequenceResult(always, Proof.UNDECIDED, longest, reasons=reasons)
    bound = solver.scope if strength is Strength.UP_TO_BOUND else None
    reasons = tuple(dict.fromkeys(longer))
    return SequenceResult(always, Proof.PROVED_UP_TO_BOUND, longest, bound, reasons=reasons)


def _counterexample(
    gate: Gate, solver: SequenceSolver, always: Always, length: int
) -> Replayed | Doubt | None:
    """A sequence that was replayed, or why there is none, if that is known."""
    doubt: Doubt | None = None
    for sequence in solver.find(always, length):
        if isinstance(sequence, Doubt):
            doubt = sequence
            continue
        found = replay_sequence(gate, always, sequence)
        if found is not None:
            return prune_sequence(gate, always, found)
        doubt = Doubt.UNCONFIRMED
    return doubt
