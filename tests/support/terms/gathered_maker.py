"""Terms over integers that a loop gathers: sums and products, some beyond what compiled code takes for small, and what
is done with the list then.

Each comes with what looks like it and is not: a list that is walked before it takes a product, one that becomes another
loop's, one that is kept, items of which some are no integers.
"""

from __future__ import annotations

from pif.language.terms import Term, literal, make
from tests.support.terms.kept_maker import KeptMaker
from tests.support.terms.term_maker import lam, let, var

__all__ = ["GatheredMaker"]

_ACC, _ITEM = make("fst", (var("p"),)), make("snd", (var("p"),))
_OUTER, _MINE = make("fst", (var("q"),)), make("snd", (var("q"),))
_NIL = make("list", ())
_TURN = lam("p", make("cons", (_ITEM, _ACC)))


def _untold(large: Term) -> Term:
    """Something about an integer that says nothing of its size, which a unit would test: what it was charged is all."""
    return make("lt", (large, literal(5)))


class GatheredMaker(KeptMaker):
    """`gathered` makes a term."""

    def gathered(self) -> Term:
        build = self.pick(
            (self.squared, self.squared, self.squared, self.once, self.within, self.handed_on, self.paired)
        )
        return let("same", lam("s", var("s")), build())

    def large(self) -> Term:
        return literal(self.pick((2**61, -(2**61), 2**62 - 1, 1 - 2**62, 2**40, 3)))

    def paired(self) -> Term:
        """Two lists walked side by side, of which either may be the shorter."""
        few = [make("list", tuple([self.number() for _ in range(self.source.below(5))])) for _ in range(2)]
        walked, other = (self.pick((each, self.unknown(each))) for each in few)
        rest, done = make("fst", (_ACC,)), make("snd", (_ACC,))
        pairs = make("cons", (make("pair", (_ITEM, make("head", (rest,)))), done))
        both = make("pair", (make("tail", (rest,)), pairs))
        step = self.pick(
            (
                both,
                both,
                both,
                make("pair", (make("tail", (rest,)), make("cons", (_ITEM, done)))),
                make("pair", (rest, pairs)),
            )
        )
        body = make("if", (make("isEmpty", (rest,)), _ACC, step))
        whole = make("fold", (lam("p", body), make("pair", (other, _NIL)), walked))
        return self.pick((whole, whole, make("snd", (whole,)), make("length", (make("fst", (whole,)),))))

    def numbers(self) -> Term:
        """What is walked: a few integers, known or not."""
        few = make(
            "list",
            tuple(
                [self.pick((self.large(), self.large(), literal(3))) for _ in range(1 + self.source.below(3))]
            ),
        )
        return self.pick((few, few, self.few(), self.unknown(few)))

    def product(self, item: Term) -> Term:
        large = self.large()
        return self.pick((
            make("mul", (item, item)), make("mul", (item, large)), make("mul", (item, large)), make("mul", (item, large)), make("add", (make("mul", (item, large)), item)), make("sub", (item, large)), make("add", (item, literal(1))), item,
            make("if", (self.test(), make("mul", (item, large)), item)), make("mul", (make("mul", (item, large)), large)), let("o", make("mul", (item, item)), var("o")),
            self.unknown(make("mul", (item, item))), make("pair", (make("mul", (item, item)), item)), make("if", (self.test(), make("mul", (item, large)), self.unknown(literal(True)))),
        ))  # fmt: skip

    def gathering(self, items: Term, start: Term = _NIL) -> Term:
        """A loop that gathers products."""
        body = self.pick(
            (
                make("cons", (self.product(_ITEM), _ACC)),
                make("cons", (self.product(_ITEM), _ACC)),
                make("if", (self.test(), make("cons", (self.product(_ITEM), _ACC)), _ACC)),
                make("cons", (self.product(_ITEM), make("cons", (_ITEM, _ACC)))),
                make("cons", (self.unknown(_ITEM), make("cons", (self.product(_ITEM), _ACC)))),
                make("cons", (make("add", (self.product(_ITEM), self.walked(_ACC))), _ACC)),
            )
        )
        return make("fold", (lam("p", body), start, items))

    def walked(self, listed: Term) -> Term:
        """What loops find in such a list."""
        step = self.pick((
            make("add", (_OUTER, _MINE)), make("add", (_OUTER, _MINE)), *[make("add", (_OUTER, make("mul", (_MINE, _MINE))))] * 4, make("if", (make("lt", (_MINE, _OUTER)), _MINE, _OUTER)), make("if", (make("gt", (_MINE, _OUTER)), _MINE, _OUTER)),
            make("sub", (_OUTER, _MINE)), make("mul", (_OUTER, _MINE)), make("add", (_OUTER, make("mod", (_MINE, literal(7))))), make("add", (_OUTER, make("mul", (_MINE, self.large())))), _MINE, make("add", (_OUTER, make("length", (make("show", (_MINE,)),)))),
            make("add", (_OUTER, self.unknown(_MINE))), make("if", (make("eq", (_MINE, self.large())), literal(1), _OUTER)),
        ))  # fmt: skip
        return make("fold", (lam("q", step), self.pick((literal(0), self.large())), listed))

    def seen(self, name: str) -> Term:
        """What is done with such a list: walked, or kept, or both."""
        listed = var(name)
        has = make(
            "fold",
            (lam("q", make("or", (_OUTER, make("eq", (self.large(), _MINE))))), literal(False), listed),
        )
        again = make(
            "fold",
            (lam("q", make("cons", (self.pick((_MINE, make("mul", (_MINE, _MINE)))), _OUTER))), _NIL, listed),
        )
        squared = let("v", make("head", (listed,)), make("mul", (var("v"), var("v"))))
        return self.pick((
            self.walked(listed), self.walked(listed), self.walked(listed), make("mul", (self.walked(listed), self.walked(listed))), listed, make("list", (listed, listed)), make("list", (self.walked(listed), listed)), has, make("length", (listed,)),
            squared, squared, squared, again, let("m", again, self.walked(var("m"))), make("fold", (_TURN, _NIL, listed)), let("m", make("cons", (make("mul", (var("x"), self.large())), listed)), make("list", (self.walked(var("m")), var("m")))),
            make("if", (self.test(), listed, _NIL)), lam("y", listed), make("show", (make("head", (listed,)),)), self.unknown(listed),
        ))  # fmt: skip

    def squared(self) -> Term:
        """Products of what may be as large as a product: they are charged by their sizes."""
        large, gathers = self.large(), self.pick
        items = make("list", tuple([self.large() for _ in range(1 + self.source.below(3))]))
        many = make(
            "if",
            (
                make("lt", (make("mul", (_MINE, _MINE)), literal(5))),
                make("add", (_OUTER, literal(1))),
                _OUTER,
            ),
        )
        before = make("fold", (lam("q", many), literal(0), _ACC))
        product = gathers((
            make("mul", (_ITEM, large)), make("mul", (_ITEM, large)), make("mul", (make("mul", (_ITEM, large)), large)),
            make("if", (make("lt", (before, literal(1))), make("mul", (_ITEM, large)), _ITEM)), self.product(_ITEM),
        ))  # fmt: skip
        rest = gathers(
            (_ACC, _ACC, make("cons", (gathers((_ITEM, self.unknown(_ITEM), self.unknown(_ITEM))), _ACC)))
        )
        listed = make("fold", (lam("p", make("cons", (product, rest))), _NIL, items))
        anew = make(
            "fold",
            (lam("q", make("cons", (make("mul", (_MINE, large)), _OUTER))), _NIL, gathers((items, _ACC))),
        )
        round_again = make("fold", (lam("q", make("cons", (_MINE, _OUTER))), _NIL, anew))
        handed = make("fold", (lam("p", gathers((anew, anew, round_again))), _NIL, self.few()))
        step = gathers((
            make("add", (_OUTER, make("mul", (_MINE, _MINE)))), make("add", (_OUTER, make("mul", (_MINE, _MINE)))),
            make("if", (make("lt", (make("mul", (_MINE, large)), literal(5))), make("add", (_OUTER, literal(1))), _OUTER)),
        ))  # fmt: skip
        squares = _untold(make("fold", (lam("q", step), literal(0), var("r"))))
        first = _untold(let("v", make("head", (var("r"),)), make("mul", (var("v"), var("v")))))
        use = gathers(
            (
                squares,
                squares,
                make("list", (squares, first)),
                make("list", (squares, first)),
                make("list", (squares, first)),
                make("list", (first, squares)),
                make("list", (squares, var("r"))),
            )
        )
        copied = make("fold", (lam("q", let("o", _MINE, make("cons", (var("o"), _OUTER)))), _NIL, var("r")))
        turned = make("fold", (_TURN, _NIL, listed))
        return let(
            "r", gathers((listed, listed, listed, turned, handed)), gathers((use, let("r", copied, use)))
        )

    def once(self) -> Term:
        listed = self.gathering(self.numbers())
        turned = make("fold", (_TURN, _NIL, listed))
        return let(
            "p",
            make("pair", (literal(1), self.large())),
            let("r", self.pick((listed, turned)), self.seen("r")),
        )

    def within(self) -> Term:
        """Lists gathered at each step of another loop."""
        listed = make("fold", (lam("q", make("cons", (self.product(_MINE), _OUTER))), _NIL, self.numbers()))
        turned = make("fold", (lam("q", make("cons", (_MINE, _OUTER))), _NIL, listed))
        kept = self.pick((make("cons", (self.seen("r"), _ACC)), make("cons", (self.walked(var("r")), _ACC))))
        return make("fold", (lam("p", let("r", self.pick((listed, turned)), kept)), _NIL, self.few()))

    def handed_on(self) -> Term:
        """A list that each step of a loop makes anew from the one before."""
        again = make("fold", (lam("q", make("cons", (self.product(_MINE), _OUTER))), _NIL, _ACC))
        turned = make("fold", (lam("q", make("cons", (_MINE, _OUTER))), _NIL, again))
        grown = make("cons", (make("mul", (self.walked(_ACC), self.large())), _ACC))
        body = self.pick((again, turned, grown, make("if", (self.test(), turned, _ACC))))
        whole = make("fold", (lam("p", body), self.pick((_NIL, self.gathering(self.numbers()))), self.few()))
        return let("p", make("pair", (literal(1), self.large())), let("r", whole, self.seen("r")))
