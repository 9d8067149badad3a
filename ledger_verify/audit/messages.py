"""From recorded messages to turns: calls, and the answers that belong to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ledger_verify.audit.conversation import AGENT, USER, Call, OrphanResult, Turn
from ledger_verify.source.cursor import Cursor, shortened
from ledger_verify.source.json_file import parse_value

ANSWER_ROLES = ("tool", "function")
ERROR_PREFIX = "Error"


@dataclass
class _Open:
    """A call while its conversation is being read."""

    index: int
    name: str
    arguments: Any
    requestor: str
    id: str | None
    order: int
    result: Any = None
    error: bool = False
    answered_at: int | None = None

    def closed(self) -> Call:
        return Call(
            self.index, self.name, self.arguments, self.result, self.error,
            self.requestor, self.id, self.answered_at,
        )  # fmt: skip


@dataclass
class MessageReader:
    """Reads the messages of one conversation in order."""

    _turns: list[tuple[int, str, str, list[_Open]]] = field(default_factory=list)
    _waiting: dict[str | None, list[_Open]] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)
    _orphans: list[OrphanResult] = field(default_factory=list)

    def read(self, position: int, message: Cursor) -> None:
        """Take in the message at `position`; raises `InputError`."""
        role = message.get("role").text("`role`")
        if role in ANSWER_ROLES:
            # tau2 may hold the answers to several calls in one message
            if message.has("tool_messages"):
                for part in message.get("tool_messages").as_list("`tool_messages`").items():
                    self._answer(position, part.as_object("an answer"))
            else:
                self._answer(position, message)
            return
        calls = [self._open(call, role) for call in _calls_of(message)]
        self._turns.append((position, role, text_of(message.get("content").value), calls))

    def turns(self) -> tuple[Turn, ...]:
        """What was read, every call with its answer."""
        return tuple(
            Turn(position, role, text, tuple(call.closed() for call in calls))
            for position, role, text, calls in self._turns
        )

    def orphans(self) -> tuple[OrphanResult, ...]:
        """Answers that belong to no call."""
        return tuple(self._orphans)

    def _open(self, call: Cursor, role: str) -> _Open:
        name, arguments = name_and_arguments(call)
        requestor = _requestor(call) or (USER if role == USER else AGENT)
        index = self._counts.get(requestor, 0)
        self._counts[requestor] = index + 1
        order = sum(self._counts.values())
        opened = _Open(index, name, arguments, requestor, _id(call, "id"), order)
        self._waiting.setdefault(opened.id, []).append(opened)
        return opened

    def _answer(self, position: int, message: Cursor) -> None:
        id_ = _id(message, "tool_call_id" if message.has("tool_call_id") else "id")
        name = message.get("name").text("`name`") if message.has("name") else None
        requestor = _requestor(message)
        content = _content(message.get("content").value)
        call = self._waiting_for(id_, name, requestor)
        if call is None:
            self._orphans.append(OrphanResult(position, id_, name, content))
            return
        call.result, call.answered_at = content, position
        call.error = failed(message.value.get("error"), content)

    def _waiting_for(
        self, id_: str | None, name: str | None, requestor: str | None
    ) -> _Open | None:
        """The first unanswered call of that id; of several with one id, one of the same name.

        An answer without an id belongs to the first unanswered call.
        """
        if id_ is None:
            waiting = (call for pool in self._waiting.values() for call in pool)
            candidates = sorted(waiting, key=lambda call: call.order)
        else:
            candidates = self._waiting.get(id_, [])
        if requestor is not None:
            candidates = [call for call in candidates if call.requestor == requestor]
        namesakes = [call for call in candidates if call.name == name]
        if namesakes or (id_ is None and name is not None):
            candidates = namesakes
        if not candidates:
            return None
        found = candidates[0]
        self._waiting[found.id].remove(found)
        return found


def failed(flag: Any, content: Any) -> bool:
    """Whether an answer is an error: by its `error` flag, or by its text if it has no flag."""
    if flag is not None:
        return bool(flag)
    return isinstance(content, str) and content.startswith(ERROR_PREFIX)


def name_and_arguments(call: Cursor) -> tuple[str, Any]:
    """Name and arguments of a call: `{name, arguments}`, or both inside `function`."""
    call.as_object("a tool call")
    inner = call.get("function").as_object("`function`") if call.has("function") else call
    name = inner.get("name").text("the `name` of a tool call")
    if not name:
        raise inner.get("name").error("a tool call has an empty `name`")
    return name, parsed_arguments(inner.value.get("arguments"))


def parsed_arguments(arguments: Any) -> Any:
    """Arguments as JSON, from JSON or from text that holds JSON.

    Malformed text stays text; none at all are an empty object.
    """
    if arguments is None:
        return {}
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    try:
        return parse_value(arguments)
    except ValueError:
        return arguments


def text_of(content: Any) -> str:
    """The text of a message's content, which may be a list of parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _content(content: Any) -> Any:
    """What a tool answered: the text of its parts, or JSON as it stands."""
    if isinstance(content, list) and content and all(_is_text_part(part) for part in content):
        return text_of(content)
    return content


def _is_text_part(part: Any) -> bool:
    return (
        isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)
    )


def _calls_of(message: Cursor) -> list[Cursor]:
    if message.has("tool_calls"):
        return list(message.get("tool_calls").as_list("`tool_calls`").items())
    if message.has("function_call"):
        return [message.get("function_call")]
    return []


def _requestor(of: Cursor) -> str | None:
    if not of.has("requestor"):
        return None
    requestor = of.get("requestor").text("`requestor`")
    if requestor not in (AGENT, USER):
        raise of.get("requestor").error(
            f"`requestor` must be `{AGENT}` or `{USER}`, found `{shortened(requestor)}`"
        )
    return requestor


def _id(of: Cursor, key: str) -> str | None:
    value = of.value.get(key)
    return None if value is None else str(value)
