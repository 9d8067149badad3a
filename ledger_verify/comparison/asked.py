"""What a tool asks for as rules, so that two policies are compared in that, too."""

from __future__ import annotations

from collections.abc import Iterator

from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.typed import (
    And,
    Apply,
    Constant,
    Expr,
    FieldOf,
    HasField,
    Or,
    Read,
    Variable,
)
from ledger_verify.lang.types import (
    BOOL,
    NULL,
    IntType,
    ListType,
    NullableType,
    NumberType,
    RecordType,
    Type,
    strip_null,
)
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.identity import identity_type, key_argument
from ledger_verify.policy.rules import Otherwise, Rule


def asked(domain: Domain, name: str) -> Iterator[Rule]:
    """For each argument that only the user can give, that it is not given, or null, or was said, or
    is known: by the session fact of its name, or as the one whom the conversation is with.
    """
    tool = domain.tools[name]
    args = Variable("args", tool.arguments)
    place = domain.sources["domain"].locate(("tools", name))
    for argument, said in tool.asks.items():
        declared = tool.arguments.by_name[argument]
        value = FieldOf(args, argument, declared.type)
        ways: list[Expr] = [*_known(domain, name, value), said]
        if isinstance(declared.type, NullableType):
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


def _known(domain: Domain, name: str, value: FieldOf) -> Iterator[Expr]:
    """That the value is one which needs no word of the user."""
    tool, argument, facts = domain.tools[name], value.field_name, domain.session
    if facts is not None and argument in facts.by_name:
        session, fact = Variable(SESSION, facts), facts.by_name[argument]
        if _comparable(fact.type, value.type):
            same = Apply("eq", (FieldOf(session, argument, fact.type), value), BOOL)
            yield And((HasField(session, argument), same)) if fact.optional else same
    if tool.identifies is None or argument != key_argument(tool, domain.ledger[tool.identifies]):
        return
    spec = domain.ledger[tool.identifies]
    who = identity_type(spec)
    if spec.identity is not None and _comparable(who, value.type):
        # no other record than that of whom the conversation is with gets there
        record = Read(spec.text, (), spec.record)
        yield Apply("eq", (FieldOf(record, spec.identity, who), value), BOOL)


def _comparable(one: Type, other: Type) -> bool:
    """Whether values of the types can be equal."""
    one, other = strip_null(one), strip_null(other)
    if isinstance(one, ListType) and isinstance(other, ListType):
        return _comparable(one.item, other.item)
    if isinstance(one, RecordType):
        return False
    numbers = IntType | NumberType
    return type(one) is type(other) or (isinstance(one, numbers) and isinstance(other, numbers))
