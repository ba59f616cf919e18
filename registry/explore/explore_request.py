"""`explore`: run a generator of conjectures, decide its candidates, and answer with a table.

The generator is a tool of the registry, the agent's own or `std.conjecture_equations`. Its input is

    {"operations": [{"name", "arguments", "result"}], "carrier", "size", "variables", "structure"}

and its result a list of propositions: quoted terms (`registry.oracles.quoted_terms`) or texts in Kleis. Free names in
them stand for any element of the carrier. For a structure, the generator may ask its theory. The equations of
`std.conjecture_equations` are made by `kleis.explore.generation`, and the tool itself is run only where names are in the way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, cast

from kleis.errors import KleisError
from kleis.explore.equations import Equation, canonical, read_equation, variable_names
from kleis.explore.explore import Ask, Explored, Finding, Model, Stopped, Subject, explore
from kleis.explore.generation import TooMany, equations_up_to
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.verdict import Verdict
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Expression
from pif.language.budget import Budget
from pif.language.decode import decode_term
from pif.language.errors import PifError, nearest
from pif.run.evaluate import Request, run
from registry.errors import RegistryError
from registry.explore.asked import GENERATOR, Asked, ExploredAnswer
from registry.explore.tool_subject import subject_of_tools
from registry.laws.law_prover import LawProver
from registry.oracles.answer_records import Signature, axiom_expressions, signatures_of
from registry.oracles.quoted_terms import KleisTermError, expression_of
from registry.oracles.theory_oracle import TheoryRun, TheorySnapshot
from registry.tools.code_and_examples import value_of
from registry.tools.snapshot_tools import SnapshotTools

if TYPE_CHECKING:
    from kleis.batches.ahead import About

__all__ = ["explored"]

_FUEL = 5_000_000
"""Fuel of the generator."""

_BYTES = 64 * 2**20
"""Bytes of the generator's result."""

_CANDIDATES = 50_000
"""Candidates of other generators that are decided."""

_EQUATIONS = 200_000
"""Candidates of `GENERATOR`."""

_PROBLEMS = 5
"""Problems of candidates that are shown."""

Answer = dict[str, Any]


def explored(
    snapshot: TheorySnapshot | None,
    tools: SnapshotTools,
    asked: Asked,
    *,
    prover: Callable[[], LawProver] | None = None,
    seconds: float | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[int, int, str], None] | None = None,
    workers: About | None = None,
) -> Answer:
    """The answer of `explore`: `{"type": "exploration", …}`; with what is found by then, after so many `seconds`. `workers`
    are asked about a structure ahead, if there are any. Raises RegistryError."""
    deadline = None if seconds is None else time.monotonic() + seconds

    def stop() -> bool:
        return cancelled() or (deadline is not None and time.monotonic() > deadline)

    with ExitStack() as begun:
        models: tuple[Model, ...] = ()
        ask: Ask
        if asked.tools and not asked.structure and prover is not None:
            asking = prover()
            if seconds is not None:
                asking = begun.enter_context(
                    asking.within(Deadline(seconds, left=cancelled), effort=asked.effort)
                )
            about = subject_of_tools(asked.tools, tools, asking, carrier=asked.carrier)
            signatures, subject, models, ask = about.signatures, about.subject, (about.model,), about.ask
        elif snapshot is not None and asked.structure and not asked.tools:
            signatures, subject = _subject(snapshot, asked)
            ask = _asking(snapshot, stop, asked.effort, workers)
        else:
            raise RegistryError(
                "invalid_argument", "explore is about a structure or about tools", place="structure",
                expected="`structure`, or `tools`: one of the two", hint='{"structure": "Group"}',
            )  # fmt: skip
        theory = None if snapshot is None else snapshot.for_run(until=deadline)
        candidates: Sequence[Expression | Equation] = ()
        problems: list[str] = []
        if asked.generator == GENERATOR and _reads_back(signatures, subject, asked.variables):
            candidates = _equations(asked, subject, stop)
        else:
            candidates, problems = _generated(tools, asked, signatures, subject, theory, stop)
        found = explore(
            subject, candidates, ask, models=models, stop=stop, progress=progress,
            ahead=None if workers is None else workers.ask,
        )  # fmt: skip
        return _answer(asked, signatures, subject, found, [*problems, *found.problems])


def _asking(snapshot: TheorySnapshot, stop: Callable[[], bool], effort: int, workers: About | None) -> Ask:
    """A function that asks a snapshot, and raises `Stopped` where that was cancelled."""

    def ask(proposition: Expression) -> Verdict | None:
        if workers is not None:
            workers.wait(proposition)
        try:
            return snapshot.verdict(proposition, cancelled=stop, effort=effort)
        except PifError as error:
            raise Stopped from error

    return ask


