"""A write makes stale what no read tool can show again.

What a write touches is no evidence until it is read again. If no read observes the path, or none
shows the touched field, it stays stale for the rest of the conversation, and every rule that reads
it stays UNKNOWN.

Faulty: the text of `get_order` has no `note`.

    get_order:
      kind: read
      arguments: {order_id: string}
      observes:
        "orders.{args.order_id}":
          text: {whole: 'Order is (?P<status>\\w+)\\.'}
    add_note:
      kind: write
      arguments: {order_id: string, note: string}
      touches: ["orders.{args.order_id}.note"]

Right: what is touched is what a read shows.

      touches: ["orders.{args.order_id}.status"]

Claim: the touched path is in no `observes`; or the touched field is neither a group of the `text`
form nor in the `set` of any observation of it. A result that is JSON is taken to show every field
of the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.evidence.model import EvidenceModel
from ledger_verify.checks.evidence.places import touch_place
from ledger_verify.checks.evidence.stale import touched_part
from ledger_verify.checks.finding import Claim, Finding
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool, Touch
from ledger_verify.solver.static import StaticSolver

CODE = "LV305"
NAME = "unrefreshable_touch"
SEVERITY = "warning"


def run(domain: Domain, solver: StaticSolver) -> Iterator[Claim]:
    """One claim for each touch of a write, the person's tools included."""
    model = EvidenceModel(domain)
    for tool in domain.tools.values():
        for index, touch in enumerate(tool.touches):
            yield Claim(_finding(model, tool, index, touch))


def _finding(model: EvidenceModel, tool: Tool, index: int, touch: Touch) -> Finding | None:
    sights = model.sights[touch.pattern]
    part = touched_part(model.domain, touch)
    if any(part is None or sight.shown is None or part <= sight.shown for sight in sights):
        return None
    if sights and part is not None:
        named = f"`{next(iter(part))}` of `{touch.pattern}`"
        reads = " and ".join(f"`{sight.tool.name}`" for sight in sights)
        why = f"which {reads} {'does' if len(sights) == 1 else 'do'} not show"
    else:
        named, why = f"`{touch.pattern}`", "which no read tool observes"
    uses = model.uses_by_pattern[touch.pattern]
    rules = tuple(dict.fromkeys(use.rule.id for use in uses if use.reads_part(part)))
    return Finding(
        CODE, NAME, SEVERITY,
        f"`{tool.name}` makes {named} stale, {why}: it stays so for ever",
        rules,
        touch_place(model.domain, tool.name, index),
        fix="let a read tool observe it, or take it out of `touches` if nothing relies on it",
    )  # fmt: skip
