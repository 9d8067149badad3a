"""Numbers of JSON text, none of them so large that it takes long to work with."""

from __future__ import annotations

import sys
from decimal import Decimal, InvalidOperation

MOST_CHARACTERS = 4_300
"""Of one number; Python itself reads no longer whole number, unless that is switched off."""
LARGEST_EXPONENT = 999_999
"""Of a number, positive or negative; what is beyond Python's decimals cannot be computed with."""


def is_within_bounds(value: Decimal) -> bool:
    """Whether a decimal has neither too many digits nor too large an exponent."""
    if not value.is_finite():
        return True
    small = abs(value.adjusted()) <= LARGEST_EXPONENT
    return small and len(value.as_tuple().digits) <= MOST_CHARACTERS


def decimal_of(text: str) -> Decimal:
    """The exact value of a number with a fraction or exponent; raises `ValueError`."""
    if len(text) > MOST_CHARACTERS:
        raise ValueError("a number is too long")
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise ValueError("an exponent beyond all bounds") from None
    if abs(value.adjusted()) > LARGEST_EXPONENT:
        raise ValueError("an exponent is out of range")
    return value


def whole_of(text: str) -> int:
    """The value of a whole number; raises `ValueError`."""
    if len(text.lstrip("-")) > MOST_CHARACTERS:
        raise ValueError("a number is too long")
    return int(text)


def python_is_as_strict() -> bool:
    """Whether `int` itself refuses whole numbers that are too long, as it does by default."""
    return 0 < sys.get_int_max_str_digits() <= MOST_CHARACTERS
