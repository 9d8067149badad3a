"""Rule documents to rules: expressions checked for each tool, templates filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ledger_verify.lang.environment import Environment, LedgerPattern, rule_environment
from ledger_verify.lang.errors import InputError, Location, near_match
from ledger_verify.lang.overloads import fits
from ledger_verify.lang.typed import And, Expr
from ledger_verify.lang.types import RecordType, Type, strip_null
from ledger_verify.policy.documents import ParameterType, PolicyDocument, RuleDocument
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.rules import Otherwise, Rule
from ledger_verify.policy.templates import Template, TemplateLibrary
from ledger_verify.policy.tool_names import ToolNames
from ledger_verify.policy.tools import Tools
from ledger_verify.policy.yaml_file import DataPath, YamlFile

_ARTICLES = {"integer": "an"}
_TAKEN = frozenset({"args", "call", "history", "ledger", "now"})


@dataclass(frozen=True)
class RuleLoader:
    """Reads the rules of one `policy.yaml`."""

    file: YamlFile
    document: PolicyDocument
    tools: Tools
    ledger: Mapping[str, LedgerPattern]
    timezone: str
    names: ToolNames
    session: RecordType | None
    templates: TemplateLibrary

    def rules(self) -> tuple[Rule, ...]:
        """One rule for each tool that a document names; raises `InputError` with the place."""
        out: list[Rule] = []
        seen: dict[str, DataPath] = {}
        for index, document in enumerate(self.document.rules):
            path: DataPath = ("rules", index)
            id_ = document.id or document.use
            if id_ is None:
                raise self.file.error("a rule needs an `id`", path)
            where = (*path, "id" if document.id else "use")
            if id_ in seen:
                hint = f"the first is at {self.file.locate(seen[id_])}"
                if not document.id:
                    hint += "; give each use of the template its own `id`"
                raise self.file.error(f"rule `{id_}` is defined twice", where, hint=hint)
            seen[id_] = where
            tools = tuple(self.names.known(document.tools, id_, path))
            out += [self._rule(id_, document, tool, tools, path) for tool in tools]
        return tuple(out)

    def _rule(
        self, id_: str, document: RuleDocument, tool: str, tools: tuple[str, ...], path: DataPath
    ) -> Rule:
        arguments = self.tools[tool].arguments
        history = {name: other.arguments for name, other in self.tools.items()}
        scope = rule_environment(
            arguments, self.ledger, self.timezone, history, tools, self.session
        )
        place = Place(self.file, path, scope)
        if document.use is not None:
            return self._from_template(id_, document, document.use, tool, place)
        if document.with_:
            raise place.below("with").error("`with` needs a template named by `use`")
        if document.require is None:
            raise place.error(f"rule `{id_}` needs a `require`")
        inner = with_lets(place, document.let)
        return Rule(
            id=id_,
            tool=tool,
            when=None if document.when is None else inner.below("when").predicate(document.when),
            require=inner.below("require").predicate(document.require),
            otherwise=Otherwise(document.otherwise or "auto"),
            message=_message(document, inner, f"rule `{id_}` does not hold"),
            clause=document.clause or "",
            location=self.file.locate(path),
            places=_places(inner, document.when),
            ignored=document.ignore,
        )

    def _from_template(
        self, id_: str, document: RuleDocument, use: str, tool: str, place: Place
    ) -> Rule:
        template = self._template(use, place)
        if document.require is not None:
            raise place.below("require").error("`require` comes from the template")
        own = with_lets(place, document.let)
        outside = Place(template.file, (), place.scope)
        try:
            bound = _parameters(template, document, own, outside)
            inner = with_lets(outside.within(place.scope.with_lets(bound)), template.document.let)
            when, require = template.document.when, template.document.require
            rule = Rule(
                id=id_,
                tool=tool,
                when=_guard(own, document.when, inner, when),
                require=inner.below("require").predicate(require),
                otherwise=Otherwise(document.otherwise or template.document.otherwise),
                message=inner.below("message").message(template.document.message),
                clause=document.clause or "",
                location=self.file.locate(place.path),
                places={**_places(inner, when), **_own_places(own, document.when)},
                template=use,
                ignored=document.ignore,
            )
        except InputError as problem:
            if problem.location is not None and problem.location.file == template.file.name:
                used = f"used by `{id_}` at {self.file.locate(place.path)}"
                problem.hint = f"{used}; {problem.hint}" if problem.hint else used
            raise
        if document.message is None:
            return rule
        scope = inner.scope.with_lets(own.scope.lets)
        told = place.within(scope).below("message").message(document.message)
        return replace(rule, message=told)

    def _template(self, use: str, place: Place) -> Template:
        try:
            return self.templates.get(use)
        except InputError as problem:
            if problem.location is not None:
                raise
            raise place.below("use").error(problem.message, hint=problem.hint) from None


def _parameters(
    template: Template, document: RuleDocument, place: Place, outside: Place
) -> dict[str, Expr]:
    """The template's parameters as expressions in the scope of the rule, out of the reach of the
    template's own names. A default sees the parameters before it.
    """
    parameters = template.document.parameters
    for name in document.with_:
        if name not in parameters:
            hint = near_match(name, parameters)
            where = place.file.locate_key((*place.path, "with", name))
            problem = f"template `{document.use}` has no parameter `{name}`"
            raise InputError(problem, location=where, hint=hint)
    bound: dict[str, Expr] = {}
    for name, parameter in parameters.items():
        declared = outside.below("parameters").below(name)
        _check_name(name, "a parameter", declared)
        given = document.with_.get(name)
        if given is not None:
            here, text = place.below("with").below(name), given
        elif parameter.default is not None:
            here, text = declared.below("default"), parameter.default
            here = here.within(outside.scope.with_lets(bound))
        else:
            raise place.error(
                f"template `{document.use}` needs the parameter `{name}`",
                hint=f"`{name}`: {parameter.description}",
            )
        bound[name] = here.expression(text)
        if parameter.type is not None and not _is_a(bound[name].type, parameter.type):
            raise here.error(
                f"parameter `{name}` of template `{template.document.name}` must be "
                f"{_ARTICLES.get(parameter.type, 'a')} {parameter.type}, not {bound[name].type}",
                hint=f"`{name}`: {parameter.description}",
            )
    return bound


def _is_a(type_: Type, wanted: ParameterType) -> bool:
    """Whether an expression of the type can be given for a parameter."""
    match wanted:
        case "record":
            return isinstance(strip_null(type_), RecordType)
        case "integer" | "boolean":
            return fits(type_, {"integer": "int", "boolean": "bool"}[wanted])
    return fits(type_, wanted)


def _guard(own: Place, when: str | None, inner: Place, template_when: str | None) -> Expr | None:
    """The rule's own guard and that of the template, both of which must hold."""
    guards = [
        place.below("when").predicate(text)
        for place, text in ((own, when), (inner, template_when))
        if text is not None
    ]
    return And(tuple(guards)) if len(guards) == 2 else next(iter(guards), None)


