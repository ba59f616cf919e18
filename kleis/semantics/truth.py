"""Truth in three values, and sets of truth values where not everything has been examined.

A formula is true, false or undefined.  An evaluation that examines a part of an infinite sort may leave several of the
three possible.  A `Truth` is the set of those that remain, so there are seven: the three themselves, `OPEN` (all three),
and the pairs. See docs/reference/proving.md §4.4.

    ``∀(x : ℝ). x / x = 1``  after 0 has been examined: false or undefined, but not true any more

An operation on sets is the operation on all combinations of members: nothing is assumed about what is not known, so a
set of one member is the truth value itself, whatever has not been examined.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = [
    "FALSE",
    "OPEN",
    "TRUE",
    "UNDEFINED",
    "Truth",
    "conjunction",
    "disjunction",
    "implication",
    "negation",
    "strict_equality",
    "truth_of",
    "union",
]


class Truth:
    """A set of possible truth values.  There are seven objects of this class; compare them with ``is``."""

    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        self.bits = bits

    @property
    def may_be_true(self) -> bool:
        """Whether ``true`` is possible."""
        return bool(self.bits & 1)

    @property
    def may_be_false(self) -> bool:
        """Whether ``false`` is possible."""
        return bool(self.bits & 2)

    @property
    def may_be_undefined(self) -> bool:
        """Whether *undefined* is possible."""
        return bool(self.bits & 4)

    @property
    def decided(self) -> bool:
        """Whether one truth value remains."""
        return self.bits in (1, 2, 4)

    def allows(self, other: Truth) -> bool:
        """Whether everything that `other` leaves possible is possible here too: `other` knows as much, or more."""
        return other.bits & ~self.bits == 0

    def __repr__(self) -> str:
        names = [name for bit, name in ((1, "true"), (2, "false"), (4, "undefined")) if self.bits & bit]
        return " or ".join(names)


_SETS = tuple(Truth(bits) for bits in range(8))
"""By their bits; the first one, which leaves nothing possible, is never an answer."""

TRUE, FALSE, UNDEFINED = _SETS[1], _SETS[2], _SETS[4]

OPEN = _SETS[7]
"""Any of the three: not decided within the bounds."""

_Value = bool | None


def _and(left: _Value, right: _Value) -> _Value:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _not(value: _Value) -> _Value:
    return None if value is None else not value


def _or(left: _Value, right: _Value) -> _Value:
    return _not(_and(_not(left), _not(right)))


def _implies(left: _Value, right: _Value) -> _Value:
    return _or(_not(left), right)


def _same(left: _Value, right: _Value) -> _Value:
    return None if left is None or right is None else left is right


_MEMBERS: dict[_Value, Truth] = {True: TRUE, False: FALSE, None: UNDEFINED}


def _members(truth: Truth) -> list[_Value]:
    return [value for value, single in _MEMBERS.items() if truth.bits & single.bits]


def union(*truths: Truth) -> Truth:
    """What is possible where any of these may be."""
    bits = 0
    for truth in truths:
        bits |= truth.bits
    return _SETS[bits]


def _lifted(operation: Callable[[_Value, _Value], _Value]) -> tuple[tuple[Truth, ...], ...]:
    """The operation on sets: all results of the operation on members."""
    return tuple(
        tuple(
            union(*(_MEMBERS[operation(a, b)] for a in _members(left) for b in _members(right)))
            for right in _SETS
        )
        for left in _SETS
    )


_CONJUNCTION = _lifted(_and)
_DISJUNCTION = _lifted(_or)
_IMPLICATION = _lifted(_implies)
_EQUALITY = _lifted(_same)
_NEGATION = tuple(union(*(_MEMBERS[_not(value)] for value in _members(truth))) for truth in _SETS)


def conjunction(left: Truth, right: Truth) -> Truth:
    """∧, strong Kleene: false as soon as one operand is."""
    return _CONJUNCTION[left.bits][right.bits]


def disjunction(left: Truth, right: Truth) -> Truth:
    """∨, strong Kleene: true as soon as one operand is."""
    return _DISJUNCTION[left.bits][right.bits]


def implication(left: Truth, right: Truth) -> Truth:
    """→, which is ¬left ∨ right."""
    return _IMPLICATION[left.bits][right.bits]


def negation(truth: Truth) -> Truth:
    """¬"""
    return _NEGATION[truth.bits]


def strict_equality(left: Truth, right: Truth) -> Truth:
    """↔ and = on Bool: undefined if a side is."""
    return _EQUALITY[left.bits][right.bits]


def truth_of(value: bool) -> Truth:
    """A truth value that is known."""
    return TRUE if value else FALSE
