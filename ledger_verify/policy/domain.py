"""A domain: what the agent's tools are, what they observe, and which calls the policy allows."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ledger_verify.lang.environment import LedgerPattern
from ledger_verify.lang.errors import InputError, Location
from ledger_verify.lang.times import zone_named
from ledger_verify.lang.types import RecordType, TimestampType
from ledger_verify.policy.claim_loading import ClaimLoader
from ledger_verify.policy.data_files import data_folder, find_domain
from ledger_verify.policy.documents import (
    DomainDocument,
    PolicyDocument,
    SchemaDocument,
    validate,
)
from ledger_verify.policy.footprint import histories_read
from ledger_verify.policy.repairable import barred
from ledger_verify.policy.rule_loading import RuleLoader
from ledger_verify.policy.rules import Always, Assumption, Invariant, Rule, StrayTool
from ledger_verify.policy.templates import Template, TemplateLibrary
from ledger_verify.policy.tool_loading import ToolLoader
from ledger_verify.policy.tool_names import ToolNames
from ledger_verify.policy.tools import Tool, ToolKind
from ledger_verify.policy.type_notation import TypeReader
from ledger_verify.policy.yaml_file import YamlFile, parse_yaml, read_yaml, yaml_text
from ledger_verify.schema.coerce import Misfit, coercer

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True, eq=False)
class Domain:
    """A loaded domain; every expression in it is well-typed. It equals only itself.

    `clock_us` is the pinned present in microseconds since 1970, or None for the session's own.
    `default` is the verdict for a write without rules. `revision` names the content.
    `invariants` speak of single calls, `always` of sequences of them.
    `sources` are the files by their kind (`domain`, `schema`, `policy`), `templates` those that the
    rules use. `strays` are unknown tools, which only a lenient load puts aside. `session` has the
    types of the facts that a session opens with, None where there are none.
    """

    name: str
    timezone: str
    clock_us: int | None
    default: str
    tools: Mapping[str, Tool]
    ledger: Mapping[str, LedgerPattern]
    rules: tuple[Rule, ...]
    assumptions: tuple[Assumption, ...]
    invariants: tuple[Invariant, ...]
    revision: str
    folder: Path | None = None
    sources: Mapping[str, YamlFile] = field(default_factory=dict, repr=False)
    templates: Mapping[str, Template] = field(default_factory=dict, repr=False)
    strays: tuple[StrayTool, ...] = ()
    always: tuple[Always, ...] = ()
    session: RecordType | None = None

    @cached_property
    def zone(self) -> tzinfo:
        """The time zone in which dates are days and local times are read."""
        return zone_named(self.timezone)

    @cached_property
    def rules_by_tool(self) -> Mapping[str, tuple[Rule, ...]]:
        """The rules that apply to calls of each tool."""
        by_tool: dict[str, list[Rule]] = {name: [] for name in self.tools}
        for rule in self.rules:
            by_tool[rule.tool].append(rule)
        return {name: tuple(rules) for name, rules in by_tool.items()}

    @cached_property
    def rules_by_id(self) -> Mapping[str, tuple[Rule, ...]]:
        """Each rule as it applies to its tools, in the order of the file."""
        by_id: dict[str, list[Rule]] = {}
        for rule in self.rules:
            by_id.setdefault(rule.id, []).append(rule)
        return {name: tuple(rules) for name, rules in by_id.items()}

    @cached_property
    def repairable(self) -> Mapping[str, tuple[str, ...]]:
        """The arguments of each tool that a repair may change."""
        out = {}
        for name, tool in self.tools.items():
            kept = barred(tool, [rule.holds for rule in self.rules_by_tool[name]])
            out[name] = tuple(argument for argument in tool.free if argument not in kept)
        return out

    @cached_property
    def remembered(self) -> frozenset[str]:
        """The tools whose earlier calls a rule or an invariant reads; all for a bare `history`."""
        predicates = (
            *(rule.holds for rule in self.rules),
            *(invariant.never for invariant in self.invariants),
            *(invariant.always.body for invariant in self.always),
        )
        read = frozenset[str]().union(*map(histories_read, predicates))
        return frozenset(self.tools) if "" in read else read

    @cached_property
    def identified(self) -> frozenset[str]:
        """The patterns of the records by which some read identifies the user."""
        return frozenset(t.identifies for t in self.tools.values() if t.identifies is not None)

    @cached_property
    def own_templates(self) -> tuple[Template, ...]:
        """The rule templates that are not bundled ones: all in the domain's folder, used or not.

        Raises `InputError` for a file there that is no template.
        """
        bundled = data_folder("rules")
        own = {t.file.name: t for t in self.templates.values() if not t.is_in(bundled)}
        if self.folder is not None:
            own |= {t.file.name: t for t in TemplateLibrary.of(self.folder / "rules")}
        return tuple(own[name] for name in sorted(own))

    @property
    def writes(self) -> tuple[Tool, ...]:
        """The agent's tools that change the environment."""
        tools = self.tools.values()
        return tuple(t for t in tools if t.kind is ToolKind.WRITE and not t.by_user)

    @classmethod
    def load(cls, name_or_folder: str | Path, *, lenient: bool = False) -> Domain:
        """Load a bundled domain by name, or a folder with `domain.yaml`, `schema.yaml` and
        `policy.yaml`; raises `InputError` with file, line and column.

        With `lenient`, tools that rules name and the domain does not have are put aside, for a
        check to report; the gate must not run on such a policy.
        """
        folder = find_domain(str(name_or_folder))
        files = {
            name: read_yaml(folder / f"{name}.yaml")
            for name in ("domain", "schema", "policy")
            if os.path.lexists(folder / f"{name}.yaml")
        }
        for name in ("schema", "policy"):
            if name not in files and (folder / f"{name}.yml").exists():
                where = Location(str(folder / f"{name}.yml"), 1, 1)
                problem = f"`{name}.yml` is not read: its name must be `{name}.yaml`"
                raise InputError(problem, location=where)
        templates = TemplateLibrary.of(folder / "rules", data_folder("rules"))
        return _assemble(files, templates, folder, lenient)

    @classmethod
    def define(
        cls,
        name: str,
        *,
        tools: Mapping[str, Mapping[str, Any]],
        ledger: Mapping[str, Any],
        models: Mapping[str, type[BaseModel]] | None = None,
        definitions: Mapping[str, Any] | None = None,
        rules: Sequence[Mapping[str, Any]] = (),
        assumptions: Sequence[str] = (),
        invariants: Sequence[Mapping[str, Any]] = (),
        timezone: str = "UTC",
        clock: str | None = None,
        default: str = "block",
        rule_folders: Sequence[str | Path] = (),
        session: Mapping[str, Any] | None = None,
    ) -> Domain:
        """A domain given in Python, with the same keys as the files have.

        `models` are pydantic models by the names that `ledger` and arguments use; `definitions`
        are JSON Schemas. `rule_folders` hold rule templates of your own, which hide bundled ones
        of the same name. Raises `InputError`.
        """
        schemas = dict(definitions or {})
        if models:
            from ledger_verify.schema.pydantic_models import definitions_of

            schemas.update(definitions_of(models))
        document: dict[str, Any] = {
            "domain": name, "timezone": timezone, "default": default,
            "ledger": dict(ledger), "tools": {key: dict(tool) for key, tool in tools.items()},
        }  # fmt: skip
        if clock is not None:
            document["clock"] = clock
        if session:
            document["session"] = dict(session)
        policy = {
            "rules": [dict(rule) for rule in rules],
            "assumptions": list(assumptions),
            "invariants": [dict(invariant) for invariant in invariants],
        }
        parts = {"domain": document, "schema": {"$defs": schemas}, "policy": policy}
        files = {
            part: parse_yaml(yaml_text(data), f"<{name}.{part}>") for part, data in parts.items()
        }
        templates = TemplateLibrary.of(*map(Path, rule_folders), data_folder("rules"))
        return _assemble(files, templates, None)


