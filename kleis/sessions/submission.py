"""A submission through its stages (parse, load, verify) on a candidate universe, and the fields of its answer.

Parse and load decide whether a text is Kleis, of the kind the tool takes, and elaborates in this universe; the stage
verify is in `verification`.  See docs/reference/registry.md §12.3.

Invariants
    * `check` changes nothing: the item it gives is accepted only by writing it (`sessions`).
    * Errors are reported with their place in the text that was submitted, all of one stage at once.
    * What an earlier item says stays true: a submission that hides or breaks one of its names is rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Literal, TypeAlias

import msgspec

from kleis.builtins.rows.table import find_builtin
from kleis.elaborate.check_program import check_program
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.problems import AnswerWarning, Problem, problem_at
from kleis.prover.process.deadline import Deadline
from kleis.prover.shared_provers import Provers
from kleis.sessions.answer_fields import evidence_fields, problem_fields, warned, witness_text
from kleis.sessions.answer_shapes import SubmissionAnswer, SubmissionStatus
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.record import Item, ItemKind, item_of
from kleis.sessions.files.universe import Universe, declared_names, item_file
from kleis.sessions.verification import Verification, verify
from kleis.syntax import tree
from kleis.syntax.operators import canonical_name
from kleis.theory.name_check.check_names import check_names
from kleis.theory.theory import Theory

__all__ = [
    "LONGEST_SUBMISSION",
    "Candidate",
    "Checked",
    "Rejection",
    "Stage",
    "admit",
    "check",
    "outcome_fields",
    "read",
]

Stage: TypeAlias = Literal["parse", "load", "verify"]

LONGEST_SUBMISSION = 200_000

_KINDS: dict[ItemKind, tuple[type, ...]] = {
    "structure": (tree.Structure, tree.Implements),
    "define": (tree.FunctionDefinition, tree.OperationDeclaration),
    "data": (tree.DataDefinition, tree.AliasDefinition),
    "lemma": (tree.Lemma,),
}

_WORDS: tuple[tuple[type, str], ...] = (
    (tree.Structure, "a structure"),
    (tree.Implements, "an implements item"),
    (tree.FunctionDefinition, "a define"),
    (tree.OperationDeclaration, "an operation"),
    (tree.DataDefinition, "a data type"),
    (tree.AliasDefinition, "a type alias"),
    (tree.Lemma, "a lemma"),
    (tree.Import, "an import"),
    (tree.Example, "an example block"),
)

_EXAMPLES: dict[ItemKind, str] = {
    "structure": "structure Magma(M) { operation (⊙) : M × M → M }",
    "define": "define double(x : ℤ) : ℤ = x + x",
    "data": "data Colour = Red | Green | Blue",
    "lemma": "lemma double_negation : ∀(x : ℤ). -(-x) = x",
}


class Rejection(msgspec.Struct, frozen=True):
    """A rejected submission: the stage that rejected it, and all problems of that stage."""

    stage: Stage
    problems: tuple[KleisError, ...]


class Candidate(msgspec.Struct, frozen=True):
    """A submission that parses and loads, and the theory with it.

    `replaced` are names that had a declaration before: what depends on them may mean something else now.
    """

    universe: Universe
    program: tree.Program
    theory: Theory
    warnings: tuple[Problem, ...]
    replaced: tuple[str, ...]


def read(universe: Universe, text: str, kind: ItemKind | None) -> Candidate | Rejection:
    """A submission that parses and whose names are known; `kind` None takes structures, defines and data."""
    parsed = _parsed(universe, text, kind)
    return parsed if isinstance(parsed, Rejection) else _named(universe, parsed)


# ── Parse ────────────────────────────────────────────────────────────────────────────────────────────────────


def _parsed(universe: Universe, text: str, kind: ItemKind | None) -> tree.Program | Rejection:
    from kleis.syntax.parser.parser import parse_source

    if len(text) > LONGEST_SUBMISSION:
        return _rejected(
            "parse",
            f"a submission has at most {LONGEST_SUBMISSION} characters; this one has {len(text)}",
            code="too-long",
            hint="submit the declarations one by one",
        )
    file = item_file(universe.session, universe.count + 1)
    result = parse_source(text, file=file)
    if result.errors:
        return Rejection("parse", tuple(result.errors))
    wrong = _wrong_kind(result.program.items, kind, file)
    return Rejection("parse", wrong) if wrong else result.program


def _wrong_kind(
    items: Sequence[tree.Declaration], kind: ItemKind | None, file: str
) -> tuple[KleisError, ...]:
    """The items that a tool does not take; an error if there is none at all."""
    allowed = _KINDS[kind] if kind is not None else tuple(each for kinds in _KINDS.values() for each in kinds)
    if not any(isinstance(each, allowed) for each in items) and all(
        isinstance(each, tree.Annotation) for each in items
    ):
        example = _EXAMPLES[kind or "structure"]
        return (
            SessionError(
                "the submission declares nothing", code="empty", file=file, hint=f"Example: {example}"
            ),
        )
    return tuple(
        SessionError(
            f"{_word(each)} is not what {'submit_' + kind if kind else 'try_structure'} takes",
            code="wrong-kind",
            file=file,
            line=each.span.line,
            column=each.span.column,
            found=_word(each),
            expected=tuple(_word_of(cls) for cls in allowed),
            hint=_advice(each),
        )
        for each in items
        if not isinstance(each, (*allowed, tree.Annotation))
    )


def _advice(item: tree.Declaration) -> str:
    if isinstance(item, tree.Import):
        return "imports begin a universe: use load_theory"
    if isinstance(item, tree.Example):
        return "ask what an example asserts with evaluate"
    tools = [kind for kind, kinds in _KINDS.items() if isinstance(item, kinds)]
    if isinstance(item, tree.Lemma):
        return "use submit_lemma, which a server with --more offers"
    return f"use submit_{tools[0]}" if tools else ""


def _word(item: tree.Declaration) -> str:
    return next((word for cls, word in _WORDS if isinstance(item, cls)), "this")


def _word_of(cls: type) -> str:
    return next(word for each, word in _WORDS if each is cls)


# ── Load ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _named(universe: Universe, program: tree.Program) -> Candidate | Rejection:
    """The program's names checked in the theory with it; earlier declarations are not read again."""
    before = universe.theory
    theory = before.include(program)
    clashes = theory.problems[len(before.problems) :]
    wrong = [*_clashing(clashes, universe), *_twice(program), *_stated_before(program, universe)]
    if wrong:
        return Rejection("load", tuple(wrong))
    named = check_names(program, theory, _arities())
    wrong = _errors(named)
    if wrong:
        return Rejection("load", tuple(wrong))
    replaced = tuple(
        dict.fromkeys(
            name
            for item in program.items
            for name in declared_names(item)
            if before.lookup(name) or find_builtin(name) is not None
        )
    )
    warnings = tuple(
        each for each in (*clashes, *named, *_taking_over(program, before)) if each.severity == "warning"
    )
    return Candidate(universe, program, theory, warnings, replaced)


