"""A rule does not say which sentence of the written policy it stands for.

Whoever answers for the policy cannot tell what the rule is for, nor whether it says what was
meant; reports and refusals cannot name the reason. Quote the sentence in `clause`.

Faulty:

    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1}

Right:

    rules:
      - {id: one, tools: [ship], require: args.parcels >= 1, clause: One parcel at least.}

A clause of white space counts as none. Whether the clause and the rule mean the same is for people
to judge.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.documents import written_rules
from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import value_region

ABOUT = About("LV207", "missing_clause", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each rule."""
    for rule in written_rules(domain):
        if (rule.document.clause or "").strip():
            yield Claim()
            continue
        name = "id" if rule.document.id else "use"
        place = value_region(domain.sources["policy"], (*rule.path, name))
        yield file_finding(
            ABOUT,
            f"`{rule.id}` does not say which sentence of the written policy it stands for",
            place.start,
            end=place.end,
            rules=[rule.id],
            tools=rule.tools,
            fix="quote the sentence in `clause`",
        )
