"""CEL's conformance cases: how many the language answers, refuses, or gets wrong.

    python benchmarks/cel_conformance.py FILE [--format text|json]

Right: the answer has the expected type and value; or an error is expected, and evaluation has no
value or a type error at load says so. Refused: a load error names a construct that the language
leaves out. Wrong: all else. Exit status 0, 1 if any case is wrong, 2 if FILE is not usable.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # so that a checkout runs as it is

from ledger_verify.evaluate.compiled import compile_predicate
from ledger_verify.evaluate.kleene import Failure, Scope, evaluate
from ledger_verify.lang import doubles
from ledger_verify.lang.check import check_text
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import (
    NOWHERE,
    ExpressionError,
    SyntaxProblem,
    TypeProblem,
    Unsupported,
)
from ledger_verify.lang.literals import number_value
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.operations import whole
from ledger_verify.lang.times import parse_duration, parse_timestamp
from ledger_verify.lang.typed import Constant
from ledger_verify.lang.types import (
    BOOL,
    DURATION,
    INT,
    NULL,
    NUMBER,
    STRING,
    TIMESTAMP,
    UNSETTLED,
    IntType,
    ListType,
    MapType,
    NumberType,
    StringType,
    Type,
    join,
)

RIGHT, REFUSED, WRONG = "right", "refused", "wrong"
COUNTED = (RIGHT, REFUSED, WRONG)


class BadInput(Exception):
    """The file does not hold conformance cases."""


class NotOffered(Exception):
    """A binding or setting of a case that the language has no counterpart for."""


@dataclass(frozen=True)
class Outcome:
    """What became of one case: one of `COUNTED`, and the answer or the refusal in words."""

    count: str
    detail: str


def judge(case: dict[str, Any]) -> Outcome:
    """Run one case; never raises for what a case holds, unless its shape is not a case's."""
    error_expected = "error" in case
    try:
        environment = Environment(lets=_bindings(case))
        expr = check_text(case["expr"], environment)
    except NotOffered as refusal:
        return Outcome(REFUSED, str(refusal))
    except Unsupported as refusal:
        return Outcome(REFUSED, refusal.message)
    except (TypeProblem, SyntaxProblem) as problem:
        if error_expected:
            return Outcome(RIGHT, problem.message)
        # the text is CEL, so a syntax error would be our parser's mistake; static typing is not
        return Outcome(WRONG if isinstance(problem, SyntaxProblem) else REFUSED, problem.message)
    except ExpressionError as problem:
        return Outcome(WRONG, f"unexpected load error: {problem.message}")
    value = evaluate(expr, Scope())
    disagreement = _compiled_disagrees(expr, value)
    if disagreement:
        return Outcome(WRONG, disagreement)
    if isinstance(value, Failure):
        return Outcome(RIGHT if error_expected else WRONG, f"no value: {value.reason}")
    shown = f"{value!r} of type {expr.type}"
    right = not error_expected and _same(case["value"], value, expr.type)
    return Outcome(RIGHT if right else WRONG, shown)


def _compiled_disagrees(expr: Any, value: Any) -> str | None:
    try:
        compiled = compile_predicate(expr)(None, {}, 0, {})
    except (NoValue, LookupError, TypeError, AttributeError, ArithmeticError, ValueError):
        return None  # it may always leave a case to the interpreter
    if type(compiled) is type(value) and compiled == value:
        return None
    return f"compiled gives {compiled!r}, the interpreter {value!r}"


def _bindings(case: dict[str, Any]) -> dict[str, Constant]:
    """The bound values as constants, so that what is checked of constants is checked of them."""
    bindings = case.get("bindings", {})
    if case.get("container") and bindings:
        raise NotOffered("the names of a `container` are not supported")
    lets = {}
    for name, tagged in bindings.items():
        if "." in name:
            raise NotOffered(f"the dotted name `{name}` of a binding is not supported")
        value, type_ = _bound(tagged, name)
        lets[name] = Constant(value, type_)
    return lets


def _bound(tagged: Any, name: str) -> tuple[Any, Type]:
    tag, content = _tagged(tagged)
    simple: dict[str, tuple[Callable[[Any], Any], Type]] = {
        "bool": (bool, BOOL),
        "int": (int, INT),
        "string": (str, STRING),
        "null": (lambda _: None, NULL),
        "double": (_double, NUMBER),
        "timestamp": (parse_timestamp, TIMESTAMP),
        "duration": (parse_duration, DURATION),
    }
    if tag in simple:
        convert, type_ = simple[tag]
        try:
            return convert(content), type_
        except (NoValue, Unsupported) as problem:
            raise NotOffered(f"the value of `{name}` is not supported: {problem}") from None
    if tag == "list":
        values, item = _common((_bound(element, name) for element in content), name)
        return values, ListType(item)
    if tag == "map":
        pairs = [(_tagged(key), _bound(element, name)) for key, element in content]
        if any(key_tag != "string" for (key_tag, _), _ in pairs):
            raise NotOffered(f"the map `{name}` with keys other than strings is not supported")
        values, item = _common((element for _, element in pairs), name)
        return dict(zip((key for (_, key), _ in pairs), values, strict=True)), MapType(item)
    raise NotOffered(f"the value of `{name}`, a {tag}, is not supported")


