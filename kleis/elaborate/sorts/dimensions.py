"""Natural numbers in types, as polynomials in normal form.

Two are equal if their polynomials are; ``min``, ``max``, ``gcd``, ``lcm``, quotients and powers that do not compute are atoms,
compared by their text.  See docs/reference/proving.md §1.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from kleis import core
from kleis.core.sort_printing import dimension_text, elaboration_error
from kleis.syntax import tree

__all__ = ["Polynomial", "constant", "multiplied", "normal_dimension", "number_of", "read_dimension"]

Polynomial: TypeAlias = dict[tuple[str, ...], int]
"""Coefficients by monomial, which is the sorted tuple of its atoms."""

_FUNCTIONS: Mapping[str, Callable[..., int]] = {"min": min, "max": max, "gcd": math.gcd, "lcm": math.lcm}

_LARGEST_POWER = 8


def constant(value: int) -> core.Dimension:
    """A number as a dimension."""
    return normal_dimension({(): value})


def number_of(dimension: core.Dimension) -> int | None:
    """The value of a dimension that is a number; None for others."""
    if not dimension.terms:
        return 0
    ((atoms, value), *rest) = dimension.terms
    return None if rest or atoms else value


def read_dimension(
    written: tree.TypeExpression, names: Mapping[str, core.Sort | core.Dimension], *, file: str
) -> core.Dimension:
    """A written dimension; `names` are the parameters in scope, other names are atoms."""
    match written:
        case tree.NumberType(value=value):
            return constant(value)
        case tree.NamedType(name=name):
            known = names.get(name)
            if isinstance(known, core.Dimension):
                return known
            if known is not None:
                message = f"{name} is a type, where a number is required"
                raise elaboration_error(
                    written, file, "wrong-kind", message, found=name, expected=("a dimension",)
                )
            return normal_dimension({(name,): 1})
        case tree.DimensionOperation(operator=operator, arguments=arguments):
            return _operation(operator, [read_dimension(each, names, file=file) for each in arguments])
        case _:
            message = "this is a type, where a number is required"
            raise elaboration_error(written, file, "wrong-kind", message, expected=("a dimension",))


def _operation(operator: str, given: Sequence[core.Dimension]) -> core.Dimension:
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
        return normal_dimension(multiplied(dict(given[0].terms), dict(given[1].terms)))
    if operator == "^" and numbers[1] is not None and 0 <= numbers[1] <= _LARGEST_POWER:
        power: Polynomial = {(): 1}
        for _ in range(numbers[1]):
            power = multiplied(power, dict(given[0].terms))
        return normal_dimension(power)
    if operator == "/" and numbers[1]:
        divided = {atoms: value / numbers[1] for atoms, value in given[0].terms}
        if all(value == int(value) for value in divided.values()):
            return normal_dimension({atoms: int(value) for atoms, value in divided.items()})
    texts = [dimension_text(each) for each in given]
    shown = (
        f"{operator}({', '.join(texts)})" if operator in _FUNCTIONS else f"({texts[0]}{operator}{texts[1]})"
    )
    return normal_dimension({(shown,): 1})


def multiplied(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    product: Polynomial = {}
    for atoms, value in left.items():
        for others, factor in right.items():
            together = tuple(sorted((*atoms, *others)))
            product[together] = product.get(together, 0) + value * factor
    return product


def normal_dimension(polynomial: Mapping[tuple[str, ...], int]) -> core.Dimension:
    """The normal form of a polynomial: higher powers first, the number last, no term with coefficient 0."""
    terms = [(atoms, value) for atoms, value in polynomial.items() if value]
    return core.Dimension(tuple(sorted(terms, key=lambda term: (-len(term[0]), term[0]))))
