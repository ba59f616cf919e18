"""Proofs by induction, nested twice, with lemmas that are proved by induction themselves.

Specification: proving.md §3, §6; provers.md §3 (own_ind).

A goal is tried as it is; then by every scheme that one of its variables allows (kleis/logic/engines/
induction_schemes.py), whose obligations are goals again.  If that fails, template lemmas (lemmas.py) are proved the
same way, each with those before it, and the claim is tried with them.

The proof lists every obligation under a path that names the schemes on the way to it::

    template 4; induction on x; Cons
    claim; induction on x; Cons; induction on y; Nil

`check_induction` writes the obligations of these paths again, from the task alone, and compares.

Invariants
    * What built-ins of lists do is seen by their recursive definitions (kleis/logic/expansion.py).
    * Lemmas in a proof stand before what uses them; a lemma uses only those before it.
    * Steps are Z3's, and a fixed number for each run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kleis.logic.engine import Answer, Task
from kleis.logic.engines.induction_schemes import (
    HYPOTHESIS,
    Goal,
    Scheme,
    goal_of,
    obligations,
    schemes,
)
from kleis.logic.engines.lemmas import plausible, templates
from kleis.logic.engines.z3_runs import DEFAULT, Options, proof_of, run_text, script_text, unwritable
from kleis.logic.expansion import expanded
from kleis.logic.smt.script import Script, encode
from kleis.logic.smt.sorts import Inexpressible
from kleis.meaning.core import DataSort, Definition, DefinitionCall, ListOf, LiteralTerm, Term
from kleis.meaning.meaning import Termination
from kleis.meaning.terms import free_variables, subterms

__all__ = ["INDUCTION", "check_induction"]

_DEPTH = 2
_ATTEMPT = 60_000
"""Z3's steps for one obligation, in one of the two ways."""

_RUN = 2_000
"""What a run costs besides."""

_WAYS = (Options(patterns_only=True), DEFAULT)
"""Definitions as equations that patterns instantiate; definitions as Z3's recursive functions."""

_CLAIM = "claim"
_SEPARATOR = "; "
_ROUNDS = 2

_Proof = tuple[tuple[str, str], ...]


class Induction:
    """The engine."""

    name = "induction"

    def applies(self, task: Task) -> bool:
        """To claims of recursive definitions, or about values of data types, lists and integers beside axioms."""
        if task.meaning.unsettled or task.meaning.claim is None:
            return False
        meaning = expanded(task).meaning
        assert meaning.claim is not None
        return bool(meaning.terminations) and bool(schemes(goal_of(meaning.claim), (0,)))

    def run(self, task: Task, steps: int) -> Answer:
        """Without lemmas, then with those that can be proved."""
        search = _Search(steps)
        task = expanded(task)
        assert task.meaning.claim is not None
        goal = goal_of(task.meaning.claim)
        try:
            proof = search.proved(task, goal, _DEPTH, _CLAIM)
            lemmas: tuple[tuple[int, Term], ...] = ()
            if proof is None:
                proof, lemmas = _with_lemmas(search, task, goal)
        except Inexpressible as error:
            return unwritable(error)
        except _BudgetUsedError:
            return Answer(outcome="silent", reason="resource", detail="no induction found", steps=search.used)
        if proof is None:
            detail = f"no induction found, {len(lemmas)} lemmas proved"
            return Answer(outcome="silent", reason="incomplete", detail=detail, steps=search.used)
        return Answer(
            outcome="proved",
            core=_core(task, proof, lemmas),
            detail=_described(proof),
            steps=search.used,
            proof=proof,
        )


INDUCTION = Induction()


class _BudgetUsedError(Exception):
    """The steps are used up."""


