"""The documents behind the rules of a domain, for checks of what loading leaves no trace of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ledger_verify.policy.documents import PolicyDocument, RuleDocument, validate
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.yaml_file import DataPath


@dataclass(frozen=True)
class WrittenRule:
    """A rule as it stands at `path` of `policy.yaml`; `tools` are those that the domain has."""

    id: str
    path: DataPath
    document: RuleDocument
    tools: tuple[str, ...]


def written_rules(domain: Domain) -> Iterator[WrittenRule]:
    """The rules of the policy, without those of which the domain has no tool."""
    if "policy" not in domain.sources:
        return
    policy = validate(PolicyDocument, domain.sources["policy"])
    for index, document in enumerate(policy.rules):
        tools = tuple(name for name in document.tools if name in domain.tools)
        if tools:
            yield WrittenRule(str(document.id or document.use), ("rules", index), document, tools)
