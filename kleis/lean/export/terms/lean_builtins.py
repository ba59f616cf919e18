"""Built-ins in Lean and Mathlib.

Specification: lean-and-corpus.md §6.2 ("our `div`/`mod` floor: emit `Int.fdiv` / `Int.fmod`; our `/` on ℤ is exact:
cast to ℚ"), proving.md §1 ("Numbers").

`OPERATIONS` maps a row's name to a function from the operation, the Lean terms of its arguments and the types at hand
to a Lean term that is right wherever the operation is defined; of an operation that gives a truth value, a formula.
What has no entry, or gives None, becomes an unknown function: what is proved of that holds of the built-in too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleis.core import INTEGER, REAL, Numeric, Operation
from kleis.lean.encoders import Encoder, named, sort_of
from kleis.lean.export.terms.lean_collections import COLLECTIONS
from kleis.lean.export.terms.lean_types import Sorts, call
from kleis.lean.language.lean_tree import Call, Infix, LeanTerm, Name, Number, Prefix, Typed
from kleis.lean.operations_words import WORDS

__all__ = ["OPERATIONS", "cast"]


def cast(term: LeanTerm, source: LeanTerm, target: LeanTerm) -> LeanTerm:
    """A number in a larger type: the inner type is written, so that nothing is computed in the larger one."""
    if isinstance(term, Typed) and isinstance(term.term, Number | Prefix) and term.type == source:
        return Typed(term.term, target)
    inner = term if isinstance(term, Name | Typed | Call) else Typed(term, source)
    return Typed(inner, target)


def _is(operation: Operation, *names: str) -> bool:
    sort = sort_of(operation)
    return isinstance(sort, Numeric) and sort.name in names


def _numeric(operation: Operation) -> bool:
    return isinstance(sort_of(operation), Numeric)


def _infix(operator: str) -> Encoder:
    """An operator of numbers, folded to the left; matrices have it too."""

    def encode(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
        if not all(each.sort == operation.result for each in operation.parameters):
            return None
        result = given[0]
        for each in given[1:]:
            result = Infix(operator, result, each)
        return result

    return encode


def _minus(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    """On ℕ, it is that of ℤ."""
    if _is(operation, "ℕ"):
        left, right = (cast(each, Name("ℕ"), sorts.type(INTEGER)) for each in given)
        return Infix("-", left, right)
    return _infix("-")(operation, given, sorts)


def _negate(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    inner = cast(given[0], Name("ℕ"), sorts.type(INTEGER)) if _is(operation, "ℕ") else given[0]
    return Prefix("-", inner)


def _divide(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    return Infix("/", given[0], given[1]) if _is(operation, "ℚ", "ℝ", "ℂ") else None


def _reciprocal(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    return Infix("/", Typed(Number(1), sorts.type(operation.result)), given[0])


def _whole(natural: str, integer: str) -> Encoder:
    """An operation on ℕ as an operator, on ℤ as a function.

    Lean's operators on ℤ are Euclidean, and floor where the divisor is positive: so they serve for positive numerals,
    and its arithmetic tactics understand them.
    """

    def encode(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
        if _is(operation, "ℕ") or (_is(operation, "ℤ") and _is_positive(given[1])):
            return Infix(natural, given[0], given[1])
        return call(Name(integer), *given) if _is(operation, "ℤ") else None

    return encode


def _is_positive(term: LeanTerm) -> bool:
    """Whether a term is a numeral above 0."""
    return isinstance(term, Typed) and isinstance(term.term, Number) and term.term.value > 0


def _power(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    """0 ^ 0 is 1 in both; the exponent's type says which power it is."""
    return Infix("^", given[0], given[1]) if _numeric(operation) else None


def _compare(operator: str) -> Encoder:
    def encode(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
        return Infix(operator, given[0], given[1]) if _is(operation, "ℕ", "ℤ", "ℚ", "ℝ") else None

    return encode


def _only(name: str, *sorts: str) -> Encoder:
    """A function of arguments of these sorts of numbers."""
    return lambda operation, given, _: call(Name(name), *given) if _is(operation, *sorts) else None


def _absolute(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    match sort_of(operation):
        case Numeric(name="ℕ"):
            return given[0]
        case Numeric(name="ℤ"):
            return call(Name("Int.natAbs"), given[0])
        case Numeric(name="ℂ"):
            return call(Name("norm"), given[0])
        case _:
            return call(Name("abs"), given[0])


def _rounded(name: str) -> Encoder:
    """Of an integer, itself."""
    return lambda operation, given, _: given[0] if _is(operation, "ℤ") else call(Name(name), given[0])


def _sign(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    return call(Name("Int.sign"), given[0]) if _is(operation, "ℤ") else None


_REAL_FUNCTIONS = {
    **{name: f"Real.{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt", "exp")},
    "asin": "Real.arcsin",
    "acos": "Real.arccos",
    "atan": "Real.arctan",
    "ln": "Real.log",
}

OPERATIONS: Mapping[str, Encoder] = {
    "plus": _infix("+"),
    "times": _infix("*"),
    "minus": _minus,
    "negate": _negate,
    "divide": _divide,
    "rational": _divide,
    "reciprocal": _reciprocal,
    "div": _whole("/", "Int.fdiv"),
    "mod": _whole("%", "Int.fmod"),
    "power": _power,
    "abs": _absolute,
    "min": named("min"),
    "max": named("max"),
    "floor": _rounded("Int.floor"),
    "ceil": _rounded("Int.ceil"),
    "trunc": lambda operation, given, _: given[0] if _is(operation, "ℤ") else None,
    "round": lambda operation, given, _: given[0] if _is(operation, "ℤ") else None,
    "sign": _sign,
    "to_real": lambda _, given, __: given[0],
    "gcd": named("Int.gcd"),
    "lcm": named("Int.lcm"),
    "factorial": _only("Nat.factorial", "ℕ"),
    "numer": _only("Rat.num", "ℚ"),
    "denom": _only("Rat.den", "ℚ"),
    "less_than": _compare("<"),
    "leq": _compare("≤"),
    "greater_than": _compare(">"),
    "geq": _compare("≥"),
    **{name: _only(lean, "ℝ") for name, lean in _REAL_FUNCTIONS.items()},
    "pi": lambda operation, _, __: Name("Real.pi") if operation.result == REAL else None,
    "e": lambda _, __, sorts: call(Name("Real.exp"), Typed(Number(1), sorts.type(REAL))),
    "complex": named("Complex.mk"),
    "complex_add": _infix("+"),
    "complex_sub": _infix("-"),
    "complex_mul": _infix("*"),
    "complex_div": _divide,
    "complex_inverse": _reciprocal,
    "conj": lambda _, given, __: call(Name("star"), given[0]),
    "re": named("Complex.re"),
    "im": named("Complex.im"),
    "abs_squared": named("Complex.normSq"),
    **COLLECTIONS,
    **WORDS,
}
"""The exact readings."""
