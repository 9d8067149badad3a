"""The `asks` of a tool: arguments that only the user can give, each with the test of having been
said.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from ledger_verify.lang.check import check_predicate
from ledger_verify.lang.environment import Environment
from ledger_verify.lang.errors import near_match
from ledger_verify.lang.said import EXACT, TEXT_TESTS
from ledger_verify.lang.stated import operation_and_tests
from ledger_verify.lang.typed import HEARD, Expr, FieldOf, Variable
from ledger_verify.lang.types import ListType, RecordType, strip_null
from ledger_verify.policy.expressions import Place
from ledger_verify.policy.yaml_file import YamlFile

_WORD = re.compile(r"\w+")


def load_asks(
    tool: str,
    asks: Sequence[str] | Mapping[str, str],
    arguments: RecordType,
    file: YamlFile,
    timezone: str,
) -> dict[str, Expr]:
    """For each argument that only the user can give, a predicate over `args` that is TRUE iff the
    user said it; raises `InputError` with the place.
    """
    listed = dict.fromkeys(asks, EXACT) if not isinstance(asks, Mapping) else asks
    out = {}
    for index, (argument, test) in enumerate(listed.items()):
        step = argument if isinstance(asks, Mapping) else index
        path = ("tools", tool, "asks", step)
        place = Place(file, path, Environment(), is_key=isinstance(asks, Mapping))
        if argument not in arguments.by_name:
            hint = near_match(argument, arguments.by_name)
            raise place.error(f"`{tool}` has no argument `{argument}`", hint=hint)
        out[argument] = _given(argument, test, arguments, place, timezone)
    return out


def _given(argument: str, test: str, arguments: RecordType, place: Place, timezone: str) -> Expr:
    """The predicate for one argument: a named test, or one over `value` and `messages`."""
    type_ = arguments.by_name[argument].type
    args = Variable("args", arguments)
    value = Place(place.file, place.path, place.scope)
    if _WORD.fullmatch(test) and test not in ("true", "false"):
        bare = strip_null(type_)
        item = bare.item if isinstance(bare, ListType) else type_
        found = operation_and_tests(item)
        if found is None:
            raise place.error(
                f"whether a value of type {type_} was said cannot be told",
                hint="give it a test of its own: an expression over `value` and `messages`",
            )
        tests = found[1]
        if test not in tests:
            known = "no test of" if test in TEXT_TESTS else "no test, and no expression, of"
            expected = ", ".join(f"`{name}`" for name in tests)
            raise value.error(
                f"`{test}` is {known} a value of type {item}, expected {expected}",
                hint=near_match(test, tests),
            )
        scope = Environment(names={"args": arguments}, timezone=timezone, heard=True)
        read = f"args[{json.dumps(argument)}]"
        text = f'stated({read}, "{test}")'
        if isinstance(bare, ListType):
            text = f'{read}.all(item, stated(item, "{test}"))'
        return check_predicate(text, scope)
    lets: dict[str, Expr] = {"value": FieldOf(args, argument, type_), "messages": HEARD}
    return value.within(Environment(lets=lets, timezone=timezone)).predicate(test)
