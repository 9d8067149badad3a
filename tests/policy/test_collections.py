"""All records of a path are no value: the error says how rules and statements speak of them."""

from pathlib import Path

import pytest

from ledger_verify import Domain
from ledger_verify.lang.errors import InputError
from tests.policy.folders import DOMAIN, POLICY, SCHEMA, load

FLIGHTS = SCHEMA + (
    "  Flight:\n    type: object\n    required: [seats]\n    properties: {seats: {type: integer}}\n"
)
LEDGER = DOMAIN.replace("  notes.*", "  flights.*.*: Flight\n  notes.*")
PLACES = {
    "rule": ("require: o.owner == ledger.user.id", "require: "),
    "assumption": ("- ledger.orders.all(o, o.total < 1000)", "- "),
    "always": ("always: ledger.orders.all(o, o.total < 2000)", "always: "),
    "initially": ("initially: ledger.orders.all(o, o.total < 100)", "initially: "),
    "never": ("never: ledger.orders[args.order_id].total > 1000", "never: "),
}
WHOLE = (
    "ledger.orders.exists(o, o.total > 1)", "size(ledger.orders) == 1", "ledger.orders == 1",
    "ledger.orders.all(o, o.total > 1) || true", "sum(ledger.orders.map(o, o.total)) > 1",
    "ledger.orders.total > 1", "ledger.orders.total == null", "ledger.orders.total.total > 1",
)  # fmt: skip
ALL = "`ledger.orders.all(o, ...)`"


def with_(place: str, text: str, folder: Path) -> Domain:
    old, key = PLACES[place]
    assert old in POLICY
    policy = POLICY.replace(old, key + text)
    return load(folder, policy=policy, domain=LEDGER, schema=FLIGHTS)


def refusal(place: str, text: str, folder: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        with_(place, text, folder)
    return caught.value


@pytest.mark.parametrize("text", WHOLE)
@pytest.mark.parametrize("place", PLACES)
def test_all_records(place: str, text: str, tmp_path: Path) -> None:
    hint = refusal(place, text, tmp_path).hint or ""
    of_calls = place in ("rule", "never")
    assert ("`records(ledger.orders)`" in hint) is of_calls
    assert ("`ledger.orders[KEY]" in hint) is of_calls
    assert (ALL in hint) is not of_calls


@pytest.mark.parametrize("place", PLACES)
def test_what_is_advised_is_taken(place: str, tmp_path: Path) -> None:
    if place in ("rule", "never"):
        with_(place, "records(ledger.orders).exists(o, o.total > 1)", tmp_path)
        with_(place, "ledger.orders[args.order_id].total > 1", tmp_path)
    else:
        with_(place, "ledger.orders.all(o, o.total > 1)", tmp_path)
    with_(place, 'ledger.orders["total"].total > 1', tmp_path)
    with_(place, "ledger.orders.W1.total > 1", tmp_path)


@pytest.mark.parametrize(
    ("path", "told", "advised"),
    [
        ("flights.seats", "`ledger.flights.seats` would be", "flights[KEY][KEY].seats"),
        ('flights["a"].seats', '`ledger.flights["a"].seats` would be', 'flights["a"][KEY].seats'),
        ("flights[args.order_id].seats", "`ledger.flights[KEY].seats`", "flights[KEY][KEY].seats"),
        ('flights["a"]', '`ledger.flights["a"]` is not a record', 'flights["a"][KEY]'),
    ],
)
def test_several_keys(path: str, told: str, advised: str, tmp_path: Path) -> None:
    error = refusal("rule", f"ledger.{path} > 1", tmp_path)
    assert told in error.message
    assert f"`ledger.{advised}`" in (error.hint or "")
    assert ("records(" in (error.hint or "")) is ("[" not in path)
