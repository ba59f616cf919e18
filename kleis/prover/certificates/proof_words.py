"""Proofs in words: which premises, in which order, by which substitution.

See docs/reference/proving.md §5.12.  What is read is what a certificate has (`kleis.prover.checker.format`), so the words
are about the proof that the checker checks:

    rewriting    a chain of equal terms, each step with the equation that it uses and its variables' values
    induction    on what, the cases, and what each case uses
    ask          the premises from which a solver shows it
    enclosures   rational bounds of both sides
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import subterms
from kleis.delaborate.describe_goal import expression_of
from kleis.errors import BudgetError
from kleis.prover.checker.format import (
    Ask,
    Case,
    Clausal,
    Enclosures,
    Evaluation,
    Identity,
    Induction,
    Law,
    Link,
    Proof,
    RationalRoots,
    RegularLanguages,
    Remainders,
    Rewrite,
    Rewriting,
    SignChange,
    Step,
    Subdivision,
    Witnesses,
)
from kleis.prover.checker.read_terms import Vocabulary
from kleis.prover.checker.rules.equation_terms import (
    FALSE,
    TRUE,
    Term,
    functions_in,
    instance,
    matched,
    part_at,
    put,
    variables_in,
)
from kleis.prover.checker.rules.unit_equations import CLAIM, LOGIC, Problem
from kleis.prover.checker.rules.witnesses import existence
from kleis.prover.checker.sequent import CheckError, Sequent
from kleis.prover.engines.completion.certified import sequent_of
from kleis.prover.evidence import operation_at
from kleis.prover.protocol.engine import Task
from kleis.semantics.enclosures import ORDERS, Encloser
from kleis.semantics.models import Model, evaluator_of
from kleis.semantics.ranges import Bounds
from kleis.semantics.reference import Account
from kleis.syntax.printer.program import print_expression

__all__ = ["proof_words"]

_MOST = 40
"""Lines of one proof."""

_LONGEST = 160
"""Characters of a line."""

_DIGITS = 12
"""Decimal digits of the bounds that are shown."""


def proof_words(task: Task, steps: Sequence[Step], names: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The steps of a proof, a line each.

    `names` says what lemmas of the task are called.  What a proof has no words for is left out; a long one is cut, and says so.
    """
    called = dict(names or {})
    lines: list[str] = []
    for place, step in enumerate(steps, 1):
        shown = _shown(task, step)
        last = place == len(steps)
        head = "the claim" if last else f"step {place}, {shown}" if shown else f"step {place}"
        try:
            own = list(_proof(task, step.proof, called))
        except CheckError:
            own = []
        if len(own) == 1 and not isinstance(step.proof, Rewriting):
            lines.append(f"{head}: {own[0]}")
        elif own:
            lines += [f"{head}:", *(f"  {each}" for each in own)]
    short = [each if len(each) <= _LONGEST else each[: _LONGEST - 1] + "…" for each in lines]
    left = len(short) - _MOST
    return (*short[:_MOST], *((f"… and {left} lines more",) if left > 0 else ()))


def _shown(task: Task, step: Step) -> str:
    if step.shows is None:
        return ""
    try:
        formula = Vocabulary(task.goal, operation_at()).of_sort(step.shows, core.BOOL, ())
    except CheckError:
        return ""
    return print_expression(expression_of(formula))


def _proof(task: Task, proof: Proof, names: Mapping[str, str]) -> Iterator[str]:
    match proof:
        case Ask():
            yield _asked(proof, names)
        case Induction():
            yield from _induction(proof, names)
        case Witnesses():
            yield f"with {_witnesses(task, proof)} for what is said to exist"
            yield from _proof(task, proof.proof, names)
        case Rewriting():
            yield from _Chain(sequent_of(task), proof, names).lines()
        case Evaluation():
            yield "computed: every value that it speaks of was tried, and it is true of each"
        case Enclosures():
            yield from _enclosed(task.goal, proof.precision)
        case Identity():
            needed = f", where {names.get(proof.given, proof.given)} holds" if proof.given else ""
            yield f"both sides are one quotient of polynomials{needed}"
        case Law():
            yield f"the law {proof.name} of the built-in functions"
        case Remainders():
            yield "it depends on remainders alone, and is true of all of them"
        case RationalRoots():
            yield "none of the rational numbers that could solve the equation does"
        case Subdivision():
            yield f"true in each of the boxes that make up its intervals ({proof.precision} binary digits)"
        case SignChange():
            yield f"the sides change their order between {proof.low} and {proof.high}, and are continuous there"
        case Clausal():
            count = sum(len(each.inferences) for each in proof.derivations)
            given = ", ".join(names.get(each, each) for each in proof.given) or "the claim alone"
            yield f"{count} inferences from clauses of {given} and of the negated claim lead to a contradiction"
        case RegularLanguages():
            yield "every way in which it could fail needs a text in a language without texts"


