"""`more` of an observation: a list that comes in pages."""

from __future__ import annotations

from ledger_verify.lang.environment import KEY
from ledger_verify.lang.errors import near_match
from ledger_verify.lang.types import RecordType, Type, join
from ledger_verify.policy.documents import MoreDocument
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.failing import load_reading
from ledger_verify.policy.tools import More, Observation, ToolKind


def load_more(
    document: str | MoreDocument,
    place: Place,
    name: str,
    kind: ToolKind,
    observation: Observation,
    arguments: RecordType,
    returns: Type | None,
) -> More:
    """The `more` at `place`, whose scope has the `args`; raises `InputError` with the place.

    A record of its own has no pages: where a list inside it has, nobody can say which part of the
    record is known. `returns` is the type that the tool declares for its result.
    """
    listed = KEY in observation.source or (
        observation.text is not None and observation.text.each is not None
    )
    if kind is not ToolKind.READ:
        raise place.error(f"`{name}` is no read: only what is read comes in pages")
    if not listed:
        raise place.error(
            f"`{name}` shows one record here, which has no pages",
            hint="a list inside a record that comes in pages is a path of its own: observe its "
            'items, as in `"lines.{args.id}.{item.number}": result.lines[*]`',
        )
    if isinstance(document, str):
        return More(load_reading(document, place, "more", returns, None))
    when = load_reading(document.when, place.below("when"), "when", returns, None)
    following, first = [], []
    for argument, text in document.next.items():
        here = place.below("next").below(argument)
        wanted = _argument(name, argument, arguments, here)
        following.append((argument, load_reading(text, here, argument, returns, None, wanted)))
    for argument, text in document.first.items():
        here = place.below("first").below(argument)
        wanted = _argument(name, argument, arguments, here)
        if argument not in document.next:
            raise here.error(
                f"`{argument}` does not lead to the next page, so the first is none by it",
                hint=near_match(argument, document.next),
            )
        expr = here.expression(text)
        if join(wanted, expr.type) is None:
            raise here.error(f"`{argument}` is {wanted}, not {expr.type}")
        first.append((argument, expr))
    return More(when, tuple(following), tuple(first))


def _argument(name: str, argument: str, arguments: RecordType, place: Place) -> Type:
    if argument not in arguments.by_name:
        raise place.error(
            f"`{name}` has no argument `{argument}`", hint=near_match(argument, arguments.by_name)
        )
    return arguments.by_name[argument].type


def without_first(more: More, arguments: RecordType) -> str | None:
    """An argument of which nobody says what it is on the first page; None if there is none."""
    known = {name for name, _ in more.first}
    for name, _ in more.next:
        if name not in known and not arguments.by_name[name].optional:
            return name
    return None