def _subject(snapshot: TheorySnapshot, asked: Asked) -> tuple[list[Signature], Subject]:
    structures = snapshot.theory.structures
    node = structures.get(asked.structure)
    if node is None:
        close = nearest(asked.structure, structures)
        raise RegistryError(
            "invalid_argument", f"there is no structure {asked.structure[:48]} in {snapshot.name}", place="structure",
            found=asked.structure[:48], expected="a structure of the theory",
            hint=f"Did you mean {close}?" if close else f"It declares: {', '.join(sorted(structures)[:20]) or 'none'}.",
        )  # fmt: skip
    types = [each.name for each in node.parameters]
    carrier = asked.carrier or (types[0] if types else "")
    if carrier not in types:
        raise RegistryError(
            "invalid_argument", f"{asked.structure} has no carrier {carrier[:48]}".rstrip(), place="carrier",
            found=carrier[:48] or "no parameter", expected=", ".join(types) or "a structure with a parameter",
            hint="explore looks for laws of a structure with parameters, such as Group(G).",
        )  # fmt: skip
    try:
        signatures = signatures_of(snapshot.theory, asked.structure)
        axioms = axiom_expressions(snapshot.theory, asked.structure)
    except KleisError as error:
        raise RegistryError(
            "invalid_argument", f"{asked.structure} cannot be read: {error.message}", place="structure",
            hint=error.hint or None,
        ) from None  # fmt: skip
    operations = {
        each.name: len(each.arguments)
        for each in signatures
        if all(type_ == carrier for type_ in (*each.arguments, each.result))
    }
    return signatures, Subject(asked.structure, carrier, operations, tuple(axioms))


def _reads_back(signatures: list[Signature], subject: Subject, variables: int) -> bool:
    """Whether a quoted term of `GENERATOR` is read as what it was made of: no operation has the name of another or of a
    variable, or one that stands for something else."""
    staying = [each for each in signatures if {*each.arguments, each.result} == {subject.carrier}]
    names = {each.name for each in staying}
    return len(staying) == len(names) and names.isdisjoint(variable_names(variables)) and all(
        map(_reads_as_itself, staying)
    )  # fmt: skip


def _reads_as_itself(operation: Signature) -> bool:
    call: dict[str, Any] = {"var": operation.name}
    for _ in operation.arguments:
        call = {"app": {"func": call, "arg": {"var": "x"}}}
    arity = len(operation.arguments)
    try:
        read = expression_of(decode_term({"eq": [call, {"var": "x"}]}))
    except (KleisError, KleisTermError, PifError):
        return False
    return read_equation(read, {operation.name: arity}) == canonical((operation.name, *[0] * arity), 0)


def _equations(asked: Asked, subject: Subject, stop: Callable[[], bool]) -> list[Equation]:
    """What `GENERATOR` lists, as terms: no tool is run, nothing is quoted and read."""
    found: list[Equation] = []
    try:
        for equation in equations_up_to(subject.operations, asked.size, asked.variables, most=_EQUATIONS):
            if stop():
                raise _no_time(asked, "to make candidates", None)
            found.append(equation)
    except TooMany:
        raise _too_many(asked, f"more than {_EQUATIONS}", _EQUATIONS) from None
    return found


def _too_many(asked: Asked, found: str, most: int) -> RegistryError:
    return RegistryError(
        "invalid_argument", f"the generator {asked.generator} gave more candidates than are looked at",
        place="generator", tool=asked.generator, found=found,
        expected=f"at most {most}", hint="Ask for a smaller size, or for fewer variables.",
    )  # fmt: skip


