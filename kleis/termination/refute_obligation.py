"""Small counterexamples: is an obligation false or undefined at a few values?

A guess whose obligation fails at small values is not worth offering to a prover.

Invariants
    * `refutation` answers with values at which the obligation is false or undefined by the reference semantics.
    * Symbols, calls, quantifiers and λ, and built-ins other than `_COMPUTED`, are left open: assignments at which the
      answer depends on one are passed over.  None is therefore no proof.
    * The work is bounded by `_ASSIGNMENTS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import TypeAlias

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.terms import tuple_name
from kleis.core.traversal import free_variables, rebuild
from kleis.semantics.ranges import Bounds, Ranges, constructed
from kleis.semantics.reference import Account, Evaluator
from kleis.semantics.truth import FALSE, TRUE, UNDEFINED, Truth
from kleis.values import Data, ListValue, Value, list_of

__all__ = ["Assignment", "refutation", "small_values", "value_text"]

_ASSIGNMENTS = 4000
_EACH = 9
"""How many values of a sort are tried."""

_BUDGET = Budget(steps=100_000_000, depth=10_000, size=100_000)

_COMPUTED = frozenset(
    {"plus", "minus", "times", "divide", "div", "mod", "negate", "abs", "floor", "ceil", "min", "max"}
    | {"leq", "less_than", "geq", "greater_than", "fst", "snd"}
    | {"length", "strlen", "isEmpty", "reverse", "head", "tail", "append"}
)
"""The built-ins that measures and paths are usually made of; each takes few steps on small values."""

Assignment: TypeAlias = dict[str, Value]

Constructors: TypeAlias = Callable[[core.DataSort], Sequence[core.Constructor]]


def refutation(formula: core.Term, constructors: Constructors) -> Assignment | None:
    """Small values of the outermost variables at which a formula is not true; None if none is found."""
    variables: tuple[core.Variable, ...] = ()
    if isinstance(formula, core.Quantifier):
        variables, formula = formula.variables, formula.body
    formula = _opaque(formula)
    given = _equations(formula, variables)
    free = [variable for variable in variables if variable.name not in given]
    ranges = [small_values(variable.sort, constructors) for variable in free]
    account = Account(_BUDGET)
    evaluator = Evaluator(Goal(claim=None), Ranges(Bounds(), {}, (), account), account, "one-sided")
    for values in islice(_near(ranges), _ASSIGNMENTS):
        assignment = dict(zip((variable.name for variable in free), values, strict=True))
        if _completed(assignment, given, evaluator) and evaluator.truth(formula, assignment) in (
            FALSE,
            UNDEFINED,
        ):
            return assignment
    return None


def _opaque(term: core.Term) -> core.Term:
    """The term with parts that are not computed here replaced by constants without a value."""
    match term:
        case (
            core.SymbolCall() | core.DefinitionCall() | core.Quantifier() | core.Lambda() | core.Application()
        ):
            return core.SymbolCall(core.Symbol("", (), term.sort), ())
        case core.BuiltinCall(operation=operation) if operation.name not in _COMPUTED:
            return core.SymbolCall(core.Symbol("", (), term.sort), ())
        case _:
            return rebuild(term, _opaque)


def _equations(
    formula: core.Term, variables: Sequence[core.Variable]
) -> dict[str, tuple[core.Variable, core.Term]]:
    """The variables to which the premises give values, in an order in which these can be computed."""
    if not isinstance(formula, core.Connective) or formula.name != "implies":
        return {}
    premise = formula.arguments[0]
    all_of = (
        premise.arguments if isinstance(premise, core.Connective) and premise.name == "and" else (premise,)
    )
    found: dict[str, tuple[core.Variable, core.Term]] = {}
    used: set[str] = set()
    for each in all_of:
        if not isinstance(each, core.Equals):
            continue
        used |= {variable.name for variable in free_variables(each.right)}
        left = each.left.term if isinstance(each.left, core.Coercion) else each.left
        if isinstance(left, core.Variable) and left in variables and left.name not in used:
            found.setdefault(left.name, (left, each.right))
    return found


def _completed(
    assignment: Assignment, given: Mapping[str, tuple[core.Variable, core.Term]], evaluator: Evaluator
) -> bool:
    """Give the determined variables their values; False if one has none, or none in ℕ where it must."""
    for name, (variable, term) in given.items():
        value = evaluator.outcome(term, assignment)
        if isinstance(value, Truth):
            if value not in (TRUE, FALSE):
                return False
            value = value is TRUE
        if variable.sort == core.NATURAL and isinstance(value, int) and value < 0:
            return False
        assignment[name] = value
    return True


def _near(ranges: Sequence[Sequence[Value]]) -> Iterator[tuple[Value, ...]]:
    """Combinations of values, those with early values first as far as the number of assignments allows."""
    width = _EACH
    while width > 2 and width ** len(ranges) > _ASSIGNMENTS:
        width -= 1
    return product(*(each[:width] for each in ranges))


def small_values(sort: core.Sort, constructors: Constructors, depth: int = 2) -> tuple[Value, ...]:
    """A few values of a sort, the simplest first; none where no value is known here."""
    match sort:
        case core.Numeric(name="ℕ"):
            return tuple(range(_EACH))
        case core.Numeric(name="ℤ"):
            return (0, 1, -1, 2, -2, 3, -3, 5, -5)
        case core.Numeric(name="ℚ" | "ℝ"):
            return (0, 1, Fraction(1, 2), -1, 2, Fraction(-1, 2), 3)
        case _ if sort == core.BOOL:
            return (False, True)
        case _ if sort == core.STRING:
            return ("", "a", "ab", "b")
        case core.ListOf(element=element):
            items = small_values(element, constructors, depth - 1)[:2] if depth > 0 else ()
            return tuple(list_of(each) for length in range(3) for each in product(items, repeat=length))
        case core.TupleOf(items=items):
            name = tuple_name(len(items))
            parts = product(*(small_values(item, constructors, depth - 1)[:3] for item in items))
            return tuple(Data(name, each) for each in islice(parts, _EACH))
        case core.DataSort():
            return tuple(islice(_of_data(sort, constructors, depth), _EACH))
        case _:
            return ()


def _of_data(sort: core.DataSort, constructors: Constructors, depth: int) -> Iterator[Value]:
    for constructor in sorted(constructors(sort), key=lambda each: len(each.fields)):
        if depth > 0 or not constructor.fields:
            parts = (small_values(field.sort, constructors, depth - 1)[:3] for field in constructor.fields)
            for fields in product(*parts):
                yield constructed(constructor, fields)


def value_text(value: Value) -> str:
    """A value as it is written, data always with the names of their constructors."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f'"{value}"'
        case Data(constructor=name, fields=fields):
            return f"{name}({', '.join(map(value_text, fields))})" if fields else name
        case ListValue():
            return f"[{', '.join(map(value_text, value))}]"
        case _:
            return str(value)
