"""What names stand for: an immutable environment over declarations, with compiled definitions kept for reuse.

Specification: kleis-language.md §4.1, §4.2 (OURS), §4.7; §5.5 (the built-in Bool stays Bool).

Lookup order of a name: local names, names an example block has bound, definitions, constructors of data types,
constructors of the language, builtins, operations of `implements` items.  What is none of these is a symbol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from kleis.builtins.row import Builtin
from kleis.builtins.rows.table import find_builtin
from kleis.evaluation.declarations import Declarations, ProgramDeclarations
from kleis.evaluation.declared_sorts import declares_builtin, is_for_data
from kleis.evaluator.machine import Procedure
from kleis.evaluator.outcomes import Warning
from kleis.syntax.tree import (
    Call,
    FunctionDefinition,
    Implements,
    Name,
    NamedType,
    OperationImplementation,
    Program,
    TypeExpression,
)
from kleis.values import Complex, FunctionValue, Value

__all__ = ["Environment", "environment_of"]

_LANGUAGE_CONSTRUCTORS = {"Unit": 0, "Pair": 2, "Tuple3": 3, "Tuple4": 4, "Tuple5": 5}

_COMPLEX_TYPES = ("ℂ", "Complex", "C")

_TYPE_SORTS = {
    "ℕ": "ℕ", "Nat": "ℕ", "Natural": "ℕ", "ℤ": "ℤ", "Int": "ℤ", "Integer": "ℤ", "ℚ": "ℚ", "Rational": "ℚ",
    "ℝ": "ℝ", "Real": "ℝ", "Scalar": "ℝ", "ℂ": "ℂ", "Complex": "ℂ", "Bool": "Bool", "Boolean": "Bool",
    "String": "String", "Str": "String",
}  # fmt: skip
"""The sorts of the types that `implements` items may be at."""

_NARROWEST = ("ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Bool", "String")


class Environment:
    """The names in force.  Make one with `environment_of`; `bind` gives a new one."""

    __slots__ = ("_instances", "_own", "_procedures", "_shapes", "bindings", "declarations", "granted_root")

    def __init__(self, declarations: Declarations, granted_root: Path | None) -> None:
        self.declarations = declarations
        self.granted_root = granted_root
        self.bindings: Mapping[str, Value] = {}
        self._procedures: dict[str, Procedure | None] = {}
        self._own: dict[str, bool] = {}
        self._shapes = _Constructors(declarations)
        self._instances: dict[str, list[tuple[str, FunctionValue]]] | None = None

    def bind(self, name: str, value: Value) -> Environment:
        """The environment in which `name` has `value`.  Definitions do not see it."""
        bound = self._copy()
        bound.bindings = {**self.bindings, name: value}
        return bound

    def _copy(self) -> Environment:
        copied = Environment.__new__(Environment)
        copied.declarations = self.declarations
        copied.granted_root = self.granted_root
        copied.bindings = {}
        copied._procedures = self._procedures
        copied._own = self._own
        copied._shapes = self._shapes
        copied._instances = self._instances
        return copied

    # ── Definitions ──────────────────────────────────────────────────────────────────────────────────────────

    def procedure(self, name: str) -> Procedure | None:
        """The definition of a name, compiled when it is first called."""
        if name not in self._procedures:
            definition = self.declarations.definitions.get(name)
            defined = definition is not None and not _names_a_builtin(definition)
            self._procedures[name] = (
                self._procedure(definition) if definition is not None and defined else None
            )
        return self._procedures[name]

    def _procedure(self, definition: FunctionDefinition) -> Procedure:
        from kleis.evaluator.compiler import compile_procedure

        procedure = Procedure(definition.name, len(definition.parameters))
        file = self.declarations.file_of(definition.name)
        procedure.compile = partial(
            compile_procedure, procedure, definition.parameters, definition.body, self._copy(), file
        )
        return procedure

    def is_for_data(self, name: str) -> bool:
        """Whether the definition of a name has no value where all arguments are numbers: it takes them apart as data."""
        definition = self.declarations.definitions.get(name)
        return definition is not None and is_for_data(definition)

    def warnings(self) -> tuple[Warning, ...]:
        """The definitions that shadow a builtin, in the order of their names."""
        found: list[Warning] = []
        for name, definition in sorted(self.declarations.definitions.items()):
            builtin = find_builtin(name)
            if builtin is None:
                continue
            if _names_a_builtin(definition):
                message = f"{name} is defined as itself, which is read as the builtin {builtin.signature}"
            else:
                message = f"the definition of {name} is used instead of the builtin {builtin.signature}"
            found.append(
                Warning("shadowed_builtin", message, self.declarations.file_of(name), definition.line)
            )
        return tuple(found)

    # ── Constructors ─────────────────────────────────────────────────────────────────────────────────────────

    def constructor_arity(self, name: str) -> int | None:
        """The number of fields of a constructor; None for names that are none, and for `Cons`, `Nil`, `True`, `False`
        where they make lists and truth values.
        """
        if self.is_list_constructor(name) or self.truth_value(name) is not None:
            return None
        declared = self._shapes.arity.get(name)
        return _LANGUAGE_CONSTRUCTORS.get(name) if declared is None else declared

    def is_constructor(self, name: str) -> bool:
        """Whether equal values of this constructor have equal fields, and other constructors give other values."""
        return (
            name in self._shapes.arity
            or name in _LANGUAGE_CONSTRUCTORS
            or name in ("Cons", "Nil", "True", "False", "Matrix", "complex", "record", "field")
        )

    def is_list_constructor(self, name: str) -> bool:
        """Whether `Cons` or `Nil` builds the built-in lists."""
        return name in ("Cons", "Nil") and self._shapes.lists_are_built_in

    def truth_value(self, name: str) -> bool | None:
        """What `True` or `False` stands for."""
        if name not in ("True", "False") or not self._shapes.truth_is_built_in:
            return None
        return name == "True"

    # ── Builtins and implementations ─────────────────────────────────────────────────────────────────────────

    def builtin(self, name: str) -> Builtin | None:
        """The builtin with this name; None where the program declares the name for something else."""
        found = find_builtin(name)
        return None if found is None or self._is_own(name, found) else found

    def _is_own(self, name: str, builtin: Builtin) -> bool:
        if name not in self._own:
            declared = self.declarations.constants.get(name)
            self._own[name] = declared is not None and not declares_builtin(name, declared, builtin)
        return self._own[name]

    def is_builtin(self, name: str) -> bool:
        """Whether a name means the builtin: no definition or constructor has it."""
        return (
            self.procedure(name) is None
            and self.constructor_arity(name) is None
            and self.builtin(name) is not None
        )

    def declared_constant(self, name: str) -> Value | None:
        """The value of a declared constant that is known by its name: `i` in ℂ."""
        declared = self.declarations.constants.get(name)
        if name == "i" and isinstance(declared, NamedType) and declared.name in _COMPLEX_TYPES:
            return Complex(0, 1)
        return None

    def instances(self, name: str) -> Sequence[tuple[str, FunctionValue]]:
        """The operations of this name that `implements` items give, with the sort each is at, narrowest first."""
        if self._instances is None:
            self._instances = self._read_implementations()
        return self._instances.get(name, ())

    def _read_implementations(self) -> dict[str, list[tuple[str, FunctionValue]]]:
        from kleis.evaluator.compiler import compile_procedure

        found: dict[str, list[tuple[str, FunctionValue]]] = {}
        for implementation in self.declarations.implementations:
            sort = _sort_of(implementation)
            for member in implementation.members if sort else ():
                if not isinstance(member, OperationImplementation) or not member.parameters:
                    continue
                procedure = Procedure(member.name, len(member.parameters))
                procedure.compile = partial(
                    compile_procedure, procedure, member.parameters, member.body, self._copy(), "<implements>"
                )
                function = FunctionValue(member.name, procedure.arity, procedure)
                found.setdefault(member.name, []).append((sort, function))
        for candidates in found.values():
            candidates.sort(key=lambda candidate: _NARROWEST.index(candidate[0]))
        return found


class _Constructors:
    """The constructors of data types, and whether lists and truth values are the built-in ones."""

    def __init__(self, declarations: Declarations) -> None:
        self.arity: dict[str, int] = {}
        self.lists_are_built_in = True
        self.truth_is_built_in = True
        for data in declarations.data.values():
            shape = {variant.name: len(variant.fields) for variant in data.variants}
            self.arity.update(shape)
            if ("Cons" in shape or "Nil" in shape) and not _is_list(shape):
                self.lists_are_built_in = False
            if ("True" in shape or "False" in shape) and shape != {"True": 0, "False": 0}:
                self.truth_is_built_in = False


def _is_list(shape: Mapping[str, int]) -> bool:
    return shape == {"Nil": 0, "Cons": 2}


def _names_a_builtin(definition: FunctionDefinition) -> bool:
    """Whether a definition is only another way to write a builtin: ``define plus(a, b) = a + b``.

    Read literally it would call itself for ever.
    """
    if find_builtin(definition.name) is None or not isinstance(definition.body, Call):
        return False
    same = tuple(Name(parameter.name) for parameter in definition.parameters)
    return definition.body.name == definition.name and definition.body.arguments == same


def _sort_of(implementation: Implements) -> str:
    """The one sort an implementation is at; empty if it is at several types or at another type."""
    names = {_type_name(argument) for argument in implementation.arguments}
    return _TYPE_SORTS.get(names.pop(), "") if len(names) == 1 else ""


def _type_name(argument: TypeExpression) -> str:
    return argument.name if isinstance(argument, NamedType) else ""


def environment_of(declarations: Declarations | Program, *, granted_root: Path | None = None) -> Environment:
    """The environment of a program or theory.

    `granted_root` is the one directory below which `readFile` may read; by default there is none.
    """
    if isinstance(declarations, Program):
        declarations = ProgramDeclarations(declarations)
    return Environment(declarations, granted_root)