def _taking_over(program: tree.Program, before: Theory) -> list[Problem]:
    """Warnings of definitions under the name of a declared operation, which they do not define."""
    return [
        problem_at(
            item,
            program.file,
            f"{item.name} is an operation, declared at {declared.place}; outside of its structure {item.name} is this "
            "definition now, and the axioms there speak of the operation",
            code="hides-operation",
            severity="warning",
            found=item.name,
            hint="choose another name, unless that is meant",
        )
        for item in program.items
        if isinstance(item, tree.FunctionDefinition) and canonical_name(item.name) in before.constants
        for declared in before.operations(item.name)[:1]
    ]


def admit(candidate: Candidate, elaborator: Elaborator) -> Candidate | Rejection:
    """The rest of the stage load: the declarations can be elaborated, and the earlier ones still can.

    `elaborator` is one of the candidate's theory.
    """
    meant = check_program(elaborator, candidate.program)
    wrong = _errors(meant) or _broken(candidate.universe, candidate.theory, elaborator, candidate.replaced)
    if wrong:
        return Rejection("load", tuple(wrong))
    found = tuple(each for each in meant if each.severity == "warning")
    return msgspec.structs.replace(candidate, warnings=(*candidate.warnings, *found))


def _errors(problems: Iterable[Problem]) -> list[KleisError]:
    return [each.as_error() for each in problems if each.severity == "error"]


