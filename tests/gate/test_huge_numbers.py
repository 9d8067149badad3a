"""A number of any size, wherever it stands, is kept out at once and stops nothing that follows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from ledger_verify import Domain, Gate, Session
from ledger_verify.adapters.chat import ChatGuard
from ledger_verify.audit.recordings import parse_recording
from ledger_verify.lang.errors import InputError
from ledger_verify.source.json_file import parse_json, parse_value
from ledger_verify.source.json_number import LARGEST_EXPONENT, MOST_CHARACTERS

DIGITS = 1_000_000
TEXTS = {
    "whole": "9" * DIGITS,
    "negative": "-" + "9" * DIGITS,
    "fraction": "0." + "3" * DIGITS,
    "zeros": "0." + "0" * DIGITS + "1",
    "exponent": "1e1000000",
    "small": "1e-1000000",
    "exponent beyond": "1e999999999999999999999",
    "long exponent": "1e" + "9" * DIGITS,
    "all of them": "3." + "1" * DIGITS + "e-5",
}
VALUES = {
    "whole": 10**DIGITS,
    "fraction": Decimal(TEXTS["fraction"]),
    "exponent": Decimal("1e1000000"),
    "exponent beyond": Decimal("1e999999999999"),
}
NUMBER = {"type": "number"}
ITEM = {"type": "object", "required": ["limit"], "properties": {"limit": NUMBER}}
GET = {"kind": "read", "arguments": {"id": "string"}, "observes": {"items.{args.id}": "result"}}
PAY = {"kind": "write", "arguments": {"id": "string", "amount": NUMBER, "said": NUMBER},
       "asks": {"said": "exact"}}  # fmt: skip


@pytest.fixture(params=["as it is", "switched off", "lower"])
def python_limit(request: pytest.FixtureRequest) -> Iterator[None]:
    """Python's own limit of digits, as a host may have set it."""
    before = sys.get_int_max_str_digits()
    limits = {"as it is": before, "switched off": 0, "lower": 700}
    sys.set_int_max_str_digits(limits[request.param])
    yield
    sys.set_int_max_str_digits(before)


def session() -> Session:
    domain = Domain.define(
        "store",
        clock="2026-01-01T00:00:00",
        definitions={"Item": ITEM},
        ledger={"items.*": "Item"},
        tools={"get": GET, "pay": PAY},
        rules=[
            {"id": "rule", "tools": ["pay"], "require": "args.amount < ledger.items[args.id].limit"}
        ],
    )
    return Gate(domain).session()


def goes_on(made: Session) -> None:
    """What is shown well counts as ever, and can be saved."""
    made.heard("pay 5, please")
    made.observe("get", {"id": "a"}, '{"limit": 7.5}')
    verdict = made.check("pay", {"id": "a", "amount": 6, "said": 5})
    assert verdict.allowed, verdict.message
    json.dumps(made.save())
    assert made.render()


@pytest.mark.usefixtures("python_limit")
@pytest.mark.parametrize("name", TEXTS)
def test_in_a_text(name: str) -> None:
    number = TEXTS[name]
    with pytest.raises(ValueError):  # noqa: PT011
        parse_value(number)
    with pytest.raises(InputError) as problem:
        parse_json('{\n "a": ' + number + "}", "log")
    assert str(problem.value).startswith("log:2:7: ")
    assert len(str(problem.value)) < 200
    if name != "whole":
        assert "out of range" in str(problem.value) or "too long" in str(problem.value)


@pytest.mark.usefixtures("python_limit")
@pytest.mark.parametrize("name", TEXTS)
def test_in_a_result(name: str) -> None:
    made = session()
    for result in (TEXTS[name], '{"limit": ' + TEXTS[name] + "}"):
        (drift,) = made.observe("get", {"id": "a"}, result)
        assert "internal" not in drift.reason
        assert not made.dry_run("pay", {"id": "a", "amount": 1, "said": 5}).allowed
    goes_on(made)


@pytest.mark.usefixtures("python_limit")
@pytest.mark.parametrize("name", VALUES)
def test_in_a_result_that_is_no_text(name: str) -> None:
    made = session()
    (drift,) = made.observe("get", {"id": "a"}, {"limit": VALUES[name]})
    assert "expected a number" in drift.reason
    goes_on(made)


@pytest.mark.usefixtures("python_limit")
@pytest.mark.parametrize("name", VALUES)
def test_in_arguments(name: str) -> None:
    made = session()
    for amount in (VALUES[name], TEXTS[name]):
        verdict = made.check("pay", {"id": "a", "amount": amount, "said": 5})
        assert not verdict.allowed
        assert verdict.decided_by == "schema"
        made.observe("get", {"id": amount}, {"limit": 7})
    made.check("pay", TEXTS[name])
    goes_on(made)


@pytest.mark.parametrize("name", TEXTS)
def test_said_by_the_user(name: str) -> None:
    made = session()
    made.heard(f"pay {TEXTS[name]}")
    goes_on(made)


@pytest.mark.parametrize("name", TEXTS)
def test_in_a_conversation(name: str) -> None:
    guard = ChatGuard(session())
    function = {"name": "get", "arguments": '{"id": ' + TEXTS[name] + "}"}
    seen: list[Any] = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": "c", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c", "content": '{"limit": ' + TEXTS[name] + "}"},
    ]  # fmt: skip
    guard.absorb(seen)
    guard.absorb(seen)
    json.dumps(guard.save())
    goes_on(guard.session)
    text = '[{"role": "user", "content": "hi", "timestamp": ' + TEXTS[name] + "}]"
    with pytest.raises(InputError, match=r"log:1:4\d: "):
        parse_recording(text, "log")


def test_as_the_time_of_a_message() -> None:
    for time in (*VALUES.values(), Decimal("sNaN"), Decimal("1e900000"), 1e300):
        guard = ChatGuard(session())
        guard.absorb([{"role": "user", "content": "hi", "timestamp": time}])
        goes_on(guard.session)


@pytest.mark.parametrize("name", VALUES)
def test_in_place_of_a_text(name: str) -> None:
    guard = ChatGuard(session())
    for message in ({"role": "user", "content": VALUES[name]}, {"role": VALUES[name]}):
        with pytest.raises(InputError) as problem:
            guard.absorb([message])
        assert len(str(problem.value)) < 500
    goes_on(guard.session)


def test_what_is_within_the_bounds_is_read() -> None:
    for text in ("9" * MOST_CHARACTERS, "-" + "9" * MOST_CHARACTERS):
        assert parse_value(text) == int(text)
    for text in (f"1e{LARGEST_EXPONENT}", f"1e-{LARGEST_EXPONENT}", "0." + "3" * 4_000):
        assert parse_value(text) == Decimal(text)
