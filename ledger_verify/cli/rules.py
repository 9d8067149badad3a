"""`rules` and `rules NAME`: the library of rule templates."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from ledger_verify.cli.options import DebugOption
from ledger_verify.cli.output import (
    Format,
    FormatOption,
    emit,
    emit_json,
    printable,
    styled,
    table,
    verdict_text,
)
from ledger_verify.generate.examples import ExampleResult, run_examples
from ledger_verify.policy.data_files import data_folder, find_domain
from ledger_verify.policy.templates import Template, TemplateLibrary

_RULE_PARTS = ("let", "when", "require", "otherwise", "message")
_WIDTH = 90


def rules(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A rule template; without it, all.")
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option("--domain", metavar="DOMAIN", help="Also the templates of this domain."),
    ] = None,
    format: FormatOption = Format.TEXT,
    debug: DebugOption = False,
) -> int:
    """List the rule templates, or show one with its examples, which are run.

    Exit status: 0, 1 if an example is not as the template says, 2 for bad input.
    """
    own = [] if domain is None else [find_domain(domain) / "rules"]
    library = TemplateLibrary.of(*own, data_folder("rules"))
    if name is None:
        return _list(tuple(library), format)
    template = library.get(name)
    examples = tuple(run_examples(template))
    if format is Format.JSON:
        emit_json(_json(template, examples))
    else:
        emit("\n".join(_page(template, examples)))
    return 1 if any(example.problem for example in examples) else 0


def _list(templates: tuple[Template, ...], format: Format) -> int:
    if format is Format.JSON:
        listed = [
            {"name": t.document.name, "summary": t.summary, "file": t.file.name} for t in templates
        ]
        emit_json({"rules": listed})
    else:
        emit(table(("template", "demands"), [(t.document.name, t.summary) for t in templates]))
    return 0


def _json(template: Template, examples: tuple[ExampleResult, ...]) -> dict[str, Any]:
    document = template.document
    return {
        "name": document.name,
        "description": _one_line(document.description),
        "file": template.file.name,
        "parameters": [
            {
                "name": name,
                "type": parameter.type,
                "description": _one_line(parameter.description),
                "default": parameter.default,
            }
            for name, parameter in document.parameters.items()
        ],
        "let": document.let,
        "when": document.when,
        "require": document.require,
        "otherwise": document.otherwise,
        "message": document.message,
        "examples": [_example_json(result) for result in examples],
    }


def _example_json(result: ExampleResult) -> dict[str, Any]:
    case, verdict = result.scenario.case, result.verdict
    answer = verdict.to_json() if verdict is not None else {}
    return {
        "name": result.example.name,
        "with": _bindings(result),
        **({"session": dict(case.facts)} if case.facts else {}),
        "ledger": case.ledger,
        "history": result.example.history,
        "heard": result.example.heard,
        "call": {"tool": case.tool, "arguments": case.arguments},
        "verdict": result.example.verdict,
        "truth": result.example.truth,
        "message": result.message,
        "missing": answer.get("missing", []),
        "repair": answer.get("repair"),
        "problem": result.problem,
    }


def _page(template: Template, examples: tuple[ExampleResult, ...]) -> Iterator[str]:
    document = template.document
    yield f"{styled(document.name, 'bold')}  ({template.file.name})"
    yield ""
    yield from _wrapped(document.description, "  ")
    yield ""
    yield styled("parameters", "bold")
    for name, parameter in document.parameters.items():
        default = (
            ", required" if parameter.default is None else f" = {_one_line(parameter.default)}"
        )
        yield f"  {name}: {parameter.type or 'any type'}{default}"
        yield from _wrapped(parameter.description, "      ")
    yield ""
    yield styled("rule", "bold")
    yield from _rule_text(template)
    if examples:
        yield ""
        yield styled("in a policy", "bold")
        yield from _use(template, examples[0])
        yield ""
        yield styled("examples", "bold")
    for result in examples:
        yield from _example(template, result)


def _rule_text(template: Template) -> Iterator[str]:
    """The parts that make up the rule, as they stand in the file."""
    for part in re.split(r"^(?=\w)", template.file.text, flags=re.M):
        if part.partition(":")[0] in _RULE_PARTS:
            lines = part.rstrip().splitlines()
            yield from (f"  {printable(line)}" for line in lines if line.strip())


def _use(template: Template, first: ExampleResult) -> Iterator[str]:
    yield f"  - use: {template.document.name}"
    yield f"    tools: [{first.scenario.case.tool}]"
    bindings = _bindings(first)
    if bindings:
        yield "    with:"
    for name, text in bindings.items():
        yield f"      {name}: {_yaml_scalar(text)}"


def _example(template: Template, result: ExampleResult) -> Iterator[str]:
    case = result.scenario.case
    verdict = verdict_text(result.example.verdict)
    gap = " " * (8 - len(result.example.verdict))
    yield f"  {verdict}{gap}{printable(result.example.name)}"
    common = template.document.domain
    shared = common.with_ if common is not None else {}
    rows = [
        ("with", f"{key}: {_one_line(text)}")
        for key, text in result.example.with_.items()
        if shared.get(key) != text
    ]
    clock = result.example.clock or (common.clock if common is not None else None)
    if clock is not None:
        rows.append(("clock", clock))
    rows += [("session", f"{name}: {_shown(fact)}") for name, fact in case.facts.items()]
    rows += [("ledger", f"{path}: {_shown(record)}") for path, record in case.ledger.items()]
    rows += [("history", _earlier(call)) for call in result.example.history]
    rows += [("the user said", text) for text in result.example.heard]
    rows.append(("call", _call(case.tool, case.arguments)))
    rows += _answer(result)
    if result.problem is not None:
        rows.append(("problem", styled(result.problem, "red")))
    label = ""
    for key, text in rows:
        head = " " * 10 + ("" if key == label else key).ljust(9)
        yield from textwrap.wrap(
            text, _WIDTH, initial_indent=head, subsequent_indent=" " * 19,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        label = key


def _answer(result: ExampleResult) -> list[tuple[str, str]]:
    """What a refusal says, and what leads on from it."""
    if result.verdict is None:
        return []
    told = [(r.truth, r.message) for r in result.verdict.rules if r.truth in ("FALSE", "ERROR")]
    reads = [m.read for m in result.verdict.missing if m.read is not None]
    told += [("read", _call(read.name, read.arguments, unknown="?")) for read in reads]
    if result.verdict.repair is not None:
        changes = result.verdict.repair.arguments.items()
        told += [("repair", f"{name} = {_shown(value)}") for name, value in changes]
    return told


def _earlier(call: dict[str, Any]) -> str:
    told = "".join(
        f", {key} {_shown(call[key])}" for key in ("verdict", "ok", "time") if key in call
    )
    return _call(str(call.get("tool", call.get("name"))), call.get("arguments") or {}) + told


def _call(tool: str, arguments: Any, unknown: str = "null") -> str:
    shown = {key: unknown if value is None else _shown(value) for key, value in arguments.items()}
    return f"{tool}({', '.join(f'{key}={value}' for key, value in shown.items())})"


def _bindings(result: ExampleResult) -> dict[str, str]:
    """The parameters of an example, those that all share among them."""
    document = result.domain.sources["policy"].data["rules"][0]
    return {name: _one_line(str(text)) for name, text in document["with"].items()}


def _yaml_scalar(text: str) -> str:
    """An expression as it can stand in YAML, quoted where it must be."""
    plain = not re.search(r"^[\s\[{'\"&*!|>%@`#-]|: | #|:$", text)
    return text if plain else "'" + text.replace("'", "''") + "'"


def _shown(value: Any) -> str:
    return printable(json.dumps(value, ensure_ascii=False, default=str))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        printable(_one_line(text)), _WIDTH, initial_indent=indent, subsequent_indent=indent
    )
