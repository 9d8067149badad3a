"""What a text says of the call that it answers: that it failed, that nobody knows, or neither.

Only how a text begins counts, so that a record or a memo that mentions a failure is none; the mark
of a refusal counts anywhere. What
surely was not carried out has failed; where a text reads like a failure, but may as well be about
something else, or the call may have had its effect before, nobody knows.
"""

from __future__ import annotations

import re
from enum import Enum

from ledger_verify.ledger.refusal_mark import MARK


class Sign(Enum):
    """What a part of an answer says of its call."""

    FINE = "fine"
    FAILED = "failed"
    FLAGGED = "flagged"
    """It failed, by a flag beside the content."""
    LOST = "lost"
    """If it failed, it may have happened all the same."""
    DOUBT = "doubt"
    """It may have failed, or nobody knows whether it took effect."""


LOOKED_AT = 2_000
"""Characters of a text in which signs are looked for."""

_LEAD = r"[\W_]{0,8}"
_WORD = r"[\w'\"`/#()\[\]-]+(?:[.:]\w+)*[,:]?"
_BEFORE = rf"(?:(?!(?:after|before|earlier|previous|once|if|when|first|no|not|never)\b){_WORD} )"
_RUN = r"(?:tools?|functions?|requests?|operation|execution|command|context|process|query)"
_STOPPED = r"(?:cancell?ed|interrupted|aborted|terminated|killed)"
_CUT = r"(?:reset|closed|aborted|lost|dropped|broken|interrupted|terminated|closing)"
_LINK = r"(?:connection|stream|socket|transport|session)"
_TIMED_OUT = (
    r"tim(?:ed|ing)[ _-]?out|timeout(?:error|exception|expired)"
    r"|time-?outs?(?=\W*$|\W*\n|[:.!,;)]| (?:after|of|while|when|waiting|exceeded|error|expired)"
    r"\b)"
    r"|(?<=\w)timeouts?\b|deadline[ _]?exceeded"
)
_ERRNO = r"\bE(?:TIMEDOUT|CONNRESET|CONNABORTED|PIPE|HOSTUNREACH|NETUNREACH|NETDOWN|INTR)\b"
_CUT_OFF = (
    rf"{_LINK}(?: to [\w.:-]+)?(?: was| has been| is)? {_CUT}|connection(?:reset|aborted)\w*"
    r"|broken ?pipe\w*|lost (?:the )?connection|server disconnected|socket hang ?up|premature close"
    r"|(?:server|host|peer|remote|remote end) (?:has )?closed|upstream connect error"
    r"|network (?:error|failure)|fetch failed|incomplete ?read\w*|unexpected (?:eof|end of file)"
    r"|(?:no|without an?y?) (?:response|reply|answer)\b|(?:did|does) not (?:respond|answer|reply)"
    r"|bad gateway|service unavailable|gateway time-?out|internal server error"
    r"|no (?:tool )?(?:result|output) (?:was )?(?:received|returned|available)"
    r"|(?:result|output)s? (?:is |was |are )?missing|outcome (?:is )?unknown"
    r"|code ?= ?(?:cancell?ed|deadlineexceeded|unavailable|unknown|internal|aborted)"
    r"|cancellederror|aborterror|keyboardinterrupt|systemexit"
)
_STOPPED_BY = (
    rf"{_STOPPED} by (?:the )?(?:user|client|caller|host|server|system|signal)"
    rf"|(?:user|caller|client) {_STOPPED}"
)
_RUN_STOPPED = (
    rf"{_RUN}\b[^.!?\n]{{0,80}}? (?:was |were |has been |is )?{_STOPPED}"
    rf"|(?:process|worker|command|server|container|tool) (?:has |was )?(?:crashed|died|killed)"
)
_SERVER = r"(?:HTTP(?:/[\d.]+)?|status(?: ?code)?|code)[ :=]*(?:5\d\d|408|499)\b"
_SERVER_LINE = (
    r"(?:5\d\d|408|499) (?:internal|bad gateway|service|gateway|server|request time|client)"
)

_LOST_ANYWHERE = re.compile(
    "|".join((_TIMED_OUT, _ERRNO, _CUT_OFF, _STOPPED_BY, _RUN_STOPPED, _SERVER, _SERVER_LINE))
    + rf"|^{_LEAD}(?:error|exception|failed|failure)?[\W_]*{_STOPPED}\b",
    re.IGNORECASE,
)
_LOST_AT_ONCE = re.compile(
    rf"{_LEAD}{_BEFORE}{{0,7}}?(?:(?:\w+\.)*\w*?(?:{_TIMED_OUT})|{_ERRNO}|{_CUT_OFF}|{_STOPPED_BY})"
    rf"|{_LEAD}{_BEFORE}{{0,3}}?(?:{_RUN_STOPPED}|{_SERVER}|{_SERVER_LINE})"
    rf"|{_LEAD}(?:{_STOPPED}|pending|(?:still )?(?:running|in progress)|unknown|sig(?:kill|term))"
    r"\W*$",
    re.IGNORECASE,
)
_PAGE = re.compile(r"\s*<(?:!doctype|html)\b[^\0]*?<(?:title|h1)>\s*(?:error )?([45]\d\d)", re.I)

