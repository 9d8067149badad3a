"""YAML with the position of every key and value kept.

Scalars follow the YAML 1.2 core schema: `yes`, `no`, dates and `1_000` are strings, as in JSON.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from ledger_verify.lang.errors import (
    ExpressionError,
    InputError,
    Location,
    SyntaxProblem,
    UnknownName,
)
from ledger_verify.policy.yaml_traps import bare_text_hint, quoting_hint

DataPath = tuple[str | int, ...]
_MAX_BYTES = 10_000_000
_MAX_DIGITS = 330
_ESCAPED_SPACE = frozenset(" \n\tnrtvfLPN_")
_COMMENT = re.compile(r"[ \t]+#")
_INTEGER = re.compile(r"[-+]?[0-9]+")


class _CoreLoader(yaml.SafeLoader):
    """SafeLoader with the implicit types of YAML 1.2 only."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _CoreLoader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"^(?:{_pattern})$"), list(_first)
    )


def _number(loader: yaml.SafeLoader, node: yaml.Node) -> int | float | Decimal:
    """A float only where it is exactly the number that stands there."""
    assert isinstance(node, yaml.ScalarNode)
    try:
        if _INTEGER.fullmatch(node.value) and len(node.value) <= _MAX_DIGITS:
            return int(node.value)
        exact = Decimal(node.value)
        if abs(exact.adjusted()) > _MAX_DIGITS:
            raise ValueError
        near = float(exact)
        return near if Decimal(repr(near)) == exact else exact
    except (ValueError, ArithmeticError):
        problem = "a number beyond all bounds"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark) from None


for _tag in ("int", "float"):
    _CoreLoader.add_constructor(f"tag:yaml.org,2002:{_tag}", _number)


class _CoreDumper(yaml.SafeDumper):
    """Writes what `_CoreLoader` reads back unchanged."""

    yaml_implicit_resolvers = _CoreLoader.yaml_implicit_resolvers


def yaml_text(data: Any) -> str:
    """YAML text of plain data; raises `InputError` for anything else."""
    try:
        return str(yaml.dump(data, Dumper=_CoreDumper, sort_keys=False, allow_unicode=True))
    except yaml.YAMLError as problem:
        raise InputError(f"only plain data can be written as YAML: {problem}") from None


def yaml_inline(data: Any) -> str:
    """Plain data as YAML on one line, as it can stand in a mapping."""
    text = yaml.dump(
        data, Dumper=_CoreDumper, sort_keys=False, allow_unicode=True, default_flow_style=True,
        width=float("inf"),
    )  # fmt: skip
    return str(text).removesuffix("...\n").strip()


@dataclass(frozen=True)
class YamlFile:
    """A parsed file: its data, and where each part of it stands."""

    name: str
    text: str
    data: Any
    _nodes: Mapping[DataPath, yaml.Node] = field(repr=False)
    _keys: Mapping[DataPath, yaml.Node] = field(repr=False)

    def at(self, path: DataPath) -> Any:
        """The data at `path`, which must exist."""
        data = self.data
        for step in path:
            data = data[step]
        return data

    def source(self, path: DataPath) -> str:
        """The text that stands for the value at `path`; empty for one that has none."""
        node = self._nodes[path]
        return self.text[node.start_mark.index : node.end_mark.index].rstrip()

    def locate(self, path: DataPath) -> Location:
        """The place of the value at `path`, or of the nearest thing above it that exists."""
        for end in range(len(path), -1, -1):
            node = self._nodes.get(path[:end])
            if node is not None:
                return self._location(node.start_mark)
        return Location(self.name, 1, 1)

    def locate_key(self, path: DataPath) -> Location:
        """The place of the key at the end of `path`."""
        node = self._keys.get(path)
        return self.locate(path) if node is None else self._location(node.start_mark)

    def locate_within(self, path: DataPath, offset: int, *, is_key: bool = False) -> Location:
        """The place of the character at `offset` of the string at `path`, or of that key."""
        node = (self._keys if is_key else self._nodes).get(path)
        if not isinstance(node, yaml.ScalarNode):
            return self.locate(path)
        return self._place(_file_offset(self.text, node, offset))

    def locate_after(self, path: DataPath, offset: int, *, is_key: bool = False) -> Location:
        """The place behind the character before `offset` of what stands at `path`."""
        node = (self._keys if is_key else self._nodes).get(path)
        if not isinstance(node, yaml.ScalarNode):
            return self.locate(path)
        at = _file_offset(self.text, node, max(0, offset - 1))
        return self._place(at + _width(self.text, node, at))

    def _place(self, at: int) -> Location:
        line = self.text.count("\n", 0, at) + 1
        return Location(self.name, line, at - (self.text.rfind("\n", 0, at) + 1) + 1)

    def error(self, message: str, path: DataPath, *, hint: str | None = None) -> InputError:
        """An error about the value at `path`."""
        return InputError(message, location=self.locate(path), hint=hint)

    def place(
        self, problem: ExpressionError, path: DataPath, offset: int = 0, *, is_key: bool = False
    ) -> InputError:
        """The error of an expression, with its place in the file: it stands at `offset` of the
        string at `path`, or of that key.
        """
        where = self.locate_within(path, offset + problem.span.start, is_key=is_key)
        hint = problem.hint
        node = None if is_key else self._nodes.get(path)
        if isinstance(node, yaml.ScalarNode):
            hint = self._text_hint(problem, node, offset) or hint
        return InputError(problem.message, location=where, hint=hint)

    def _text_hint(
        self, problem: ExpressionError, node: yaml.ScalarNode, offset: int
    ) -> str | None:
        """The remedy where the trouble is how an expression stands in YAML."""
        text, is_syntax = node.value, isinstance(problem, SyntaxProblem)
        to_end = offset + problem.span.end >= len(text.rstrip())
        if (
            is_syntax
            and to_end
            and not node.style
            and _COMMENT.match(self.text, node.end_mark.index)
        ):
            return "` #` begins a comment in YAML: put the whole text in quotes"
        is_name = isinstance(problem, UnknownName) and problem.perhaps_text
        if offset or not (is_syntax or is_name):
            return None
        return bare_text_hint(text)

    def _location(self, mark: yaml.Mark) -> Location:
        return Location(self.name, mark.line + 1, mark.column + 1)


