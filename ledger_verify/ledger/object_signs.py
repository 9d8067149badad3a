"""What a JSON object says of the call that it answers: it failed, nobody knows, or neither.

Fields that only tell of failures count wherever they stand. A `status` and the like may as well be
a field of a record, so where an object has more to tell than how the call went, it leaves open
whether the call failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ledger_verify.ledger.refusal_mark import shows_mark
from ledger_verify.ledger.text_signs import LOOKED_AT, Sign, speaks_of_loss, text_sign

_SAYS_OK = ("success", "succeeded", "ok", "successful")
_SAYS_FAILED = ("iserror", "is_error", "haserror", "has_error", "failed", "failure")
_ERRORS = ("error", "exception", "fault")
_MORE_ERRORS = ("errors", "error_message", "errormessage", "error_code", "errorcode")
_STATUS = ("status", "state", "outcome", "result")
_FAILED = frozenset({"error", "errored", "failed", "failure", "fail"})
_BAD = _FAILED | {"declined", "denied", "invalid", "unsuccessful", "not_found", "bad_request"}
_LOST = frozenset({"timeout", "timed_out", "timedout", "unknown", "aborted", "interrupted"})
_ERROR_KIND = re.compile(r"(?:(?:^|_)error|(?-i:[A-Z]\w*(?:Error|Exception)))$", re.IGNORECASE)
_TOO_LATE = (408, 499)
_CODES = ("status", "statuscode", "status_code", "http_status", "httpstatus")
_TEXTS = ("result", "output", "response")
_TOLD = ("message", "detail", "msg")
_ABOUT_THE_CALL = frozenset(
    {*_SAYS_OK, *_SAYS_FAILED, *_ERRORS, *_MORE_ERRORS, *_STATUS, *_CODES, *_TOLD, "code", "reason",
     "details", "description", "title", "type", "instance", "cause", "hint", "help", "timestamp",
     "path", "traceid", "trace_id", "requestid", "request_id", "data", "__type"}
)  # fmt: skip
_FIRST = 50
"""Items of a list that are looked at."""
_NOTHING: tuple[Any, ...] = (None, False, "", [], {}, 0)


def object_signs(value: Mapping[str, Any], fields: frozenset[str] = frozenset()) -> set[Sign]:
    """All signs in an object; `fields` are names that are fields of a record, so no signs."""
    told = {str(key).lower(): inner for key, inner in value.items() if key not in fields}
    found = set(_signs(told))
    if shows_mark(value, fields):
        found.add(Sign.DOUBT)  # a refusal, but not of this call alone
    failed = Sign.FAILED in found
    if _has_lost_code(told) or (failed and any(map(speaks_of_loss, texts_below(told)))):
        found = found - {Sign.FAILED} | {Sign.LOST, *([Sign.DOUBT] if failed else [])}
    return found


def list_signs(items: list[Any], fields: frozenset[str] = frozenset()) -> set[Sign]:
    """The signs in a list, `fields` are names in its items.

    Where an item is an object that tells of nothing but a failure, or the mark of a refusal shows,
    nobody knows what became of the call as a whole.
    """
    told = (item for item in items[:_FIRST] if isinstance(item, Mapping))
    failed = any(
        item.keys() <= _ABOUT_THE_CALL - fields and Sign.FAILED in object_signs(item, fields)
        for item in told
    )
    return {Sign.DOUBT} if failed or shows_mark(items, fields) else set()


def is_about_the_call(name: str) -> bool:
    """Whether a name in an object may tell how the call went."""
    return name.lower() in _ABOUT_THE_CALL


def _has_lost_code(told: Mapping[str, Any]) -> bool:
    """Whether a code says that a server failed, or took too long."""
    inner = (value for value in told.values() if isinstance(value, Mapping))
    codes = (_code(of.get(key)) for of in (told, *inner) for key in (*_CODES, "code"))
    return any(code is not None and (code >= 500 or code in _TOO_LATE) for code in codes)


def _signs(told: Mapping[str, Any]) -> Iterator[Sign]:
    alone = told.keys() <= _ABOUT_THE_CALL and told.get("data") in _NOTHING
    for key in _SAYS_OK:
        said = _truth(told.get(key))
        if said is not None:
            yield Sign.FINE if said else Sign.FAILED
        elif told.get(key) == 0:
            yield Sign.DOUBT
    for key in _SAYS_FAILED:
        said = _truth(told.get(key))
        if said:
            yield Sign.FAILED
    if told.get("executed") is False:
        yield Sign.DOUBT
    for key in _ERRORS:
        if told.get(key) not in _NOTHING:
            yield Sign.FAILED
    for key in _MORE_ERRORS:
        if told.get(key) not in _NOTHING:
            yield Sign.FAILED if alone else Sign.DOUBT
    kinds = (told.get("type"), told.get("__type"))
    if any(isinstance(kind, str) and _ERROR_KIND.search(kind) for kind in kinds):
        yield Sign.FAILED
    for key in _STATUS:
        yield from _status(told.get(key), alone=alone)
    yield from _codes(told, alone=alone)
    yield from _wrapped(told)


def _truth(value: Any) -> bool | None:
    """What a flag says, also as text."""
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.lower())
    return value if isinstance(value, bool) else None


def _status(value: Any, *, alone: bool) -> Iterator[Sign]:
    if not isinstance(value, str):
        return
    word = value.strip().lower().replace(" ", "_").replace("-", "_")
    if word in _LOST or (word in _BAD and not (alone and word in _FAILED)):
        yield Sign.DOUBT
    elif word in _FAILED:
        yield Sign.FAILED


def _codes(told: Mapping[str, Any], *, alone: bool) -> Iterator[Sign]:
    """HTTP codes: of a client's mistake nothing came, of a server's nobody knows."""
    explained = alone and any(told.get(key) is not None for key in (*_TOLD, *_ERRORS))
    for key in (*_CODES, "code") if explained else _CODES:
        code = _code(told.get(key))
        if code is not None:
            refused = alone and code < 500 and code not in _TOO_LATE
            yield Sign.FAILED if refused else Sign.DOUBT


def _code(value: Any) -> int | None:
    """A code of HTTP that tells of a failure, also as text."""
    if isinstance(value, str) and len(value) == 3 and value.isascii() and value.isdecimal():
        value = int(value)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 400 <= value < 600 else None


def _wrapped(told: Mapping[str, Any]) -> Iterator[Sign]:
    """An object with nothing but one text, which may say it."""
    if len(told) != 1:
        return
    ((key, text),) = told.items()
    if isinstance(text, str) and key in (*_TEXTS, *_TOLD):
        sign = text_sign(text)
        if sign is not None:
            yield sign if key in _TEXTS else Sign.DOUBT
    elif isinstance(text, Mapping) and key in _TEXTS:
        yield from object_signs(text)
    if key == "detail" and text not in _NOTHING:
        yield Sign.DOUBT


def texts_below(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts in an object that tells of a failure, the first of them."""
    if isinstance(value, str):
        yield value[:LOOKED_AT]
    elif isinstance(value, Mapping) and depth < 4:
        for inner in list(value.values())[:_FIRST]:
            yield from texts_below(inner, depth + 1)
    elif isinstance(value, list) and depth < 4:
        for inner in value[:_FIRST]:
            yield from texts_below(inner, depth + 1)
