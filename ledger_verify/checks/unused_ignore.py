"""An entry of `ignore` accepts no finding, or names no check.

It tells of a defect that is not there, and would hide one that comes later. Delete it.

Faulty:

    rules:
      - id: one
        tools: [ship]
        require: args.parcels >= 1
        clause: One at least.
        ignore: {LV102: holds of every shipment}

Right:

    rules:
      - id: one
        tools: [ship]
        require: args.parcels >= 0
        clause: No shipment is negative.
        ignore: {LV102: kept for the audit}

Looked at are the `ignore`s of rules and tools, each entry under the code or the name of a check. An
entry for a check that did not run is not blamed (`--select`, `--ignore`). Findings of
`unknown_tool` and of this check cannot be accepted, nor those on types and templates, which have no
`ignore`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ledger_verify.checks.base.finding import About, Claim
from ledger_verify.checks.base.job import Used
from ledger_verify.checks.base.reporting import file_finding
from ledger_verify.lang.errors import near_match
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.regions import key_region
from ledger_verify.policy.yaml_file import DataPath, YamlFile

ABOUT = About("LV209", "unused_ignore", "warning", can_be_ignored=False)


def review(domain: Domain, ran: Collection[About], used: Used) -> Iterator[Claim]:
    """One claim for each entry of an `ignore`."""
    from ledger_verify.checks.catalog import abouts  # which lists this check as well

    known = {name: about for about in abouts() for name in (about.code, about.name)}
    judged = {rule.id for rule in domain.rules}
    for owner, section, path, file in _entries(domain):
        name = str(path[-1])
        about = known.get(name)
        if about is None:
            problem, fix = f"`{name}` is no check", near_match(name, known)
        elif not about.can_be_ignored:
            problem, fix = f"findings of `{about.name}` cannot be ignored", None
        elif (
            (section, owner, name) in used
            or about not in ran
            or (section == "rules" and owner not in judged)
        ):
            yield Claim()
            continue
        else:
            problem, fix = f"`{about.name}` has nothing to say of `{owner}`", None
        place = key_region(file, path)
        yield file_finding(
            ABOUT,
            f"this `ignore` accepts no finding: {problem}",
            place.start,
            end=place.end,
            rules=[owner] if section == "rules" else [],
            tools=[owner] if section == "tools" else [],
            fix=fix or "delete the entry",
        )


def _entries(domain: Domain) -> Iterator[tuple[str, str, DataPath, YamlFile]]:
    """The id of the rule or the name of the tool, the section, and the place of each entry."""
    file = domain.sources.get("policy")
    if file is not None:
        for index, rule in enumerate(file.data.get("rules") or ()):
            for name in rule.get("ignore", ()):
                owner = rule.get("id") or rule["use"]
                yield owner, "rules", ("rules", index, "ignore", name), file
    file = domain.sources["domain"]
    for owner, tool in file.data["tools"].items():
        for name in tool.get("ignore", ()):
            yield owner, "tools", ("tools", owner, "ignore", name), file
