"""The type checker: syntax tree to typed expression, or an error that says where and why."""

from __future__ import annotations

from ledger_verify.lang import calls, doubles, fold
from ledger_verify.lang.containers import list_of, map_of, narrowed
from ledger_verify.lang.conversions import conversion_hint, membership_hint, truth_hint
from ledger_verify.lang.environment import Environment, earlier_calls
from ledger_verify.lang.errors import (
    BadConstant,
    Span,
    SyntaxProblem,
    TextPlace,
    TypeProblem,
    UnknownName,
    Unsupported,
    near_match,
)
from ledger_verify.lang.foreign import COMMENT, field_hint, name_hint
from ledger_verify.lang.ledger_path import LedgerPath, descend, pattern_hint
from ledger_verify.lang.overloads import COMPARISONS, OPERATORS, ORDERED, TYPE_NAMES, fits, resolve
from ledger_verify.lang.parse import parse, too_deep
from ledger_verify.lang.syntax import (
    Binary,
    Call,
    Conditional,
    Index,
    ListLiteral,
    Literal,
    MapLiteral,
    Name,
    Node,
    Select,
    Unary,
)
from ledger_verify.lang.typed import (
    And,
    Choose,
    Constant,
    Expr,
    FieldOf,
    Or,
    Variable,
    measure,
)
from ledger_verify.lang.types import (
    BOOL,
    INT,
    NULL,
    NUMBER,
    STRING,
    ListType,
    MapType,
    NullableType,
    RecordType,
    Type,
    UnsettledType,
    join,
    strip_null,
)

MAX_DEPTH = 150
"""Levels of a typed expression, so that no evaluator runs out of stack."""
MAX_SIZE = 50_000
"""Nodes of a typed expression with its `let`s written out."""


def check_text(text: str, environment: Environment, place: TextPlace | None = None) -> Expr:
    """Parse and type-check an expression, which stands at `place`.

    Raises `SyntaxProblem`, `TypeProblem` or `Unsupported`, each with its span in `text`.
    """
    node = parse(text, place)
    try:
        expr = check(node, environment)
    except RecursionError:
        raise too_deep(node.span) from None
    levels, size = measure(expr)  # `let`s can make it more than the text
    if levels > MAX_DEPTH:
        raise too_deep(node.span)
    if size > MAX_SIZE:
        raise SyntaxProblem(
            f"expression has more than {MAX_SIZE} parts with its `let`s written out", node.span
        )
    return expr


def check_predicate(text: str, environment: Environment, place: TextPlace | None = None) -> Expr:
    """Like `check_text`, for an expression that must be of type bool."""
    expr = check_text(text, environment, place)
    try:
        require_bool(expr)
    except TypeProblem as problem:
        if COMMENT.search(text):
            problem.hint = "what follows `//` is a comment; whole numbers are divided by `/`"
        raise
    return expr


def require_bool(expr: Expr) -> None:
    """Raise `TypeProblem` unless the expression is of type bool."""
    if not fits(expr.type, "bool"):
        told = f"expected a bool, found a value of type {expr.type}"
        raise TypeProblem(told, expr.span, hint=truth_hint(expr.type))


def check(node: Node, environment: Environment) -> Expr:
    """The typed expression of a syntax tree; raises `TypeProblem` or `Unsupported`."""
    result = _check(node, environment)
    if isinstance(result, LedgerPath):
        raise TypeProblem(
            f"`{result}` is not a record",
            result.span,
            hint=pattern_hint(result, environment),
        )
    return result


def _check(node: Node, environment: Environment) -> Expr | LedgerPath:
    match node:
        case Literal():
            return _literal(node)
        case Name():
            return _name(node, environment)
        case Select():
            return _select(node, environment)
        case Index():
            return _index(node, environment)
        case Call():
            return calls.check_call(node, environment, check)
        case Unary(operator=operator, operand=operand, span=span):
            return operate(operator, (check(operand, environment),), span)
        case Binary(operator=("&&" | "||") as operator):
            return _junction(operator, node, environment)
        case Binary():
            return _binary(node, environment)
        case Conditional():
            return _conditional(node, environment)
        case ListLiteral(items=items, span=span):
            return list_of(tuple(check(item, environment) for item in items), span)
        case MapLiteral(entries=entries, span=span):
            checked = ((check(k, environment), check(v, environment)) for k, v in entries)
            return map_of(tuple(checked), span)
    raise AssertionError(node)


