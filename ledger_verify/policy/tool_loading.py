"""Tool documents to tools: their arguments, what they observe, what they touch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ledger_verify.lang.environment import KEY, Environment, LedgerPattern, session_names
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.lang.overloads import fits
from ledger_verify.lang.times import zone_named
from ledger_verify.lang.typed import Expr, FieldOf, Variable, walk
from ledger_verify.lang.types import (
    STRING,
    FieldType,
    ListType,
    RecordType,
    Type,
    join,
    strip_null,
)
from ledger_verify.policy.asking import load_asks
from ledger_verify.policy.complete import completed, refuse_circles
from ledger_verify.policy.documents import DomainDocument, ObservationDocument, ToolDocument
from ledger_verify.policy.effects import load_effects
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.failing import load_failing
from ledger_verify.policy.identity import identified_by
from ledger_verify.policy.ledger_loading import read_patterns, with_key_types
from ledger_verify.policy.path_templates import (
    inner_steps,
    key_expressions,
    match_template,
    refuse_key_field,
)
from ledger_verify.policy.session_facts import load_session
from ledger_verify.policy.text_shape import TextShape, load_text_shape
from ledger_verify.policy.tools import Effect, Failing, Observation, Tool, ToolKind, Touch
from ledger_verify.policy.type_notation import TypeReader
from ledger_verify.policy.yaml_file import YamlFile

_SOURCE = re.compile(r"result((?:\.[A-Za-z_][A-Za-z0-9_]*|\[\*\])*)")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[\*\]")


@dataclass(frozen=True)
class ToolLoader:
    """Reads the ledger and the tools of a `domain.yaml`."""

    file: YamlFile
    document: DomainDocument
    types: TypeReader

    @cached_property
    def session(self) -> RecordType | None:
        """The facts of a session; None where the domain declares none. Raises `InputError`."""
        return load_session(self.document.session, self.types)

    def load(self) -> tuple[dict[str, Tool], dict[str, LedgerPattern]]:
        """All tools, and the patterns with the key types that the tools give them.

        Raises `InputError` with the place.
        """
        documents = self.document.tools
        patterns = read_patterns(self.document.ledger, self.types, self.file)
        arguments = {name: self._arguments(name, tool) for name, tool in documents.items()}
        observed = {
            name: tuple(self._observations(name, tool, arguments[name], patterns))
            for name, tool in documents.items()
        }
        patterns = with_key_types(patterns, observed, self.file)
        for name, tool in documents.items():
            scope = self._scope(patterns, args=arguments[name])
            place = self._place(name, "observes", scope=scope)
            seen, returns = observed[name], self._returns(name, tool)
            observed[name] = completed(name, tool, seen, arguments[name], patterns, place, returns)
        tools = {}
        for name, tool in documents.items():
            touches = self._touches(name, tool, arguments[name], patterns)
            tools[name] = Tool(
                name,
                self._kind(name, tool),
                arguments[name],
                observed[name],
                touches,
                self._free(name, tool, arguments[name]),
                tool.description,
                load_asks(name, tool.asks, arguments[name], self.file, self.document.timezone),
                self._result(name, tool),
                tool.by == "user",
                tool.ignore,
                tuple(self._effects(name, tool, arguments[name], touches, patterns)),
                _about(touches),
                identified_by(name, tool.identifies, observed[name], patterns, self.file),
                self._failing(name, tool, arguments[name], observed[name], patterns),
            )
        refuse_circles(tools, self.file)
        return tools, patterns

    def _place(self, *path: str | int, scope: Environment, is_key: bool = False) -> Place:
        return Place(self.file, ("tools", *path), scope, is_key)

    def _scope(
        self, ledger: Mapping[str, LedgerPattern] | None = None, **names: Type
    ) -> Environment:
        names |= session_names(self.session)
        return Environment(names, ledger=ledger or {}, timezone=self.document.timezone)

    def _result(self, name: str, tool: ToolDocument) -> TextShape | None:
        if tool.result is None:
            return None
        return load_text_shape(tool.result, self.file, ("tools", name, "result"))

    def _failing(
        self, name: str, tool: ToolDocument, arguments: RecordType,
        observes: tuple[Observation, ...], patterns: Mapping[str, LedgerPattern],
    ) -> Failing | None:  # fmt: skip
        returns = self._returns(name, tool)
        if tool.failed is None:
            return None
        shape = self._result(name, tool)
        if shape is not None:
            returns = _groups(name, shape)
        scope = Environment({"args": arguments}, timezone=self.document.timezone)
        place = self._place(name, "failed", scope=scope)
        whole = [o.pattern for o in observes if not o.source and o.text is None]
        observed = patterns[whole[0]].record if whole else None
        return load_failing(tool.failed, place, returns, observed)

    def _returns(self, name: str, tool: ToolDocument) -> Type | None:
        """The type that the tool declares for its results, which something must read."""
        if tool.returns is None:
            return None
        path, seen = ("tools", name, "returns"), tool.observes.values()
        paged = any(isinstance(each, ObservationDocument) and each.more for each in seen)
        if not paged and (tool.failed is None or tool.result is not None):
            why = "only `failed` and `more` do" if tool.failed is None else "`result` is its form"
            where = self.file.locate_key(path)
            raise InputError(f"`{name}` has a `returns` that nothing reads: {why}", location=where)
        return self.types.read(tool.returns, f"result of {name}", path)

    def _text(
        self, document: ObservationDocument, pattern: LedgerPattern, place: Place
    ) -> TextShape | None:
        if document.text is None:
            return None
        shape = load_text_shape(document.text, self.file, (*place.path, "text"))
        record = strip_null(pattern.record)
        known = tuple(record.by_name) if isinstance(record, RecordType) else ("value",)
        unknown = [group for group in shape.groups if group not in known]
        if unknown:
            problem = f"group `{unknown[0]}` is no field of `{record}`"
            raise place.below("text").error(problem, hint=near_match(unknown[0], known))
        return shape

    def _arguments(self, name: str, tool: ToolDocument) -> RecordType:
        path = ("tools", name, "arguments")
        fields = self.types.fields(tool.arguments, "an argument", path)
        return RecordType(f"arguments of {name}", fields, closed=True)

    def _kind(self, name: str, tool: ToolDocument) -> ToolKind:
        kind = ToolKind(tool.kind)
        wrong = "observes" if tool.observes and kind is ToolKind.NEUTRAL else None
        if kind is not ToolKind.WRITE:
            wrong = "effects" if tool.effects else wrong
            wrong = "touches" if tool.touches else wrong
        if tool.by == "user" and kind is ToolKind.READ:
            where = self.file.locate_key(("tools", name, "by"))
            problem = f"`{name}`: what the person reads is not seen, so it is `neutral`"
            raise InputError(problem, location=where)
        if tool.by == "user" and tool.observes:
            where = self.file.locate_key(("tools", name, "observes"))
            problem = f"`{name}` is the user's: what its calls return is not seen by the agent"
            raise InputError(problem, location=where)
        if wrong is not None:
            only = {"observes": "read or a write observes", "touches": "write touches"}.get(wrong)
            only = f"only a {only or 'write has effects'}"
            where = self.file.locate_key(("tools", name, wrong))
            raise InputError(f"`{name}` is a {kind.value} tool: {only}", location=where)
        return kind

    def _observations(
        self, name: str, tool: ToolDocument, arguments: RecordType,
        patterns: Mapping[str, LedgerPattern],
    ) -> list[Observation]:  # fmt: skip
        out = []
        for template, value in tool.observes.items():
            args = self._scope(args=arguments)
            place = self._place(name, "observes", template, scope=args, is_key=True)
            document = value if isinstance(value, ObservationDocument) else None
            match = match_template(template, patterns, place)
            if match.steps or None in match.keys:
                raise place.error(f"`{template}` must name one record")
            scope = self._scope(args=arguments, item=match.pattern.record)
            keys = tuple(place.within(scope).hole(hole) for hole in match.keys if hole is not None)
            inside = self._place(name, "observes", template, scope=args)
            out.append(
                Observation(
                    match.pattern.text,
                    _source(document.source if document else str(value), inside),
                    keys,
                    _additions(document, match.pattern, inside) if document else (),
                    _condition(document.where, "where", inside.within(scope)) if document else None,
                    _condition(
                        document.when, "when", inside.within(self._scope(patterns, args=arguments))
                    )
                    if document
                    else None,
                    self._text(document, match.pattern, inside) if document else None,
                )
            )
        return out

    def _touches(
        self, name: str, tool: ToolDocument, arguments: RecordType,
        patterns: Mapping[str, LedgerPattern],
    ) -> tuple[Touch, ...]:  # fmt: skip
        out = []
        for index, value in enumerate(tool.touches):
            names: dict[str, Type] = {"args": arguments}
            shape = self._result(name, tool)
            if shape is not None:
                names["result"] = _groups(name, shape)
            scope = self._scope(patterns, **names)
            place = self._place(name, "touches", index, scope=scope)
            each: Expr | None = None
            template = value if isinstance(value, str) else value.path
            if not isinstance(value, str):
                each = place.below("each").expression(value.each)
                listed = strip_null(each.type)
                if not isinstance(listed, ListType):
                    raise place.below("each").error(f"`each` must be a list, not {each.type}")
                names["item"] = listed.item
                place = place.below("path").within(self._scope(patterns, **names))
            match = match_template(template, patterns, place)
            refuse_key_field(match, place)
            keys = key_expressions(match, place)
            out.append(Touch(match.pattern.text, keys, inner_steps(match, place), each))
        return tuple(out)

    def _effects(
        self, name: str, tool: ToolDocument, arguments: RecordType, touches: tuple[Touch, ...],
        patterns: Mapping[str, LedgerPattern],
    ) -> Iterator[Effect]:  # fmt: skip
        zone = zone_named(self.document.timezone)
        return load_effects(
            name, tool.effects, arguments, touches, patterns,
            self.file, self.document.timezone, zone, self.session,
        )  # fmt: skip

    def _free(self, name: str, tool: ToolDocument, arguments: RecordType) -> tuple[str, ...]:
        fixed = self._named_arguments(name, "fixed", tool.fixed, arguments)
        free = self._named_arguments(name, "free", tool.free, arguments)
        for index, argument in enumerate(tool.free):
            if argument in fixed:
                raise self.file.error(
                    f"`{name}`: `{argument}` is both `free` and `fixed`",
                    ("tools", name, "free", index),
                    hint="name it in one of them: a repair may change it, or it never does",
                )
        return tuple(name for name, _ in arguments.fields if name in free)

    def _named_arguments(
        self, name: str, key: str, listed: list[str], arguments: RecordType
    ) -> frozenset[str]:
        for index, argument in enumerate(listed):
            if argument not in arguments.by_name:
                raise self.file.error(
                    f"`{name}` has no argument `{argument}`",
                    ("tools", name, key, index),
                    hint=near_match(argument, arguments.by_name),
                )
        return frozenset(listed)


def _groups(name: str, shape: TextShape) -> RecordType:
    """What the form of a tool's text tells: its groups, each of which may have taken no part."""
    fields = tuple((group, FieldType(STRING, True)) for group in shape.groups)
    return RecordType(f"result of {name}", fields)


