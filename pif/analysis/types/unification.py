"""Types, and unification of two of them: the method of Hindley and Milner, with Rémy's rows for records.

A type is a `Shape` (a name over parts) or a `TypeVariable` that may still become one. The same two classes stand for what
is inside types, told apart by `Sort`:

| sort | shapes |
|---|---|
| type | `integer`, `boolean`, `string`, `unit`, `quoted`, `list` t, `pair` t u, `record` row, `function` t u effect, `?` |
| row | `field` (label; flag, type, rest), `every` (flag, type): all labels not named before |
| flag | `present`, `maybe`; a variable held to be `there` or `gone` is a field that is there, or is not, as far as known |
| effect | `pure`, `continues`: whether calling the function may end the run by `continue` |

`?` is a type of which nothing is known; it goes with every other. Variables carry rules: `data` (no function inside),
`ordered` (integer or string), `sized` (list or string), `there` and `gone` for flags, which both together are `maybe`.

Invariants: unification never recurses deeper than `DEPTH` and never does more than its `work` allows: types can be
exponential in the size of a term, and nothing here may be. Every shape knows the `Origin` that made it, so that a
clash can name both places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from pif.analysis.work import Work
from pif.language.errors import Path

__all__ = [
    "DEPTH",
    "DYNAMIC",
    "GENERIC",
    "Clash",
    "Origin",
    "Rule",
    "Shape",
    "Sort",
    "TooDeep",
    "Type",
    "TypeVariable",
    "Unifier",
    "find",
    "function",
]

Sort = Literal["type", "row", "flag", "effect"]
Rule = Literal["data", "ordered", "sized", "there", "gone"]

DYNAMIC = "?"
GENERIC = 1 << 30
"""The level of variables that each use of a type replaces by its own."""

DEPTH = 400


class Origin(NamedTuple):
    """The part of a term that brought a type in; `tool` where that is a tool's code and not the term at hand."""

    path: Path
    tool: str | None = None


class TypeVariable:
    """What is not known yet. `level` counts the enclosing `let`s, `link` is what it has become."""

    __slots__ = ("level", "link", "rules", "sort")

    def __init__(self, sort: Sort, level: int) -> None:
        self.sort: Sort = sort
        self.level = level
        self.link: Type | None = None
        self.rules: dict[Rule, Origin] = {}


class Shape:
    """A name over parts; `label` is the name of a record's field."""

    __slots__ = ("label", "name", "origin", "parts")

    def __init__(self, name: str, parts: tuple[Type, ...], origin: Origin, label: str = "") -> None:
        self.name = name
        self.parts = parts
        self.origin = origin
        self.label = label


Type = TypeVariable | Shape


def function(argument: Type, result: Type, effect: Type, origin: Origin) -> Shape:
    return Shape("function", (argument, result, effect), origin)


def find(type_: Type) -> Type:
    """What a type has become so far."""
    while isinstance(type_, TypeVariable) and type_.link is not None:
        type_ = type_.link
    return type_


class Clash(Exception):
    """Two types that cannot be one. `rule` is set where a type breaks a rule, `label` where a field is concerned;
    `infinite` where a type would have to contain itself."""

    def __init__(
        self,
        found: Type,
        expected: Type | None = None,
        *,
        rule: Rule | None = None,
        origin: Origin | None = None,
        label: str | None = None,
        infinite: bool = False,
    ) -> None:
        super().__init__()
        self.found = found
        self.expected = expected
        self.rule = rule
        self.origin = origin
        self.label = label
        self.infinite = infinite


class TooDeep(Exception):
    """A type nests deeper than `DEPTH`."""


