"""What superposition leaves, as data of the checker.

The engine and the checker read formulas apart from each other, each with its own names for functions.  Clause by clause
the two readings are laid side by side; that gives the names of one in the other.  Nothing rests on it: what is made here
is checked by `kleis.prover.checker.rules.clausal`, which knows nothing of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from kleis import core
from kleis.prover.checker.format import Clausal, Cut, Derivation, Factor, Inference, Replacement
from kleis.prover.checker.rules.clause_forms import ClausalProblem, Clause
from kleis.prover.checker.rules.equation_terms import Signature
from kleis.prover.checker.rules.equation_terms import Term as ReadTerm
from kleis.prover.checker.sequent import CheckError
from kleis.prover.engines.completion.certified import Unconvertible, sequent_of
from kleis.prover.engines.first_order_problem import Problem, translate
from kleis.prover.engines.first_order_terms import Term, Variable
from kleis.prover.engines.superposition.clauses import CLAIM, Given, clauses_of
from kleis.prover.protocol.engine import Answer, Task

__all__ = ["clausal_proof"]


def clausal_proof(task: Task, answer: Answer) -> Clausal:
    """The proof of a `proved` or `inconsistent` answer."""
    problem = translate(task)
    clash = answer.outcome == "inconsistent"
    if problem is None or not (clash or (answer.outcome == "proved" and problem.claimed)):
        raise Unconvertible("the answer proves nothing")
    sequent = sequent_of(task, axioms_clash=clash)
    given = tuple(answer.core)
    names = Names()
    try:
        read = ClausalProblem(sequent.with_premises(given))
        if read.count != len(answer.proof):
            raise Unconvertible("the claim is split into other branches")
        derivations = tuple(
            _Converted(problem, None if clash else number, read, number, given, names).derivation(
                json.loads(text)
            )
            for number, (_, text) in enumerate(answer.proof)
        )
    except CheckError as error:
        raise Unconvertible(str(error)) from None
    return Clausal(given, names.table, derivations)


class Names:
    """Names of variables in the data: one sort each."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    @property
    def table(self) -> tuple[tuple[str, str], ...]:
        """The variables so far, with the texts of their sorts."""
        return tuple((name, text.partition(" : ")[2]) for text, name in self._names.items())

    def name(self, text: str) -> str:
        """The name of a variable, ``"x0 : G"``, that no other sort's variable has."""
        stem = text.partition(" : ")[0]
        name = stem
        while name in self._names.values() and text not in self._names:
            name += "'"
        return self._names.setdefault(text, name)


class _Converted:
    """One refutation, in the checker's names and numbers."""

    def __init__(
        self,
        problem: Problem,
        branch: int | None,
        read: ClausalProblem,
        way: int,
        given: Sequence[str],
        names: Names,
    ) -> None:
        self._names = names
        self._functions = {"true": "true"}
        self._numbers: dict[int, int] = {}
        ours = clauses_of(problem, branch)
        theirs = read.clauses(way)
        for place, name in (*enumerate(given), (-1, CLAIM)):
            mine = [(at, each) for at, each in enumerate(ours) if each.name == name]
            read_so = [(at, clause) for at, (source, clause) in enumerate(theirs) if source == place]
            if branch is None and name == CLAIM:
                continue
            if len(mine) != len(read_so):
                raise Unconvertible(f"{name} is read otherwise")
            for (at, one), (number, other) in zip(mine, read_so, strict=True):
                self._numbers[at] = number + 1
                self._pair(one, other)
        self._next = len(theirs) + 1
        self._signature: Signature = read.signature

    def _pair(self, one: Given, other: Clause) -> None:
        """Learn the names of functions from a clause that both have read."""
        if [each.positive for each in one.literals] != [each.positive for each in other]:
            raise Unconvertible(f"{one.name} is read otherwise")
        waiting: list[tuple[Term, ReadTerm]] = []
        for mine, its in zip(one.literals, other, strict=True):
            waiting += [(mine.left, its.left), (mine.right, its.right)]
        while waiting:
            term, read = waiting.pop()
            if isinstance(term, Variable) or isinstance(read, core.Variable):
                if not (isinstance(term, Variable) and isinstance(read, core.Variable)):
                    raise Unconvertible(f"{one.name} is read otherwise")
                continue
            name = self._functions.setdefault(term.function.name, read[0])
            if name != read[0] or len(term.arguments) != len(read) - 1:
                raise Unconvertible(f"{term.function.name} is read as two functions")
            waiting.extend(zip(term.arguments, read[1:], strict=True))

    def derivation(self, data: Mapping[str, Any]) -> Derivation:
        """The steps, in order."""
        inferences = []
        for step in data["steps"]:
            moves = tuple(map(self._move, step["moves"]))
            inferences.append(Inference(self._number(step["of"]), self._terms(step["values"]), moves))
            self._numbers[step["number"]] = self._next
            self._next += 1
        return Derivation(tuple(inferences))

    def _number(self, number: int) -> int:
        if number not in self._numbers:
            raise Unconvertible("a step from a clause that is neither given nor derived")
        return self._numbers[number]

    def _move(self, data: Mapping[str, Any]) -> Replacement | Cut | Factor:
        if "replace" in data:
            literal, side = data["replace"]
            clause, equation, source = data["by"]
            return Replacement(
                literal + 1,
                side + 1,
                tuple(at + 1 for at in data["path"]),
                self._number(clause),
                equation + 1,
                source + 1,
                self._terms(data["values"]),
            )
        if "cut" in data:
            clause, other = data["by"]
            return Cut(data["cut"] + 1, self._number(clause), other + 1, self._terms(data["values"]))
        (literal, side), (other, its) = data["factor"], data["with"]
        return Factor(literal + 1, side + 1, other + 1, its + 1)

    def _terms(self, data: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(map(self._term, data))

    def _term(self, data: Any) -> Any:
        if isinstance(data, str):
            return self._names.name(data)
        name = self._functions.get(data[0])
        if name is None:
            raise Unconvertible(f"nothing that is read is called {data[0]}")
        return (name, *map(self._term, data[1:]))
