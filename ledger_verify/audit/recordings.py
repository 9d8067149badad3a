"""Recorded conversations from files.

Read unaided: tau-bench results (`traj`), tau2-bench results (`simulations`), one conversation, a
list of conversations, a list of messages of any format or of such lists, requests to a model with
or without the answer (`input`, `contents`, `messages`), and any of these line by line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from ledger_verify.conversation.events import Event
from ledger_verify.conversation.formats.registry import FORMATS, Format
from ledger_verify.conversation.parts import AGENT
from ledger_verify.conversation.reader import Reader
from ledger_verify.conversation.recorded import Conversation, ExpectedAction
from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.source.cursor import Cursor, described
from ledger_verify.source.json_file import JsonFile, parse_json, read_json

MESSAGE_KEYS = ("traj", "messages", "trajectory")
_REQUESTS = ("input", "contents")
"""Where requests to Responses and to Gemini have their messages."""
_ANSWERS = {
    "input": ("output", None), "contents": ("candidates", "content"),
    "messages": ("choices", "message"),
}  # fmt: skip
"""What an answer adds to the messages of its request: its name, and where its parts have it."""
_EXPECTED = (
    "expected a list of conversations with `traj` or `messages`, an object with `simulations`, "
    "or messages"
)


def read_recording(path: str, wanted: Format | None = None) -> tuple[Conversation, ...]:
    """The conversations of a file, or of standard input for `-`.

    With `wanted` all messages are in that format, otherwise each is recognised by its shape.
    Raises `InputError` that says where the file is not a recording.
    """
    return conversations_of(read_json(path, lines=True), wanted)


def parse_recording(text: str, name: str, wanted: Format | None = None) -> tuple[Conversation, ...]:
    """The conversations of a recording's text; `name` stands for its file."""
    return conversations_of(parse_json(text, name, lines=True), wanted)


def conversations_of(file: JsonFile, wanted: Format | None = None) -> tuple[Conversation, ...]:
    """The conversations of parsed JSON; raises `InputError`."""
    root = Cursor.root(file)
    found = tuple(
        _conversation(position, part.named(f"conversation {position + 1}"), expected, wanted)
        for position, (part, expected) in enumerate(_parts(root))
    )
    if not found:
        raise root.error("there are no conversations in it", hint=_EXPECTED)
    return found


Tasks = Mapping[str, Sequence[ExpectedAction]]


def _parts(root: Cursor) -> Iterator[tuple[Cursor, Tasks]]:
    """Every conversation, as an object or a list of messages, with what its file's tasks expect."""
    if isinstance(root.value, list):
        if root.value and all(_is_message(item) for item in root.value):
            yield root, {}
            return
        for item in root.items():
            if isinstance(item.value, list):
                yield item, {}
            else:
                yield from _object_parts(item)
        return
    yield from _object_parts(root)


def _object_parts(part: Cursor) -> Iterator[tuple[Cursor, Tasks]]:
    if not isinstance(part.value, dict):
        raise _no_recording(part)
    if part.has("simulations"):
        tasks = _tasks(part)
        for simulation in part.get("simulations").as_list("`simulations`").items():
            yield simulation.as_object("a simulation"), tasks
    elif _key_of(part.value) or _is_message(part.value):
        yield part, {}
    else:
        raise _no_recording(part)


def _is_message(value: object) -> bool:
    if not isinstance(value, dict) or value.keys() & {*MESSAGE_KEYS, "simulations"}:
        return False
    return _key_of(value) is None and any(known.fits(value) for known in FORMATS)


def _key_of(value: Mapping[str, object]) -> str | None:
    """Under which name an object has its messages; an item may have an `input` of its own."""
    if "type" in value and value.keys().isdisjoint(MESSAGE_KEYS):
        return None
    requests = (key for key in _REQUESTS if isinstance(value.get(key), list))
    return next((key for key in MESSAGE_KEYS if key in value), None) or next(requests, None)


