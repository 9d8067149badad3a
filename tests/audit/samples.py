"""Small recordings of our own, in every format that is read."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Message = dict[str, Any]

CONFLICT = "Error: no such account"


def say(text: str, role: str = "user") -> Message:
    return {"role": role, "content": text}


def tau1_call(*calls: tuple[str, str, Mapping[str, Any] | str]) -> Message:
    """An agent's message as in OpenAI's chat format; calls are (id, name, arguments)."""
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": id_,
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                },
            }
            for id_, name, arguments in calls
        ],
    }


def tau1_answer(id_: str, name: str, content: Any) -> Message:
    text = content if isinstance(content, str) else json.dumps(content)
    return {"role": "tool", "tool_call_id": id_, "name": name, "content": text}


def tau2_call(*calls: tuple[str, str, Mapping[str, Any]], requestor: str = "assistant") -> Message:
    return {
        "role": requestor,
        "content": None,
        "tool_calls": [
            {"id": id_, "name": name, "arguments": dict(arguments), "requestor": requestor}
            for id_, name, arguments in calls
        ],
    }


def tau2_answer(
    id_: str, content: Any, *, error: bool | None = None, requestor: str = "assistant"
) -> Message:
    text = content if isinstance(content, str) else json.dumps(content)
    message: Message = {"role": "tool", "id": id_, "content": text, "requestor": requestor}
    return message if error is None else {**message, "error": error}


def tau1(*messages: Message, **others: Any) -> dict[str, Any]:
    about = {"task_id": 3, "trial": 0, "reward": 1.0, "info": {"task": {"actions": []}}}
    return {**about, "traj": list(messages), **others}


def tau2(*simulations: Mapping[str, Any], **others: Any) -> dict[str, Any]:
    return {"info": {}, "simulations": list(simulations), **others}


def simulation(*messages: Message, **others: Any) -> dict[str, Any]:
    about = {"id": "s1", "task_id": "7", "trial": 1, "reward_info": {"reward": 0.5}}
    return {**about, "messages": list(messages), **others}


def small_bank() -> list[dict[str, Any]]:
    """Two tau1 conversations with accounts `a1` (open) and `a2` (frozen)."""
    opened = {"account_id": "a1", "state": "open", "balance": 99.70}
    frozen = {"account_id": "a2", "state": "frozen", "balance": 5}
    first: Sequence[Message] = (
        say("please close a1"),
        tau1_call(("c1", "get_account", {"account_id": "a1"})),
        tau1_answer("c1", "get_account", opened),
        tau1_call(("c2", "close_account", {"account_id": "a1"})),
        tau1_answer("c2", "close_account", "done"),
        say("bye"),
    )
    second: Sequence[Message] = (
        tau1_call(("c1", "get_account", {"account_id": "a2"})),
        tau1_answer("c1", "get_account", frozen),
        tau1_call(("c2", "close_account", {"account_id": "a2"})),
        tau1_answer("c2", "close_account", CONFLICT),
    )
    return [tau1(*first), tau1(*second, task_id=4, trial=2, reward=0)]
