"""Whether what was read of a saved state is of the types that its fields are declared with."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints

from ledger_verify.lang.errors import InputError
from ledger_verify.lang.operations import decimal_text
from ledger_verify.lang.types import Type
from ledger_verify.ledger.attempts import Frozen, is_frozen
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.evidence import Unknown
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.render import to_json
from ledger_verify.source.cursor import described

_WORDS: Mapping[Any, str] = {
    bool: "true or false", int: "a whole number", str: "text", NoneType: "null",
    list: "a list", tuple: "a tuple", dict: "an object", abc.Mapping: "an object",
    set: "a set", frozenset: "a frozen set", abc.Sequence: "a list",
}  # fmt: skip


class Shape:
    """Checks parts of a state of one domain; each method raises `InputError` that names the part.

    `types` are the classes whose objects a state holds; of others it has only what the domain has.
    """

    def __init__(self, domain: Domain, types: Mapping[str, type]) -> None:
        self._domain = domain
        self._types = frozenset(types.values())
        self._seen: set[int] = set()

    def named(self, value: Any, hints: Mapping[str, Any], where: str) -> None:
        """An object that has just these names, with values of these types."""
        if not isinstance(value, dict):
            wrong(where, "an object", value)
        for name in hints.keys() ^ value.keys():
            what = "is missing" if name in hints else "is not known"
            raise InputError(f"the saved state is damaged: `{where}.{name}` {what}")
        for name, hint in hints.items():
            self.check(value[name], hint, f"{where}.{name}")

    def check(self, value: Any, hint: Any, where: str) -> None:
        """A value of the type that the annotation says."""
        if hint is Any:
            self._plain(value, where)
            return
        if hint == Frozen and not is_frozen(value):
            wrong(where, "a tool and its arguments", value)
        origin, inner = get_origin(hint), get_args(hint)
        if origin in (Union, UnionType):
            self._one_of(value, inner, where)
            return
        kind = origin or hint
        exact = hint in (bool, int, str)
        if not (type(value) is hint if exact else isinstance(value, kind)):
            wrong(where, _WORDS.get(kind, f"a `{getattr(kind, '__name__', kind)}`"), value)
        if isinstance(value, Mapping) and inner:
            for key, part in value.items():
                self.check(key, inner[0], f"{where}, a key")
                self.check(part, inner[1], f"{where}.{_shown(key)}")
        elif origin is tuple and inner[-1] is not ...:
            if len(value) != len(inner):
                wrong(where, f"a tuple of {len(inner)}", value)
            for number, (part, type_) in enumerate(zip(value, inner, strict=True)):
                self.check(part, type_, f"{where}.{number}")
        elif inner:
            for number, part in enumerate(value):
                self.check(part, inner[0], f"{where}.{number}")
        elif type(value) in self._types:
            self._object(value, where)

    def _one_of(self, value: Any, hints: tuple[Any, ...], where: str) -> None:
        if value is None and NoneType in hints:
            return
        others = [hint for hint in hints if hint is not NoneType]
        for hint in others[:-1]:
            kind = get_origin(hint) or hint
            if kind is Any or isinstance(value, kind):
                self.check(value, hint, where)
                return
        self.check(value, others[-1], where)

    def _object(self, value: Any, where: str) -> None:
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        kind: Any = type(value)
        for name, hint in _hints(kind).items():
            self.check(getattr(value, name), hint, f"{where}.{name}")
        pattern, keys = getattr(value, "pattern", ""), getattr(value, "keys", None)
        if isinstance(keys, tuple) and pattern in self._domain.ledger:
            self.keys(pattern, keys, f"{where}.keys")
        tool, arguments = getattr(value, "tool", ""), getattr(value, "arguments", None)
        if "arguments" in _hints(kind) and tool and tool not in self._domain.tools:
            wrong(f"{where}.tool", "the name of a tool", tool)
        if arguments is not None and tool:
            self.typed(arguments, self._domain.tools[tool].arguments, f"{where}.arguments")

    def keys(self, pattern: str, keys: Any, where: str, *, any_: bool = True) -> None:
        """The keys of a record at the pattern; with `any_` None stands for any."""
        if pattern not in self._domain.ledger:
            raise InputError(
                f"the saved state is damaged: `{where}`: no records are at `{pattern}`"
            )
        types = self._domain.ledger[pattern].keys
        if not isinstance(keys, tuple) or len(types) != len(keys):
            wrong(where, f"a tuple of {len(types)}", keys)
        for key, type_ in zip(keys, types, strict=True):
            if key is not None or not any_:
                self.typed(key, type_, where)

    def typed(self, value: Any, type_: Type, where: str) -> None:
        """A value of a type of the domain's."""
        zone = self._domain.zone
        try:
            same = coercer(type_, zone)(to_json(_exact(value), type_, zone))
        except Misfit as misfit:
            raise InputError(f"the saved state is damaged: `{where}`: {misfit.message}") from None
        except (TypeError, ValueError, AttributeError, ArithmeticError, KeyError, RecursionError):
            wrong(where, f"a value of the type {type_}", value)
        if same != value:
            wrong(where, f"a value of the type {type_}", value)

    def _plain(self, value: Any, where: str) -> None:
        """Any value that the gate may hold: of these nothing more is declared."""
        kinds = (str, int, Fraction, Decimal, float, tuple, frozenset, list, dict, Unknown)
        if value is not None and not isinstance(value, kinds):
            wrong(where, "a plain value", value)


@cache
def _hints(type_: Any) -> dict[str, Any]:
    """The annotations of a dataclass, by field."""
    assert is_dataclass(type_)
    known = get_type_hints(type_)
    return {field.name: known[field.name] for field in fields(type_)}


def hints_of(type_: type, *but: str) -> dict[str, Any]:
    """The annotations of a dataclass, by field, without some."""
    return {name: hint for name, hint in _hints(type_).items() if name not in but}


def wrong(where: str, expected: str, value: Any) -> NoReturn:
    """Raises the error for a part of a state that is not as expected."""
    raise InputError(
        f"the saved state is damaged: `{where}` must be {expected}, found {_kind(value)}"
    )


def _kind(value: Any) -> str:
    if isinstance(value, dict) and not all(isinstance(name, str) for name in value):
        return "an object with names that are no text"
    plain = value is None or type(value) in (bool, int, str, list, dict)
    return described(value) if plain else f"a `{type(value).__name__}`"


def _shown(key: Any) -> str:
    return key if isinstance(key, str) else ".".join(_parts(key))


def _parts(key: Any) -> Iterator[str]:
    if isinstance(key, tuple):
        for part in key:
            yield from _parts(part)
    else:
        yield str(key)


def _exact(value: Any) -> Any:
    """The value with its fractions as decimals, which are JSON."""
    match value:
        case Fraction():
            text = decimal_text(value)
            return value if text is None else Decimal(text)
        case tuple():
            return tuple(map(_exact, value))
        case dict():
            return {name: _exact(inner) for name, inner in value.items()}
    return value