def _common(elements: Iterable[tuple[Any, Type]], name: str) -> tuple[tuple[Any, ...], Type]:
    values, item = [], UNSETTLED  # type: tuple[list[Any], Type]
    for value, type_ in elements:
        joined = join(item, type_)
        numeric = {type(item), type(type_)} == {IntType, NumberType}
        if joined is None or numeric:
            raise NotOffered(f"`{name}`, which mixes {item} and {type_}, is not supported")
        values.append(value)
        item = joined
    return tuple(values), item


def _double(text: Any) -> int | Fraction:
    number = float(text)
    if not math.isfinite(number) or (number == 0 and math.copysign(1, number) < 0):
        raise NoValue(f"{number}")
    exact = number_value(repr(abs(number)), NOWHERE)
    doubles.check_literal(repr(abs(number)), exact, NOWHERE)
    return whole(-exact if number < 0 else exact)


def _tagged(tagged: Any) -> tuple[str, Any]:
    if not isinstance(tagged, dict) or len(tagged) != 1:
        raise BadInput(f"expected a tagged value, found {tagged!r:.80}")
    return next(iter(tagged.items()))


def _same(expected: Any, value: Any, type_: Type) -> bool:
    """Whether an answer has the expected type and value."""
    tag, content = _tagged(expected)
    match tag, type_:
        case "list", ListType(item=item):
            return len(content) == len(value) and all(
                _same(want, have, item) for want, have in zip(content, value, strict=True)
            )
        case "map", MapType(value=item):
            wanted = {_tagged(key): element for key, element in content}
            return wanted.keys() == {("string", key) for key in value} and all(
                _same(wanted["string", key], element, item) for key, element in value.items()
            )
        case "null", _:
            return value is None
        case "double", NumberType():
            number = float(content)
            return math.isfinite(number) and value in (Fraction(number), Fraction(repr(number)))
        case "timestamp", _:
            return type_ == TIMESTAMP and bool(parse_timestamp(content) == value)
        case "duration", _:
            return type_ == DURATION and bool(parse_duration(content) == value)
        case "int", IntType():
            return type(value) is int and int(content) == value
        case "bool", _:
            return type(value) is bool and value is content
        case "string", _:
            return isinstance(type_, StringType) and bool(value == content)
    return False


def read_cases(path: Path) -> list[dict[str, Any]]:
    """The cases of a file; raises `BadInput`."""
    try:
        cases = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadInput(f"cannot read `{path}`: {problem.strerror}") from None
    except ValueError as problem:
        raise BadInput(f"`{path}` is not JSON: {problem}") from None
    if not isinstance(cases, list):
        raise BadInput(f"`{path}` does not hold a list of cases")
    for number, case in enumerate(cases):
        if not isinstance(case, dict) or not isinstance(case.get("expr"), str):
            raise BadInput(f"`{path}`: case {number} has no `expr`")
        if ("value" in case) == ("error" in case):
            raise BadInput(f"`{path}`: case {number} needs one of `value` and `error`")
        if not isinstance(case.get("bindings", {}), dict):
            raise BadInput(f"`{path}`: case {number} has `bindings` that are no object")
    return cases


def summarise(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Counts in all and by suite, and what went wrong where something did."""
    suites: dict[str, dict[str, int]] = {}
    wrong = []
    for case in cases:
        outcome = judge(case)
        suite = suites.setdefault(str(case.get("suite", "?")), dict.fromkeys(COUNTED, 0))
        suite[outcome.count] += 1
        if outcome.count == WRONG:
            wrong.append({**case, "answer": outcome.detail})
    totals = {count: sum(suite[count] for suite in suites.values()) for count in COUNTED}
    return {**totals, "suites": dict(sorted(suites.items())), "cases": wrong}


def table(summary: dict[str, Any]) -> str:
    """The summary for people."""
    rows: list[tuple[str, ...]] = [("suite", *COUNTED)]
    rows += [(name, *(str(n[count]) for count in COUNTED)) for name, n in summary["suites"].items()]
    rows.append(("all", *(str(summary[count]) for count in COUNTED)))
    width = max(len(row[0]) for row in rows)
    lines = [f"{row[0]:<{width}}  {row[1]:>7}  {row[2]:>7}  {row[3]:>7}" for row in rows]
    for case in summary["cases"]:
        expected = json.dumps(case.get("value", {"error": case.get("error")}), ensure_ascii=False)
        name = "/".join(str(case.get(key, "?")) for key in ("suite", "section", "test"))
        lines.append(f"\nwrong: {name}\n  {case['expr']}\n  expected {expected}")
        lines.append(f"  answered {case['answer']}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="run CEL conformance cases")
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(arguments)
    try:
        summary = summarise(read_cases(options.file))
    except BadInput as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    print(json.dumps(summary, indent=2) if options.format == "json" else table(summary))
    return 1 if summary[WRONG] else 0


if __name__ == "__main__":
    sys.exit(main())
