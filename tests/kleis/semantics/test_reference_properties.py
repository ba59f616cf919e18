"""Properties of the reference semantics that hold for every term."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from kleis.budget import Budget
from kleis.builtins.row import Context
from kleis.core import (
    BOOL,
    INTEGER,
    Conditional,
    Connective,
    Equals,
    Let,
    Quantifier,
    Sort,
    Symbol,
    Term,
    Undefined,
    Variable,
)
from kleis.core.goal import Goal
from kleis.core.traversal import canonical, rebuild, subterms
from kleis.semantics.models import Model
from kleis.semantics.ranges import Bounds, Ranges
from kleis.semantics.truth import FALSE, OPEN, TRUE, UNDEFINED
from tests.support.terms.goal_builders import (
    builtin,
    call,
    carrier,
    connect,
    integer,
    less,
    literal,
    no,
    parameter,
    plus,
    times,
    truth,
)

G = carrier("G")
E = Symbol("e", (), G)
F = Symbol("f", (G,), G)
P = Symbol("p", (G,), BOOL)
MEANING = Goal(claim=None, carriers=(G,), symbols=(E, F, P))
BOUNDS = Bounds(integer=2, budget=Budget(steps=200_000, depth=100))

Scope = tuple[Variable, ...]


@st.composite
def models(draw: DrawFn) -> Model:
    """A carrier of one or two elements, and any tables on it."""
    sizes = {G: draw(st.integers(1, 2))}
    ranges = Ranges(BOUNDS, sizes, (), Context(Budget()))
    symbols = {}
    for symbol in (E, F, P):
        tables = ranges.tables(symbol.domain, symbol.codomain)
        assert tables is not None
        symbols[symbol] = tables[draw(st.integers(0, tables.count - 1))]
    return Model(sizes, symbols)


def quotient(left: Term, right: Term) -> Term:
    return builtin("div", INTEGER, left, right, condition=no(Equals(parameter(1, INTEGER), integer(0))))


class Terms:
    """Draws well-sorted terms; `infinite` says whether integers may be bound."""

    def __init__(self, draw: DrawFn, *, infinite: bool) -> None:
        self._draw = draw
        self._infinite = infinite
        self._count = 0

    def term(self, sort: Sort, depth: int, scope: Scope) -> Term:
        """A term of a sort over the variables in scope."""
        simple: list[Callable[[], Term]] = [lambda: Undefined(sort, "a test")]
        simple += [lambda each=each: each for each in scope if each.sort == sort]
        if sort == BOOL:
            simple.append(lambda: literal(self._draw(st.booleans())))
        elif sort == INTEGER:
            simple.append(lambda: integer(self._draw(st.integers(-3, 3))))
        else:
            simple.append(lambda: call(E))
        if depth == 0:
            return self._draw(st.sampled_from(simple))()
        below = depth - 1

        def part(of: Sort) -> Term:
            return self.term(of, below, scope)

        compound: list[Callable[[], Term]] = [
            lambda: Conditional(part(BOOL), part(sort), part(sort)),
            lambda: self._let(sort, below, scope),
        ]
        if sort == INTEGER:
            arithmetic = self._draw(st.sampled_from([plus, times, quotient]))
            compound.append(lambda: arithmetic(part(INTEGER), part(INTEGER)))
        elif sort == G:
            compound.append(lambda: call(F, part(G)))
        else:
            compound += [
                lambda: call(P, part(G)),
                lambda: less(part(INTEGER), part(INTEGER)),
                lambda: self._equation(below, scope),
                lambda: connect("not", part(BOOL)),
                lambda: connect("implies", part(BOOL), part(BOOL)),
                lambda: self._junction(below, scope),
                lambda: self._junction(below, scope),
                lambda: self._quantified(below, scope),
                lambda: self._quantified(below, scope),
            ]
        return self._draw(st.sampled_from([*simple, *compound, *compound]))()

    def _fresh(self, sort: Sort) -> Variable:
        self._count += 1
        return Variable(f"x{self._count}", sort)

    def _sort(self) -> Sort:
        return self._draw(st.sampled_from([BOOL, INTEGER, G]))

    def _let(self, sort: Sort, depth: int, scope: Scope) -> Term:
        variable = self._fresh(self._sort())
        value = self.term(variable.sort, depth, scope)
        return Let(variable, value, self.term(sort, depth, (*scope, variable)))

    def _equation(self, depth: int, scope: Scope) -> Term:
        sort = self._sort()
        return Equals(self.term(sort, depth, scope), self.term(sort, depth, scope))

    def _junction(self, depth: int, scope: Scope) -> Term:
        parts = [self.term(BOOL, depth, scope) for _ in range(self._draw(st.integers(2, 3)))]
        return connect(self._draw(st.sampled_from(["and", "or"])), *parts)

    def _quantified(self, depth: int, scope: Scope) -> Term:
        sorts = [BOOL, G, INTEGER] if self._infinite else [BOOL, G]
        variables = tuple(
            self._fresh(self._draw(st.sampled_from(sorts))) for _ in range(self._draw(st.integers(1, 2)))
        )
        kind = self._draw(st.sampled_from(["forall", "exists"]))
        return Quantifier(kind, variables, self.term(BOOL, depth, (*scope, *variables)))


@st.composite
def formulas(draw: DrawFn, *, infinite: bool = True) -> Term:
    """A closed formula."""
    return Terms(draw, infinite=infinite).term(BOOL, draw(st.integers(1, 4)), ())


def filled(term: Term, data: st.DataObject) -> Term:
    """The term with some of its undefined parts replaced by values."""
    if isinstance(term, Undefined):
        if data.draw(st.booleans()):
            return term
        if term.sort == BOOL:
            return literal(data.draw(st.booleans()))
        return integer(data.draw(st.integers(-3, 3))) if term.sort == INTEGER else call(E)
    return rebuild(term, lambda part: filled(part, data))


@given(formulas(), models(), st.data())
def test_truth_is_monotone_in_definedness(formula: Term, model: Model, data: st.DataObject) -> None:
    better = filled(formula, data)
    for mode in ("one-sided", "relativised"):
        before = truth(formula, meaning=MEANING, bounds=BOUNDS, model=model, mode=mode)
        if before in (TRUE, FALSE):
            assert truth(better, meaning=MEANING, bounds=BOUNDS, model=model, mode=mode) is before


def turned(term: Term, data: st.DataObject) -> Term:
    """The term with the operands of every ∧ and ∨ in another order."""
    term = rebuild(term, lambda part: turned(part, data))
    if isinstance(term, Connective) and term.name in ("and", "or"):
        return Connective(term.name, tuple(data.draw(st.permutations(term.arguments))))
    return term


@given(formulas(), models(), st.data())
def test_the_order_of_operands_does_not_matter(formula: Term, model: Model, data: st.DataObject) -> None:
    other = turned(formula, data)
    for mode in ("one-sided", "relativised"):
        assert truth(formula, meaning=MEANING, bounds=BOUNDS, model=model, mode=mode) is truth(
            other, meaning=MEANING, bounds=BOUNDS, model=model, mode=mode
        )


@given(formulas(), models())
def test_names_of_bound_variables_do_not_matter(formula: Term, model: Model) -> None:
    before = truth(formula, meaning=MEANING, bounds=BOUNDS, model=model)
    assert truth(canonical(formula), meaning=MEANING, bounds=BOUNDS, model=model) is before


@given(formulas(infinite=False), models())
def test_the_modes_agree_on_sorts_that_are_exhausted(formula: Term, model: Model) -> None:
    one_sided = truth(formula, meaning=MEANING, bounds=BOUNDS, model=model)
    assert one_sided.decided
    assert truth(formula, meaning=MEANING, bounds=BOUNDS, model=model, mode="relativised") is one_sided


@given(formulas(), models())
def test_the_relativised_mode_is_one_of_the_possibilities(formula: Term, model: Model) -> None:
    relativised = truth(formula, meaning=MEANING, bounds=BOUNDS, model=model, mode="relativised")
    assert relativised.decided
    assert truth(formula, meaning=MEANING, bounds=BOUNDS, model=model).allows(relativised)


@given(formulas(), models())
def test_larger_ranges_only_add_knowledge(formula: Term, model: Model) -> None:
    small = truth(formula, meaning=MEANING, bounds=Bounds(integer=1), model=model)
    large = truth(formula, meaning=MEANING, bounds=Bounds(integer=3), model=model)
    assert small.allows(large)


@given(formulas(), models())
def test_a_partial_model_allows_what_a_full_one_decides(formula: Term, model: Model) -> None:
    partial = Model(model.sizes, {F: model.symbols[F]})
    known = truth(formula, meaning=MEANING, bounds=BOUNDS, model=model)
    assert truth(formula, meaning=MEANING, bounds=BOUNDS, model=partial).allows(known)


@given(formulas(), models())
def test_every_and_some_are_dual(formula: Term, model: Model) -> None:
    def dual(term: Term) -> Term:
        if isinstance(term, Quantifier):
            other = "exists" if term.kind == "forall" else "forall"
            return no(Quantifier(other, term.variables, no(dual(term.body))))
        return rebuild(term, dual)

    before = truth(formula, meaning=MEANING, bounds=BOUNDS, model=model)
    assert truth(dual(formula), meaning=MEANING, bounds=BOUNDS, model=model) is before


def test_the_formulas_are_of_every_kind() -> None:
    kinds: set[str] = set()
    truths = set()

    @settings(max_examples=1000, derandomize=True)
    @given(formulas(), models())
    def collect(formula: Term, model: Model) -> None:
        kinds.update(type(each).__name__ for each in subterms(formula))
        truths.add(truth(formula, meaning=MEANING, bounds=BOUNDS, model=model))

    collect()
    assert {TRUE, FALSE, UNDEFINED, OPEN} <= truths
    assert {"Quantifier", "Let", "Conditional", "Equals", "SymbolCall", "BuiltinCall", "Connective"} <= kinds