def _clashing(clashes: Iterable[Problem], universe: Universe) -> list[KleisError]:
    """The clashes with earlier declarations that reject the submission.

    A declaration twice in the same words adds nothing; one that hides an item's definition would change that item.
    """
    found: list[KleisError] = []
    for each in clashes:
        hides = each.code == "hidden-definition" and any(
            universe.is_own(place.file) for place in each.related
        )
        if each.severity == "error" or each.code == "declared-again" or hides:
            hint = each.hint if each.severity == "error" else "it is there: see list_session"
            if hides:
                hint = "choose another name, or undo the item first"
            found.append(msgspec.structs.replace(each, hint=hint).as_error())
    return found


def _refused(
    item: tree.FunctionDefinition | tree.Lemma, program: tree.Program, message: str, code: str, hint: str
) -> SessionError:
    """The error of an item that the session cannot take, at its place."""
    return SessionError(
        message,
        code=code,
        file=program.file,
        line=item.span.line,
        column=item.span.column,
        found=item.name,
        hint=hint,
    )


def _twice(program: tree.Program) -> list[KleisError]:
    """Errors of names that are defined twice in one submission."""
    seen: set[str] = set()
    found: list[KleisError] = []
    for each in program.items:
        if isinstance(each, tree.FunctionDefinition):
            if each.name in seen:
                message = f"{each.name} is defined twice in this submission"
                found.append(_refused(each, program, message, "redefinition", "keep one of the two"))
            seen.add(each.name)
    return found


def _stated_before(program: tree.Program, universe: Universe) -> list[KleisError]:
    """Errors of lemmas under a name that a lemma of the session has already."""
    earlier = {
        each.declaration.name: each.file
        for each in universe.theory.lemmas
        if isinstance(each.declaration, tree.Lemma) and universe.is_own(each.file)
    }
    return [
        _refused(
            each,
            program,
            f"{each.name} is already a lemma, stated in {earlier[each.name]}",
            "duplicate-lemma",
            "choose another name",
        )
        for each in program.items
        if isinstance(each, tree.Lemma) and each.name in earlier
    ]


def _broken(
    universe: Universe, theory: Theory, elaborator: Elaborator, replaced: Sequence[str]
) -> list[KleisError]:
    """Errors of earlier declarations that depend on replaced names."""
    if not replaced:
        return []
    found: list[KleisError] = []
    for entry in universe.depending_on(replaced, of=replaced):
        if isinstance(entry.declaration, tree.Import | tree.Annotation | tree.Example):
            continue
        program = tree.Program((entry.declaration,), entry.file)
        earlier = (*check_names(program, theory, _arities()), *check_program(elaborator, program))
        wrong = next((each for each in earlier if each.severity == "error"), None)
        if wrong is not None:
            found.append(
                SessionError(
                    f"declaring {', '.join(replaced)} anew breaks an earlier declaration: {wrong.message}",
                    code="breaks-earlier",
                    file=wrong.file,
                    line=wrong.line,
                    column=wrong.column,
                    hint="choose another name",
                )
            )
    return found


@cache
def _arities() -> dict[str, tuple[int, int | None]]:
    from kleis.builtins.rows.table import builtin_arities

    return dict(builtin_arities())


def _rejected(stage: Stage, message: str, *, code: str, hint: str) -> Rejection:
    return Rejection(stage, (SessionError(message, code=code, hint=hint),))


_MOST_WARNINGS = 20


