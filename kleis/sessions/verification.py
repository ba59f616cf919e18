"""The stage verify: does what a submission touches have a model?

What a submission can touch, and nothing else, is asked about:

- a structure with parameters is a part of its own;
- a section is asked about with all that it is linked to, and so is every earlier section that depends on the same
  declarations;
- an `implements` item gives obligations, of which a disproved one rejects the submission; where operations are
  missing, its assumed axioms need a model;
- a definition asserts nothing if it ends; one that replaces another touches all that depends on the name.

See docs/reference/registry.md §12.4.

Invariants
    * ``consistent`` means that every part has a checked model; ``inconsistent`` names axioms that clash.
    * What the time limit cut is ``unknown``, never ``consistent``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_operations import variables_of
from kleis.elaborate.elaborator import Elaborator
from kleis.elaborate.scopes.implements import axioms_of, obligations_of
from kleis.elaborate.scopes.scope import Template
from kleis.elaborate.scopes.section_links import names_of_links
from kleis.errors import KleisError
from kleis.problems import AnswerWarning, place_of
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.verdict import Evidence, Verdict
from kleis.prover.shared_provers import Provers
from kleis.sessions.answer_shapes import SubmissionStatus
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.universe import Universe, declared_names
from kleis.sessions.stated_lemmas import Asked as LemmaAsked
from kleis.sessions.stated_lemmas import LemmasAsked
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.theory.theory import Entry, Theory

if TYPE_CHECKING:
    from kleis.prover.prover import Prover

__all__ = ["Part", "Verification", "verify"]


class Part(msgspec.Struct, frozen=True):
    """One question, by the name of what it is about, with its verdict."""

    name: str
    verdict: Verdict
    axioms: tuple[str, ...] = ()
    covers: tuple[str, ...] = ()
    """The sections that the question is about: none of them needs a question of its own."""


class Verification(msgspec.Struct, frozen=True):
    """The outcome of verification.  `problems` has an error where an obligation fails or cannot be elaborated."""

    status: SubmissionStatus
    parts: tuple[Part, ...]
    warnings: tuple[AnswerWarning, ...] = ()
    problems: tuple[KleisError, ...] = ()
    own: int = 0
    """How many of the parts are about the submission itself; they come first."""

    @property
    def axioms(self) -> tuple[str, ...]:
        """The submission's axioms for which a model was found or which were proved, by qualified name."""
        good = (part for part in self.parts[: self.own] if part.verdict.status in ("consistent", "verified"))
        return tuple(dict.fromkeys(name for part in good for name in part.axioms))

    @property
    def core(self) -> tuple[str, ...]:
        """The axioms that clash."""
        return next((part.verdict.core for part in self.parts if part.verdict.status == "inconsistent"), ())

    @property
    def model(self) -> Evidence | None:
        """The model of the first part that has axioms."""
        found = (
            part.verdict.evidence
            for part in self.parts[: self.own]
            if part.verdict.status == "consistent" and part.axioms
        )
        return next((each for each in found if each is not None), None)


_REJECTING = ("inconsistent", "disproved", "error")

_Question: TypeAlias = Callable[["Prover"], Part]


def verify(
    universe: Universe,
    program: tree.Program,
    prover: Prover,
    deadline: Deadline,
    *,
    replaced: Sequence[str] = (),
) -> Verification:
    """Ask about everything that the program touches; the prover is of the universe's theory with the program."""
    lemmas = LemmasAsked(universe)
    own = list(_own_questions(program, prover.elaborator, lemmas))
    covered: set[str] = set()
    try:
        parts = _asked(own, prover, deadline, covered)
        count = len(parts)
        if not parts or parts[-1].verdict.status not in _REJECTING:
            touched = list(
                _touched_questions(universe, program, prover.elaborator, replaced, LemmasAsked(universe))
            )
            parts += _asked(touched, prover, deadline, covered)
    except KleisError as error:
        return Verification("rejected", (), (), (error,))
    return msgspec.structs.replace(_judged(parts, deadline), own=count)


def verify_all(theory: Theory, names: Sequence[str], provers: Provers, deadline: Deadline) -> Verification:
    """Ask about some structures of a theory, as when each had just been submitted."""
    with provers.prover(theory, deadline) as prover:
        questions = [(name, _structure(theory.structures[name], prover.elaborator)) for name in names]
        try:
            parts = _asked(questions, prover, deadline, set())
        except KleisError as error:
            return Verification("rejected", (), (), (error,))
    return _judged(parts, deadline)


