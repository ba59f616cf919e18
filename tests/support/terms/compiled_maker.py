"""Terms in which a compiler of PIF is likely to slip: values whose kind it cannot know, accumulators of every shape,
closures made in loops, integers that outgrow a machine word, evals in evals, a `continue` where none may stand.
"""

from __future__ import annotations

from pif.language.terms import Term, literal, make
from tests.support.terms.moving_binders import MovingMaker
from tests.support.terms.term_maker import app, lam, let, var

__all__ = ["CompiledMaker"]

_SAME = "same"
"""The name of the identity function: what passes through it is of unknown kind."""

_WORDS = (1, 2, -1, 3, 2**31, -(2**40), 2**61, -(2**61), 2**61 - 1, 2**60 + 3)
_WIDE_WORDS = (2**62, -(2**62) - 5, 2**63, 2**64, 2**127, 2**190, -(2**200))

_ONE = literal(1)
_IMPOSTORS: tuple[tuple[str, tuple[Term, ...]], ...] = (
    ("fst", (literal("ab"),)),
    ("snd", (literal("ab"),)),
    ("fst", (make("list", (_ONE,)),)),
    ("add", (literal(True), _ONE)),
    ("sub", (_ONE, literal(False))),
    ("mul", (literal("ab"), literal(2))),
    ("mul", (literal(2), make("list", (_ONE,)))),
    ("add", (literal("ab"), literal("ab"))),
    ("mod", (literal("ab"), _ONE)),
    ("div", (literal(True), _ONE)),
    ("lt", (literal(True), literal(2))),
    ("lt", (make("list", ()), make("list", (_ONE,)))),
    ("gte", (literal("b"), literal("a"))),
    ("head", (literal("abc"),)),
    ("head", (make("pair", (_ONE, _ONE)),)),
    ("tail", (literal("abc"),)),
    ("length", (make("pair", (_ONE, _ONE)),)),
    ("isEmpty", (literal(""),)),
    ("isEmpty", (make("pair", (_ONE, _ONE)),)),
    ("cons", (_ONE, make("pair", (_ONE, make("list", ()))))),
    ("not", (_ONE,)),
    ("not", (make("list", ()),)),
    ("and", (literal(True), _ONE)),
    ("or", (literal(False), literal(""))),
    ("or", (literal(0), literal(True))),
    ("if", (_ONE, _ONE, _ONE)),
    ("if", (make("list", ()), _ONE, _ONE)),
    ("eq", (literal(True), _ONE)),
    ("eq", (lam("y", var("y")), _ONE)),
    ("fold", (_ONE, _ONE, make("list", ()))),
    ("fold", (literal("double"), _ONE, make("list", ()))),
    ("fold", (lam("y", var("y")), _ONE, literal(""))),
    ("fold", (lam("y", var("y")), _ONE, make("pair", (_ONE, make("list", ()))))),
    ("range", (literal(True), literal(3))),
    ("get", (make("list", ()), literal("a"))),
)
"""Operations on operands of a wrong kind that Python would take."""


