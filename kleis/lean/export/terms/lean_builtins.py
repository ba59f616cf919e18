"""Literals, coercions and built-ins in Lean and Mathlib.  See docs/reference/lean.md §3.2, §3.3.

`OPERATIONS` maps a row's name to a function from the operation, the Lean terms of its arguments and the types at hand
to a Lean term that is right wherever the operation is defined; of an operation that gives a truth value, a formula.
An operation without an entry, or whose entry gives None, has no form: what is said of it is not written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.lean.export.terms.lean_collections import COLLECTIONS, component
from kleis.lean.export.terms.lean_types import Encoder, Sorts, call, named, not_expressible, sort_of
from kleis.lean.language import lean_tree as lean

__all__ = ["BIT_VECTORS", "OPERATIONS", "cast", "coerced", "literal"]


# ── Literals and coercions ─────────────────────────────────────────────────────────────────────────────────────
#
# Coercions lead upwards only, and into lists elementwise.


def literal(term: core.LiteralTerm, sorts: Sorts) -> lean.Term:
    """A number with its type, a string or a truth value."""
    value = term.value
    if isinstance(value, str):
        return lean.Text(value)
    if isinstance(value, bool):
        return lean.Name("true" if value else "false")
    fraction = Fraction(value)
    number: lean.Term = lean.Number(abs(fraction.numerator))
    if fraction.denominator != 1:
        number = lean.Infix("/", number, lean.Number(fraction.denominator))
    return lean.Typed(lean.Prefix("-", number) if fraction < 0 else number, sorts.type(term.sort))


def coerced(term: lean.Term, source: core.Sort, target: core.Sort, sorts: Sorts) -> lean.Term:
    """A value of one sort as one of a larger sort."""
    if source == target:
        return term
    match source, target:
        case core.Numeric(), core.Numeric():
            return cast(term, sorts.type(source), sorts.type(target))
        case core.ListOf(element=old), core.ListOf(element=new):
            return call(lean.Name("List.map"), _coercion(old, new, sorts), term)
        case core.SetOf(element=old), core.SetOf(element=new):
            return call(lean.Name("Set.image"), _coercion(old, new, sorts), term)
        case core.TupleOf(items=old), core.TupleOf(items=new):
            count = len(old)
            parts = [component(term, place, count) for place in range(count)]
            pairs = zip(parts, old, new, strict=True)
            return lean.Tuple(tuple(coerced(part, each, other, sorts) for part, each, other in pairs))
        case _:
            raise not_expressible(f"{sort_text(source)} read as {sort_text(target)} has no Lean form")


def _coercion(source: core.Sort, target: core.Sort, sorts: Sorts) -> lean.Term:
    name = sorts.fresh("each")
    body = coerced(lean.Name(name), source, target, sorts)
    return lean.Bind("fun", (lean.Binder((name,), sorts.type(source)),), body)


# ── Bit-vectors ────────────────────────────────────────────────────────────────────────────────────────────────


def _on_bits(name: str, *, truth: bool = False) -> Encoder:
    """A function of bit-vectors; an integer beside a bit-vector is converted to one."""

    def encode(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
        widths = [each.sort.width for each in operation.parameters if isinstance(each.sort, core.BitVec)]
        bits = [
            each
            if isinstance(parameter.sort, core.BitVec)
            else call(lean.Name("BitVec.ofInt"), lean.Number(widths[0]), each)
            for each, parameter in zip(given, operation.parameters, strict=True)
        ]
        result = call(lean.Name(name), *bits)
        return lean.Infix("=", result, lean.Name("true")) if truth else result

    return encode


def _swapped(encoder: Encoder) -> Encoder:
    """A comparison with its operands exchanged."""

    def encode(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
        first, second = operation.parameters
        turned = core.Operation(operation.name, (second, first), operation.result)
        return encoder(turned, (given[1], given[0]), sorts)

    return encode


def _from_integer(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
    if not isinstance(operation.result, core.BitVec):
        return None
    return call(lean.Name("BitVec.ofInt"), lean.Number(operation.result.width), given[0])


def _extended(name: str) -> Encoder:
    def encode(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
        if not isinstance(operation.result, core.BitVec):
            return None
        return call(lean.Name(name), lean.Number(operation.result.width), given[1])

    return encode


def _shifted(name: str) -> Encoder:
    """A shift, by the unsigned value of the second word."""

    def encode(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
        word = _on_bits("BitVec.add")(operation, given, sorts)
        if not isinstance(word, lean.Call):
            return None
        value, count = word.arguments
        return call(lean.Name(name), value, call(lean.Name("BitVec.toNat"), count))

    return encode


def _extracted(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
    if not isinstance(operation.result, core.BitVec):
        return None
    low = call(lean.Name("Int.toNat"), given[1])
    return call(lean.Name("BitVec.extractLsb'"), low, lean.Number(operation.result.width), given[2])


def _width(operation: core.Operation, _: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    sort = sort_of(operation)
    if not isinstance(sort, core.BitVec):
        return None
    return lean.Typed(lean.Number(sort.width), sorts.type(operation.result))


def _constant_bits(value: int) -> Encoder:
    def encode(operation: core.Operation, _: Sequence[lean.Term], __: Sorts) -> lean.Term | None:
        if not isinstance(operation.result, core.BitVec):
            return None
        width = operation.result.width
        return call(lean.Name("BitVec.ofNat"), lean.Number(width), lean.Number(value % (1 << width)))

    return encode


BIT_VECTORS: Mapping[str, Encoder] = {
    "bv": _from_integer,
    "bv_to_int": named("BitVec.toNat"),
    "bv_to_signed": named("BitVec.toInt"),
    "bvzero": _constant_bits(0),
    "bvones": _constant_bits(-1),
    "bvone": _constant_bits(1),
    "bvnot": _on_bits("BitVec.not"),
    "bvneg": _on_bits("BitVec.neg"),
    "bvand": _on_bits("BitVec.and"),
    "bvor": _on_bits("BitVec.or"),
    "bvxor": _on_bits("BitVec.xor"),
    "bvadd": _on_bits("BitVec.add"),
    "bvsub": _on_bits("BitVec.sub"),
    "bvmul": _on_bits("BitVec.mul"),
    "bvudiv": _on_bits("BitVec.smtUDiv"),
    "bvurem": _on_bits("BitVec.umod"),
    "bvsdiv": _on_bits("BitVec.smtSDiv"),
    "bvsrem": _on_bits("BitVec.srem"),
    "bvshl": _shifted("BitVec.shiftLeft"),
    "bvlshr": _shifted("BitVec.ushiftRight"),
    "bvashr": _shifted("BitVec.sshiftRight"),
    "extract": _extracted,
    "bvwidth": _width,
    "bvult": _on_bits("BitVec.ult", truth=True),
    "bvule": _on_bits("BitVec.ule", truth=True),
    "bvugt": _swapped(_on_bits("BitVec.ult", truth=True)),
    "bvuge": _swapped(_on_bits("BitVec.ule", truth=True)),
    "bvslt": _on_bits("BitVec.slt", truth=True),
    "bvsle": _on_bits("BitVec.sle", truth=True),
    "bvsgt": _swapped(_on_bits("BitVec.slt", truth=True)),
    "bvsge": _swapped(_on_bits("BitVec.sle", truth=True)),
    "bvconcat": _on_bits("BitVec.append"),
    "zext": _extended("BitVec.zeroExtend"),
    "sext": _extended("BitVec.signExtend"),
}


# ── Numbers ────────────────────────────────────────────────────────────────────────────────────────────────────


def cast(term: lean.Term, source: lean.Term, target: lean.Term) -> lean.Term:
    """A number in a larger type: the inner type is written, so that nothing is computed in the larger one."""
    if (
        isinstance(term, lean.Typed)
        and isinstance(term.term, lean.Number | lean.Prefix)
        and term.type == source
    ):
        return lean.Typed(term.term, target)
    inner = term if isinstance(term, lean.Name | lean.Typed) else lean.Typed(term, source)
    return lean.Typed(inner, target)


def _is(operation: core.Operation, *names: str) -> bool:
    sort = sort_of(operation)
    return isinstance(sort, core.Numeric) and sort.name in names


def _numeric(operation: core.Operation) -> bool:
    return isinstance(sort_of(operation), core.Numeric)


def _infix(operator: str) -> Encoder:
    """An operator of numbers, folded to the left; matrices have it too."""

    def encode(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
        if not all(each.sort == operation.result for each in operation.parameters):
            return None
        result = given[0]
        for each in given[1:]:
            result = lean.Infix(operator, result, each)
        return result

    return encode


def _minus(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    """Subtraction; on ℕ it is that of ℤ."""
    if _is(operation, "ℕ"):
        left, right = (cast(each, lean.Name("ℕ"), sorts.type(core.INTEGER)) for each in given)
        return lean.Infix("-", left, right)
    return _infix("-")(operation, given, sorts)


def _negate(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    inner = cast(given[0], lean.Name("ℕ"), sorts.type(core.INTEGER)) if _is(operation, "ℕ") else given[0]
    return lean.Prefix("-", inner)


def _divide(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
    return lean.Infix("/", given[0], given[1]) if _is(operation, "ℚ", "ℝ", "ℂ") else None


def _reciprocal(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
    return lean.Infix("/", lean.Typed(lean.Number(1), sorts.type(operation.result)), given[0])


def _whole(natural: str, integer: str) -> Encoder:
    """An operation on ℕ as an operator, on ℤ as a function.

    Lean's operators on ℤ are Euclidean, and floor where the divisor is positive: so they serve for positive numerals,
    and its arithmetic tactics understand them.
    """

    def encode(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
        if _is(operation, "ℕ") or (_is(operation, "ℤ") and _is_positive(given[1])):
            return lean.Infix(natural, given[0], given[1])
        return call(lean.Name(integer), *given) if _is(operation, "ℤ") else None

    return encode


def _is_positive(term: lean.Term) -> bool:
    """Whether a term is a numeral above 0."""
    return isinstance(term, lean.Typed) and isinstance(term.term, lean.Number) and term.term.value > 0


def _power(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
    """A power: 0 ^ 0 is 1 in both languages, and Lean chooses the power by the exponent's type."""
    return lean.Infix("^", given[0], given[1]) if _numeric(operation) else None


