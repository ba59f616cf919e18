"""Built-ins in Lean and Mathlib.

Specification: lean-and-corpus.md §6.2 ("our `div`/`mod` floor: emit `Int.fdiv` / `Int.fmod`; our `/` on ℤ is exact:
cast to ℚ"), proving.md §1 ("Numbers").

`OPERATIONS` maps a row's name to a function from the operation, the Lean terms of its arguments and the types at hand
to a Lean term that is right wherever the operation is defined; of an operation that gives a truth value, a formula.
What has no entry, or gives None, becomes an unknown function: what is proved of that holds of the built-in too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from kleis.lean.propositions import conjunction
from kleis.lean.sorts import Sorts, call
from kleis.lean.tree import (
    Bind,
    Binder,
    Call,
    Infix,
    LeanTerm,
    ListLiteral,
    Name,
    Number,
    Prefix,
    Text,
    Typed,
)
from kleis.meaning.core import (
    INTEGER,
    REAL,
    BitVec,
    FunctionOf,
    ListOf,
    Numeric,
    Operation,
    SetOf,
    Sort,
    TupleOf,
)

__all__ = ["OPERATIONS", "Encoder", "cast"]

Encoder: TypeAlias = Callable[[Operation, Sequence[LeanTerm], Sorts], "LeanTerm | None"]


def cast(term: LeanTerm, source: LeanTerm, target: LeanTerm) -> LeanTerm:
    """A number in a larger type: the inner type is written, so that nothing is computed in the larger one."""
    if isinstance(term, Typed) and isinstance(term.term, Number | Prefix) and term.type == source:
        return Typed(term.term, target)
    inner = term if isinstance(term, Name | Typed | Call) else Typed(term, source)
    return Typed(inner, target)


def _sort(operation: Operation) -> Sort:
    return operation.parameters[0].sort if operation.parameters else operation.result


def _is(operation: Operation, *names: str) -> bool:
    sort = _sort(operation)
    return isinstance(sort, Numeric) and sort.name in names


def _numeric(operation: Operation) -> bool:
    return isinstance(_sort(operation), Numeric)


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


def _named(name: str) -> Encoder:
    return lambda _, given, __: call(Name(name), *given)


def _only(name: str, *sorts: str) -> Encoder:
    """A function of arguments of these sorts of numbers."""
    return lambda operation, given, _: call(Name(name), *given) if _is(operation, *sorts) else None


def _absolute(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    match _sort(operation):
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


# ── Lists and tuples ─────────────────────────────────────────────────────────────────────────────────────────


def _component(place: int) -> Encoder:
    def encode(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
        sort = _sort(operation)
        return component(given[0], place, len(sort.items)) if isinstance(sort, TupleOf) else None

    return encode


def component(term: LeanTerm, place: int, count: int) -> LeanTerm:
    """A component of a tuple, which Lean reads as pairs of pairs."""
    for _ in range(place):
        term = call(Name("Prod.snd"), term)
    return term if place == count - 1 else call(Name("Prod.fst"), term)


def _head(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    return call(Name("List.headD"), given[0], sorts.some(operation.result))


def _nth(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    return call(Name("List.getD"), given[0], call(Name("Int.toNat"), given[1]), sorts.some(operation.result))


def _length(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    return call(Name("List.length" if isinstance(_sort(operation), ListOf) else "String.length"), given[0])


def _concat(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    if not given:
        return None
    result = given[-1]
    for each in reversed(given[:-1]):
        result = Infix("++", each, result)
    return result


def _is_empty(_: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    return Infix("=", given[0], ListLiteral(()))


def _filter(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    """Lean's takes a function to Bool."""
    predicate = operation.parameters[0].sort
    if not isinstance(predicate, FunctionOf):
        return None
    each = sorts.fresh("each")
    binders = (Binder((each,), sorts.type(predicate.domain[0])),)
    chosen = Bind("fun", binders, call(Name("decide"), call(given[0], Name(each))))
    return call(Name("List.filter"), chosen, given[1])


