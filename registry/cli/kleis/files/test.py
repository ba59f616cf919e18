"""`kleis test`: run the example blocks of files, and prove their lemmas.

Specification: docs/reference/kleis.md §7. JSON:
``{"files": [{"file", "parse": "ok"|[errors], "examples": [{"name", "passed", "error", "assertions":
[{"line", "kind", "status", "detail"}]}]}]}``; with the keys ``lemmas`` of a file that states any, and ``warnings`` where
imported lemmas do not serve.

Blocks are first evaluated exactly (`run_file`). Assertions left open go to the prover (`decide_file`).

Invariants
    * An undecided assertion has the status ``unknown`` (``needs the prover`` if the prover was not asked).
      It did not fail, and it did not pass: a block with such an assertion, in which nothing failed, has
      ``"passed": false`` and that status as its error, is counted apart, and does not change the exit status.
    * Where the declarations are known to clash, a block that did not say `assert_inconsistent` has failed.
    * A file whose imports cannot be loaded runs nothing.  Every block then carries the reason as its error, and
      the file has the key ``problems`` besides (also where it has no blocks to carry it).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.errors import KleisError, LoadError
from kleis.pictures.picture import Picture
from kleis.problems import AnswerWarning, Problem
from kleis.sessions.assertions import question_of
from kleis.syntax import tree
from kleis.syntax.tree import Example, Expression
from kleis.theory.loader import Loader
from registry.cli.kleis.files.check import load_errors
from registry.cli.kleis.files.stated_lemmas import NEEDS_PROVER, LemmaReport, StatedLemmas, stated_in
from registry.cli.kleis.shared.loading import load
from registry.cli.kleis.shared.strict import undeclared_in

if TYPE_CHECKING:
    from kleis.batches.ahead import Ahead
    from kleis.evaluator.outcomes import AssertionResult, ExampleResult
    from kleis.theory.loader import Loading
    from registry.cli.kleis.files.open_assertions import ProverPool
    from registry.cli.kleis.shared.patience import Waiting

__all__ = [
    "NEEDS_PROVER",
    "UNKNOWN",
    "Assertion",
    "Block",
    "FileReport",
    "decide_file",
    "run_file",
    "run_files",
]

UNKNOWN = "unknown"


class Assertion(msgspec.Struct, frozen=True):
    """One assertion as it is reported."""

    line: int
    kind: str
    status: str
    detail: str


class Block(msgspec.Struct, frozen=True):
    """One example block as it is reported; `output` is what it printed."""

    name: str
    line: int
    passed: bool
    error: str | None
    assertions: tuple[Assertion, ...]
    output: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    """Names in it that nothing declares: they are read as any value."""
    pictures: tuple[Picture, ...] = ()
    """The pictures that it made, as data."""

    @property
    def undecided(self) -> bool:
        """Whether nothing is wrong, but something is undecided."""
        return not self.passed and self.error in (NEEDS_PROVER, UNKNOWN)

    def as_dict(self) -> dict[str, Any]:
        """The block's part of the answer in JSON."""
        warnings = [
            {"code": each.code, "message": each.message, "hint": each.hint, "line": each.line}
            for each in self.warnings
        ]
        return {
            **({"warnings": warnings} if warnings else {}),
            "name": self.name,
            "passed": self.passed,
            "error": self.error,
            "assertions": [msgspec.structs.asdict(each) for each in self.assertions],
        }


class FileReport(msgspec.Struct, frozen=True):
    """What testing one file gave."""

    file: str
    parse: tuple[KleisError, ...]
    errors: tuple[KleisError, ...]
    blocks: tuple[Block, ...]
    loading: Loading | None = None
    lemmas: tuple[LemmaReport, ...] = ()
    warnings: tuple[AnswerWarning, ...] = ()
    """What imported lemmas do not serve, and axioms that clash."""

    @property
    def ok(self) -> bool:
        """Whether the file was read and nothing in it failed; what is undecided did not fail.

        A lemma that the prover does not prove has failed, also where it does not know.
        """
        if self.parse or self.errors:
            return False
        tested: tuple[Block | LemmaReport, ...] = (*self.blocks, *self.lemmas)
        return all(each.passed or each.undecided for each in tested)

    def as_dict(self) -> dict[str, Any]:
        """The file's part of the answer in JSON."""
        warnings = [each.as_dict() for each in self.warnings]
        answer: dict[str, Any] = {
            **({"warnings": warnings} if warnings else {}),
            "file": self.file,
            "parse": [error.as_dict() for error in self.parse] or "ok",
            "examples": [block.as_dict() for block in self.blocks],
        }
        if self.lemmas:
            answer["lemmas"] = [lemma.as_dict() for lemma in self.lemmas]
        if self.errors:
            answer["problems"] = [error.as_dict() for error in self.errors]
        return answer

    def text_of(self, file: str) -> str:
        """The text that a place is in."""
        return self.loading.text_of(file) if self.loading is not None else ""


