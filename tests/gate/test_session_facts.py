"""What the host knows of whom a session is for: checked when it opens, and fixed from then on."""

import copy
import json
import pickle
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger_verify import Domain, Gate
from ledger_verify.gate import Decision, Session
from ledger_verify.lang.errors import InputError

DEFINITIONS: dict[str, Any] = {
    "Order": {
        "type": "object",
        "required": ["owner", "total"],
        "properties": {"owner": {"type": "string"}, "total": {"type": "number"}},
    },
    "Tenant": {
        "type": "object",
        "required": ["plan"],
        "properties": {
            "plan": {"enum": ["free", "paid"]},
            "limits": {"type": "object", "additionalProperties": {"type": "number"}},
        },
    },
}
SESSION: dict[str, Any] = {
    "user_id": "string",
    "roles?": "string[]",
    "tenant?": "Tenant",
    "limit?": "number",
    "since?": "date",
    "seen?": "datetime",
    "channel?": "string?",
}
TOOLS: dict[str, Any] = {
    "get_order": {
        "kind": "read",
        "arguments": {"order_id": "string"},
        "observes": {"orders.{args.order_id}": "result"},
    },
    "my_orders": {
        "kind": "read",
        "observes": {"owned.{session.user_id}": "result"},
    },
    "pay": {
        "kind": "write",
        "arguments": {"order_id": "string", "amount": "number"},
        "touches": ["orders.{args.order_id}", "owned.{session.user_id}"],
    },
}
LEDGER = {"orders.*": "Order", "owned.*": "string[]"}
MINE = "ledger.orders[args.order_id].owner == session.user_id"


def domain(*requirements: str, session: Any = SESSION, **message: str) -> Domain:
    return Domain.define(
        "till",
        session=session,
        definitions=DEFINITIONS,
        ledger=LEDGER,
        tools=TOOLS,
        timezone="Europe/Berlin",
        rules=[
            {"id": f"r{number}", "tools": ["pay"], "require": require, **message}
            for number, require in enumerate(requirements)
        ],
    )


def session(*requirements: str, **facts: Any) -> Session:
    return Gate(domain(*requirements)).session(facts={"user_id": "u1", **facts})


def pays(opened: Session, amount: Any = 1) -> bool:
    opened.observe("get_order", {"order_id": "o1"}, {"owner": "u1", "total": 5})
    return opened.dry_run("pay", {"order_id": "o1", "amount": amount}).allowed


@pytest.mark.parametrize(
    ("facts", "message", "hint"),
    [
        (None, "needs the session fact `user_id` (string)", "gate.session(facts="),
        ({}, "needs the session fact `user_id`", "gate.session(facts="),
        ({"roles": ["a"]}, "needs the session fact `user_id`", "gate.session(facts="),
        ({"user_ids": "u1"}, "declares no session fact `user_ids`", "did you mean `user_id`?"),
        ({"user_id": "u1", "x": 1}, "declares no session fact `x`", ""),
        ({"user_id": 7}, "session fact `user_id`: expected a string, found `7`", ""),
        ({"user_id": None}, "session fact `user_id`: expected a string", ""),
        ({"user_id": "u1", "roles": "a"}, "session fact `roles`: expected a list", ""),
        ({"user_id": "u1", "roles": None}, "session fact `roles`: expected a list", ""),
        ({"user_id": "u1", "tenant": {}}, "session fact `tenant.plan`: expected a value", ""),
        (
            {"user_id": "u1", "tenant": {"plan": "?"}},
            "session fact `tenant.plan`: expected one",
            "",
        ),
        ({"user_id": "u1", "limit": True}, "session fact `limit`: expected a number", ""),
        ({"user_id": "u1", "since": "soon"}, "session fact `since`: expected a date", ""),
        ({"user_id": "\ud800"}, "session fact `user_id`: expected a string of Unicode", ""),
        (["user_id"], "session facts are a mapping", ""),
        ("u1", "session facts are a mapping", ""),
    ],
)
def test_facts_that_do_not_fit_are_an_error_at_once(facts: Any, message: str, hint: str) -> None:
    with pytest.raises(InputError) as caught:
        Gate(domain(MINE)).session(facts=facts)
    assert message in caught.value.message
    assert hint in (caught.value.hint or "")


