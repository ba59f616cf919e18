"""Names inside normalisation: numbers for the binders that may be renamed, and back (pif-language.md §2 "normalize").

`opened` gives every binder that no live `eval` can see a number of its own, and its variables the same number. After
that no substitution can capture anything: two binders never share a name, and numbers never meet the names (strings)
that stayed. What an `eval` can see stays as it was written, whole. `closed` gives the numbers names again, by how
many renamed binders stand around each, so that terms that differ only in such names come out the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from pif.language.terms import Term, make

__all__ = ["Census", "closed", "opened"]


def inner_level(term: Term, level: int) -> int:
    """The level of a term's parts: quotes less unquotes around them. At level 0 a term is code, above it is data."""
    if term.op == "quote":
        return level + 1
    if term.op == "unquote":
        return level - 1
    return level


class Census:
    """One walk over a term: what a pass must know of it beforehand.

    `uses` and `calls`: how often each numbered variable occurs, and how often as the function part of an `app`.
    `evaluating` and `reentrant`: the ids of the nodes in which, as code, an `eval` stands; or a `self` that no `lam`
    inside the node covers. Ids are good as long as the term is kept.
    """

    def __init__(self, term: Term) -> None:
        self.uses: dict[int, int] = {}
        self.calls: dict[int, int] = {}
        self.evaluating: set[int] = set()
        self.reentrant: set[int] = set()
        self._walk(term, 0)

    def _walk(self, term: Term, level: int) -> tuple[bool, bool]:
        op = term.op
        if op == "var":
            if type(term.value) is int:
                self.uses[term.value] = self.uses.get(term.value, 0) + 1
            return False, False
        if op == "app":
            function = term.parts[0]
            if function.op == "var" and type(function.value) is int:
                self.calls[function.value] = self.calls.get(function.value, 0) + 1
        evaluates = level == 0 and op == "eval"
        reenters = level == 0 and op == "self"
        inside = inner_level(term, level)
        for part in term.parts:
            part_evaluates, part_reenters = self._walk(part, inside)
            evaluates = evaluates or part_evaluates
            reenters = reenters or part_reenters
        if level == 0:
            if op == "lam":
                reenters = False
            if evaluates:
                self.evaluating.add(id(term))
            if reenters:
                self.reentrant.add(id(term))
        return evaluates, reenters


def opened(term: Term) -> Term:
    """The term with numbers for the binders that no live `eval` stands in the scope of."""
    return _Opening(Census(term).evaluating).walk(term, 0)


class _Opening:
    def __init__(self, evaluating: set[int]) -> None:
        self.evaluating = evaluating
        self.numbers: dict[str, list[int]] = {}
        self.last = -1

    def walk(self, term: Term, level: int) -> Term:
        if level == 0:
            match term.op:
                case "var":
                    numbers = self.numbers.get(term.value)
                    return Term("var", (), numbers[-1]) if numbers else term
                case "eval":
                    return term
                case "lam" | "let":
                    return self.binder(term)
        if not term.parts:
            return term
        inside = inner_level(term, level)
        return term.rebuilt(tuple([self.walk(part, inside) for part in term.parts]))

    def binder(self, term: Term) -> Term:
        body = term.parts[-1]
        outer = tuple([self.walk(part, 0) for part in term.parts[:-1]])
        if id(body) in self.evaluating:
            return term.rebuilt((*outer, body))
        self.last += 1
        number = self.last
        numbers = self.numbers.setdefault(term.value, [])
        numbers.append(number)
        body = self.walk(body, 0)
        numbers.pop()
        return make(term.op, (*outer, body), number)


def closed(term: Term) -> Term:
    """The term with names for numbers: `x0`, `x1`, … by nesting, without those that stand free in it."""
    return _Closing(set(_names(term, 0))).walk(term, 0)


def _names(term: Term, level: int) -> list[str]:
    """The names that variables of the term's code still have."""
    if level == 0 and term.op == "var" and type(term.value) is str:
        return [term.value]
    inside = inner_level(term, level)
    found: list[str] = []
    for part in term.parts:
        found += _names(part, inside)
    return found


class _Closing:
    def __init__(self, taken: set[str]) -> None:
        self.fresh = _fresh(taken)
        self.by_nesting: list[str] = []
        self.given: dict[int, str] = {}

    def walk(self, term: Term, nesting: int) -> Term:
        value = term.value
        if not term.parts:
            return Term("var", (), self.given[value]) if term.op == "var" and type(value) is int else term
        if term.op in ("lam", "let") and type(value) is int:
            if nesting == len(self.by_nesting):
                self.by_nesting.append(next(self.fresh))
            name = self.given[value] = self.by_nesting[nesting]
            outer = [self.walk(part, nesting) for part in term.parts[:-1]]
            return make(term.op, (*outer, self.walk(term.parts[-1], nesting + 1)), name)
        return term.rebuilt(tuple([self.walk(part, nesting) for part in term.parts]))


def _fresh(taken: set[str]) -> Iterator[str]:
    number = 0
    while True:
        name = f"x{number}"
        if name not in taken:
            yield name
        number += 1
