"""The checks of evidence on the bundled domains and on the examples of the rule templates."""

from pathlib import Path

import pytest

from ledger_verify.checks.catalog import selected
from ledger_verify.checks.evidence.model import evidence_model
from ledger_verify.checks.running.run import run_checks
from ledger_verify.generate.examples import run_examples
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.templates import load_template

EVIDENCE = selected(["LV3"])
LIBRARY = sorted((Path(__file__).resolve().parents[2] / "rules").glob("*.yaml"))


@pytest.mark.parametrize("name", ["airline", "retail", "telecom", "telehealth"])
def test_the_bundled_domains_are_clean(name: str) -> None:
    domain = Domain.load(name)
    (report,) = run_checks([domain], checks=EVIDENCE)
    assert report.findings == ()
    revising = any(rule.otherwise.value == "revise" for rule in domain.rules)
    for summary in report.checked:
        assert summary.proved or (summary.check == "refusal_without_exit" and not revising)


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_the_examples_of_templates_are_clean(path: Path) -> None:
    for result in run_examples(load_template(path)):
        (report,) = run_checks([result.domain], checks=EVIDENCE)
        assert report.findings == ()


def test_the_model_of_a_domain_is_made_once() -> None:
    domain, other = Domain.load("retail"), Domain.load("telecom")
    model = evidence_model(domain)
    assert evidence_model(domain) is model
    assert evidence_model(other).domain is other
    assert evidence_model(domain).domain is domain
