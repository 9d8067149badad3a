"""Text without quotes that YAML misreads is refused, and the quotes that are advised mend it."""

import re
from pathlib import Path

import pytest

from ledger_verify.lang.errors import InputError
from ledger_verify.policy.yaml_file import parse_yaml
from tests.lang.cases import LOADING
from tests.policy.folders import POLICY, load

REQUIRE = "require: o.owner == ledger.user.id"
PLACES = (
    "rules:\n  - id: a\n    require: HERE\n    clause: c\n",
    "assumptions:\n  - true\n  - HERE\n  - true\n",
    "let: HERE",
    "rules:\n  - let:\n      a: b\n      o: HERE\n    message: m\n",
)
IN_BRACKETS = ("let: {a: b, o: HERE, c: d}\n", "all: [a, HERE, b]\n", "a: {b: {c: [HERE]}}\n")
MORE = (
    *(
        "!a",
        "! a",
        "!(a > 10)",
        "!observed(ledger.user) && !b",
        '"a" == b',
        "'a' == b",
        "a ? b : c",
    ),
    *("[1,2].exists(x, x == 1)", "[1] + [2] == [a[0]]", 'a == "b: c"', "{args.x} is late"),
    *(
        "Loan {args.x}: of another",
        "*a",
        "&& a",
        "@a",
        "`a`",
        "%a",
        "|a",
        "it's: a",
        '"a" is "b": c',
    ),
)
ROWS = [row.text for row in LOADING if len(row.text) < 80 and not set(row.text) & set("\\\n")]
TEXTS = tuple(dict.fromkeys((*ROWS, *MORE)))
ADVISED = re.compile("YAML needs this text in quotes: `(.*)`", re.DOTALL)


def read(text: str) -> object:
    return parse_yaml(text, "policy.yaml").data


def refusal(text: str) -> InputError | None:
    try:
        read(text)
    except InputError as error:
        return error
    return None


def mended(place: str, text: str) -> bool:
    """Whether the place takes the text, or quotes are advised with which it does."""
    quoted = read(place.replace("HERE", "'" + text.replace("'", "''") + "'"))
    error = refusal(place.replace("HERE", text))
    if error is None:
        return False
    assert error.hint is not None, (str(error), text)
    advised = ADVISED.fullmatch(error.hint)
    assert advised is not None, str(error)
    assert read(place.replace("HERE", advised[1])) == quoted
    return True


@pytest.mark.parametrize("place", PLACES)
def test_what_is_misread_is_mended_by_the_quotes_that_are_advised(place: str) -> None:
    refused = [text for text in TEXTS if mended(place, text)]
    beginnings = {text for text in MORE if text[0] in "!\"'[{*&@`%|"}
    # behind the dash of a list, `a: b` is a mapping and no error to YAML
    assert (beginnings if "- HERE" in place else set(MORE)) <= set(refused)
    assert any(text.startswith("[") for text in refused)


@pytest.mark.parametrize("place", IN_BRACKETS)
def test_what_is_misread_in_brackets(place: str) -> None:
    texts = [text for text in TEXTS if not set(text) & set(",#{}\"'")]
    refused = [text for text in texts if mended(place, text)]
    assert any("[" in text for text in refused)
    assert any("?" in text for text in refused)


@pytest.mark.parametrize(
    "text",
    [
        "rules: [\n",
        "rules:\n  - id: a\n    tools: [a\n    when: b\n",
        "rules:\n  - id: a\n   when: b\n",
        "a: b\n  c: d\n",
        "a: 'b\n",
        'a: "b\n',
        "a: [b, c}\n",
        "\ta: b\n",
        "a: |\n b\nc\n",
    ],
)
def test_quotes_are_not_advised_where_they_do_not_help(text: str) -> None:
    error = refusal(text)
    assert error is not None
    assert error.hint is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (REQUIRE, 'require: o.owner != "a #1"'),
        (REQUIRE, "require: o.owner == # whose"),
        ("let: {o: ", 'let:\n      b: o == "a #1"\n    let: {o: '),
        ('"order of {o.owner}"', "order of {o.owner #1}"),
        ("- ledger.orders.all(o, o.total < 1000)", "- ledger.orders.all(o, o.owner != 'a #1')"),
    ],
)
def test_a_comment_that_cuts_a_text_short_is_named(old: str, new: str, tmp_path: Path) -> None:
    policy = POLICY.replace(old, new, 1)
    if policy.count("    let:") == 2:
        policy = policy.replace('    let: {o: "ledger.orders[args.order_id]"}\n', "", 1)
    with pytest.raises(InputError) as caught:
        load(tmp_path, policy=policy)
    assert caught.value.hint == "` #` begins a comment in YAML: put the whole text in quotes"


def test_a_comment_behind_a_whole_text_is_no_trap(tmp_path: Path) -> None:
    load(tmp_path, policy=POLICY.replace(REQUIRE, f"{REQUIRE} # whose"))
    with pytest.raises(InputError) as caught:
        load(tmp_path, policy=POLICY.replace(REQUIRE, "require: o.owner = ledger.user.id # whose"))
    assert caught.value.hint == "write `x == y`"
