"""Assumptions and invariants: what a policy says of the world, and of all that it allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ledger_verify.lang.check import check, require_bool
from ledger_verify.lang.environment import Environment, LedgerPattern, rule_environment
from ledger_verify.lang.errors import ExpressionError, TextPlace, TypeProblem
from ledger_verify.lang.ledger_path import collection
from ledger_verify.lang.parse import parse
from ledger_verify.lang.syntax import Call, Name
from ledger_verify.policy.documents import PolicyDocument
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.rules import Assumption, Invariant
from ledger_verify.policy.tool_names import ToolNames
from ledger_verify.policy.tools import Tools
from ledger_verify.policy.yaml_file import DataPath, YamlFile


@dataclass(frozen=True)
class ClaimLoader:
    """Reads the assumptions and invariants of one `policy.yaml`."""

    file: YamlFile
    document: PolicyDocument
    tools: Tools
    ledger: Mapping[str, LedgerPattern]
    timezone: str
    names: ToolNames

    def assumptions(self) -> tuple[Assumption, ...]:
        """Facts over each record of a pattern (`ledger.x.all(r, ...)`) or over plain records.

        Raises `InputError` with the place.
        """
        out = []
        for index, text in enumerate(self.document.assumptions):
            path: DataPath = ("assumptions", index)
            scope = Environment(ledger=self.ledger, timezone=self.timezone)
            try:
                out.append(self._assumption(text, scope, path))
            except ExpressionError as problem:
                raise self.file.place(problem, path) from None
        return tuple(out)

    def _assumption(self, text: str, scope: Environment, path: DataPath) -> Assumption:
        location = self.file.locate(path)
        node = parse(text, TextPlace(self.file.name, path))
        pattern = None
        if isinstance(node, Call) and node.function == "all" and len(node.arguments) == 2:
            pattern = collection(node.target, scope)
        if pattern is None:
            body = check(node, scope)
            require_bool(body)
            return Assumption(text, body, location)
        assert isinstance(node, Call)
        variable_node = node.arguments[0]
        if not isinstance(variable_node, Name):
            raise TypeProblem("`all` takes a variable and an expression", node.span)
        inner, variable = scope.inside_macro(variable_node.name, pattern.record)
        body = check(node.arguments[1], inner)
        require_bool(body)
        return Assumption(text, body, location, pattern.text, variable)

    def invariants(self) -> tuple[Invariant, ...]:
        """One invariant for each tool that a document names; raises `InputError`."""
        out = []
        seen: set[str] = set()
        for index, document in enumerate(self.document.invariants):
            path: DataPath = ("invariants", index)
            if document.id in seen:
                problem = f"invariant `{document.id}` is defined twice"
                raise self.file.error(problem, (*path, "id"))
            seen.add(document.id)
            for tool in self.names.known(document.tools, document.id, path):
                history = {name: other.arguments for name, other in self.tools.items()}
                arguments = self.tools[tool].arguments
                scope = rule_environment(arguments, self.ledger, self.timezone, history)
                never = Place(self.file, (*path, "never"), scope).predicate(document.never)
                location = self.file.locate(path)
                out.append(Invariant(document.id, tool, never, document.clause or "", location))
        return tuple(out)