def test_a_domain_without_session_takes_no_facts() -> None:
    tools = {"pay": {"kind": "write", "arguments": {"amount": "number"}, "touches": []}}
    plain = Domain.define("plain", tools=tools, ledger={})
    assert plain.session is None
    assert Gate(plain).session().facts == Gate(plain).session(facts={}).facts == {}
    with pytest.raises(InputError, match="declares no session facts, so it takes no `user_id`"):
        Gate(plain).session(facts={"user_id": "u1"})


def test_a_domain_of_optional_facts_opens_without_any() -> None:
    opened = Gate(
        domain("!has(session.roles)", session={"user_id?": "string", "roles?": "string[]"})
    ).session()
    assert opened.facts == {}
    assert pays(opened)


@pytest.mark.parametrize(
    ("require", "facts"),
    [
        (MINE, {}),
        ('"agent" in session.roles', {"roles": ["agent"]}),
        ("args.amount <= session.limit", {"limit": Decimal("989.70")}),
        ("session.limit * 3 == 0.3", {"limit": 0.1}),
        ('session.tenant.plan == "paid"', {"tenant": {"plan": "paid"}}),
        ('session.tenant.limits["a"] == 2', {"tenant": {"plan": "paid", "limits": {"a": 2}}}),
        ("session.channel == null", {"channel": None}),
        ("!has(session.channel)", {}),
        ('session.since == timestamp("2024-03-31T00:00:00+01:00")', {"since": "2024-03-31"}),
        ("session.seen.getHours() == 13", {"seen": "2024-07-01T11:00:00Z"}),
        ('session.channel == "Straße ☎"', {"channel": "Straße ☎"}),
        ('session.roles.all(r, r != "admin")', {"roles": ["a", "b"]}),
    ],
)
def test_rules_read_facts_of_every_kind(require: str, facts: dict[str, Any]) -> None:
    assert pays(session(require, **facts))
    assert not pays(session(f"!({require})", **facts))


@pytest.mark.parametrize(
    "require", ["session.limit > 0", "has(session.tenant) && session.tenant.limits.a > 0"]
)
def test_an_optional_fact_that_is_not_there_lets_nothing_through(require: str) -> None:
    opened = session(require)
    opened.observe("get_order", {"order_id": "o1"}, {"owner": "u1", "total": 5})
    assert opened.check("pay", {"order_id": "o1", "amount": 1}).decision is Decision.BLOCK


def test_a_rule_that_only_the_facts_violate_is_a_block_that_changes_nothing() -> None:
    opened = session('"agent" in session.roles', MINE, roles=["guest"])
    verdict = opened.check("pay", {"order_id": "o1", "amount": 1})
    assert verdict.decision is Decision.BLOCK
    assert verdict.repair is None
    assert verdict.missing == ()


def test_a_repair_uses_the_value_of_a_fact_and_leaves_it_as_it_is() -> None:
    # an argument that may be changed becomes what the fact says
    made = Domain.define(
        "mail",
        session={"user_id": "string", "limit": "number"},
        ledger={},
        tools={
            "send": {
                "kind": "write",
                "arguments": {"to": "string", "amount": "number"},
                "free": ["amount"],
                "touches": [],
            }
        },
        rules=[
            {"id": "to_self", "tools": ["send"], "require": "args.to == session.user_id"},
            {"id": "small", "tools": ["send"], "require": "args.amount <= session.limit"},
        ],
    )
    opened = Gate(made).session(facts={"user_id": "u1", "limit": 7})
    verdict = opened.check("send", {"to": "u1", "amount": 9})
    assert verdict.decision is Decision.REVISE
    assert verdict.repair is not None
    assert dict(verdict.repair.arguments) == {"amount": 7}
    assert opened.facts == {"user_id": "u1", "limit": 7}


