"""Constant regular expressions, classes of characters and lengths as languages.

See docs/reference/certificates.md §3.7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kleis import core
from kleis.builtins.regular import regex
from kleis.builtins.regular.regex import ANY, EMPTY, FULL, NONE, Node

__all__ = ["CLASSES", "LENGTH", "SEARCHES", "Unfold", "bare", "language", "of_length"]

LENGTH = 10_000
"""The greatest length in a comparison, and the greatest bound of a loop."""

Unfold = Callable[["core.Let | core.DefinitionCall"], core.Term]
"""The body that a `let` or a call of a definition means."""


def language(term: core.Term, unfold: Unfold) -> Node | None:
    """The language of a constant regular expression; None for one that depends on a variable."""
    match term:
        case core.LiteralTerm(value=str() as text):
            return ("text", text)
        case core.Let() | core.DefinitionCall():
            return language(unfold(term), unfold)
        case core.BuiltinCall(operation=operation, arguments=arguments):
            return _built(operation.name, arguments, unfold)
        case _:
            return None


def _built(name: str, arguments: tuple[core.Term, ...], unfold: Unfold) -> Node | None:
    match name:
        case "re_range":
            low, high = (each.value if isinstance(each, core.LiteralTerm) else None for each in arguments)
            if not isinstance(low, str) or not isinstance(high, str):
                return None
            return ("range", low[0], high[0]) if low[0] <= high[0] else NONE
        case "re_loop":
            part = language(arguments[0], unfold)
            bounds = [bare(each) for each in arguments[1:]]
            if part is None or not all(isinstance(each, core.LiteralTerm) for each in bounds):
                return None
            least, most = (each.value for each in bounds if isinstance(each, core.LiteralTerm))
            if type(least) is not int or type(most) is not int or most > LENGTH:
                return None
            return regex.loop(part, max(least, 0), most if most >= 0 else -1)
        case _ if name in _CONSTRUCTORS:
            parts = [language(each, unfold) for each in arguments]
            known = [each for each in parts if each is not None]
            return _CONSTRUCTORS[name](*known) if len(known) == len(parts) else None
        case _:
            return None


_CONSTRUCTORS: Mapping[str, Callable[..., Node]] = {
    "re_literal": lambda part: part,
    "re_star": lambda part: regex.loop(part, 0, None),
    "re_plus": lambda part: regex.loop(part, 1, None),
    "re_option": lambda part: regex.unite(EMPTY, part),
    "re_concat": regex.join,
    "re_union": regex.unite,
    "re_intersect": regex.meet,
    "re_complement": regex.negated,
    "re_full": lambda: FULL,
    "re_empty": lambda: NONE,
    "re_allchar": lambda: ANY,
}

_DIGITS: Node = ("range", "0", "9")
_LETTERS: Node = regex.unite(("range", "a", "z"), ("range", "A", "Z"))
CLASSES: Mapping[str, Node] = {
    "isAscii": regex.loop(("range", " ", "~"), 0, None),
    "isDigits": regex.loop(_DIGITS, 1, None),
    "isAlpha": regex.loop(_LETTERS, 1, None),
    "isAlphaNum": regex.loop(regex.unite(_LETTERS, _DIGITS), 1, None),
}


SEARCHES: Mapping[str, tuple[bool, bool]] = {
    "contains": (True, True),
    "hasPrefix": (False, True),
    "hasSuffix": (True, False),
    "str_eq": (False, False),
}
"""For each search, whether anything may stand before and behind the string sought."""


def bare(term: core.Term) -> core.Term:
    """The term below coercions."""
    while isinstance(term, core.Coercion):
        term = term.term
    return term


def of_length(name: str, bound: int) -> Node:
    """The texts whose length compares so with a number."""
    match name:
        case "equals":
            return regex.loop(ANY, bound, bound) if bound >= 0 else NONE
        case "less_than":
            return regex.loop(ANY, 0, bound - 1) if bound > 0 else NONE
        case "leq":
            return regex.loop(ANY, 0, bound) if bound >= 0 else NONE
        case "greater_than":
            return regex.loop(ANY, max(bound + 1, 0), None)
        case _:
            return regex.loop(ANY, max(bound, 0), None)
