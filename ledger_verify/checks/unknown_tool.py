"""A rule or invariant names a tool that the domain does not have.

It forbids nothing, and what it was meant for is not judged by it. Correct the name, or declare the
tool in `domain.yaml`. Only `check` looks at such a policy at all; every other command refuses to
load it, so `ignore` does not help.

Faulty:

    rules:
      - {id: open, tools: [ship, shipp], require: args.parcels >= 1, clause: One at least.}

Right:

    rules:
      - {id: open, tools: [ship], require: args.parcels >= 1, clause: One at least.}

The names under `tools` are compared with those of `domain.yaml`, letter by letter. Where all tools
of a rule are unknown, nothing else in it is looked at. Tools in texts, as in
`call.tool == "shipp"`, are not looked at; `history.shipp` is an error when the policy is loaded.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.policy.domain import Domain

ABOUT = About("LV201", "unknown_tool", "error", can_be_ignored=False)


def run(domain: Domain) -> Iterator[Claim]:
    """One claim for each tool that a rule or invariant names."""
    yield from (Claim() for _ in (*domain.rules, *domain.invariants))
    for stray in domain.strays:
        yield file_finding(
            ABOUT,
            f"{stray.owner} `{stray.owner_id}` is about `{stray.name}`, which is no tool of the "
            "domain",
            stray.region.start,
            end=stray.region.end,
            rules=[stray.owner_id] if stray.owner == "rule" else [],
            fix=stray.hint or "declare the tool in `domain.yaml`",
        )
