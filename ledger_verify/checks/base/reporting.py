"""Making findings: the place in the file, the clause, and the way to mend it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ledger_verify.checks.base.finding import About, Claim, Finding
from ledger_verify.gate.cases import case_data
from ledger_verify.lang.errors import Location, TextPlace
from ledger_verify.lang.typed import Expr
from ledger_verify.policy.case import Case
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import Region, region, source_text, stands_in, use_region
from ledger_verify.policy.rules import Rule
from ledger_verify.schema.render import time_text
from ledger_verify.solver.outcome import Doubt, Outcome, Search
from ledger_verify.solver.reach import LONGER_LISTS

UNDECIDED = "LV001"


def rule_finding(
    about: About,
    domain: Domain,
    rule: Rule,
    message: str,
    *,
    at: Expr | None = None,
    rules: Sequence[Rule] = (),
    core: Sequence[Rule] | None = None,
    case: Case | None = None,
    fix: str,
    notes: Sequence[str] = (),
) -> Claim:
    """A defect of a rule (or of several `rules`, this one first), at an expression in it.

    Without `at` the place is what the rule requires. Where that stands in a template, the place is
    the template's name in the rule of the policy, and a note names the one in the template.
    """
    found, told = rule_region(domain, rule, rule.require if at is None else at)
    return Claim(
        Finding(
            about.code,
            about.name,
            about.severity,
            message,
            tuple(dict.fromkeys(r.id for r in rules or (rule,))),
            found.start,
            found.end,
            tools=tuple(dict.fromkeys(r.tool for r in rules or (rule,))),
            counterexample=None if case is None else case_json(case, domain),
            core=None if core is None else tuple(dict.fromkeys(r.id for r in core)),
            fix=fix,
            notes=(*told, *notes),
            clause=rule.clause,
        )
    )


def file_finding(
    about: About,
    message: str,
    location: Location,
    *,
    fix: str,
    rules: Sequence[str] = (),
    tools: Sequence[str] = (),
    end: Location | None = None,
    clause: str = "",
    notes: Sequence[str] = (),
) -> Claim:
    """A defect at a place of a file."""
    finding = Finding(
        about.code, about.name, about.severity, message, tuple(rules), location, end,
        tools=tuple(tools), fix=fix, clause=clause, notes=tuple(notes),
    )  # fmt: skip
    return Claim(finding)


_MORE_TIME = "raise `--timeout`"
_OTHER_WORDS = "say it in other words, or test it with `generate`"


def undecided(
    about: About,
    domain: Domain,
    rule: Rule,
    message: str,
    search: Search | None = None,
    *,
    rules: Sequence[Rule] = (),
) -> Claim:
    """A claim about a rule (or several `rules`, this one first) that the solver could not decide.

    `search` says why: a limit was reached, or a case was found that was not confirmed.
    """
    place, told = rule_region(domain, rule, rule.require)
    finding = Finding(
        UNDECIDED, about.name, "undecided", message,
        tuple(dict.fromkeys(r.id for r in rules or (rule,))), place.start, place.end,
        tools=(rule.tool,), notes=(asked_by(about), *told),
        fix=_way_out(search),
    )  # fmt: skip
    return Claim(finding, undecided=True)


def job_undecided(about: About, domain: Domain, subject: str, tool: str) -> Claim:
    """A claim that a question was left open on which what a check says of its subject depends."""
    rules = domain.rules_by_id.get(subject) or domain.rules_by_tool.get(tool, ())
    message = f"could not tell what the check `{about.name}` has to say of `{subject}`"
    if rules:
        return undecided(about, domain, rules[0], message)
    place = Location(domain.name, 1, 1)
    if "policy" in domain.sources:
        place = domain.sources["policy"].locate(())
    finding = Finding(
        UNDECIDED, about.name, "undecided", message, (), place,
        tools=(tool,), notes=(asked_by(about),), fix=_way_out(None),
    )  # fmt: skip
    return Claim(finding, undecided=True)


def asked_by(about: About) -> str:
    """The note on an undecided question that names its check."""
    return f"asked by the check `{about.name}` ({about.code})"


def _way_out(search: Search | None) -> str:
    if search is None:
        return f"{_MORE_TIME} or `--scope`, or {_OTHER_WORDS}"
    if search.outcome is Outcome.NONE_UP_TO_BOUND:
        return LONGER_LISTS
    doubt = Doubt.UNCONFIRMED if search.outcome is Outcome.FOUND else search.doubt
    if doubt is not None and doubt is not Doubt.TIME:
        return f"{_OTHER_WORDS}: {doubt.value}"
    return f"{_MORE_TIME}: {Doubt.TIME.value}"


def rule_region(domain: Domain, rule: Rule, expr: Expr) -> tuple[Region, tuple[str, ...]]:
    """Where an expression of a rule stands in the policy, and what is to be told of the place."""
    own = region(expr.span, domain.sources.values())
    if own is not None:
        return own, ()
    policy = domain.sources.get("policy")
    used = None if policy is None else use_region(policy, rule.location)
    used = used or Region(rule.location, rule.location)
    files = [template.file for template in domain.templates.values()]
    there = region(expr.span, files)
    if rule.template is None:
        return used, ()
    where = "" if there is None else f", at {there.start}"
    return used, (f"the rule is made by the template `{rule.template}`{where}",)


def given(domain: Domain, expr: Expr) -> str | None:
    """The name of the template's parameter for which a rule of the policy gives the expression;
    None for one that comes from elsewhere.
    """
    if not stands_in(expr.span, domain.sources.values()):
        return None
    match expr.span.place:
        case TextPlace(path=(*_, "with", str() as name)):
            return name
    return None


def written(domain: Domain, expr: Expr) -> str:
    """The text of an expression as a file has it; `...` where it comes from no file."""
    files = [*domain.sources.values(), *(t.file for t in domain.templates.values())]
    return source_text(expr.span, files) or "..."


def case_json(case: Case, domain: Domain) -> dict[str, Any]:
    """A case as JSON: the ledger, earlier calls, the call, and the moment in the domain's time."""
    return {"clock": time_text(case.now_us, False, domain.zone), **case_data(case, domain)}
