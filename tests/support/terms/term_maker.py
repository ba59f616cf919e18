"""Makes PIF terms, typed and untyped, out of small numbers from any source (see `term_strategies`).

Every term is legal: what `decode_term(print_term(t))` gives back is `t`. The first of a list of choices is the
simplest, so that what Hypothesis draws shrinks toward small terms.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pif.language.terms import Term, literal, make

__all__ = [
    "DATA_KINDS",
    "INTEGERS",
    "KINDS",
    "NAMES",
    "STRINGS",
    "Features",
    "Seeded",
    "Source",
    "TermMaker",
    "app",
    "lam",
    "let",
    "var",
]

T = TypeVar("T")

NAMES = ("x", "y", "z", "f", "x0", "x1")
"""Few, so that shadowing and capture happen; the last two are names that normal forms use."""

DATA_KINDS = ("integer", "boolean", "string", "unit", "list", "pair", "record", "quoted")
KINDS = (*DATA_KINDS, "function")
"""Lists hold integers, pairs two integers, records an integer `a` and a string `b`, functions take and give integers,
quoted terms give an integer in the scope where they stand."""

INTEGERS = (0, 1, -1, 2, 7, -3, 10, 2**53 + 1, 2**64, -(2**70))
STRINGS = ("", "a", "ab", "β", "x", "42", "self", "double", "𝄞")


class Source(Protocol):
    """Where choices come from."""

    def below(self, limit: int) -> int:
        """A number from 0 up to but not including `limit`."""


class Seeded:
    """Choices by a seeded random generator, for long runs without Hypothesis."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def below(self, limit: int) -> int:
        return self._random.randrange(limit)


@dataclass(frozen=True)
class Features:
    """What a term may hold. `free`: names that nothing binds. `tools`: names for `app` and `code_of`, integer to
    integer. `context`: `self`, `continue` and `code_of "self"`. `mistakes`: one in so many parts has a wrong kind
    (0: none)."""

    free: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    context: bool = False
    quotes: bool = True
    evals: bool = True
    mistakes: int = 0


Scope = tuple[tuple[str, str], ...]
"""Names in scope and their kinds, innermost last."""


def app(function: Term, argument: Term) -> Term:
    return make("app", (function, argument))


def var(name: str) -> Term:
    return Term("var", (), name)


def lam(name: str, body: Term) -> Term:
    return make("lam", (body,), name)


def let(name: str, value: Term, body: Term) -> Term:
    return make("let", (value, body), name)


