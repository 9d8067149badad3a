"""A defect that a template's parameter brings about is shown, and mended, where it is given."""

from pathlib import Path
from typing import Any

import pytest

from ledger_verify.checks.base.finding import Finding
from ledger_verify.checks.base.reporting import undecided
from ledger_verify.checks.zero_limit import ABOUT
from ledger_verify.policy.regions import value_region
from ledger_verify.policy.yaml_file import read_yaml
from tests.checks.depot import checked

EARLIER = {"earlier": "history.ship"}
OWN = {
    "at_most": {
        "name": "at_most",
        "description": "At most so many.",
        "parameters": {"most": {"description": "how many earlier ones"}},
        "require": "size(history.ship.filter(c, c.ok)) <= most",
        "message": "Too many.",
    },
    "with_this_one": {
        "name": "with_this_one",
        "description": "At most so many.",
        "parameters": {"most": {"description": "how many"}},
        "require": "most >= size(history.ship.filter(c, c.ok)) + 1",
        "message": "Too many.",
    },
    "never_many": {
        "name": "never_many",
        "description": "At most so many.",
        "parameters": {"most": {"description": "how many", "default": "0"}},
        "require": "size(history.ship.filter(c, c.ok)) < most",
        "message": "Too many.",
    },
}
DEPENDS = "args.parcels > 3 ? -2 : -1"
WINDOW = {**EARLIER, "window": 'duration("30m")'}


def _rule(name: str, use: str, given: dict[str, Any]) -> dict[str, Any]:
    return {"id": name, "use": use, "tools": ["ship"], "with": given, "clause": "c"}


def _found(code: str, folder: Path, *rules: dict[str, Any]) -> tuple[Finding, str]:
    """The finding of that code, and the text in its region."""
    _, report = checked({"rules": list(rules), "templates": OWN}, folder)
    (finding,) = [f for f in report.findings if f.code == code]
    start, end = finding.location, finding.end
    assert end is not None
    assert start.line == end.line
    assert start.file == str(folder / "policy.yaml")
    line = read_yaml(folder / "policy.yaml").text.splitlines()[start.line - 1]
    assert finding.to_json()["location"]["end_column"] == end.column
    before, marked = line[: start.column - 1].strip(" '"), line[start.column - 1 : end.column - 1]
    return finding, f"{before} {marked}"


@pytest.mark.parametrize(
    ("use", "given", "marked", "fix"),
    [
        ("limit_per_session", {**EARLIER, "limit": 0}, "limit: 0", "set `limit: 1` for one call"),
        ("limit_per_session", {**EARLIER, "limit": "1 - 3"}, "limit: 1 - 3", "set `limit: 1` for"),
        ("at_most", {"most": DEPENDS}, f"most: {DEPENDS}", "give a higher `most`"),
        ("at_most", {"most": -1}, "most: -1", "set `most: 0` for one call"),
        ("with_this_one", {"most": 0}, "most: 0", "set `most: 1` for one call"),
    ],
)
def test_a_limit_that_is_given(
    tmp_path: Path, use: str, given: dict[str, Any], marked: str, fix: str
) -> None:
    finding, shown = _found("LV503", tmp_path, _rule("once", use, given))
    assert shown == marked
    assert (finding.fix or "").startswith(fix)
    assert "the count of earlier calls is 0" in finding.message
    assert "size(" not in finding.message


def test_a_limit_that_the_template_has_itself(tmp_path: Path) -> None:
    finding, shown = _found("LV503", tmp_path, _rule("once", "never_many", {}))
    assert shown == "use: never_many"
    assert "rules/never_many.yaml:" in finding.notes[0]


def test_an_open_question(tmp_path: Path) -> None:
    rules = [_rule("once", "at_most", {"most": 3})]
    domain, _ = checked({"rules": rules, "templates": OWN}, tmp_path)
    found = undecided(ABOUT, domain, domain.rules[0], "could not tell").finding
    assert found is not None
    use = value_region(domain.sources["policy"], ("rules", 0, "use"))
    assert (found.location, found.end) == (use.start, use.end)


def test_a_limit_that_is_never_reached(tmp_path: Path) -> None:
    rules = (
        _rule("spaced", "limit_per_window", {**WINDOW, "limit": 1}),
        _rule("hourly", "limit_per_window", {**WINDOW, "limit": 2}),
    )
    assert _found("LV504", tmp_path, *rules)[1] == "limit: 2"