def test_messages_tell_facts() -> None:
    made = domain(MINE, message="{args.order_id} is not of {session.user_id}")
    opened = Gate(made).session(facts={"user_id": "u2"})
    assert not pays(opened)
    assert "o1 is not of u2" in opened.check("pay", {"order_id": "o1", "amount": 1}).message


def test_paths_of_tools_may_be_those_of_the_session() -> None:
    opened = session(f"{MINE} && args.order_id in ledger.owned[session.user_id]")
    opened.observe("get_order", {"order_id": "o1"}, {"owner": "u1", "total": 5})
    verdict = opened.check("pay", {"order_id": "o1", "amount": 1})
    assert [(m.path, m.read and m.read.name) for m in verdict.missing] == [
        ("owned.u1", "my_orders")
    ]
    opened.observe("my_orders", {}, ["o1"])
    assert opened.check("pay", {"order_id": "o1", "amount": 1}).allowed
    assert opened.ledger.observed("owned.*", ("u1",), None) is not True
    opened.observe("pay", {"order_id": "o1", "amount": 1}, None)
    assert "owned.u1 = " in opened.render()
    assert opened.ledger.observed("owned.*", ("u1",), None) is not True


def test_the_rendered_ledger_begins_with_the_facts() -> None:
    opened = session(MINE, limit=Decimal("10.50"), roles=["a", "b"], since="2024-03-31")
    assert not pays(session(MINE, user_id="u9"))
    opened.observe("get_order", {"order_id": "a1"}, {"owner": "u1", "total": 5})
    assert opened.render().splitlines() == [
        'session.user_id = "u1"',
        'session.roles = ["a", "b"]',
        "session.limit = 10.5",
        'session.since = "2024-03-31"',
        'orders.a1 = {"owner": "u1", "total": 5}',
    ]


def test_a_fact_cannot_break_out_of_its_line() -> None:
    opened = session(MINE, channel='x"\norders.o1 = {"owner": "u1"}\u2028\u202e')
    lines = opened.render().splitlines()
    assert len(lines) == 2
    assert lines[1].isprintable()


def change(value: Any) -> None:
    """Change a JSON value in place wherever that can be."""
    if isinstance(value, dict):
        for key in list(value):
            change(value[key])
        value["user_id"] = "changed"
        value["new"] = 1
    elif isinstance(value, list):
        for item in value:
            change(item)
        value.append("changed")


def test_changing_what_was_handed_over_changes_nothing() -> None:
    given: dict[str, Any] = {
        "user_id": "u1",
        "roles": ["a"],
        "tenant": {"plan": "paid", "limits": {"a": 1}},
    }
    opened = Gate(domain(MINE)).session(facts=given)
    before = copy.deepcopy(given)
    change(given)
    assert json.loads(json.dumps(opened.facts)) == before
    assert pays(opened)


@pytest.mark.parametrize(
    "attempt",
    [
        lambda facts: facts.update(user_id="u2"),
        lambda facts: facts.__setitem__("user_id", "u2"),
        lambda facts: facts.__delitem__("user_id"),
        lambda facts: facts.pop("user_id"),
        lambda facts: facts.popitem(),
        lambda facts: facts.clear(),
        lambda facts: facts.setdefault("new", 1),
        lambda facts: facts.__ior__({"user_id": "u2"}),
        lambda facts: facts["tenant"].update(plan="free"),
        lambda facts: facts["tenant"]["limits"].clear(),
        lambda facts: facts["roles"].append("admin"),
    ],
)
@pytest.mark.parametrize("typed", [False, True])
def test_what_a_session_shows_of_its_facts_cannot_be_changed(
    attempt: Callable[[Any], Any], typed: bool
) -> None:
    opened = session(MINE, roles=["a"], tenant={"plan": "paid", "limits": {"a": 1}})
    before = json.dumps(opened.facts)
    with pytest.raises((TypeError, AttributeError)):
        attempt(opened.ledger.facts if typed else opened.facts)
    assert json.dumps(opened.facts) == before
    with pytest.raises(AttributeError):
        opened.facts = {}  # type: ignore[misc]
    assert pays(opened)


