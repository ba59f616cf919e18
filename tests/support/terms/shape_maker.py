"""Terms of the shapes that compiled code treats in a way of its own: loops that could be left early, lists that are
gathered and turned round, calls that could be written out where they stand, tools that call each other.

Each shape comes with those that look like it and are not: a test that has an effect on each item, a step that also
reads what it gathers, a call whose body makes functions.
"""

from __future__ import annotations

from pif.language.terms import Term, literal, make
from tests.support.terms.compiled_maker import CompiledMaker
from tests.support.terms.term_maker import app, lam, let, var

__all__ = ["RINGS", "ShapeMaker"]

_ACC, _ITEM = make("fst", (var("p"),)), make("snd", (var("p"),))
_NIL = make("list", ())


def _call(name: str, argument: Term) -> Term:
    return app(literal(name), argument)


def _evaluated(name: str, argument: Term) -> Term:
    return app(make("eval", (make("code_of", (literal(name),)),)), argument)


_LESS = make("sub", (var("n"), literal(1)))
_DONE = make("lte", (var("n"), literal(0)))

RINGS: dict[str, Term] = {
    "even": lam("n", make("if", (make("eq", (var("n"), literal(0))), literal(True), _evaluated("odd", _LESS)))),
    "odd": lam("n", make("if", (make("eq", (var("n"), literal(0))), literal(False), _evaluated("even", _LESS)))),
    "ping": lam("n", make("if", (_DONE, literal("ping"), _call("pong", _LESS)))),
    "pong": lam("n", make("if", (_DONE, literal("pong"), _call("ping", make("sub", (var("n"), literal(2))))))),
    "one": lam("n", make("add", (var("n"), literal(1)))),
    "two": lam("n", _call("one", _call("one", var("n")))),
    "choose": lam("n", make("if", (make("lt", (var("n"), literal(2))), _call("one", var("n")), make("pair", (var("n"), _NIL))))),
    "adder": lam("n", lam("m", make("add", (var("n"), var("m"))))),
    "makers": lam("n", make("if", (_DONE, _NIL, make("cons", (_call("adder", var("n")), _call("makers", _LESS)))))),
    "swing": lam("n", make("if", (_DONE, _call("adder", var("n")), let("f", lam("y", var("n")), _call("swung", _LESS))))),
    "swung": lam("n", make("if", (_DONE, lam("z", var("n")), _call("swing", _LESS)))),
    "stops": lam("n", make("if", (_DONE, make("continue", (literal(1),)), _call("stops", _LESS)))),
    "widens": lam("n", make("if", (make("lt", (literal(2**40), var("n"))), var("n"), _call("widens", make("mul", (var("n"), literal(9))))))),
    "tree": lam("n", make("if", (_DONE, literal(1), make("add", (_call("tree", _LESS), _call("tree", make("sub", (var("n"), literal(2))))))))),
    "folds": lam("n", make("fold", (lam("p", make("if", (_DONE, _ACC, _call("folds", _LESS)))), literal(0),
                                    make("range", (literal(0), var("n")))))),
    "pairs": lam("n", make("if", (make("lte", (make("fst", (var("n"),)), literal(0))), make("snd", (var("n"),)),
                                  _call("pairs", make("pair", (make("sub", (make("fst", (var("n"),)), literal(1))),
                                                               make("add", (make("fst", (var("n"),)), make("snd", (var("n"),)))))))))),
    "kinds": lam("n", make("if", (make("eq", (var("n"), literal(0))), var("n"), _call("kinds", make("if", (
        make("eq", (var("n"), literal(1))), literal(0), literal(True))))))),
}  # fmt: skip
"""Tools that call one another and themselves, in every place a call may stand, by name and by `eval`."""


