"""Names spelled in full in the code of teams, so that nothing is left for the namespace of a caller to answer (ADR 030).

A plain name in `app` or `code_of`, quoted or not, becomes `team/TEAM/NAME` where the team has the tool, else `std.NAME` where the
library has it, else `team/TEAM/NAME`, which is missing yet. What would make a name while it runs is refused: `code_of` of what is
no literal, `reflect`, an `unquote` in the place of a name, and tools of the library that do one of these, themselves or through
others. Names of other teams are refused.

Invariant: code that `is_spelled` names tools of its team and of the library alone, however it is taken apart; and a team's tool
whose code is not does not resolve (`snapshot_tools`), however it came into the store.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from pif.analysis.facts import facts_of
from pif.language.decode import decode_text
from pif.language.terms import Term, code_text, literal, print_term
from registry.errors import RegistryError
from registry.records import LIBRARY_PREFIX, Reference, ToolRecord, full_name, parse_reference

__all__ = ["FullNames"]

_JUDGED = 10_000

_NAMING = frozenset(("app", "code_of"))


class _Library(Protocol):
    """What must be known of the library."""

    def record(self, name: str) -> ToolRecord | None:
        """The tool of that name, `std.map` or `map`, or None."""


class FullNames:
    """Spells and judges code over one library. Safe in threads."""

    def __init__(self, library: _Library) -> None:
        self._library = library
        self._making: dict[str, bool] = {}
        self._lock = threading.Lock()
        self._judged: OrderedDict[tuple[str, str], bool] = OrderedDict()

    def spelled(self, term: Term, team: str, has: Callable[[str], bool]) -> Term:
        """The term with its names in full. `has`: whether the team has a tool of a plain name. Raises `not_allowed`."""
        parts = tuple([self.spelled(part, team, has) for part in term.parts])
        if problem := _problem(term):
            raise _refused(term, *problem)
        if term.op in _NAMING and _is_name(parts[0]) and not _is_self(term):
            parts = (literal(self.name_in_full(parts[0].value, team, has)), *parts[1:])
            if all(new is old for new, old in zip(parts[1:], term.parts[1:], strict=True)) and (
                parts[0].value == term.parts[0].value
            ):
                return term
        return term.rebuilt(parts)

    def name_in_full(self, reference: str, team: str, has: Callable[[str], bool]) -> str:
        """A name with or without a version, in full. Raises `not_allowed` for one that code of the team may not have."""
        wanted = _parsed(reference)
        if wanted is None:
            raise _misnamed(reference, "no tool can be called that")
        if wanted.team:
            if wanted.team != team:
                raise _misnamed(reference, f"code of the team {team!r} names its own tools and the library's")
            return reference
        plain = wanted.name
        if plain == "self":
            raise _misnamed(reference, 'the present tool is the operation {"self": true}')
        if not plain.startswith(LIBRARY_PREFIX):
            if has(plain) or self._library.record(plain) is None:
                return full_name(team, reference)
            reference, plain = LIBRARY_PREFIX + reference, LIBRARY_PREFIX + plain
        if self.makes_names(plain):
            raise _misnamed(
                reference,
                "it makes code, or reads tools, by names that it computes, which only a caller could answer",
            )
        return reference

    def is_spelled(self, term: Term, team: str, hash_: str) -> bool:
        """Whether the code of a tool, with its hash, is as `spelled` leaves it: found once for each."""
        key = (team, hash_)
        with self._lock:
            known = self._judged.get(key)
        if known is None:
            known = self._judge(term, team)
            with self._lock:
                self._judged[key] = known
                while len(self._judged) > _JUDGED:
                    self._judged.popitem(last=False)
        return known

    def _judge(self, term: Term, team: str) -> bool:
        waiting = [term]
        while waiting:
            node = waiting.pop()
            waiting += node.parts
            if _problem(node):
                return False
            if node.op in _NAMING and _is_name(node.parts[0]) and not _is_self(node):
                wanted = _parsed(node.parts[0].value)
                if wanted is None or not self._is_full(wanted, team):
                    return False
        return True

    def _is_full(self, wanted: Reference, team: str) -> bool:
        if wanted.team:
            return wanted.team == team
        return wanted.name.startswith(LIBRARY_PREFIX) and not self.makes_names(wanted.name)

    def makes_names(self, name: str) -> bool:
        """Whether a tool of the library makes names while it runs, itself or through others."""
        known = self._making.get(name)
        if known is None:
            known = self._making[name] = self._reaches(name)
        return known

    def _reaches(self, name: str) -> bool:
        seen = {name}
        waiting = [name]
        while waiting:
            record = self._library.record(waiting.pop())
            if record is None:
                continue
            term = decode_text(record.code)
            nodes = [term]
            while nodes:
                node = nodes.pop()
                nodes += node.parts
                if _problem(node):
                    return True
            for used in facts_of(term).tools:
                plain = used.partition("@")[0]
                if plain not in seen:
                    seen.add(plain)
                    waiting.append(plain)
        return False


def _is_name(term: Term) -> bool:
    return term.op == "literal" and type(term.value) is str


def _is_self(term: Term) -> bool:
    return term.op == "code_of" and term.parts[0].value == "self"


def _parsed(reference: str) -> Reference | None:
    try:
        return parse_reference(reference)
    except RegistryError:
        return None


def _problem(term: Term) -> tuple[str, str] | None:
    """Why a node makes a name while it runs, and what to do instead; None where it makes none."""
    if term.op == "reflect":
        return (
            "`reflect` makes code of data, with whatever names are in it",
            "Build code by `quote` and `unquote`.",
        )
    if term.op not in _NAMING:
        return None
    named = term.parts[0]
    if named.op == "unquote":
        return (
            f"an `unquote` in the place of a name lets data say which tool is meant in `{term.op}`",
            "Bind what is spliced by `let`, and call the variable.",
        )
    if term.op == "code_of" and not _is_name(named):
        return (
            "`code_of` reads a tool whose name is computed",
            "Write the name, or take the quoted code as an argument.",
        )
    return None


def _refused(term: Term, message: str, hint: str) -> RegistryError:
    shown = code_text(print_term(term))
    return RegistryError(
        "not_allowed", f"code of a team makes no names while it runs: {message}", place="code",
        found=shown if len(shown) <= 120 else shown[:119] + "…",
        expected="code that names the tools it uses", hint=hint,
    )  # fmt: skip


def _misnamed(reference: str, why: str) -> RegistryError:
    return RegistryError(
        "not_allowed", f"code of a team cannot name {reference[:80]!a}: {why}", place="code", found=ascii(reference[:80]),
        expected="a tool of the team, or of the library", hint="Evolve what it needs as a tool of the team.",
    )  # fmt: skip
