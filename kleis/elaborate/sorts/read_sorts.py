"""Written types to sorts.

Specification: proving.md §1 ("Structures", "Resolution", "Numbers"); kleis-language.md §2.8, §5.2 (OURS).

A name is, in this order: a parameter in force, a declaration of the program, a built-in type, an opaque sort of its
own.  A structure named as a type is the carrier of any model of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from kleis.core import (
    BOOL,
    COMPLEX,
    INTEGER,
    NATURAL,
    RATIONAL,
    REAL,
    REGEX,
    STRING,
    UNIT,
    BitVec,
    Carrier,
    DataSort,
    Dimension,
    FunctionOf,
    ListOf,
    MatrixOf,
    SetOf,
    Sort,
    SortVariable,
    TupleOf,
)
from kleis.core.sort_printing import dimension_text, refusal
from kleis.spelling import nearest
from kleis.syntax.tree import (
    AliasDefinition,
    AppliedType,
    DataDefinition,
    DimensionOperation,
    ForAllType,
    FunctionType,
    NamedType,
    NumberType,
    ProductType,
    Structure,
    TypeExpression,
    TypeParameter,
    split_name,
)
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory

__all__ = [
    "BUILT_IN_TYPES",
    "Names",
    "SortReader",
    "constant",
    "is_type_parameter",
    "normal_dimension",
    "number_of",
    "read_dimension",
]

Names = Mapping[str, "Sort | Dimension"]

BUILT_IN_TYPES: Mapping[str, Sort] = {
    **dict.fromkeys(("Bool", "Boolean"), BOOL),
    **dict.fromkeys(("ℕ", "Nat", "Natural"), NATURAL),
    **dict.fromkeys(("ℤ", "Int", "Integer"), INTEGER),
    **dict.fromkeys(("ℚ", "Rational"), RATIONAL),
    **dict.fromkeys(("ℝ", "Real", "Scalar"), REAL),
    **dict.fromkeys(("ℂ", "Complex"), COMPLEX),
    **dict.fromkeys(("String", "Str"), STRING),
    **dict.fromkeys(("Regex", "RegEx", "RegLan"), REGEX),
    "Unit": UNIT,
    "Set": SetOf(INTEGER),
    "IntSet": SetOf(INTEGER),
    "RealSet": SetOf(REAL),
    "BoolSet": SetOf(BOOL),
    **dict.fromkeys(("BitVec8", "Byte", "U8", "I8"), BitVec(8)),
    **dict.fromkeys(("BitVec16", "U16", "I16"), BitVec(16)),
    **dict.fromkeys(("BitVec32", "U32", "I32", "Word"), BitVec(32)),
    **dict.fromkeys(("BitVec64", "U64", "I64"), BitVec(64)),
}

_LETTERS: Mapping[str, Sort] = {"N": NATURAL, "Z": INTEGER, "Q": RATIONAL, "R": REAL, "C": COMPLEX}

_ALWAYS_BUILT_IN = frozenset({"Bool"})

_TUPLES: Mapping[str, int] = {"Pair": 2, "Tuple3": 3, "Tuple4": 4, "Tuple5": 5}

_FAMILIES: Mapping[str, int] = {"List": 1, "Set": 1, "BitVec": 1, "Matrix": 3, **_TUPLES}

_MOST_ALIASES = 100


def is_type_parameter(parameter: TypeParameter) -> bool:
    """Whether a parameter stands for a type, and not for a number or a family of types."""
    kind = parameter.kind
    return kind is None or (isinstance(kind, NamedType) and kind.name not in ("Nat", "ℕ", "String"))


def is_number_parameter(parameter: TypeParameter) -> bool:
    """Whether a parameter stands for a natural number."""
    return isinstance(parameter.kind, NamedType) and parameter.kind.name in ("Nat", "ℕ")


def _atom(name: str) -> Dimension:
    return Dimension((((name,), 1),))


class SortReader:
    """Reads the types of one theory."""

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self._letters: Mapping[str, Sort] | None = None

    # ── types ────────────────────────────────────────────────────────────────────────────────────────────

    def read(self, written: TypeExpression, names: Names, *, file: str, depth: int = 0) -> Sort:
        """The sort of a type; `MeaningError` if it is none."""
        match written:
            case NamedType():
                return self._named(written, names, file, depth)
            case AppliedType():
                return self._applied(written, names, file, depth)
            case FunctionType():
                domain, codomain = self.signature(written, names, file=file, depth=depth)
                return FunctionOf(domain, codomain)
            case ProductType(items=items):
                return TupleOf(tuple(self.read(item, names, file=file, depth=depth) for item in items))
            case ForAllType():
                message = "a value of a polymorphic type: only a higher-order logic speaks of such"
                raise refusal(written, file, "higher-order", message)
            case NumberType() | DimensionOperation():
                raise refusal(written, file, "wrong-kind", "this is a number, where a type is required")

    def signature(
        self, written: TypeExpression, names: Names, *, file: str, depth: int = 0
    ) -> tuple[tuple[Sort, ...], Sort]:
        """The domain and codomain of an operation's type: curried and product domains are one."""
        domain: list[Sort] = []
        while isinstance(written, FunctionType):
            first = written.domain
            parts = first.items if isinstance(first, ProductType) else (first,)
            if not (isinstance(first, NamedType) and first.name == "Unit"):
                domain += [self.read(part, names, file=file, depth=depth) for part in parts]
            written = written.codomain
        codomain = self.read(written, names, file=file, depth=depth)
        if isinstance(codomain, FunctionOf) and domain:
            return (*domain, *codomain.domain), codomain.codomain
        return tuple(domain), codomain

    def polymorphic(
        self, written: TypeExpression, names: Names, *, file: str, letters: bool
    ) -> tuple[tuple[str, ...], tuple[Sort, ...], Sort]:
        """The variables, domain and codomain of a type that may be polymorphic.

        Variables are bound by ∀; with `letters`, opaque names of one letter are variables too.  What is calculated
        with, or of kind `Nat`, is a dimension.
        """
        bound: dict[str, Sort | Dimension] = {}
        if isinstance(written, ForAllType):
            for variable in written.variables:
                number = is_number_parameter(variable)
                bound[variable.name] = _atom(variable.name) if number else SortVariable(variable.name)
            written = written.body
        if letters:
            counted = {
                part.name
                for node in walk(written)
                if isinstance(node, DimensionOperation)
                for part in walk(node)
                if isinstance(part, NamedType)
            }
            for node in walk(written):
                if isinstance(node, NamedType) and len(node.name) == 1 and node.name not in bound:
                    if node.name in counted:
                        bound[node.name] = _atom(node.name)
                    elif self.is_opaque(node.name, names):
                        bound[node.name] = SortVariable(node.name)
        domain, codomain = self.signature(written, {**names, **bound}, file=file)
        return tuple(sorted(bound)), domain, codomain

    def is_opaque(self, name: str, names: Names) -> bool:
        """Whether a type name means nothing but a sort of its own here."""
        head, *rest = split_name(name)
        return not (
            rest
            or head in names
            or head in self.theory.data
            or head in self.theory.aliases
            or head in self.theory.structures
            or head in BUILT_IN_TYPES
            or head in _FAMILIES
            or head in self._free_letters()
        )

    def nearest_type(self, name: str) -> tuple[str, ...]:
        """The declared and built-in types that are spelled almost so."""
        known = (*self.theory.data, *self.theory.aliases, *self.theory.structures)
        return nearest(name, (*known, *BUILT_IN_TYPES, *_FAMILIES))

    def _free_letters(self) -> Mapping[str, Sort]:
        if self._letters is None:
            taken = {each.name for s in self.theory.structures.values() for each in s.parameters}
            self._letters = {name: sort for name, sort in _LETTERS.items() if name not in taken}
        return self._letters

    def _named(self, written: NamedType, names: Names, file: str, depth: int) -> Sort:
        name = written.name
        known = names.get(name)
        if isinstance(known, Dimension):
            message = f"{name} is a number, where a type is required"
            raise refusal(written, file, "wrong-kind", message, found=name, expected=("a type",))
        if known is not None:
            return known
        head, *rest = split_name(name)
        carrier = names.get(head)
        if rest == ["carrier"] and carrier is not None and not isinstance(carrier, Dimension):
            return carrier
        if rest:
            return self._member_type(written, head, rest, names, file)
        if name not in _ALWAYS_BUILT_IN:
            declared = self._declared(written, (), names, file, depth)
            if declared is not None:
                return declared
        built_in = BUILT_IN_TYPES.get(name) or self._free_letters().get(name)
        if built_in is not None:
            return built_in
        if name in _FAMILIES:
            raise self._arity(written, name, _FAMILIES[name], 0, file)
        return Carrier(name)

    def _member_type(
        self, written: NamedType, head: str, rest: Sequence[str], names: Names, file: str
    ) -> Sort:
        structure = self.theory.structures.get(head)
        carriers = (
            [each.name for each in structure.parameters if is_type_parameter(each)] if structure else []
        )
        wanted = rest[-1]
        if structure is not None and wanted == "carrier" and carriers:
            wanted = carriers[0]
        if structure is None or wanted not in carriers:
            message = f"there is no type {written.name}"
            options = tuple(f"{head}::{each}" for each in ("carrier", *carriers)) if carriers else ()
            raise refusal(written, file, "unknown-type", message, found=written.name, expected=options)
        known = names.get(f"{head}::{wanted}")
        return (
            known if known is not None and not isinstance(known, Dimension) else Carrier(f"{head}::{wanted}")
        )

    def _declared(
        self,
        written: NamedType | AppliedType,
        arguments: Sequence[TypeExpression],
        names: Names,
        file: str,
        depth: int,
    ) -> Sort | None:
        """The sort of a declared data type, alias or structure; None if the name is none of them."""
        name = written.name
        data, alias = self.theory.data.get(name), self.theory.aliases.get(name)
        if data is not None:
            return DataSort(name, self._arguments(written, data, arguments, names, file, depth))
        if alias is not None:
            if depth > _MOST_ALIASES:
                raise refusal(written, file, "alias-cycle", f"the alias {name} stands for itself", found=name)
            values = self._arguments(written, alias, arguments, names, file, depth)
            inner = {each.name: value for each, value in zip(alias.parameters, values, strict=True)}
            return self.read(alias.type, inner, file=self.file_of(alias, file), depth=depth + 1)
        structure = self.theory.structures.get(name)
        if structure is not None:
            carriers = [each.name for each in structure.parameters if is_type_parameter(each)]
            if not carriers:
                message = f"{name} has no carrier: it is a structure without type parameters"
                raise refusal(written, file, "wrong-kind", message, found=name)
            if arguments:
                return self._carrier_at(written, structure, arguments, names, file, depth)
            known = names.get(f"{name}::{carriers[0]}")
            if known is not None and not isinstance(known, Dimension):
                return known
            return Carrier(f"{name}::{carriers[0]}")
        return None

    def _carrier_at(
        self,
        written: NamedType | AppliedType,
        structure: Structure,
        arguments: Sequence[TypeExpression],
        names: Names,
        file: str,
        depth: int,
    ) -> Sort:
        """The carrier of a structure at arguments: the first that is a type."""
        if len(structure.parameters) != len(arguments):
            raise self._arity(written, structure.name, len(structure.parameters), len(arguments), file)
        pairs = zip(structure.parameters, arguments, strict=True)
        types = [each for parameter, each in pairs if is_type_parameter(parameter)]
        return self.read(types[0], names, file=file, depth=depth)

    def alias(self, alias: AliasDefinition, *, file: str) -> Sort:
        """What an alias stands for, its parameters open."""
        names: dict[str, Sort | Dimension] = {
            each.name: _atom(each.name) if is_number_parameter(each) else SortVariable(each.name)
            for each in alias.parameters
        }
        return self.read(alias.type, names, file=file)

    def file_of(self, alias: AliasDefinition, otherwise: str) -> str:
        """The file an alias stands in."""
        found = self.theory.lookup(alias.name)
        return found[0].file if found else otherwise

    def _arguments(
        self,
        written: NamedType | AppliedType,
        declared: DataDefinition | AliasDefinition,
        arguments: Sequence[TypeExpression],
        names: Names,
        file: str,
        depth: int,
    ) -> tuple[Sort | Dimension, ...]:
        if len(declared.parameters) != len(arguments):
            raise self._arity(written, declared.name, len(declared.parameters), len(arguments), file)
        return tuple(
            read_dimension(each, names, file=file)
            if is_number_parameter(parameter)
            else self.read(each, names, file=file, depth=depth)
            for parameter, each in zip(declared.parameters, arguments, strict=True)
        )

    @staticmethod
    def _arity(written: NamedType | AppliedType, name: str, wanted: int, given: int, file: str) -> Exception:
        message = f"{name} takes {wanted} argument{'s' * (wanted != 1)}, here it has {given}"
        return refusal(written, file, "type-arity", message, found=str(given), expected=(str(wanted),))

    def _applied(self, written: AppliedType, names: Names, file: str, depth: int) -> Sort:
        name, arguments = written.name, written.arguments
        known = names.get(name)
        if isinstance(known, Carrier) and known.name in _FAMILIES and not known.arguments:
            written = AppliedType(known.name, arguments, written.span)
            return self._family(written, names, file, depth)
        if isinstance(known, Carrier):
            parts = tuple(self.argument(each, names, file=file, depth=depth) for each in arguments)
            return Carrier(known.name, (*known.arguments, *parts))
        declared = self._declared(written, arguments, names, file, depth)
        if declared is not None:
            return declared
        if name in _FAMILIES:
            if len(arguments) != _FAMILIES[name]:
                raise self._arity(written, name, _FAMILIES[name], len(arguments), file)
            return self._family(written, names, file, depth)
        if name in BUILT_IN_TYPES:
            raise self._arity(written, name, 0, len(arguments), file)
        parts = tuple(self.argument(each, names, file=file, depth=depth) for each in arguments)
        return Carrier(name, parts)

    def _family(self, written: AppliedType, names: Names, file: str, depth: int) -> Sort:
        name, arguments = written.name, written.arguments
        if name == "BitVec":
            width = number_of(read_dimension(arguments[0], names, file=file))
            if width is None or width < 1:
                message = "the width of a bit-vector is a literal number, 1 or more"
                raise refusal(written, file, "wrong-kind", message, hint="write BitVec(8)")
            return BitVec(width)
        if name == "Matrix":
            rows = read_dimension(arguments[0], names, file=file)
            columns = read_dimension(arguments[1], names, file=file)
            return MatrixOf(rows, columns, self.read(arguments[2], names, file=file, depth=depth))
        if name in _TUPLES:
            return TupleOf(tuple(self.read(each, names, file=file, depth=depth) for each in arguments))
        element = self.read(arguments[0], names, file=file, depth=depth)
        return ListOf(element) if name == "List" else SetOf(element)

    def argument(
        self, written: TypeExpression, names: Names, *, file: str, depth: int = 0
    ) -> Sort | Dimension:
        """An argument of a family without declared kinds: a number if it is written like one."""
        if isinstance(written, NumberType | DimensionOperation):
            return read_dimension(written, names, file=file)
        if isinstance(written, NamedType) and isinstance(names.get(written.name), Dimension):
            return read_dimension(written, names, file=file)
        if (
            isinstance(written, NamedType)
            and written.name in ("List", *_TUPLES)
            and written.name not in names
        ):
            return Carrier(written.name)
        return self.read(written, names, file=file, depth=depth)


# Dimensions: natural numbers in types, as polynomials in normal form.
#
# Specification: proving.md §1 ("A `Nat`-kinded parameter is a number ≥ 0"); kleis-language.md §2.8.
#
# Two dimensions are equal if their polynomials are; ``min``, ``max``, ``gcd``, ``lcm``, quotients and powers that do not
# compute are atoms, compared by their text.

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
