"""Rule templates: rules with declared parameters, one a file of `rules/`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ledger_verify.lang.errors import InputError, near_match
from ledger_verify.policy.documents import TemplateDocument, validate
from ledger_verify.policy.yaml_file import YamlFile, read_yaml


@dataclass(frozen=True)
class Template:
    """A template and the file that it came from."""

    file: YamlFile
    document: TemplateDocument

    @property
    def summary(self) -> str:
        """The first sentence of the description."""
        text = " ".join(self.document.description.split())
        return re.split(r"(?<=[.:;]) ", text, maxsplit=1)[0].rstrip(".:;")

    def is_in(self, folder: Path) -> bool:
        """Whether the file lies directly in the folder."""
        return Path(self.file.name).parent == folder


def load_template(path: Path) -> Template:
    """Read one template; raises `InputError`."""
    file = read_yaml(path)
    document = validate(TemplateDocument, file)
    if document.name != path.stem:
        raise file.error(f"template `{document.name}` must be in `{document.name}.yaml`", ("name",))
    return Template(file, document)


@dataclass(frozen=True)
class TemplateLibrary:
    """Templates found in folders; an earlier folder hides the same name of a later one."""

    paths: Mapping[str, Path]
    used: dict[str, Template] = field(default_factory=dict, compare=False)
    """The templates that were asked for so far, each read once."""

    @classmethod
    def of(cls, *folders: Path) -> TemplateLibrary:
        """The templates of the folders that exist."""
        paths: dict[str, Path] = {}
        for folder in folders:
            for path in sorted(folder.glob("*.yaml")):
                paths.setdefault(path.stem, path)
        return cls(paths)

    def get(self, name: str) -> Template:
        """The template of that name; raises `InputError` with a near match."""
        path = self.paths.get(name)
        if path is None:
            raise InputError(f"no rule template `{name}`", hint=near_match(name, self.paths))
        if name not in self.used:
            self.used[name] = load_template(path)
        return self.used[name]

    def __iter__(self) -> Iterator[Template]:
        """All templates, by name; raises `InputError` for a file that is none."""
        return (load_template(self.paths[name]) for name in sorted(self.paths))
