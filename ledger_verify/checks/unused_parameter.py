"""A template in the domain's own `rules/` does not read one of its parameters.

Rules that give it a value get nothing for it, and the condition that was to read it is missing.
Use it in the template, or take it away there and in the rules that give it.

Faulty:

    rules:
      - use: few_parcels
        tools: [ship]
        with: {count: args.parcels, limit: 3}
        clause: At most five.
    templates:
      few_parcels:
        name: few_parcels
        description: At most so many parcels.
        parameters:
          count: {description: How many there are., type: integer}
          limit: {description: How many may be., type: integer}
        require: count <= 5
        message: "{count} are too many."

Right:

    rules:
      - use: few_parcels
        tools: [ship]
        with: {count: args.parcels, limit: 3}
        clause: At most three.
    templates:
      few_parcels:
        name: few_parcels
        description: At most so many parcels.
        parameters:
          count: {description: How many there are., type: integer}
          limit: {description: How many may be., type: integer}
        require: count <= limit
        message: "{count} are too many."

A parameter counts as read if the default of a later one reads it, or a `let`, the guard, the
requirement or a message does, be it that of a rule which uses the template. A `let` or a variable
of a macro that has its name hides it. Templates that no rule uses are looked at, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.documents import written_rules
from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import key_region
from ledger_verify.policy.unread import unread_in_template

ABOUT = About("LV204", "unused_parameter", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each parameter."""
    rules = list(written_rules(domain))
    for template in domain.own_templates:
        name = template.document.name
        uses = [rule.document for rule in rules if rule.document.use == name]
        unread = unread_in_template(template, uses)
        unread = [path for path in unread if path[0] == "parameters"]
        yield from (Claim() for _ in range(len(template.document.parameters) - len(unread)))
        for path in unread:
            place = key_region(template.file, path)
            yield file_finding(
                ABOUT,
                f"the template `{name}` does not read its parameter `{path[-1]}`",
                place.start,
                end=place.end,
                fix="read it in the template, or take it away there and in the rules that give it",
            )
