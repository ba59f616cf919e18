"""The cases of tests/kleis/elaborate/spec and what they expect, judged against an elaborated goal.

A case is a program, a proposition (or the question `check = true`, or `structure = "S"`: has it a model?) and
`expect`, whose keys are explained at the methods of `Judge`.  The answers were worked out by hand from the
specification before anything was run; `sentence` says in short which of its sentences the case is about, `silent`
where the specification leaves the answer open, and which answer is tested.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from kleis.builtins.rows.table import builtin_arities
from kleis.core import (
    Basic,
    BitVec,
    BuiltinCall,
    Carrier,
    DataSort,
    Dimension,
    FunctionOf,
    ListOf,
    MatrixOf,
    Numeric,
    RecordOf,
    SetOf,
    Sort,
    SortVariable,
    TupleOf,
)
from kleis.core.goal import Goal, Instance
from kleis.core.traversal import canonical, subterms
from kleis.elaborate.check_program import check_program
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.semantics.ranges import Bounds
from kleis.syntax.parser.parser import parse_expression, parse_program, parse_type
from kleis.syntax.tree import Program
from kleis.theory.import_search import ImportSearch, packaged_library
from kleis.theory.loader import Loader
from kleis.theory.name_check.check_names import check_names
from kleis.theory.theory import Theory
from tests.support.provers.brute_force import truth_of
from tests.support.terms.well_sorted import assert_sound

__all__ = ["PROGRAM", "Case", "Judge", "cases_of", "elaborator_of", "goal_of", "sort_text"]

PROGRAM = "program.kleis"
"""The file that places in the program of a case name; those in its proposition name ``<text>``."""


@dataclass(frozen=True)
class Case:
    """One case with the program around it."""

    file: str
    name: str
    program: str
    data: dict[str, Any]

    @property
    def expect(self) -> dict[str, Any]:
        """What the page says."""
        expected: dict[str, Any] = self.data["expect"]
        return expected


def cases_of(folder: Path) -> list[Case]:
    """All cases of a folder, in order of files."""
    return [
        Case(path.stem, case["name"], group["program"], case)
        for path in sorted(folder.glob("*.toml"))
        for group in tomllib.loads(path.read_text())["group"]
        for case in group["case"]
    ]


@cache
def _parsed(program: str) -> Program:
    """One tree for one text: `check` reports on the items that the elaborator knows."""
    return parse_program(program, file=PROGRAM)


def elaborator_of(program: str) -> Elaborator:
    """The elaborator of a program's text."""
    if "import " not in program:
        return Elaborator(Theory().include(_parsed(program)))
    loading = Loader(ImportSearch(library=packaged_library())).load_text(program, file=PROGRAM)
    assert loading.ok, loading.errors
    return Elaborator(loading.theory)


def goal_of(elaborator: Elaborator, proposition: str, using: str | None = None) -> Goal:
    """What a proposition means."""
    chosen = parse_type(using) if using else None
    return elaborator.proposition(parse_expression(proposition), using=chosen)


def sort_text(sort: Sort | Dimension) -> str:
    """A sort in Kleis; carriers by the last part of their name."""
    match sort:
        case Basic() | Numeric():
            return sort.name
        case BitVec():
            return f"BitVec({sort.width})"
        case Dimension():
            return " + ".join(
                "*".join((*(() if factor == 1 and atoms else (str(factor),)), *map(_last, atoms)))
                for atoms, factor in sort.terms
            )
        case ListOf() | SetOf():
            return f"{'List' if isinstance(sort, ListOf) else 'Set'}({sort_text(sort.element)})"
        case TupleOf():
            return " × ".join(map(sort_text, sort.items)) or "Unit"
        case RecordOf():
            return f"record({', '.join(f'{name} : {sort_text(each)}' for name, each in sort.fields)})"
        case MatrixOf():
            return f"Matrix({sort_text(sort.rows)}, {sort_text(sort.columns)}, {sort_text(sort.element)})"
        case FunctionOf():
            return " → ".join(map(sort_text, (*sort.domain, sort.codomain)))
        case SortVariable():
            return f"?{sort.name}"
        case DataSort() | Carrier():
            name = sort.name.rpartition("::")[2]
            return f"{name}({', '.join(map(sort_text, sort.arguments))})" if sort.arguments else name


