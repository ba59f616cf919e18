"""Completion proofs as calculations.  See docs/reference/lean.md §6.1.

A certificate's chains (docs/reference/certificates.md §3.5) are rewritten in Lean: every link is a ``have`` proved by
``calc``, every step of a chain an axiom, hypothesis or earlier link at written-out arguments, lifted to the term around
it by ``congrArg``.  An equation that is claimed becomes one calculation from its left side to its right one.  Anything
else is shown from ``True = False``.  A formula is an equation between propositions here, as in the certificate.

Nothing is searched for, and nothing of a certificate is believed: what a step says is computed from the axioms again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import canonical
from kleis.lean.export.declarations.class_scopes import Scope
from kleis.lean.export.proofs.decisions import outermost
from kleis.lean.export.proofs.hypotheses import Assumed, conjuncts_of, named_axioms
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.export.terms.lean_types import call
from kleis.lean.language import lean_tree as lean
from kleis.prover.checker.format import Link, Rewrite, Rewriting
from kleis.prover.checker.rules.equation_terms import (
    FALSE,
    TRUE,
    Signature,
    Term,
    instance,
    matched,
    part_at,
    put,
    variables_in,
)
from kleis.prover.checker.rules.unit_equations import CLAIM, Problem, Unit
from kleis.prover.checker.sequent import CheckError, Sequent

__all__ = ["chain_proof"]

_LARGEST = 20_000
"""Parts of terms in a proof; a longer one is not written."""


class _Unfit(Exception):
    """The proof has no form here."""


class _Equation(msgspec.Struct, frozen=True):
    """A numbered equation: its sides, its variables in the order that `head` takes them, and how `head` proves it."""

    left: Term
    right: Term
    variables: tuple[core.Variable, ...]
    head: lean.Term
    lifted: str = ""
    """The lemma that makes the equation of what `head` proves: ``eq_true``, ``eq_false``, ``of_eq_true`` or none."""


class _Move(msgspec.Struct, frozen=True):
    """A replacement: the terms before and after, where, and the proof that the part before equals the part after.

    negated
        It uses that the claim does not hold.
    again
        The equation that is used, where this is all of it, with other variables.
    """

    before: Any
    after: Any
    at: tuple[int, ...]
    proof: lean.Term
    negated: bool
    again: _Equation | None = None


def chain_proof(goal: Goal, step: Rewriting, terms: Terms, scope: Scope) -> tuple[lean.Tactic, ...] | None:
    """Tactics for a claim that chains of equations show; None where there is no form."""
    assert goal.claim is not None
    premises = tuple((each.name, each.formula) for each in goal.axioms)
    sequent = Sequent(goal, premises, goal.claim)
    try:
        problem = Problem(sequent.with_premises(step.given))
        if problem.count != 1 or len(step.refutations) != 1:
            return None
        writer = _Writer(goal, problem, step, terms, scope)
        tactics = writer.proof(step.refutations[0].links)
    except (CheckError, _Unfit):
        return None
    return tactics


class _Writer:
    """Writes the proof of one claim."""

    def __init__(self, goal: Goal, problem: Problem, step: Rewriting, terms: Terms, scope: Scope) -> None:
        assert goal.claim is not None
        self._terms, self._scope = terms, scope
        self._signature = problem.signature
        self._read = problem.signature.read_variables(step.variables)
        self._equations: list[_Equation] = []
        self._names: dict[core.Variable, str] = {}
        self._haves: list[lean.Tactic] = []
        self._size = 0
        self._supposed = False
        variables, body = outermost(goal.claim)
        self._constants = {f"?{each.name}": terms.locals(each.name) for each in variables}
        made = {each for each in problem.signature.names if problem.signature[each].meaning == "any"}
        if made != set(self._constants) or any(not isinstance(each.sort, core.Carrier) for each in variables):
            raise _Unfit
        self._intros = list(self._constants.values())
        self._hypotheses: list[Assumed] = []
        self._conclusion = self._assume(body)
        self._negated = terms.locals.fresh("h")
        units = problem.units(0).units
        heads = dict(named_axioms(scope))
        known = {each.name: each.formula for each in goal.axioms}
        formulas = [known[name] for name in step.given]
        for unit in units:
            self._equations.append(self._unit(unit, formulas, heads))

    def _assume(self, body: core.Term) -> core.Term | None:
        """Take the hypotheses of a claim; what is claimed under them, None for a contradiction."""
        while isinstance(body, core.Connective) and body.name in ("implies", "not"):
            name = self._terms.locals.fresh("h")
            self._intros.append(name)
            self._hypotheses += conjuncts_of(lean.Name(name), body.arguments[0])
            if body.name == "not":
                return None
            body = body.arguments[1]
        if not isinstance(body, core.Equals | core.SymbolCall):
            raise _Unfit
        return body

    # ── what is given ────────────────────────────────────────────────────────────────────────────────────

    def _unit(
        self, unit: Unit, formulas: Sequence[core.Term], heads: Mapping[core.Term, lean.Term]
    ) -> _Equation:
        """A given equation, with what proves it."""
        variables = tuple(variables_in(unit.left, unit.right))
        if unit.source == CLAIM:
            return self._claimed(unit)
        if unit.source < 0:
            return self._logical(unit, variables)
        formula = formulas[unit.source]
        head = heads.get(canonical(formula))
        if head is None:
            raise _Unfit
        bound, body = outermost(formula)
        by_name = {each.name.rpartition(".")[0]: each for each in variables}
        if len(by_name) < len(variables) or set(by_name) != {each.name for each in bound}:
            raise _Unfit
        ordered = tuple(by_name[each.name] for each in bound)
        match body:
            case core.Equals(left=left) if left.sort != core.BOOL:
                return _Equation(unit.left, unit.right, ordered, head)
            case core.SymbolCall():
                return _Equation(unit.left, unit.right, ordered, head, "eq_true")
            case core.Connective(name="not", arguments=(core.SymbolCall() | core.Equals(),)):
                return _Equation(unit.left, unit.right, ordered, head, "eq_false")
            case _:
                return self._derived(unit, ordered, head)

    def _derived(self, unit: Unit, variables: tuple[core.Variable, ...], head: lean.Term) -> _Equation:
        """An equation that says what a larger formula says."""
        name, hypothesis = self._terms.locals.fresh("e"), self._terms.locals.fresh("h")
        fact = call(head, *(lean.Name(self._local(each)) for each in variables))
        body: tuple[lean.Tactic, ...] = (
            lean.Have(hypothesis, None, (lean.Exact(fact),)),
            lean.Close("grind"),
        )
        self._have(name, variables, (unit.left, unit.right), body)
        return _Equation(unit.left, unit.right, variables, lean.Name(name))

    def _logical(self, unit: Unit, variables: tuple[core.Variable, ...]) -> _Equation:
        """What equality, and definition by cases, mean."""
        if unit.right == TRUE:
            return _Equation(unit.left, unit.right, variables, lean.Name("eq_self"))
        name = self._terms.locals.fresh("e")
        self._have(name, variables, (unit.left, unit.right), (lean.Close("grind"),))
        return _Equation(unit.left, unit.right, variables, lean.Name(name))

    def _claimed(self, unit: Unit) -> _Equation:
        """A hypothesis of the claim, or that it does not hold."""
        if self._conclusion is not None and (unit.left, unit.right) == (self._truth(self._conclusion), FALSE):
            return _Equation(unit.left, unit.right, (), lean.Name(self._negated), "eq_false")
        for law in self._hypotheses:
            match law.formula:
                case core.Equals(left=left, right=right) if left.sort != core.BOOL:
                    if (self._term(left), self._term(right)) == (unit.left, unit.right):
                        return _Equation(unit.left, unit.right, (), law.head)
                case core.SymbolCall() as atom:
                    if (self._term(atom), TRUE) == (unit.left, unit.right):
                        return _Equation(unit.left, unit.right, (), law.head, "eq_true")
                case core.Connective(name="not", arguments=(core.SymbolCall() | core.Equals() as atom,)):
                    if (self._truth(atom), FALSE) == (unit.left, unit.right):
                        return _Equation(unit.left, unit.right, (), law.head, "eq_false")
                case _:
                    pass
        raise _Unfit

    def _term(self, term: core.Term) -> Term:
        """A term of the claim as the checker reads it."""
        match term:
            case core.Variable(name=name):
                return (f"?{name}",)
            case core.SymbolCall(symbol=symbol, arguments=arguments):
                for name in self._signature.names:
                    function = self._signature[name]
                    if function.symbol == symbol and not any(each is not None for each in function.fixed):
                        return (name, *map(self._term, arguments))
        raise _Unfit

    def _truth(self, atom: core.Term) -> Term:
        """The truth value of an atom of the claim."""
        if not isinstance(atom, core.Equals):
            return self._term(atom)
        left, right = self._term(atom.left), self._term(atom.right)
        sort = self._signature.sort(left)
        for name in self._signature.names:
            function = self._signature[name]
            if function.meaning == "equality" and function.domain[0] == sort:
                return (name, left, right)
        raise _Unfit

    # ── the proof ────────────────────────────────────────────────────────────────────────────────────────

    def proof(self, links: Sequence[Link]) -> tuple[lean.Tactic, ...]:
        """All tactics."""
        for each in links[:-1]:
            self._link(each)
        moves = self._moves(links[-1])
        closing = self._direct(moves) or self._contradiction(moves)
        intros = (lean.Intro(tuple(self._intros)),) if self._intros else ()
        supposed = (lean.Suppose(self._negated),) if self._supposed and self._conclusion is not None else ()
        return (*intros, *supposed, *self._haves, *closing)

    def _link(self, link: Link) -> None:
        """A link as an equation that is proved."""
        if link.reflects:
            self._equations.append(_reflected(self._signature, self._equations[link.reflects - 1]))
            return
        moves = self._moves(link)
        again = moves[0].again
        if (
            len(moves) == 1
            and again is not None
            and (again.left, again.right) == (moves[0].before, moves[0].after)
        ):
            self._equations.append(again)
            return
        self._supposed = self._supposed or any(each.negated for each in moves)
        left, right = moves[0].before, moves[-1].after
        variables = tuple(variables_in(left, right))
        if set(variables_in(*(each.before for each in moves))) - set(variables):
            raise _Unfit  # a term on the way has a variable of its own, which no element need be there for
        name = self._terms.locals.fresh("e")
        self._have(name, variables, (left, right), (self._calculation(moves),))
        self._equations.append(_Equation(left, right, variables, lean.Name(name)))

    def _type(self, sort: core.Sort) -> lean.Term:
        """The type of the values of a sort; truth values are propositions."""
        return lean.Name("Prop") if sort == core.BOOL else self._terms.sorts.type(sort)

    def _have(
        self,
        name: str,
        variables: Sequence[core.Variable],
        sides: tuple[Term, Term],
        proof: tuple[lean.Tactic, ...],
    ) -> None:
        """An equation for all values of its variables, with its proof."""
        statement: lean.Term = lean.Infix("=", self._lean(sides[0]), self._lean(sides[1]))
        if variables:
            binders = tuple(lean.Binder((self._local(each),), self._type(each.sort)) for each in variables)
            statement = lean.Bind("∀", binders, statement)
            proof = (lean.Intro(tuple(self._local(each) for each in variables)), *proof)
        self._haves.append(lean.Have(name, statement, proof))

    def _moves(self, link: Link) -> list[_Move]:
        """The replacements of a link, from its left end to its right one."""
        start = self._signature.read(link.start, self._read)
        back: list[_Move] = []
        term = start
        for step in link.left:
            back.append(_turned(self._move(term, step)))
            term = back[-1].before
        ahead: list[_Move] = []
        term = start
        for step in link.right:
            ahead.append(self._move(term, step))
            term = ahead[-1].after
        moves = [*reversed(back), *ahead]
        if not moves:
            raise _Unfit
        return moves

    def _move(self, term: Term, step: Rewrite) -> _Move:
        equation = self._equations[abs(step.equation) - 1]
        forwards = step.equation > 0
        old, new = (equation.left, equation.right) if forwards else (equation.right, equation.left)
        values = matched(self._signature, old, part_at(term, step.at))
        if values is None:
            raise _Unfit
        free = [each for each in variables_in(new) if each not in values]
        for variable, data in zip(free, step.values, strict=True):
            values[variable] = self._signature.read(data, self._read)
        missing = [each for each in equation.variables if each not in values]
        if missing:
            raise _Unfit  # a variable that neither side has
        proof = call(equation.head, *(self._lean(values[each]) for each in equation.variables))
        if equation.lifted:
            proof = lean.Call(lean.Name(equation.lifted), (proof,))
        after = put(term, step.at, instance(new, values))
        negated = equation.head == lean.Name(self._negated)
        again = None if step.at else _renamed(equation, values)
        move = _Move(term, after, tuple(step.at), proof, negated, again)
        return move if forwards else msgspec.structs.replace(move, proof=_symmetric(proof))

    def _lifted(self, move: _Move, inside: int = 0) -> lean.Term:
        """The proof of a move between whole terms, or between their arguments of this number."""
        term, at = (move.before, move.at) if not inside else (move.before[inside], move.at[1:])
        if not at:
            return move.proof
        sort = self._signature.sort(part_at(term, at))
        hole = core.Variable("hole", sort)
        function = lean.Bind(
            "fun", (lean.Binder((self._local(hole),), self._type(sort)),), self._lean(put(term, at, hole))
        )
        return lean.Call(lean.Name("congrArg"), (function, move.proof))

    def _calculation(self, moves: Sequence[_Move]) -> lean.Calc:
        steps = tuple((self._lean(each.after), self._lifted(each)) for each in moves)
        return lean.Calc(self._lean(moves[0].before), steps)

    def _direct(self, moves: Sequence[_Move]) -> tuple[lean.Tactic, ...] | None:
        """The claim by one calculation; None where the negated claim is used in another way than to end the chain."""
        if moves[0].before != FALSE:
            moves = [_turned(each) for each in reversed(moves)]
        first, rest = moves[0], moves[1:]
        if self._supposed or not first.negated or any(each.negated for each in rest) or not rest:
            return None
        if not isinstance(self._conclusion, core.Equals):
            name = self._terms.locals.fresh("e")
            self._have(name, (), (first.after, TRUE), (self._calculation(rest),))
            return (lean.Exact(lean.Call(lean.Name("of_eq_true"), (lean.Name(name),))),)
        middle = rest[:-1]
        if not all(each.at and self._signature.equated(each.after) for each in middle):
            return None
        left = [(each.after[1], self._lifted(each, 1)) for each in middle if each.at[0] == 1]
        right = [_turned(each) for each in reversed(middle) if each.at[0] == 2]
        steps = [*left, *((each.after[2], self._lifted(each, 2)) for each in right)]
        if not steps:
            return (lean.Close("rfl"),)
        return (
            lean.Calc(self._lean(first.after[1]), tuple((self._lean(term), proof) for term, proof in steps)),
        )

    def _contradiction(self, moves: Sequence[_Move]) -> tuple[lean.Tactic, ...]:
        """The claim, from ``True = False``."""
        if moves[0].before != TRUE:
            moves = [_turned(each) for each in reversed(moves)]
        self._supposed = self._supposed or any(each.negated for each in moves)
        name = self._terms.locals.fresh("e")
        self._have(name, (), (TRUE, FALSE), (self._calculation(moves),))
        return (lean.Exact(lean.Call(lean.Name("false_of_true_eq_false"), (lean.Name(name),))),)

    # ── terms ────────────────────────────────────────────────────────────────────────────────────────────

    def _local(self, variable: core.Variable) -> str:
        """The Lean name of a variable of an equation."""
        if variable not in self._names:
            self._names[variable] = self._terms.locals.fresh(variable.name.partition(".")[0])
        return self._names[variable]

    def _lean(self, term: Term) -> lean.Term:
        """A term in Lean; a truth value is a proposition."""
        self._size += 1
        if self._size > _LARGEST:
            raise _Unfit
        if isinstance(term, core.Variable):
            return lean.Name(self._local(term))
        name, *arguments = term
        function = self._signature[name]
        given = [self._lean(each) for each in arguments]
        match function.meaning:
            case "truth":
                return lean.Name("True" if term == TRUE else "False")
            case "equality":
                return lean.Infix("=", given[0], given[1])
            case "cases":
                test = lean.Infix("=", given[0], given[1])
                decided = lean.Call(lean.Name("Classical.propDecidable"), (test,))
                type_ = self._type(function.codomain)
                # Written out: Lean decides `True = True` in more than one way, which would keep the steps apart.
                return lean.Call(lean.Explicit("ite"), (type_, test, decided, given[2], given[3]))
            case "symbol":
                if function.symbol is None or any(each is not None for each in function.fixed):
                    raise _Unfit
                return call(self._scope.symbol(function.symbol), *given)
            case _:
                return lean.Name(self._constants[name])


def _turned(move: _Move) -> _Move:
    """A move backwards."""
    return _Move(move.after, move.before, move.at, _symmetric(move.proof), move.negated, move.again)


def _renamed(equation: _Equation, values: Mapping[core.Variable, Term]) -> _Equation | None:
    """An equation at these values, if they are different variables."""
    variables = [
        each for each in (values[one] for one in equation.variables) if isinstance(each, core.Variable)
    ]
    if len(set(variables)) < len(equation.variables):
        return None
    left, right = instance(equation.left, values), instance(equation.right, values)
    return _Equation(left, right, tuple(variables), equation.head, equation.lifted)


def _symmetric(proof: lean.Term) -> lean.Term:
    """The same equation from right to left."""
    if isinstance(proof, lean.Call) and proof.function == lean.Name("Eq.symm"):
        return proof.arguments[0]
    return lean.Call(lean.Name("Eq.symm"), (proof,))


def _reflected(signature: Signature, equation: _Equation) -> _Equation:
    """From ``(s = t) = True`` the equation s = t."""
    turned = equation.left == TRUE
    equated = signature.equated(equation.right if turned else equation.left)
    if equated is None or equation.lifted or turned:
        raise _Unfit
    return _Equation(*equated, equation.variables, equation.head, "of_eq_true")
