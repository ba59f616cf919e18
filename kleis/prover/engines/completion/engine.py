"""The engine `completion`: unit equations by Knuth–Bendix completion with a lexicographic path ordering.

See docs/reference/proving.md §7.5.

    proved        every branch of the negated claim was reduced to ``true = false``
    inconsistent  so were the axioms, without the claim
    refuted       a branch saturated and nothing was dropped: its normal forms are a model, often an infinite one
    model         the same without a claim
    silent        otherwise; `derived` still has equations that follow from the axioms, for other engines

Axioms that are no unit equations are dropped.  Several precedences take turns, in slices that double.

A proof is a list of steps, each a name and a JSON text ``{"terms": [t₀, …, tₙ], "by": [p₁, …, pₙ]}``: each tᵢ is tᵢ₋₁
with one part replaced by means of the equation pᵢ, an axiom or an earlier step, so t₀ = tₙ holds for all values of the
variables.  ``reflection of p`` says that p is ``(s =G t) = true``, hence s = t.  The last step of every branch is
``true = false``.  A term is ``[function, argument, …]``, a variable ``"x0 : G"``.  `check_proof` checks such a proof.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.prover.engines.completion.permutations import sums
from kleis.prover.engines.completion.precedences import least_constants, precedences
from kleis.prover.engines.completion.rewriting import expanded
from kleis.prover.engines.completion.search import Origin, Search, Vocabulary
from kleis.prover.engines.completion.shared_terms import Bank, Node, Ordering, variables_of
from kleis.prover.engines.completion.unit_equations import (
    CASES,
    CLAIM,
    REFLEXIVITY,
    Unit,
    is_equality,
    units_of,
)
from kleis.prover.engines.first_order_problem import Problem, translate
from kleis.prover.engines.first_order_terms import (
    FALSE,
    TRUE,
    Function,
    Literal,
    Term,
    Variable,
    functions_of,
)
from kleis.prover.protocol.engine import Answer, Task
from kleis.prover.protocol.verdict import Reason

__all__ = ["Completion", "CompletionProofs", "Reader", "WeighingCompletion", "chain_of", "written_proof"]

_SLICE = 4_000

_DERIVED = 40


class Completion:
    """Unit equalities: completion, ordered rewriting."""

    name = "completion"
    version = "1"
    weighing = False
    """Whether terms are ordered by weight, and equations compared up to the order of summands."""

    def applies(self, task: Task) -> bool:
        """Whether the claim is first-order over carriers, and some axiom too."""
        return translate(task) is not None

    def run(self, task: Task, steps: int) -> Answer:
        """Complete every branch of the negated claim, within its share of the steps."""
        try:
            answer = self._run(task, steps)
            return self._shrunk(task, answer, steps) if answer.outcome == "inconsistent" else answer
        except RecursionError:
            return Answer(outcome="silent", reason="incomplete", detail="terms nest too deeply")

    def _shrunk(self, task: Task, answer: Answer, steps: int) -> Answer:
        """The contradiction with fewer axioms: each is left out once, within about the steps it took."""
        used = answer.steps
        left = min(steps - used, _SLICE + 2 * used)
        for name in answer.core:
            kept = tuple(each for each in task.goal.axioms if each.name in answer.core and each.name != name)
            if left <= 0 or name not in answer.core or not kept:
                continue
            fewer = Task(msgspec.structs.replace(task.goal, axioms=kept), task.lemmas)
            again = self._run(fewer, min(left, 2 * answer.steps + _SLICE // 8))
            left -= again.steps
            used += again.steps
            if again.outcome == "inconsistent":
                answer = again
        return msgspec.structs.replace(answer, steps=used)

    def _run(self, task: Task, steps: int) -> Answer:
        problem = translate(task)
        if problem is None:
            return Answer(outcome="silent", reason="incomplete", detail="not first-order over carriers")
        if not problem.claimed:
            return self._attempted(problem, None, steps)
        answers: list[Answer] = []
        for number in range(len(problem.branches)):
            used = sum(each.steps for each in answers)
            share = (steps - used) // (len(problem.branches) - number)
            answer = self._attempted(problem, number, share)
            answers.append(answer)
            if answer.outcome in ("refuted", "inconsistent"):
                break
        return _together(answers)

    def _attempted(self, problem: Problem, branch: int | None, steps: int) -> Answer:
        """Equations alone first; if there are other clauses, these as conditional equations with the other half."""
        whole = units_of(problem, branch).complete
        answer = _Attempt(problem, branch, conditional=False).answer(steps if whole else steps // 2)
        if whole or answer.outcome != "silent":
            return answer
        again = _Attempt(problem, branch, conditional=True).answer(steps - answer.steps)
        derived = answer.derived or again.derived
        return msgspec.structs.replace(again, steps=answer.steps + again.steps, derived=derived)


class CompletionProofs(Completion):
    """Completion of which only a proof counts: what it refutes has countermodels that are easier to read."""

    def run(self, task: Task, steps: int) -> Answer:
        """Complete; rewrite systems are left to the runs after the searches for finite models."""
        answer = super().run(task, steps)
        if answer.outcome not in ("refuted", "model"):
            return answer
        return Answer(outcome="silent", reason="incomplete", detail="no proof", steps=answer.steps)


class WeighingCompletion(Completion):
    """Completion of equations about sums: a function that commutes and associates."""

    name = "completion by weight"
    weighing = True

    def applies(self, task: Task) -> bool:
        """Whether some function of the claim's theory commutes and associates, and the claim is no clause."""
        problem = translate(task)
        return problem is not None and bool(problem.branches) and bool(sums(units_of(problem, 0).units))

    def _attempted(self, problem: Problem, branch: int | None, steps: int) -> Answer:
        if not sums(units_of(problem, branch).units):
            return Answer(outcome="silent", reason="incomplete", detail="no function commutes and associates")
        return _Attempt(problem, branch, conditional=False, weighing=True).answer(steps)


