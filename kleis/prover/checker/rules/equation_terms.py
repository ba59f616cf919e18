"""Terms of equational proofs, and what is done with them; see docs/reference/certificates.md §3.5.

A term is a variable of the core, or a tuple ``(function name, argument, …)``.  A `Signature` says what the names stand
for, once each, so no name of a file is believed.  All functions are total, so a term has a value everywhere, and a part
may be replaced by an equal one.

Functions that the reading of formulas makes, besides the symbols of the goal
    ``true``, ``false``            the truth values
    ``= G``                        whether two values of a sort are equal
    ``if G : H``                   of s, t, u, v: u if s is t, else v
    ``?x``                         a Skolem function, or the value of a variable of the claim's outermost ∀
    ``f[true, _]``                 a symbol at fixed truth values
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.prover.checker.sequent import NotExpressible, RejectedError

__all__ = [
    "CASES",
    "EQUALITY",
    "FALSE",
    "LARGEST",
    "TRUE",
    "Function",
    "Meaning",
    "Signature",
    "Term",
    "functions_in",
    "instance",
    "matched",
    "part_at",
    "put",
    "size_of",
    "variables_in",
]

Term: TypeAlias = core.Variable | tuple[Any, ...]

EQUALITY, CASES = "= ", "if "
"""How the names of the functions of equality, and of definitions by cases, begin.  Their meaning says what they are."""

TRUE: Term = ("true",)
FALSE: Term = ("false",)

LARGEST = 10_000
"""Parts of a term that is made."""


Meaning: TypeAlias = Literal["truth", "equality", "cases", "symbol", "any"]
"""What is known of a function: that it is a truth value, equality, definition by cases, a symbol of the goal; or nothing."""


class Function(msgspec.Struct, frozen=True):
    """A function by name; `symbol` is what it stands for at the truth values `fixed`, None for a made one."""

    name: str
    domain: tuple[core.Sort, ...]
    codomain: core.Sort
    meaning: Meaning
    symbol: core.Symbol | None = None
    fixed: tuple[bool | None, ...] = ()


class Signature:
    """Functions and sorts by their names.  A name stands for one thing: `NotExpressible` where it would be two."""

    def __init__(self, functions: Iterable[Function] = ()) -> None:
        self._functions: dict[str, Function] = {}
        self._sorts: dict[str, core.Sort] = {}
        for name in ("true", "false"):
            self.declare(Function(name, (), core.BOOL, "truth"))
        for each in functions:
            self.declare(each)

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def __getitem__(self, name: str) -> Function:
        return self._functions[name]

    @property
    def names(self) -> frozenset[str]:
        """The names of all functions."""
        return frozenset(self._functions)

    @property
    def sorts(self) -> Mapping[str, core.Sort]:
        """The sorts of all functions and variables, by their text."""
        return self._sorts

    def declare(self, function: Function) -> Function:
        """The function, from now on known by its name."""
        if self._functions.setdefault(function.name, function) != function:
            raise NotExpressible(f"two functions are called {function.name}")
        for sort in (*function.domain, function.codomain):
            self.declare_sort(sort)
        return function

    def declare_sort(self, sort: core.Sort) -> None:
        """Make a sort known by its text."""
        if self._sorts.setdefault(sort_text(sort), sort) != sort:
            raise NotExpressible(f"two sorts are called {sort_text(sort)}")

    def sort(self, term: Term) -> core.Sort:
        """The sort of a term."""
        return term.sort if isinstance(term, core.Variable) else self._functions[term[0]].codomain

    def equated(self, term: Term) -> tuple[Term, Term] | None:
        """The sides of a term that says whether they are equal."""
        if isinstance(term, core.Variable) or self._functions[term[0]].meaning != "equality":
            return None
        return term[1], term[2]

    def read_variables(self, data: Iterable[tuple[str, str]]) -> dict[str, core.Variable]:
        """Variables from their names and the texts of their sorts."""
        found: dict[str, core.Variable] = {}
        for name, text in data:
            if name in found or text not in self._sorts:
                raise RejectedError(f"{name!r} is no new variable of a known sort")
            found[name] = core.Variable(name, self._sorts[text])
        return found

    def read(self, data: Any, variables: Mapping[str, core.Variable]) -> Term:
        """The well-sorted term that data stands for: the name of a variable, or a list with a function at its head."""
        if isinstance(data, str) and data in variables:
            return variables[data]
        if not isinstance(data, list | tuple) or not data or not isinstance(data[0], str):
            raise RejectedError("a term that is neither a variable nor a function at arguments")
        function = self._functions.get(data[0])
        if function is None:
            raise RejectedError(f"no function here is called {data[0]!r}")
        arguments = tuple(self.read(each, variables) for each in data[1:])
        if tuple(map(self.sort, arguments)) != function.domain:
            raise RejectedError(f"{function.name} at arguments of other sorts")
        return (function.name, *arguments)


def variables_in(*terms: Term) -> list[core.Variable]:
    """The variables of terms, in order of occurrence."""
    found: dict[core.Variable, None] = {}
    waiting = list(reversed(terms))
    while waiting:
        term = waiting.pop()
        if isinstance(term, core.Variable):
            found.setdefault(term)
        else:
            waiting.extend(reversed(term[1:]))
    return list(found)


def functions_in(*terms: Term) -> list[str]:
    """The names of the functions in terms, in order of occurrence."""
    found: dict[str, None] = {}
    waiting = list(reversed(terms))
    while waiting:
        term = waiting.pop()
        if not isinstance(term, core.Variable):
            found.setdefault(term[0])
            waiting.extend(reversed(term[1:]))
    return list(found)


def matched(signature: Signature, pattern: Term, term: Term) -> dict[core.Variable, Term] | None:
    """The values of the pattern's variables, of their sorts, that make it the term."""
    values: dict[core.Variable, Term] = {}
    waiting = [(pattern, term)]
    while waiting:
        pattern, term = waiting.pop()
        if isinstance(pattern, core.Variable):
            if pattern.sort != signature.sort(term) or values.setdefault(pattern, term) != term:
                return None
        elif isinstance(term, core.Variable) or pattern[0] != term[0]:
            return None
        else:
            waiting.extend(zip(pattern[1:], term[1:], strict=True))
    return values


def instance(term: Term, values: Mapping[core.Variable, Term]) -> Term:
    """The term with variables replaced, all at once."""
    if isinstance(term, core.Variable):
        return values.get(term, term)
    return (term[0], *[instance(each, values) for each in term[1:]])


def size_of(term: Term, limit: int) -> int:
    """The number of parts of a term; something larger than the limit, if it is larger."""
    waiting = [term]
    count = 0
    while waiting and count <= limit:
        each = waiting.pop()
        count += 1
        if not isinstance(each, core.Variable):
            waiting.extend(each[1:])
    return count


def part_at(term: Term, path: Sequence[int]) -> Term:
    """The part at a position: the numbers of the arguments on the way, from 1."""
    for number in path:
        if isinstance(term, core.Variable) or not 1 <= number < len(term):
            raise RejectedError(f"no part stands at {list(path)}")
        term = term[number]
    return term


def put(term: Term, path: Sequence[int], part: Term) -> Term:
    """The term with another part at a position that it has."""
    around: list[tuple[Any, ...]] = []
    for number in path:
        assert isinstance(term, tuple), "only positions that a term has are replaced"
        around.append(term)
        term = term[number]
    for number, whole in zip(reversed(path), reversed(around), strict=True):
        part = (*whole[:number], part, *whole[number + 1 :])
    return part
