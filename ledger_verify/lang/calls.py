"""Type checking of functions, methods and macros."""

from __future__ import annotations

from collections.abc import Callable

from ledger_verify.lang import fold, regex, times
from ledger_verify.lang.conversions import duration_hint, timestamp_hint
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import (
    BadConstant,
    ExpressionError,
    Span,
    TypeProblem,
    Unsupported,
    near_match,
)
from ledger_verify.lang.foreign import NAMESPACES, call_hint
from ledger_verify.lang.ledger_path import collection
from ledger_verify.lang.macros import MACROS, check_macro
from ledger_verify.lang.normal_forms import FORMS
from ledger_verify.lang.overloads import (
    FUNCTIONS,
    LEFT_OUT_FUNCTIONS,
    LEFT_OUT_METHODS,
    LEFT_OUT_NAMESPACES,
    METHODS,
    Overload,
    fits,
    resolve,
)
from ledger_verify.lang.stated import check_stated
from ledger_verify.lang.syntax import Call, Name, Node, Select
from ledger_verify.lang.typed import (
    Constant,
    Expr,
    FieldOf,
    HasField,
    ListOf,
    Observed,
    Read,
    Records,
)
from ledger_verify.lang.types import (
    BOOL,
    DURATION,
    INT,
    NUMBER,
    STRING,
    UNSETTLED,
    ListType,
    MapType,
    Type,
    join,
    strip_null,
)

Checker = Callable[[Node, Environment], Expr]
_MAKING_MAPS = frozenset({"transformMap", "transformMapEntry"})
_AGGREGATES = frozenset({"sum", "distinct", "min", "max"})
_ACCESSORS = frozenset({*times.TIME_PARTS, *times.DURATION_PARTS})
_ALL_FUNCTIONS = frozenset(
    {*FUNCTIONS, *_AGGREGATES, "days", "has", "observed", "records", "stated"}
)
_ALL_METHODS = frozenset({*METHODS, *_ACCESSORS, *MACROS})


def check_call(node: Call, environment: Environment, check: Checker) -> Expr:
    """The typed expression of a call; `check` types its arguments."""
    name = node.function
    if node.target is None:
        if name == "has":
            return _has(node, environment, check)
        if name == "observed":
            return _observed(node, environment, check)
        if name == "records":
            return _records(node, environment)
        if name not in _ALL_FUNCTIONS:
            raise _unknown_function(node)
        if name in _AGGREGATES and _has_variable(node, environment):
            raise TypeProblem(
                f"`{name}` takes a list", node.span, hint=f"write `{name}(list.map(x, ...))`"
            )
        arguments = tuple(check(argument, environment) for argument in node.arguments)
        if name == "days":
            return _days(arguments, environment, node.span)
        if name == "stated":
            return check_stated(arguments, node.span, environment)
        if name in _AGGREGATES:
            return _aggregate(name, arguments, node.span)
        try:
            return _overloaded(name, FUNCTIONS[name], arguments, node.span)
        except BadConstant as problem:
            if name == "timestamp" and isinstance(arguments[0], Constant):
                problem.hint = timestamp_hint(arguments[0].value, environment.timezone)
            if name == "duration" and isinstance(arguments[0], Constant):
                problem.hint = duration_hint(arguments[0].value)
            raise
    if name in _MAKING_MAPS:
        raise Unsupported(f"the macro `{name}`", node.span, hint="it makes a map")
    if name in MACROS:
        return check_macro(node, environment, check)
    if isinstance(node.target, Name):
        _refuse_namespace(node.target.name, name, node.span, environment)
    target = check(node.target, environment)
    if name not in _ALL_METHODS:
        raise _unknown_method(node)
    arguments = tuple(check(argument, environment) for argument in node.arguments)
    if name in _ACCESSORS:
        return _accessor(name, target, arguments, environment, node.span)
    if name == "matches":
        _check_pattern(arguments, node.span)
    if name == "normalize":
        arguments = _with_form(arguments, node.span)
    return _overloaded(name, METHODS[name], (target, *arguments), node.span)


def _unknown_function(node: Call) -> ExpressionError:
    name = node.function
    foreign = call_hint(name, METHODS)
    if name in LEFT_OUT_FUNCTIONS:
        return Unsupported(f"the function `{name}`", node.span, hint=foreign)
    of_method = f"write `x.{name}(...)`" if name in _ALL_METHODS else None
    hint = foreign or of_method or near_match(name, _ALL_FUNCTIONS)
    return TypeProblem(f"unknown function `{name}`", node.span, hint=hint)


