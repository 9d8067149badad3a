"""Session facts: what the host knows of whom a session is for, and says when it opens one.

They are fixed for the whole session. No tool result, no call and no message changes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import tzinfo
from typing import Any, NoReturn

from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.lang.types import FieldType, RecordType
from ledger_verify.policy.type_notation import TypeReader
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.schema.relations import joined
from ledger_verify.schema.render import to_json


class MissingFact(InputError):
    """The error for a session that is opened without a fact that its domain needs."""


class Facts(dict[str, Any]):
    """A dictionary that cannot be changed any more; one that is read is like any other."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("session facts cannot be changed")

    __setitem__ = __delitem__ = _refuse
    __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> Facts:
        return self

    def __deepcopy__(self, memo: object) -> Facts:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Facts, (dict(self),)


NO_FACTS = Facts()
"""The facts of a session that has none."""


def load_session(fields: Mapping[str, Any], types: TypeReader) -> RecordType | None:
    """The type of `session` in expressions, from `session:` of a `domain.yaml`.

    None where it declares no facts. Raises `InputError` with the place.
    """
    if not fields:
        return None
    return RecordType(SESSION, types.fields(fields, "a session fact", (SESSION,)))


def typed_facts(
    given: Mapping[str, Any] | None, declared: RecordType | None, domain: str, zone: tzinfo
) -> Facts:
    """The facts of a new session as values of their types, frozen in depth.

    `given` is JSON. Raises `InputError` for a required fact that is missing, a name that `domain`
    does not declare, and a value that does not fit.
    """
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"session facts are a mapping of names to values, not {given!r}")
    facts = given or {}
    known = {} if declared is None else declared.by_name
    for name in facts:
        if name not in known:
            problem = f"domain `{domain}` declares no session fact `{name}`"
            if not known:
                problem = f"domain `{domain}` declares no session facts, so it takes no `{name}`"
            raise InputError(problem, hint=near_match(str(name), known))
    for name, declaration in known.items():
        if name not in facts and not declaration.optional:
            raise MissingFact(
                f"domain `{domain}` needs the session fact `{name}` ({declaration.type})",
                hint=f'say it when the session opens: `gate.session(facts={{"{name}": ...}})`',
            )
    if declared is None:
        return NO_FACTS
    try:
        typed = coercer(declared, zone)(facts)
    except Misfit as misfit:
        raise InputError(f"session fact {misfit.message}") from None
    return Facts(_frozen(typed))


def json_facts(facts: Mapping[str, Any], declared: RecordType | None, zone: tzinfo) -> Facts:
    """Typed facts as JSON, frozen in depth; lists are tuples."""
    if declared is None:
        return NO_FACTS
    return Facts(_frozen(to_json(facts, declared, zone)))


def joined_facts(own: RecordType | None, other: RecordType | None) -> RecordType | None:
    """The facts of a session that both of two domains are told of.

    What both declare is as `own` has it, what only one declares as that one has it.
    """
    if own is None or other is None:
        return own or other
    fields = {
        name: FieldType(joined(field.type, other.by_name[name].type), field.optional)
        if name in other.by_name
        else field
        for name, field in own.fields
    }
    return RecordType(SESSION, tuple({**other.by_name, **fields}.items()))


def shared_facts(
    own: RecordType | None, other: RecordType | None
) -> Iterator[tuple[str, FieldType, FieldType]]:
    """The facts that both declare: the name, and what each says of it."""
    if own is not None and other is not None:
        for name, field in own.fields:
            if name in other.by_name:
                yield name, field, other.by_name[name]


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Facts({key: _frozen(inner) for key, inner in value.items()})
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    return value
