"""What happens in a conversation, in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from ledger_verify.conversation.parts import AGENT
from ledger_verify.ledger.outcomes import Outcome


@dataclass(frozen=True)
class Proposed:
    """A call that somebody wants to make.

    `index` counts the calls of the same side, `position` the messages, both from 0. `arguments` is
    JSON, or the text that stands where JSON should be. `at_us` is when it was written, in
    microseconds since 1970, if the message says so.
    """

    index: int
    position: int
    id: str | None
    name: str
    arguments: Any
    by: str = AGENT
    at_us: int | None = None


@dataclass(frozen=True)
class Answered:
    """The answer to a call, with what became of it by its signs.

    `content` is the answer `raw` without its wrapping, `flagged` what a flag of the format, or the
    caller, says of whether the call failed. What a domain says of its tools' results is not known
    here: `Session.observe` decides, from `raw` and `flagged`.
    """

    call: Proposed
    position: int
    outcome: Outcome
    content: Any
    raw: Any
    flagged: bool | None = None
    at_us: int | None = None


@dataclass(frozen=True)
class Refused:
    """A call is answered by the gate's own refusal with that verdict; it did not run."""

    call: Proposed
    position: int
    verdict: str
    at_us: int | None = None


@dataclass(frozen=True)
class Unanswered:
    """The conversation went on although a call had no answer: whether it ran is not known."""

    call: Proposed
    position: int


@dataclass(frozen=True)
class Said:
    """Somebody wrote a text; `role` is `user`, `assistant`, `system`, or a word of the format."""

    position: int
    role: str
    text: str
    at_us: int | None = None


Event: TypeAlias = Proposed | Answered | Refused | Unanswered | Said
