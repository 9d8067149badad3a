"""Records from files, in the shape of the ledger, for checks that compare the policy with data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ledger_verify.lang.environment import KEY, LedgerPattern
from ledger_verify.lang.errors import InputError, Location, near_match
from ledger_verify.ledger.own_key import wrong_key
from ledger_verify.ledger.paths import parse_path, segment_text, split_path, typed_keys
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.own_keys import own_keys
from ledger_verify.schema.coerce import Misfit, coercer

Steps = tuple[str | int, ...]


class PlacedData(Protocol):
    """A parsed file that knows where its parts stand."""

    @property
    def name(self) -> str:
        """How the file is called."""

    @property
    def data(self) -> Any:
        """All that is in the file."""

    def locate(self, path: tuple[str | int, ...]) -> Location:
        """The place of the part at `path`."""


@dataclass(frozen=True)
class Recorded:
    """A record of a file: typed value, or `reason` why it does not fit the schema.

    What is `elsewhere` stands where no path of the pattern leads, since its keys do not fit.
    """

    file: PlacedData
    steps: Steps
    pattern: str
    keys: tuple[Any, ...] = ()
    value: Any = None
    reason: str | None = None
    elsewhere: bool = False

    @property
    def path(self) -> str:
        """Where it is within the file."""
        texts = [str(step) for step in self.steps]
        return texts[0] if len(texts) == 1 else ".".join(map(segment_text, texts))

    @property
    def location(self) -> Location:
        """Where it is in the file's text."""
        return self.file.locate(self.steps)


@dataclass
class Data:
    """The records of all files, and what was passed over: names of a file that no path has, and
    what is `shaped_otherwise`, since none of its keys fits the path.
    """

    records: list[Recorded] = field(default_factory=list)
    misfits: list[Recorded] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    shaped_otherwise: list[Recorded] = field(default_factory=list)

    @property
    def compared(self) -> dict[str, int]:
        """How many records were found for each path of the ledger that has some."""
        return dict(Counter(record.pattern for record in (*self.records, *self.misfits)))


def read_data(domain: Domain, files: Sequence[PlacedData], places: Mapping[str, str]) -> Data:
    """The records of files that are shaped like the ledger.

    A file has an object for each name (`{"orders": {"A1": {...}}}` for `orders.*`), a list of
    records that have their key in a field, or records by their canonical paths
    (`{"orders.A1": {...}}`). `places` say for a pattern where its records
    are instead: `users.*`, `flights.*.dates.*`, `lines.[line_id]`
    for a list with the key in that field, or nowhere for an empty text. The first stars
    stand for the keys of the pattern; what further ones stand for are records of different
    ledgers. Raises `InputError` for a pattern or a place that cannot be.
    """
    wanted = _places(domain, files, places)
    data = Data()
    for file in files:
        if not isinstance(file.data, dict):
            raise InputError(
                "expected an object with the records by name", location=file.locate(())
            )
        names = {str(steps[0]) for steps in wanted.values() if steps}
        for name in file.data:
            if name not in names and not _by_path(domain, file, name, data):
                hint = near_match(name, names) or f"known are {_listed(sorted(names))}"
                data.passed_over.append(f"{file.name}: `{name}` is passed over: {hint}")
        for pattern, steps in wanted.items():
            if steps and steps[0] in file.data:
                found = list(_found(domain, file, domain.ledger[pattern], steps))
                if found and all(record.elsewhere for record in found):
                    data.passed_over.append(_shaped_otherwise(found[0]))
                    data.shaped_otherwise += found
                    continue
                for record in found:
                    (data.records if record.reason is None else data.misfits).append(record)
    return data


