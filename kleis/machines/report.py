"""What was found of a machine, as values."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from kleis.problems import AnswerWarning

__all__ = ["Decided", "Finding", "Kind", "Report", "State", "Status", "Step"]

Kind: TypeAlias = Literal["invariant", "variant", "reach", "deadlock"]

Status: TypeAlias = Literal["verified", "disproved", "found", "none", "unknown"]
"""`found` and `none` are said of states to reach, `verified` and `disproved` of what is to hold."""


class State(msgspec.Struct, frozen=True):
    """The values of the variables of a state, as Kleis text, by name."""

    values: tuple[tuple[str, str], ...]


class Step(msgspec.Struct, frozen=True):
    """A state of a trace, with the disjunct of `next` that led there; empty where it is not known, or the first."""

    state: State
    by: str = ""


class Decided(msgspec.Struct, frozen=True):
    """A proposition that was decided on the way, with its verdict: `kleis verify` answers the same."""

    claim: str
    status: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What was found of one property.

    how
        The proof: ``induction``, ``k-induction``, ``states`` (all that are reachable), ``step by step``; or empty.
    k
        How many states in a row a proof by k-induction assumes, or how many states are reachable.
    assumed
        The names of the invariants that the proof assumes, which are proved themselves.
    depth
        Runs of at most so many steps were searched; -1 if none was.
    trace
        A run to the state that shows it: evaluated exactly.
    constants
        The values of what the theory leaves open, such as elements of structures, in the run of `trace`.
    breaks
        Two states, one step apart, at which the proof by induction fails.  A run need not reach them.
    """

    kind: Kind
    name: str
    status: Status
    how: str = ""
    k: int = 0
    assumed: tuple[str, ...] = ()
    depth: int = -1
    trace: tuple[Step, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    breaks: tuple[State, ...] = ()
    message: str = ""
    advice: str = ""
    decided: tuple[Decided, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The answer about one machine; `status` is the worst of its findings, or ``error``."""

    status: Literal["verified", "disproved", "unknown", "error"]
    variables: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    message: str = ""
    hint: str = ""
    warnings: tuple[AnswerWarning, ...] = ()
    problem: dict[str, Any] | None = None
