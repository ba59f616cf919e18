"""The types that PIF infers, node by node, and the Kleis types for them (docs/reference/registry.md §8.2).

| PIF | Kleis |
|---|---|
| integer, boolean, string, unit | ℤ, Bool, String, Unit |
| list(t), pair(t, u) | List(T), T × U |
| a, b (a variable; `data a` too) | a type variable: the definition is a template, used at any sort |
| ordered a | ℤ: Kleis has no order of strings |
| sized a, a record | Kleis has no written type: a parameter is written without one |
| t → u, quoted, `?`, records with fields that may be missing | none |

Types are those of `pif.analysis`, inferred once more with the type of each node recorded. `eq` of PIF takes values of any
two types, an equation of Kleis values of one. So a variable of the parameters whose values are compared with integers
only is ℤ here, and likewise for strings, lists and another variable. What holds for all integers holds for values of
other types too: no comparison tells them from an integer that is none of those compared with. For booleans and pairs it
does not: laws can be stated there, but none about everything that the tool takes (`NodeTypes.narrowed`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from kleis.syntax import tree
from pif.analysis.types.inference import Inference, ToolTypes
from pif.analysis.types.tool_types import Typing
from pif.analysis.types.unification import (
    DYNAMIC,
    GENERIC,
    Clash,
    Shape,
    TooDeep,
    Type,
    TypeVariable,
    Unifier,
    find,
)
from pif.analysis.work import Unfinished, Work
from pif.language.errors import Path, longer, pointer
from pif.language.host import Tool, Tools
from pif.language.terms import Term, part_keys

__all__ = [
    "PARTS",
    "KleisTypes",
    "NodeTypes",
    "Unexpressed",
    "element_of",
    "fields_of",
    "has_open_record",
    "is_large",
    "kind_of",
    "node_types",
    "parameter_types",
    "variables_in",
]

PARTS = 1_000
"""Parts of a type that is translated, as a tree."""

_NAMES = "TUVWXYABDEFGHKLMOPS"
"""Names of type variables: letters that are no number type anywhere."""

_PLAIN = {"integer": "ℤ", "boolean": "Bool", "string": "String", "unit": "Unit"}


class Unexpressed(Exception):
    """A type without a Kleis type; the message says which."""


class KleisTypes:
    """Kleis types for PIF types, with one type variable for each variable of the tool's parameters.

    A variable elsewhere cannot be observed (the elements of a list that stays empty): it is ℤ. With `lists`, `sized` types
    are lists of integers, as in trials. With `general`, `sized` and `ordered` types and records inside a parameter are
    type variables too: an operation of such types takes more than the tool does.
    """

    def __init__(
        self, parameters: Iterable[Type | None] = (), *, lists: bool = False, general: bool = False
    ) -> None:
        self._lists = lists
        self._general = general
        self._names: dict[int, str] = {}
        self._kept: list[Type] = []
        given = [type_ for type_ in parameters if type_ is not None]
        self._own = [each for type_ in given for each in variables_in(type_)]
        self._records = [each for type_ in given for each in _records_in(type_)] if general else []

    def is_open(self, type_: Type | None) -> bool:
        """Whether a type contains a variable that is none of the parameters'."""
        return type_ is not None and any(
            all(each is not own for own in self._own) for each in variables_in(type_)
        )

    def of(self, type_: Type) -> tree.TypeExpression:
        """The Kleis type; `Unexpressed` where there is none, or it is too large to be written."""
        if is_large(type_):
            raise Unexpressed(f"a type of more than {PARTS} parts")
        return self._of(type_)

    def _of(self, type_: Type) -> tree.TypeExpression:
        type_ = find(type_)
        if isinstance(type_, TypeVariable):
            if self._lists and "sized" in type_.rules and not self._general:
                return tree.AppliedType("List", (tree.NamedType("ℤ"),))
            return tree.NamedType(self._variable_name(type_))
        if type_.name in _PLAIN:
            return tree.NamedType(_PLAIN[type_.name])
        if type_.name == "list":
            return tree.AppliedType("List", (self._of(type_.parts[0]),))
        if type_.name == "pair":
            return tree.ProductType(tuple(map(self._of, type_.parts)))
        for each in self._records:
            if _is_same(type_, each):
                return tree.NamedType(self._name_of(each))
        raise Unexpressed(_reason(type_))

    def maybe(self, type_: Type | None) -> tree.TypeExpression | None:
        """The Kleis type, or None where there is none."""
        try:
            return None if type_ is None else self.of(type_)
        except Unexpressed:
            return None

    def _variable_name(self, variable: TypeVariable) -> str:
        if not self._general:
            if "ordered" in variable.rules:
                return "ℤ"
            if "sized" in variable.rules:
                raise Unexpressed("it may be a list or a string")
        if all(variable is not each for each in self._own):
            return "ℤ"
        return self._name_of(variable)

    def _name_of(self, type_: Type) -> str:
        if id(type_) not in self._names:
            if len(self._kept) == len(_NAMES):
                raise Unexpressed("more type variables than letters")
            self._names[id(type_)] = _NAMES[len(self._kept)]
            self._kept.append(type_)  # an id must not be used again while its name is
        return self._names[id(type_)]


