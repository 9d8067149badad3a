"""A case - a ledger and a call - as a small table of paths and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.audit.json_text import json_text
from ledger_verify.cli.output import printable
from ledger_verify.cli.width import padded, text_width

_NAME = re.compile(r"[A-Za-z_]\w*")


def case_table(case: Mapping[str, Any]) -> list[str]:
    """The lines of the table for a case in the form of `case_data`.

    The call and its arguments, the fields of every record, the earlier calls, the tools that the
    agent has where not all, and the moment.
    """
    rows = [(printable(path), printable(value)) for path, value in case_rows(case)]
    width = max(text_width(path) for path, _ in rows)
    return [f"{padded(path, width)}  {value}" for path, value in rows]


def case_rows(case: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Each path with its value as text."""
    call = case["call"]
    yield "call", call["tool"]
    for name, value in call["arguments"].items():
        yield from _flat(f"args.{name}", value)
    for path, record in case["ledger"].items():
        yield from _flat(path, record)
    for earlier in case.get("history", ()):
        yield "earlier call", _earlier(earlier)
    if "tools" in case:
        yield "tools", ", ".join(case["tools"]) or "none"
    if "clock" in case:
        yield "now", case["clock"]


def _flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """A row for each value that is no object, and for each list without objects."""
    match value:
        case Mapping() if value:
            for key, inner in value.items():
                yield from _flat(f"{path}{_step(key)}", inner)
        case list() if any(isinstance(item, Mapping | list) for item in value):
            for index, item in enumerate(value):
                yield from _flat(f"{path}[{index}]", item)
        case _:
            yield path, json_text(value, indent=None)


def _step(key: str) -> str:
    return f".{key}" if _NAME.fullmatch(key) else f"[{json_text(key, indent=None)}]"


def _earlier(call: Mapping[str, Any]) -> str:
    arguments = ", ".join(
        f"{name}={json_text(value, indent=None)}" for name, value in call["arguments"].items()
    )
    ran = "ran" if call["ok"] else "failed"
    return f"{call['tool']}({arguments}), {call['verdict']}, {ran}, {call['time']}"