def _unknown_method(node: Call) -> ExpressionError:
    name = node.function
    if name in LEFT_OUT_METHODS:
        return Unsupported(f"the method `{name}`", node.span, hint=call_hint(name))
    of_function = f"write `{name}(...)`" if name in _ALL_FUNCTIONS else None
    hint = of_function or call_hint(name) or near_match(name, _ALL_METHODS)
    return TypeProblem(f"unknown method `{name}`", node.span, hint=hint)


def _has_variable(node: Call, environment: Environment) -> bool:
    """Whether the call is written like a macro, with a name that only a macro would bind."""
    match node.arguments:
        case (_, Name(name=name), _, *_):
            return name not in environment.known_names()
    return False


def _refuse_namespace(of: str, name: str, span: Span, environment: Environment) -> None:
    """Raise for a function of a library, such as `math.abs`."""
    if of in environment.known_names():
        return
    if of in LEFT_OUT_NAMESPACES:
        raise Unsupported(f"the function `{of}.{name}`", span, hint=call_hint(name))
    if of.lower() in NAMESPACES and call_hint(name):
        raise TypeProblem(f"unknown function `{of}.{name}`", span, hint=call_hint(name))


def _overloaded(
    name: str, overloads: tuple[Overload, ...], arguments: tuple[Expr, ...], span: Span
) -> Expr:
    overload = resolve(overloads, tuple(argument.type for argument in arguments))
    if overload is None:
        shown = ", ".join(str(argument.type) for argument in arguments) or "nothing"
        hint = _taken(name, overloads, arguments)
        raise TypeProblem(f"`{name}` does not take ({shown})", span, hint=hint)
    if overload.operation is None:
        return arguments[0]
    return fold.apply(overload.operation, arguments, overload.result, span)


def _taken(name: str, overloads: tuple[Overload, ...], arguments: tuple[Expr, ...]) -> str:
    """What the function or method takes, or what is written in its place."""
    if name == "contains" and arguments and isinstance(strip_null(arguments[0].type), ListType):
        return "whether an item is in a list is written `x in list`"
    if name == "contains" and arguments and isinstance(strip_null(arguments[0].type), MapType):
        return "whether a key is in a map is written `key in map`"
    if name == "matches":
        return 'it is asked of a text, with a pattern in quotes: `text.matches("^A.*$")`'
    if name in ("startsWith", "endsWith", "contains"):
        return f'it is asked of a text: `text.{name}("a")`'
    taken = list(dict.fromkeys(" and ".join(overload.operands) for overload in overloads))
    return f"it takes {' or '.join(taken)}"


def _check_pattern(arguments: tuple[Expr, ...], span: Span) -> None:
    if len(arguments) == 1 and isinstance(arguments[0], Constant):
        try:
            regex.compiled(str(arguments[0].value))
        except ValueError as problem:
            raise TypeProblem(str(problem), arguments[0].span) from None
    elif len(arguments) == 1 and fits(arguments[0].type, "string"):
        raise Unsupported("a regular expression that is not a literal", span)


def _with_form(arguments: tuple[Expr, ...], span: Span) -> tuple[Expr, ...]:
    """The arguments of `normalize`: the form is a literal, NFC if there is none."""
    if not arguments:
        return (Constant("NFC", STRING, span),)
    form = arguments[0]
    if not isinstance(form, Constant):
        raise Unsupported("a normal form that is not a literal", form.span)
    if form.value not in FORMS:
        shown = ", ".join(f'`"{known}"`' for known in FORMS)
        raise TypeProblem(f"unknown normal form, expected one of {shown}", form.span)
    return arguments


def _has(node: Call, environment: Environment, check: Checker) -> Expr:
    if len(node.arguments) != 1 or not isinstance(node.arguments[0], Select):
        raise TypeProblem("`has` takes one field, such as `has(r.discount)`", node.span)
    selected = check(node.arguments[0], environment)
    if isinstance(selected, FieldOf):
        return HasField(selected.of, selected.field_name, node.span)
    if isinstance(selected, Read):
        raise TypeProblem(
            "`has` does not ask the ledger", node.span, hint="write `observed(...)` for a record"
        )
    # the only other selection is that of a map's value
    select = node.arguments[0]
    key = Constant(select.field_name, STRING, select.span)
    return fold.apply("in_map", (key, check(select.of, environment)), BOOL, node.span)


