"""Repairs of a small call against all values that its free arguments can have."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify import Domain, Gate
from tests.gate.shop import rule
from tests.gate.test_against_enumeration import DEFINITIONS, FREE, LEDGER, TOOLS, VALUES
from tests.gate.test_reads_that_matter import expressions, outcomes

READS = {"get_a": "a", "get_b": "b.*", "get_c": "c.*"}


def changes(one: dict[str, Any], other: dict[str, Any]) -> set[str]:
    return {name for name in {*one, *other} if one.get(name) != other.get(name)}


@settings(max_examples=80)
@given(
    st.lists(expressions, min_size=1, max_size=3),
    st.sets(st.sampled_from(sorted(VALUES, key=str))),
    st.sampled_from(FREE),
    st.data(),
)
def test_a_repair_does_and_none_is_smaller(
    requires: list[str], seen: set[Any], free: dict[str, Any], data: st.DataObject
) -> None:
    domain = Domain.define(
        "small", tools=TOOLS, ledger=LEDGER, definitions=DEFINITIONS,
        rules=[rule("act", text, id=f"r{n}") for n, text in enumerate(requires)],
        clock="2024-05-15T00:00:00",
    )  # fmt: skip
    session = Gate(domain).session()
    known = {path: data.draw(st.sampled_from(VALUES[path])) for path in sorted(seen, key=str)}
    for (pattern, keys), value in known.items():
        session.ledger.put(pattern, keys, value)
    verdict = session.dry_run("act", {"key": "k", **free})
    repair, note = verdict.repair, (requires, known, free, verdict)
    if repair is None:
        return
    assert not repair.ask, note
    assert {*repair.arguments, *repair.without} <= {"size", "flag", "count", "more"}, note
    kept = {name: value for name, value in free.items() if name not in repair.without}
    repaired = {**kept, **repair.arguments}
    again = session.dry_run("act", {"key": "k", **repaired})
    if repair.needs_reads:
        assert again.decision.value == "REVISE", note
        assert again.repair is None, note
        assert again.missing == verdict.missing, note
    else:
        assert again.allowed, note
        assert verdict.missing == (), note
    fewest = len(changes(free, repaired))
    for other in FREE:
        if len(changes(free, other)) < fewest:
            args = {"key": "k", **other}
            found = outcomes(domain, session, args, known, set(), {*READS.values()})
            assert not any(holds for _, holds in found), (other, note)
