"""Inputs of a type, made up and made smaller: what `pif fuzz` tries on a tool.

An input is a written term that evaluates to its value: literals, lists, pairs, records, quotes, and functions that
are constant or give back what they get. All is a function of the random generator's state and the size. Making
smaller goes toward 0, "", [], false, null, the shortest first, and always stays in the type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from pif.analysis.types.type_text import print_type
from pif.analysis.types.unification import DYNAMIC, Origin, Shape, Type, TypeVariable, find
from pif.analysis.work import Work
from pif.language.terms import Term, literal, make

__all__ = ["EDGES", "Sampler", "shrunk", "weight"]

EDGES = (0, 1, -1, 2, 10, 255, 2**31, -(2**31), 2**53 + 1, 2**63, -(2**64), 10**30)
_CHARACTERS = 'ab cz019 ,.-_AZé𝄞\n"\\{}[]'
_NAMES = ("a", "b", "key", "x", "é", "")
_DEPTH = 5
_PARTS = 20_000
"""Parts of a type, and nodes of an input."""


class Sampler:
    """Makes one input. A variable of the type stands for one type throughout.

    A type may be exponential as a tree: for one that is, `input` raises `Unfinished`.
    """

    def __init__(self, random: Random, size: int) -> None:
        self.random = random
        self.work = Work(_PARTS)
        self.size = size
        self.chosen: dict[int, tuple[TypeVariable, Type]] = {}

    def input(self, type_: Type) -> Term:
        """A term whose value has the type."""
        return self.term(self.instantiated(type_), 0)

    def instantiated(self, type_: Type) -> Type:
        """The type with a type chosen for each of its variables."""
        self.work.done()
        type_ = find(type_)
        if isinstance(type_, TypeVariable):
            known = self.chosen.get(id(type_))
            if known is None:
                known = self.chosen[id(type_)] = (type_, self.choice(type_))
            return known[1]
        if type_.name == "field" and self.is_absent(find(type_.parts[0])):
            return self.instantiated(type_.parts[2])
        if type_.name == "every":
            return self.fields(type_)
        return Shape(type_.name, tuple(map(self.instantiated, type_.parts)), type_.origin, type_.label)

    def choice(self, variable: TypeVariable) -> Type:
        """A type for a variable, within its rules."""
        if variable.sort == "row":
            return self.fields(_every(_shape("maybe"), self.some_type(0)))
        if variable.sort != "type":
            return _shape("maybe" if variable.sort == "flag" else "pure")
        if "ordered" in variable.rules:
            return _shape(self.random.choice(("integer", "integer", "string")))
        if "sized" in variable.rules:
            return self.random.choice((_shape("string"), _shape("list", self.some_type(1))))
        return self.some_type(0)

    def some_type(self, depth: int) -> Type:
        """Any type of data."""
        names = ["integer", "integer", "string", "boolean", "unit"]
        if depth < 2:
            names += ["list", "pair"]
        match self.random.choice(names):
            case "list":
                return _shape("list", self.some_type(depth + 1))
            case "pair":
                return _shape("pair", self.some_type(depth + 1), self.some_type(depth + 1))
            case name:
                return _shape(name)

    def is_absent(self, flag: Type) -> bool:
        """Whether a field is left out: one that may be missing, half the time."""
        if isinstance(flag, TypeVariable) and ("there" in flag.rules or "gone" in flag.rules):
            return "gone" in flag.rules
        return (isinstance(flag, TypeVariable) or flag.name == "maybe") and self.random.random() < 0.5

    def fields(self, every: Shape) -> Type:
        """Some fields for a row of which only the type of the others is known."""
        flag = find(every.parts[0])
        row: Type = _every(_gone(), every.parts[1])
        if isinstance(flag, TypeVariable) and "gone" in flag.rules:
            return row
        for name in self.random.sample(_NAMES, self.random.randint(0, min(3, self.size))):
            row = Shape(
                "field", (_shape("present"), self.instantiated(every.parts[1]), row), Origin(None), name
            )
        return row

    def term(self, type_: Type, depth: int) -> Term:
        assert isinstance(type_, Shape)
        self.work.done()
        match type_.name:
            case "integer":
                return literal(self.integer())
            case "boolean":
                return literal(self.random.random() < 0.5)
            case "string":
                return literal(self.string())
            case "unit":
                return literal(None)
            case "quoted":
                return make("quote", (self.term(self.some_type(1), depth + 1),))
            case "list":
                return make(
                    "list", tuple([self.term(type_.parts[0], depth + 1) for _ in range(self.length(depth))])
                )
            case "pair":
                return make(
                    "pair", (self.term(type_.parts[0], depth + 1), self.term(type_.parts[1], depth + 1))
                )
            case "record":
                fields = dict(_fields(type_.parts[0]))
                names = tuple(sorted(fields))
                return make("record", tuple([self.term(fields[name], depth + 1) for name in names]), names)
            case "function":
                return self.function(type_, depth)
            case _:
                return self.term(self.some_type(depth), depth + 1)

    def function(self, type_: Shape, depth: int) -> Term:
        argument, result = type_.parts[0], type_.parts[1]
        if print_type(argument) == print_type(result) and self.random.random() < 0.5:
            return make("lam", (Term("var", (), "x"),), "x")
        return make("lam", (self.term(result, depth + 1),), "x")

    def integer(self) -> int:
        if self.random.random() < 0.15:
            return self.random.choice(EDGES)
        reach = self.random.choice((3, 10, 10, 100, 10 ** min(2 + self.size, 40)))
        return (
            self.random.randint(-reach, reach)
            if self.random.random() < 0.4
            else self.random.randint(0, reach)
        )

    def string(self) -> str:
        return "".join(self.random.choices(_CHARACTERS, k=self.random.randint(0, self.size)))

    def length(self, depth: int) -> int:
        return 0 if depth >= _DEPTH else self.random.randint(0, max(1, self.size >> depth))


def _shape(name: str, *parts: Type) -> Shape:
    return Shape(name, parts, Origin(None))


def _gone() -> TypeVariable:
    flag = TypeVariable("flag", 0)
    flag.rules["gone"] = Origin(None)
    return flag


def _every(flag: Type, type_: Type) -> Shape:
    return _shape("every", flag, type_)


def _fields(row: Type) -> Iterator[tuple[str, Type]]:
    while isinstance(row, Shape) and row.name == "field":
        yield row.label, row.parts[1]
        row = find(row.parts[2])


# Smaller inputs.


def weight(term: Term) -> tuple[int, int, int]:
    """How large an input is: what `shrunk` makes less."""
    total, magnitude, stack = 0, 0, [term]
    while stack:
        part = stack.pop()
        stack.extend(part.parts)
        match part.value:
            case bool():
                total += part.value
            case int():
                total += 2 * part.value.bit_length() + (part.value < 0)
                magnitude += abs(part.value)
            case str():
                total += 2 * len(part.value) + sum(character not in "ab" for character in part.value)
    return term.nodes, total, magnitude


def shrunk(term: Term, type_: Type, fails: Callable[[Term], bool], tries: int) -> Term:
    """The smallest input found, by trying smaller ones as long as `fails` holds of one; at most `tries` of them."""
    left = tries
    again = True
    while again:
        again = False
        for smaller in _smaller(term, find(type_)):
            if weight(smaller) >= weight(term):
                continue
            if left <= 0:
                return term
            left -= 1
            if fails(smaller):
                term, again = smaller, True
                break
    return term


def _smaller(term: Term, type_: Type) -> Iterator[Term]:
    """Inputs of the same type that are a step smaller, the largest steps first."""
    match term.op:
        case "literal":
            yield from map(literal, _smaller_data(term.value))
        case "list":
            items = term.parts
            step = len(items)
            while step:
                for start in range(0, len(items), step):
                    yield make("list", items[:start] + items[start + step :])
                step //= 2
            yield from _inside(term, [_part(type_, 0)] * len(items))
        case "pair":
            yield from _inside(term, [_part(type_, 0), _part(type_, 1)])
        case "record":
            yield from _smaller_record(term, type_)
        case "lam" | "quote":
            yield from _inside(term, [_part(type_, 1) if term.op == "lam" else type_])


def _part(type_: Type, index: int) -> Type:
    """A part of a type, where the type is written out so far."""
    type_ = find(type_)
    parts = type_.parts if isinstance(type_, Shape) else ()
    return find(parts[index]) if index < len(parts) else type_


def _inside(term: Term, types: list[Type]) -> Iterator[Term]:
    for index, (part, type_) in enumerate(zip(term.parts, types, strict=True)):
        for smaller in _smaller(part, type_):
            yield make(term.op, (*term.parts[:index], smaller, *term.parts[index + 1 :]), term.value)


def _smaller_record(term: Term, type_: Type) -> Iterator[Term]:
    known: dict[str, Shape] = {}
    row = _part(type_, 0)
    while isinstance(row, Shape) and row.name == "field":
        known[row.label] = row
        row = find(row.parts[2])
    for index, name in enumerate(term.value):
        if name not in known or _may_be_missing(find(known[name].parts[0])):
            parts = term.parts[:index] + term.parts[index + 1 :]
            yield make("record", parts, term.value[:index] + term.value[index + 1 :])
    anything: Type = _shape(DYNAMIC)
    yield from _inside(term, [known[name].parts[1] if name in known else anything for name in term.value])


def _may_be_missing(flag: Type) -> bool:
    return "there" not in flag.rules if isinstance(flag, TypeVariable) else flag.name == "maybe"


def _smaller_data(value: bool | int | str | None) -> Iterator[bool | int | str | None]:
    match value:
        case bool():
            yield False
        case int():
            yield 0
            yield abs(value)
            magnitude = abs(value)
            steps = [magnitude >> shift for shift in range(1, magnitude.bit_length() + 1)]
            for near in (*steps, magnitude - 1):
                yield -near if value < 0 else near
            for step in reversed(steps):
                yield value - step if value > 0 else value + step
        case str():
            step = len(value)
            while step:
                for start in range(0, len(value), step):
                    yield value[:start] + value[start + step :]
                step //= 2
            for index, character in enumerate(value):
                if character not in "ab":
                    yield value[:index] + "a" + value[index + 1 :]
