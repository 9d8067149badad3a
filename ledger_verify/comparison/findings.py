"""What a comparison found, as findings for the formats that other programs read."""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Finding
from ledger_verify.checks.base.reporting import UNDECIDED
from ledger_verify.comparison.report import Change, DiffReport, Direction
from ledger_verify.gate.cases import case_data
from ledger_verify.lang.errors import Location
from ledger_verify.solver.reach import LONGER_LISTS, TIME_OR_LISTS, lists_within

NEWLY_ALLOWED = About("LV801", "newly_allowed", "warning")
NEWLY_REFUSED = About("LV802", "newly_refused", "warning")
PAGES = {
    NEWLY_ALLOWED: "A call is allowed by the new policy and was not by the old one.",
    NEWLY_REFUSED: "A call was allowed by the old policy and is not by the new one.",
}


def findings(report: DiffReport) -> list[Finding]:
    """One finding for each tool and direction that is not proved empty, and for what no proof
    speaks of.
    """
    return [*_by_tool(report), *(_unproved(report, text) for text in report.unproved)]


def _by_tool(report: DiffReport) -> Iterator[Finding]:
    for tool in report.tools:
        for about, direction in ((NEWLY_ALLOWED, tool.allowed), (NEWLY_REFUSED, tool.refused)):
            if direction.change is Change.FOUND:
                yield _found(report, about, tool.tool, direction)
            elif direction.open:
                yield _open(report, about, tool.tool, direction)


def _found(report: DiffReport, about: About, tool: str, direction: Direction) -> Finding:
    found = direction.counterexample
    assert found is not None
    first = next(iter(found.blamed), None)
    location = _tool(report, tool) if first is None else first.twin or first.place
    side = report.new if found.refused_by == "OLD" else report.old
    verdicts = ", ".join(
        f"{name}: {told.verdict.decision.value}"
        for name, told in (("OLD", found.old), ("NEW", found.new))
    )
    return Finding(
        about.code, about.name, about.severity,
        f"a call of `{tool}` is {about.name.replace('_', ' ')} ({verdicts})",
        tuple(dict.fromkeys(rule.id for rule in found.blamed)),
        location,
        tools=(tool,),
        counterexample=case_data(found.case, side),
        notes=tuple(f"{rule.id}: {rule.message}" for rule in found.blamed),
        clause="" if first is None else first.clause,
        fix="see that this is what the change is meant to do",
    )  # fmt: skip


def _open(report: DiffReport, about: About, tool: str, direction: Direction) -> Finding:
    what = about.name.replace("_", " ")
    if direction.change is Change.NONE and direction.bound is not None:
        message = f"no call of `{tool}` is {what} with {lists_within(direction.bound)}"
        fix = LONGER_LISTS
    else:
        message = f"could not tell whether a call of `{tool}` is {what}"
        fix = TIME_OR_LISTS
    notes = () if direction.reason is None else (direction.reason,)
    return Finding(
        UNDECIDED, about.name, "undecided", message, (), _tool(report, tool), tools=(tool,),
        notes=notes, fix=fix,
    )  # fmt: skip


def _unproved(report: DiffReport, text: str) -> Finding:
    location = report.new.sources["domain"].locate(())
    return Finding(UNDECIDED, NEWLY_ALLOWED.name, "undecided", text, (), location)


def _tool(report: DiffReport, name: str) -> Location:
    """Where the tool is declared, in the new domain if it has it."""
    side = report.new if name in report.new.tools else report.old
    return side.sources["domain"].locate_key(("tools", name))
