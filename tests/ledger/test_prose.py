"""Results that are prose: declared forms become records, anything else is reported."""

from __future__ import annotations

from typing import Any

import pytest

from ledger_verify import Domain, Gate, InputError

OFFERS = {
    "from": "result",
    "text": {
        "whole": r"Offers for (?P<drug>\w+):(?:\n- \w+ at \$\d+\.\d\d(?: \(\w+\))?)+",
        "each": r"- (?P<shop>\w+) at \$(?P<price>\d+\.\d\d)(?: \((?P<note>\w+)\))?",
        "nothing": r"No offers for \w+\.",
    },
}


def domain(**observation: Any) -> Domain:
    offer = {
        "type": "object",
        "required": ["drug", "shop", "price"],
        "properties": {
            "drug": {"type": "string"},
            "shop": {"type": "string"},
            "price": {"type": "number"},
            "note": {"type": "string"},
        },
    }
    return Domain.define(
        "pharmacy",
        definitions={"Offer": offer},
        ledger={"offers.*": "Offer", "patient": "string"},
        tools={
            "list_offers": {
                "kind": "read",
                "arguments": {"drug": "string"},
                "observes": {"offers.{item.shop}": {**OFFERS, **observation}},
            },
            "find_patient": {
                "kind": "read",
                "arguments": {"email": "string"},
                "observes": {
                    "patient": {
                        "when": "args.email != '' && !observed(ledger.patient)",
                        "text": {"whole": "(?P<value>[a-z]+)", "nothing": "Nobody is .*"},
                    }
                },
            },
            "buy": {"kind": "write", "arguments": {"shop": "string", "price": "number"}},
        },
        rules=[
            {
                "id": "observed_price",
                "tools": ["buy"],
                "require": "ledger.offers[args.shop].price == args.price",
            }
        ],
    )


def test_every_match_is_a_record_with_the_shared_groups() -> None:
    session = Gate(domain()).session()
    text = "Offers for aspirin:\n- north at $4.50\n- south at $5.00 (new)"
    assert session.observe("list_offers", {"drug": "aspirin"}, text) == []
    assert session.dry_run("buy", {"shop": "north", "price": 4.5}).allowed
    assert '"drug": "aspirin"' in session.render()
    assert '"note": "new"' in session.render()


@pytest.mark.parametrize(
    "text",
    [
        "Offers for aspirin:\n- north at $4.50\n- south at five dollars",
        "Offers for aspirin:",
        "offers for aspirin:\n- north at $4.50",
        "Offers for aspirin:\n- north at $4.50\n",
        "",
        "null",
        '{"shop": "north"}',
    ],
)
def test_prose_of_another_form_is_reported_and_never_half_observed(text: str) -> None:
    session = Gate(domain()).session()
    drifts = session.observe("list_offers", {"drug": "aspirin"}, text)
    assert [drift.pattern for drift in drifts] == ["offers.*"]
    assert session.render() == ""


def test_prose_that_says_there_is_nothing_is_no_drift() -> None:
    session = Gate(domain()).session()
    assert session.observe("list_offers", {"drug": "x"}, "No offers for x.") == []
    assert session.render() == ""


def test_a_record_that_is_no_object_is_the_group_value_and_the_first_stays() -> None:
    session = Gate(domain()).session()
    assert session.observe("find_patient", {"email": ""}, "ann") == []
    assert session.render() == ""
    session.observe("find_patient", {"email": "a@b"}, "Nobody is a@b.")
    session.observe("find_patient", {"email": "a@b"}, "ann")
    session.observe("find_patient", {"email": "c@d"}, "bob")
    assert session.render() == 'patient = "ann"'


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("Opening hours: 9, 10 , 14", [9, 10, 14]),
        ("Opening hours: 9", [9]),
        ("Opening hours: ", []),
        ("Opening hours.", []),
    ],
)
def test_a_list_is_what_stands_between_commas(text: str, allowed: list[int]) -> None:
    hours = {
        "type": "object",
        "properties": {"hours": {"type": "array", "items": {"type": "integer"}}},
    }
    made = Domain.define(
        "shop",
        definitions={"Hours": hours},
        ledger={"hours": "Hours"},
        tools={
            "get_hours": {
                "kind": "read",
                "observes": {
                    "hours": {"text": {"whole": r"Opening hours(?:: (?P<hours>[0-9, ]*)|\.)"}}
                },
            },
            "come": {"kind": "write", "arguments": {"hour": "integer"}},
        },
        rules=[
            {
                "id": "open",
                "tools": ["come"],
                "require": "has(ledger.hours.hours) && args.hour in ledger.hours.hours",
            }
        ],
    )
    session = Gate(made).session()
    assert session.observe("get_hours", {}, text) == []
    assert [h for h in range(24) if session.dry_run("come", {"hour": h}).allowed] == allowed


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ({"whole": "(?P<drg>.*)"}, "group `drg` is no field of `Offer`"),
        ({"whole": "(?=a)"}, "(?="),
        ({"whole": "(?P<drug>a)", "each": "(?P<drug>b)"}, "in `whole` and in `each`"),
    ],
)
def test_a_bad_form_is_a_load_error(text: dict[str, str], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        domain(text=text)
    assert problem in caught.value.message
    assert caught.value.location is not None


@pytest.mark.parametrize(
    "text",
    [
        "Offers for x:\n- north at $4.50\n- south at $5",
        "Offers for x:\n- north at $4.509\n- south at $5.00",
        "Offers for x:\n- north at $4.50 and more\n- south at $5.00",
    ],
)
def test_what_lies_between_records_is_no_part_of_the_form(text: str) -> None:
    loose = {**OFFERS["text"], "whole": r"Offers for (?P<drug>\w+):(?:\n- .*)+"}  # type: ignore[dict-item]
    session = Gate(domain(text=loose)).session()
    assert len(session.observe("list_offers", {"drug": "x"}, text)) == 1
    assert session.render() == ""
