"""What a verdict hangs on that is no record to read: outcomes of calls that are not known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ledger_verify.ledger.store import Ledger
from ledger_verify.policy.evidence import MissingCall, MissingPath, Reach


def of_records(missing: Iterable[MissingPath]) -> list[MissingPath]:
    """Those of the missing parts that a read could show."""
    return [path for path in missing if not isinstance(path, MissingCall)]


def with_outcomes(reach: Reach, missing: Iterable[MissingPath], ledger: Ledger) -> Reach:
    """What can be read, and what the outcome of a pending call will tell."""
    told = [path for path in missing if _will_be_told(path, ledger)]
    patterns = reach.patterns | {path.pattern for path in told}
    return Reach(patterns, reach.lost - {(path.pattern, path.keys) for path in told})


def _will_be_told(path: MissingPath, ledger: Ledger) -> bool:
    if isinstance(path, MissingCall):
        return path.awaited
    return any(ledger.holding(path.pattern, path.keys))


def awaited_tools(missing: Iterable[MissingPath], ledger: Ledger) -> list[str]:
    """The tools of the pending calls on whose outcomes it hangs."""
    found: set[str] = set()
    for path in missing:
        if not isinstance(path, MissingCall):
            found.update(ledger.holding(path.pattern, path.keys))
        elif path.awaited:
            found.add(path.tool)
    return sorted(found)


def unknown_outcomes(missing: Iterable[MissingPath], ledger: Ledger) -> str | None:
    """What is unknown of earlier calls, as text; None if the question hangs on none."""
    paths = [path for path in missing if isinstance(path, MissingCall)]
    if not paths:
        return None
    counts = Counter(
        {tool: _unknown_calls(tool, ledger) for tool in sorted({path.tool for path in paths})}
    )
    calls = [
        f"{count} call{'' if count == 1 else 's'} of `{tool}`" for tool, count in counts.items()
    ]
    verb = "is" if sum(counts.values()) == 1 else "are"
    return f"{' and '.join(calls)} {verb} of unknown outcome"


def _unknown_calls(tool: str, ledger: Ledger) -> int:
    return max(ledger.history.unsure(tool), 1)
