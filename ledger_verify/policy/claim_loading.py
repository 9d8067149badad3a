"""Assumptions and invariants: what a policy says of the world, and of all that it allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ledger_verify.lang.check import check, require_bool
from ledger_verify.lang.environment import (
    SESSION,
    Environment,
    LedgerPattern,
    rule_environment,
    session_names,
)
from ledger_verify.lang.errors import (
    ExpressionError,
    InputError,
    TextPlace,
    TypeProblem,
    UnknownName,
)
from ledger_verify.lang.ledger_path import collection
from ledger_verify.lang.parse import parse
from ledger_verify.lang.syntax import Call, Name
from ledger_verify.lang.types import RecordType
from ledger_verify.policy.documents import InvariantDocument, PolicyDocument
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.footprint import about_observation
from ledger_verify.policy.rules import Always, Assumption, Invariant
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
    session: RecordType | None

    def assumptions(self) -> tuple[Assumption, ...]:
        """Facts over each record of a pattern (`ledger.x.all(r, ...)`) or over plain records.

        Raises `InputError` with the place.
        """
        out = []
        for index, text in enumerate(self.document.assumptions):
            path: DataPath = ("assumptions", index)
            scope = Environment(ledger=self.ledger, timezone=self.timezone)
            out.append(self._statement(text, path, scope))
        return tuple(out)

    def _statement(self, text: str, path: DataPath, scope: Environment) -> Assumption:
        try:
            return self._assumption(text, scope, path)
        except ExpressionError as problem:
            if isinstance(problem, UnknownName) and problem.name == SESSION and self.session:
                problem.perhaps_text = False
                problem.hint = "an assumption is of the world, the same for every session"
            raise self.file.place(problem, path) from None

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

    def invariants(self) -> tuple[tuple[Invariant, ...], tuple[Always, ...]]:
        """What no allowed call may do, once for each tool that a document names; and what stays
        true in every sequence of calls. Raises `InputError`.
        """
        of_calls: list[Invariant] = []
        of_sequences: list[Always] = []
        seen: dict[str, DataPath] = {}
        for index, document in enumerate(self.document.invariants):
            path: DataPath = ("invariants", index)
            if document.id in seen:
                problem = f"invariant `{document.id}` is defined twice"
                hint = f"the first is at {self.file.locate(seen[document.id])}"
                raise self.file.error(problem, (*path, "id"), hint=hint)
            seen[document.id] = (*path, "id")
            if document.always is not None:
                of_sequences.append(self._always(document, document.always, path))
            else:
                of_calls += self._never(document, path)
        return tuple(of_calls), tuple(of_sequences)

    def _never(self, document: InvariantDocument, path: DataPath) -> Iterator[Invariant]:
        if document.initially is not None:
            problem = "`initially` says how the records of an `always` start"
            raise InputError(problem, location=self.file.locate_key((*path, "initially")))
        if document.tools is None or document.never is None:
            lacking = "never" if document.tools is not None else "tools"
            hint = "an invariant of calls has `tools` and `never`, one of sequences has `always`"
            raise self.file.error(f"invariant `{document.id}` lacks `{lacking}`", path, hint=hint)
        tools = tuple(self.names.known(document.tools, document.id, path))
        for tool in tools:
            arguments = self.tools[tool].arguments
            scope = rule_environment(
                arguments, self.ledger, self.timezone, self._history, tools, self.session
            )
            never = Place(self.file, (*path, "never"), scope).predicate(document.never)
            location = self.file.locate(path)
            yield Invariant(document.id, tool, never, document.clause or "", location)

    def _always(self, document: InvariantDocument, always: str, path: DataPath) -> Always:
        for key in ("tools", "never"):
            if getattr(document, key) is not None:
                problem = f"`{key}` does not go with `always`, which speaks of all calls"
                raise InputError(problem, location=self.file.locate_key((*path, key)))
        start = document.initially
        return Always(
            document.id,
            self._of_the_world(always, (*path, "always"), self._history),
            None if start is None else self._of_the_world(start, (*path, "initially")),
            document.clause or "",
            self.file.locate(path),
        )

    def _of_the_world(
        self, text: str, path: DataPath, history: Mapping[str, RecordType] | None = None
    ) -> Assumption:
        """A statement about the records as they are, whatever the agent has seen of them."""
        scope = Environment(
            session_names(self.session),
            ledger=self.ledger,
            timezone=self.timezone,
            history=history or {},
        )
        statement = self._statement(text, path, scope)
        problem = about_observation(statement.body)
        if problem is not None:
            raise self.file.place(problem, path)
        return statement

    @property
    def _history(self) -> dict[str, RecordType]:
        return {name: tool.arguments for name, tool in self.tools.items()}
