"""What global names stand for: an immutable environment over declarations.

See docs/reference/kleis.md §6.4 for the order in which a name is looked up.  Definitions are compiled when they are
first called, and kept.

`Declarations` is what the evaluator needs to know of a program: the protocol that a theory fulfils, and
`ProgramDeclarations` for one text.  Imports are not followed: the declarations include what is imported.

A declaration or definition that has the name of a builtin may leave room for that builtin (`declares_builtin`,
`is_for_data`).  Invariant: in doubt the name is the program's own, and then nothing is computed for it.  Operators are
always shared: ``(+) : V × V → V`` leaves ``1 + 2`` alone, and the sorts of the arguments decide at each call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from kleis.builtins.row import Builtin
from kleis.builtins.rows.table import builtin_beside, find_builtin
from kleis.evaluator.compiler import compile_procedure
from kleis.evaluator.machine import Procedure
from kleis.evaluator.outcomes import Warning
from kleis.syntax import tree
from kleis.syntax.operators import BINARY, POSTFIX, PREFIX, canonical_name
from kleis.syntax.printer.program import print_expression
from kleis.values import Complex, FunctionValue, Value

__all__ = ["Declarations", "Environment", "ProgramDeclarations", "environment_of"]

_LANGUAGE_CONSTRUCTORS = {"Unit": 0, **{name: length for length, name in tree.TUPLES.items()}}

_COMPLEX_TYPES = ("ℂ", "Complex", "C")

_TYPE_SORTS = {
    "ℕ": "ℕ", "Nat": "ℕ", "Natural": "ℕ", "ℤ": "ℤ", "Int": "ℤ", "Integer": "ℤ", "ℚ": "ℚ", "Rational": "ℚ",
    "ℝ": "ℝ", "Real": "ℝ", "Scalar": "ℝ", "ℂ": "ℂ", "Complex": "ℂ", "Bool": "Bool", "Boolean": "Bool",
    "String": "String", "Str": "String",
}  # fmt: skip

_NARROWEST = ("ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Bool", "String")


def environment_of(
    declarations: Declarations | tree.Program, *, granted_root: Path | None = None
) -> Environment:
    """The environment of a program or theory.

    `granted_root` is the one directory below which `readFile` may read; by default there is none.
    """
    if isinstance(declarations, tree.Program):
        declarations = ProgramDeclarations(declarations)
    return Environment(declarations, granted_root)


class Environment:
    """The global names and what they stand for.  Make one with `environment_of`; `bind` gives a new one."""

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
            self._procedures[name] = self._defined(name)
        return self._procedures[name]

    def _defined(self, name: str) -> Procedure | None:
        definition = self.declarations.definitions.get(name)
        if definition is None or _names_a_builtin(definition):
            return None
        file = self.declarations.file_of(definition.name)
        return self._procedure(definition.name, definition.parameters, definition.body, file)

    def _procedure(
        self, name: str, parameters: Sequence[tree.Parameter], body: tree.Expression, file: str
    ) -> Procedure:
        """A procedure that is compiled when it is first called; it sees no bindings of example blocks."""
        procedure = Procedure(name, len(parameters))
        procedure.compile = partial(compile_procedure, procedure, parameters, body, self._copy(), file)
        return procedure

    def definition(self, name: str) -> tree.FunctionDefinition | None:
        """The definition of a name as it is written; None where it only names a built-in."""
        definition = self.declarations.definitions.get(name)
        return None if definition is None or _names_a_builtin(definition) else definition

    def is_for_data(self, name: str) -> bool:
        """Whether the definition of a name has no value where all arguments are numbers: it matches on constructors."""
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
                message = f"{name} is defined as itself, which is read as the builtin {builtin.usage}"
            else:
                message = f"the definition of {name} is used instead of the builtin {builtin.usage}"
            found.append(
                Warning("shadowed_builtin", message, self.declarations.file_of(name), definition.line)
            )
        return tuple(found)

    def is_declared(self, name: str) -> bool:
        """Whether the program declares an operation, element or field of this name."""
        return name in self.declarations.constants

    # ── Constructors ─────────────────────────────────────────────────────────────────────────────────────────

    def data_type(self, name: str) -> tree.DataDefinition | None:
        """The data type of a name."""
        return self.declarations.data.get(name)

    def constructor_arity(self, name: str) -> int | None:
        """The number of fields of a constructor; None for other names, built-in lists and truth values."""
        if self.is_list_constructor(name) or self.truth_value(name) is not None:
            return None
        declared = self._shapes.arity.get(name)
        return _LANGUAGE_CONSTRUCTORS.get(name) if declared is None else declared

    def is_constructor(self, name: str) -> bool:
        """Whether a data type or the language declares the constructor: it is injective, and disjoint from others."""
        return (
            name in self._shapes.arity
            or name in _LANGUAGE_CONSTRUCTORS
            or name in ("Cons", "Nil", "True", "False", "Matrix", "complex", "record", "field")
        )

    def is_list_constructor(self, name: str) -> bool:
        """Whether `Cons` or `Nil` builds the built-in lists."""
        return name in ("Cons", "Nil") and self._shapes.lists_are_built_in

    def truth_value(self, name: str) -> bool | None:
        """The truth value that `True` or `False` stands for; None for other names."""
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

    def is_builtin(self, name: str, given: int) -> bool:
        """Whether a call with so many arguments means the builtin: no definition or constructor takes its place."""
        procedure = self.procedure(name)
        if procedure is not None:
            return builtin_beside(name, procedure.arity, given) is not None
        return self.constructor_arity(name) is None and self.builtin(name) is not None

    def declared_constant(self, name: str) -> Value | None:
        """The value of a declared constant that is known by its name: `i` in ℂ."""
        declared = self.declarations.constants.get(name)
        if name == "i" and isinstance(declared, tree.NamedType) and declared.name in _COMPLEX_TYPES:
            return Complex(0, 1)
        return None

    def instances(self, name: str) -> Sequence[tuple[str, FunctionValue]]:
        """The operations of this name that `implements` items give, with the sort each is at, narrowest first."""
        if self._instances is None:
            self._instances = self._read_implementations()
        return self._instances.get(name, ())

    def _read_implementations(self) -> dict[str, list[tuple[str, FunctionValue]]]:
        given: dict[tuple[str, str], list[tree.OperationImplementation]] = {}
        for implementation in self.declarations.implementations:
            sort = _sort_of(implementation)
            for member in implementation.members if sort else ():
                if isinstance(member, tree.OperationImplementation):
                    given.setdefault((member.name, sort), []).append(member)
        found: dict[str, list[tuple[str, FunctionValue]]] = {}
        for (name, sort), members in given.items():
            first = members[0]
            # Where items give different things, they may be different operations of one name: which is meant, and
            # whether they agree, the prover says.
            if not first.parameters or any(_words(each) != _words(first) for each in members[1:]):
                continue
            procedure = self._procedure(name, first.parameters, first.body, "<implements>")
            found.setdefault(name, []).append((sort, FunctionValue(name, procedure.arity, procedure)))
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


def _names_a_builtin(definition: tree.FunctionDefinition) -> bool:
    """Whether a definition is only another way to write a builtin: ``define plus(a, b) = a + b``.

    Taken literally it would call itself for ever.
    """
    if find_builtin(definition.name) is None or not isinstance(definition.body, tree.Call):
        return False
    same = tuple(tree.Name(parameter.name) for parameter in definition.parameters)
    return definition.body.name == definition.name and definition.body.arguments == same


def _words(member: tree.OperationImplementation) -> str:
    """What is given for an operation, as text."""
    return f"{', '.join(each.name for each in member.parameters)} . {print_expression(member.body)}"


def _sort_of(implementation: tree.Implements) -> str:
    """The one sort an implementation is at; empty if it is at several types or at another type."""
    names = {_type_name(argument) for argument in implementation.arguments}
    return _TYPE_SORTS.get(names.pop(), "") if len(names) == 1 else ""


def _type_name(argument: tree.TypeExpression) -> str:
    return argument.name if isinstance(argument, tree.NamedType) else ""


# ── Declarations ─────────────────────────────────────────────────────────────────────────────────────────────


class Declarations(Protocol):
    """The declarations of a program.  A theory has these four attributes and one method; none may ever change.

    definitions
        What `define` says at top level and in structures without parameters, by name; of several with one
        name the last, unless a later file declares the name as its own.  Definitions in structures with parameters
        are about any model and are not here.
    data
        Data types by name.
    constants
        The types of declared operations, elements and fields (top level, and structures without parameters), by
        name.  A declaration gives no value; the evaluator only learns which names are meant as builtins.
    implementations
        All `implements` items, in order.
    file_of(name)
        The file of the definition `name`, for the place of an error.
    """

    @property
    def definitions(self) -> Mapping[str, tree.FunctionDefinition]: ...

    @property
    def data(self) -> Mapping[str, tree.DataDefinition]: ...

    @property
    def constants(self) -> Mapping[str, tree.TypeExpression]: ...

    @property
    def implementations(self) -> Sequence[tree.Implements]: ...

    def file_of(self, name: str) -> str: ...


class ProgramDeclarations:
    """The declarations of programs read one after another, without imports: `Declarations` for one text."""

    def __init__(self, *programs: tree.Program) -> None:
        self.definitions: dict[str, tree.FunctionDefinition] = {}
        self.data: dict[str, tree.DataDefinition] = {}
        self.constants: dict[str, tree.TypeExpression] = {}
        self.implementations: list[tree.Implements] = []
        self._files: dict[str, str] = {}
        for program in programs:
            for item in program.items:
                match item:
                    case tree.FunctionDefinition():
                        self._define(item, program.file)
                    case tree.DataDefinition():
                        self.data[item.name] = item
                        for variant in item.variants:
                            self._hide(variant.name, program.file)
                    case tree.OperationDeclaration():
                        self._declare(item.name, item.type, program.file)
                    case tree.Implements():
                        self.implementations.append(item)
                    case tree.Structure() if not item.parameters:
                        self._read_section(item, program.file)

    def file_of(self, name: str) -> str:
        """The file of the definition `name`."""
        return self._files.get(name, "<text>")

    def _define(self, definition: tree.FunctionDefinition, file: str) -> None:
        self.definitions[definition.name] = definition
        self._files[definition.name] = file

    def _read_section(self, structure: tree.Structure, file: str) -> None:
        for member in structure.members:
            match member:
                case tree.FunctionDefinition():
                    self._define(member, file)
                case tree.OperationDeclaration() | tree.ElementDeclaration() | tree.Field():
                    self._declare(member.name, member.type, file)

    def _declare(self, spelling: str, type_: tree.TypeExpression, file: str) -> None:
        name = canonical_name(spelling)
        self.constants[name] = type_
        self._hide(name, file)

    def _hide(self, name: str, file: str) -> None:
        """A declaration hides the definition of another file."""
        if self.file_of(name) != file:
            self.definitions.pop(name, None)


# ── Names of builtins ────────────────────────────────────────────────────────────────────────────────────────

_NUMBERS = frozenset({"ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "Text"})

_FITTING = {"Bool": frozenset({"Bool"}), "String": frozenset({"String", "Text", "Regex"})}

_SORTS: dict[str, frozenset[str]] = {
    **{name: _FITTING.get(sort, _NUMBERS) for name, sort in _TYPE_SORTS.items()},
    **dict.fromkeys("NZQRC", _NUMBERS),
    **dict.fromkeys(("List", "Vector"), frozenset({"List", "Matrix"})),
    "Matrix": frozenset({"Matrix", "List"}),
    "Set": frozenset({"Set"}),
    **dict.fromkeys(
        ("BitVec", "BitVec1", "BitVec8", "BitVec16", "BitVec32", "BitVec64"), frozenset({"BitVec"})
    ),
    **dict.fromkeys(("Regex", "RegExp", "RegEx"), frozenset({"Regex"})),
}


def declares_builtin(name: str, declared: tree.TypeExpression, builtin: Builtin) -> bool:
    """Whether ``operation name : declared`` (or an element or field) is the builtin of that name.

    Numbers of all kinds count alike here: ``abs : ℤ → ℤ`` is the builtin, and so is ``nth : List(ℤ) × ℤ → ℤ``.
    """
    if name in BINARY or name in PREFIX or name in POSTFIX:
        return True
    variables: set[str] = set()
    parameters: list[tree.TypeExpression] = []
    result = declared
    while isinstance(result, (tree.ForAllType, tree.FunctionType)):
        if isinstance(result, tree.ForAllType):
            variables.update(variable.name for variable in result.variables)
            result = result.body
        else:
            domain = result.domain
            parameters += domain.items if isinstance(domain, tree.ProductType) else (domain,)
            result = result.codomain
    if not builtin.takes(len(parameters)):
        return False
    last = len(builtin.parameters) - 1
    return _fits(result, builtin.result, variables) and all(
        _fits(parameter, builtin.parameters[min(index, last)].sort, variables)
        for index, parameter in enumerate(parameters)
    )


def is_for_data(definition: tree.FunctionDefinition) -> bool:
    """Whether a definition begins by matching a parameter with constructors and lists alone: no number fits one."""
    body = definition.body
    if not isinstance(body, tree.Match) or not isinstance(body.scrutinee, tree.Name):
        return False
    return body.scrutinee.name in {parameter.name for parameter in definition.parameters} and all(
        isinstance(_without_names(case.pattern), (tree.ConstructorPattern, tree.ListPattern))
        for case in body.cases
    )


def _without_names(pattern: tree.Pattern) -> tree.Pattern:
    while isinstance(pattern, tree.AsPattern):
        pattern = pattern.pattern
    return pattern


def _fits(declared: tree.TypeExpression, sort: str, variables: set[str]) -> bool:
    """Whether a declared type is one that a parameter or result of this sort stands for."""
    sorts = sort.replace(" or ", "|").split("|")
    known = _sorts_of(declared, variables)
    return bool(known) and ("Any" in sorts or not known.isdisjoint(sorts))


def _sorts_of(declared: tree.TypeExpression, variables: set[str]) -> frozenset[str]:
    """The sorts a type may be at; empty for types the program itself declares or leaves opaque."""
    match declared:
        case tree.FunctionType():
            return frozenset({"Function"})
        case tree.ProductType():
            return frozenset({"Tuple"})
        case tree.NamedType(name=name) if name in variables or _is_type_variable(name):
            return frozenset({"Any"})
        case tree.NamedType(name=name) | tree.AppliedType(name=name):
            return _SORTS.get(name, frozenset())
        case _:
            return frozenset()


def _is_type_variable(name: str) -> bool:
    """Whether a name is a type variable: one capital letter that names no type of numbers."""
    return len(name) == 1 and name.isupper() and name not in _SORTS
