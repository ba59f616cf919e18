"""What becomes smaller in a recursion, and the proof of it in Lean.

Lean finds structural recursion on one argument by itself.  Elsewhere a measure is written with a proof of its own kind:

==========  =======================================================================================================
linear      ``omega``, where the termination argument needed nothing else
remainder   ``a % b`` is below ``b``
filtered    a list that lost its head is filtered
lengths     a list is cut, by equations about lengths
several     the sizes of all arguments that are matched, added up
==========  =======================================================================================================

A definition whose end Kleis shows in another way is left out: no proof is known that Lean accepts.
"""

from __future__ import annotations

from kleis import core
from kleis.core.goal import Obligation, Termination
from kleis.core.traversal import parts, stripped, subterms
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.export.terms.lean_types import call, not_expressible
from kleis.lean.language import lean_tree as lean
from kleis.lean.language.lean_lexer import LeanError

__all__ = ["measures_of"]

Measures = tuple[tuple[lean.Term, ...], tuple[lean.Tactic, ...]]


def measures_of(terms: Terms, definition: core.Definition, termination: Termination | None) -> Measures:
    """What becomes smaller, and the proof; nothing where Lean finds both.  `LeanError` where no proof is known."""
    if termination is None or (termination.kind == "structural" and len(termination.arguments) < 2):
        return (), ()
    if termination.kind == "structural":
        total: lean.Term | None = None
        for place in termination.arguments:
            size = call(lean.Name("sizeOf"), terms.value(definition.parameters[place]).term)
            total = size if total is None else lean.Infix("+", total, size)
        assert total is not None
        return (total,), ()
    several = len(termination.measures) > 1
    return tuple(_measure(terms, each, several) for each in termination.measures), (
        _decrease(definition, termination),
    )


def _measure(terms: Terms, measure: core.Term, several: bool) -> lean.Term:
    """A measure as a natural number.

    One of several may be 0 and become -1 while a later one stays: one more is below that.
    """
    if isinstance(measure, core.Coercion) and measure.term.sort == core.NATURAL:
        measure = measure.term
    value = terms.value(measure).term
    match measure.sort:
        case core.Numeric(name="ℕ"):
            return value
        case core.Numeric(name="ℤ"):
            above = lean.Infix("+", value, lean.Typed(lean.Number(1), lean.Name("ℤ")))
            return call(lean.Name("Int.toNat"), above if several else value)
        case core.Numeric():
            raise not_expressible("a measure that is no integer")
        case _:
            return call(lean.Name("sizeOf"), value)


_LENGTHS = tuple(
    lean.Name(each) for each in ("List.length_cons", "List.length_drop", "List.length_take", "Builtin.slice")
)


def _decrease(definition: core.Definition, termination: Termination) -> lean.Tactic:
    """The proof.  Without obligations the termination argument is linear, or about remainders."""
    if not termination.obligations:
        divisors = [
            each.arguments[1]
            for each in subterms(*_measured_arguments(definition, termination))
            if isinstance(each, core.BuiltinCall) and each.operation.name == "mod"
        ]
        open_ = [each for each in divisors if not isinstance(_uncoerced(each), core.LiteralTerm)]
        if any(each.sort != core.NATURAL for each in open_):
            raise _unproved(definition)
        if not open_ and any(_is_length(each) for each in subterms(*termination.measures)):
            return lean.Decrease("lengths", _LENGTHS[:1])
        return lean.Decrease("remainder") if open_ else lean.Close("omega", all_goals=True)
    kinds = {_kind(each) for each in termination.obligations}
    if kinds == {"filtered"}:
        return lean.Decrease("filtered")
    if kinds == {"lengths"}:
        return lean.Decrease("lengths", _LENGTHS)
    raise _unproved(definition)


def _measured_arguments(definition: core.Definition, termination: Termination) -> list[core.Term]:
    """What recursive calls are given for the parameters that are measured, and the values of names in it."""
    measured = {each for each in subterms(*termination.measures) if isinstance(each, core.Variable)}
    values = {each.variable: each.value for each in subterms(definition.body) if isinstance(each, core.Let)}
    found: list[core.Term] = []
    for each in subterms(definition.body):
        if isinstance(each, core.DefinitionCall) and each.definition in definition.group:
            alone = each.definition == definition.key
            for parameter, argument in zip(definition.parameters, each.arguments, strict=False):
                if not alone or parameter in measured:
                    found += [argument, *(values[name] for name in subterms(argument) if name in values)]
    return found


def _kind(obligation: Obligation) -> str:
    """How an obligation of one measure is proved; empty where it is not known."""
    _, premises, goal = stripped(obligation.formula)
    if isinstance(goal, core.Connective) and goal.name == "implies":
        premises, goal = (*premises, goal.arguments[0]), goal.arguments[1]
    equations = [
        each for premise in premises for each in _conjuncts(premise) if isinstance(each, core.Equals)
    ]
    values = {each.left: each.right for each in equations}
    less = goal.arguments[0] if isinstance(goal, core.Connective) and goal.name == "and" else goal
    smaller = _argument_of(less, "less_than")
    cut = _argument_of(smaller, "length") if smaller is not None else None
    match values.get(cut, cut) if cut is not None else None:
        case core.BuiltinCall(operation=core.Operation(name="list_filter"), arguments=(_, core.Selection())):
            return "filtered"
        case core.BuiltinCall(
            operation=core.Operation(name="list_slice"),
            arguments=(core.Variable() | core.Selection(), *places),
        ):
            return "" if any(map(_has_unknown_value, places)) else "lengths"
        case _:
            return ""


def _conjuncts(formula: core.Term) -> tuple[core.Term, ...]:
    if isinstance(formula, core.Connective) and formula.name == "and":
        return tuple(part for each in formula.arguments for part in _conjuncts(each))
    return (formula,)


def _argument_of(term: core.Term, name: str) -> core.Term | None:
    """The first argument of a call of a built-in, without coercions."""
    if isinstance(term, core.BuiltinCall) and term.operation.name == name:
        return _uncoerced(term.arguments[0])
    return None


def _is_length(term: core.Term) -> bool:
    return isinstance(term, core.BuiltinCall) and term.operation.name == "length"


def _has_unknown_value(term: core.Term) -> bool:
    """Whether the value of a definition matters in a term; a length is some natural number."""
    if _is_length(term):
        return False
    return isinstance(term, core.DefinitionCall) or any(map(_has_unknown_value, parts(term)))


def _uncoerced(term: core.Term) -> core.Term:
    return term.term if isinstance(term, core.Coercion) else term


def _unproved(definition: core.Definition) -> LeanError:
    return not_expressible(
        f"no proof that Lean accepts is known that {definition.name} ends",
        "recursion on a part of a list needs none",
    )
