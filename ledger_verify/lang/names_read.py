"""The names that an expression takes from its scope."""

from __future__ import annotations

from ledger_verify.lang.syntax import Call, Name, Node, children
from ledger_verify.lang.typed import FoldKind

_MACROS = frozenset(kind.value for kind in FoldKind)


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
            case Call(function=function, target=Node() as target, arguments=(Name() as own, *rest)):
                pending.append((target, hidden))
                if function in _MACROS:
                    pending += [(body, hidden | {own.name}) for body in rest]
                else:
                    pending += [(argument, hidden) for argument in (own, *rest)]
            case _:
                pending += [(child, hidden) for child in children(current)]
    return frozenset(found)
