"""The engines `instantiation` and `overlaps`: universal axioms, instantiated where the goal needs them.

See docs/reference/proving.md §7.12, §7.8.

`instantiation` takes every universal axiom at the ground terms of the Skolemised negated claim, and at those that the
instances mention, in a second round.  What is left is nearly propositional, where Z3 is strong.

`overlaps` takes axioms at values where the conditions of two of them hold together:

    ∀(c : String). hasPrefix(c, "git") → allow(c)        ∀(c : String). contains(c, "--force") → deny(c)

No axiom mentions a string to which both apply, and solvers do not look for one.  Whether there is one is a question
without quantifiers or unknown operations, which they answer at once; the axioms are instantiated at that string.

Invariants
    * Nothing is lost: the axioms stay beside their instances in the last run.  A model of instances is no answer.
    * The proof has an obligation for every axiom (it implies its instances) and for the Skolem constants (the negated
      claim implies that there are such), so that each is checked without trusting this search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, product
from typing import Any

import msgspec

from kleis import core
from kleis.prover.engines.solvers.hints import Taken, core_instances
from kleis.prover.engines.solvers.runs import Options, library, run_solver, run_text, unwritable
from kleis.prover.protocol.engine import Answer, Inexpressible, Outcome, Task
from kleis.prover.smt.script import Script, encode

__all__ = ["INSTANTIATION", "INSTANTIATION_TWICE", "OVERLAPS", "InstanceSearch", "Instantiation"]

_TERMS = (14, 24)

_INSTANCES = 250

_OBVIOUS = 200_000

_CLAIM = "claim"


class Instantiation:
    """The engine `instantiation`, with one round or two.  Its steps are Z3's."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds
        self.name = "instantiation" if rounds == 1 else "instantiation twice"

    def applies(self, task: Task) -> bool:
        """To claims beside axioms, or with quantified hypotheses of their own."""
        return not task.goal.unsettled and task.goal.claim is not None

    def run(self, task: Task, steps: int) -> Answer:
        """Instances alone first, then beside the axioms."""
        try:
            script = encode(task)
        except Inexpressible as error:
            return unwritable(error)
        search = InstanceSearch(script)
        search.instantiate(self._rounds, self.seeds(search))
        if not search.instances:
            return Answer(outcome="silent", reason="incomplete", detail="no axiom has an instance")
        used = 0
        for axioms in ((), tuple(search.axioms)):
            run = run_solver(search.solver(search.named(axioms)), steps // 2)
            used += run.used
            if run.status == "unsat":
                return self._proved(task, search, axioms, run.used, used, steps)
        detail = f"{len(search.instances)} instances"
        return Answer(outcome="silent", reason="resource", detail=detail, steps=used)

    def seeds(self, search: InstanceSearch) -> Mapping[str, Sequence[Any]]:
        """Terms to instantiate at, by sort, besides those of the formulas."""
        del search
        return {}

    def _proved(
        self, task: Task, search: InstanceSearch, axioms: Sequence[str], last: int, used: int, steps: int
    ) -> Answer:
        formulas = {each.name: each.formula for each in task.goal.axioms}
        named = search.core(search.named(axioms), min(steps, 20_000 + 4 * last))
        outcome: Outcome = "proved" if any(name == _CLAIM for name, _ in named) else "inconsistent"
        needed = tuple(name for name, _ in search.script.axioms if any(name == each for each, _ in named))
        detail = f"{len(search.instances)} instances, {len(named)} formulas used"
        return Answer(
            outcome=outcome,
            core=needed,
            steps=used,
            detail=detail,
            proof=search.obligations(named),
            instances=core_instances(search.script, formulas, search.taken(named)),
        )


INSTANTIATION = Instantiation(1)
INSTANTIATION_TWICE = Instantiation(2)


class _Instance(msgspec.Struct, frozen=True):
    """An instance of the axiom of this name: of one of its universal quantifiers, at these terms."""

    axiom: str
    formula: Any
    quantifier: Any
    at: tuple[Any, ...]


_Named = list[tuple[str, Any]]


class InstanceSearch:
    """The formulas of one script in a context of their own."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self._z3 = library()
        self._context = self._z3.Context()
        declared = "\n".join(script.declarations)
        named = [*script.axioms, (_CLAIM, script.claim or "true")]
        text = "\n".join([declared, *(f"(assert {formula})" for _, formula in named)])
        parsed = list(self._z3.parse_smt2_string(text, ctx=self._context))
        free = len(parsed) - len(named)
        self._declared = parsed[:free]
        self.axioms = dict(zip([name for name, _ in script.axioms], parsed[free:-1], strict=True))
        self._skolem: list[Any] = []
        self._goal = self._skolemised(parsed[-1], True)
        self.instances: list[_Instance] = []

    # ── Skolem constants ─────────────────────────────────────────────────────────────────────────────────

    def _skolemised(self, formula: Any, positive: bool) -> Any:
        """The formula with a constant for every existential variable outside of universal quantifiers."""
        z3 = self._z3
        if z3.is_quantifier(formula) and not formula.is_lambda():
            if formula.is_exists() != positive:
                return formula
            constants = [
                z3.Const(f"?{len(self._skolem) + place}", formula.var_sort(place))
                for place in range(formula.num_vars())
            ]
            self._skolem += constants
            return self._skolemised(z3.substitute_vars(formula.body(), *reversed(constants)), positive)
        if z3.is_not(formula):
            return z3.Not(self._skolemised(formula.children()[0], not positive))
        if z3.is_implies(formula):
            left, right = formula.children()
            return z3.Implies(self._skolemised(left, not positive), self._skolemised(right, positive))
        if z3.is_and(formula) or z3.is_or(formula):
            parts = [self._skolemised(each, positive) for each in formula.children()]
            return z3.And(*parts) if z3.is_and(formula) else z3.Or(*parts)
        return formula

    # ── Instances ────────────────────────────────────────────────────────────────────────────────────────

    def universal(self) -> list[tuple[str, Any]]:
        """The universal quantifiers that hold, each with the name of its formula."""
        return [(name, each) for name, axiom in self._sources() for each in self._universal(axiom)]

    def instantiate(self, rounds: int, seeds: Mapping[str, Sequence[Any]]) -> None:
        """Instantiate every universal axiom at the seeds and the ground terms known so far, round by round."""
        seen: set[Any] = set()
        universal = self.universal()
        for limit in _TERMS[:rounds]:
            terms = self._ground_terms(limit)
            for sort, given in seeds.items():
                terms[sort] = [*given, *terms.get(sort, ())]
            for name, quantifier in universal:
                sorts = [quantifier.var_sort(place) for place in range(quantifier.num_vars())]
                choices = [terms.get(sort.sexpr(), []) for sort in sorts]
                for chosen in islice(_fair(choices), _INSTANCES):
                    instance = self._z3.substitute_vars(quantifier.body(), *reversed(chosen))
                    if instance not in seen:
                        seen.add(instance)
                        self.instances.append(_Instance(name, instance, quantifier, tuple(chosen)))

    def _sources(self) -> Iterator[tuple[str, Any]]:
        yield from self.axioms.items()
        yield from ((f"declaration {place}", each) for place, each in enumerate(self._declared))
        # Universal hypotheses of the claim are part of what is refuted.
        yield _CLAIM, self._goal

    def _universal(self, formula: Any) -> Iterator[Any]:
        """The universal quantifiers that a formula is a conjunction of."""
        z3 = self._z3
        if z3.is_quantifier(formula) and formula.is_forall():
            yield formula
        elif z3.is_and(formula):
            for each in formula.children():
                yield from self._universal(each)

    def _ground_terms(self, limit: int) -> dict[str, list[Any]]:
        """Ground terms by sort: those of the claim first, then constants of axioms, then those of instances."""
        found: dict[str, dict[Any, None]] = {}
        sources = [self._goal, *self.axioms.values(), *(each.formula for each in self.instances)]
        for term in self._ground(sources):
            terms = found.setdefault(term.sort().sexpr(), {})
            if len(terms) < limit:
                terms.setdefault(term)
        return {sort: list(terms) for sort, terms in found.items()}

    def _ground(self, formulas: Iterable[Any]) -> Iterator[Any]:
        """The subterms without bound variables, no formulas, in order of occurrence."""
        z3 = self._z3
        seen: set[int] = set()
        for formula in formulas:
            waiting = [formula]
            while waiting:
                term = waiting.pop(0)
                if term.get_id() in seen:
                    continue
                seen.add(term.get_id())
                if z3.is_quantifier(term):
                    waiting.append(term.body())
                    continue
                waiting += term.children()
                if not z3.is_bool(term) and z3.is_app(term) and _is_ground(z3, term):
                    yield term

    # ── Runs ─────────────────────────────────────────────────────────────────────────────────────────────

    def named(self, axioms: Sequence[str]) -> _Named:
        """The formulas of a run, by name."""
        formulas: _Named = [(each.axiom, each.formula) for each in self.instances]
        formulas += [(name, self.axioms[name]) for name in axioms]
        return [*formulas, (_CLAIM, self._goal)] if self.script.claim else formulas

    def solver(self, named: _Named) -> Any:
        """A solver with the declarations' own assertions and these formulas."""
        solver = self._z3.Solver(ctx=self._context)
        for formula in [*self._declared, *(each for _, each in named)]:
            solver.add(formula)
        return solver

    def core(self, named: _Named, steps: int) -> _Named:
        """The formulas that a tracked run needs; all of them where it fails."""
        solver = self._z3.Solver(ctx=self._context)
        for formula in self._declared:
            solver.add(formula)
        for place, (_, formula) in enumerate(named):
            solver.assert_and_track(formula, self._z3.Bool(f"@{place}", self._context))
        if run_solver(solver, steps).status != "unsat":
            return named
        used = sorted(int(each.decl().name()[1:]) for each in solver.unsat_core())
        kept = [named[place] for place in used]
        return kept if run_solver(self.solver(kept), steps).status == "unsat" else named

    def taken(self, named: _Named) -> Iterator[Taken]:
        """The instances of whole axioms among some formulas."""
        kept = {(name, formula.get_id()) for name, formula in named}
        for each in self.instances:
            whole = self.axioms.get(each.axiom)
            if (
                whole is not None
                and whole.eq(each.quantifier)
                and (each.axiom, each.formula.get_id()) in kept
            ):
                yield each.axiom, each.at

    # ── Obligations ──────────────────────────────────────────────────────────────────────────────────────

    def obligations(self, named: _Named) -> tuple[tuple[str, str], ...]:
        """The obligations of the proof: Skolem constants, instances, and the refutation by them."""
        z3 = self._z3
        proof: list[tuple[str, str]] = []
        claimed = any(name == _CLAIM for name, _ in named)
        if self._skolem and claimed:
            none = z3.ForAll(self._skolem, z3.Not(self._goal))
            proof.append(("constants", self._written([f"(assert {self.script.claim})", _assertion(none)])))
        for name in dict.fromkeys(each.axiom for each in self.instances):
            taken = [formula for each, formula in named if each == name and not self._is_given(name, formula)]
            if taken:
                proof += self._implied(name, taken)
        lines = [_assertion(formula) for _, formula in named]
        return (*proof, (_CLAIM if claimed else "axioms", self._written(lines, skolem=True)))

    def _implied(self, name: str, taken: Sequence[Any]) -> list[tuple[str, str]]:
        """The obligations that an axiom implies its instances: all together, else one by one."""
        z3, given, title = self._z3, self._given(name), f"instances of {name}"
        together = self._written([*given, _assertion(z3.Not(z3.And(*taken)))], skolem=True)
        if run_text(together, _OBVIOUS).status == "unsat":
            return [(title, together)]
        texts = [self._written([*given, _assertion(z3.Not(each))], skolem=True) for each in taken]
        header = Options(patterns_only=True).header()
        plain = [run_text(text, _OBVIOUS).status == "unsat" for text in texts]
        shown = [text if is_plain else header + text for text, is_plain in zip(texts, plain, strict=True)]
        return [(f"{title}, {place}", text) for place, text in enumerate(shown, 1)]

    def _is_given(self, name: str, formula: Any) -> bool:
        whole = self._goal if name == _CLAIM else self.axioms.get(name)
        return whole is not None and formula.eq(whole)

    def _given(self, name: str) -> list[str]:
        """The formulas that instances are taken of, as assertions; declarations assert theirs already."""
        if name == _CLAIM:
            return [_assertion(self._goal)]
        return [_assertion(self.axioms[name])] if name in self.axioms else []

    def _written(self, lines: Sequence[str], *, skolem: bool = False) -> str:
        constants = [f"(declare-const {each.sexpr()} {each.sort().sexpr()})" for each in self._skolem]
        shown = [*self.script.declarations, *(constants if skolem else ()), *lines, "(check-sat)", ""]
        return "\n".join(shown)


def _assertion(formula: Any) -> str:
    return f"(assert {formula.sexpr()})"


def _is_ground(z3: Any, term: Any) -> bool:
    waiting = [term]
    while waiting:
        each = waiting.pop()
        if z3.is_var(each) or z3.is_quantifier(each):
            return False
        waiting += each.children()
    return True


def _fair(choices: Sequence[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """All combinations, those of early terms first: a limit keeps the terms of the claim."""
    if not all(choices):
        return
    for radius in range(max(map(len, choices))):
        for chosen in product(*(range(min(radius + 1, len(each))) for each in choices)):
            if max(chosen) == radius:
                yield tuple(each[place] for each, place in zip(choices, chosen, strict=True))


# ── Overlaps ────────────────────────────────────────────────────────────────────────────────────────────────

_PAIRS = 45

_STEPS = 30_000


class Overlaps(Instantiation):
    """The engine `overlaps`.  Its steps are Z3's."""

    def __init__(self) -> None:
        super().__init__(1)
        self.name = "overlaps"

    def applies(self, task: Task) -> bool:
        """Where at least two axioms are about strings, numbers or bit-vectors that fulfil a condition."""
        if task.goal.unsettled:
            return False
        return sum(_is_conditional(each.formula) for each in task.goal.axioms) > 1

    def seeds(self, search: InstanceSearch) -> Mapping[str, Sequence[Any]]:
        """Values at which two conditions hold together."""
        conditions: dict[str, list[tuple[Any, Any]]] = {}
        for _, quantifier in search.universal():
            if quantifier.num_vars() == 1:
                variable = library().Const("?point", quantifier.var_sort(0))
                for each in _conditions(quantifier, variable):
                    conditions.setdefault(variable.sort().sexpr(), []).append((variable, each))
        return {sort: _seeds(found) for sort, found in conditions.items()}


OVERLAPS = Overlaps()


def _is_conditional(formula: core.Term) -> bool:
    """Whether an axiom is ∀ over one variable of an infinite built-in sort, with a condition."""
    if not isinstance(formula, core.Quantifier) or formula.kind != "forall" or len(formula.variables) != 1:
        return False
    conditional = isinstance(formula.body, core.Connective) and formula.body.name == "implies"
    sort = formula.variables[0].sort
    return conditional and (sort == core.STRING or isinstance(sort, core.Numeric | core.BitVec))


def _conditions(quantifier: Any, variable: Any) -> list[Any]:
    """The left side of a universal implication at a variable, if it has no unknown symbols."""
    z3 = library()
    body = z3.substitute_vars(quantifier.body(), variable)
    if not z3.is_implies(body):
        return []
    condition = body.children()[0]
    return [condition] if _is_known(condition, variable) else []


def _is_known(formula: Any, variable: Any) -> bool:
    """Whether a formula is of built-in operations and the variable alone."""
    z3 = library()
    waiting = [formula]
    while waiting:
        each = waiting.pop()
        if not z3.is_app(each):
            return False
        if each.decl().kind() == z3.Z3_OP_UNINTERPRETED and not each.eq(variable):
            return False
        waiting += each.children()
    return True


def _seeds(conditions: Sequence[tuple[Any, Any]]) -> list[Any]:
    """Values at which two of the conditions hold, or one alone."""
    z3 = library()
    found: dict[str, Any] = {}
    pairs = [*combinations(conditions, 2), *((each,) for each in conditions)]
    for pair in islice(pairs, _PAIRS):
        variable = pair[0][0]
        solver = z3.Solver(ctx=variable.ctx)
        for _, condition in pair:
            solver.add(condition)
        run = run_solver(solver, _STEPS)
        if run.status == "sat":
            value = run.model.eval(variable, model_completion=True)
            if not z3.is_algebraic_value(value):  # scripts have no name for a root
                found.setdefault(value.sexpr(), value)
    return list(found.values())
