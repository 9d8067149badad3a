"""Domains given in Python: pydantic models, the same keys, the same errors."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from ledger_verify import Domain, Gate
from ledger_verify.lang.errors import InputError


class Line(BaseModel):
    sku: str
    price: Decimal = Field(ge=0)


class Order(BaseModel):
    model_config = ConfigDict(extra="forbid")
    owner: str
    state: Literal["open", "shipped"]
    placed: datetime
    due: date | None = None
    lines: list[Line] = []
    tags: dict[str, bool] = {}


TOOLS: dict[str, Any] = {
    "get_order": {
        "kind": "read",
        "arguments": {"order_id": "string"},
        "observes": {"orders.{args.order_id}": "result"},
    },
    "cancel": {
        "kind": "write",
        "arguments": {"order_id": "string"},
        "touches": ["orders.{args.order_id}"],
    },
}
ORDER = Order(
    owner="u1",
    state="open",
    placed=datetime(2024, 5, 15),
    lines=[Line(sku="a", price=Decimal("9.90"))],
)


def define(require: str = "true", **changes: Any) -> Domain:
    given: dict[str, Any] = {
        "tools": TOOLS,
        "ledger": {"orders.*": "Order"},
        "models": {"Order": Order},
        "rules": [{"id": "r", "tools": "cancel", "require": require}],
        **changes,
    }
    return Domain.define("shop", **given)


@pytest.mark.parametrize(
    "require",
    [
        'ledger.orders[args.order_id].state == "open"',
        "sum(ledger.orders[args.order_id].lines.map(l, l.price)) == 9.9",
        "ledger.orders[args.order_id].due == null",
        "size(ledger.orders[args.order_id].tags) == 0",
        'ledger.orders[args.order_id].placed < timestamp("2024-05-16T00:00:00Z")',
    ],
)
@pytest.mark.parametrize("mode", ["json", "text"])
def test_models_are_types_of_records(require: str, mode: str) -> None:
    session = Gate(define(require)).session()
    result: Any = ORDER.model_dump_json() if mode == "text" else ORDER.model_dump(mode="json")
    assert session.observe("get_order", {"order_id": "o1"}, result) == []
    assert session.dry_run("cancel", {"order_id": "o1"}).allowed


def test_what_the_model_forbids_is_no_evidence() -> None:
    session = Gate(define()).session()
    result = {**ORDER.model_dump(mode="json"), "surprise": 1}
    assert len(session.observe("get_order", {"order_id": "o1"}, result)) == 1


def test_true_is_an_expression() -> None:
    domain = define(require=True)  # type: ignore[arg-type]
    assert Gate(domain).session().dry_run("cancel", {"order_id": "o1"}).allowed


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ledger": {"orders.*": "Ordr"}}, "unknown type `Ordr`"),
        ({"rules": [{"id": "r", "tools": "cancl", "require": "true"}]}, "unknown tool `cancl`"),
        ({"rules": [{"id": "r", "tools": "cancel", "require": "tru"}]}, "`tru`"),
        ({"rules": [{"id": "r", "tools": "cancel", "requir": "true"}]}, "unknown key `requir`"),
        ({"timezone": "Mars"}, "Mars"),
        ({"clock": "noon"}, "`clock`: expected a time"),
        ({"default": "allow"}, "not `allow`"),
        ({"assumptions": ["1"]}, "bool"),
        ({"definitions": {"Unused": {"type": "nothing"}}}, "unknown type `nothing`"),
        ({"rules": [{"id": object()}]}, "only plain data"),
        ({"models": {"Order": Order, "Line": Order}}, "two different models are named `Line`"),
    ],
)
def test_errors_are_those_of_files(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        define(**changes)
    assert message in str(caught.value)


def test_expressions_keep_their_text() -> None:
    """Texts that YAML might read as something else come back as they were."""
    odd = ["1e5", "010", "yes", "~", "=", "a: b", "# no", "2024-05-15", "\u2028", "'", '"']
    schema = {"Odd": {"enum": odd}}
    domain = define(ledger={"orders.*": "Order", "odd": "Odd"}, definitions=schema)
    session = Gate(domain).session()
    for text in odd:
        session.record("odd", text)
