"""All checks, in the order in which they are reported and documented."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from types import ModuleType

from ledger_verify.checks import (
    circular_evidence,
    compared_key,
    conflicting_rules,
    constant_condition,
    contradictory_assumptions,
    dead_action,
    duplicate_rule,
    endless_lock,
    idle_limit,
    impossible_literal,
    inapplicable_rule,
    misfit_record,
    missing_clause,
    missing_value,
    open_argument,
    prerequisite_cycle,
    redundant_rule,
    refusal_without_exit,
    refuted_assumption,
    result_disagrees,
    self_chosen_identity,
    self_staling_rule,
    undecided,
    ungated_write,
    unguarded_message,
    unknowable_argument,
    unknown_tool,
    unloadable,
    unobservable_path,
    unreachable_prerequisite,
    unrefreshable_touch,
    unrepairable_argument,
    unseen_repeat,
    unused_ignore,
    unused_let,
    unused_parameter,
    unused_type,
    vacuous_rule,
    zero_limit,
)
from ledger_verify.checks.base.finding import About
from ledger_verify.checks.base.job import Check
from ledger_verify.checks.base.reporting import UNDECIDED
from ledger_verify.lang.errors import InputError, near_match

CHECKS: tuple[Check, ...] = (
    dead_action,
    vacuous_rule,
    inapplicable_rule,
    redundant_rule,
    conflicting_rules,
    constant_condition,
    impossible_literal,
    unknown_tool,
    ungated_write,
    unused_let,
    unused_parameter,
    unused_type,
    duplicate_rule,
    missing_clause,
    unguarded_message,
    unused_ignore,
    open_argument,
    compared_key,
    unrepairable_argument,
    unobservable_path,
    unknowable_argument,
    circular_evidence,
    refusal_without_exit,
    unrefreshable_touch,
    self_staling_rule,
    result_disagrees,
    unseen_repeat,
    missing_value,
    unreachable_prerequisite,
    prerequisite_cycle,
    zero_limit,
    idle_limit,
    endless_lock,
    contradictory_assumptions,
    refuted_assumption,
    misfit_record,
    self_chosen_identity,
)


def page(check: Check) -> str:
    """The documentation page of a check, as in its file."""
    assert isinstance(check, ModuleType)
    return inspect.getdoc(check) or ""


def pages() -> dict[About, str]:
    """The page of every kind of finding: of the checks, of what stayed undecided, and of domains
    that cannot be loaded.
    """
    others = {part.ABOUT: inspect.getdoc(part) or "" for part in (undecided, unloadable)}
    return others | {check.ABOUT: page(check) for check in CHECKS}


def find_pages(names: str) -> dict[About, str]:
    """The pages of the codes, beginnings of codes, or names, with commas between; raises
    `InputError` with a near match.
    """
    wanted = _split([names])
    for name in wanted:
        if not any(_fits(about, name) for about in pages()):
            raise _no_page(name)
    return {a: text for a, text in pages().items() if any(_fits(a, name) for name in wanted)}


def _no_page(name: str) -> InputError:
    known = [word for about in pages() for word in (about.code, about.name)]
    return InputError(f"no check `{name}`", hint=near_match(name, known))


def abouts() -> tuple[About, ...]:
    """What every check says of itself."""
    return tuple(check.ABOUT for check in CHECKS)


def selected(
    select: Sequence[str] = (), ignore: Sequence[str] = (), checks: Sequence[Check] = CHECKS
) -> tuple[Check, ...]:
    """The checks that are named by `select` (all without it) and not by `ignore`.

    A check is named by its code, the beginning of its code, or its name; a text may hold several of
    these with commas between. Raises `InputError` for a name that fits no check.
    """
    select, ignore = _split(select), _split(ignore)
    wanted = checks if not select else [c for c in checks if _is_named(c, _known(select))]
    unwanted = _known(ignore)
    return tuple(check for check in wanted if not _is_named(check, unwanted))


def _is_named(check: Check, names: Iterable[str]) -> bool:
    return any(_fits(check.ABOUT, name) for name in names)


def _fits(about: About, name: str) -> bool:
    begins = name != "" and about.code.startswith(name.upper())
    return begins or about.name == name


def _split(texts: Sequence[str]) -> list[str]:
    """The names in texts that may hold several."""
    return [name.strip() for text in texts for name in text.split(",")]


def _known(names: Sequence[str]) -> Sequence[str]:
    for name in names:
        if not any(_is_named(check, [name]) for check in CHECKS):
            raise _unknown(name)
    return names


def _unknown(name: str) -> InputError:
    told = {
        UNDECIDED: "a question stayed undecided",
        unloadable.ABOUT.code: "a domain could not be loaded",
    }.get(name.upper())
    if told is not None:
        return InputError(
            f"`{name.upper()}` is not a check: it says that {told}",
            hint=f"`check --explain {name.upper()}` says more",
        )
    known = [word for about in abouts() for word in (about.code, about.name)]
    return InputError(f"no check `{name}`", hint=near_match(name, known))
