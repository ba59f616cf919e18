"""Finite models as propositional clauses: one bit for every value of every cell of every table.

See docs/reference/proving.md §7.4.

First the formulas of a problem become first-order clauses (`clauses_of`).  Distribution would explode on disjunctions of
large conjunctions, so such a conjunction gets a name: a new predicate that implies it.  Every formula occurs positively,
so one direction suffices.  A clause whose parts share no variables is split in the same way, because the number of its
instances grows with the number of its variables.

Then the clauses are written for tables of given sizes:

    * A cell f(d₁, …, dₖ) is a vector of n bits, exactly one of them true; a predicate's cell is one bit.
    * A term whose arguments are not numbers gets an auxiliary vector, tied to the cells it may be.  Equal terms share it.
    * Of models that differ in the numbers of elements only, few are left (`symmetry`).

Literals are DIMACS numbers: −v is the negation of v.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import prod
from typing import TypeAlias

from kleis.core import BOOL, Sort
from kleis.prover.engines.first_order_problem import Problem
from kleis.prover.engines.first_order_terms import (
    FALSE,
    TRUE,
    And,
    Apply,
    Formula,
    Function,
    Iff,
    Literal,
    Or,
    Term,
    Variable,
    conjunction,
    disjunction,
    names_in,
    variables_in,
)
from kleis.prover.engines.models.symmetry import bound_cells, least_under_exchanges, number_constants

__all__ = ["Clause", "Encoding", "TooLargeError", "clauses_of", "variables_of_clause"]

Vector: TypeAlias = tuple[int, ...]
Value: TypeAlias = int | Vector


class TooLargeError(Exception):
    """The clauses of this size are more than the budget."""


class Encoding:
    """The clauses for carriers of given sizes.

    `work` counts clauses and instances of first-order clauses; more than `limit` is too much.  Symmetry is broken on
    constants and first cells, or, given functions to be `exchanged`, by exchanges of elements in their tables.
    """

    def __init__(
        self,
        functions: Sequence[Function],
        sizes: Mapping[Sort, int],
        limit: int,
        exchanged: Sequence[Function] | None = None,
    ) -> None:
        self.clauses: list[tuple[int, ...]] = []
        self.bits = 0
        self.work = 0
        self._functions = functions
        self._sizes = sizes
        self._limit = limit
        self._cells: dict[Function, list[Vector]] = {}
        self._vectors: dict[tuple[Function, tuple[Value, ...]], Vector] = {}
        self._equal: dict[tuple[Vector, Vector], int] = {}
        for function in functions:
            self._tabulate(function)
        number_constants(self, functions, sizes)
        if exchanged is not None:
            least_under_exchanges(self, functions, exchanged, sizes)
        elif len(sizes) == 1:
            bound_cells(self, functions, sizes)

    def add(self, clause: Clause) -> None:
        """Add every instance of a clause."""
        variables = variables_of_clause(clause)
        names = [each.name for each in variables]
        for values in product(*(range(self._sizes[each.sort]) for each in variables)):
            self._count()
            self._instance(clause, dict(zip(names, values, strict=True)))

    def tables(self, true: frozenset[int]) -> dict[Function, tuple[int, ...]]:
        """The values of all cells, in the order of their arguments; of predicates 0 and 1."""
        return {
            function: tuple(
                int(cell[0] in true)
                if function.codomain == BOOL
                else next(value for value, bit in enumerate(cell) if bit in true)
                for cell in cells
            )
            for function, cells in self._cells.items()
        }

    def other_than(self, functions: Sequence[Function], cells: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """The clause that some function has not just these values, in the order of their arguments."""
        return tuple(
            -cell[value] if function.codomain != BOOL else (-cell[0] if value else cell[0])
            for function, values in zip(functions, cells, strict=True)
            for cell, value in zip(self._cells[function], values, strict=True)
        )

    # ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────

    def _tabulate(self, function: Function) -> None:
        count = prod(self._sizes[sort] for sort in function.domain)
        if count > self._limit:
            raise TooLargeError
        if function.codomain == BOOL:
            self._cells[function] = [(self.bit(),) for _ in range(count)]
        else:
            self._cells[function] = [
                self._vector(self._sizes[function.codomain], total=True) for _ in range(count)
            ]

    def cell(self, function: Function, arguments: Sequence[int]) -> Vector:
        """The bits of a function's value."""
        index = 0
        for sort, argument in zip(function.domain, arguments, strict=True):
            index = index * self._sizes[sort] + argument
        return self._cells[function][index]

    def bit(self) -> int:
        """A new bit."""
        self.bits += 1
        return self.bits

    def _vector(self, size: int, *, total: bool) -> Vector:
        """New bits, at most one of them true; at least one if `total`."""
        vector = tuple(self.bit() for _ in range(size))
        if total:
            self.emit(vector)
        for one, two in combinations(vector, 2):
            self.emit((-one, -two))
        return vector

    def emit(self, clause: tuple[int, ...]) -> None:
        """Add a propositional clause."""
        self._count()
        self.clauses.append(clause)

    def _count(self) -> None:
        self.work += 1
        if self.work > self._limit:
            raise TooLargeError

    # ── Instances of clauses ─────────────────────────────────────────────────────────────────────────────────

    def _instance(self, clause: Clause, variables: Mapping[str, int]) -> None:
        if len(clause) == 1 and clause[0].positive and clause[0].left.sort != BOOL:
            self._equate(clause[0].left, clause[0].right, variables)
            return
        bits: list[int] = []
        for literal in clause:
            bit = self._literal(literal, variables)
            if bit is True:
                return
            if bit is not False:
                bits.append(bit)
        self.emit(tuple(bits))

    def _equate(self, left: Term, right: Term, variables: Mapping[str, int]) -> None:
        """Assert an equation: one side becomes a vector, the other is tied to it."""
        if _depth(left) < _depth(right):
            left, right = right, left
        target = self._value(right, variables)
        if isinstance(left, Variable):
            self._same(variables[left.name], target)
            return
        arguments = tuple(self._value(each, variables) for each in left.arguments)
        self._tie(left.function, arguments, target)

    def _same(self, number: int, target: Value) -> None:
        if isinstance(target, tuple):
            self.emit((target[number],))
        elif target != number:
            self.emit(())

    def _literal(self, literal: Literal, variables: Mapping[str, int]) -> int | bool:
        """The bit of a literal, or its truth."""
        sign = 1 if literal.positive else -1
        if literal.left.sort == BOOL:
            bit = self._truth(literal.left, variables)
        else:
            bit = self._equality(self._value(literal.left, variables), self._value(literal.right, variables))
        return bit is literal.positive if isinstance(bit, bool) else sign * bit

    def _truth(self, atom: Term, variables: Mapping[str, int]) -> int | bool:
        if atom in (TRUE, FALSE):
            return atom == TRUE
        value = self._value(atom, variables)
        assert isinstance(value, tuple), "an atom is a cell or an auxiliary bit"
        return value[0]

    def _equality(self, left: Value, right: Value) -> int | bool:
        if isinstance(left, int) and isinstance(right, int):
            return left == right
        if isinstance(left, int):
            left, right = right, left
        assert isinstance(left, tuple)
        if isinstance(right, int):
            return left[right]
        if left == right:
            return True
        key = (left, right) if left < right else (right, left)
        if key not in self._equal:
            bit = self._equal[key] = self.bit()
            for one, two in zip(left, right, strict=True):
                self.emit((-bit, -one, two))
                self.emit((bit, -one, -two))
        return self._equal[key]

    def _value(self, term: Term, variables: Mapping[str, int]) -> Value:
        if isinstance(term, Variable):
            return variables[term.name]
        arguments = tuple(self._value(each, variables) for each in term.arguments)
        return self._applied(term.function, arguments)

    def _applied(self, function: Function, arguments: tuple[Value, ...]) -> Vector:
        key = (function, arguments)
        known = self._vectors.get(key)
        if known is None:
            numbers = [each for each in arguments if isinstance(each, int)]
            if len(numbers) == len(arguments):
                known = self.cell(function, numbers)
            elif function.codomain == BOOL:
                known = (self.bit(),)
                self._tie(function, arguments, known)
            else:
                known = self._vector(self._sizes[function.codomain], total=False)
                self._tie(function, arguments, known)
            self._vectors[key] = known
        return known

    def _tie(self, function: Function, arguments: tuple[Value, ...], target: Value) -> None:
        """Tie a function's value to the target, for all values of its arguments."""
        choices = [
            [(None, each)] if isinstance(each, int) else [(bit, number) for number, bit in enumerate(each)]
            for each in arguments
        ]
        for chosen in product(*choices):
            guard = tuple(-bit for bit, _ in chosen if bit is not None)
            cell = self.cell(function, [number for _, number in chosen])
            if isinstance(target, int):
                self.emit((*guard, cell[target]))
                continue
            for one, two in zip(cell, target, strict=True):
                if one != two:
                    self.emit((*guard, -one, two))
            if function.codomain == BOOL:
                self.emit((*guard, cell[0], -target[0]))


