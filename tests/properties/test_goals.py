"""The goal of a proposition does not depend on how it is worded; what is mutated is rejected, with a place.

Alpha-renaming, reordering of declarations, splitting a program over imports and renaming of symbols change nothing.
Every mutation of these kinds is rejected: wrong sort, wrong arity, ℝ for ℤ, built-in arithmetic on a carrier,
unknown constructor, dropped match case where exhaustiveness matters.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.builtins.rows.table import builtin_arities
from kleis.core import Undefined
from kleis.core.goal import ElaborationError, Goal
from kleis.core.traversal import subterms
from kleis.elaborate.check_program import check_program
from kleis.elaborate.elaborator import Elaborator
from kleis.semantics.ranges import Bounds
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.syntax.printer.program import print_expression, print_program
from kleis.syntax.tree import (
    Assertion,
    Call,
    ConstructorPattern,
    DataDefinition,
    Example,
    Expression,
    FunctionDefinition,
    Implements,
    Match,
    Name,
    NamedType,
    OperationDeclaration,
    Pattern,
    Program,
    Quantifier,
    Structure,
    Text,
    Variant,
)
from kleis.syntax.tree.traversal import walk
from kleis.theory.import_search import ImportSearch
from kleis.theory.loader import Loader
from kleis.theory.name_check.check_names import check_names
from kleis.theory.theory import Theory
from tests.support.provers.brute_force import truth_of
from tests.support.terms.variants import (
    declared_names,
    essence,
    places,
    replaced_at,
    with_fresh_variables,
    with_renamed_symbols,
)
from tests.support.terms.well_sorted import assert_sound
from tests.support.terms.well_sorted_kleis import PROGRAM as EVALUATED
from tests.support.terms.well_sorted_kleis import Maker, naive_outcome

FOLDER = Path(__file__).parent.parent / "kleis" / "elaborate" / "programs"
PROGRAMS = [parse_program(path.read_text(), file=path.name) for path in sorted(FOLDER.glob("*.kleis"))]


def _propositions(program: Program) -> list[Expression]:
    return [
        statement.proposition
        for item in program.items
        if isinstance(item, Example)
        for statement in item.statements
        if isinstance(statement, Assertion) and statement.proposition is not None
    ]


def _declarations(program: Program) -> list[Any]:
    return [item for item in program.items if not isinstance(item, Example)]


def _meaning(items: list[Any], proposition: Expression) -> Goal:
    return Elaborator(Theory().extend(items, file="p.kleis")).proposition(proposition)


EXPRESSIONS = get_args(Expression)

PAIRS = [(program, proposition) for program in PROGRAMS for proposition in _propositions(program)]
BASES = [
    (items, proposition)
    for program in PROGRAMS
    for items in [_declarations(program)]
    for proposition in _propositions(program)
]

bases = st.integers(0, len(BASES) - 1).map(BASES.__getitem__)
suffixes = st.sampled_from(("_v", "₁", "_2", "xx", "α"))


# ── What changes nothing ─────────────────────────────────────────────────────────────────────────────────────


@given(bases, suffixes)
@settings(max_examples=60)
def test_bound_variables_may_be_called_otherwise(base: Any, suffix: str) -> None:
    items, proposition = base
    renamed = with_fresh_variables(proposition, lambda name: f"{name}{suffix}")
    others = [with_fresh_variables(item, lambda name: f"{name}{suffix}") for item in items]
    assert essence(_meaning(others, renamed)) == essence(_meaning(items, proposition))


@given(bases, st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_declarations_may_stand_in_any_order(base: Any, random: Any) -> None:
    items, proposition = base
    shuffled = [_shuffled_members(item, random) for item in items]
    random.shuffle(shuffled)
    assert essence(_meaning(shuffled, proposition)) == essence(_meaning(items, proposition))


def _shuffled_members(item: Any, random: Any) -> Any:
    if not isinstance(item, Structure | Implements):
        return item
    members = list(item.members)
    random.shuffle(members)
    return msgspec.structs.replace(item, members=tuple(members))


@given(bases, st.data())
@settings(max_examples=40)
def test_a_program_may_be_split_over_imports(base: Any, data: st.DataObject) -> None:
    items, proposition = base
    cut = data.draw(st.integers(0, len(items)))
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "first.kleis"), Path(folder, "second.kleis")
        first.write_text(print_program(Program(tuple(items[:cut]))))
        second.write_text('import "first.kleis"\n' + print_program(Program(tuple(items[cut:]))))
        loading = Loader(ImportSearch()).load(second)
    assert loading.ok
    split = Elaborator(loading.theory).proposition(proposition)
    assert essence(split) == essence(_meaning(items, proposition))


@given(st.integers(0, len(BASES) - 1))
@settings(max_examples=60)
def test_symbols_may_be_called_otherwise(index: int) -> None:
    items, proposition = BASES[index]
    names = declared_names(PAIRS[index][0])
    others = [with_renamed_symbols(item, names, "_renamed") for item in items]
    renamed = _meaning(others, with_renamed_symbols(proposition, names, "_renamed"))
    assert _unordered(essence(renamed), "_renamed") == _unordered(essence(_meaning(items, proposition)), "")


def _unordered(found: dict[str, Any], suffix: str) -> dict[str, list[str]]:
    """The parts as text without the suffix, those of a set in one order."""
    texts = {}
    for key, value in found.items():
        parts = value if isinstance(value, set | list) else [value]
        texts[key] = sorted(repr(part).replace(suffix, "") if suffix else repr(part) for part in parts)
    return texts


# ── Anything ─────────────────────────────────────────────────────────────────────────────────────────────────

PIECES = [piece for _, proposition in BASES for piece in walk(proposition) if isinstance(piece, EXPRESSIONS)]


@given(bases, st.data())
@settings(max_examples=150)
def test_nothing_but_sound_meanings_and_refusals(base: Any, data: st.DataObject) -> None:
    items, proposition = base
    for _ in range(data.draw(st.integers(1, 2))):
        paths = places(proposition, lambda each: isinstance(each, EXPRESSIONS))
        path, piece = data.draw(st.sampled_from(paths)), data.draw(st.sampled_from(PIECES))
        proposition = replaced_at(proposition, path, lambda each, piece=piece: piece)
    try:
        meaning = _meaning(items, parse_expression(print_expression(proposition)))
    except ElaborationError as error:
        assert all((error.code, error.line, error.column, error.message)), error.as_dict()
    else:
        assert_sound(meaning)


WORLD = Elaborator(Theory().include(EVALUATED))


@st.composite
def _truths(draw: st.DrawFn) -> Expression:
    return Maker(draw).make("truth", 3, {})


@given(_truths())
@settings(max_examples=150)
def test_ground_propositions_have_the_truth_that_a_naive_evaluator_finds(proposition: Expression) -> None:
    try:
        meaning = WORLD.proposition(proposition)
    except ElaborationError as error:
        # The empty list alone, or a fraction where an integer has to be: the naive evaluator asks for no types.
        assert error.code in ("needs-type", "wrong-sort")
        return
    assert_sound(meaning)
    expected = {True: "true", False: "false", "undefined": "undefined"}[naive_outcome(proposition)]
    assert truth_of(meaning, bounds=Bounds()) == expected


# ── What is refused ──────────────────────────────────────────────────────────────────────────────────────────


def _refused(items: list[Any], proposition: Expression) -> ElaborationError:
    """The refusal of a proposition; it has a code and stands at a place where the text has one."""
    text_items = parse_program(print_program(Program(tuple(items))), file="p.kleis").items
    again = parse_expression(print_expression(proposition))
    with pytest.raises(ElaborationError) as caught:
        _meaning(list(text_items), again)
    error = caught.value
    assert all((error.code, error.line, error.column, error.message)), error.as_dict()
    return error


def _bound_types(proposition: Expression) -> dict[str, str]:
    return {
        binder.name: binder.type.name
        for each in walk(proposition)
        if isinstance(each, Quantifier)
        for binder in each.binders
        if isinstance(binder.type, NamedType)
    }


def _variables(proposition: Expression, wanted: Any) -> list[tuple[Any, ...]]:
    types = _bound_types(proposition)
    return places(proposition, lambda each: isinstance(each, Name) and wanted(types.get(each.name)))


WRONG_SORT = [
    (items, proposition, path)
    for items, proposition in BASES
    for path in _variables(proposition, lambda name: name not in (None, "String"))
]


@given(st.integers(0, len(WRONG_SORT) - 1))
@settings(max_examples=80)
def test_a_wrong_sort_is_refused(index: int) -> None:
    items, proposition, path = WRONG_SORT[index]
    _refused(items, replaced_at(proposition, path, lambda name: Text("wrong")))


def _declared_functions(items: list[Any]) -> frozenset[str]:
    found = {
        each.name for each in walk(*items) if isinstance(each, OperationDeclaration | FunctionDefinition)
    }
    return frozenset(found | {each.name for each in walk(*items) if isinstance(each, Variant)})


def _calls_of(proposition: Expression, names: frozenset[str]) -> list[tuple[Any, ...]]:
    return places(
        proposition, lambda each: isinstance(each, Call) and bool(each.arguments) and each.name in names
    )


ARITY = [
    (items, proposition, path)
    for items, proposition in BASES
    for path in _calls_of(proposition, _declared_functions(items))
]


@given(st.integers(0, len(ARITY) - 1), st.booleans())
@settings(max_examples=80)
def test_a_wrong_number_of_arguments_is_refused(index: int, more: bool) -> None:
    items, proposition, path = ARITY[index]

    def change(call: Call) -> Call:
        arguments = (*call.arguments, call.arguments[0]) if more else call.arguments[:-1]
        return msgspec.structs.replace(call, arguments=arguments)

    _refused(items, replaced_at(proposition, path, change))


def _carriers(items: list[Any]) -> frozenset[str]:
    return frozenset(
        parameter.name for item in items if isinstance(item, Structure) for parameter in item.parameters
    )


CARRIERS = [
    (items, proposition, path)
    for items, proposition in BASES
    for path in _variables(proposition, _carriers(items).__contains__)
]


@given(
    st.integers(0, len(CARRIERS) - 1), st.sampled_from(("plus", "minus", "times", "divide", "negate", "abs"))
)
@settings(max_examples=60)
def test_built_in_arithmetic_on_a_carrier_is_refused(index: int, operation: str) -> None:
    items, proposition, path = CARRIERS[index]
    one = operation in ("negate", "abs")
    _refused(
        items, replaced_at(proposition, path, lambda name: Call(operation, (name,) if one else (name, name)))
    )


_INTEGER = "operation f : ℤ → ℤ\ndata Cell = Cell(content : ℤ)\ndefine g(n : ℤ) : ℤ = n\n"


def _integers() -> st.SearchStrategy[str]:
    return st.recursive(
        st.sampled_from(("x", "y", "1", "2")),
        lambda inner: st.one_of(
            st.tuples(st.sampled_from("+-*"), inner, inner).map(
                lambda each: f"({each[1]} {each[0]} {each[2]})"
            ),
            st.tuples(st.sampled_from(("mod", "div")), inner, inner).map("{0[0]}({0[1]}, {0[2]})".format),
            st.tuples(st.sampled_from("fg"), inner).map("{0[0]}({0[1]})".format),
        ),
        max_leaves=6,
    )


@given(
    _integers(),
    st.sampled_from(("f({}) = f({})", "Cell({}) = Cell({})", "mod({}, 3) = mod({}, 3)", "g({}) < g({})")),
    st.sampled_from(("ℝ", "ℚ", "ℂ")),
)
@settings(max_examples=80)
def test_a_real_for_an_integer_is_refused(term: str, frame: str, other: str) -> None:
    items = list(parse_program(_INTEGER).items)
    body = frame.format(f"({term} + x)", f"({term} + x)")
    _meaning(items, parse_expression(f"∀(x y : ℤ). {body}"))
    _refused(items, parse_expression(f"∀(x : {other}, y : ℤ). {body}"))


MATCHES = [
    (items, item)
    for items in {id(items): items for items, _ in BASES}.values()
    for item in items
    if isinstance(item, FunctionDefinition)
    and any(
        isinstance(each, ConstructorPattern) and each.name not in ("Pair", "Nil", "Cons")
        for each in walk(item)
    )
]


@given(st.integers(0, len(MATCHES) - 1), st.data())
@settings(max_examples=40)
def test_an_unknown_constructor_is_refused(index: int, data: st.DataObject) -> None:
    items, item = MATCHES[index]
    paths = places(item, lambda each: isinstance(each, ConstructorPattern) and each.name[0].isupper())
    path = data.draw(st.sampled_from([path for path in paths if _at(item, path).name != "Pair"]))
    changed = replaced_at(item, path, lambda each: msgspec.structs.replace(each, name=f"{each.name}Gone"))
    others = [changed if each is item else each for each in items]
    program = parse_program(print_program(Program(tuple(others))), file="p.kleis")
    theory = Theory().include(program)
    problems = (*check_names(program, theory, builtin_arities()), *check_program(Elaborator(theory), program))
    found = [each for each in problems if each.severity == "error" and "Gone" in each.message]
    assert found
    assert all(each.line > 0 and each.code for each in found)
    reached = next(each for each in _users(items) if _calls(each, item.name))
    assert "Gone" in _refused(others, reached).message


def _users(items: list[Any]) -> list[Expression]:
    return [proposition for others, proposition in BASES if others is items or others == items]


def _calls(proposition: Expression, name: str) -> bool:
    return any(isinstance(each, Call | Name) and each.name == name for each in walk(proposition))


def _at(node: Any, path: tuple[Any, ...]) -> Any:
    found: list[Any] = []
    replaced_at(node, path, lambda each: found.append(each) or each)
    return found[0]


def _head(pattern: Pattern) -> str:
    return pattern.name if isinstance(pattern, ConstructorPattern) else ""


def _matters(match: Match, items: list[Any]) -> bool:
    """Whether every case covers a constructor that no other covers: no guards, plain variables below."""
    heads = [case.pattern for case in match.cases]
    plain = all(isinstance(each, ConstructorPattern) for each in heads) and not any(
        case.guard is not None for case in match.cases
    )
    names = [_head(each) for each in heads]
    known = {variant.name for item in items if isinstance(item, DataDefinition) for variant in item.variants}
    return plain and len(set(names)) == len(names) > 1 and set(names) <= known


EXHAUSTIVE = [
    (items, item, path)
    for items, item in MATCHES
    for path in places(item, lambda each: isinstance(each, Match))
    if _matters(_at(item, path), items)
]


@given(st.integers(0, len(EXHAUSTIVE) - 1), st.data())
@settings(max_examples=30)
def test_a_dropped_case_is_reported_and_leaves_nothing(index: int, data: st.DataObject) -> None:
    items, item, path = EXHAUSTIVE[index]
    match: Match = _at(item, path)
    gone = data.draw(st.integers(0, len(match.cases) - 1))
    name = _head(match.cases[gone].pattern)
    cases = match.cases[:gone] + match.cases[gone + 1 :]
    changed = replaced_at(item, path, lambda each: msgspec.structs.replace(each, cases=cases))
    others = [changed if each is item else each for each in items]
    program = parse_program(print_program(Program(tuple(others))), file="p.kleis")
    elaborator = Elaborator(Theory().include(program))
    reached = next(each for each in _users(items) if _calls(each, item.name))
    try:
        meaning = elaborator.proposition(reached)
    except ElaborationError as error:
        # Without the case the sort of what is left is not known: Left(a) alone is of no one type.
        assert (error.code, error.file) == ("needs-type", "p.kleis")
        return
    bodies = [each.body for each in meaning.definitions]
    assert any(isinstance(term, Undefined) for term in subterms(*bodies))
    problems = (*meaning.warnings, *check_program(elaborator, program))
    reports = [each for each in problems if name in f"{each.message} {each.hint}"]
    assert reports
    assert all(each.line > 0 and each.code for each in reports)