_COUNT_OF_NONE = re.compile(
    r"[^:=\n]{0,40}[:=]\s*(?:0|none|nil|null|false|\[\])\W*(?:\n|$)", re.IGNORECASE
)
_COMPOUND = re.compile(r"[- ]?(?:free|less|prone|proof|correct\w*|safe|over|tolerant)\b", re.I)
_ERROR_WORD = re.compile(
    rf"{_LEAD}(?:(?:error|errors|exception|failed|failure|failures|fatal|traceback|panic"
    r"|uncaught|err)\b|\w*_error\b|err(?:or)?_\w+"
    r"|(?-i:(?:[\w$]+\.)*[A-Z]\w*(?:Error|Exception|Violation|Fault)\b)"
    r"|(?:(?:tool|validation|input validation|mcp|rpc|api|runtime|system|syntax|type|value"
    r"|argument|schema) errors?\b))",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s*$|\s*[^\w\s]|\s*\n|\s*-?\d"
    r"|\s+(?:to|with|at|on|in|due|because|while|during|after|when|from|for|of|code|occurred|error"
    r"|exception|validation|thread|(?!handling|reporting|logging|tracking|monitoring|checking)\w+ing"
    r")\b",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    rf"{_LEAD}(?:"
    r"(?:tool|function|method|action|command)\b[^.\n]{0,80}? (?:not found|does not exist|not exist"
    r"|is not available|not registered|is unknown)"
    r"|(?:unknown|invalid|unsupported|no such) (?:tool|function|method|action|command|arguments?"
    r"|parameters?|params|input|request)\b"
    r"|[\w'\"`.-]+ is not a valid (?:tool|function|command)|\d+ validation errors?\b"
    r"|(?:permission|access|authori[sz]ation|authentication) (?:was |is )?(?:denied|refused|failed"
    r"|required)|unauthori[sz]ed\b|forbidden\b|not found\b|bad request\b|not authori[sz]ed\b"
    r"|(?:HTTP(?:/[\d.]+)?|status(?: ?code)?)[ :=]*4\d\d\b"
    r"|4\d\d[ :-]+(?:bad request|unauthori|payment required|forbidden|not found|method not|conflict"
    r"|gone|unprocess|too many|client error|not acceptable|precondition|locked)"
    r"|tool(?: call| use| execution)? (?:was |has been )?(?:denied|rejected|refused|blocked"
    r"|declined|skipped|disallowed|failed|not (?:executed|run|permitted|allowed))"
    r"|(?:the )?(?:user|human|operator) (?:has |have )?(?:denied|rejected|declined|refused)"
    r"|the user (?:doesn.t|does not|did not|didn.t) want"
    r"|(?:rejected|denied|declined|blocked) by (?:the )?(?:user|human|operator|hook|policy)"
    r"|execution (?:was )?(?:denied|rejected|blocked)"
    r"|(?:connect )?(?:ECONNREFUSED|ENOTFOUND)\b|connection refused"
    r"|(?:process |command )?exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]\d*\b)",
    re.IGNORECASE,
)
_READS_BADLY = re.compile(
    rf"{_LEAD}(?:an? (?:\w+ ){{0,2}}?(?:error|exception|problem) (?:has )?occurred"
    r"|there was an? (?:\w+ )?(?:error|problem)|something went wrong|internal (?:server )?error"
    r"|(?:unable|failing) to|could ?n[o']t|cannot|can't|was not able|not able to|unfortunately"
    r"|rejected:|(?:payment|card|transaction|charge|request) (?:was |has been )?(?:declined|denied"
    r"|refused)"
    r"|(?:(?!no\b|not\b|without\b|none\b|never\b|zero\b|earlier\b|previously\b|\d)"
    r"[\w'\"`-]+ ){1,4}?(?:failed|unsuccessful|errored)(?=\W*$|\W*\n|[:.!,;]| (?:to|with|because"
    r"|due|at|on)\b))",
    re.IGNORECASE,
)


def speaks_of_loss(text: str) -> bool:
    """Whether a text of a failure says that the call may have happened all the same."""
    return _LOST_ANYWHERE.search(text[:LOOKED_AT]) is not None


def text_sign(text: str) -> Sign | None:
    """The sign with which a text begins, None for a text like any other."""
    if MARK in text:
        return Sign.DOUBT  # of a refusal that is cut off, summarised or quoted nobody knows
    head = text[:LOOKED_AT]
    page = _PAGE.match(head)
    if page is not None:
        return Sign.DOUBT if page[1][0] == "5" or page[1] == "408" else Sign.FAILED
    word = _ERROR_WORD.match(head)
    if word is not None:
        rest = head[word.end() :]
        if _COMPOUND.match(rest) or _COUNT_OF_NONE.match(rest):
            return None
        lost = speaks_of_loss(head) or speaks_of_loss(rest)
        if lost or not _GOES_ON.match(rest):
            return Sign.DOUBT
        return Sign.FAILED
    if _LOST_AT_ONCE.match(head):
        return Sign.DOUBT
    if _NOT_DONE.match(head):
        return Sign.DOUBT if speaks_of_loss(head) else Sign.FAILED
    return Sign.DOUBT if _READS_BADLY.match(head) else None
