"""Small algebraic theories written by hand as core terms, for tests of engines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature

from kleis.core import BOOL, Carrier, Connective, Equals, Quantifier, Sort, Symbol, SymbolCall, Term, Variable
from kleis.core.goal import Axiom, Goal
from kleis.core.traversal import sorts_of, subterms
from kleis.problems import Place
from kleis.prover.protocol.engine import Task

G = Carrier("G")
H = Carrier("H")
NOWHERE = Place(file="<test>", line=1, column=1)


class Operation:
    """A symbol that can be called on terms."""

    def __init__(self, name: str, domain: Sequence[Sort], codomain: Sort = G) -> None:
        self.symbol = Symbol(name, tuple(domain), codomain)

    def __call__(self, *arguments: Term) -> SymbolCall:
        assert tuple(each.sort for each in arguments) == self.symbol.domain
        return SymbolCall(self.symbol, arguments)


def eq(left: Term, right: Term) -> Term:
    return Equals(left, right)


def no(formula: Term) -> Term:
    return Connective("not", (formula,))


def ne(left: Term, right: Term) -> Term:
    return no(Equals(left, right))


def both(*formulas: Term) -> Term:
    return Connective("and", formulas)


def either(*formulas: Term) -> Term:
    return Connective("or", formulas)


def implies(left: Term, right: Term) -> Term:
    return Connective("implies", (left, right))


def every(body: Callable[..., Term], *sorts: Sort) -> Term:
    """∀ over the parameters of a Python function; all of the carrier G unless sorts are given."""
    return _quantified("forall", body, sorts)


def some(body: Callable[..., Term], *sorts: Sort) -> Term:
    return _quantified("exists", body, sorts)


def _quantified(kind: str, body: Callable[..., Term], sorts: Sequence[Sort]) -> Term:
    names = list(signature(body).parameters)
    variables = tuple(
        Variable(name, sort) for name, sort in zip(names, sorts or [G] * len(names), strict=True)
    )
    return Quantifier("forall" if kind == "forall" else "exists", variables, body(*variables))


def task(axioms: Mapping[str, Term], claim: Term | None, lemmas: Sequence[Term] = ()) -> Task:
    """A task that assumes these axioms."""
    formulas = [*axioms.values(), *([] if claim is None else [claim])]
    found = [each for each in subterms(*formulas) if isinstance(each, SymbolCall)]
    symbols = sorted({each.symbol for each in found}, key=lambda each: each.name)
    sorts = {sort for each in symbols for sort in (*each.domain, each.codomain)}
    sorts |= {sort for formula in formulas for sort in sorts_of(formula)}
    meaning = Goal(
        claim=claim,
        carriers=tuple(sorted((each for each in sorts if isinstance(each, Carrier)), key=str)),
        symbols=tuple(symbols),
        axioms=tuple(Axiom(name, formula, "axiom", NOWHERE) for name, formula in axioms.items()),
    )
    return Task(meaning, tuple(lemmas))


m = Operation("m", (G, G))
i = Operation("i", (G,))
e = Operation("e", ())()
j = Operation("j", (G, G))
k = Operation("k", (G, G))
a = Operation("a", ())()
b = Operation("b", ())()
le = Operation("le", (G, G), BOOL)

ASSOCIATIVE = {"assoc": every(lambda x, y, z: eq(m(m(x, y), z), m(x, m(y, z))))}
MONOID = {
    **ASSOCIATIVE,
    "left_id": every(lambda x: eq(m(e, x), x)),
    "right_id": every(lambda x: eq(m(x, e), x)),
}
LEFT_GROUP = {
    **ASSOCIATIVE,
    "left_id": every(lambda x: eq(m(e, x), x)),
    "left_inv": every(lambda x: eq(m(i(x), x), e)),
}
LATTICE = {
    "j_comm": every(lambda x, y: eq(j(x, y), j(y, x))),
    "k_comm": every(lambda x, y: eq(k(x, y), k(y, x))),
    "j_assoc": every(lambda x, y, z: eq(j(j(x, y), z), j(x, j(y, z)))),
    "k_assoc": every(lambda x, y, z: eq(k(k(x, y), z), k(x, k(y, z)))),
    "absorb_j": every(lambda x, y: eq(j(x, k(x, y)), x)),
    "absorb_k": every(lambda x, y: eq(k(x, j(x, y)), x)),
}

add = Operation("add", (G, G))
mul = Operation("mul", (G, G))
neg = Operation("neg", (G,))
zero = Operation("zero", ())()
one = Operation("one", ())()
RING = {
    "add_assoc": every(lambda x, y, z: eq(add(add(x, y), z), add(x, add(y, z)))),
    "add_comm": every(lambda x, y: eq(add(x, y), add(y, x))),
    "add_zero": every(lambda x: eq(add(x, zero), x)),
    "add_neg": every(lambda x: eq(add(x, neg(x)), zero)),
    "mul_assoc": every(lambda x, y, z: eq(mul(mul(x, y), z), mul(x, mul(y, z)))),
    "left_distributive": every(lambda x, y, z: eq(mul(x, add(y, z)), add(mul(x, y), mul(x, z)))),
    "right_distributive": every(lambda x, y, z: eq(mul(add(x, y), z), add(mul(x, z), mul(y, z)))),
}
COMMUTATIVE = every(lambda x, y: eq(m(x, y), m(y, x)))
