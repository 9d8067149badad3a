"""Compiled predicates on their own: what they raise for, and what they never do."""

from collections.abc import Mapping
from typing import Any

import pytest

from ledger_verify.evaluate.compiled import compile_all, compile_predicate, generate
from ledger_verify.evaluate.kleene import Scope, Truth, truth
from ledger_verify.lang.check import check_predicate, check_text
from tests.lang.cases import ENVIRONMENT, NOW_US, Row, ledger

CALL = {"tool": "refund"}


def run(text: str, **given: Any) -> Any:
    predicate = compile_predicate(check_predicate(text, ENVIRONMENT))
    return predicate(ledger(), Row(text, True, given).arguments, NOW_US, CALL)


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("ledger.users.u2.age > 1", {}),
        ("ledger.users.u1.email == 'x'", {}),
        ("args.opt > 1", {"opt": ...}),
        ("args.i / args.j > 1", {"j": 0}),
        ("args.i + args.j > 1", {"i": 2**63 - 1}),
        ("args.null_int > 1", {}),
        ("args.null_bool", {}),
        ("args.ints[args.i] == 1", {}),
        ("args.ints[-1] == 3", {}),
        ("timestamp(args.s) < now", {}),
    ],
)
def test_raises_where_there_is_no_answer(text: str, given: Mapping[str, Any]) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - any exception says: ask the interpreter
        run(text, **given)


def test_several_predicates_are_one_function() -> None:
    texts = (
        "args.i > 1",
        "args.flag",
        "ledger.users.u1.age == 30",
        "ledger.users.u1.name == 'Ann'",
    )
    predicates = tuple(check_predicate(text, ENVIRONMENT) for text in texts)
    source, _ = generate(predicates)
    assert source.count("fresh['users.*']['u1']") == 1, "a record is read once"
    assert compile_all(predicates)(ledger(), Row("", 1).arguments, NOW_US, CALL) is True
    assert compile_all(())(ledger(), {}, NOW_US, CALL) is True


def test_text_of_the_user_stays_text() -> None:
    hostile = "'); raise SystemExit #\\n\0"
    assert run(f"args.s == {hostile!r}".replace("\\x00", "\\u0000"), s=hostile) is True
    assert run("args.map['__class__'] == 1 || true", map={"__class__": 1}) is True


def test_what_nests_too_much_for_python_is_left_to_the_interpreter() -> None:
    text = "args.i" + " + args.i" * 110 + " > 0"
    expr = check_text(text, ENVIRONMENT)
    arguments = Row(text, True).arguments
    with pytest.raises(Exception, match="nests too much"):
        compile_predicate(expr)(ledger(), arguments, NOW_US, CALL)
    assert truth(expr, Scope(names={"args": arguments})) is Truth.TRUE
