"""Makes well-typed PIF terms that loop over their inputs, one loop in another."""

from __future__ import annotations

from pif.language.terms import Term, literal, make
from tests.support.terms.term_maker import TermMaker, lam, let, var

Names = dict[str, str]


class LoopMaker(TermMaker):
    """Well-typed terms that loop over inputs, one in another. Kinds: integer, string, `integers`, `strings`."""

    def loop(self, depth: int = 4) -> Term:
        """A function whose cost depends on the sizes of its input."""
        kind = self.pick(("integers", "strings", "integer", "string"))
        used = {"integer": "integers", "string": "strings"}.get(kind, kind)
        names = {"x": kind}
        looped = self.folded(self.pick(("integer", used)), depth, names, over=kind)
        return lam("x", self.pick((looped, make("pair", (looped, self.of_kind(used, depth, names))))))

    def of_kind(self, kind: str, depth: int, names: Names) -> Term:
        self.size -= 1
        known = [name for name, its in names.items() if its == kind]
        if depth <= 0 or self.size <= 0 or self.source.below(5) == 0:
            return var(self.pick(known)) if known and self.source.below(4) else self.plain(kind)
        if self.source.below(6) == 0:
            return self.around(kind, depth - 1, names)
        made: Term = getattr(self, "make_" + kind + "_here")(depth - 1, names)
        return made

    def plain(self, kind: str) -> Term:
        match kind:
            case "integer":
                return literal(self.pick((0, 1, 2, 7, -3, 2**200)))
            case "string":
                return literal(self.pick(("", "ab", "a text of more than sixteen characters")))
            case "integers":
                return make("list", tuple(map(literal, self.pick(((), (1,), (3, 5, 2**65))))))
            case _:
                return make("list", tuple(map(literal, self.pick(((), ("a",), ("b", "cd", ""))))))

    def around(self, kind: str, depth: int, names: Names) -> Term:
        """A choice, a name, a call, or a part of a record."""
        value, other = self.of_kind(kind, depth, names), self.of_kind(kind, depth, names)
        match self.source.below(5):
            case 0:
                return make("if", (self.test(depth, names), value, other))
            case 1:
                return let("y", value, self.of_kind(kind, depth, {**names, "y": kind}))
            case 2:
                return make("app", (lam("z", self.of_kind(kind, depth, {**names, "z": kind})), value))
            case 3:
                record = make(
                    "with", (make("record", (value,), ("a",)), literal(self.pick(("a", "b"))), other)
                )
                return make("get", (record, literal("a")))
            case _:
                return make(self.pick(("fst", "snd")), (make("pair", (value, other)),))

    def test(self, depth: int, names: Names) -> Term:
        match self.source.below(4):
            case 0:
                return make("isEmpty", (self.of_kind(self.pick(("integers", "strings")), depth, names),))
            case 1:
                kind = self.pick(("integer", "string"))
                return make("lt", (self.of_kind(kind, depth, names), self.of_kind(kind, depth, names)))
            case 2:
                return make(self.pick(("and", "or")), (self.test(depth - 1, names), literal(True)))
            case _:
                kind = self.pick(("integer", "string", "integers", "strings"))
                return make("eq", (self.of_kind(kind, depth, names), self.of_kind(kind, depth, names)))

    def make_integer_here(self, depth: int, names: Names) -> Term:
        match self.source.below(5):
            case 0:
                return make(
                    "length", (self.of_kind(self.pick(("integers", "string", "strings")), depth, names),)
                )
            case 1:
                return self.folded("integer", depth, names)
            case 2:
                return make("app", (literal("double"), self.of_kind("integer", depth, names)))
            case _:
                op = self.pick(("add", "add", "mul", "sub", "mod", "div"))
                return make(
                    op, (self.of_kind("integer", depth, names), self.of_kind("integer", depth, names))
                )

    def make_string_here(self, depth: int, names: Names) -> Term:
        match self.source.below(4):
            case 0:
                return make(
                    "concat", (self.of_kind("string", depth, names), self.of_kind("string", depth, names))
                )
            case 1:
                kind = self.pick(("integer", "string", "integers", "strings"))
                return make("show", (self.of_kind(kind, depth, names),))
            case 2:
                return make("join", (self.of_kind("string", 0, names), self.of_kind("strings", depth, names)))
            case _:
                return self.folded("string", depth, names)

    def make_integers_here(self, depth: int, names: Names) -> Term:
        match self.source.below(5):
            case 0:
                return make(
                    "range", (self.of_kind("integer", 0, names), self.of_kind("integer", depth, names))
                )
            case 1:
                return make(
                    "cons", (self.of_kind("integer", depth, names), self.of_kind("integers", depth, names))
                )
            case 2:
                return make("tail", (self.of_kind("integers", depth, names),))
            case 3:
                return make("app", (literal("reverse"), self.of_kind("integers", depth, names)))
            case _:
                return self.folded("integers", depth, names)

    def make_strings_here(self, depth: int, names: Names) -> Term:
        match self.source.below(4):
            case 0:
                return make("chars", (self.of_kind("string", depth, names),))
            case 1:
                return make(
                    "cons", (self.of_kind("string", depth, names), self.of_kind("strings", depth, names))
                )
            case 2:
                counts = make(
                    "with", (make("fst", (var("p"),)), make("show", (make("snd", (var("p"),)),)), literal(1))
                )
                items = self.of_kind(self.pick(("integers", "strings")), depth, names)
                return make("keys", (make("fold", (lam("p", counts), make("record", (), ()), items)),))
            case _:
                return self.folded("strings", depth, names)

    def folded(self, kind: str, depth: int, names: Names, over: str | None = None) -> Term:
        """A fold with an accumulator of a kind; `over` says what the name `x` holds that it should go over."""
        match over:
            case "integer":
                items, item = make("range", (literal(0), make("mod", (var("x"), literal(9))))), "integer"
            case "string":
                items, item = make("chars", (var("x"),)), "string"
            case "integers" | "strings":
                items, item = var("x"), over[:-1]
            case _:
                item = self.pick(("integer", "string"))
                items = self.of_kind(item + "s", depth, names)
        sofar, this = make("fst", (var("p"),)), make("snd", (var("p"),))
        inner = {**names, "a": kind, "b": item}
        body = let("a", sofar, let("b", this, self.grown(kind, depth - 1, inner)))
        return make("fold", (lam("p", body), self.plain(kind), items))

    def grown(self, kind: str, depth: int, names: Names) -> Term:
        """The next accumulator: mostly the last one and something more."""
        more = self.of_kind("integer" if kind in ("integer", "integers") else "string", depth, names)
        match kind, self.source.below(5):
            case "integer", 0 | 1 | 2:
                return make("add", (var("a"), more))
            case "string", 0 | 1 | 2:
                return make("concat", (var("a"), more))
            case "integers" | "strings", 0 | 1 | 2:
                return make("cons", (more, var("a")))
            case _:
                return self.of_kind(kind, depth, names)
