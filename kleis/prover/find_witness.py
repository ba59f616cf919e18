"""The value that a proved ∃ speaks of, looked for after the proof and checked like a counterexample.

See docs/reference/proving.md §5.5.  A witness of ∃x. φ is a counterexample of ∀x. ¬φ.  Where nothing is declared that
the claim depends on, one is searched for just so, and its check is that of a counterexample. Three kinds of values need
more than that check:

roots
    A real number that is no fraction is a root of a polynomial: the polynomial's signs show that it is there, and
    a proof that all numbers in its place make φ true.
functions of numbers
    Terms, for which a proof is asked as the certificate asks it.
values and constants under axioms
    A model shows a value, or the declarations have a constant; that it makes φ true is proved from the axioms.

Invariant: nothing here changes a verdict. What is shown was checked, and what is not found is said not to be known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from math import isqrt, lcm

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.core.traversal import opened, substitute, subterms
from kleis.decoding import decode_json
from kleis.delaborate.describe_goal import expression_of
from kleis.prover.checker.format import Ask, Step
from kleis.prover.checker.read_terms import Vocabulary, operation_at
from kleis.prover.portfolio import ORDER, Chain, Entry, Outcome
from kleis.prover.protocol.engine import Task
from kleis.prover.protocol.points import Point, Root
from kleis.prover.protocol.verdict import Binding, Evidence, Verdict
from kleis.prover.protocol.witness import Witness
from kleis.syntax import tree
from kleis.syntax.printer.program import print_expression
from kleis.syntax.unique_existence import unique_parts
from kleis.values import Value
from kleis.values.text import render_value

__all__ = ["NO_WITNESS", "find_witness", "number_text", "with_witness"]

NO_WITNESS = "no value is known that makes it true: it was proved without one"
"""What a verdict says where no witness was found."""

_STEPS = 300_000
_CANDIDATES = 6
"""How many constants and literals of the declarations are tried."""

_POINTS = Entry("kleis.prover.engines.solvers.algebraic_points:POINTS", "refute", _STEPS, cpu=4)
_SEARCHES = (":ENUMERATION", "script_engines:DIRECT")
_CHECKS = (":EVALUATION", "script_engines:DIRECT", "completion.engine:Completion")

Run = Callable[[Task, Sequence[Entry], Sequence[Chain], bool], Outcome]
"""Runs engines on a task; the last argument says whether a witness becomes checked evidence, or stays as it was found."""


def with_witness(verdict: Verdict, goal: Goal, run: Run) -> Verdict:
    """The verdict with a witness, or with the words that none is known; the same if it is no proof of an ∃."""
    if verdict.status != "verified" or opened(goal.claim) is None:
        return verdict
    if verdict.witness is not None or verdict.message:
        return verdict
    found = find_witness(goal, run)
    if found is not None:
        found = _under_written_names(found, goal)
    return msgspec.structs.replace(verdict, witness=found, message="" if found is not None else NO_WITNESS)


def _under_written_names(found: Evidence, goal: Goal) -> Evidence:
    """The witness of ∃! by the names that were written: the form it stands for has second names."""
    assert goal.claim is not None
    written = expression_of(goal.claim)
    unique = unique_parts(written) if isinstance(written, tree.Quantifier) else None
    if unique is None:
        return found
    bindings = [
        msgspec.structs.replace(each, name=binder.name)
        for each, binder in zip(found.bindings, unique[0], strict=False)
    ]
    return msgspec.structs.replace(found, bindings=tuple(bindings))


def find_witness(goal: Goal, run: Run) -> Evidence | None:
    """A checked witness of a proved claim that begins with ∃; None where none is found, or the claim is another one."""
    parts = opened(goal.claim)
    if parts is None:
        return None
    variables, body = parts
    if any(isinstance(each.sort, core.FunctionOf) for each in variables):
        return _functions(goal, variables, run)
    denied = core.Quantifier("forall", variables, core.Connective("not", (body,)))
    search = Task(msgspec.structs.replace(goal, claim=denied))
    if goal.axioms or goal.symbols or goal.carriers:
        return _under_axioms(goal, variables, body, search, run)
    outcome = run(search, _chosen(_SEARCHES), ("prove", "refute"), True)
    shown = outcome.answer.witness if outcome.answer is not None else None
    if isinstance(shown, Evidence) and shown.bindings and not shown.undefined:
        return shown
    return _roots(goal, variables, body, search, run)


def _chosen(engines: Iterable[str]) -> tuple[Entry, ...]:
    found = []
    for engine in engines:
        entry = next(each for each in ORDER if each.engine.endswith(engine))
        found.append(msgspec.structs.replace(entry, steps=min(entry.steps, _STEPS), cpu=min(entry.cpu, 4)))
    return tuple(found)


def _is_proved(goal: Goal, claim: core.Term, run: Run) -> bool:
    """Whether a claim follows from the declarations of a goal."""
    task = Task(msgspec.structs.replace(goal, claim=claim, free=()))
    outcome = run(task, _chosen(_CHECKS), ("prove",), True)
    return outcome.answer is not None and outcome.answer.outcome == "proved"


def _shown(variables: tuple[core.Variable, ...], texts: Mapping[str, str]) -> Evidence:
    """The witness with these values; a carrier is named without its structure."""
    sorts = [
        core.Carrier(each.sort.name.rpartition("::")[2], each.sort.arguments)
        if isinstance(each.sort, core.Carrier)
        else each.sort
        for each in variables
    ]
    bindings = [
        Binding(each.name, sort_text(sort), texts[each.name])
        for each, sort in zip(variables, sorts, strict=True)
    ]
    return Evidence(kind="assignment", bindings=tuple(bindings))


def _functions(goal: Goal, variables: tuple[core.Variable, ...], run: Run) -> Evidence | None:
    """Functions by the terms that the engine `witnesses` finds, as the certificate has them."""
    answer = run(Task(goal), _chosen((":WITNESSES",)), ("prove",), True).answer
    if answer is None or answer.outcome != "proved":
        return None
    (step,) = decode_json(dict(answer.proof)["steps"], tuple[Step, ...])
    if not isinstance(step.proof, Ask) or len(step.proof.witnesses) != len(variables):
        return None
    vocabulary = Vocabulary(goal, operation_at())
    terms = [
        vocabulary.of_sort(data, each.sort, ())
        for each, data in zip(variables, step.proof.witnesses, strict=True)
    ]
    texts = {
        each.name: print_expression(expression_of(term)) for each, term in zip(variables, terms, strict=True)
    }
    return _shown(variables, texts)


# ── Under axioms ─────────────────────────────────────────────────────────────────────────────────────────────


def _under_axioms(
    goal: Goal, variables: tuple[core.Variable, ...], body: core.Term, search: Task, run: Run
) -> Evidence | None:
    """Values that a model shows, and constants that are declared, of which φ is proved."""
    for terms in _candidates(goal, variables, search, run):
        values = {each.name: term for each, term in zip(variables, terms, strict=True)}
        if _is_proved(goal, substitute(body, values), run):
            return _shown(variables, {name: _text(term) for name, term in values.items()})
    return None


def _candidates(
    goal: Goal, variables: tuple[core.Variable, ...], search: Task, run: Run
) -> Iterator[tuple[core.Term, ...]]:
    formulas = [each.formula for each in goal.axioms]
    formulas += [] if search.goal.claim is None else [search.goal.claim]
    written = [each.value for each in subterms(*formulas) if isinstance(each, core.LiteralTerm)]
    choices: list[list[core.Term]] = []
    for variable in variables:
        constants = [each for each in goal.symbols if not each.domain and each.codomain == variable.sort]
        literals = (_literal(each, variable.sort) for each in dict.fromkeys(written))
        terms: list[core.Term] = [core.SymbolCall(each, ()) for each in constants]
        choices.append(terms + [each for each in literals if each is not None])
    yield from islice(product(*choices), _CANDIDATES)
    if any(not isinstance(each.sort, core.Numeric | core.Basic) for each in variables):
        return
    outcome = run(search, _chosen(_SEARCHES[1:]), ("prove",), False)
    found = outcome.answer.witness if outcome.answer is not None else None
    if isinstance(found, Witness):
        values = [_literal(found.assignment.get(each.name), each.sort) for each in variables]
        if None not in values:
            yield tuple(each for each in values if each is not None)


def _literal(value: Value | None, sort: core.Sort) -> core.Term | None:
    """A value as a literal of a sort; None where it is none of it."""
    match sort:
        case core.Numeric(name=name) if isinstance(value, int | Fraction) and not isinstance(value, bool):
            whole = isinstance(value, int)
            belongs = whole and value >= 0 if name == "ℕ" else whole or name != "ℤ"
            return core.LiteralTerm(value, sort) if belongs else None
        case core.BOOL if isinstance(value, bool):
            return core.LiteralTerm(value, sort)
        case core.STRING if isinstance(value, str):
            return core.LiteralTerm(value, sort)
        case _:
            return None


def _text(term: core.Term) -> str:
    if isinstance(term, core.SymbolCall):
        return term.symbol.name.rpartition("::")[2]
    assert isinstance(term, core.LiteralTerm)
    return render_value(term.value)


# ── Roots of polynomials ─────────────────────────────────────────────────────────────────────────────────────


def _roots(
    goal: Goal, variables: tuple[core.Variable, ...], body: core.Term, search: Task, run: Run
) -> Evidence | None:
    if any(each.sort != core.REAL for each in variables):
        return None
    outcome = run(search, (_POINTS,), ("refute",), False)
    point = outcome.answer.witness if outcome.answer is not None else None
    if not isinstance(point, Point):
        return None
    named = dict(point.coordinates)
    if any(isinstance(each, Root) and not each.exists for each in named.values()):
        return None
    places = [_place(each, named[each.name]) for each in variables]
    there = core.Connective("implies", (core.Connective("and", tuple(places)), body))
    if not _is_proved(goal, core.Quantifier("forall", variables, there), run):
        return None
    return _shown(variables, {name: number_text(each) for name, each in named.items()})


def _place(variable: core.Variable, coordinate: Fraction | Root) -> core.Term:
    """That a variable is the number, or a root of the polynomial between the ends of the interval."""
    if isinstance(coordinate, Fraction):
        return core.Equals(variable, _real(coordinate))
    value: core.Term = _real(coordinate.coefficients[-1])
    for each in reversed(coordinate.coefficients[:-1]):
        value = _real_operation("plus", _real_operation("times", value, variable), _real(each))
    return core.Connective(
        "and",
        (
            core.Equals(value, _real(Fraction(0))),
            _real_operation("less_than", _real(coordinate.low), variable, core.BOOL),
            _real_operation("less_than", variable, _real(coordinate.high), core.BOOL),
        ),
    )


def _real(value: Fraction) -> core.Term:
    return core.LiteralTerm(value.numerator if value.denominator == 1 else value, core.REAL)


def _real_operation(name: str, left: core.Term, right: core.Term, result: core.Sort = core.REAL) -> core.Term:
    parameters = (core.Variable("a", core.REAL), core.Variable("b", core.REAL))
    return core.BuiltinCall(core.Operation(name, parameters, result), (left, right))


# ── Roots as text ────────────────────────────────────────────────────────────────────────────────────────────


def number_text(coordinate: Fraction | Root) -> str:
    if isinstance(coordinate, Fraction):
        return str(coordinate)
    return _radical(coordinate) or _quadratic(coordinate) or _isolated(coordinate)


def _radical(root: Root) -> str:
    """An nth root of a fraction, n > 2; empty for another polynomial."""
    degree = len(root.coefficients) - 1
    if degree < 3 or any(root.coefficients[1:-1]):
        return ""
    power = -root.coefficients[0] / root.coefficients[-1]
    negative = root.high <= 0
    if root.low < 0 < root.high or (power < 0) != (negative and degree % 2 == 1):
        return ""
    text = f"{_base(abs(power))}^(1/{degree})"
    return f"-({text})" if negative else text


def _base(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"({value})"


def _quadratic(root: Root) -> str:
    """A root of a quadratic polynomial, as ``(a + b·√c)/d``; empty for another one."""
    if len(root.coefficients) != 3:
        return ""
    c, b, a = root.coefficients
    middle = -b / (2 * a)
    if not (root.high <= middle or root.low >= middle):
        return ""
    square = middle * middle - c / a
    factor, under = _without_squares(square.numerator * square.denominator)
    scale = Fraction(factor, square.denominator)
    bottom = lcm(middle.denominator, scale.denominator)
    whole, times = int(middle * bottom), int(scale * bottom)
    sign = "-" if root.high <= middle else "+"
    radical = f"√{under}" if times == 1 else f"{times}*√{under}"
    top = f"{whole} {sign} {radical}" if whole else (f"-{radical}" if sign == "-" else radical)
    if bottom == 1:
        return top
    return f"({top})/{bottom}" if whole else f"{top}/{bottom}"


_LARGEST_DIVISOR = 1_000


def _without_squares(number: int) -> tuple[int, int]:
    """``(f, r)`` with number = f²·r, where small squares are taken out of r."""
    factor = 1
    for each in range(2, min(isqrt(number), _LARGEST_DIVISOR) + 1):
        while number % (each * each) == 0:
            number //= each * each
            factor *= each
    return factor, number


def _isolated(root: Root) -> str:
    """Any root: its polynomial, and two decimal fractions that it is between."""
    terms: list[str] = []
    for degree in range(len(root.coefficients) - 1, -1, -1):
        coefficient = root.coefficients[degree]
        if coefficient:
            terms.append(_monomial(coefficient, degree, first=not terms))
    return f"a root of {' '.join(terms)} between {_decimal(root.low, 0)} and {_decimal(root.high, 1)}"


def _monomial(coefficient: Fraction, degree: int, *, first: bool) -> str:
    size = abs(coefficient)
    power = "" if degree == 0 else "t" if degree == 1 else f"t^{degree}"
    text = f"{size}*{power}" if power and size != 1 else power or str(size)
    negative = coefficient < 0
    if first:
        return f"-{text}" if negative else text
    return f"- {text}" if negative else f"+ {text}"


_PLACES = 6


def _decimal(value: Fraction, up: int) -> str:
    """A decimal fraction at most 10⁻⁶ away, below the value, or above it where `up` is 1."""
    scaled = value.numerator * 10**_PLACES // value.denominator + up
    return f"{'-' if scaled < 0 else ''}{abs(scaled) // 10**_PLACES}.{abs(scaled) % 10**_PLACES:0{_PLACES}}"