def _messages(part: Cursor, key: str) -> Iterator[Cursor]:
    """The messages under that name, and those of the answer beside a request."""
    yield from part.get(key).as_list(f"`{key}`").items()
    answer, inner = _ANSWERS.get(key, (None, None))
    if answer is None or not isinstance(part.value.get(answer), list):
        return
    added = part.get(answer)
    if inner is not None and len(added.value) > 1:
        raise added.error("several answers to one request: which was taken is not known")
    for item in added.items():
        yield item if inner is None else item.as_object("an answer").get(inner)


def _no_recording(part: Cursor) -> InputError:
    hint = None
    if isinstance(part.value, dict):
        known = (*MESSAGE_KEYS, "simulations", "role")
        close = [near_match(key, known) for key in part.value]
        hint = next((text for text in close if text and text.startswith("did you")), None)
    return part.error(f"not a recording: {_EXPECTED}; found {described(part.value)}", hint=hint)


def _conversation(position: int, part: Cursor, tasks: Tasks, wanted: Format | None) -> Conversation:
    if isinstance(part.value, dict) and not _is_message(part.value):
        key = _key_of(part.value)
        if key is None:
            raise _no_recording(part)
        messages = _messages(part, key)
        about = part
    else:
        messages = iter([part]) if isinstance(part.value, dict) else part.items()
        about = Cursor(part.file, part.path, {}, part.context)
    reader = Reader(wanted)
    events: list[Event] = []
    for index, message in enumerate(messages):
        events += reader.read(message.named(f"{part.context}, message {index + 1}"))
    events += reader.end()
    task = _task(about)
    return Conversation(
        file=part.file.name,
        position=position,
        id=str(about.value["id"]) if about.has("id") else None,
        task=task,
        trial=_trial(about),
        reward=_reward(about),
        expected=_expected(about) or tuple(tasks.get(str(task), ())),
        events=tuple(events),
    )


def _task(about: Cursor) -> str | int | None:
    task = about.value.get("task_id")
    if task is None or (isinstance(task, str | int) and not isinstance(task, bool)):
        return task
    raise about.get("task_id").error(
        f"`task_id` must be text or a whole number, found {described(task)}"
    )


def _trial(about: Cursor) -> int | None:
    trial = about.value.get("trial")
    if trial is None or (isinstance(trial, int) and not isinstance(trial, bool)):
        return trial
    raise about.get("trial").error(f"`trial` must be a whole number, found {described(trial)}")


def _reward(about: Cursor) -> int | Decimal | None:
    holder = about
    if not about.has("reward") and about.has("reward_info"):
        holder = about.get("reward_info").as_object("`reward_info`")
    reward = holder.value.get("reward")
    if reward is None or isinstance(reward, int | Decimal):
        return int(reward) if isinstance(reward, bool) else reward
    raise holder.get("reward").error(f"`reward` must be a number, found {described(reward)}")


def _expected(about: Cursor) -> tuple[ExpectedAction, ...]:
    """What the task of this conversation expects, where the conversation itself says so."""
    if about.has("reward_info") and about.get("reward_info").has("action_checks"):
        checks = about.get("reward_info").get("action_checks").as_list("`action_checks`")
        return tuple(
            _action(check.as_object("an action check").get("action")) for check in checks.items()
        )
    if about.has("info") and about.get("info").has("task"):
        return _actions(about.get("info").get("task"))
    return ()


def _tasks(root: Cursor) -> Tasks:
    """What the tasks of a tau2 file expect, by task id."""
    if not root.has("tasks"):
        return {}
    out = {}
    for task in root.get("tasks").as_list("`tasks`").items():
        if task.has("id") and task.has("evaluation_criteria"):
            out[str(task.value["id"])] = _actions(task.get("evaluation_criteria"))
    return out


def _actions(holder: Cursor) -> tuple[ExpectedAction, ...]:
    if not holder.has("actions"):
        return ()
    return tuple(_action(action) for action in holder.get("actions").as_list("`actions`").items())


def _action(action: Cursor) -> ExpectedAction:
    action.as_object("an expected action")
    name = action.get("name").text("the `name` of an expected action")
    arguments = action.value.get("kwargs", action.value.get("arguments"))
    by = action.get("requestor").text("`requestor`") if action.has("requestor") else AGENT
    return ExpectedAction(name, {} if arguments is None else arguments, by)