def _asked(
    questions: Sequence[tuple[str, _Question]], prover: Prover, deadline: Deadline, covered: set[str]
) -> list[Part]:
    """The answers, up to the first that rejects the submission; without time left they are unknown.

    `covered` are sections that were asked about together with others; those asked about here are added.
    """
    parts: list[Part] = []
    for place, (name, question) in enumerate(questions):
        if name in covered:
            continue
        deadline.report(place + 1, len(questions) + 1, f"verifying {name}")
        part = Part(name, Verdict(status="unknown", reason="killed")) if deadline.over else question(prover)
        covered.update(part.covers)
        parts.append(part)
        if part.verdict.status in _REJECTING:
            break
    return parts


# ── Which questions ──────────────────────────────────────────────────────────────────────────────────────────


def _own_questions(
    program: tree.Program, elaborator: Elaborator, lemmas: LemmasAsked
) -> Iterator[tuple[str, _Question]]:
    """What is asked about the submitted declarations themselves."""
    for item in program.items:
        match item:
            case tree.Structure():
                yield item.name, _structure(item, elaborator)
            case tree.Implements():
                yield item.name, _implementation(item, program.file, elaborator)
            case tree.FunctionDefinition():
                yield item.name, _definition(item, elaborator)
            case tree.Lemma():
                yield item.name, _lemma(item.name, lemmas.submitted(item))


def _touched_questions(
    universe: Universe,
    program: tree.Program,
    elaborator: Elaborator,
    replaced: Sequence[str],
    lemmas: LemmasAsked,
) -> Iterator[tuple[str, _Question]]:
    """What is asked again about earlier declarations."""
    mine = {getattr(each, "name", "") for each in program.items}
    for entry in _touched(universe, program.items, elaborator, replaced):
        declaration = entry.declaration
        if isinstance(declaration, tree.Structure) and declaration.name not in mine:
            if elaborator.theory.structures.get(declaration.name) == declaration:
                yield declaration.name, _structure(declaration, elaborator)
        elif isinstance(declaration, tree.Implements):
            yield declaration.name, _implementation(declaration, entry.file, elaborator)
        elif isinstance(declaration, tree.Lemma) and universe.is_own(entry.file):
            yield declaration.name, _lemma(declaration.name, lemmas.touched(declaration))


def _touched(
    universe: Universe, items: Sequence[tree.Declaration], elaborator: Elaborator, replaced: Sequence[str]
) -> list[Entry]:
    """The earlier declarations that the submission may affect.

    A structure with parameters affects nothing else.  A section affects what shares a symbol, opaque sort, data type or
    incomplete built-in with it.  No earlier declaration depends on names that are new.
    """
    names = set(replaced)
    fresh = {name for item in items for name in declared_names(item)} - names
    for item in items:
        if isinstance(item, tree.Structure) and not item.parameters:
            names |= names_of_links(elaborator.section_links(item.name)) - fresh
    return universe.depending_on(names) if names else []


# ── Asking ───────────────────────────────────────────────────────────────────────────────────────────────────


def _structure(structure: tree.Structure, elaborator: Elaborator) -> _Question:
    """Whether a structure, or a section with all that it is linked to, has a model."""

    def ask(prover: Prover) -> Part:
        if structure.parameters:
            goal = elaborator.structure(structure.name)
        else:
            goal = elaborator.component(structure.name)
        names = tuple(axiom.name for axiom in goal.axioms)
        names += tuple(each.name for each in goal.obligations if each.kind == "section")
        together = () if structure.parameters else _sections(goal)
        return Part(structure.name, prover.has_model(goal), names, together)

    return ask


def _sections(goal: Goal) -> tuple[str, ...]:
    """The sections among the instances of a goal; an inherited structure with parameters is none."""
    return tuple(each.structure for each in goal.instances if not each.arguments)


def _implementation(item: tree.Implements, file: str, elaborator: Elaborator) -> _Question:
    """Whether the axioms hold for what an implementation gives."""

    def ask(prover: Prover) -> Part:
        implementation = elaborator.globals.read_implementation(item, file)
        proved: list[str] = []
        open_ones: list[Verdict] = []
        for obligation in obligations_of(elaborator, implementation):
            verdict = prover.holds(obligation)
            if verdict.status in ("disproved", "inconsistent", "error"):
                why = f"{item.name} does not hold there: {obligation.name.rpartition('::')[2]} fails"
                said = verdict.message if verdict.status == "error" else ""
                return Part(obligation.name, msgspec.structs.replace(verdict, message=said or why))
            if verdict.status == "verified":
                proved.append(obligation.name)
            else:
                message = f"{obligation.name} is not proved: it is assumed"
                open_ones.append(msgspec.structs.replace(verdict, message=message, advice="", attempts=()))
        if implementation.missing:
            for axiom in axioms_of(elaborator, implementation):
                verdict = prover.has_model(elaborator.formula(axiom.formula, axiom.place))
                if verdict.status != "consistent":
                    return Part(implementation.label, verdict)
        if open_ones:
            return Part(implementation.label, open_ones[0], tuple(proved))
        return Part(implementation.label, Verdict(status="verified"), tuple(proved))

    return ask


