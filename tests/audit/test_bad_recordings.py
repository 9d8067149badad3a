"""What is not a recording is refused, with the place."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_verify.audit.recordings import parse_recording, read_recording
from ledger_verify.lang.errors import InputError
from tests.audit.samples import (
    simulation,
    small_bank,
    tau1,
    tau1_call,
    tau2,
    tau2_answer,
    tau2_call,
)

TAU1 = json.dumps(small_bank())
PRETTY = json.dumps(small_bank(), indent=1, ensure_ascii=False)
TAU2 = json.dumps(tau2(simulation(tau2_call(("é", "f", {"n": 1.5e3})), tau2_answer("é", "x"))))
LINES = "\n".join(json.dumps(one) for one in small_bank())


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        parse_recording(text, "log.json")
    return caught.value


def read_or_refused(text: str) -> bool:
    try:
        return bool(parse_recording(text, "log.json"))
    except InputError as error:
        return error.location is not None


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("", "1:1", "the file is empty"),
        (" \n\n", "1:1", "the file is empty"),
        ("hello", "1:1", "malformed JSON"),
        ("[1, }", "1:5", "malformed JSON: expected value, found `}`"),
        ('{"traj": []', "1:12", "the JSON is cut off"),
        ('[{"traj": [], "task_id": "ab', "1:29", "the JSON is cut off"),
        ("[" * 50_000, "1:1", "nested too deeply"),
        ('{"a": 1,\n "a": 2}', "2:2", "`a` is given twice"),
        ('{"traj": [],\n "reward": NaN}', "2:12", "`NaN` is not a JSON number"),
        (f'{{"traj": [], "trial": {"9" * 5000}}}', "1:23", "is too long"),
        ('{"traj": [], "reward": 1e9999999999999999999}', "1:24", "out of range"),
        ('{"traj": []}{"traj": []}', "1:13", "expected the end after the first value"),
        ('{"traj": []}\n{"traj": [}', "2:11", "malformed JSON"),
        ("12", "1:1", "not a recording"),
        ('"text"', "1:1", "found the text `text`"),
        ("null", "1:1", "found nothing"),
        ("[]", "1:1", "no conversations"),
        ('{"simulations": []}', "1:1", "no conversations"),
        ("[1]", "1:2", "found the number 1"),
        ('{"rows": [], "columns": []}', "1:1", "an object with `rows`, `columns`"),
        ('[{"traj": []}, {"task_id": 1}]', "1:16", "an object with `task_id`"),
        ('{"simulations": {}}', "1:17", "`simulations` must be a list, found an empty object"),
        ('{"simulations": [3]}', "1:18", "a simulation must be an object"),
        ('{"traj": {}}', "1:10", "conversation 1: `traj` must be a list"),
        ('[{"traj": []}, {"traj": null}]', "1:25", "conversation 2: `traj` must be a list"),
    ],
)
def test_shape(text: str, place: str, said: str) -> None:
    error = refusal(text)
    assert str(error.location) == f"log.json:{place}"
    assert said in error.message


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([tau1(task_id=1.5)], "conversation 1: `task_id` must be"),
        ([tau1(), tau1(trial="first")], "conversation 2: `trial` must be a whole number"),
        ([tau1(reward="good")], "`reward` must be a number, found the text `good`"),
        ([tau1(reward=[1])], "`reward` must be a number, found a list"),
        ([tau1("hello")], "message 1: a message must be an object"),  # type: ignore[arg-type]
        ([tau1({"content": "no role"})], "message 1: in none of the formats"),
        ([tau1({"role": 1})], "`role` must be text, found the number 1"),
        ([tau1({"role": "assistant", "tool_calls": {}})], "`tool_calls` must be a list"),
        ([tau1({"role": "assistant", "tool_calls": ["f"]})], "a tool call must be an object"),
        ([tau1({"role": "assistant", "tool_calls": [{}]})], "message 1: there is no `id`"),
        ([tau1(tau1_call(("a", "", {})))], "a tool call has an empty `name`"),
        ([tau1({"role": "tool", "id": "a", "requestor": "robot"})], "`requestor` must be"),
        ([tau1(info={"task": {"actions": 3}})], "`actions` must be a list"),
        ([tau1(info={"task": {"actions": [{}]}})], "the `name` of an expected action"),
        (tau2(simulation(reward_info=3)), "`reward_info` must be an object"),
        (tau2(simulation(reward_info={"action_checks": [{}]})), "an expected action must be"),
    ],
)
def test_parts(value: Any, said: str) -> None:
    assert said in refusal(json.dumps(value)).message


def test_a_near_match_is_named() -> None:
    assert refusal('{"mesages": []}').hint == "did you mean `messages`?"


def test_the_place_of_a_part_in_lines() -> None:
    text = '{"messages": []}\n{"messages": [{"role": "user", "content": ""}, {"role": 7}]}'
    assert str(refusal(text).location) == "log.json:2:57"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.json", Path("a\0b")):
        with pytest.raises(InputError, match="cannot read"):
            read_recording(str(path))


def test_not_utf8(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_bytes(b'\xef\xbb\xbf[\n "caf\xe9"]')
    with pytest.raises(InputError) as caught:
        read_recording(str(log))
    assert str(caught.value.location) == f"{log}:2:6"
    assert "at byte 10" in caught.value.message


def test_a_byte_order_mark_is_no_harm(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_bytes(b"\xef\xbb\xbf" + TAU1.encode())
    assert len(read_recording(str(log))) == 2


@pytest.mark.parametrize("text", [TAU1, PRETTY, TAU2], ids=["tau1", "pretty", "tau2"])
def test_every_truncation_is_refused(text: str) -> None:
    for end in range(len(text)):
        error = refusal(text[:end])
        assert error.location is not None
        assert "empty" in error.message or "cut off" in error.message, text[:end][-30:]


def test_truncated_lines_are_refused_or_fewer() -> None:
    for end in range(len(LINES)):
        cut = LINES[:end]
        if cut.strip() == LINES.splitlines()[0]:
            assert len(parse_recording(cut, "log.json")) == 1
        else:
            assert refusal(cut).location is not None


@given(
    text=st.sampled_from([TAU1, TAU2, LINES]),
    at=st.integers(0, 10_000),
    width=st.integers(0, 40),
    filler=st.text(alphabet='[]{}",:0e-.\\ntu \n', max_size=6),
)
def test_damage_is_refused_or_read(text: str, at: int, width: int, filler: str) -> None:
    at %= len(text)
    damaged = text[:at] + filler + text[at + width :]
    assert read_or_refused(damaged)


_NAMES = (
    *("messages", "traj", "simulations", "role", "content", "tool_calls", "id", "name", "trial"),
    *("function", "arguments", "info", "task", "actions", "reward_info", "tasks", "requestor"),
    *("action_checks", "action", "tool_messages", "error", "reward", "task_id"),
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(_NAMES),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@given(_JSON)
def test_any_json_is_refused_or_read(value: Any) -> None:
    assert read_or_refused(json.dumps(value))
