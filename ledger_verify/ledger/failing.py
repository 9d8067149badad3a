"""Whether a result is a failure by what the domain says of it: `failed` of a tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo
from typing import Any

from ledger_verify.lang.errors import InputError
from ledger_verify.lang.novalue import NoValue
from ledger_verify.lang.typed import Expr
from ledger_verify.lang.types import StringType, strip_null
from ledger_verify.ledger.results import parse_result
from ledger_verify.policy.tools import Failing, Tool
from ledger_verify.schema.coerce import Misfit, coercer
from ledger_verify.source.json_file import parse_value
from ledger_verify.source.json_text import json_text

Values = Callable[[Expr, Mapping[str, Any]], Any]
"""`values(expr, names)` gives the value of an expression or raises `NoValue`."""


class NotTold(Exception):
    """Whether a result is a failure cannot be told; `args[0]` says why."""


def says_failed(
    tool: Tool, arguments: Mapping[str, Any] | None, content: Any, values: Values, zone: tzinfo
) -> bool:
    """Whether `failed` of the tool, which has one, is true of a result without its wrapping.

    `arguments` are typed values, None where they do not fit the tool. Raises `NotTold` where the
    result has another type, or the expression has no value on it.
    """
    failing = tool.failed
    assert failing is not None
    try:
        if tool.result is not None:
            found = tool.result.read(content)
            if not found:
                return False  # the text says that the call did nothing
            result: Any = found[0]
        else:
            result = typed_result(failing, content, zone)
        names = {"result": result} if arguments is None else {"result": result, "args": arguments}
        return values(failing.when, names) is True
    except Misfit as misfit:
        raise NotTold(misfit.message) from None
    except NoValue as problem:
        raise NotTold(problem.reason) from None
    except KeyError:
        raise NotTold("its arguments do not fit the tool") from None
    except (RecursionError, InputError, TypeError):
        raise NotTold("the result is no JSON, or nested too deeply") from None


def typed_result(failing: Failing, content: Any, zone: tzinfo) -> Any:
    """The result as a value of the type that the expression reads; raises `Misfit`."""
    if isinstance(strip_null(failing.result), StringType):
        return coercer(failing.result, zone)(_as_text(content))
    parsed = parse_result(content)
    return coercer(failing.result, zone)(_with_shown(parsed, failing.shown))


def _as_text(content: Any) -> str:
    """The text that a result is. JSON has one spelling, however it was given."""
    if not isinstance(content, str):
        return json_text(content, indent=None)
    if content.lstrip()[:1] not in ("{", "["):
        return content
    try:
        return json_text(parse_value(content), indent=None)
    except ValueError:
        return content


def _with_shown(value: Any, shown: frozenset[tuple[str, ...]]) -> Any:
    """The value with a text in every field of which it matters only whether it is there."""
    for steps in shown:
        value = _marked(value, steps)
    return value


def _marked(value: Any, steps: tuple[str, ...]) -> Any:
    if not isinstance(value, Mapping) or value.get(steps[0]) is None:
        return value
    inner = _marked(value[steps[0]], steps[1:]) if steps[1:] else ""
    return {**value, steps[0]: inner}
