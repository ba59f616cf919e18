"""The tables of docs/reference/proving.md."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import get_args

from kleis.builtins.row import CoreForm, Untyped
from kleis.builtins.rows.table import BUILTINS
from kleis.prover.certificates.check import _GUARDS as _CHECKING
from kleis.prover.certificates.left_by_engines import _GUARDS as _MAKING
from kleis.prover.confirming import _GUARDS as _CHECK_GUARDS
from kleis.prover.lowering.list_terms import _DIRECT
from kleis.prover.lowering.recursive_lists import _RECURSIVE
from kleis.prover.portfolio import ORDER, engine_of
from kleis.prover.process.broker import Guards
from kleis.prover.protocol.verdict import Status, Verdict
from kleis.prover.smt.encode_builtins import OPERATIONS
from kleis.sessions.assertions import outcome_of
from registry.cli.kleis.questions.verify import exit_status
from tests.guide.tables import markdown

__all__ = ["TABLES"]

_MEANING = re.compile(r"^``(\w+)`` +(\S.*)$", re.MULTILINE)
_ASSERTIONS = ("assert", "assert_disproved", "assert_unknown", "assert_sat", "assert_inconsistent")
_IN_TERMS = frozenset({"empty_set", "singleton"})
"""Encoded with the terms, where the sort of the elements is known."""


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def order() -> str:
    """The published order of engines."""
    return markdown(
        ("", "engine", "chain", "steps", "CPU limit", "only for claims"),
        (
            (
                str(place),
                engine_of(each).name + (f" (package `{each.extra}`)" if each.extra else ""),
                {"prove": "proving", "refute": "refuting"}[each.chain],
                f"{each.steps:,}",
                f"{each.cpu} s",
                "yes" if each.late else "",
            )
            for place, each in enumerate(ORDER, 1)
        ),
    )


def statuses() -> str:
    """The statuses of verdicts, and the exit status of the command line for each."""
    meanings = dict(_MEANING.findall(inspect.getdoc(inspect.getmodule(Verdict)) or ""))
    return markdown(
        ("status", "what is given with it", "exit status"),
        ((_code([each]), meanings[each], str(exit_status(each))) for each in get_args(Status)),
    )


def assertions() -> str:
    """How an assertion comes out that the prover was asked about, by the verdict on its question."""
    rows = []
    for status in get_args(Status):
        answer = Verdict(status=status, reason="resource" if status == "unknown" else None)
        rows.append([_code([status]), *(outcome_of(each, answer)[0] for each in _ASSERTIONS)])
    return markdown(("verdict", *(_code([each]) for each in _ASSERTIONS)), rows)


def builtins() -> str:
    """How every built-in reaches a solver."""
    names = [each.name for each in BUILTINS]
    exact = {*OPERATIONS, *_IN_TERMS}
    forms = {each.name for each in BUILTINS if isinstance(each.signature, CoreForm)}
    untyped = {each.name for each in BUILTINS if isinstance(each.signature, Untyped)}
    lists = {*_RECURSIVE, *_DIRECT} - forms
    ways = (
        ("a node of the core: connective, equality, constructor", forms),
        ("an exact term", exact - lists),
        ("of strings and sets an exact term, of lists lowered first (§9.1)", exact & lists),
        ("lowered first: lists, tuples, records (§9.1)", lists - exact),
        ("another built-in: of an integer it is `intToStr`", {"str"}),
        ("not in propositions", untyped),
        ("an uninterpreted function", set(names) - exact - lists - forms - untyped - {"str"}),
    )
    return markdown(
        ("a solver gets", "built-ins"),
        ((way, _code(each for each in names if each in kind)) for way, kind in ways),
    )


def limits() -> str:
    """The limits of the processes that attempts run in."""
    guards = (
        ("an attempt by an engine", "§6.1", "three times that, and 2 s", Guards().memory),
        *(
            (what, f"{each.cpu} s", f"{each.wall:g} s", each.memory)
            for what, each in (
                ("the check of a witness", _CHECK_GUARDS),
                ("an attempt while a certificate is made", _MAKING),
                ("the check of a certificate", _CHECKING),
                ("any other attempt", Guards()),
            )
        ),
    )
    return markdown(
        ("process", "processor time", "elapsed time", "address space"),
        ((what, cpu, wall, f"{memory:,} MB") for what, cpu, wall, memory in guards),
    )


TABLES: dict[str, Callable[[], str]] = {
    "proving-order": order,
    "proving-statuses": statuses,
    "proving-assertions": assertions,
    "proving-builtins": builtins,
    "proving-limits": limits,
}
