"""What a write returns and what it touches do not go together.

A write that returns the stored record may observe it: what it touched is fresh again at once.
Until the outcome of a call is told, and where nobody ever hears of it, only `touches` says what is
no longer evidence. So a record under a key that the arguments tell must be touched, too. And a
result that shows only some of the fields must show those that it touches, or they would pass for
absent.

Faulty:

    tools:
      ship:
        kind: write
        arguments: {order_id: string, parcels: {type: integer, minimum: 0}}
        observes: {"orders.{args.order_id}": result}
    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1, clause: One at least.}

Right:

    tools:
      ship:
        kind: write
        arguments: {order_id: string, parcels: {type: integer, minimum: 0}}
        touches: ["orders.{args.order_id}.status"]
        observes: {"orders.{args.order_id}": result}
    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1, clause: One at least.}

Claim: a write observes a path without a key, or one whose keys do not read the record (`item`),
and no entry of its `touches` names that record or a part of it; or the `text` of an observation
has no group, and its `set` no entry, for a field of the same record that is touched. A record
under a key that the result tells, `orders.{item.order_id}`, may be new, and need not be touched:
it is evidence. Touches with `each`, or with another expression that may name the record, are taken
to do so. A write that returns a record which it does not change need not observe it; otherwise
accept it where the tool stands: `ignore: {LV307: returned as it was}`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.checks.evidence.model import Sight, evidence_model
from ledger_verify.checks.evidence.stale import touched_part
from ledger_verify.lang.typed import Expr, Variable, distinct
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import key_region
from ledger_verify.policy.tools import Observation, Touch

ABOUT = About("LV307", "result_disagrees", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each observation of a write, or for a write that observes nothing."""
    for sights in evidence_model(domain).results.values():
        if not sights:
            yield Claim()
        for sight in sights:
            yield _looked_at(domain, sight)


def _looked_at(domain: Domain, sight: Sight) -> Claim:
    tool, observation = sight.tool, sight.observation
    touches = [touch for touch in tool.touches if _may_name(touch, observation)]
    told = not any(_reads_item(key) for key in observation.keys)
    hidden = {
        name
        for touch in touches
        for name in touched_part(domain, touch) or ()
        if sight.shown is not None and name not in sight.shown
    }
    if told and not touches:
        problem = f"`{tool.name}` observes a record of `{sight.pattern}` that it does not touch"
        why = "until its outcome is told, the record stays evidence as it was"
        fix = "name the record, or what changes of it, in `touches`"
    elif hidden:
        names = ", ".join(f"`{name}`" for name in sorted(hidden))
        problem = f"`{tool.name}` touches {names} of `{sight.pattern}`, which its result hides"
        why = "after the call it passes for absent"
        fix = "let the `text` show it, or leave the record to a read"
    else:
        return Claim()
    file = domain.sources["domain"]
    templates = file.data["tools"][tool.name]["observes"]
    index = tool.observes.index(observation)
    place = key_region(file, ("tools", tool.name, "observes", list(templates)[index]))
    return file_finding(
        ABOUT, f"{problem}: {why}", place.start, end=place.end, tools=[tool.name], fix=fix
    )


def _may_name(touch: Touch, observation: Observation) -> bool:
    """Whether the touch may be of the record that is observed, for all that can be told."""
    if touch.pattern != observation.pattern:
        return False
    return all(
        own is None or touch.each is not None or _reads_item(key) or own == key or _computed(own)
        for own, key in zip(touch.keys, observation.keys, strict=True)
    )


def _reads_item(key: Expr) -> bool:
    return any(isinstance(part, Variable) and part.name == "item" for part in distinct(key))


def _computed(key: Expr) -> bool:
    """Whether the key is more than an argument: what it names depends on what was observed."""
    roots = {part.name for part in distinct(key) if isinstance(part, Variable)}
    return roots != {"args"} or len(list(distinct(key))) > 2
