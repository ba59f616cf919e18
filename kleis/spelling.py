"""The known names nearest to an unknown one, for hints.

Invariant: the answer depends only on the set of candidates, not on their order.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["nearest", "suggestion"]

_CUTOFF = 0.7
"""The least similarity (`difflib` ratio) of a suggestion."""

_LONGEST = 60
"""Longer names are not compared: the comparison is quadratic in their length."""

_MANY = 3000
"""Of more candidates only those with the same first and last character are compared."""


def nearest(name: str, candidates: Iterable[str], *, limit: int = 3) -> tuple[str, ...]:
    """At most `limit` candidates similar to `name`, the most similar first.

    >>> nearest("Bol", ["Bool", "Ball", "String"])
    ('Bool',)
    >>> nearest("Some", ["some", "None"])
    ('some',)
    """
    if len(name) > _LONGEST:
        return ()
    possible = sorted({each for each in candidates if each != name and abs(len(each) - len(name)) <= 3})
    folded = name.casefold()
    if len(possible) > _MANY:
        possible = [each for each in possible if each[:1] == name[:1] and each[-1:] == name[-1:]]
    same = [each for each in possible if each.casefold() == folded]
    if same:
        return tuple(same[:limit])
    import difflib  # for mistakes only

    close = difflib.get_close_matches(name, possible, n=limit, cutoff=_CUTOFF)
    return tuple(close or [each for each in possible if _one_letter_apart(name, each)][:limit])


def _one_letter_apart(a: str, b: str) -> bool:
    """Whether two names of three letters or more differ in one letter."""
    return len(a) == len(b) >= 3 and sum(x != y for x, y in zip(a, b, strict=True)) == 1


def suggestion(name: str, candidates: Iterable[str], *, otherwise: str = "") -> str:
    """A hint that names the nearest spellings, or `otherwise` where nothing is near.

    >>> suggestion("lenght", ["length", "head"])
    'did you mean length?'
    """
    found = nearest(name, candidates)
    return f"did you mean {' or '.join(found)}?" if found else otherwise
