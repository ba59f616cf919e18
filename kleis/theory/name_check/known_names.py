"""The names that a check knows (theory, builtins, language) with their numbers of arguments, and the problems it found.

See docs/reference/kleis.md §5.5.

Invariants
    * A number of arguments is reported as wrong only if every declaration of the name rejects it.  What may hold a
      function (a constant, an alias of a type, a local variable) accepts any number.
    * Work is bounded.  A text may have a million unknown names; nearest spellings are computed for the first fifty
      different ones, and a name is reported once per place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Literal, TypeAlias

from kleis.builtins.rows.table import find_builtin
from kleis.problems import Place, Problem, Spanned, problem_at
from kleis.spelling import suggestion
from kleis.syntax import tree
from kleis.syntax.operators import BINARY, CUSTOM_OPERATORS, POSTFIX, PREFIX
from kleis.theory.name_check.structure_members import Members, head_name
from kleis.theory.theory import Declared, Theory

__all__ = ["TYPE_NAMES", "Arity", "Known", "Report", "describe", "takes"]

Arity: TypeAlias = tuple[int, int | None]
"""The least and the greatest number of arguments; None for no greatest."""

_ANY: Arity = (0, None)

_LANGUAGE: Mapping[str, Arity] = {
    **{name: (2, 2) for name in BINARY if name not in CUSTOM_OPERATORS},
    **dict.fromkeys((*PREFIX, *POSTFIX), (1, 1)),
    "sum_bounds": (3, 3),
    "prod_bounds": (3, 3),
    "int_bounds": (4, 4),
    "lim": _ANY,
    "Sum": _ANY,
    "Product": _ANY,
    "Integrate": _ANY,
    "record": _ANY,
    "field": (2, 2),
    "Unit": (0, 0),
    **{name: (length, length) for length, name in tree.TUPLES.items()},
    "Cons": (2, 2),
    "Nil": (0, 0),
    "Matrix": _ANY,
    "Vector": _ANY,
    "True": (0, 0),
    "False": (0, 0),
}

TYPE_NAMES = frozenset((
    "ℕ", "ℤ", "ℚ", "ℝ", "ℂ", "𝔹", "Nat", "Int", "Integer", "Rational", "Real", "Complex", "Bool", "Boolean",
    "String", "Unit", "Type", "Prop", "List", "Set", "Vector", "Matrix", "Array", *tree.TUPLES.values(), "Record",
    "RegEx", "Regex",
))  # fmt: skip
"""The names of the types that nothing need declare."""


class Known:
    """The names of a theory and of the builtins, for one check."""

    def __init__(self, theory: Theory, builtins: Mapping[str, Arity]) -> None:
        self.theory = theory
        self.builtins = builtins
        self.members = Members(theory)
        self._declared: dict[str, tuple[Declared, ...]] = {}
        self._arities: dict[str, list[Arity]] = {}

    def declared(self, name: str) -> tuple[Declared, ...]:
        """The declarations of a name that may stand in an expression."""
        if name not in self._declared:
            found = self.theory.lookup(name)
            self._declared[name] = tuple(
                each for each in found if each.kind not in ("axiom", "data type", "type alias")
            )
        return self._declared[name]

    def is_value(self, name: str) -> bool:
        """Whether an unqualified name stands for anything in an expression."""
        return name in _LANGUAGE or name in self.builtins or bool(self.declared(name)) or name in self.renamed

    @property
    def renamed(self) -> Collection[str]:
        """The new names of renaming clauses."""
        return self.theory.summary.renamed

    @property
    def carriers(self) -> Collection[str]:
        """The parameters of structures: in a proposition such a name stands for the carrier of any model."""
        return self.theory.summary.carriers

    def is_type(self, name: str) -> bool:
        """Whether a name is declared or built in as a type."""
        theory = self.theory
        return (
            name in TYPE_NAMES
            or name.startswith("BitVec")
            or name in theory.data
            or name in theory.aliases
            or name in theory.structures
            or name in self.carriers
        )

    def type_names(self) -> list[str]:
        """The names a mistyped type may have meant."""
        theory = self.theory
        return [*TYPE_NAMES, *theory.data, *theory.aliases, *theory.structures, *self.carriers]

    def structure_names(self) -> list[str]:
        """The declared structures."""
        return list(self.theory.structures)

    def value_names(self) -> list[str]:
        """The names a mistyped name in an expression may have meant."""
        return [*self.theory.names, *self.builtins, *_LANGUAGE, *self.renamed]

    def type_parameters(self, name: str) -> int | None:
        """How many arguments a declared type takes; None where it is not declared."""
        theory = self.theory
        found: tree.DataDefinition | tree.AliasDefinition | tree.Structure | None = (
            theory.data.get(name) or theory.aliases.get(name) or theory.structures.get(name)
        )
        return None if found is None else len(found.parameters)

    def arities(self, name: str) -> list[Arity]:
        """How many arguments each declaration of a name takes, each number once."""
        if name not in self._arities:
            self._arities[name] = list(dict.fromkeys(self._all_arities(name)))
        return self._arities[name]

    def _all_arities(self, name: str) -> list[Arity]:
        declared = self.declared(name)
        defined = self.theory.definitions.get(name)
        found = [
            self._arity(each.node) for each in declared if each.kind != "definition" or each.node is defined
        ]
        if defined is not None:
            row = find_builtin(name) if defined.parameters else None
            return found if row is None else [*found, (row.least, row.most)]
        if name in self.builtins:
            found.append(self.builtins[name])
        elif name in _LANGUAGE:
            found.append(_LANGUAGE[name])
        if name in self.renamed:
            found.append(_ANY)
        return found

    def _arity(self, node: object) -> Arity:
        match node:
            case tree.FunctionDefinition(parameters=parameters):
                return (0, len(parameters)) if parameters else _ANY
            case tree.Variant(fields=fields):
                return (len(fields), len(fields))
            case (
                tree.OperationDeclaration(type=written)
                | tree.ElementDeclaration(type=written)
                | tree.Field(type=written)
            ):
                return self._arity_of_type(written)
            case _:
                return _ANY

    def _arity_of_type(self, written: tree.TypeExpression) -> Arity:
        """How many arguments a value of that type takes, curried or not.

        A type variable or an alias may stand for a function type, so only a result that is a declared or
        built-in type bounds the number.
        """
        while isinstance(written, tree.ForAllType):
            written = written.body
        most = 0
        while isinstance(written, tree.FunctionType):
            domain = written.domain
            most += len(domain.items) if isinstance(domain, tree.ProductType) else 1
            written = written.codomain
        result = head_name(written)
        closed = result is not None and result not in self.theory.aliases and self.is_type(result)
        return (0, most) if most and closed else _ANY


def takes(arities: list[Arity], given: int) -> bool:
    """Whether one of the arities admits so many arguments."""
    return any(least <= given and (most is None or given <= most) for least, most in arities)


def describe(arities: list[Arity]) -> str:
    """The accepted numbers of arguments in words."""
    parts = []
    for least, most in sorted(set(arities), key=lambda arity: (arity[0], arity[1] or 0)):
        if most is None:
            parts.append(f"at least {least}")
        elif least == most or least == 0:
            parts.append(str(most))
        else:
            parts.append(f"{least} to {most}")
    return " or ".join(dict.fromkeys(parts))


_MOST_SUGGESTIONS = 50


class Report:
    """Collects the problems of one file, with the spellings nearest to what is unknown."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._problems: dict[Problem, None] = {}
        self._hints: dict[tuple[str, str], str] = {}

    def problems(self) -> tuple[Problem, ...]:
        """All of them, in order of place."""
        return tuple(sorted(self._problems, key=lambda each: (each.line, each.column)))

    def error(
        self,
        node: Spanned,
        code: str,
        message: str,
        *,
        hint: str = "",
        found: str = "",
        related: tuple[Place, ...] = (),
    ) -> None:
        """Report what can mean nothing."""
        self._add(node, code, message, "error", hint, found, related)

    def warn(
        self,
        node: Spanned,
        code: str,
        message: str,
        *,
        hint: str = "",
        found: str = "",
        related: tuple[Place, ...] = (),
    ) -> None:
        """Report a meaning that a reader may not expect."""
        self._add(node, code, message, "warning", hint, found, related)

    def nearest(
        self, kind: str, name: str, candidates: Callable[[], Iterable[str]], otherwise: str = ""
    ) -> str:
        """A hint with the spellings nearest to a name; `kind` distinguishes the sets of candidates."""
        key = (kind, name)
        if key not in self._hints:
            if len(self._hints) >= _MOST_SUGGESTIONS:
                return otherwise
            self._hints[key] = suggestion(name, candidates())
        return self._hints[key] or otherwise

    def _add(
        self,
        node: Spanned,
        code: str,
        message: str,
        severity: Literal["error", "warning"],
        hint: str,
        found: str,
        related: tuple[Place, ...],
    ) -> None:
        problem = problem_at(
            node, self.file, message, code=code, severity=severity, hint=hint, found=found, related=related
        )
        self._problems[problem] = None