def _own_places(own: Place, when: str | None) -> dict[str, Location]:
    """The places of a template's use that stand in for those in the template."""
    places = {"rule": own.file.locate(own.path)}
    return places if when is None else {**places, "when": own.file.locate((*own.path, "when"))}


def _places(inner: Place, when: str | None) -> dict[str, Location]:
    parts = ["require"] if when is None else ["require", "when"]
    places = {part: inner.file.locate((*inner.path, part)) for part in parts}
    return {**places, "rule": inner.file.locate(inner.path)}


def _message(document: RuleDocument, inner: Place, fallback: str) -> tuple[str | Expr, ...]:
    if document.message is None:
        return (fallback,)
    return inner.below("message").message(document.message)


def with_lets(place: Place, lets: Mapping[str, str]) -> Place:
    """The place with the `let`s in scope; each sees those before it."""
    scope: Environment = place.scope
    for name, text in lets.items():
        here = Place(place.file, (*place.path, "let", name), scope)
        _check_name(name, "a `let`", here)
        scope = scope.with_lets({name: here.expression(text)})
    return place.within(scope)


def _check_name(name: str, what: str, place: Place) -> None:
    if not (name.isascii() and name.isidentifier()) or name in _TAKEN | set(place.scope.names):
        where = place.file.locate_key(place.path)
        raise InputError(f"`{name}` cannot be the name of {what}", location=where)
