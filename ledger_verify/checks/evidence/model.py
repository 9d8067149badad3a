"""The evidence model: a graph of tools, paths, arguments and rules, and how one leads to another.

A read tool *observes* paths and *needs* arguments. An argument is *given* by a record, by an
argument of the call that waits for it, or by the person. A rule *reads* paths and *judges* the
calls of a tool, which *touches* paths.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from ledger_verify.checks.evidence.names import (
    Given,
    must_be_told,
    values_at,
    values_of_call,
    wanted,
)
from ledger_verify.checks.evidence.stale import touched_part
from ledger_verify.checks.evidence.uses import Fields, Match, Use, both, uses_of
from ledger_verify.lang.typed import FieldOf, Variable, walk
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Observation, Tool, ToolKind, Touch

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True)
class ToolNode:
    """A tool."""

    name: str


@dataclass(frozen=True)
class PathNode:
    """The records at a pattern of the ledger."""

    pattern: str


@dataclass(frozen=True)
class ArgumentNode:
    """An argument of a tool."""

    tool: str
    name: str


@dataclass(frozen=True)
class RuleNode:
    """A rule, whatever tools it is bound to."""

    id: str


@dataclass(frozen=True)
class PersonNode:
    """The person, who gives what a read asks for."""


PERSON = PersonNode()
Node = ToolNode | PathNode | ArgumentNode | RuleNode | PersonNode

if TYPE_CHECKING:
    Graph = nx.DiGraph[Node]


class Link(Enum):
    """How one node leads to the next."""

    OBSERVES = "a read tool observes a path"
    NEEDS = "an argument is required by a read tool"
    GIVES = "a record, or an argument of a call, gives an argument of a read"
    ASKS = "the person gives an argument"
    READS = "a rule reads a path"
    JUDGES = "a rule judges the calls of a tool"
    TOUCHES = "a write makes records stale"


@dataclass(frozen=True, eq=False)
class Needed:
    """An argument that a read cannot do without, and that an agent cannot choose.

    `by_name` are the paths whose records have a value of that name, with the fields that hold it.
    """

    name: str
    asked: bool
    by_name: Mapping[str, frozenset[str]]
    calls: frozenset[str]


@dataclass(frozen=True, eq=False)
class Sight:
    """One observation of a read tool, with the arguments that it takes to make it.

    `keyed` has for each key of the path the arguments that the key says.
    """

    tool: Tool
    observation: Observation
    needed: tuple[Needed, ...]
    keyed: tuple[frozenset[str], ...]

    @property
    def pattern(self) -> str:
        """The path that is observed."""
        return self.observation.pattern

    @cached_property
    def shown(self) -> frozenset[str] | None:
        """The fields that it can show, None for all."""
        text = self.observation.text
        if text is None:
            return None
        return frozenset((*text.groups, *(name for name, _ in self.observation.additions)))


class EvidenceModel:
    """What a domain's rules read, and how an agent comes to it.

    `sights` are what reads observe, by path, `results` what writes return, by tool. `graph` holds
    everything, each edge with its `Link` as `link`.
    """

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.uses: dict[str, tuple[Use, ...]] = {}
        self._clues: dict[str, dict[str, list[Use | Match]]] = {path: {} for path in domain.ledger}
        for name, rules in domain.rules_by_tool.items():
            found = [uses_of(rule) for rule in rules]
            self.uses[name] = tuple(use for uses, _ in found for use in uses)
            clues: list[Use | Match] = list(self.uses[name])
            clues += [match for _, matches in found for match in matches]
            for clue in clues:
                self._clues[clue.pattern].setdefault(name, []).append(clue)
        self._values = {
            pattern: values_at(pattern, spec.record) for pattern, spec in domain.ledger.items()
        }
        self._by_name = _by_name(self._values)
        self._calls = _by_name({tool.name: values_of_call(tool.arguments) for tool in self._judged})
        sights: dict[str, list[Sight]] = {pattern: [] for pattern in domain.ledger}
        for tool in self.read_tools:
            for observation in tool.observes:
                sights[observation.pattern].append(self._sight(tool, observation))
        self.sights: Mapping[str, tuple[Sight, ...]] = {k: tuple(v) for k, v in sights.items()}
        self.results: Mapping[str, tuple[Sight, ...]] = {
            tool.name: tuple(self._sight(tool, observation) for observation in tool.observes)
            for tool in domain.tools.values()
            if tool.kind is ToolKind.WRITE
        }

    @property
    def read_tools(self) -> tuple[Tool, ...]:
        """The tools with which the agent observes."""
        tools = self.domain.tools.values()
        return tuple(t for t in tools if t.kind is ToolKind.READ and not t.by_user)

    @property
    def _judged(self) -> tuple[Tool, ...]:
        return tuple(self.domain.tools[name] for name, uses in self.uses.items() if uses)

    def returned(self, tool: Tool, touch: Touch) -> bool:
        """Whether the result of the write shows what the touch makes stale."""
        part = touched_part(self.domain, touch)
        return any(
            sight.pattern == touch.pattern
            and (sight.shown is None or (part is not None and part <= sight.shown))
            for sight in self.results.get(tool.name, ())
        )

    @cached_property
    def uses_by_pattern(self) -> Mapping[str, tuple[Use, ...]]:
        """All uses, by the path that they read."""
        found: dict[str, list[Use]] = {pattern: [] for pattern in self.domain.ledger}
        for uses in self.uses.values():
            for use in uses:
                found[use.pattern].append(use)
        return {pattern: tuple(uses) for pattern, uses in found.items()}

    def sources(self, sight: Sight, argument: Needed, *calls: str) -> frozenset[str]:
        """The other paths from whose records the argument might be taken, if they were read, for
        a call of one of those tools.
        """
        found = {pattern for pattern in argument.by_name if self.sights[pattern]}
        for call in calls:
            found = found.union(*self.clues(sight, argument, call))
        return frozenset(found - {sight.pattern})

    def clues(self, sight: Sight, argument: Needed, call: str) -> Iterator[frozenset[str]]:
        """For each way in which the rules for a call say the argument, the paths on which that
        depends: by a key, or by what a field of that name must equal.
        """
        for clue in self._clues[sight.pattern].get(call, ()):
            match clue:
                case Use(keys=tuple() as keys):
                    for said, paths in zip(sight.keyed, keys, strict=True):
                        if argument.name in said:
                            yield paths
                case Match(field=field, paths=paths):
                    if field in argument.by_name.get(sight.pattern, ()):
                        yield paths

    @cached_property
    def graph(self) -> Graph:
        """All nodes and edges. `fields` of an edge from or to a path are those that are observed,
        read or touched, or that give the value; None for all of the record.
        """
        import networkx as nx  # takes long to import, and only pictures need it

        graph: Graph = nx.DiGraph()
        graph.add_nodes_from(PathNode(pattern) for pattern in self.domain.ledger)
        for tool in self.domain.tools.values():
            graph.add_node(ToolNode(tool.name), tool=tool)
            for touch in tool.touches:
                path, part = PathNode(touch.pattern), touched_part(self.domain, touch)
                _connect(graph, ToolNode(tool.name), path, Link.TOUCHES, part)
        for sights in self.sights.values():
            for sight in sights:
                self._add_sight(graph, sight)
        for judge in self.domain.rules:
            graph.add_edge(RuleNode(judge.id), ToolNode(judge.tool), link=Link.JUDGES)
        for uses in self.uses.values():
            for use in uses:
                path, rule = PathNode(use.pattern), RuleNode(use.rule.id)
                _connect(graph, path, rule, Link.READS, use.fields)
        return graph

    def _add_sight(self, graph: Graph, sight: Sight) -> None:
        tool = ToolNode(sight.tool.name)
        _connect(graph, tool, PathNode(sight.pattern), Link.OBSERVES, sight.shown)
        for needed in sight.needed:
            argument = ArgumentNode(sight.tool.name, needed.name)
            graph.add_edge(argument, tool, link=Link.NEEDS)
            if needed.asked:
                graph.add_edge(PERSON, argument, link=Link.ASKS)
            for pattern in sorted(self.sources(sight, needed, *self._clues[sight.pattern])):
                fields = needed.by_name.get(pattern)
                _connect(graph, PathNode(pattern), argument, Link.GIVES, fields)
            for call in sorted(needed.calls):
                graph.add_edge(ToolNode(call), argument, link=Link.GIVES)

    def _sight(self, tool: Tool, observation: Observation) -> Sight:
        needed = tuple(
            self._needed(tool, observation, name)
            for name, field in tool.arguments.fields
            if not field.optional and must_be_told(name, field.type)
        )
        return Sight(tool, observation, needed, tuple(self._keyed(tool, observation)))

    def _needed(self, tool: Tool, observation: Observation, name: str) -> Needed:
        type_, names = tool.arguments.by_name[name].type, wanted(name, observation.pattern)
        by_name: dict[str, frozenset[str]] = {}
        calls = set()
        for label in names:
            for pattern, value in self._by_name.get(label, ()):
                if value.fits(names, type_):
                    by_name[pattern] = by_name.get(pattern, frozenset()) | {value.field}
            for call, value in self._calls.get(label, ()):
                if value.fits(names, type_):
                    calls.add(call)
        return Needed(name, name in self._asked, by_name, frozenset(calls))

    @cached_property
    def _asked(self) -> frozenset[str]:
        """What the person can say to one read, the person can say to all."""
        return frozenset().union(*(tool.asks for tool in self.read_tools))

    def _keyed(self, tool: Tool, observation: Observation) -> Iterator[frozenset[str]]:
        for index, key in enumerate(observation.keys):
            named = {
                part.field_name
                for part in walk(key)
                if isinstance(part, FieldOf)
                and isinstance(part.of, Variable)
                and part.of.name == "args"
            }
            field = observation.field_of_key(index)
            if field is not None and field in tool.arguments.by_name:
                named.add(field)
            yield frozenset(named)


@lru_cache(maxsize=1)
def evidence_model(domain: Domain) -> EvidenceModel:
    """The evidence model of a domain, kept until another domain's is asked for."""
    return EvidenceModel(domain)


def _connect(graph: Graph, start: Node, end: Node, link: Link, fields: Fields) -> None:
    """Add an edge, or the fields to those of the edge that is there."""
    known = graph.get_edge_data(start, end)
    joined = fields if known is None else both(known["fields"], fields)
    graph.add_edge(start, end, link=link, fields=joined)


def _by_name(values: Mapping[str, tuple[Given, ...]]) -> Mapping[str, list[tuple[str, Given]]]:
    found: dict[str, list[tuple[str, Given]]] = defaultdict(list)
    for owner, given in values.items():
        for value in given:
            found[value.name].append((owner, value))
    return found
