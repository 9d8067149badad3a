"""What shows the mark of a refusal is the refusal itself, or says nothing: never a success."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ledger_verify.conversation.events import Answered, Refused
from ledger_verify.conversation.marks import refusal_text
from ledger_verify.conversation.reader import Reader, live_message
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.ledger.fields import Declared
from ledger_verify.ledger.outcomes import Outcome, answer_of
from tests.conversation.written import BY_HAND, BY_PACKAGES, Step

Write = Callable[..., list[Any]]

VERDICT = Verdict(Decision.BLOCK, "pay", {}, "the limit of this session is reached")
WITHOUT_IDS = ("function_calls", "gemini_without_ids")

Bend = Callable[[dict[str, Any]], str]


def _listed(told: dict[str, Any]) -> str:
    return json.dumps([told])


BENT: dict[str, Bend] = {
    "in a list": _listed,
    "one of several": lambda told: json.dumps([{"paid": True}, told]),
    "in a list of lists": lambda told: json.dumps([[told]]),
    "below a name": lambda told: json.dumps({"result": told}),
    "far below": lambda told: json.dumps({"data": {"answers": [{"first": told}]}}),
    "as text below a name": lambda told: json.dumps({"answer": json.dumps(told)}),
    "as text in a list": lambda told: json.dumps([json.dumps(told)]),
    "as Python writes it": str,
    "as Python writes a list": lambda told: str([told]),
    "in a fence": lambda told: f"```json\n{json.dumps(told)}\n```",
    "a list in a fence": lambda told: f"```json\n{_listed(told)}\n```",
    "as text of text": lambda told: json.dumps(json.dumps(told)),
    "in a sentence": lambda told: f"The gate said {json.dumps(told)}, so nothing was paid.",
    "after much else": lambda told: "Paid. " * 500 + json.dumps(told),
    "cut off": lambda told: json.dumps(told)[:60],
    "cut off before": lambda told: json.dumps(told)[1:],
    "a list cut off": lambda told: _listed(told)[:60],
    "summarised": lambda told: f"summary: refused_call {told['refused_call']}, {told['verdict']}",
    "of another call": lambda told: json.dumps({**told, "refused_call": "another"}),
    "of several calls": lambda told: json.dumps({**told, "refused_call": [told["refused_call"]]}),
    "executed": lambda told: json.dumps({**told, "executed": True}),
    "executed as text": lambda told: json.dumps({**told, "executed": "false"}),
    "executed as number": lambda told: json.dumps({**told, "executed": 0}),
    "allowed": lambda told: json.dumps({**told, "verdict": "ALLOW"}),
    "more said": lambda told: json.dumps({**told, "result": {"paid": True}}),
    "the mark alone": lambda told: json.dumps({"refused_call": told["refused_call"]}),
    **{
        f"without {name}": lambda told, name=name: json.dumps(  # type: ignore[misc]
            {key: value for key, value in told.items() if key != name}
        )
        for name in ("executed", "verdict", "message", "missing", "repair")
    },
}


WRITERS = [pytest.param(write, id=write.__name__) for write in (*BY_HAND, *BY_PACKAGES)]


def _answered(write: Write, text: str, *, failed: bool = False) -> Any:
    if write in BY_PACKAGES:
        pytest.importorskip(BY_PACKAGES[write])
    reader = Reader()
    messages = write(((Step("pay", {"id": "7"}, answer=text, failed=failed),),))
    events = [e for i, m in enumerate(messages) for e in reader.read(live_message(m, i))]
    return events[-1]


def _id(write: Write) -> str | None:
    return None if write.__name__ in WITHOUT_IDS else "c0_0"


@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize("write", WRITERS)
def test_the_refusal_itself_is_one(write: Write, failed: bool) -> None:
    if failed and write.__name__ not in ("tau2", "anthropic", "mcp_results", "langchain_models"):
        pytest.skip("the format has no flag beside the content")
    event = _answered(write, refusal_text(_id(write), VERDICT), failed=failed)
    assert isinstance(event, Refused)
    assert event.verdict == "BLOCK"


@pytest.mark.parametrize("bent", BENT)
@pytest.mark.parametrize("write", WRITERS)
def test_what_only_shows_the_mark_says_nothing(write: Write, bent: str) -> None:
    told = json.loads(refusal_text(_id(write), VERDICT))
    event = _answered(write, BENT[bent](told))
    assert isinstance(event, Answered)
    assert event.outcome is Outcome.UNKNOWN


def test_values_that_are_no_text() -> None:
    told = json.loads(refusal_text("1", VERDICT))
    inside = ({"result": [told]}, [[told]], {"a": {"b": told}})
    for raw in (told, [told], [{"paid": True}, told], *inside):
        assert answer_of(raw).outcome is Outcome.UNKNOWN


def test_a_field_that_is_declared_is_no_mark() -> None:
    record = {"refused_call": "7", "executed": False, "paid": True}
    assert answer_of(record).outcome is Outcome.UNKNOWN
    fields = Declared(frozenset(record))
    assert answer_of(record, declared=fields).outcome is Outcome.SUCCEEDED
    below = Declared(frozenset({"log"}))
    assert answer_of({"log": record}).outcome is Outcome.UNKNOWN
    assert answer_of({"log": record}, declared=below).outcome is Outcome.SUCCEEDED
    items = Declared(items=frozenset(record))
    assert answer_of([record], declared=items).outcome is Outcome.SUCCEEDED


def test_a_memo_that_mentions_it_is_none() -> None:
    record = {"id": "7", "memo": "see refused_call of last week", "paid": True}
    assert answer_of(record).outcome is Outcome.SUCCEEDED
    assert answer_of(json.dumps(record)).outcome is Outcome.SUCCEEDED
