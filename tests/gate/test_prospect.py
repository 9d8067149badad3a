"""Where a read would help, it is advised: `observed(...)`, and the history of reads."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.gate import Session
from tests.gate.shop import TOOLS, O, reads, rule, see_order, see_user, session

O1 = {"order_id": "o1"}


def test_what_must_have_been_observed_is_advised() -> None:
    s = session(rule("cancel", f"observed({O})"))
    verdict = s.dry_run("cancel", O1)
    assert verdict.decision.value == "REVISE"
    assert reads(verdict) == [("get_order", {"order_id": "o1"})]
    see_order(s)
    assert s.dry_run("cancel", O1).allowed


def test_what_was_tried_in_vain_is_refused_for_good() -> None:
    s = session(rule("cancel", f"observed({O})"))
    s.observe("get_order", O1, "no such order", error=True)
    verdict = s.dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())


@pytest.mark.parametrize(
    ("require", "tools"),
    [
        (f"observed({O}) && args.order_id == 'o2'", None),
        (f"!observed({O}) && observed({O})", None),
        (f"observed({O}) && !observed({O}.state)", ["cancel", "get_user"]),
        (f"observed({O})", ["cancel", "get_user"]),
        ("observed(ledger.user) && args.order_id != 'o1'", None),
    ],
)
def test_a_read_that_cannot_help_is_not_advised(require: str, tools: Any) -> None:
    verdict = session(rule("cancel", require), tools=tools).dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())


def test_only_the_reads_that_matter_are_advised() -> None:
    s = session(
        rule("cancel", f"observed({O}) || args.order_id == 'o1' && observed(ledger.user)"),
        rule("cancel", f"observed({O})", id="second"),
    )
    assert reads(s.dry_run("cancel", O1)) == [("get_order", O1)]


def test_an_exemption_that_the_records_must_show() -> None:
    s = session(rule("cancel", f"{O}.total < 5 || observed(ledger.user.tier)"))
    see_order(s, total=50)
    assert reads(s.dry_run("cancel", O1)) == [("get_user", {"user_id": None})]
    see_user(s)
    assert s.dry_run("cancel", O1).allowed


def test_what_the_user_must_say_and_what_must_have_been_observed() -> None:
    s = session(rule("cancel", f"stated(args.order_id) && observed({O})"))
    verdict = s.dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.ask) == ("REVISE", ("order_id",))
    assert reads(verdict) == [("get_order", O1)]
    see_order(s)
    verdict = s.dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.ask, verdict.missing) == ("REVISE", ("order_id",), ())
    s.heard("It is o1.")
    assert s.dry_run("cancel", O1).allowed


def test_no_word_of_the_user_helps_where_the_read_was_in_vain() -> None:
    s = session(rule("cancel", f"stated(args.order_id) && observed({O})"))
    s.observe("get_order", O1, "no such order", error=True)
    verdict = s.dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.ask, verdict.missing) == ("BLOCK", (), ())


# --- a read that must have been made


def terms(require: str, arguments: dict[str, str]) -> Session:
    tools = {
        **TOOLS,
        "get_terms": {"kind": "read", "arguments": arguments},
    }
    return session(rule("cancel", require), define_tools=tools)


def test_a_read_that_must_have_been_made_is_advised() -> None:
    s = terms("history.get_terms.exists(c, c.ok)", {})
    assert reads(s.dry_run("cancel", O1)) == [("get_terms", {})]
    s.observe("get_terms", {}, "the terms")
    assert s.dry_run("cancel", O1).allowed


def test_its_arguments_are_those_that_the_rule_asks_for() -> None:
    same = "history.get_terms.exists(c, c.ok && c.args.of == args.order_id)"
    s = terms(same, {"of": "string", "lang": "string"})
    assert reads(s.dry_run("cancel", O1)) == [("get_terms", {"of": "o1", "lang": None})]
    s.observe("get_terms", {"of": "o2", "lang": "en"}, "the terms")
    assert reads(s.dry_run("cancel", O1)) == [("get_terms", {"of": "o1", "lang": None})]
    s.observe("get_terms", {"of": "o1", "lang": "en"}, "the terms")
    assert s.dry_run("cancel", O1).allowed


def test_a_read_that_failed_is_not_advised_again() -> None:
    s = terms("history.get_terms.exists(c, c.ok)", {})
    s.observe("get_terms", {}, "not now", error=True)
    verdict = s.dry_run("cancel", O1)
    assert (verdict.decision.value, verdict.missing) == ("BLOCK", ())
    assert "not now" in verdict.message


def test_a_write_that_must_have_been_made_is_no_read() -> None:
    s = session(rule("cancel", "history.ship.exists(c, c.ok)"))
    assert s.dry_run("cancel", O1).decision.value == "BLOCK"


def test_a_limit_of_reads_is_not_reached_by_reading() -> None:
    s = terms("size(history.get_terms.filter(c, c.ok)) == 0", {})
    s.observe("get_terms", {}, "the terms")
    assert s.dry_run("cancel", O1).decision.value == "BLOCK"


# --- pages


def test_the_page_that_is_named_last_is_read_next() -> None:
    page = {
        "type": "object",
        "required": ["next"],
        "properties": {"next": {"type": ["string", "null"]}},
    }
    domain = Domain.define(
        "pages",
        definitions={"Page": page},
        ledger={"pages.*": "Page", "orders.*": "string"},
        tools={
            "list": {
                "kind": "read",
                "arguments": {"page": "string"},
                "observes": {"pages.{args.page}": "result", "orders.{item}": "result.items[*]"},
            },
            "close": {"kind": "write", "touches": ["orders.*"]},
        },
        rules=[
            {
                "id": "all_seen",
                "tools": ["close"],
                "require": "observed(ledger.pages['1']) && records(ledger.pages)"
                ".all(p, p.next == null || observed(ledger.pages[p.next]))",
            }
        ],
    )
    s = Gate(domain).session()
    seen = []
    for number in range(1, 5):
        verdict = s.dry_run("close", {})
        (read,) = reads(verdict)
        seen.append(read)
        following = str(number + 1) if number < 4 else None
        s.observe(*read, {"items": [f"o{number}"], "next": following})
    assert seen == [("list", {"page": str(n)}) for n in range(1, 5)]
    assert s.dry_run("close", {}).allowed