def is_large(type_: Type) -> bool:
    """Whether a type has too many parts as a tree: it may share them, and be exponential."""
    left, waiting = PARTS, [type_]
    while waiting and left >= 0:
        left -= 1
        part = find(waiting.pop())
        if isinstance(part, Shape):
            waiting += part.parts
    return left < 0


def _reason(shape: Shape) -> str:
    match shape.name:
        case "record":
            return "Kleis has no written type for records"
        case "function":
            return "a function is not first-order"
        case "quoted":
            return "quoted code is data that Kleis does not have"
        case name if name == DYNAMIC:
            return "its type is not known (?)"
        case name:
            return f"Kleis has nothing for {name}"


def variables_in(type_: Type) -> list[TypeVariable]:
    """The variables of a type, each once, in order."""
    found: dict[int, TypeVariable] = {}
    seen: set[int] = set()
    waiting = [type_]
    while waiting:
        part = find(waiting.pop())
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, TypeVariable):
            found[id(part)] = part
        else:
            waiting += reversed(part.parts)
    return list(found.values())


def _is_same(one: Type, other: Type) -> bool:
    """Whether two types are the same whatever their variables stand for."""
    waiting = [(one, other)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        left, right = map(find, waiting.pop())
        if left is right or (id(left), id(right)) in seen:
            continue
        seen.add((id(left), id(right)))
        if not isinstance(left, Shape) or not isinstance(right, Shape):
            return False
        if (left.name, left.label, len(left.parts)) != (right.name, right.label, len(right.parts)):
            return False
        waiting += zip(left.parts, right.parts, strict=True)
    return True


def _records_in(type_: Type) -> list[Type]:
    """The records in a type that are no part of another."""
    found, waiting = list[Type](), [find(type_)]
    seen: set[int] = set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, Shape) and part.name == "record":
            found.append(part)
        elif isinstance(part, Shape) and part.name in ("list", "pair"):
            waiting += map(find, part.parts)
    return found


def kind_of(type_: Type | None) -> str | None:
    """The name of a type's outermost shape; None for a variable and for an unknown type."""
    found = None if type_ is None else find(type_)
    return found.name if isinstance(found, Shape) else None


def element_of(type_: Type | None) -> Type | None:
    """The type of the elements of a list; None for any other type."""
    found = None if type_ is None else find(type_)
    return found.parts[0] if isinstance(found, Shape) and found.name == "list" else None


def fields_of(type_: Type | None) -> dict[str, Type] | None:
    """The fields of a record whose fields are all known to be there; None for any other type."""
    shape = None if type_ is None else find(type_)
    if not isinstance(shape, Shape) or shape.name != "record":
        return None
    fields: dict[str, Type] = {}
    row = find(shape.parts[0])
    while isinstance(row, Shape) and row.name == "field":
        flag = find(row.parts[0])
        if isinstance(flag, TypeVariable) and "gone" in flag.rules:
            row = find(row.parts[2])
            continue
        if not (isinstance(flag, TypeVariable) and "there" in flag.rules) and not (
            isinstance(flag, Shape) and flag.name == "present"
        ):
            return None
        fields[row.label] = row.parts[1]
        row = find(row.parts[2])
    if isinstance(row, Shape) and row.name == "every":
        flag = find(row.parts[0])
        if not (isinstance(flag, TypeVariable) and "gone" in flag.rules):
            return None
    return fields


def has_open_record(type_: Type | None) -> bool:
    """Whether a type contains a record that may have more fields than it names."""
    waiting = [] if type_ is None else [type_]
    seen: set[int] = set()
    while waiting:
        shape = find(waiting.pop())
        if not isinstance(shape, Shape) or id(shape) in seen:
            continue
        seen.add(id(shape))
        if shape.name == "record":
            row = find(shape.parts[0])
            while isinstance(row, Shape) and row.name == "field":
                waiting.append(row.parts[1])
                row = find(row.parts[2])
            if isinstance(row, TypeVariable):
                return True
            waiting += row.parts[1:]
        else:
            waiting += shape.parts
    return False


class NodeTypes(msgspec.Struct, frozen=True):
    """The type of a tool, and of each part of its code by its place (a JSON pointer).

    `narrowed`: what holds for all values of these types may not hold for all that the tool takes.
    """

    whole: Typing
    parts: dict[str, Type]
    narrowed: bool = False

    @property
    def own(self) -> Type | None:
        """The type of the tool, with the variables that stand in the types of its parts."""
        return self.parts.get("", self.whole.type_)

    def at(self, path: Path) -> Type | None:
        """The type of a part; None where it is not known."""
        found = self.parts.get(pointer(path))
        return None if found is None else find(found)


