"""The mark of the gate's own refusals, wherever in an answer it stands.

An answer that is one whole refusal is read by the conversation's reader. One that only shows the
mark (a copy, a summary, a list of refusals, a part that was cut off) leaves open what it means:
nobody knows whether the call that it answers ran.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

MARK = "refused_call"
"""The key under which a refusal of the gate's own names the id of the call that it answers."""

_DEEPEST = 6
_FIRST = 50
_BEGINNING = 200


def shows_mark(value: Any, fields: frozenset[str] = frozenset(), depth: int = 0) -> bool:
    """Whether an object in `value`, or in JSON that a text in it spells, has the mark.

    What stands under one of `fields`, which are declared, is a value of theirs. Looked at are the
    first parts of each object and list.
    """
    if depth > _DEEPEST:
        return False
    if isinstance(value, Mapping):
        names = islice((name for name in value if name not in fields), _FIRST)
        return any(name == MARK or shows_mark(value[name], fields, depth + 1) for name in names)
    if isinstance(value, list):
        return any(shows_mark(item, fields, depth + 1) for item in value[:_FIRST])
    return isinstance(value, str) and _spells_mark(value)


def _spells_mark(text: str) -> bool:
    head = text[:_BEGINNING].lstrip()
    return head[:1] in ("{", "[", '"', "`") and MARK in head
