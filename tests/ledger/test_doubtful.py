"""What a result may have shown is not taken to be absent."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate, Session

ITEM = {
    "type": "object",
    "required": ["id", "bad"],
    "properties": {"id": {"type": "string"}, "bad": {"type": "boolean"}},
}
GOOD, BAD = {"id": "a", "bad": False}, {"id": "b", "bad": True}


def session(*require: str) -> Session:
    domain = Domain.define(
        "shelf",
        clock="2026-01-01T00:00:00",
        definitions={"Item": ITEM},
        ledger={"items.*": "Item", "notes.*": "Item"},
        tools={
            "list": {
                "kind": "read",
                "arguments": {"page": "integer"},
                "observes": {"items.{item.id}": "result.items[*]"},
            },
            "get": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"items.{args.id}": "result"},
            },
            "prose": {
                "kind": "read",
                "arguments": {},
                "observes": {
                    "notes.{item.id}": {
                        "from": "result",
                        "text": {"whole": "Notes: .*", "each": r"(?P<id>\w+)=(?P<bad>\w+),?"},
                    }
                },
            },
            "act": {"kind": "write", "arguments": {}},
        },
        rules=[
            {"id": f"r{i}", "tools": ["act"], "require": text} for i, text in enumerate(require)
        ],
    )
    return Gate(domain).session()


def acts(made: Session) -> Decision:
    return made.dry_run("act", {}).decision


NONE_IS_BAD = "records(ledger.items).all(i, !i.bad)"
MISFITS: list[Any] = [
    {"items": [GOOD, {"id": "b"}]},
    {"items": [GOOD, {"id": 5, "bad": True}]},
    {"items": [GOOD, {**BAD, "bad": "yes"}]},
    {"items": None},
    {"things": [BAD]},
    [],
    "no list today",
    None,
    {"items": [BAD, {**BAD, "bad": False}]},
]


@pytest.mark.parametrize("result", MISFITS)
def test_a_result_that_does_not_fit_is_no_proof_that_there_is_none(result: Any) -> None:
    made = session(NONE_IS_BAD)
    made.observe("list", {"page": 1}, {"items": [GOOD]})
    assert acts(made) is Decision.ALLOW
    drifts = made.observe("list", {"page": 2}, result)
    assert any("not all of `items.*` is known" in drift.reason for drift in drifts)
    assert acts(made) is Decision.REVISE
    made.observe("list", {"page": 1}, {"items": [GOOD]})
    assert acts(made) is Decision.REVISE, "another page says nothing of it"
    made.observe("list", {"page": 2}, {"items": []})
    made.observe("get", {"id": "b"}, {"id": "b", "bad": False})
    assert acts(made) is Decision.ALLOW


def test_a_record_that_is_shown_after_all_is_no_longer_in_doubt() -> None:
    for bad, expected in ((False, Decision.ALLOW), (True, Decision.BLOCK)):
        made = session(NONE_IS_BAD)
        made.observe("list", {"page": 1}, {"items": [GOOD, {"id": "b"}]})
        verdict = made.dry_run("act", {})
        assert verdict.decision is Decision.REVISE
        assert [m.read.arguments for m in verdict.missing if m.read] == [{"id": "b"}]
        made.observe("get", {"id": "b"}, {"id": "b", "bad": bad})
        assert acts(made) is expected


@pytest.mark.parametrize(
    ("require", "expected"),
    [
        ("records(ledger.items).exists(i, !i.bad)", Decision.ALLOW),
        ("records(ledger.items).exists(i, i.bad)", Decision.REVISE),
        ("!records(ledger.items).all(i, i.bad)", Decision.ALLOW),
        ("records(ledger.items).all(i, i.bad)", Decision.BLOCK),
        ("size(records(ledger.items)) >= 1", Decision.ALLOW),
        ("size(records(ledger.items)) <= 1", Decision.REVISE),
        ("size(records(ledger.items)) < 1", Decision.BLOCK),
        ("records(ledger.items).filter(i, i.bad).size() == 0", Decision.REVISE),
        ("records(ledger.items).map(i, i.id)[0] == 'a'", Decision.REVISE),
        ("records(ledger.items).map(i, i.id) == ['a']", Decision.REVISE),
        ("!('z' in records(ledger.items).map(i, i.id))", Decision.REVISE),
        ("'a' in records(ledger.items).map(i, i.id)", Decision.ALLOW),
        ("records(ledger.notes).all(i, !i.bad)", Decision.ALLOW),
        ("observed(ledger.items['a']) && !ledger.items['a'].bad", Decision.ALLOW),
    ],
)
def test_what_holds_whatever_there_may_be_besides_holds(require: str, expected: Decision) -> None:
    made = session(require)
    made.observe("list", {"page": 1}, {"items": [GOOD, {"id": 5}]})
    assert acts(made) is expected


def test_prose_of_another_form_is_no_proof_of_absence() -> None:
    made = session("records(ledger.notes).all(i, !i.bad)")
    made.observe("prose", {}, "Notes: a=false")
    assert acts(made) is Decision.ALLOW
    made.observe("prose", {}, "There is a note: b=true")
    assert acts(made) is not Decision.ALLOW
    made.observe("prose", {}, "Notes: a=false")
    assert acts(made) is Decision.ALLOW


def test_after_a_call_of_an_unknown_tool_there_may_be_other_records() -> None:
    made = session(NONE_IS_BAD)
    made.observe("put_on_shelf", {"id": "b"}, "ok")
    assert acts(made) is Decision.REVISE
    made.observe("list", {"page": 1}, {"items": [GOOD]})
    assert acts(made) is Decision.ALLOW
    made.observe("put_on_shelf", {"id": "b"}, "Error", error=True)
    assert acts(made) is Decision.ALLOW


def test_a_read_whose_arguments_could_not_be_read_may_have_shown_anything() -> None:
    made = session(NONE_IS_BAD)
    made.observe("list", {"page": "two"}, {"items": [BAD]})
    assert acts(made) is Decision.REVISE
    made.observe("list", {"page": 1}, {"items": [GOOD]})
    assert acts(made) is Decision.ALLOW


def test_a_read_that_failed_showed_nothing_and_hides_nothing() -> None:
    made = session(NONE_IS_BAD)
    made.observe("get", {"id": "b"}, "Error: no such item", error=True)
    assert acts(made) is Decision.ALLOW
