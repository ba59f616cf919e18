"""Whether an equation holds in all groups: both sides reduce to the same word of the free group."""

from __future__ import annotations

from typing import Any

from kleis.explore.equations import Equation

__all__ = ["holds_in_groups"]


def holds_in_groups(equation: Equation) -> bool:
    """Whether an equation over `•`, `inv` and `e` holds in every group."""
    return _word(equation.left) == _word(equation.right)


def _word(term: Any) -> tuple[tuple[int, int], ...]:
    """The reduced word: letters with exponents 1 and -1."""
    match term:
        case int():
            return ((term, 1),)
        case ("e",):
            return ()
        case ("inv", part):
            return tuple((letter, -sign) for letter, sign in reversed(_word(part)))
        case (_, left, right):
            word = list(_word(left))
            for letter, sign in _word(right):
                if word and word[-1] == (letter, -sign):
                    word.pop()
                else:
                    word.append((letter, sign))
            return tuple(word)
        case _:
            raise AssertionError(f"no term of a group: {term}")
