"""`prove` on invariants over sequences: what it prints, and its exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from ledger_verify.cli.app import app
from ledger_verify.solver.reach import LONGER_LISTS, lists_within

DOMAIN = """\
domain: till
clock: 2026-01-01T12:00:00
ledger:
  till: Till
tools:
  look: {kind: read, observes: {till: result}}
  open_it: {kind: write, touches: [till.open], effects: {till.open: "true"}}
  empty_it: {kind: write, touches: [till.empty], effects: {till.empty: "true"}}
  shake_it: {kind: write, touches: [till.dented]}
"""
SCHEMA = """\
$defs:
  Till:
    type: object
    required: [open, empty, dented]
    properties:
      open: {type: boolean}
      empty: {type: boolean}
      dented: {type: boolean}
"""
POLICY = """\
rules:
  - {id: closed, tools: [open_it], require: "!ledger.till.open"}
  - {id: any, tools: [empty_it, shake_it], require: "true"}
invariants:
  - id: never_called
    tools: [empty_it]
    never: "false"
"""
BOTH = """\
  - id: not_both
    always: "!(ledger.till.open && ledger.till.empty)"
    initially: "!ledger.till.open && !ledger.till.empty"
"""
PROVED = """\
  - {id: proved, always: "ledger.till.open || !ledger.till.open"}
"""
WHOLE = """\
  - {id: whole, always: "!ledger.till.dented"}
"""


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "till").mkdir()
    (tmp_path / "till" / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "till" / "schema.yaml").write_text(SCHEMA, encoding="utf-8")
    return tmp_path / "till"


def prove(folder: Path, invariants: str, *words: str) -> Result:
    (folder / "policy.yaml").write_text(POLICY + invariants, encoding="utf-8")
    return CliRunner().invoke(app, ["prove", "till", *words])


def test_a_refuted_one_is_told_as_a_story(folder: Path) -> None:
    result = prove(folder, BOTH + PROVED)
    assert result.exit_code == 1
    first, alone, *story = result.output.splitlines()
    assert first == "PROVED  never_called (empty_it)"
    assert "it holds whatever the rules say" in alone
    assert story[0] == "REFUTED by a sequence of 2 calls  not_both"
    assert story[1] == "  till/policy.yaml:8:5: these calls are allowed and break it"
    assert story[3] == '  till          {"open": false, "empty": false, "dented": false}'
    calls = [line.strip() for line in story if line.startswith(("  1. ", "  2. "))]
    at = "{} at 2026-01-01T12:00:00+00:00 -> ALLOW"
    assert sorted(call[3:] for call in calls) == [f"empty_it {at}", f"open_it {at}"]
    assert story[-4] == "  not true any more: !(ledger.till.open && ledger.till.empty)"
    assert story[-3:] == [
        "PROVED  proved (all sequences of calls)",
        "",
        "till: 2 proved, 1 refuted",
    ]


def test_what_is_touched_without_an_effect_is_pointed_out(folder: Path) -> None:
    result = prove(folder, WHOLE, "whole")
    assert result.exit_code == 1
    assert "till.dented: true  (touched, no effect declared: may be anything)" in result.output


def test_json(folder: Path) -> None:
    result = prove(folder, BOTH, "--format", "json")
    data = json.loads(result.stdout)
    assert [i["id"] for i in data["invariants"]] == ["never_called"]
    (found,) = data["sequences"]
    assert set(found) == {
        "id", "outcome", "k", "bound", "clause", "location", "reasons", "sequence",
    }  # fmt: skip
    assert (found["outcome"], found["k"]) == ("REFUTED", 2)
    assert {call["tool"] for call in found["sequence"]["calls"]} == {"open_it", "empty_it"}


def test_only_the_one_that_is_named(folder: Path) -> None:
    result = prove(folder, BOTH + PROVED, "proved")
    assert (result.exit_code, result.output) == (0, "PROVED  proved (all sequences of calls)\n")
    result = prove(folder, BOTH + PROVED, "not_bth")
    assert result.exit_code == 2
    assert "no invariant `not_bth`" in result.output
    assert "did you mean `not_both`?" in result.output


def test_sequences_that_are_not_tried(folder: Path) -> None:
    result = prove(folder, BOTH, "not_both", "--sequence", "1")
    assert result.exit_code == 3
    assert result.output.startswith("PROVED only for sequences of up to 1 call  not_both\n")
    assert prove(folder, BOTH, "--sequence", "0").exit_code == 2


def test_a_start_that_cannot_be(folder: Path) -> None:
    impossible = BOTH.replace('&& !ledger.till.empty"', '&& ledger.till.open"')
    result = prove(folder, impossible, "not_both")
    assert result.exit_code == 3
    assert "till/policy.yaml:10:16: no record can be like this" in result.output


SCATTERED = """\
rules:
  - {id: any, tools: [open_it], require: "true"}
invariants:
  - {id: alone, tools: [open_it], never: "false"}
  - id: apart
    tools: [open_it]
    never: >
      !(size(history.open_it.map(c, c.time)) >= size(distinct(history.open_it.map(c, c.time))))
  - id: summed
    tools: [open_it]
    never: sum(history.open_it.map(c, 1)) != size(history.open_it)
"""


def test_how_far_a_proof_reaches_is_told_with_what_helps(folder: Path) -> None:
    (folder / "policy.yaml").write_text(SCATTERED, encoding="utf-8")
    result = CliRunner().invoke(app, ["prove", "till"])
    lines = result.output.splitlines()
    assert result.exit_code == 3
    assert f"PROVED only for {lists_within(8)}  summed (open_it)" in lines
    assert f"  help: {LONGER_LISTS}" in lines
    assert lines[-1] == "till: 2 proved, 1 proved only so far"


def test_totals_are_told_of_several_answers_only(folder: Path) -> None:
    assert "till:" not in prove(folder, PROVED, "proved").output
    assert prove(folder, PROVED).output.endswith("\n\ntill: 2 proved\n")


SAID = r"lists of up to (8|N) items, earlier calls or records|sequences of up to \w+ calls?"


def test_the_words_for_a_bound_are_in_one_place() -> None:
    """Also the pages that tell of it use the same ones."""
    root = Path(__file__).resolve().parents[2]
    sources = [*root.glob("ledger_verify/**/*.py"), *root.glob("docs/*.md"), root / "README.md"]
    told = {}
    for path in sources:
        text = " ".join(path.read_text(encoding="utf-8").split())
        found = re.findall(r"(?:lists|sequences) of up to \S+ [^.:]{0,31}", text)
        told[path.name] = [one for one in found if not re.match(SAID, one)]
    assert told.pop("reach.py")
    assert {name: found for name, found in told.items() if found} == {}