def _assemble(
    files: Mapping[str, YamlFile],
    templates: TemplateLibrary,
    folder: Path | None,
    lenient: bool = False,
) -> Domain:
    file = files["domain"]
    document = validate(DomainDocument, file)
    definitions = validate(SchemaDocument, files["schema"]).defs if "schema" in files else {}
    zone = _zone(document, file)
    types = TypeReader(file, files.get("schema"), definitions)
    types.check_definitions()
    loader = ToolLoader(file, document, types)
    session, (tools, ledger) = loader.session, loader.load()
    rules: tuple[Rule, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    always: tuple[Always, ...] = ()
    strays: list[StrayTool] = []
    if "policy" in files:
        policy = validate(PolicyDocument, files["policy"])
        names = ToolNames(files["policy"], tools, lenient, strays)
        common = (files["policy"], policy, tools, ledger, document.timezone, names, session)
        claims = ClaimLoader(*common)
        rules = RuleLoader(*common, templates).rules()
        assumptions, (invariants, always) = claims.assumptions(), claims.invariants()
    return Domain(
        name=document.domain,
        timezone=document.timezone,
        clock_us=_clock(document, file, zone),
        default=document.default,
        tools=tools,
        ledger=ledger,
        rules=rules,
        assumptions=assumptions,
        invariants=invariants,
        revision=_revision(files, templates),
        folder=folder,
        sources=files,
        templates=templates.used,
        strays=tuple(strays),
        always=always,
        session=session,
    )


def _revision(files: Mapping[str, YamlFile], templates: TemplateLibrary) -> str:
    """A short name of the content: of the files, and of the templates that the rules use."""
    digest = hashlib.sha256()
    for part in sorted(files):
        digest.update(f"{part}\0{files[part].text}\0".encode())
    for name in sorted(templates.used):
        digest.update(templates.used[name].file.text.encode())
    return digest.hexdigest()[:12]


def _zone(document: DomainDocument, file: YamlFile) -> tzinfo:
    try:
        return zone_named(document.timezone)
    except ValueError as problem:
        raise file.error(str(problem), ("timezone",)) from None


def _clock(document: DomainDocument, file: YamlFile, zone: tzinfo) -> int | None:
    if document.clock is None:
        return None
    try:
        return _present(document.clock, zone)
    except Misfit as misfit:
        raise file.error(f"`clock`: {misfit.message}", ("clock",)) from None


def _present(text: str, zone: tzinfo) -> int:
    """Microseconds of a time, or of the beginning of a date."""
    try:
        moment: int = coercer(TimestampType(date=True), zone)(text)
    except Misfit:
        moment = coercer(TimestampType(), zone)(text)
    return moment


def clock_from_text(text: str, domain: Domain, name: str = "`clock`") -> int:
    """Microseconds of a time given by a user as `name`; a date stands for its beginning.

    Raises `InputError`.
    """
    try:
        return _present(text, domain.zone)
    except Misfit as misfit:
        raise InputError(f"{name}: {misfit.message}") from None
