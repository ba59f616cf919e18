"""The encoding against the reference: every exact row of `OPERATIONS`, ground terms, closed formulas.

By docs/reference/proving.md §4.3, T of a formula holds exactly where the formula is true, F exactly where it is false.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from hypothesis import event, given

from kleis.builtins.row import Argument, Builtin, Signature, Undecided
from kleis.builtins.rows.table import find_builtin
from kleis.core import (
    BOOL,
    REGEX,
    STRING,
    Basic,
    BitVec,
    BuiltinCall,
    Connective,
    Equals,
    Let,
    LiteralTerm,
    Numeric,
    Operation,
    SetOf,
    Sort,
    Term,
    Variable,
)
from kleis.elaborate.elaborator import Elaborator
from kleis.prover.protocol.engine import Inexpressible
from kleis.prover.smt.encode_builtins import OPERATIONS
from kleis.prover.smt.script import Script
from kleis.semantics.ranges import Bounds
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory
from kleis.values import BitVector, Complex, Value
from tests.support.provers.brute_force import truth_of
from tests.support.provers.solving import encoding, holds, verdict
from tests.support.terms.signature_calls import CONTEXT, TYPED, ground_signatures, run, values_of
from tests.support.terms.signature_calls import holds as condition_holds
from tests.support.terms.values_as_terms import builtin_call, term_of
from tests.support.theories.random_propositions import FINITE, GROUND, closed, ground

# ── Rows of the table ────────────────────────────────────────────────────────────────────────────────────────

ENCODED = [row for row in TYPED if row.name in OPERATIONS or row.name in ("empty_set", "singleton")]

NUMBERS: dict[str, tuple[Value, ...]] = {
    "ℕ": (0, 1, 2, 3, 7),
    "ℤ": (-7, -3, -2, -1, 0, 1, 2, 3, 7),
    "ℚ": (Fraction(-5, 2), -1, Fraction(-1, 2), 0, Fraction(1, 3), Fraction(1, 2), Fraction(3, 2), 2),
    "ℝ": (Fraction(-7, 3), -2, Fraction(-3, 2), 0, Fraction(1, 2), Fraction(5, 3), Fraction(5, 2), 4),
    "ℂ": (Complex(1, -2), Complex(0, 1), Complex(Fraction(-1, 2), 3), -1, 0, Fraction(1, 2)),
}
STRINGS = ("", "a", "b", "ab", "aba", "abab", "12", "a1", "Z", "é", "😀a", 'x\ny"\\', "\\u{41}", "~")
EXPRESSIONS: tuple[tuple[Value, Term], ...] = tuple(
    (row.run(CONTEXT, text), builtin_call(name, REGEX, LiteralTerm(text, STRING)))
    for name, text in (("re_literal", "ab"), ("re_star", "ab"), ("re_plus", "a"), ("re_complement", "a"))
    if (row := find_builtin(name)) is not None
)
MOST = 60
"""So many calls of one signature are tried."""

Pair = tuple[Value, Term]


def choices(sort: Sort, argument: Argument, random: Random) -> tuple[Pair, ...]:
    """Values of a sort with terms for them."""
    if argument.literal is not None:
        return ((argument.literal, term_of(argument.literal, sort)),)
    match sort:
        case Basic(name="Regex"):
            return EXPRESSIONS
        case Basic(name="String"):
            values: Sequence[Value] = STRINGS
        case Numeric(name=name):
            values = NUMBERS[name]
        case BitVec(width=width):
            values = [BitVector(width, bits) for bits in range(1 << width)]
        case _:
            values = values_of(sort, argument, random)
    return tuple((value, term_of(value, sort)) for value in values)


def expressible(sort: Sort) -> bool:
    """Whether this file has values of a sort."""
    return isinstance(sort, Numeric | Basic | BitVec) or (
        isinstance(sort, SetOf) and expressible(sort.element)
    )


DEFINITIONS = Elaborator(Theory()).definitions


def operation_of(signature: Signature) -> Operation:
    return DEFINITIONS.operation(signature, signature.parameters, signature.result)


def samples(signature: Signature, arguments: tuple[Argument, ...]) -> list[tuple[Pair, ...]]:
    random = Random(signature.row.name)
    pools = [choices(*each, random) for each in zip(signature.parameters, arguments, strict=True)]
    every = list(product(*pools))
    return every if len(every) <= MOST else random.sample(every, MOST)


def says(call: BuiltinCall, result: Value) -> Iterator[Term]:
    """Formulas that are true if a call has the value that the table computes."""
    if call.sort != REGEX:
        yield Equals(call, term_of(result, call.sort))
        return
    matches = find_builtin("matches")
    assert matches is not None
    for text in ("", "a", "b", "ab", "ba", "abab", "é", "😀", "aa", "a\n"):
        test = builtin_call("matches", BOOL, LiteralTerm(text, STRING), call)
        yield test if matches.run(CONTEXT, text, result) else Connective("not", (test,))


def calls(
    operation: Operation, terms: tuple[Term, ...]
) -> Iterator[tuple[BuiltinCall, tuple[Variable, ...]]]:
    """A call with its arguments written out, and one with names for them: encodings may look at literals."""
    yield BuiltinCall(operation, terms), ()
    if terms and operation.name != "re_range" and all(each.sort != REGEX for each in terms):
        names = tuple(Variable(f"w{place}", each.sort) for place, each in enumerate(terms))
        yield BuiltinCall(operation, names), names


def bound(names: Sequence[Variable], terms: Sequence[Term], formula: Term) -> Term:
    """The formula with values for names."""
    for name, term in zip(names, terms, strict=False):
        formula = Let(name, term, formula)
    return formula


def statements(signature: Signature, arguments: tuple[Argument, ...]) -> tuple[list[Term], list[Term]]:
    """What is true of calls of an operation by the table, and what is undefined."""
    operation, true, undefined = operation_of(signature), [], []
    for sample in samples(signature, arguments):
        values, terms = zip(*sample, strict=True) if sample else ((), ())
        for call, names in calls(operation, terms):
            if not condition_holds(signature, values):
                undefined.append(bound(names, terms, Equals(call, call)))
                continue
            try:
                result = run(signature.row, values)
            except Undecided:
                continue
            if not isinstance(result, float):
                true += [bound(names, terms, formula) for formula in says(call, result)]
    return true, undefined


def expressed(formulas: Sequence[Term]) -> list[tuple[Term, Script]]:
    """The formulas that have an encoding, with it."""
    found = []
    for each in formulas:
        try:
            found.append((each, encoding(each)))
        except Inexpressible as problem:
            assert problem.reason == "incomplete"
    return found


def wrong_ones(formulas: Sequence[Term]) -> list[Term]:
    """The formulas that the encoding does not make true."""
    if holds(encoding(Connective("and", (TRUE, *formulas)))):
        return []
    return [each for each in formulas if not holds(encoding(each))]


@pytest.mark.parametrize("row", ENCODED, ids=lambda row: row.name)
def test_a_row_is_encoded_as_the_table_computes_it(row: Builtin) -> None:
    checked = 0
    for signature, arguments in ground_signatures(row):
        if all(map(expressible, (*signature.parameters, signature.result))):
            true, undefined = statements(signature, arguments)
            sure = [each for each, script in expressed(true) if script.exact]
            checked += len(sure)
            assert wrong_ones(sure) == []
            defined = [each for each, script in expressed(undefined) if holds(script) is not False]
            assert defined == []
    assert checked


TRUE = LiteralTerm(True, BOOL)


# ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────────

FINITE_WORLD = Elaborator(Theory().include(parse_program(FINITE)))
GROUND_WORLD = Elaborator(Theory().include(parse_program(GROUND)))
BOUNDS = Bounds()


def agree(world: Elaborator, text: str) -> None:
    """The encoding and the reference say the same of a proposition, where both say something."""
    meaning = world.proposition(parse_expression(text))
    assert meaning.claim is not None
    expected = truth_of(meaning, bounds=BOUNDS)
    try:
        script = encoding(meaning.claim, meaning)
    except Inexpressible as problem:
        event(problem.reason)
        return
    found = verdict(script)
    event(f"{expected}, {found}")
    if script.exact and "open" not in (expected, found):
        assert found == expected
    if found == "true":
        assert expected in ("true", "open")


@given(closed())
def test_closed_formulas_over_finite_sorts_have_the_truth_of_the_reference(text: str) -> None:
    agree(FINITE_WORLD, text)


@given(ground())
def test_ground_formulas_have_the_truth_of_the_reference(text: str) -> None:
    agree(GROUND_WORLD, text)


def test_powers_with_and_without_a_number_as_exponent_are_one_function() -> None:
    """The table has two signatures for them.  Z3 refused a script that declared the function once for each."""
    of_powers = "∀(x y : ℕ). x = y → 2 ^ (x ^ 100) = 2 ^ (y ^ 100) ∧ x ^ y = y ^ x"
    meaning = GROUND_WORLD.proposition(parse_expression(of_powers))
    assert meaning.claim is not None

    script = encoding(meaning.claim, meaning)

    assert script.approximated == ("power",)
    assert holds(script)
