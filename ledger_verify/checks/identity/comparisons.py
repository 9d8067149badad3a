"""Where rules compare the owner of a record with an identity that was read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ledger_verify.lang.environment import SESSION
from ledger_verify.lang.typed import Apply, Expr, FieldOf, Read, Variable, distinct, walk
from ledger_verify.lang.types import BOOL, IntType, RecordType, StringType, Type, strip_null
from ledger_verify.policy.domain import Domain
from ledger_verify.policy.rules import Rule
from ledger_verify.policy.tools import Observation, Tool, ToolKind


@dataclass(frozen=True)
class Comparison:
    """The condition `at`: the `owner` of a record that the call names is the `identity`, which is
    the record at `pattern` or a field of it.
    """

    at: Expr
    owner: Expr
    identity: Expr
    pattern: str


def comparisons(domain: Domain, rule: Rule) -> Iterator[Comparison]:
    """Those of a rule, each once.

    The owner is a field of a record that arguments lead to; the identity is at a path without keys.
    An argument that names what the call touches counts as its own record: it may be looked for in
    a list of the identity.
    """
    for part in distinct(rule.holds):
        match part:
            case Apply(operation="eq", operands=(left, right)):
                sides = [(left, right), (right, left)]
            case Apply(operation="in_list", operands=(left, right)):
                sides = [(left, right)] if _names_record(domain.tools[rule.tool], left) else []
            case _:
                continue
        for owner, identity in sides:
            pattern = _read_alone(identity)
            listed = part.operation == "in_list"
            if pattern is not None and _is_id(owner.type) and (listed or _is_owner(owner)):
                yield Comparison(part, owner, identity, pattern)
                break


def _is_owner(expr: Expr) -> bool:
    """Whether it is a field of a record to which arguments of the call lead."""
    match expr:
        case FieldOf(of=FieldOf() as inner):
            return _is_owner(inner)
        case FieldOf(of=Read(keys=keys)):
            return any(_is_argument(part) for key in keys for part in walk(key))
    return False


def _names_record(tool: Tool, expr: Expr) -> bool:
    """Whether it is what the call names a record by that it touches."""
    return _is_argument(expr) and any(expr in touch.keys for touch in tool.touches)


def _is_argument(expr: Expr) -> bool:
    return isinstance(expr, FieldOf) and isinstance(expr.of, Variable) and expr.of.name == "args"


def _read_alone(expr: Expr) -> str | None:
    """The path without keys that the expression is at, or a field of."""
    match expr:
        case FieldOf(of=of):
            return _read_alone(of)
        case Read(pattern=pattern, keys=()):
            return pattern
    return None


def _is_id(type_: Type) -> bool:
    bare = strip_null(type_)
    return isinstance(bare, IntType) or (isinstance(bare, StringType) and bare.enum is None)


def choosing_reads(domain: Domain, pattern: str) -> list[tuple[Tool, Observation]]:
    """The reads by which the agent can choose itself what stands at the path.

    They take an id or a text, none of which only the user can give, and do not identify the user.
    """
    return [
        (tool, observation)
        for tool in domain.tools.values()
        if tool.kind is ToolKind.READ and not tool.by_user
        for observation in tool.observes
        if observation.pattern == pattern and _chooses(tool, pattern)
    ]


def _chooses(tool: Tool, pattern: str) -> bool:
    chosen = [name for name, field in tool.arguments.fields if _is_id(field.type)]
    asked = any(name in tool.asks for name in chosen)
    return bool(chosen) and not asked and getattr(tool, "identifies", None) != pattern


def somebody_else(domain: Domain, identity: Expr) -> tuple[Expr, ...]:
    """That no fact of the session is the identity: whoever that is, the host did not say so."""
    session = domain.session
    if session is None:
        return ()
    facts = Variable(SESSION, session)
    return tuple(
        Apply("ne", (FieldOf(facts, name, field.type), identity), BOOL)
        for name, field in session.fields
        if not field.optional
        and not isinstance(strip_null(field.type), RecordType)
        and type(strip_null(field.type)) is type(strip_null(identity.type))
    )
