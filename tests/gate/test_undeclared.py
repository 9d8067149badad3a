"""What is judged is what is run: an argument that no schema declares reaches no tool."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pydantic
import pytest

from ledger_verify import Domain, Gate
from ledger_verify.cli.scaffold.sketch import sketch
from ledger_verify.cli.scaffold.texts import files_of
from ledger_verify.cli.scaffold.tool_files import read_tools
from ledger_verify.gate import Verdict
from ledger_verify.gate.session import Session

Wrap = Callable[[Any], Any]
NOTE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}


def session(argument: Any, definitions: Mapping[str, Any] | None = None, **more: Any) -> Session:
    domain = Domain.define(
        "d",
        ledger={"seen.*": "Note"},
        tools={
            "look": {
                "kind": "read",
                "arguments": {"id": "string"},
                "observes": {"seen.{args.id}": "result"},
            },
            "send": {"kind": "write", "arguments": {"id": "string", "opts?": argument}},
        },
        definitions={"Note": NOTE, **(definitions or {})},
        rules=[{"id": "r", "tools": ["send"], "require": 'args.id != ""'}],
        **more,
    )
    return Gate(domain).session()


def sent(made: Session, opts: Any) -> Verdict:
    return made.check("send", {"id": "1", "opts": opts})


def opened(schema: Any) -> Any:
    """The same schema, every object of which takes further fields, and says so."""
    match schema:
        case {"type": "object", "properties": fields, **rest}:
            inner = {name: opened(field) for name, field in fields.items()}
            return {**rest, "type": "object", "properties": inner, "additionalProperties": True}
        case dict():
            return {key: opened(value) for key, value in schema.items()}
        case list():
            return [opened(part) for part in schema]
    return schema


def holder(inner: Any) -> Any:
    return {"type": "object", "properties": {"in": inner}}


# the schema of the argument; a value that fits, as a function of a note in it; where the note is
SHAPES: dict[str, tuple[Any, Wrap, str]] = {
    "an object": (NOTE, lambda n: n, "opts"),
    "a reference": ({"$ref": "#/$defs/Note"}, lambda n: n, "opts"),
    "a name": ("Note", lambda n: n, "opts"),
    "a name or null": ("Note?", lambda n: n, "opts"),
    "names": ("Note[]", lambda n: [{"text": "a"}, n], "opts[1]"),
    "names or null": ("Note[]?", lambda n: [n], "opts[0]"),
    "inside an object": (holder(NOTE), lambda n: {"in": n}, "opts.in"),
    "deep inside": (
        holder({"type": "array", "items": holder({"$ref": "#/$defs/Note"})}),
        lambda n: {"in": [{}, {"in": n}]},
        "opts.in[1].in",
    ),
    "a list": ({"type": "array", "items": NOTE}, lambda n: [n], "opts[0]"),
    "the values of a map": (
        {"type": "object", "additionalProperties": NOTE},
        lambda n: {"any": n},
        "opts.any",
    ),
    "all of one": ({"allOf": [{"$ref": "#/$defs/Note"}]}, lambda n: n, "opts"),
    "a union": (
        {"anyOf": [NOTE, {"type": "object", "properties": {"code": {"type": "integer"}}}]},
        lambda n: n,
        "opts",
    ),
    "one of them or null": ({"oneOf": [NOTE, {"type": "null"}]}, lambda n: n, "opts"),
    "types in a list": ({**NOTE, "type": ["object", "null"]}, lambda n: n, "opts"),
    "nullable": ({**NOTE, "nullable": True}, lambda n: n, "opts"),
    "an object or anything unsaid": ({"anyOf": [NOTE, {"type": "object"}]}, lambda n: n, "opts"),
    "no fields declared": (
        holder({"type": "object"}), lambda n: {"in": n if "force" in n else {}}, "opts.in",
    ),
    "further fields of a kind": (
        {**NOTE, "additionalProperties": {"type": "boolean"}}, lambda n: n, "opts",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_an_undeclared_argument_inside_is_sent_back(name: str) -> None:
    schema, wrap, place = SHAPES[name]
    made = session(schema)
    assert sent(made, wrap({"text": "x"})).allowed
    found = sent(made, wrap({"text": "x", "force": True}))
    assert (found.decision.value, found.decided_by) == ("REVISE", "schema")
    told = "text" if name == "no fields declared" else "force"
    assert f"`{place}.{told}`: expected no field of that name" in found.message


@pytest.mark.parametrize(
    "name", [n for n in SHAPES if n not in ("a name", "a name or null", "names", "names or null",
             "a reference", "all of one", "types in a list", "no fields declared", "deep inside",
             "further fields of a kind")]
)  # fmt: skip
def test_what_says_outright_that_it_is_open_is_open(name: str) -> None:
    schema, wrap, _ = SHAPES[name]
    assert sent(session(opened(schema)), wrap({"text": "x", "force": True})).allowed


def test_a_misspelt_one_is_named_with_its_neighbour() -> None:
    found = sent(session("Note"), {"text": "x", "txt": "y"})
    assert "`opts.txt`" in found.message
    assert "did you mean `text`?" in found.message


def test_one_type_is_closed_as_an_argument_and_open_as_a_result() -> None:
    made = session("Note")
    assert made.observe("look", {"id": "1"}, {"text": "x", "force": True}) == []
    assert made.render() == 'seen.1 = {"text": "x"}'
    assert not sent(made, {"text": "x", "force": True}).allowed


def test_a_union_with_anything_is_open() -> None:
    anything = {"type": "object", "additionalProperties": True}
    made = session({"anyOf": [NOTE, anything]})
    assert sent(made, {"text": "x", "force": True}).allowed


@pytest.mark.parametrize("keyword", ["$ref", "allOf", "anyOf"])
def test_what_closes_around_a_type_closes_it(keyword: str) -> None:
    inner: Any = {"$ref": "#/$defs/Open"}
    around = {keyword: inner["$ref"] if keyword == "$ref" else [inner]}
    definitions = {"Open": {**NOTE, "additionalProperties": True}}
    value = {"text": "x", "force": True}
    assert sent(session(around, definitions), value).allowed
    closed = {**around, "additionalProperties": False}
    assert not sent(session(closed, definitions), value).allowed


class _Plain(pydantic.BaseModel):
    text: str


class _Strict(_Plain):
    model_config = pydantic.ConfigDict(extra="forbid")


class _Loose(_Plain):
    model_config = pydantic.ConfigDict(extra="allow")


class _Outer(pydantic.BaseModel):
    inside: list[_Plain]
    loose: dict[str, _Loose] = {}


MODELS = {"Plain": _Plain, "Strict": _Strict, "Loose": _Loose, "Outer": _Outer}


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("Plain", {"text": "x"}, True),
        ("Plain", {"text": "x", "force": 1}, False),
        ("Strict", {"text": "x", "force": 1}, False),
        ("Loose", {"text": "x", "force": 1}, True),
        ("Outer", {"inside": [{"text": "x"}]}, True),
        ("Outer", {"inside": [{"text": "x", "force": 1}]}, False),
        ("Outer", {"inside": [], "loose": {"a": {"text": "x", "force": 1}}}, True),
        ("Outer", {"inside": [], "force": 1}, False),
    ],
)
def test_pydantic_models(name: str, value: Any, allowed: bool) -> None:
    assert sent(session(name, models=MODELS), value).allowed is allowed


@pytest.mark.parametrize("said", [None, False, True])
def test_the_schema_of_an_mcp_tool(said: bool | None, tmp_path: Path) -> None:
    inner: dict[str, Any] = {**NOTE} if said is None else {**NOTE, "additionalProperties": said}
    tool = {
        "name": "send",
        "inputSchema": {"type": "object", "required": ["opts"], "properties": {"opts": inner}},
    }
    source = tmp_path / "tools.json"
    source.write_text(json.dumps({"tools": [tool]}))
    for name, text in files_of(sketch("made", "a test", read_tools(str(source)))).items():
        (tmp_path / name).write_text(text)
    policy = "rules:\n  - {id: r, tools: [send], require: 'args.opts.text != \"\"', clause: c}\n"
    (tmp_path / "policy.yaml").write_text(policy)
    made = Gate(Domain.load(str(tmp_path))).session()
    assert made.check("send", {"opts": {"text": "x"}}).allowed
    verdict = made.check("send", {"opts": {"text": "x", "force": True}})
    assert verdict.allowed is (said is True)
