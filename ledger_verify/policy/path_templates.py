"""Paths of the ledger with expressions in braces: `reservations.{args.reservation_id}.status`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ledger_verify.lang.environment import KEY, LedgerPattern
from ledger_verify.lang.errors import near_match
from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import STRING, MapType, RecordType, join, strip_null
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.interpolate import Hole


@dataclass(frozen=True)
class PathTemplate:
    """A template matched with its pattern: what fills the keys, None for `*`, and steps beyond."""

    pattern: LedgerPattern
    keys: tuple[Hole | None, ...]
    steps: tuple[str | Hole, ...]


def match_template(text: str, patterns: Mapping[str, LedgerPattern], place: Place) -> PathTemplate:
    """The pattern that a template fills; raises `InputError`."""
    segments = _segments(text, place)
    for pattern in patterns.values():
        wanted = pattern.segments
        if len(segments) >= len(wanted) and all(
            want == KEY if isinstance(have, Hole) or have == KEY else want == have
            for have, want in zip(segments, wanted, strict=False)
        ):
            keys = tuple(
                have if isinstance(have, Hole) else None
                for have, want in zip(segments, wanted, strict=False)
                if want == KEY
            )
            return PathTemplate(pattern, keys, tuple(segments[len(wanted) :]))
    shape = ".".join(KEY if isinstance(segment, Hole) else segment for segment in segments)
    raise place.error(f"`{shape}` is not a path of the ledger", hint=near_match(shape, patterns))


def _segments(text: str, place: Place) -> list[str | Hole]:
    """The segments between dots, each a name, `*` or one hole."""
    segments: list[str | Hole] = [""]
    for piece in place.pieces(text):
        if isinstance(piece, Hole):
            if segments[-1] != "":
                raise place.error(f"`{text}`: an expression must be all of its segment")
            segments[-1] = piece
            continue
        first, *rest = piece.split(".")
        if isinstance(segments[-1], Hole) and first:
            raise place.error(f"`{text}`: an expression must be all of its segment")
        segments[-1] = segments[-1] if isinstance(segments[-1], Hole) else segments[-1] + first
        segments += rest
    if "" in segments:
        raise place.error(f"`{text}` has an empty segment")
    return segments


def key_expressions(template: PathTemplate, place: Place) -> tuple[Expr | None, ...]:
    """The keys as expressions of the types that the pattern is keyed by."""
    keys = tuple(None if hole is None else place.hole(hole) for hole in template.keys)
    for key, wanted in zip(keys, template.pattern.keys, strict=True):
        if key is not None and join(strip_null(key.type), wanted) is None:
            text = template.pattern.text
            raise place.error(f"`{text}` is keyed by {wanted}, not by {key.type}")
    return keys


def inner_steps(template: PathTemplate, place: Place) -> tuple[str | Expr, ...]:
    """The steps into the record: fields of records, keys of maps."""
    type_ = template.pattern.record
    out: list[str | Expr] = []
    for step in template.steps:
        match strip_null(type_):
            case RecordType(by_name=known) as record if isinstance(step, str):
                if step not in known:
                    hint = near_match(step, known)
                    raise place.error(f"`{record}` has no field `{step}`", hint=hint)
                type_ = known[step].type
                out.append(step)
            case MapType(value=value):
                type_ = value  # the step `*` stands for every key
                out.append(step if isinstance(step, str) else _map_key(step, place))
            case _:
                shown = step.text if isinstance(step, Hole) else step
                raise place.error(f"nothing named `{shown}` in {type_}")
    return tuple(out)


def refuse_key_field(template: PathTemplate, place: Place) -> None:
    """Refuse a path to the field that is a record's key: no write changes which record it is."""
    pattern, steps = template.pattern, template.steps
    if steps and isinstance(steps[0], str) and steps[0] in pattern.key_fields:
        raise place.error(
            f"`{steps[0]}` is the key of `{pattern.text}`, which no write changes",
            hint="a record under a new key is another record",
        )


def _map_key(hole: Hole, place: Place) -> Expr:
    key = place.hole(hole)
    if join(strip_null(key.type), STRING) is None:
        raise place.error(f"`{hole.text}` is a key of a map, which is a string, not {key.type}")
    return key
