"""A limit within a window of time is never reached, since another rule keeps calls too far apart.

One rule demands some time between two calls, another limits the calls within a window; as many
calls as the limit has do not fit into the window. Lower the limit, widen the window, or drop one of
the two.

Faulty:

    rules:
      - id: spaced
        tools: [ship]
        require: history.ship.all(c, !c.ok || now - c.time >= duration("30m"))
        clause: Half an hour between two.
      - id: three_an_hour
        tools: [ship]
        require: size(history.ship.filter(c, c.ok && now - c.time < duration("1h"))) < 3
        clause: At most three an hour.

Right:

    rules:
      - id: spaced
        tools: [ship]
        require: history.ship.all(c, !c.ok || now - c.time >= duration("15m"))
        clause: A quarter of an hour between two.
      - id: three_an_hour
        tools: [ship]
        require: size(history.ship.filter(c, c.ok && now - c.time < duration("1h"))) < 3
        clause: At most three an hour.

If calls are at least S apart, at most ceil(W / S) - 1 earlier ones are younger than W: a limit of N
(`size(...) < N`) is never reached if that is below N. Both lengths must be constants. The limit
must not count refused calls, and all that it counts must be what the other rule keeps apart; the
other rule must have no guard. Calls that went past the gate are not thought of. Where one rule
implies the other for every single call, that is the same slip, and `redundant_rule` is silent.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import FOR_TOOLS, About, Claim
from ledger_verify.checks.base.reporting import given, rule_finding
from ledger_verify.checks.history.windows import Window, keeps_apart, windows
from ledger_verify.lang.times import format_duration
from ledger_verify.lang.typed import Constant, Expr, distinct
from ledger_verify.lang.types import INT
from ledger_verify.policy.domain import Domain

ABOUT = About("LV504", "idle_limit", "warning")


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each limit within a window."""
    for window, spacing in idle_limits(domain):
        yield Claim() if spacing is None else _finding(domain, window, spacing)


def idle_limits(domain: Domain) -> Iterator[tuple[Window, Window | None]]:
    """The limits within a window of all rules, each with what keeps it from ever being reached."""
    for rules in domain.rules_by_tool.values():
        found = [window for rule in rules for window in windows(rule)]
        for window in found:
            others = (other for other in found if other.comparison is not window.comparison)
            apart = (o for o in others if keeps_apart(o, window) and _fit(o, window) <= window.most)
            # of two that say the same, only the second is idle
            first = (o for o in apart if not keeps_apart(window, o) or _is_before(o, window, found))
            yield window, next(first, None)


def _fit(spacing: Window, window: Window) -> int:
    """How many earlier calls that far apart fit into the window."""
    return (window.length_us - 1) // spacing.length_us


def _is_before(other: Window, window: Window, found: list[Window]) -> bool:
    return _fit(window, other) > other.most or found.index(other) < found.index(window)


def _finding(domain: Domain, window: Window, spacing: Window) -> Claim:
    fit = _fit(spacing, window)
    return rule_finding(
        ABOUT,
        domain,
        window.rule,
        f"`{window.rule.id}` is never reached{FOR_TOOLS}: it allows {_calls(window.most)} "
        f"within {_length(window.told_us)}, and `{spacing.rule.id}`, which keeps calls "
        f"{_length(spacing.told_us)} apart, leaves room for {fit or 'none'}",
        at=_number(domain, window),
        rules=[window.rule, spacing.rule],
        fix="lower the limit, widen its window, or drop one of the two rules",
    )


def _number(domain: Domain, window: Window) -> Expr:
    """The limit itself where a template is given it, else the whole comparison."""
    parts = distinct(window.comparison)
    limits = (part for part in parts if isinstance(part, Constant) and part.type == INT)
    return next((part for part in limits if given(domain, part)), window.comparison)


def _calls(count: int) -> str:
    return f"{count} earlier {'call' if count == 1 else 'calls'}"


def _length(microseconds: int) -> str:
    """A length of time as `duration` takes it, such as `1h30m`."""
    minutes, rest = divmod(microseconds, 60_000_000)
    parts = [(minutes // 60, "h"), (minutes % 60, "m")]
    shown = "".join(f"{count}{unit}" for count, unit in parts if count)
    return shown + (format_duration(rest) if rest else "")
