"""What is in the picture of a domain: boxes in four columns, and arrows between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from ledger_verify.checks.evidence.model import (
    ArgumentNode,
    EvidenceModel,
    Link,
    Node,
    PathNode,
    RuleNode,
    ToolNode,
    evidence_model,
)
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.tools import Tool, ToolKind

if TYPE_CHECKING:
    from ledger_verify.checks.base.finding import Finding

_QUOTED = re.compile("`([^`]*)`")
_SEVERITIES = ("error", "warning")


class Column(Enum):
    """The columns, from left to right, by their headings."""

    READ = "read tools"
    PATH = "ledger"
    RULE = "rules"
    WRITE = "write tools"


class Kind(Enum):
    """What an arrow means."""

    EVIDENCE = "observes, is read by, judges"
    ARGUMENT = "gives an argument of the read"
    STALE = "makes stale"


@dataclass(frozen=True)
class Box:
    """A tool, a path or a rule; `note` is a second line, or empty.

    `severity` is `error`, `warning`, or empty where nothing was found; `findings` says what was.
    """

    column: Column
    name: str
    note: str = ""
    severity: str = ""
    findings: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of text in the box."""
        return (self.name, self.note) if self.note else (self.name,)


@dataclass(frozen=True)
class Arrow:
    """An arrow between two boxes, by their places in the picture."""

    source: int
    target: int
    kind: Kind
    label: str = ""


@dataclass(frozen=True)
class Picture:
    """All boxes, column by column in the order of the files, and all arrows."""

    title: str
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]

    @property
    def description(self) -> str:
        """One sentence that says what there is to see."""
        counts = dict.fromkeys(Column, 0)
        for box in self.boxes:
            counts[box.column] += 1
        told = ", ".join(
            f"{count} {_singular(column) if count == 1 else _plural(column)}"
            for column, count in counts.items()
        )
        return f"How the evidence of the rules of {self.title} comes about: {told}."


def picture(domain: Domain, findings: Iterable[Finding] = ()) -> Picture:
    """The picture of a domain, with boxes marked that the findings name.

    Left out are neutral tools, read tools that observe nothing, and writes of the person that
    make nothing stale.
    """
    model = evidence_model(domain)
    boxes: list[Box] = []
    places: dict[Node, int] = {}
    marks = _marks(findings)
    for node, box in _boxes(domain):
        found = marks.get(node, {})
        severity = next((s for s in _SEVERITIES if s in found.values()), "")
        places[node] = len(boxes)
        note = ", ".join(filter(None, (box.note, *dict.fromkeys(_codes(found)))))
        boxes.append(Box(box.column, box.name, note, severity, tuple(found)))
    return Picture(domain.name, tuple(boxes), tuple(_arrows(model, places)))


def _boxes(domain: Domain) -> Iterator[tuple[Node, Box]]:
    for tool in domain.tools.values():
        if tool.kind is ToolKind.READ and tool.observes:
            asks = ", ".join(name for name, _ in tool.arguments.fields if name in tool.asks)
            yield ToolNode(tool.name), Box(Column.READ, tool.name, f"asks {asks}" if asks else "")
    for pattern, spec in domain.ledger.items():
        yield PathNode(pattern), Box(Column.PATH, pattern, str(spec.record))
    for rule in dict.fromkeys(rule.id for rule in domain.rules):
        yield RuleNode(rule), Box(Column.RULE, rule)
    for tool in domain.tools.values():
        if _is_shown(tool):
            note = "the person's" if tool.by_user else ""
            yield ToolNode(tool.name), Box(Column.WRITE, tool.name, note)


def _is_shown(tool: Tool) -> bool:
    return tool.kind is ToolKind.WRITE and (not tool.by_user or bool(tool.touches))


def _arrows(model: EvidenceModel, places: Mapping[Node, int]) -> Iterator[Arrow]:
    graph = model.graph
    given: dict[tuple[int, int], list[str]] = {}
    for source, target, data in graph.edges(data=True):
        match source, target, data["link"]:
            case PathNode(), ArgumentNode(tool=tool, name=name), Link.GIVES:
                given.setdefault((places[source], places[ToolNode(tool)]), []).append(name)
            case _, _, Link.OBSERVES | Link.JUDGES | Link.READS if target in places:
                yield Arrow(places[source], places[target], Kind.EVIDENCE)
            case _, _, Link.TOUCHES:
                yield Arrow(places[source], places[target], Kind.STALE)
    for (start, end), names in given.items():
        yield Arrow(start, end, Kind.ARGUMENT, ", ".join(sorted(names)))


def _marks(findings: Iterable[Finding]) -> dict[Node, dict[str, str]]:
    """By node, the texts of the findings that name it, with their severities.

    A finding names its rules, and in its message the tools and paths.
    """
    marks: dict[Node, dict[str, str]] = {}
    for finding in findings:
        if finding.severity not in _SEVERITIES:
            continue
        nodes: list[Node] = [RuleNode(rule) for rule in finding.rules]
        for name in _QUOTED.findall(finding.message):
            nodes += [ToolNode(name), PathNode(name)]
        for node in nodes:
            text = f"{finding.severity}[{finding.code}] {finding.message}"
            marks.setdefault(node, {})[text] = finding.severity
    return marks


def _codes(found: Iterable[str]) -> Iterator[str]:
    """The codes of findings, without what they say."""
    for text in found:
        yield text.partition("]")[0].partition("[")[2]


def _singular(column: Column) -> str:
    return {Column.PATH: "path of the ledger"}.get(column, column.value.removesuffix("s"))


def _plural(column: Column) -> str:
    return {Column.PATH: "paths of the ledger"}.get(column, column.value)
