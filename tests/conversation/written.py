"""One conversation, written in every format by hand and by the packages themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ledger_verify.conversation.marks import refusal_text
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.ledger.outcomes import Outcome, answer_of

REFUSAL = Verdict(Decision.BLOCK, "pay", {}, "no")


@dataclass(frozen=True)
class Step:
    """The agent calls, with arguments, and gets an answer; or, without a tool, somebody speaks.

    Text as `arguments` stands where JSON should be. A call that is `refused` is answered by the
    gate's refusal. An answer comes before those of its turn that are more `late`, and from 2 on it
    comes after the turn that follows.
    """

    tool: str = ""
    arguments: Any = None
    answer: str | None = None
    failed: bool = False
    role: str = ""
    text: str = ""
    refused: bool = False
    late: int = 0


Talk = tuple[tuple[Step, ...], ...]
"""Turns: each is one text, or calls that one message of the agent makes."""


def _spoken(turn: tuple[Step, ...]) -> Step | None:
    return turn[0] if len(turn) == 1 and turn[0].role else None


_Numbered = list[tuple[str, Step]]


def numbered(talk: Talk, *, ids: bool = True) -> list[tuple[Step | None, _Numbered, _Numbered]]:
    """Each turn as a text, or as calls with their ids; and the answers that then come."""
    out: list[tuple[Step | None, _Numbered, _Numbered]] = []
    overdue: _Numbered = []
    for number, turn in enumerate(talk):
        spoken = _spoken(turn)
        calls = [] if spoken else [(f"c{number}_{i}", step) for i, step in enumerate(turn)]
        due = sorted(calls, key=lambda call: call[1].late)
        now = [call for call in due if call[1].late < 2] + overdue
        overdue = [call for call in due if call[1].late >= 2]
        out.append((spoken, calls, _answered(now, ids)))
    out[-1][2].extend(_answered(overdue, ids))
    return out


def _answered(calls: _Numbered, ids: bool) -> _Numbered:
    refusals = [
        (id_, replace(step, answer=refusal_text(id_ if ids else None, REFUSAL), failed=False))
        if step.refused
        else (id_, step)
        for id_, step in calls
    ]
    return [(id_, step) for id_, step in refusals if step.answer is not None]


def _text_of(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def chat(talk: Talk) -> list[Any]:
    """OpenAI chat messages."""
    messages: list[Any] = []
    for spoken, calls, answered in numbered(talk):
        if spoken:
            messages.append({"role": spoken.role, "content": spoken.text})
        listed = [
            {
                "id": id_,
                "type": "function",
                "function": {"name": s.tool, "arguments": _text_of(s.arguments)},
            }
            for id_, s in calls
        ]
        if calls:
            messages.append({"role": "assistant", "content": None, "tool_calls": listed})
        messages += [
            {"role": "tool", "tool_call_id": id_, "content": _marked(s)} for id_, s in answered
        ]
    return messages


def _marked(step: Step) -> str:
    """The answer in a format without a flag, where a failure is told by the text."""
    said = str(step.answer)
    tells = answer_of(said).outcome is not Outcome.SUCCEEDED
    return f"Error: {said}" if step.failed and not tells else said


def chat_in_parts(talk: Talk) -> list[Any]:
    """The same with contents as lists of parts."""
    return [
        {**m, "content": [{"type": "text", "text": m["content"]}]} if m.get("content") else m
        for m in chat(talk)
    ]


def function_calls(talk: Talk) -> list[Any]:
    """OpenAI's older messages with one call each, without ids."""
    messages: list[Any] = []
    for spoken, calls, answered in numbered(talk, ids=False):
        if spoken:
            messages.append({"role": spoken.role, "content": spoken.text})
        for _, s in calls:
            made = {"name": s.tool, "arguments": _text_of(s.arguments)}
            messages.append({"role": "assistant", "content": None, "function_call": made})
        messages += [
            {"role": "function", "name": s.tool, "content": _marked(s)} for _, s in answered
        ]
    return messages


def mcp_results(talk: Talk) -> list[Any]:
    """Chat messages whose answers are results of an MCP server."""
    failed = {id_: s.failed for _, _, answered in numbered(talk) for id_, s in answered}
    return [
        {**m, "content": {
            "content": [{"type": "text", "text": m["content"]}],
            "isError": failed[m["tool_call_id"]],
        }}
        if m["role"] == "tool" else m
        for m in chat(talk)
    ]  # fmt: skip


def chat_models(talk: Talk) -> list[Any]:
    """The same, what the agent says as models of the package `openai`."""
    from openai.types.chat import ChatCompletionMessage

    return [
        ChatCompletionMessage.model_validate(m) if m["role"] == "assistant" else m
        for m in chat(talk)
    ]


def tau2(talk: Talk) -> list[Any]:
    """Messages of tau2-bench."""
    messages: list[Any] = []
    for spoken, calls, answered in numbered(talk):
        if spoken:
            messages.append({"role": spoken.role, "content": spoken.text, "turn_idx": 1})
        listed = [
            {"id": id_, "name": s.tool, "arguments": s.arguments, "requestor": "assistant"}
            for id_, s in calls
        ]
        if calls:
            messages.append({"role": "assistant", "content": None, "tool_calls": listed})
        answers = [
            {
                "id": id_,
                "role": "tool",
                "content": s.answer,
                "requestor": "assistant",
                "error": s.failed,
            }
            for id_, s in answered
        ]
        messages += answers if len(answers) == 1 else [{"role": "tool", "tool_messages": answers}]
    return [m for m in messages if m.get("tool_messages") != []]


