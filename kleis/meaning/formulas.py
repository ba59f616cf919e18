"""Formulas that the termination check writes: measures, conditions and obligations.

Specification: proving.md §1 ("Definitions").

Invariants
    * An obligation is closed, binds no name twice on a path, and does not mention the group it is about: the
      value of a call within a call is any value of its sort.
    * Obligations are implications.  They are to be *true* (not only "not false"): an undefined premise or an
      undefined measure proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from kleis.meaning.calls import Bound, Call
from kleis.meaning.core import (
    BOOL,
    INTEGER,
    NATURAL,
    STRING,
    BuiltinCall,
    Coercion,
    Connective,
    Definition,
    DefinitionCall,
    Equals,
    LiteralTerm,
    Narrowing,
    Operation,
    Quantifier,
    Sort,
    SymbolCall,
    Term,
    Variable,
)
from kleis.meaning.terms import bound_by, free_variables, rebuild, substitute, subterms

__all__ = [
    "absolute",
    "as_number",
    "at_arguments",
    "at_least",
    "conjunction",
    "difference",
    "integer",
    "length_of",
    "multiple",
    "obligation",
    "total",
    "without_symbols",
]


def integer(value: int) -> Term:
    """An integer as a term of sort ℤ."""
    if value < 0:
        return LiteralTerm(value, INTEGER)
    return Coercion(LiteralTerm(value, NATURAL), INTEGER)


def as_number(term: Term, sort: Sort) -> Term:
    """The term in a larger set of numbers."""
    return term if term.sort == sort else Coercion(term, sort)


def _call(name: str, result: Sort, **arguments: Term) -> Term:
    parameters = tuple(Variable(each, term.sort) for each, term in arguments.items())
    return BuiltinCall(Operation(name, parameters, result), tuple(arguments.values()))


def total(terms: Sequence[Term]) -> Term:
    """The sum of integers."""
    answer = terms[0] if terms else integer(0)
    for term in terms[1:]:
        answer = _call("plus", INTEGER, a=answer, b=term)
    return answer


def difference(left: Term, right: Term) -> Term:
    """The difference of integers."""
    return _call("minus", INTEGER, a=left, b=right)


def multiple(factor: int, term: Term) -> Term:
    """A multiple of an integer."""
    return term if factor == 1 else _call("times", INTEGER, a=integer(factor), b=term)


def absolute(term: Term) -> Term:
    """The absolute value of an integer."""
    return _call("abs", INTEGER, a=term)


def length_of(term: Term) -> Term:
    """The length of a list or string, in ℤ."""
    if term.sort == STRING:
        return Coercion(_call("strlen", NATURAL, s=term), INTEGER)
    return Coercion(_call("length", NATURAL, l=term), INTEGER)


def at_least(large: Term, small: Term) -> Term:
    """``large ≥ small`` for numbers of one sort."""
    return _call("geq", BOOL, a=large, b=small)


def less(small: Term, large: Term) -> Term:
    """``small < large`` for numbers of one sort."""
    return _call("less_than", BOOL, a=small, b=large)


def conjunction(formulas: Iterable[Term]) -> Term:
    """All of the formulas; true if there are none."""
    each = tuple(dict.fromkeys(formulas))
    if not each:
        return LiteralTerm(True, BOOL)
    return each[0] if len(each) == 1 else Connective("and", each)


def at_arguments(term: Term, definition: Definition, arguments: Sequence[Term]) -> Term:
    """A term over the parameters of a definition, at the arguments of a call."""
    return substitute(term, dict(zip((each.name for each in definition.parameters), arguments, strict=True)))


def obligation(
    call: Call,
    group: Collection[str],
    conditions: Sequence[Term],
    *,
    before: Sequence[Term] = (),
    after: Sequence[Term] = (),
    preserved: Sequence[Term] = (),
) -> Term:
    """The closed formula of one call.

    Under the path and the caller's `conditions`: the measures `after` (over the callee's parameters) at the
    arguments are lexicographically less than `before`, which is bounded where it decreases; if there are none,
    `preserved` (over the callee's parameters) hold of the arguments.
    """
    opened = _Opening(call, frozenset(group))
    premises = [*conditions, *opened.premises]
    values = [as_number(at_arguments(each, call.callee, opened.arguments), INTEGER) for each in after]
    if before:
        goal = _decrease(values, [as_number(each, INTEGER) for each in before])
    else:
        goal = conjunction(at_arguments(each, call.callee, opened.arguments) for each in preserved)
    formula = Connective("implies", (conjunction(premises), goal)) if premises else goal
    return _closed(formula)


def _decrease(after: Sequence[Term], before: Sequence[Term]) -> Term:
    ways = []
    for index, (new, old) in enumerate(zip(after, before, strict=True)):
        kept = [at_least(before[earlier], after[earlier]) for earlier in range(index)]
        ways.append(conjunction([*kept, less(new, old), at_least(old, integer(0))]))
    return ways[0] if len(ways) == 1 else Connective("or", tuple(ways))


class _Opening:
    """The premises of a call and its arguments, without calls of the group.

    An argument that is narrowed to ℕ becomes a variable over ℕ with a premise: the call happens only where the
    integer is one.
    """

    def __init__(self, call: Call, group: frozenset[str]) -> None:
        self._group = group
        self._taken = _names(call)
        self._replaced: dict[Term, Variable] = {}
        self.premises: list[Term] = []
        for step in call.path:
            if isinstance(step, Bound):
                self._suppose(Equals(step.variable, step.value))
            else:
                self._suppose(step.formula if step.holds else Connective("not", (step.formula,)))
        self.arguments = tuple(self._argument(each) for each in call.arguments)

    def _suppose(self, premise: Term) -> None:
        opened = self._without_group(premise)
        if not self._mentions(opened):
            self.premises.append(opened)

    def _argument(self, argument: Term) -> Term:
        opened = self._without_group(argument)
        if self._mentions(opened):
            return self._fresh(argument)
        if not isinstance(opened, Narrowing):
            return opened
        narrowed = self._fresh(opened)
        whole = as_number(opened.term, INTEGER)
        self.premises.append(Equals(Coercion(narrowed, INTEGER), whole))
        return narrowed

    def _mentions(self, term: Term) -> bool:
        return any(
            isinstance(each, DefinitionCall) and each.definition in self._group for each in subterms(term)
        )

    def _without_group(self, term: Term, bound: frozenset[str] = frozenset()) -> Term:
        """The term with calls of the group replaced by variables, except where they depend on what it binds."""
        if isinstance(term, DefinitionCall) and term.definition in self._group:
            if bound.isdisjoint(each.name for each in free_variables(term)):
                return self._fresh(term)
            return term
        inner = bound | {variable.name for variable in bound_by(term)}
        return rebuild(term, lambda part: self._without_group(part, inner))

    def _fresh(self, term: Term) -> Variable:
        known = self._replaced.get(term)
        if known is None:
            name = _unused("k" if term.sort == NATURAL else "r", self._taken)
            known = self._replaced[term] = Variable(name, term.sort)
        return known


def _names(call: Call) -> set[str]:
    """Every name that a call's formulas may use."""
    terms: list[Term] = [*call.arguments, call.caller.body]
    names = {variable.name for variable in (*call.caller.parameters, *call.callee.parameters)}
    for each in subterms(*terms):
        names |= {variable.name for variable in bound_by(each)}
        if isinstance(each, Variable):
            names.add(each.name)
    return names


def _closed(formula: Term) -> Term:
    """∀ over everything free, renamed where the formula binds the same name further in."""
    free = free_variables(formula)
    inner = {variable.name for each in subterms(formula) for variable in bound_by(each)}
    taken = inner | {variable.name for variable in free}
    renamed: dict[str, Term] = {}
    variables = []
    for variable in free:
        new = variable
        if variable.name in inner:
            new = Variable(_unused(variable.name, taken), variable.sort)
            renamed[variable.name] = new
        variables.append(new)
    body = substitute(formula, renamed) if renamed else formula
    return Quantifier("forall", tuple(variables), body) if variables else body


def _unused(stem: str, taken: set[str]) -> str:
    """A new name, which is taken from now on."""
    number = 1
    while f"{stem}{number}" in taken:
        number += 1
    taken.add(f"{stem}{number}")
    return f"{stem}{number}"


def without_symbols(formula: Term) -> Term:
    """An obligation without the premises that speak of symbols."""
    if isinstance(formula, Quantifier):
        return Quantifier(formula.kind, formula.variables, without_symbols(formula.body))
    if not isinstance(formula, Connective) or formula.name != "implies":
        return formula
    premise, goal = formula.arguments
    all_of = premise.arguments if isinstance(premise, Connective) and premise.name == "and" else (premise,)
    kept = [each for each in all_of if not any(isinstance(part, SymbolCall) for part in subterms(each))]
    return Connective("implies", (conjunction(kept), goal))