def _literal(node: Literal) -> Constant:
    value = node.value
    match value:
        case bool():
            return Constant(value, BOOL, node.span)
        case int():
            return Constant(value, INT, node.span)
        case str():
            return Constant(value, STRING, node.span)
        case None:
            return Constant(None, NULL, node.span)
    whole = value.numerator if value.denominator == 1 else value
    return Constant(whole, NUMBER, node.span)


def _name(node: Name, environment: Environment) -> Expr | LedgerPath:
    name = node.name
    if name in environment.lets:
        return environment.lets[name]
    if name in environment.names:
        return Variable(name, environment.names[name], node.span)
    if name == "ledger" and environment.ledger:
        return LedgerPath((), (), node.span)
    if name == "history" and environment.history:
        return Variable("history", earlier_calls(None, None, environment.history), node.span)
    if name in TYPE_NAMES:
        raise Unsupported(f"the type `{name}` as a value", node.span)
    known = environment.known_names()
    raise UnknownName(name, node.span, known, hint=name_hint(name, known))


def _select(node: Select, environment: Environment) -> Expr | LedgerPath:
    of = _check(node.of, environment)
    if isinstance(of, Variable) and of.name == "history":
        return _earlier_calls(node.field_name, node.span, environment)
    if isinstance(of, LedgerPath):
        return descend(of, node.field_name, None, node.span, environment)
    type_ = strip_null(of.type)
    if isinstance(type_, MapType):
        if isinstance(type_.value, UnsettledType):
            raise BadConstant("an empty map has no entries", node.span)
        key = Constant(node.field_name, STRING, node.span)
        return fold.apply("value_at", (of, key), type_.value, node.span)
    if not isinstance(type_, RecordType):
        told = f"a value of type {of.type} has no field `{node.field_name}`"
        raise TypeProblem(told, node.span, hint=field_hint(node.field_name))
    return FieldOf(of, node.field_name, field_of(type_, node.field_name, node.span), node.span)


def _earlier_calls(tool: str, span: Span, environment: Environment) -> Expr:
    arguments = environment.history.get(tool)
    if arguments is None:
        hint = near_match(tool, environment.history)
        raise TypeProblem(f"`history` has no tool `{tool}`", span, hint=hint)
    return Variable(f"history.{tool}", earlier_calls(tool, arguments), span)


def field_of(record: RecordType, name: str, span: Span) -> Type:
    """The type of a record's field; raises `TypeProblem` with a near match."""
    field = record.by_name.get(name)
    if field is None:
        raise TypeProblem(
            f"`{record.name}` has no field `{name}`", span, hint=near_match(name, record.by_name)
        )
    return field.type


def _index(node: Index, environment: Environment) -> Expr | LedgerPath:
    of = _check(node.of, environment)
    key = check(node.key, environment)
    if isinstance(of, LedgerPath):
        return descend(of, None, key, node.span, environment)
    match strip_null(of.type):
        case ListType(item=UnsettledType()):
            raise BadConstant("an empty list has no items", node.span)
        case ListType(item=item) if fits(key.type, "int"):
            return fold.apply("item_at", (of, key), item, node.span)
        case MapType(value=UnsettledType()):
            raise BadConstant("an empty map has no entries", node.span)
        case MapType(value=value) if fits(key.type, "string"):
            return fold.apply("value_at", (of, key), value, node.span)
        case ListType() | MapType():
            wanted = "an int" if isinstance(strip_null(of.type), ListType) else "a string"
            raise TypeProblem(
                f"{of.type} is indexed by {wanted}, not by a value of type {key.type}", key.span
            )
        case RecordType() as record if isinstance(key, Constant) and isinstance(key.value, str):
            return FieldOf(of, key.value, field_of(record, key.value, key.span), node.span)
    raise TypeProblem(f"a value of type {of.type} cannot be indexed", node.span)