def responses(talk: Talk) -> list[Any]:
    """Items of the Responses API."""
    items: list[Any] = []
    for spoken, calls, answered in numbered(talk):
        if spoken:
            kind = "output_text" if spoken.role == "assistant" else "input_text"
            content = [{"type": kind, "text": spoken.text}]
            items.append({"type": "message", "role": spoken.role, "content": content})
        items += [
            {
                "type": "function_call",
                "call_id": id_,
                "name": s.tool,
                "arguments": _text_of(s.arguments),
            }
            for id_, s in calls
        ]
        items += [
            {"type": "function_call_output", "call_id": id_, "output": _marked(s)}
            for id_, s in answered
        ]
    return items


def responses_models(talk: Talk) -> list[Any]:
    """The same, calls as models of the package `openai`."""
    from openai.types.responses import ResponseFunctionToolCall

    return [
        ResponseFunctionToolCall.model_validate(item) if item["type"] == "function_call" else item
        for item in responses(talk)
    ]


def anthropic(talk: Talk) -> list[Any]:
    """Anthropic messages."""
    messages: list[Any] = []
    for spoken, calls, answered in numbered(talk):
        if spoken:
            messages.append(
                {"role": spoken.role, "content": [{"type": "text", "text": spoken.text}]}
            )
        blocks = [
            {"type": "tool_use", "id": id_, "name": s.tool, "input": s.arguments}
            for id_, s in calls
        ]
        if calls:
            messages.append({"role": "assistant", "content": blocks})
        answers = [
            {"type": "tool_result", "tool_use_id": id_, "content": s.answer, "is_error": s.failed}
            for id_, s in answered
        ]
        if answers:
            messages.append({"role": "user", "content": answers})
    return messages


def anthropic_models(talk: Talk) -> list[Any]:
    """The same, what the agent says as models of the package `anthropic`."""
    from anthropic.types import Message

    more = {"id": "m", "type": "message", "model": "m", "stop_reason": None, "stop_sequence": None}
    usage = {"input_tokens": 1, "output_tokens": 1}
    return [
        Message.model_validate({**m, **more, "usage": usage}) if m["role"] == "assistant" else m
        for m in anthropic(talk)
    ]


def langchain_models(talk: Talk) -> list[Any]:
    """Messages of the package `langchain-core`."""
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    spoken_as: dict[str, Callable[[str], Any]] = {
        "user": HumanMessage, "assistant": AIMessage, "system": SystemMessage,
    }  # fmt: skip
    messages: list[Any] = []
    for spoken, calls, answered in numbered(talk):
        if spoken:
            messages.append(spoken_as[spoken.role](spoken.text))
        listed = [{"name": s.tool, "args": s.arguments, "id": id_} for id_, s in calls]
        if calls:
            messages.append(AIMessage("", tool_calls=listed))
        messages += [
            ToolMessage(
                s.answer, tool_call_id=id_, status="error" if s.failed else "success", name=s.tool
            )
            for id_, s in answered
        ]
    return messages


def langchain_dicts(talk: Talk) -> list[Any]:
    """The same as `{type, data}`."""
    from langchain_core.messages import messages_to_dict

    return list(messages_to_dict(langchain_models(talk)))


def langchain_serialised(talk: Talk) -> list[Any]:
    """The same as LangChain's own serialisation."""
    from langchain_core.load import dumpd

    return [dumpd(message) for message in langchain_models(talk)]


def gemini(talk: Talk, *, ids: bool = True) -> list[Any]:
    """Gemini contents."""
    contents: list[Any] = []
    roles = {"assistant": "model"}
    for spoken, calls, answered in numbered(talk, ids=ids):
        if spoken:
            role = roles.get(spoken.role, spoken.role)
            contents.append({"role": role, "parts": [{"text": spoken.text}]})
        made = [{"functionCall": {"id": id_, "name": s.tool, "args": s.arguments}}
                for id_, s in calls]  # fmt: skip
        if calls:
            contents.append({"role": "model", "parts": made})
        answers = [
            {
                "functionResponse": {
                    "id": id_,
                    "name": s.tool,
                    "response": {"error" if s.failed else "output": s.answer},
                }
            }
            for id_, s in answered
        ]
        if answers:
            contents.append({"role": "user", "parts": answers})
    return contents


def gemini_without_ids(talk: Talk) -> list[Any]:
    """The same as the API itself has it, where calls have no ids."""

    def bare(part: Any) -> Any:
        if "text" in part:
            return part
        ((kind, body),) = part.items()
        return {kind: {key: inner for key, inner in body.items() if key != "id"}}

    return [
        {**content, "parts": [bare(part) for part in content["parts"]]}
        for content in gemini(talk, ids=False)
    ]


def gemini_models(talk: Talk) -> list[Any]:
    """The same as models of the package `google-genai`."""
    from google.genai.types import Content

    return [Content.model_validate(content) for content in gemini(talk)]


BY_HAND = (
    *(chat, chat_in_parts, tau2, responses, anthropic, gemini),
    *(function_calls, gemini_without_ids, mcp_results),
)
BY_PACKAGES = {
    chat_models: "openai",
    responses_models: "openai",
    anthropic_models: "anthropic",
    langchain_models: "langchain_core",
    langchain_dicts: "langchain_core",
    langchain_serialised: "langchain_core",
    gemini_models: "google.genai",
}
"""Each with the package that it needs."""