def _definition(item: tree.FunctionDefinition, elaborator: Elaborator) -> _Question:
    """Whether a definition ends.  One that is not recursive, or has no written sorts, asserts nothing."""

    def ask(prover: Prover) -> Part:
        for candidate in elaborator.globals.candidates(canonical_name(item.name)):
            if not isinstance(candidate, Template) or candidate.node != item:
                continue
            definitions = elaborator.definitions
            sorts = definitions.written_parameters(candidate)
            known = tuple(each for each in sorts if each is not None and not variables_of(each))
            if len(known) < len(sorts):
                continue
            try:
                key = definitions.elaborate_at(candidate, known)
            except KleisError:
                continue  # only the evaluator runs it; the stage load has warned of it
            names = (core.Variable(f"x{place}", sort) for place, sort in enumerate(known, 1))
            verdict = _termination(key, tuple(names), item, elaborator, prover)
            if verdict is not None:
                return Part(item.name, verdict)
        return Part(item.name, Verdict(status="consistent"))

    return ask


def _lemma(name: str, ask: LemmaAsked) -> _Question:
    """Whether a lemma holds."""
    return lambda prover: Part(name, ask(prover), (name,))


def _termination(
    key: str,
    variables: tuple[core.Variable, ...],
    item: tree.FunctionDefinition,
    elaborator: Elaborator,
    prover: Prover,
) -> Verdict | None:
    """Why a recursion is not shown to end; None where it is."""
    definitions = elaborator.definitions
    found = definitions.terminations.get(key)
    if found is None:
        return None
    if found.kind == "unknown":
        return _endless(item.name, found.reason)
    call = core.DefinitionCall(key, variables, definitions.finished[key].result)
    same: core.Term = core.Equals(call, call)
    closed = core.Quantifier("forall", variables, same) if variables else same
    goal = elaborator.formula(closed, place_of(item, "<session>"))
    for obligation in goal.obligations:
        if obligation.kind == "termination":
            verdict = prover.holds(obligation)
            if verdict.status != "verified":
                return _endless(item.name, f"{obligation.name} is {verdict.status}")
    return None


def _endless(name: str, why: str) -> Verdict:
    return Verdict(
        status="unknown",
        reason="termination",
        message=f"termination of {name} is not shown: {why}; propositions about {name} stay unknown",
        advice="name what becomes smaller, before the define: @decreases(…)",
    )


# ── Judging ──────────────────────────────────────────────────────────────────────────────────────────────────


def _judged(parts: Sequence[Part], deadline: Deadline) -> Verification:
    """The verdict on all parts together."""
    found = tuple(parts)
    for part in found:
        verdict = part.verdict
        if verdict.status == "inconsistent":
            return Verification("inconsistent", found)
        if verdict.status in ("disproved", "error"):
            return Verification("rejected", found, (), (_error_of(part),))
    warnings = tuple(_warning(part, deadline) for part in found if part.verdict.status == "unknown")
    return Verification("unknown" if warnings else "consistent", found, warnings)


def _warning(part: Part, deadline: Deadline) -> AnswerWarning:
    verdict = part.verdict
    if verdict.message and not verdict.attempts:  # it could not even be asked
        return AnswerWarning(str(verdict.reason or "unknown"), verdict.message, verdict.advice)
    if deadline.over:
        message = f"whether {part.name} has a model was not settled in {deadline.seconds:g} s: it may be inconsistent"
        return AnswerWarning("no-model-known", message, "ask with a larger timeout_ms")
    message = f"no model of {part.name} was found, and no clash ({verdict.reason}): it may be inconsistent"
    return AnswerWarning("no-model-known", message)


def _error_of(part: Part) -> KleisError:
    verdict = part.verdict
    problem = verdict.problem or {}
    return SessionError(
        verdict.message or f"{part.name} fails",
        code=str(problem.get("code", "axiom-fails")),
        file=str(problem.get("file", "")),
        line=int(problem.get("line", 0)),
        column=int(problem.get("column", 0)),
        found=part.name,
        hint=verdict.advice or "mend what the implementation gives",
    )
