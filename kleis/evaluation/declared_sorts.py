"""Whether a declaration or definition that has the name of a builtin leaves room for that builtin.

Specification: proving.md §1 ("A declaration that names a built-in is that built-in at sorts the built-in has, elsewhere an
overload"); kleis-language.md §6.3.

Invariant: in doubt the name is the program's own, and then nothing is computed for it.  Operators are always shared:
``(+) : V × V → V`` leaves ``1 + 2`` alone, and the sorts of the arguments decide at each call.
"""

from __future__ import annotations

from kleis.builtins.row import Builtin
from kleis.syntax.operators import BINARY, POSTFIX, PREFIX
from kleis.syntax.tree import (
    AppliedType,
    AsPattern,
    ConstructorPattern,
    ForAllType,
    FunctionDefinition,
    FunctionType,
    ListPattern,
    Match,
    Name,
    NamedType,
    Pattern,
    ProductType,
    TypeExpression,
)

__all__ = ["declares_builtin", "is_for_data"]

_NUMBERS = frozenset({"ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Text"})

_SORTS: dict[str, frozenset[str]] = {
    **dict.fromkeys(("ℕ", "Nat", "Natural", "ℤ", "Int", "Integer", "ℚ", "Rational"), _NUMBERS),
    **dict.fromkeys(("ℝ", "Real", "Scalar", "ℂ", "Complex", "C", "N", "Q", "R", "Z"), _NUMBERS),
    **dict.fromkeys(("Bool", "Boolean"), frozenset({"Bool"})),
    **dict.fromkeys(("String", "Str"), frozenset({"String", "Text", "Regex"})),
    **dict.fromkeys(("List", "Vector"), frozenset({"List", "Matrix"})),
    "Matrix": frozenset({"Matrix", "List"}),
    "Set": frozenset({"Set"}),
    **dict.fromkeys(
        ("BitVec", "BitVec1", "BitVec8", "BitVec16", "BitVec32", "BitVec64"), frozenset({"BitVec"})
    ),
    **dict.fromkeys(("Regex", "RegExp", "RegEx"), frozenset({"Regex"})),
}
"""The sorts of the builtin table that a type may be at."""


def declares_builtin(name: str, declared: TypeExpression, builtin: Builtin) -> bool:
    """Whether ``operation name : declared`` (or an element or field) is the builtin of that name.

    Numbers of all kinds count alike here: ``abs : ℤ → ℤ`` is the builtin, and so is ``nth : List(ℤ) × ℤ → ℤ``.
    """
    if name in BINARY or name in PREFIX or name in POSTFIX:
        return True
    variables: set[str] = set()
    parameters: list[TypeExpression] = []
    result = declared
    while isinstance(result, (ForAllType, FunctionType)):
        if isinstance(result, ForAllType):
            variables.update(variable.name for variable in result.variables)
            result = result.body
        else:
            domain = result.domain
            parameters += domain.items if isinstance(domain, ProductType) else (domain,)
            result = result.codomain
    if not builtin.takes(len(parameters)):
        return False
    last = len(builtin.parameters) - 1
    return _fits(result, builtin.result, variables) and all(
        _fits(parameter, builtin.parameters[min(index, last)].sort, variables)
        for index, parameter in enumerate(parameters)
    )


def is_for_data(definition: FunctionDefinition) -> bool:
    """Whether a definition begins by matching a parameter with constructors and lists alone: no number fits one."""
    body = definition.body
    if not isinstance(body, Match) or not isinstance(body.scrutinee, Name):
        return False
    return body.scrutinee.name in {parameter.name for parameter in definition.parameters} and all(
        isinstance(_without_names(case.pattern), (ConstructorPattern, ListPattern)) for case in body.cases
    )


def _without_names(pattern: Pattern) -> Pattern:
    while isinstance(pattern, AsPattern):
        pattern = pattern.pattern
    return pattern


def _fits(declared: TypeExpression, sort: str, variables: set[str]) -> bool:
    """Whether a declared type is one that a parameter or result of this sort stands for."""
    sorts = sort.replace(" or ", "|").split("|")
    known = _sorts_of(declared, variables)
    return bool(known) and ("Any" in sorts or not known.isdisjoint(sorts))


def _sorts_of(declared: TypeExpression, variables: set[str]) -> frozenset[str]:
    """The sorts a type may be at; empty for types the program itself declares or leaves opaque."""
    match declared:
        case FunctionType():
            return frozenset({"Function"})
        case ProductType():
            return frozenset({"Tuple"})
        case NamedType(name=name) if name in variables or _is_letter(name):
            return frozenset({"Any"})
        case NamedType(name=name) | AppliedType(name=name):
            return _SORTS.get(name, frozenset())
        case _:
            return frozenset()


def _is_letter(name: str) -> bool:
    """Whether a name is a type variable by its form, and no number type by its letter."""
    return len(name) == 1 and name.isupper() and name not in _SORTS
