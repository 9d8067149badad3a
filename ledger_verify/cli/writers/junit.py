"""Findings as JUnit XML, which most CI systems show as tests.

A check without findings is a passed test case; else every finding is a test case of its own, since
many readers take the first failure of a test case only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ledger_verify.cli.findings import details
from ledger_verify.cli.output import printable
from ledger_verify.cli.writers.section import Section

if TYPE_CHECKING:
    from ledger_verify.checks.base.finding import Finding

_RESULTS = ("failure", "error", "skipped")


def junit_xml(sections: Sequence[Section]) -> str:
    """The document, in ASCII: a test suite for each section.

    A defect is a failure, an undecided question an error, an ignored finding a skipped test.
    """
    root = Element("testsuites", name="ledger-verify")
    for section in sections:
        cases = list(_cases(section))
        attributes = {"name": printable(section.name), "tests": str(len(cases)), **_counts(cases)}
        suite = Element("testsuite", attributes, time=_seconds(sum(section.seconds.values())))
        suite.extend(cases)
        root.append(suite)
    every = [case for suite in root for case in suite]
    root.set("tests", str(len(every)))
    for name, count in _counts(every).items():
        if name != "skipped":
            root.set(name, count)
    root.set("time", _seconds(sum(sum(s.seconds.values()) for s in sections)))
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="us-ascii", xml_declaration=True)
    return document.decode("ascii") + "\n"


def _cases(section: Section) -> Iterator[Element]:
    found = [*((f, None) for f in section.findings), *section.ignored]
    checks = dict.fromkeys([*section.seconds, *(finding.check for finding, _ in found)])
    for check in checks:
        time = section.seconds.get(check, 0)
        own = [(finding, reason) for finding, reason in found if finding.check == check]
        if not own:
            yield _case(section, check, time)
        for finding, reason in own:
            rules = ", ".join(finding.rules or finding.tools)
            case = _case(section, f"{check}: {rules}" if rules else check, time)
            case.append(_result(finding, reason))
            yield case
            time = 0  # the time of the check counts once


def _case(section: Section, name: str, seconds: float) -> Element:
    class_name = f"ledger-verify.{printable(section.name)}"
    return Element("testcase", classname=class_name, name=printable(name), time=_seconds(seconds))


def _result(finding: Finding, reason: str | None) -> Element:
    if reason is not None:
        return Element("skipped", message=printable(f"{finding.code} is ignored: {reason}"))
    result = Element(
        "error" if finding.severity == "undecided" else "failure",
        message=printable(finding.message),
        type=finding.code,
    )
    head = f"{finding.location}: {finding.severity}[{finding.code}] {finding.message}"
    result.text = "\n".join([printable(head), *(f"  {line}" for line in details(finding))])
    return result


def _counts(cases: Sequence[Element]) -> dict[str, str]:
    names = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    return {
        names[result]: str(sum(case.find(result) is not None for case in cases))
        for result in _RESULTS
    }


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"
