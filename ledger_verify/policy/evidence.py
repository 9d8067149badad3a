"""What the evaluators ask of a ledger, and the answer when it does not know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from ledger_verify.lang.typed import Expr


@dataclass(frozen=True)
class MissingPath:
    """A record, or a part of it at the steps `within`, that was read but is unobserved or stale.

    A key is None where it depends on other missing evidence.
    """

    pattern: str
    keys: tuple[Any, ...]
    within: tuple[str, ...] = ()

    @property
    def determined(self) -> bool:
        """Whether all keys are known."""
        return None not in self.keys


@dataclass(frozen=True)
class MissingCall(MissingPath):
    """Something of an earlier call of `tool` that nobody has told, such as whether it happened.

    With `awaited` it may still be told; without, it is unknown for good. `pattern` is such as no
    path of a ledger is.
    """

    tool: str = ""
    awaited: bool = False


@dataclass(frozen=True)
class Unknown:
    """The value depends on missing evidence."""

    missing: frozenset[MissingPath]


@dataclass(frozen=True)
class Statement:
    """That a record does not exist if `scope` is true with `names` bound; `source` says so."""

    scope: Expr
    names: Mapping[str, Any]
    source: Any = None


@dataclass(frozen=True)
class Unlisted:
    """A record of which nothing was observed; it does not exist if one of the statements applies.

    It is missing evidence where none is known to.
    """

    path: MissingPath
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Reach:
    """What of the ledger can still be read: records of the `patterns`, but for those `lost`.

    `calls` are the histories (`history.TOOL`), and the patterns of lists of records, that a read at
    hand makes longer.
    """

    patterns: frozenset[str]
    lost: frozenset[tuple[str, tuple[Any, ...]]] = frozenset()
    calls: frozenset[str] = frozenset()

    def has(self, pattern: str, keys: tuple[Any, ...]) -> bool:
        """Whether the record at these keys can be read."""
        return pattern in self.patterns | self.calls and (pattern, keys) not in self.lost

    def all_of(self, missing: Iterable[MissingPath]) -> bool:
        """Whether all that is missing can be read."""
        return all(self.has(path.pattern, path.keys) for path in missing)


def unknown_call(tool: str, *, awaited: bool) -> Unknown:
    """What stands in an earlier call for what is not known of it."""
    pattern = f"{tool}() {'awaited' if awaited else 'lost'}"
    return Unknown(frozenset({MissingCall(pattern, (), (), tool, awaited)}))


class Evidence(Protocol):
    """A source of observed records, and of the facts of the session."""

    @property
    def facts(self) -> Mapping[str, Any]:
        """The facts of the session, typed; known from its start, and never another."""

    def lookup(self, pattern: str, keys: tuple[Any, ...]) -> Any:
        """The fresh record, its stale parts replaced by `Unknown`; or `Unknown`, or `Unlisted`."""

    def observed(self, pattern: str, keys: tuple[Any, ...], field: str | None) -> bool | Unknown:
        """Whether a fresh observation of the record, or of its field, is there.

        `Unknown` where that hangs on the outcome of a call that was allowed.
        """

    def observed_records(self, pattern: str) -> Any:
        """What `lookup` gives for every record that was observed at the pattern, in order.

        `Unknown` where some result did not show what it may hold of them.
        """

    def earlier_calls(self, name: str) -> Any:
        """The value of `history`, or of `history.tool`, with `Unknown` for what is not known."""

    def messages(self) -> tuple[str, ...]:
        """What the user said so far, oldest first."""


class NoEvidence:
    """A ledger in which nothing was observed, of a session without facts."""

    facts: Mapping[str, Any] = MappingProxyType({})

    def lookup(self, pattern: str, keys: tuple[Any, ...]) -> Any:
        """Always unknown."""
        return Unknown(frozenset({MissingPath(pattern, keys)}))

    def observed(self, pattern: str, keys: tuple[Any, ...], field: str | None) -> bool | Unknown:
        """Never."""
        return False

    def observed_records(self, pattern: str) -> tuple[Any, ...]:
        """None."""
        return ()

    def earlier_calls(self, name: str) -> Any:
        """None."""
        return ()

    def messages(self) -> tuple[str, ...]:
        """None."""
        return ()
