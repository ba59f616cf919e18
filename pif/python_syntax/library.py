"""What Python's built-ins and operators are in PIF: terms over terms, each operand written once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from pif.language.terms import Term, literal, make

__all__ = ["Library", "app", "if_", "lam", "let", "pair", "var"]


def var(name: str) -> Term:
    return Term("var", (), name)


def lam(name: str, body: Term) -> Term:
    return make("lam", (body,), name)


def let(name: str, value: Term, body: Term) -> Term:
    return make("let", (value, body), name)


def app(function: Term, *arguments: Term) -> Term:
    for argument in arguments:
        function = make("app", (function, argument))
    return function


def if_(condition: Term, then: Term, other: Term) -> Term:
    return make("if", (condition, then, other))


def pair(first: Term, second: Term) -> Term:
    return make("pair", (first, second))


def _fst(term: Term) -> Term:
    return make("fst", (term,))


def _snd(term: Term) -> Term:
    return make("snd", (term,))


def _add(left: Term, right: Term) -> Term:
    return make("add", (left, right))


_NONE = make("head", (Term("nil"),))
"""What Python raises an `IndexError` or `ValueError` for: the first item of no items."""


def _is_text(term: Term) -> bool:
    """Whether a term is a written string that is not empty."""
    plain = term.parts[0] if term.op == "python typed" else term
    return plain.op == "literal" and type(plain.value) is str and plain.value != ""


class Library:
    """Makes the terms, with names of its own that no program can have: they start with an underscore, and with
    `prefix` where two libraries work on one term."""

    def __init__(self, prefix: str = "_") -> None:
        self._prefix = prefix
        self._numbers = count(1)

    def name(self) -> str:
        return f"{self._prefix}{next(self._numbers)}"

    def named(self, value: Term, use: Callable[[Term], Term]) -> Term:
        """Use a value more than once."""
        if value.op in ("var", "literal"):
            return use(value)
        name = self.name()
        return let(name, value, use(var(name)))

    def fold(self, step: Callable[[Term, Term], Term], start: Term, items: Term) -> Term:
        name = self.name()
        return make("fold", (lam(name, step(_fst(var(name)), _snd(var(name)))), start, items))

    # Lists.

    def reverse(self, items: Term) -> Term:
        return self.fold(lambda sofar, item: make("cons", (item, sofar)), Term("nil"), items)

    def append(self, left: Term, right: Term) -> Term:
        return self.named(left, lambda first: self.fold(
            lambda sofar, item: make("cons", (item, sofar)), right, self.reverse(first)))  # fmt: skip

    def drop(self, items: Term, number: Term) -> Term:
        return self.fold(lambda sofar, _: make("tail", (sofar,)), items, make("range", (literal(0), number)))

    def index(self, items: Term, at: Term) -> Term:
        """`items[at]`, from the end where `at` is negative."""
        if at.op == "literal" and type(at.value) is int and 0 <= at.value < 4:
            for _ in range(at.value):
                items = make("tail", (items,))
            return make("head", (items,))

        def found(whole: Term, number: Term) -> Term:
            place = if_(make("lt", (number, literal(0))), _add(number, make("length", (whole,))), number)
            return self.named(place, lambda at: if_(
                make("lt", (at, literal(0))), _NONE, make("head", (self.drop(whole, at),))))  # fmt: skip

        return self.named(items, lambda whole: self.named(at, lambda number: found(whole, number)))

    def slice(self, items: Term, low: Term | None, high: Term | None) -> Term:
        """`items[low:high]`, with Python's reading of negative and of too large places."""

        def place(at: Term, length: Term) -> Term:
            return if_(make("lt", (at, literal(0))), _add(at, length), at)

        def cut(whole: Term, low: Term, high: Term) -> Term:
            def step(sofar: Term, item: Term) -> Term:
                inside = make("and", (make("lte", (low, _fst(sofar))), make("lt", (_fst(sofar), high))))
                kept = if_(inside, make("cons", (item, _snd(sofar))), _snd(sofar))
                return pair(_add(_fst(sofar), literal(1)), kept)

            return self.reverse(_snd(self.fold(step, pair(literal(0), Term("nil")), whole)))

        def placed(whole: Term) -> Term:
            length = make("length", (whole,))
            first = literal(0) if low is None else low
            last = length if high is None else high
            return self.named(first, lambda a: self.named(last, lambda b: self.named(
                place(a, length), lambda x: self.named(place(b, length), lambda y: cut(whole, x, y)))))  # fmt: skip

        return self.named(items, placed)

    def contains(self, items: Term, wanted: Term, *, integers: bool = False) -> Term:
        return self.named(wanted, lambda item: self.fold(
            lambda sofar, other: make("or", (sofar, self.equal(item, other, integers=integers))),
            literal(False), items))  # fmt: skip

    def equal(self, left: Term, right: Term, *, integers: bool = False) -> Term:
        """Equality; of `integers` a type error for all that is none, since Python's True equals 1."""
        return make("eq", (self.integer(left), self.integer(right)) if integers else (left, right))

    def integer(self, value: Term) -> Term:
        """The value, which is held to be an integer."""
        return value if value.op == "literal" else _add(value, literal(0))

    def truth_text(self, value: Term) -> Term:
        return if_(value, literal("True"), literal("False"))

    def substring(self, text: Term, wanted: Term) -> Term:
        def tested(whole: Term, part: Term) -> Term:
            size = make("length", (part,))
            ends = _add(make("sub", (make("length", (whole,)), size)), literal(1))

            def step(sofar: Term, at: Term) -> Term:
                here = self.text_slice(whole, at, _add(at, size))
                return make("or", (sofar, make("eq", (here, part))))

            return self.fold(step, literal(False), make("range", (literal(0), ends)))

        return self.named(text, lambda whole: self.named(wanted, lambda part: tested(whole, part)))

    def text_slice(self, text: Term, low: Term | None, high: Term | None) -> Term:
        return make("join", (literal(""), self.slice(make("chars", (text,)), low, high)))

    def text_turned(self, text: Term) -> Term:
        return make("join", (literal(""), self.reverse(make("chars", (text,)))))

    def is_space(self, character: Term) -> Term:
        """Whether `str.strip()` takes the character for white space."""

        def between(low: str, high: str) -> Term:
            return make(
                "and", (make("gte", (character, literal(low))), make("lte", (character, literal(high))))
            )

        def some(*tests: Term) -> Term:
            *first, last = tests
            for test in reversed(first):
                last = make("or", (test, last))
            return last

        low = some(make("eq", (character, literal(" "))), between("\t", "\r"), between("\x1c", "\x1f"))
        others = [
            make("eq", (character, literal(each))) for each in "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
        ]
        return if_(make("lte", (character, literal(" "))), low, make("and", (
            make("gte", (character, literal("\x85"))), some(between("\u2000", "\u200a"), *others))))  # fmt: skip

    def stripped(self, text: Term, characters: Term | None, name: str) -> Term:
        """`strip`, `lstrip` or `rstrip`: without white space, or some characters, at its ends."""

        def cut(whole: Term, chosen: Term | None) -> Term:
            def is_outside(item: Term) -> Term:
                return self.named(item, self.is_space) if chosen is None else self.contains(chosen, item)

            def step(sofar: Term, item: Term) -> Term:
                leads = make("and", (make("isEmpty", (sofar,)), is_outside(item)))
                return if_(leads, sofar, make("cons", (item, sofar)))

            def turned_without(items: Term) -> Term:
                return self.fold(step, Term("nil"), items)

            letters = make("chars", (whole,))
            match name:
                case "lstrip":
                    kept = self.reverse(turned_without(letters))
                case "rstrip":
                    kept = turned_without(self.reverse(letters))
                case _:
                    kept = turned_without(turned_without(letters))
            return make("join", (literal(""), kept))

        if characters is None:
            return cut(text, None)
        return self.named(text, lambda whole: self.named(
            make("chars", (characters,)), lambda chosen: cut(whole, chosen)))  # fmt: skip

    def words(self, text: Term) -> Term:
        """`text.split()`: what stands between runs of white space."""

        def put(state: Term) -> Term:
            word = make("join", (literal(""), self.reverse(_fst(state))))
            return if_(
                make("isEmpty", (_fst(state),)), state, pair(Term("nil"), make("cons", (word, _snd(state))))
            )

        def step(state: Term, item: Term) -> Term:
            return if_(
                self.named(item, self.is_space),
                put(state),
                pair(make("cons", (item, _fst(state))), _snd(state)),
            )

        walked = self.fold(step, pair(Term("nil"), Term("nil")), make("chars", (text,)))
        return self.named(walked, lambda state: self.reverse(_snd(put(state))))

    def parted(self, text: Term, separator: Term) -> Term:
        """`text.split(separator)`, which fails where that is empty."""

        def parts(part: Term, whole: Term) -> Term:
            return app(literal("std.splitText"), part, whole)

        if _is_text(separator):
            return parts(separator, text)
        return self.named(text, lambda whole: self.named(separator, lambda part: if_(
            make("eq", (part, literal(""))), _NONE, parts(part, whole))))  # fmt: skip

    def replaced(self, text: Term, old: Term, new: Term) -> Term:
        """`text.replace(old, new)`; an empty part is found before and after each character."""

        def put(whole: Term, part: Term, other: Term) -> Term:
            around = make(
                "cons", (literal(""), self.append(make("chars", (whole,)), make("list", (literal(""),))))
            )
            return if_(
                make("eq", (part, literal(""))), make("join", (other, around)), many(whole, part, other)
            )

        def many(whole: Term, part: Term, other: Term) -> Term:
            return app(literal("std.replaceText"), part, other, whole)

        if _is_text(old):
            return many(text, old, new)
        return self.named(text, lambda whole: self.named(old, lambda part: self.named(
            new, lambda other: put(whole, part, other))))  # fmt: skip

    # Built-ins.

    def total(self, items: Term) -> Term:
        return self.fold(_add, literal(0), items)

    def extreme(self, items: Term, op: str) -> Term:
        """The least (`lt`) or largest (`gt`) item, the first of equals."""
        return self.named(items, lambda all_: self.fold(
            lambda best, item: if_(make(op, (item, best)), item, best), make("head", (all_,)), make("tail", (all_,))))  # fmt: skip

    def absolute(self, number: Term) -> Term:
        return self.named(number, lambda n: if_(make("lt", (n, literal(0))), make("sub", (literal(0), n)), n))

    def power(self, base: Term, exponent: Term) -> Term:
        def raised(b: Term, e: Term) -> Term:
            return if_(make("lt", (e, literal(0))), _NONE, self.fold(
                lambda sofar, _: make("mul", (sofar, b)), literal(1), make("range", (literal(0), e))))  # fmt: skip

        return self.named(base, lambda b: self.named(exponent, lambda e: raised(b, e)))

    def stepped_range(self, first: Term, last: Term, step: int) -> Term:
        def numbers(a: Term, b: Term) -> Term:
            size = abs(step)
            span = make("sub", (b, a)) if step > 0 else make("sub", (a, b))
            many = make("div", (_add(span, literal(size - 1)), literal(size)))

            def each(sofar: Term, number: Term) -> Term:
                return make("cons", (_add(a, make("mul", (number, literal(step)))), sofar))

            return self.reverse(self.fold(each, Term("nil"), make("range", (literal(0), many))))

        return self.named(first, lambda a: self.named(last, lambda b: numbers(a, b)))

    def sorted(self, items: Term, key: Term | None, descending: bool) -> Term:
        """Insertion into a sorted list: equal items stay in their order. `key` is found once of each item, also where
        there is nothing to compare it with."""
        if key is not None:
            return self.sorted_by(items, key, descending)
        return self.inserted(items, lambda item: item, descending)

    def sorted_by(self, items: Term, key: Term, descending: bool) -> Term:
        def keyed(function: Term) -> Term:
            return self.mapped(items, lambda item: pair(app(function, item), item))

        return self.named(
            key, lambda function: self.mapped(self.inserted(keyed(function), _fst, descending), _snd)
        )

    def mapped(self, items: Term, change: Callable[[Term], Term]) -> Term:
        return self.reverse(self.fold(
            lambda sofar, item: make("cons", (change(item), sofar)), Term("nil"), items))  # fmt: skip

    def inserted(self, items: Term, keyed: Callable[[Term], Term], descending: bool) -> Term:
        def insert(sofar: Term, new: Term) -> Term:
            def step(state: Term, old: Term) -> Term:
                ahead = make("lt", (keyed(old), keyed(new)) if descending else (keyed(new), keyed(old)))
                here = make("and", (make("not", (_fst(state),)), ahead))
                both = make("cons", (old, make("cons", (new, _snd(state)))))
                return if_(
                    here, pair(literal(True), both), pair(_fst(state), make("cons", (old, _snd(state))))
                )

            walked = self.fold(step, pair(literal(False), Term("nil")), sofar)
            return self.named(walked, lambda done: self.reverse(
                if_(_fst(done), _snd(done), make("cons", (new, _snd(done))))))  # fmt: skip

        return self.fold(insert, Term("nil"), items)

    def extreme_by(self, items: Term, key: Term, op: str) -> Term:
        """The item with the least (`lt`) or largest (`gt`) key, the first of equals; each key is found once."""
        return self.named(key, lambda function: self.named(
            self.mapped(items, lambda item: pair(app(function, item), item)), lambda keyed: _snd(self.fold(
                lambda best, new: if_(make(op, (_fst(new), _fst(best))), new, best),
                make("head", (keyed,)), make("tail", (keyed,))))))  # fmt: skip

    def enumerated(self, items: Term, start: Term) -> Term:
        def step(sofar: Term, item: Term) -> Term:
            return pair(_add(_fst(sofar), literal(1)), make("cons", (pair(_fst(sofar), item), _snd(sofar))))

        return self.reverse(_snd(self.fold(step, pair(start, Term("nil")), items)))

    def zipped(self, left: Term, right: Term) -> Term:
        def step(sofar: Term, item: Term) -> Term:
            rest, made = _fst(sofar), _snd(sofar)
            both = make("cons", (pair(item, make("head", (rest,))), made))
            return if_(make("isEmpty", (rest,)), sofar, pair(make("tail", (rest,)), both))

        return self.reverse(_snd(self.fold(step, pair(right, Term("nil")), left)))

    def decided(self, items: Term, op: str) -> Term:
        """`any` (`or`) and `all` (`and`)."""
        return self.fold(lambda sofar, item: make(op, (sofar, item)), literal(op == "and"), items)
