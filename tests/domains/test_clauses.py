"""Every written clause that the records can decide has a rule; the others are listed with why."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from ledger_verify import Domain
from ledger_verify.policy.data_files import bundled_domains, data_folder


def rows(name: str, title: str) -> list[tuple[str, str]]:
    """The rows of the table under a heading of the domain's page."""
    page = (data_folder("domains") / name / "README.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.S | re.M)
    assert section, f"{name} has no section `{title}`"
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section[1].splitlines()
        if line.startswith("|") and not set(line) <= set("|- ")
    ]
    return [(row[0], row[1]) for row in cells[1:]]


@pytest.mark.parametrize("name", bundled_domains())
def test_the_table_of_clauses_and_the_policy_tell_the_same(name: str) -> None:
    domain = Domain.load(name)
    ids = {rule.id for rule in domain.rules}
    declared = {"when", "asks", "identifies", *domain.tools}
    named = {word for _, rule in rows(name, "Clauses and rules") for word in _ids(rule)}
    assert {word for word in named if word.isidentifier()} - ids <= declared, "no such rules"
    assert ids <= named, f"rules without a clause in the table: {ids - named}"


def _ids(text: str) -> list[str]:
    return re.findall(r"`([a-z_0-9]+)`", text)


@pytest.mark.parametrize("name", bundled_domains())
def test_every_rule_says_which_clause_it_stands_for(name: str) -> None:
    assert [rule.id for rule in Domain.load(name).rules if not rule.clause] == []


@pytest.mark.parametrize("name", bundled_domains())
def test_clauses_without_a_rule(name: str, golden: Callable[[str, str], None]) -> None:
    uncovered = rows(name, "Not covered")
    assert all(reason for _, reason in uncovered)
    listed = "\n".join(f"{clause}: {reason}" for clause, reason in uncovered)
    golden(f"domains/{name}_without_rule.txt", f"{listed}\n")
