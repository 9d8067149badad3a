"""The retail domain against recorded conversations, their database and the tasks' expectations."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ledger_verify import Decision, Domain, Gate, Session, Verdict
from ledger_verify.audit.recordings import read_recording
from ledger_verify.audit.replay import ReplayedCall, replay
from ledger_verify.conversation.recorded import Call, Conversation
from ledger_verify.evaluate.kleene import Scope, Truth, evaluate, truth
from ledger_verify.generate.scenario import load_scenarios, run_scenario, scenario_files
from ledger_verify.policy.evidence import Unknown
from ledger_verify.proofs.invariants import Proof, prove
from ledger_verify.proofs.sequences import prove_sequences
from ledger_verify.solver.query import Limits
from ledger_verify.solver.sequences import SequenceSolver
from ledger_verify.solver.static import StaticSolver
from tests.conftest import SHARED_DATA

DOMAIN = Domain.load("retail")
GATE = Gate(DOMAIN)
WRITES = {tool.name for tool in DOMAIN.writes}
CHANGES = ("modify_pending_order_items", "exchange_delivered_order_items")
FILES = ("tau2_retail_toolorchestra_gpt-5.json", "trait_impatience_retail.json")

needs_data = pytest.mark.usefixtures("shared_data")
"""Skips the test where there is no shared data."""

RETURN = {
    "order_id": "#W9571698",
    "item_ids": ["6065192424"],
    "payment_method_id": "credit_card_1565124",
}


@cache
def conversations() -> tuple[Conversation, ...]:
    return tuple(c for name in FILES for c in read_recording(str(SHARED_DATA / "tau" / name)))


@cache
def decisions() -> tuple[ReplayedCall, ...]:
    return tuple(d for found in replay(GATE, conversations()) for d in found.decisions)


@cache
def database() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = json.loads(
        (SHARED_DATA / "tau" / "retail_db.json").read_text(encoding="utf-8")
    )
    return loaded


def told(session: Session, *orders: str, profile: bool = True, found: bool = True) -> Session:
    """The session after reads of orders, their products and the user of the first."""
    data = database()
    user = data["orders"][orders[0]]["user_id"]
    if found:
        email = {"email": data["users"][user]["email"]}
        session.heard(f"My address is {email['email']}.")
        drifts = session.observe("find_user_id_by_email", email, user)
        assert drifts == [] or user not in session.render()
    if profile:
        assert session.observe("get_user_details", {"user_id": user}, data["users"][user]) == []
    for order in orders:
        record = data["orders"][order]
        assert session.observe("get_order_details", {"order_id": order}, record) == []
        for product in {item["product_id"] for item in record["items"]}:
            arguments = {"product_id": product}
            record = data["products"][product]
            assert session.observe("get_product_details", arguments, record) == []
    return session


def broken(verdict: Verdict) -> set[str]:
    return {rule.id for rule in verdict.rules if rule.truth in ("FALSE", "ERROR")}


def where(decision: ReplayedCall) -> tuple[str, str, int]:
    return (Path(decision.file).name[:5], str(decision.conversation), decision.index)


# --- the files of the domain ---


@pytest.mark.parametrize("rule", sorted({rule.id for rule in DOMAIN.rules}))
def test_every_rule_has_a_case_by_hand_that_it_allows_and_one_that_it_refuses(rule: str) -> None:
    assert DOMAIN.folder is not None
    (file,) = (p for p in scenario_files(DOMAIN.folder) if p.name == "by_hand.yaml")
    truths = {s.rules[rule] for s in load_scenarios(file, DOMAIN) if rule in s.rules}
    assert truths >= {"TRUE", "FALSE"}


def test_scenarios_are_as_expected() -> None:
    assert DOMAIN.folder is not None
    files = scenario_files(DOMAIN.folder)
    scenarios = [scenario for file in files for scenario in load_scenarios(file, DOMAIN)]
    results = [run_scenario(GATE, scenario) for scenario in scenarios]
    assert [(r.scenario.name, r.problem) for r in results if r.problem] == []


def test_invariants_are_proved() -> None:
    limits = Limits(timeout_ms=60_000, resources=100_000_000)
    proofs = {r.proof for r in prove(DOMAIN, StaticSolver(DOMAIN, 4, limits))}
    assert proofs <= {Proof.PROVED, Proof.PROVED_UP_TO_BOUND}


def test_no_order_is_both_returned_and_exchanged() -> None:
    limits = Limits(timeout_ms=60_000, resources=100_000_000)
    results = list(prove_sequences(DOMAIN, SequenceSolver(DOMAIN, 4, limits), 4))
    assert len(results) == 2
    assert [(r.invariant.id, r.proof) for r in results if r.proof is not Proof.PROVED] == []


# --- recorded conversations ---


@needs_data
def test_writes_have_the_effects_that_are_declared() -> None:
    """What a recorded write answered with is the order as it is then."""
    compared: Counter[str] = Counter()
    for conversation in conversations():
        session = GATE.session(asks="ignored")
        for call in conversation.calls():
            tool = DOMAIN.tools.get(call.name)
            if tool is None or call.error:
                continue
            for effect in tool.effects:
                names = {"args": call.arguments}
                told = evaluate(effect.value, Scope(session.ledger, names))
                ((pattern, keys, value),) = _shown(call)
                assert (pattern, keys) == (effect.pattern, (call.arguments["order_id"],))
                assert value[effect.within[0]] == told, (conversation.label, call.index)
                compared[call.name] += 1
            session.observe(call.name, call.arguments, call.result)
    assert set(compared) == {tool.name for tool in DOMAIN.tools.values() if tool.effects}


@needs_data
def test_every_result_fits_the_schema() -> None:
    drifts = [drift for found in replay(GATE, conversations()) for drift in found.drifts]
    assert drifts == []


@needs_data
def test_only_known_writes_of_the_recordings_are_not_allowed() -> None:
    refused = {where(d): d.verdict for d in decisions() if not d.verdict.allowed}
    assert {place: broken(verdict) for place, verdict in refused.items()} == {
        # worn boots for new ones of the same options
        ("trait", "108", 6): {"new_item_differs"},
        # an order whose items were changed before, as the change returned it
        ("tau2_", "42", 8): {"order_is_pending"},
        ("tau2_", "72", 10): {"order_is_pending"},
        # an order changed before its user was looked up
        ("tau2_", "44", 2): set(),
        # no look at the profile: the payment method might be a gift card
        ("trait", "75", 3): set(),
        ("trait", "78", 5): set(),
    }
    for verdict in refused.values():
        assert verdict.decision is (Decision.BLOCK if broken(verdict) else Decision.REVISE)
        assert bool(verdict.missing) is not bool(broken(verdict))


@needs_data
def test_what_the_environment_rejected_is_not_allowed() -> None:
    assert not [where(d) for d in decisions() if d.executed_ok is False and d.verdict.allowed]


@needs_data
def test_what_no_write_touched_stays_as_it_was_observed() -> None:
    compared = 0
    for conversation in conversations():
        session = GATE.session(asks="ignored")
        for call in conversation.calls():
            if call.error:
                continue
            if call.name in WRITES:
                session.observe(call.name, call.arguments, call.result)
            for pattern, keys, value in _shown(call):
                before = session.ledger.lookup(pattern, keys)
                if not isinstance(before, Unknown):
                    assert _agree(before, value), (conversation.label, call.index)
                    compared += 1
            if call.name not in WRITES:
                session.observe(call.name, call.arguments, call.result)
    assert compared > 200


def _shown(call: Call) -> Iterator[tuple[str, tuple[str, ...], Any]]:
    """The records that a result shows; writes answer with the order or the user as it is now."""
    alone = GATE.session()
    read = call.name
    if read in WRITES:
        read = "get_user_details" if read == "modify_user_address" else "get_order_details"
    key = {"get_user_details": "user_id", "get_order_details": "order_id"}.get(read)
    if key is None and read != "get_product_details":
        return
    arguments = call.arguments if key is None else {key: call.arguments[key]}
    assert alone.observe(read, arguments, call.result) == []
    for pattern, keys, entry in alone.ledger.records():
        yield pattern, keys, entry.value


def _agree(before: Any, after: Any) -> bool:
    if isinstance(before, Unknown):
        return True
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        keys = before.keys() | after.keys()
        return all(_agree(before.get(key), after.get(key)) for key in keys)
    return bool(before == after)


# --- the database ---


@needs_data
def test_the_assumptions_hold_of_the_database() -> None:
    data, session = database(), GATE.session(asks="ignored")
    for order, record in data["orders"].items():
        assert session.observe("get_order_details", {"order_id": order}, record) == []
    for product, record in data["products"].items():
        assert session.observe("get_product_details", {"product_id": product}, record) == []
    for user, record in data["users"].items():
        assert session.observe("get_user_details", {"user_id": user}, record) == []
    for assumption in DOMAIN.assumptions:
        if assumption.pattern is None:
            for user in data["users"]:
                session.record("authenticated", user)
                assert truth(assumption.body, Scope(session.ledger)) is Truth.TRUE, assumption.text
            continue
        assert assumption.variable is not None
        for record in session.ledger.fresh_records(assumption.pattern):
            scope = Scope(session.ledger, {assumption.variable.name: record})
            assert truth(assumption.body, scope) is Truth.TRUE, assumption.text


def eleven(tool: str, last: str, balance: int) -> Verdict:
    """A change of eleven items of one order to others, ten of them for 1 dollar more each."""
    session = GATE.session()
    session.heard("I am a@b.c")
    methods = {"gift": {"id": "gift", "source": "gift_card", "balance": balance}}
    user = {"user_id": "ann_lee_1", "payment_methods": methods}
    status = "delivered" if tool.startswith("exchange") else "pending"
    items = [{"name": "Cup", "product_id": "9", "item_id": "S", "price": 5}] * 11
    paid = {"transaction_type": "payment", "amount": 55, "payment_method_id": "gift"}
    variants = {
        name: {"item_id": name, "options": {}, "available": name != "X", "price": price}
        for name, price in {"S": 5, "L": 6, "X": 6, "XL": 9}.items()
    }
    for read, arguments, result in (
        ("find_user_id_by_email", {"email": "a@b.c"}, "ann_lee_1"),
        ("get_user_details", {"user_id": "ann_lee_1"}, user),
        (
            "get_order_details",
            {"order_id": "#W1"},
            {
                "order_id": "#W1", "user_id": "ann_lee_1", "status": status, "items": items,
                "payment_history": [paid],
            },
        ),
        (
            "get_product_details",
            {"product_id": "9"},
            {"name": "Cup", "product_id": "9", "variants": variants},
        ),
    ):  # fmt: skip
        assert session.observe(read, arguments, result) == []
    return session.check(
        tool,
        {
            "order_id": "#W1",
            "item_ids": ["S"] * 11,
            "new_item_ids": ["L"] * 10 + [last],
            "payment_method_id": "gift",
        },
    )


@pytest.mark.parametrize("tool", CHANGES)
@pytest.mark.parametrize(
    ("last", "balance", "rule"),
    [
        ("L", 11, None),
        ("L", 10, "gift_card_covers_difference"),
        ("XL", 13, "gift_card_covers_difference"),
        ("S", 99, "new_item_differs"),
        ("X", 99, "new_item_available"),
        ("Y", 99, "new_item_of_the_same_product"),
    ],
)
def test_an_eleventh_item_is_counted(tool: str, last: str, balance: int, rule: str | None) -> None:
    verdict = eleven(tool, last, balance)
    failing = {r.id for r in verdict.rules if r.truth != "TRUE"}
    assert failing == (set() if rule is None else {rule})
    assert (verdict.decision is Decision.ALLOW) is (rule is None)


@needs_data
def test_of_the_expected_writes_only_known_ones_are_refused() -> None:
    refused: dict[tuple[str, str], set[str]] = {}
    judged = 0
    for conversation in conversations():
        for action in conversation.expected:
            order = action.arguments.get("order_id")
            if action.name not in WRITES or order not in database()["orders"]:
                continue  # some tasks name orders that do not exist
            judged += 1
            verdict = told(GATE.session(), order).dry_run(action.name, action.arguments)
            if not verdict.allowed:
                refused[str(conversation.task), order] = broken(verdict)
    assert judged > 100
    assert refused == {
        ("64", "#W7464385"): {"order_is_delivered"},
        ("12", "#W5490111"): {"refund_to_original_or_gift_card"},
        ("13", "#W5490111"): {"refund_to_original_or_gift_card"},
        ("106", "#W4316152"): {"gift_card_covers_difference"},
        ("119", "#W5500815"): {"new_item_available"},
        ("18", "#W2890441"): {"new_item_differs"},
        ("91", "#W3239882"): {"new_item_differs"},
        ("108", "#W1304208"): {"new_item_differs"},
    }


# --- single cases ---


@needs_data
def test_a_refund_of_a_gift_card_order_goes_to_the_gift_card() -> None:
    session = told(GATE.session(), "#W9571698")
    verdict = session.dry_run("return_delivered_order_items", RETURN)
    assert verdict.decision is Decision.REVISE
    assert broken(verdict) == {"refund_to_original_or_gift_card"}
    assert verdict.missing == ()
    assert verdict.repair is not None
    assert verdict.repair.arguments == {"payment_method_id": "gift_card_7250692"}
    repaired = {**RETURN, **verdict.repair.arguments}
    assert session.dry_run("return_delivered_order_items", repaired).allowed
    # the order itself shows what paid it
    without_profile = told(GATE.session(), "#W9571698", profile=False)
    assert without_profile.dry_run("return_delivered_order_items", repaired).allowed


@needs_data
@pytest.mark.parametrize(
    ("given", "path", "name", "arguments"),
    [
        (
            {"profile": False},
            "users.chen_silva_7485",
            "get_user_details",
            {"user_id": "chen_silva_7485"},
        ),
        ({"found": False}, "authenticated", "find_user_id_by_email", {"email": None}),
    ],
)
def test_a_return_waits_for_what_was_not_read(
    given: dict[str, bool], path: str, name: str, arguments: dict[str, Any]
) -> None:
    session = told(GATE.session(), "#W9571698", **given)
    verdict = session.dry_run("return_delivered_order_items", RETURN)
    assert verdict.decision is Decision.REVISE
    # whose methods may be chosen from is open, so what they are is asked for after it
    missing = verdict.missing[0]
    assert missing.path == path
    assert missing.read is not None
    assert (missing.read.name, dict(missing.read.arguments)) == (name, arguments)


@needs_data
def test_a_second_lookup_opens_nobody_elses_orders() -> None:
    session = told(GATE.session(), "#W9571698")
    told(session, "#W5490111")
    call = {
        "order_id": "#W5490111",
        "item_ids": ["4579334072"],
        "payment_method_id": "credit_card_3124723",
    }
    verdict = session.dry_run("return_delivered_order_items", call)
    assert verdict.decision is Decision.BLOCK
    assert broken(verdict) == {"order_of_the_authenticated_user"}
    assert told(GATE.session(), "#W5490111").dry_run("return_delivered_order_items", call).allowed


@pytest.mark.parametrize("text", ["Error: user not found", "Error: User not found"])
def test_a_lookup_that_finds_nobody_authenticates_nobody(text: str) -> None:
    session = GATE.session()
    session.heard("a@b.c")
    assert session.observe("find_user_id_by_email", {"email": "a@b.c"}, text) == []
    assert session.render() == ""
    assert session.observe("find_user_id_by_email", {"email": "a@b.c"}, "nobody, it seems") != []
    assert session.render() == ""


@needs_data
def test_after_a_change_of_items_the_order_is_read_again_and_then_refused() -> None:
    order = "#W4082615"
    session = told(GATE.session(), order)
    change = {
        "order_id": order,
        "item_ids": ["9779102705"],
        "new_item_ids": ["1096508426"],
        "payment_method_id": "paypal_4768213",
    }
    home = {
        "order_id": order, "address1": "1 Elm St", "address2": "", "city": "Salem",
        "state": "OR", "country": "USA", "zip": "97301",
    }  # fmt: skip
    assert session.dry_run("modify_pending_order_address", home).allowed
    assert session.dry_run("modify_pending_order_items", change).allowed
    session.observe("modify_pending_order_items", change, {})
    stale = session.dry_run("modify_pending_order_address", home)
    assert (stale.decision, broken(stale)) == (Decision.REVISE, set())
    assert [missing.path for missing in stale.missing] == [f"orders.{order}"]
    again = session.dry_run("modify_pending_order_items", change)
    assert (again.decision, broken(again)) == (Decision.BLOCK, {"items_changed_once"})
    fresh = {**database()["orders"][order], "status": "pending (item modified)"}
    session.observe("get_order_details", {"order_id": order}, fresh)
    verdict = session.dry_run("modify_pending_order_address", home)
    assert (verdict.decision, broken(verdict)) == (Decision.BLOCK, {"order_is_pending"})


@needs_data
def test_a_cancellation_makes_only_the_balance_of_its_gift_card_stale() -> None:
    data = database()
    for order, record in data["orders"].items():
        paid = record["payment_history"][0]["payment_method_id"]
        if record["status"] != "pending" or not paid.startswith("gift_card_"):
            continue
        methods = data["users"][record["user_id"]]["payment_methods"]
        session = told(GATE.session(), order)
        call = {"order_id": order, "reason": "no longer needed"}
        assert session.dry_run("cancel_pending_order", call).allowed
        session.observe("cancel_pending_order", call, {})
        user = session.ledger.lookup("users.*", (record["user_id"],))
        for id_ in methods:
            balance = user["payment_methods"][id_].get("balance")
            assert isinstance(balance, Unknown) is (id_ == paid)
        assert user["payment_methods"][paid]["source"] == "gift_card"
        return
    pytest.fail("no pending order was paid by gift card")