class _Recording(Inference):
    """The inference of one term, which records the type of every part. `typing` finds the types of other tools."""

    def __init__(
        self, unifier: Unifier, tools: Tools, own: ToolTypes, typing: Callable[[Tool], Typing]
    ) -> None:
        self._tools = tools
        self._typing = typing
        super().__init__(unifier, self._named, own)
        self.parts: dict[str, Type] = {}
        self._known: dict[str, ToolTypes | None] = {}

    def infer(self, term: Term, path: Path, effect: Type) -> Type:
        found = super().infer(term, path, effect)
        self.parts[pointer(path)] = found
        return found

    def unified(self, variable: TypeVariable, type_: Type) -> bool:
        """Unify a variable with a type; whether that is possible."""
        try:
            self.unifier.make_same(variable, type_)
        except Clash:
            return False
        return True

    def _named(self, name: str) -> ToolTypes | None:
        if name not in self._known:
            self._known[name] = self._types_of(name)
        return self._known[name]

    def _types_of(self, name: str) -> ToolTypes | None:
        tool = self._tools.tool(name)
        if tool is None:
            return None
        if tool.label == self.own.label:
            return self.own
        typing = self._typing(tool)
        if typing.type_ is None:
            return None
        # Evaluating a tool's code is pure unless it continues, which is not translated anyway.
        effect = TypeVariable("effect", GENERIC)
        return ToolTypes(tool.label, typing.type_, effect, certain=typing.certain)


def node_types(tool: Tool, tools: Tools, typing: Callable[[Tool], Typing], work: Work) -> NodeTypes:
    """The types of a tool's parts: none where it has type errors or is too large. `typing` finds the type of a tool."""
    whole = typing(tool)
    if whole.type_ is None:
        return NodeTypes(whole, {})
    own = ToolTypes(tool.label, TypeVariable("type", 1), TypeVariable("effect", 1), mono=True)
    recording = _Recording(Unifier(work), tools, own, typing)
    try:
        recording.run(tool.term)
        made = _make_compared(recording, tool.term)
        if made:
            whole = msgspec.structs.replace(whole, type_=recording.parts[""])
    except TooDeep:
        return NodeTypes(whole, {})
    except Unfinished as error:
        return NodeTypes(msgspec.structs.replace(whole, type_=None, unfinished=f"types: {error.reason}"), {})
    return NodeTypes(whole, recording.parts, not made <= _UNBOUNDED)


def _make_compared(recording: _Recording, term: Term) -> frozenset[str]:
    """Unify variables of the parameters with what their values are compared with, where that is one type; the kinds of
    these types."""
    compared = list(_compared(recording, term))
    made: frozenset[str] = frozenset()
    for _ in range(_ROUNDS):
        changed = False
        # `sized` values have lengths, so more than comparisons tells them apart.
        own = {id(each) for each in variables_in(recording.parts[""]) if "sized" not in each.rules}
        met: dict[int, tuple[TypeVariable, list[Type]]] = {}
        for left, right in compared:
            for variable, other in _meetings(left, right, recording.unifier.work):
                if id(variable) in own and (isinstance(other, Shape) or id(other) in own):
                    met.setdefault(id(variable), (variable, []))[1].append(other)
        for variable, others in met.values():
            kinds = {other.name for other in others if isinstance(other, Shape)}
            if len(kinds) <= 1 and kinds <= _TAKEN:
                for other in others:
                    changed = recording.unified(variable, other) or changed
                made |= kinds or _UNBOUNDED
        if not changed:
            break
    return made


_ROUNDS = 5
_UNBOUNDED = frozenset(["integer", "string", "list"])
"""Kinds of types with more values than a run compares with."""
_TAKEN = _UNBOUNDED | {"boolean", "pair"}


def _compared(recording: _Recording, term: Term) -> Iterator[tuple[Type, Type]]:
    """The types of both sides of each `eq`."""
    waiting: list[tuple[Term, Path]] = [(term, None)]
    while waiting:
        part, path = waiting.pop()
        below = [longer(path, keys) for keys in part_keys(part)]
        waiting += zip(part.parts, below, strict=True)
        found = [recording.parts.get(pointer(each)) for each in below] if part.op == "eq" else []
        if len(found) == 2 and found[0] is not None and found[1] is not None:
            yield found[0], found[1]


def _meetings(left: Type, right: Type, work: Callable[[], None]) -> Iterator[tuple[TypeVariable, Type]]:
    """The variables of one type, with the parts of the other at their places."""
    waiting = [(left, right)]
    while waiting:
        work()
        one, other = map(find, waiting.pop())
        if one is other:
            continue
        if isinstance(one, TypeVariable):
            yield one, other
        if isinstance(other, TypeVariable):
            yield other, one
        if isinstance(one, Shape) and isinstance(other, Shape) and one.name == other.name != "record":
            waiting += zip(one.parts, other.parts, strict=True)


def parameter_types(type_: Type | None, count: int) -> tuple[list[Type | None], Type | None]:
    """The types of the first `count` parameters of a curried function, and that of what it then gives."""
    found: list[Type | None] = []
    for _ in range(count):
        shape = None if type_ is None else find(type_)
        if not isinstance(shape, Shape) or shape.name != "function":
            return found + [None] * (count - len(found)), None
        found.append(shape.parts[0])
        type_ = shape.parts[1]
    return found, type_
