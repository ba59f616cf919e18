"""Does a condition follow from what is true on the path to it?  Sound and incomplete.

Two methods.  Cases: every choice of constructors and truth values for the values that are tested makes something on
the path false, or the condition true.  Arithmetic: the path and the negation of the condition are impossible
together (kleis/definedness/path_arithmetic.py, kleis/definedness/linear_arithmetic.py), where squares are non-negative.

Invariant: a formula on the path is true, and what it tests has a value; the condition's own operands have values,
because their needs come before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import subterms
from kleis.definedness.linear_arithmetic import AtLeast, Fact, impossible
from kleis.definedness.path_arithmetic import Arithmetic, is_number

__all__ = ["follows"]

_MOST_CASES = 512


def follows(
    path: Sequence[core.Term],
    condition: core.Term,
    goal: Goal,
    values: Mapping[str, core.Term] | None = None,
) -> bool:
    """Whether the condition is true wherever everything on the path is; `values` are those that `let` gives."""
    conclusions: tuple[core.Term, ...] = (condition,)
    if isinstance(condition, core.Connective) and condition.name == "and":
        conclusions = condition.arguments
    return all(
        conclusion in path
        or _by_cases(path, conclusion, goal)
        or _by_arithmetic(path, conclusion, values or {})
        for conclusion in conclusions
    )


# ── Arithmetic ───────────────────────────────────────────────────────────────────────────────────────────────


def _by_arithmetic(path: Sequence[core.Term], conclusion: core.Term, values: Mapping[str, core.Term]) -> bool:
    arithmetic = Arithmetic(values)
    facts: list[Fact] = [arithmetic.assume(each) for each in path]
    facts += [arithmetic.equal(core.Variable(name, value.sort), value) for name, value in values.items()]
    facts.append(arithmetic.assume(conclusion, holds=False))
    facts.extend(_squares((*path, conclusion, *values.values()), arithmetic))
    return impossible(facts, arithmetic.unknowns)


def _squares(terms: Sequence[core.Term], arithmetic: Arithmetic) -> Iterator[Fact]:
    """Facts about products of a number with itself: they are non-negative."""
    for term in subterms(*terms):
        if not isinstance(term, core.BuiltinCall) or len(term.arguments) != 2:
            continue
        left, right = map(_uncoerced, term.arguments)
        same = term.operation.name == "times" and left == right
        even = (
            term.operation.name == "power"
            and isinstance(right, core.LiteralTerm)
            and isinstance(right.value, int)
            and right.value % 2 == 0
        )
        if (same or even) and is_number(term.sort) and is_number(left.sort):
            form, sides = arithmetic.linear(term)
            yield AtLeast(form)
            yield from sides


def _uncoerced(term: core.Term) -> core.Term:
    while isinstance(term, core.Coercion):
        term = term.term
    return term


# ── Cases ────────────────────────────────────────────────────────────────────────────────────────────────────


def _by_cases(path: Sequence[core.Term], conclusion: core.Term, goal: Goal) -> bool:
    atoms = dict.fromkeys(atom for term in (*path, conclusion) for atom in _atoms(term))
    choices = [_choices(atom, goal) for atom in atoms]
    total = 1
    for each in choices:
        total *= len(each)
    if total > _MOST_CASES:
        return False
    for chosen in product(*choices):
        case = dict(zip(atoms, chosen, strict=True))
        if _value(conclusion, case) is not True and all(_value(each, case) is not False for each in path):
            return False
    return True


_Atom: TypeAlias = "core.Term | frozenset[core.Term]"
"""A value whose constructor is tested, a formula tested as a whole, or the two sides of an equation."""


def _atoms(formula: core.Term) -> Iterator[_Atom]:
    """The atoms of a formula."""
    match formula:
        case core.Connective(arguments=arguments):
            for each in arguments:
                yield from _atoms(each)
        case core.Conditional(sort=sort) if sort == core.BOOL:
            for each in (formula.condition, formula.consequent, formula.alternative):
                yield from _atoms(each)
        case core.Discrimination(term=inner):
            yield inner
        case core.LiteralTerm():
            pass
        case core.Equals():
            if _same(formula) is None:
                yield _sides(formula)
        case _:
            yield formula


def _sides(equation: core.Equals) -> frozenset[core.Term]:
    """The sides in any order, without coercions, which change no value."""
    return frozenset((_uncoerced(equation.left), _uncoerced(equation.right)))


def _same(equation: core.Equals) -> bool | None:
    """Whether the sides are equal, where their form shows it."""
    left, right = _uncoerced(equation.left), _uncoerced(equation.right)
    if isinstance(left, core.LiteralTerm) and isinstance(right, core.LiteralTerm):
        return left.value == right.value
    return True if left == right else None


def _choices(atom: _Atom, goal: Goal) -> Sequence[str | bool | None]:
    """The possible outcomes of an atom: its constructors, or true and false; None for an unknown one."""
    if isinstance(atom, frozenset):
        return (True, False)
    sort = atom.sort
    if sort == core.BOOL:
        return (True, False)
    if isinstance(sort, core.ListOf):
        return ("Nil", "Cons")
    if isinstance(sort, core.DataSort):
        try:
            return tuple(each.name for each in goal.constructors(sort))
        except KeyError:
            return (None,)
    return (None,)


def _value(formula: core.Term, case: Mapping[_Atom, str | bool | None]) -> bool | None:
    """The truth of a formula in one case; None if the case does not determine it."""
    match formula:
        case core.LiteralTerm(value=bool(value)):
            return value
        case core.Discrimination(constructor=constructor, term=inner):
            made = case.get(inner)
            if constructor.alone:
                return True
            return made == constructor.name if isinstance(made, str) else None
        case core.Equals() if (same := _same(formula)) is not None:
            return same
        case core.Equals():
            known = case.get(_sides(formula))
            return known if isinstance(known, bool) else None
        case core.Connective(name="not", arguments=(inner,)):
            return _negated(_value(inner, case))
        case core.Connective(name="implies", arguments=(left, right)):
            return _any((_negated(_value(left, case)), _value(right, case)))
        case core.Connective(name="or", arguments=arguments):
            return _any([_value(each, case) for each in arguments])
        case core.Connective(name="and", arguments=arguments):
            return _negated(_any([_negated(_value(each, case)) for each in arguments]))
        case core.Conditional(condition=condition, consequent=consequent, alternative=alternative):
            test = _value(condition, case)
            return None if test is None else _value(consequent if test else alternative, case)
        case _:
            found = case.get(formula)
            return found if isinstance(found, bool) else None


def _negated(value: bool | None) -> bool | None:
    return None if value is None else not value


def _any(values: Sequence[bool | None]) -> bool | None:
    if True in values:
        return True
    return None if None in values else False
