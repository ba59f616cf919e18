"""Testers and selectors back to `match`.

Specification: proving.md §1 ("Definedness"); kleis/elaborate/expressions/match_elaboration.py, which this module turns round.

    if is_Some(o) ∧ v > 1 then a else undefined        is        match o { Some(v) if v > 1 => a }

A chain of conditionals whose conditions test one value is the cases of one `match`; what is below the last test is
its last case.  Selections of the value in a case are the names its pattern binds.

Invariants
    * `cases_of` answers only where reading the printed `match` again makes the same tests in the same order; what
      is not of that form is left to whoever asked (it then is an `if`).
    * No pattern has more constructors than were tested, but for those without siblings, and for the last case,
      which is not tested: there the constructors come from the selections in its body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from kleis.core import (
    BOOL,
    Coercion,
    Conditional,
    Connective,
    Constructor,
    Discrimination,
    Equals,
    Let,
    LiteralTerm,
    Selection,
    Term,
    Undefined,
    Variable,
)
from kleis.core.sort_operations import join_sorts
from kleis.core.traversal import bound_by, parts
from kleis.delaborate.print_types import has_numeral, numeral
from kleis.syntax.tree import (
    AsPattern,
    Boolean,
    Case,
    ConstructorPattern,
    Expression,
    LiteralPattern,
    Match,
    Name,
    Number,
    Pattern,
    Text,
    VariablePattern,
    WildcardPattern,
)

__all__ = ["Arm", "Arms", "Shape", "cases_of", "let_shape", "pattern_of", "selecting", "testing"]


class Shape:
    """A pattern being found: what is known of the value at a place, and the selections that need a name."""

    def __init__(self, value: Term) -> None:
        self.value = value
        self.constructor: Constructor | None = None
        self.literal: LiteralTerm | None = None
        self.fields: list[Shape] = []
        self.named = False

    def open(self, constructor: Constructor) -> None:
        """Let the value be made by a constructor."""
        self.constructor = constructor
        self.fields = [
            Shape(Selection(constructor, index, self.value)) for index in range(len(constructor.fields))
        ]

    def find(self, value: Term, *, opening: bool = False) -> Shape | None:
        """The place of a part of the value; None if the pattern does not reach it.

        Constructors without siblings are opened on the way, and with `opening` all.
        """
        if value == self.value:
            return self
        if not isinstance(value, Selection):
            return None
        above = self.find(value.term, opening=opening)
        if above is None or above.literal is not None:
            return None
        if above.constructor is None and (opening or value.constructor.alone):
            above.open(value.constructor)
        return above.fields[value.index] if above.constructor == value.constructor else None

    def tests(self) -> Iterator[Term]:
        """The tests that reading the pattern makes, in order."""
        test = _literal_test(self.value, self.literal) if self.literal is not None else None
        if test is not None:
            yield test
        if self.constructor is not None:
            if not self.constructor.alone:
                yield Discrimination(self.constructor, self.value)
            for field in self.fields:
                yield from field.tests()

    def names(self) -> Iterator[Shape]:
        """The places that need a name, in order."""
        if self.named:
            yield self
        for field in self.fields:
            yield from field.names()


class Arm(msgspec.Struct, frozen=True):
    """A case: its pattern, its guard and its body."""

    shape: Shape
    guard: Term | None
    body: Term


class Arms(msgspec.Struct, frozen=True):
    """A `match`: the value and the cases.  If it is `partial`, what is after the last case is undefined; else the
    last case is not tested."""

    scrutinee: Term
    arms: tuple[Arm, ...]
    partial: bool


# ── Finding the cases ────────────────────────────────────────────────────────────────────────────────────────


def cases_of(term: Conditional, known: Collection[Term]) -> Arms | None:
    """A chain of conditionals as the cases of a `match`; None if it is an `if`.

    `known` are the selections that have a name already.
    """
    chain, end = _chain(term)
    partial = isinstance(end, Undefined)
    root = _scrutinee(chain, known, partial=partial)
    if root is None:
        return None
    arms: list[Arm] = []
    for link in chain:
        arm = _arm(link, root)
        if arm is None and partial and not _takes_apart(link, root, known):
            arm = Arm(Shape(root), link.condition, link.consequent)
        if arm is None:
            end, partial = link, False
            break
        _name_parts(
            arm.shape, known, (*([arm.guard] if arm.guard is not None else []), arm.body), opening=False
        )
        arms.append(arm)
    if not arms:
        return None
    if not partial:
        last = Shape(root)
        _name_parts(last, known, (end,), opening=True)
        arms.append(Arm(last, None, end))
    return Arms(root, tuple(arms), partial)


def let_shape(term: Let, known: Collection[Term]) -> Shape | None:
    """The pattern of a `let` that takes its value apart; None if the value is used as a whole."""
    shape = Shape(term.variable)
    _name_parts(shape, known, (term.body,), opening=False)
    return shape if shape.constructor is not None and not _whole(term.body, term.variable) else None


def _whole(term: Term, variable: Variable) -> bool:
    """Whether a variable is used other than in selections from constructors without siblings."""
    if isinstance(term, Selection) and term.term == variable and term.constructor.alone:
        return False
    return term == variable or any(_whole(part, variable) for part in parts(term))


def _chain(term: Conditional) -> tuple[list[Conditional], Term]:
    """The conditionals along the alternatives, and what comes after the last."""
    chain: list[Conditional] = []
    rest: Term = term
    while isinstance(rest, Conditional):
        chain.append(rest)
        rest = rest.alternative
    return chain, rest


def _conjuncts(condition: Term) -> list[Term]:
    """The parts of ((a ∧ b) ∧ c), in order."""
    found: list[Term] = []
    while isinstance(condition, Connective) and condition.name == "and" and len(condition.arguments) == 2:
        condition, last = condition.arguments
        found.append(last)
    return [condition, *reversed(found)]


def _scrutinee(chain: Sequence[Conditional], known: Collection[Term], *, partial: bool) -> Term | None:
    """The value that a chain is about."""
    for test in _conjuncts(chain[0].condition):
        if isinstance(test, Discrimination):
            return _root(test.term, known)
    if not partial:
        return None
    for test in _conjuncts(chain[0].condition):
        tested = _literal_of(test)
        if tested is not None:
            return _root(tested[0], known)
    free = (each for link in chain for each in _variables(link.condition))
    return next(free, None)


def _root(value: Term, known: Collection[Term]) -> Term:
    while isinstance(value, Selection) and value not in known and value.constructor.alone:
        value = value.term
    return value


def _takes_apart(link: Conditional, root: Term, known: Collection[Term]) -> bool:
    """Whether what begins here is more than a guard: a `match` of its own, or the body of a case not tested."""
    if any(isinstance(test, Discrimination) for test in _conjuncts(link.condition)):
        return True
    shape = Shape(root)
    _name_parts(shape, known, (link,), opening=True)
    return shape.constructor is not None


def _variables(term: Term, bound: frozenset[str] = frozenset()) -> Iterator[Variable]:
    if isinstance(term, Variable) and term.name not in bound:
        yield term
    inner = bound | {variable.name for variable in bound_by(term)}
    for part in parts(term):
        yield from _variables(part, inner)


def _arm(link: Conditional, root: Term) -> Arm | None:
    """A conditional as a case for a value: all its tests but perhaps the last, which then is the guard."""
    tests = _conjuncts(link.condition)
    for count in (len(tests), len(tests) - 1):
        shape = _shape(root, tests[:count]) if count else None
        if shape is not None:
            return Arm(shape, tests[count] if count < len(tests) else None, link.consequent)
    return None


def _shape(root: Term, tests: Sequence[Term]) -> Shape | None:
    """The pattern that makes exactly these tests of a value."""
    shape = Shape(root)
    for test in tests:
        if isinstance(test, Discrimination):
            place = shape.find(test.term)
            if place is None or place.constructor is not None:
                return None
            place.open(test.constructor)
        else:
            tested = _literal_of(test)
            place = shape.find(tested[0]) if tested is not None else None
            if tested is None or place is None or place.constructor is not None:
                return None
            place.literal = tested[1]
    return shape if list(shape.tests()) == list(tests) else None


def _literal_of(test: Term) -> tuple[Term, LiteralTerm] | None:
    """The value and the literal of a test that a literal pattern makes."""
    if test.sort == BOOL and isinstance(test, Variable | Selection):
        return test, LiteralTerm(True, BOOL)
    if (
        isinstance(test, Connective)
        and test.name == "not"
        and isinstance(test.arguments[0], Variable | Selection)
    ):
        return test.arguments[0], LiteralTerm(False, BOOL)
    if not isinstance(test, Equals):
        return None
    value, literal = _uncoerced(test.left), _uncoerced(test.right)
    if not isinstance(value, Variable | Selection) or not isinstance(literal, LiteralTerm):
        return None
    if isinstance(literal.value, bool) or not (isinstance(literal.value, str) or has_numeral(literal.value)):
        return None
    return (value, literal) if _literal_test(value, literal) == test else None


def _uncoerced(term: Term) -> Term:
    return term.term if isinstance(term, Coercion) else term


def _literal_test(value: Term, literal: LiteralTerm) -> Term | None:
    """The test that a literal pattern makes of a value."""
    if value.sort == BOOL:
        return value if literal.value else Connective("not", (value,))
    together = join_sorts(value.sort, literal.sort)
    if together is None:
        return None
    left = value if value.sort == together else Coercion(value, together)
    return Equals(left, literal if literal.sort == together else Coercion(literal, together))


def _name_parts(shape: Shape, known: Collection[Term], terms: Sequence[Term], *, opening: bool) -> None:
    """Note which parts of the value a guard and a body use.

    With `opening` the case is not tested, and its constructors are those of the selections; but what a condition
    further inside tests is taken apart there.
    """

    def visit(term: Term, closed: frozenset[Term]) -> None:
        if isinstance(term, Selection) and term not in known and _starts_at(term, shape.value):
            free = opening and not any(part in closed for part in _path(term.term))
            place = shape.find(term, opening=free)
            if place is not None:
                place.named = True
                return
        if opening and isinstance(term, Conditional):
            tests = _conjuncts(term.condition)
            closed = closed | {test.term for test in tests if isinstance(test, Discrimination)}
        for part in parts(term):
            visit(part, closed)

    for term in terms:
        visit(term, frozenset())


def _path(term: Term) -> Iterator[Term]:
    yield term
    while isinstance(term, Selection):
        term = term.term
        yield term


def _starts_at(term: Selection, root: Term) -> bool:
    return any(each == root for each in _path(term.term))


# ── Writing patterns ─────────────────────────────────────────────────────────────────────────────────────────


def pattern_of(shape: Shape, names: Mapping[Term, str]) -> Pattern:
    """The pattern; `names` has the name of every place that needs one."""
    pattern: Pattern
    if shape.literal is not None:
        pattern = LiteralPattern(_literal(shape.literal.value))
    elif shape.constructor is not None:
        fields = tuple([pattern_of(field, names) for field in shape.fields])
        pattern = ConstructorPattern(shape.constructor.name, fields)
    else:
        return VariablePattern(names[shape.value]) if shape.named else WildcardPattern()
    return AsPattern(pattern, names[shape.value]) if shape.named else pattern


def _literal(value: bool | int | Fraction | str) -> Boolean | Number | Text:
    if isinstance(value, bool):
        return Boolean(value)
    return Text(value) if isinstance(value, str) else Number(numeral(value))


def testing(constructor: Constructor, value: Expression) -> Expression:
    """Whether a value was made by a constructor, where no `match` around says it."""
    fields = tuple(WildcardPattern() for _ in constructor.fields)
    yes = Case(ConstructorPattern(constructor.name, fields), None, Boolean(True))
    return Match(value, (yes,) if constructor.alone else (yes, Case(WildcardPattern(), None, Boolean(False))))


def selecting(constructor: Constructor, index: int, value: Expression) -> Expression:
    """A field of a value, where no `match` around names it."""
    fields: list[Pattern] = [WildcardPattern() for _ in constructor.fields]
    fields[index] = VariablePattern("part")
    return Match(value, (Case(ConstructorPattern(constructor.name, tuple(fields)), None, Name("part")),))