def _file_offset(text: str, node: yaml.ScalarNode, offset: int) -> int:
    """Follow the value through the source, where it is folded, indented or quoted."""
    position, end = node.start_mark.index, node.end_mark.index
    if node.style in ("|", ">"):
        position = text.index("\n", position)
    elif node.style in ("'", '"'):
        position, end = position + 1, end - 1
    escapes = node.style == '"'
    for char in node.value[:offset]:
        if char.isspace():
            continue
        position = _past_space(text, position, end, escapes)
        position += _width(text, node, position)
    return min(_past_space(text, position, end, escapes), end)


def _past_space(text: str, position: int, end: int, escapes: bool) -> int:
    """Skip white space, and the escapes that stand for it or for nothing."""
    while position < end:
        if text[position].isspace():
            position += 1
        elif escapes and text[position] == "\\" and text[position + 1] in _ESCAPED_SPACE:
            position += 2
        else:
            break
    return position


def _width(text: str, node: yaml.ScalarNode, position: int) -> int:
    """How many characters of the source stand for the one of the value at the position."""
    char = text[position : position + 1]
    if node.style == '"' and char == "\\":
        return {"x": 4, "u": 6, "U": 10}.get(text[position + 1 : position + 2], 2)
    return 2 if node.style == "'" and char == "'" else 1


def read_yaml(path: Path) -> YamlFile:
    """Read a YAML file; raises `InputError` with the place of what is malformed."""
    try:
        raw = path.read_bytes()
    except OSError as problem:
        raise InputError(f"cannot read `{path}`: {problem.strerror or problem}") from None
    if len(raw) > _MAX_BYTES:
        raise InputError(f"`{path}` is larger than {_MAX_BYTES} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        good = raw[: problem.start].decode("utf-8-sig", errors="replace")
        line, column = good.count("\n") + 1, len(good) - good.rfind("\n")
        raise InputError(
            f"not UTF-8: {problem.reason} at byte {problem.start}",
            location=Location(str(path), line, column),
            hint="YAML files are UTF-8; convert it",
        ) from None
    return parse_yaml(text, str(path))


def parse_yaml(text: str, name: str) -> YamlFile:
    """Parse YAML text; `name` stands for the file in errors. Raises `InputError`."""
    try:
        loader = _CoreLoader(text)
    except yaml.reader.ReaderError as problem:
        line = text.count("\n", 0, problem.position) + 1
        column = problem.position - text.rfind("\n", 0, problem.position)
        where = Location(name, line, column)
        raise InputError(f"malformed YAML: {problem.reason}", location=where) from None
    try:
        root = loader.get_single_node()
        if root is None:
            raise InputError("the file is empty", location=Location(name, 1, 1))
        nodes: dict[DataPath, yaml.Node] = {}
        keys: dict[DataPath, yaml.Node] = {}
        data = _build(loader, root, (), nodes, keys, name)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        where = Location(name, mark.line + 1, mark.column + 1) if mark else Location(name, 1, 1)
        hint = quoting_hint(text, mark.index) if mark else None
        if hint is None and "'?'" in str(problem.problem):
            hint = 'a name with `?` in `{...}` or `[...]` needs quotes: `"name?"`'
        raise InputError(f"malformed YAML: {problem.problem}", location=where, hint=hint) from None
    except yaml.YAMLError as problem:
        raise InputError(f"malformed YAML: {problem}", location=Location(name, 1, 1)) from None
    except RecursionError:
        raise InputError("YAML is nested too deeply", location=Location(name, 1, 1)) from None
    finally:
        loader.dispose()
    return YamlFile(name, text, data, nodes, keys)


def _build(
    loader: _CoreLoader,
    node: yaml.Node,
    path: DataPath,
    nodes: dict[DataPath, yaml.Node],
    keys: dict[DataPath, yaml.Node],
    name: str,
) -> Any:
    nodes[path] = node
    if len(nodes) > 200_000:
        raise InputError("YAML has too many parts", location=Location(name, 1, 1))
    if loader.buffer.startswith(("! ", "!\n"), node.start_mark.index):
        problem = "`!` at the beginning is a tag, which YAML would drop"
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
    if isinstance(node, yaml.SequenceNode):
        return [_build(loader, n, (*path, i), nodes, keys, name) for i, n in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        out: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = loader.construct_object(key_node, deep=True)
            where = Location(name, key_node.start_mark.line + 1, key_node.start_mark.column + 1)
            if not isinstance(key, Hashable) or isinstance(key, list | dict):
                raise InputError("a key must be a plain value", location=where)
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else str(key)
            if key in out:
                first = keys[(*path, key)].start_mark
                hint = f"the first is at {Location(name, first.line + 1, first.column + 1)}"
                raise InputError(f"`{key}` is given twice", location=where, hint=hint)
            keys[(*path, key)] = key_node
            out[key] = _build(loader, value_node, (*path, key), nodes, keys, name)
        return out
    return loader.construct_object(node, deep=True)
