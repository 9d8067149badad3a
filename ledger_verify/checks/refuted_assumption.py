"""An assumption is not true of the data: a record of a file that `--data` names refutes it.

What the solver proves with such an assumption says nothing of that record. Correct the assumption,
or the data. Asked only with `check DOMAIN --data FILE`.

Faulty:

    assumptions: ["ledger.orders.all(o, o.total > 0)"]
    data:
      orders:
        A1: {customer_id: c, status: open, total: 0, created_at: "2026-01-01T12:00", items: []}

Right:

    assumptions: ["ledger.orders.all(o, o.total >= 0)"]
    data:
      orders:
        A1: {customer_id: c, status: open, total: 0, created_at: "2026-01-01T12:00", items: []}

The interpreter evaluates the assumption on every record, with all other records of the data at
hand. It is refuted where it is false or has no value; where it reads a record that is not in the
data, that tells nothing. An assumption about a path without keys, such as `customer`, is asked of
every record that `--map` finds for it; one about several such paths only if the data has one of
each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ledger_verify.checks.base.data import Data, Recorded
from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.lang.typed import Read, distinct
from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import assumption_region
from ledger_verify.policy.rules import Assumption

ABOUT = About("LV602", "refuted_assumption", "error")
_SHOWN = 3


@dataclass(frozen=True)
class _Refutation:
    record: Recorded | None
    why: str


def examine(domain: Domain, data: Data) -> Iterator[Claim]:
    """One claim for each assumption."""
    alternatives: dict[str, list[Recorded]] = {}
    for record in data.records:
        alternatives.setdefault(record.pattern, []).append(record)
    ledger = Ledger(domain.ledger)
    for record in data.records:
        several = not record.keys and len(alternatives[record.pattern]) > 1
        if not several:
            ledger.put(record.pattern, record.keys, record.value)
    for assumption in domain.assumptions:
        results = list(_results(assumption, ledger, alternatives))
        refuted = [result for result in results if result is not None]
        yield _finding(domain, assumption, refuted, len(results)) if refuted else Claim()


def _results(
    assumption: Assumption, ledger: Ledger, alternatives: Mapping[str, list[Recorded]]
) -> Iterator[_Refutation | None]:
    """For each record that the assumption speaks of whether, and why, it refutes it."""
    if assumption.variable is not None and assumption.pattern is not None:
        for record in alternatives.get(assumption.pattern, ()):
            scope = Scope(ledger).bind(assumption.variable.name, record.value)
            yield _refutation(assumption, scope, record)
        return
    plain = {p.pattern for p in distinct(assumption.body) if isinstance(p, Read) and not p.keys}
    several = [p for p in sorted(plain) if len(alternatives.get(p, ())) > 1]
    if len(several) == 1:
        for record in alternatives[several[0]]:
            ledger.put(record.pattern, (), record.value)
            yield _refutation(assumption, Scope(ledger), record)
        ledger.touch(several[0], (), ())  # the next assumption must not see the last of them
        return
    about = [r for p in sorted(plain - {*several}) for r in alternatives.get(p, ())]
    yield _refutation(assumption, Scope(ledger), about[0] if about else None)


def _refutation(
    assumption: Assumption, scope: Scope, record: Recorded | None
) -> _Refutation | None:
    value = evaluate(assumption.body, scope)
    if isinstance(value, Failure):
        return _Refutation(record, f"it has no value there ({value.reason})")
    return _Refutation(record, "it is false there") if value is False or value is None else None


def _finding(
    domain: Domain, assumption: Assumption, refuted: list[_Refutation], asked: int
) -> Claim:
    place = assumption_region(domain.sources["policy"], assumption.location)
    first, text = refuted[0], " ".join(assumption.text.split())
    where = "the data" if first.record is None else f"`{first.record.path}` of the data"
    return file_finding(
        ABOUT,
        f"{where} refutes the assumption `{text}`: {first.why} "
        f"(refuted by {len(refuted)} of {asked})",
        place.start,
        end=place.end,
        fix="correct the assumption, or the data",
        notes=[
            f"refuted by `{one.record.path}` at {one.record.location}"
            for one in refuted[:_SHOWN]
            if one.record is not None
        ],
    )
