"""The strict operations: their meaning on values, the one place where it is defined.

The interpreter calls these functions, the compiler calls them or emits code that does the same,
and the solver folds constants with them. Values are `bool`, `int`, `Fraction` (never whole),
`str`, `None`, tuples, dicts, and integer microseconds for timestamps and durations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from ledger_verify.lang import normal_forms, regex, said, times
from ledger_verify.lang.literals import INT_MAX, INT_MIN
from ledger_verify.lang.novalue import NoValue

Number = int | Fraction
WHITE_SPACE = (
    "\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What `trim` takes from either end: the characters with Unicode's property White_Space."""


def int64(value: int) -> int:
    """The value itself; raises `NoValue` if it does not fit 64 bits."""
    if INT_MIN <= value <= INT_MAX:
        return value
    raise NoValue("integer overflow")


def whole(value: Number) -> Number:
    """The canonical form of a number: `int` when whole."""
    if type(value) is Fraction and value.denominator == 1:
        return value.numerator
    return value


def div_int(left: int, right: int) -> int:
    """Division towards zero."""
    if right == 0:
        raise NoValue("division by zero")
    quotient = abs(left) // abs(right)
    return int64(quotient if (left < 0) == (right < 0) else -quotient)


def mod_int(left: int, right: int) -> int:
    """The remainder with the sign of `left`."""
    if right == 0:
        raise NoValue("remainder of a division by zero")
    return int64(abs(left) % abs(right) * (-1 if left < 0 else 1))


def div_num(left: Number, right: Number) -> Number:
    """Exact division."""
    if right == 0:
        raise NoValue("division by zero")
    return whole(Fraction(left) / right)


def int_of_number(value: Number) -> int:
    """The number without its fraction."""
    return int64(int(value))


def int_of_string(text: str) -> int:
    """The integer that the decimal digits of `text` spell."""
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not (digits.isascii() and digits.isdigit() and len(digits) < 40):
        raise NoValue(f"`{text}` is not an integer")
    return int64(int(text))


def string_of_bool(value: bool) -> str:
    """`true` or `false`."""
    return "true" if value else "false"


def string_of_number(value: Number) -> str:
    """The shortest exact decimal; no value where there is none."""
    text = decimal_text(value)
    if text is None:
        raise NoValue("the number has no finite decimal form")
    return text


def decimal_text(value: Number) -> str | None:
    """The exact decimal notation of a number, or None where it never ends."""
    numerator, denominator = value.numerator, value.denominator
    digits, scale = 0, 1
    while scale % denominator:
        digits += 1
        scale *= 10
        if digits > 400:
            return None
    if not digits:
        return str(numerator)
    text = str(abs(numerator) * scale // denominator).rjust(digits + 1, "0")
    return f"{'-' if numerator < 0 else ''}{text[:-digits]}.{text[-digits:]}"


def item_at(values: tuple[Any, ...], index: int) -> Any:
    """The item at `index`, counted from 0."""
    if 0 <= index < len(values):
        return values[index]
    raise NoValue(f"index {index} is outside a list of {len(values)}")


def value_at(values: Mapping[str, Any], key: str) -> Any:
    """The value under `key`."""
    if key in values:
        return values[key]
    raise NoValue(f"no such key: `{key}`")


def minimum(values: tuple[Any, ...]) -> Any:
    """The least item."""
    if not values:
        raise NoValue("the minimum of an empty list")
    return min(map(_not_null, values))


def maximum(values: tuple[Any, ...]) -> Any:
    """The greatest item."""
    if not values:
        raise NoValue("the maximum of an empty list")
    return max(map(_not_null, values))


def sum_int(values: tuple[int, ...]) -> int:
    """The sum; 0 for the empty list. The whole sum must fit 64 bits, not each step."""
    return int64(sum(map(_not_null, values)))


def sum_num(values: tuple[Number, ...]) -> Number:
    """The exact sum; 0 for the empty list."""
    return whole(sum(map(_not_null, values)))


def sum_duration(values: tuple[int, ...]) -> int:
    """The total length of time; zero for the empty list."""
    return times.in_duration_range(sum(map(_not_null, values)))


def distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The items without repetitions, first occurrences kept in order."""
    kept: list[Any] = []
    for value in values:
        if value not in kept:
            kept.append(value)
    return tuple(kept)


def _not_null(value: Any) -> Any:
    if value is None:
        raise NoValue("null where a value is needed")
    return value


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "not": lambda a: not a,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "neg_int": lambda a: int64(-a),
    "add_int": lambda a, b: int64(a + b),
    "sub_int": lambda a, b: int64(a - b),
    "mul_int": lambda a, b: int64(a * b),
    "div_int": div_int,
    "mod_int": mod_int,
    "neg_num": lambda a: -a,
    "add_num": lambda a, b: whole(a + b),
    "sub_num": lambda a, b: whole(a - b),
    "mul_num": lambda a, b: whole(a * b),
    "div_num": div_num,
    "neg_duration": lambda a: times.in_duration_range(-a),
    "add_duration": lambda a, b: times.in_duration_range(a + b),
    "sub_duration": lambda a, b: times.in_duration_range(a - b),
    "add_time": lambda a, b: times.in_timestamp_range(a + b),
    "sub_time": lambda a, b: times.in_timestamp_range(a - b),
    "time_between": lambda a, b: times.in_duration_range(a - b),
    "concat_string": lambda a, b: a + b,
    "concat_list": lambda a, b: a + b,
    "size": len,
    "in_list": lambda a, b: a in b,
    "in_map": lambda a, b: a in b,
    "item_at": item_at,
    "value_at": value_at,
    "keys": tuple,
    "starts_with": lambda a, b: a.startswith(b),
    "ends_with": lambda a, b: a.endswith(b),
    "contains": lambda a, b: b in a,
    "matches": regex.matches,
    "trim": lambda a: a.strip(WHITE_SPACE),
    "lower_ascii": normal_forms.lower_ascii,
    "upper_ascii": normal_forms.upper_ascii,
    "normalize": normal_forms.normalized,
    "int_of_number": int_of_number,
    "int_of_string": int_of_string,
    "int_of_time": lambda a: a // 1_000_000,
    "string_of_int": str,
    "string_of_bool": string_of_bool,
    "string_of_number": string_of_number,
    "string_of_time": times.format_timestamp,
    "string_of_duration": times.format_duration,
    "time_of_string": times.parse_timestamp,
    "time_of_int": lambda a: times.in_timestamp_range(a * 1_000_000),
    "duration_of_string": times.parse_duration,
    "duration_part": times.duration_part,
    "time_part": times.time_part,
    "days_between": times.days_between,
    "sum_int": sum_int,
    "sum_num": sum_num,
    "sum_duration": sum_duration,
    "distinct": distinct,
    "min": minimum,
    "max": maximum,
    "stated_text": lambda value, test, zone, heard: said.said_text(value, test, heard),
    "stated_number": lambda value, test, zone, heard: said.said_number(value, test, heard),
    "stated_day": said.said_day,
}
"""Every strict operation by its name in typed expressions."""

NULL_TOLERANT = frozenset({"eq", "ne", "in_list"})
"""Operations that take null as an operand (`in_list` only as its first)."""


def apply(operation: str, operands: tuple[Any, ...]) -> Any:
    """The value of an operation; raises `NoValue` where it has none."""
    if None in operands and not (
        operation in ("eq", "ne") or (operation in NULL_TOLERANT and operands[-1] is not None)
    ):
        raise NoValue("null where a value is needed")
    return OPERATIONS[operation](*operands)
