"""What an answer says of the call: it succeeded, it failed, or nobody knows."""

import json
from typing import Any

import pytest

from ledger_verify.ledger.fields import Declared
from ledger_verify.ledger.outcomes import Answer, Outcome, answer_of


def _mcp(text: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], **more}


@pytest.mark.parametrize(
    "raw",
    [
        "done", "", None, [], {}, 12, "Errors: none", "no error", "Terror attack covered",
        "failing is ok",
        {"error": None}, {"error": ""}, {"error": False, "id": 1}, {"success": True}, {"ok": True},
        '{"error": null, "total": 5}', [{"type": "text", "text": "fine"}],
        _mcp("done", isError=False), _mcp("done", is_error=False, structured_content=None),
        "Paid. The earlier attempt timed out.", {"note": "timed out"},
        "Checkout is 11:00", "[]", '["Error"]', "Error-free run", "Errors: 0", "Failed logins: 0",
        "Order W1 was cancelled", "502 Main Street", "200 OK", "Successfully fixed Error: x",
        "timeout set to 30 s", '{"timeout": 30}', "{'timeout': 30, 'error': None}",
        {"memo": "Error: printed twice"}, {"errors": []}, {"errors": None}, {"failed": False},
        {"status": "cancelled", "id": "W1"}, {"code": 504}, {"status": 200},
        {"type": "error_report"},
        {"jsonrpc": "2.0", "id": 1, "result": _mcp("done")}, _mcp("done"),
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
        "Error executing tool pay: no", "Tool execution failed: no", "Tool `pay` not found",
        "**Error** - no", "\u274c Error: no", "<tool_use_error>no</tool_use_error>",
        "ERR_NOT_FOUND",
        "Input validation error: no", "MCP error -32602: no", "2 validation errors for pay",
        "HTTP 404: Not Found", "403 Forbidden", "Permission denied", "Exit code: 1\nno",
        "The user doesn't want to proceed with this tool use.", "Error: order is cancelled already",
        "<html><head><title>404 Not Found</title>",
        {"status": "error", "message": "declined"}, {"status": "FAILED"}, {"status": 404},
        {"errors": [{"message": "declined"}], "data": None}, {"Error": "declined"},
        {"type": "error", "message": "declined"}, {"statusCode": 400, "message": "no"},
        {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
        {"success": "false"}, "{'success': False}", '{"success": false, "n": NaN}',
        '{"success": false, "n": 1' + "0" * 5000 + "}", json.dumps(json.dumps({"ok": False})),
        '```json\n{"error": "declined"}\n```', {"result": "Error: declined"},
        {"jsonrpc": "2.0", "id": 1, "result": _mcp("declined", isError=True)}, _mcp("Error: no"),
        [{"type": "text", "text": json.dumps(_mcp("declined", isError=True))}],
        [{"type": "text", "text": "Error: no"}, {"type": "image", "data": ""}],
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
        "[Errno 104] Connection reset by peer", "read ECONNRESET", "socket hang up", "fetch failed",
        "context canceled", "rpc error: code = DeadlineExceeded desc = x", "Killed",
        "MCP error -32001: Request timed out", "Tool 'pay' timed out after 30 seconds",
        "[Request interrupted by user for tool use]", "Tool result missing due to internal error",
        "No result received from the tool", "cancelled by user", "Request was aborted.",
        "Tool call pay with id 1 was cancelled - another message came in before it completed.",
        "502 Bad Gateway", "HTTP 504", "<html><head><title>502 Bad Gateway</title>",
        "An error occurred while running the tool. Please try again.", "Internal Server Error",
        "Payment failed: declined", "Unable to pay", "Failure mode analysis saved",
        '{"error": null, "x":', '{"success": true, "success": true}', '{"a":' * 50_000,
        {"status": "error", "detail": "Read timed out"}, {"statusCode": 504, "message": "?"},
        {"error": {"code": "ETIMEDOUT"}}, {"success": False, "reason": "connection reset"},
        {"status": "failed", "order_id": "W1"}, {"error": "x", "success": True}, {"ok": 0},
        {"resultType": "input_required", "inputRequests": {}}, _mcp("Request timed out"),
        [{"type": "text", "text": "Paid."}, {"type": "text", "text": "Error: no"}],
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
        (_mcp("x"), "x"),
        ({"content": [{"type": "paragraph"}]}, {"content": [{"type": "paragraph"}]}),
        ({"content": [], "isError": False}, []),
        ([{"type": "image", "data": ""}], [{"type": "image", "data": ""}]),
        ({"a": 1}, {"a": 1}),
    ],
)
def test_the_wrapping_comes_off(raw: Any, content: Any) -> None:
    assert answer_of(raw) == Answer(Outcome.SUCCEEDED, content)


def test_a_long_text_is_looked_at_in_its_beginning_only() -> None:
    assert answer_of("x" * 1_000_000 + "Error: timed out").outcome is Outcome.SUCCEEDED


def test_a_name_that_is_declared_is_a_field_and_no_sign() -> None:
    record = {"status": "failed", "error": "declined", "total": 5}
    assert (
        answer_of(record, declared=Declared(frozenset({"status", "error"}))).outcome
        is Outcome.SUCCEEDED
    )
    assert answer_of(record, declared=Declared(frozenset({"status"}))).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    "told", [{"code": 503, "message": "busy"}, {"status": 408}, {"message": "timed out"}]
)
def test_a_flag_beside_what_tells_of_a_loss_leaves_it_open(told: dict[str, Any]) -> None:
    for raw in (told, json.dumps(told), [{"type": "text", "text": json.dumps(told)}]):
        assert answer_of(raw, True).outcome is Outcome.UNKNOWN
    assert answer_of(_mcp(json.dumps(told), isError=True)).outcome is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("items", "outcome"),
    [
        ([{"error": "declined"}], Outcome.UNKNOWN),
        ([{"success": True}, {"success": False, "message": "declined"}], Outcome.UNKNOWN),
        ('[{"ok": false}]', Outcome.UNKNOWN),
        ([{"id": "7", "status": "failed", "error": None}], Outcome.SUCCEEDED),
        ([{"id": "7", "error": "declined"}], Outcome.SUCCEEDED),
        ([], Outcome.SUCCEEDED),
    ],
)
def test_items_that_tell_of_nothing_but_a_failure_leave_it_open(
    items: Any, outcome: Outcome
) -> None:
    assert answer_of(items).outcome is outcome
    declared = Declared(items=frozenset({"error", "success", "ok"}))
    assert answer_of(items, declared=declared).outcome is Outcome.SUCCEEDED


@pytest.mark.parametrize(
    "piece",
    ["a", "a.", "a ", "_", "_a", "a_error", "tool ", "timeout", "<title>", "error ", "a:", "A.A",
     "connection ", "```\n", "'", '"', "{", "[", "{'a':", "no ", "1 ", "-", "="],
)  # fmt: skip
@pytest.mark.parametrize("start", ["", "<html ", "{", "Error", "```"])
def test_no_text_holds_it_up(start: str, piece: str) -> None:
    # one that does takes minutes
    assert answer_of(start + piece * (100_000 // len(piece)), failed=True)


def test_a_declared_form_is_no_sign_but_a_flag_counts_beside_it() -> None:
    def has_form(content: Any) -> bool:
        return str(content) == "Error code: 5"

    def told(raw: Any, failed: bool | None = None) -> Outcome:
        return answer_of(raw, failed, has_form=has_form).outcome

    assert told("Error code: 5") is Outcome.SUCCEEDED
    assert told("Error code: 5", failed=True) is Outcome.FAILED
    assert told(_mcp("Error code: 5", isError=True)) is Outcome.FAILED
    assert told(_mcp("Error code: 5", isError=False)) is Outcome.SUCCEEDED
    assert told("Error code: 6") is Outcome.FAILED
