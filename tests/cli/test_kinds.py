"""Guesses at the kind of a tool: no tool that changes something is taken for a read."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger_verify.cli.scaffold.kinds import kind_of, kind_of_method

READ, WRITE, NEUTRAL = "read", "write", "neutral"


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("get_order", "Get the details of an order."),
        ("get_order", "Details of an order."),
        ("get_member", "Profile of a member, with fees."),
        ("get_account", "Balance of an account."),
        ("getOrderDetails", "Returns the status of an order and its items."),
        ("list_orders", "Lists all orders of a customer, newest first."),
        ("list_all_airports", "List all airports."),
        ("find_user_id_by_email", "Find the id of a user. Returns an error if there is none."),
        ("search_direct_flight", "Search for direct flights between two cities on a date."),
        ("get_history", "Retrieve the history of orders that were cancelled last year."),
        ("get_status", "Get the status. This does not change or delete anything."),
        ("view_cart", "Shows the items in the cart, without changing it."),
        ("get_pending_cards", "Check if an account has any pending cards."),
    ],
)
def test_plain_getters_whose_description_agrees_are_reads(name: str, description: str) -> None:
    kind = kind_of(name, description)
    assert kind.kind == READ
    assert kind.guess is not None


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("get_or_create_user", "Get a user."),
        ("get_user", "Get a user, or create one if there is none."),
        ("get_user", "Gets a user. One is created if there is none."),
        ("get_user", "Get a user. Creates it on first use."),
        ("get_user", ""),
        ("get_user", "   "),
        ("get", "Get something."),
        ("check_out", "Check out the cart."),
        ("check_in", "Check in a passenger."),
        ("list_item_for_sale", "List an item for sale."),
        ("list_items_for_sale", "List items for sale."),
        ("list_product", "List a product on the marketplace."),
        ("search_and_book", "Search for a flight."),
        ("view_and_mark_read", "View a message."),
        ("view_message", "View a message and mark it as read."),
        ("view_message", "View a message, marking it as read."),
        ("view_message", "View a message. It will be marked as read."),
        ("view_message", "View a message; it is automatically deleted afterwards."),
        ("fetch_and_delete", "Fetch a file."),
        ("fetchThenArchive", "Fetch a file."),
        ("fetch_next", "Fetch the next job and remove it from the queue."),
        ("get_referral_link", "Generate a referral link for a card."),
        ("get_lock", "Acquires the lock of a record."),
        ("get_refund", "Issue a refund for an order."),
        ("get_order", "Deletion of an order."),
        ("get_profile", "Profile, which is reset."),
        ("get_token", "Do not call this twice. Revokes the last token."),
        ("find_and_replace", "Find a text."),
        ("read_counter", "Read the counter, then reset it."),
        ("hole_bestellung", "Holt eine Bestellung."),
        ("lese_konto", "Read the account."),
        ("get_konto", "Löscht das Konto."),
        ("get_bestellung", "Holt die Bestellung und storniert sie."),
        ("obtenir_commande", "Obtenir une commande."),
        ("get_\u043erder", "Get an order."),
        ("count_down", "Starts the countdown."),
        ("show", "Show it."),
        ("query_database", "Runs any SQL statement, including DELETE and UPDATE."),
        ("calculate_and_charge", "Calculate the price and charge the card."),
        ("calculate_refund", "Calculate a refund."),
        ("think", "Think, then send the thought to the user."),
        ("transfer_funds_to_agent", "Transfer money to an agent."),
        ("transfer_to_account", "Transfer to an account."),
        ("transfer_to_agents", "Pay out the agents."),
        ("cancel_order", "Get the order cancelled."),
        ("", ""),
        ("123", "Get a number."),
    ],
)
def test_whatever_is_doubtful_is_a_write_with_the_reason(name: str, description: str) -> None:
    kind = kind_of(name, description)
    assert kind.kind == WRITE
    assert kind.guess


@pytest.mark.parametrize(
    ("hints", "kind"),
    [
        ({"readOnlyHint": True}, READ),
        ({"readOnlyHint": False}, WRITE),
        ({"destructiveHint": True}, WRITE),
        ({"readOnlyHint": True, "destructiveHint": True}, WRITE),
        ({"readOnlyHint": True, "destructiveHint": False}, READ),
        ({"readOnlyHint": "true"}, WRITE),
        ({}, WRITE),
        (None, WRITE),
    ],
)
def test_annotations_win(hints: Any, kind: str) -> None:
    assert kind_of("settle_order", "Settles an order.", hints).kind == kind
    if hints and hints.get("readOnlyHint") is False:
        assert kind_of("get_order", "Get an order.", hints).kind == WRITE


@pytest.mark.parametrize(
    ("name", "description", "kind"),
    [
        ("think", "Think about something. It will not change anything.", NEUTRAL),
        ("calculate", "Calculate the result of an expression.", NEUTRAL),
        ("transfer_to_human_agents", "Transfer the user to a human.", NEUTRAL),
        ("transfer_to_human", "", NEUTRAL),
        ("transfer_to_librarian", "Hand over to a person.", NEUTRAL),
        ("transfer_to_nurse", "Hands the conversation over to a human.", NEUTRAL),
        ("transfer_to_nurse", "Hand over to a human. Also cancel all orders.", WRITE),
        ("transfer_to_savings", "Hand over to an account.", WRITE),
        ("transfer_to_friend", "Transfer to a person.", WRITE),
        ("transfer_to_friend", "Pass on money to a person.", WRITE),
    ],
)
def test_what_changes_nothing(name: str, description: str, kind: str) -> None:
    assert kind_of(name, description).kind == kind


@pytest.mark.parametrize(
    ("method", "name", "description", "kind"),
    [
        ("get", "getOrder", "Find an order.", READ),
        ("get", "", "", READ),
        ("head", "", "", READ),
        ("post", "searchOrders", "Search orders.", WRITE),
        ("get", "cancelOrder", "", WRITE),
        ("get", "getOrder", "Cancels the order.", WRITE),
        ("get", "getAndDelete", "", WRITE),
    ],
)
def test_methods_of_http(method: str, name: str, description: str, kind: str) -> None:
    assert kind_of_method(method, name, description).kind == kind


def _known(folder: Path) -> Iterator[tuple[str, str, bool]]:
    """Name, description and whether it only reads, of all tools of which that is told."""
    for path in sorted((folder / "tau" / "tools").glob("*.json")):
        for tool in json.loads(path.read_text())["agent_tools"]:
            yield tool["name"], str(tool.get("description") or ""), tool["kind"] == "read"
    banking = json.loads((folder / "banking" / "tools.json").read_text())
    for group in ("agent_dispatched", "user_dispatched"):
        for tool in banking[group]:
            yield tool["name"], tool["description"], not tool["mutates"]


def test_real_lists_of_tools(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reads, missed = 0, []
    for name, description, only_reads in _known(shared_data):
        # where the list has no descriptions, one that agrees with the name is the harder test
        kind = kind_of(name, description or name.replace("_", " ").capitalize())
        reads += only_reads
        if kind.kind == READ:
            assert only_reads, (name, description)
        elif only_reads:
            missed.append((name, kind.guess))
    with capsys.disabled():
        print(f"\n{len(missed)} of {reads} reads are taken for writes: {missed}")
    assert len(missed) <= reads // 5
