"""Two realistic edits of each bundled domain, and what a support manager reads of them."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ledger_verify.cli.app import app
from ledger_verify.policy.data_files import data_folder

Golden = Callable[[str, str], None]

EDITS = {
    "airline_bound": (
        "airline",
        'now - r.created_at <= duration("24h")',
        'now - r.created_at <= duration("48h")',
    ),
    "airline_disjunct": ("airline", '\n      || r.insurance == "yes"', ""),
    "retail_bound": (
        "retail",
        "    require: size(args.item_ids) >= 1\n",
        "    require: size(args.item_ids) >= 0\n",
    ),
    "retail_disjunct": (
        "retail",
        "\n      || args.payment_method_id in methods"
        ' && methods[args.payment_method_id].source == "gift_card"\n',
        "\n",
    ),
    "telecom_bound": (
        "telecom",
        "    require: args.gb_amount <= 2\n",
        "    require: args.gb_amount <= 3\n",
    ),
    "telecom_disjunct": (
        "telecom",
        '\n      || ledger.customer.bill_ids.exists(b, ledger.bills[b].status == "Overdue")\n',
        "\n",
    ),
    "telehealth_bound": (
        "telehealth",
        's.status in ["Scheduled", "Pending Approval"]',
        's.status in ["Scheduled"]',
    ),
    "telehealth_disjunct": (
        "telehealth",
        '(!has(args.currency) || args.currency == "USD")',
        'args.currency == "USD"',
    ),
}
"""By name the domain, a text of its policy, and what stands there after the edit."""


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)


def edit(name: str, folder: Path) -> None:
    """Make `old` and `new` of a domain in the folder."""
    domain, before, after = EDITS[name]
    for side in ("old", "new"):
        shutil.copytree(data_folder("domains") / domain, folder / side)
    policy = folder / "new" / "policy.yaml"
    text = policy.read_text(encoding="utf-8")
    assert text.count(before) == 1
    policy.write_text(text.replace(before, after), encoding="utf-8")


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.output


def steady(text: str) -> str:
    """The text without what examples leave to the solver, which may change with its version."""
    text = re.sub(r"(?m)^( +flight_status\S+ +)\S.*$", r"\1<status>", text)
    text = re.sub(r"(policy\.yaml):\d+:\d+", r"\1:<place>", text)
    text = re.sub(r"new_time=\w+", "new_time=<time>", text)
    return re.sub(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d[+-]\d\d:\d\d)?", "<time>", text)


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_reads_well(name: str, golden: Golden, tmp_path: Path) -> None:
    edit(name, tmp_path)
    status, shown = run("diff", "old", "new")
    assert status == 1
    golden(f"diff/{name}.txt", steady(shown))


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_that_is_undone_does_the_opposite(name: str, tmp_path: Path) -> None:
    """Each edit only widens or only narrows, and that is proved for lists of any length."""
    edit(name, tmp_path)
    status, shown = run("diff", "new", "old", "--narrowing-only", "--format", "json")
    tools = json.loads(shown)["tools"]
    outcomes = {
        direction: {(tool[direction]["outcome"], tool[direction]["bound"]) for tool in tools}
        for direction in ("newly_allowed", "newly_refused")
    }
    narrows = ("FOUND", None) in outcomes["newly_refused"]
    other = "newly_allowed" if narrows else "newly_refused"
    assert outcomes[other] == {("NONE", None)}
    assert status == (0 if narrows else 1)


def test_a_booking_between_the_two_bounds_is_shown(tmp_path: Path) -> None:
    edit("airline_bound", tmp_path)
    report = json.loads(run("diff", "old", "new", "--format", "json")[1])
    (tool,) = [t for t in report["tools"] if t["tool"] == "cancel_reservation"]
    (record,) = [
        record
        for path, record in tool["newly_allowed"]["counterexample"]["ledger"].items()
        if path.startswith("reservations.")
    ]
    assert "2024-05-13T15:00:00" <= record["created_at"] < "2024-05-14T15:00:00"
    assert (record["cabin"], record["insurance"]) != ("business", "yes")


@pytest.mark.parametrize("domain", ["airline", "retail", "telecom", "telehealth"])
def test_a_domain_is_equivalent_to_itself(domain: str) -> None:
    status, shown = run("diff", domain, domain)
    assert status == 0
    assert "yes" not in shown