def _places(
    domain: Domain, files: Sequence[PlacedData], places: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    known = {name for file in files if isinstance(file.data, dict) for name in file.data}
    wanted: dict[str, tuple[str, ...]] = {
        spec.text: spec.segments for spec in domain.ledger.values()
    }
    for pattern, place in places.items():
        spec = domain.ledger.get(pattern)
        if spec is None:
            hint = near_match(pattern, domain.ledger)
            raise InputError(f"`{pattern}` is no path of the ledger", hint=hint)
        steps = tuple(split_path(place)) if place else ()
        if steps and sum(map(_is_key, steps)) < len(spec.keys):
            raise InputError(
                f"`{place}` has fewer `*` than `{pattern}` has keys ({len(spec.keys)})"
            )
        if steps and steps[0] not in known:
            raise InputError(
                f"no data has `{steps[0]}`, where `{pattern}` should be",
                hint=near_match(steps[0], known),
            )
        wanted[pattern] = steps
    return wanted


def _shaped_otherwise(first: Recorded) -> str:
    return (
        f"{first.file.name}: what is at `{first.steps[0]}` is passed over: it has no records of "
        f"`{first.pattern}` (`{first.path}`: {first.reason}); if they are elsewhere, say where: "
        f'`--map "{first.pattern}=PLACE"`'
    )


def _by_path(domain: Domain, file: PlacedData, name: str, data: Data) -> bool:
    """Take a record that stands under its canonical path; False if the name is none."""
    try:
        pattern, keys = parse_path(name, domain)
    except InputError:
        return False
    record = _typed(domain, file, (name,), pattern, keys, file.data[name])
    (data.records if record.reason is None else data.misfits).append(record)
    return True


def _found(
    domain: Domain, file: PlacedData, spec: LedgerPattern, wanted: tuple[str, ...]
) -> Iterator[Recorded]:
    """The records at a place of the file, those that do not fit with the reason."""
    own = own_keys(domain, spec)
    pending: list[tuple[Steps, tuple[str, ...], Any]] = [((), (), file.data)]
    for step in wanted:
        reached = []
        for steps, stars, value in pending:
            if _is_key(step) and isinstance(value, list):
                name = own[len(stars)] if len(stars) < len(own) else None
                if step != KEY:
                    name = step[1:-1]
                for index, item in enumerate(value):
                    key = str(index) if name is None else _key_in(item, name)
                    if key is None:
                        yield Recorded(file, (*steps, index), spec.text, reason=_no_key(name))
                    else:
                        reached.append(((*steps, index), (*stars, key), item))
            elif not isinstance(value, dict):
                inside = "records by their keys" if _is_key(step) else f"`{step}`"
                reason = f"expected an object with {inside}"
                yield Recorded(file, steps, spec.text, reason=reason)
            elif _is_key(step):
                reached += [((*steps, key), (*stars, key), value[key]) for key in value]
            elif step in value:
                reached.append(((*steps, step), stars, value[step]))
        pending = reached
    for steps, stars, value in pending:
        texts = stars[: len(spec.keys)]
        shown = ".".join(map(str, steps))
        try:
            keys = typed_keys(shown, texts, spec, domain)
        except InputError as problem:
            reason = f"its key: {problem.message.removeprefix(f'`{shown}`: ')}"
            yield Recorded(file, steps, spec.text, reason=reason, elsewhere=True)
        else:
            yield _typed(domain, file, steps, spec.text, keys, value)


def _is_key(step: str) -> bool:
    """Whether a step of a place stands for a key: a star, or `[field]` for records in a list."""
    return step == KEY or (step[:1] == "[" and step[-1:] == "]")


def _key_in(item: Any, name: str) -> str | None:
    """The key of a record in a list, which is one of its fields."""
    key = item.get(name) if isinstance(item, dict) and name else None
    return str(key) if isinstance(key, str | int) and not isinstance(key, bool) else None


def _no_key(name: str | None) -> str:
    if name:
        return f"expected a record with its key in the field `{name}`"
    return "expected an object with records by their keys, since no field is known to be the key"


def _typed(
    domain: Domain, file: PlacedData, steps: Steps, pattern: str, keys: tuple[Any, ...], raw: Any
) -> Recorded:
    try:
        value = coercer(domain.ledger[pattern].record, domain.zone)(raw)
    except Misfit as misfit:
        return Recorded(file, steps, pattern, keys, reason=misfit.message)
    problem = wrong_key(domain, pattern, keys, value)
    if problem is not None:
        return Recorded(file, steps, pattern, keys, reason=problem())
    return Recorded(file, steps, pattern, keys, value)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
