"""A write makes stale what no read tool can show again.

What a write touches is no evidence until it is read again. If no read observes the path, or none
shows the touched field, it stays stale for the rest of the conversation, and every rule that reads
it stays UNKNOWN. Let a read observe it, or take it out of `touches` if nothing relies on it.

Faulty:

    ledger: {stock.*: Stock}
    $defs:
      Stock: {type: object, properties: {left: {type: integer}}}
    tools:
      reserve:
        kind: write
        arguments: {order_id: string, sku: string}
        touches: ["stock.{args.sku}"]
    rules:
      - id: open
        tools: [ship, reserve]
        require: ledger.orders[args.order_id].status == "open"
        clause: Open orders only.

Right:

    ledger: {stock.*: Stock}
    $defs:
      Stock: {type: object, properties: {left: {type: integer}}}
    tools:
      get_stock: {kind: read, arguments: {sku: string}, observes: {"stock.{args.sku}": result}}
      reserve:
        kind: write
        arguments: {order_id: string, sku: string}
        touches: ["stock.{args.sku}"]
    rules:
      - id: open
        tools: [ship, reserve]
        require: ledger.orders[args.order_id].status == "open"
        clause: Open orders only.

Faulty:

    ledger: {desk: Desk}
    $defs:
      Desk:
        type: object
        required: [clerk]
        properties: {clerk: {type: string}, queue: {type: string}}
    tools:
      see_desk: {kind: read, observes: {desk: {text: {whole: 'Served by (?P<clerk>\\w+)'}}}}
      call_next: {kind: write, touches: [desk.queue]}
    rules:
      - {id: staffed, tools: [call_next, ship], require: ledger.desk.clerk != "", clause: Staffed.}

Right:

    ledger: {desk: Desk}
    $defs:
      Desk:
        type: object
        required: [clerk]
        properties: {clerk: {type: string}, queue: {type: string}}
    tools:
      see_desk: {kind: read, observes: {desk: {text: {whole: 'Served by (?P<clerk>\\w+)'}}}}
      relieve: {kind: write, touches: [desk.clerk]}
    rules:
      - {id: staffed, tools: [relieve, ship], require: ledger.desk.clerk != "", clause: Staffed.}

Claim: the touched path is in no `observes`; or the touched field is neither a group of the `text`
form nor in the `set` of any observation of it. A result that is JSON is taken to show every field
of the schema. What the write itself returns (its `observes`) is fresh and is not reported. A path
that no read observes and that some rule reads is an `unobservable_path` only.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.checks.evidence.model import EvidenceModel, evidence_model
from ledger_verify.checks.evidence.places import touch_region
from ledger_verify.checks.evidence.stale import touched_part
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool, Touch

ABOUT = About("LV305", "unrefreshable_touch", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each touch of a write, the person's tools included."""
    model = evidence_model(domain)
    for tool in domain.tools.values():
        for index, touch in enumerate(tool.touches):
            yield _looked_at(model, tool, index, touch)


def _looked_at(model: EvidenceModel, tool: Tool, index: int, touch: Touch) -> Claim:
    sights = model.sights[touch.pattern]
    part = touched_part(model.domain, touch)
    uses = model.uses_by_pattern[touch.pattern]
    if not sights and uses:
        return Claim()
    if model.returned(tool, touch):
        return Claim()
    if any(part is None or sight.shown is None or part <= sight.shown for sight in sights):
        return Claim()
    if sights and part is not None:
        named = f"`{next(iter(part))}` of `{touch.pattern}`"
        reads = " and ".join(f"`{sight.tool.name}`" for sight in sights)
        why = f"which {reads} {'does' if len(sights) == 1 else 'do'} not show"
    else:
        named, why = f"`{touch.pattern}`", "which no read tool observes"
    waiting = dict.fromkeys(use.rule.id for use in uses if use.reads_part(part))
    unknown = f", and UNKNOWN to {', '.join(f'`{rule}`' for rule in waiting)}" if waiting else ""
    place = touch_region(model.domain, tool.name, index)
    return file_finding(
        ABOUT,
        f"`{tool.name}` makes {named} stale, {why}: it stays so for ever{unknown}",
        place.start,
        end=place.end,
        tools=[tool.name],
        fix="let a read tool observe it, or take it out of `touches` if nothing relies on it",
    )
