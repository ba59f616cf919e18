"""Written types and dimensions to sorts.

A type name is, in this order: a parameter in scope, a declaration of the program, a built-in type, an opaque sort of
its own.  A structure named as a type is the carrier of an arbitrary model of it.

Numbers in types are read by `dimensions`.  See docs/reference/proving.md §1.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleis import core
from kleis.core.sort_printing import elaboration_error
from kleis.elaborate.sorts.dimensions import number_of, read_dimension
from kleis.spelling import nearest
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from kleis.theory.theory import Theory

__all__ = [
    "BUILT_IN_TYPES",
    "INFERRED",
    "OTHER_SPELLINGS",
    "Names",
    "SortReader",
    "is_number_parameter",
    "is_type_parameter",
    "segment_size",
]

Names = Mapping[str, "core.Sort | core.Dimension"]

BUILT_IN_TYPES: Mapping[str, core.Sort] = {
    **dict.fromkeys(("Bool", "Boolean"), core.BOOL),
    **dict.fromkeys(("ℕ", "Nat", "Natural"), core.NATURAL),
    **dict.fromkeys(("ℤ", "Int", "Integer"), core.INTEGER),
    **dict.fromkeys(("ℚ", "Rational"), core.RATIONAL),
    **dict.fromkeys(("ℝ", "Real", "Scalar"), core.REAL),
    **dict.fromkeys(("ℂ", "Complex"), core.COMPLEX),
    **dict.fromkeys(("String", "Str"), core.STRING),
    **dict.fromkeys(("Regex", "RegEx", "RegLan"), core.REGEX),
    "Unit": core.UNIT,
    "Set": core.SetOf(core.INTEGER),
    "IntSet": core.SetOf(core.INTEGER),
    "RealSet": core.SetOf(core.REAL),
    "BoolSet": core.SetOf(core.BOOL),
    **dict.fromkeys(("BitVec8", "Byte", "U8", "I8"), core.BitVec(8)),
    **dict.fromkeys(("BitVec16", "U16", "I16"), core.BitVec(16)),
    **dict.fromkeys(("BitVec32", "U32", "I32", "Word"), core.BitVec(32)),
    **dict.fromkeys(("BitVec64", "U64", "I64"), core.BitVec(64)),
}

_NUMBER_SETS: Mapping[str, core.Sort] = {
    "N": core.NATURAL,
    "Z": core.INTEGER,
    "Q": core.RATIONAL,
    "R": core.REAL,
    "C": core.COMPLEX,
}

_ALWAYS_BUILT_IN = frozenset({"Bool"})

_TUPLES: Mapping[str, int] = {"Pair": 2, "Tuple3": 3, "Tuple4": 4, "Tuple5": 5}

OTHER_SPELLINGS: Mapping[str, str] = {
    "bool": "Bool",
    "boolean": "Bool",
    "int": "ℤ",
    "integer": "ℤ",
    "string": "String",
    "str": "String",
    "float": "ℝ",
    "double": "ℝ",
}
"""Types as other languages spell them: never carriers, unless a program declares them."""

INFERRED = "_"
"""The type of a binder ``x ∈ S``: the sort of what S holds."""

_FAMILIES: Mapping[str, int] = {"List": 1, "Set": 1, "BitVec": 1, "Matrix": 3, **_TUPLES}

_MOST_ALIASES = 100


def is_type_parameter(parameter: tree.TypeParameter) -> bool:
    """Whether a parameter stands for a type, and not for a number or a family of types."""
    kind = parameter.kind
    return kind is None or (isinstance(kind, tree.NamedType) and kind.name not in ("Nat", "ℕ", "String"))


def is_number_parameter(parameter: tree.TypeParameter) -> bool:
    """Whether a parameter stands for a natural number."""
    return isinstance(parameter.kind, tree.NamedType) and parameter.kind.name in ("Nat", "ℕ")


def segment_size(sort: core.Sort) -> int | None:
    """The n of ``Fin(n)``, which a quantifier reads as the natural numbers below n unless Fin is declared."""
    match sort:
        case core.Carrier(name="Fin", arguments=(core.Dimension() as size,)):
            return number_of(size)
        case _:
            return None


def _atom(name: str) -> core.Dimension:
    return core.Dimension((((name,), 1),))


class SortReader:
    """Reads the types of one theory."""

    def __init__(self, theory: Theory) -> None:
        self.theory = theory
        self._number_sets: Mapping[str, core.Sort] | None = None

    # ── types ────────────────────────────────────────────────────────────────────────────────────────────

    def read(self, written: tree.TypeExpression, names: Names, *, file: str, depth: int = 0) -> core.Sort:
        """The sort of a written type; `ElaborationError` if it has none."""
        match written:
            case tree.NamedType():
                return self._named(written, names, file, depth)
            case tree.AppliedType():
                return self._applied(written, names, file, depth)
            case tree.FunctionType():
                domain, codomain = self.signature(written, names, file=file, depth=depth)
                return core.FunctionOf(domain, codomain)
            case tree.ProductType(items=items):
                return core.TupleOf(tuple(self.read(item, names, file=file, depth=depth) for item in items))
            case tree.ForAllType():
                message = "a value of a polymorphic type: only a higher-order logic speaks of such"
                raise elaboration_error(written, file, "higher-order", message)
            case tree.NumberType() | tree.DimensionOperation():
                raise elaboration_error(
                    written, file, "wrong-kind", "this is a number, where a type is required"
                )

    def signature(
        self, written: tree.TypeExpression, names: Names, *, file: str, depth: int = 0
    ) -> tuple[tuple[core.Sort, ...], core.Sort]:
        """The domain and codomain of an operation's type: curried and product domains are one."""
        domain: list[core.Sort] = []
        while isinstance(written, tree.FunctionType):
            first = written.domain
            parts = first.items if isinstance(first, tree.ProductType) else (first,)
            if not (isinstance(first, tree.NamedType) and first.name == "Unit"):
                domain += [self.read(part, names, file=file, depth=depth) for part in parts]
            written = written.codomain
        codomain = self.read(written, names, file=file, depth=depth)
        if isinstance(codomain, core.FunctionOf) and domain:
            return (*domain, *codomain.domain), codomain.codomain
        return tuple(domain), codomain

    def polymorphic(
        self, written: tree.TypeExpression, names: Names, *, file: str, implicit_variables: bool
    ) -> tuple[tuple[str, ...], tuple[core.Sort, ...], core.Sort]:
        """The variables, domain and codomain of a type that may be polymorphic.

        Variables are bound by ∀; with `implicit_variables`, opaque names of one letter are variables too.  A variable in
        an arithmetic expression, or of kind `Nat`, is a dimension.
        """
        bound: dict[str, core.Sort | core.Dimension] = {}
        if isinstance(written, tree.ForAllType):
            for variable in written.variables:
                number = is_number_parameter(variable)
                bound[variable.name] = _atom(variable.name) if number else core.SortVariable(variable.name)
            written = written.body
        if implicit_variables:
            counted = {
                part.name
                for node in walk(written)
                if isinstance(node, tree.DimensionOperation)
                for part in walk(node)
                if isinstance(part, tree.NamedType)
            }
            for node in walk(written):
                if isinstance(node, tree.NamedType) and len(node.name) == 1 and node.name not in bound:
                    if node.name in counted:
                        bound[node.name] = _atom(node.name)
                    elif self.is_opaque(node.name, names):
                        bound[node.name] = core.SortVariable(node.name)
        domain, codomain = self.signature(written, {**names, **bound}, file=file)
        return tuple(sorted(bound)), domain, codomain

    def is_opaque(self, name: str, names: Names) -> bool:
        """Whether a type name is declared nowhere, and so an opaque sort of its own."""
        head, *rest = tree.split_name(name)
        return not (
            rest
            or head in names
            or head in self.theory.data
            or head in self.theory.aliases
            or head in self.theory.structures
            or head in BUILT_IN_TYPES
            or head in _FAMILIES
            or head in self._free_number_sets()
            or head in OTHER_SPELLINGS
            or head == INFERRED
        )

    def nearest_type(self, name: str) -> tuple[str, ...]:
        """The declared and built-in types with a similar spelling."""
        known = (*self.theory.data, *self.theory.aliases, *self.theory.structures)
        return nearest(name, (*known, *BUILT_IN_TYPES, *_FAMILIES))

    def _free_number_sets(self) -> Mapping[str, core.Sort]:
        if self._number_sets is None:
            taken = self.theory.summary.carriers
            self._number_sets = {name: sort for name, sort in _NUMBER_SETS.items() if name not in taken}
        return self._number_sets

    def _named(self, written: tree.NamedType, names: Names, file: str, depth: int) -> core.Sort:
        name = written.name
        known = names.get(name)
        if isinstance(known, core.Dimension):
            message = f"{name} is a number, where a type is required"
            raise elaboration_error(written, file, "wrong-kind", message, found=name, expected=("a type",))
        if known is not None:
            return known
        head, *rest = tree.split_name(name)
        carrier = names.get(head)
        if rest == ["carrier"] and carrier is not None and not isinstance(carrier, core.Dimension):
            return carrier
        if rest:
            return self._member_type(written, head, rest, names, file)
        if name not in _ALWAYS_BUILT_IN:
            declared = self._declared(written, (), names, file, depth)
            if declared is not None:
                return declared
        built_in = BUILT_IN_TYPES.get(name) or self._free_number_sets().get(name)
        if built_in is not None:
            return built_in
        if name in _FAMILIES:
            raise self._arity(written, name, _FAMILIES[name], 0, file)
        if name in OTHER_SPELLINGS or name == INFERRED:
            meant = OTHER_SPELLINGS.get(name, "")
            raise elaboration_error(
                written,
                file,
                "unknown-type",
                f"there is no type {name}" if meant else "the type is not written",
                found=name,
                hint=f"write {meant}" if meant else "write it; _ stands for a type in ∀, ∃ and ∃! only",
            )
        return core.Carrier(name)

    def _member_type(
        self, written: tree.NamedType, head: str, rest: Sequence[str], names: Names, file: str
    ) -> core.Sort:
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
            raise elaboration_error(
                written, file, "unknown-type", message, found=written.name, expected=options
            )
        known = names.get(f"{head}::{wanted}")
        return (
            known
            if known is not None and not isinstance(known, core.Dimension)
            else core.Carrier(f"{head}::{wanted}")
        )

    def _declared(
        self,
        written: tree.NamedType | tree.AppliedType,
        arguments: Sequence[tree.TypeExpression],
        names: Names,
        file: str,
        depth: int,
    ) -> core.Sort | None:
        """The sort of a declared data type, alias or structure; None if the name is none of them."""
        name = written.name
        data, alias = self.theory.data.get(name), self.theory.aliases.get(name)
        if data is not None:
            return core.DataSort(name, self._arguments(written, data, arguments, names, file, depth))
        if alias is not None:
            if depth > _MOST_ALIASES:
                raise elaboration_error(
                    written, file, "alias-cycle", f"the alias {name} stands for itself", found=name
                )
            values = self._arguments(written, alias, arguments, names, file, depth)
            inner = {each.name: value for each, value in zip(alias.parameters, values, strict=True)}
            return self.read(alias.type, inner, file=self.file_of(alias, file), depth=depth + 1)
        structure = self.theory.structures.get(name)
        if structure is not None:
            carriers = [each.name for each in structure.parameters if is_type_parameter(each)]
            if not structure.parameters and not arguments:
                return core.Carrier(name)  # a section named as a type is the opaque sort that it is about
            if not carriers:
                message = f"{name} has no carrier: it is a structure without type parameters"
                raise elaboration_error(written, file, "wrong-kind", message, found=name)
            if arguments:
                return self._carrier_at(written, structure, arguments, names, file, depth)
            known = names.get(f"{name}::{carriers[0]}")
            if known is not None and not isinstance(known, core.Dimension):
                return known
            return core.Carrier(f"{name}::{carriers[0]}")
        return None

    def _carrier_at(
        self,
        written: tree.NamedType | tree.AppliedType,
        structure: tree.Structure,
        arguments: Sequence[tree.TypeExpression],
        names: Names,
        file: str,
        depth: int,
    ) -> core.Sort:
        """The carrier of a structure at arguments: the first that is a type."""
        if len(structure.parameters) != len(arguments):
            raise self._arity(written, structure.name, len(structure.parameters), len(arguments), file)
        pairs = zip(structure.parameters, arguments, strict=True)
        types = [each for parameter, each in pairs if is_type_parameter(parameter)]
        return self.read(types[0], names, file=file, depth=depth)

    def alias(self, alias: tree.AliasDefinition, *, file: str) -> core.Sort:
        """The sort of an alias, its parameters as variables."""
        names: dict[str, core.Sort | core.Dimension] = {
            each.name: _atom(each.name) if is_number_parameter(each) else core.SortVariable(each.name)
            for each in alias.parameters
        }
        return self.read(alias.type, names, file=file)

    def file_of(self, alias: tree.AliasDefinition, otherwise: str) -> str:
        """The file that declares an alias."""
        found = self.theory.lookup(alias.name)
        return found[0].file if found else otherwise

    def _arguments(
        self,
        written: tree.NamedType | tree.AppliedType,
        declared: tree.DataDefinition | tree.AliasDefinition,
        arguments: Sequence[tree.TypeExpression],
        names: Names,
        file: str,
        depth: int,
    ) -> tuple[core.Sort | core.Dimension, ...]:
        if len(declared.parameters) != len(arguments):
            raise self._arity(written, declared.name, len(declared.parameters), len(arguments), file)
        return tuple(
            read_dimension(each, names, file=file)
            if is_number_parameter(parameter)
            else self.read(each, names, file=file, depth=depth)
            for parameter, each in zip(declared.parameters, arguments, strict=True)
        )

    @staticmethod
    def _arity(
        written: tree.NamedType | tree.AppliedType, name: str, wanted: int, given: int, file: str
    ) -> Exception:
        message = f"{name} takes {wanted} argument{'s' * (wanted != 1)}, here it has {given}"
        return elaboration_error(
            written, file, "type-arity", message, found=str(given), expected=(str(wanted),)
        )

    def _applied(self, written: tree.AppliedType, names: Names, file: str, depth: int) -> core.Sort:
        name, arguments = written.name, written.arguments
        known = names.get(name)
        if isinstance(known, core.Carrier) and known.name in _FAMILIES and not known.arguments:
            written = tree.AppliedType(known.name, arguments, written.span)
            return self._family(written, names, file, depth)
        if isinstance(known, core.Carrier):
            parts = tuple(self.argument(each, names, file=file, depth=depth) for each in arguments)
            return core.Carrier(known.name, (*known.arguments, *parts))
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
        return core.Carrier(name, parts)

    def _family(self, written: tree.AppliedType, names: Names, file: str, depth: int) -> core.Sort:
        name, arguments = written.name, written.arguments
        if name == "BitVec":
            width = number_of(read_dimension(arguments[0], names, file=file))
            if width is None or width < 1:
                message = "the width of a bit-vector is a literal number, 1 or more"
                raise elaboration_error(written, file, "wrong-kind", message, hint="write BitVec(8)")
            return core.BitVec(width)
        if name == "Matrix":
            rows = read_dimension(arguments[0], names, file=file)
            columns = read_dimension(arguments[1], names, file=file)
            return core.MatrixOf(rows, columns, self.read(arguments[2], names, file=file, depth=depth))
        if name in _TUPLES:
            return core.TupleOf(tuple(self.read(each, names, file=file, depth=depth) for each in arguments))
        element = self.read(arguments[0], names, file=file, depth=depth)
        return core.ListOf(element) if name == "List" else core.SetOf(element)

    def argument(
        self, written: tree.TypeExpression, names: Names, *, file: str, depth: int = 0
    ) -> core.Sort | core.Dimension:
        """An argument of a family without declared kinds: a number if it is written like one."""
        if isinstance(written, tree.NumberType | tree.DimensionOperation):
            return read_dimension(written, names, file=file)
        if isinstance(written, tree.NamedType) and isinstance(names.get(written.name), core.Dimension):
            return read_dimension(written, names, file=file)
        if (
            isinstance(written, tree.NamedType)
            and written.name in ("List", *_TUPLES)
            and written.name not in names
        ):
            return core.Carrier(written.name)
        return self.read(written, names, file=file, depth=depth)
