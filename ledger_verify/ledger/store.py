"""Records by path, fresh or stale. Nothing gets in here that was not observed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.lang.environment import KEY, LedgerPattern
from ledger_verify.lang.novalue import NoValue
from ledger_verify.ledger.attempts import Attempt, Frozen, Rejection, frozen
from ledger_verify.ledger.history import History
from ledger_verify.policy.evidence import MissingPath, Unknown

Keys = tuple[Any, ...]
Within = tuple[str, ...]


@dataclass
class Entry:
    """An observed record: its typed value, and what of it is stale.

    `stale` holds paths into the record; the empty path stands for all of it. `line` keeps its
    rendering until it changes.
    """

    value: Any
    stale: frozenset[Within] = frozenset()
    line: str | None = None

    @property
    def wholly_stale(self) -> bool:
        """Whether nothing of the record counts as evidence any more."""
        return () in self.stale


def table_key(keys: Keys) -> Any:
    """The key of a record in its table: bare if there is one, a tuple otherwise."""
    return keys[0] if len(keys) == 1 else keys


@dataclass
class Ledger:
    """Typed records at canonical paths.

    `fresh` has, by pattern, the values of wholly fresh records only; compiled predicates read it
    directly and take a missing key as a reason to ask the interpreter.
    `tried` are the reads made since the last change, `rejected` what was shown of a record and
    kept out, None for keys that could not be told.
    """

    patterns: Mapping[str, LedgerPattern]
    entries: dict[str, dict[Keys, Entry]] = field(default_factory=dict)
    fresh: dict[str, dict[Any, Any]] = field(default_factory=dict)
    history: History = field(default_factory=History)
    tried: dict[Frozen, Attempt] = field(default_factory=dict)
    rejected: dict[tuple[str, tuple[Any | None, ...]], Rejection] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for pattern in self.patterns:
            self.entries.setdefault(pattern, {})
            self.fresh.setdefault(pattern, {})

    def put(self, pattern: str, keys: Keys, value: Any) -> None:
        """Store a fresh observation in place of what was known of the record.

        `value` is what a coercer made, so nobody else holds a reference into it.
        """
        self.entries[pattern][keys] = Entry(value)
        self.fresh[pattern][table_key(keys)] = value
        self.rejected.pop((pattern, keys), None)

    def try_read(self, attempt: Attempt) -> None:
        """Take note of a read that was made, in place of the last one with these arguments."""
        self.tried[frozen(attempt.tool, attempt.arguments)] = attempt

    def forget_other_tries(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """What was known is in doubt after this read: any other one may tell more."""
        own = frozen(tool, arguments)
        self.tried = {call: attempt for call, attempt in self.tried.items() if call == own}

    def change(self) -> None:
        """Something changed, or may have: what was tried before may be tried again."""
        self.tried.clear()

    def touch(self, pattern: str, keys: tuple[Any | None, ...], within: Within) -> None:
        """Mark records, or the part at `within`, as stale; a key of None stands for any key."""
        table = self.entries[pattern]
        touched = [keys] if None not in keys else [known for known in table if _match(known, keys)]
        for known in touched:
            entry = table.get(known)
            if entry is not None:
                entry.stale |= set(_expanded(entry.value, within))
                entry.line = None
                self.fresh[pattern].pop(table_key(known), None)

    def touch_all(self) -> None:
        """Mark everything as stale."""
        self.change()
        for pattern, spec in self.patterns.items():
            self.touch(pattern, (None,) * len(spec.keys), ())

    def lookup(self, pattern: str, keys: Keys) -> Any:
        """The record with `Unknown` in place of its stale parts, or `Unknown`."""
        entry = self.entries[pattern].get(keys)
        if entry is None or entry.wholly_stale:
            return Unknown(frozenset({MissingPath(pattern, keys)}))
        value = entry.value
        for within in entry.stale:
            value = _with_gap(value, within, MissingPath(pattern, keys, within))
        return value

    def observed(self, pattern: str, keys: Keys, field: str | None) -> bool:
        """Whether the record, or its field, was observed and is not stale."""
        entry = self.entries[pattern].get(keys)
        if entry is None or entry.wholly_stale:
            return False
        return field is None or not any(within[0] == field for within in entry.stale)

    def observed_records(self, pattern: str) -> tuple[Any, ...]:
        """Every record that was observed at the pattern, in order, stale ones as `Unknown`."""
        return tuple(self.lookup(pattern, keys) for keys in self.entries[pattern])

    def fresh_records(self, pattern: str) -> tuple[Any, ...]:
        """The same where none is stale; raises `NoValue` otherwise."""
        entries, fresh = self.entries[pattern], self.fresh[pattern]
        if len(entries) != len(fresh):
            raise NoValue("a record is stale")
        return tuple(entry.value for entry in entries.values())

    def earlier_calls(self, name: str) -> Any:
        """The value of `history`, or of `history.tool`; `Unknown` if a call could not be read."""
        return self.history.calls(name) if self.history.readable(name) else Unknown(frozenset())

    def known_calls(self, name: str) -> tuple[Any, ...]:
        """The same; raises `NoValue` in place of `Unknown`."""
        if not self.history.readable(name):
            raise NoValue("an earlier call could not be read")
        return self.history.calls(name)

    def records(self) -> Iterator[tuple[str, Keys, Entry]]:
        """All entries, by pattern and key in the order of first observation."""
        for pattern, table in self.entries.items():
            for keys, entry in table.items():
                yield pattern, keys, entry

    def copy(self) -> Ledger:
        """An independent ledger with the same content."""
        entries = {
            pattern: {
                keys: Entry(entry.value, entry.stale, entry.line) for keys, entry in table.items()
            }
            for pattern, table in self.entries.items()
        }
        fresh = {pattern: dict(table) for pattern, table in self.fresh.items()}
        return Ledger(
            self.patterns,
            entries,
            fresh,
            self.history.copy(),
            dict(self.tried),
            dict(self.rejected),
        )


def _expanded(value: Any, within: Within) -> Iterator[Within]:
    """The paths that a path with `*` steps stands for in the value."""
    if KEY not in within:
        yield within
        return
    at = within.index(KEY)
    for step in within[:at]:
        value = value.get(step) if isinstance(value, dict) else None
    if not isinstance(value, dict) or at == len(within) - 1:
        # entries may have come or gone, so nothing is known of the map as a whole
        yield within[:at]
        return
    for key in value:
        for rest in _expanded(value[key], within[at + 1 :]):
            yield (*within[:at], key, *rest)


def _match(known: Keys, wanted: tuple[Any | None, ...]) -> bool:
    return all(want is None or want == have for have, want in zip(known, wanted, strict=True))


def _with_gap(value: Any, within: Within, missing: MissingPath) -> Any:
    """A copy of the value with `Unknown` at the path.

    Where the path leaves what was observed - an absent field or entry, null on the way - the
    write may have made what it touched, so the first step that is not there is unknown.
    """
    if not within or not isinstance(value, dict):
        return Unknown(frozenset({missing}))
    step, rest = within[0], within[1:]
    return {**value, step: _with_gap(value.get(step), rest, missing)}
