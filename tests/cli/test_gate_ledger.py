"""`gate --ledger`: records by path or by name and key, each read once, nothing passed over."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.audit.bank import DOMAIN, bank_folder
from tests.cli.running import Run

FILES = ("--ledger", "ledger.json", "--call", "call.json")
A1 = {"account_id": "a1", "state": "open", "balance": 100}
A2 = {"account_id": "a.2", "state": "frozen", "balance": 5}
RATE = {"account_id": "x", "state": "open", "balance": 1}
WIDE = DOMAIN.replace(
    "ledger:\n",
    "ledger:\n  rates.*.*: Account\n  shop.desk: Account\n  shop.items.*: Account\n",
)


def verdict(run: Run, workplace: Path, ledger: Any, account: str = "a1") -> str:
    bank_folder(workplace / "bank", domain=WIDE)
    (workplace / "ledger.json").write_text(json.dumps(ledger), encoding="utf-8")
    call = {"name": "close_account", "arguments": {"account_id": account}}
    (workplace / "call.json").write_text(json.dumps(call), encoding="utf-8")
    done = run("gate", "bank", *FILES)
    assert done.stdout or done.stderr.count("error:") == 1, done.stderr
    return done.stdout.split()[0] if done.stdout else done.stderr


@pytest.mark.parametrize(
    "ledger",
    [
        {"accounts.a1": A1, 'accounts."a.2"': A2},
        {"accounts": {"a1": A1, "a.2": A2}},
        {"accounts": [A1, A2]},
        {"accounts": {"a1": A1}, 'accounts."a.2"': A2},
        {"accounts": {"a1": A1, "a.2": A2}, "rates": {"x": {"y": RATE}}, "shop.desk": RATE},
    ],
)
def test_the_forms_are_the_same(run: Run, workplace: Path, ledger: Any) -> None:
    assert verdict(run, workplace, ledger) == "ALLOW"
    assert verdict(run, workplace, ledger, "a.2") == "BLOCK"
    assert verdict(run, workplace, ledger, "a3") == "REVISE"


def test_no_records(run: Run, workplace: Path) -> None:
    assert verdict(run, workplace, {"accounts": {}, "rates": {"x": {}}}) == "REVISE"


@pytest.mark.parametrize(
    ("ledger", "place", "told"),
    [
        ({"accounts": {"a1": 3}}, "1:21", "`accounts.a1`: "),
        ({"accounts": {"a1": {**A1, "state": "shut"}}}, "1:21", "expected one of `open`"),
        ({"accounts": {"a1": A1}, "accounts.a1": A1}, "1:21", "`accounts.a1` is given twice"),
        ({"accounts": [A1, A1]}, "1:70", "given twice"),
        ({"accounts": [3]}, "1:15", "its key in the field `account_id`"),
        ({"rates": {"x": 3}}, "1:17", "an object with records by their keys"),
        ({"rates": {"x": RATE}}, "1:32", "`rates.x.account_id`: "),
        ({"accounts": 3}, "1:14", "write `accounts.KEY` for a whole record"),
        ({"accounts.a1.state": "open"}, "1:23", "write `accounts.KEY` for a whole record"),
        ({"shop": {"items": {}}}, "1:10", "write `shop.desk` or `shop.items.KEY`"),
        ({"rates.x": RATE}, "1:13", "write `rates.KEY.KEY` for a whole record"),
        ({"acounts": {"a1": A1}}, "1:13", "did you mean `accounts`?"),
        ({"zzz": {"a1": A1}}, "1:9", "paths of this domain: `rates.*.*`"),
    ],
)
def test_what_is_no_record(run: Run, workplace: Path, ledger: Any, place: str, told: str) -> None:
    answer = verdict(run, workplace, ledger)
    assert answer.startswith(f"ledger.json:{place}: error: ")
    assert told in answer
