"""The content of an answer without its wrapping, with what all of it says of the call."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.ledger.fields import Declared
from ledger_verify.ledger.object_signs import (
    is_about_the_call,
    list_signs,
    object_signs,
    texts_below,
)
from ledger_verify.ledger.text_signs import Sign, text_sign
from ledger_verify.source.json_file import parse_value

TEXT_TYPES = ("text", "input_text", "output_text")
_CUT_OFF = re.compile(r"\s*[\[{]\s*[\[{'\"]")
"""How JSON begins, whatever became of its end."""
_FLAGS = ("isError", "is_error")
_UNFINISHED = ("resultType", "result_type")
_STRUCTURED = ("structuredContent", "structured_content")
_OF_MCP = frozenset({"content", *_FLAGS, *_UNFINISHED, *_STRUCTURED, "_meta", "meta"})
_MCP_PARTS = frozenset({"text", "image", "audio", "resource", "resource_link"})
_DEEPEST = 4
_EVALUATED = 20_000


def unwrapped(raw: Any, declared: Declared, depth: int = 0) -> tuple[Any, set[Sign]]:
    """The content, and every sign in it. What is `declared` is no sign.

    Of an MCP result the content is what is structured, or the text of its parts; of a list of
    nothing but texts it is their lines. Text stays text.
    """
    if isinstance(raw, list):
        return _of_parts(raw, declared, depth)
    value = _spelled(raw) if isinstance(raw, str) else raw
    if isinstance(value, Mapping) and depth < _DEEPEST:
        if "jsonrpc" in value and isinstance(value.get("result"), Mapping):
            return unwrapped(value["result"], declared, depth + 1)
        if any(value.get(key) == "input_required" for key in _UNFINISHED):
            return value.get("content", raw), {Sign.DOUBT}
        if _is_mcp(value):
            return _of_mcp(value, declared, depth)
    return raw, _signs_of(raw, value, declared)


def _of_mcp(value: Mapping[str, Any], declared: Declared, depth: int) -> tuple[Any, set[Sign]]:
    content, signs = unwrapped(value["content"], declared, depth + 1)
    flag = next((value[key] for key in _FLAGS if value.get(key) is not None), None)
    if flag is not None:
        signs.add(Sign.FLAGGED if flag else Sign.FINE)
    for key in _STRUCTURED:
        if value.get(key) is not None:
            content, more = unwrapped(value[key], declared, depth + 1)
            signs |= more
    return content, signs


def _of_parts(parts: list[Any], declared: Declared, depth: int) -> tuple[Any, set[Sign]]:
    texts = [part["text"] for part in parts if _is_text(part)]
    if not texts or not all(isinstance(part, Mapping) and "type" in part for part in parts):
        return parts, list_signs(parts, declared.items)
    joined = "\n".join(texts)
    if len(texts) < len(parts):
        content, signs = parts, unwrapped(joined, declared, depth + 1)[1]
    else:
        content, signs = unwrapped(joined, declared, depth + 1)
    if len(texts) > 1:
        each = [_signs_of(text, _spelled(text), declared) for text in texts]
        bad = [bool(found & {Sign.FAILED, Sign.DOUBT}) for found in each]
        if any(bad):
            signs |= set().union(*each) if all(bad) else {Sign.DOUBT}
    return content, signs


def _signs_of(raw: Any, value: Any, declared: Declared) -> set[Sign]:
    if isinstance(value, Mapping):
        return object_signs(value, declared.fields)
    if isinstance(value, list):
        return list_signs(value, declared.items)
    if not isinstance(value, str):
        return set()
    sign = text_sign(value)
    if sign is Sign.FAILED and _CUT_OFF.match(value):
        sign = Sign.DOUBT
    return set() if sign is None else {sign}


def _spelled(text: str) -> Any:
    """What the text spells, as far as it matters for signs; the text itself if it is no JSON.

    A dictionary may also be spelled as Python does it, and stand in a fence of Markdown.
    """
    for _ in range(_DEEPEST):
        text = _unfenced(text)
        if text.lstrip()[:1] not in ("{", "[", '"'):
            return text
        value = _parsed(text)
        if not isinstance(value, str):
            return value
        if value == text:
            break
        text = value
    return text


def _unfenced(text: str) -> str:
    bare = text.strip()
    first, line_end, rest = bare.partition("\n")
    fenced = line_end and first.startswith("```") and rest.endswith("```")
    return rest.removesuffix("```") if fenced else text


def _parsed(text: str) -> Any:
    try:
        return parse_value(text)
    except ValueError:
        pass
    try:
        return _DECODER.decode(text)
    except RecursionError:
        return {"status": "unknown"} if text.lstrip()[:1] == "{" else []
    except ValueError:
        pass
    if text.lstrip()[:1] == "{" and len(text) <= _EVALUATED:
        try:
            return ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            pass
    return text


def _lenient(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of one that says twice how the call went nobody knows what it says."""
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    names = [name for name, _ in pairs]
    twice = any(is_about_the_call(name) and names.count(name) > 1 for name in made)
    return {**made, "status": "unknown"} if twice else made


def _number(text: str) -> Any:
    return int(text) if len(text) < 20 else text


_DECODER = json.JSONDecoder(object_pairs_hook=_lenient, parse_int=_number, parse_float=str)
"""Reads what strict JSON refuses: numbers of any size, `NaN`, names twice."""


def _is_mcp(value: Mapping[str, Any]) -> bool:
    parts = value.get("content")
    if not isinstance(parts, list) or not all(map(_is_part, parts)):
        return False
    marked = any(key in value for key in (*_FLAGS, *_STRUCTURED, *_UNFINISHED))
    return marked or (bool(parts) and value.keys() <= _OF_MCP)


def _is_part(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") in _MCP_PARTS


def _is_text(part: Any) -> bool:
    return (
        isinstance(part, Mapping)
        and part.get("type") in TEXT_TYPES
        and isinstance(part.get("text"), str)
    )


def texts_in(content: Any) -> Iterator[str]:
    """The texts of a content that is one, an object, or a list of parts."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        yield from texts_below(content)
    elif isinstance(content, list):
        yield from (part["text"] for part in content if _is_text(part))
