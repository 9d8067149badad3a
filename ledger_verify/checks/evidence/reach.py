"""Which paths an agent can come to read for the calls of one tool: a least fixpoint.

A read can be made once each argument that it needs is known: said by the person, by the call that
waits, by a key of the rule whose own evidence was read, or by a field of a record that was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ledger_verify.checks.evidence.model import EvidenceModel, Needed, Sight
from ledger_verify.checks.evidence.uses import Fields


@dataclass(frozen=True)
class Reach:
    """What can be read for calls of `tool`: the paths in `reached`.

    `lost` names, by path, fields whose values are stale and so give nothing (None for all).
    `barred` are observations, by tool and path, that are not made.
    """

    model: EvidenceModel
    tool: str
    reached: frozenset[str] = frozenset()
    lost: Mapping[str, Fields] = field(default_factory=dict)
    barred: frozenset[tuple[str, str]] = frozenset()

    def missing(self, sight: Sight) -> tuple[Needed, ...]:
        """The arguments that the read needs and that nothing gives so far."""
        return tuple(needed for needed in sight.needed if not self._known(sight, needed))

    def can_make(self, sight: Sight) -> bool:
        """Whether the read can be made, and observes the path when it is."""
        return (sight.tool.name, sight.pattern) not in self.barred and not self.missing(sight)

    @property
    def waited_for(self) -> tuple[str, ...]:
        """The paths for which the rules wait, of those that some read observes."""
        uses = self.model.uses[self.tool]
        return tuple(
            dict.fromkeys(u.pattern for u in uses if u.waits and self.model.sights[u.pattern])
        )

    def _known(self, sight: Sight, needed: Needed) -> bool:
        if needed.asked or self.tool in needed.calls:
            return True
        if any(p in self.reached and self._gives(p, f) for p, f in needed.by_name.items()):
            return True
        clues = self.model.clues(sight, needed, self.tool)
        return any(paths <= self.reached for paths in clues)

    def _gives(self, pattern: str, fields: frozenset[str]) -> bool:
        if pattern not in self.lost:
            return True
        lost = self.lost[pattern]
        return lost is not None and bool(fields - lost)

    def blocked(self) -> Iterator[tuple[str, dict[Sight, dict[Needed, frozenset[str]]]]]:
        """Each path that is waited for, or on which one such depends, and that cannot be read.

        With it, for each read of it, the arguments that are missing and the paths that might give
        them.
        """
        pending = [pattern for pattern in self.waited_for if pattern not in self.reached]
        seen = set(pending)
        while pending:
            pattern = pending.pop(0)
            reads: dict[Sight, dict[Needed, frozenset[str]]] = {}
            for sight in self.model.sights[pattern]:
                reads[sight] = {
                    needed: self.model.sources(sight, needed, self.tool)
                    for needed in self.missing(sight)
                }
                for sources in reads[sight].values():
                    new = sorted(p for p in sources - seen if self.model.sights[p])
                    seen.update(new)
                    pending += new
            yield pattern, reads


def reach(
    model: EvidenceModel,
    tool: str,
    *,
    start: frozenset[str] = frozenset(),
    lost: Mapping[str, Fields] | None = None,
    barred: frozenset[tuple[str, str]] = frozenset(),
) -> Reach:
    """All that can be read for calls of the tool, where the paths in `start` were read before.

    `barred` are observations, by tool and path, that are not made.
    """
    found = Reach(model, tool, start, lost or {}, barred)
    while True:
        new = {
            pattern
            for pattern, sights in model.sights.items()
            if pattern not in found.reached and any(map(found.can_make, sights))
        }
        if not new:
            return found
        found = Reach(model, tool, found.reached | new, found.lost, barred)
