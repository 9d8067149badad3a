"""A record of the data does not fit the schema, so nothing that is proved holds for it.

The gate keeps such a record out of the ledger, and calls that need it are never allowed. Correct
the schema where the data is right, or the data. Asked only with `check DOMAIN --data FILE`.

Faulty:

    data:
      orders:
        A1: {customer_id: c, status: lost, total: 5, created_at: "2026-01-01T12:00", items: []}

Right:

    data:
      orders:
        A1: {customer_id: c, status: sent, total: 5, created_at: "2026-01-01T12:00", items: []}

There is one finding for each path, at the first record that does not fit. If the file has something
else under the name of a path, say with `--map` where the records are: `--map "user=users.*"`,
`--map "lines.*=lines.[line_id]"` for a list with the key in that field, `--map "flights.*.*="` for
nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.data import Data, Recorded
from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.policy.domain import Domain

ABOUT = About("LV603", "misfit_record", "warning")
_SHOWN = 3


def examine(domain: Domain, data: Data) -> Iterator[Claim]:
    """One claim for each path that the data has records of."""
    for pattern in domain.ledger:
        misfits = [record for record in data.misfits if record.pattern == pattern]
        fitting = sum(record.pattern == pattern for record in data.records)
        if misfits:
            yield _finding(pattern, misfits, fitting)
        elif fitting:
            yield Claim()


def _finding(pattern: str, misfits: list[Recorded], fitting: int) -> Claim:
    first, total = misfits[0], len(misfits) + fitting
    fix = "correct the schema or the data"
    if not fitting:
        fix += f'; if they are elsewhere, say where: `--map "{pattern}=PLACE"`'
    if fitting:
        which = f"{len(misfits)} of {total} records for `{pattern}` do not fit"
    elif total > 1:
        which = f"none of {total} records for `{pattern}` fits"
    else:
        which = f"the one record for `{pattern}` does not fit"
    return file_finding(
        ABOUT,
        f"{which} the schema: `{first.path}`: {first.reason}",
        first.location,
        fix=fix,
        notes=[f"`{one.path}` at {one.location}: {one.reason}" for one in misfits[1:_SHOWN]],
    )
