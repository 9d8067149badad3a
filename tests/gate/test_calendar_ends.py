"""Every moment that a date or a timestamp can name has an answer, in every zone."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.lang.times import TIMESTAMP_MAX_US, TIMESTAMP_MIN_US

ZONES = ("Europe/Berlin", "Asia/Tokyo", "America/New_York", "Pacific/Kiritimati", "UTC")
OFTEN = 1_767_225_600_000_000
RULES = (
    "ledger.o.day <= timestamp('9999-12-31T00:00:00Z')",
    "args.day < timestamp('9999-12-31T23:59:59Z')",
    "now <= timestamp('9999-12-31T23:59:59.999999Z')",
    "ledger.o.at >= timestamp('0001-01-01T00:00:00Z')",
    "ledger.o.at.getFullYear() >= 0 && now.getHours() >= 0",
    "days(ledger.o.day, ledger.o.at) < 4000000",
)
RECORDS: tuple[Any, ...] = (
    {"day": "9999-12-31", "at": "9999-12-31T23:59:59Z"},
    {"day": "0001-01-02", "at": "0001-01-01T00:00:00Z"},
    None,
)


def domain(zone: str, require: str) -> Domain:
    times = {
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
    }
    record = {"type": "object", "required": ["day", "at"], "properties": times}
    return Domain.define(
        "ends",
        timezone=zone,
        definitions={"O": record},
        ledger={"o": "O"},
        tools={
            "get": {"kind": "read", "arguments": {}, "observes": {"o": "result"}},
            "act": {"kind": "write", "arguments": {"day": times["day"]}},
        },
        rules=[{"id": "r", "tools": ["act"], "require": require, "message": "{ledger.o.at}"}],
    )


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("require", RULES)
def test_the_gate_answers_at_the_ends_of_the_calendar(zone: str, require: str) -> None:
    gate = Gate(domain(zone, require))
    for now in (OFTEN, TIMESTAMP_MIN_US, TIMESTAMP_MAX_US):
        for record in RECORDS:
            session = gate.session(clock_us=now)
            if record is not None:
                assert session.observe("get", {}, record) == []
            day = "9999-12-31" if record is None else record["day"]
            verdict = session.dry_run("act", {"day": day})
            assert verdict.decided_by != "error", (now, record, verdict.message)
            if record is not None:
                assert verdict.allowed or "9999" in verdict.message or "0001" in verdict.message
                assert "o = " in session.render()
