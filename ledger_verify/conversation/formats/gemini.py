"""Gemini contents: parts with `functionCall` and `functionResponse`, in either spelling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.conversation.formats.common import call_named, unknown_part
from ledger_verify.conversation.parts import AGENT, PROVIDER, AnswerPart, CallPart, Part, TextPart
from ledger_verify.source.cursor import Cursor

NAME = "gemini"
_ROLES = {"model": "assistant"}
_SILENT = frozenset(
    {"inlineData", "fileData", "thought", "thoughtSignature", "videoMetadata", "mediaResolution",
     "partMetadata", "audioTranscription", "mediaProcessing", "speechMetadata",
     "documentMetadata", "spreadsheetMetadata", "audioMetadata"}
)  # fmt: skip
_PROVIDER = {"executableCode": "code_execution", "toolCall": "provider_tool"}
_PROVIDER_ANSWERS = {"codeExecutionResult": "code_execution", "toolResponse": "provider_tool"}


def fits(message: Mapping[str, Any]) -> bool:
    """Whether it has `parts`."""
    return isinstance(message.get("parts"), list)


def parts(message: Cursor) -> Iterator[Part]:
    """The parts of one content; raises `InputError`."""
    role = message.value.get("role") or "user"
    shown = _ROLES.get(str(role), str(role))
    for part in message.get("parts").as_list("`parts`").items():
        yield from _part(part.as_object("a part"), shown)


def _part(part: Cursor, role: str) -> Iterator[Part]:
    here = {_camel(key): key for key, value in part.value.items() if value is not None}
    if "functionCall" in here:
        call = part.get(here["functionCall"]).as_object("`functionCall`")
        if "functionResponse" in here:
            raise part.error("a part that calls and answers")
        if _goes_on(call):
            raise call.error(
                "a call whose arguments are not complete yet: give it once it is whole"
            )
        if "text" in here and not part.value.get("thought"):
            yield TextPart(role, part.get("text").text("`text`"))
        yield call_named(call, _id(call), call.value.get("args"), AGENT)
    elif "functionResponse" in here:
        yield _answer(part.get(here["functionResponse"]).as_object("`functionResponse`"))
    elif "text" in here:
        if not part.value.get("thought"):
            yield TextPart(role, part.get("text").text("`text`"))
    elif made := here.keys() & _PROVIDER.keys():
        key = made.pop()
        body = part.get(here[key]).as_object(f"`{key}`")
        arguments = body.value if key == "executableCode" else body.value.get("args") or {}
        yield CallPart(_id(body), _PROVIDER[key], arguments, PROVIDER)
    elif answered := here.keys() & _PROVIDER_ANSWERS.keys():
        key = answered.pop()
        body = part.get(here[key]).as_object(f"`{key}`")
        yield _provider_answer(body, _PROVIDER_ANSWERS[key])
    elif not here.keys() <= _SILENT:
        raise unknown_part(part, next(iter(here.keys() - _SILENT)))


def _answer(body: Cursor) -> AnswerPart:
    """`output` and `error` have a meaning of their own; else all of the response is the output."""
    name = body.get("name").text("the `name` of a function response")
    response = body.value.get("response")
    failed: bool | None = None
    if isinstance(response, Mapping):
        keys = {key for key, value in response.items() if value is not None}
        if keys == {"error"}:
            response, failed = response["error"], True
        elif keys == {"output"}:
            response = response["output"]
        elif keys == {"result"}:
            response = response["result"]
    return AnswerPart(_id(body), name, response, failed, unfinished=_goes_on(body))


def _goes_on(body: Cursor) -> bool:
    """Whether it is streamed, and not the last piece."""
    keys = ("willContinue", "will_continue", "partialArgs", "partial_args")
    return any(body.value.get(key) for key in keys)


def _provider_answer(body: Cursor, name: str) -> AnswerPart:
    """The answer of a tool that the provider runs; code tells its outcome."""
    outcome = body.value.get("outcome")
    told = {"OUTCOME_OK": False, "OUTCOME_FAILED": True}
    lost = outcome is not None and outcome not in told
    content = body.value.get("output", body.value.get("response"))
    failed = told.get(str(outcome))
    return AnswerPart(_id(body), name, content, failed, PROVIDER, unfinished=lost)


def _id(of: Cursor) -> str | None:
    value = of.value.get("id")
    return None if value is None else str(value)


def _camel(key: str) -> str:
    head, *rest = key.split("_")
    return head + "".join(word.capitalize() for word in rest)
