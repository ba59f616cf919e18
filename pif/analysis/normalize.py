"""`normalize`: an equivalent term in canonical form (pif-language.md §2, "normalize").

Passes of `reduction` are made until one changes nothing; then the binders are named by nesting. Each pass that changes
a term makes it smaller, or no larger and with its `let`s further out or its leaves simpler, so the passes end and the
result is never larger than the argument. The last pass changed nothing, and no rule looks at a name: that is why a
second `normalize` changes nothing and why alpha-variants coincide.
"""

from __future__ import annotations

from collections.abc import Callable

from pif.analysis.binders import closed, opened
from pif.analysis.normal_form.normalize import reduced
from pif.language.terms import Term, same_term

__all__ = ["normalize"]


def normalize(term: Term, visit: Callable[[int], None]) -> Term:
    """The canonical form of a term.

    `visit` is told the number of nodes before each pass over them; what it raises stops the work and is passed on.
    """
    visit(term.nodes)
    current = opened(term)
    while True:
        following = reduced(current)
        if same_term(following, current):
            break
        current = following
        visit(current.nodes)
    visit(current.nodes)
    return closed(current)
