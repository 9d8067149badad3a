"""Where the bundled domains and rule templates are: in a checkout, or inside the package."""

from __future__ import annotations

from pathlib import Path

from ledger_verify.lang.errors import InputError, near_match


def data_folder(kind: str) -> Path:
    """The folder `domains` or `rules`."""
    package = Path(__file__).resolve().parent.parent
    packaged = package / "_data" / kind
    return packaged if packaged.is_dir() else package.parent / kind


def bundled_domains() -> list[str]:
    """The names of the domains that come with the package."""
    folder = data_folder("domains")
    return sorted(path.parent.name for path in folder.glob("*/domain.yaml"))


def find_domain(name_or_folder: str) -> Path:
    """The folder of a bundled domain or of a path; raises `InputError`.

    A bundled name wins over a folder of the same name in the working directory; `./name` means
    the folder.
    """
    bundled = data_folder("domains") / name_or_folder
    if name_or_folder in bundled_domains():
        return bundled
    folder = Path(name_or_folder)
    if (folder / "domain.yaml").is_file():
        return folder
    if folder.is_file():
        raise InputError(
            f"`{name_or_folder}` is a file", hint=f"give its folder, `{folder.parent}`"
        )
    if folder.is_dir():
        raise InputError(f"`{name_or_folder}` has no `domain.yaml`")
    hint = near_match(name_or_folder, bundled_domains())
    raise InputError(f"no domain or folder `{name_or_folder}`", hint=hint)
