"""The examples of a rule template: its tiny domain, and what the gate says of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ledger_verify.gate.gate import Gate
from ledger_verify.gate.verdict import Verdict
from ledger_verify.generate.scenario import Scenario, read_scenario, run_scenario
from ledger_verify.lang.errors import InputError
from ledger_verify.policy.documents import ExampleDocument, ExampleDomainDocument
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.templates import Template
from ledger_verify.policy.type_notation import record_schema
from ledger_verify.policy.yaml_file import DataPath

_NO_CLOCK = "2000-01-01T00:00:00"


@dataclass(frozen=True)
class ExampleResult:
    """One example; `problem` says what was not as expected, None if all was."""

    example: ExampleDocument
    domain: Domain
    scenario: Scenario
    verdict: Verdict | None
    problem: str | None

    @property
    def message(self) -> str:
        """What the rule says of the call; empty where it holds."""
        reports = self.verdict.rules if self.verdict is not None else ()
        return next((report.message for report in reports), "")


def run_examples(template: Template) -> Iterator[ExampleResult]:
    """The examples of a template, each through the gate; the template is the only rule.

    Raises `InputError` with the place of an example that cannot be run.
    """
    document = template.document
    if document.examples and document.domain is None:
        raise template.file.error("`examples` need a `domain`", ("examples",))
    for index, example in enumerate(document.examples):
        assert document.domain is not None
        yield _run(template, document.domain, example, ("examples", index))


def _run(
    template: Template, common: ExampleDomainDocument, example: ExampleDocument, path: DataPath
) -> ExampleResult:
    name = template.document.name
    try:
        domain = _domain(template, common, example)
        data = {
            **example.model_dump(exclude_none=True, exclude={"with_", "verdict", "truth"}),
            "expect": {"verdict": example.verdict, "rules": {name: example.truth}},
        }
        scenario = read_scenario(template.file, data, path, domain)
    except InputError as problem:
        if problem.location is not None and problem.location.file == template.file.name:
            raise
        told = f"example `{example.name}`: {problem.message}"
        raise template.file.error(told, path, hint=problem.hint) from None
    result = run_scenario(Gate(domain, explain_ms=None), scenario)
    return ExampleResult(example, domain, scenario, result.verdict, result.problem)


def _domain(template: Template, common: ExampleDomainDocument, example: ExampleDocument) -> Domain:
    """The tiny domain, in which the template judges calls of the example's tool."""
    name = template.document.name
    tools = {
        key: tool.model_dump(by_alias=True, exclude_defaults=True) | {"kind": tool.kind}
        for key, tool in common.tools.items()
    }
    tool = example.call.get("tool", example.call.get("name"))
    use = {"use": name, "tools": [tool], "with": {**common.with_, **example.with_}}
    return Domain.define(
        name,
        definitions={key: record_schema(fields) for key, fields in common.types.items()},
        session=common.session,
        ledger=common.ledger,
        tools=tools,
        rules=[use] if isinstance(tool, str) else [],
        timezone=common.timezone,
        clock=common.clock or _NO_CLOCK,
        rule_folders=[Path(template.file.name).parent],
    )
