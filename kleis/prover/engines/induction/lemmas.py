"""Lemmas for an induction that is stuck: speculated ones and templates, each proved before it is used.

See docs/reference/proving.md §7.10.

`templates` lists laws that recursive functions often have, in a fixed order; `speculation` reads lemmas off the stuck
step.  Nothing here is known to hold: small values refute most wrong candidates (`plausible`), and induction has to
prove the others.

A lemma has a name from which it can be found again:

    speculated 3      the third formula that the inductions on the claim would need
    speculated 3.1    the first that those on that lemma would need
    template 4        the fourth of the templates

Invariants
    * A lemma is proved with those before it, by induction: what Z3 shows without one it finds by itself.
    * Names depend on the task alone, never on what was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import msgspec

from kleis import core
from kleis.budget import Budget
from kleis.core.goal import Goal
from kleis.core.traversal import free_variables
from kleis.errors import BudgetError
from kleis.prover.engines.induction.schemes import InductionGoal, goal_of
from kleis.prover.engines.induction.search import BudgetUsedError, Proof, Search
from kleis.prover.engines.induction.speculation import speculated
from kleis.prover.protocol.engine import Task
from kleis.prover.smt.encode_sorts import Sorts
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account

__all__ = ["EVALUATION", "Lemma", "given", "lemma_called", "plausible", "proved_with_lemmas", "templates"]

_MOST = 150

_SMALL = Bounds(integer=1, natural=2, length=2, depth=3, values=12, points=250)


class _Function(msgspec.Struct, frozen=True):
    """A definition or built-in: its sorts, and how it is called."""

    key: str
    domain: tuple[core.Sort, ...]
    codomain: core.Sort
    call: Callable[[Sequence[core.Term]], core.Term]


def templates(goal: Goal) -> tuple[core.Term, ...]:
    """Closed formulas worth proving, the plainest first."""
    found: dict[core.Term, None] = {}
    for equation in _Templates(goal).equations():
        if equation.left != equation.right:
            variables = tuple(dict.fromkeys(free_variables(equation)))
            found.setdefault(core.Quantifier("forall", variables, equation))
        if len(found) == _MOST:
            break
    return tuple(found)


def plausible(goal: Goal, formula: core.Term, account: Account | None = None) -> bool:
    """Whether no small values refute a formula, within a budget that all candidates share."""
    evaluator = evaluator_of(goal, Model({}, {}), _SMALL, "relativised", account)
    try:
        return evaluator.truth(formula).may_be_true
    except (BudgetError, KeyError):
        # Too large to try, or about a carrier that has no elements here: nothing is known against it.
        return True


class _Templates:
    def __init__(self, goal: Goal) -> None:
        self._sorts = Sorts(goal)
        self._functions = [_defined(each) for each in goal.definitions]
        self._data = list(
            dict.fromkeys(
                sort
                for each in self._functions
                for sort in each.domain
                if isinstance(sort, core.DataSort | core.ListOf)
            )
        )

        self._numbers = [
            sort
            for sort in (core.NATURAL, core.INTEGER)
            if any(sort in each.domain for each in self._functions)
        ]

    def _of(self, *sorts: core.Sort, built_in: bool = False) -> list[_Function]:
        """The functions with these sorts; the last is the result."""
        found = [each for each in self._functions if (*each.domain, each.codomain) == sorts]
        if built_in and len(sorts) == 3 and len(set(sorts)) == 1:
            found += _built_in(sorts[0])
        return found

    def equations(self) -> Iterator[core.Equals]:
        """All templates of all data sorts."""
        for sort in self._data:
            yield from self._units(sort)
        for sort in self._data:
            yield from self._binary(sort)
        for sort in self._data:
            yield from self._unary(sort)
        for sort in self._data:
            yield from self._homomorphisms(sort)
        for recurring in (*self._data, *self._numbers):
            yield from self._accumulators(recurring)
        for sort in self._data:
            yield from self._pairs(sort)

    def _made(self, sort: core.Sort) -> Iterator[tuple[core.Constructor, tuple[core.Variable, ...]]]:
        """The constructors with exactly one part of their own sort; that part is y, the last variable."""
        for each in self._sorts.constructors(sort):
            if sum(field.sort == sort for field in each.fields) == 1:
                yield (
                    each,
                    tuple(
                        core.Variable("y" if field.sort == sort else f"e{place}", field.sort)
                        for place, field in enumerate(each.fields)
                    ),
                )

    def _units(self, sort: core.Sort) -> Iterator[core.Equals]:
        x, y = core.Variable("x", sort), core.Variable("y", sort)
        for f in self._of(sort, sort, sort):
            for constructor in self._sorts.constructors(sort):
                if not constructor.fields:
                    constant = core.Construction(constructor, ())
                    yield core.Equals(f.call((x, constant)), x)
                    yield core.Equals(f.call((x, constant)), constant)
            for constructor, fields in self._made(sort):
                made = core.Construction(constructor, fields)
                inner = tuple(f.call((x, y)) if each == y else each for each in fields)
                yield core.Equals(f.call((x, made)), core.Construction(constructor, inner))
            for h in self._of(sort, sort, sort):
                for constructor, fields in self._made(sort):
                    made = core.Construction(constructor, fields)
                    if h.key != f.key and fields == (y,):
                        yield core.Equals(f.call((x, made)), h.call((x, f.call((x, y)))))

    def _binary(self, sort: core.Sort) -> Iterator[core.Equals]:
        x, y, z = (core.Variable(name, sort) for name in "xyz")
        empty = [core.Construction(each, ()) for each in self._sorts.constructors(sort) if not each.fields]
        for f in self._of(sort, sort, sort):
            yield core.Equals(f.call((f.call((x, y)), z)), f.call((x, f.call((y, z)))))
            for constant in empty:
                yield core.Equals(f.call((f.call((x, y)), constant)), f.call((y, x)))
            yield core.Equals(f.call((x, y)), f.call((y, x)))
            yield core.Equals(f.call((x, f.call((y, z)))), f.call((y, f.call((x, z)))))

    def _unary(self, sort: core.Sort) -> Iterator[core.Equals]:
        x = core.Variable("x", sort)
        same = self._of(sort, sort)
        for g in same:
            yield core.Equals(g.call((g.call((x,)),)), x)
        for g in self._functions:
            if g.domain == (sort,):
                for h in same:
                    if h.key != g.key:
                        yield core.Equals(g.call((h.call((x,)),)), g.call((x,)))
        for g, h in product(same, same):
            if g.key < h.key:
                yield core.Equals(g.call((h.call((x,)),)), h.call((g.call((x,)),)))

    def _homomorphisms(self, sort: core.Sort) -> Iterator[core.Equals]:
        x, y = core.Variable("x", sort), core.Variable("y", sort)
        for g in self._functions:
            if g.domain != (sort,):
                continue
            gx, gy = g.call((x,)), g.call((y,))
            for f in self._of(sort, sort, sort):
                left = g.call((f.call((x, y)),))
                for h in self._of(g.codomain, g.codomain, g.codomain, built_in=True):
                    yield core.Equals(left, h.call((gx, gy)))
                    yield core.Equals(left, h.call((gy, gx)))
                if g.codomain == core.BOOL:
                    yield core.Equals(left, core.Equals(gx, gy))

    def _accumulators(self, sort: core.Sort) -> Iterator[core.Equals]:
        """Laws of a function with an accumulator, by one without."""
        x = core.Variable("x", sort)
        for f in self._functions:
            for place in (0, 1):
                if len(f.domain) != 2 or f.domain[place] != sort or f.domain[1 - place] != f.codomain:
                    continue
                a = core.Variable("a", f.codomain)
                left = f.call((x, a) if place == 0 else (a, x))
                for g in self._of(sort, f.codomain):
                    for h in self._of(f.codomain, f.codomain, f.codomain, built_in=True):
                        if h.key != f.key:
                            yield core.Equals(left, h.call((g.call((x,)), a)))

    def _pairs(self, sort: core.Sort) -> Iterator[core.Equals]:
        x, y, z = (core.Variable(name, sort) for name in "xyz")
        binary = self._of(sort, sort, sort)
        for f, h in product(binary, binary):
            if f.key != h.key:
                yield core.Equals(f.call((x, h.call((y, z)))), h.call((f.call((x, y)), f.call((x, z)))))
                yield core.Equals(f.call((h.call((x, y)), z)), h.call((f.call((x, z)), f.call((y, z)))))


def _defined(definition: core.Definition) -> _Function:
    domain = tuple(each.sort for each in definition.parameters)

    def call(arguments: Sequence[core.Term]) -> core.Term:
        return core.DefinitionCall(definition.key, tuple(arguments), definition.result)

    return _Function(definition.key, domain, definition.result, call)


def _built_in(sort: core.Sort) -> list[_Function]:
    """Sum and product of integers and natural numbers."""
    if sort not in (core.INTEGER, core.NATURAL):
        return []
    found = []
    for name in ("plus", "times"):
        operation = core.Operation(name, (core.Variable("a", sort), core.Variable("b", sort)), sort)

        def call(arguments: Sequence[core.Term], operation: core.Operation = operation) -> core.Term:
            return core.BuiltinCall(operation, tuple(arguments))

        found.append(_Function(name, (sort, sort), sort, call))
    return found


# ── Finding and proving lemmas ──────────────────────────────────────────────────────────────────────────────

_DEPTH = 2
_ROUNDS = 2
_FEW = 3
_SPECULATED = "speculated "
_TEMPLATE = "template "

EVALUATION = Budget(steps=600_000, depth=150, size=100_000)


class Lemma(msgspec.Struct, frozen=True):
    """A candidate: its name and what it says; its proof once there is one."""

    name: str
    formula: core.Term
    proof: Proof = ()


def given(task: Task, lemmas: Sequence[Lemma]) -> Task:
    """The task with lemmas that are proved."""
    return Task(task.goal, (*task.lemmas, *(each.formula for each in lemmas)))


def lemma_called(task: Task, name: str) -> Lemma | None:
    """The candidate of a name, for this task; None if there is none."""
    kind, _, numbers = name.partition(" ")
    places = numbers.split(".")
    if not all(each.isdigit() and each.isascii() for each in places) or len(places) > _DEPTH:
        return None
    formula = task.goal.claim
    assert formula is not None, "an induction is on a claim"
    if kind == _TEMPLATE.strip() and len(places) == 1:
        found = templates(task.goal)
        return Lemma(name, found[int(places[0])]) if int(places[0]) < len(found) else None
    if kind != _SPECULATED.strip():
        return None
    for place in places:
        candidates = speculated(task.goal, formula)
        if int(place) >= len(candidates):
            return None
        formula = candidates[int(place)]
    return Lemma(name, formula)


def proved_with_lemmas(
    search: Search, task: Task, goal: InductionGoal, path: str
) -> tuple[Proof | None, tuple[Lemma, ...]]:
    """A proof of the claim with the lemmas it uses, whose proofs come first; otherwise the lemmas that could be proved."""
    return _Attempt(search, task, goal, path).run()


class _Attempt:
    """The attempt to prove one claim with lemmas."""

    def __init__(self, search: Search, task: Task, goal: InductionGoal, path: str) -> None:
        self._search = search
        self._task = task
        self._goal = goal
        self._path = path
        self._proved: list[Lemma] = []
        self._tried: set[core.Term] = set()
        self._account = Account(EVALUATION)

    def run(self) -> tuple[Proof | None, tuple[Lemma, ...]]:
        """First with speculated lemmas, then with templates, then with lemmas that need lemmas of their own."""
        proof = self._with_speculated(1) or self._with_templates() or self._with_speculated(_DEPTH)
        return proof, tuple(self._proved)

    def _with_speculated(self, depth: int) -> Proof | None:
        claim = self._task.goal.claim
        assert claim is not None, "an induction is on a claim"
        for lemma in self._speculated(claim, _SPECULATED):
            if self._prove_with_lemmas(lemma, depth) and (proof := self._claim()) is not None:
                return proof
        return None

    def _speculated(self, formula: core.Term, stem: str) -> Iterator[Lemma]:
        """Candidates that no small values refute."""
        known = {each.formula for each in self._proved} | {self._task.goal.claim}
        for place, each in enumerate(speculated(self._task.goal, formula)):
            if each not in known and plausible(self._task.goal, each, self._account):
                yield Lemma(f"{stem}{place}", each)

    def _prove_with_lemmas(self, lemma: Lemma, depth: int) -> bool:
        """Whether a candidate could be proved, maybe with lemmas of its own."""
        if any(each.formula == lemma.formula for each in self._proved):
            return False
        if self._prove(lemma, depth):
            return True
        if depth < _DEPTH or lemma.formula in self._tried:
            return False
        self._tried.add(lemma.formula)
        for inner in self._speculated(lemma.formula, f"{lemma.name}."):
            if self._prove(inner, 1) and self._prove(lemma, depth):
                return True
        return False

    def _prove(self, lemma: Lemma, depth: int) -> bool:
        """Prove a candidate with those that are proved; one that needs no induction is not kept."""
        found = self._search.proved(
            given(self._task, self._proved), goal_of(lemma.formula), depth, lemma.name
        )
        if found is None or (len(found) == 1 and found[0][0] == lemma.name):
            return False
        self._proved.append(msgspec.structs.replace(lemma, proof=found))
        return True

    def _with_templates(self) -> Proof | None:
        claim = self._task.goal.claim
        candidates = [
            Lemma(f"{_TEMPLATE}{place}", formula)
            for place, formula in enumerate(templates(self._task.goal))
            if formula != claim and plausible(self._task.goal, formula, self._account)
        ]
        for _ in range(_ROUNDS):
            before = len(self._proved)
            for lemma in list(candidates):
                if self._prove(lemma, 1):
                    candidates.remove(lemma)
            proof = self._claim() if len(self._proved) > before else None
            if proof is not None:
                return proof
        return None

    # ── The claim ────────────────────────────────────────────────────────────────────────────────────────

    def _claim(self) -> Proof | None:
        """A proof of the claim with all lemmas, or with few of them."""
        proof = self._search.proved(given(self._task, self._proved), self._goal, _DEPTH, self._path)
        if proof is None:
            return None
        whole = (*(part for each in self._proved for part in each.proof), *proof)
        return self._with_fewer() or whole

    def _with_fewer(self) -> Proof | None:
        """A proof with the last lemmas alone; None if there is none."""
        for size in range(1, min(_FEW, len(self._proved))):
            try:
                proof = self._with_exactly(self._proved[-size:])
            except BudgetUsedError:
                return None
            if proof is not None:
                self._proved = self._proved[-size:]
                return proof
        return None

    def _with_exactly(self, lemmas: Sequence[Lemma]) -> Proof | None:
        found: list[tuple[str, str]] = []
        for count, each in enumerate(lemmas):
            part = self._search.proved(given(self._task, lemmas[:count]), goal_of(each.formula), 1, each.name)
            if part is None:
                return None
            found += part
        proof = self._search.proved(given(self._task, lemmas), self._goal, _DEPTH, self._path)
        return None if proof is None else (*found, *proof)
