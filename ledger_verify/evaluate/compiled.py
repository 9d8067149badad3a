"""Predicates as generated Python functions, for the case that all evidence is there.

A compiled predicate returns what the interpreter returns, or raises; then the interpreter must be
asked. It raises when evidence is missing or stale, and when something on the way has no value,
even where an operator around it would absorb that. Nothing it needs is looked up by name at run
time except its own arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.operations import OPERATIONS, apply, int64, whole
from ledger_verify.lang.typed import (
    And,
    Apply,
    Choose,
    Constant,
    Expr,
    FieldOf,
    Fold,
    FoldKind,
    HasField,
    ListOf,
    MapOf,
    Observed,
    Or,
    Read,
    Records,
    Variable,
)
from ledger_verify.lang.types import NullableType, NullType

Predicate = Callable[[Any, Mapping[str, Any], int, Mapping[str, Any]], Any]
"""`predicate(ledger, args, now, call)`; the ledger gives `fresh` tables, what is sure, `facts`."""

_INFIX = {
    "eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "le": "{} <= {}", "gt": "{} > {}",
    "ge": "{} >= {}", "not": "not {}", "in_list": "{} in {}", "in_map": "{} in {}",
    "concat_string": "{} + {}", "concat_list": "{} + {}", "size": "len({})",
    "starts_with": "{}.startswith({})", "ends_with": "{}.endswith({})",
    "value_at": "{}[{}]", "keys": "tuple({})", "neg_num": "-{}",
    "add_int": "_int64({} + {})", "sub_int": "_int64({} - {})", "mul_int": "_int64({} * {})",
    "add_num": "_whole({} + {})", "sub_num": "_whole({} - {})", "mul_num": "_whole({} * {})",
}  # fmt: skip
_ROOTS = {"args": "args", "now": "now", "call": "call", SESSION: "ledger.facts"}


def compile_predicate(expr: Expr) -> Predicate:
    """One predicate as a function."""
    return compile_all((expr,))


def compile_all(predicates: tuple[Expr, ...]) -> Predicate:
    """The conjunction of predicates as one function."""
    source, constants = generate(predicates)
    namespace = dict(constants)
    try:
        code = compile(source, "<predicate>", "exec")
    except (SyntaxError, MemoryError, RecursionError):  # deeper than Python takes
        return _ask_the_interpreter
    exec(code, namespace)  # source is ours, names are checked
    function: Predicate = namespace["predicate"]
    return function


def _ask_the_interpreter(*_: Any) -> Any:
    raise NoValue("the predicate nests too much for Python source")


def generate(predicates: tuple[Expr, ...]) -> tuple[str, dict[str, Any]]:
    """The source of the function, and the global names that it uses."""
    writer = _Writer()
    lines = []
    for number, read in enumerate(_always_read(predicates)):
        lines.append(f"    r{number} = {writer.expression(read)}")
        writer.hoisted[read] = f"r{number}"
    body = " and ".join(writer.boolean(expr) for expr in predicates) or "True"
    source = "\n".join(
        [
            "def predicate(ledger, args, now, call):",
            "    fresh = ledger.fresh",
            *lines,
            f"    return {body}",
            "",
        ]
    )
    return source, writer.globals


def _always_read(predicates: Iterable[Expr]) -> list[Read]:
    """Reads that every full evaluation makes, inner ones first; reading them once is enough.

    Reading one that a short-circuit would have skipped is harmless: if it is not there the
    function raises, and the interpreter decides.
    """
    found: dict[Read, None] = {}

    def visit(expr: Expr) -> None:
        match expr:
            case Or(operands=operands):
                visit(operands[0])
            case And(operands=operands) | Apply(operands=operands):
                for operand in operands:
                    visit(operand)
            case Choose(condition=condition):
                visit(condition)
            case Fold(range=range_):
                visit(range_)
            case FieldOf(of=of) | HasField(of=of):
                visit(of)
            case ListOf(items=items) | MapOf(values=items):
                for item in items:
                    visit(item)
            case Read(keys=keys):
                for key in keys:
                    visit(key)
                found[expr] = None
            case Constant() | Variable() | Observed() | Records():
                pass

    for predicate in predicates:
        visit(predicate)
    return list(found)


class _Writer:
    """Writes expressions as Python source and collects the objects that the source names."""

    def __init__(self) -> None:
        self.hoisted: dict[Read, str] = {}
        self.globals: dict[str, Any] = {
            "_int64": int64, "_whole": whole, "_apply": apply, "_bool": _bool, "_item": _item,
        }  # fmt: skip

    def boolean(self, expr: Expr) -> str:
        """Source whose value is True or False, never None."""
        text = self.expression(expr)
        return f"_bool({text})" if _may_be_null(expr) else text

    def expression(self, expr: Expr) -> str:
        match expr:
            case Constant(value=value):
                return self._constant(value)
            case Variable(name=name) if expr.is_history:
                return f"ledger.known_calls({name!r})"
            case Variable() if expr.is_heard:
                return "ledger.heard"
            case Records(pattern=pattern):
                return f"ledger.fresh_records({pattern!r})"
            case Variable(name=name):
                return _ROOTS[name] if name in _ROOTS else _python_name(name)
            case Read(pattern=pattern, keys=keys):
                if expr in self.hoisted:
                    return self.hoisted[expr]
                return f"fresh[{pattern!r}][{self._key(keys)}]"
            case Observed(read=read, field_name=field_name):
                inside = "".join(f"{self.expression(key)}, " for key in read.keys)
                return f"ledger.surely_observed({read.pattern!r}, ({inside}), {field_name!r})"
            case FieldOf(of=of, field_name=name):
                return f"{self.expression(of)}[{name!r}]"
            case HasField(of=of, field_name=name):
                return f"({name!r} in {self.expression(of)})"
            case Apply():
                return self._apply(expr)
            case And(operands=operands):
                return f"({' and '.join(self.boolean(operand) for operand in operands)})"
            case Or(operands=operands):
                return f"({' or '.join(self.boolean(operand) for operand in operands)})"
            case Choose(condition=condition, then=then, otherwise=otherwise):
                return (
                    f"({self.expression(then)} if {self.boolean(condition)} "
                    f"else {self.expression(otherwise)})"
                )
            case ListOf(items=items):
                return f"({''.join(f'{self.expression(item)}, ' for item in items)})"
            case MapOf(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return f"{{{', '.join(f'{key!r}: {self.expression(v)}' for key, v in pairs)}}}"
            case Fold():
                return self._fold(expr)

    def _key(self, keys: tuple[Expr, ...]) -> str:
        if len(keys) == 1:
            return self.expression(keys[0])
        return f"({''.join(f'{self.expression(key)}, ' for key in keys)})"

    def _constant(self, value: Any) -> str:
        if value is None or isinstance(value, bool | int | str):
            return repr(value) if not isinstance(value, int) or value >= 0 else f"({value})"
        name = f"c{len(self.globals)}"
        self.globals[name] = value
        return name

    def _apply(self, expr: Apply) -> str:
        operands = [self.expression(operand) for operand in expr.operands]
        operation = expr.operation
        tolerant = operation in ("eq", "ne")
        plain = tolerant or not any(_may_be_null(operand) for operand in expr.operands)
        if operation == "contains" and plain:
            return f"({operands[1]} in {operands[0]})"
        if operation in _INFIX and plain:
            return f"({_INFIX[operation].format(*operands)})"
        if operation == "item_at" and plain:
            return f"_item({operands[0]}, {operands[1]})"
        if plain:
            name = f"op_{operation}"
            self.globals[name] = OPERATIONS[operation]
            return f"{name}({', '.join(operands)})"
        return f"_apply({operation!r}, ({''.join(f'{operand}, ' for operand in operands)}))"

    def _fold(self, expr: Fold) -> str:
        variable = _python_name(expr.variable.name)
        source = f"for {variable} in {self.expression(expr.range)}"
        if expr.index is not None:
            place = _python_name(expr.index.name)
            source = f"for {place}, {variable} in enumerate({self.expression(expr.range)})"
        match expr.kind:
            case FoldKind.ALL:
                return f"all({self.boolean(expr.body)} {source})"
            case FoldKind.EXISTS:
                return f"any({self.boolean(expr.body)} {source})"
            case FoldKind.EXISTS_ONE:
                return f"(sum({self.boolean(expr.body)} {source}) == 1)"
            case FoldKind.FILTER:
                return f"tuple({variable} {source} if {self.boolean(expr.body)})"
            case FoldKind.MAP:
                only = "" if expr.condition is None else f" if {self.boolean(expr.condition)}"
                return f"tuple({self.expression(expr.body)} {source}{only})"


def _may_be_null(expr: Expr) -> bool:
    return isinstance(expr.type, NullableType | NullType)


def _python_name(name: str) -> str:
    base, _, depth = name.partition("#")
    return f"v{depth}_{base}"


def _bool(value: Any) -> bool:
    if value is None:
        raise NoValue("null where a bool is needed")
    return value  # type: ignore[no-any-return]


def _item(values: tuple[Any, ...], index: int) -> Any:
    if index < 0:  # Python would count from the end
        raise NoValue("negative index")
    return values[index]
