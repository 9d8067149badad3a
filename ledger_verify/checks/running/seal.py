"""The seal on kept answers: only who knows the key can put an answer there that is believed.

The key is a secret of this machine and user, made when it is first needed, or the one that
`LEDGER_VERIFY_CACHE_KEY` gives to all machines that share a folder of answers.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path

SHARED_KEY = "LEDGER_VERIFY_CACHE_KEY"
_LENGTH = 32


@dataclass(frozen=True)
class Seal:
    """Seals texts with a key."""

    key: bytes = field(repr=False)

    def of(self, *texts: str) -> bytes:
        """The seal of some texts in their order."""
        made = hmac.new(self.key, digestmod=hashlib.sha256)
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            made.update(len(data).to_bytes(8, "big"))
            made.update(data)
        return made.digest()

    def fits(self, seal: object, *texts: str) -> bool:
        """Whether this is the seal of the texts."""
        return isinstance(seal, bytes) and hmac.compare_digest(seal, self.of(*texts))


def seal_of_this_user() -> Seal | None:
    """The seal by the shared key, else by the secret of this machine and user.

    None where there is no secret that only the user can read: then nothing can be believed.
    """
    shared = os.environ.get(SHARED_KEY)
    if shared:
        return Seal(hashlib.sha256(shared.encode("utf-8", "surrogateescape")).digest())
    try:
        key = _secret(_folder() / "cache.key")
    except (OSError, RuntimeError):  # no folder to write to, no home
        return None
    return None if key is None else Seal(key)


def _folder() -> Path:
    """Where a user's programs keep what is no cache, never within the folder of answers."""
    users = os.environ.get("XDG_STATE_HOME")
    return (Path(users) if users else Path.home() / ".local" / "state") / "ledger-verify"


def _secret(path: Path) -> bytes | None:
    """The secret in the file, which is made if there is none; None if others can get at it."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        _make(path)
    with path.open("rb") as file:
        about = os.fstat(file.fileno())
        others = stat.S_IMODE(about.st_mode) & 0o077
        if os.name == "posix" and (others or about.st_uid != os.getuid()):
            return None
        key = file.read()
    return key if len(key) == _LENGTH else None


def _make(path: Path) -> None:
    """Write a new secret; of several processes that do so at once, one wins."""
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_LENGTH))
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
