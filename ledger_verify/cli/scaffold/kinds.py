"""Guesses at the kind of a tool. A write that is taken for a read is never judged, so a name is
believed only where its description agrees; whatever is doubtful is a write, and the guess says why.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ledger_verify.cli.scaffold.entries import NEUTRAL, READ, WRITE, Kind, words_of

_GETTERS = frozenset(
    {
        "count", "describe", "fetch", "find", "get", "list", "lookup", "query", "read", "retrieve",
        "search", "show", "view",
    }
)  # fmt: skip
_HUMANS = frozenset({"human", "humans", "operator", "representative"})
_WITH_HUMANS = _HUMANS | {"a", "agent", "agents", "live", "person", "support", "the", "to"}
_JOINTS = frozenset({"and", "or", "then"})
# a name of one other word, and a description that begins so, say who takes over
_HANDS_OVER = re.compile(
    r"(hands?|pass(es)?) (over|on|the (user|customer|caller|conversation|chat|call) (over|on)) "
    r"to (an?|the) (human|person|colleague|member of staff|operator)\b"
)
# a description may begin with one of these where `of` or `for` comes next: `Profile of a member`
_SHOWN_OF = frozenset(
    {
        "attributes", "balance", "contents", "description", "fields", "name", "names", "number",
        "outline", "profile", "profiles", "properties", "state", "text", "value", "values",
    }
)  # fmt: skip
# words with which a description may begin that tells what is shown
_SHOWING = frozenset(
    {
        "check", "count", "describe", "display", "fetch", "find", "get", "give", "list", "look",
        "lookup", "obtain", "provide", "query", "read", "retrieve", "return", "search", "see",
        "show", "tell", "view",
    }
)  # fmt: skip
_SHOWN = frozenset(
    {
        "a", "all", "an", "available", "current", "data", "detail", "details", "every", "full",
        "history", "info", "information", "one", "overview", "status", "summary", "the",
    }
)  # fmt: skip
_CHANGING = frozenset(
    {
        "accept", "acquire", "activate", "add", "append", "apply", "approve", "archive", "assign",
        "book", "block", "buy", "cancel", "change", "charge", "claim", "clear", "close", "commit",
        "confirm", "consume", "create", "deactivate", "decline", "deduct", "delete", "deny",
        "deposit", "dequeue", "disable", "discard", "drop", "edit", "empty", "enable", "erase",
        "execute", "expire", "extend", "flag", "freeze", "generate", "grant", "hide", "increment",
        "insert", "invalidate", "invoke", "issue", "launch", "lock", "log", "make", "mark", "merge",
        "modify", "move", "open", "order", "overwrite", "pause", "pay", "place", "pop", "post",
        "publish", "purchase", "purge", "push", "put", "record", "redeem", "refresh", "refund",
        "register", "reject", "release", "remove", "rename", "renew", "replace", "request",
        "reserve", "reset", "restart", "restore", "resume", "revoke", "rotate", "run", "save",
        "schedule", "sell", "send", "set", "share", "sign", "spend", "start", "stop", "store",
        "submit", "subscribe", "suspend", "swap", "sync", "take", "transfer", "trigger", "unblock",
        "unlock", "unsubscribe", "update", "upload", "upsert", "withdraw", "write",
    }
)  # fmt: skip
# where a word of these stands, a verb comes next: `and mark`, `to book`, `will be deleted`
_BEFORE_VERBS = frozenset({"also", "and", "automatically", "it", "or", "then", "to", "will"})
_AUXILIARIES = frozenset({"are", "be", "being", "get", "gets", "is"})
_DENIALS = frozenset({"cannot", "never", "no", "not", "nothing", "without"})


def kind_of(name: str, description: str, hints: Any = None) -> Kind:
    """The kind of a tool by its annotations (those of MCP) or else its name and description."""
    if isinstance(hints, Mapping):
        for hint, value in (("destructiveHint", True), ("readOnlyHint", False)):
            if hints.get(hint) is value:
                return Kind(WRITE, f"the annotation `{hint}`")
        if hints.get("readOnlyHint") is True:
            return Kind(READ, "the annotation `readOnlyHint`")
    words = words_of(name)
    if len(words) == 1 and words[0] in ("calculate", "calculator", "think"):
        doubt = _doubt_of_description(description, told=False)
        return Kind(WRITE, doubt) if doubt else Kind(NEUTRAL, f"called `{words[0]}`")
    if words[:2] == ["transfer", "to"] and set(words[2:]) <= _WITH_HUMANS and _HUMANS & set(words):
        return Kind(NEUTRAL, "the name says that a person takes over")
    told = " ".join(description.lower().split())
    handed = words[:2] == ["transfer", "to"] and len(words) == 3 and _HANDS_OVER.match(told)
    if handed and _doubt_of_description(description, told=False) is None:
        return Kind(NEUTRAL, "name and description say that a person takes over")
    doubt = _doubt_of_name(name, words) or _doubt_of_description(description, told=True)
    if doubt is not None:
        return Kind(WRITE, doubt)
    return Kind(READ, f"called `{words[0]} ...`, and the description agrees")


def kind_of_method(method: str, name: str, description: str) -> Kind:
    """The kind of an operation over HTTP: by its method, unless its texts speak of a change."""
    if method not in ("get", "head", "options"):
        return Kind(WRITE, f"the method {method.upper()}")
    words = words_of(name)
    changing = next((word for word in words[:1] if word in _CHANGING), None)
    doubt = f"the name says `{changing}`" if changing else _joint(words)
    doubt = doubt or _doubt_of_description(description, told=False)
    if doubt is not None:
        return Kind(WRITE, f"the method {method.upper()}, but {doubt}")
    return Kind(READ, f"the method {method.upper()}")


def _doubt_of_name(name: str, words: list[str]) -> str | None:
    """Why the name does not say that the tool only reads."""
    if not words or words[0] not in _GETTERS:
        return "the name does not begin with a word such as `get`"
    if not name.isascii():
        return "the name is not plain English"
    rest = words[1:]
    if not rest:
        return f"`{words[0]}` does not say of what"
    if words[0] == "list" and ("sale" in rest or not any(word.endswith("s") for word in rest)):
        return "to `list` one thing may mean to offer it"
    return _joint(words)


def _joint(words: list[str]) -> str | None:
    joint = next((word for word in words if word in _JOINTS), None)
    return (
        f"the name says `{joint}`, so there is more than one thing that it does" if joint else None
    )


def _doubt_of_description(description: str, *, told: bool) -> str | None:
    """Why the description does not agree that the tool only reads.

    One that must be `told` has to begin with what is shown.
    """
    clauses = [clause.split() for clause in re.split(r"[.;:!?\n]+", _plain(description))]
    clauses = [words for words in clauses if words]
    if not clauses:
        return "no description says that it only reads" if told else None
    first = clauses[0][0]
    shown = first in _SHOWN or (first in _SHOWN_OF and clauses[0][1:2] in (["of"], ["for"]))
    if told and _stem(first) not in _SHOWING and not shown:
        return f"its description begins with `{first}`"
    for words in clauses:
        changing = _change_in(words)
        if changing is not None:
            return f"its description says `{changing}`"
    return None


def _plain(text: str) -> str:
    return re.sub(r"[^\w.;:!?\n' ]+", " ", text.lower().replace("n't", " not"))


def _change_in(words: list[str]) -> str | None:
    """The word of a clause by which something changes, unless the clause denies it before."""
    for index, word in enumerate(words):
        if word in _DENIALS:
            return None
        before = words[index - 1] if index else ""
        stem = _stem(word)
        if stem not in _CHANGING and word not in _CHANGING:
            continue
        if word.endswith("ing"):
            return word
        if word.endswith(("ed", "en", "t")) and word not in _CHANGING:
            if before in _AUXILIARIES or (before.endswith("ly") and index > 1
                                          and words[index - 2] in _AUXILIARIES):  # fmt: skip
                return word
        elif index == 0 or before in _BEFORE_VERBS:
            return word
    return None


def _stem(word: str) -> str:
    """The verb of `gets`, `getting`, `creates`, `cancelled`, `tries`."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            root = word[: len(word) - len(ending)] + instead
            options = [root, f"{root}e", root[:-1] if root[-2:-1] == root[-1:] else root]
            known = [option for option in options if option in _CHANGING | _SHOWING]
            if known:
                return known[0]
    return word
