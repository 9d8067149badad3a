"""A rule reads what a call of its own tool makes stale, and no read can bring it back.

The first call is judged on fresh evidence. Every later one waits for a read that can never observe
the record again, so in that conversation the tool works once. Let a read observe it again while it
is stale, or take out of `touches` what the call does not change.

Faulty:

    ledger: {budget: Budget}
    $defs:
      Budget: {type: object, required: [left], properties: {left: {type: number}}}
    tools:
      get_budget: {kind: read, observes: {budget: {when: "!observed(ledger.budget)"}}}
      spend: {kind: write, arguments: {amount: number}, touches: [budget.left]}
      ship: null
    rules:
      - {id: enough, tools: [spend], require: args.amount <= ledger.budget.left, clause: No debts.}

Right:

    ledger: {budget: Budget}
    $defs:
      Budget: {type: object, required: [left], properties: {left: {type: number}}}
    tools:
      get_budget: {kind: read, observes: {budget: {when: "!observed(ledger.budget.left)"}}}
      spend: {kind: write, arguments: {amount: number}, touches: [budget.left]}
      ship: null
    rules:
      - {id: enough, tools: [spend], require: args.amount <= ledger.budget.left, clause: No debts.}

Claim: the rule waits for the touched record or field, and after the call each read of it has a
`when` that is then never true, or needs an argument that only what is stale now could give. Not
reported: what can simply be read again, what the call itself returns (its `observes`), what no read
shows at all (`unrefreshable_touch`), and conditions that depend on other records of the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.checks.evidence.model import Sight, evidence_model
from ledger_verify.checks.evidence.places import touch_region
from ledger_verify.checks.evidence.reach import Reach, reach
from ledger_verify.checks.evidence.stale import Aftermath, touched_part
from ledger_verify.checks.evidence.uses import Fields
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool

ABOUT = About("LV306", "self_staling_rule", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each touch of a tool that its own rules wait for."""
    model = evidence_model(domain)
    for tool in domain.writes:
        aftermath = Aftermath(domain, tool.touches)
        barred = frozenset(
            (sight.tool.name, pattern)
            for pattern, sights in model.sights.items()
            for sight in sights
            if aftermath.bars(sight.observation)
        )
        before = reach(model, tool.name)
        stale = aftermath.stale()
        # of a record that is stale in part, the rest still says what it says
        gone = {pattern for pattern, part in stale.items() if part is None}
        after = reach(model, tool.name, start=before.reached - gone, lost=stale, barred=barred)
        for index, touch in enumerate(tool.touches):
            part = touched_part(domain, touch)
            rules = tuple(
                dict.fromkeys(
                    use.rule.id
                    for use in model.uses[tool.name]
                    if use.waits and use.pattern == touch.pattern and use.reads_part(part)
                )
            )
            if rules:
                lost = (
                    touch.pattern in before.reached
                    and not model.returned(tool, touch)
                    and not _comes_back(after, model.sights[touch.pattern], part)
                )
                yield _finding(after, tool, index, part, rules) if lost else Claim()


def _comes_back(after: Reach, sights: tuple[Sight, ...], part: Fields) -> bool:
    """Whether the part can be read again, or else never could be."""
    showing = [s for s in sights if part is None or s.shown is None or part <= s.shown]
    return not showing or any(map(after.can_make, showing))


def _finding(after: Reach, tool: Tool, index: int, part: Fields, rules: tuple[str, ...]) -> Claim:
    domain, pattern = after.model.domain, tool.touches[index].pattern
    named = f"`{pattern}`" if part is None else f"`{next(iter(part))}` of `{pattern}`"
    told = ", ".join(f"`{rule}`" for rule in rules)
    reasons = []
    for sight in after.model.sights[pattern]:
        if (sight.tool.name, pattern) in after.barred:
            reasons.append(f"the `when` of `{sight.tool.name}` is not true any more")
        else:
            needed = ", ".join(f"`{needed.name}`" for needed in after.missing(sight))
            if needed:
                reasons.append(f"`{sight.tool.name}` needs {needed}, which is not known any more")
    place = touch_region(domain, tool.name, index)
    return file_finding(
        ABOUT,
        f"a call of `{tool.name}` makes {named} stale, which its own {told} "
        f"{'reads' if len(rules) == 1 else 'read'}, and no read brings it back: "
        f"{'; '.join(reasons)}",
        place.start,
        end=place.end,
        rules=rules,
        tools=[tool.name],
        fix="let a read observe it again while it is stale, or take it out of `touches` if the "
        "call does not change it",
    )
