"""The `effects` of a tool: what a successful write puts where.

An effect must lie within what the tool touches, since the gate takes all else for unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo

from ledger_verify.lang.environment import KEY, LedgerPattern, rule_environment
from ledger_verify.lang.errors import near_match
from ledger_verify.lang.typed import Constant, Expr
from ledger_verify.lang.types import (
    IntType,
    ListType,
    MapType,
    NullableType,
    NullType,
    NumberType,
    RecordType,
    StringType,
    Type,
    join,
    strip_null,
)
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.footprint import about_observation
from ledger_verify.policy.path_templates import (
    inner_steps,
    key_expressions,
    match_template,
    refuse_key_field,
)
from ledger_verify.policy.tools import Effect, Touch
from ledger_verify.policy.yaml_file import YamlFile
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.render import to_json


def load_effects(
    name: str,
    effects: Mapping[str, str],
    arguments: RecordType,
    touches: tuple[Touch, ...],
    patterns: Mapping[str, LedgerPattern],
    file: YamlFile,
    timezone: str,
    zone: tzinfo,
    session: RecordType | None = None,
) -> Iterator[Effect]:
    """The effects of one tool, in their order; raises `InputError` with the place."""
    scope = rule_environment(arguments, patterns, timezone, session=session)
    scope = replace(scope, heard=False)
    for template, text in effects.items():
        path = ("tools", name, "effects", template)
        place = Place(file, path, scope, is_key=True)
        match = match_template(template, patterns, place)
        keys = tuple(key for key in key_expressions(match, place) if key is not None)
        within = inner_steps(match, place)
        if len(keys) < len(match.keys) or KEY in within:
            raise place.error(f"`{template}` must name one place, so it cannot have a `*`")
        if not any(_covers(touch, match.pattern.text, keys, within) for touch in touches):
            raise place.error(
                f"`{name}` does not touch `{template}`, so it has no effect there",
                hint=f"add it to the `touches` of `{name}`",
            )
        refuse_key_field(match, place)
        if not within and any(match.pattern.key_fields):
            raise place.error(
                f"an effect on all of `{template}` may change its key",
                hint="give the effects on its other fields",
            )
        wanted = type_at(match.pattern.record, within)
        value_place = Place(file, path, scope)
        value = value_place.expression(text)
        problem = about_observation(value)
        if problem is not None:
            raise file.place(problem, path)
        _check_value(template, value, wanted, value_place, zone)
        yield Effect(match.pattern.text, keys, within, value, wanted, file.locate_key(path))


def _covers(
    touch: Touch, pattern: str, keys: tuple[Expr, ...], within: tuple[str | Expr, ...]
) -> bool:
    """Whether the touch surely names the place, or something around it."""
    return (
        touch.pattern == pattern
        and touch.each is None
        and all(key in (None, wanted) for key, wanted in zip(touch.keys, keys, strict=True))
        and len(touch.within) <= len(within)
        and all(step in (KEY, at) for step, at in zip(touch.within, within, strict=False))
    )


def type_at(type_: Type, within: tuple[str | Expr, ...]) -> Type:
    """The type of a part of a record."""
    for step in within:
        match strip_null(type_):
            case RecordType(by_name=fields) if isinstance(step, str):
                type_ = fields[step].type
            case MapType(value=value):
                type_ = value
    return type_


def _check_value(template: str, value: Expr, wanted: Type, place: Place, zone: tzinfo) -> None:
    if not assignable(value.type, wanted):
        raise place.error(f"`{template}` is {wanted}, not {value.type}")
    if isinstance(value, Constant) and not isinstance(value.type, ListType):
        try:
            fits = coercer(wanted, zone)(to_json(value.value, wanted, zone)) == value.value
        except Misfit as misfit:
            bare = strip_null(wanted)
            options = bare.enum if isinstance(bare, StringType) else None
            hint = near_match(str(value.value), options or ())
            raise place.error(f"`{template}`: {misfit.message}", hint=hint) from None
        if not fits:
            raise place.error(f"`{template}` is a date, not a time of day")


def assignable(value: Type, wanted: Type) -> bool:
    """Whether every value of one type is, but for the bounds, a value of the other."""
    if isinstance(value, NullType | NullableType) and not isinstance(wanted, NullableType):
        return isinstance(wanted, NullType) and isinstance(value, NullType)
    match strip_null(value), strip_null(wanted):
        case NumberType(), IntType():
            return False
        case (ListType(item=a), ListType(item=b)) | (MapType(value=a), MapType(value=b)):
            return join(a, b) is not None and (a == b or assignable(a, b))
    return join(value, wanted) is not None
