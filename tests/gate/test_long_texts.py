"""Long texts: what no rule reads costs the solver nothing, and what is long is only compared."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate.session import Session
from ledger_verify.solver.completions import LONGEST
from ledger_verify.solver.shown import texts_read
from ledger_verify.solver.situation import Situation
from ledger_verify.solver.texts import Texts

LONG = "ab" * 5_000
TEXT = {"type": "string"}
NOTE = {
    "type": "object",
    "required": ["owner", "body"],
    "properties": {"owner": TEXT, "body": TEXT},
}


def session(*rules: str, free: tuple[str, ...] = ()) -> Session:
    domain = Domain.define(
        "notes",
        definitions={"Note": NOTE},
        ledger={"notes.*": "Note"},
        tools={
            "get_note": {"kind": "read", "arguments": {"id": "string"},
                         "observes": {"notes.{args.id}": "result"}},
            "send": {"kind": "write", "free": list(free),
                     "arguments": {"id": "string", "text": "string", "limit": "integer"}},
        },
        rules=[{"id": f"r{n}", "tools": ["send"], "require": r} for n, r in enumerate(rules)],
        clock="2026-01-01T00:00:00",
    )  # fmt: skip
    return Gate(domain).session()


def send(session: Session, text: str = LONG, limit: int = 9) -> Any:
    return session.check("send", {"id": "n1", "text": text, "limit": limit})


READING = (
    "ledger.notes[args.id].body.contains(args.text)",
    "args.text.contains(ledger.notes[args.id].owner)",
    "args.text == ledger.notes[args.id].body",
    "args.text.startsWith(ledger.notes[args.id].body)",
    'ledger.notes[args.id].body.matches("^(a|b)+$") && ledger.notes[args.id].body != args.text',
    "args.text + ledger.notes[args.id].owner == ledger.notes[args.id].body",
)


@pytest.mark.parametrize("rule", READING)
def test_a_long_text_is_judged_like_a_short_one(rule: str) -> None:
    for text in (LONG, "ab"):
        s = session(rule, "args.limit < 5", free=("limit",))
        verdict = send(s, text)
        assert verdict.decision.value == "REVISE"
        assert [m.path for m in verdict.missing] == ["notes.n1"]
        assert verdict.repair.arguments == {"limit": 4}
        assert verdict.repair.needs_reads


def test_long_texts_stay_told_apart() -> None:
    rule = "args.text in [ledger.notes[args.id].owner, ledger.notes[args.id].body]"
    is_other = "args.text != ledger.notes[args.id].owner"
    s = session(rule, is_other, 'args.text.startsWith("ab") || args.id == "x"', free=("text",))
    other = f"{LONG}c"
    s.observe("get_note", {"id": "n1"}, {"owner": LONG, "body": other})
    assert send(s).repair.arguments == {"text": other}


def test_only_texts_that_rules_read_can_be_what_they_demand() -> None:
    s = session("args.text == ledger.notes[args.id].owner", free=("text",))
    for number in range(3):
        s.observe(
            "get_note", {"id": f"n{number}"}, {"owner": f"u{number}", "body": f"{number}{LONG}"}
        )
    domain = s.domain
    situation = Situation(domain, domain.tools["send"], s.ledger, {}, 0)
    assert texts_read(situation, [rule.holds for rule in domain.rules]) == ["u0", "u1", "u2"]
    assert send(s).repair.arguments == {"text": "u1"}


def test_of_a_long_literal_nothing_is_known_but_that_it_is_another() -> None:
    import z3

    texts = Texts(structured=True, longest=LONGEST)
    short, long = texts.literal("a" * LONGEST), texts.literal("a" * (LONGEST + 1))
    assert z3.is_string_value(short)
    assert not z3.is_string_value(long)
    solver = z3.Solver()
    solver.add(texts.distinct(), short == long)
    assert solver.check() == z3.unsat
    assert texts.literal(LONG) is texts.literal(LONG)