def _instance_text(instance: Instance) -> str:
    arguments = ", ".join(map(sort_text, instance.arguments))
    return f"{instance.structure}({arguments})" if arguments else instance.structure


def _last(name: str) -> str:
    return name.rpartition("::")[2]


def _named(name: str, wanted: str) -> bool:
    """Whether a qualified name names a member: one of its parts is the member, with its sorts perhaps."""
    return any(part == wanted or part.startswith(f"{wanted}(") for part in name.split("::"))


def _said(error: KleisError) -> str:
    return " ".join((error.message, error.hint, error.found, *error.expected))


class Judge:
    """Compares what was elaborated with what a case expects; each method judges one key of `expect`."""

    def __init__(self, case: Case, elaborator: Elaborator) -> None:
        self._case = case
        self._elaborator = elaborator
        low, high = case.expect.get("range", (-3, 3))
        self._bounds = Bounds(
            integer=max(-low, high), natural=max(high, 0), carrier=case.expect.get("carriers", 2)
        )

    def refusal(self, error: KleisError) -> None:
        """``error``: true or a part of the code.  ``at``: ``proposition:1`` or ``program:7``.  ``mentions``: words."""
        expect = self._case.expect
        assert "error" in expect, f"refused: {error}"
        if isinstance(expect["error"], str):
            assert expect["error"] in error.code, (error.code, str(error))
        assert all((error.code, error.message, error.line, error.column)), error.as_dict()
        if "at" in expect:
            file, _, line = expect["at"].partition(":")
            assert error.file == (PROGRAM if file == "program" else "<text>"), error.as_dict()
            assert error.line == int(line), error.as_dict()
        for word in expect.get("mentions", ()):
            assert word in _said(error), f"{word!r} is not in: {error}"

    def meaning(self, meaning: Goal) -> None:
        """Everything a case expects of a meaning."""
        expect = dict(self._case.expect)
        assert "error" not in expect, f"not refused: {meaning.claim}"
        assert_sound(meaning)
        for key in ("range", "carriers", "elaborates", "mentions"):
            expect.pop(key, None)
        for key, wanted in expect.items():
            getattr(self, f"_{key}")(meaning, wanted)

    def problems(self) -> None:
        """``errors``, ``warns``: names or words that a problem of that severity contains; ``…_not``: none does."""
        program = _parsed(self._case.program)
        said: dict[str, list[str]] = {"error": [], "warning": []}
        for problem in check_program(self._elaborator, program):
            assert problem.code, problem
            assert problem.line > 0, problem
            said[problem.severity].append(f"{problem.message} {problem.hint}")
        for severity, key in (("error", "errors"), ("warning", "warns")):
            for word in self._case.expect.get(key, ()):
                assert any(word in text for text in said[severity]), (severity, word, said[severity])
            for word in self._case.expect.get(f"{key}_not", ()):
                assert not any(word in text.split() for text in said[severity]), (
                    severity,
                    word,
                    said[severity],
                )

    # ── one method for each key ──────────────────────────────────────────────────────────────────────────────

    def _free(self, meaning: Goal, wanted: dict[str, str]) -> None:
        assert {each.name: sort_text(each.sort) for each in meaning.free} == wanted

    def _readings(self, meaning: Goal, wanted: Iterable[list[str]]) -> None:
        found = {(each.kind, each.source, each.meaning) for each in meaning.readings}
        assert {(kind, source, reading) for kind, source, reading in wanted} <= found

    def _instances(self, meaning: Goal, wanted: list[str]) -> None:
        assert sorted(map(_instance_text, meaning.instances)) == sorted(wanted)

    def _instances_of(self, meaning: Goal, wanted: list[str]) -> None:
        assert set(wanted) <= {each.structure for each in meaning.instances}

    def _axioms(self, meaning: Goal, wanted: list[str]) -> None:
        assert sorted(_last(axiom.name) for axiom in meaning.axioms) == sorted(wanted)

    def _symbols(self, meaning: Goal, wanted: list[str]) -> None:
        assert sorted(each.name for each in meaning.symbols) == sorted(wanted)

    def _standing(self, meaning: Goal, wanted: dict[str, str]) -> None:
        found = {_last(axiom.name): axiom.standing for axiom in meaning.axioms}
        assert {name: found.get(name) for name in wanted} == wanted

    def _claim(self, meaning: Goal, wanted: str) -> None:
        other = goal_of(self._elaborator, wanted)
        assert meaning.claim is not None
        assert other.claim is not None
        assert canonical(meaning.claim) == canonical(other.claim)

    def _truth(self, meaning: Goal, wanted: str) -> None:
        assert truth_of(meaning, bounds=self._bounds) == wanted

    def _not_truth(self, meaning: Goal, wanted: str) -> None:
        assert meaning.unsettled or truth_of(meaning, bounds=self._bounds) != wanted

    def _truth_of_claim(self, meaning: Goal, wanted: str) -> None:
        """As `truth`, without the axioms: those of an implementation that is no model are false."""
        assert truth_of(msgspec.structs.replace(meaning, axioms=()), bounds=self._bounds) == wanted

    def _settled(self, meaning: Goal, wanted: bool) -> None:
        assert wanted is (not meaning.unsettled), meaning.unsettled

    def _unsettled(self, meaning: Goal, wanted: str) -> None:
        assert wanted in [each.reason for each in meaning.unsettled], meaning.unsettled
        text = " ".join(each.message for each in meaning.unsettled)
        for word in self._case.expect.get("mentions", ()):
            assert word in text, text
        assert all(each.place.line > 0 for each in meaning.unsettled)

    def _obligations(self, meaning: Goal, wanted: list[dict[str, str]]) -> None:
        found = [(each.kind, each.name) for each in meaning.obligations]
        for each in wanted:
            formulas = [
                obligation
                for obligation in meaning.obligations
                if obligation.kind == each["kind"] and _named(obligation.name, each["name"])
            ]
            assert formulas, (each, found)
            assert all(obligation.place.line > 0 for obligation in formulas)
            bare = msgspec.structs.replace(meaning, axioms=())
            truths = {truth_of(bare, obligation.formula, bounds=self._bounds) for obligation in formulas}
            assert truths == {each["truth"]}, (each, truths)

    def _obligations_exactly(self, meaning: Goal, wanted: list[str]) -> None:
        assert sorted(_last(each.name) for each in meaning.obligations) == sorted(wanted)

    def _warns(self, meaning: Goal, wanted: list[str]) -> None:
        program = _parsed(self._case.program)
        known = check_names(program, self._elaborator.theory, builtin_arities())
        problems = (*meaning.warnings, *known, *check_program(self._elaborator, program))
        for word in wanted:
            texts = [f"{each.message} {each.hint}" for each in problems if each.severity == "warning"]
            assert any(word in text for text in texts), (word, texts)

    def _incomplete(self, meaning: Goal, wanted: list[str]) -> None:
        assert sorted(set(_incomplete_operations(meaning))) == sorted(wanted)

    def _termination(self, meaning: Goal, wanted: dict[str, str]) -> None:
        found = {_base(key): each.kind for key, each in meaning.terminations}
        assert found == wanted

    def _conditions(self, meaning: Goal, wanted: list[str]) -> None:
        assert [_base(key) for key, each in meaning.terminations if each.condition is not None] == wanted

    def _refuted_termination(self, meaning: Goal, wanted: list[str]) -> None:
        for name in wanted:
            ((key, termination),) = [each for each in meaning.terminations if _base(each[0]) == name]
            own = [each for each in meaning.obligations if each.kind == "termination" and each.subject == key]
            refuted = any(truth_of(meaning, each.formula, bounds=self._bounds) != "true" for each in own)
            assert termination.kind == "unknown" or refuted, termination

    def _parameters(self, meaning: Goal, wanted: dict[str, list[str]]) -> None:
        found = {each.name: [sort_text(one.sort) for one in each.parameters] for each in meaning.definitions}
        assert {name: found.get(name) for name in wanted} == wanted

    def _definitions(self, meaning: Goal, wanted: int) -> None:
        assert len(meaning.definitions) == wanted, [each.key for each in meaning.definitions]


def _base(key: str) -> str:
    """The name of a definition in its key, without structure and sorts."""
    flat = re.sub(r"\([^()]*\)", "", key)
    return _last(flat).partition("@")[0].partition("[")[0].strip()


def _incomplete_operations(meaning: Goal) -> Iterator[str]:
    roots = [axiom.formula for axiom in meaning.axioms]
    roots += [each.body for each in meaning.definitions]
    if meaning.claim is not None:
        roots.append(meaning.claim)
    for term in subterms(*roots):
        if isinstance(term, BuiltinCall) and term.operation.incomplete:
            yield term.operation.name
