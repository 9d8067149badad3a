"""Tool documents to tools: argument types, path templates, and the key types of the ledger."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import KEY, Environment, LedgerPattern
from ledger_verify.lang.errors import ExpressionError, InputError, near_match
from ledger_verify.lang.overloads import fits
from ledger_verify.lang.typed import Expr, FieldOf, Variable, walk
from ledger_verify.lang.types import (
    STRING,
    FieldType,
    ListType,
    MapType,
    RecordType,
    Type,
    join,
    strip_null,
)
from ledger_verify.policy.documents import DomainDocument, ObservationDocument, ToolDocument
from ledger_verify.policy.interpolate import Hole, split
from ledger_verify.policy.tools import Observation, Tool, ToolKind, Touch
from ledger_verify.policy.type_notation import read_type
from ledger_verify.policy.yaml_file import DataPath, YamlFile

_SOURCE = re.compile(r"result((?:\.[A-Za-z_][A-Za-z0-9_]*|\[\*\])*)")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)|\[\*\]")


@dataclass(frozen=True)
class ToolLoader:
    """Reads the tools of a `domain.yaml`; `schema_names` are the types of `schema.yaml`."""

    file: YamlFile
    document: DomainDocument
    definitions: Mapping[str, Any]

    def patterns(self) -> dict[str, LedgerPattern]:
        """The ledger's patterns, their keys typed as strings for now."""
        patterns: dict[str, LedgerPattern] = {}
        for text, notation in self.document.ledger.items():
            path: DataPath = ("ledger", text)
            segments = text.split(".")
            if not all(re.fullmatch(r"\*|[A-Za-z_][A-Za-z0-9_]*", s) for s in segments) or (
                segments[0] == KEY
            ):
                error = self.file.error(
                    f"`{text}` is not a path such as `user` or `reservations.*`", path
                )
                error.location = self.file.locate_key(path)
                raise error
            record = read_type(notation, self.definitions, text, self.file, path)
            keys: tuple[Type, ...] = tuple(STRING for s in segments if s == KEY)
            patterns[text] = LedgerPattern(text, keys, record)
        for text in patterns:
            for other in patterns:
                if other.startswith(f"{text}."):
                    raise self.file.error(f"`{other}` lies inside the record `{text}`", ("ledger", other))
        return patterns

    def arguments(self, name: str) -> RecordType:
        """The record type of a tool's arguments."""
        fields = []
        for key, notation in self.document.tools[name].arguments.items():
            path = ("tools", name, "arguments", key)
            type_ = read_type(notation, self.definitions, key, self.file, path)
            fields.append((key.removesuffix("?"), FieldType(type_, optional=key.endswith("?"))))
        return RecordType(f"arguments of {name}", tuple(fields), closed=True)

    def load(self) -> tuple[dict[str, Tool], dict[str, LedgerPattern]]:
        """All tools, and the patterns with the key types that the tools give them."""
        patterns = self.patterns()
        arguments = {name: self.arguments(name) for name in self.document.tools}
        observed: dict[str, tuple[Observation, ...]] = {}
        for name, tool in self.document.tools.items():
            observed[name] = self._observations(name, tool, arguments[name], patterns)
        patterns = self._with_key_types(patterns, observed)
        tools = {}
        for name, tool in self.document.tools.items():
            touches = self._touches(name, tool, arguments[name], patterns)
            kind = ToolKind(tool.kind)
            self._check_kind(name, tool, kind)
            fixed = self._fixed(name, tool, arguments[name], touches)
            tools[name] = Tool(
                name, kind, arguments[name], observed[name], touches, fixed, tool.description
            )
        return tools, patterns

    def _check_kind(self, name: str, tool: ToolDocument, kind: ToolKind) -> None:
        if tool.observes and kind is not ToolKind.READ:
            raise self.file.error(
                f"`{name}` is a {kind.value} tool: only a read observes", ("tools", name, "observes")
            )
        if tool.touches and kind is not ToolKind.WRITE:
            raise self.file.error(
                f"`{name}` is a {kind.value} tool: only a write touches", ("tools", name, "touches")
            )

    def _observations(
        self,
        name: str,
        tool: ToolDocument,
        arguments: RecordType,
        patterns: Mapping[str, LedgerPattern],
    ) -> tuple[Observation, ...]:
        out = []
        for template, value in tool.observes.items():
            path: DataPath = ("tools", name, "observes", template)
            source = value.source if isinstance(value, ObservationDocument) else value
            additions = value.set_ if isinstance(value, ObservationDocument) else {}
            match = _SOURCE.fullmatch(source.replace(" ", ""))
            if match is None:
                raise self.file.error(
                    f"`{source}` does not lead to records, expected `result`, `result[*]` or "
                    "`result.name`",
                    path,
                )
            steps = tuple(step or KEY for step in _STEP.findall(match.group(1)))
            pattern, holes, rest = self._match_template(template, patterns, path)
            if rest or None in holes:
                raise self.file.error(f"`{template}` must name one record", path)
            scope = Environment(
                {"args": arguments, "item": pattern.record}, timezone=self.document.timezone
            )
            keys = tuple(self._check(hole, scope, path) for hole in holes if hole is not None)
            extra = []
            for field, text in additions.items():
                place: DataPath = (*path, "set", field)
                if not isinstance(pattern.record, RecordType):
                    raise self.file.error("only fields of objects can be set", place)
                wanted = pattern.record.by_name.get(field)
                if wanted is None:
                    hint = near_match(field, pattern.record.by_name)
                    raise self.file.error(f"`{pattern.record}` has no field `{field}`", place, hint=hint)
                expr = self._check_expr(text, replace(scope, names={"args": arguments}), place)
                if join(wanted.type, expr.type) is None:
                    raise self.file.error(f"`{field}` is {wanted.type}, not {expr.type}", place)
                extra.append((field, expr))
            where = None
            if isinstance(value, ObservationDocument) and value.where is not None:
                where = self._check_expr(value.where, scope, (*path, "where"))
                if not fits(where.type, "bool"):
                    raise self.file.error(f"`where` must be a bool, not {where.type}", path)
            out.append(Observation(pattern.text, steps, keys, tuple(extra), where))
        return tuple(out)

    def _touches(
        self,
        name: str,
        tool: ToolDocument,
        arguments: RecordType,
        patterns: Mapping[str, LedgerPattern],
    ) -> tuple[Touch, ...]:
        out = []
        for index, value in enumerate(tool.touches):
            path: DataPath = ("tools", name, "touches", index)
            scope = Environment({"args": arguments}, timezone=self.document.timezone)
            each: Expr | None = None
            template = value if isinstance(value, str) else value.path
            if not isinstance(value, str):
                each = self._check_expr(value.each, scope, (*path, "each"))
                listed = strip_null(each.type)
                if not isinstance(listed, ListType):
                    raise self.file.error(f"`each` must be a list, not {each.type}", (*path, "each"))
                scope = replace(scope, names={"args": arguments, "item": listed.item})
                path = (*path, "path")
            pattern, holes, rest = self._match_template(template, patterns, path)
            within = self._within(pattern.record, rest, scope, path)
            keys = tuple(None if hole is None else self._check(hole, scope, path) for hole in holes)
            for key, wanted in zip(keys, pattern.keys, strict=True):
                if key is not None and join(strip_null(key.type), wanted) is None:
                    raise self.file.error(f"`{pattern.text}` is keyed by {wanted} here", path)
            out.append(Touch(pattern.text, keys, within, each))
        return tuple(out)

    def _within(
        self, type_: Type, steps: tuple[str | Hole, ...], scope: Environment, path: DataPath
    ) -> tuple[str | Expr, ...]:
        """Steps into a record: fields of records, keys of maps."""
        out: list[str | Expr] = []
        for step in steps:
            match strip_null(type_):
                case RecordType(by_name=known) as record if isinstance(step, str):
                    if step not in known:
                        hint = near_match(step, known)
                        raise self.file.error(f"`{record}` has no field `{step}`", path, hint=hint)
                    type_ = known[step].type
                    out.append(step)
                case MapType(value=value):
                    type_ = value
                    out.append(step if isinstance(step, str) else self._check(step, scope, path))
                case _:
                    shown = step.text if isinstance(step, Hole) else step
                    raise self.file.error(f"nothing named `{shown}` in {type_}", path)
        return tuple(out)

    def _fixed(
        self, name: str, tool: ToolDocument, arguments: RecordType, touches: tuple[Touch, ...]
    ) -> frozenset[str]:
        for index, argument in enumerate(tool.fixed):
            if argument not in arguments.by_name:
                raise self.file.error(
                    f"`{name}` has no argument `{argument}`",
                    ("tools", name, "fixed", index),
                    hint=near_match(argument, arguments.by_name),
                )
        exprs: list[Expr] = []
        for touch in touches:
            keys = [key for key in touch.keys if key is not None]
            exprs += keys
            # a list fixes the call only where its items are keys of records
            if touch.each is not None and any(_reads_item(key) for key in keys):
                exprs.append(touch.each)
        named = {
            part.field_name
            for expr in exprs
            for part in walk(expr)
            if isinstance(part, FieldOf) and isinstance(part.of, Variable) and part.of.name == "args"
        }
        return frozenset(tool.fixed) | named

    def _match_template(
        self, template: str, patterns: Mapping[str, LedgerPattern], path: DataPath
    ) -> tuple[LedgerPattern, tuple[Hole | None, ...], tuple[str | Hole, ...]]:
        """The pattern that a template fills, the holes of its keys, and segments beyond it."""
        try:
            pieces = split(template)
        except ExpressionError as problem:
            raise self.file.error(problem.message, path, hint=problem.hint) from None
        segments: list[str | Hole] = []
        for piece in pieces:
            if isinstance(piece, Hole):
                segments.append(piece)
            else:
                segments += [part for part in piece.split(".") if part]
        for pattern in patterns.values():
            wanted = pattern.segments
            if len(segments) >= len(wanted) and all(
                want == KEY if isinstance(have, Hole) or have == KEY else want == have
                for have, want in zip(segments, wanted, strict=False)
            ):
                keys = tuple(
                    have if isinstance(have, Hole) else None
                    for have, want in zip(segments, wanted, strict=False)
                    if want == KEY
                )
                return pattern, keys, tuple(segments[len(wanted) :])
        shape = ".".join(KEY if isinstance(segment, Hole) else segment for segment in segments)
        raise self.file.error(
            f"`{shape}` is not a path of the ledger", path, hint=near_match(shape, patterns)
        )

    def _with_key_types(
        self,
        patterns: Mapping[str, LedgerPattern],
        observed: Mapping[str, tuple[Observation, ...]],
    ) -> dict[str, LedgerPattern]:
        typed = dict(patterns)
        seen: set[str] = set()
        for name, observations in observed.items():
            for observation in observations:
                pattern = typed[observation.pattern]
                found = tuple(strip_null(key.type) for key in observation.keys)
                if pattern.text in seen and not _same_kinds(found, pattern.keys):
                    shown = ", ".join(map(str, found))
                    raise self.file.error(
                        f"`{name}` keys `{pattern.text}` by ({shown}), another tool by "
                        f"({', '.join(map(str, pattern.keys))})",
                        ("tools", name, "observes"),
                    )
                keys = found if pattern.text not in seen else pattern.keys
                typed[pattern.text] = replace(pattern, keys=keys)
                seen.add(pattern.text)
        return typed

    def _check(self, hole: Hole, scope: Environment, path: DataPath) -> Expr:
        return self._check_expr(hole.text, scope, path)

    def _check_expr(self, text: str, scope: Environment, path: DataPath) -> Expr:
        try:
            return check_text(text, scope)
        except ExpressionError as problem:
            error = self.file.error(f"`{text}`: {problem.message}", path, hint=problem.hint)
            error.location = self.file.locate_key(path)
            raise error from None


def _reads_item(expr: Expr) -> bool:
    return any(isinstance(part, Variable) and part.name == "item" for part in walk(expr))


def _same_kinds(left: tuple[Type, ...], right: tuple[Type, ...]) -> bool:
    return all(type(a) is type(b) for a, b in zip(left, right, strict=True))


def unknown_tool(name: str, tools: Mapping[str, Tool]) -> InputError:
    """The error for a tool that the domain does not have."""
    return InputError(f"unknown tool `{name}`", hint=near_match(name, tools))
