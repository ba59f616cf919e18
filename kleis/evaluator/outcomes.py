"""What an evaluation and an example block report.  Results are values; exceptions are in `kleis.errors`."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from kleis.pictures.picture import Picture
from kleis.syntax.tree import AssertionKind
from kleis.values import Value

__all__ = ["AssertionResult", "AssertionStatus", "Evaluation", "ExampleResult", "Warning"]

AssertionStatus: TypeAlias = Literal["passed", "failed", "error", "undecided"]
"""How an assertion came out.  `undecided` is an answer: exact evaluation cannot tell, a prover may."""


class Evaluation(msgspec.Struct, frozen=True):
    """The value of an expression.

    `value` may be symbolic (`kleis.values.is_symbolic`) where the expression has unbound names.
    `approximate` says that a floating-point number took part in it or in a comparison on the way.
    `output` is what `out` printed, one text per call.  `mixed` names two kinds of values that were compared though
    they are never equal (`kleis.budget.Meter`); it is empty as a rule.  `pictures` are those that were made on the way.
    """

    value: Value
    approximate: bool
    output: tuple[str, ...]
    steps: int
    mixed: str = ""
    pictures: tuple[Picture, ...] = ()


class AssertionResult(msgspec.Struct, frozen=True):
    """One assertion of an example block.  `detail` says why, for people; it may be empty when passed."""

    line: int
    kind: AssertionKind
    status: AssertionStatus
    detail: str
    approximate: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON values."""
        return msgspec.structs.asdict(self)


class ExampleResult(msgspec.Struct, frozen=True):
    """One example block.

    `error` is the first error outside an assertion (a `let` without a value, an expression statement, the
    budget), as one line, or None.  `output` is what the block printed, `pictures` those that it made, for whoever wants them drawn.
    """

    name: str
    line: int
    assertions: tuple[AssertionResult, ...]
    error: str | None
    output: tuple[str, ...]
    steps: int
    pictures: tuple[Picture, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every assertion passed and there was no other error."""
        return self.error is None and all(result.status == "passed" for result in self.assertions)

    @property
    def needs_prover(self) -> bool:
        """Whether nothing is wrong, but some assertion is undecided."""
        return (
            not self.passed
            and self.error is None
            and all(result.status in ("passed", "undecided") for result in self.assertions)
        )

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "name": self.name,
            "line": self.line,
            "passed": self.passed,
            "error": self.error,
            "assertions": [result.as_dict() for result in self.assertions],
            "output": list(self.output),
        }


class Warning(msgspec.Struct, frozen=True):
    """Something a reader may not expect of a program that runs: a definition that shadows a builtin."""

    code: str
    message: str
    file: str
    line: int

    def as_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with ``"severity": "warning"``."""
        return {"severity": "warning", **msgspec.structs.asdict(self)}