def _generated(
    tools: SnapshotTools,
    asked: Asked,
    signatures: list[Signature],
    subject: Subject,
    theory: TheoryRun | None,
    stop: Callable[[], bool],
) -> tuple[list[Expression], list[str]]:
    """The candidates, and the problems of items that are no propositions. A generator may ask the structure's theory."""
    given = {
        "operations": [{"name": each.name, "arguments": list(each.arguments), "result": each.result} for each in signatures],
        "carrier": subject.carrier, "size": asked.size, "variables": asked.variables, "structure": asked.structure,
    }  # fmt: skip
    budget = Budget(fuel=_FUEL, ceiling=_FUEL, result_bytes=_BYTES)
    answer = run(
        Request(tool=asked.generator, input=given, data=True), tools, budget, cancelled=stop, theory=theory
    )
    if answer["type"] == "error" and answer["error"]["kind"] == "cancelled":
        raise _no_time(asked, "to make candidates", None)
    if answer["type"] != "value" or answer["kind"] != "list":
        raise _generator_failed(asked, answer)
    given_back = value_of(answer)
    if len(given_back) > _CANDIDATES:
        raise _too_many(asked, str(len(given_back)), _CANDIDATES)
    found: list[Expression] = []
    problems: list[str] = []
    for item in given_back:
        if stop():
            raise _no_time(asked, "to read the candidates", f"{len(given_back)} candidates")
        try:
            found.append(
                parse_expression(item) if isinstance(item, str) else expression_of(decode_term(item))
            )
        except (KleisError, KleisTermError, PifError) as error:
            problems.append(f"{str(item)[:80]}: {error.message}")
    if problems and not found:
        raise RegistryError(
            "invalid_argument", f"nothing that {asked.generator} gave is a proposition: {problems[0]}",
            place="generator", tool=asked.generator, expected="a list of quoted terms or of texts in Kleis",
        )  # fmt: skip
    return found, problems


def _no_time(asked: Asked, what: str, found: str | None) -> RegistryError:
    return RegistryError(
        "too_busy", f"there was no time {what}", place="generator", tool=asked.generator, found=found,
        hint="Give it more time, or ask for a smaller size, or for fewer variables.",
    )  # fmt: skip


def _generator_failed(asked: Asked, answer: Answer) -> RegistryError:
    if answer["type"] == "error":
        error = answer["error"]
        what = f"{error['kind']}: {error['message']}"
        if error["kind"] == "out_of_fuel":
            what += f" (a size of {asked.size} may be too much: ask for less)"
        hint = error.get("hint") if error["kind"] == "unknown_tool" else None
    else:
        what, hint = f"it gave a {answer.get('kind', answer['type'])}", None
    return RegistryError(
        "invalid_argument", f"the generator {asked.generator} gave no candidates: {what}", place="generator",
        tool=asked.generator, found=what[:200], expected="a list of quoted terms or of texts in Kleis",
        hint=hint or f"`run` it by itself to see why; without `generator`, {GENERATOR} is used.",
    )  # fmt: skip


# ── The answer ───────────────────────────────────────────────────────────────────────────────────────────────


def _answer(
    asked: Asked, signatures: list[Signature], subject: Subject, found: Explored, problems: list[str]
) -> Answer:
    by_status: dict[str, list[Finding]] = {}
    for finding in found.findings:
        by_status.setdefault(finding.status, []).append(finding)
    rows = slice(asked.offset, asked.offset + asked.limit)
    refuted = by_status.get("refuted", [])
    shown = {each.model for each in refuted[rows] if each.model is not None}
    about: Answer = {"structure": asked.structure} if asked.structure else {"tools": list(asked.tools)}
    answer: ExploredAnswer = {
        "type": "exploration",
        **about,  # type: ignore[typeddict-item]  # one of two optional fields
        "carrier": subject.carrier,
        "operations": sorted(subject.operations),
        "generator": asked.generator,
        "size": asked.size,
        "variables": asked.variables,
        "candidates": len(found.findings),
        "counts": found.counts(),
        "complete": found.is_complete,
        "laws": [_law(each) for each in found.findings if each.status in ("axiom", "proved")],
        "follows": [_law(each) for each in by_status.get("follows", [])[rows]],
        "refuted": [_refuted(each) for each in refuted[rows]],
        "undecided": [{"law": each.law, "reason": each.detail} for each in by_status.get("unknown", [])],
        "models": [
            {"model": place, "refutes": sum(each.model == place for each in refuted), **model.written()}
            for place, model in enumerate(found.models)
            if place in shown or not asked.offset
        ],
        "offset": asked.offset,
        "limit": asked.limit,
    }
    left_out = [each.name for each in signatures if each.name not in subject.operations]
    if left_out:
        answer["left_out"] = left_out
    if problems:
        answer["problems"] = {"count": len(problems), "first": problems[:_PROBLEMS]}
    if not found.is_complete:
        answer["next"] = (
            "Call explore again with the same arguments: verdicts are kept, so it goes on from here."
        )
    elif len(refuted) > rows.stop or len(by_status.get("follows", [])) > rows.stop:
        answer["next"] = f"Call explore with offset {rows.stop} for more rows."
    return cast(Answer, answer)


def _law(finding: Finding) -> Answer:
    return {
        "law": finding.law,
        "status": finding.status,
        "uses": list(finding.uses),
        "method": finding.detail,
    }


def _refuted(finding: Finding) -> Answer:
    row: Answer = {"law": finding.law, "at": finding.at}
    if finding.model is not None:
        row["model"] = finding.model
    return row
