"""One conversation, written in every format by hand and by the packages themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Step:
    """The agent calls, with arguments, and gets an answer; or, without a tool, somebody speaks."""

    tool: str = ""
    arguments: Any = None
    answer: str | None = None
    failed: bool = False
    role: str = ""
    text: str = ""


Talk = tuple[tuple[Step, ...], ...]
"""Turns: each is one text, or calls that one message of the agent makes."""


def _spoken(turn: tuple[Step, ...]) -> Step | None:
    return turn[0] if len(turn) == 1 and turn[0].role else None


def _numbered(talk: Talk) -> list[tuple[Step | None, list[tuple[str, Step]]]]:
    """Each turn as a text, or as calls with their ids."""
    out: list[tuple[Step | None, list[tuple[str, Step]]]] = []
    for number, turn in enumerate(talk):
        spoken = _spoken(turn)
        calls = [] if spoken else [(f"c{number}_{i}", step) for i, step in enumerate(turn)]
        out.append((spoken, calls))
    return out


def chat(talk: Talk) -> list[Any]:
    """OpenAI chat messages."""
    messages: list[Any] = []
    for spoken, calls in _numbered(talk):
        if spoken:
            messages.append({"role": spoken.role, "content": spoken.text})
            continue
        listed = [
            {
                "id": id_,
                "type": "function",
                "function": {"name": s.tool, "arguments": json.dumps(s.arguments)},
            }
            for id_, s in calls
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": listed})
        messages += [
            {"role": "tool", "tool_call_id": id_, "content": _marked(s)}
            for id_, s in calls
            if s.answer is not None
        ]
    return messages


def _marked(step: Step) -> str:
    """The answer in a format without a flag, where a failure is told by the text."""
    return f"Error: {step.answer}" if step.failed else str(step.answer)


def chat_in_parts(talk: Talk) -> list[Any]:
    """The same with contents as lists of parts."""
    return [
        {**m, "content": [{"type": "text", "text": m["content"]}]} if m.get("content") else m
        for m in chat(talk)
    ]


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
    for spoken, calls in _numbered(talk):
        if spoken:
            messages.append({"role": spoken.role, "content": spoken.text, "turn_idx": 1})
            continue
        listed = [
            {"id": id_, "name": s.tool, "arguments": s.arguments, "requestor": "assistant"}
            for id_, s in calls
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": listed})
        answers = [
            {
                "id": id_,
                "role": "tool",
                "content": s.answer,
                "requestor": "assistant",
                "error": s.failed,
            }
            for id_, s in calls
            if s.answer is not None
        ]
        messages += answers if len(answers) == 1 else [{"role": "tool", "tool_messages": answers}]
    return [m for m in messages if m.get("tool_messages") != []]


def responses(talk: Talk) -> list[Any]:
    """Items of the Responses API."""
    items: list[Any] = []
    for spoken, calls in _numbered(talk):
        if spoken:
            kind = "output_text" if spoken.role == "assistant" else "input_text"
            content = [{"type": kind, "text": spoken.text}]
            items.append({"type": "message", "role": spoken.role, "content": content})
            continue
        items += [
            {
                "type": "function_call",
                "call_id": id_,
                "name": s.tool,
                "arguments": json.dumps(s.arguments),
            }
            for id_, s in calls
        ]
        items += [
            {"type": "function_call_output", "call_id": id_, "output": _marked(s)}
            for id_, s in calls
            if s.answer is not None
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
    for spoken, calls in _numbered(talk):
        if spoken:
            messages.append(
                {"role": spoken.role, "content": [{"type": "text", "text": spoken.text}]}
            )
            continue
        blocks = [
            {"type": "tool_use", "id": id_, "name": s.tool, "input": s.arguments}
            for id_, s in calls
        ]
        messages.append({"role": "assistant", "content": blocks})
        answers = [
            {"type": "tool_result", "tool_use_id": id_, "content": s.answer, "is_error": s.failed}
            for id_, s in calls
            if s.answer is not None
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
    for spoken, calls in _numbered(talk):
        if spoken:
            messages.append(spoken_as[spoken.role](spoken.text))
            continue
        listed = [{"name": s.tool, "args": s.arguments, "id": id_} for id_, s in calls]
        messages.append(AIMessage("", tool_calls=listed))
        messages += [
            ToolMessage(
                s.answer, tool_call_id=id_, status="error" if s.failed else "success", name=s.tool
            )
            for id_, s in calls
            if s.answer is not None
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


def gemini(talk: Talk) -> list[Any]:
    """Gemini contents."""
    contents: list[Any] = []
    roles = {"assistant": "model"}
    for spoken, calls in _numbered(talk):
        if spoken:
            role = roles.get(spoken.role, spoken.role)
            contents.append({"role": role, "parts": [{"text": spoken.text}]})
            continue
        made = [{"functionCall": {"id": id_, "name": s.tool, "args": s.arguments}}
                for id_, s in calls]  # fmt: skip
        contents.append({"role": "model", "parts": made})
        answers = [
            {
                "functionResponse": {
                    "id": id_,
                    "name": s.tool,
                    "response": {"error" if s.failed else "output": s.answer},
                }
            }
            for id_, s in calls
            if s.answer is not None
        ]
        if answers:
            contents.append({"role": "user", "parts": answers})
    return contents


def gemini_models(talk: Talk) -> list[Any]:
    """The same as models of the package `google-genai`."""
    from google.genai.types import Content

    return [Content.model_validate(content) for content in gemini(talk)]


BY_HAND = (chat, chat_in_parts, tau2, responses, anthropic, gemini)
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
