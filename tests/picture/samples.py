"""Domains to draw: a small one with findings, one with odd names, and ones that lack something."""

from ledger_verify.checks.base.finding import Finding
from ledger_verify.lang.errors import Location
from ledger_verify.policy.domain import Domain

ODD = [
    'a "quoted" name',
    "ünïcödé 訂單",
    "</text><b>&amp;",
    "back\\slash `tick`",
    "end\nof; line | %",
]


def small() -> Domain:
    """One of everything: a read that needs a value of a record, a touch, a tool of the person."""
    return Domain.define(
        "small",
        tools={
            "find_user": {
                "kind": "read",
                "arguments": {"email": "string"},
                "asks": ["email"],
                "observes": {"user": "result"},
            },
            "get_user": {
                "kind": "read",
                "arguments": {"user_id": "string"},
                "observes": {"user": "result"},
            },
            "get_order": {
                "kind": "read",
                "arguments": {"order_id": "string"},
                "observes": {"orders.{args.order_id}": "result"},
            },
            "list_news": {"kind": "read"},
            "think": {"kind": "neutral"},
            "refund": {
                "kind": "write",
                "arguments": {"order_id": "string"},
                "touches": ["orders.{args.order_id}"],
            },
            "greet": {"kind": "write"},
            "pay": {
                "kind": "write",
                "by": "user",
                "arguments": {"order_id": "string"},
                "touches": ["orders.{args.order_id}.paid"],
            },
            "reboot": {"kind": "write", "by": "user"},
        },
        ledger={"user": "User", "orders.*": "Order"},
        definitions={
            "User": {"type": "object", "properties": {"good": {"type": "boolean"}}},
            "Order": {
                "type": "object",
                "properties": {"user_id": {"type": "string"}, "paid": {"type": "boolean"}},
            },
        },
        rules=[
            {
                "id": "order_is_paid",
                "tools": ["refund"],
                "require": "ledger.orders[args.order_id].paid",
            },
            {"id": "good_user", "tools": ["refund", "greet"], "require": "ledger.user.good"},
        ],
    )


def findings() -> list[Finding]:
    """An error and a warning, and a question that stayed open."""
    place = Location("policy.yaml", 1, 1)
    return [
        Finding(
            "LV101", "dead_action", "error", "no call of `greet` is allowed", ("good_user",), place
        ),
        Finding(
            "LV305", "unrefreshable_touch", "warning", "`pay` makes `orders.*` stale", (), place
        ),
        Finding("LV001", "dead_action", "undecided", "`refund`?", ("order_is_paid",), place),
    ]


def odd() -> Domain:
    """Names of tools, rules and the domain that mean something to each of the languages."""
    return Domain.define(
        ODD[0] + ODD[2],
        tools={
            name: {"kind": kind} | ({"observes": {"a": "result"}} if kind == "read" else {})
            for kind, names in (("read", ODD[:3]), ("write", ODD[3:]))
            for name in names
        },
        ledger={"a": "string"},
        rules=[
            {"id": f"{name} rule", "tools": [ODD[3]], "require": 'ledger.a != ""'} for name in ODD
        ],
    )


BARE = {
    "no rules": Domain.define(
        "bare",
        tools={"get": {"kind": "read", "observes": {"a": "result"}}, "act": {"kind": "write"}},
        ledger={"a": "string"},
    ),
    "no ledger": Domain.define(
        "bare",
        tools={"act": {"kind": "write"}},
        ledger={},
        rules=[{"id": "r", "tools": ["act"], "require": "1 > 0"}],
    ),
    "nothing at all": Domain.define("bare", tools={}, ledger={}),
}


def many(rules: int) -> Domain:
    """A domain with that many rules, over ten tools and paths."""
    return Domain.define(
        "many",
        tools={
            **{
                f"get_{n}": {
                    "kind": "read",
                    "arguments": {"id": "string"},
                    "observes": {f"p{n}.{{args.id}}": "result"},
                }
                for n in range(10)
            },
            **{f"act_{n}": {"kind": "write", "arguments": {"id": "string"}} for n in range(10)},
        },
        ledger={f"p{n}.*": "string" for n in range(10)},
        rules=[
            {
                "id": f"rule_{n}",
                "tools": [f"act_{n % 10}"],
                "require": f'ledger.p{n // 7 % 10}[args.id] != "{n}"',
            }
            for n in range(rules)
        ],
    )
