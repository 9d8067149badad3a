"""Which reads the gate advises, and with which arguments."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Domain, Gate


def domain(key: str, **arguments: Any) -> Domain:
    note = {
        "type": "object",
        "required": ["note_id", "open"],
        "properties": {"note_id": {"type": "string"}, "open": {"type": "boolean"}},
    }
    return Domain.define(
        "desk",
        definitions={"Note": note},
        ledger={"notes.*": "Note"},
        tools={
            "get_note": {
                "kind": "read",
                "arguments": arguments,
                "observes": {f"notes.{{{key}}}": "result"},
            },
            "edit": {"kind": "write", "arguments": {"note": "string"}},
        },
        rules=[{"id": "open", "tools": ["edit"], "require": "ledger.notes[args.note].open"}],
    )


@pytest.mark.parametrize(
    ("key", "arguments", "advised"),
    [
        ("args.id", {"id": "string"}, {"id": "N1"}),
        ("item.note_id", {"note_id": "string"}, {"note_id": "N1"}),
        ("item.note_id", {"note_id?": "string", "page?": "integer"}, {"note_id": "N1"}),
        ("item.note_id", {"note_id": "integer"}, {"note_id": None}),
        ("item.note_id", {"topic": "string"}, {"topic": None}),
        ("item.note_id", {"topic?": "string"}, {}),
    ],
)
def test_the_key_of_what_is_missing_fills_the_argument_of_its_name(
    key: str, arguments: dict[str, str], advised: dict[str, Any]
) -> None:
    verdict = Gate(domain(key, **arguments)).session().check("edit", {"note": "N1"})
    read = verdict.missing[0].read
    assert read is not None
    assert read.arguments == advised
