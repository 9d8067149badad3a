"""The shapes of `gate --ledger`: records by their paths, or nested by the parts of these."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.audit.bank import DOMAIN, bank_folder
from tests.cli.running import Done, Run

OPEN = {"account_id": "a1", "state": "open", "balance": 100}
FROZEN = {**OPEN, "state": "frozen"}
PLAIN = {"accounts.a1": OPEN}


@pytest.fixture
def decide(run: Run, workplace: Path) -> Any:
    """`decide(ledger)`: whether `close_account` is allowed, given the file."""

    def invoke(ledger: Any) -> Done:
        wide = DOMAIN.replace("ledger:\n", "ledger:\n  owner: Account\n  shared.*.of.*: Account\n")
        assert wide != DOMAIN
        bank_folder(workplace / "bank", domain=wide)
        (workplace / "ledger.json").write_text(json.dumps(ledger), encoding="utf-8")
        return run("gate", "bank", "--ledger", "ledger.json", "--call", "call.json")

    return invoke


@pytest.mark.parametrize(
    ("ledger", "status"),
    [
        (PLAIN, 0),
        ({"accounts": {"a1": OPEN}}, 0),
        ({"accounts": {"a1": FROZEN}}, 20),
        ({"accounts": {"a2": FROZEN, "a1": OPEN}, "accounts.a3": FROZEN}, 0),
        ({"accounts": {"a.3": OPEN, "a1": OPEN, "*": OPEN, "": OPEN}}, 0),
        ({"owner": OPEN, "shared": {"x": {"of": {"y": OPEN}}}, **PLAIN}, 0),
        ({"shared.x": {"of": {"y": OPEN}}, "shared.x.of": {"z": OPEN}, **PLAIN}, 0),
        ({"accounts": {}}, 10),
    ],
)
def test_either_shape(decide: Any, ledger: Any, status: int) -> None:
    done = decide(ledger)
    assert (done.status, done.stderr) == (status, "")


@pytest.mark.parametrize(
    ("ledger", "place", "said"),
    [
        ({"accounts": [OPEN]}, "1:14", "help: write `accounts.KEY`"),
        ({"accounts": "a1"}, "1:14", "help: write `accounts.KEY`"),
        ({"accounts.a1.b": OPEN}, "1:19", "help: write `accounts.KEY`"),
        ({"shared.x": 1}, "1:14", "help: write `shared.KEY.of.KEY`"),
        ({"shared": {"x": {"off": {}}}}, "1:26", "help: write `shared.KEY.of.KEY`"),
        ({"acounts": {"a1": OPEN}}, "1:13", "did you mean `accounts`?"),
        ({"accounts": {"a1": {**OPEN, "state": "lost"}}}, "1:21", "lost"),
        ({**PLAIN, "accounts": {"a1": OPEN}}, "", "`accounts.a1` is given twice"),
        ({'accounts."a1': OPEN}, "", "a quoted key is not closed"),
    ],
)
def test_what_is_no_record(decide: Any, ledger: Any, place: str, said: str) -> None:
    done = decide(ledger)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ledger.json:{place}")
    assert said in done.stderr
