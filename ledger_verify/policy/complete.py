"""`all` of an observation: of which records the read shows each one that there is.

It is what the author of a domain states about a tool: a record of which it holds and that the
result did not show does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ledger_verify.lang.environment import KEY, LedgerPattern
from ledger_verify.lang.errors import InputError
from ledger_verify.lang.typed import Expr, FieldOf, HasField, Observed, Records, Variable, walk
from ledger_verify.lang.types import FieldType, RecordType, Type, strip_null
from ledger_verify.policy.documents import ObservationDocument, ToolDocument
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.paging import load_more, without_first
from ledger_verify.policy.tools import Observation, Tool, ToolKind
from ledger_verify.policy.yaml_file import YamlFile


def completed(
    name: str, tool: ToolDocument, observed: Sequence[Observation], arguments: RecordType,
    patterns: Mapping[str, LedgerPattern], place: Place, returns: Type | None,
) -> tuple[Observation, ...]:  # fmt: skip
    """The observations of a tool with what they show in full; `place` is that of `observes`.

    `returns` is the type that the tool declares for its results. The scope of the place has `args`
    and the ledger. Raises `InputError`.
    """
    out, kind = [], ToolKind(tool.kind)
    for observation, (template, document) in zip(observed, tool.observes.items(), strict=True):
        if isinstance(document, ObservationDocument):
            here = place.below(template)
            stated = Stated(name, kind, document, here, arguments)
            if document.more is not None:
                bare = replace(here.scope, names={"args": arguments}, ledger={})
                at = here.below("more").within(bare)
                more = load_more(document.more, at, name, kind, observation, arguments, returns)
                observation = replace(observation, more=more)
            complete = stated.complete(observation, patterns[observation.pattern])
            observation = replace(observation, complete=complete)
        out.append(observation)
    return tuple(out)


@dataclass(frozen=True)
class Stated:
    """An observation that shows all of something, before its expression is read.

    `place` is that of the observation, with the names that may be read there but for `item`.
    """

    tool: str
    kind: ToolKind
    document: ObservationDocument
    place: Place
    arguments: RecordType

    def complete(self, observation: Observation, pattern: LedgerPattern) -> Expr | None:
        """The condition on `args`, `item` and the ledger under which all is shown.

        Raises `InputError` where nothing follows from what a result does not show.
        """
        if self.document.all_ is None:
            return None
        here = self.place.below("all")
        self._refuse(observation, here)
        shown = keys_of(observation, pattern)
        names = dict(here.scope.names)
        if shown.fields:
            names["item"] = shown
        expr = here.within(replace(here.scope, names=names)).predicate(self.document.all_)
        if any(isinstance(part, Observed | Records) for part in walk(expr)):
            raise here.error("`all` states what there is, not what was observed of it")
        told = arguments_in([expr, *observation.keys, *self._paging(observation)], self.arguments)
        if observation.more is not None:
            told |= {argument for argument, _ in observation.more.next}
        for name, _ in self.arguments.fields:
            if name not in told:
                raise here.error(
                    f"`{self.tool}` may leave records out by its argument `{name}`, "
                    f"which is no key of `{pattern.text}`",
                    hint=f"say of which records it shows all, as in `all: !has(args.{name})` or "
                    f"`all: ledger.PATH[item.KEY].FIELD == args.{name}`",
                )
        return expr

    def _paging(self, observation: Observation) -> list[Expr]:
        return [] if observation.more is None else [observation.more.open.when]

    def _refuse(self, observation: Observation, here: Place) -> None:
        more = observation.more
        if more is not None and not more.next:
            raise here.error(
                f"nobody can say when all pages of `{self.tool}` were read",
                hint="say how the next one is read: `more: {when: ..., next: {ARGUMENT: ...}}`",
            )
        if more is not None and (open_ := without_first(more, self.arguments)) is not None:
            raise here.error(
                f"nobody can say whether the first page of `{self.tool}` was read",
                hint=f"say what `{open_}` is there: `more: {{..., first: {{{open_}: ...}}}}`",
            )
        listed = KEY in observation.source or (
            observation.text is not None and observation.text.each is not None
        )
        if self.kind is not ToolKind.READ:
            raise here.error(f"`{self.tool}` is no read: only a read shows all of something")
        if not listed:
            raise here.error(
                f"`{self.tool}` shows one record here, no list",
                hint="`all` stands beside a `from` with `[*]`, or a `text` with `each`",
            )
        if observation.where is not None:
            raise here.error(
                "`where` passes records over, so that one which is not shown may be there",
                hint="observe all that the result holds, or leave `all` out",
            )
        kinds = [_roots(key) for key in observation.keys]
        if any(kind == {"args", "item"} for kind in kinds):
            raise here.error("a key of `args` and `item` together does not say of which part of "
                             "the records all are shown")  # fmt: skip
        if {"item"} not in kinds:
            raise here.error(
                f"the arguments of `{self.tool}` name the one record, so there is no list",
                hint="a key must come from `item` for others to be missing from it",
            )


def keys_of(observation: Observation, pattern: LedgerPattern) -> RecordType:
    """What is known of a record that was not shown: the fields that its keys are."""
    record = strip_null(pattern.record)
    found = {
        name: FieldType(record.by_name[name].type)
        for index in range(len(observation.keys))
        if (name := observation.field_of_key(index)) is not None and isinstance(record, RecordType)
    }
    return RecordType("keys of a record", tuple(found.items()))


def arguments_in(exprs: Sequence[Expr], arguments: RecordType) -> set[str]:
    """The arguments that expressions read."""
    found: set[str] = set()
    for expr in exprs:
        for part in walk(expr):
            match part:
                case FieldOf(of=Variable(name="args"), field_name=name):
                    found.add(name)
                case HasField(of=Variable(name="args"), field_name=name):
                    found.add(name)
    return found & set(arguments.by_name)


def _roots(expr: Expr) -> set[str]:
    names = {part.name for part in walk(expr) if isinstance(part, Variable)}
    return names & {"args", "item"}


def refuse_circles(tools: Mapping[str, Tool], file: YamlFile) -> None:
    """Raises `InputError` where an `all` reads, in the end, the records that it is about."""
    reads: dict[str, set[str]] = {}
    for _, observation in _stating(tools):
        reads.setdefault(observation.pattern, set()).update(observation.reads)
    for tool, observation in _stating(tools):
        seen, pending = set(), list(observation.reads)
        while pending:
            pattern = pending.pop()
            if pattern == observation.pattern:
                where = file.locate_key(("tools", tool.name, "observes"))
                problem = f"whether `{pattern}` is shown in full hangs on records of `{pattern}`"
                raise InputError(problem, location=where)
            if pattern not in seen:
                seen.add(pattern)
                pending += reads.get(pattern, ())


def _stating(tools: Mapping[str, Tool]) -> Iterator[tuple[Tool, Observation]]:
    for tool in tools.values():
        for observation in tool.observes:
            if observation.complete is not None:
                yield tool, observation
