"""What changed between two domains besides the rules, and what may lead to another ledger."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from ledger_verify.comparison.context import own_assumptions
from ledger_verify.lang.form import Form, form
from ledger_verify.lang.types import RecordType
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.session_facts import shared_facts
from ledger_verify.policy.tools import Failing, More, Tool, ToolKind
from ledger_verify.schema.relations import same_values


def notes(old: Domain, new: Domain) -> Iterator[str]:
    """What else changed, in words."""
    for name in new.tools:
        if name not in old.tools:
            yield f"tool `{name}` was added"
    for name in old.tools:
        if name not in new.tools:
            yield f"tool `{name}` was removed"
    for name in (name for name in new.tools if name in old.tools):
        yield from _tool_notes(old.tools[name], new.tools[name])
    for pattern in dict.fromkeys((*old.ledger, *new.ledger)):
        if pattern not in old.ledger or pattern not in new.ledger:
            yield f"path `{pattern}` was {'added' if pattern in new.ledger else 'removed'}"
        elif not same_values(old.ledger[pattern].record, new.ledger[pattern].record):
            yield f"the schema of records at `{pattern}` was changed"
        elif old.ledger[pattern].key_fields != new.ledger[pattern].key_fields:
            yield f"the key of records at `{pattern}` was changed"
    yield from _session_notes(old.session, new.session)
    settings: tuple[tuple[str, Callable[[Domain], object]], ...] = (
        ("default", lambda d: d.default),
        ("timezone", lambda d: d.timezone),
        ("clock", lambda d: "none" if d.clock_us is None else d.clock_us),
    )
    for name, get in settings:
        if get(old) != get(new):
            changed = f": it was `{get(old)}`, it is `{get(new)}`" if name != "clock" else ""
            yield f"`{name}` was changed{changed}"
    for gone in own_assumptions(old, new, frozenset(old.ledger)):
        yield f"assumption `{gone.text.strip()}` was removed"
    for added in own_assumptions(new, old, frozenset(new.ledger)):
        yield f"assumption `{added.text.strip()}` was added"


def _session_notes(old: RecordType | None, new: RecordType | None) -> Iterator[str]:
    before, after = (() if side is None else side.by_name for side in (old, new))
    for name in dict.fromkeys((*after, *before)):
        if name not in before or name not in after:
            yield f"session fact `{name}` was {'added' if name in after else 'removed'}"
    for name, was, is_ in shared_facts(old, new):
        if was.optional != is_.optional or not same_values(was.type, is_.type):
            yield f"session fact `{name}` was changed"


def _tool_notes(old: Tool, new: Tool) -> Iterator[str]:
    if old.kind is not new.kind:
        yield f"tool `{new.name}` was a {old.kind.value} tool and is a {new.kind.value} tool"
    if old.by_user != new.by_user:
        owner = "user" if new.by_user else "agent"
        yield f"tool `{new.name}` now belongs to the {owner}"
    if not same_values(old.arguments, new.arguments):
        yield f"the arguments of `{new.name}` were changed"
    if old.free != new.free:
        yield f"which arguments of `{new.name}` a repair may change was changed"
    if _effects(old) != _effects(new):
        yield f"the effects of `{new.name}` were changed, on which proofs about sequences rest"


def evidence_changes(old: Domain, new: Domain) -> Iterator[str]:
    """By which the same conversation can make another ledger, so that no proof speaks of it."""
    for name in dict.fromkeys((*old.tools, *new.tools)):
        before, after = old.tools.get(name), new.tools.get(name)
        if before is not None and after is not None:
            yield from _ways(before, after)
        elif before is None and after is not None and after.observes:
            yield f"`{name}` is a new way to observe records"
        elif before is not None and before.observes:
            yield f"`{name}` observes no records any more"
        else:
            lacking = "OLD" if before is None else "NEW"
            yield f"{lacking} does not know `{name}`, so a call of it makes all stale there"


def _ways(before: Tool, after: Tool) -> Iterator[str]:
    """What a call of a tool of both sides leaves behind in one way or the other."""
    name = after.name
    if _observed(before) != _observed(after):
        yield f"`{name}` observes something else than before"
    if _touched(before) != _touched(after):
        yield f"`{name}` touches something else than before"
    if before.kind is not after.kind:
        yield f"`{name}` is of another kind, so calls of it leave something else behind"
    if after.observes and not same_values(before.arguments, after.arguments):
        yield f"`{name}` observes nothing where its arguments do not fit, and those changed"
    if before.identifies != after.identifies:
        yield f"`{name}` tells otherwise than before with whom the conversation is"
    if ToolKind.READ in (before.kind, after.kind) and _asked(before) != _asked(after):
        yield f"`{name}` shows nothing before the user said what it asks for, and that changed"
    if (before.result, _told(before.failed)) != (after.result, _told(after.failed)):
        yield f"`{name}` failed by other signs than before"


def _asked(tool: Tool) -> Form:
    return tuple(sorted((name, form(said)) for name, said in tool.asks.items()))


def _told(told: Failing | None) -> Hashable:
    return None if told is None else (form(told.when), told.result)


def _paged(more: More | None) -> Hashable:
    return None if more is None else (
        _told(more.open),
        tuple(sorted((name, _told(value)) for name, value in more.next)),
        tuple(sorted((name, form(value)) for name, value in more.first)),
    )  # fmt: skip


def _effects(tool: Tool) -> Form:
    return tuple(
        (
            e.pattern, tuple(map(form, e.keys)),
            tuple(s if isinstance(s, str) else form(s) for s in e.within), form(e.value),
        )
        for e in tool.effects
    )  # fmt: skip


def _observed(tool: Tool) -> Form:
    return tuple(
        (
            o.pattern, o.source, tuple(map(form, o.keys)),
            tuple((name, form(expr)) for name, expr in o.additions),
            None if o.where is None else form(o.where), None if o.when is None else form(o.when),
            o.text, None if o.complete is None else form(o.complete), _paged(o.more),
        )
        for o in tool.observes
    )  # fmt: skip


def _touched(tool: Tool) -> Form:
    return tuple(
            (
                t.pattern, tuple(None if k is None else form(k) for k in t.keys),
                tuple(s if isinstance(s, str) else form(s) for s in t.within),
                None if t.each is None else form(t.each),
            )
            for t in tool.touches
    )  # fmt: skip
