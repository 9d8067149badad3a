"""What an answer says of the call: it succeeded, it failed, or nobody knows."""

import json
from typing import Any

import pytest

from ledger_verify.ledger.outcomes import Answer, Outcome, answer_of


def _mcp(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


@pytest.mark.parametrize(
    "raw",
    [
        "done", "", None, [], {}, 12, "Errors: none", "no error", "Terror attack covered",
        "failing is ok",
        {"error": None}, {"error": ""}, {"error": False, "id": 1}, {"success": True}, {"ok": True},
        {"status": "failed"}, '{"error": null, "total": 5}', [{"type": "text", "text": "fine"}],
        _mcp("done", isError=False), _mcp("done", is_error=False, structured_content=None),
        "Paid. The earlier attempt timed out.", {"note": "timed out"},
        "Checkout is 11:00", "[]", '["Error"]',
    ],
)  # fmt: skip
def test_success(raw: Any) -> None:
    assert answer_of(raw).outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize(
    "raw",
    [
        "Error: declined", "error", "ERROR: declined", "  Error - no", "[ERROR] no",
        "ValueError: x",
        "java.lang.IllegalStateException: x", "Failed to pay", "FAILURE",
        "Traceback (most recent call",
        {"error": "declined"}, {"error": {"code": 3}}, {"error": True}, '{"error": "declined"}',
        {"success": False}, '{"ok": false}', {"isError": True}, {"success": False, "error": None},
        [{"type": "text", "text": "Error: declined"}], _mcp("declined", isError=True),
        _mcp("declined", is_error=True), json.dumps(_mcp("declined", isError=True)),
        _mcp("Error: x", isError=True, structuredContent={"code": 1}),
        {"error": "declined", "success": False}, "Error: connection refused",
    ],
)  # fmt: skip
def test_failure(raw: Any) -> None:
    assert answer_of(raw).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    "raw",
    [
        "Error: timed out", "Timeout", "Request timed out after 30 s", "TimeoutError()",
        "Error: TIMEOUT",
        "asyncio.TimeoutError: ", "Connection reset by peer", "Error: the connection was lost",
        "Error: 504 Gateway Timeout", "ReadTimeout",
        "Error: server disconnected without a response",
        {"error": "timeout"}, {"error": {"message": "upstream timed out"}},
        '{"error": "Bad Gateway"}',
        {"success": False, "message": "deadline exceeded"}, "Error: cancelled",
        _mcp("timed out", isError=True), {**_mcp("?"), "resultType": "input_required"},
        [{"type": "text", "text": "Error: request timed out"}],
    ],
)  # fmt: skip
def test_nobody_knows(raw: Any) -> None:
    assert answer_of(raw).outcome is Outcome.UNKNOWN


def test_what_the_caller_says_counts() -> None:
    assert answer_of("declined", failed=True).outcome is Outcome.FAILED
    assert answer_of("timed out", failed=True).outcome is Outcome.UNKNOWN
    assert answer_of("done", failed=False).outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize(
    "raw",
    ["Error: declined", {"error": "declined"}, {"success": False}, _mcp("Error: x", isError=False)],
)
def test_signs_that_contradict_each_other_leave_it_open(raw: Any) -> None:
    assert answer_of(raw, failed=False).outcome is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("raw", "content"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        (_mcp('{"a": 1.50}', isError=False), '{"a": 1.50}'),
        (_mcp("x", isError=False, structuredContent={"a": 1}), {"a": 1}),
        (
            {"content": [{"type": "text", "text": "x"}]},
            {"content": [{"type": "text", "text": "x"}]},
        ),
        ({"content": [], "isError": False}, []),
        ([{"type": "image", "data": ""}], [{"type": "image", "data": ""}]),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_the_wrapping_comes_off(raw: Any, content: Any) -> None:
    assert answer_of(raw) == Answer(Outcome.SUCCEEDED, content)


def test_a_long_text_is_looked_at_in_its_beginning_only() -> None:
    assert answer_of("x" * 1_000_000 + "Error: timed out").outcome is Outcome.SUCCEEDED