def run_file(
    loader: Loader,
    name: str,
    *,
    selection: str = "",
    granted_root: Path | None = None,
    strict: bool = False,
) -> FileReport:
    """Run the example blocks of a file whose names contain `selection`.

    A block with a name that nothing declares has a warning; if `strict`, it is not run and has failed.
    """
    try:
        loading = load(loader, name)
    except LoadError as error:
        return FileReport(name, (error,), (), ())
    parse = loading.main.result.errors
    errors = load_errors(loading)
    items = loading.main.result.program.items
    examples = [item for item in items if isinstance(item, Example) and selection in item.name]
    reason = "the file has syntax errors" if parse else str(errors[0]) if errors else ""
    if reason:
        blocks = [_unrun(example, f"not run: {reason}") for example in examples]
    else:
        run = _runner(loading, granted_root)
        blocks = []
        for example in examples:
            warnings = undeclared_in(example, loading.theory, loading.main.name)
            block = (
                _unrun(example, f"not run: {warnings[0].message} (--strict)")
                if strict and warnings
                else _reported(run(example))
            )
            blocks.append(msgspec.structs.replace(block, warnings=warnings))
    lemmas = stated_in(loading, "not run", reason) if reason else stated_in(loading)
    return FileReport(name, parse, errors, tuple(blocks), loading, lemmas)


def run_files(
    loader: Loader,
    names: Sequence[str],
    *,
    selection: str = "",
    granted_root: Path | None = None,
    jobs: int | None = None,
    fresh: bool = False,
    strict: bool = False,
    effort: int = 1,
    waiting: Waiting | None = None,
    ahead: Ahead | None = None,
) -> Iterator[FileReport]:
    """Reports on files, in order, each as soon as it is complete.

    The prover is asked through `waiting`, which has the deadline (None: one without); `effort` is the prover's. `jobs` questions are asked at a time: by default as many as there are processors, and none if it is 0. Workers that are asked `ahead` are asked about all files first.
    """

    def run(name: str) -> FileReport:
        return run_file(loader, name, selection=selection, granted_root=granted_root, strict=strict)

    if jobs == 0:
        yield from map(run, names)
        return
    from registry.cli.kleis.files.open_assertions import ProverPool
    from registry.cli.kleis.shared.patience import PATIENT

    count = jobs or os.cpu_count() or 1
    with ExitStack() as opened:
        asked = waiting or opened.enter_context(PATIENT.waiting(live=False, slots=count))
        pool = opened.enter_context(ProverPool(count, asked, fresh=fresh, effort=effort, ahead=ahead))
        begun: deque[Callable[[], FileReport]] = deque()
        evaluated: Iterable[FileReport] = map(run, names)
        if ahead is not None:
            evaluated = list(evaluated)
            pool.ask_ahead([question for each in evaluated for question in _open_questions(each)])
        for report in evaluated:
            begun.append(decide_file(pool, report))
            if len(begun) > _AHEAD:
                yield begun.popleft()()
        while begun:
            yield begun.popleft()()


_AHEAD = 16
"""How many files are evaluated before the first report is waited for."""


def _runner(loading: Loading, granted_root: Path | None) -> Callable[[Example], ExampleResult]:
    from kleis.budget import STANDARD_BUDGET
    from kleis.evaluator.environment import environment_of
    from kleis.evaluator.examples import run_example

    environment = environment_of(loading.theory, granted_root=granted_root)
    file = loading.main.name
    return lambda example: run_example(environment, example, STANDARD_BUDGET, file=file)


