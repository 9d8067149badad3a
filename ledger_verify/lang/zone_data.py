"""The data of time zones, by which answers about times go out of date."""

from __future__ import annotations

import functools
import hashlib
import zoneinfo
from importlib import resources
from pathlib import Path


def zone_data(name: str) -> str:
    """A name for the data that the zone of this name has now; empty for an offset."""
    return digest(name, tuple(zoneinfo.TZPATH))


@functools.lru_cache(maxsize=64)
def digest(name: str, folders: tuple[str, ...]) -> str:
    """A digest of the file of the zone in the first of the folders that has one, read once."""
    for folder in folders:
        path = Path(folder, name)
        if path.is_file():
            return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    try:
        bundled = resources.files("tzdata").joinpath("zoneinfo", *name.split("/"))
        if bundled.is_file():
            return hashlib.blake2b(bundled.read_bytes(), digest_size=16).hexdigest()
    except ModuleNotFoundError:
        pass
    return ""
