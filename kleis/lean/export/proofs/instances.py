"""Proofs as one term: axioms at written-out arguments.  See docs/reference/lean.md §6.1.

Every axiom has its arguments, so that nothing is left to search:
``Eq.trans (congrArg (fun z : G => C z) (Semi.assoc x y z)) …``.  Only claims made of variables, operations of the theory,
=, → and ∧ are tried, with a small fixed budget: equations by breadth-first search from both sides, other atoms by
backward chaining.  A proof that is found is a proof from the axioms; one that is not found means nothing.

Invariant: every step is checked by matching the instance of the axiom against the term it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import rebuild, substitute, subterms
from kleis.lean.export.declarations.class_scopes import Scope
from kleis.lean.export.proofs.decisions import outermost
from kleis.lean.export.proofs.hypotheses import conjuncts, conjuncts_of, named_axioms
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.export.terms.lean_types import call
from kleis.lean.language import lean_tree as lean

__all__ = ["instance_proof"]

_STATES = 250

_DEPTH = 3

_HOLE = "\0hole"


class _Law(msgspec.Struct, frozen=True):
    """A fact: its name with type arguments, its variables, premises and conclusion."""

    head: lean.Term
    variables: tuple[core.Variable, ...]
    premises: tuple[core.Term, ...]
    conclusion: core.Term


class _Step(msgspec.Struct, frozen=True):
    """A step of the search: the term before, and the Lean proof that both are equal."""

    before: core.Term | None
    proof: Callable[[], lean.Term] | None


def instance_proof(
    goal: Goal, statement: lean.Term, terms: Terms, scope: Scope
) -> tuple[lean.Tactic, ...] | None:
    """Tactics that prove the claim; None if nothing was found, or the claim is of another kind."""
    claim = goal.claim
    if claim is None or not _is_plain(claim):
        return None
    formula = terms.formula(claim)
    if not formula.total or formula.true != statement:
        return None  # what is proved has to be the statement as it is written
    names: list[str] = []
    facts = list(_laws(scope))
    while True:
        if isinstance(claim, core.Quantifier) and claim.kind == "forall":
            names += [terms.locals(each.name) for each in claim.variables]
            claim = claim.body
        elif isinstance(claim, core.Connective) and claim.name == "implies":
            hypothesis = terms.locals.fresh("h")
            names.append(hypothesis)
            facts += _assumed(lean.Name(hypothesis), claim.arguments[0])
            claim = claim.arguments[1]
        else:
            break
    proof = _Search(facts, terms).prove(claim, _DEPTH)
    if proof is None:
        return None
    return (lean.Intro(tuple(names)), lean.Exact(proof)) if names else (lean.Exact(proof),)


def _is_plain(claim: core.Term) -> bool:
    kinds = core.Quantifier | core.Connective | core.Equals | core.SymbolCall | core.Variable
    return all(isinstance(each, kinds) for each in subterms(claim))


def _laws(scope: Scope) -> Iterator[_Law]:
    """The axioms of the classes at hand, each as a fact."""
    for formula, head in named_axioms(scope):
        if _is_plain(formula):
            yield from _as_laws(head, formula)


def _as_laws(head: lean.Term, formula: core.Term) -> Iterator[_Law]:
    variables, formula = outermost(formula)
    premises: list[core.Term] = []
    while isinstance(formula, core.Connective) and formula.name == "implies":
        premises.append(formula.arguments[0])
        formula = formula.arguments[1]
    if isinstance(formula, core.Equals | core.SymbolCall):
        yield _Law(head, variables, tuple(premises), formula)


def _assumed(name: lean.Term, formula: core.Term) -> Iterator[_Law]:
    """A hypothesis as facts."""
    for each in conjuncts_of(name, formula):
        yield from _as_laws(each.head, each.formula)


def _matched(pattern: core.Term, term: core.Term, open_: frozenset[str], found: dict[str, core.Term]) -> bool:
    """Whether a term is an instance of a pattern, whose `open_` variables are noted in `found`."""
    if isinstance(pattern, core.Variable) and pattern.name in open_:
        if pattern.sort != term.sort:
            return False
        return found.setdefault(pattern.name, term) == term
    if isinstance(pattern, core.SymbolCall) and isinstance(term, core.SymbolCall):
        return pattern.symbol == term.symbol and all(
            _matched(a, b, open_, found) for a, b in zip(pattern.arguments, term.arguments, strict=True)
        )
    if isinstance(pattern, core.Equals) and isinstance(term, core.Equals):
        return _matched(pattern.left, term.left, open_, found) and _matched(
            pattern.right, term.right, open_, found
        )
    return pattern == term


class _Search:
    """A bounded search for one claim."""

    def __init__(self, facts: Sequence[_Law], terms: Terms) -> None:
        self._terms = terms
        self._facts = [_apart(each) for each in facts]

    def prove(self, goal: core.Term, depth: int) -> lean.Term | None:
        """A Lean proof of an atom or conjunction of atoms."""
        if isinstance(goal, core.Connective) and goal.name == "and":
            parts = [self.prove(each, depth) for each in conjuncts(goal)]
            proved = tuple(each for each in parts if each is not None)
            if len(proved) < len(parts):
                return None
            return lean.Anonymous(proved) if len(proved) > 1 else proved[0]
        if not isinstance(goal, core.Equals | core.SymbolCall):
            return None
        direct = self._backward(goal, depth)
        if direct is None and isinstance(goal, core.Equals):
            return self._rewritten(goal.left, goal.right)
        return direct

    def _backward(self, goal: core.Term, depth: int) -> lean.Term | None:
        for fact in self._facts:
            found: dict[str, core.Term] = {}
            open_ = frozenset(each.name for each in fact.variables)
            if _matched(fact.conclusion, goal, open_, found):
                proof = self._applied(fact, found, depth)
                if proof is not None:
                    return proof
        return None

    def _applied(self, fact: _Law, found: dict[str, core.Term], depth: int) -> lean.Term | None:
        """A fact at arguments, its premises proved; premises may determine arguments that are still open."""
        if fact.premises and depth == 0:
            return None
        for chosen in self._completed(fact, found, fact.premises):
            premises = [self.prove(substitute(each, chosen), depth - 1) for each in fact.premises]
            if all(each is not None for each in premises):
                given = [each for each in premises if each is not None]
                return call(self._instance(fact, chosen), *given)
        return None

    def _completed(
        self, fact: _Law, found: dict[str, core.Term], premises: Sequence[core.Term]
    ) -> Iterator[dict[str, core.Term]]:
        """All ways of giving every variable a value by matching premises with facts that have none."""
        if all(each.name in found for each in fact.variables):
            yield found
            return
        open_ = frozenset(each.name for each in fact.variables if each.name not in found)
        for premise in (part for each in premises for part in conjuncts(each)):
            asked = substitute(premise, found)
            for other in self._facts:
                more: dict[str, core.Term] = {}
                ground = not other.variables and not other.premises
                if ground and _matched(asked, other.conclusion, open_, more) and more:
                    yield from self._completed(fact, {**found, **more}, premises)

    def _instance(self, fact: _Law, found: dict[str, core.Term]) -> lean.Term:
        return call(fact.head, *(self._term(found[each.name]) for each in fact.variables))

    def _term(self, term: core.Term) -> lean.Term:
        return self._terms.value(term).term

    # ── equations ────────────────────────────────────────────────────────────────────────────────────────

    def _rewritten(self, left: core.Term, right: core.Term) -> lean.Term | None:
        """A chain of replacements from one term to another, found from both ends."""
        forward: dict[core.Term, _Step] = {left: _Step(None, None)}
        backward: dict[core.Term, _Step] = {right: _Step(None, None)}
        queues: list[list[core.Term]] = [[left], [right]]
        largest = 2 * max(_size(left), _size(right)) + 4
        while any(queues) and max(len(forward), len(backward)) < _STATES:
            for side, (seen, other) in enumerate(((forward, backward), (backward, forward))):
                following: list[core.Term] = []
                for term in queues[side]:
                    for after, proof in self._steps(term, forwards=side == 0):
                        if after not in seen and _size(after) <= largest and len(seen) < _STATES:
                            seen[after] = _Step(term, proof)
                            following.append(after)
                            if after in other:
                                return _chain(forward, backward, after)
                queues[side] = following
        return None

    def _steps(
        self, term: core.Term, *, forwards: bool
    ) -> Iterator[tuple[core.Term, Callable[[], lean.Term]]]:
        """The terms after one replacement, with functions that give proofs of ``term = after`` (or ``after = term``)."""
        for part in dict.fromkeys(subterms(term)):
            for fact in self._facts:
                if fact.premises or not isinstance(fact.conclusion, core.Equals):
                    continue
                for flipped in (False, True):
                    source, target = fact.conclusion.left, fact.conclusion.right
                    if flipped:
                        source, target = target, source
                    found: dict[str, core.Term] = {}
                    open_ = frozenset(each.name for each in fact.variables)
                    if not _matched(source, part, open_, found) or len(found) < len(fact.variables):
                        continue
                    replaced = substitute(target, found)
                    if replaced == part:
                        continue
                    proof = partial(self._replacement, term, part, fact, found, flipped == forwards)
                    yield _replaced(term, part, replaced), proof

    def _replacement(
        self, term: core.Term, part: core.Term, fact: _Law, found: dict[str, core.Term], turned: bool
    ) -> lean.Term:
        proof = self._instance(fact, found)
        return self._within(term, part, lean.Call(lean.Name("Eq.symm"), (proof,)) if turned else proof)

    def _within(self, term: core.Term, part: core.Term, proof: lean.Term) -> lean.Term:
        """The equation of a part lifted to the term around it (``congrArg``), at all occurrences."""
        if term == part:
            return proof
        hole = core.Variable(_HOLE, part.sort)
        name = self._terms.locals(_HOLE)
        body = self._term(_replaced(term, part, hole))
        function = lean.Bind("fun", (lean.Binder((name,), self._terms.sorts.type(part.sort)),), body)
        return lean.Call(lean.Name("congrArg"), (function, proof))


def _apart(fact: _Law) -> _Law:
    """A fact with its variables renamed apart from those of any claim."""
    renamed = {each.name: core.Variable(f"\0{each.name}", each.sort) for each in fact.variables}
    return _Law(
        fact.head,
        tuple(renamed[each.name] for each in fact.variables),
        tuple(substitute(each, renamed) for each in fact.premises),
        substitute(fact.conclusion, renamed),
    )


def _replaced(term: core.Term, part: core.Term, by: core.Term) -> core.Term:
    return by if term == part else rebuild(term, lambda each: _replaced(each, part, by))


def _size(term: core.Term) -> int:
    return sum(1 for _ in subterms(term))


def _chain(forward: dict[core.Term, _Step], backward: dict[core.Term, _Step], middle: core.Term) -> lean.Term:
    """The proofs from the left term to the middle and on to the right one, as one."""
    proofs: list[lean.Term] = []
    term: core.Term | None = middle
    while term is not None:
        step = forward[term]
        if step.proof is not None:
            proofs.insert(0, step.proof())
        term = step.before
    term = middle
    while term is not None:
        step = backward[term]
        if step.proof is not None:
            proofs.append(step.proof())
        term = step.before
    if not proofs:
        return lean.Name("rfl")
    result = proofs[-1]
    for proof in reversed(proofs[:-1]):
        result = lean.Call(lean.Name("Eq.trans"), (proof, result))
    return result
