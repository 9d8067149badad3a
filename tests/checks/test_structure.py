"""Checks of structure, where a seed does not say all: places, words, and what stays silent."""

from pathlib import Path
from typing import Any

import pytest

from ledger_verify.checks.base.finding import Finding
from ledger_verify.checks.running.run import run_checks
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.domain import Domain
from tests.checks.depot import depot
from tests.checks.shop import report, shop

ONE = {"id": "one", "tools": ["ship"], "require": "args.parcels >= 1", "clause": "c"}


def findings(example: dict[str, Any], folder: Path) -> tuple[Finding, ...]:
    (found,) = run_checks([depot(example, folder)])
    return found.findings


def marked(finding: Finding, folder: Path) -> str:
    """The text that the finding underlines."""
    end = finding.end
    assert end is not None
    lines = (folder / Path(finding.location.file).relative_to(folder)).read_text().splitlines()
    assert end.line == finding.location.line
    return lines[end.line - 1][finding.location.column - 1 : end.column - 1]


def test_a_misspelt_tool_is_one_finding_with_its_near_match(tmp_path: Path) -> None:
    (finding,) = findings({"rules": [{**ONE, "tools": ["shipp"]}]}, tmp_path)
    assert finding.message == "rule `one` is about `shipp`, which is no tool of the domain"
    assert finding.fix == "did you mean `ship`?"
    assert marked(finding, tmp_path) == "shipp"


def test_a_tool_that_is_like_none_leaves_the_write_ungated(tmp_path: Path) -> None:
    found = findings({"rules": [{**ONE, "tools": ["quarantine"]}]}, tmp_path)
    assert [finding.code for finding in found] == ["LV202", "LV201"]


def test_only_check_takes_a_policy_with_unknown_tools(tmp_path: Path) -> None:
    depot({"rules": [{**ONE, "tools": ["shipp"]}]}, tmp_path)
    with pytest.raises(InputError, match="unknown tool `shipp`"):
        Domain.load(tmp_path)


def test_an_unknown_tool_of_the_history_is_no_finding_but_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="`history` has no tool `shipp`"):
        depot({"rules": [{**ONE, "require": "size(history.shipp) == 0"}]}, tmp_path)


@pytest.mark.parametrize(("default", "said"), [("block", "blocked"), ("revise", "sent back")])
def test_an_ungated_write_says_what_the_gate_does(default: str, said: str, tmp_path: Path) -> None:
    example = {"rules": [ONE], "tools": {"stop": {"kind": "write"}}, "default": default}
    (finding,) = findings(example, tmp_path)
    assert f"`stop` is always {said}" in finding.message
    assert marked(finding, tmp_path) == "stop"


def test_an_unused_let_is_one_finding_for_all_tools_of_the_rule(tmp_path: Path) -> None:
    rule = {**ONE, "tools": ["ship", "weigh"], "let": {"id": "args.order_id"}}
    rule["require"] = 'args.order_id != ""'
    (finding,) = findings({"rules": [rule]}, tmp_path)
    assert finding.tools == ("ship", "weigh")
    assert marked(finding, tmp_path) == "id"


def test_an_unused_parameter_is_shown_in_the_template(tmp_path: Path) -> None:
    template = {
        "name": "few", "description": "Few.", "require": "args.parcels < 5", "message": "Many.",
        "parameters": {"most": {"description": "The most.", "default": "5"}},
    }  # fmt: skip
    (finding,) = findings({"rules": [ONE], "templates": {"few": template}}, tmp_path)
    assert finding.location.file == str(tmp_path / "rules" / "few.yaml")
    assert marked(finding, tmp_path) == "most"


def test_a_template_that_is_no_expression_is_an_error_with_its_place(tmp_path: Path) -> None:
    template = {"name": "few", "description": "Few.", "require": "1 <", "message": "Many."}
    with pytest.raises(InputError, match="ends too early") as caught:
        findings({"rules": [ONE], "templates": {"few": template}}, tmp_path)
    assert caught.value.location is not None
    assert caught.value.location.file == str(tmp_path / "rules" / "few.yaml")


def test_three_equal_rules_are_two_findings(tmp_path: Path) -> None:
    rules = [{**ONE, "id": id_} for id_ in ("a", "b", "c")]
    found = findings({"rules": rules}, tmp_path)
    assert [finding.rules for finding in found] == [("b", "a"), ("c", "a")]


def test_the_hole_of_an_unguarded_message_is_marked_and_the_case_is_small(tmp_path: Path) -> None:
    rule = {
        **ONE, "let": {"o": "ledger.orders[args.order_id]", "coupon": "o.coupon"},
        "message": "Without parcels { coupon } is worth {o.total * 0.0}.",
    }  # fmt: skip
    (finding,) = findings({"rules": [rule]}, tmp_path)
    assert finding.message == "the message of `one` can read `<none>` in place of `coupon`"
    assert marked(finding, tmp_path) == "coupon"
    case = finding.counterexample
    assert case is not None
    (order,) = case["ledger"].values()
    assert "coupon" not in order
    assert order["items"] == []
    assert "note" not in case["call"]["arguments"]


def test_an_unguarded_message_of_a_template_is_told_where_it_is_used(tmp_path: Path) -> None:
    template = {
        "name": "cheap", "description": "Cheap.", "require": "o.total < 9.0",
        "parameters": {"o": {"description": "The order.", "type": "record"}},
        "message": "Not with {args.note}.",
    }  # fmt: skip
    use = {"id": "one", "use": "cheap", "tools": ["ship"], "clause": "c"}
    rules = [{**use, "with": {"o": "ledger.orders[args.order_id]"}}]
    (finding,) = findings({"rules": rules, "templates": {"cheap": template}}, tmp_path)
    assert finding.location.file == str(tmp_path / "policy.yaml")
    assert "rules/cheap.yaml" in finding.notes[0]
    assert "`args.note`" in finding.message


MESSAGES = {
    "{args.bags / args.bags}": {"require": "args.bags >= 3"},
    "{args.names[0]}": {"require": "size(args.names) > 3"},
    "{args.short[size(args.short) - 1]}": {"require": "args.bags >= 3"},
    "{args.names.map(n, int(n))}": {"require": "size(args.names) < 3"},
    "{args.bags > 2 ? 10 / (args.bags - 4) : 0}": {"require": "args.bags < 3"},
}
SOUND = {
    "{10 / args.bags}": {"require": "args.bags == 0 || args.bags > 5"},
    "{args.names[0]}": {"require": "size(args.names) < 3"},
    "{args.items.filter(i, i.qty > 3).map(i, 100 / i.qty)}": {"require": "args.bags >= 3"},
    "{args.items.map(i, i.qty > 0, 100 / i.qty)}": {"require": "args.bags >= 3"},
    "{args.bags < 3 ? 10 / (args.bags - 4) : 0}": {"require": "args.bags >= 3"},
}


@pytest.mark.parametrize("message", MESSAGES)
def test_what_a_message_cannot_rely_on(message: str) -> None:
    domain = shop({**MESSAGES[message], "message": message})
    (finding,) = report(domain, checks=("unguarded_message",)).findings
    assert finding.code == "LV208"
    assert finding.counterexample is not None


@pytest.mark.parametrize("message", SOUND)
def test_what_a_message_can_rely_on(message: str) -> None:
    domain = shop({**SOUND[message], "message": message})
    assert report(domain, checks=("unguarded_message",)).findings == ()