def _junction(operator: str, node: Binary, environment: Environment) -> Expr:
    kind = And if operator == "&&" else Or
    operands: list[Expr] = []
    pending: list[Node] = [node]
    while pending:  # flattened, so that long chains stay shallow
        current = pending.pop()
        if isinstance(current, Binary) and current.operator == operator:
            pending += [current.right, current.left]
            continue
        operand = check(current, environment)
        require_bool(operand)
        operands.append(operand)
    return kind(tuple(operands), node.span)


def _binary(node: Binary, environment: Environment) -> Expr:
    left, right = check(node.left, environment), check(node.right, environment)
    if node.operator in ("==", "!="):
        if join(left.type, right.type) is None:
            hint = _chain_hint(node) or conversion_hint(left, right, environment.timezone)
            raise TypeProblem(f"{left.type} and {right.type} are never equal", node.span, hint=hint)
        operation = "eq" if node.operator == "==" else "ne"
        return fold.apply(operation, (left, right), BOOL, node.span)
    if node.operator == "in":
        return _membership(left, right, node.span, environment.timezone)
    if node.operator in COMPARISONS:
        common = join(strip_null(left.type), strip_null(right.type))
        if common is None or not any(fits(common, kind) for kind in ORDERED):
            raise TypeProblem(
                f"{left.type} and {right.type} cannot be compared by `{node.operator}`",
                node.span,
                hint=_chain_hint(node) or conversion_hint(left, right, environment.timezone),
            )
        return fold.apply(COMPARISONS[node.operator], (left, right), BOOL, node.span)
    return operate(node.operator, (left, right), node.span, environment.timezone)


def _chain_hint(node: Binary) -> str | None:
    """How to write `a < b < c`, where the operator's left operand is a comparison as well."""
    if isinstance(node.left, Binary) and node.left.operator in (*COMPARISONS, "==", "!="):
        one, other = node.left.operator, node.operator
        return f"comparisons are joined by `&&`: `x {one} y && y {other} z`"
    return None


def operate(operator: str, operands: tuple[Expr, ...], span: Span, timezone: str = "UTC") -> Expr:
    """The typed expression of an operator on its operands; raises `TypeProblem`."""
    types = tuple(operand.type for operand in operands)
    if operator == "+" and len(types) == 2:
        left, right = (strip_null(type_) for type_ in types)
        if isinstance(left, ListType) and isinstance(right, ListType):
            joined = join(left, right)
            if joined is not None:
                bare = ListType(joined.item) if isinstance(joined, ListType) else joined
                return fold.apply("concat_list", operands, bare, span)
    overload = resolve(OPERATORS[operator], types)
    if overload is None:
        shown = " and ".join(str(type_) for type_ in types)
        hint = conversion_hint(*operands, timezone, operator) if len(operands) == 2 else None
        if operator == "!":
            hint = truth_hint(types[0])
        raise TypeProblem(f"`{operator}` does not take {shown}", span, hint=hint)
    assert overload.operation is not None
    return fold.apply(overload.operation, operands, overload.result, span)


def _membership(item: Expr, container: Expr, span: Span, timezone: str) -> Expr:
    match strip_null(container.type):
        case ListType(item=wanted) if join(item.type, wanted) is not None:
            return fold.apply("in_list", (item, container), BOOL, span)
        case MapType() if fits(item.type, "string"):
            return fold.apply("in_map", (item, container), BOOL, span)
    hint = membership_hint(item, container, timezone)
    told = f"a value of type {item.type} is never in {container.type}"
    raise TypeProblem(told, span, hint=hint)


def _conditional(node: Conditional, environment: Environment) -> Expr:
    condition = check(node.condition, environment)
    require_bool(condition)
    then, otherwise = check(node.then, environment), check(node.otherwise, environment)
    type_ = join(narrowed(then), narrowed(otherwise))
    if type_ is None:
        raise Unsupported(
            f"a conditional with branches of types {then.type} and {otherwise.type}", node.span
        )
    choice = Choose(condition, then, otherwise, type_, node.span)
    doubles.check_node(choice)
    return choice


def nullable(type_: Type) -> bool:
    """Whether null is among the values of the type."""
    return isinstance(type_, NullableType) or type_ == NULL
