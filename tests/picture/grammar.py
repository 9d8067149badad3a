"""As much of the grammars of Mermaid and DOT as the pictures use, line by line."""

import re

_LABEL = r'"(?:[^"#&<>`]|#\d+;|<br/>)*"'
_MERMAID = [
    r"flowchart LR",
    r"  acc(?:Title|Descr): [^\n;{}]+",
    rf"  subgraph \w+\[{_LABEL}\]",
    r"  end",
    rf"    n\d+(?:\[{_LABEL}\]|\[\({_LABEL}\)\]|\{{\{{{_LABEL}\}}\}}|\[\[{_LABEL}\]\])",
    rf"  n\d+ (?:-->|-\.->|==>)(?:\|{_LABEL}\|)? n\d+",
    r"  classDef (?:error|warning) [\w:,#-]+",
    r"  class n\d+(?:,n\d+)* (?:error|warning)",
]
_QUOTED = r'"(?:[^"\\\n]|\\.)*"'
_SETTING = rf"\w+=(?:\w+|{_QUOTED})"
_SETTINGS = rf"\[{_SETTING}(?:, {_SETTING})*\]"
_DOT = [
    rf"digraph {_QUOTED} \{{",
    rf"  {_SETTING}(?:; {_SETTING})*;",
    rf"  (?:node|edge) {_SETTINGS};",
    rf'  "n\d+" {_SETTINGS};',
    r'  \{ rank=same; "n\d+"(?:; "n\d+")*; \}',
    rf'  "n\d+" -> "n\d+"(?: {_SETTINGS})?;',
    r"\}",
]


def mermaid_errors(text: str) -> list[str]:
    """The lines that are none of a flowchart."""
    return _errors(text, _MERMAID)


def dot_errors(text: str) -> list[str]:
    """The lines that are none of a digraph."""
    return _errors(text, _DOT)


def _errors(text: str, forms: list[str]) -> list[str]:
    form = re.compile("|".join(f"(?:{form})" for form in forms))
    return [line for line in text.splitlines() if not form.fullmatch(line)]