def _witnesses(task: Task, proof: Witnesses) -> str:
    """The values, as Kleis text."""
    assert task.goal.claim is not None
    found = existence(task.goal, task.goal.claim)
    vocabulary = Vocabulary(task.goal, operation_at())
    values = (
        vocabulary.of_sort(data, each.sort, found.variables)
        for data, each in zip(proof.at, found.wanted, strict=True)
    )
    return ", ".join(print_expression(expression_of(each)) for each in values)


def _asked(proof: Ask, names: Mapping[str, str]) -> str:
    given = [names.get(each, each) for each in proof.given]
    taken = dict.fromkeys(each.of for each in proof.instances)
    given += [
        f"{names.get(each, each)} where the recursion goes on" for each in taken if each not in proof.given
    ]
    if not given:
        return "from the definitions alone, by a solver"
    return f"from {', '.join(given)}, by a solver"


def _induction(proof: Induction, names: Mapping[str, str]) -> Iterator[str]:
    kind = "induction on the length of" if proof.size and _is_list(proof) else "induction on"
    if proof.size and not _is_list(proof):
        kind = "induction on all smaller values of"
    yield f"by {kind} {proof.on}"
    for case in proof.cases:
        if isinstance(case.proof, Ask):
            yield f"{_case(proof, case)}: {_asked(case.proof, names)}"
        elif isinstance(case.proof, Induction):
            inner = list(_induction(case.proof, names))
            yield f"{_case(proof, case)}: {inner[0]}"
            yield from (f"  {each}" for each in inner[1:])


def _is_list(proof: Induction) -> bool:
    return [each.name for each in proof.cases] == ["Nil", "Cons"]


def _case(proof: Induction, case: Case) -> str:
    if proof.by == 0:
        return f"{proof.on} = {case.name}" if case.name == "Nil" else f"{proof.on} made by {case.name}"
    return {"low": f"{proof.on} < {proof.start + proof.by}", "step": "the step"}.get(
        case.name, f"{proof.on} = {case.name}"
    )


# ── Enclosures ───────────────────────────────────────────────────────────────────────────────────────────────


def _enclosed(goal: Goal, precision: int) -> Iterator[str]:
    """Rational bounds of both sides of every comparison of the claim."""
    assert goal.claim is not None, "what is enclosed is a claim"
    bounds = Bounds()
    account = Account(bounds.budget, precision)
    evaluator = evaluator_of(goal, Model({}, {}), bounds, "one-sided", account)
    definitions = {each.key: each for each in goal.definitions}
    encloser = Encloser(precision, account.charge, evaluator.outcome, definitions.get)
    for each in subterms(goal.claim):
        if isinstance(each, core.Equals):
            sides: tuple[core.Term, ...] = (each.left, each.right)
        elif isinstance(each, core.BuiltinCall) and each.operation.name in ORDERS:
            sides = each.arguments
        else:
            continue
        for side in sides:
            try:
                found = encloser.of(side, {})
            except BudgetError:
                return
            text = print_expression(expression_of(side))
            if found is not None and found[0] != found[1]:
                yield f"{text} lies between {_decimal(found[0], -1)} and {_decimal(found[1], 1)}"
    yield f"the bounds do not overlap ({precision} binary digits)"


