"""Questions before deployment, in typed expressions: is there a call and a ledger such that ...?"""

from __future__ import annotations

from dataclasses import dataclass

from ledger_verify.lang.typed import Expr
from ledger_verify.policy.tools import Tool


@dataclass(frozen=True)
class Question:
    """A call of `tool` on which the `true` predicates are TRUE and the `false` ones FALSE.

    With `untrue`, those need only be other than TRUE, for want of a value. `valueless` are
    expressions of any type that must have no value (ERROR). In the last two cases everything that
    the question reads is observed. With `in_bounds`, a result that is out of bounds (beyond 64
    bits, beyond the calendar) does not count as having no value. Questions with the same `family`,
    of which their expressions are members or parts, share one encoding.
    """

    tool: Tool
    true: tuple[Expr, ...] = ()
    false: tuple[Expr, ...] = ()
    untrue: tuple[Expr, ...] = ()
    valueless: tuple[Expr, ...] = ()
    family: tuple[Expr, ...] = ()
    in_bounds: bool = False

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """All expressions of the question."""
        return (*self.true, *self.false, *self.untrue, *self.valueless)
