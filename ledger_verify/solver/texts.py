"""Strings as terms: an uninterpreted sort where they are only compared, else z3's strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import z3
from z3 import z3core

from ledger_verify.lang.typed import Apply, Expr, walk
from ledger_verify.lang.types import StringType, strip_null
from ledger_verify.solver.logic import Bool, Term, conjoin, negate, same

_STRING_OPERATIONS = frozenset(
    {
        "starts_with", "ends_with", "contains", "matches", "concat_string", "trim", "lower_ascii",
        "upper_ascii", "normalize",
    }
)  # fmt: skip
_MOST_TOLD_APART = 50
MAX_CHARACTER = 0x2FFFF
"""The last character that z3's strings have."""
_ON_ANY_TYPE = frozenset({"size", "lt", "le", "gt", "ge"})


def needs_string_theory(predicates: Iterable[Expr]) -> bool:
    """Whether any of the predicates looks inside a string."""
    for predicate in predicates:
        for expr in walk(predicate):
            if isinstance(expr, Apply) and (
                expr.operation in _STRING_OPERATIONS
                or (
                    expr.operation in _ON_ANY_TYPE
                    and isinstance(strip_null(expr.operands[0].type), StringType)
                )
            ):
                return True
    return False


class Texts:
    """The theory of strings for one query.

    With `structured` false, strings are elements of an uninterpreted sort and literals distinct
    constants of it; nothing but equality can be asked. Of a literal longer than `longest` no more
    than that is known in either case: z3 takes minutes to look into long ones.
    """

    def __init__(self, *, structured: bool, longest: int | None = None) -> None:
        self.structured = structured
        self.longest = longest
        self.sort = z3.StringSort() if structured else z3.DeclareSort("Text")
        self._literals: dict[str, Term] = {}
        self._long: dict[str, Term] = {}
        self.formed: list[tuple[Term, Callable[[str], bool]]] = []
        """Terms without structure whose schema demands a form, and the test of that form."""

    def literal(self, text: str) -> Term:
        """The term of a literal; of one with characters that z3 lacks nothing more is known."""
        if text not in self._literals:
            is_long = self.is_long(text)
            if self.structured and not is_long and is_spellable(text):
                self._literals[text] = string_value(text)
            else:  # numbered, since names in z3 end at a NUL
                self._literals[text] = z3.Const(f"literal!{len(self._literals)}", self.sort)
            if self.structured and is_long:
                self._long[text] = self._literals[text]
        return self._literals[text]

    def is_long(self, literal: str) -> bool:
        """Whether a literal is only ever compared."""
        return self.longest is not None and len(literal) > self.longest

    @property
    def literals(self) -> list[str]:
        """All literals that were asked for."""
        return list(self._literals)

    def distinct(self) -> Bool:
        """The fact that different literals are different strings, and keep to their forms."""
        terms = list(self._literals.values())
        if self.structured:
            # nothing is guessed where there are many: then more completions count
            few = self._long and len(terms) <= _MOST_TOLD_APART
            return z3.Distinct(*terms) if few and len(terms) > 1 else True
        other_form = [
            negate(same(term, literal))
            for term, fits in self.formed
            for text, literal in self._literals.items()
            if not fits(text)
        ]
        return conjoin([z3.Distinct(*terms) if len(terms) > 1 else True, *other_form])

    def spelled(self, model: z3.ModelRef) -> dict[str, str]:
        """The model's elements that stand for literals, by their names in the model."""
        if self.structured:
            there = ((text, model.eval(term, True)) for text, term in self._long.items())
            return {text_of(value): text for text, value in there}
        return {str(model.eval(term, True)): text for text, term in self._literals.items()}


def is_spellable(text: str) -> bool:
    """Whether z3's strings have all characters of the text."""
    return all(ord(character) <= MAX_CHARACTER for character in text)


def string_value(text: str) -> Term:
    """The text as a value of z3's strings; `z3.StringVal` would read escapes in it."""
    context = z3.main_ctx()
    codes = (z3core.ctypes.c_uint * max(1, len(text)))(*map(ord, text))
    return z3.SeqRef(z3core.Z3_mk_u32string(context.ref(), len(text), codes), context)


def text_of(value: Term) -> str:
    """The text that a value of z3's strings spells."""
    context, ast = value.ctx_ref(), value.as_ast()
    length = z3core.Z3_get_string_length(context, ast)
    codes = (z3core.ctypes.c_uint * max(1, length))()
    z3core.Z3_get_string_contents(context, ast, length, codes)
    return "".join(map(chr, codes[:length]))