def _of_members(kind: str) -> Encoder:
    def encode(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
        predicate = operation.parameters[0].sort
        if not isinstance(predicate, FunctionOf):
            return None
        each = sorts.fresh("each")
        member = Infix("∈", Name(each), given[1])
        holds = call(given[0], Name(each))
        binders = (Binder((each,), sorts.type(predicate.domain[0])),)
        if kind == "all":
            return Bind("∀", binders, Infix("→", member, holds))
        return Bind("∃", binders, Infix("∧", member, holds))

    return encode


def _replicate(_: Operation, given: Sequence[LeanTerm], __: Sorts) -> LeanTerm | None:
    return call(Name("List.replicate"), call(Name("Int.toNat"), given[0]), given[1])


def _over_interval(name: str) -> Encoder:
    """Σ or ∏ over the integers of an interval, which may be empty."""
    return lambda _, given, __: call(Name(name), call(Name("Finset.Icc"), given[1], given[2]), given[0])


# ── Strings ──────────────────────────────────────────────────────────────────────────────────────────────────


def _with_rest(build: Callable[[LeanTerm, LeanTerm], LeanTerm]) -> Encoder:
    """``s`` is ``build(part, rest)`` for some rest."""

    def encode(_: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
        rest = sorts.fresh("rest")
        body = Infix("=", given[0], build(given[1], Name(rest)))
        return Bind("∃", (Binder((rest,), Name("String")),), body)

    return encode


def _contains(_: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    before, rest = sorts.fresh("before"), sorts.fresh("rest")
    inside = Infix("++", Name(before), Infix("++", given[1], Name(rest)))
    inner = Bind("∃", (Binder((rest,), Name("String")),), Infix("=", given[0], inside))
    return Bind("∃", (Binder((before,), Name("String")),), inner)


# ── Sets ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _empty_set(operation: Operation, _: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    return Typed(Name("∅"), sorts.type(operation.result))


def _folded(operator: str) -> Encoder:
    def encode(_: Operation, given: Sequence[LeanTerm], __: Sorts) -> LeanTerm | None:
        result = given[0]
        for each in given[1:]:
            result = Infix(operator, result, each)
        return result

    return encode


def _of_list(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    if not isinstance(operation.result, SetOf):
        return None
    each = sorts.fresh("each")
    binder = Binder((each,), sorts.type(operation.result.element))
    return Typed(Bind("fun", (binder,), Infix("∈", Name(each), given[0])), sorts.type(operation.result))


def _proper_subset(_: Operation, given: Sequence[LeanTerm], __: Sorts) -> LeanTerm | None:
    return conjunction(Infix("⊆", given[0], given[1]), Infix("≠", given[0], given[1]))


def _disjoint(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
    empty = Typed(Name("∅"), sorts.type(_sort(operation)))
    return Infix("=", Infix("∩", given[0], given[1]), empty)


# ── Words of bits ────────────────────────────────────────────────────────────────────────────────────────────


def _words(name: str, *, truth: bool = False) -> Encoder:
    """A function of words; an integer beside a word is the word of its value."""

    def encode(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
        widths = [each.sort.width for each in operation.parameters if isinstance(each.sort, BitVec)]
        words = [
            each
            if isinstance(parameter.sort, BitVec)
            else call(Name("BitVec.ofInt"), Number(widths[0]), each)
            for each, parameter in zip(given, operation.parameters, strict=True)
        ]
        result = call(Name(name), *words)
        return Infix("=", result, Name("true")) if truth else result

    return encode


def _swapped(encoder: Encoder) -> Encoder:
    """A comparison with its operands exchanged."""

    def encode(operation: Operation, given: Sequence[LeanTerm], sorts: Sorts) -> LeanTerm | None:
        first, second = operation.parameters
        turned = Operation(operation.name, (second, first), operation.result)
        return encoder(turned, (given[1], given[0]), sorts)

    return encode


def _word(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
    if not isinstance(operation.result, BitVec):
        return None
    return call(Name("BitVec.ofInt"), Number(operation.result.width), given[0])


def _extended(name: str) -> Encoder:
    def encode(operation: Operation, given: Sequence[LeanTerm], _: Sorts) -> LeanTerm | None:
        if not isinstance(operation.result, BitVec):
            return None
        return call(Name(name), Number(operation.result.width), given[1])

    return encode


def _constant_word(value: int) -> Encoder:
    def encode(operation: Operation, _: Sequence[LeanTerm], __: Sorts) -> LeanTerm | None:
        if not isinstance(operation.result, BitVec):
            return None
        width = operation.result.width
        return call(Name("BitVec.ofNat"), Number(width), Number(value % (1 << width)))

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
    "min": _named("min"),
    "max": _named("max"),
    "floor": _rounded("Int.floor"),
    "ceil": _rounded("Int.ceil"),
    "trunc": lambda operation, given, _: given[0] if _is(operation, "ℤ") else None,
    "round": lambda operation, given, _: given[0] if _is(operation, "ℤ") else None,
    "sign": _sign,
    "to_real": lambda _, given, __: given[0],
    "gcd": _named("Int.gcd"),
    "lcm": _named("Int.lcm"),
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
    "complex": _named("Complex.mk"),
    "complex_add": _infix("+"),
    "complex_sub": _infix("-"),
    "complex_mul": _infix("*"),
    "complex_div": _divide,
    "complex_inverse": _reciprocal,
    "conj": lambda _, given, __: call(Name("star"), given[0]),
    "re": _named("Complex.re"),
    "im": _named("Complex.im"),
    "abs_squared": _named("Complex.normSq"),
    "fst": _component(0),
    "snd": _component(1),
    "head": _head,
    "tail": _named("List.tail"),
    "nth": _nth,
    "length": _length,
    "isEmpty": _is_empty,
    "append": _concat,
    "concat": _concat,
    "reverse": _named("List.reverse"),
    "list_flatten": _named("List.flatten"),
    "list_map": _named("List.map"),
    "list_filter": _filter,
    "list_flatmap": lambda _, given, __: call(Name("List.flatMap"), given[1], given[0]),
    "list_fold": _named("List.foldl"),
    "foldr": _named("List.foldr"),
    "all": _of_members("all"),
    "any": _of_members("any"),
    "sum": _named("List.sum"),
    "product": _named("List.prod"),
    "replicate": _replicate,
    "sum_bounds": _over_interval("Finset.sum"),
    "sum_over": _over_interval("Finset.sum"),
    "prod_bounds": _over_interval("Finset.prod"),
    "empty_string": lambda _, __, ___: Text(""),
    "str_eq": lambda _, given, __: Infix("=", given[0], given[1]),
    "strlen": _named("String.length"),
    "hasPrefix": _with_rest(lambda part, rest: Infix("++", part, rest)),
    "hasSuffix": _with_rest(lambda part, rest: Infix("++", rest, part)),
    "contains": _contains,
    "empty_set": _empty_set,
    "in_set": lambda _, given, __: Infix("∈", given[0], given[1]),
    "insert": lambda _, given, __: call(Name("Set.insert"), given[0], given[1]),
    "remove": lambda _, given, __: Infix("\\", given[1], call(Name("Set.singleton"), given[0])),
    "singleton": lambda _, given, __: call(Name("Set.singleton"), given[0]),
    "union": _folded("∪"),
    "intersect": _folded("∩"),
    "difference": _folded("\\"),
    "complement": lambda _, given, __: Infix("\\", Name("Set.univ"), given[0]),
    "subset": lambda _, given, __: Infix("⊆", given[0], given[1]),
    "proper_subset": _proper_subset,
    "disjoint": _disjoint,
    "set_of": _of_list,
    "cardinality": _named("Set.ncard"),
    "is_finite_set": _named("Set.Finite"),
    "bv": _word,
    "bv_to_int": _named("BitVec.toNat"),
    "bv_to_signed": _named("BitVec.toInt"),
    "bvzero": _constant_word(0),
    "bvones": _constant_word(-1),
    "bvone": _constant_word(1),
    "bvnot": _words("BitVec.not"),
    "bvneg": _words("BitVec.neg"),
    "bvand": _words("BitVec.and"),
    "bvor": _words("BitVec.or"),
    "bvxor": _words("BitVec.xor"),
    "bvadd": _words("BitVec.add"),
    "bvsub": _words("BitVec.sub"),
    "bvmul": _words("BitVec.mul"),
    "bvult": _words("BitVec.ult", truth=True),
    "bvule": _words("BitVec.ule", truth=True),
    "bvugt": _swapped(_words("BitVec.ult", truth=True)),
    "bvuge": _swapped(_words("BitVec.ule", truth=True)),
    "bvslt": _words("BitVec.slt", truth=True),
    "bvsle": _words("BitVec.sle", truth=True),
    "bvsgt": _swapped(_words("BitVec.slt", truth=True)),
    "bvsge": _swapped(_words("BitVec.sle", truth=True)),
    "bvconcat": _words("BitVec.append"),
    "zext": _extended("BitVec.zeroExtend"),
    "sext": _extended("BitVec.signExtend"),
}
"""The exact readings."""
