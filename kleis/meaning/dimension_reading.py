"""Dimensions: natural numbers in types, as polynomials in normal form.

Specification: proving.md §1 ("A `Nat`-kinded parameter is a number ≥ 0"); kleis-language.md §2.8.

Two dimensions are equal if their polynomials are; ``min``, ``max``, ``gcd``, ``lcm``, quotients and powers that do not
compute are atoms, compared by their text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from kleis.core import Dimension, Sort
from kleis.core.sort_printing import dimension_text, refusal
from kleis.syntax.tree import DimensionOperation, NamedType, NumberType, TypeExpression

__all__ = ["constant", "normal_dimension", "number_of", "read_dimension"]

_Polynomial = dict[tuple[str, ...], int]

_FUNCTIONS: Mapping[str, Callable[..., int]] = {"min": min, "max": max, "gcd": math.gcd, "lcm": math.lcm}

_LARGEST_POWER = 8


def constant(value: int) -> Dimension:
    """A number as a dimension."""
    return normal_dimension({(): value})


def number_of(dimension: Dimension) -> int | None:
    """The number a dimension is, if it is one."""
    if not dimension.terms:
        return 0
    ((atoms, value), *rest) = dimension.terms
    return None if rest or atoms else value


def read_dimension(written: TypeExpression, names: Mapping[str, Sort | Dimension], *, file: str) -> Dimension:
    """A written dimension; `names` are the parameters in force, other names stand for themselves."""
    match written:
        case NumberType(value=value):
            return constant(value)
        case NamedType(name=name):
            known = names.get(name)
            if isinstance(known, Dimension):
                return known
            if known is not None:
                message = f"{name} is a type, where a number is required"
                raise refusal(written, file, "wrong-kind", message, found=name, expected=("a dimension",))
            return normal_dimension({(name,): 1})
        case DimensionOperation(operator=operator, arguments=arguments):
            return _operation(operator, [read_dimension(each, names, file=file) for each in arguments])
        case _:
            message = "this is a type, where a number is required"
            raise refusal(written, file, "wrong-kind", message, expected=("a dimension",))


def _operation(operator: str, given: Sequence[Dimension]) -> Dimension:
    numbers = [number_of(each) for each in given]
    known = [each for each in numbers if each is not None]
    if operator in _FUNCTIONS and len(known) == len(given):
        return constant(_FUNCTIONS[operator](*known))
    if operator in ("+", "-"):
        left, right = (dict(each.terms) for each in given)
        for atoms, value in right.items():
            left[atoms] = left.get(atoms, 0) + (value if operator == "+" else -value)
        return normal_dimension(left)
    if operator == "*":
        return _times(given[0], given[1])
    if operator == "^" and numbers[1] is not None and 0 <= numbers[1] <= _LARGEST_POWER:
        result = constant(1)
        for _ in range(numbers[1]):
            result = _times(result, given[0])
        return result
    if operator == "/" and numbers[1]:
        divided = {atoms: value / numbers[1] for atoms, value in given[0].terms}
        if all(value == int(value) for value in divided.values()):
            return normal_dimension({atoms: int(value) for atoms, value in divided.items()})
    texts = [dimension_text(each) for each in given]
    shown = (
        f"{operator}({', '.join(texts)})" if operator in _FUNCTIONS else f"({texts[0]}{operator}{texts[1]})"
    )
    return normal_dimension({(shown,): 1})


def _times(left: Dimension, right: Dimension) -> Dimension:
    product: _Polynomial = {}
    for atoms, value in left.terms:
        for others, factor in right.terms:
            together = tuple(sorted((*atoms, *others)))
            product[together] = product.get(together, 0) + value * factor
    return normal_dimension(product)


def normal_dimension(polynomial: Mapping[tuple[str, ...], int]) -> Dimension:
    """The one form of a polynomial: higher powers first, the number last, nothing times 0."""
    terms = [(atoms, value) for atoms, value in polynomial.items() if value]
    return Dimension(tuple(sorted(terms, key=lambda term: (-len(term[0]), term[0]))))