def _together(answers: Sequence[Answer]) -> Answer:
    """One answer from those of the branches so far."""
    steps = sum(each.steps for each in answers)
    derived = answers[0].derived if answers else ()
    if answers and answers[-1].outcome in ("refuted", "inconsistent"):
        last = answers[-1]
        return Answer(
            outcome=last.outcome,
            core=last.core,
            witness=last.witness,
            detail=last.detail,
            steps=steps,
            proof=last.proof,
        )
    silent = [each for each in answers if each.outcome == "silent"]
    if silent:
        first = silent[0]
        return Answer(
            outcome="silent", reason=first.reason, detail=first.detail, steps=steps, derived=derived
        )
    core = tuple(dict.fromkeys(name for each in answers for name in each.core))
    proof = tuple(step for each in answers for step in each.proof)
    return Answer(
        outcome="proved", core=core, detail=f"{len(proof)} steps", steps=steps, derived=derived, proof=proof
    )


class _Run(NamedTuple):
    """A search under one precedence."""

    search: Search
    reader: Reader
    precedence: tuple[Function, ...]


class _Attempt:
    """The completion of the axioms and one branch."""

    def __init__(
        self, problem: Problem, branch: int | None, *, conditional: bool, weighing: bool = False
    ) -> None:
        self._problem = problem
        self._branch = branch
        self._conditional = conditional
        self._units = units_of(problem, branch, conditional=conditional)
        self._functions = _functions(self._units.units)
        self._sums = sums(self._units.units) if weighing else frozenset[Function]()
        self._sorts = tuple(dict.fromkeys(each for f in self._functions for each in (*f.domain, f.codomain)))

    def answer(self, steps: int) -> Answer:
        """The answer of all precedences, taking turns."""
        runs = [self._run(each) for each in self._precedences()[: 1 if self._sums else None]]
        share = max(1, steps // len(runs))
        limit = min(_SLICE, share)
        while True:
            for run in runs:
                run.search.run(limit)
                if run.search.contradiction is not None:
                    return self._contradiction(run, runs)
                if run.search.saturated and run.search.complete:
                    return self._saturated(run, runs)
            if limit >= share or all(run.search.saturated for run in runs):
                break
            limit = min(2 * limit, share)
        if all(run.search.saturated for run in runs):
            return self._silent("incomplete", "no contradiction; large terms were left out", runs)
        kept = max(len(run.search.active) for run in runs)
        return self._silent("resource", f"no contradiction among {kept} equations", runs)

    def _silent(self, reason: Reason, detail: str, runs: Sequence[_Run]) -> Answer:
        derived = self._derived(runs[0])
        return Answer(outcome="silent", reason=reason, detail=detail, steps=_spent(runs), derived=derived)

    # ── Setting up ───────────────────────────────────────────────────────────────────────────────────────────

    def _precedences(self) -> tuple[tuple[Function, ...], ...]:
        equations = [each for each in self._units.units if each.goal is None]

        def oriented(precedence: Sequence[Function]) -> int:
            run = self._prepared(tuple(precedence))
            ordering = Ordering(run.search.vocabulary.ranks)
            sides = [self._nodes(run, each) for each in equations]
            return sum(ordering.greater(left, right) for left, right in sides)

        return precedences(self._functions, equations, oriented)

    def _prepared(self, precedence: tuple[Function, ...]) -> _Run:
        number = {sort: index for index, sort in enumerate(self._sorts)}
        head = {function: index for index, function in enumerate(self._functions)}
        ranks = [0] * len(precedence)
        for rank, function in enumerate(precedence):
            ranks[head[function]] = rank
        least = least_constants(precedence, self._sorts)
        vocabulary = Vocabulary(
            sorts=tuple(number[each.codomain] for each in self._functions),
            ranks=tuple(ranks),
            least={number[sort]: head[each] for sort, each in least.items()},
            true=head[TRUE.function],
            false=head[FALSE.function],
            equality=frozenset(head[each] for each in self._functions if is_equality(each)),
            sums=frozenset(head[each] for each in self._sums),
        )
        search = Search(Bank(vocabulary.sorts), vocabulary)
        return _Run(search, Reader(self._functions, self._sorts), precedence)

    def _run(self, precedence: tuple[Function, ...]) -> _Run:
        run = self._prepared(precedence)
        for index, unit in enumerate(self._units.units):
            left, right = self._nodes(run, unit)
            # A condition may be a disequation: then it has to be a rule.
            if unit.goal is None or self._conditional:
                run.search.give(left, right, index)
            else:
                run.search.watch(left, index)
        return run

    def _nodes(self, run: _Run, unit: Unit) -> tuple[Node, Node]:
        names: dict[str, int] = {}

        def node(term: Term) -> Node:
            if isinstance(term, Variable):
                return run.search.bank.variable(
                    names.setdefault(term.name, len(names)), self._sorts.index(term.sort)
                )
            return run.search.bank.apply(
                self._functions.index(term.function), tuple(map(node, term.arguments))
            )

        return node(unit.left), node(unit.right)

    # ── Answers ──────────────────────────────────────────────────────────────────────────────────────────────

    def _contradiction(self, run: _Run, runs: Sequence[_Run]) -> Answer:
        prefix = "" if self._branch is None else f"branch {self._branch + 1}, "
        names, proof = written_proof(run.search, self._units.units, run.reader, prefix)
        outcome: Any = "proved" if CLAIM in names else "inconsistent"
        return Answer(
            outcome=outcome,
            core=tuple(each for each in names if each not in (CLAIM, REFLEXIVITY, CASES)),
            detail=f"{len(proof)} steps",
            steps=_spent(runs),
            derived=self._derived(run),
            proof=proof,
        )

    def _saturated(self, run: _Run, runs: Sequence[_Run]) -> Answer:
        """The rules as a model: plain data that `check_rewriting` checks."""
        if not (self._units.complete and self._problem.exact):
            return self._silent("incomplete", "no contradiction; clauses were left out or weakened", runs)
        term = run.reader.term
        goals = [self._nodes(run, each)[0] for each in self._units.units if each.goal is not None]
        witness = {
            "branch": self._branch,
            "conditional": self._conditional,
            "precedence": [each.name for each in run.precedence],
            "equations": [
                {"left": term(left), "right": term(right), "oriented": each.oriented}
                for _, each in sorted(run.search.active.items())
                for left, right in (run.search.bank.renamed((each.left, each.right)),)
            ],
            "normal_forms": [[term(run.search.normal(each)) for each in goal.arguments] for goal in goals],
        }
        return Answer(
            outcome="model" if self._branch is None else "refuted",
            witness=witness,
            detail=f"{len(run.search.active)} convergent equations",
            steps=_spent(runs),
        )

    def _derived(self, run: _Run) -> tuple[core.Term, ...]:
        """The shortest equations that follow from the axioms alone, in terms of symbols."""
        given = {_key(*self._nodes(run, each)) for each in self._units.units}
        found: list[core.Term] = []
        claimed: dict[int, bool] = {}
        active = sorted(
            run.search.active.values(), key=lambda each: (each.left.size + each.right.size, each.number)
        )
        for each in active:
            if len(found) == _DERIVED:
                break
            if _key(each.left, each.right) in given or self._rests_on_claim(run.search, each.number, claimed):
                continue
            formula = self._formula(run, each.left, each.right)
            if formula is not None:
                found.append(formula)
        return tuple(found)

    def _rests_on_claim(self, search: Search, number: int, known: dict[int, bool]) -> bool:
        """Whether the claim's equations are among the ancestors of an equation."""
        waiting, above = [number], [number]
        while waiting:
            origin = search.equations[waiting.pop()].origin
            if origin.given is not None and not origin.labels:
                if self._units.units[origin.given].name == CLAIM:
                    known.update(dict.fromkeys([number], True))
                    return True
                continue
            for label in chain_of(search, origin)[1]:
                parent = label if label >= 0 else -1 - label
                if known.get(parent, False):
                    return True
                if parent not in above and parent not in known:
                    above.append(parent)
                    waiting.append(parent)
        known.update(dict.fromkeys(above, False))
        return False

    def _formula(self, run: _Run, left: Node, right: Node) -> core.Term | None:
        """An equation as a closed core formula; None if it has Skolem functions or truth values."""
        left, right = run.search.bank.renamed((left, right))
        nodes = {each: None for side in (left, right) for each in variables_of(side)}
        sides = [self._core(run, each) for each in (left, right)]
        if sides[0] is None or sides[1] is None:
            return None
        variables = tuple(self._variable(each) for each in nodes)
        equation = core.Equals(sides[0], sides[1])
        return core.Quantifier("forall", variables, equation) if variables else equation

    def _core(self, run: _Run, node: Node) -> core.Term | None:
        if node.head < 0:
            return self._variable(node)
        function = self._functions[node.head]
        arguments = [self._core(run, each) for each in node.arguments]
        known = tuple(each for each in arguments if each is not None)
        if (
            function.symbol is None
            or any(each is not None for each in function.fixed)
            or len(known) < len(arguments)
        ):
            return None
        return core.SymbolCall(function.symbol, known)

    def _variable(self, node: Node) -> core.Variable:
        return core.Variable(f"x{-1 - node.head}", self._sorts[node.sort])


def _key(left: Node, right: Node) -> Any:
    """A key for an equation up to renaming of its variables and symmetry."""
    return frozenset((_shape(left, right), _shape(right, left)))


def _shape(left: Node, right: Node) -> Any:
    names: dict[Node, int] = {}

    def shape(node: Node) -> Any:
        if node.head < 0:
            return names.setdefault(node, len(names))
        return (node.head, *map(shape, node.arguments))

    return shape(left), shape(right)


def _functions(units: Sequence[Unit]) -> tuple[Function, ...]:
    """All functions of the equations, the truth values, and a constant for every sort that has none."""
    literals = [Literal(True, each.left, each.right) for each in units]
    functions = [TRUE.function, FALSE.function, *functions_of(*literals)]
    sorts = dict.fromkeys(sort for each in functions for sort in (*each.domain, each.codomain))
    sorts.update(dict.fromkeys(each.left.sort for each in literals))
    inhabited = {each.codomain for each in functions if not each.domain}
    return (*functions, *(_inhabitant(sort) for sort in sorts if sort not in inhabited))


def _inhabitant(sort: core.Sort) -> Function:
    """A new constant: sorts are not empty."""
    return Function(f"?any {sort_text(sort)}", (), sort)


def _spent(runs: Sequence[_Run]) -> int:
    return sum(run.search.steps for run in runs)


# ── Proofs as chains ────────────────────────────────────────────────────────────────────────────────────────


class Reader:
    """Translates the numbers of a search into functions and terms."""

    def __init__(self, functions: Sequence[Function], sorts: Sequence[core.Sort]) -> None:
        self.functions = functions
        self.sorts = sorts

    def term(self, node: Node) -> Any:
        """A term as JSON values."""
        if node.head < 0:
            return f"x{-1 - node.head} : {sort_text(self.sorts[node.sort])}"
        return [self.functions[node.head].name, *map(self.term, node.arguments)]


def chain_of(search: Search, origin: Origin) -> tuple[list[Node], list[int]]:
    """The whole chain of an equation: its terms, and the labels between them."""
    terms, labels = list(origin.terms), list(origin.labels)
    for trace in origin.right:
        for label, term in expanded(search.bank, terms[-1], trace):
            terms.append(term)
            labels.append(label)
    before: list[tuple[int, Node]] = []
    for trace in origin.left:
        before += expanded(search.bank, before[-1][1] if before else terms[0], trace)
    front = [term for _, term in reversed(before)]
    return [*front, *terms], [*(label for label, _ in reversed(before)), *labels]


def written_proof(
    search: Search, units: Sequence[Unit], reader: Reader, prefix: str
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The names of the units that the contradiction depends on, in order, and the steps to it."""
    assert search.contradiction is not None, "there is a proof only of a contradiction"
    chains = {len(search.equations): chain_of(search, search.contradiction)}
    waiting = [len(search.equations)]
    while waiting:
        for label in chains[waiting.pop()][1]:
            number = label if label >= 0 else -1 - label
            if number not in chains:
                chains[number] = chain_of(search, search.equations[number].origin)
                waiting.append(number)
    names: dict[int, str] = {}
    used: dict[int, None] = {}
    steps: list[tuple[str, str]] = []
    for number in sorted(chains):
        terms, labels = chains[number]
        if not labels:
            unit = search.equations[number].origin.given
            assert unit is not None, "an equation without a chain was given"
            names[number] = units[unit].name
            used.setdefault(unit)
            continue
        names[number] = f"{prefix}step {len(steps) + 1}"
        by = [names[label] if label >= 0 else f"reflection of {names[-1 - label]}" for label in labels]
        text = {"terms": [reader.term(each) for each in terms], "by": by}
        steps.append((names[number], json.dumps(text, ensure_ascii=False, separators=(",", ":"))))
    return tuple(dict.fromkeys(units[unit].name for unit in sorted(used))), tuple(steps)
