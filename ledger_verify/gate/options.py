"""The reads that may show one record, and which of them to make for several records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ledger_verify.evaluate.kleene import Scope, evaluate
from ledger_verify.gate.filling import as_json, fitting, is_told
from ledger_verify.gate.proposal import Proposal
from ledger_verify.gate.remarks import Place
from ledger_verify.gate.verdict import MissingRead, ReadCall
from ledger_verify.lang.typed import Apply, FieldOf, Variable, walk
from ledger_verify.ledger.absence import Listing
from ledger_verify.ledger.attempts import frozen
from ledger_verify.policy.tools import Observation, Tool
from ledger_verify.schema.coerce import Misfit

_ARGS = "args"


@dataclass(frozen=True)
class Option:
    """A read that may show a record; `first` are the reads that it needs before it is allowed.

    `typed` are its arguments, without those that are None in the call. It `was_tried` if it was
    made with some values for these, to no avail, and the user is not who could say others. It is
    `beside` the record if the record is known not to be among those of which it shows all.
    """

    call: ReadCall
    typed: Mapping[str, Any]
    first: tuple[MissingRead, ...] = ()
    was_tried: bool = False
    beside: bool = False

    @property
    def opens(self) -> int:
        """How many of its arguments are still to be found."""
        return list(self.call.arguments.values()).count(None)

    @cached_property
    def key(self) -> Any:
        """Equal for equal calls."""
        return frozen(self.call.name, self.typed), frozenset(self.call.arguments)


def best_options(options: Mapping[Place, Sequence[Option]]) -> dict[Place, Option]:
    """For each record that some read may show, the one to make.

    That with the fewest arguments to find; of these the one that may show the most of the records,
    and of these the first that is declared.
    """
    shown = Counter(key for each in options.values() for key in {o.key for o in each})

    def rank(option: Option) -> tuple[int, bool, int]:
        return option.opens, option.beside, -shown[option.key]

    return {place: min(each, key=rank) for place, each in options.items() if each}


def those_that_settle_most_first(
    best: Mapping[Place, Option], rules: Sequence[Collection[Place]]
) -> list[Place]:
    """The records in the order of their reads: those that settle the most rules first.

    `rules` are the records that each open rule reads. A read settles a rule if it shows all that
    matters of them. Of those that settle as many, those with fewer arguments to find come first;
    of those that settle none, those that more rules read. What another read has to name comes last.
    """
    open_rules = [{place for place in rule if place in best} for rule in rules]
    shown: dict[Any, set[Place]] = {}
    for place, option in best.items():
        shown.setdefault(option.key, set()).add(place)

    def rank(place: Place) -> tuple[bool, int, int, int]:
        if None in place[1]:
            return True, 0, 0, 0
        option = best[place]
        met = [rule for rule in open_rules if rule & shown[option.key]]
        settled = sum(rule <= shown[option.key] for rule in met)
        return False, -settled, option.opens if settled else 0, -len(met)

    return sorted(best, key=rank)


def told_by_listing(
    proposal: Proposal, tool: Tool, observation: Observation, place: Place,
    told: Mapping[str, Any], open_: Collection[str],
) -> dict[str, Any] | None:  # fmt: skip
    """The arguments, as JSON, with which the read shows the record if there is one at all.

    They are those that are `told`, and of the `open_` ones what makes true that all such records
    are shown, such as a search between the two places of a known route; None if that is not known.
    """
    if observation.complete is None or not open_ or None in place[1]:
        return None
    found = dict(told)
    scope = _scope(proposal, tool, observation, place, found)
    for part in walk(observation.complete):
        if not isinstance(part, Apply) or part.operation != "eq":
            continue
        for one, other in (part.operands, part.operands[::-1]):
            match one:
                case FieldOf(of=Variable(name=name), field_name=argument) if (
                    name == _ARGS and argument in open_ and argument not in found
                ):
                    value = evaluate(other, scope)
                    if is_told(value):
                        found[argument] = as_json(proposal, value, other.type)
    if found.keys() < {*told, *open_}:
        return None
    return found if is_listed(proposal, tool, observation, place, found) is True else None


def is_listed(
    proposal: Proposal, tool: Tool, observation: Observation, place: Place, told: Mapping[str, Any]
) -> bool | None:
    """Whether the record is among those of which the read shows all; None if nobody knows."""
    if observation.complete is None or None in place[1]:
        return None
    value = evaluate(observation.complete, _scope(proposal, tool, observation, place, told))
    return value if isinstance(value, bool) else None


def _scope(
    proposal: Proposal, tool: Tool, observation: Observation, place: Place, told: Mapping[str, Any]
) -> Scope:
    fields = tool.arguments.by_name
    typed = {name: fitting(value, fields[name].type, proposal) for name, value in told.items()}
    fit = {name: value for name, value in typed.items() if not isinstance(value, Misfit)}
    listing = Listing(place[1], tool.name, fit, observation)
    return Scope(proposal.ledger, listing.names(place[1]))
