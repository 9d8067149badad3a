"""Scripted conversations in OpenAI chat format, over the shop of tests/gate."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.gate.shop import ORDER, rule

OPEN = rule(
    ["cancel", "ship"],
    'ledger.orders[args.order_id].state == "open"',
    message="Order {args.order_id} is {ledger.orders[args.order_id].state}, not open.",
)
SMALL = rule("choose", 'args.size == "S"', id="small", message="Only size S is left.")


def call(name: str, arguments: Any, id_: str = "c1") -> dict[str, Any]:
    """A tool call; arguments that are no text become JSON."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": text}}


def calling(*calls: dict[str, Any]) -> dict[str, Any]:
    """An assistant message that makes these calls."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def saying(text: str) -> dict[str, Any]:
    """An assistant message without calls."""
    return {"role": "assistant", "content": text}


def answer(id_: str, content: Any, **more: Any) -> dict[str, Any]:
    """A tool message."""
    return {"role": "tool", "tool_call_id": id_, "content": content, **more}


@dataclass
class Model:
    """Gives the replies of a script, and keeps what it was shown."""

    replies: Sequence[dict[str, Any] | Callable[[list[dict[str, Any]]], dict[str, Any]]]
    prompts: list[list[dict[str, Any]]] = field(default_factory=list)

    def __call__(self, messages: list[dict[str, Any]], tools: Any) -> dict[str, Any]:
        self.prompts.append(messages)
        reply = self.replies[len(self.prompts) - 1]
        return reply(messages) if callable(reply) else reply


@dataclass
class Tools:
    """Runs tools: orders can be read, everything else is done."""

    orders: dict[str, Any] = field(default_factory=lambda: {"o1": ORDER})
    ran: list[tuple[str, Any]] = field(default_factory=list)

    def __call__(self, name: str, arguments: Any) -> Any:
        self.ran.append((name, arguments))
        if name == "get_order":
            return self.orders[arguments["order_id"]]
        return "done"