class _Search:
    """The search for one proof, and the steps it has taken."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self.used = 0

    def proved(self, task: Task, goal: Goal, depth: int, path: str) -> _Proof | None:
        """A proof of a goal, or None."""
        text = self._shown(goal.task(task))
        if text is not None:
            return ((path, text),)
        if depth == 0:
            return None
        for scheme in _ranked(task, goal):
            found: list[tuple[str, str]] = []
            for name, each in obligations(task.meaning, goal, scheme):
                inner = _SEPARATOR.join((path, scheme.text(), name))
                part = self.proved(task, each, depth - 1, inner)
                if part is None:
                    break
                found += part
            else:
                return tuple(found)
        return None

    def _shown(self, task: Task) -> str | None:
        """The script of a task, if Z3 refutes it in one of the ways."""
        for options, text in _texts(task):
            if self.used + _ATTEMPT > self._steps:
                raise _BudgetUsedError
            run = run_text(text, _ATTEMPT)
            self.used += run.used + _RUN
            if run.status == "unsat":
                return text
            if run.status == "sat" and options == DEFAULT:
                return None
        return None


def _texts(task: Task) -> Iterator[tuple[Options, str]]:
    """The scripts of a task, one for each way."""
    for options in _WAYS:
        script = encode(task, equations=options.patterns_only)
        yield options, options.header() + script_text(script, script.claim)


def _ranked(task: Task, goal: Goal) -> list[Scheme]:
    """The schemes, those first whose variable is where a definition recurs."""
    recurs: dict[str, int] = {}
    definitions = {each.key: each for each in task.meaning.definitions}
    for each in subterms(goal.body):
        if not isinstance(each, DefinitionCall):
            continue
        termination = task.meaning.termination(each.definition)
        if termination is None:
            continue
        places = _descends(definitions[each.definition], termination)
        for place, argument in enumerate(each.arguments):
            for variable in free_variables(argument):
                plain = argument == variable
                weight = (
                    (2 if plain else 1)
                    if place in places
                    else int(plain and isinstance(variable.sort, _LISTED))
                )
                if weight:
                    recurs[variable.name] = recurs.get(variable.name, 0) + weight
    found = [each for each in schemes(goal, _starts(task, goal)) if each.variable in recurs]
    return sorted(found, key=lambda each: (-recurs[each.variable], each.steps))


_LISTED = (DataSort, ListOf)


def _descends(definition: Definition, termination: Termination) -> frozenset[int]:
    """The parameters that become smaller in the recursion: those that the termination argument speaks of."""
    if termination.arguments:
        return frozenset(termination.arguments)
    names = {each.name for measure in termination.measures for each in free_variables(measure)}
    places = {place for place, each in enumerate(definition.parameters) if each.name in names}
    return frozenset(places or range(len(definition.parameters)))


def _starts(task: Task, goal: Goal) -> tuple[int, ...]:
    """Where an induction over integers may begin: at numbers that the goal or its definitions speak of."""
    numbers = {0: None, 1: None}
    terms = [goal.body, *(each.body for each in task.meaning.definitions)]
    for each in subterms(*terms):
        if isinstance(each, LiteralTerm) and isinstance(each.value, int) and abs(each.value) <= 10:
            numbers.setdefault(int(each.value))
    return tuple(numbers)[:_STARTS]


_STARTS = 4

# ── Lemmas ───────────────────────────────────────────────────────────────────────────────────────────────────


def _with_lemmas(
    search: _Search, task: Task, goal: Goal
) -> tuple[_Proof | None, tuple[tuple[int, Term], ...]]:
    """A proof that begins with those of the lemmas it uses; and these, by their number among the templates."""
    candidates = [
        (place, formula)
        for place, formula in enumerate(templates(task.meaning))
        if formula != task.meaning.claim and plausible(task.meaning, formula)
    ]
    proved: list[tuple[int, Term]] = []
    shown: list[_Proof] = []
    for _ in range(_ROUNDS):
        before = len(proved)
        for place, formula in list(candidates):
            given = _given(task, proved)
            part = search.proved(given, goal_of(formula), 1, f"template {place}")
            if part is None:
                continue
            candidates.remove((place, formula))
            if len(part) == 1 and part[0][0] == f"template {place}":
                # It needs no induction: Z3 finds what follows from it by itself.
                continue
            proved.append((place, formula))
            shown.append(part)
        proof = search.proved(_given(task, proved), goal, _DEPTH, _CLAIM) if len(proved) > before else None
        if proof is not None:
            whole = (*(each for part in shown for each in part), *proof)
            return _with_fewer(search, task, goal, proved) or whole, tuple(proved)
    return None, tuple(proved)


def _given(task: Task, lemmas: Sequence[tuple[int, Term]]) -> Task:
    return Task(task.meaning, (*task.lemmas, *(formula for _, formula in lemmas)))


def _with_fewer(search: _Search, task: Task, goal: Goal, lemmas: Sequence[tuple[int, Term]]) -> _Proof | None:
    """A proof with the last lemma alone and what it needs, or with few of them; None if there is none."""
    for size in range(1, min(_FEW, len(lemmas))):
        last = list(lemmas[-size:])
        proof = _with_exactly(search, task, goal, last)
        if proof is not None:
            return proof
    return None


_FEW = 3


def _with_exactly(
    search: _Search, task: Task, goal: Goal, lemmas: Sequence[tuple[int, Term]]
) -> _Proof | None:
    found: list[tuple[str, str]] = []
    for count, (place, formula) in enumerate(lemmas):
        part = search.proved(_given(task, lemmas[:count]), goal_of(formula), 1, f"template {place}")
        if part is None:
            return None
        found += part
    proof = search.proved(_given(task, lemmas), goal, _DEPTH, _CLAIM)
    return None if proof is None else (*found, *proof)


# ── The answer ───────────────────────────────────────────────────────────────────────────────────────────────


def _described(proof: _Proof) -> str:
    """The inductions of a proof, each once."""
    parts = [path.split(_SEPARATOR) for path, _ in proof]
    found = dict.fromkeys(f"{path[0]}: {path[1]}" if len(path) > 1 else path[0] for path in parts)
    return ", ".join(found)


def _core(task: Task, proof: _Proof, lemmas: Sequence[tuple[int, Term]]) -> tuple[str, ...]:
    """The axioms that the obligations use; all of them where that is not found out."""
    names = [each.name for each in task.meaning.axioms]
    names += [f"lemma {place}" for place, _ in enumerate(task.lemmas, 1)]
    if not names:
        return ()
    used: dict[str, None] = {}
    for _, goal, given in _written(task, proof):
        for options in _WAYS:
            script = encode(goal.task(given), equations=options.patterns_only)
            run = run_text(options.header() + script_text(script, script.claim), _ATTEMPT)
            if run.status == "unsat":
                used.update(dict.fromkeys(_used(script, run.used, options)))
                break
    return tuple(name for name in names if name in used)


def _used(script: Script, steps: int, options: Options) -> tuple[str, ...]:
    run = run_text(options.header() + script_text(script, script.claim), _ATTEMPT)
    proof = proof_of(script, script.claim, run, _ATTEMPT + steps, options)
    return tuple(name for name in proof.core if not name.startswith(HYPOTHESIS))


# ── Checking ─────────────────────────────────────────────────────────────────────────────────────────────────


def check_induction(task: Task, proof: Sequence[tuple[str, str]]) -> bool:
    """Whether a proof's obligations are those of its schemes, for this task.

    That the scripts are refuted is for a solver to say.
    """
    if task.meaning.claim is None:
        return False
    task = expanded(task)
    try:
        expected = _written(task, tuple(proof))
        return len(expected) == len(proof) and all(
            any(text == each for _, each in _texts(goal.task(given)))
            for (_, goal, given), (_, text) in zip(expected, proof, strict=True)
        )
    except (_MalformedError, Inexpressible):
        return False


class _MalformedError(Exception):
    """A path that names no scheme, lemma or obligation of the task."""


_Goals = list[tuple[str, Goal, Task]]


def _written(task: Task, proof: _Proof) -> _Goals:
    """The goals of a proof's paths, each with the task it stands in, written again from the task."""
    assert task.meaning.claim is not None
    candidates = templates(task.meaning)
    lemmas: list[tuple[int, Term]] = []
    found: _Goals = []
    paths = [path.split(_SEPARATOR) for path, _ in proof]
    heads = list(dict.fromkeys(path[0] for path in paths))
    if not heads or heads[-1] != _CLAIM:
        raise _MalformedError
    for head in heads:
        mine = [path[1:] for path in paths if path[0] == head]
        formula, place = task.meaning.claim, -1
        if head != _CLAIM:
            place = _template_number(head, len(candidates))
            formula = candidates[place]
        given = _given(task, lemmas)
        found += _expanded(given, goal_of(formula), mine, head)
        if head != _CLAIM:
            lemmas.append((place, formula))
    return found


def _template_number(head: str, count: int) -> int:
    word, _, number = head.partition(" ")
    if word != "template" or not number.isdigit() or int(number) >= count:
        raise _MalformedError
    return int(number)


def _expanded(task: Task, goal: Goal, paths: Sequence[list[str]], head: str) -> _Goals:
    """The goals below one: itself, or all obligations of the one scheme that its paths name."""
    if list(paths) == [[]]:
        return [(head, goal, task)]
    named = {path[0] for path in paths if len(path) >= 2}
    if len(named) != 1 or any(len(path) < 2 for path in paths):
        raise _MalformedError
    chosen = [each for each in schemes(goal, range(-10, 11)) if each.text() in named]
    if not chosen:
        raise _MalformedError
    found: _Goals = []
    parts = obligations(task.meaning, goal, chosen[0])
    if {name for name, _ in parts} != {path[1] for path in paths}:
        raise _MalformedError
    for name, each in parts:
        mine = [path[2:] for path in paths if path[1] == name]
        found += _expanded(task, each, mine, _SEPARATOR.join((head, chosen[0].text(), name)))
    return found