def _observed(node: Call, environment: Environment, check: Checker) -> Expr:
    if len(node.arguments) != 1:
        raise TypeProblem("`observed` takes one path of the ledger", node.span)
    path = check(node.arguments[0], environment)
    if isinstance(path, Read):
        return Observed(path, None, node.span)
    if isinstance(path, FieldOf) and isinstance(path.of, Read):
        return Observed(path.of, path.field_name, node.span)
    raise TypeProblem(
        "`observed` takes a record of the ledger or a field of one, such as "
        "`observed(ledger.user)`",
        path.span,
    )


def _records(node: Call, environment: Environment) -> Expr:
    pattern = collection(node.arguments[0], environment) if len(node.arguments) == 1 else None
    if pattern is None:
        named = [
            p.text.removesuffix(".*" * len(p.keys)) for p in environment.ledger.values() if p.keys
        ]
        known = [text for text in named if "*" not in text]
        raise TypeProblem(
            "`records` takes a keyed part of the ledger without its keys",
            node.span,
            hint=f"such as `records(ledger.{known[0]})`" if known else None,
        )
    return Records(pattern.text, ListType(pattern.record), node.span)


def _aggregate(name: str, arguments: tuple[Expr, ...], span: Span) -> Expr:
    if len(arguments) == 1 and isinstance(strip_null(arguments[0].type), ListType):
        operand = arguments[0]
    elif name in ("min", "max") and len(arguments) >= 2:
        operand = _as_list(arguments, span)
    else:
        raise TypeProblem(f"`{name}` takes a list", span)
    list_type = strip_null(operand.type)
    assert isinstance(list_type, ListType)
    item = strip_null(list_type.item)
    if name == "distinct":
        return fold.apply("distinct", (operand,), ListType(list_type.item), span)
    if name == "sum":
        if item == UNSETTLED or fits(item, "int"):
            return fold.apply("sum_int", (operand,), INT, span)
        if fits(item, "number"):
            return fold.apply("sum_num", (operand,), NUMBER, span)
        if fits(item, "duration"):
            return fold.apply("sum_duration", (operand,), DURATION, span)
    elif any(fits(item, kind) for kind in ("int", "number", "timestamp", "duration")):
        bare = join(item, item)
        assert bare is not None
        return fold.apply(name, (operand,), bare, span)
    raise TypeProblem(f"`{name}` does not take {operand.type}", operand.span)


def _as_list(items: tuple[Expr, ...], span: Span) -> Expr:
    item_type: Type = UNSETTLED
    for item in items:
        joined = join(item_type, item.type)
        if joined is None:
            raise TypeProblem(f"{item_type} and {item.type} cannot be compared", item.span)
        item_type = joined
    return ListOf(items, ListType(item_type), span)


def _days(arguments: tuple[Expr, ...], environment: Environment, span: Span) -> Expr:
    """How many midnights lie between two moments, on the calendar of the domain's timezone."""
    if len(arguments) != 2 or not all(fits(one.type, "timestamp") for one in arguments):
        shown = ", ".join(str(argument.type) for argument in arguments) or "nothing"
        hint = "whole days between two moments are such as `days(args.day, now)`"
        if len(arguments) == 1 and isinstance(arguments[0], Constant):
            hint = duration_hint(f"{arguments[0].value} days")
        raise TypeProblem(f"`days` takes two timestamps, not ({shown})", span, hint=hint)
    zone = Constant(environment.timezone, STRING, span)
    return fold.apply("days_between", (*arguments, zone), INT, span)


def _accessor(
    name: str, target: Expr, arguments: tuple[Expr, ...], environment: Environment, span: Span
) -> Expr:
    part = Constant(name, STRING, span)
    if fits(target.type, "duration") and name in times.DURATION_PARTS and not arguments:
        return fold.apply("duration_part", (target, part), INT, span)
    if not fits(target.type, "timestamp"):
        raise TypeProblem(f"`{name}` does not take {target.type}", span)
    zone: Expr = Constant(environment.timezone, STRING, span)
    if arguments:
        zone = arguments[0]
        if len(arguments) > 1 or not isinstance(zone, Constant) or not isinstance(zone.value, str):
            raise Unsupported("a time zone that is not a literal", span)
        try:
            times.zone_named(zone.value)
        except ValueError as problem:
            raise TypeProblem(str(problem), zone.span) from None
    return fold.apply("time_part", (target, part, zone), INT, span)