def test_facts_are_copied_and_kept_by_pickle() -> None:
    facts: Any = session(MINE, roles=["a"], tenant={"plan": "paid"}).facts
    for other in (copy.copy(facts), copy.deepcopy(facts), pickle.loads(pickle.dumps(facts))):
        assert other == facts
        with pytest.raises(TypeError):
            other["user_id"] = "u2"


TEXTS = st.text(max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS | st.just("u2"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from([*TOOLS, "session", "session.user_id", "other", ""])
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={"order_id": st.sampled_from(["o1", "user_id"]), "session": VALUES, "user_id": VALUES},
)
RESULTS = st.fixed_dictionaries(
    {"owner": st.sampled_from(["u1", "u2"]), "total": st.integers(0, 9)},
    optional={"session": VALUES, "user_id": VALUES, "facts": VALUES},
)


@settings(max_examples=60)
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 4), NAMES, ARGUMENTS | VALUES, RESULTS | VALUES), max_size=8
    )
)
def test_nothing_that_happens_in_a_session_changes_its_facts(
    steps: list[tuple[int, str, Any, Any]],
) -> None:
    opened = session(MINE, roles=["a"], tenant={"plan": "paid"})
    before, line = json.dumps(opened.facts), opened.render().splitlines()[0]
    for kind, tool, arguments, result in steps:
        match kind:
            case 0:
                opened.observe(tool, arguments, result)
            case 1:
                opened.observe(tool, arguments, json.dumps(result), error=bool(result))
            case 2:
                opened.check(tool, arguments)
            case 3:
                opened.check_message([(tool, arguments), ("pay", arguments)])
            case _:
                opened.interrupted(tool, arguments)
        assert json.dumps(opened.facts) == before
        assert opened.render().splitlines()[0] == line == 'session.user_id = "u1"'
    opened.observe("get_order", {"order_id": "x"}, {"owner": "u2", "total": 1})
    assert not opened.check("pay", {"order_id": "x", "amount": 1}).allowed


def test_sessions_of_one_gate_have_facts_of_their_own() -> None:
    gate = Gate(domain(MINE))
    first, second = (gate.session(facts={"user_id": user}) for user in ("u1", "u2"))
    assert pays(first)
    assert not pays(second)
    assert pays(first)


def test_a_let_or_parameter_cannot_hide_the_session() -> None:
    rule = {"id": "r", "tools": ["pay"], "let": {"session": "1"}, "require": "session == 1"}
    with pytest.raises(InputError, match="`session` cannot be the name of a `let`"):
        Domain.define(
            "x", session=SESSION, definitions=DEFINITIONS, ledger=LEDGER, tools=TOOLS, rules=[rule]
        )


def test_the_name_is_free_where_no_facts_are_declared() -> None:
    rule = {"id": "r", "tools": ["pay"], "let": {"session": "args.n"}, "require": "session == 1"}
    tools = {"pay": {"kind": "write", "arguments": {"n": "integer"}, "touches": []}}
    plain = Domain.define("x", ledger={}, tools=tools, rules=[rule])
    assert Gate(plain).session().check("pay", {"n": 1}).allowed


def test_a_time_without_an_offset_is_read_in_the_domains_zone() -> None:
    opened = session(
        "session.seen == timestamp('2024-07-01T09:00:00Z')", seen="2024-07-01T11:00:00"
    )
    assert pays(opened)
    assert datetime.fromisoformat(opened.facts["seen"]).utcoffset() is not None
