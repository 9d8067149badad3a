"""The text of a regular expression to its tree.

Only what the tree can hold exactly: no line anchors, Unicode classes, or other cases of letters
beyond ASCII. The engine matches those all the same; readers of trees then know nothing of the
pattern.
"""

from __future__ import annotations

from dataclasses import dataclass

from ledger_verify.lang import regex
from ledger_verify.lang.regex_tree import (
    LAST,
    Begin,
    Boundary,
    Characters,
    End,
    InOrder,
    Node,
    OneOf,
    Ranges,
    Repeat,
    complement,
    merged,
)

_DIGITS: Ranges = ((48, 57),)
_SPACES: Ranges = ((9, 10), (12, 13), (32, 32))  # no vertical tab
_WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
_CLASSES = {"d": _DIGITS, "s": _SPACES, "w": _WORD}
_POSIX: dict[str, Ranges] = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "ascii": ((0, 127),),
    "blank": ((9, 9), (32, 32)),
    "cntrl": ((0, 31), (127, 127)),
    "digit": _DIGITS,
    "graph": ((33, 126),),
    "lower": ((97, 122),),
    "print": ((32, 126),),
    "punct": ((33, 47), (58, 64), (91, 96), (123, 126)),
    "space": ((9, 13), (32, 32)),
    "upper": ((65, 90),),
    "word": _WORD,
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_OTHER_CASES = {ord("k"): 0x212A, ord("s"): 0x017F}  # the Kelvin sign and the long s


class _Beyond(Exception):
    """The pattern holds what the tree cannot."""


def parse(pattern: str) -> Node | None:
    """The tree of a pattern, or None where it cannot hold it exactly.

    Raises `ValueError` for what is no pattern.
    """
    regex.compiled(pattern)
    try:
        return _Reader(pattern).read()
    except (_Beyond, IndexError, RecursionError):
        return None


@dataclass(frozen=True)
class _Flags:
    ignore_case: bool = False
    dot_all: bool = False


