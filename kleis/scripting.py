"""Kleis for people who script: `verify`, `evaluate` and `Theory` (docs/reference/python.md §3).

    kleis.verify("x² ≥ 0").status                                          # "verified", with a warning how x was read
    kleis.evaluate("1/3 + 1/6")["result"]                                  # "1/2"
    groups = kleis.Theory.load("stdlib/algebra.kleis")
    groups.verify("∀(x : G). inv(inv(x)) = x").core                        # the axioms that the proof used

A question is read, decided and answered as by the commands `kleis verify` and `kleis eval`; what would be an error there
is raised as `KleisError`, with the warnings of the answer.

Invariants
    * Provers run in one worker process, begun by the first question that needs one; it ends with this process.
    * Nothing is written to disk.
"""

from __future__ import annotations

import atexit
import math
import os
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self, cast

from kleis.elaborate.question import Question, read_question, warnings_of
from kleis.errors import KleisError
from kleis.machines.properties import Asked
from kleis.prover.process.broker import Broker
from kleis.prover.process.deadline import Deadline
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.shared_provers import Provers
from kleis.sessions.answer_shapes import (
    ExplainedAnswer,
    FailedAnswer,
    MachineAnswer,
    ModelsAnswer,
    ValueAnswer,
)
from kleis.sessions.check_machine import check, machine_fields
from kleis.sessions.compare_universes import explained
from kleis.sessions.computed_value import value_of
from kleis.sessions.find_models import find, models_fields, wanted_models
from kleis.syntax.parser.parser import parse_expression, parse_type
from kleis.syntax.printer.expressions import quote
from kleis.theory import theory as declarations
from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader, Loading

if TYPE_CHECKING:
    from kleis.syntax.tree import TypeExpression

__all__ = ["Theory", "evaluate", "verify"]


def verify(
    text: str,
    *,
    imports: Iterable[str] = (),
    using: str = "",
    lemmas: Sequence[str] = (),
    timeout: float | None = None,
) -> Verdict:
    """Whether a proposition holds in every model of what the imported files declare.

    `imports` are files as `import` names them; for many questions about the same ones, `Theory.load` them once. The rest
    is as for `Theory.verify`.
    """
    return _importing(imports).verify(text, using=using, lemmas=lemmas, timeout=timeout)


def evaluate(text: str, *, imports: Iterable[str] = ()) -> ValueAnswer:
    """The value of an expression: `{"status": "value", "result": "1/2"}`, with `symbolic` where a letter has no value and
    `approximate` where a float had a part in it.

    Raises `KleisError` for what cannot be read and for what has no value, such as 1/0.
    """
    theory = _importing(imports)
    question = _question(text)
    try:
        return value_of(question, theory)
    except KleisError as error:
        _reject(error, (each.as_dict() for each in warnings_of(question.lints)))


