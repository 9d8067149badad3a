"""The solver could not answer a question within its limits.

This is no defect, but nothing was proved either: the check that the note names may have missed
one. A run that leaves a question open ends with exit status 3, and its answer is not kept for the
next run.

What to do:

- The time ran out: raise `--timeout`, the limit in seconds for one question. A condition that
  multiplies two unknown numbers, or matches a text that is put together, is hard for the solver.
- The message says "with lists of up to N items, earlier calls or records": there is no case with
  so few of them, and for more nothing was proved. Give the list a `maxItems` in the schema, or
  raise `--scope`.
- A case was found, but it uses an operation that the solver knows only roughly, such as
  `getMonth`, and the interpreter did not confirm it. Say the same with times and durations.
- The message says that it could not be told what a check has to say: a question on which that
  depends stayed open, such as whether a rule that seems redundant is a conflict instead. What it
  found besides is reported.

`--select` and `--ignore` name checks, so this is none of theirs. A rule that is known to be too
hard for a check can say so by the check's code: `ignore: {LV102: why that is acceptable}`.
"""

from __future__ import annotations

from ledger_verify.checks.base.finding import About
from ledger_verify.checks.base.reporting import UNDECIDED

ABOUT = About(UNDECIDED, "undecided", "undecided")
