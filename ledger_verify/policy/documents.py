"""The shapes of the files of a domain, before their expressions are read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.policy.misread import EXPRESSION, Misread, described, text_hint
from ledger_verify.policy.yaml_file import YamlFile

ToolKind = Literal["read", "write", "neutral"]
Otherwise = Literal["auto", "revise", "block"]
ParameterType = Literal[
    "string", "number", "integer", "boolean", "timestamp", "duration", "list", "map", "record"
]


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _as_expression(value: Any) -> Any:
    """`require: true` and `limit: 5` are expressions, too."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if isinstance(value, int | float | Decimal):
        return str(value)
    raise Misread(EXPRESSION, value)


def _as_text(value: Any) -> Any:
    if isinstance(value, str):
        return value
    raise Misread("a text", value)


def _as_truth(value: Any) -> Any:
    """TRUE and FALSE without quotes are booleans to YAML."""
    return str(value).upper() if isinstance(value, bool) else value


def _or_empty(value: Any) -> Any:
    return [] if value is None else value


def _as_reasons(value: Any) -> Any:
    if not isinstance(value, Mapping):
        raise ValueError("give each code its reason, as in `ignore: {LV104: kept for its message}`")
    return value


def _as_reason(value: Any) -> Any:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("say why, as in `ignore: {LV104: kept for its message}`")
    return value


Reason = Annotated[str, BeforeValidator(_as_reason)]
Reasons = Annotated[dict[str, Reason], BeforeValidator(_as_reasons)]
"""Codes or names of checks whose findings are accepted, each with the reason."""
StringList = Annotated[list[str], BeforeValidator(_as_list)]
Expression = Annotated[str, BeforeValidator(_as_expression)]
Text = Annotated[str, BeforeValidator(_as_text)]
TruthName = Annotated[Literal["TRUE", "FALSE", "UNKNOWN", "ERROR"], BeforeValidator(_as_truth)]


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=True)


class TextDocument(_Document):
    """The form of a result that is prose: regular expressions with named groups."""

    whole: str
    each: str | None = None
    nothing: StringList = Field(default_factory=list)


class MoreDocument(_Document):
    """When further pages of a list are open, and how the next one, and the first, is read."""

    when: Expression
    next: dict[str, Expression] = Field(min_length=1)
    first: dict[str, Expression] = Field(default_factory=dict)


class ObservationDocument(_Document):
    """Where a record comes from in a tool's result, which ones count, and fields to add."""

    source: str = Field(default="result", alias="from")
    text: TextDocument | None = None
    when: Expression | None = None
    set_: dict[str, Expression] = Field(default_factory=dict, alias="set")
    where: Expression | None = None
    all_: Expression | None = Field(default=None, alias="all")
    more: str | MoreDocument | None = None


class TouchDocument(_Document):
    """A touched path for each item of a list."""

    path: str
    each: Expression


class ToolDocument(_Document):
    """One tool of `domain.yaml`."""

    kind: ToolKind
    description: Text = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    observes: dict[str, str | ObservationDocument] = Field(default_factory=dict)
    touches: list[str | TouchDocument] = Field(default_factory=list)
    effects: dict[str, Expression] = Field(default_factory=dict)
    free: list[str] = Field(default_factory=list)
    fixed: list[str] = Field(default_factory=list)
    asks: list[str] | dict[str, Expression] = Field(default_factory=list)
    identifies: str | None = None
    result: TextDocument | None = None
    returns: Any = None
    failed: Expression | None = None
    by: Literal["agent", "user"] = "agent"
    ignore: Reasons = Field(default_factory=dict)


class PathDocument(_Document):
    """A path of the ledger with its records, and the fields of them that repeat its keys."""

    record: Any
    key: str | list[str | None] | None = None


class DomainDocument(_Document):
    """`domain.yaml`."""

    domain: str
    description: Text = ""
    timezone: str = "UTC"
    clock: str | None = None
    default: Literal["block", "revise"] = "block"
    session: dict[str, Any] = Field(default_factory=dict)
    ledger: dict[str, Any]
    tools: dict[str, ToolDocument]


class RuleDocument(_Document):
    """One rule of `policy.yaml`: written out, or a template with its parameters."""

    id: str | None = None
    tools: StringList = Field(min_length=1)
    let: dict[str, Expression] = Field(default_factory=dict)
    when: Expression | None = None
    require: Expression | None = None
    otherwise: Otherwise | None = None
    message: Text | None = None
    clause: Text | None = None
    use: str | None = None
    with_: dict[str, Expression] = Field(default_factory=dict, alias="with")
    ignore: Reasons = Field(default_factory=dict)


class InvariantDocument(_Document):
    """What must hold of every allowed call of the tools, or after every sequence of calls."""

    id: str
    tools: StringList | None = Field(default=None, min_length=1)
    never: Expression | None = None
    always: Expression | None = None
    initially: Expression | None = None
    clause: Text | None = None


class PolicyDocument(_Document):
    """`policy.yaml`; a section with nothing below it is empty."""

    rules: Annotated[list[RuleDocument], BeforeValidator(_or_empty)] = Field(default_factory=list)
    assumptions: Annotated[list[Expression], BeforeValidator(_or_empty)] = Field(
        default_factory=list
    )
    invariants: Annotated[list[InvariantDocument], BeforeValidator(_or_empty)] = Field(
        default_factory=list
    )


class ParameterDocument(_Document):
    """A parameter of a template: what it stands for, and of which type the expression must be."""

    description: Text
    type: ParameterType | None = None
    default: Expression | None = None


