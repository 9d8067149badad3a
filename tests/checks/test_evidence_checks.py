"""What all checks of evidence share: clean bundled domains, and a page in each docstring."""

from types import ModuleType

import pytest

from ledger_verify.checks import (
    circular_evidence,
    refusal_without_exit,
    self_staling_rule,
    unknowable_argument,
    unobservable_path,
    unrefreshable_touch,
)
from ledger_verify.policy.domain import Domain
from ledger_verify.solver.static import StaticSolver

CHECKS = [
    unobservable_path, unknowable_argument, circular_evidence, refusal_without_exit,
    unrefreshable_touch, self_staling_rule,
]  # fmt: skip


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "telehealth"])
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.NAME))
def test_the_bundled_domains_are_clean(check: ModuleType, name: str) -> None:
    domain = Domain.load(name)
    claims = list(check.run(domain, StaticSolver(domain)))
    assert [claim.finding for claim in claims if claim.finding is not None] == []
    revising = any(rule.otherwise.value == "revise" for rule in domain.rules)
    assert claims or (check is refusal_without_exit and not revising)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: str(check.NAME))
def test_the_docstring_is_a_page(check: ModuleType) -> None:
    """A line, what it means, one faulty and one right policy, and what exactly is claimed."""
    page = check.__doc__ or ""
    first, empty, *_ = page.splitlines()
    assert first.endswith(".")
    assert empty == ""
    faulty, right, claim = page.index("\nFaulty:"), page.index("\nRight:"), page.index("\nClaim:")
    assert faulty < right < claim
    assert "\n    " in page[faulty:right]


def test_codes_and_names_are_their_own() -> None:
    assert sorted(check.CODE for check in CHECKS) == [f"LV30{n}" for n in range(1, 7)]
    assert all(check.__name__.rpartition(".")[2] == check.NAME for check in CHECKS)