class ShapeMaker(CompiledMaker):
    """`shaped` makes a term; tools in it are among `RINGS`."""

    def shaped(self) -> Term:
        build = self.pick(
            (
                self.swept,
                self.gathered,
                self.walked,
                self.walked,
                self.ringed,
                self.ringed,
                self.totals,
                self.left,
            )
        )
        return let("same", lam("s", var("s")), build())

    def few(self) -> Term:
        """A list to walk: of integers, of anything, of a kind nobody can know, or no list."""
        below = self.source.below
        match below(7):
            case 0 | 1 | 2:
                return make("list", tuple([literal(below(5) - 1) for _ in range(below(6))]))
            case 3:
                return make("range", (literal(0), literal(below(5))))
            case 4:
                return self.unknown(make("list", tuple([literal(below(5)) for _ in range(below(5))])))
            case 5:
                return make("list", (literal(2), literal(below(3)), self.scalar(), literal(1)))
            case _:
                return self.pick(
                    (self.items(), make("fold", (lam("p", make("cons", (_ITEM, _ACC))), _NIL, self.items())))
                )

    def test(self) -> Term:
        """A question about an item; some fail on some items."""
        return self.pick((
            make("lt", (_ITEM, literal(2))), make("eq", (_ITEM, literal(1))), make("lt", (literal(0), _ITEM)),
            make("eq", (make("mod", (literal(6), _ITEM)), literal(0))), literal(True), literal(False),
            make("not", (make("eq", (_ITEM, literal(self.source.below(3)))),)), _ITEM,
            make("isEmpty", (_ITEM,)), self.unknown(make("lt", (_ITEM, literal(1)))),
        ))  # fmt: skip

    def swept(self) -> Term:
        """Folds over which a boolean may stay what it is."""
        test = self.test()
        longer = let("d", make("list", (literal(1), literal(2))), _ACC)
        body = self.pick((
            make("and", (_ACC, test)), make("or", (_ACC, test)), make("and", (test, _ACC)), make("or", (test, _ACC)),
            make("if", (_ACC, test, _ACC)), make("if", (_ACC, _ACC, test)), make("if", (make("not", (_ACC,)), test, _ACC)),
            make("if", (_ACC, test, literal(False))), make("if", (_ACC, literal(True), test)),
            make("if", (_ACC, test, literal(True))), make("if", (_ACC, literal(False), test)),
            make("if", (_ACC, test, longer)), make("if", (_ACC, longer, test)), make("if", (test, _ACC, test)),
            make("if", (make("and", (_ACC, test)), _ACC, literal(False))), make("if", (_ACC, _ACC, _ACC)),
            let("i", make("add", (_ITEM, literal(1))), make("and", (_ACC, make("lt", (var("i"), literal(3)))))),
            make("and", (_ACC, app(lam("p", make("lt", (var("p"), literal(2)))), _ITEM))),
        ))  # fmt: skip
        start = self.pick(
            (literal(True), literal(False), self.unknown(literal(True)), self.unknown(literal(1)), literal(0))
        )
        swept = make("fold", (lam("p", body), start, self.few()))
        if self.source.below(3) == 0:  # the flag is one part of what is carried along
            flag, rest = make("fst", (_ACC,)), make("snd", (_ACC,))
            kept = self.pick(
                (
                    rest,
                    make("cons", (_ITEM, rest)),
                    make("add", (rest, _ITEM)),
                    make("add", (rest, literal(1))),
                )
            )
            other = self.pick(
                (
                    _ACC,
                    make("pair", (literal(False), rest)),
                    make("pair", (flag, rest)),
                    make("pair", (flag, kept)),
                )
            )
            body = make("if", (flag, make("pair", (test, kept)), other))
            beginning = self.pick((_NIL, literal(0), literal(2**61)))
            swept = make("fold", (lam("p", body), make("pair", (start, beginning)), self.few()))
        return make("list", (swept, swept)) if self.source.below(4) == 0 else swept

    def left(self) -> Term:
        """A loop that may be left early inside another, whose items tell whether it was."""
        inner = make(
            "fold", (lam("p", make("and", (_ACC, make("lt", (_ITEM, var("o")))))), literal(True), self.few())
        )
        step = let("o", _ITEM, self.pick((
            make("if", (inner, make("cons", (_ITEM, _ACC)), _ACC)), make("cons", (inner, _ACC)),
            make("if", (inner, _ACC, make("cons", (inner, _ACC)))),
        )))  # fmt: skip
        return make("fold", (lam("p", step), _NIL, self.few()))

    def gathered(self, levels: int = 2) -> Term:
        """Lists that a loop builds, and what may be done with one; what looks like that and reads it on the way."""
        below = self.source.below
        push = make(
            "cons",
            (
                self.pick(
                    (
                        _ITEM,
                        make("mul", (_ITEM, literal(3))),
                        self.scalar(),
                        make("pair", (_ITEM, _ITEM)),
                        self.test(),
                    )
                ),
                _ACC,
            ),
        )
        body = self.pick((
            push, push, make("if", (self.test(), push, _ACC)), make("if", (self.test(), _ACC, push)),
            make("if", (self.test(), push, make("cons", (literal(0), make("cons", (_ITEM, _ACC)))))),
            let("l", make("length", (_ACC,)), make("cons", (var("l"), _ACC))),
            make("if", (make("isEmpty", (_ACC,)), push, make("cons", (make("head", (_ACC,)), _ACC)))),
            make("cons", (_ACC, _ACC)), make("if", (self.test(), push, _NIL)), make("if", (make("isEmpty", (_ACC,)), push, make("tail", (_ACC,)))),
            make("cons", (_ITEM, self.unknown(_ACC))), let("a", _ACC, make("cons", (_ITEM, var("a")))),
            make("if", (self.test(), push, make("list", (_ITEM,)))), make("if", (self.test(), push, literal(1))),
        ))  # fmt: skip
        start = self.pick(
            (_NIL, _NIL, _NIL, make("list", (literal(7),)), self.unknown(_NIL), make("nil", ()), literal(0))
        )
        made = make("fold", (lam("p", body), start, self.few()))
        if below(3) == 0:
            flag, rest = make("fst", (_ACC,)), make("snd", (_ACC,))
            longer = make("cons", (_ITEM, rest))
            body = self.pick((
                make("pair", (self.test(), longer)), make("if", (flag, make("pair", (flag, longer)), make("pair", (self.test(), rest)))),
                make("pair", (flag, make("cons", (flag, rest)))), make("pair", (make("isEmpty", (rest,)), longer)),
                make("pair", (longer, longer)), make("if", (flag, _ACC, make("pair", (self.test(), longer)))),
            ))  # fmt: skip
            made = make(
                "snd", (make("fold", (lam("p", body), make("pair", (literal(False), _NIL)), self.few())),)
            )
        turned = make("fold", (lam("p", make("cons", (_ITEM, _ACC))), _NIL, var("g")))
        uses = [
            var("g"), make("length", (var("g"),)), make("isEmpty", (var("g"),)), turned, make("list", (var("g"), turned)),
            make("cons", (literal(9), var("g"))), make("head", (var("g"),)), make("tail", (var("g"),)), make("pair", (var("g"), literal(1))),
            make("fold", (lam("p", make("cons", (make("length", (var("g"),)), make("cons", (_ITEM, _ACC))))), _NIL, var("g"))),
            make("fold", (lam("p", make("cons", (make("add", (_ITEM, literal(1))), _ACC))), var("g"), var("g"))),
            make("fold", (lam("p", make("add", (_ACC, _ITEM))), literal(0), var("g"))), make("eq", (var("g"), turned)),
            lam("y", var("g")), app(lam("y", make("list", (var("y"), var("g")))), turned), make("show", (var("g"),)),
            make("fold", (lam("p", make("add", (_ACC, make("fold", (lam("p", make("add", (_ACC, _ITEM))), _ITEM, var("g")))))), literal(0), var("g"))),
            make("if", (make("isEmpty", (var("g"),)), _NIL, var("g"))), make("if", (self.test_of("g"), turned, _NIL)),
            make("record", (var("g"), turned), ("a", "b")), make("eval", (make("quote", (var("g"),)),)), _call("one", var("g")),
        ]  # fmt: skip
        use = self.pick(uses)
        if levels and below(4) == 0:
            use = let("g", self.pick((turned, var("g"))), self.pick(uses))
        return let("g", made, use)

    def walked(self, levels: int = 3, names: tuple[str, ...] = ()) -> Term:
        """Lists of integers that are gathered, grown afterwards, chosen from, turned round and only ever walked."""
        if levels == 0 or (names and self.source.below(4) == 0):
            asked = [self._walk(name) for name in names] or [literal(1)]
            if len(names) > 1 and self.source.below(2):
                chosen = make("if", (self._short(var(names[0])), var(names[-1]), var(names[0])))
                return self._walk("z", chosen)
            return self.pick((make("list", tuple(asked)), make("list", tuple(asked[-2:])), self.pick(asked)))
        push = make("cons", (_ITEM, _ACC))
        known = [var(name) for name in names]
        one, other = (self.pick(known), self.pick(known)) if known else (_NIL, _NIL)
        more = make("cons", (self.pick((literal(4), literal(6))), one))
        made = self.pick((
            self._gather(push), self._gather(make("if", (self.test(), push, _ACC))), self._gather(push),
            more, more, self._turned(one), make("if", (self._short(one), one, other)),
            make("if", (self._short(one), more, one)), make("if", (self._short(one), more, other)), one,
            self._gather(make("if", (self.test(), push, other))), self._gather(let("z", push, _ACC)),
            self._gather(let("z", push, make("if", (self._short(_ACC), _ACC, var("z"))))),
            self._gather(make("if", (self._short(_ACC), push, self._turned(_ACC)))),
            self._gather(make("if", (self._short(_ACC), push, self._turned(push)))), self._turned(self._turned(one)),
            self._gather(let("z", self._walk("z", _ACC), make("cons", (var("z"), _ACC)))),
            self._gather(make("cons", (self._walk("z", make("cons", (_ITEM, one))), _ACC))),
            self._gather(make("cons", (self._walk("z", more), _ACC))), self._gather(self._turned(push)),
            make("snd", (make("fold", (lam("p", make("pair", (make("snd", (_ACC,)), make("cons", (_ITEM, make("fst", (_ACC,)))))),),
                                       make("pair", (_NIL, _NIL)), self.few())),)),
            make("fold", (lam("p", self.pick((one, make("cons", (literal(3), one))))), _NIL, self.few())),
        ))  # fmt: skip
        name = self.pick(("g", "h", "i"))
        rest = self.walked(levels - 1, (*(kept for kept in names if kept != name), name))
        return let(name, made, rest)

    def _gather(self, body: Term) -> Term:
        return make("fold", (lam("p", body), _NIL, self.few()))

    def _turned(self, listed: Term) -> Term:
        return make("fold", (lam("p", make("cons", (_ITEM, _ACC))), _NIL, listed))

    def _short(self, listed: Term) -> Term:
        return make("lt", (make("length", (listed,)), literal(self.source.below(4))))

    def _walk(self, name: str, listed: Term | None = None) -> Term:
        """A number that depends on the items of a list and on their order."""
        step = make("sub", (make("mul", (_ACC, literal(3))), _ITEM))
        step = self.pick((step, step, step, make("add", (_ACC, _ITEM)), make("sub", (_ITEM, _ACC))))
        return make("fold", (lam("p", step), literal(1), var(name) if listed is None else listed))

    def test_of(self, name: str) -> Term:
        return make("lt", (make("length", (var(name),)), literal(2)))

    def totals(self) -> Term:
        """Sums and their like over lists, of small and of large integers, and of what is none."""
        words = (1, 2, -3, 2**30, 2**61, -(2**61), 2**62 - 1)
        items = [literal(self.pick(words)) for _ in range(self.source.below(7))]
        if self.source.below(5) == 0:
            items.append(self.pick((literal(True), literal("a"), self.scalar(), literal(2**63))))
        listed = make("list", tuple(items))
        listed = self.pick(
            (
                listed,
                listed,
                self.unknown(listed),
                make("range", (literal(-2), literal(self.source.below(9)))),
            )
        )
        step = self.pick((
            make("add", (_ACC, _ITEM)), make("add", (_ACC, _ITEM)), make("add", (_ITEM, _ACC)), make("sub", (_ACC, _ITEM)), make("sub", (_ITEM, _ACC)),
            make("add", (_ACC, make("mul", (_ITEM, _ITEM)))), make("add", (_ACC, literal(1))), make("mul", (_ACC, _ITEM)),
            make("add", (_ACC, make("if", (self.test(), _ITEM, literal(0))))), make("if", (make("lt", (_ACC, _ITEM)), _ITEM, _ACC)),
            make("add", (_ITEM, _ITEM)),
        ))  # fmt: skip
        start = self.pick(
            (literal(0), literal(0), literal(2**61), self.unknown(literal(1)), self.scalar(), _NIL)
        )
        total = make("fold", (lam("p", step), start, listed))
        return self.pick(
            (total, make("mul", (total, total)), make("add", (total, total)), make("pair", (total, total)))
        )

    def ringed(self) -> Term:
        """Calls of tools that call each other: as values, in the last place, in loops, with arguments of any kind."""
        name = self.pick(tuple(RINGS))
        count = literal(self.source.below(9))
        argument = self.pick(
            (
                count,
                count,
                count,
                var("x"),
                self.unknown(count),
                make("pair", (count, literal(1))),
                self.anything(),
            )
        )
        call = (_call if self.source.below(3) else _evaluated)(name, argument)
        match self.source.below(10):
            case 0:
                return make("fold", (lam("p", make("cons", (_call(name, _ITEM), _ACC))), _NIL, self.few()))
            case 1:
                return make("add", (call, literal(1)))
            case 2:
                return let("r", call, make("list", (var("r"), var("r"))))
            case 3:
                return make("if", (make("lt", (count, literal(3))), call, _call("two", count)))
            case 4:
                return make("fold", (lam("p", _call(name, _ACC)), count, self.few()))
            case 5:
                return app(call, literal(5))
            case 6 | 8:
                return make("eval", (make("quote", (_evaluated(name, argument),)),))
            case 7:
                made = make("fold", (lam("p", make("cons", (_call("adder", _ITEM), _ACC))), _NIL, self.few()))
                use = lam(
                    "q", make("add", (make("fst", (var("q"),)), app(make("snd", (var("q"),)), literal(5))))
                )
                return make("fold", (use, literal(0), made))
            case _:
                return call
