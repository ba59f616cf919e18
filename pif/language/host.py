"""What a run gets from its host: the tools it may call, and the theory it may ask (docs/reference/pif.md §2.12, §4).

PIF knows no theory. A host that has one hands it to a run, as it hands over the snapshot of the registry; the
operations `kleis`, `verify`, `axioms`, `operations` and `structures` ask it. Invariants that a host must keep:

- A theory is a snapshot: while a run has it, the same question gets the same `Answer`, the same `fuel` included,
  however often and by whichever evaluator it is asked (a run may be begun on one evaluator and repeated on another).
- `fuel` counts steps of engines and the size of the value, never time. Whether the answer was kept from an earlier
  run cannot be seen.
- What a guard on time or memory cut is a `Refusal`, never an answer: it says nothing about the theory. It stands for
  the rest of the run, so that a run agrees with itself, and no longer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import msgspec

from pif.language import primitives as table
from pif.language.errors import PifError
from pif.language.terms import Term
from pif.language.values import Quoted, Record, Value, kind_of
from pif.language.warnings import RoundedNumbers

__all__ = [
    "EXPECTED",
    "ORACLES",
    "SEE_LIST",
    "Answer",
    "NoTheory",
    "Question",
    "Refusal",
    "Theory",
    "Tool",
    "Tools",
    "ask",
    "asking_charge",
    "holds_bignum",
    "later",
    "missing_tool",
    "question_of",
]

Question = str | Term | None


class Answer(msgspec.Struct, frozen=True):
    """A value (data: it holds no function) and what finding it is charged, beyond `asking_charge`."""

    value: Value
    fuel: int


class Refusal(msgspec.Struct, frozen=True):
    """Why there is no answer: an `oracle_error` of the run. `fuel` is charged before it is raised."""

    message: str
    fuel: int = 0
    found: str | None = None
    expected: str | None = None
    hint: str | None = None


class Theory(Protocol):
    """An immutable snapshot of a theory, for one run."""

    def ask(
        self, operation: str, question: Question, cancelled: Callable[[], bool] | None
    ) -> Answer | Refusal:
        """The answer of one operation of `ORACLES`. Raises `PifError` of kind `cancelled` where `cancelled` says so
        before there is one, and nothing else."""


ORACLES: dict[str, tuple[str, ...]] = {
    "kleis": ("string", "quoted"),
    "verify": ("string", "quoted"),
    "axioms": ("string",),
    "operations": ("string",),
    "structures": ("unit",),
}

EXPECTED = {"string": "a string", "quoted": "a quoted term", "unit": "null"}


def question_of(operation: str, value: Value) -> tuple[Question, bool]:
    """The question that a value is to an operation; False where it is none."""
    kind = kind_of(value)
    if kind not in ORACLES[operation]:
        return None, False
    return (value.term if isinstance(value, Quoted) else value), True


def asking_charge(operation: str, question: Question) -> int:
    """What asking costs before anything is looked for."""
    base = table.ASK_PROVER if operation == "verify" else table.ASK
    if isinstance(question, Term):
        return base + table.QUOTE_NODE * question.nodes
    return base + table.charge_text_walk(len(question or ""))


def ask(
    theory: Theory | None, operation: str, question: Question, cancelled: Callable[[], bool] | None
) -> Answer | Refusal:
    """The theory's answer; without a theory the refusal that says how to get one."""
    if theory is None:
        return _NO_THEORY
    return theory.ask(operation, question, cancelled)


_NO_THEORY = Refusal(
    "this run has no theory to ask",
    found="a run without a session",
    expected="a run with a theory",
    hint='Pass "session": "NAME" to `run` (on the command line: --session NAME or --theory FILE).',
)


class NoTheory:
    """Stands for a theory where there is no time to ask one: a try that asks is told to come back."""

    def ask(
        self, operation: str, question: Question, cancelled: Callable[[], bool] | None
    ) -> Answer | Refusal:
        raise PifError("out_of_fuel", f"`{operation}` asks a theory, for which there is no time here")


def later(theory: Theory | None) -> Theory | None:
    """For a first try that must not take long: what asks is not answered but put off."""
    return None if theory is None else NoTheory()


def holds_bignum(value: Value, limit: int) -> bool:
    """Whether an integer in the value is beyond ±limit."""
    stack = [value]
    while stack:
        part = stack.pop()
        kind = type(part)
        if kind is int and not -limit < part < limit:
            return True
        if kind is tuple:
            stack += part[:2]
        elif kind is Record:
            stack += part.fields.values()
    return False


class Tool:
    """A tool as a run sees it: one version of a name, frozen.

    `reference` is how it was asked for (`name` or `name@version`); `code` (resolved), `quoted` (its source as a
    value) and `prepared` (where the compiled back end keeps what it made of it) are filled in when they are first
    wanted. `spent` counts the fuel of its runs on the reference. `rounded`: the numbers that lost their fractions when
    its code was read; every run of it says so.
    """

    __slots__ = ("code", "name", "prepared", "quoted", "reference", "rounded", "spent", "term", "version")

    def __init__(
        self,
        name: str,
        version: int,
        term: Term,
        *,
        reference: str | None = None,
        rounded: RoundedNumbers | None = None,
    ) -> None:
        self.name = name
        self.version = version
        self.term = term
        self.reference = reference or name
        self.rounded = rounded
        self.code: Any = None
        self.quoted: Quoted | None = None
        self.prepared: Any = None
        self.spent = 0

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}"


class Tools(Protocol):
    """The registry as it stood when the run began: answers must not change during a run."""

    def tool(self, reference: str) -> Tool | None:
        """The tool for `name` or `name@version`, or None."""

    def nearest(self, name: str) -> str | None:
        """The known name closest in spelling, for hints."""


SEE_LIST = "`list` shows the tools."
"""The hint for a name like that of no tool, where there is a registry to look into."""


def missing_tool(reference: str, tools: Tools) -> PifError:
    """The refusal of a name that no tool has, or of a version that a tool does not have."""
    name, at, version = reference.partition("@")
    present = tools.tool(name) if at else None
    if present is not None:
        message = f'the tool "{name}" has no version "{version[:12]}"'
        hint = f"Its current version is {present.version}."
    else:
        close = tools.nearest(name)
        message = f'there is no tool "{reference[:80]}"'
        hint = f'Did you mean "{close}"?' if close else SEE_LIST
    return PifError("unknown_tool", message, found=reference[:80], hint=hint)
