"""What a tool asks for as rules, so that two policies are compared in that, too."""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.lang.typed import Apply, Constant, Expr, FieldOf, HasField, Or, Variable
from ledger_verify.lang.types import BOOL, NULL, NullableType
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Otherwise, Rule


def asked(domain: Domain, name: str) -> Iterator[Rule]:
    """For each argument that only the user can give, that it is not given, or null, or was said."""
    tool = domain.tools[name]
    args = Variable("args", tool.arguments)
    place = domain.sources["domain"].locate(("tools", name))
    for argument, said in tool.asks.items():
        declared = tool.arguments.by_name[argument]
        ways: list[Expr] = [said]
        if isinstance(declared.type, NullableType):
            value = FieldOf(args, argument, declared.type)
            ways.insert(0, Apply("eq", (value, Constant(None, NULL)), BOOL))
        if declared.optional:
            ways.insert(0, Apply("not", (HasField(args, argument),), BOOL))
        yield Rule(
            id=f"asks {argument}",
            tool=name,
            when=None,
            require=Or(tuple(ways)) if len(ways) > 1 else said,
            otherwise=Otherwise.REVISE,
            message=(f"the user never said `{argument}`",),
            clause="",
            location=place,
            places={},
        )
