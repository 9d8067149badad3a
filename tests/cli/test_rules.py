"""`rules`: the list of templates, and the page of each."""

import json
from pathlib import Path

from tests.cli.running import Run

OWN = """
name: polite
description: >
  The reason is given. Not more.
parameters:
  reason: {type: string, description: why}
require: size(reason) > 0
message: Say why.
domain:
  tools:
    close: {kind: write, arguments: {reason: string}}
  with: {reason: args.reason}
examples:
  - name: with a reason
    call: {tool: close, arguments: {reason: moving}}
    verdict: ALLOW
  - name: without
    call: {tool: close, arguments: {reason: ""}}
    verdict: BLOCK
    truth: FALSE
"""


def own_template(workplace: Path, text: str) -> None:
    folder = workplace / "bank" / "rules"
    folder.mkdir(exist_ok=True)
    (folder / "polite.yaml").write_text(text, encoding="utf-8")


def test_the_list_says_what_each_demands(run: Run) -> None:
    done = run("rules")
    assert done.status == 0
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert lines["owned_by_user"] == "A call may concern only what belongs to the identified user"
    listed = json.loads(run("rules", "--format", "json").stdout)["rules"]
    assert [rule["name"] for rule in listed] == list(lines)[1:]


def test_every_template_has_a_page(run: Run) -> None:
    for rule in json.loads(run("rules", "--format", "json").stdout)["rules"]:
        done = run("rules", rule["name"])
        assert done.status == 0
        for part in ("parameters", "rule", "in a policy", "examples", "require: "):
            assert part in done.stdout
        data = json.loads(run("rules", rule["name"], "--format", "json").stdout)
        assert data["name"] == rule["name"]
        assert {example["problem"] for example in data["examples"]} == {None}


def test_a_page(run: Run) -> None:
    page = run("rules", "refund_to_original_or_gift_card").stdout
    assert (
        "  to_gift_card: boolean = payment_id in methods && methods[payment_id].source ==" in page
    )
    assert 'repair   payment_id = "gift_2"' in page
    assert 'read     get_order(order_id="A1")\n                   get_user(user_id=?)' in page


def test_an_unknown_name_has_a_near_match(run: Run) -> None:
    done = run("rules", "owned_by_usr")
    assert done.status == 2
    assert "no rule template `owned_by_usr`" in done.stderr
    assert "did you mean `owned_by_user`?" in done.stderr


def test_templates_of_a_domain(run: Run, workplace: Path) -> None:
    own_template(workplace, OWN)
    assert "polite" not in run("rules").stdout
    assert "The reason is given" in run("rules", "--domain", "bank").stdout
    assert run("rules", "polite", "--domain", "bank").status == 0


def test_an_example_that_is_not_so(run: Run, workplace: Path) -> None:
    own_template(workplace, OWN.replace("> 0", "> 9"))
    done = run("rules", "polite", "--domain", "bank")
    assert done.status == 1
    assert "problem  expected ALLOW, the gate says BLOCK" in done.stdout


def test_mistakes_in_examples_are_placed(run: Run, workplace: Path) -> None:
    file = Path("bank") / "rules" / "polite.yaml"
    for wrong, right, place, message in (
        ("tool: close, arguments: {reason: moving}", "tool: clsoe", "14:", "unknown tool `clsoe`"),
        ("arguments: {reason: string}", "arguments: {reason: sting}", "14:", "`sting`"),
        ("verdict: BLOCK", "verdict: BLOCKK", "19:14", "not `BLOCKK`"),
        ("    verdict: ALLOW", "    verdit: ALLOW", "16:5", "unknown key `verdit`"),
        ("domain:\n  tools", "domain:\n  tolls", "10:3", "unknown key `tolls`"),
        ("with: {reason: args.reason}", "with: {reason: args.raeson}", "14:", "no field `raeson`"),
    ):
        own_template(workplace, OWN.replace(wrong, right))
        done = run("rules", "polite", "--domain", "bank")
        assert done.status == 2, wrong
        assert done.stderr.startswith(f"{file}:{place}"), done.stderr
        assert message in done.stderr
