"""The names that an expression takes from its scope."""

from __future__ import annotations

from ledger_verify.lang.macros import MACROS, variables_bound
from ledger_verify.lang.syntax import Call, Name, Node, children


def names_read(node: Node) -> frozenset[str]:
    """The names that an expression starts from; the variables of its macros are its own."""
    found: set[str] = set()
    pending: list[tuple[Node, frozenset[str]]] = [(node, frozenset())]
    while pending:
        current, hidden = pending.pop()
        match current:
            case Name(name=name):
                if name not in hidden:
                    found.add(name)
            case Call(function=function, target=Node() as target, arguments=arguments) if (
                function in MACROS
            ):
                pending.append((target, hidden))
                count = variables_bound(function, len(arguments))
                own = {part.name for part in arguments[:count] if isinstance(part, Name)}
                pending += [(body, hidden | own) for body in arguments[count:]]
            case _:
                pending += [(child, hidden) for child in children(current)]
    return frozenset(found)
