"""From missing evidence to the reads that bring it.

A read is advised only where the gate would allow it, where it may show the record, and where it
was not tried already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ledger_verify.evaluate.kleene import Scope, evaluate
from ledger_verify.gate.filling import (
    arguments_json,
    as_json,
    asked_for,
    fitting,
    found_value,
    from_user,
)
from ledger_verify.gate.messages import call_text, json_text
from ledger_verify.gate.options import (
    Option,
    best_options,
    is_listed,
    those_that_settle_most_first,
    told_by_listing,
)
from ledger_verify.gate.proposal import Proposal
from ledger_verify.gate.remarks import Place, Remarks, place_text
from ledger_verify.gate.verdict import Decision, MissingRead, ReadCall
from ledger_verify.lang.types import join
from ledger_verify.ledger.attempts import frozen
from ledger_verify.policy.evidence import MissingPath, Reach, Unknown
from ledger_verify.policy.tools import Observation, Tool
from ledger_verify.schema.coerce import Misfit


@dataclass(frozen=True)
class ReadPlanner:
    """Plans reads for one proposed call."""

    proposal: Proposal
    _options: dict[Place, tuple[Option, ...]] = field(default_factory=dict)
    _in_vain: set[Place] = field(default_factory=set)
    _remarks: Remarks = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_remarks", Remarks(self.proposal))

    def reach(self, missing: Iterable[MissingPath]) -> Reach:
        """What can still be read, as far as it is missing."""
        doubtful = self.proposal.ledger.doubtful
        places = {
            (path.pattern, path.keys)
            for path in missing
            # a key that hangs on other evidence is told by it, what a list lacks only by its rest
            if path.determined or doubtful.has(path.pattern, path.keys)
        }
        lost = frozenset(place for place in places if not self._options_for(*place))
        return Reach(self.proposal.readable, lost, self.proposal.own_reads)

    def is_open(self, path: MissingPath) -> bool:
        """Whether some read with nothing left open may show records at the path."""
        return any(
            None not in option.call.arguments.values()
            for option in self._options_for(path.pattern, path.keys)
        )

    def plan(
        self, missing: Iterable[MissingPath], rules: Sequence[Collection[Place]] = ()
    ) -> list[MissingRead]:
        """One read a record, those first that settle the most of the open `rules`.

        Of each rule these are the records that it reads; without any, in the order of the records.
        """
        places = dict.fromkeys((path.pattern, path.keys) for path in missing)
        best = best_options({place: self._options_for(*place) for place in places})
        order = those_that_settle_most_first(best, rules) if rules else list(best)
        planned: dict[str, MissingRead] = {}
        for place in [*order, *(place for place in places if place not in best)]:
            path = place_text(self.proposal.domain, *place)
            option = best.get(place)
            if option is None:
                planned.setdefault(path, MissingRead(path, None))
                continue
            for read in option.first or (MissingRead(path, option.call),):
                planned.setdefault(read.path, read)
        return list(planned.values())

    def remarks(self, missing: Iterable[MissingPath]) -> list[str]:
        """What was tried to read the records, and what speaks against other reads of them."""
        out: dict[str, None] = {}
        for place in dict.fromkeys((path.pattern, path.keys) for path in missing):
            self._options_for(*place)
            out |= dict.fromkeys(self._remarks.of(place))
        return list(out)

    def unreadable(self, missing: Iterable[MissingPath]) -> list[str]:
        """The paths of what no tool at hand can show, or can show any more."""
        domain, reach = self.proposal.domain, self.reach(missing)
        return sorted(
            {
                place_text(domain, p.pattern, p.keys) if p.pattern in reach.patterns else p.pattern
                for p in missing
                if not reach.has(p.pattern, p.keys)
            }
        )

    def _options_for(self, pattern: str, keys: tuple[Any, ...]) -> tuple[Option, ...]:
        self.proposal.deadline.check()
        place = pattern, keys
        if place not in self._options:
            self._remarks.rejections(place)
            options = tuple(
                self._made(place)
                if pattern in self.proposal.own_reads
                else (
                    option
                    for tool in self.proposal.read_tools
                    for observation in tool.observes
                    if observation.pattern == pattern and self._shows_whom(tool, pattern)
                    for option in self._offer(tool, observation, place)
                )
            )
            if pages := tuple(self._next_pages(place)):
                # what is known by its keys may have a read of its own
                options = (*pages, *options) if None in keys else (*options, *pages)
            in_vain = place in self._in_vain
            self._options[place] = tuple(o for o in options if not (in_vain and o.was_tried))
        return self._options[place]

    def _offer(self, tool: Tool, observation: Observation, place: Place) -> Iterable[Option]:
        """The read with this tool: one that shows all such records, or one with what is guessed
        from the call, or as it is told, with the rest left open.
        """
        given = self._given(tool, observation, place)
        if given is None:
            return
        told, untold = given
        proposal = self.proposal
        open_ = [
            (name, field_.type)
            for name, field_ in tool.arguments.fields
            if name not in told and name not in untold and not field_.optional
        ]
        guessed = {
            name: found
            for name, type_ in open_
            if (found := found_value(proposal, name, type_)) is not None
            and not isinstance(fitting(found, type_, proposal), Misfit)
        }
        names = [name for name, _ in open_]
        listed = told_by_listing(proposal, tool, observation, place, told, names)
        for arguments in (listed, {**told, **guessed} if guessed else None, told):
            if arguments is None:
                continue
            option = self._option(tool, observation, arguments, place, by_key=arguments is told)
            if option is not None:
                beside = is_listed(proposal, tool, observation, place, arguments) is False
                yield replace(option, beside=beside)
                return

    def _next_pages(self, place: Place) -> Iterable[Option]:
        """The reads of pages that are known to be open and on which the record may be."""
        proposal = self.proposal
        for page in proposal.ledger.doubtful.pages(*place):
            tool = proposal.domain.tools[page.tool]
            if tool not in proposal.read_tools:
                continue
            given = page.known if page.arguments is None else page.arguments
            told = arguments_json(tool, given, proposal.domain.zone)
            if page.arguments is None:
                self._remarks.add(place, f"`{tool.name}` has further pages of what it showed")
                told |= {name: None for name in tool.arguments.by_name if name not in told}
            option = self._option(tool, None, told, place)
            if option is not None:
                yield replace(option, was_tried=False)

    def _made(self, place: Place) -> Iterable[Option]:
        """The read of which a history tells, with the arguments that the rules ask for."""
        tool = self.proposal.domain.tools[place[0].partition(".")[2]]
        asked = asked_for(self.proposal, place[0])
        told = {
            name: asked.get(name, found_value(self.proposal, name, field_.type))
            for name, field_ in tool.arguments.fields
            if name not in tool.asks and (name in asked or not field_.optional)
        }
        usable = {
            name: value
            for name, value in told.items()
            if value is not None
            and not isinstance(
                fitting(value, tool.arguments.by_name[name].type, self.proposal), Misfit
            )
        }
        option = self._option(tool, None, usable, place)
        if option is not None:
            yield option

    def _given(
        self, tool: Tool, observation: Observation, place: Place
    ) -> tuple[dict[str, Any], set[str]] | None:
        """The arguments that the keys tell, as JSON, and the names of those that others must.

        None where a key is one that the tool does not take.
        """
        told: dict[str, Any] = {}
        untold: set[str] = set()
        for index, key in enumerate(place[1]):
            name = observation.argument_of_key(index) or self._namesake(tool, observation, index)
            if name is None:
                continue
            if key is None:  # another read has to tell it
                untold.add(name)
                continue
            type_ = tool.arguments.by_name[name].type
            value = as_json(self.proposal, key, type_)
            if isinstance(problem := fitting(value, type_, self.proposal), Misfit):
                if observation.argument_of_key(index) is None:
                    continue  # the record may be among what is read without it
                refused = f"does not take {json_text(value)} as `{name}`: {problem.message}"
                self._remarks.add(place, f"`{tool.name}` {refused}")
                return None
            told[name] = value
        for name in tool.asks if tool.identifies is None else tool.arguments.by_name:
            value = from_user(self.proposal, tool, name, told.pop(name, None))
            if value is None:
                untold.add(name)
            else:
                told[name] = value
        return told, untold

    def _shows_whom(self, tool: Tool, pattern: str) -> bool:
        """Whether the read may show the record: who the user is only some reads can find out."""
        proposal = self.proposal
        known = pattern in proposal.ledger.identities or pattern not in proposal.domain.identified
        return known or tool.identifies == pattern

    def _option(
        self, tool: Tool, observation: Observation | None, told: Mapping[str, Any], place: Place,
        *, by_key: bool = False,
    ) -> Option | None:  # fmt: skip
        fields = tool.arguments.fields
        arguments = {n: told.get(n) for n, field_ in fields if n in told or not field_.optional}
        typed = {
            name: fitting(value, tool.arguments.by_name[name].type, self.proposal)
            for name, value in arguments.items()
            if value is not None
        }
        call = ReadCall(tool.name, arguments)
        if None in arguments.values():
            return Option(call, typed, was_tried=self._remarks.tries(tool, typed, place))
        if observation is not None and not self._may_apply(observation, typed):
            return None
        attempt = self.proposal.ledger.tried.get(frozen(tool.name, typed))
        if observation is not None and any(self.proposal.ledger.holding(*place)):
            attempt = None  # what was read of it counts once the outcome is known, or not at all
        if attempt is not None and place[0] not in attempt.passed_over:
            self._remarks.attempt(place, call, attempt)
            if not attempt.may_be_repeated:
                if by_key:  # and not by what was guessed
                    self._in_vain.add(place)
                return None
        return self._allowed(Option(call, typed), tool, place)

    def _may_apply(self, observation: Observation, typed: Mapping[str, Any]) -> bool:
        if observation.when is None:
            return True
        value = evaluate(observation.when, Scope(self.proposal.ledger, {"args": typed}))
        return value is True or isinstance(value, Unknown)

    def _allowed(self, option: Option, tool: Tool, place: Place) -> Option | None:
        """The option, with the reads that it needs first; None where the gate refuses it."""
        call = frozen(tool.name, option.typed)
        if call in self.proposal.advising:
            return None
        asked = replace(self.proposal, tool=tool, arguments=option.typed,
                        advising=self.proposal.advising | {call})  # fmt: skip
        if not asked.rules:
            return option
        from ledger_verify.gate.explain import explain

        verdict = explain(asked, option.call.arguments)
        if verdict.allowed:
            return option
        if verdict.decision is Decision.REVISE and verdict.missing:
            return replace(option, first=verdict.missing)
        reasons = "; ".join(verdict.reasons) or "its rules are not met"
        self._remarks.add(place, f"{call_text(option.call)} is not allowed: {reasons}")
        return None

    def _namesake(self, tool: Tool, observation: Observation, index: int) -> str | None:
        """The argument that is called like the field of the record that the key is."""
        name = observation.field_of_key(index)
        argument = None if name is None else tool.arguments.by_name.get(name)
        if argument is None:
            return None
        key_type = self.proposal.domain.ledger[observation.pattern].keys[index]
        return name if join(argument.type, key_type) is not None else None
