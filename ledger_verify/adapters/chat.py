"""The seam: one conversation in OpenAI chat format, seen by a gate session.

An adapter does three things with it: `absorb` the tool results that have come in, put the
`ledger_message` before the model, and ask for the `verdict` on each call that the model makes.
A call that is not allowed it answers with `refuse`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ledger_verify.gate.session import Session
from ledger_verify.gate.verdict import Verdict
from ledger_verify.ledger.observe import Drift

Message = Mapping[str, Any]


@dataclass(frozen=True)
class ChatCall:
    """A tool call of an assistant message; malformed arguments stay text.

    `heard` is how many messages of the user stand before it, if that is known.
    """

    id: str
    name: str
    arguments: Any
    heard: int | None = None


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
        self._known: Counter[tuple[str, Any]] = Counter()

    def absorb(self, messages: Sequence[Message]) -> list[Drift]:
        """Observe the tool results among the messages that were not there before, and hear what the
        user says in them.

        `messages` is the whole conversation, which only grows. Results are paired with the first
        unanswered call of their id. Answers that the guard gave or saw itself (`refuse`,
        `observe`) are passed over. Raises `ValueError` for messages that are not in chat format,
        and for a conversation that has become shorter: what it no longer shows cannot be known.
        """
        if len(messages) < self._seen:
            raise ValueError("the conversation has become shorter: give `absorb` all of it")
        drifts: list[Drift] = []
        for message in messages[self._seen :]:
            self._seen += 1
            if message.get("role") == "user":
                self._hear(message.get("content"))
            elif message.get("role") == "assistant":
                heard = len(self.session.ledger.heard)
                self._open += [replace(call, heard=heard) for call in calls_of(message)]
            elif message.get("role") == "tool":
                call = self._answered_by(message)
                if self._known[_identity(message)] > 0:
                    self._known[_identity(message)] -= 1
                elif call is not None:
                    drifts += self._observe(call, message, self.is_error(message))
        return drifts

    def _hear(self, content: Any) -> None:
        """A message of the user: text, or parts of which some are text."""
        parts = content if isinstance(content, list) else [content]
        texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
        said = [text for text in texts if isinstance(text, str)]
        if said:
            self.session.heard("\n".join(said))

    def _answered_by(self, message: Message) -> ChatCall | None:
        for index, call in enumerate(self._open):
            if call.id == str(message.get("tool_call_id", "")):
                return self._open.pop(index)
        return None

    def _observe(self, call: ChatCall, answer: Message, failed: bool) -> list[Drift]:
        return self.session.observe(
            call.name, call.arguments, answer.get("content"), error=failed, heard=call.heard
        )

    def observe(self, call: ChatCall, answer: Message, *, failed: bool = False) -> list[Drift]:
        """Take note of the answer to a call that the loop itself ran, before it is absorbed."""
        self._known[_identity(answer)] += 1
        return self._observe(call, answer, failed or self.is_error(answer))

    def interrupt(self, call: ChatCall, answer: Message) -> None:
        """Take note that nobody knows whether a call of the loop's own ran; `answer` says so."""
        self._known[_identity(answer)] += 1
        self.session.interrupted(call.name, call.arguments)

    def refuse(self, call: ChatCall, verdict: Verdict) -> dict[str, Any]:
        """The tool message that answers a refused call. It is no evidence of anything.

        A call that the gate allowed and the host refuses all the same has not happened.
        """
        if verdict.allowed:
            self.session.observe(call.name, call.arguments, error=True)
        answer = refusal_answer(call, verdict)
        self._known[_identity(answer)] += 1
        return answer

    def verdict(self, call: ChatCall) -> Verdict:
        """The gate's verdict on a call, which is pending from then on if it is allowed."""
        return self.session.check(call.name, call.arguments)

    def verdicts(self, calls: Sequence[ChatCall]) -> list[Verdict]:
        """The verdicts on the calls of one message, none of which has run yet."""
        return self.session.check_message([(call.name, call.arguments) for call in calls])

    def ledger_message(self) -> dict[str, Any] | None:
        """A system message with the ledger, or None while it is empty."""
        block = self.session.render()
        if not block:
            return None
        content = "Observed so far (the only facts to act on; read again what is stale):\n" + block
        return {"role": "system", "content": content}


def _identity(answer: Message) -> tuple[str, Any]:
    """What makes a tool message the same one, however often it was copied or stored."""
    content = answer.get("content")
    text = content if isinstance(content, str) else json.dumps(content, default=str)
    return str(answer.get("tool_call_id", "")), text


def refusal_answer(call: ChatCall, verdict: Verdict) -> dict[str, Any]:
    """The tool message that answers a refused call, with reasons, reads and repair."""
    told = verdict.to_json()
    details = {key: told[key] for key in ("verdict", "message", "missing", "repair")}
    return {
        "role": "tool",
        "tool_call_id": call.id,
        "name": call.name,
        "content": json.dumps(details, ensure_ascii=False, default=str),
    }


def spoken_refusal(verdicts: Sequence[Verdict]) -> str:
    """What to tell the person of calls that are refused for good: the reasons of the rules."""
    said = dict.fromkeys(reason for verdict in verdicts for reason in _spoken(verdict))
    return "\n\n".join(["I cannot do that.", *said])


def _spoken(verdict: Verdict) -> tuple[str, ...]:
    if verdict.reasons:
        return verdict.reasons
    if verdict.decided_by == "error":
        return ("Whether the policy allows it could not be determined.",)
    if verdict.rules:
        return ("I have not been able to look up all that it depends on.",)
    return ("It is not among the things that I am able to do here.",)