class Checked(msgspec.Struct, frozen=True):
    """The outcome of a submission, and the universe with it (None where it is not accepted)."""

    status: SubmissionStatus
    stage: Stage
    problems: tuple[KleisError, ...] = ()
    verification: Verification | None = None
    item: Item | None = None
    grown: Universe | None = None


def check(
    universe: Universe, text: str, kind: ItemKind | None, provers: Provers, deadline: Deadline
) -> Checked:
    """Parse, load and verify a submission to a universe."""
    deadline.report(0, None, "parsing and loading")
    candidate = read(universe, text, kind)
    if isinstance(candidate, Rejection):
        return Checked("rejected", candidate.stage, candidate.problems)
    with provers.prover(candidate.theory, deadline) as prover:
        admitted = admit(candidate, prover.elaborator)
        if isinstance(admitted, Rejection):
            return Checked("rejected", admitted.stage, admitted.problems)
        found = verify(universe, admitted.program, prover, deadline, replaced=admitted.replaced)
    if found.status in ("inconsistent", "rejected"):
        return Checked(found.status, "verify", found.problems, found)
    item = _item(admitted, text, kind, found)
    return Checked(
        found.status, "verify", (), found, item, universe.extended(item, admitted.program, admitted.theory)
    )


def _item(candidate: Candidate, text: str, kind: ItemKind | None, found: Verification) -> Item:
    reported = {"termination"} if found.warnings else set()
    warnings = [
        *found.warnings,
        *(_warning(each) for each in candidate.warnings if each.code not in reported),
    ]
    item = item_of(
        candidate.program.items,
        text.strip(),
        status="unknown" if found.status == "unknown" else "consistent",
        axioms=found.axioms,
        warnings=tuple(dict.fromkeys(warnings))[:_MOST_WARNINGS],
    )
    return item if kind is None else msgspec.structs.replace(item, kind=kind)


def _warning(problem: Problem) -> AnswerWarning:
    place = f"line {problem.line}: " if problem.line else ""
    return AnswerWarning(problem.code, f"{place}{problem.message}", problem.hint)


def outcome_fields(checked: Checked, *, accepted: bool) -> SubmissionAnswer:
    """The answer's fields; `accepted` says that it was written, or (of a trial) that it would be."""
    item = checked.item
    fields: SubmissionAnswer = {
        "status": checked.status,
        "accepted": accepted,
        "stage": checked.stage,
        "structures_added": list(item.structures) if item else [],
        "functions_added": list(item.functions) if item else [],
        "data_types_added": list(item.data_types) if item else [],
        "axioms_verified": list(item.axioms) if item else [],
    }
    if checked.problems:
        fields["error"] = _first_line(checked.stage, checked.problems)
        fields["problems"] = problem_fields(checked.problems)
    if checked.verification is not None:
        _add_verification(fields, checked.verification)
    return warned(item.warnings if item is not None else (), fields)


def _add_verification(fields: SubmissionAnswer, found: Verification) -> None:
    """The fields of the stage verify."""
    if found.status == "inconsistent":
        names = ", ".join(found.core)
        fields["clash"] = list(found.core)
        fields["error"] = f"these axioms have no model together: {names}"
        fields["hint"] = "change or drop one of them; nothing was kept"
    if found.model is not None:
        fields["model"] = evidence_fields(found.model)
    failed = next((part for part in found.parts if part.verdict.status == "disproved"), None)
    if failed is not None and failed.verdict.evidence is not None:
        fields["counterexample"] = evidence_fields(failed.verdict.evidence)
        fields["witness"] = witness_text(failed.verdict.evidence)
    if len(found.parts) > 1:
        fields["parts"] = [{"name": part.name, "status": part.verdict.status} for part in found.parts]


def _first_line(stage: Stage, problems: Sequence[KleisError]) -> str:
    """The first problem on one line; how many more there are."""
    words = {"parse": "Parse error", "load": "Load error", "verify": "Not accepted"}
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{words[stage]}: {problems[0]}{more}"
