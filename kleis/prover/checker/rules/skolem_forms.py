"""Closed formulas of the core as forms without quantifiers: unfolded, split by truth values, Skolemised.

See docs/reference/certificates.md §3.5.  The fragment is first-order logic over carriers and truth values: symbols,
definitions that are not recursive, `let`, `if`, connectives, quantifiers.  All of it is total: true or false.

Why a form says what its formula says
    * A definition or `let` is replaced by what it stands for (`unfolding`).
    * A variable over the truth values takes both.  An atom with a truth value ``c`` inside is the atom with ``true``
      where c holds, and the atom with ``false`` where it does not; so are both branches of ``if``.
    * ∃ becomes a new function of the universal variables that its body depends on.  Every model of the formula is a
      model of the form with some such function, and every model of the form is one of the formula.
    * The outermost ∀ of a claim are ∃ of its negation: new constants, or new functions for variables over functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count, product
from typing import TypeAlias, TypeVar

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import free_variables, substitute
from kleis.prover.checker.rules.equation_terms import TRUE, Function, Signature, Term, variables_in
from kleis.prover.checker.rules.forms import (
    ALWAYS,
    NEVER,
    Form,
    Iff,
    Literal,
    conjunction,
    disjunction,
)
from kleis.prover.checker.rules.symbol_names import Functions, first_order
from kleis.prover.checker.rules.unfolding import Unfolding
from kleis.prover.checker.sequent import NotExpressible, Sequent

__all__ = ["Reading"]

_LARGEST = 20_000
"""Parts of a formula with everything unfolded and split."""

_CASES = 16
"""Ways in which the truth values inside one term may turn out."""

_TRUTHS = 4
"""Variables over the truth values of one quantifier."""

_Guards: TypeAlias = tuple[tuple[core.Term, bool], ...]
_Cases: TypeAlias = list[tuple[_Guards, Term]]
_Scope: TypeAlias = Mapping[str, Term | Function]
_Universal: TypeAlias = tuple[core.Variable, ...]
_Each = TypeVar("_Each")


class Reading:
    """The forms of a sequent's premises, by name, and of its negated claim; `NotExpressible` outside the fragment.

    They depend on nothing but the sequent, names included.
    """

    def __init__(self, sequent: Sequent) -> None:
        self._functions = Functions(sequent)
        self._unfolded = Unfolding(sequent.goal, self._charge)
        self._counter = count(1)
        self._size = 0
        try:
            self.premises = tuple((name, self._premise(formula)) for name, formula in sequent.premises)
            self.negated = self._negated(sequent.claim)
        except RecursionError:
            raise NotExpressible("formulas that nest too deeply") from None

    @property
    def signature(self) -> Signature:
        """The functions and sorts of all forms."""
        return self._functions.signature

    def _premise(self, formula: core.Term) -> Form:
        self._size = 0
        return self._form(self._unfolded(formula), True, {}, ())

    def _negated(self, claim: core.Term) -> Form:
        self._size = 0
        claim = self._unfolded(claim)
        scope: dict[str, Term | Function] = {}
        while isinstance(claim, core.Quantifier) and claim.kind == "forall":
            for variable in claim.variables:
                if variable.sort != core.BOOL:
                    made = self._functions.new(variable.name, *first_order(variable.sort))
                    scope[variable.name] = made if made.domain else (made.name,)
            truths = tuple(each for each in claim.variables if each.sort == core.BOOL)
            claim = core.Quantifier("forall", truths, claim.body) if truths else claim.body
            if truths:
                break
        return self._form(claim, False, scope, ())

    def _charge(self) -> None:
        self._size += 1
        if self._size > _LARGEST:
            raise NotExpressible(f"a formula of more than {_LARGEST} parts, with everything unfolded")

    # ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────

    def _form(self, term: core.Term, positive: bool, scope: _Scope, universal: _Universal) -> Form:
        """The formula or its negation; `universal` are the universal variables around it."""
        self._charge()

        def form(part: core.Term, like_the_whole: bool = True) -> Form:
            return self._form(part, positive == like_the_whole, scope, universal)

        both, either = (conjunction, disjunction) if positive else (disjunction, conjunction)
        match term:
            case core.LiteralTerm(value=bool() as value):
                return ALWAYS if value == positive else NEVER
            case core.Connective(name="and", arguments=arguments):
                return both([form(each) for each in arguments])
            case core.Connective(name="or", arguments=arguments):
                return either([form(each) for each in arguments])
            case core.Connective(name="not", arguments=(inner,)):
                return form(inner, False)
            case core.Connective(name="implies", arguments=(premise, conclusion)):
                return either([form(premise, False), form(conclusion)])
            case core.Conditional(condition=test, consequent=yes, alternative=no):
                return both([either([form(test, False), form(yes)]), either([form(test), form(no)])])
            case core.Equals(left=left, right=right) if left.sort == core.BOOL:
                atom, its_other = self._atom(left, scope), self._atom(right, scope)
                if positive and atom is not None and its_other is not None:
                    return Iff(atom, its_other)
                outer, inside = (conjunction, disjunction) if positive else (disjunction, conjunction)
                first = inside(
                    [self._form(left, False, scope, universal), self._form(right, True, scope, universal)]
                )
                second = inside(
                    [self._form(left, True, scope, universal), self._form(right, False, scope, universal)]
                )
                return outer([first, second])
            case core.Quantifier():
                return self._quantified(term, positive, scope, universal)
        parts: list[Form] = []
        for guards, one, other in self._atoms(term, scope):
            tests = [self._form(test, holds == positive, scope, universal) for test, holds in guards]
            parts.append(both([*tests, Literal(positive, one, other)]))
        return either(parts)

    def _atoms(self, term: core.Term, scope: _Scope) -> list[tuple[_Guards, Term, Term]]:
        """The atoms that a formula may be; exactly one of them has guards that all hold."""
        if isinstance(term, core.Equals):
            sides = product(self._cases(term.left, scope), self._cases(term.right, scope))
            return _few([((*p, *q), left, right) for (p, left), (q, right) in sides])
        if isinstance(term, core.SymbolCall | core.Application) and term.sort == core.BOOL:
            return [(guards, atom, TRUE) for guards, atom in self._call(term, scope)]
        raise NotExpressible(f"a formula that is no atom over carriers: {type(term).__name__}")

    def _atom(self, term: core.Term, scope: _Scope) -> Literal | None:
        """The one atom that a formula is; None where it is more."""
        called = isinstance(term, core.SymbolCall | core.Application)
        if not called and not (isinstance(term, core.Equals) and term.left.sort != core.BOOL):
            return None
        atoms = self._atoms(term, scope)
        return None if len(atoms) > 1 else Literal(True, *atoms[0][1:])

    def _quantified(
        self, term: core.Quantifier, positive: bool, scope: _Scope, universal: _Universal
    ) -> Form:
        over_all = (term.kind == "forall") == positive
        truths = [each.name for each in term.variables if each.sort == core.BOOL]
        others = [each for each in term.variables if each.sort != core.BOOL]
        if len(truths) > _TRUTHS or not all(isinstance(each.sort, core.Carrier) for each in others):
            raise NotExpressible("a quantifier over more than carriers and a few truth values")
        inner = dict(scope)
        if over_all:
            for each in others:
                own = core.Variable(f"{each.name}.{next(self._counter)}", each.sort)
                self.signature.declare_sort(own.sort)
                inner[each.name], universal = own, (*universal, own)
        else:
            around = [scope[each.name] for each in free_variables(term) if each.name in scope]
            known = set(variables_in(*(each for each in around if not isinstance(each, Function))))
            needed = tuple(each for each in universal if each in known)
            for each in others:
                made = self._functions.new(each.name, tuple(one.sort for one in needed), each.sort)
                inner[each.name] = (made.name, *needed)
        parts = []
        for values in product((False, True), repeat=len(truths)):
            taken = {
                name: core.LiteralTerm(value, core.BOOL) for name, value in zip(truths, values, strict=True)
            }
            body = substitute(term.body, taken) if taken else term.body
            parts.append(self._form(body, positive, inner, universal))
        return conjunction(parts) if over_all else disjunction(parts)

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _cases(self, term: core.Term, scope: _Scope) -> _Cases:
        """The values of a term of a carrier with their guards; exactly one value has guards that all hold."""
        self._charge()
        if not isinstance(term.sort, core.Carrier):
            raise NotExpressible(f"a term of the sort {sort_text(term.sort)}")
        match term:
            case core.Variable(name=name):
                value = scope.get(name)
                if value is None or isinstance(value, Function):
                    raise NotExpressible(f"{name} is no variable over a carrier")
                return [((), value)]
            case core.Conditional(condition=test, consequent=yes, alternative=no):
                found = [(((test, True), *guards), value) for guards, value in self._cases(yes, scope)]
                found += [(((test, False), *guards), value) for guards, value in self._cases(no, scope)]
                return _few(found)
            case core.SymbolCall() | core.Application():
                return self._call(term, scope)
            case _:
                raise NotExpressible(f"a term that is no call over carriers: {type(term).__name__}")

    def _call(self, term: core.SymbolCall | core.Application, scope: _Scope) -> _Cases:
        variable: Function | None = None
        if isinstance(term, core.Application):
            found = scope.get(term.function.name) if isinstance(term.function, core.Variable) else None
            if not isinstance(found, Function) or core.BOOL in found.domain:
                raise NotExpressible(
                    "a function that is no variable of the claim's outermost ∀ over carriers"
                )
            variable = found
        cases: _Cases = []
        for chosen in product(*(self._argument(each, scope) for each in term.arguments)):
            guards = tuple(one for guard, _ in chosen for one in guard)
            fixed = tuple(value if isinstance(value, bool) else None for _, value in chosen)
            function = variable
            if isinstance(term, core.SymbolCall):
                function = self._functions.of_symbol(term.symbol, fixed)
            assert function is not None, "a call is of a symbol or of a variable"
            cases.append(
                (guards, (function.name, *(each for _, each in chosen if not isinstance(each, bool))))
            )
            _few(cases)
        return cases

    def _argument(self, term: core.Term, scope: _Scope) -> list[tuple[_Guards, Term | bool]]:
        """The values of an argument; of a truth value, both."""
        if term.sort != core.BOOL:
            return [(guards, value) for guards, value in self._cases(term, scope)]
        if isinstance(term, core.LiteralTerm):
            return [((), bool(term.value))]
        return [(((term, True),), True), (((term, False),), False)]


def _few(cases: list[_Each]) -> list[_Each]:
    if len(cases) > _CASES:
        raise NotExpressible(f"a term with more than {_CASES} cases")
    return cases
