"""Terms over records and texts as people write them: fields by their names, names looked for among the keys, texts put
together piece by piece, walked by characters, joined.

Each comes with what looks like it and is not: a field that is missing, a record that is none, texts on both sides of
the sixteen characters from which they are charged, a step that also looks at what it walks.
"""

from __future__ import annotations

from pif.language.terms import Term, literal, make
from tests.support.terms.shape_maker import ShapeMaker
from tests.support.terms.term_maker import lam, let, var

__all__ = ["TextMaker"]

_ACC, _ITEM = make("fst", (var("p"),)), make("snd", (var("p"),))
_NIL = make("list", ())
_LONG = "a name of twenty-one."


def _record(**fields: Term) -> Term:
    names = tuple(sorted(fields))
    return make("record", tuple(fields[name] for name in names), names)


class TextMaker(ShapeMaker):
    """`written` makes a term."""

    def written(self) -> Term:
        build = self.pick(
            (self.fields, self.fields, self.grouped, self.grouped, self.pieces, self.spelled, self.joined)
        )
        return let("same", lam("s", var("s")), build())

    def name(self) -> str:
        return self.pick(("a", "b", "c", "", _LONG, "fifteen letters", "sixteen letters!"))

    def text(self) -> Term:
        """A text as a rule."""
        return self.pick((
            literal(self.name()), literal(self.name()), self.unknown(literal(self.name())), literal("x" * self.source.below(40)),
            make("show", (self.shown(),)), make("show", (self.shown(),)), self.anything(),
        ))  # fmt: skip

    def shown(self) -> Term:
        return self.pick((
            literal(self.pick((0, -7, 2**31, 2**62, -(2**70), 10**16, 10**15))), literal(True), literal(False), literal(None),
            self.unknown(literal(self.source.below(9))), literal(self.name()), self.anything(), var("x"),
        ))  # fmt: skip

    def record(self) -> Term:
        """A record as a rule, with some of the names."""
        item = self.pick((literal(3), literal(2**61), self.text(), self.scalar()))
        return self.pick((
            _record(a=item, b=literal(2)), _record(a=literal(1)), _record(a=item, b=literal(5), c=self.scalar()),
            make("record", (item, literal(1)), ("a", _LONG)), make("record", (), ()), self.unknown(_record(a=item, c=literal(4))),
            make("with", (_record(b=literal(1)), literal(self.name()), item)), self.anything(),
        ))  # fmt: skip

    def got(self, record: Term) -> Term:
        name = literal(self.name())
        return make("get", (record, self.pick((name, name, self.unknown(name), self.scalar()))))

    def fields(self) -> Term:
        """Fields of one record, several times, in branches and in loops."""
        uses = [self.got(var("r")) for _ in range(1 + self.source.below(3))]
        changed = make("with", (var("r"), literal(self.name()), self.got(var("r"))))
        body = self.pick((
            make("list", tuple(uses)), make("if", (make("lt", (self.got(var("r")), literal(3))), uses[0], uses[-1])),
            make("add", (self.got(var("r")), self.got(var("r")))), let("r", changed, make("list", (uses[0], self.got(var("r"))))),
            make("list", (self.got(var("r")), let("r", self.record(), self.got(var("r"))))), lam("y", self.got(var("r"))),
            make("fold", (lam("p", make("add", (_ACC, self.got(var("r"))))), literal(0), self.few())),
            make("fold", (lam("p", make("with", (_ACC, literal("a"), make("add", (self.got(_ACC), self.got(_ACC)))))), var("r"), self.few())),
            make("fold", (lam("p", make("if", (make("lt", (self.got(_ACC), literal(9))), _record(a=literal(9), b=self.got(_ACC)), _ACC))), var("r"), self.few())),
            make("fold", (lam("p", make("cons", (lam("y", make("list", (self.got(_ITEM), self.got(_ITEM)))), _ACC))), _NIL, self.records())),
            make("fold", (lam("p", make("add", (_ACC, make("mul", (self.got(_ITEM), self.got(_ITEM)))))), literal(0), self.records())),
        ))  # fmt: skip
        return let("r", self.record(), body)

    def records(self) -> Term:
        return make("list", tuple(self.record() for _ in range(self.source.below(4))))

    def among(self, name: Term, record: Term) -> Term:
        """Whether a record has a name, and what looks like that question."""
        item = make("snd", (var("q"),))
        acc = make("fst", (var("q"),))
        same = make("eq", self.pick(((name, item), (item, name))))
        body = self.pick((
            make("or", (acc, same)), make("or", (acc, same)), make("or", (acc, same)), make("or", (acc, same)), make("or", (same, acc)),
            make("and", (acc, same)), make("or", (acc, make("eq", (item, item)))), make("or", (acc, make("eq", (acc, name)))),
            make("or", (acc, make("eq", (make("concat", (name, literal("!"))), item)))), make("or", (make("not", (acc,)), same)),
        ))  # fmt: skip
        start = self.pick(
            (
                literal(False),
                literal(False),
                literal(False),
                literal(True),
                self.unknown(literal(False)),
                literal(0),
            )
        )
        keys = make("keys", (record,))
        items = self.pick(
            (keys, keys, keys, self.unknown(keys), make("chars", (name,)), self.names(), self.anything())
        )
        return make("fold", (lam("q", body), start, items))

    def names(self) -> Term:
        return make("list", tuple(literal(self.name()) for _ in range(self.source.below(5))))

    def grouped(self) -> Term:
        """Counts by name, kept in a record; and what is there is asked on its own."""
        name = self.pick((_ITEM, _ITEM, literal(self.name()), self.text()))
        before = make("if", (self.among(name, _ACC), make("get", (_ACC, name)), literal(0)))
        step = make("with", (_ACC, name, make("add", (before, literal(1)))))
        counted = make(
            "fold", (lam("p", step), self.pick((make("record", (), ()), self.record())), self.names())
        )
        one = self.among(self.pick((self.text(), literal(self.name()))), var("r"))
        two = self.among(var("n"), var("r"))
        keys = make("keys", (var("r"),))
        return self.pick((
            counted, counted, let("r", self.record(), one), let("r", self.record(), let("n", self.text(), make("list", (two, self.among(var("n"), var("r")))))),
            let("r", counted, make("list", (one, keys))),
            let("r", self.record(), make("fold", (lam("p", make("cons", (_ITEM, _ACC))), self.pick((_NIL, self.names())), keys))),
            let("r", self.record(), make("fold", (lam("p", make("add", (_ACC, make("get", (var("r"), _ITEM))))), literal(0), keys))),
            let("r", self.record(), make("fold", (lam("p", make("pair", (_ITEM, _ACC))), literal(0), keys))),
        ))  # fmt: skip

    def pieces(self) -> Term:
        """Texts put together from several."""
        parts = [self.text() for _ in range(2 + self.source.below(4))]
        whole = parts[0]
        for part in parts[1:]:
            whole = make("concat", (part, whole) if self.source.below(4) == 0 else (whole, part))
        piece = make("concat", (make("concat", (_ACC, self.text())), self.pick((_ITEM, self.text()))))
        return self.pick((
            whole, whole, make("list", (whole, make("length", (whole,)))), make("eq", (whole, make("concat", (self.text(), self.text())))),
            make("fold", (lam("p", piece), self.text(), self.names())), make("fold", (lam("p", make("concat", (piece, literal("; ")))), literal(""), self.names())),
        ))  # fmt: skip

    def spelled(self) -> Term:
        """Texts by their characters."""
        letters = make("chars", (self.text(),))
        test = make(
            "eq",
            self.pick(
                (
                    (_ITEM, literal(self.pick(("a", "x", "e", _LONG)))),
                    (literal("x"), _ITEM),
                    (_ITEM, self.text()),
                )
            ),
        )
        return self.pick((
            make("fold", (lam("p", make("if", (test, make("add", (_ACC, literal(1))), _ACC))), literal(0), letters)),
            make("fold", (lam("p", make("if", (test, _ACC, make("concat", (_ACC, _ITEM))))), literal(""), letters)),
            make("fold", (lam("p", make("cons", (_ITEM, _ACC))), _NIL, letters)),
            make("fold", (lam("p", make("cons", (make("list", (_ITEM, test)), _ACC))), _NIL, letters)),
            make("fold", (lam("p", make("cons", (lam("y", _ITEM), _ACC))), _NIL, letters)),
            make("fold", (lam("p", make("and", (_ACC, make("lte", (literal("a"), _ITEM))))), literal(True), letters)),
            let("l", letters, make("list", (make("length", (var("l"),)), make("fold", (lam("p", make("add", (_ACC, make("length", (_ITEM,))))), literal(0), var("l")))))),
        ))  # fmt: skip

    def joined(self) -> Term:
        """Lists of texts, gathered and joined, and used otherwise as well."""
        push = make(
            "cons",
            (
                self.pick(
                    (_ITEM, self.text(), make("show", (_ITEM,)), make("concat", (_ITEM, literal("."))))
                ),
                _ACC,
            ),
        )
        made = make(
            "fold",
            (
                lam("p", self.pick((push, make("if", (_is_short(), push, _ACC))))),
                self.pick((_NIL, _NIL, self.names())),
                self.pick((self.names(), self.few())),
            ),
        )
        turned = make("fold", (lam("p", make("cons", (_ITEM, _ACC))), _NIL, self.pick((var("g"), made))))
        separator = self.pick((literal(""), literal(", "), literal(_LONG), self.text()))
        join = make("join", (separator, self.pick((var("g"), turned, turned, turned, made))))
        use = self.pick((
            join, join, make("list", (join, var("g"))), make("list", (join, make("join", (separator, var("g"))))), make("concat", (join, self.text())),
            make("fold", (lam("p", make("concat", (_ACC, make("join", (separator, var("g")))))), literal(""), self.few())),
        ))  # fmt: skip
        return let("g", made, use)


def _is_short() -> Term:
    return make("lt", (make("length", (_ITEM,)), literal(5)))
