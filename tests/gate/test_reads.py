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


def test_an_argument_that_another_read_has_to_tell_is_not_guessed_from_its_name() -> None:
    user = {
        "type": "object",
        "required": ["user_id", "boss"],
        "properties": {"user_id": {"type": "string"}, "boss": {"type": "string"}},
    }
    made = Domain.define(
        "desk",
        definitions={"User": user},
        ledger={"users.*": "User"},
        tools={
            "get_user": {
                "kind": "read",
                "arguments": {"user_id": "string"},
                "observes": {"users.{args.user_id}": "result"},
            },
            "promote": {"kind": "write", "arguments": {"user_id": "string"}},
        },
        rules=[
            {
                "id": "boss_is_own_boss",
                "tools": ["promote"],
                "let": {"boss": "ledger.users[args.user_id].boss"},
                "require": "ledger.users[boss].boss == boss",
            }
        ],
    )
    verdict = Gate(made).session().check("promote", {"user_id": "u1"})
    reads = {m.path: m.read.arguments for m in verdict.missing if m.read is not None}
    assert reads == {"users.u1": {"user_id": "u1"}, "users.*": {"user_id": None}}
