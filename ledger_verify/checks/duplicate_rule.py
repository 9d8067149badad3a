"""Two rules for the same tool have the same guard and the same requirement.

A violation is told twice, and whoever changes one of them has to think of the other. Keep one, with
both clauses; or one of them was to say something else.

Faulty:

    rules:
      - {id: small, tools: [ship], require: args.parcels <= 3, clause: Small shipments only.}
      - {id: light, tools: [ship], require: args.parcels <= 3, clause: Light shipments only.}

Right:

    rules:
      - {id: small, tools: [ship], require: args.parcels <= 3, clause: Small shipments only.}
      - {id: light, tools: [ship], require: args.speed == "fast", clause: Fast shipments only.}

The expressions are compared after loading, with `let`s and the parameters of templates filled in.
Of two rules the later one is named, or the one with fewer tools; rules each of which has a tool of
its own are no duplicates. Expressions that mean the same and are written in another way are not
found here. What the rules do on a violation (`otherwise`, `message`) makes no difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import rule_finding
from ledger_verify.lang.content import ContentNames
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule

ABOUT = About("LV206", "duplicate_rule", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each rule and tool."""
    names = ContentNames()
    by_id: dict[str, list[Rule]] = defaultdict(list)
    for rule in domain.rules:
        by_id[rule.id].append(rule)
    said = {
        id_: {rule.tool: names.name((rule.when, rule.require)) for rule in rules}
        for id_, rules in by_id.items()
    }
    speakers: dict[tuple[str, bytes], list[str]] = defaultdict(list)
    for id_, meanings in said.items():
        for place in meanings.items():
            speakers[place].append(id_)
    order = {id_: position for position, id_ in enumerate(said)}
    for id_, meanings in said.items():
        first = next(iter(meanings.items()))
        others = [other for other in speakers[first] if other != id_]
        twin = next((o for o in others if _is_covered(id_, o, said, order)), None)
        for rule in by_id[id_]:
            if twin is None:
                yield Claim()
                continue
            yield rule_finding(
                ABOUT,
                domain,
                rule,
                f"`{id_}` says the same as `{twin}`: guard and requirement are equal",
                rules=(rule, by_id[twin][0]),
                fix="keep one of them, with both clauses, or correct the one that was to differ",
            )


def _is_covered(
    id_: str, other: str, said: Mapping[str, Mapping[str, bytes]], order: Mapping[str, int]
) -> bool:
    """Whether the other rule says the same of all tools, and of two that say just the same is the
    earlier one.
    """
    mine, others = said[id_], said[other]
    if not mine.items() <= others.items():
        return False
    return len(mine) < len(others) or order[other] < order[id_]
