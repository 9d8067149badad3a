"""All checks, in the order in which they are reported and documented."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from types import ModuleType

from ledger_verify.checks import (
    contradictory_assumptions,
    dead_action,
    endless_lock,
    idle_limit,
    misfit_record,
    missing_value,
    prerequisite_cycle,
    refuted_assumption,
    unreachable_prerequisite,
    vacuous_rule,
    zero_limit,
)
from ledger_verify.checks.finding import About
from ledger_verify.checks.job import Check
from ledger_verify.checks.reporting import UNDECIDED
from ledger_verify.lang.errors import InputError, near_match

CHECKS: tuple[Check, ...] = (
    dead_action,
    vacuous_rule,
    missing_value,
    unreachable_prerequisite,
    prerequisite_cycle,
    zero_limit,
    idle_limit,
    endless_lock,
    contradictory_assumptions,
    refuted_assumption,
    misfit_record,
)


def page(check: Check) -> str:
    """The documentation page of a check, as in its file."""
    assert isinstance(check, ModuleType)
    return inspect.getdoc(check) or ""


def abouts() -> tuple[About, ...]:
    """What every check says of itself."""
    return tuple(check.ABOUT for check in CHECKS)


def selected(
    select: Sequence[str] = (), ignore: Sequence[str] = (), checks: Sequence[Check] = CHECKS
) -> tuple[Check, ...]:
    """The checks that are named by `select` (all without it) and not by `ignore`.

    A check is named by its code, the beginning of its code, or its name. Raises `InputError` for a
    name that fits no check.
    """
    wanted = checks if not select else [c for c in checks if _is_named(c, _known(select))]
    unwanted = _known(ignore)
    return tuple(check for check in wanted if not _is_named(check, unwanted))


def is_code(name: str) -> bool:
    """Whether a name is the code or the name of a check."""
    return any(name in (about.code, about.name) for about in abouts())


def find_check(name: str) -> Check:
    """The check of that code or name; raises `InputError` with a near match."""
    for check in CHECKS:
        if name.upper() == check.ABOUT.code or name == check.ABOUT.name:
            return check
    raise _unknown(name)


def _is_named(check: Check, names: Iterable[str]) -> bool:
    about = check.ABOUT
    return any(about.code.startswith(name.upper()) or about.name == name for name in names)


def _known(names: Sequence[str]) -> Sequence[str]:
    for name in names:
        if not any(_is_named(check, [name]) for check in CHECKS):
            raise _unknown(name)
    return names


def _unknown(name: str) -> InputError:
    if name.upper() == UNDECIDED:
        return InputError(f"`{UNDECIDED}` is not a check: it says that a question stayed undecided")
    known = [word for about in abouts() for word in (about.code, about.name)]
    return InputError(f"no check `{name}`", hint=near_match(name, known) or "see `check --explain`")
