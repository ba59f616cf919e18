"""What completion leaves, as data of the checker: chains as `Rewriting`, convergent rules as `RewriteSystem`.

The engine and the checker read formulas apart from each other, each with its own names for functions.  Equation by
equation the two readings are laid side by side; that gives the names of one in the other.  Nothing rests on it: what is
made here is checked by `kleis.prover.checker.rules`, which knows nothing of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from kleis import core
from kleis.prover.checker.format import Link, Refutation, Rewrite, RewriteSystem, Rewriting
from kleis.prover.checker.rules.equation_terms import TRUE, Term, instance, matched, variables_in
from kleis.prover.checker.rules.unit_equations import CLAIM, LOGIC, Problem
from kleis.prover.checker.sequent import FALSITY, CheckError, Sequent
from kleis.prover.engines.completion import unit_equations
from kleis.prover.engines.completion.certified_names import Functions, Names, Unconvertible
from kleis.prover.engines.first_order_problem import Problem as EngineProblem
from kleis.prover.engines.first_order_problem import translate
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["Unconvertible", "equation_proofs", "rewrite_system", "rewriting_proof", "sequent_of"]

_REFLECTION = "reflection of "
_DERIVED = "derived "


def sequent_of(task: Task, *, axioms_clash: bool = False) -> Sequent:
    """The axioms and lemmas of a task, by the names that answers give them, with its claim."""
    premises = [(each.name, each.formula) for each in task.goal.axioms]
    premises += [(f"lemma {place}", formula) for place, formula in enumerate(task.lemmas, 1)]
    claim = FALSITY if axioms_clash or task.goal.claim is None else task.goal.claim
    return Sequent(task.goal, tuple(premises), claim)


def rewriting_proof(task: Task, answer: Answer) -> Rewriting:
    """The proof of a `proved` or `inconsistent` answer."""
    problem = translate(task)
    clash = answer.outcome == "inconsistent"
    if problem is None or not (clash or (answer.outcome == "proved" and problem.claimed)):
        raise Unconvertible("the answer proves nothing")
    chains: dict[str, list[tuple[str, Any]]] = {}
    for name, text in answer.proof:
        chains.setdefault(name.rpartition("step ")[0], []).append((name, _step(text)))
    ways = [f"branch {number + 1}, " for number in range(len(problem.branches))]
    if clash:
        if len(chains) != 1 or not set(chains) <= {"", *ways}:
            raise Unconvertible("a contradiction that is not one chain")
        ways = list(chains)
    if not set(ways) <= set(chains):
        raise Unconvertible("a branch without a chain")
    reasons = {_stem(each) for way in ways for _, step in chains[way] for each in step["by"]}
    given = tuple(name for name in dict.fromkeys(answer.core) if name in reasons)
    sequent = sequent_of(task, axioms_clash=clash)
    try:
        read = Problem(sequent.with_premises(given))
        if read.count != len(ways):
            raise Unconvertible("the claim is split into other branches")
        names = Names()
        refutations = []
        for number, way in enumerate(ways):
            branch = None if clash else number
            made = _Chain(read, number, given, _engine_units(problem, branch), names)
            refutations.append(made.refutation(chains[way]))
    except CheckError as error:
        raise Unconvertible(str(error)) from None
    return Rewriting(given, names.used_in(refutations), tuple(refutations))


def equation_proofs(task: Task, answer: Answer) -> Iterator[tuple[str, core.Term, Rewriting]]:
    """The equations that an answer of `z3 with equations` derived on the way, by the names in its core."""
    chains: dict[str, list[tuple[str, str]]] = {}
    for name, text in answer.proof:
        head, comma, rest = name.partition(", ")
        if comma and head.startswith(_DERIVED):
            chains.setdefault(head, []).append((rest, text))
    for head, chain in chains.items():
        number = head.removeprefix(_DERIVED)
        if not number.isdigit() or not 1 <= int(number) <= len(answer.derived):
            raise Unconvertible(f"no equation is called {head}")
        equation = answer.derived[int(number) - 1]
        alone = Task(msgspec.structs.replace(task.goal, claim=equation), task.lemmas)
        shown = Answer(outcome="proved", core=answer.core, proof=tuple(chain))
        yield head, equation, rewriting_proof(alone, shown)


def rewrite_system(task: Task, witness: Any) -> RewriteSystem:
    """The witness of a `refuted` or `model` answer."""
    problem = translate(task)
    if problem is None or not problem.exact or not isinstance(witness, Mapping):
        raise Unconvertible("the witness is of no first-order problem")
    branch = witness.get("branch")
    known = [*range(len(problem.branches))] if problem.claimed else [None]
    if isinstance(branch, bool) or branch not in known:
        raise Unconvertible("the witness is of no branch of the claim")
    sequent = sequent_of(task)
    way = branch or 0
    try:
        read = Problem(sequent)
        if not way < read.count:
            raise Unconvertible("the claim is split into other branches")
        given = tuple(name for name, _ in sequent.premises)
        names = Names()
        units = read.units(way).units
        functions = Functions(_engine_units(problem, branch), units, given, read.signature)

        def written(data: Any) -> Any:
            if isinstance(data, str):
                return names.written(functions.variable(data))
            return [functions.name(data[0]), *map(written, data[1:])]

        precedence = tuple(functions.name(each) for each in witness["precedence"])
        equations = tuple(
            (written(each["left"]), written(each["right"]), each["oriented"]) for each in witness["equations"]
        )
        forms = tuple((written(left), written(right)) for left, right in witness["normal_forms"])
        if not all(isinstance(each, bool) for _, _, each in equations):
            raise Unconvertible("an equation that is neither oriented nor not")
    except (CheckError, LookupError, TypeError, ValueError) as error:
        raise Unconvertible(f"no rewrite system: {error}") from None
    return RewriteSystem(precedence, names.table, equations, forms, way)


def _step(text: str) -> Any:
    try:
        step = json.loads(text)
        terms, by = step["terms"], step["by"]
    except (ValueError, TypeError, KeyError):
        raise Unconvertible("a step that is no chain of terms") from None
    if not isinstance(terms, list) or not isinstance(by, list) or len(terms) != len(by) + 1 or not by:
        raise Unconvertible("a step with another number of terms than of reasons")
    return {"terms": terms, "by": [str(each) for each in by]}


def _stem(reason: str) -> str:
    return reason.removeprefix(_REFLECTION)


def _engine_units(problem: EngineProblem, branch: int | None) -> Sequence[unit_equations.Unit]:
    return unit_equations.units_of(problem, branch, conditional=True).units


# ── Chains ───────────────────────────────────────────────────────────────────────────────────────────────────


class _Chain:
    """The refutation of one way in which the claim may fail."""

    def __init__(
        self,
        read: Problem,
        number: int,
        given: Sequence[str],
        units: Sequence[unit_equations.Unit],
        names: Names,
    ) -> None:
        known = read.units(number).units
        self._signature = read.signature
        self._functions = Functions(units, known, given, read.signature)
        self._names = names
        self._equations = [(each.left, each.right) for each in known]
        self._links: list[Link] = []
        self._numbers: dict[str, list[int]] = {}
        names_of = {CLAIM: (unit_equations.CLAIM,), LOGIC: (unit_equations.REFLEXIVITY, unit_equations.CASES)}
        for place, each in enumerate(known, 1):
            for name in names_of.get(each.source) or (given[each.source],):
                self._numbers.setdefault(name, []).append(place)

    def refutation(self, steps: Sequence[tuple[str, Any]]) -> Refutation:
        """The steps as links."""
        for name, step in steps:
            if name in self._numbers:
                raise Unconvertible(f"two things are called {name}")
            terms = [self._functions.term(each) for each in step["terms"]]
            pairs = zip(pairwise(terms), step["by"], strict=True)
            rewrites = [self._step(*pair, reason) for pair, reason in pairs if pair[0] != pair[1]]
            distinct = [terms[0], *(other for one, other in pairwise(terms) if one != other)]
            self._append(self._shortest(distinct, rewrites), (terms[0], terms[-1]))
            self._numbers[name] = [len(self._equations)]
        return Refutation(tuple(self._links))

    def _append(self, link: Link, equation: tuple[Term, Term]) -> int:
        self._links.append(link)
        self._equations.append(equation)
        return len(self._equations)

    def _shortest(self, terms: Sequence[Term], steps: Sequence[tuple[Rewrite, Rewrite]]) -> Link:
        """The link that begins at the term from where both ends are reached with the shortest data."""
        ahead = [len(msgspec.json.encode(step)) for step, _ in steps]
        back = [len(msgspec.json.encode(step)) for _, step in steps]
        starts = [self._names.written(each) for each in terms]
        costs = [
            len(msgspec.json.encode(start)) + sum(back[:place]) + sum(ahead[place:])
            for place, start in enumerate(starts)
        ]
        place = costs.index(min(costs))
        left = tuple(step for _, step in reversed(steps[:place]))
        return Link(starts[place], left, tuple(step for step, _ in steps[place:]))

    def _step(self, one: Term, other: Term, reason: str) -> tuple[Rewrite, Rewrite]:
        """The replacement that leads from one term to the other, and the one that leads back."""
        numbers = self._numbers.get(reason) or self._reflections(reason)
        path: tuple[int, ...] = ()
        while True:
            for number in numbers:
                left, right = self._equations[number - 1]
                for old, new, sign in ((left, right, 1), (right, left, -1)):
                    values = matched(self._signature, ("", old, new), ("", one, other))
                    if values is not None:
                        ahead = Rewrite(sign * number, path, self._values(old, new, values))
                        return ahead, Rewrite(-sign * number, path, self._values(new, old, values))
            if isinstance(one, core.Variable) or isinstance(other, core.Variable) or one[0] != other[0]:
                raise Unconvertible(f"{reason} does not lead from one term to the next")
            unequal = [at for at in range(1, len(one)) if one[at] != other[at]]
            if len(unequal) != 1:
                raise Unconvertible(f"{reason} does not lead from one term to the next")
            path, one, other = (*path, unequal[0]), one[unequal[0]], other[unequal[0]]

    def _values(self, old: Term, new: Term, values: Mapping[core.Variable, Term]) -> tuple[Any, ...]:
        bound = variables_in(old)
        return tuple(
            self._names.written(instance(each, values)) for each in variables_in(new) if each not in bound
        )

    def _reflections(self, reason: str) -> list[int]:
        """The equations that those of a name reflect, each a link of its own."""
        found: list[int] = []
        if reason.startswith(_REFLECTION):
            for number in self._numbers.get(_stem(reason), []):
                sides = self._equations[number - 1]
                for truth, said in (sides, sides[::-1]):
                    equated = self._signature.equated(truth)
                    if said == TRUE and equated is not None:
                        found.append(self._append(Link(reflects=number), equated))
                        break
            self._numbers[reason] = found
        return found
