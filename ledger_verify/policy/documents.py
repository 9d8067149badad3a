"""The shapes of the files of a domain, before their expressions are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ledger_verify.lang.errors import near_match
from ledger_verify.policy.yaml_file import YamlFile

ToolKind = Literal["read", "write", "neutral"]
Otherwise = Literal["auto", "revise", "block"]


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


StringList = Annotated[list[str], BeforeValidator(_as_list)]


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)


class ObservationDocument(_Document):
    """Where a record comes from in a tool's result, which ones count, and fields to add."""

    source: str = Field(alias="from")
    set_: dict[str, str] = Field(default_factory=dict, alias="set")
    where: str | None = None


class TouchDocument(_Document):
    """A touched path for each item of a list."""

    path: str
    each: str


class ToolDocument(_Document):
    """One tool of `domain.yaml`."""

    kind: ToolKind
    description: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    observes: dict[str, str | ObservationDocument] = Field(default_factory=dict)
    touches: list[str | TouchDocument] = Field(default_factory=list)
    fixed: list[str] = Field(default_factory=list)


class DomainDocument(_Document):
    """`domain.yaml`."""

    domain: str
    description: str = ""
    timezone: str = "UTC"
    clock: str | None = None
    default: Literal["block", "revise"] = "block"
    ledger: dict[str, Any]
    tools: dict[str, ToolDocument]


class RuleDocument(_Document):
    """One rule of `policy.yaml`: written out, or a template with its parameters."""

    id: str | None = None
    tools: StringList = Field(min_length=1)
    let: dict[str, str] = Field(default_factory=dict)
    when: str | None = None
    require: str | None = None
    otherwise: Otherwise | None = None
    message: str | None = None
    clause: str | None = None
    use: str | None = None
    with_: dict[str, str] = Field(default_factory=dict, alias="with")


class InvariantDocument(_Document):
    """What must hold of every allowed call of the tools."""

    id: str
    tools: StringList = Field(min_length=1)
    never: str
    clause: str | None = None


class PolicyDocument(_Document):
    """`policy.yaml`."""

    rules: list[RuleDocument] = Field(default_factory=list)
    assumptions: list[str] = Field(default_factory=list)
    invariants: list[InvariantDocument] = Field(default_factory=list)


class ParameterDocument(_Document):
    """A parameter of a template."""

    description: str
    default: str | None = None


class TemplateDocument(_Document):
    """A file of `rules/`."""

    name: str
    description: str
    parameters: dict[str, ParameterDocument] = Field(default_factory=dict)
    let: dict[str, str] = Field(default_factory=dict)
    when: str | None = None
    require: str
    otherwise: Otherwise = "auto"
    message: str
    examples: list[dict[str, Any]] = Field(default_factory=list)


class SchemaDocument(_Document):
    """`schema.yaml`."""

    defs: dict[str, Any] = Field(alias="$defs")


AnyDocument = TypeVar("AnyDocument", bound=_Document)


def validate(model: type[AnyDocument], file: YamlFile) -> AnyDocument:
    """The file's data in the shape of `model`; raises `InputError` with the place of a misfit."""
    try:
        return model.model_validate(file.data)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        path = _data_path(first["loc"], file.data)
        if first["type"] == "extra_forbidden":
            word = str(path[-1])
            hint = near_match(word, _known_keys(model, path, file.data))
            error = file.error(f"unknown key `{word}`", path, hint=hint)
            error.location = file.locate_key(path)
        elif first["type"] == "missing":
            error = file.error(f"missing key `{first['loc'][-1]}`", path)
        else:
            shown = ".".join(map(str, path)) or "the file"
            error = file.error(f"`{shown}`: {first['msg'][0].lower()}{first['msg'][1:]}", path)
        raise error from None


def _data_path(loc: tuple[int | str, ...], data: Any) -> tuple[str | int, ...]:
    """The steps of an error's location that exist in the data (unions add steps that do not)."""
    path: list[str | int] = []
    for step in loc:
        if isinstance(data, Mapping) and step in data:
            data = data[step]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            continue
        path.append(step)
    return tuple(path)


def _known_keys(model: type[_Document], path: tuple[str | int, ...], data: Any) -> list[str]:
    """The keys that the document has at the place of an unknown one."""
    by_depth = {
        (DomainDocument, "tools"): ToolDocument,
        (PolicyDocument, "rules"): RuleDocument,
        (PolicyDocument, "invariants"): InvariantDocument,
        (TemplateDocument, "parameters"): ParameterDocument,
    }
    owner = model if len(path) == 1 else by_depth.get((model, str(path[0])), model)
    return [field.alias or name for name, field in owner.model_fields.items()]
