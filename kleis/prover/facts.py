"""Propositions that are proved already, and where they may be used.

See docs/reference/proving.md §5.6.

A fact follows from the axioms of its own goal. So it may be used for another claim of the same theory only where these
axioms hold too: a law of groups says nothing of a monoid, though both speak of the same operation.

Invariant: a fact serves only where every axiom that its proof rests on, through other facts too, is an axiom of the goal
or of a section (a structure without parameters, whose axioms hold everywhere).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis import core
from kleis.core.goal import Axiom, Goal
from kleis.core.traversal import reach, subterms
from kleis.prover.protocol.verdict import Verdict

__all__ = ["Fact", "lemma_name", "local_to", "serving_facts", "used_by", "with_named_lemmas"]


class Fact(msgspec.Struct, frozen=True, eq=False):
    """A proposition with its goal, the verdict `verified`, and the facts that its proof used.

    `name` is the one under which it was stated; empty for a proposition that was given with a question.
    `local` are the axioms it rests on that do not hold everywhere.
    """

    goal: Goal
    verdict: Verdict
    uses: tuple[Fact, ...] = ()
    name: str = ""
    local: tuple[Axiom, ...] = ()

    @classmethod
    def of(cls, goal: Goal, verdict: Verdict, facts: Sequence[Fact], name: str = "") -> Fact:
        """The fact that a verdict shows, found with `facts` as the lemmas of its task."""
        if verdict.status != "verified" or goal.claim is None:
            raise ValueError(f"a verdict that is {verdict.status} shows no fact")
        uses = used_by(verdict, facts)
        sections = {each.structure for each in goal.instances if not each.arguments}
        own = (
            each
            for each in goal.axioms
            if each.name in verdict.core and each.name.rpartition("::")[0] not in sections
        )
        below = (each for fact in uses for each in fact.local)
        return cls(goal, verdict, uses, name, tuple({id(each): each for each in (*own, *below)}.values()))

    def grounds(self) -> list[Fact]:
        """The facts that it rests on and itself, each after those that it uses."""
        found: dict[int, Fact] = {}
        waiting: list[tuple[Fact, bool]] = [(self, False)]
        while waiting:
            fact, below = waiting.pop()
            if id(fact) in found:
                continue
            if below:
                found[id(fact)] = fact
            else:
                waiting += [(fact, True), *((each, False) for each in fact.uses)]
        return list(found.values())


def lemma_name(place: int) -> str:
    """What the lemma at a place, from 1, is called in a core."""
    return f"lemma {place}"


def used_by(verdict: Verdict, facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts that a proof used, which had them as its lemmas in this order."""
    return tuple(each for place, each in enumerate(facts, 1) if lemma_name(place) in verdict.core)


def with_named_lemmas(verdict: Verdict, facts: Sequence[Fact]) -> Verdict:
    """The verdict with the names of stated lemmas in its core, and those among its lemmas that it used."""
    names = {lemma_name(place): f"lemma {each.name}" for place, each in enumerate(facts, 1) if each.name}
    if not names:
        return verdict
    said = [f"{each.name} : {each.verdict.claim}" for each in used_by(verdict, facts) if each.name]
    named = tuple(names.get(each, each) for each in verdict.core)
    return msgspec.structs.replace(verdict, core=named, lemmas=(*said, *verdict.lemmas))


def local_to(fact: Fact, goal: Goal) -> tuple[str, ...]:
    """The axioms that a fact rests on and that do not hold where a goal is; empty if it may be used there."""
    return tuple(
        each.name
        for each in fact.local
        if all(each.name != other.name or each.formula != other.formula for other in goal.axioms)
    )


def serving_facts(facts: Sequence[Fact], goal: Goal) -> tuple[Fact, ...]:
    """The facts that hold where a goal is and speak of something that it speaks of, in their order."""
    if not facts or goal.claim is None:
        return ()
    declared, operations = _subjects((goal.claim, *(each.formula for each in goal.axioms)), goal)
    serving = []
    for each in facts:
        if each.goal.claim is None or local_to(each, goal) or not _same_definitions(each.goal, goal):
            continue
        own, built_in = _subjects((each.goal.claim,), each.goal)
        if own & declared or (not own and built_in & operations):
            serving.append(each)
    return tuple(serving)


def _same_definitions(first: Goal, second: Goal) -> bool:
    """Whether the definitions that both goals reach are the same; goals of one theory differ in none."""
    known = {each.key: each for each in second.definitions}
    return all(known.get(each.key, each) == each for each in first.definitions)


def _subjects(formulas: Sequence[core.Term], goal: Goal) -> tuple[frozenset[str], frozenset[str]]:
    """What formulas speak of: declared symbols, definitions and data types; built-in operations."""
    reached = reach(formulas, {each.key: each for each in goal.definitions})
    declared = (
        *(f"symbol {each.name}" for each in reached.symbols),
        *(f"definition {key}" for key in reached.definitions),
        *(f"data {each.name}" for each in reached.data),
    )
    operations = (
        each.operation.name
        for formula in formulas
        for each in subterms(formula)
        if isinstance(each, core.BuiltinCall)
    )
    return frozenset(declared), frozenset(operations)
