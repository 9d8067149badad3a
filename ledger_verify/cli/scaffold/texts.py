"""The files of a first domain, with a comment at everything that was guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ledger_verify.cli.scaffold.entries import READ, WRITE, words_of
from ledger_verify.cli.scaffold.sketch import Sketch, ToolSketch, noun_of, plural_of
from ledger_verify.policy.yaml_file import yaml_inline, yaml_text

_WIDTH = 100
_COMMENT_AT = 40


def files_of(domain: Sketch) -> dict[str, str]:
    """Text by file name."""
    return {
        "domain.yaml": _text(_domain(domain)),
        "schema.yaml": _text(_schema(domain)),
        "policy.yaml": _text(_policy(domain)),
        "README.md": _text(_readme(domain)),
    }


def _text(lines: Iterator[str]) -> str:
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _line(text: str, comment: str) -> str:
    """A line with a comment behind it, cut to the width of the page."""
    if not comment:
        return text
    start = max(len(text) + 2, _COMMENT_AT)
    room = _WIDTH - start - 2
    if room < 12:
        return text
    told = comment if len(comment) <= room else f"{comment[: room - 3].rstrip()}..."
    return f"{text.ljust(start)}# {told}"


def _scalar(text: str) -> str:
    return yaml_inline(text)


def _domain(domain: Sketch) -> Iterator[str]:
    yield f"# Made by `ledger-verify init` from {domain.source}. Look at every `guessed`."
    yield f"domain: {_scalar(domain.name)}"
    yield _line("timezone: UTC", "dates are days there")
    yield _line("default: block", "what happens to a write without a rule")
    yield ""
    yield "# What the agent can know: paths of records, each with a type of schema.yaml. Such as"
    yield "#   user: User"
    yield "#   orders.*: Order"
    if domain.ledger:
        yield "ledger:"
        for pattern, entry in domain.ledger.items():
            yield _line(f"  {pattern}: {entry}", "guessed from the schema of a result")
    else:
        yield "ledger: {}"
    yield ""
    yield "tools:"
    for tool in domain.tools:
        yield from _tool(tool, domain)


def _tool(tool: ToolSketch, domain: Sketch) -> Iterator[str]:
    entry = tool.entry
    yield f"  {_scalar(entry.name)}:"
    guess = "" if entry.kind.guess is None else f"guessed: {entry.kind.guess}"
    yield _line(f"    kind: {entry.kind.kind}", guess)
    if entry.by_user:
        yield _line("    by: user", "a tool of the person; the agent cannot call it")
    told = " ".join(entry.description.split())
    if told:
        yield f"    description: {_scalar(_shortened(told))}"
    if tool.arguments:
        yield "    arguments:"
    for key, notation in tool.arguments.items():
        argument = entry.arguments[key] if key in entry.arguments else entry.arguments[key[:-1]]
        yield _line(f"      {_scalar(key)}: {notation}", argument.description)
    yield from _effect(tool, domain)
    yield ""


def _effect(tool: ToolSketch, domain: Sketch) -> Iterator[str]:
    """What a read observes and a write touches, as far as it can be guessed."""
    entry = tool.entry
    if entry.kind.kind == READ and tool.observes is not None:
        yield _line(f'    observes: {{"{tool.observes}": result}}', "guessed from its schema")
    elif entry.kind.kind == READ:
        yield "    # where its result is kept, such as"
        yield f"    # observes: {_possible_observation(tool)}"
        yield from _pages(tool)
    elif entry.kind.kind == WRITE and domain.ledger:
        listed = ", ".join(f'"{pattern}"' for pattern in domain.ledger)
        yield _line(f"    touches: [{listed}]", "guessed: all that it may have changed")
    elif entry.kind.kind == WRITE:
        yield "    # which records it changes, so that they are read again, such as"
        yield f'    # touches: ["{_possible_touch(tool, domain)}"]'
    if entry.kind.kind == WRITE and not entry.by_user:
        yield from _free(tool)


_PAGING = frozenset({"cursor", "page", "offset", "after", "skip"})


def _pages(tool: ToolSketch) -> Iterator[str]:
    """That a list may come in pages, in a comment, to be confirmed."""
    for key in tool.arguments:
        name = key.removesuffix("?")
        if _PAGING & set(words_of(name)):
            yield f"    # does `{name}` lead through pages? Then say so beside `from` of the list:"
            following = f"{{{_scalar(name)}: result.NEXT}}"
            yield f"    #   more: {{when: result.NEXT != null, next: {following}}}"
            return


def _free(tool: ToolSketch) -> Iterator[str]:
    """What a repair may change, as far as names and types tell; in a comment, to be confirmed."""
    found = {key.removesuffix("?"): why for key in tool.arguments if (why := _why_free(tool, key))}
    if not found:
        return
    yield "    # may a repair change these? Only what does not say what the call is about:"
    for name, why in found.items():
        yield _line(f"    #   {_scalar(name)}", why)
    yield f"    # free: [{', '.join(map(_scalar, found))}]"


def _why_free(tool: ToolSketch, key: str) -> str:
    """Why an argument may be one that a repair can change, or nothing."""
    name, words = key.removesuffix("?"), words_of(key.removesuffix("?"))
    argument = tool.entry.arguments.get(name) or tool.entry.arguments.get(key)
    schema = argument.schema if argument is not None else None
    if "payment" in words or {"card", "wallet"} & set(words):
        return "how to pay; a rule must say that it is on file"
    if "seat" in words or "seats" in words:
        return "which seat; a rule must say that it is free"
    told_by_user = {"reason", "cause", "purpose"} & set(words)
    if isinstance(schema, Mapping) and len(schema.get("enum") or ()) > 1 and not told_by_user:
        return "one of several options"
    return ""


def _possible_observation(tool: ToolSketch) -> str:
    name = tool.entry.name
    if _is_list(tool):
        return f'{{"{noun_of(name, plural=True)}.{{item.id}}": "result[*]"}}'
    keys = [key for key in tool.arguments if key.isidentifier()]
    holes = "".join(f".{{args.{key}}}" for key in keys[:1])
    return f'{{"{noun_of(name, plural=bool(keys))}{holes}": result}}'


def _possible_touch(tool: ToolSketch, domain: Sketch) -> str:
    """The record that an argument leads to: at the path that is proposed for a read of it, else one
    named after an argument such as `order_id`, else all records of what the tool is about.
    """
    keys = [key for key in tool.arguments if key.isidentifier()]
    keys.sort(key=lambda key: not key.endswith("_id"))
    for key in keys:
        noun = key.removesuffix("_id")
        roots = [
            noun_of(read.entry.name, plural=True)
            for read in domain.tools
            if read.entry.kind.kind == READ and not _is_list(read)
            and [k for k in read.arguments if k.isidentifier()][:1] == [key]
        ]  # fmt: skip
        # of several reads by one key, the one that is named like the key
        named = [root for root in roots if root.endswith(plural_of(noun))]
        if roots:
            return f"{(named or roots)[0]}.{{args.{key}}}"
        if key.endswith("_id"):
            return f"{plural_of(noun)}.{{args.{key}}}"
    return f"{noun_of(tool.entry.name, plural=True)}.*"


def _is_list(tool: ToolSketch) -> bool:
    return words_of(tool.entry.name)[:1] in (["list"], ["search"])


def _shortened(text: str) -> str:
    room = _WIDTH - 30
    return text if len(text) <= room else f"{text[: room - 3].rstrip()}..."


def _schema(domain: Sketch) -> Iterator[str]:
    yield "# Types of records and arguments, as JSON Schema."
    if not domain.types:
        yield "$defs: {}"
        return
    yield yaml_text({"$defs": dict(domain.types)})


def _policy(domain: Sketch) -> Iterator[str]:
    yield "# What must hold of the calls that change something. A write without a rule is blocked"
    yield "# (`default: block` in domain.yaml), so nothing is open yet."
    yield "#"
    yield "# To open a write, take its rule out of the comment and say in `require` when it is"
    yield "# right. Rules may read `args`, `ledger`, `now`, `call`, `history` and the facts in"
    yield "# `session`; templates for what recurs are listed by `ledger-verify rules`."
    yield "rules:"
    for tool in domain.writes:
        name = tool.entry.name
        yield ""
        yield f"  # - id: {_scalar(f'{name}_is_right')}"
        yield f"  #   tools: [{_scalar(name)}]"
        yield from _record_of(tool, domain)
        yield _line("  #   require: false", "to be filled in: nothing is allowed")
        told = f"`{name}` is not open yet: its rule is to be written."
        yield f"  #   message: {_scalar(told.replace('{', '{{').replace('}', '}}'))}"
    if not domain.writes:
        yield "  # no tool of the agent changes anything"


def _record_of(tool: ToolSketch, domain: Sketch) -> Iterator[str]:
    """A name for the record that the call is about, if a read is keyed by the same argument."""
    for other in domain.tools:
        keys = [key for key in other.arguments if key in tool.arguments]
        if other.observes is not None and keys and len(keys) == len(other.arguments):
            root, *_ = other.observes.split(".")
            path = "".join(f"[args.{key}]" for key in keys)
            yield f'  #   let: {{r: "ledger.{root}{path}"}}'
            return


def _readme(domain: Sketch) -> Iterator[str]:
    yield f"# {domain.name}"
    yield ""
    yield f"Made by `ledger-verify init` from {domain.source}. Every write is blocked until it has"
    yield "a rule."
    yield ""
    yield "| tool | kind | guessed from |"
    yield "|---|---|---|"
    for tool in domain.tools:
        kind = (
            f"{tool.entry.kind.kind}, of the person" if tool.entry.by_user else tool.entry.kind.kind
        )
        name = tool.entry.name.replace("|", "\\|")
        yield f"| `{name}` | {kind} | {tool.entry.kind.guess or 'given'} |"
    if domain.remarks:
        yield ""
        yield "What has no counterpart here:"
        yield ""
        for remark in domain.remarks:
            yield f"- {remark}"
    yield ""
    yield "What to do next:"
    yield ""
    yield "1. `domain.yaml`: check the kinds. A write that is taken for a read is not gated."
    yield "2. `domain.yaml` and `schema.yaml`: for each read whose result a rule needs, a path of"
    yield "   the `ledger`, the type of its records, and `observes`."
    yield "3. `domain.yaml`: for each write, what it `touches`."
    yield "4. `policy.yaml`: a rule for each write that shall be possible."
    yield "5. `ledger-verify check`, then scenarios, and `ledger-verify test`."
