"""What the compiler can tell of a value before it is there: its kind, and how the kinds of a term follow.

A kind is a name (`int`, `bool`, …, `any` for everything, `never` for nothing) or a list or pair of kinds. Inference is
a claim about runs that *succeed*: wherever the term has a value, the value is of that kind. It works within a number
of visits; beyond it everything is `any`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from pif.language.terms import Term
from pif.language.values import Quoted, Record, Value

__all__ = [
    "ANY",
    "NEVER",
    "Called",
    "Inference",
    "Kind",
    "element",
    "join",
    "kind_of_value",
    "listing",
    "pairing",
    "part",
]

Kind = Any
"""`str`, or `("list", Kind)`, or `("pair", Kind, Kind)`."""

ANY = "any"
NEVER = "never"
_LEVELS = 3
"""How deep kinds nest at most, so that every chain of ever wider kinds ends."""

RESULTS: dict[str, Kind] = {
    **dict.fromkeys(("add", "sub", "mul", "div", "mod", "length"), "int"),
    **dict.fromkeys(("eq", "lt", "lte", "gt", "gte", "and", "or", "not", "isEmpty"), "bool"),
    **dict.fromkeys(("concat", "join", "show"), "str"),
    **dict.fromkeys(("quote", "code_of", "reflect", "normalize"), "quoted"),
    **dict.fromkeys(("record", "with", "analyze", "reify", "verify"), "record"),
    **dict.fromkeys(("chars", "keys"), ("list", "str")),
    "lam": "function",
    "nil": ("list", NEVER),
    "range": ("list", "int"),
    **dict.fromkeys(("axioms", "operations", "structures"), ("list", "record")),
}
"""Operations whose kind does not depend on their parts."""


def _cut(kind: Kind, levels: int) -> Kind:
    if not isinstance(kind, tuple):
        return kind
    if levels == 0:
        return ANY
    return (kind[0], *[_cut(part, levels - 1) for part in kind[1:]])


def listing(item: Kind) -> Kind:
    return _cut(("list", item), _LEVELS)


def pairing(first: Kind, second: Kind) -> Kind:
    return _cut(("pair", first, second), _LEVELS)


def join(a: Kind, b: Kind) -> Kind:
    """The narrowest kind that holds both."""
    if a == b or b == NEVER:
        return a
    if a == NEVER:
        return b
    if isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0]:
        return (a[0], *[join(x, y) for x, y in zip(a[1:], b[1:], strict=True)])
    return ANY


def element(kind: Kind) -> Kind:
    """The kind of a list's items."""
    if kind == NEVER:
        return NEVER
    return kind[1] if isinstance(kind, tuple) and kind[0] == "list" else ANY


def part(kind: Kind, index: int) -> Kind:
    """The kind of a pair's first (0) or second (1) part."""
    if kind == NEVER:
        return NEVER
    return kind[1 + index] if isinstance(kind, tuple) and kind[0] == "pair" else ANY


_NAMES = {int: "int", bool: "bool", str: "str", type(None): "unit", Record: "record", Quoted: "quoted"}


def kind_of_value(value: Value) -> Kind:
    """The kind of a value by its outermost shape alone."""
    if type(value) is tuple:
        return ("pair", ANY, ANY) if len(value) == 2 else ("list", ANY if value else NEVER)
    return _NAMES.get(type(value), ANY)


Called = Callable[[Term, Mapping[str, Kind], bool], Hashable | None]
"""Which function an `app`'s function part surely is: (the part, kinds of the names in scope, under a `lam`?) → key."""


class Inference:
    """Kinds of terms. `called` finds the functions that are known by name, `body` what stands behind a key."""

    def __init__(
        self, visits: int, body: Callable[[Hashable], tuple[Mapping[str, Kind], str, Term, Called]]
    ) -> None:
        self.left = visits
        self.body = body
        self.known: dict[tuple[Hashable, Kind], Kind] = {}
        self.pending: dict[tuple[Hashable, Kind], Kind] = {}
        self.leaned: set[tuple[Hashable, Kind]] = set()

    def result(self, key: Hashable, argument: Kind) -> Kind:
        """What a known function gives for an argument of this kind: the least fixed point, found by iteration.

        A result found while an outer one is still assumed is not kept: the assumption may yet change.
        """
        call = (key, argument)
        if call in self.known:
            return self.known[call]
        if call in self.pending:
            self.leaned.add(call)
            return self.pending[call]
        names, name, body, called = self.body(key)
        self.pending[call] = NEVER
        for _ in range(5):
            found = join(self.pending[call], self.of(body, {**names, name: argument}, called, True))
            if found == self.pending[call]:
                break
            self.pending[call] = found
        else:
            found = ANY
        del self.pending[call]
        self.leaned.discard(call)
        if not self.leaned & self.pending.keys():
            self.leaned.clear()
            self.known[call] = found
        return found

    def of(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        """The kind of a term. `names`: the kinds of all names in scope; `inside`: whether it stands under a `lam`."""
        self.left -= 1
        if self.left < 0:
            return ANY
        op = term.op
        fixed = RESULTS.get(op)
        if fixed is not None:
            return fixed

        def of(part: Term) -> Kind:
            return self.of(part, names, called, inside)

        match op:
            case "literal":
                return _NAMES[type(term.value)]
            case "var":
                return names.get(term.value, ANY)
            case "let":
                inner = {**names, term.value: of(term.parts[0])}
                return self.of(term.parts[1], inner, called, inside)
            case "app":
                return self._call(term, names, called, inside)
            case "if":
                return join(of(term.parts[1]), of(term.parts[2]))
            case "fold":
                return self._fold(term, names, called, inside)
            case "list":
                kind: Kind = NEVER
                for item in term.parts:
                    kind = join(kind, of(item))
                return listing(kind)
            case "cons":
                return listing(join(of(term.parts[0]), element(of(term.parts[1]))))
            case "tail":
                return listing(element(of(term.parts[0])))
            case "head":
                return element(of(term.parts[0]))
            case "pair":
                return pairing(of(term.parts[0]), of(term.parts[1]))
            case "fst" | "snd":
                return part(of(term.parts[0]), int(op == "snd"))
            case _:
                return ANY

    def _call(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        function, argument = term.parts
        if function.op == "lam":
            inner = {**names, function.value: self.of(argument, names, called, inside)}
            return self.of(function.parts[0], inner, called, True)
        key = called(function, names, inside)
        return ANY if key is None else self.result(key, self.of(argument, names, called, inside))

    def _fold(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        function, initial, items = term.parts
        if function.op != "lam":
            return ANY
        start = self.of(initial, names, called, inside)
        return self.folded(function, start, element(self.of(items, names, called, inside)), names, called)

    def folded(
        self, function: Term, start: Kind, item: Kind, names: Mapping[str, Kind], called: Called
    ) -> Kind:
        """The kind of a fold's value, which is also that of its accumulator."""
        kind = start
        for _ in range(5):
            inner = {**names, function.value: ("pair", kind, item)}
            wider = join(kind, self.of(function.parts[0], inner, called, True))
            if wider == kind:
                return kind
            kind = wider
        return ANY