class TermMaker:
    """Makes terms of at most about `size` nodes."""

    def __init__(self, source: Source, features: Features, size: int = 30) -> None:
        self.source = source
        self.features = features
        self.size = size

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.source.below(len(choices))]

    def name(self) -> str:
        return self.pick(NAMES)

    # Typed terms.

    def typed(self, kind: str, scope: Scope = (), depth: int = 6) -> Term:
        """A term that has this kind where it has a value (mistakes apart)."""
        mistakes = self.features.mistakes
        if mistakes and self.source.below(mistakes) == mistakes - 1:
            return self.mistake(scope, depth)
        self.size -= 1
        if depth <= 0 or self.size <= 0:
            return self.leaf(kind, scope)
        choice = self.source.below(5)
        if choice == 0:
            return self.leaf(kind, scope)
        if choice == 1:
            return self.through(kind, scope, depth - 1)
        return self.operation(kind, scope, depth - 1)

    def mistake(self, scope: Scope, depth: int) -> Term:
        free = self.features.free
        if free and self.source.below(2):
            return var(self.pick(free))
        return self.typed(self.pick(KINDS), scope, depth - 2)

    def leaf(self, kind: str, scope: Scope) -> Term:
        visible = dict(scope)
        named = [name for name, known in visible.items() if known == kind]
        if named and self.source.below(3):
            return var(self.pick(named))
        match kind:
            case "integer":
                return literal(self.pick(INTEGERS))
            case "boolean":
                return literal(self.pick((True, False)))
            case "string":
                return literal(self.pick(STRINGS))
            case "unit":
                return literal(None)
            case "list":
                return self.pick((Term("nil"), make("list", ()), make("list", (literal(1), literal(2)))))
            case "pair":
                return make("pair", (literal(1), literal(2)))
            case "record":
                return make("record", (literal(1), literal("b")), ("a", "b"))
            case "quoted":
                return make("quote", (literal(3),))
            case _:
                name = self.name()
                return lam(name, var(name))

    def through(self, kind: str, scope: Scope, depth: int) -> Term:
        """A term of any kind by way of a binding, a choice, a call or an evaluation."""
        options = ["let", "if", "call", "bound", "pick", "curried"]
        if self.features.quotes and self.features.evals:
            options.append("eval")
        if self.features.context and kind == "integer":
            options += ["self", "self", "continue"]
        name = self.name()
        match self.pick(options):
            case "let":
                inner = self.pick(KINDS)
                return let(
                    name, self.typed(inner, scope, depth), self.typed(kind, (*scope, (name, inner)), depth)
                )
            case "if":
                cond = self.typed("boolean", scope, depth)
                return make("if", (cond, self.typed(kind, scope, depth), self.typed(kind, scope, depth)))
            case "call":
                inner = self.pick(KINDS)
                body = self.typed(kind, (*scope, (name, inner)), depth)
                return app(lam(name, body), self.typed(inner, scope, depth))
            case "bound":
                # A function that is named and then called, once or twice.
                body = self.typed("integer", (*scope, (name, "integer")), depth - 1)
                other = self.name()
                return let(other, lam(name, body), self.typed(kind, (*scope, (other, "function")), depth))
            case "pick":
                return self.picked(kind, scope, depth)
            case "curried":
                other = self.name()
                body = self.typed(kind, (*scope, (name, "integer"), (other, "list")), depth)
                function = app(lam(name, lam(other, body)), self.typed("integer", scope, depth))
                return app(function, self.typed("list", scope, depth))
            case "eval":
                return make("eval", (make("quote", (self.typed(kind, scope, depth),)),))
            case "self":
                return app(Term("self"), self.typed("integer", scope, depth))
            case _:
                return make("continue", (self.typed("integer", scope, depth),))

    def picked(self, kind: str, scope: Scope, depth: int) -> Term:
        """A part of a structure built in place."""
        wanted, other = self.typed(kind, scope, depth), self.typed(self.pick(KINDS), scope, depth)
        match self.source.below(4):
            case 0:
                return make("fst", (make("pair", (wanted, other)),))
            case 1:
                return make("snd", (make("pair", (other, wanted)),))
            case 2:
                return make("head", (make("list", (wanted, other)),))
            case _:
                return make("get", (make("record", (wanted, other), ("a", "b")), literal("a")))

    def operation(self, kind: str, scope: Scope, depth: int) -> Term:
        make_it: Callable[[Scope, int], Term] = getattr(self, "make_" + kind)
        return make_it(scope, depth)

    def of(self, op: str, scope: Scope, depth: int, *kinds: str) -> Term:
        return make(op, tuple([self.typed(kind, scope, depth) for kind in kinds]))

    def make_integer(self, scope: Scope, depth: int) -> Term:
        op = self.pick(
            (
                "add",
                "sub",
                "mul",
                "div",
                "mod",
                "length",
                "head",
                "fst",
                "snd",
                "get",
                "fold",
                "app",
                "tool",
                "size",
            )
        )
        match op:
            case "length":
                return self.of(op, scope, depth, "list")
            case "size":
                return self.of("length", scope, depth, "string")
            case "head":
                return self.of(op, scope, depth, "list")
            case "fst" | "snd":
                return self.of(op, scope, depth, "pair")
            case "get":
                return make("get", (self.typed("record", scope, depth), literal("a")))
            case "fold":
                return make(
                    "fold", (self.step(scope, depth), *self.of("pair", scope, depth, "integer", "list").parts)
                )
            case "app":
                return self.of("app", scope, depth, "function", "integer")
            case "tool" if self.features.tools:
                return app(literal(self.pick(self.features.tools)), self.typed("integer", scope, depth))
            case "tool":
                return self.of("add", scope, depth, "integer", "integer")
            case _:
                return self.of(op, scope, depth, "integer", "integer")

    def step(self, scope: Scope, depth: int) -> Term:
        """A function for `fold` over integers with an integer accumulator."""
        name = self.name()
        inner = (*scope, (name, "pair"))
        return lam(name, self.typed("integer", inner, depth))

    def make_boolean(self, scope: Scope, depth: int) -> Term:
        op = self.pick(("lt", "lte", "gt", "gte", "eq", "and", "or", "not", "isEmpty"))
        match op:
            case "eq":
                kind = self.pick(KINDS if self.features.mistakes else DATA_KINDS)
                return self.of(op, scope, depth, kind, kind)
            case "and" | "or":
                return self.of(op, scope, depth, "boolean", "boolean")
            case "not":
                return self.of(op, scope, depth, "boolean")
            case "isEmpty":
                return self.of(op, scope, depth, "list")
            case _:
                kind = self.pick(("integer", "integer", "string"))
                return self.of(op, scope, depth, kind, kind)

    def make_string(self, scope: Scope, depth: int) -> Term:
        match self.source.below(4):
            case 0:
                return self.of("concat", scope, depth, "string", "string")
            case 1:
                return self.of("show", scope, depth, self.pick(DATA_KINDS))
            case 2:
                return make("get", (self.typed("record", scope, depth), literal("b")))
            case _:
                texts = make("list", (self.typed("string", scope, depth), self.typed("string", scope, depth)))
                return make("join", (self.typed("string", scope, depth), texts))

    def make_unit(self, scope: Scope, depth: int) -> Term:
        return self.through("unit", scope, depth)

    def make_list(self, scope: Scope, depth: int) -> Term:
        match self.source.below(4):
            case 0:
                return make(
                    "list", tuple([self.typed("integer", scope, depth) for _ in range(self.source.below(4))])
                )
            case 1:
                return self.of("cons", scope, depth, "integer", "list")
            case 2:
                return self.of("tail", scope, depth, "list")
            case _:
                first = self.typed("integer", scope, depth)
                return make("range", (literal(0), make("mod", (first, literal(5)))))

    def make_pair(self, scope: Scope, depth: int) -> Term:
        return self.of("pair", scope, depth, "integer", "integer")

    def make_record(self, scope: Scope, depth: int) -> Term:
        if self.source.below(2):
            return make(
                "with",
                (self.typed("record", scope, depth), literal("a"), self.typed("integer", scope, depth)),
            )
        return make("record", self.of("pair", scope, depth, "integer", "string").parts, ("a", "b"))

    def make_quoted(self, scope: Scope, depth: int) -> Term:
        if not self.features.quotes:
            return make("quote", (literal(3),))
        choice = self.source.below(6)
        match choice:
            case 0 | 1:
                return make("quote", (self.typed("integer", scope, depth),))
            case 2 | 3:
                splice = make("unquote", (self.typed(self.pick(("integer", "quoted")), scope, depth),))
                return make("quote", (make("add", (splice, self.typed("integer", scope, depth))),))
            case 4:
                return make("reflect", (make("reify", (self.typed("quoted", scope, depth),)),))
            case _ if self.features.tools:
                return make("code_of", (literal(self.pick(self.features.tools)),))
            case _:
                return make("normalize", (self.typed("quoted", scope, depth),))

    def make_function(self, scope: Scope, depth: int) -> Term:
        name = self.name()
        return lam(name, self.typed("integer", (*scope, (name, "integer")), depth))

    # Untyped terms.

    def untyped(self, scope: Scope = (), depth: int = 6, level: int = 0) -> Term:
        """Any operation on any parts. `level` counts the quotes less unquotes around."""
        self.size -= 1
        if depth <= 0 or self.size <= 0 or self.source.below(6) == 0:
            return self.any_leaf(scope)
        depth -= 1
        options = [
            "scalar",
            "scalar",
            "unary",
            "lam",
            "let",
            "app",
            "if",
            "list",
            "record",
            "cons",
            "three",
            "typed",
        ]
        options += ["quote"] * self.features.quotes + ["unquote", "unquote"] * (level > 0)
        options += ["eval"] * self.features.evals + ["continue", "source"] * self.features.context
        name = self.name()

        def part(binds: tuple[str, ...] = (), shift: int = 0) -> Term:
            inner = (*scope, *[(bound, "any") for bound in binds])
            return self.untyped(inner, depth, level + shift)

        match self.pick(options):
            case "scalar":
                op = self.pick(("add", "sub", "mul", "div", "mod", "eq", "lt", "gte", "and", "or", "pair", "get",
                                "concat", "join", "range"))  # fmt: skip
                return make(op, (part(), part()))
            case "unary":
                return make(self.pick(("not", "head", "tail", "isEmpty", "length", "fst", "snd", "keys", "chars",
                                       "show", "reify", "reflect", "analyze", "normalize")), (part(),))  # fmt: skip
            case "lam":
                return lam(name, part((name,)))
            case "let":
                return let(name, part(), part((name,)))
            case "app":
                return app(part(), part())
            case "if":
                return make("if", (part(), part(), part()))
            case "list":
                return make("list", tuple([part() for _ in range(self.source.below(4))]))
            case "record":
                return make("record", (part(), part()), ("a", "b"))
            case "cons":
                return make("cons", (part(), part()))
            case "three":
                return make(self.pick(("fold", "with")), (part(), part(), part()))
            case "typed":
                return self.typed(self.pick(KINDS), scope, depth)
            case "quote":
                return make("quote", (part((), 1),))
            case "unquote":
                return make("unquote", (part((), -1),))
            case "eval":
                return make("eval", (part(),))
            case "continue":
                return make("continue", (part(),))
            case _:
                return make("code_of", (self.pick((literal("self"), literal("double"), part())),))

    def any_leaf(self, scope: Scope) -> Term:
        visible = list(dict(scope))
        if visible and self.source.below(3):
            return var(self.pick(visible))
        if self.features.free and self.source.below(3) == 0:
            return var(self.pick(self.features.free))
        if self.features.context and self.source.below(4) == 0:
            return Term("self")
        return self.leaf(self.pick(KINDS), ())

    # Tools.

    def tool(self) -> Term:
        """A function of an integer in whose body `self` and `continue` may stand, under a test that ends it."""
        name = self.name()
        scope: Scope = ((name, "integer"),)
        base = self.typed("integer", scope, 3)
        less = make("sub", (var(name), literal(1)))
        again: Term = app(Term("self"), less)
        if self.source.below(3) == 0:
            again = make("continue", (less,))
        other = self.name()
        rest = let(other, self.typed("integer", scope, 3), again)
        if other == name:
            rest = again
        return lam(name, make("if", (make("lt", (var(name), literal(1))), base, rest)))