def _about(touches: tuple[Touch, ...]) -> frozenset[str]:
    """The arguments that key a touched record."""
    exprs: list[Expr] = []
    for touch in touches:
        keys = [key for key in touch.keys if key is not None]
        exprs += keys
        # a list says what the call is about only where its items are keys of records
        if touch.each is not None and any(_names(key, "item") for key in keys):
            exprs.append(touch.each)
    return frozenset[str]().union(*(_names(expr, "args") for expr in exprs))


def _source(text: str, place: Place) -> tuple[str, ...]:
    """The steps from the result to the records."""
    match = _SOURCE.fullmatch(text.replace(" ", ""))
    if match is None:
        expected = "expected `result`, `result[*]` or `result.name`"
        raise place.error(f"`{text}` does not lead to records, {expected}")
    return tuple(step or KEY for step in _STEP.findall(match.group(1)))


def _additions(
    document: ObservationDocument, pattern: LedgerPattern, place: Place
) -> tuple[tuple[str, Expr], ...]:
    """Fields to add, as expressions over the arguments."""
    out = []
    for name, text in document.set_.items():
        here = place.below("set").below(name)
        if not isinstance(pattern.record, RecordType):
            raise here.error("only fields of objects can be set")
        wanted = pattern.record.by_name.get(name)
        if wanted is None:
            hint = near_match(name, pattern.record.by_name)
            raise here.error(f"`{pattern.record}` has no field `{name}`", hint=hint)
        expr = here.expression(text)
        if join(wanted.type, expr.type) is None:
            raise here.error(f"`{name}` is {wanted.type}, not {expr.type}")
        out.append((name, expr))
    return tuple(out)


def _condition(text: str | None, key: str, place: Place) -> Expr | None:
    """The condition `when` or `where` of an observation."""
    if text is None:
        return None
    expr = place.below(key).expression(text)
    if not fits(strip_null(expr.type), "bool"):
        raise place.below(key).error(f"`{key}` must be a bool, not {expr.type}")
    return expr


def _names(expr: Expr, root: str) -> set[str]:
    """The fields of `root` that the expression reads; or `root` itself, where it is read whole."""
    found = set()
    for part in walk(expr):
        match part:
            case FieldOf(of=Variable(name=name), field_name=field) if name == root:
                found.add(field)
            case Variable(name=name) if name == root == "item":
                found.add(root)
    return found


def unknown_tool(name: str, tools: Mapping[str, Tool]) -> InputError:
    """The error for a tool that the domain does not have."""
    return InputError(f"unknown tool `{name}`", hint=near_match(name, tools))
