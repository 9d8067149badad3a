"""Records by path, fresh or stale. Nothing gets in here that was not observed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ledger_verify.lang.environment import LedgerPattern
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.types import RecordType, Type, strip_null
from ledger_verify.ledger.absence import Absences, Listing
from ledger_verify.ledger.attempts import Attempt, Frozen, Rejection, frozen
from ledger_verify.ledger.doubts import Doubt, Doubts
from ledger_verify.ledger.entries import Entry, Mark, table_key
from ledger_verify.ledger.history import History
from ledger_verify.ledger.newcomers import Newcomer, Newcomers, unseen
from ledger_verify.ledger.overtaken import CallsUnderway
from ledger_verify.ledger.parts import Keys, Within, covers, expanded, match, with_gap
from ledger_verify.policy.evidence import MissingPath, Unknown, Unlisted
from ledger_verify.policy.session_facts import Facts


@dataclass
class Ledger:
    """Typed records at canonical paths.

    `fresh` has, by pattern, the values of wholly fresh records only; compiled predicates read it
    directly and take a missing key as a reason to ask the interpreter. `heard` are the messages of
    the user so far. `identities` has, by pattern, whose record is the one of this session. `tried`
    are the reads made since the last change. `rejected` has, by pattern and keys (None for one that
    cannot be told), what was kept out and not shown well since. `held` has, by pattern, what calls
    may change whose outcome is awaited: it is stale until then, however often it is read.
    `facts` are those of the session, which nothing that is observed changes. `absences` tell which
    records do not exist.
    """

    patterns: Mapping[str, LedgerPattern]
    entries: dict[str, dict[Keys, Entry]] = field(default_factory=dict)
    fresh: dict[str, dict[Any, Any]] = field(default_factory=dict)
    history: History = field(default_factory=History)
    tried: dict[Frozen, Attempt] = field(default_factory=dict)
    rejected: dict[tuple[str, tuple[Any | None, ...]], Rejection] = field(default_factory=dict)
    held: dict[str, list[Mark]] = field(default_factory=dict)
    heard: tuple[str, ...] = ()
    identities: dict[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=Facts)
    doubtful: Doubts = field(default_factory=Doubts)
    absences: Absences = field(default_factory=Absences)
    underway: CallsUnderway = field(default_factory=CallsUnderway)
    newcomers: Newcomers = field(default_factory=Newcomers)

    def __post_init__(self) -> None:
        for pattern in self.patterns:
            self.entries.setdefault(pattern, {})
            self.fresh.setdefault(pattern, {})

    def put(self, pattern: str, keys: Keys, value: Any) -> None:
        """Store a fresh observation in place of what was known of the record.

        `value` is what a coercer made, so nobody else holds a reference into it.
        """
        if self.absences:
            known = self.entries[pattern].get(keys)
            if known is not None and known.value != value and self.absences.rest_on(pattern):
                self.absences.forget(pattern, keys)
        entry = self.entries[pattern][keys] = Entry(value)
        self.fresh[pattern][table_key(keys)] = value
        self.rejected.pop((pattern, keys), None)
        if self.held:
            self._hold(pattern, keys, entry)
        if self.doubtful.by_pattern:
            self.doubtful.seen(pattern, keys)

    def drop(self, pattern: str, keys: Keys) -> None:
        """A record is known not to exist: forget what was known of it."""
        self.entries[pattern].pop(keys, None)
        self.fresh[pattern].pop(table_key(keys), None)

    def doubt(self, pattern: str, keys: Keys | None, source: Frozen | None) -> bool:
        """A result may have shown a record that was not observed; false if it is known as stale.

        Until the result is made good not all records of the pattern are known.
        """
        keys = (None,) * len(self.patterns[pattern].keys) if keys is None else keys
        self.absences.forget(pattern, keys)
        if None not in keys and keys in self.entries[pattern]:
            return False
        self.doubtful.add(Doubt(pattern, keys, source))
        return True

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

    def touch(self, pattern: str, keys: tuple[Any | None, ...], within: Within) -> bool:
        """Mark records, or the part at `within`, as stale; a key of None stands for any key.

        Returns whether a record was wholly known before.
        """
        if self.absences:
            self.absences.forget(pattern, keys)
        table = self.entries[pattern]
        touched = [keys] if None not in keys else [here for here in table if match(here, keys)]
        return self.make_stale(pattern, touched, within)

    def make_stale(self, pattern: str, records: Iterable[Keys], within: Within) -> bool:
        """The same for records of just these keys."""
        if pattern in self.identities and not isinstance(self._record(pattern), RecordType):
            return False  # with whom the conversation is stays so
        table, known = self.entries[pattern], False
        for here in records:
            entry = table.get(here)
            if entry is not None:
                self.fresh[pattern].pop(table_key(here), None)
                entry.line = None
                known = known or not entry.changed
                entry.changed |= set(expanded(entry.value, within))
                entry.stale |= entry.changed
        return known

    def alter(self, pattern: str, keys: tuple[Any | None, ...], within: Within) -> None:
        """A call changed this, or may have: calls under way may show it as it was before.

        A record that is touched as a whole and was not observed may be a new one.
        """
        self.underway.change((pattern, keys, within))
        self.touch(pattern, keys, within)
        if keys and not within:
            self.doubt(pattern, keys, None)

    def hold(self, marks: Iterable[Mark], new: Sequence[Newcomer] = ()) -> None:
        """What a call may change, or make, is stale, or in doubt, until `release`."""
        self.newcomers.expect(new)
        for mark in marks:
            pattern = mark.touch.pattern
            self.held.setdefault(pattern, []).append(mark)
            for keys, entry in self._met(mark):
                self._hold(pattern, keys, entry)

    def release(self, marks: Iterable[Mark], new: Sequence[Newcomer] = ()) -> None:
        """What only these marks made stale is as it was, or as it was read since then."""
        self.newcomers.told(new)
        for mark in marks:
            pattern = mark.touch.pattern
            left = [other for other in self.held.get(pattern, ()) if other is not mark]
            if left:
                self.held[pattern] = left
            else:
                self.held.pop(pattern, None)
            for keys, entry in self._met(mark):
                entry.stale = entry.changed
                entry.line = None
                self._hold(pattern, keys, entry)
                if not entry.stale:
                    self.fresh[pattern][table_key(keys)] = entry.value

    def _met(self, mark: Mark) -> list[tuple[Keys, Entry]]:
        table = self.entries[mark.touch.pattern]
        if None in mark.keys:
            return [(keys, entry) for keys, entry in table.items() if mark.meets(keys)]
        entry = table.get(mark.keys)
        return [] if entry is None else [(mark.keys, entry)]

    def _hold(self, pattern: str, keys: Keys, entry: Entry) -> None:
        for mark in self.held.get(pattern, ()):
            if mark.meets(keys):
                self.fresh[pattern].pop(table_key(keys), None)
                entry.line = None
                entry.stale |= set(expanded(entry.value, mark.within))

    def holding(self, pattern: str, keys: tuple[Any | None, ...]) -> Iterator[str]:
        """The tools of calls whose outcome is awaited and that may change such a record."""
        for call in (*self.held.get(pattern, ()), *self.newcomers.at(pattern)):
            pairs = zip(call.keys, keys, strict=True)
            if all(mine is None or key is None or mine == key for mine, key in pairs):
                yield call.tool

    def _unseen(self, pattern: str) -> frozenset[MissingPath]:
        """The records that may be there besides those that were observed."""
        held = (m.keys for m in self.held.get(pattern, ()) if m.keys and not m.within)
        new = unseen(pattern, self.entries[pattern], held, self.newcomers.at(pattern))
        return self.doubtful.missing(pattern) | new

    def retry(self, pattern: str, tool: str, arguments: Mapping[str, Any]) -> None:
        """Forget what the same call showed before, since it was made again."""
        self.rejected = {
            place: rejection
            for place, rejection in self.rejected.items()
            if (place[0], rejection.tool, rejection.arguments) != (pattern, tool, arguments)
        }

    def touch_all(self) -> None:
        """Mark everything as stale; there may be other records by now."""
        self.change()
        for pattern, spec in self.patterns.items():
            self.alter(pattern, (None,) * len(spec.keys), ())
            self.doubt(pattern, None, None)

    def lookup(self, pattern: str, keys: Keys) -> Any:
        """The record with `Unknown` in place of its stale parts, or `Unknown`, or `Unlisted`."""
        entry = self.entries[pattern].get(keys)
        if entry is None and self.absences.by_pattern:
            statements = self.absences.about(pattern, keys)
            if statements and not any(self.holding(pattern, keys)):
                return Unlisted(MissingPath(pattern, keys), statements)
        if entry is None or entry.wholly_stale:
            if entry is not None and pattern in self.identities:
                return self._all_but_identity(pattern)
            return Unknown(frozenset({MissingPath(pattern, keys)}))
        value = entry.value
        for within in entry.stale:
            value = with_gap(value, within, MissingPath(pattern, keys, within))
        return value

    def _all_but_identity(self, pattern: str) -> Any:
        """The stale record of whom the conversation is with: that much stays known of it."""
        record, identity = self._record(pattern), self.patterns[pattern].identity
        if not isinstance(record, RecordType):
            return self.identities[pattern]
        return {
            name: self.identities[pattern]
            if name == identity
            else Unknown(frozenset({MissingPath(pattern, (), (name,))}))
            for name in record.by_name
        }

    def _record(self, pattern: str) -> Type:
        return strip_null(self.patterns[pattern].record)

    def observed(self, pattern: str, keys: Keys, field: str | None) -> bool | Unknown:
        """Whether the record, or its field, was observed and is not stale.

        `Unknown` where it is stale only until the outcome of a call is known.
        """
        entry = self.entries[pattern].get(keys)
        if entry is None or covers(entry.changed, field):
            return False
        if covers(entry.stale, field):
            return Unknown(frozenset({MissingPath(pattern, keys)}))
        return True

    def surely_observed(self, pattern: str, keys: Keys, field: str | None) -> bool:
        """The same; raises `NoValue` in place of `Unknown`."""
        answer = self.observed(pattern, keys, field)
        if isinstance(answer, Unknown):
            raise NoValue("the outcome of a call is not known")
        return answer

    def observed_records(self, pattern: str) -> tuple[Any, ...] | Unknown:
        """Every record that was observed at the pattern, in order, stale ones as `Unknown`.

        `Unknown` as a whole where a result may have shown more than was observed.
        """
        unseen = self._unseen(pattern)
        if unseen:
            return Unknown(unseen)
        return tuple(self.lookup(pattern, keys) for keys in self.entries[pattern])

    def fresh_records(self, pattern: str) -> tuple[Any, ...]:
        """The same where all are known; raises `NoValue` otherwise."""
        entries, fresh = self.entries[pattern], self.fresh[pattern]
        if len(entries) != len(fresh) or self._unseen(pattern):
            raise NoValue("a record is stale")
        return tuple(entry.value for entry in entries.values())

    def earlier_calls(self, name: str) -> Any:
        """The value of `history`, or of `history.tool`, with `Unknown` for what is not known."""
        return self.history.value(name)

    def known_calls(self, name: str) -> tuple[Any, ...]:
        """The same where all of it is known; raises `NoValue` otherwise."""
        if not self.history.is_sure(name):
            raise NoValue("something of an earlier call is not known")
        return self.history.calls(name)

    def messages(self) -> tuple[str, ...]:
        """What the user said so far, oldest first."""
        return self.heard

    def listings(self, pattern: str) -> Sequence[Listing]:
        """What reads that showed all of the pattern, or of a part of it, did not show."""
        return self.absences.by_pattern.get(pattern, ())

    def records(self) -> Iterator[tuple[str, Keys, Entry]]:
        """All entries, by pattern and key in the order of first observation."""
        for pattern, table in self.entries.items():
            for keys, entry in table.items():
                yield pattern, keys, entry

    def copy(self) -> Ledger:
        """An independent ledger with the same content."""
        entries = {
            pattern: {keys: replace(entry) for keys, entry in table.items()}
            for pattern, table in self.entries.items()
        }
        fresh = {pattern: dict(table) for pattern, table in self.fresh.items()}
        held = {pattern: list(marks) for pattern, marks in self.held.items()}
        return Ledger(
            self.patterns,
            entries,
            fresh,
            self.history.copy(),
            dict(self.tried),
            dict(self.rejected),
            held,
            self.heard,
            dict(self.identities),
            self.facts,
            self.doubtful.copy(),
            self.absences.copy(),
            self.underway.copy(),
            self.newcomers.copy(),
        )
