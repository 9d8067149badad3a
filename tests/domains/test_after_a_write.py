"""Recorded writes, each followed by others on the same record: what the write returned is known.

None of those that follow may wait for a fresh read of the record that the write itself returned.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ledger_verify import Domain, Gate
from ledger_verify.audit.recordings import read_recording
from ledger_verify.conversation.events import Answered, Proposed
from ledger_verify.conversation.follow import Follower
from ledger_verify.conversation.parts import AGENT
from ledger_verify.conversation.recorded import Call as Recorded
from ledger_verify.conversation.recorded import Conversation
from ledger_verify.gate.verdict import Decision, Verdict
from ledger_verify.policy.tools import ToolKind

Follow = Callable[[dict[str, Any]], Iterator[tuple[str, dict[str, Any]]]]


def after_a_reservation(shown: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls on the reservation with what it has already."""
    one = {"reservation_id": shown["reservation_id"]}
    paid = shown["payment_history"][0]["payment_id"]
    yield "cancel_reservation", one
    bags = {name: shown[name] for name in ("total_baggages", "nonfree_baggages")}
    yield "update_reservation_baggages", {**one, **bags, "payment_id": paid}
    yield "update_reservation_passengers", {**one, "passengers": shown["passengers"]}
    flights = [{name: f[name] for name in ("flight_number", "date")} for f in shown["flights"]]
    same = {"cabin": shown["cabin"], "flights": flights, "payment_id": paid}
    yield "update_reservation_flights", {**one, **same}


def after_an_order(shown: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Calls on the order with what it has already."""
    one = {"order_id": shown["order_id"]}
    paid = {"payment_method_id": shown["payment_history"][0]["payment_method_id"]}
    items = {"item_ids": [item["item_id"] for item in shown["items"]]}
    others = {"new_item_ids": items["item_ids"]}
    fields = ("address1", "address2", "city", "state", "country", "zip")
    yield "cancel_pending_order", {**one, "reason": "no longer needed"}
    yield "modify_pending_order_address", {**one, **{f: shown["address"][f] for f in fields}}
    yield "modify_pending_order_payment", {**one, **paid}
    yield "modify_pending_order_items", {**one, **items, **others, **paid}
    yield "return_delivered_order_items", {**one, **items, **paid}
    yield "exchange_delivered_order_items", {**one, **items, **others, **paid}


MOST = 40
"""Conversations of each domain: the others show nothing else, and take long."""

CASES = {
    "airline": (
        ("tau1_airline_gpt-4o.json", "tau2_airline_toolorchestra_gpt-5.json"),
        ("reservations", "reservation_id"),
        after_a_reservation,
    ),
    "retail": (
        ("tau2_retail_toolorchestra_gpt-5.json", "trait_impatience_retail.json"),
        ("orders", "order_id"),
        after_an_order,
    ),
}


def returned(call: Recorded, key: str) -> dict[str, Any] | None:
    """The record that a write which succeeded returned."""
    if call.executed_ok is not True:
        return None
    try:
        shown = json.loads(call.result) if isinstance(call.result, str) else call.result
    except ValueError:  # some say in words what they did
        return None
    return shown if isinstance(shown, dict) and key in shown else None


def second_calls(
    gate: Gate, conversation: Conversation, key: str, follow: Follow
) -> Iterator[tuple[str, str, str, Verdict]]:
    """For each write that returned its record: it, the call after it, the key and the verdict."""
    calls = list(conversation.calls())
    session = gate.session(asks=None if conversation.speaks else "ignored")
    follower = Follower(session)
    waits: set[int] = set()
    for event in conversation.events:
        follower.take_one(event, past=True)
        if isinstance(event, Proposed) and event.by == AGENT:
            waits.add(event.index)
        if not isinstance(event, Answered) or event.call.by != AGENT:
            continue
        waits.discard(event.call.index)
        if waits:  # another call of the same message has not come to its end
            continue
        call = calls[event.call.index]
        tool = gate.domain.tools.get(call.name)
        shown = returned(call, key) if tool is not None and tool.kind is ToolKind.WRITE else None
        if shown is not None:
            for name, arguments in follow(shown):
                yield call.name, name, shown[key], session.dry_run(name, arguments)


@pytest.mark.parametrize("name", CASES)
def test_no_call_waits_for_a_fresh_read_of_what_a_write_returned(
    name: str, shared_data: Path
) -> None:
    files, (path, key), follow = CASES[name]
    domain = Domain.load(name)
    mute = {
        name: tool if tool.kind is ToolKind.READ else replace(tool, observes=())
        for name, tool in domain.tools.items()
    }
    recorded = [c for file in files for c in read_recording(str(shared_data / "tau" / file))]
    rewarded = [c for c in recorded if c.reward == 1][:MOST]
    waiting: dict[bool, Counter[tuple[str, str]]] = {True: Counter(), False: Counter()}
    decisions: Counter[Decision] = Counter()
    for shows, gate in ((True, Gate(domain)), (False, Gate(replace(domain, tools=mute)))):
        for conversation in rewarded if shows else rewarded[:12]:
            for first, second, id_, verdict in second_calls(gate, conversation, key, follow):
                decisions[verdict.decision] += shows
                record = f"{path}.{id_}"
                paths = [missing.path for missing in verdict.missing]
                if any(p == record or p.startswith(f"{record}.") for p in paths):
                    waiting[shows][first, second] += 1
    assert not waiting[True]
    assert waiting[False]  # as it would be if the writes showed nothing
    assert decisions[Decision.ALLOW] > 0