def _unrun(example: Example, reason: str) -> Block:
    return Block(example.name, example.line, False, reason, ())


def _reported(result: ExampleResult) -> Block:
    assertions = tuple(
        Assertion(
            each.line,
            each.kind,
            NEEDS_PROVER if each.status == "undecided" else each.status,
            _detail(each),
        )
        for each in result.assertions
    )
    error = NEEDS_PROVER if result.needs_prover else result.error
    return Block(
        result.name,
        result.line,
        result.passed,
        error,
        assertions,
        result.output,
        pictures=result.pictures,
    )


def _detail(result: AssertionResult) -> str:
    """What is said of an assertion besides its status."""
    detail = result.detail.removeprefix(f"{NEEDS_PROVER}: ")
    if not result.approximate:
        return detail
    from kleis.values import TOLERANCE_TEXT

    # A pass with doubles is a pass to a tolerance; it is never a proof.
    remark = f"(to {TOLERANCE_TEXT})" if result.status == "passed" else "(approximate)"
    return f"{detail} {remark}".strip()


# ── What exact evaluation leaves open ────────────────────────────────────────────────────────────────────────


def decide_file(pool: ProverPool, report: FileReport) -> Callable[[], FileReport]:
    """Ask the prover about a file's open assertions; what waits for the answers, and gives the report with them."""
    from registry.cli.kleis.shared.clashes import clash_warning, clashes_in

    loading = report.loading
    if loading is None or report.parse or report.errors or not (report.blocks or report.lemmas):
        return lambda: report
    lemmas = StatedLemmas(pool, loading)
    examples = _examples(loading)
    clash = pool.look(loading.theory, lambda prover: clashes_in(loading, prover, imported=True))
    blocks = [
        _decide_block(pool, loading, examples[each.name, each.line], each, lemmas) for each in report.blocks
    ]
    return lambda: msgspec.structs.replace(
        report,
        blocks=tuple(block() for block in blocks),
        lemmas=lemmas.reports(),
        warnings=(*map(clash_warning, clash.result()), *lemmas.warnings()),
    )


def _examples(loading: Loading) -> dict[tuple[str, int], Example]:
    """The blocks of a file by name and line."""
    items = loading.main.result.program.items
    return {(each.name, each.line): each for each in items if isinstance(each, Example)}


def _open_questions(report: FileReport) -> Iterator[tuple[Loading, Expression]]:
    """The propositions of a file that `decide_file` will ask."""
    loading = report.loading
    if loading is None or report.parse or report.errors:
        return
    examples = _examples(loading)
    for block in report.blocks:
        example = examples[block.name, block.line]
        assertions = [each for each in example.statements if isinstance(each, tree.Assertion)]
        for place, each in enumerate(block.assertions):
            if each.status == NEEDS_PROVER:
                proposition = question_of(example, assertions[place])
                if proposition is not None:
                    yield loading, proposition


def _decide_block(
    pool: ProverPool,
    loading: Loading,
    example: Example,
    block: Block,
    lemmas: StatedLemmas,
) -> Callable[[], Block]:
    from registry.cli.kleis.files.open_assertions import OpenAssertion

    facts = lemmas.before(example.line)
    waiting = {
        place: OpenAssertion(pool, loading.theory, example, place, loading.main.name, facts)
        for place, each in enumerate(block.assertions)
        if each.status == NEEDS_PROVER
    }

    def decided() -> Block:
        assertions = list(block.assertions)
        for place, question in waiting.items():
            passed = [before for before in range(place) if assertions[before].status == "passed"]
            status, detail = question.outcome(passed)
            assertions[place] = msgspec.structs.replace(assertions[place], status=status, detail=detail)
        return _judged(block, tuple(assertions))

    return decided


def _judged(block: Block, assertions: tuple[Assertion, ...]) -> Block:
    """The block with what became of its assertions."""
    statuses = {each.status for each in assertions}
    error = None if block.error == NEEDS_PROVER else block.error
    passed = error is None and statuses <= {"passed"}
    if error is None and statuses <= {"passed", UNKNOWN} and not passed:
        error = UNKNOWN
    return msgspec.structs.replace(block, assertions=assertions, passed=passed, error=error)