class _Reader:
    """Reads one pattern that the engine has taken; `at` is the next character."""

    def __init__(self, pattern: str) -> None:
        self._text = pattern
        self._at = 0
        self._flags = _Flags()

    def read(self) -> Node:
        node = self._options()
        if self._at < len(self._text):
            raise _Beyond
        return node

    def _sees(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _take(self, text: str) -> bool:
        if not self._sees(text):
            return False
        self._at += len(text)
        return True

    def _next(self) -> str:
        self._at += 1
        return self._text[self._at - 1]

    def _options(self) -> Node:
        options = [self._in_order()]
        while self._take("|"):
            options.append(self._in_order())
        return options[0] if len(options) == 1 else OneOf(tuple(options))

    def _in_order(self) -> Node:
        items: list[Node] = []
        while self._at < len(self._text) and not self._sees("|") and not self._sees(")"):
            if self._take("\\Q"):
                items += self._quoted()
                continue
            item = self._item()
            if item is not None:
                items.append(self._repeated(item))
        return items[0] if len(items) == 1 else InOrder(tuple(items))

    def _quoted(self) -> list[Node]:
        """Characters up to `\\E`; an operator behind them is for the last one."""
        end = self._text.find("\\E", self._at)
        body = self._text[self._at : len(self._text) if end < 0 else end]
        self._at = len(self._text) if end < 0 else end + 2
        nodes: list[Node] = [self._character(ord(c)) for c in body]
        if self._text[self._at : self._at + 1] in ("*", "+", "?", "{"):
            raise _Beyond
        return nodes

    def _item(self) -> Node | None:
        char = self._next()
        match char:
            case "(":
                return self._group()
            case "[":
                return self._set()
            case ".":
                return Characters(((0, LAST),) if self._flags.dot_all else complement(((10, 10),)))
            case "^":
                return Begin()
            case "$":
                return End()
            case "\\":
                return self._escape()
        return self._character(ord(char))

    def _group(self) -> Node | None:
        before = self._flags
        if self._take("?"):
            if self._take("P<") or self._take("<"):
                self._at = self._text.index(">", self._at) + 1
            elif not self._flag_group():
                return None  # flags for the rest of the group around it
        node = self._options()
        if not self._take(")"):
            raise _Beyond
        self._flags = before
        return node

    def _flag_group(self) -> bool:
        """Read flags; whether a group with them follows, rather than the end."""
        on = True
        while True:
            char = self._next()
            match char:
                case ":":
                    return True
                case ")":
                    return False
                case "-":
                    on = False
                case "i":
                    self._flags = _Flags(on, self._flags.dot_all)
                case "s":
                    self._flags = _Flags(self._flags.ignore_case, on)
                case "U":
                    pass  # which of several matches is taken does not matter here
                case _:
                    raise _Beyond

    def _repeated(self, node: Node) -> Node:
        while self._at < len(self._text):
            found = self._times()
            if found is None:
                return node
            self._take("?")
            node = Repeat(node, *found)
        return node

    def _times(self) -> tuple[int, int | None] | None:
        for operator, times in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(operator):
                return times
        if not self._sees("{"):
            return None
        end = self._text.find("}", self._at)
        low, comma, high = self._text[self._at + 1 : max(end, self._at)].partition(",")
        is_count = low.isascii() and low.isdigit() and (not high or high.isdigit())
        if end < 0 or not is_count:
            return None  # these characters themselves
        self._at = end + 1
        return int(low), (int(high) if high else None) if comma else int(low)

    def _escape(self) -> Node:
        char = self._next()
        match char:
            case "A":
                return Begin()
            case "z":
                return End()
            case "b" | "B":
                return Boundary(char == "B")
        if char.lower() in _CLASSES:
            return Characters(self._group_of(_CLASSES[char.lower()], negated=char.isupper()))
        return self._character(self._code(char))

    def _code(self, char: str) -> int:
        """The code point of an escape whose first character is read."""
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char == "x":
            if self._take("{"):
                end = self._text.index("}", self._at)
                digits, self._at = self._text[self._at : end], end + 1
            else:
                digits, self._at = self._text[self._at : self._at + 2], self._at + 2
            return int(digits, 16)
        if char.isalnum() or not char.isascii():
            raise _Beyond  # Unicode classes, octal codes
        return ord(char)

    def _set(self) -> Node:
        negated = self._take("^")
        ranges: list[tuple[int, int]] = []
        first = True
        while first or not self._sees("]"):
            first = False
            if self._sees("[:"):
                ranges += self._posix()
                continue
            if self._sees("\\") and self._text[self._at + 1].lower() in _CLASSES:
                self._at += 1
                char = self._next()
                ranges += self._group_of(_CLASSES[char.lower()], negated=char.isupper())
                continue
            low = self._member()
            high = low
            if self._sees("-") and self._text[self._at + 1] != "]":
                self._at += 1
                high = self._member()
            ranges += self._folded(((low, high),))
        self._at += 1
        found = merged(ranges)
        return Characters(complement(found) if negated else found)

    def _posix(self) -> Ranges:
        end = self._text.index(":]", self._at)
        name, self._at = self._text[self._at + 2 : end], end + 2
        ranges = _POSIX.get(name.removeprefix("^"))
        if ranges is None:
            raise _Beyond
        return self._group_of(ranges, negated=name.startswith("^"))

    def _member(self) -> int:
        char = self._next()
        return self._code(self._next()) if char == "\\" else ord(char)

    def _character(self, code: int) -> Characters:
        return Characters(merged(list(self._folded(((code, code),)))))

    def _group_of(self, ranges: Ranges, *, negated: bool) -> Ranges:
        """A class with a name; other cases are added before it is negated."""
        found = merged(list(self._folded(ranges)))
        return complement(found) if negated else found

    def _folded(self, ranges: Ranges) -> Ranges:
        """The ranges, where case is ignored with the other cases of their letters."""
        if not self._flags.ignore_case:
            return ranges
        return (*ranges, *(case for low, high in ranges for case in _other_cases(low, high)))


def _other_cases(low: int, high: int) -> list[tuple[int, int]]:
    """The other cases of ASCII letters, which reach beyond ASCII for two of them."""
    if high > 127:
        raise _Beyond
    out = []
    for code in range(low, high + 1):
        if chr(code).isalpha():
            out.append((ord(chr(code).swapcase()),) * 2)
            beyond = _OTHER_CASES.get(ord(chr(code).lower()))
            out += [] if beyond is None else [(beyond, beyond)]
    return out
