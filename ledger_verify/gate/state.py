"""What a session knows, as JSON, and back again exactly.

The objects of a session are written down as they are, each once, so that what two of them share
they share again. What belongs to the domain is written by its name and taken from the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from ledger_verify.lang.errors import InputError
from ledger_verify.policy.domain import Domain
from ledger_verify.source.alike import digest_of

_NUMBERS: Mapping[type, str] = {Fraction: "number", Decimal: "decimal", float: "float"}
_BODIES: Mapping[str, type] = {
    **dict.fromkeys((*_NUMBERS.values(), "domain", "member"), str), "same": int, "object": Mapping,
    **dict.fromkeys(("tuple", "frozenset", "list", "set", "dict"), list),
}  # fmt: skip
"""What stands for a value of each kind."""
VERSION = 2
"""Of the form of a saved state; another one is refused."""

_DIGEST = "digest"

Types = Mapping[str, type]


def sealed(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state with a digest of it: damage is found, forgery is not."""
    return {**state, _DIGEST: digest_of(state)}


def check_seal(state: Mapping[str, Any]) -> None:
    """Raises `InputError` for a state that is not as it was `sealed`."""
    inner = {name: part for name, part in state.items() if name != _DIGEST}
    try:
        whole = digest_of(inner) == state.get(_DIGEST)
    except (TypeError, ValueError, ArithmeticError, InputError):
        whole = False
    if not whole:
        raise InputError(
            "the saved state was changed or damaged: it is not what `save` returned",
            hint="keep it as it is, or begin a new session",
        )


def _declared(domain: Domain) -> dict[str, Any]:
    """The objects of a domain that a session may hold, by name."""
    tools = domain.tools.values()
    touches = {f"{t.name}#{number}": touch for t in tools for number, touch in enumerate(t.touches)}
    seen = {f"{t.name}@{number}": seen for t in tools for number, seen in enumerate(t.observes)}
    return touches | seen


class Writer:
    """Writes objects as JSON; `types` are those that may occur besides plain values."""

    def __init__(self, domain: Domain, types: Types) -> None:
        self._names = {type_: name for name, type_ in types.items()}
        self._outside = {id(part): name for name, part in _declared(domain).items()}
        self._known: dict[int, int] = {}
        self._alive: list[Any] = []

    def write(self, value: Any) -> Any:
        """The value as JSON; raises `TypeError` for an object of a type that is not known."""
        kind = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if id(value) in self._outside:
            return {"domain": self._outside[id(value)]}
        if id(value) in self._known:
            return {"same": self._known[id(value)]}
        if kind in _NUMBERS:
            return {_NUMBERS[kind]: str(value)}
        if kind is tuple:
            return {"tuple": [self.write(item) for item in value]}
        if kind is frozenset:
            items = [self.write(item) for item in value]
            return {"frozenset": sorted(items, key=repr)}
        number = self._note(value)
        if kind is list:
            return {"list": [self.write(item) for item in value], "id": number}
        if kind is set:
            items = [self.write(item) for item in value]
            return {"set": sorted(items, key=repr), "id": number}
        if isinstance(value, dict):
            pairs = [[self.write(key), self.write(inner)] for key, inner in value.items()]
            return {"dict": pairs, "id": number}
        name = self._names.get(kind)
        if name is None:
            raise TypeError(f"a session holds a {kind.__name__}, which cannot be saved")
        if isinstance(value, Enum):
            return {"member": value.name, "of": name}
        assert is_dataclass(value)
        stored = {field.name: self.write(getattr(value, field.name)) for field in fields(value)}
        return {"object": stored, "of": name, "id": number}

    def _note(self, value: Any) -> int:
        self._known[id(value)] = len(self._alive)
        self._alive.append(value)
        return self._known[id(value)]


class Reader:
    """Reads what a `Writer` wrote; raises `InputError` for anything else."""

    def __init__(self, domain: Domain, types: Types) -> None:
        self._types = types
        self._outside = _declared(domain)
        self._made: dict[int, Any] = {}
        self._at: list[str] = []

    def read(self, value: Any, name: str) -> Any:
        """The value that was written; errors name what of `name` cannot be read."""
        self._at = [name]
        try:
            return self._read(value)
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            where = ".".join(self._at[:12])
            raise InputError(f"the saved state is damaged: `{where}` cannot be read") from None

    def _inside(self, name: Any, value: Any) -> Any:
        self._at.append(name if isinstance(name, str) else "...")
        found = self._read(value)
        self._at.pop()  # after an error the names stay, to tell where it was
        return found

    def _read(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            if value is None or type(value) in (bool, int, str):
                return value
            raise TypeError(value)
        (kind,) = value.keys() - {"id", "of"}
        body = _body(kind, value[kind])
        readers: dict[str, Callable[[], Any]] = {
            "domain": lambda: self._outside[body],
            "same": lambda: self._made[body],
            "number": lambda: Fraction(body),
            "decimal": lambda: Decimal(body),
            "float": lambda: float(body),
            "tuple": lambda: tuple(self._all(body)),
            "frozenset": lambda: frozenset(self._all(body)),
            "list": lambda: self._filled(value, [], lambda made: made.extend(self._all(body))),
            "set": lambda: self._filled(value, set(), lambda made: made.update(self._all(body))),
            "dict": lambda: self._filled(value, {}, lambda made: self._fill(made, body)),
            "member": lambda: self._types[value["of"]][body],  # type: ignore[index]
            "object": lambda: self._object(value),
        }
        return readers[kind]()

    def _all(self, items: Any) -> Iterator[Any]:
        return map(self._read, items)

    def _filled(self, value: Mapping[str, Any], made: Any, fill: Callable[[Any], None]) -> Any:
        self._made[_whole(value["id"])] = made
        fill(made)
        return made

    def _fill(self, made: dict[Any, Any], pairs: list[Any]) -> None:
        for key, inner in pairs:
            name = self._inside("a key", key)
            if name in made:
                raise ValueError(name)
            made[name] = self._inside(name, inner)

    def _object(self, value: Mapping[str, Any]) -> Any:
        type_ = self._types[value["of"]]
        made: Any = object.__new__(type_)
        self._made[_whole(value["id"])] = made
        stored = value["object"]
        if stored.keys() != {field.name for field in fields(type_)}:
            raise ValueError(stored.keys())
        for name, inner in stored.items():
            object.__setattr__(made, name, self._inside(name, inner))
        return made


def _body(kind: str, body: Any) -> Any:
    if not isinstance(body, _BODIES.get(kind, object)) or isinstance(body, bool):
        raise TypeError(body)
    return body


def _whole(number: Any) -> int:
    if type(number) is not int:
        raise TypeError(number)
    return number
