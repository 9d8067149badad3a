"""The bundled rule templates: what their examples say is what the gate does."""

import re
from pathlib import Path

import pytest
import yaml

from ledger_verify.checks import dead_action, vacuous_rule
from ledger_verify.checks.running.run import run_checks
from ledger_verify.generate.examples import run_examples
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.templates import Template, load_template

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = sorted((ROOT / "rules").glob("*.yaml"))
OF_DOMAINS = sorted((ROOT / "domains").glob("*/rules/*.yaml"))

DEMANDED = {
    "owned_by_user", "status_is_one_of", "payment_method_on_file",
    "refund_to_original_or_gift_card", "gift_card_covers_amount", "items_belong_to_record",
    "replacement_is_available_variant", "within_time_window", "amount_within_limit",
    "allowed_tools", "prerequisite_succeeded", "limit_per_session", "limit_per_window",
    "no_repeated_refusal", "value_was_observed", "owned_by_session_user",
}  # fmt: skip

# nothing that they read can be missing: a session knows its own calls
WITHOUT_MISSING = {"prerequisite_succeeded", "no_repeated_refusal"}


def _name(path: Path) -> str:
    return path.stem


def _template_words(template: Template) -> str:
    """All expressions and messages of a template, in which its parameters can be used."""
    document = template.document
    defaults = [p.default or "" for p in document.parameters.values()]
    parts = [*document.let.values(), document.when or "", document.require, document.message]
    return " ".join([*parts, *defaults])


def test_the_library_has_what_recurs() -> None:
    assert {path.stem for path in LIBRARY} >= DEMANDED


@pytest.mark.parametrize("path", [*LIBRARY, *OF_DOMAINS], ids=_name)
def test_examples_are_as_the_gate_says(path: Path) -> None:
    problems = [
        f"{result.scenario.location}: {result.example.name}: {result.problem}"
        for result in run_examples(load_template(path))
        if result.problem is not None
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("path", LIBRARY, ids=_name)
def test_examples_show_all_that_can_happen(path: Path) -> None:
    examples = load_template(path).document.examples
    assert len(examples) >= 3
    assert any(example.verdict == "ALLOW" for example in examples)
    assert any(example.truth in ("FALSE", "ERROR") for example in examples)
    missing = any(example.truth == "UNKNOWN" for example in examples)
    assert missing != (path.stem in WITHOUT_MISSING)


@pytest.mark.parametrize("path", [*LIBRARY, *OF_DOMAINS], ids=_name)
def test_every_parameter_is_typed_told_and_used(path: Path) -> None:
    template = load_template(path)
    words = _template_words(template)
    for name, parameter in template.document.parameters.items():
        assert parameter.type is not None, name
        assert parameter.description.strip(), name
        assert re.search(rf"\b{name}\b", words), f"`{name}` is not used"


@pytest.mark.parametrize("path", LIBRARY, ids=_name)
def test_the_page_says_what_happens_when_evidence_is_missing(path: Path) -> None:
    description = " ".join(load_template(path).document.description.split())
    assert re.search(r"was not read|Nothing can be missing|nothing read", description)


@pytest.mark.parametrize("path", LIBRARY, ids=_name)
def test_messages_of_refusals_name_what_is_wrong(path: Path) -> None:
    for result in run_examples(load_template(path)):
        if result.example.truth == "FALSE":
            assert result.message
            assert "<not observed>" not in result.message
            assert "<none>" not in result.message


def _mutants(template: Template) -> dict[str, dict[str, str]]:
    """The template's parts, each changed in one way that its examples must notice."""
    document = template.document
    require = " ".join(document.require.split())
    mutants = {"negated": {"require": f"!({require})"}, "dropped": {"require": "true"}}
    if document.when is not None:
        mutants["guard negated"] = {"when": f"!({document.when})"}
        mutants["guard dropped"] = {"when": "true"}
    for match in re.finditer(r"<=|>=|(?<![<>=-])[<>](?!=)", require):
        swapped = {"<=": "<", ">=": ">", "<": "<=", ">": ">="}[match.group()]
        changed = require[: match.start()] + swapped + require[match.end() :]
        mutants[f"{match.group()} at {match.start()}"] = {"require": changed}
    return mutants


@pytest.mark.parametrize("path", LIBRARY, ids=_name)
def test_the_examples_notice_every_change_of_the_rule(path: Path, tmp_path: Path) -> None:
    original = path.read_text(encoding="utf-8")
    unnoticed = []
    for what, change in _mutants(load_template(path)).items():
        text = original
        for part, value in change.items():
            replacement = f"{part}: {yaml.dump(value, default_style=chr(34), width=10_000)}"
            escaped = replacement.replace("\\", "\\\\")
            text = re.sub(rf"^{part}:.*?(?=^\w)", escaped, text, flags=re.M | re.S)
        mutant = tmp_path / path.name
        mutant.write_text(text, encoding="utf-8")
        if not any(result.problem for result in run_examples(load_template(mutant))):
            unnoticed.append(what)
    assert unnoticed == []


@pytest.mark.parametrize("path", LIBRARY, ids=_name)
def test_each_template_forbids_something_and_allows_something(path: Path) -> None:
    findings: dict[str, list[str]] = {}
    domains: dict[str, Domain] = {}
    for result in run_examples(load_template(path)):
        domains.setdefault(result.scenario.case.tool, result.domain)
    for tool, domain in domains.items():
        report = run_checks([domain], None, (dead_action, vacuous_rule))[0]
        findings[tool] = [finding.message for finding in report.findings]
    # a whitelist forbids nothing of a tool that it always lists
    assert [] in findings.values(), findings
