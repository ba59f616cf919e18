"""Terms over lists as people write them: one put behind another or before it, the least of a few values, a value looked
for, states of several parts that a choice gives anew.

Each comes with what looks like it and is not: a list that is used again after it has grown, a value that is no integer,
a step that makes functions, a list that no one can know.
"""

from __future__ import annotations

from pif.language.terms import Term, literal, make
from tests.support.terms.term_maker import app, lam, let, var
from tests.support.terms.text_maker import TextMaker

__all__ = ["ListMaker"]

_ACC, _ITEM = make("fst", (var("p"),)), make("snd", (var("p"),))
_NIL = make("list", ())
_TURN = lam("p", make("cons", (_ITEM, _ACC)))


def _turned(listed: Term, end: Term = _NIL) -> Term:
    return make("fold", (_TURN, end, listed))


def _behind(first: Term, second: Term) -> Term:
    """One list and then another."""
    return _turned(_turned(first), second)


def _has(name: Term, record: Term) -> Term:
    """Whether a record has a name."""
    step = lam("q", make("or", (make("fst", (var("q"),)), make("eq", (name, make("snd", (var("q"),)))))))
    return make("fold", (step, literal(False), make("keys", (record,))))


class ListMaker(TextMaker):
    """`listed` makes a term."""

    def listed(self) -> Term:
        build = self.pick(
            (
                self.least,
                self.grown,
                self.appended,
                self.appended,
                self.appended,
                self.states,
                self.states,
                self.sought,
                self.begun,
                self.folded,
                self.changed,
                self.changed,
            )
        )
        return let("same", lam("s", var("s")), build())

    def number(self) -> Term:
        below = self.source.below
        return self.pick((
            literal(below(7) - 2), literal(below(7) - 2), literal(self.pick((2**30, 2**61, -(2**61), 2**62 - 1))), var("x"), self.unknown(literal(below(5))),
            make("add", (var("x"), literal(below(3)))), self.scalar(),
        ))  # fmt: skip

    def brief(self) -> Term:
        """A list literal of a few values."""
        items = tuple(self.number() for _ in range(self.source.below(5)))
        return self.pick(
            (
                make("list", items),
                make("list", items),
                make("list", items),
                self.few(),
                self.unknown(make("list", items)),
            )
        )

    def step(self) -> Term:
        """A step over a brief list."""
        return self.pick((
            make("if", (make("lt", (_ITEM, _ACC)), _ITEM, _ACC)), make("if", (make("gt", (_ITEM, _ACC)), _ITEM, _ACC)), make("add", (_ACC, _ITEM)),
            make("mul", (_ACC, _ITEM)), make("sub", (make("mul", (_ACC, literal(3))), _ITEM)), make("cons", (_ITEM, _ACC)), make("or", (_ACC, make("eq", (_ITEM, literal(1))))),
            make("and", (make("lt", (_ITEM, literal(2))), _ACC)), make("pair", (_ITEM, _ACC)), make("cons", (lam("y", _ITEM), _ACC)),
            let("q", _ITEM, make("add", (var("q"), _ACC))), make("add", (_ACC, make("fold", (lam("p", make("add", (_ACC, _ITEM))), _ITEM, self.brief())))),
            make("add", (_ACC, make("div", (literal(6), _ITEM)))), _ACC, _ITEM, make("if", (make("eq", (_ITEM, literal(0))), _ACC, make("add", (_ACC, _ITEM)))),
        ))  # fmt: skip

    def folded(self) -> Term:
        start = self.pick((literal(0), literal(1), self.number(), literal(False), _NIL))
        once = make("fold", (lam("p", self.step()), start, self.brief()))
        again = make(
            "fold",
            (
                lam("p", make("cons", (make("fold", (lam("q", self._inner()), _ITEM, self.brief())), _ACC))),
                _NIL,
                self.few(),
            ),
        )
        return self.pick(
            (
                once,
                once,
                let(
                    "l",
                    self.brief(),
                    make(
                        "list",
                        (make("fold", (lam("p", self.step()), start, var("l"))), make("length", (var("l"),))),
                    ),
                ),
                again,
            )
        )

    def _inner(self) -> Term:
        mine, outer = make("snd", (var("q"),)), make("fst", (var("q"),))
        return self.pick(
            (
                make("add", (outer, mine)),
                make("if", (make("lt", (mine, outer)), mine, outer)),
                make("add", (outer, make("mul", (mine, _ITEM)))),
            )
        )

    def least(self) -> Term:
        """The least or the greatest of a few, as the translation from Python has it."""
        step = lam(
            "p",
            self.pick(
                (
                    make("if", (make("lt", (_ITEM, _ACC)), _ITEM, _ACC)),
                    make("if", (make("gt", (_ITEM, _ACC)), _ITEM, _ACC)),
                    self.step(),
                )
            ),
        )
        of = let("l", self.brief(), self.pick((
            make("fold", (step, make("head", (var("l"),)), make("tail", (var("l"),)))), make("fold", (step, make("head", (var("l"),)), make("tail", (var("l"),)))),
            make("list", (make("fold", (step, make("head", (var("l"),)), make("tail", (var("l"),)))), var("l"))),
            make("cons", (make("head", (var("l"),)), make("tail", (make("tail", (var("l"),)),)))), make("isEmpty", (make("tail", (var("l"),)),)),
        )))  # fmt: skip
        inner = make("fold", (lam("p", let("x", _ITEM, let("y", _ACC, of))), literal(5), self.few()))
        return self.pick((of, of, inner))

    def more(self, listed: Term, item: Term) -> Term:
        """A list with something before or behind it."""
        one = make("list", (item,))
        two = make("list", (item, self.number()))
        return self.pick((
            _behind(listed, one), _behind(listed, one), _behind(one, listed), _behind(one, listed), _behind(listed, two), _behind(two, listed), make("cons", (item, listed)),
            _behind(listed, _behind(one, two)), let("o", one, _behind(var("o"), listed)), let("o", one, make("list", (_behind(var("o"), listed), var("o")))), _behind(listed, listed),
            _behind(listed, make("list", (make("length", (listed,)),))), _behind(listed, _NIL), _behind(listed, self.brief()), _turned(listed), listed, _behind(listed, self.few()),
        ))  # fmt: skip

    def use(self, name: str) -> Term:
        listed = var(name)
        walk = make(
            "fold", (lam("p", make("sub", (make("mul", (_ACC, literal(3))), _ITEM))), literal(1), listed)
        )
        return self.pick((
            listed, listed, walk, walk, _turned(listed), make("list", (walk, listed)), make("length", (listed,)), make("list", (_behind(listed, make("list", (literal(1),))), walk)),
            _behind(listed, make("list", (literal(9),))), make("head", (listed,)), make("join", (literal(","), listed)), lam("y", listed),
            make("fold", (lam("p", make("cons", (make("add", (_ITEM, literal(1))), _ACC))), _NIL, listed)),
        ))  # fmt: skip

    def grown(self) -> Term:
        """A list to which every step, or some, put something."""
        body = self.more(_ACC, self.pick((_ITEM, make("mul", (_ITEM, literal(3))), self.number())))
        body = self.pick((
            body, body, make("if", (self.test(), body, _ACC)), make("if", (self.test(), body, self.more(_ACC, _ITEM))), let("o", body, self.pick((var("o"), make("if", (self.test(), var("o"), _ACC))))),
            make("if", (self.test(), body, _NIL)),
        ))  # fmt: skip
        start = self.pick(
            (
                _NIL,
                _NIL,
                _NIL,
                make("list", (self.number(),)),
                make("list", (self.number(), literal(2))),
                self.unknown(_NIL),
                make("nil", ()),
            )
        )
        return let("g", make("fold", (lam("p", body), start, self.few())), self.use("g"))

    def appended(self) -> Term:
        """A list that only grows at its end, and what still looks at it as it was."""
        one = make("list", (self.pick((_ITEM, make("add", (_ITEM, literal(1))), var("x"))),))
        two = make("list", (_ITEM, literal(5)))
        longer = _behind(_ACC, self.pick((one, one, two)))
        short = self._short(var("o"))
        body = self.pick((
            longer, longer, make("if", (self.test(), longer, _ACC)), make("if", (self.test(), longer, _behind(_ACC, two))), let("o", longer, make("if", (short, var("o"), _ACC))),
            let("o", make("if", (self.test(), longer, _ACC)), make("if", (short, var("o"), _ACC))), let("o", make("if", (self.test(), longer, _ACC)), _behind(var("o"), one)),
            let("o", longer, let("i", _behind(_ACC, two), make("if", (short, var("o"), var("i"))))),
        ))  # fmt: skip
        listed = var("g")
        walk = make(
            "fold", (lam("p", make("sub", (make("mul", (_ACC, literal(3))), _ITEM))), literal(1), listed)
        )
        again = _behind(listed, make("list", (_ITEM,)))
        inner = make(
            "fold", (lam("p", make("sub", (make("mul", (_ACC, literal(3))), _ITEM))), literal(1), again)
        )
        each = make(
            "fold",
            (lam("p", make("cons", (self.pick((inner, make("length", (again,)))), _ACC))), _NIL, self.few()),
        )
        use = self.pick(
            (
                listed,
                walk,
                walk,
                make("list", (walk, make("length", (listed,)))),
                each,
                make("list", (each, walk)),
                let("h", _behind(listed, make("list", (literal(7),))), make("list", (walk, var("h")))),
            )
        )
        return let("g", make("fold", (lam("p", body), _NIL, self.few())), use)

    def states(self) -> Term:
        """A state of three parts, of which a choice gives some anew."""
        out, flag, word = (
            make("fst", (_ACC,)),
            make("fst", (make("snd", (_ACC,)),)),
            make("snd", (make("snd", (_ACC,)),)),
        )

        def state(first: Term, second: Term, third: Term) -> Term:
            return make("pair", (first, make("pair", (second, third))))

        inner = make(
            "if",
            (
                self.pick((self.test(), var("f"))),
                let(
                    "o",
                    self.more(var("o"), self.pick((var("w"), _ITEM))),
                    make("pair", (var("o"), literal(0))),
                ),
                make("pair", (var("o"), self.pick((var("w"), make("add", (var("w"), literal(1))))))),
            ),
        )
        rest = let("i", inner, state(make("fst", (var("i"),)), var("f"), make("snd", (var("i"),))))
        choice = make(
            "if",
            (
                self.test(),
                state(self.pick((var("o"), var("o"), _NIL)), make("not", (var("f"),)), var("w")),
                self.pick((rest, rest, state(self.more(var("o"), var("w")), var("f"), literal(1)))),
            ),
        )
        last = let(
            "n",
            choice,
            self.pick(
                (
                    var("n"),
                    state(
                        make("fst", (var("n"),)),
                        make("fst", (make("snd", (var("n"),)),)),
                        make("snd", (make("snd", (var("n"),)),)),
                    ),
                )
            ),
        )
        body = let("o", out, let("f", flag, let("w", word, self.pick((last, choice, rest)))))
        start = state(
            self.pick((_NIL, _NIL, _NIL, make("list", (literal(8),)))),
            self.pick((literal(False), literal(True), literal(3))),
            self.number(),
        )
        whole = make("fold", (lam("p", body), start, self.few()))
        return let(
            "s",
            whole,
            let(
                "g",
                make("fst", (var("s"),)),
                self.pick(
                    (self.use("g"), self.use("g"), make("pair", (make("snd", (var("s"),)), self.use("g"))))
                ),
            ),
        )

    def sought(self) -> Term:
        """A value looked for in a list."""
        item, acc = make("snd", (var("q"),)), make("fst", (var("q"),))
        wanted = self.pick((self.number(), self.number(), self.text(), literal(True), _NIL, var("x")))
        same = make("eq", self.pick(((wanted, item), (item, wanted), (item, item), (acc, wanted))))
        step = lam(
            "q",
            self.pick(
                (
                    make("or", (acc, same)),
                    make("or", (acc, same)),
                    make("or", (acc, same)),
                    make("and", (acc, same)),
                    make("if", (acc, acc, same)),
                    make("or", (same, acc)),
                )
            ),
        )
        gathered = make(
            "fold",
            (
                lam(
                    "p",
                    make(
                        "cons",
                        (
                            self.pick(
                                (_ITEM, make("mul", (_ITEM, literal(2))), make("lt", (_ITEM, literal(2))))
                            ),
                            _ACC,
                        ),
                    ),
                ),
                _NIL,
                self.few(),
            ),
        )
        items = self.pick(
            (
                gathered,
                gathered,
                gathered,
                make("chars", (self.text(),)),
                self.names(),
                self.brief(),
                make("keys", (self.record(),)),
            )
        )
        start = self.pick(
            (literal(False), literal(False), literal(False), literal(True), self.unknown(literal(False)))
        )
        once = make("fold", (step, start, items))
        many = let(
            "g",
            items,
            make(
                "fold",
                (lam("p", make("cons", (make("fold", (step, start, var("g"))), _ACC))), _NIL, self.few()),
            ),
        )
        return self.pick((once, once, many))

    def begun(self) -> Term:
        """A list made by one loop that another goes on with."""
        first = make(
            "fold",
            (
                lam("p", make("cons", (self.pick((_ITEM, make("add", (_ITEM, var("x"))))), _ACC))),
                _NIL,
                self.few(),
            ),
        )
        start = self.pick((var("b"), var("b"), _turned(var("b")), make("cons", (literal(1), var("b")))))
        each = make(
            "fold",
            (
                lam(
                    "q",
                    make(
                        "cons",
                        (make("add", (make("snd", (var("q"),)), literal(1))), make("fst", (var("q"),))),
                    ),
                ),
                _NIL,
                _ACC,
            ),
        )
        body = self.pick(
            (
                self.more(_ACC, _ITEM),
                self.more(_ACC, _ITEM),
                each,
                _turned(each),
                _turned(_ACC),
                make("if", (self.test(), self.more(_ACC, _ITEM), _ACC)),
                make("if", (self.test(), _turned(each), _ACC)),
            )
        )
        second = make("fold", (lam("p", body), start, self.few()))
        return let(
            "b",
            first,
            let(
                "g",
                second,
                self.pick(
                    (
                        self.use("g"),
                        self.use("g"),
                        self.use("g"),
                        make("list", (self.use("g"), self.use("b"))),
                    )
                ),
            ),
        )

    def changed(self) -> Term:
        """Records made, read and changed in loops, by names that are written and names that are not."""
        name = self.pick((_ITEM, literal("a"), literal(self.name()), self.text()))
        value = self.pick(
            (
                self.number(),
                make("get", (_ACC, name)),
                make("add", (make("get", (_ACC, literal("a"))), literal(1))),
            )
        )
        record = make("record", (self.number(), self.number(), literal(0)), ("a", "b", "c"))
        body = self.pick((
            make("with", (_ACC, name, value)), make("with", (_ACC, name, value)), let("r", make("with", (_ACC, name, value)), self.pick((var("r"), make("with", (var("r"), name, make("get", (_ACC, literal("a")))))))),
            make("if", (self.among(name, _ACC), make("with", (_ACC, name, make("get", (_ACC, name)))), make("with", (_ACC, name, value)))),
            make("if", (make("lt", (make("get", (_ACC, literal("a"))), literal(3))), make("record", (value, make("get", (_ACC, literal("b"))), literal(1)), ("a", "b", "c")), _ACC)),
        ))  # fmt: skip
        items = self.pick((self.names(), self.names(), self.few()))
        made = make(
            "fold", (lam("p", body), self.pick((record, self.record(), make("record", (), ()))), items)
        )
        one, other = literal(self.name()), literal(self.name())
        asked = make("list", tuple(_has(name, var("r")) for name in (one, other, self.text(), one)))
        return self.pick((
            made, let("r", made, make("list", (var("r"), make("keys", (var("r"),)), self.got(var("r"))))), app(lam("r", self.among(literal(self.name()), var("r"))), made),
            let("r", self.pick((made, record, self.record(), self.record())), asked),
        ))  # fmt: skip
