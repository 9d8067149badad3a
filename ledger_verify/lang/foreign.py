"""What other languages write, and how the same is written here: hints for words that are unknown.

In the tables one line of words stands for what is advised. All that is in backticks there is an
expression of this language over `list`, `map`, `text`, `number`, `time`, `record`, `x`, `y`, `a`,
`b` and the record `ledger.shop`; a test checks each.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping


def _by_word(rows: Mapping[str, str]) -> dict[str, str]:
    return {word: advice for words, advice in rows.items() for word in words.split()}


_CALLS = _by_word(
    {
        "today now utcnow currenttime currentdate getdate getutcdate sysdate getnow": (
            "the present is `now`, a name and no function"
        ),
        "date datetime todate todatetime parsedate fromisoformat parse strptime datevalue": (
            'a time is written `timestamp("2026-01-31T15:00:00Z")`, with an offset'
        ),
        "day hour hours minute minutes second seconds week weeks timedelta interval": (
            'a length of time is written `duration("72h")`; the parts of a time are such as '
            "`time.getHours()`"
        ),
        "datediff daysbetween dateiff": "whole days are `days(time, now)`",
        "abs fabs": "write `x < 0 ? -x : x`",
        "len length count counta cardinality": (
            "how many there are is `size(list)`, of those that meet a condition "
            "`list.filter(x, x > 1).size()`"
        ),
        "isempty isnullorempty isblank empty": 'write `size(list) == 0`, or `text == ""`',
        "any some every exists all filter map": (
            "write `list.exists(x, x > 1)`; `list.all(x, x > 1)` for every item, "
            "`list.filter(x, x > 1)` and `list.map(x, x + 1)` likewise; whether a record was read "
            "is `observed(ledger.shop)`"
        ),
        "find findfirst none": (
            "write `list.exists(x, x > 1)`, or `list.filter(x, x > 1)[0]` for the first one"
        ),
        "avg average mean": "write `sum(list) / size(list)`; the size must not be 0",
        "reduce fold aggregate sumif sumproduct": "write `sum(list.map(x, x * 2))`",
        "countif": "write `list.filter(x, x > 1).size()`",
        "unique set toset uniq": "write `distinct(list)`",
        "str tostring repr text": "write `string(x)`",
        "concat concatenate join strcat": (
            'texts and lists are joined by `text + "a"` and `list + [1]`'
        ),
        "lower tolowercase tolower lcase casefold downcase": "write `text.lowerAscii()`",
        "upper touppercase toupper ucase upcase": "write `text.upperAscii()`",
        "strip lstrip rstrip": "write `text.trim()`",
        "includes has_item containskey haskey has_key contains in member": (
            "an item or a key is looked up with `x in list` and `text in map`, a part of a text "
            'with `text.contains("a")`'
        ),
        "starts_with hasprefix": 'write `text.startsWith("a")`',
        "ends_with hassuffix": 'write `text.endsWith("a")`',
        "match test search fullmatch regexmatch regexp_like find_regex regex": (
            'write `text.matches("^[A-Z]+$")`; it looks anywhere unless `"^"` and `"$"` are there'
        ),
        "split replace substring substr slice charat indexof lastindexof left right mid sub": (
            'texts are not cut; ask of them with `text.startsWith("a")`, `text.contains("a")` or '
            '`text.matches("^a.c$")`'
        ),
        "get getordefault get_or setdefault": (
            'write `"a" in map ? map["a"] : 0`, or `has(record.note) ? record.note : ""` for an '
            "optional field"
        ),
        "coalesce ifnull nvl isnull orvalue hasvalue default": (
            'write `record.memo != null ? record.memo : ""`, or '
            '`has(record.note) ? record.note : ""` for an optional field'
        ),
        "defined isdefined hasattr exists_field hasproperty hasownproperty": (
            "write `has(record.note)` for an optional field, `record.memo != null` for one that "
            "may be null"
        ),
        "keys": 'a map ranges over its keys: `map.exists(k, k == "a")`',
        "values items entries": "write `map.exists(k, v, v > 1)`",
        "first head": "write `list[0]`",
        "last": "write `list[size(list) - 1]`",
        "if iif iff ifelse choose": 'write `a ? "yes" : "no"`',
        "and": "write `a && b`",
        "or": "write `a || b`",
        "not": "write `!a`",
        "xor": "write `a != b`",
        "between": "write `x >= 1 && x <= 3`",
        "float double decimal tonumber number parsefloat": (
            "numbers are exact and `int` becomes one by itself; of a text only `int(text)` is made"
        ),
        "integer parseint long toint floor trunc": (
            "write `int(number)`, which cuts off what is behind the point"
        ),
        "ceil ceiling round": (
            "numbers are not rounded; compare with bounds, as `number >= 2.5 && number < 3.5`, or "
            "cut with `int(number)`"
        ),
        "pow power sqrt": "write `x * x`",
        "greatest": "write `max(1, x)`",
        "least": "write `min(1, x)`",
        "bool boolean truthy": 'write `x != 0`, `text != ""` or `size(list) > 0`',
        "type typeof isinstance instanceof is_string isnumber": (
            "types are settled when the policy is loaded; what may be null is `record.memo != null`"
        ),
        "sort sorted reverse reversed sortby": (
            "lists are not sorted; the ends are `min(list)` and `max(list)`"
        ),
        "flatten": "lists are joined by `list + [1]`",
        "getday weekday dayofweek isoweekday": "write `time.getDayOfWeek()`, where 0 is Sunday",
        "year getyear": "write `time.getFullYear()`",
        "month": "write `time.getMonth()`, where 0 is January",
        "dayofmonth": "write `time.getDate()`",
        "isoformat toisostring strftime format tochar": "write `string(time)`",
        "totalseconds getseconds_total gettime epoch unixtimestamp": (
            'lengths of time are compared as such: `now - time < duration("24h")`'
        ),
        "called calls callcount was_called": (
            "earlier calls are `history`: `history.exists(c, c.ok)`"
        ),
        "optmap optflatmap": 'write `has(record.note) ? record.note : ""`',
    }
)  # fmt: skip
_FIELDS = _by_word(
    {
        "length size count len": "write `size(list)`, which texts and maps have, too",
        "empty isempty": 'write `size(list) == 0`, or `text == ""` for a text',
        "year month day hour minute second weekday": (
            "the parts of a time are `time.getFullYear()`, `time.getMonth()` (0 is January), "
            "`time.getDate()`, `time.getDayOfWeek()` (0 is Sunday), `time.getHours()`, "
            "`time.getMinutes()` and `time.getSeconds()`"
        ),
        "days hours minutes seconds total_seconds totalseconds": (
            'a length of time is compared as such: `now - time < duration("24h")`; whole days are '
            "`days(time, now)`"
        ),
        "first": "write `list[0]`",
        "last": "write `list[size(list) - 1]`",
        "keys": 'a map ranges over its keys: `map.exists(k, k == "a")`',
        "values": "write `map.exists(k, v, v > 1)`",
    }
)  # fmt: skip
_NAMES = {
    "args": "arguments argument arg params parameters param input inputs request call_args kwargs",
    "now": "today current_time current_date currenttime timestamp_now utcnow time date datetime",
    "ledger": "state data db database observations",
    "session": "facts context ctx",
    "history": "past previous_calls calls trajectory log",
    "call": "tool tool_name toolname function_name action",
}
_NAME_OF = {word: name for name, words in _NAMES.items() for word in words.split()}
_SAID = {"call": "call.tool"}
NAMESPACES = frozenset(
    {"math", "np", "datetime", "date", "time", "re", "number", "string", "object", "array", "json"}
)
"""Modules and classes of other languages whose functions are looked up by their last name."""
_SYNTAX: tuple[tuple[str, str], ...] = (
    (r"\w*\s*!==", "write `x != y`"),
    (r"===", "write `x == y`"),
    (r"\btimedelta\s*\(.*?=", 'a length of time is written `duration("72h")`'),
    (r"=>|->|:=|\blambda\b\s*", "a macro has a variable and a condition: `list.exists(x, x > 1)`"),
    (r"<>", "write `x != y`"),
    (r"\bnot\s+in\b", "write `!(x in list)`"),
    (r"\bis\s+not\b", "write `x != y`"),
    (r"\bis\s+(?:null|none)\b", "write `record.memo == null`"),
    (r"\bis\b", "write `x == y`"),
    (r"\bin\s*\([^()]*,", "a list is in brackets: `x in [1, 2]`"),
    (r"\bin\s*\{[^{}:]*[,}]", "a list is in brackets: `x in [1, 2]`"),
    (r"\bbetween\b", "write `x >= 1 && x <= 3`"),
    (r"\b(?:i?like|rlike|regexp)\b|=~|~", 'write `text.startsWith("a")`, `text.contains("a")` or '
        '`text.matches("^a.c$")`'),
    (r"\b(?:if|then|else|elif|case|when|end|unless)\b\s*", 'write `a ? "yes" : "no"`'),
    (r"\bfor\b", "write `list.exists(x, x > 1)` or `list.all(x, x > 1)`"),
    (r"\band\b", "write `a && b`"),
    (r"\bor\b", "write `a || b`"),
    (r"\bnot\b\s*", "write `!a`"),
    (r"\bxor\b|\^", "write `a != b` where exactly one holds"),
    (r"\b(?:implies|==>)\b", "write `!a || b`"),
    (r"\bmod\b", "write `x % 2`"),
    (r"\b(?:let|var|const|return)\b\s*", "an expression alone stands here; names are given in the "
        "rule's `let`"),
    (r"&", "write `a && b`"),
    (r"(?<!\|)\|(?!\|)", "write `a || b`"),
    (r"\?\?|\?:", 'write `has(record.note) ? record.note : ""`, or '
        '`record.memo != null ? record.memo : ""`'),
    (r"\?\..*", "write `has(record.note) && record.note.size() > 1`"),
    (r"\*\*", "write `x * x`"),
    (r"\+\+|--|[-+*/%]=", "nothing is changed here; compare with `x + 1`"),
    (r"(?<![=!<>])=(?!=)", "write `x == y`"),
    (r"\b\d+(?:,\d{3})+\b|\b\d+(?:_\d+)+\b", "numbers have no separators: `1000`"),
    (r"\d\s*%\s*$", "there is no per cent sign: `x * 0.5`"),
    (r"\b[fF][\"']", 'texts are joined: `text + string(number)`'),
    (r"[(,]\s*/[^/]+/", 'a pattern is a text: `text.matches("^a.c$")`'),
    (r"`[^`]*`", 'a text is in quotes: `"a"`'),
    (r"[$#@]", "names and numbers are written without signs: `x > 50`"),
    (r";", "one expression stands here; conditions are joined by `a && b`"),
)  # fmt: skip


COMMENT = re.compile(r"//\s*\d")
"""What looks like a division, and is none."""


def _word(name: str) -> str:
    return name.lower()


def call_hint(name: str, known: Collection[str] = ()) -> str | None:
    """What to write for a function or method of another language; nothing for what is `known`."""
    if name in known:
        return None
    word = _word(name)
    return _CALLS.get(word) or _CALLS.get(word.replace("_", ""))


def field_hint(name: str) -> str | None:
    """What to write for a property that values have in other languages."""
    return _FIELDS.get(_word(name))


def name_hint(name: str, known: Collection[str]) -> str | None:
    """The name of this language that a name elsewhere stands for, if it is in scope."""
    here = _NAME_OF.get(_word(name))
    return f"did you mean `{_SAID.get(here, here)}`?" if here in known and here else None


def syntax_hint(text: str, at: int) -> str | None:
    """What to write for the spelling of another language that stands at the offset."""
    for pattern, advice in _SYNTAX:
        for found in re.finditer(pattern, text, re.IGNORECASE):
            if found.start() <= at <= found.end():
                return advice
    return None


def advised() -> list[str]:
    """All advice of the tables."""
    return list(dict.fromkeys([*_CALLS.values(), *_FIELDS.values(), *(a for _, a in _SYNTAX)]))