class CompiledMaker(MovingMaker):
    """`hard` makes a term; its parts are this maker's other terms."""

    def hard(self) -> Term:
        build = self.pick(
            (
                self.mistaken, self.mistaken, self.folded, self.folded, self.closures, self.grown, self.grown,
                self.products, self.evaluated, self.continued, self.recursive, self.mixed,
            )
        )  # fmt: skip
        return let(_SAME, lam("s", var("s")), build())

    def unknown(self, term: Term) -> Term:
        return app(var(_SAME), term)

    def scalar(self) -> Term:
        return literal(self.pick((1, 0, 2, True, False, "ab", "", None)))

    def anything(self) -> Term:
        """A small value of any kind, its kind hidden or not."""
        made = self.pick(
            (
                self.scalar(), self.scalar(), literal(2), make("pair", (self.scalar(), literal(1))),
                make("list", ()), make("list", (self.scalar(), literal(5))), lam("y", var("y")),
                make("record", (self.scalar(), literal("b")), ("a", "b")), make("quote", (literal(1),)),
            )
        )  # fmt: skip
        return self.unknown(made) if self.source.below(3) else made

    def mistaken(self) -> Term:
        """Every operation on operands of any kind, and such as Python would take."""
        if self.source.below(2):
            op, operands = self.pick(_IMPOSTORS)
            return make(
                op, tuple([self.unknown(part) if self.source.below(4) else part for part in operands])
            )
        op = self.pick(
            (
                "add", "sub", "mul", "div", "mod", "lt", "lte", "gt", "gte", "eq", "eq", "and", "or", "not", "fst", "snd",
                "head", "tail", "isEmpty", "length", "cons", "if", "app", "fold", "fold", "range", "get", "with", "keys",
                "concat", "chars", "join", "show",
            )
        )  # fmt: skip
        count = {"if": 3, "fold": 3, "with": 3}.get(op, 1)
        if op in ("add", "sub", "mul", "div", "mod", "lt", "lte", "gt", "gte", "eq", "and", "or", "cons", "app", "range",
                  "get", "concat", "join"):  # fmt: skip
            count = 2
        made = make(op, tuple([self.anything() for _ in range(count)]))
        return make("list", (made, self.mistaken())) if self.source.below(3) == 2 else made

    def items(self) -> Term:
        match self.source.below(4):
            case 0:
                return make("range", (literal(0), literal(self.source.below(6))))
            case 1:
                return make("list", tuple([self.anything() for _ in range(self.source.below(4))]))
            case 2:
                return self.unknown(make("list", tuple([literal(i) for i in range(self.source.below(5))])))
            case _:
                return make("list", tuple([literal(i - 1) for i in range(self.source.below(5))]))

    def folded(self, levels: int = 2) -> Term:
        """Folds whose accumulators are pairs, pairs of pairs, lists, or change their shape."""
        acc, item = make("fst", (var("p"),)), make("snd", (var("p"),))
        flag, rest = make("fst", (acc,)), make("snd", (acc,))
        below = self.source.below
        sums = make(self.pick(("add", "sub", "mul")), (self.pick((acc, item)), self.pick((item, literal(1)))))
        test = self.pick((
            make("lt", (item, literal(2))), make("eq", (item, acc)), make("isEmpty", (acc,)), flag, literal(True),
            make("and", (make("lt", (literal(0), item)), make("lt", (item, literal(3))))),
        ))  # fmt: skip
        deep = let("d", make("add", (item, literal(1))), let("e", var("d"), make("pair", (var("e"), rest))))
        swap = make("pair", (rest, flag))
        longer = make("pair", (make("not", (make("lt", (item, literal(1))),)), make("cons", (item, rest))))
        plain = [
            sums,
            make("cons", (item, acc)),
            make("if", (test, acc, sums)),
            make("pair", (acc, item)),
            literal(1),
        ]
        paired = [
            swap,
            longer,
            deep,
            acc,
            make("if", (test, swap, longer)),
            make("if", (test, acc, deep)),
            flag,
        ]
        is_paired = below(2) == 0
        body = self.pick(paired if is_paired else plain)
        if levels and below(4) == 0:
            body = let("o", var("p"), make("if", (test, body, self.folded(levels - 1))))
        start = self.pick(
            (
                make("pair", (literal(False), make("list", ()))), make("pair", (literal(1), literal(2))),
                self.unknown(make("pair", (literal(0), make("pair", (literal(1), literal(2)))))),
            ) if is_paired else (literal(0), literal(2**61), make("list", ()), literal(1), self.anything())
        )  # fmt: skip
        return make("fold", (lam("p", body), start, self.items()))

    def closures(self) -> Term:
        """Functions made in a loop's steps, and called after it."""
        acc, item = make("fst", (var("p"),)), make("snd", (var("p"),))
        kept = self.pick(
            (item, make("add", (item, var("b"))), make("length", (acc,)), make("mul", (item, item)))
        )
        step = let(
            "b", make("add", (item, literal(1))), make("cons", (lam("y", make("add", (var("y"), kept))), acc))
        )
        made = make(
            "fold",
            (
                lam("p", step),
                make("list", ()),
                make("range", (literal(0), literal(1 + self.source.below(4)))),
            ),
        )
        use = lam("q", make("add", (make("fst", (var("q"),)), app(make("snd", (var("q"),)), literal(10)))))
        if self.source.below(2):
            made = self.unknown(made)
        return make("fold", (use, literal(0), made))

    def grown(self) -> Term:
        """Integers of one limb and more, by sums and products, in loops and out of them."""
        term = literal(self.pick(_WORDS))
        for _ in range(1 + self.source.below(7)):
            words = _WORDS if self.source.below(16) else _WIDE_WORDS
            other = literal(self.pick(words)) if self.source.below(2) else term
            operands = (term, other) if self.source.below(2) else (other, term)
            term = make(self.pick(("add", "sub", "mul", "mul", "div", "mod", "lt", "eq", "pair")), operands)
            if term.op in ("lt", "eq"):
                term = make("if", (term, *operands))
            elif term.op == "pair":
                term = make("snd", (term,))
            if self.source.below(4) == 0:
                term = self.unknown(term)
            if self.source.below(4) == 0:
                acc, steps = make("fst", (var("p"),)), self.pick((0, 1, 3, 5, 150, 200))
                step = make(self.pick(("add", "mul", "sub")), (acc, self.pick((acc, term, literal(2**20)))))
                term = make("fold", (lam("p", step), term, make("range", (literal(0), literal(steps)))))
            if term.nodes > 150:
                break
        return term

    def products(self) -> Term:
        """Products of several words, none of which is kept, in every place that takes an integer."""

        def product() -> Term:
            term = literal(self.pick(_WORDS[4:]))
            for _ in range(self.source.below(5)):
                factor = literal(self.pick(_WORDS[4:]))
                term = make(self.pick(("mul", "mul", "mul", "add", "div")), (term, factor))
            return term

        op = self.pick(("lt", "lte", "eq", "eq", "gt", "add", "sub", "mul", "div", "mod"))
        return make(op, (product(), self.pick((literal(7), product()))))

    def evaluated(self, levels: int = 4) -> Term:
        """Evals in evals, of code that is known and of code that is not."""
        if levels == 0 or self.source.below(6) == 0:
            return self.pick((literal(1), var("x"), make("add", (var("x"), literal(1))), lam("z", var("x"))))
        inner = self.evaluated(levels - 1)
        code = make("quote", (inner,))
        body = make("eval", (self.unknown(code) if self.source.below(2) else code,))
        if self.source.below(3) == 0:
            body = make("list", (body, make("eval", (code,))))
        if self.source.below(3) == 0:
            body = app(lam("z", make("pair", (var("z"), body))), literal(2))
        return let("x", literal(self.source.below(3)), body)

    def continued(self) -> Term:
        """A `continue` that a call hands on, to places where it may stand and to others."""
        step = make("continue", (literal(self.source.below(3)),))
        function = lam("c", make("if", (make("lt", (var("c"), literal(1))), step, var("c"))))
        call = app(var("h"), literal(self.source.below(2)))
        use = self.pick((
            call, make("list", (call,)), make("pair", (call, literal(1))), make("add", (call, literal(1))),
            make("cons", (call, make("list", ()))), let("r", call, literal(1)), let("r", literal(1), call),
            app(var(_SAME), call), app(lam("r", var("r")), call), make("if", (literal(True), call, literal(2))),
            make("fold", (var("h"), literal(0), make("list", (literal(1),)))),
            make("fold", (lam("p", app(var("h"), literal(0))), literal(0), make("range", (literal(0), literal(2))))),
            make("eval", (make("quote", (call,)),)), make("list", (make("eval", (make("quote", (call,)),)),)),
            make("record", (call, literal(1)), ("a", "b")),
        ))  # fmt: skip
        return let("h", function if self.source.below(3) else self.unknown(function), use)

    def recursive(self) -> Term:
        """Calls of the tool itself with arguments of one kind and another, in tail position and out of it."""
        less = make("sub", (var("n"), literal(1)))
        again = self.pick((app(Term("self"), less), app(literal("double"), less), app(literal("fact"), less)))
        rest = self.pick((
            again, make("add", (again, literal(1))), make("cons", (var("n"), again)), make("pair", (again, var("n"))),
            let("m", again, make("if", (make("eq", (var("m"), literal(1))), var("m"), make("list", (var("m"),))))),
            make("mul", (var("n"), again)), make("if", (make("lt", (again, literal(5))), again, less)),
        ))  # fmt: skip
        base = self.pick(
            (literal(1), make("list", ()), var("n"), literal(True), make("pair", (literal(1), literal(2))))
        )
        test = make("lt", (var("n"), literal(1)))
        return let("n", self.pick((var("x"), literal(3), literal(5))), make("if", (test, base, rest)))

    def mixed(self) -> Term:
        """Branches that give values of different kinds, to an operation that takes one of them."""
        choice = make("if", (make("lt", (self.unknown(literal(self.source.below(4))), literal(2))), self.anything(),
                             self.anything()))  # fmt: skip
        use = self.pick(("add", "lt", "and", "fst", "head", "not", "length", "mul"))
        if use in ("add", "lt", "mul"):
            return (
                make(use, (var("x"), literal(1)))
                if self.source.below(4) == 0
                else make(use, (choice, literal(1)))
            )
        if use == "and":
            return make(use, (choice, literal(True)))
        return make(use, (choice,))
