"""What one result shows: its records as JSON, those that fit, and those that are kept out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.lang.types import StringType, Type, strip_null
from ledger_verify.ledger.results import follow, typed_groups
from ledger_verify.policy.tools import Observation

Keys = tuple[Any | None, ...]


@dataclass
class Found:
    """What one result shows of one observation: records by keys, and what does not fit.

    The keys of a misfit are those of the records that it puts in doubt, or None.
    """

    observation: Observation
    records: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    misfits: list[tuple[Keys | None, str]] = field(default_factory=list)
    _doubtful: set[tuple[Any, ...]] = field(default_factory=set)

    def keep_out(self, keys: Keys | None, reason: str) -> None:
        """A record does not fit; others of its keys are in doubt."""
        self.misfits.append((keys, reason))
        if keys is not None:
            self._doubtful.add(keys)
            self.records.pop(keys, None)

    def add(self, keys: tuple[Any, ...], value: Any, path: str) -> None:
        """A record that fits; the same one with two values is none."""
        if self.records.get(keys, value) != value:
            self.keep_out(keys, f"`{path}` is there twice, with different values")
        elif keys not in self._doubtful:
            self.records[keys] = value


def records_in(parsed: Any, observation: Observation, type_: Type) -> Iterator[Any]:
    """The records that a result shows, as JSON."""
    for found in follow(parsed, observation.source, "result"):
        if observation.text is None:
            yield found
            continue
        for groups in observation.text.read(found):
            yield typed_groups(groups, type_)


def is_text(type_: Type, observation: Observation) -> bool:
    """Whether the result is read as it stands: it is prose, or the record is a text."""
    prose = observation.text is not None or isinstance(strip_null(type_), StringType)
    return prose and not observation.source