class Unifier:
    """Makes types one. A step of `work` is a part of a type looked at."""

    def __init__(self, work: Work) -> None:
        self.work = work.done
        self._trail: list[tuple[TypeVariable, Rule | None]] = []

    def make_same(self, found: Type, expected: Type) -> None:
        """Make both one type, or raise `Clash` with the innermost parts that differ and leave both as they were."""
        self._trail.clear()
        try:
            self.unify(found, expected)
        except Clash:
            self._undo()
            raise

    def _undo(self) -> None:
        while self._trail:
            variable, rule = self._trail.pop()
            if rule is None:
                variable.link = None
            else:
                del variable.rules[rule]

    def link(self, variable: TypeVariable, type_: Type) -> None:
        variable.link = type_
        self._trail.append((variable, None))

    def unify(self, found: Type, expected: Type, depth: int = 0) -> None:
        found, expected = find(found), find(expected)
        if found is expected:
            return
        self.work()
        if depth > DEPTH:
            raise TooDeep
        if isinstance(found, TypeVariable):
            self._bind(found, expected)
        elif isinstance(expected, TypeVariable):
            self._bind(expected, found)
        elif found.name == DYNAMIC or expected.name == DYNAMIC:
            self.forget(expected if found.name == DYNAMIC else found)
        elif "field" in (found.name, expected.name):
            self._rows(found, expected, depth)
        elif found.name != expected.name:
            raise Clash(found, expected)
        else:
            for one, other in zip(found.parts, expected.parts, strict=True):
                self.unify(one, other, depth + 1)

    def _bind(self, variable: TypeVariable, type_: Type) -> None:
        for part in self.parts(type_):
            if part is variable:
                raise Clash(variable, type_, infinite=True)
            if isinstance(part, TypeVariable):
                part.level = min(part.level, variable.level)
        self.link(variable, type_)
        for rule, origin in variable.rules.items():
            self.constrain(type_, rule, origin)

    def hold(self, type_: Type, rule: Rule, origin: Origin) -> None:
        """Hold a type to a rule, or raise `Clash` and leave it as it was."""
        self._trail.clear()
        try:
            self.constrain(type_, rule, origin)
        except Clash:
            self._undo()
            raise

    def constrain(self, type_: Type, rule: Rule, origin: Origin) -> None:
        def held(shape: Shape) -> Iterable[Type]:
            return (inner for inner in shape.parts if _may_hold_functions(inner)) if rule == "data" else ()

        for part in self._walk(type_, held):
            if isinstance(part, TypeVariable):
                self._rule(part, rule, origin)
            elif not _keeps(part, rule):
                raise Clash(part, rule=rule, origin=origin)

    def _rule(self, variable: TypeVariable, rule: Rule, origin: Origin) -> None:
        rules = variable.rules
        if rule in rules:
            return
        rules[rule] = origin
        self._trail.append((variable, rule))
        if "ordered" in rules and "sized" in rules:
            self.link(variable, Shape("string", (), origin))
        elif "there" in rules and "gone" in rules:
            self.link(variable, Shape("maybe", (), origin))

    def forget(self, type_: Type) -> None:
        """What meets `?` is not known either: every variable in a type becomes `?`."""
        for part in self.parts(type_):
            if isinstance(part, TypeVariable) and part.sort != "effect":
                self.link(part, unknown(part.sort, Origin(None)))

    def parts(self, type_: Type) -> Iterator[Type]:
        """What a type consists of, itself first, each once; all of it is work."""
        return self._walk(type_, lambda shape: shape.parts)

    def _walk(self, type_: Type, into: Callable[[Shape], Iterable[Type]]) -> Iterator[Type]:
        seen: set[int] = set()
        stack = [type_]
        while stack:
            part = find(stack.pop())
            if id(part) in seen:
                continue
            seen.add(id(part))
            self.work()
            yield part
            if isinstance(part, Shape):
                stack.extend(into(part))

    # Rows: labels in any order.

    def _rows(self, found: Shape, expected: Shape, depth: int) -> None:
        label = found.label if found.name == "field" else expected.label
        tail = self._tail(found)
        if (
            isinstance(tail, TypeVariable)
            and tail is self._tail(expected)
            and _labels(found) != _labels(expected)
        ):
            raise Clash(found, expected, infinite=True)
        flag, type_, rest = self._taken(found, label)
        other_flag, other_type, other_rest = self._taken(expected, label)
        try:
            self.unify(flag, other_flag, depth + 1)
        except Clash:
            raise Clash(found, expected, label=label) from None
        self.unify(type_, other_type, depth + 1)
        self.unify(rest, other_rest, depth + 1)

    def _taken(self, row: Shape, label: str) -> tuple[Type, Type, Type]:
        """A field's flag and type, and the row without it; an open row is made to have the field."""
        before: list[Shape] = []
        part: Type = row
        while isinstance(part, Shape) and part.name == "field" and part.label != label:
            self.work()
            before.append(part)
            part = find(part.parts[2])
        if isinstance(part, TypeVariable):
            level = part.level
            made = Shape(
                "field",
                (TypeVariable("flag", level), TypeVariable("type", level), TypeVariable("row", level)),
                row.origin,
                label,
            )
            self._bind(part, made)
            part = made
        flag, type_ = part.parts[0], part.parts[1]
        rest: Type = part if part.name == "every" else find(part.parts[2])
        for field in reversed(before):
            rest = Shape("field", (field.parts[0], field.parts[1], rest), field.origin, field.label)
        return flag, type_, rest

    def _tail(self, row: Type) -> Type:
        row = find(row)
        while isinstance(row, Shape) and row.name == "field":
            self.work()
            row = find(row.parts[2])
        return row


def unknown(sort: Sort, origin: Origin) -> Shape:
    """What stands for nothing known, in each sort that has such a thing."""
    match sort:
        case "type":
            return Shape(DYNAMIC, (), origin)
        case "row":
            return Shape("every", (unknown("flag", origin), unknown("type", origin)), origin)
        case "flag":
            return Shape("maybe", (), origin)
        case _:
            return Shape("continues", (), origin)


def _may_hold_functions(inner: Type) -> bool:
    inner = find(inner)
    if isinstance(inner, TypeVariable):
        return inner.sort in ("type", "row")
    return inner.name not in ("present", "maybe")


def _keeps(shape: Shape, rule: Rule) -> bool:
    if shape.name == DYNAMIC:
        return True
    match rule:
        case "data":
            return shape.name != "function"
        case "ordered":
            return shape.name in ("integer", "string")
        case "sized":
            return shape.name in ("list", "string")
        case "gone":
            return shape.name != "present"
        case "there":
            return True


def _labels(row: Type) -> set[str]:
    labels = set()
    row = find(row)
    while isinstance(row, Shape) and row.name == "field":
        labels.add(row.label)
        row = find(row.parts[2])
    return labels
