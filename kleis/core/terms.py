"""Terms of the typed core: every name resolved, every operator dispatched by sorts, every coercion written out.

Every structure is instantiated and every partial operation has its condition. The executable semantics of these terms
is kleis/semantics/reference.py; an encoding of the core must agree with it. See docs/reference/proving.md §4.1.

Truth and definedness
    A term has a value or is *undefined*; a formula (a term of sort Bool) is true, false or undefined.
    * `Connective` and `Quantifier` are strong Kleene: false ∧ undefined is false, whatever the order.
    * `Conditional` is strict in its condition and in the branch taken; the other branch does not matter.
    * Everything else is strict: undefined if a part of it is.  `Equals` on Bool is ↔.
    * A `BuiltinCall` is undefined where `Operation.condition` is not true of the arguments.
    * A `Narrowing` is undefined where its integer is negative, a `Selection` where its constructor is another,
      `Undefined` everywhere.
    * A `DefinitionCall` means the body of the definition at the arguments.
    * A `SymbolCall` always has a value of its sort: symbols are total.

Sorts are sets, never empty.  ℕ ⊂ ℤ ⊂ ℚ ⊂ ℝ ⊂ ℂ are those sets of numbers; `Coercion` changes the sort of a value,
not the value.  A `Carrier` is any non-empty set.  Tuples are constructors: `Pair`, `Tuple3`, ….

Invariants
    * Nodes are frozen, hashable and acyclic; equal subterms may be shared.
    * Terms are well sorted: `sort` of every argument is exactly what its place requires.
    * The variables of one goal have distinct names for distinct binders on a path: a term never binds a name
      that is bound around it.  `canonical` renames them by position, so that equal propositions are equal terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

from kleis.core.sorts import BOOL, NATURAL, CoreNode, FunctionOf, ListOf, Sort, TupleOf

if TYPE_CHECKING:
    from kleis.core.sorts import DataSort, RecordOf

__all__ = [
    "TUPLES",
    "Application",
    "BuiltinCall",
    "Coercion",
    "Conditional",
    "Connective",
    "ConnectiveName",
    "Construction",
    "Constructor",
    "ConstructorField",
    "Definition",
    "DefinitionCall",
    "Discrimination",
    "Equals",
    "Lambda",
    "Let",
    "LiteralTerm",
    "Narrowing",
    "Operation",
    "Quantifier",
    "Selection",
    "Symbol",
    "SymbolCall",
    "Term",
    "Undefined",
    "Variable",
    "construct_list",
    "construct_tuple",
    "list_constructors",
    "tuple_constructor",
    "tuple_name",
]


# ── What terms are made of ───────────────────────────────────────────────────────────────────────────────────


class Symbol(CoreNode, frozen=True):
    """An operation, element or field: an unknown total function on its sorts.

    Two symbols are one exactly if name and sorts agree.  `name` is canonical (kleis/syntax/operators.py) and carries
    the path of a nested structure: ``additive::•``.  A constant has the empty domain.
    """

    name: str
    domain: tuple[Sort, ...]
    codomain: Sort


class ConstructorField(CoreNode, frozen=True):
    """A field of a constructor; the name is ``_0``, ``_1``, … where none is written."""

    name: str
    sort: Sort


class Constructor(CoreNode, frozen=True):
    """A constructor of a data type, list (`Nil`, `Cons`), tuple (`Unit`, `Pair`, `Tuple3` …) or record (`record`).

    `alone` says that it is the only constructor of its sort.
    """

    name: str
    fields: tuple[ConstructorField, ...]
    sort: DataSort | ListOf | TupleOf | RecordOf
    alone: bool = False


class Operation(CoreNode, frozen=True):
    """A built-in at fixed sorts.

    `name` is the row's name in kleis/builtins.  `condition` is a formula over variables called like
    `parameters`: the operation has a value exactly where it is true (None: everywhere).  `incomplete` says that
    solvers only approximate it: no model of such an operation counts before exact evaluation confirms it.
    """

    name: str
    parameters: tuple[Variable, ...]
    result: Sort
    condition: Term | None = None
    incomplete: bool = False


# ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────────


class Variable(CoreNode, frozen=True):
    """A bound variable, a parameter of a definition, or a free name (bound by the outermost ∀ of a claim)."""

    name: str
    sort: Sort


class LiteralTerm(CoreNode, frozen=True):
    """A truth value, string or exact number; the sort is the least one that has it (2 : ℕ, 0.5 : ℚ)."""

    value: bool | int | Fraction | str
    sort: Sort


class SymbolCall(CoreNode, frozen=True):
    """An operation at its arguments, or an element (no arguments)."""

    symbol: Symbol
    arguments: tuple[Term, ...]

    @property
    def sort(self) -> Sort:
        return self.symbol.codomain


class BuiltinCall(CoreNode, frozen=True):
    """A built-in at its arguments.  Connectives, equality and constructors have nodes of their own."""

    operation: Operation
    arguments: tuple[Term, ...]

    @property
    def sort(self) -> Sort:
        return self.operation.result


class DefinitionCall(CoreNode, frozen=True):
    """A definition of `Goal.definitions` (by its key) at its arguments."""

    definition: str
    arguments: tuple[Term, ...]
    sort: Sort


class Construction(CoreNode, frozen=True):
    """A constructor at its arguments."""

    constructor: Constructor
    arguments: tuple[Term, ...]

    @property
    def sort(self) -> Sort:
        return self.constructor.sort


class Discrimination(CoreNode, frozen=True):
    """Whether a value was made by this constructor."""

    constructor: Constructor
    term: Term

    @property
    def sort(self) -> Sort:
        return BOOL


class Selection(CoreNode, frozen=True):
    """A field of a value made by this constructor; undefined for other values."""

    constructor: Constructor
    index: int
    term: Term

    @property
    def sort(self) -> Sort:
        return self.constructor.fields[self.index].sort


class Equals(CoreNode, frozen=True):
    """Equality of two values of one sort; ↔ on Bool."""

    left: Term
    right: Term

    @property
    def sort(self) -> Sort:
        return BOOL


ConnectiveName: TypeAlias = Literal["and", "or", "not", "implies"]


class Connective(CoreNode, frozen=True):
    """∧ and ∨ (two or more), ¬ (one), → (two)."""

    name: ConnectiveName
    arguments: tuple[Term, ...]

    @property
    def sort(self) -> Sort:
        return BOOL


class Quantifier(CoreNode, frozen=True):
    """∀ or ∃ over the values of sorts.  A ``where`` is in the body: implied under ∀, joined under ∃."""

    kind: Literal["forall", "exists"]
    variables: tuple[Variable, ...]
    body: Term

    @property
    def sort(self) -> Sort:
        return BOOL


class Conditional(CoreNode, frozen=True):
    """``if``, and what `match` became."""

    condition: Term
    consequent: Term
    alternative: Term

    @property
    def sort(self) -> Sort:
        return self.consequent.sort


class Let(CoreNode, frozen=True):
    """The body with a value for the variable; undefined if the value is."""

    variable: Variable
    value: Term
    body: Term

    @property
    def sort(self) -> Sort:
        return self.body.sort


class Lambda(CoreNode, frozen=True):
    """A function.  It is a value even where its body is undefined: then an application of it is."""

    variables: tuple[Variable, ...]
    body: Term

    @property
    def sort(self) -> Sort:
        return FunctionOf(tuple(variable.sort for variable in self.variables), self.body.sort)


class Application(CoreNode, frozen=True):
    """A function value at all its arguments."""

    function: Term
    arguments: tuple[Term, ...]
    sort: Sort


class Coercion(CoreNode, frozen=True):
    """The same value in a larger sort: along ℕ ⊂ ℤ ⊂ ℚ ⊂ ℝ ⊂ ℂ, or elementwise in lists, sets, tuples and data."""

    term: Term
    sort: Sort


class Narrowing(CoreNode, frozen=True):
    """An integer as a natural number; undefined if it is negative."""

    term: Term

    @property
    def sort(self) -> Sort:
        return NATURAL


class Undefined(CoreNode, frozen=True):
    """No value: what is left of a `match` whose cases are used up."""

    sort: Sort
    reason: str


Term: TypeAlias = (
    Variable
    | LiteralTerm
    | SymbolCall
    | BuiltinCall
    | DefinitionCall
    | Construction
    | Discrimination
    | Selection
    | Equals
    | Connective
    | Quantifier
    | Conditional
    | Let
    | Lambda
    | Application
    | Coercion
    | Narrowing
    | Undefined
)


class Definition(CoreNode, frozen=True):
    """A definition at fixed sorts.

    `key` is its identity within a goal: the qualified name, and the sorts where it is a template.
    `group` holds the keys of the definitions it is mutually recursive with, itself included; empty if it is not
    recursive.
    """

    key: str
    name: str
    parameters: tuple[Variable, ...]
    result: Sort
    body: Term
    group: tuple[str, ...] = ()


# The constructors of lists and tuples, whose sorts are built in.

TUPLES = ("Unit", "", "Pair", "Tuple3", "Tuple4", "Tuple5")


def tuple_name(count: int) -> str:
    """The name of the constructor of tuples with so many components, those that are too long to be written included."""
    return {0: "Unit", 2: "Pair"}.get(count, f"Tuple{count}")


def list_constructors(sort: ListOf) -> tuple[Constructor, Constructor]:
    """`Nil` and `Cons` of a sort of lists."""
    fields = (ConstructorField("head", sort.element), ConstructorField("tail", sort))
    return Constructor("Nil", (), sort), Constructor("Cons", fields, sort)


def construct_list(items: Sequence[Term], element: Sort) -> Term:
    """The list of some terms of one sort."""
    nil, cons = list_constructors(ListOf(element))
    term: Term = Construction(nil, ())
    for item in reversed(items):
        term = Construction(cons, (item, term))
    return term


def tuple_constructor(sort: TupleOf) -> Constructor:
    """The constructor of a sort of tuples."""
    fields = tuple(ConstructorField(f"_{place}", item) for place, item in enumerate(sort.items))
    return Constructor(tuple_name(len(sort.items)), fields, sort, alone=True)


def construct_tuple(items: Sequence[Term], sorts: Sequence[Sort]) -> Term:
    """The tuple of some terms."""
    return Construction(tuple_constructor(TupleOf(tuple(sorts))), tuple(items))
