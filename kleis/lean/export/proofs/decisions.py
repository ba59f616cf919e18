"""Claims that Lean decides by computing.  See docs/reference/lean.md §6.1.

``decide`` computes a claim about finitely many values, and one without variables.  ``decide +kernel`` lets Lean's kernel
compute a claim without variables: it also unfolds rational numbers, strings and recursion by a measure.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis import core
from kleis.core.traversal import sorts_of, subterms
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.language import lean_tree as lean

__all__ = ["MAXIMUM_CASES", "bound_names", "decision", "is_decided", "outermost"]

MAXIMUM_CASES = 1_000
"""Cases of a finite decision."""

_LONGEST = 20
"""Elements of a list that is computed in a decision: a step of recursion in Lean for each."""


def outermost(claim: core.Term) -> tuple[tuple[core.Variable, ...], core.Term]:
    """The variables of the outermost ∀, and what is claimed of them."""
    variables: list[core.Variable] = []
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        variables += claim.variables
        claim = claim.body
    return tuple(variables), claim


def decision(
    claim: core.Term, statement: lean.Term, definitions: Definitions
) -> tuple[lean.Tactic, ...] | None:
    """Tactics that decide a claim; None where Lean cannot compute it."""
    variables, body = outermost(claim)
    parts = list(lean.walk(statement))
    if variables and _are_short_words(variables):
        computed = is_decided(body, definitions, by_the_kernel=True)
        return (lean.Close("decide +kernel"),) if computed else None
    if variables:
        return _cases(variables, statement, definitions) if is_decided(body, definitions) else None
    if any(isinstance(each, lean.Bind) and each.kind == "∀" and not _is_bounded(each) for each in parts):
        return None  # where a sum over an interval is defined
    if not is_decided(body, definitions, by_the_kernel=True):
        return None
    return (lean.Close("decide +kernel"),)


def _are_short_words(variables: Sequence[core.Variable]) -> bool:
    """Whether variables are bit vectors with few values together, which Lean decides by going through them."""
    sorts = [each.sort for each in variables]
    words = [each.width for each in sorts if isinstance(each, core.BitVec)]
    return len(words) == len(sorts) and 2 ** sum(words) <= MAXIMUM_CASES


def _is_bounded(quantified: lean.Bind) -> bool:
    """Whether a ∀ is about the elements of a list."""
    body = quantified.body
    return (
        isinstance(body, lean.Infix)
        and body.operator == "→"
        and isinstance(body.left, lean.Infix)
        and body.left.operator == "∈"
    )


def is_decided(formula: core.Term, definitions: Definitions, *, by_the_kernel: bool = False) -> bool:
    """Whether Lean's ``decide`` computes a formula once its variables have values.

    Without the kernel not rational numbers, which it cannot compute with, nor strings, whose functions it does not unfold
    well, nor recursion by a measure, which it does not unfold, nor long lists.
    """
    if not definitions.decidability.formula(formula):
        return False
    waiting, seen = [formula], set[str]()
    while waiting:
        term = waiting.pop()
        sorts = set(sorts_of(term))
        if not by_the_kernel and sorts & {core.RATIONAL, core.STRING}:
            return False
        if not all(map(_is_computed, sorts)):
            return False
        for each in subterms(term):
            if isinstance(each, core.SymbolCall | core.Quantifier):
                return False
            if isinstance(each, core.BuiltinCall):
                if by_the_kernel and each.operation.name == "power":
                    return False  # the kernel does not unfold it where Lean's library is read as modules
                condition = each.operation.condition
                if not by_the_kernel and _is_long(each):
                    return False
                if condition is not None and not definitions.decidability.formula(condition):
                    return False
            if isinstance(each, core.DefinitionCall):
                by_cases = definitions.has_predicate_by_cases(each.definition)
                if by_cases and any(
                    isinstance(one, core.DefinitionCall) for one in subterms(*each.arguments)
                ):
                    return (
                        False  # Lean looks for a decision of the case that holds, which it does not compute
                    )
            if isinstance(each, core.DefinitionCall) and each.definition not in seen:
                seen.add(each.definition)
                if definitions.has_recursive_predicate(each.definition):
                    return False
                if not definitions.is_computed(each.definition, by_the_kernel=by_the_kernel):
                    return False
                waiting.append(definitions.gathering.definitions[each.definition].body)
    return True


def _is_computed(sort: core.Sort) -> bool:
    """Whether values of a sort are data: no real numbers, no sets.

    A carrier is a type variable of a definition here: what is decided calls no operation, so that it has a value.
    """
    match sort:
        case core.ListOf(element=element):
            return _is_computed(element)
        case core.TupleOf(items=items):
            return all(map(_is_computed, items))
        case core.FunctionOf(domain=domain, codomain=codomain):
            return all(map(_is_computed, (*domain, codomain)))
        case core.DataSort(arguments=arguments):
            return all(_is_computed(each) for each in arguments if isinstance(each, core.Sort))
        case core.Numeric(name=name):
            return name in ("ℕ", "ℤ", "ℚ")
        case core.Basic() | core.BitVec() | core.Carrier():
            return True
        case _:
            return False


def _is_long(term: core.BuiltinCall) -> bool:
    """Whether computing a built-in may go deeper than Lean lets ``decide`` go: over an interval, or a long list."""
    if term.operation.name in ("sum_bounds", "prod_bounds", "sum_over"):
        return True
    numerals = [
        each.value
        for each in subterms(*term.arguments)
        if isinstance(each, core.LiteralTerm) and not isinstance(each.value, bool | str)
    ]
    return term.operation.name in ("range", "replicate") and any(each > _LONGEST for each in numerals)


def _cases(
    variables: Sequence[core.Variable], statement: lean.Term, definitions: Definitions
) -> tuple[lean.Tactic, ...] | None:
    """Cases of every variable, each decided; None where a sort has infinitely many values, or too many."""
    count = 1
    for variable in variables:
        size = _number_of_values(variable.sort, definitions)
        if size is None:
            return None
        count *= size
    if count > MAXIMUM_CASES:
        return None
    names = bound_names(statement)[: len(variables)]
    if len(names) < len(variables):
        return None
    return (lean.Intro(names), lean.Cases(names, lean.Close("decide")))


def _number_of_values(sort: core.Sort, definitions: Definitions) -> int | None:
    if sort == core.BOOL:
        return 2
    if not isinstance(sort, core.DataSort):
        return None
    constructors = definitions.data.constructors(sort)
    return None if any(each.fields for each in constructors) else len(constructors)


def bound_names(statement: lean.Term) -> tuple[str, ...]:
    """The names of the outermost ∀."""
    names: list[str] = []
    while isinstance(statement, lean.Bind) and statement.kind == "∀":
        names += [name for binder in statement.binders for name in binder.names]
        statement = statement.body
    return tuple(names)
