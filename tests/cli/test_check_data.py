"""`check --data`: assumptions and schema against records from files."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Done, Run

RECORD = {"account_id": "a1", "state": "open", "balance": 100}
MAPPED = {
    "user": "users.*",
    "routes.*": "flights.*",
    "flight_status.*.*": "flights.*.dates.*.status",
    "flights.*.*": "",
}


@pytest.fixture
def check(run: Run) -> Run:
    """`check(domain, data, **mapped)` with the checks of data alone."""

    def invoke(domain: str, data: Any = None, *more: str, mapped: Any = None) -> Done:
        Path("data.json").write_text(json.dumps(data), encoding="utf-8")
        files = ["--data", "data.json"] if not more else [*more]
        maps = [f"--map={pattern}={place}" for pattern, place in (mapped or {}).items()]
        select = ["--select", "LV602", "--select", "LV603", "--no-cache"]
        return run("check", domain, *select, *files, *maps)

    return invoke


def test_records_that_fit_are_clean_in_either_shape(check: Run) -> None:
    for data in ({"accounts": {"a1": RECORD}}, {"accounts.a1": RECORD}):
        done = check("bank", data)
        assert (done.status, done.stderr) == (0, "")
        assert done.stdout == "bank: 3 rules, no findings; compared 1 record at 1 path\n"


def test_a_misfit_is_told_with_its_place_and_how_many_there_are(check: Run) -> None:
    records = {f"a{n}": {**RECORD, "state": "lost"} for n in range(20)}
    done = check("bank", {"accounts": {**records, "b": RECORD}})
    assert done.status == 1
    assert done.stdout.count("LV603") == 1
    assert "data.json:1:" in done.stdout
    assert "20 of 21 records for `accounts.*` do not fit the schema" in done.stdout


def test_names_that_the_ledger_does_not_have_are_told(check: Run) -> None:
    done = check("bank", {"account": {"a1": RECORD}, "accounts": {"a2": RECORD}})
    assert done.status == 0
    assert "`account` is passed over: did you mean `accounts`?" in done.stderr


@pytest.mark.parametrize(
    ("data", "mapped", "hint"),
    [
        ({"acounts.a1": RECORD}, {}, "`acounts.a1` is passed over: "),
        ({"people": {"a1": RECORD}}, {}, "`people` is passed over: known here: `accounts`"),
        ({"accounts": {}}, {}, "paths of the ledger: accounts.*"),
        ({}, {}, "paths of the ledger: accounts.*"),
        ({"accounts": {"a1": RECORD}}, {"accounts.*": ""}, "`accounts` is passed over"),
    ],
)
def test_data_of_which_nothing_can_be_compared_is_no_clean_bill(
    check: Run, data: Any, mapped: Any, hint: str
) -> None:
    done = check("bank", data, mapped=mapped)
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("data.json:1:1: error: nothing was compared: ")
    assert hint in done.stderr


def test_how_many_records_were_compared(check: Run) -> None:
    records = {"a1": RECORD, "a2": {**RECORD, "state": "lost"}, "a3": RECORD}
    done = check("bank", {"accounts": records})
    assert done.stdout.endswith("1 finding; compared 3 records at 1 path\n")
    done = check("bank", {"accounts": records}, "--data", "data.json", "--format", "json")
    assert json.loads(done.stdout)["compared"] == {"accounts.*": 3}


def test_records_elsewhere(check: Run) -> None:
    data = {"bank": {"north": {"accounts": [], "of": {"a1": {**RECORD, "state": "lost"}}}}}
    done = check("bank", data, mapped={"accounts.*": "bank.*.of.*"})
    assert done.status == 1
    assert "`bank.north.of.a1`" in done.stdout


@pytest.mark.parametrize(
    ("data", "more", "mapped", "told"),
    [
        ([], (), {}, "expected an object with the records by name"),
        ({}, (), {"acounts.*": "x.*"}, "`acounts.*` is no path of the ledger"),
        ({"x": {}}, (), {"accounts.*": "x"}, "`x` has fewer `*` than `accounts.*` has keys (1)"),
        ({"x": {}}, (), {"accounts.*": "y.*"}, "no data has `y`, where `accounts.*` should be"),
        ({}, ("--data", "none.json"), {}, "cannot read `none.json`"),
        ({}, ("--map=accounts.*",), {}, "there is no `--data`"),
        ({}, ("--data=data.json", "--map=accounts.*"), {}, "expected `PATTERN=PLACE`"),
        ({}, ("airline", "--data=data.json"), {}, "`--data` goes with one domain"),
    ],
)
def test_bad_input(check: Run, data: Any, more: tuple[str, ...], mapped: Any, told: str) -> None:
    done = check("bank", data, *more, mapped=mapped)
    assert done.status == 2
    assert told in done.stderr


def test_the_published_shop_refutes_nothing(check: Run, shared_data: Path) -> None:
    path = str(shared_data / "tau" / "retail_db.json")
    done = check("retail", None, "--data", path)
    assert (done.status, done.stderr) == (0, "")


def test_the_published_airline_refutes_nothing(check: Run, shared_data: Path) -> None:
    path = str(shared_data / "tau" / "airline_db.json")
    done = check("airline", None, "--data", path)
    assert done.status == 0
    assert "`users` is passed over" in done.stderr
    assert '--map "flights.*.*=PLACE"' in done.stderr
    done = check("airline", None, "--data", path, mapped=MAPPED)
    assert (done.status, done.stderr) == (0, "")


def test_lists_with_the_key_in_a_field(check: Run) -> None:
    data = {"rows": [RECORD, {**RECORD, "account_id": "a2", "state": "lost"}]}
    done = check("bank", data, mapped={"accounts.*": "rows.[account_id]"})
    assert done.status == 1
    assert "1 of 2 records for `accounts.*` do not fit the schema: `rows.1`" in done.stdout
    done = check("bank", data, mapped={"accounts.*": "rows.[number]"})
    assert "expected a record with its key in the field `number`" in done.stdout


def test_the_published_phone_company_refutes_nothing(check: Run, shared_data: Path) -> None:
    text = (shared_data / "tau" / "telecom_db.toml").read_text(encoding="utf-8")
    data = json.loads(json.dumps(tomllib.loads(text), default=str))
    fields = {"plans": "plan_id", "lines": "line_id", "devices": "device_id", "bills": "bill_id"}
    mapped = {f"{name}.*": f"{name}.[{field}]" for name, field in fields.items()}
    done = check("telecom", data, mapped={"customer": "customers.*", **mapped})
    assert (done.status, done.stderr) == (0, "")
