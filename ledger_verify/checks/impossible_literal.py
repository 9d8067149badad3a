"""A condition compares with a literal that the schema can never produce.

The literal is none of the values of an enum, beyond a minimum or maximum, or a text that the
pattern or the length forbids. So the condition is the same in every case, or one entry of a list
never counts; usually the literal is misspelt. Write a value that can occur, or mend the schema.

Faulty:

    rules:
      - id: open
        tools: [ship]
        require: ledger.orders[args.order_id].status in ["open", "canceled"]
        clause: Open or cancelled orders only.

Right:

    rules:
      - id: open
        tools: [ship]
        require: ledger.orders[args.order_id].status in ["open", "cancelled"]
        clause: Open or cancelled orders only.

The check looks at `==`, `!=` and `in` between a literal and a value whose type carries bounds, at
the keys of a table that is written out (`{"gold": 100}[user.tier]`) and at keys of the ledger. It
reads types only. `call.tool` and the tool of an earlier call (`c.tool == "refnud"`) are enums, and
so are a choice and a list of texts: a literal is followed through `let`, `? :`, lists, tables,
`map` and the variables of macros. One that can occur in one place of a rule is right. It passes
over texts that are computed, over order (`<` beyond a bound is a `constant_condition`), and over
what stands in a template, which is general; literals given to a template's parameters are looked
at, and so are those in `failed` of a tool. A literal that can occur for one of the rule's tools is
right. What follows from such a literal, such as a tool that can never be called, is not reported as
well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.meetings import Meeting, meetings
from ledger_verify.checks.base.reporting import file_finding, rule_finding
from ledger_verify.lang import regex
from ledger_verify.lang.errors import near_match
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.operations import decimal_text
from ledger_verify.lang.printer import quote
from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import (
    IntType,
    NumberType,
    StringType,
    TimestampType,
    strip_null,
)
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import region, stands_in
from ledger_verify.schema.render import time_text
from ledger_verify.schema.sample import start_of_day

ABOUT = About("LV107", "impossible_literal", "error")
_MOST_VALUES = 6


@dataclass(frozen=True)
class Misfit:
    """A literal that cannot occur: the comparison that it is in, what it is, and why it cannot."""

    condition: Expr
    literal: Expr
    shown: str
    why: str
    hint: str | None

    @property
    def place(self) -> tuple[Any, ...]:
        """What the same literal has in common for all tools of a rule."""
        return self.literal.span, self.literal.span.place, self.shown

    @property
    def message(self) -> str:
        """What is wrong with it."""
        return f"`{self.shown}` can never occur here: {self.why}"

    @property
    def fix(self) -> str:
        """What to do."""
        return self.hint or "write a value that can occur, or mend the schema"


def run(domain: Domain) -> Iterator[Claim]:
    """A claim for each literal, or one that a rule, assumption or invariant has none."""
    for rules in domain.rules_by_id.values():
        found = _common([misfits(domain, rule.holds) for rule in rules])
        for misfit in found:
            for rule in rules:
                yield rule_finding(
                    ABOUT, domain, rule, misfit.message, at=misfit.literal, fix=misfit.fix
                )
        if not found:
            yield Claim()
    invariants: dict[str, list[Expr]] = {}
    for invariant in domain.invariants:
        invariants.setdefault(invariant.id, []).append(invariant.never)
    for bodies in (*([assumption.body] for assumption in domain.assumptions), *invariants.values()):
        yield from _elsewhere(domain, _common([misfits(domain, body) for body in bodies]))
    for tool in domain.tools.values():
        if tool.failed is not None:
            yield from _elsewhere(domain, misfits(domain, tool.failed.when), (tool.name,))


def _elsewhere(
    domain: Domain, found: Sequence[Misfit], tools: Sequence[str] = ()
) -> Iterator[Claim]:
    for misfit in found:
        place = region(misfit.literal.span, domain.sources.values())
        assert place is not None
        yield file_finding(
            ABOUT, misfit.message, place.start, end=place.end, fix=misfit.fix, tools=tools
        )
    if not found:
        yield Claim()


def _common(found: Sequence[Sequence[Misfit]]) -> list[Misfit]:
    """Those that are found for every tool."""
    first, *others = found
    places = [{misfit.place for misfit in other} for other in others]
    return [misfit for misfit in first if all(misfit.place in there for there in places)]


def blamed_rules(domain: Domain) -> frozenset[str]:
    """The rules with a literal that is reported, of which other defects may be consequences."""
    return frozenset(
        name
        for name, rules in domain.rules_by_id.items()
        if ABOUT.code not in rules[0].ignored
        and ABOUT.name not in rules[0].ignored
        and _common([misfits(domain, rule.holds) for rule in rules])
    )


def misfits(domain: Domain, predicate: Expr) -> list[Misfit]:
    """The literals of a predicate, outside of templates, that cannot occur.

    One that is compared in several places cannot in any of them.
    """
    found: dict[tuple[int, Any], Misfit] = {}
    fitting: set[tuple[int, Any]] = set()
    for meeting in meetings(domain, predicate):
        misfit = _misfit(meeting, domain)
        place = id(meeting.literal), meeting.value
        if misfit is None:
            fitting.add(place)
        elif stands_in(misfit.literal.span, domain.sources.values()):
            found.setdefault(place, misfit)
    kept = {misfit.place: misfit for place, misfit in found.items() if place not in fitting}
    return list(kept.values())


def _misfit(meeting: Meeting, domain: Domain) -> Misfit | None:
    """The value of the literal as a misfit if a value of the type is never so.

    The value fits the kind of the type: only bounds are in question, so null never is.
    """
    value, type_ = meeting.value, strip_null(meeting.type)
    hint = None
    match type_:
        case StringType() if isinstance(value, str):
            why = _text_problem(value, type_)
            near = near_match(value, type_.enum or ()) or ""
            hint = near if near.startswith("did you mean") else None
            shown = quote(value)
        case IntType() | NumberType() if isinstance(value, int | Fraction):
            why = _number_problem(value, type_)
            shown = _number(value)
        case TimestampType(date=True) if isinstance(value, int):
            starts = _starts_day(value, domain)
            why = None if starts else f"a date is the start of a day in {domain.timezone}"
            shown = time_text(value, False, domain.zone)
        case _:
            return None
    return None if why is None else Misfit(meeting.condition, meeting.literal, shown, why, hint)


def _text_problem(text: str, type_: StringType) -> str | None:
    """Why a text of the type is never the given one."""
    if type_.enum is not None:
        if text in type_.enum:
            return None
        shown = ", ".join(f"`{option}`" for option in type_.enum[:_MOST_VALUES])
        more = len(type_.enum) - _MOST_VALUES
        return f"it is none of {shown}{f' and {more} more' if more > 0 else ''}"
    if type_.min_length is not None and len(text) < type_.min_length:
        return f"the text has at least {type_.min_length} characters"
    if type_.max_length is not None and len(text) > type_.max_length:
        return f"the text has at most {type_.max_length} characters"
    if type_.pattern is not None and not regex.matches(text, type_.pattern):
        return f"the text matches `{type_.pattern}`"
    return None


def _number_problem(value: int | Fraction, type_: IntType | NumberType) -> str | None:
    if isinstance(type_, IntType) and not isinstance(value, int):
        return "the value is an integer"
    if type_.minimum is not None and value < type_.minimum:
        return f"the value is at least {_number(type_.minimum)}"
    if type_.maximum is not None and value > type_.maximum:
        return f"the value is at most {_number(type_.maximum)}"
    if isinstance(type_, NumberType):
        if type_.exclusive_minimum is not None and value <= type_.exclusive_minimum:
            return f"the value is above {_number(type_.exclusive_minimum)}"
        if type_.exclusive_maximum is not None and value >= type_.exclusive_maximum:
            return f"the value is below {_number(type_.exclusive_maximum)}"
    return None


def _starts_day(moment_us: int, domain: Domain) -> bool:
    try:
        return start_of_day(moment_us, domain.zone) == moment_us
    except NoValue:  # at the ends of the calendar, which local time goes beyond
        return True


def _number(value: int | Fraction) -> str:
    return decimal_text(value) or f"{value.numerator}/{value.denominator}"
