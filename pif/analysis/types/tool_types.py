"""The types of tools, which depend on each other: dependencies first, those in a circle together.

What a tool's type is depends on its code and on the codes of the tools it names, in one snapshot of the registry. A
tool of which something is `?` or does not fit makes what its users say of themselves uncertain too, and they say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NotRequired, TypedDict

import msgspec

from pif.analysis.facts import literal_tool, live_children
from pif.analysis.types.inference import Inference, ToolTypes, Typed
from pif.analysis.types.type_text import TypeProblem, Unknown, print_type
from pif.analysis.types.unification import GENERIC, Shape, TooDeep, Type, TypeVariable, Unifier, find
from pif.analysis.work import Unfinished, Work
from pif.language.budget import reserve_stack
from pif.language.host import Tool, Tools
from pif.language.terms import Json, Term

__all__ = ["Typing", "typing_of"]

_NODES_A_STEP = 4
"""Nodes looked at for the names of tools in the time of one step."""

_STACK = 8_000


class TypeFields(TypedDict):
    """The fields of an answer that tell of a type."""

    inferred_type: NotRequired[str | None]
    input_type: NotRequired[str]
    result_type: NotRequired[str]
    free_types: NotRequired[dict[str, str]]
    type_errors: NotRequired[list[Json]]
    type_unknown: NotRequired[list[Json]]


class Typing(msgspec.Struct, frozen=True):
    """What is known of the type of a tool or a term.

    `type_` is None where there is none: `problems` say why, or it was too much work (`unfinished` says so). Where `certain`, evaluating it
    never raises `type_error`, for an input of the `input_type` where it is a function. `free` gives the types of
    names that nothing binds; `depends` the tools that were looked at, by the names they were asked for.
    """

    type_: Type | None
    free: dict[str, Type]
    problems: tuple[TypeProblem, ...]
    unknown: tuple[Unknown, ...]
    depends: tuple[str, ...]
    unfinished: str = ""

    @property
    def certain(self) -> bool:
        return self.type_ is not None and not self.problems and not self.unknown

    @property
    def function(self) -> Shape | None:
        """The type where it is that of a function."""
        found = None if self.type_ is None else find(self.type_)
        return found if isinstance(found, Shape) and found.name == "function" else None

    @property
    def text(self) -> str | None:
        return None if self.type_ is None else print_type(self.type_)

    def as_json(self) -> TypeFields:
        """The part of an answer that tells of the type."""
        fields: TypeFields = {"inferred_type": self.text}
        if (shape := self.function) is not None:
            fields["input_type"] = print_type(shape.parts[0])
            fields["result_type"] = print_type(shape.parts[1])
        if self.free:
            fields["free_types"] = {name: print_type(type_) for name, type_ in sorted(self.free.items())}
        if self.problems:
            fields["type_errors"] = [found.as_json() for found in self.problems]
        if self.unknown:
            fields["type_unknown"] = [msgspec.to_builtins(place) for place in self.unknown]
        return fields


def typing_of(program: Tool | Term, tools: Tools, work: Work | None = None) -> Typing:
    """The type of a tool, or of a term that is no tool yet, over the tools of a snapshot.

    A step of `work` is a part of a type looked at, with those of all the tools it needs.
    """
    reserve_stack(_STACK)
    term = program.term if isinstance(program, Tool) else program
    label = program.label if isinstance(program, Tool) else ""
    return _Question(tools, work or Work()).answer(term, label)


class _Question:
    def __init__(self, tools: Tools, work: Work) -> None:
        self.tools = tools
        self.work = work
        self.unifier = Unifier(work)
        self.found: dict[str, Tool | None] = {}
        self.typed: dict[str, ToolTypes | None] = {}
        self.current: dict[str, ToolTypes] = {}

    def answer(self, term: Term, label: str) -> Typing:
        """The types of all that the term depends on, then its own."""
        result: Typed | None = None
        try:
            for group in self.groups(term, label):
                typed = self.infer(group)
                result = typed.get(label, result)
        except TooDeep:
            return self.without("its types nest too deep to be worked out")
        except Unfinished as error:
            return self.without(f"types: {error.reason}")
        assert result is not None
        value = None if result.problems else result.value
        return Typing(value, result.free, result.problems, result.unknown, tuple(sorted(self.found)))

    def without(self, reason: str) -> Typing:
        """No type, and why."""
        return Typing(None, {}, (), (Unknown("", reason),), tuple(sorted(self.found)), reason)

    # Which tools there are.

    def tool(self, reference: str) -> Tool | None:
        if reference not in self.found:
            self.found[reference] = self.tools.tool(reference)
        return self.found[reference]

    def named(self, term: Term) -> list[Tool]:
        """The tools that a term's code calls by name."""
        self.work.done(1 + term.nodes // _NODES_A_STEP)
        names = dict.fromkeys(_called(term))
        return [tool for name in names if name != "self" and (tool := self.tool(name)) is not None]

    def groups(self, term: Term, label: str) -> Iterator[dict[str, Term]]:
        """Tarjan's algorithm, without recursion: groups of tools in a circle, those that others need first."""
        terms = {label: term}
        needs = {label: self.named(term)}
        number: dict[str, int] = {label: 0}
        low: dict[str, int] = {label: 0}
        path, open_ = [(label, iter(needs[label]))], [label]
        while path:
            here, rest = path[-1]
            following = next(rest, None)
            if following is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[here])
                if low[here] == number[here]:
                    at = open_.index(here)
                    group, open_[at:] = open_[at:], []
                    yield {name: terms[name] for name in group}
            elif following.label not in number:
                name = following.label
                terms[name] = following.term
                needs[name] = self.named(following.term)
                number[name] = low[name] = len(number)
                path.append((name, iter(needs[name])))
                open_.append(name)
            elif following.label in open_:
                low[here] = min(low[here], number[following.label])

    # Their types.

    def infer(self, group: dict[str, Term]) -> dict[str, Typed]:
        self.current = {
            name: ToolTypes(name, TypeVariable("type", 1), TypeVariable("effect", 1), mono=True)
            for name in group
        }
        typed = {
            name: Inference(self.unifier, self.types, self.current[name]).run(term)
            for name, term in group.items()
        }
        certain = not any(found.problems or found.unknown for found in typed.values())
        sound = not any(found.problems for found in typed.values())
        for name, found in typed.items():
            if found.free:
                continue
            self.generalise(found.value)
            self.generalise(found.effect)
            types = ToolTypes(name, found.value, found.effect, certain=certain)
            self.typed[name] = types if sound else None
        self.current = {}
        if certain or len(group) == 1:
            return typed
        return {name: self.doubted(name, found, typed) for name, found in typed.items()}

    @staticmethod
    def doubted(name: str, found: Typed, group: dict[str, Typed]) -> Typed:
        """What is known of one in a circle where something of another is not known."""
        reasons = tuple(
            Unknown("", f"its type depends on that of {other}, which is not certain")
            for other, typed in group.items()
            if other != name and (typed.problems or typed.unknown)
        )
        return msgspec.structs.replace(found, unknown=(*found.unknown, *reasons))

    def types(self, reference: str) -> ToolTypes | None:
        tool = self.tool(reference)
        if tool is None:
            return None
        return self.current.get(tool.label) or self.typed.get(tool.label)

    def generalise(self, type_: Type) -> None:
        seen: set[int] = set()
        stack = [type_]
        while stack:
            part = find(stack.pop())
            if id(part) not in seen:
                seen.add(id(part))
                self.unifier.work()
                if isinstance(part, Shape):
                    stack.extend(part.parts)
                else:
                    part.level = GENERIC


def _called(term: Term) -> Iterator[str]:
    """The names of tools whose types a term's type needs: those it calls, and those whose source it evaluates."""
    stack: list[Term] = [term]
    while stack:
        part = stack.pop()
        name = literal_tool(part)
        if name is not None:
            yield name
        stack.extend(live_children(part))
        if part.op == "eval" and part.parts[0].op == "quote":
            stack.append(part.parts[0].parts[0])
