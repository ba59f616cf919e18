"""Terms over what loops keep: states of many parts, sums of products, lists of lists, lists walked side by side, records
that a loop changes again and again, values looked for among a few constants.

Each comes with what looks like it and is not: a record that is still looked at after it was changed, a list that grows
after it was kept, a part that is no list, a sum of what was summed up.
"""

from __future__ import annotations

from pif.language.terms import Term, literal, make
from tests.support.terms.list_maker import ListMaker
from tests.support.terms.term_maker import lam, let, var

__all__ = ["KeptMaker"]

_ACC, _ITEM = make("fst", (var("p"),)), make("snd", (var("p"),))
_NIL = make("list", ())
_TURN = lam("p", make("cons", (_ITEM, _ACC)))


def _behind(first: Term, second: Term) -> Term:
    """One list and then another."""
    return make("fold", (_TURN, second, make("fold", (_TURN, _NIL, first))))


def _nested(parts: tuple[Term, ...], pattern: int) -> Term:
    """Pairs of pairs of these parts: to the right, to the left, or in the middle."""
    if len(parts) == 1:
        return parts[0]
    at = (1, 1, len(parts) - 1, len(parts) // 2)[pattern]
    return make("pair", (_nested(parts[:at], pattern), _nested(parts[at:], pattern)))


def _paths(whole: Term, count: int, pattern: int) -> tuple[Term, ...]:
    """Where the parts of such pairs are."""
    if count == 1:
        return (whole,)
    at = (1, 1, count - 1, count // 2)[pattern]
    return (
        *_paths(make("fst", (whole,)), at, pattern),
        *_paths(make("snd", (whole,)), count - at, pattern),
    )


class KeptMaker(ListMaker):
    """`kept` makes a term."""

    def kept(self) -> Term:
        build = self.pick(
            (
                self.counts,
                self.counts,
                self.rows,
                self.rows,
                self.side_by_side,
                self.owned,
                self.owned,
                self.asked,
            )
        )
        return let("same", lam("s", var("s")), build())

    def large(self) -> Term:
        return literal(self.pick((1, 3, -2, 7, 2**30, 2**31, -(2**40), 2**61, -(2**61), 2**62 - 1)))

    def counts(self) -> Term:
        """Several numbers that a loop adds up, compares and exchanges."""
        count, pattern = 1 + self.source.below(5), self.source.below(4)
        names = [f"c{place}" for place in range(count)]

        def one() -> Term:
            mine, other = var(self.pick(names)), var(self.pick(names))
            return self.pick((
                make("add", (mine, literal(1))), make("add", (mine, _ITEM)), make("add", (mine, make("mul", (_ITEM, _ITEM)))), make("add", (mine, make("mul", (_ITEM, self.large())))),
                make("if", (make("lt", (mine, other)), mine, other)), make("if", (make("gt", (mine, other)), mine, literal(0))), mine, other, literal(0), self.large(), make("add", (mine, other)), make("add", (mine, make("mul", (mine, other)))),
                make("sub", (mine, make("mul", (other, literal(2))))), make("mul", (mine, other)), make("if", (self.test(), make("add", (mine, make("mul", (_ITEM, self.large())))), mine)),
                make("add", (make("add", (mine, _ITEM)), make("mul", (_ITEM, self.large())))), make("if", (self.test(), mine, _ITEM)), make("sub", (literal(0), mine)), _ITEM, self.unknown(mine),
            ))  # fmt: skip

        def state() -> Term:
            return _nested(tuple([self.pick((one(), var(name))) for name in names]), pattern)

        body = self.pick((
            state(), make("if", (self.test(), state(), state())), make("if", (self.test(), state(), _ACC)), let("n", make("if", (self.test(), state(), _ACC)), self.pick((var("n"), make("if", (self.test(), var("n"), state()))))),
        ))  # fmt: skip
        for name, path in zip(names, _paths(_ACC, count, pattern), strict=True):
            body = let(name, path, body)
        start = _nested(tuple([self.pick((literal(0), self.number(), self.large())) for _ in names]), pattern)
        items = self.pick(
            (
                self.few(),
                self.few(),
                make("list", tuple([self.large() for _ in range(1 + self.source.below(6))])),
            )
        )
        if self.source.below(3) == 0:  # the loop is inside another, which goes on with what it gives
            again = make("fold", (lam("p", body), make("fst", (var("q"),)), items))
            return make("fold", (lam("q", again), start, self.few()))
        whole = make("fold", (lam("p", body), start, items))
        ends = _paths(var("s"), count, pattern)
        most = make("list", (literal(2**61), literal(2**61)))
        large = make(
            "fold", (lam("p", make("add", (_ACC, make("mul", (_ITEM, literal(2**61)))))), literal(0), most)
        )
        first, second = self.pick((self.pick(ends), large)), self.pick((self.large(), literal(2**61)))
        mixed = make(
            "if", (make("lt", (var("x"), literal(5))), make("mul", (first, second)), self.unknown(first))
        )
        seen = make("head", (self.unknown(make("list", (var("v"),))),))
        squared = let("v", mixed, let("v", seen, make("mul", (var("v"), var("v")))))
        return let("s", whole, self.pick((
            var("s"), make("list", ends), squared, squared, make("add", (self.pick(ends), self.pick(ends))), make("mul", (self.pick(ends), self.pick(ends))), make("lt", (self.pick(ends), self.pick(ends))),
            make("show", (self.pick(ends),)), make("div", (self.pick(ends), literal(3))),
        )))  # fmt: skip

    def rows(self) -> Term:
        """Lists that an inner loop makes and an outer one keeps."""
        mine, outer = make("snd", (var("q"),)), make("fst", (var("q"),))
        value = self.pick(
            (
                mine,
                make("mul", (mine, _ITEM)),
                make("add", (mine, literal(1))),
                make("pair", (mine, _ITEM)),
                self.number(),
            )
        )
        grown = self.pick(
            (
                make("cons", (value, outer)),
                make("cons", (value, outer)),
                self.more(outer, value),
                make("if", (make("lt", (mine, literal(2))), make("cons", (value, outer)), outer)),
            )
        )
        row = make(
            "fold", (lam("q", grown), self.pick((_NIL, _NIL, _NIL, make("list", (literal(4),)))), self.few())
        )
        turned = make("fold", (_TURN, _NIL, row))
        length = make("length", (var("r"),))
        kept = self.pick((
            make("cons", (var("r"), _ACC)), make("cons", (var("r"), make("cons", (var("r"), _ACC)))), make("cons", (make("pair", (var("r"), length)), _ACC)), make("if", (self.test(), make("cons", (var("r"), _ACC)), _ACC)),
            make("cons", (make("list", (var("r"), var("r"))), _ACC)), make("cons", (make("cons", (literal(5), var("r"))), make("cons", (var("r"), _ACC)))), self.more(_ACC, var("r")), make("cons", (make("head", (var("r"),)), _ACC)),
            make("cons", (make("fold", (lam("q", make("cons", (var("r"), outer))), _NIL, self.few())), _ACC)), make("if", (self.test(), make("cons", (var("r"), _ACC)), make("cons", (make("tail", (var("r"),)), _ACC)))),
            make("cons", (make("eq", (var("r"), make("list", (literal(1),)))), _ACC)), make("cons", (make("fold", (lam("q", make("add", (mine, outer))), literal(0), var("r"))), make("cons", (var("r"), _ACC)))), var("r"),
            make("cons", (lam("y", var("r")), _ACC)), make("cons", (make("record", (var("r"), length), ("a", "b")), _ACC)), let("k", make("record", (var("r"),), ("a",)), let("o", _behind(var("r"), make("list", (literal(6),))), make("cons", (var("k"), make("cons", (var("o"), _ACC)))))),
            let("o", self.more(var("r"), literal(6)), make("cons", (var("r"), make("cons", (var("o"), _ACC))))),
        ))  # fmt: skip
        body = let("r", self.pick((row, turned, turned)), kept)
        whole = make("fold", (lam("p", body), _NIL, self.few()))
        return self.pick(
            (
                whole,
                whole,
                make("fold", (_TURN, _NIL, whole)),
                let("r", self.pick((row, turned)), make("list", (var("r"), self.use("r")))),
            )
        )

    def side_by_side(self) -> Term:
        """Two lists walked together, as the translation from Python has it; one may be no list."""
        rest, done = make("fst", (_ACC,)), make("snd", (_ACC,))
        pairs = make("cons", (make("pair", (_ITEM, make("head", (rest,)))), done))
        step = self.pick((
            make("if", (make("isEmpty", (rest,)), _ACC, make("pair", (make("tail", (rest,)), pairs)))), make("if", (make("isEmpty", (rest,)), _ACC, make("pair", (make("tail", (rest,)), pairs)))),
            make("if", (self.test(), make("pair", (make("tail", (rest,)), pairs)), _ACC)), make("pair", (make("tail", (rest,)), pairs)), make("pair", (self.pick((rest, _ITEM, literal(3))), make("cons", (make("head", (rest,)), done)))),
            make("pair", (make("list", (_ITEM,)), make("cons", (make("isEmpty", (rest,)), done)))),
            make("pair", (make("if", (make("isEmpty", (rest,)), literal(0), rest)), make("cons", (_ITEM, done)))),
        ))  # fmt: skip
        other = self.pick(
            (
                self.few(),
                self.few(),
                self.unknown(self.brief()),
                self.unknown(literal(2)),
                self.unknown(literal(2)),
            )
        )
        walked = self.pick((self.few(), self.few(), self.unknown(_NIL)))
        whole = make("fold", (lam("p", step), make("pair", (other, _NIL)), walked))
        first, second = make("fst", (make("snd", (var("q"),)),)), make("snd", (make("snd", (var("q"),)),))
        total = make(
            "fold",
            (
                lam("q", make("add", (make("fst", (var("q"),)), make("mul", (first, second))))),
                literal(0),
                make("snd", (var("z"),)),
            ),
        )
        down = make(
            "fold",
            (
                lam("p", make("tail", (_ACC,))),
                other,
                make("range", (literal(0), literal(self.source.below(4)))),
            ),
        )
        once = let(
            "z",
            whole,
            self.pick(
                (
                    var("z"),
                    total,
                    total,
                    make("fst", (var("z"),)),
                    make("isEmpty", (make("fst", (var("z"),)),)),
                )
            ),
        )
        return self.pick(
            (
                once,
                once,
                down,
                make("head", (down,)),
                make(
                    "fold",
                    (
                        lam("p", make("cons", (let("p", make("pair", (_ITEM, _ITEM)), once), _ACC))),
                        _NIL,
                        self.few(),
                    ),
                ),
            )
        )

    def owned(self) -> Term:
        """A record that a loop changes, and what still looks at it as it was."""
        name = self.pick(
            (literal(self.name()), make("show", (_ITEM,)), make("show", (_ITEM,)), _ITEM, self.text())
        )
        value = self.pick(
            (
                self.number(),
                _ITEM,
                make("get", (_ACC, name)),
                make("add", (make("get", (_ACC, literal("a"))), literal(1))),
                _ACC,
            )
        )
        changed = make("with", (_ACC, name, value))
        got = make("if", (self.among(name, _ACC), make("get", (_ACC, name)), literal(0)))
        counted = let(
            "k",
            name,
            make(
                "with",
                (
                    _ACC,
                    var("k"),
                    make(
                        "add",
                        (
                            make(
                                "if", (self.among(var("k"), _ACC), make("get", (_ACC, var("k"))), literal(0))
                            ),
                            literal(1),
                        ),
                    ),
                ),
            ),
        )
        body = self.pick((
            changed, changed, counted, counted, make("with", (_ACC, name, got)), make("if", (self.test(), changed, _ACC)), make("if", (self.test(), changed, counted)), let("o", _ACC, changed), let("o", changed, make("with", (var("o"), literal("a"), got))),
            make("with", (_ACC, name, make("list", (_ACC, value)))), make("with", (changed, name, value)), let("o", changed, make("if", (self.test(), var("o"), _ACC))), let("o", _ACC, make("with", (var("o"), name, var("o")))),
            make("with", (_ACC, name, make("with", (_ACC, literal("b"), value)))), let("o", make("get", (_ACC, literal("a"))), changed), make("with", (self.record(), name, value)), make("record", (value, _ACC), ("a", "b")),
            make("with", (_ACC, name, lam("y", _ACC))), make("with", (_ACC, name, make("keys", (_ACC,)))),
        ))  # fmt: skip
        start = self.pick(
            (make("record", (), ()), make("record", (), ()), self.record(), var("w"), var("w"), var("w"))
        )
        items = self.pick((self.few(), self.few(), self.names()))
        if self.source.below(3) == 0:  # the record is one part of what is carried along
            mine, rest = make("fst", (_ACC,)), make("snd", (_ACC,))
            kept = self.pick(
                (
                    rest,
                    mine,
                    make("with", (mine, literal("a"), _ITEM)),
                    make("cons", (mine, rest)),
                    make("cons", (make("get", (mine, literal("a"))), rest)),
                    make("cons", (_ITEM, rest)),
                )
            )
            inside = make("with", (mine, name, self.pick((_ITEM, mine, literal(3), self.among(name, mine)))))
            body = self.pick(
                (
                    make("pair", (inside, kept)),
                    make("pair", (make("if", (self.test(), inside, mine)), kept)),
                    let("o", inside, make("pair", (self.pick((var("o"), mine)), kept))),
                )
            )
            whole = make("fold", (lam("p", body), make("pair", (start, _NIL)), items))
        else:
            whole = make("fold", (lam("p", body), start, items))
        many = make("fold", (lam("q", make("cons", (whole, make("fst", (var("q"),))))), _NIL, self.few()))
        record = make("record", (literal(1), self.number()), ("a", "b"))
        return let("w", self.pick((record, record, self.unknown(record))), self.pick((
            whole, whole, make("list", (whole, var("w"))), make("list", (var("w"), whole, var("w"))), many, make("list", (many, var("w"))), let("r", whole, make("list", (var("r"), make("with", (var("r"), literal("a"), literal(9))), var("r")))),
        )))  # fmt: skip

    def asked(self) -> Term:
        """A value looked for among a few constants, in a loop and out of it."""
        item, acc = make("snd", (var("q"),)), make("fst", (var("q"),))
        constants = self.pick((
            tuple(literal(letter) for letter in "aeiou"), tuple(literal(number) for number in (1, 0, 3, 1)), (literal("a"), literal(self.name()), literal("b"), literal("a")), (literal(True), literal(1)), (literal(2),), (literal(2**61), literal(3)),
        ))  # fmt: skip
        wanted = self.pick((_ITEM, _ITEM, var("x"), self.number(), self.text(), literal(True)))
        same = make("eq", self.pick(((wanted, item), (item, wanted))))
        has = make("fold", (lam("q", make("or", (acc, same))), literal(False), make("list", constants)))
        use = self.pick(
            (
                make("if", (has, make("add", (_ACC, literal(1))), _ACC)),
                make("if", (make("not", (has,)), _ACC, make("sub", (_ACC, literal(2))))),
                make("add", (_ACC, make("if", (has, literal(1), literal(5))))),
            )
        )
        items = self.pick(
            (
                make("chars", (self.text(),)),
                make("chars", (literal("some letters, uoiea"),)),
                self.few(),
                self.few(),
                make("keys", (self.record(),)),
            )
        )
        return make("fold", (lam("p", use), literal(0), items))
