"""What one result shows: its records as JSON, those that fit, and those that are kept out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ledger_verify.lang.types import StringType, Type, strip_null
from ledger_verify.ledger.results import follow, typed_groups
from ledger_verify.policy.tools import Observation
from ledger_verify.schema.misfit import Misfit

Keys = tuple[Any | None, ...]


MOST_TOLD = 100
"""So many of one result are told of, and in doubt, one by one; of more, all of the pattern is."""


def _untold() -> str:
    return "it does not fit"


@dataclass
class Found:
    """What one result shows of one observation: records by keys, and what does not fit.

    The keys of a misfit are those of the records that it puts in doubt, or None. Why it does not
    fit is kept of the first ones, and of the first of some keys.
    """

    observation: Observation
    records: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    misfits: list[tuple[Keys | None, Callable[[], str]]] = field(default_factory=list)
    _doubtful: set[Keys | None] = field(default_factory=set)

    def keep_out(self, keys: Keys | None, reason: Callable[[], str]) -> None:
        """A record does not fit; others of its keys are in doubt."""
        is_new = keys not in self._doubtful and len(self._doubtful) <= MOST_TOLD
        told = is_new or len(self.misfits) < MOST_TOLD
        self.misfits.append((keys, reason if told else _untold))
        self._doubtful.add(keys)
        if keys is not None:
            self.records.pop(keys, None)

    def add(self, keys: tuple[Any, ...], value: Any, path: Callable[[], str]) -> None:
        """A record that fits; the same one with two values is none."""
        if self.records.get(keys, value) != value:
            self.keep_out(keys, lambda: f"`{path()}` is there twice, with different values")
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


def words_of(misfit: Misfit) -> Callable[[], str]:
    """The words of a misfit, made when they are wanted; it lets go of where it was raised."""
    misfit.__traceback__ = misfit.__context__ = None
    return lambda: misfit.message
