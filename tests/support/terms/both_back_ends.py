"""Runs of one program on both back ends, compared."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any

import msgspec

from pif.compiled.runtime import Session
from pif.compiled.units import Cache, Prepared, attempt
from pif.language.budget import Budget, reserve_stack
from pif.language.errors import PifError
from pif.language.host import Tool, Tools
from pif.language.terms import Term, literal
from pif.language.value_text import print_value
from pif.language.values import Continuation, Value
from pif.reference.run_input import RunInput, given_term
from pif.run.stepping import Stepper
from tests.support.terms.tool_dictionary import TOOLS, Dictionary

__all__ = ["FUEL", "Difference", "Outcome", "at_its_depth", "compare", "compared", "shown", "tools"]

FUEL = 20_000

Outcome = tuple[str, Any, int]
"""What became of a run: `ok` or an error's kind; the value's text or the error's place; the fuel used."""


class Difference(AssertionError):
    """The two back ends do not agree, or the compiled one gave up on a run that succeeds."""


def tools() -> Tools:
    return Dictionary(**TOOLS)


def shown(value: Value) -> Any:
    """A value as text; `None` where it is too long to print."""
    if type(value) is Continuation:
        tool = value.node if isinstance(value.node, Tool) else value.node.origin()[0].owner
        return ("continue", tool.reference, shown(value.value))
    printed = print_value(value, 1 << 20)
    return None if printed is None else printed.text


def stepper(budget: Budget, known: Tools, cancelled: Callable[[], bool] | None = None) -> Stepper:
    return Stepper(known, budget, Cache(), cancelled=cancelled, hook=None)


def by_reference(program: Tool | Term, given: RunInput, session: Stepper) -> Outcome:
    try:
        step = session.reference(program, given, session.budget.fuel)
    except PifError as error:
        return error.kind, (error.place, error.path), error.fuel_used
    return "ok", shown(step.value), step.used


def compare(
    program: Tool | Term,
    given: Term | None = None,
    *,
    budget: Budget | None = None,
    known: Tools | None = None,
) -> tuple[str, int, bool]:
    """How a run ends, the fuel it used, and whether it was left to the reference. Raises `Difference`."""
    budget = budget or Budget(fuel=FUEL, depth=1_000)
    reserve_stack(budget.depth + 4_000)
    session = stepper(budget, known or tools())
    argument = given_term(given if given is not None else literal(3))
    expected = by_reference(program, argument, session)
    term, owner = (program.term, program) if isinstance(program, Tool) else (program, None)
    prepared = Prepared(term, owner)
    found = attempt(prepared, argument, _session(session), budget.fuel)
    if found is None:
        if expected[0] == "ok" and not prepared.declined:
            raise Difference(f"a needless re-run; the reference gives {expected}")
    elif (actual := ("ok", shown(found[0]), budget.fuel - found[1])) != expected:
        raise Difference(f"compiled {actual}, reference {expected}")
    return expected[0], expected[2], prepared.declined


def _session(session: Stepper) -> Session:
    return session


def compared(
    program: Tool | Term, given: Term | None, below: Callable[[int], int], *, budget: Budget | None = None
) -> str:
    """As `compare`; where the run succeeds, it is run again with the fuel it used, one unit less, and some of it."""
    budget = budget or Budget(fuel=FUEL, depth=1_000)
    kind, used, _ = compare(program, given, budget=budget)
    if kind == "ok":
        for fuel in (used, used - 1, 1 + below(used)):
            if fuel > 0:
                compare(program, given, budget=msgspec.structs.replace(budget, fuel=fuel))
    return kind


def at_its_depth(program: Tool | Term, given: Term | None, budget: Budget) -> None:
    """A run that succeeds, at the least depth that it needs, one level less and one more."""
    argument = given_term(given if given is not None else literal(3))

    def succeeds(depth: int) -> bool:
        limited = msgspec.structs.replace(budget, depth=depth)
        return by_reference(program, argument, stepper(limited, tools()))[0] == "ok"

    least = bisect.bisect_left(range(1, budget.depth + 1), True, key=succeeds) + 1
    for depth in (least - 1, least, least + 1):
        if depth > 0:
            compare(program, given, budget=msgspec.structs.replace(budget, depth=depth))
