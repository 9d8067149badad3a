"""A case - a ledger and a call - as a small table of paths and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.cli.output import printable
from ledger_verify.cli.width import padded, text_width
from ledger_verify.lang.environment import SESSION
from ledger_verify.source.json_text import json_text

_NAME = re.compile(r"[A-Za-z_]\w*")
_BARE = re.compile(r"[^\W\d]([\w .:@/+-]*\w)?|\d{4}-\d\d-\d\d(T[\d:.+Z-]+)?")
_WORDS = ("true", "false", "null")


def case_table(case: Mapping[str, Any]) -> list[str]:
    """The lines of the table for a case in the form of `case_data`.

    The call and its arguments, the facts of the session, the fields of every record, what is stale
    or does not exist, the earlier calls, what the user said, the tools that the agent has where not
    all, and the moment.
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
    if case.get(SESSION):
        yield from _flat(SESSION, case[SESSION])
    for path, record in case["ledger"].items():
        yield from _flat(path, record)
    for path in case.get("stale", ()):
        yield path, "(stale after a write)"
    for path in case.get("absent", ()):
        yield path, "(does not exist)"
    for earlier in case.get("history", ()):
        yield "earlier call", _earlier(earlier)
    for text in case.get("heard", ()):
        yield "the user said", json_text(text, indent=None)
    if "tools" in case:
        yield "tools", ", ".join(case["tools"]) or "none"
    if "clock" in case:
        yield "now", case["clock"]


def value_text(value: Any) -> str:
    """A value as JSON; a string without quotes where nobody could take it for anything else."""
    text = json_text(value, indent=None)
    bare = isinstance(value, str) and _BARE.fullmatch(value) and value not in _WORDS
    return str(value) if bare else text


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
            yield path, value_text(value)


def _step(key: str) -> str:
    return f".{key}" if _NAME.fullmatch(key) else f"[{json_text(key, indent=None)}]"


def _earlier(call: Mapping[str, Any]) -> str:
    arguments = ", ".join(
        f"{name}={value_text(value)}" for name, value in call["arguments"].items()
    )
    ran = "ran" if call["ok"] else "failed"
    return f"{call['tool']}({arguments}), {call['verdict']}, {ran}, {call['time']}"