class Theory(declarations.Theory):
    """The declarations of files, to ask about. Begin with `Theory.load(path)`, or with `Theory()` and `include`."""

    __slots__ = ()

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """The theory of a file and of all that it imports.

        The file is looked for as an import is: here, in the project, in the library. Raises the first `KleisError` of
        what cannot be found, read or parsed.
        """
        wanted = Path(path)
        if not wanted.exists():
            wanted = search_from(os.environ).find(str(path), Path.cwd())
        return cls._of(_loader().load(wanted))

    @classmethod
    def _of(cls, loading: Loading) -> Self:
        if loading.errors:
            raise loading.errors[0]
        theory = cls()
        for file, entries in groupby(loading.theory.entries, key=lambda each: each.file):
            theory = theory.extend((each.declaration for each in entries), file=file)
        return theory

    def verify(
        self, text: str, *, using: str = "", lemmas: Sequence[str] = (), timeout: float | None = None
    ) -> Verdict:
        """Whether a proposition holds in every model of the declarations.

        `using` names the structure that it is about, ``Group(G)``, where that is not clear; `lemmas` are proved first and
        then used; after `timeout` seconds the verdict is `unknown`. Returns the verdict, whose `as_dict()` is what `kleis
        verify --json` prints. Raises `KleisError` for what is no question.
        """
        question = _question(text)
        about = _type(using)
        shown = [parse_expression(each, file="<lemma>") for each in lemmas]
        with _provers().prover(self, _deadline(timeout)) as prover:
            verdict = prover.ask(question, using=about, lemmas=shown).verdict
        if verdict.status == "error":
            problem = verdict.problem or {"message": verdict.message}
            _reject(KleisError.from_dict(problem), [each.as_dict() for each in verdict.warnings])
        return verdict

    def explain(self, text: str, *, using: str = "", timeout: float | None = None) -> ExplainedAnswer:
        """The verdict on a proposition, and for each axiom in force whether the proposition needs it and whether the
        others imply it: the answer of the server's tool `explain`. Raises `KleisError` for what is no question."""
        question = _question(text)
        answer = explained(question, self, _provers(), _deadline(timeout), _type(using))
        if answer["status"] == "error":
            failed = cast(FailedAnswer, answer)
            _reject(KleisError.from_dict(failed["problem"]), failed.get("warnings", []))
        return answer

    def models(
        self,
        about: str,
        *,
        where: Sequence[str] = (),
        size: int | None = None,
        skip: int = 0,
        all: bool = False,
        limit: int = 1_000,
        enumerate: Sequence[str] = (),
        minimise: str = "",
        maximise: str = "",
        timeout: float | None = None,
    ) -> ModelsAnswer:
        """Models of a structure or of constraints, as by `kleis model --json`.

        `about` is the name of a structure, or constraints such as ``∃(x y : ℤ). x * y = 12``; `where` are more of them.
        `size` is the number of elements of carriers; `skip` models are left out; `all` asks for all, at most `limit`,
        `enumerate` for all that differ in these names, `minimise` and `maximise` for the best. Returns an answer whose
        `status` is ``found``, ``none`` or ``unknown``. Raises `KleisError` for what is no question, `ValueError` where
        both a least and a greatest value are asked for.
        """
        wanted = wanted_models(
            about,
            where=where,
            size=size,
            skip=skip,
            every=all,
            limit=limit,
            enumerated=enumerate,
            minimise=minimise,
            maximise=maximise,
        )
        found = find(wanted, self, _provers(), _deadline(timeout))
        if found.status == "error":
            problem = {"message": found.message, "hint": found.advice, **(found.problem or {})}
            _reject(KleisError.from_dict(problem), [each.as_dict() for each in found.warnings])
        return models_fields(found)

    def machine(
        self,
        *,
        invariants: Sequence[str] = (),
        reach: Sequence[str] = (),
        variants: Sequence[str] = (),
        deadlock: bool = False,
        depth: int = 12,
        induction: int = 4,
        init: str = "init",
        next: str = "next",
        state: str = "",
        timeout: float | None = None,
    ) -> MachineAnswer:
        """What is true of the state machine that the theory declares, as by `kleis machine --json`.

        `invariants` hold in every reachable state, `reach` in some, `variants` are integers that every step makes smaller;
        the theory's own `invariant…` and `variant…` are checked too. Returns an answer whose `status` is ``verified``,
        ``disproved`` or ``unknown``. Raises `KleisError` for what is no machine and for what cannot be asked of it.
        """
        asked = Asked(
            init=init,
            next=next,
            state=state,
            invariants=tuple(invariants),
            variants=tuple(variants),
            reach=tuple(reach),
            deadlock=deadlock,
            depth=depth,
            induction=induction,
        )
        report = check(asked, self, _provers(), _deadline(timeout))
        if report.status == "error":
            problem = {"message": report.message, "hint": report.hint, **(report.problem or {})}
            _reject(KleisError.from_dict(problem), [each.as_dict() for each in report.warnings])
        return machine_fields(report)


def _importing(imports: Iterable[str]) -> Theory:
    """The theory of files as `import` names them."""
    lines = "\n".join(f"import {quote(name)}" for name in imports)
    return Theory._of(_loader().load_text(lines, file="<import>", directory=Path.cwd()))


def _question(text: str) -> Question:
    return read_question(text, file="<expression>", importing="python")


def _type(text: str) -> TypeExpression | None:
    return parse_type(text, file="<using>") if text else None


def _deadline(timeout: float | None) -> Deadline:
    return Deadline(math.inf if timeout is None else timeout)


def _reject(error: KleisError, warnings: Iterable[dict[str, str]]) -> NoReturn:
    """Raise an error with the warnings of its answer, which a traceback ends with."""
    error.warnings = tuple(warnings)
    for each in error.warnings:
        error.add_note(f"warning: {each['message']}")
    raise error


@cache
def _loader() -> Loader:
    """The loader of this process: a file that was read is not parsed again until it changes."""
    return Loader(search_from(os.environ))


@cache
def _provers() -> Provers:
    """The provers of this process."""
    broker = Broker()
    atexit.register(broker.close)
    return Provers(broker, None)
