"""The engine `induction with laws`: proofs by induction, also by size, from laws of lists that are proved first.

See docs/reference/proving.md §7.10.

The candidates of `list_laws` that no small values refute are proved one after the other, each from those before it.
Then the claim is tried with those that are about what it is about.  Goals are kept as they were asked: each obligation is
lowered alone, so that laws may speak of anything.

Invariants
    * A law is proved before it is used, by the schemes of the checker; the proof that is left is a certificate's.
    * Steps are Z3's, and a fixed number for each run; the same task and budget give the same proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from kleis import core
from kleis.core.goal import Goal, Termination
from kleis.core.terms import list_constructors
from kleis.core.traversal import reach, subterms
from kleis.delaborate.describe_goal import expression_of
from kleis.prover.checker.format import Induction, Instance
from kleis.prover.checker.rules.induction import obligations
from kleis.prover.checker.rules.open_claims import HYPOTHESIS, opened
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.prover.checker.write_terms import term_data
from kleis.prover.engines.induction.function_laws import at_functions, taken
from kleis.prover.engines.induction.law_formulas import Group
from kleis.prover.engines.induction.lemmas import EVALUATION, plausible
from kleis.prover.engines.induction.list_laws import candidates
from kleis.prover.engines.induction.proved_laws import Law, Leaf, Proof, SearchWithLaws, Split, task_of
from kleis.prover.engines.induction.recursive_calls import called_next
from kleis.prover.engines.induction.search import ATTEMPT, WAYS
from kleis.prover.engines.induction.tree_laws import tree_candidates, works_on_trees
from kleis.prover.lowering.defunctionalize import expanded
from kleis.prover.protocol.engine import WOULD_FOLLOW, Answer, Task
from kleis.semantics.reference import Account
from kleis.syntax.printer.program import print_expression

__all__ = ["BY_MEASURE", "LAWS", "OF_TREES", "LawSearch"]

_MOST_PREMISES = 20
"""Laws that one obligation is given."""

_FEW = 30_000
"""Steps for one obligation at first."""

_FEW_PREMISES = 10
"""Laws that it is given then where lists are compared: with all laws of order beside it, what is easy becomes hard."""

_EVALUATED = 1_200_000
"""Steps of evaluation that all candidates share: what small values do not come to refute is tried in vain."""

_DEPTH = 2

_MOST_MISSING = 4
"""Laws that could not be proved and are tried as if they were."""


class LawSearch:
    """The engine.  `by_measure`: only for claims of recursions that go down by a measure, such as quicksort, and for the
    conditions that they do.  `of_trees`: only for claims about functions of trees."""

    name = "induction with laws"

    def __init__(self, *, by_measure: bool = False, of_trees: bool = False) -> None:
        self._by_measure = by_measure
        self._of_trees = of_trees

    def applies(self, task: Task) -> bool:
        """To claims about lists, or whose recursions make lists."""
        goal = task.goal
        if goal.unsettled or goal.claim is None or not (variables := _variables(goal.claim)):
            return False
        measured = any(_down_by_a_measure(each) for _, each in goal.terminations) or _is_of_sizes(goal.claim)
        if self._by_measure != measured:
            return False
        made = (goal.claim, *(each.body for each in goal.definitions))
        recursive = (core.ListOf, core.DataSort)
        if not any(isinstance(each.sort, recursive) for each in variables):
            return False
        if self._of_trees or not any(isinstance(each.sort, core.ListOf) for each in subterms(*made)):
            return works_on_trees(goal)
        return True

    def run(self, task: Task, steps: int) -> Answer:
        """The claim alone, then with the laws that can be proved."""
        return _Search(task, steps, alone=self._of_trees).answer()


LAWS = LawSearch()

BY_MEASURE = LawSearch(by_measure=True)

OF_TREES = LawSearch(of_trees=True)


class _Search(SearchWithLaws):
    """The search for one proof.  `alone`: the claim is tried before there are laws, also without premises."""

    def __init__(self, task: Task, steps: int, *, alone: bool = False) -> None:
        super().__init__(task, steps)
        self._alone = alone
        self._open: list[core.Term] = []
        self._missing = ""
        self._attempt = ATTEMPT
        self._ordering = False
        self._measured = {
            each.key
            for each in task.goal.definitions
            if any(_down_by_a_measure(t) for t in _terminations(task.goal, each.key))
        }
        self._mutual = any(len(each.group) > 1 for each in task.goal.definitions)

    def _said(self) -> str:
        """What was searched, and a law that was missing if one was found."""
        text = f"no induction found, {len(self._laws)} laws of lists proved"
        return f"{text}; {WOULD_FOLLOW}{self._missing}" if self._missing else text

    def _found(self) -> Proof | None:
        """A proof of the claim: from what is given, then after every group of laws; with few steps for each obligation,
        then with more, because most proofs need few and most obligations have none."""
        account = Account(msgspec.structs.replace(EVALUATION, steps=_EVALUATED))
        groups = [
            Group(
                tuple(each for each in group.formulas if plausible(self._goal, each, account)), group.grounds
            )
            for group in chain(tree_candidates(self._goal), candidates(self._goal))
        ]
        self._ordering = any(group.grounds for group in groups)
        for self._attempt in (_FEW, ATTEMPT):
            proof = self._round(groups)
            if proof is not None:
                return proof
        self._find_missing()
        return None

    def _round(self, groups: list[Group]) -> Proof | None:
        """A proof of the claim after one of the groups of laws, which keep what is still to be proved."""
        if (self._given or self._alone) and (proof := self._proved(self._claim, 1)) is not None:
            return proof
        recursive = {each.key for each in self._goal.definitions if each.group}
        by_size = bool(self._measured & recursive & {each.definition for each in _calls(self._claim)})
        for place, group in enumerate(groups):
            before = len(self._laws)
            left = tuple(each for each in group.formulas if not self._becomes_law(each, group.grounds))
            groups[place] = msgspec.structs.replace(group, formulas=left)
            fresh = self._laws[before:]
            if group.grounds and (fresh or not group.formulas):
                known = (*(each for each in self._laws if each.formula in group.grounds), *fresh)
                if (proof := self._tree(self._asked(self._claim, known), 1)) is not None:
                    return proof
            if fresh and (proof := self._proved(self._claim, 1, whole=not by_size)) is not None:
                return proof
        self._open = [each for group in groups for each in group.formulas]
        return self._proved(self._claim, _DEPTH) if self._laws else None

    def _becomes_law(self, formula: core.Term, grounds: frozenset[core.Term] = frozenset()) -> bool:
        """Prove a candidate, and keep it."""
        known = [each for each in self._laws if each.formula in grounds]
        found = self._tree(self._asked(formula, known), _DEPTH) if known else None
        if found is None:
            found = self._proved(formula, _DEPTH, whole=bool(self._by_name([formula])))
        if found is not None:
            self._keep(formula, found, _symbols(self._goal, formula))
        return found is not None

    def _find_missing(self) -> None:
        """Look for a law that no small values refute, that could not be proved, and from which the claim follows."""
        for formula in self._open[-_MOST_MISSING:]:
            about = _symbols(self._goal, self._claim)
            laws = ((each.name, each.formula) for each in self._relevant(about))
            premises = (*self._given, *laws, ("missing", formula))
            if self._tree(Sequent(self._goal, premises, self._claim), 1) is not None:
                self._missing = print_expression(expression_of(formula))
                return

    # ── Proofs ───────────────────────────────────────────────────────────────────────────────────────────────

    def _proved(self, formula: core.Term, depth: int, *, whole: bool = False) -> Proof | None:
        """A proof of a closed formula from what is known; of the claim (`whole`) maybe without an induction."""
        about = _symbols(self._goal, formula)
        return self._tree(self._asked(formula, self._relevant(about)), depth, at_once=whole)

    def _relevant(self, about: frozenset[str]) -> list[Law]:
        """The laws that share most symbols with what is to be shown, few, in the order of their proofs."""
        shared = [(len(each.about & about), -len(each.about - about), each) for each in self._laws]
        found = sorted(
            (each for each in shared if each[0]), key=lambda each: (each[1], each[0]), reverse=True
        )
        most = _FEW_PREMISES if self._ordering and self._attempt == _FEW else _MOST_PREMISES
        chosen = {each.name for _, _, each in found[:most]}
        return [each for each in self._laws if each.name in chosen]

    def _tree(self, sequent: Sequent, depth: int, *, at_once: bool = True) -> Proof | None:
        """A proof of a sequent: as it is, then by every scheme."""
        if at_once and (leaf := self._leaf(sequent)) is not None:
            return leaf
        if depth == 0:
            return None
        for scheme in self._schemes(sequent):
            try:
                left = obligations(sequent, scheme)
            except RejectedError:
                continue
            cases: list[tuple[str, Proof]] = []
            for name, each in left:
                found = self._by_size(sequent, scheme, each) if scheme.size else self._tree(each, depth - 1)
                if found is None:
                    break
                cases.append((name, found))
            else:
                return Split(scheme, tuple(cases))
        return None

    def _by_size(self, whole: Sequent, scheme: Induction, left: Sequent) -> Leaf | None:
        """What an induction by size leaves, with its hypothesis at the lists to which recursions go on."""
        variables, body = opened(whole.claim)
        on = next(each for each in variables if each.name == scheme.on)
        assert isinstance(on.sort, core.ListOf), "the schemes of this search"
        new = left.constants[len(whole.constants) :]
        parts = tuple(core.SymbolCall(each, ()) for each in new[-2:]) if new else ()
        nil, cons = list_constructors(on.sort)
        value = core.Construction(cons if parts else nil, parts)
        hypothesis, given = left.premises[-1]
        at = called_next(self._goal, body, on, value)
        instances = tuple(
            (f"{hypothesis} at {place}", Instance(hypothesis, (term_data(each),)))
            for place, each in enumerate(at, 1)
        )
        here = [(name, taken(given, each)) for (name, _), each in zip(instances, at, strict=True)]
        premises = (*left.premises[:-1], *(here if parts else ()))
        return self._leaf(msgspec.structs.replace(left, premises=premises), instances)

    def _schemes(self, sequent: Sequent) -> Iterator[Induction]:
        """Over lists and data by structure, and by size where a recursion goes down by a measure."""
        variables, _ = opened(sequent.claim)
        recursive = (core.ListOf, core.DataSort)
        by_parts = [Induction(each.name, ()) for each in variables if isinstance(each.sort, recursive)]
        by_size = [
            Induction(each.name, (), size=True) for each in variables if isinstance(each.sort, core.ListOf)
        ]
        if sequent.constants:
            yield from by_parts
        elif self._measured & {each.definition for each in _calls(sequent.claim)}:
            yield from by_size
        else:
            deep = [msgspec.structs.replace(each, deep=True) for each in by_parts if self._mutual]
            yield from (*by_parts, *deep, *by_size)

    def _leaf(self, sequent: Sequent, instances: tuple[tuple[str, Instance], ...] = ()) -> Leaf | None:
        """The sequent refuted by Z3, if it is in one of the ways."""
        sequent, of_laws = at_functions(sequent)
        instances = (*instances, *of_laws)
        task = expanded(task_of(sequent))
        laws = (each for name, each in sequent.premises if not name.startswith(HYPOTHESIS))
        written_out = self._by_name([sequent.claim])
        named = tuple(each for each in self._by_name(laws) if each not in written_out)
        for options, known_by_name in (
            *((WAYS[0], named) for _ in named[:1]),
            *((each, ()) for each in WAYS),
        ):
            script, run = self._refute(task, options, self._attempt, frozenset(known_by_name))
            if run.status == "unsat":
                return Leaf(script, run, options, instances)
            if run.status == "sat" and not known_by_name:
                return None
        return None

    def _by_name(self, formulas: Iterable[core.Term]) -> tuple[str, ...]:
        """The definitions without recursion that formulas call.  With what these stand for in their place, no solver would
        find where a law about them fits."""
        plain = {each.key for each in self._goal.definitions if not each.group}
        called = (each.definition for formula in formulas for each in _calls(formula))
        return tuple(dict.fromkeys(each for each in called if each in plain))


def _variables(claim: core.Term) -> tuple[core.Variable, ...]:
    try:
        return opened(claim)[0]
    except RejectedError:
        return ()


def _down_by_a_measure(termination: Termination) -> bool:
    """Whether a recursion ends for another reason than that it goes to the parts of a value."""
    return termination.kind == "measure" and bool(termination.obligations)


def _symbols(goal: Goal, formula: core.Term) -> frozenset[str]:
    """What a formula speaks of, its definitions unfolded: definitions and built-ins of lists."""
    definitions = {each.key: each for each in goal.definitions}
    reached = reach((formula,), definitions).definitions
    bodies = (definitions[each].body for each in reached)
    calls = (each for each in subterms(formula, *bodies) if isinstance(each, core.BuiltinCall))
    lists = (
        each.operation.name for each in calls if any(isinstance(a.sort, core.ListOf) for a in each.arguments)
    )
    return frozenset((*(f"definition {each}" for each in reached), *lists))


def _is_of_sizes(claim: core.Term) -> bool:
    """Whether a claim says that one list is shorter than another, as the condition of a recursion does."""
    return any(
        isinstance(each, core.BuiltinCall)
        and each.operation.name == "less_than"
        and all(_has_length(side) for side in each.arguments)
        for each in subterms(claim)
    )


def _has_length(term: core.Term) -> bool:
    return any(
        isinstance(each, core.BuiltinCall) and each.operation.name == "length" for each in subterms(term)
    )


def _terminations(goal: Goal, key: str) -> Iterator[Termination]:
    """Why a definition ends, and what it calls."""
    definitions = {each.key: each for each in goal.definitions}
    for each in reach((definitions[key].body,), definitions).definitions:
        found = goal.termination(each)
        if found is not None:
            yield found


def _calls(term: core.Term) -> Iterator[core.DefinitionCall]:
    return (each for each in subterms(term) if isinstance(each, core.DefinitionCall))
