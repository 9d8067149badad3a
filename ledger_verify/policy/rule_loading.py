"""Rule documents to rules: expressions checked for each tool, templates filled in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ledger_verify.lang.check import check, check_predicate, check_text, require_bool
from ledger_verify.lang.environment import Environment, LedgerPattern, rule_environment
from ledger_verify.lang.errors import ExpressionError, InputError, Location, TypeProblem, near_match
from ledger_verify.lang.parse import parse
from ledger_verify.lang.syntax import Call, Name, Node, Select
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.documents import InvariantDocument, PolicyDocument, RuleDocument
from ledger_verify.policy.interpolate import Hole, split
from ledger_verify.policy.rules import Assumption, Invariant, Otherwise, Rule
from ledger_verify.policy.templates import TemplateLibrary
from ledger_verify.policy.tool_loading import unknown_tool
from ledger_verify.policy.tools import Tools
from ledger_verify.policy.yaml_file import DataPath, YamlFile


@dataclass(frozen=True)
class RuleLoader:
    """Reads the rules, assumptions and invariants of one `policy.yaml`."""

    file: YamlFile
    document: PolicyDocument
    tools: Tools
    ledger: Mapping[str, LedgerPattern]
    timezone: str
    templates: TemplateLibrary

    def rules(self) -> tuple[Rule, ...]:
        """One rule for each tool that a document names; raises `InputError` with the place."""
        out: list[Rule] = []
        seen: dict[str, int] = {}
        for index, document in enumerate(self.document.rules):
            path: DataPath = ("rules", index)
            id_ = document.id or document.use
            if id_ is None:
                raise self.file.error("a rule needs an `id`", path)
            if id_ in seen:
                where = (*path, "id" if document.id else "use")
                hint = None if document.id else "give each use of the template its own `id`"
                raise self.file.error(f"rule `{id_}` is defined twice", where, hint=hint)
            seen[id_] = index
            for tool in self._tools(document.tools, path):
                out.append(self._rule(id_, document, tool, path))
        return tuple(out)

    def _tools(self, names: list[str], path: DataPath) -> Iterator[str]:
        for position, name in enumerate(names):
            if name not in self.tools:
                problem = unknown_tool(name, self.tools)
                place = (*path, "tools", position)
                raise self.file.error(problem.message, place, hint=problem.hint)
            if name in names[:position]:
                raise self.file.error(f"`{name}` is named twice", (*path, "tools", position))
            yield name

    def _environment(self, tool: str) -> Environment:
        return rule_environment(self.tools[tool].arguments, self.ledger, self.timezone)

    def _rule(self, id_: str, document: RuleDocument, tool: str, path: DataPath) -> Rule:
        scope = self._environment(tool)
        if document.use is not None:
            return self._from_template(id_, document, tool, scope, path)
        if document.with_:
            raise self.file.error("`with` needs a template named by `use`", (*path, "with"))
        if document.require is None:
            raise self.file.error(f"rule `{id_}` needs a `require`", path)
        part = _Part(self.file, path, self._with_lets(scope, document.let, self.file, path))
        message = document.message or f"rule `{id_}` does not hold"
        return self._assemble(
            id_, tool, document, part, document.when, document.require, message,
            document.otherwise or "auto", self.file.locate(path),
        )  # fmt: skip

    def _from_template(
        self, id_: str, document: RuleDocument, tool: str, scope: Environment, path: DataPath
    ) -> Rule:
        assert document.use is not None
        try:
            template = self.templates.get(document.use)
        except InputError as problem:
            if problem.location is not None:
                raise
            raise self.file.error(problem.message, (*path, "use"), hint=problem.hint) from None
        for given in ("when", "require", "let"):
            if getattr(document, given):
                raise self.file.error(f"`{given}` comes from the template", (*path, given))
        parameters = template.document.parameters
        for name in document.with_:
            if name not in parameters:
                hint = near_match(name, parameters)
                error = self.file.error(
                    f"template `{document.use}` has no parameter `{name}`", (*path, "with", name), hint=hint
                )
                raise error
        bound: dict[str, Expr] = {}
        for name, parameter in parameters.items():
            text = document.with_.get(name, parameter.default)
            if text is None:
                raise self.file.error(
                    f"template `{document.use}` needs the parameter `{name}`", path,
                    hint=f"`{name}`: {parameter.description}",
                )  # fmt: skip
            given_here = name in document.with_
            file, where = (self.file, (*path, "with", name)) if given_here else (
                template.file, ("parameters", name, "default"))  # fmt: skip
            bound[name] = _Part(file, where, scope).expression(text)
        inner = self._with_lets(
            scope.with_lets(bound), template.document.let, template.file, ()
        )
        part = _Part(template.file, (), inner)
        try:
            return self._assemble(
                id_, tool, document, part, template.document.when, template.document.require,
                document.message or template.document.message,
                document.otherwise or template.document.otherwise, self.file.locate(path),
                _Part(self.file, path, inner) if document.message else part,
            )  # fmt: skip
        except InputError as problem:
            problem.hint = f"used by `{id_}` at {self.file.locate(path)}" + (
                f"; {problem.hint}" if problem.hint else ""
            )
            raise

    def _with_lets(
        self, scope: Environment, lets: Mapping[str, str], file: YamlFile, path: DataPath
    ) -> Environment:
        for name, text in lets.items():
            place = (*path, "let", name)
            if not name.isidentifier() or name in ("args", "ledger", "now", "call", "history"):
                raise file.error(f"`{name}` cannot be the name of a `let`", place)
            scope = scope.with_lets({name: _Part(file, place, scope).expression(text)})
        return scope

    def _assemble(
        self, id_: str, tool: str, document: RuleDocument, part: _Part, when: str | None,
        require: str, message: str, otherwise: str, location: Location,
        message_part: _Part | None = None,
    ) -> Rule:  # fmt: skip
        places = {"require": part.file.locate((*part.path, "require")), "rule": location}
        if when is not None:
            places["when"] = part.file.locate((*part.path, "when"))
        return Rule(
            id=id_,
            tool=tool,
            when=None if when is None else part.below("when").predicate(when),
            require=part.below("require").predicate(require),
            otherwise=Otherwise(otherwise),
            message=(message_part or part).below("message").message(message),
            clause=document.clause or "",
            location=location,
            places=places,
        )

    def assumptions(self) -> tuple[Assumption, ...]:
        """Facts over one record of a pattern (`ledger.x.all(r, ...)`) or over plain records."""
        out = []
        for index, text in enumerate(self.document.assumptions):
            path: DataPath = ("assumptions", index)
            scope = Environment(ledger=self.ledger, timezone=self.timezone)
            try:
                out.append(self._assumption(text, scope, self.file.locate(path)))
            except ExpressionError as problem:
                raise self.file.place(problem, path) from None
        return tuple(out)

    def _assumption(self, text: str, scope: Environment, location: Location) -> Assumption:
        node = parse(text)
        pattern = None
        if isinstance(node, Call) and node.function == "all" and len(node.arguments) == 2:
            pattern = self._collection(node.target)
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

    def _collection(self, node: Node | None) -> LedgerPattern | None:
        """The pattern of which `node` is the part before its keys, as in `ledger.reservations`."""
        names: list[str] = []
        while isinstance(node, Select):
            names.append(node.field_name)
            node = node.of
        if not isinstance(node, Name) or node.name != "ledger":
            return None
        prefix = tuple(reversed(names))
        for pattern in self.ledger.values():
            depth = len(pattern.segments) - len(pattern.keys)
            if pattern.keys and pattern.segments == (*prefix, *("*",) * len(pattern.keys)):
                assert depth == len(prefix)
                return pattern
        return None

    def invariants(self) -> tuple[Invariant, ...]:
        """One invariant for each tool that a document names."""
        out = []
        for index, document in enumerate(self.document.invariants):
            path: DataPath = ("invariants", index)
            for tool in self._tools(document.tools, path):
                out.append(self._invariant(document, tool, path))
        return tuple(out)

    def _invariant(self, document: InvariantDocument, tool: str, path: DataPath) -> Invariant:
        never = _Part(self.file, (*path, "never"), self._environment(tool)).predicate(document.never)
        return Invariant(document.id, tool, never, document.clause or "", self.file.locate(path))


@dataclass(frozen=True)
class _Part:
    """A place in a file with the scope of the expressions there."""

    file: YamlFile
    path: DataPath
    scope: Environment

    def below(self, key: str) -> _Part:
        return _Part(self.file, (*self.path, key), self.scope)

    def predicate(self, text: str) -> Expr:
        try:
            return check_predicate(text, self.scope)
        except ExpressionError as problem:
            raise self.file.place(problem, self.path) from None

    def expression(self, text: str) -> Expr:
        try:
            return check_text(text, self.scope)
        except ExpressionError as problem:
            raise self.file.place(problem, self.path) from None

    def message(self, text: str) -> tuple[str | Expr, ...]:
        try:
            pieces = split(text)
        except ExpressionError as problem:
            raise self.file.place(problem, self.path) from None
        return tuple(p if isinstance(p, str) else self._hole(p) for p in pieces)

    def _hole(self, hole: Hole) -> Expr:
        try:
            return check_text(hole.text, self.scope)
        except ExpressionError as problem:
            where = self.file.locate_within(self.path, hole.offset + problem.span.start)
            raise InputError(problem.message, location=where, hint=problem.hint) from None