class ExampleDomainDocument(_Document):
    """The tiny domain of a template's examples.

    `types` have fields in the notation of tool arguments. `with` holds parameters that the
    examples share.
    """

    timezone: str = "UTC"
    clock: str | None = None
    types: dict[str, dict[str, Any]] = Field(default_factory=dict)
    session: dict[str, Any] = Field(default_factory=dict)
    ledger: dict[str, Any] = Field(default_factory=dict)
    tools: dict[str, ToolDocument]
    with_: dict[str, Expression] = Field(default_factory=dict, alias="with")


class ExampleDocument(_Document):
    """A case with what the gate says of it, and how the rule stands (TRUE where it allows)."""

    name: str
    with_: dict[str, Expression] = Field(default_factory=dict, alias="with")
    clock: str | None = None
    session: dict[str, Any] = Field(default_factory=dict)
    ledger: dict[str, Any] = Field(default_factory=dict)
    history: list[dict[str, Any]] = Field(default_factory=list)
    heard: list[str] = Field(default_factory=list)
    call: dict[str, Any]
    verdict: Literal["ALLOW", "REVISE", "BLOCK"]
    truth: TruthName = "TRUE"


class TemplateDocument(_Document):
    """A file of `rules/`."""

    name: str
    description: Text
    parameters: dict[str, ParameterDocument] = Field(default_factory=dict)
    let: dict[str, Expression] = Field(default_factory=dict)
    when: Expression | None = None
    require: Expression
    otherwise: Otherwise = "auto"
    message: Text
    domain: ExampleDomainDocument | None = None
    examples: list[ExampleDocument] = Field(default_factory=list)


class SchemaDocument(_Document):
    """`schema.yaml`."""

    defs: dict[str, Any] = Field(alias="$defs")


AnyDocument = TypeVar("AnyDocument", bound=_Document)


def validate(model: type[AnyDocument], file: YamlFile) -> AnyDocument:
    """The file's data in the shape of `model`; raises `InputError` with the place of a misfit."""
    try:
        return model.model_validate(file.data)
    except ValidationError as invalid:
        found = invalid.errors(include_url=False)
    fitting = [e for e in found if not _is_other_branch(e, file.data)] or found
    # a misspelt key is missing as well, and is the better news
    first = min(fitting, key=lambda e: e["type"] != "extra_forbidden")
    first = next((e for e in found if _is_misspelt(first, e)), first)
    path = _data_path(first["loc"], file.data)
    if first["type"] == "extra_forbidden":
        word = str(path[-1])
        hint = near_match(word, _known_keys(model, path))
        raise InputError(f"unknown key `{word}`", location=file.locate_key(path), hint=hint)
    if first["type"] == "missing":
        where = file.locate_key(path)
        raise InputError(f"missing key `{first['loc'][-1]}`", location=where)
    said = first["msg"].removeprefix("Value error, ")
    told = f"{said[0].lower()}{said[1:]}"
    problem = first.get("ctx", {}).get("error")
    hint = text_hint(problem, file, path) if isinstance(problem, Misread) else None
    if isinstance(first["input"], str):
        told += f", not `{first['input']}`"
        hint = near_match(first["input"], re.findall("'([^']*)'", first["msg"]))
    raise file.error(f"{described(path, file.data)}: {told}", path, hint=hint)


def _is_misspelt(missing: Any, error: Any) -> bool:
    """Whether an unknown key stands where another one is missing."""
    return (missing["type"], error["type"]) == ("missing", "extra_forbidden") and (
        missing["loc"][:-1] == error["loc"][:-1]
    )


def _is_other_branch(error: Any, data: Any) -> bool:
    """Whether the error says that a mapping is no string, where it may be either."""
    return error["loc"][-1:] == ("str",) and isinstance(_at(data, error["loc"]), Mapping)


def _at(data: Any, loc: Sequence[int | str]) -> Any:
    for step in _data_path(tuple(loc), data):
        data = data[step]
    return data


def _data_path(loc: tuple[int | str, ...], data: Any) -> tuple[str | int, ...]:
    """The steps of an error's location that exist in the data (unions add steps that do not)."""
    path: list[str | int] = []
    for step in loc:
        is_key = isinstance(data, Mapping) and step in data
        if is_key or (isinstance(data, list) and isinstance(step, int) and step < len(data)):
            data = data[step]
            path.append(step)
    return tuple(path)


def _known_keys(model: type[BaseModel], path: tuple[str | int, ...]) -> list[str]:
    """The keys that the document has at the place of an unknown one."""
    owners: Mapping[tuple[type[BaseModel], str, int], type[BaseModel]] = {
        (DomainDocument, "tools", 3): ToolDocument,
        (DomainDocument, "observes", 5): ObservationDocument,
        (DomainDocument, "touches", 5): TouchDocument,
        (DomainDocument, "more", 6): MoreDocument,
        (PolicyDocument, "rules", 3): RuleDocument,
        (PolicyDocument, "invariants", 3): InvariantDocument,
        (TemplateDocument, "parameters", 3): ParameterDocument,
        (TemplateDocument, "domain", 2): ExampleDomainDocument,
        (TemplateDocument, "examples", 3): ExampleDocument,
    }
    section = str(path[2] if len(path) == 5 else path[4] if len(path) == 6 else path[0])
    owner = owners.get((model, section, len(path)), model)
    return [field.alias or name for name, field in owner.model_fields.items()]
