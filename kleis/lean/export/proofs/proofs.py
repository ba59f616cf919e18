"""Proofs that are written without searching in Lean.  See docs/reference/lean.md §6.1.

=====================  ==========================================================================================
finite decision        a claim about data types without fields, Bool and closed terms, decided by computing
ground instantiation   axioms at written-out arguments, combined by rewriting with equations and by modus ponens
=====================  ==========================================================================================

A ground instantiation is a Lean term in which every axiom has its arguments, so that nothing is left to search:
``Eq.trans (congrArg (fun z : G => C z) (Semi.assoc x y z)) …``.  Only claims made of variables, operations of the theory,
=, → and ∧ are tried, with a small fixed budget: equations by breadth-first search from both sides, other atoms by
backward chaining.  A proof that is found is a proof from the axioms; one that is not found means nothing.  No Lean has
checked it.

Invariant: every step is checked by matching the instance of the axiom against the term it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import rebuild, sorts_of, substitute, subterms
from kleis.lean.export.declarations.class_scopes import Scope, own_argument
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.export.terms.lean_types import call
from kleis.lean.language import lean_tree as lean

__all__ = ["Proof", "find_proof", "instance_proof", "is_decided", "outermost"]

MAXIMUM_CASES = 1_000
"""Cases of a finite decision."""

_LONGEST = 20
"""Elements of a list that is computed in a decision: a step of recursion in Lean for each."""


class Proof(msgspec.Struct, frozen=True):
    """Tactics, and what kind of proof they are."""

    tactics: tuple[lean.Tactic, ...]
    method: str


def find_proof(
    goal: Goal, statement: lean.Term, terms: Terms, scope: Scope, definitions: Definitions
) -> Proof | None:
    """A proof of a claim that is known to hold; None where neither form fits."""
    claim = goal.claim
    assert claim is not None
    variables, body = outermost(claim)
    if is_decided(body, definitions) and (cases := _cases(variables, statement, definitions)) is not None:
        return Proof(cases, "finite decision")
    tactics = instance_proof(goal, statement, terms, scope)
    return None if tactics is None else Proof(tactics, "ground instantiation")


def outermost(claim: core.Term) -> tuple[tuple[core.Variable, ...], core.Term]:
    """The variables of the outermost ∀, and what is claimed of them."""
    variables: list[core.Variable] = []
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        variables += claim.variables
        claim = claim.body
    return tuple(variables), claim


def is_decided(formula: core.Term, definitions: Definitions) -> bool:
    """Whether Lean's ``decide`` computes a formula once its variables have values.

    Not rational numbers, which it cannot compute with, nor strings, whose functions it does not unfold well, nor
    recursion by a measure, which it does not unfold.
    """
    if not definitions.decidability.formula(formula):
        return False
    waiting, seen = [formula], set[str]()
    while waiting:
        term = waiting.pop()
        if any(each in (core.RATIONAL, core.STRING) for each in sorts_of(term)):
            return False
        for each in subterms(term):
            if isinstance(each, core.SymbolCall | core.Quantifier):
                return False
            if isinstance(each, core.BuiltinCall):
                condition = each.operation.condition
                if _is_long(each):
                    return False
                if condition is not None and not definitions.decidability.formula(condition):
                    return False
            if isinstance(each, core.DefinitionCall) and each.definition not in seen:
                seen.add(each.definition)
                if definitions.is_measured(each.definition) or definitions.has_recursive_predicate(
                    each.definition
                ):
                    return False
                waiting.append(definitions.gathering.definitions[each.definition].body)
    return True


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
    names = bound_names(statement)
    if len(names) < len(variables):
        return (lean.Close("decide"),) if not names else None
    names = names[: len(variables)]
    return (lean.Intro(names), lean.Cases(names, lean.Close("decide"))) if names else (lean.Close("decide"),)


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


# ── Ground instantiations ────────────────────────────────────────────────────────────────────────────────────

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
    for use in scope.uses:
        if tuple(map(own_argument, use.info.parameters)) != use.arguments:
            continue
        info = use.info
        for formula, name in info.axioms:
            if not _is_plain(formula):
                continue
            owner = next((each for each in use.lines() if each.info.name == name.rpartition(".")[0]), None)
            if owner is None:
                continue
            pairs = zip(owner.info.parameters, owner.arguments, strict=True)
            named = [lean.Named(each.lean, scope.argument(argument)) for each, argument in pairs]
            yield from _as_laws(call(lean.Name(name), *named), formula)


def _as_laws(head: lean.Term, formula: core.Term) -> Iterator[_Law]:
    variables, formula = outermost(formula)
    premises: list[core.Term] = []
    while isinstance(formula, core.Connective) and formula.name == "implies":
        premises.append(formula.arguments[0])
        formula = formula.arguments[1]
    if isinstance(formula, core.Equals | core.SymbolCall):
        yield _Law(head, variables, tuple(premises), formula)


def _assumed(name: lean.Term, formula: core.Term) -> Iterator[_Law]:
    """A hypothesis as facts; the parts of a conjunction are taken out by ``And.left`` and ``And.right``."""
    parts = conjuncts(formula)
    rest = name
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        yield from _as_laws(rest if last else lean.Call(lean.Name("And.left"), (rest,)), part)
        rest = lean.Call(lean.Name("And.right"), (rest,))


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


def conjuncts(formula: core.Term) -> tuple[core.Term, ...]:
    """The parts of a conjunction, each once, as they are written in Lean."""
    if isinstance(formula, core.Connective) and formula.name == "and":
        return tuple(dict.fromkeys(part for each in formula.arguments for part in conjuncts(each)))
    return (formula,)


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