def _compare(operator: str) -> Encoder:
    def encode(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
        return lean.Infix(operator, given[0], given[1]) if _is(operation, "ℕ", "ℤ", "ℚ", "ℝ") else None

    return encode


def _only(name: str, *sorts: str) -> Encoder:
    """A function of arguments of these sorts of numbers."""
    return lambda operation, given, _: call(lean.Name(name), *given) if _is(operation, *sorts) else None


def _absolute(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
    match sort_of(operation):
        case core.Numeric(name="ℕ"):
            return given[0]
        case core.Numeric(name="ℤ"):
            return call(lean.Name("Int.natAbs"), given[0])
        case core.Numeric(name="ℂ"):
            return call(lean.Name("norm"), given[0])
        case _:
            return call(lean.Name("abs"), given[0])


def _rounded(name: str) -> Encoder:
    """A rounding function; an integer stays."""
    return lambda operation, given, _: given[0] if _is(operation, "ℤ") else call(lean.Name(name), given[0])


def _sign(operation: core.Operation, given: Sequence[lean.Term], _: Sorts) -> lean.Term | None:
    return call(lean.Name("Int.sign"), given[0]) if _is(operation, "ℤ") else None


def _logarithm(base: int) -> Encoder:
    def encode(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
        if not _is(operation, "ℝ"):
            return None
        of_base = call(lean.Name("Real.log"), lean.Typed(lean.Number(base), sorts.type(core.REAL)))
        return lean.Infix("/", call(lean.Name("Real.log"), given[0]), of_base)

    return encode


def _of_matrices(encoder: Encoder) -> Encoder:
    """An operation on matrices with elements of one sort."""

    def encode(operation: core.Operation, given: Sequence[lean.Term], sorts: Sorts) -> lean.Term | None:
        parameters = [each.sort for each in operation.parameters]
        elements = {each.element for each in parameters if isinstance(each, core.MatrixOf)}
        alike = len(elements) == 1 and all(isinstance(each, core.MatrixOf) for each in parameters)
        return encoder(operation, given, sorts) if alike else None

    return encode


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
    **{name: _only(real, "ℝ") for name, real in _REAL_FUNCTIONS.items()},
    "log2": _logarithm(2),
    "log10": _logarithm(10),
    "matrix_add": _of_matrices(_infix("+")),
    "matrix_sub": _of_matrices(_infix("-")),
    "multiply": _of_matrices(lambda _, given, __: lean.Infix("*", given[0], given[1])),
    "transpose": _of_matrices(named("Matrix.transpose")),
    "trace": _of_matrices(named("Matrix.trace")),
    "det": _of_matrices(named("Matrix.det")),
    "pi": lambda operation, _, __: lean.Name("Real.pi") if operation.result == core.REAL else None,
    "e": lambda _, __, sorts: call(lean.Name("Real.exp"), lean.Typed(lean.Number(1), sorts.type(core.REAL))),
    "complex": named("Complex.mk"),
    "complex_add": _infix("+"),
    "complex_sub": _infix("-"),
    "complex_mul": _infix("*"),
    "complex_div": _divide,
    "complex_inverse": _reciprocal,
    "conj": lambda _, given, __: call(lean.Name("star"), given[0]),
    "re": named("Complex.re"),
    "im": named("Complex.im"),
    "abs_squared": named("Complex.normSq"),
    **COLLECTIONS,
    **BIT_VECTORS,
}
