"""Expressions, names in scope, and what is known of a term before it is compiled.

`Scope` keeps the same account of names as `reference.resolve`: what a closure captures and how many names an `eval`
sees are charged, so both must count alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import msgspec

from pif.analysis.facts import live_children
from pif.language import primitives as table
from pif.language.host import Tool
from pif.language.terms import Term
from pif.language.values import _NAMES, ANY, NEVER, Kind, element, join, listing, pairing, part

__all__ = ["COMMITTED", "SHORT", "Called", "Expression", "Inference", "Region", "Scope", "TermFacts"]


# What the compiler can tell of a value before it is there: its kind, and how the kinds of a term follow.
#
# A kind is a name (`int`, `bool`, …, `any` for everything, `never` for nothing) or a list or pair of kinds. Inference is
# a claim about runs that *succeed*: wherever the term has a value, the value is of that kind. It works within a number
# of visits; beyond it everything is `any`.

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


Called = Callable[[Term, Mapping[str, Kind], bool], Hashable | None]


class Inference:
    """Kinds of terms. `called` finds the functions that are known by name, `body` what stands behind a key."""

    def __init__(
        self,
        visits: int,
        body: Callable[[Hashable], tuple[Mapping[str, Kind], str, Term, Called]],
        facts: TermFacts,
    ) -> None:
        self.left = visits
        self.body = body
        self.facts = facts
        self.folds: dict[tuple[Any, ...], Kind] = {}
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
        if op == "var":
            return names.get(term.value, ANY)
        if op == "literal":
            return _NAMES[type(term.value)]
        rule = _RULES.get(op)
        return RESULTS.get(op, ANY) if rule is None else rule(self, term, names, called, inside)

    def _let(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        value, body = term.parts
        inner = {**names, term.value: self.of(value, names, called, inside)}
        return self.of(body, inner, called, inside)

    def _if(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        _, yes, no = term.parts
        return join(self.of(yes, names, called, inside), self.of(no, names, called, inside))

    def _list(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        kind: Kind = NEVER
        for item in term.parts:
            kind = join(kind, self.of(item, names, called, inside))
        return listing(kind)

    def _cons(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        head, tail = term.parts
        first = self.of(head, names, called, inside)
        return listing(join(first, element(self.of(tail, names, called, inside))))

    def _tail(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        return listing(element(self.of(term.parts[0], names, called, inside)))

    def _head(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        return element(self.of(term.parts[0], names, called, inside))

    def _pair(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        first, second = term.parts
        return pairing(self.of(first, names, called, inside), self.of(second, names, called, inside))

    def _part(self, term: Term, names: Mapping[str, Kind], called: Called, inside: bool) -> Kind:
        return part(self.of(term.parts[0], names, called, inside), term.op == "snd")

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
        """The kind of a fold's value, which is also that of its accumulator. Asked again and again for loops inside
        others, so what depends on no call is kept."""
        if self.facts.calls(function):
            return self._folded(function, start, item, names, called)
        key = (id(function), start, item, *[names.get(name, ANY) for name in self.facts.free(function)])
        found = self.folds.get(key)
        if found is None:
            found = self.folds[key] = self._folded(function, start, item, names, called)
        return found

    def _folded(
        self, function: Term, start: Kind, item: Kind, names: Mapping[str, Kind], called: Called
    ) -> Kind:
        kind = start
        for _ in range(5):
            inner = {**names, function.value: ("pair", kind, item)}
            wider = join(kind, self.of(function.parts[0], inner, called, True))
            if wider == kind:
                return kind
            kind = wider
        return ANY


_RULES: dict[str, Callable[..., Kind]] = {
    "let": Inference._let, "if": Inference._if, "app": Inference._call, "fold": Inference._fold, "list": Inference._list,
    "cons": Inference._cons, "tail": Inference._tail, "head": Inference._head, "pair": Inference._pair,
    "fst": Inference._part, "snd": Inference._part,
}  # fmt: skip


COMMITTED = 63

SHORT = 15
"""Characters of strings that are kept, walked and compared for nothing beyond their nodes."""


class Expression(msgspec.Struct, frozen=True):
    """Python text and what is known of its value.

    `atom`: a name or constant, free to be written any number of times; any other text is written exactly once.
    `bits`: what bounds an integer's magnitude; `base`: the accumulator that it is, or to which it adds what is small.
    `parts`: a pair that is not built, two atoms. `static`: the `Quoted` it surely is, the known function, or
    the integers or short strings of a constant list.
    `weight`: how deep its text nests. `short`: a string of at most `SHORT` characters, which comparing charges nothing. `flat`: a list that is a Python list (`flat_lists`); then `text` is none.
    `items`: all items of a list, atoms; where nothing has asked for the list itself, `text` is empty.
    """

    text: str
    kind: Kind = ANY
    bits: int = COMMITTED
    atom: bool = False
    parts: tuple[Expression, Expression] | None = None
    static: Any = None
    base: str | None = None
    weight: int = 1
    filled: bool = False
    flat: Any = None
    short: bool = False
    items: tuple[Expression, ...] | None = None

    @property
    def is_unbuilt(self) -> bool:
        """Whether it is a list of known items for which there is no text yet."""
        return self.items is not None and self.text == ""


class Region:
    """A piece of code that was resolved as one: a tool's, a run's, or what an `eval` runs.

    `given`: the names that an `eval` hands in, with their values where they may be wanted.
    """

    __slots__ = ("given", "owner")

    def __init__(self, owner: Tool | None, given: dict[str, Expression | None]) -> None:
        self.owner = owner
        self.given = given


class Scope:
    """A binder on the way outward; the end has no name. `inside`: under a `lam` of the region's own code; `distinct`:
    the names in scope, `charge` what an `eval` here is charged for them."""

    __slots__ = ("charge", "distinct", "expression", "inside", "name", "outer", "region")

    def __init__(
        self,
        region: Region,
        outer: Scope | None = None,
        name: str | None = None,
        expression: Expression | None = None,
        *,
        inside: bool = False,
    ) -> None:
        self.region = region
        self.outer = outer
        self.name = name
        self.expression = expression
        if outer is None:
            self.inside = inside
            self.distinct = len(region.given)
            self.charge = self.distinct + table.charge_names(region.given)
        else:
            assert name is not None
            self.inside = inside or outer.inside
            fresh = name not in region.given and not outer.binds(name)
            self.distinct = outer.distinct + fresh
            self.charge = outer.charge + (1 + table.charge_text(len(name)) if fresh else 0)

    def bind(self, name: str, expression: Expression, *, inside: bool = False) -> Scope:
        return Scope(self.region, self, name, expression, inside=inside)

    def binds(self, name: str | None) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if scope.name == name and scope.outer is not None:
                return True
            scope = scope.outer
        return False

    def find(self, name: str) -> Expression | None:
        scope: Scope | None = self
        while scope is not None:
            if scope.outer is not None and scope.name == name:
                return scope.expression
            scope = scope.outer
        return self.region.given.get(name)

    def visible(self) -> dict[str, Expression | None]:
        """All names in scope, sorted."""
        found: dict[str, Expression | None] = {}
        scope: Scope | None = self
        while scope is not None and scope.outer is not None:
            assert scope.name is not None
            found.setdefault(scope.name, scope.expression)
            scope = scope.outer
        for name, expression in self.region.given.items():
            found.setdefault(name, expression)
        return dict(sorted(found.items()))


_Found = tuple[frozenset[str], bool, bool, bool, bool]
"""Free names; whether it evaluates, loops, makes functions, calls others than those that stand where they are called."""

_NOTHING: _Found = frozenset(), False, False, False, False


class TermFacts:
    """What is asked of the same terms again and again. Terms must live as long as this does."""

    def __init__(self) -> None:
        self._found: dict[int, _Found] = {}
        self._names: dict[str, _Found] = {}

    def free(self, term: Term) -> frozenset[str]:
        """The names a term takes from outside (those in quotes do not count, but for live unquotes)."""
        return self._of(term)[0]

    def evaluates(self, term: Term) -> bool:
        """Whether an `eval` can run where the term does."""
        return self._of(term)[1]

    def loops(self, term: Term) -> bool:
        """Whether evaluating the term may fold."""
        return self._of(term)[2]

    def makes_functions(self, term: Term) -> bool:
        """Whether evaluating the term may make a function that outlives a step of a loop."""
        return self._of(term)[3]

    def calls(self, term: Term) -> bool:
        """Whether what the term gives may depend on a function known by name or by value."""
        return self._of(term)[4]

    def _of(self, term: Term) -> _Found:
        """All of it, found in one walk: what a quote holds counts where it is unquoted."""
        found = self._found.get(id(term))
        if found is not None:
            return found
        op = term.op
        parts = term.parts if op != "quote" else live_children(term)
        if op == "var":
            found = self._names.get(term.value)
            if found is None:
                found = self._names[term.value] = frozenset((term.value,)), False, False, False, False
        elif op == "self":
            found = frozenset(), False, False, False, True
        elif not parts:
            found = _NOTHING
        else:
            found = self._joined(op, term, parts)
        self._found[id(term)] = found
        return found

    def _joined(self, op: str, term: Term, parts: Sequence[Term]) -> _Found:
        """What holds of a node, by what holds of its parts."""
        free, evaluates, loops, makes, calls = self._of(parts[0])
        if op == "lam":
            return free - {term.value}, evaluates, loops, True, calls
        is_applied = (op == "app" or op == "fold") and parts[0].op == "lam"
        if is_applied:  # what it makes is called where it stands
            makes = self._of(parts[0].parts[0])[3]
        for other in parts[1:]:
            more, also_evaluates, also_loops, also_makes, also_calls = self._of(other)
            if more:
                free |= more - {term.value} if op == "let" else more
            evaluates = evaluates or also_evaluates
            loops = loops or also_loops
            makes = makes or also_makes
            calls = calls or also_calls
        if op == "eval":
            return free, True, loops, makes or parts[0].op != "code_of", True
        return free, evaluates, loops or op == "fold", makes, calls or (op == "app" and not is_applied)

    def captured(self, term: Term, scope: Scope) -> int:
        """How many variables the closure of a `lam` is charged for."""
        if self.evaluates(term.parts[0]):
            return scope.distinct
        found = 0
        for name in self.free(term):
            found += scope.find(name) is not None or name in scope.region.given
        return found