def _decimal(value: Fraction, up: int) -> str:
    """A rational number to a few digits, rounded outwards: down, or `up`."""
    scaled = value * 10**_DIGITS
    whole = -((-scaled.numerator) // scaled.denominator) if up > 0 else scaled.numerator // scaled.denominator
    sign, digits = ("-" if whole < 0 else ""), str(abs(whole)).rjust(_DIGITS + 1, "0")
    return f"{sign}{digits[:-_DIGITS]}.{digits[-_DIGITS:]}"


# ── Chains of equations ──────────────────────────────────────────────────────────────────────────────────────


class _Chain:
    """The words of one rewriting proof."""

    def __init__(self, sequent: Sequent, proof: Rewriting, names: Mapping[str, str]) -> None:
        self._proof = proof
        self._given = [names.get(each, each) for each in proof.given]
        self._problem = Problem(sequent.with_premises(proof.given))
        self._signature = self._problem.signature
        self._variables = self._signature.read_variables(proof.variables)

    def lines(self) -> Iterator[str]:
        """What is supposed, then each link as a chain of equal terms; what only repeats an equation is left out."""
        for number, refutation in enumerate(self._proof.refutations):
            units = self._problem.units(number).units
            equations = [(each.left, each.right) for each in units]
            sources = [self._source(each.source) for each in units]
            for each in units:
                if each.source == CLAIM:
                    every = ", ".join(map(_letter, variables_in(each.left, each.right)))
                    yield f"suppose {self._equation(each.left, each.right)}" + (
                        every and f" for every {every}"
                    )
            said = 0
            for place, link in enumerate(refutation.links, 1):
                if link.reflects:
                    left, right = equations[link.reflects - 1]
                    sides = self._signature.equated(left if right == TRUE else right)
                    assert sides is not None, "the checker reads it so"
                    equations.append(sides)
                    sources.append(sources[link.reflects - 1])
                    continue
                ends, path, used = self._link(link, equations, sources)
                equations.append(ends)
                if len(used) == 1 and place < len(refutation.links):
                    sources.append(used[0])
                    continue
                said += 1
                sources.append(f"({said})")
                last = place == len(refutation.links)
                yield f"({said}) {'a contradiction' if last else self._equation(*ends)}, because"
                yield from (f"  {each}" for each in path)

    def _source(self, source: int) -> str:
        if source == CLAIM:
            return "the supposition"
        return "equality" if source == LOGIC else self._given[source]

    def _link(
        self, link: Link, equations: Sequence[tuple[Term, Term]], sources: Sequence[str]
    ) -> tuple[tuple[Term, Term], list[str], list[str]]:
        """The two ends of a chain; its terms from one end to the other; what its steps use."""
        start = self._signature.read(link.start, self._variables)
        ways: list[list[tuple[Term, _Used]]] = []
        for steps in (link.left, link.right):
            term = start
            way: list[tuple[Term, _Used]] = [(start, ("", {}))]
            for step in steps:
                term, by = self._rewritten(term, step, equations, sources)
                way.append((term, by))
            ways.append(way)
        left, right = ways
        backwards = [(term, by) for (term, _), (_, by) in zip(left[-2::-1], left[:0:-1], strict=True)]
        path = [*backwards, *right[1:]]
        first, last = left[-1][0], right[-1][0]
        letters = self._letters((first, *(term for term, _ in path)))
        said = [self._text(instance(first, letters))]
        for term, (name, values) in path:
            named = ((_letter(each), self._text(instance(value, letters))) for each, value in values.items())
            at = ", ".join(f"{letter} := {text}" for letter, text in named if letter != text)
            said.append(
                f"= {self._text(instance(term, letters))}   by {name}" + (f" with {at}" if at else "")
            )
        return (instance(first, letters), instance(last, letters)), said, [name for _, (name, _) in path]

    def _letters(self, terms: Sequence[Term]) -> dict[core.Variable, Term]:
        """Letters for the variables of a chain, other than the names of functions in it."""
        taken = {_plain(name) for name in functions_in(*terms)}
        letters = (
            each for each in (*"abcdfghuvw", *(f"a{place}" for place in range(1_000))) if each not in taken
        )
        return {
            each: core.Variable(letter, each.sort)
            for each, letter in zip(variables_in(*terms), letters, strict=False)
        }

    def _rewritten(
        self, term: Term, step: Rewrite, equations: Sequence[tuple[Term, Term]], sources: Sequence[str]
    ) -> tuple[Term, _Used]:
        number = abs(step.equation) - 1
        old, new = equations[number] if step.equation > 0 else reversed(equations[number])
        values: dict[core.Variable, Term] = dict(matched(self._signature, old, part_at(term, step.at)) or {})
        free = [each for each in variables_in(new) if each not in values]
        for variable, data in zip(free, step.values, strict=True):
            values[variable] = self._signature.read(data, self._variables)
        return put(term, step.at, instance(new, values)), (sources[number], values)

    # ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _equation(self, left: Term, right: Term) -> str:
        for one, other in ((left, right), (right, left)):
            equated = self._signature.equated(one)
            if equated is not None and other in (TRUE, FALSE):
                sides = " ≠ " if other == FALSE else " = "
                return sides.join(map(self._text, equated))
        return f"{self._text(left)} = {self._text(right)}"

    def _text(self, term: Term, *, inside: bool = False) -> str:
        if isinstance(term, core.Variable):
            return _letter(term)
        equated = self._signature.equated(term)
        name, arguments = (" = ", equated) if equated is not None else (_plain(term[0]), term[1:])
        if not arguments:
            return name
        if len(arguments) == 2 and not name.strip().isidentifier():
            text = f" {name.strip()} ".join(self._text(each, inside=True) for each in arguments)
            return f"({text})" if inside else text
        return f"{name}({', '.join(map(self._text, arguments))})"


_Used: TypeAlias = tuple[str, dict[core.Variable, Term]]
"""The name of an equation, and the values of its variables."""


def _letter(variable: core.Variable) -> str:
    """The name of a variable without the number that the reading gives it."""
    return variable.name.partition(".")[0]


def _plain(name: Any) -> str:
    """The name of a function as people write it: what was made for the claim's variables is called as they are."""
    return str(name).removeprefix("?").partition(" : ")[0]
