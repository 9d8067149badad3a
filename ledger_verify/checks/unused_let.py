"""A `let` of a rule, or of a template in the domain's own `rules/`, is read by nothing.

Often the condition that was to read it is missing, or reads something else. Use it or delete it.

Faulty:

    rules:
      - id: open
        tools: [ship]
        let: {o: "ledger.orders[args.order_id]", total: o.total}
        require: o.status == "open"
        clause: Only open orders are shipped.

Right:

    rules:
      - id: open
        tools: [ship]
        let: {o: "ledger.orders[args.order_id]", total: o.total}
        require: o.status == "open"
        message: "The order over {total} is {o.status}."
        clause: Only open orders are shipped.

A `let` counts as read if another one reads it, or the guard, the requirement, the message or a
parameter given to a template does. A variable of a macro that has its name hides it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.documents import written_rules
from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import key_region
from ledger_verify.policy.unread import unread_in_rule, unread_in_template

ABOUT = About("LV203", "unused_let", "warning")
_FIX = "use it, or delete it"


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each `let`."""
    rules = list(written_rules(domain))
    for rule in rules:
        file = domain.sources["policy"]
        unread = unread_in_rule(rule.document, file, rule.path)
        yield from (Claim() for _ in range(len(rule.document.let) - len(unread)))
        for path in unread:
            place = key_region(file, path)
            yield file_finding(
                ABOUT,
                f"nothing in `{rule.id}` reads the `let` `{path[-1]}`",
                place.start,
                end=place.end,
                rules=[rule.id],
                tools=rule.tools,
                clause=rule.document.clause or "",
                fix=_FIX,
            )
    for template in domain.own_templates:
        name = template.document.name
        uses = [rule.document for rule in rules if rule.document.use == name]
        unread = [path for path in unread_in_template(template, uses) if path[0] == "let"]
        yield from (Claim() for _ in range(len(template.document.let) - len(unread)))
        for path in unread:
            place = key_region(template.file, path)
            message = f"nothing in the template `{name}` reads the `let` `{path[-1]}`"
            yield file_finding(ABOUT, message, place.start, end=place.end, fix=_FIX)
