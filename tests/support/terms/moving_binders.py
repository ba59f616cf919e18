"""Terms for tests of `normalize`, in which moving a part past a binder would change the value; and renaming of binders."""

from __future__ import annotations

from collections.abc import Sequence

from pif.analysis.facts import free_names
from pif.language.terms import Term, literal, make
from tests.support.terms.term_maker import NAMES, Source, TermMaker, app, lam, let, var

__all__ = ["MovingMaker", "alpha_variant"]


class MovingMaker(TermMaker):
    """Makes calls, `let`s, choices and structures over functions, strings, names, `self`, `continue` and `eval`."""

    def moving(self, scope: tuple[str, ...] = (), depth: int = 6) -> Term:
        """A term each part of which is likely to be passed on, dropped or called."""
        self.size -= 1
        if depth <= 0 or self.size <= 0 or self.source.below(8) == 0:
            return self.moving_leaf(scope)

        def part(*bound: str) -> Term:
            return self.moving((*scope, *bound), depth - 1)

        name = self.name()
        options = [
            "let",
            "let",
            "let",
            "app",
            "app",
            "app",
            "app",
            "lam",
            "lam",
            "if",
            "two",
            "two",
            "one",
            "three",
        ]
        options += ["list", "record", "quote"] * self.features.quotes + ["eval"] * self.features.evals
        options += ["self", "continue", "source"] * self.features.context
        match self.pick(options):
            case "let":
                return let(name, part(), part(name))
            case "app":
                return app(part(), part())
            case "lam":
                return lam(name, part(name))
            case "if":
                cond = self.pick((literal(True), literal(False), make("not", (part(),)), part()))
                return make("if", (cond, part(), part()))
            case "two":
                ops = ("pair", "cons", "add", "mul", "sub", "eq", "lt", "and", "or", "concat")
                return make(self.pick(ops), (part(), part()))
            case "one":
                ops = ("fst", "snd", "head", "tail", "isEmpty", "length", "not", "keys", "show")
                return make(self.pick(ops), (part(),))
            case "three":
                return make(self.pick(("fold", "with")), (part(), part(), part()))
            case "list":
                return make("list", (part(), part()))
            case "record":
                record = make("record", (part(), part()), ("a", "b"))
                return self.pick((record, make("get", (record, literal("a")))))
            case "quote":
                return make("quote", (make("pair", (make("unquote", (part(),)), var(name))),))
            case "eval":
                return make("eval", (self.pick((make("quote", (part(),)), part())),))
            case "self":
                return app(Term("self"), part())
            case "continue":
                return make("continue", (part(),))
            case _:
                return make("code_of", (part(),))

    def moving_leaf(self, scope: tuple[str, ...]) -> Term:
        if scope and self.source.below(2):
            return var(self.pick(scope))
        name = self.name()
        leaves = [
            literal(1),
            literal(True),
            literal("double"),
            literal(0),
            make("list", ()),
            lam(name, var(name)),
        ]
        leaves += [var(free) for free in self.features.free]
        if self.features.context:
            leaves += [Term("self"), lam(name, app(Term("self"), var(name)))]
        return self.pick(leaves)


def alpha_variant(term: Term, source: Source, names: Sequence[str] = (*NAMES, "n", "m", "x2", "v")) -> Term:
    """The term with its binders renamed, names inside quotes left alone. For terms without a live `eval` that is
    the same program."""
    return _Renaming(source, names).walk(term, {}, 0)


class _Renaming:
    def __init__(self, source: Source, names: Sequence[str]) -> None:
        self.source = source
        self.names = names

    def walk(self, term: Term, given: dict[str, str], level: int) -> Term:
        if level == 0 and term.op == "var":
            return var(given.get(term.value, term.value))
        if level == 0 and term.op in ("lam", "let"):
            *outer, body = term.parts
            avoided = {given.get(name, name) for name in free_names(body) - {term.value}}
            choices = [name for name in self.names if name not in avoided] or [term.value + "_"]
            chosen = choices[self.source.below(len(choices))]
            while chosen in avoided:
                chosen += "_"
            parts = [self.walk(part, given, level) for part in outer]
            parts.append(self.walk(body, {**given, term.value: chosen}, level))
            return make(term.op, tuple(parts), chosen)
        inside = level + (term.op == "quote") - (term.op == "unquote")
        return term.rebuilt(tuple([self.walk(part, given, inside) for part in term.parts]))
