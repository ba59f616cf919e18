"""Testers and selectors back to `match`: the inverse of kleis/elaborate/expressions/match_elaboration.py.

    if is_Some(o) ∧ v > 1 then a else undefined        is        match o { Some(v) if v > 1 => a }

A chain of conditionals whose conditions test one value becomes the cases of one `match`; what is below the last test
is its last case.  Selections of the value in a case become the names that its pattern binds.

Invariants
    * `cases_of` answers only where elaborating the printed `match` makes the same tests in the same order; any other
      conditional is left to the caller, which prints an `if`.
    * No pattern has more constructors than were tested, but for those without siblings, and for the last case,
      which is not tested: there the constructors come from the selections in its body.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

import msgspec

from kleis import core
from kleis.core.sort_operations import join_sorts
from kleis.core.traversal import free_variables, parts
from kleis.delaborate.print_types import has_numeral, numeral
from kleis.syntax import tree

__all__ = ["Arm", "Arms", "Shape", "cases_of", "let_shape", "pattern_of", "selecting", "testing"]


class Shape:
    """A pattern being found: what is known of the value at a place, and the selections that need a name."""

    def __init__(self, value: core.Term) -> None:
        self.value = value
        self.constructor: core.Constructor | None = None
        self.literal: core.LiteralTerm | None = None
        self.fields: list[Shape] = []
        self.named = False

    def open(self, constructor: core.Constructor) -> None:
        """Make this the pattern of a constructor, with a place for each field."""
        self.constructor = constructor
        self.fields = [
            Shape(core.Selection(constructor, index, self.value)) for index in range(len(constructor.fields))
        ]

    def find(self, value: core.Term, *, opening: bool = False) -> Shape | None:
        """The place of a part of the value; None if the pattern does not reach it.

        Constructors without siblings are opened on the way, with `opening` all constructors.
        """
        if value == self.value:
            return self
        if not isinstance(value, core.Selection):
            return None
        above = self.find(value.term, opening=opening)
        if above is None or above.literal is not None:
            return None
        if above.constructor is None and (opening or value.constructor.alone):
            above.open(value.constructor)
        return above.fields[value.index] if above.constructor == value.constructor else None

    def tests(self) -> Iterator[core.Term]:
        """The tests that elaborating the pattern makes, in order."""
        test = _literal_test(self.value, self.literal) if self.literal is not None else None
        if test is not None:
            yield test
        if self.constructor is not None:
            if not self.constructor.alone:
                yield core.Discrimination(self.constructor, self.value)
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
    guard: core.Term | None
    body: core.Term


class Arms(msgspec.Struct, frozen=True):
    """A `match`: the value and the cases.

    If it is `partial`, the value is undefined where no case fits; else the last case is not tested.
    """

    scrutinee: core.Term
    arms: tuple[Arm, ...]
    partial: bool


# ── Finding the cases ────────────────────────────────────────────────────────────────────────────────────────


def cases_of(term: core.Conditional, known: Collection[core.Term]) -> Arms | None:
    """A chain of conditionals as the cases of a `match`; None if it is an `if`.

    `known` are the selections that have a name already.
    """
    chain, end = _chain(term)
    partial = isinstance(end, core.Undefined)
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


def let_shape(term: core.Let, known: Collection[core.Term]) -> Shape | None:
    """The pattern of a `let` that takes its value apart; None if the value is used as a whole."""
    shape = Shape(term.variable)
    _name_parts(shape, known, (term.body,), opening=False)
    return shape if shape.constructor is not None and not _whole(term.body, term.variable) else None


def _whole(term: core.Term, variable: core.Variable) -> bool:
    """Whether a variable is used other than in selections from constructors without siblings."""
    if isinstance(term, core.Selection) and term.term == variable and term.constructor.alone:
        return False
    return term == variable or any(_whole(part, variable) for part in parts(term))


def _chain(term: core.Conditional) -> tuple[list[core.Conditional], core.Term]:
    """The conditionals along the alternatives, and what comes after the last."""
    chain: list[core.Conditional] = []
    rest: core.Term = term
    while isinstance(rest, core.Conditional):
        chain.append(rest)
        rest = rest.alternative
    return chain, rest


def _conjuncts(condition: core.Term) -> list[core.Term]:
    """The parts of ((a ∧ b) ∧ c), in order."""
    found: list[core.Term] = []
    while (
        isinstance(condition, core.Connective) and condition.name == "and" and len(condition.arguments) == 2
    ):
        condition, last = condition.arguments
        found.append(last)
    return [condition, *reversed(found)]


def _scrutinee(
    chain: Sequence[core.Conditional], known: Collection[core.Term], *, partial: bool
) -> core.Term | None:
    """The value that a chain is about."""
    for test in _conjuncts(chain[0].condition):
        if isinstance(test, core.Discrimination):
            return _root(test.term, known)
    if not partial:
        return None
    for test in _conjuncts(chain[0].condition):
        tested = _literal_of(test)
        if tested is not None:
            return _root(tested[0], known)
    free = (each for link in chain for each in free_variables(link.condition))
    return next(free, None)


def _root(value: core.Term, known: Collection[core.Term]) -> core.Term:
    while isinstance(value, core.Selection) and value not in known and value.constructor.alone:
        value = value.term
    return value


def _takes_apart(link: core.Conditional, root: core.Term, known: Collection[core.Term]) -> bool:
    """Whether a conditional takes the value apart: a `match` of its own, or the body of a case that is not tested."""
    if any(isinstance(test, core.Discrimination) for test in _conjuncts(link.condition)):
        return True
    shape = Shape(root)
    _name_parts(shape, known, (link,), opening=True)
    return shape.constructor is not None


def _arm(link: core.Conditional, root: core.Term) -> Arm | None:
    """A conditional as a case for a value: all its tests, or all but the last, which then is the guard."""
    tests = _conjuncts(link.condition)
    for count in (len(tests), len(tests) - 1):
        shape = _shape(root, tests[:count]) if count else None
        if shape is not None:
            return Arm(shape, tests[count] if count < len(tests) else None, link.consequent)
    return None


def _shape(root: core.Term, tests: Sequence[core.Term]) -> Shape | None:
    """The pattern that makes exactly these tests of a value."""
    shape = Shape(root)
    for test in tests:
        if isinstance(test, core.Discrimination):
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


def _literal_of(test: core.Term) -> tuple[core.Term, core.LiteralTerm] | None:
    """The value and the literal of a test that a literal pattern makes."""
    if test.sort == core.BOOL and isinstance(test, core.Variable | core.Selection):
        return test, core.LiteralTerm(True, core.BOOL)
    if (
        isinstance(test, core.Connective)
        and test.name == "not"
        and isinstance(test.arguments[0], core.Variable | core.Selection)
    ):
        return test.arguments[0], core.LiteralTerm(False, core.BOOL)
    if not isinstance(test, core.Equals):
        return None
    value, literal = _uncoerced(test.left), _uncoerced(test.right)
    if not isinstance(value, core.Variable | core.Selection) or not isinstance(literal, core.LiteralTerm):
        return None
    if isinstance(literal.value, bool) or not (isinstance(literal.value, str) or has_numeral(literal.value)):
        return None
    return (value, literal) if _literal_test(value, literal) == test else None


def _uncoerced(term: core.Term) -> core.Term:
    return term.term if isinstance(term, core.Coercion) else term


def _literal_test(value: core.Term, literal: core.LiteralTerm) -> core.Term | None:
    """The test that a literal pattern makes of a value."""
    if value.sort == core.BOOL:
        return value if literal.value else core.Connective("not", (value,))
    together = join_sorts(value.sort, literal.sort)
    if together is None:
        return None
    left = value if value.sort == together else core.Coercion(value, together)
    return core.Equals(left, literal if literal.sort == together else core.Coercion(literal, together))


def _name_parts(
    shape: Shape, known: Collection[core.Term], terms: Sequence[core.Term], *, opening: bool
) -> None:
    """Mark the parts of the value that a guard and a body use as named.

    With `opening` the case is not tested, and its constructors are those of the selections; but a value that a
    condition further inside tests is taken apart there.
    """

    def visit(term: core.Term, closed: frozenset[core.Term]) -> None:
        if isinstance(term, core.Selection) and term not in known and _starts_at(term, shape.value):
            free = opening and not any(part in closed for part in _path(term.term))
            place = shape.find(term, opening=free)
            if place is not None:
                place.named = True
                return
        if opening and isinstance(term, core.Conditional):
            tests = _conjuncts(term.condition)
            closed = closed | {test.term for test in tests if isinstance(test, core.Discrimination)}
        for part in parts(term):
            visit(part, closed)

    for term in terms:
        visit(term, frozenset())


def _path(term: core.Term) -> Iterator[core.Term]:
    yield term
    while isinstance(term, core.Selection):
        term = term.term
        yield term


def _starts_at(term: core.Selection, root: core.Term) -> bool:
    return any(each == root for each in _path(term.term))


# ── Writing patterns ─────────────────────────────────────────────────────────────────────────────────────────


def pattern_of(shape: Shape, names: Mapping[core.Term, str]) -> tree.Pattern:
    """The pattern; `names` has the name of every place that needs one."""
    pattern: tree.Pattern
    if shape.literal is not None:
        pattern = tree.LiteralPattern(_literal(shape.literal.value))
    elif shape.constructor is not None:
        fields = tuple([pattern_of(field, names) for field in shape.fields])
        pattern = tree.ConstructorPattern(shape.constructor.name, fields)
    else:
        return tree.VariablePattern(names[shape.value]) if shape.named else tree.WildcardPattern()
    return tree.AsPattern(pattern, names[shape.value]) if shape.named else pattern


def _literal(value: bool | int | Fraction | str) -> tree.Boolean | tree.Number | tree.Text:
    if isinstance(value, bool):
        return tree.Boolean(value)
    return tree.Text(value) if isinstance(value, str) else tree.Number(numeral(value))


def testing(constructor: core.Constructor, value: tree.Expression) -> tree.Expression:
    """A test of a value's constructor, as a `match` of its own."""
    fields = tuple(tree.WildcardPattern() for _ in constructor.fields)
    yes = tree.Case(tree.ConstructorPattern(constructor.name, fields), None, tree.Boolean(True))
    return tree.Match(
        value,
        (yes,) if constructor.alone else (yes, tree.Case(tree.WildcardPattern(), None, tree.Boolean(False))),
    )


def selecting(constructor: core.Constructor, index: int, value: tree.Expression) -> tree.Expression:
    """A field of a value, as a `match` of its own."""
    fields: list[tree.Pattern] = [tree.WildcardPattern() for _ in constructor.fields]
    fields[index] = tree.VariablePattern("part")
    return tree.Match(
        value, (tree.Case(tree.ConstructorPattern(constructor.name, tuple(fields)), None, tree.Name("part")),)
    )
