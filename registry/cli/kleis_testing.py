"""`kleis test`: run the example blocks of files.

Specification: issue 3, item 6; kleis-language.md §4.3, §4.4.  JSON:
``{"files": [{"file", "parse": "ok"|[errors], "examples": [{"name", "passed", "error", "assertions":
[{"line", "kind", "status", "detail"}]}]}]}``.

Invariants
    * An assertion that exact evaluation cannot decide has the status ``needs the prover``.  It did not fail, and it
      did not pass: a block with such an assertion, in which nothing failed, has ``"passed": false`` and the error
      ``needs the prover``, is counted apart, and does not change the exit status.
    * A file whose imports cannot be loaded runs nothing.  Every block then carries the reason as its error, and
      the file has the key ``problems`` besides (also where it has no blocks to carry it).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.errors import KleisError, LoadError
from kleis.loader import Loader
from kleis.syntax import Example
from registry.cli.kleis_checking import load_errors
from registry.cli.kleis_files import load

if TYPE_CHECKING:
    from kleis.evaluation.outcomes import AssertionResult, ExampleResult
    from kleis.loader import Loading

__all__ = ["NEEDS_PROVER", "Assertion", "Block", "FileReport", "run_file"]

NEEDS_PROVER = "needs the prover"


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

    @property
    def needs_prover(self) -> bool:
        """Whether nothing is wrong, but something is undecided."""
        return not self.passed and self.error == NEEDS_PROVER

    def as_dict(self) -> dict[str, Any]:
        """The block's part of the answer in JSON."""
        return {
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

    @property
    def ok(self) -> bool:
        """Whether the file was read and nothing in it failed; what needs the prover did not fail."""
        return (
            not self.parse
            and not self.errors
            and all(each.passed or each.needs_prover for each in self.blocks)
        )

    def as_dict(self) -> dict[str, Any]:
        """The file's part of the answer in JSON."""
        answer: dict[str, Any] = {
            "file": self.file,
            "parse": [error.as_dict() for error in self.parse] or "ok",
            "examples": [block.as_dict() for block in self.blocks],
        }
        if self.errors:
            answer["problems"] = [error.as_dict() for error in self.errors]
        return answer

    def text_of(self, file: str) -> str:
        """The text a place speaks of."""
        return self.loading.text_of(file) if self.loading is not None else ""


def run_file(
    loader: Loader, name: str, *, selection: str = "", granted_root: Path | None = None
) -> FileReport:
    """Run the example blocks of a file whose names contain `selection`."""
    try:
        loading = load(loader, name)
    except LoadError as error:
        return FileReport(name, (error,), (), ())
    parse = loading.main.result.errors
    errors = load_errors(loading)
    items = loading.main.result.program.items
    examples = [item for item in items if isinstance(item, Example) and selection in item.name]
    if parse or errors:
        reason = "the file has syntax errors" if parse else str(errors[0])
        blocks = [_unrun(example, f"not run: {reason}") for example in examples]
    else:
        run = _runner(loading, granted_root)
        blocks = [_reported(run(example)) for example in examples]
    return FileReport(name, parse, errors, tuple(blocks), loading)


def _runner(loading: Loading, granted_root: Path | None) -> Callable[[Example], ExampleResult]:
    from kleis.budget import STANDARD_BUDGET
    from kleis.evaluation.environment import environment_of
    from kleis.evaluation.examples import run_example

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
    return Block(result.name, result.line, result.passed, error, assertions, result.output)


def _detail(result: AssertionResult) -> str:
    """What is said of an assertion besides its status."""
    detail = result.detail.removeprefix(f"{NEEDS_PROVER}: ")
    return f"{detail} (approximate)".strip() if result.approximate else detail
