"""The seam: one conversation in OpenAI chat format, seen by a gate session.

An adapter does three things with it: `absorb` the tool results that have come in, put the
`ledger_message` before the model, and ask for the `verdict` on each call that the model makes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Verdict
from ledger_verify.ledger.observe import Drift

Message = Mapping[str, Any]


@dataclass(frozen=True)
class ChatCall:
    """A tool call of an assistant message; malformed arguments stay text."""

    id: str
    name: str
    arguments: Any


def calls_of(message: Message) -> list[ChatCall]:
    """The tool calls of an assistant message, in order.

    Raises `ValueError` for a message that is not in OpenAI chat format.
    """
    calls = []
    for entry in message.get("tool_calls") or ():
        function = entry.get("function") if isinstance(entry, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            raise ValueError("a tool call needs `function` with `name` and `arguments`")
        calls.append(
            ChatCall(str(entry.get("id", "")), function["name"], _parsed(function.get("arguments")))
        )
    return calls


def _parsed(arguments: Any) -> Any:
    if arguments is None or arguments == "":
        return {}
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments, object_pairs_hook=_no_duplicates)
    except (ValueError, RecursionError):
        return arguments


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        raise ValueError("a name is given twice")
    return out


def starts_with_error(message: Message) -> bool:
    """The default sign of a failed tool call: a flag `error`, or text that begins with "Error"."""
    if "error" in message:
        return bool(message["error"])
    content = message.get("content")
    return isinstance(content, str) and content.startswith("Error")


class ChatGuard:
    """A session together with what it has seen of the conversation's messages.

    `is_error` tells from a tool message whether the call failed.
    """

    def __init__(
        self, session: Session, *, is_error: Callable[[Message], bool] = starts_with_error
    ) -> None:
        self.session = session
        self.is_error = is_error
        self._open: list[ChatCall] = []
        self._seen = 0

    def absorb(self, messages: Sequence[Message]) -> list[Drift]:
        """Observe the tool results among the messages that were not there before.

        Results are paired with the first unanswered call of their id. What a loop has observed
        itself it takes out of this by `skip`.
        """
        drifts: list[Drift] = []
        for message in messages[self._seen :]:
            if message.get("role") == "assistant":
                self._open += calls_of(message)
            elif message.get("role") == "tool":
                call = self._answered_by(message)
                if call is not None:
                    drifts += self.observe(call, message)
        self._seen = len(messages)
        return drifts

    def _answered_by(self, message: Message) -> ChatCall | None:
        for index, call in enumerate(self._open):
            if call.id == str(message.get("tool_call_id", "")):
                return self._open.pop(index)
        return None

    def observe(self, call: ChatCall, answer: Message) -> list[Drift]:
        """Take note of the answer to a call that was run."""
        failed = self.is_error(answer)
        return self.session.observe(call.name, call.arguments, answer.get("content"), error=failed)

    def skip(self, messages: Sequence[Message]) -> None:
        """Take all messages as seen: what they show was observed already."""
        self._open.clear()
        self._seen = len(messages)

    def verdict(self, call: ChatCall) -> Verdict:
        """The gate's verdict on a call."""
        return self.session.check(call.name, call.arguments)

    def ledger_message(self) -> dict[str, Any] | None:
        """A system message with the ledger, or None while it is empty."""
        block = self.session.render()
        if not block:
            return None
        content = (
            "Observed so far (the only facts to act on; read again what is stale):\n" + block
        )
        return {"role": "system", "content": content}


def refusal_answer(call: ChatCall, verdict: Verdict) -> dict[str, Any]:
    """The tool message that answers a refused call, with reasons, reads and repair."""
    details = {
        "verdict": verdict.decision.value,
        "message": verdict.message,
        "missing": verdict.to_json()["missing"],
        "repair": verdict.to_json()["repair"],
    }
    return {
        "role": "tool",
        "tool_call_id": call.id,
        "name": call.name,
        "content": json.dumps(details, ensure_ascii=False, default=str),
    }