def _depth(term: Term) -> int:
    if isinstance(term, Variable) or not isinstance(term, Apply):
        return 0
    return 1 + max(map(_depth, term.arguments), default=0)


# ── Clauses of a problem ────────────────────────────────────────────────────────────────────────────────────

Clause: TypeAlias = tuple[Literal, ...]

_PRODUCT = 12

_VARIABLES = 2


def clauses_of(problem: Problem) -> tuple[Clause, ...]:
    """The clauses of the axioms and the negated claim."""
    maker = _Maker()
    for statement in problem.axioms:
        maker.add(statement.formula)
    if problem.claimed:
        maker.add(disjunction(problem.branches))
    return tuple(dict.fromkeys(maker.clauses))


def variables_of_clause(clause: Clause) -> tuple[Variable, ...]:
    """The variables of a clause, by name."""
    found = {
        each for literal in clause for side in (literal.left, literal.right) for each in variables_in(side)
    }
    return tuple(sorted(found, key=lambda each: each.name))


class _Maker:
    """Collects clauses; names are numbered."""

    def __init__(self) -> None:
        self.clauses: list[Clause] = []
        self._names = 0

    def add(self, formula: Formula) -> None:
        """Add the clauses of a Skolemised formula."""
        for clause in self._clauses(formula, frozenset()):
            self._keep(clause)

    def _keep(self, clause: Clause) -> None:
        """Add a clause; split into parts without common variables, if it has many."""
        first, *rest = _components(clause) if len(variables_of_clause(clause)) > _VARIABLES else [clause]
        for part in rest:
            name = self._name(())
            first = (*first, name)
            self.clauses.append((_negated(name), *part))
        self.clauses.append(first)

    def _clauses(self, formula: Formula, around: frozenset[str]) -> list[Clause]:
        """The clauses of a formula; `around` are the variables in use beside it."""
        match formula:
            case Literal():
                return [(formula,)]
            case And(parts=parts):
                return [clause for each in parts for clause in self._clauses(each, around)]
            case Or(parts=parts):
                return self._distributed(parts, around)
            case Iff(left=left, right=right):
                one = disjunction((_negated(left), right))
                two = disjunction((left, _negated(right)))
                return self._clauses(conjunction((one, two)), around)
            case _:
                raise ValueError("the formula is not Skolemised")

    def _distributed(self, parts: tuple[Formula, ...], around: frozenset[str]) -> list[Clause]:
        names = [frozenset(names_in(each)) for each in parts]
        made: list[tuple[list[Clause], frozenset[str]]] = []
        for index, each in enumerate(parts):
            beside = around.union(*names[:index], *names[index + 1 :])
            made.append((self._clauses(each, beside), beside))
        result: list[Clause] = [()]
        for part, beside in sorted(made, key=lambda each: len(each[0])):
            apart = len(part) > 1 and len(result) * len(part) > _PRODUCT
            joined = [(self._named(part, beside),)] if apart else part
            result = [tuple(dict.fromkeys((*a, *b))) for a in result for b in joined]
        return result

    def _named(self, part: list[Clause], beside: frozenset[str]) -> Literal:
        """A literal that implies all these clauses, for each choice of the variables in use beside them."""
        variables = dict.fromkeys(
            each for clause in part for each in variables_of_clause(clause) if each.name in beside
        )
        name = self._name(tuple(variables))
        for clause in part:
            self._keep((_negated(name), *clause))
        return name

    def _name(self, variables: tuple[Variable, ...]) -> Literal:
        self._names += 1
        predicate = Function(f"?part {self._names}", tuple(each.sort for each in variables), BOOL)
        return Literal(True, Apply(predicate, variables), TRUE)


def _components(clause: Clause) -> list[Clause]:
    """The literals of a clause, grouped by common variables."""
    groups: list[tuple[set[Variable], list[Literal]]] = []
    for literal in clause:
        variables, literals = set(variables_of_clause((literal,))), [literal]
        apart: list[tuple[set[Variable], list[Literal]]] = []
        for group in groups:
            if group[0] & variables or not group[0]:
                variables |= group[0]
                literals = [*group[1], *literals]
            else:
                apart.append(group)
        groups = [*apart, (variables, literals)]
    return [tuple(literals) for _, literals in groups]


def _negated(formula: Formula) -> Literal:
    if not isinstance(formula, Literal):
        raise ValueError("only ↔ of literals is kept")
    return Literal(not formula.positive, formula.left, formula.right)
