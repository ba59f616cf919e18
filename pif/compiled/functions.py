"""Functions: those known by name, closures, and calls.

A tool's function takes nothing from its surroundings, so it is compiled once for each kind of argument that a unit
calls it with, wherever it is called from: by `self`, by the tool's name, or by an `eval` of its source. A pair is
passed as its parts where the kind says that it is one. Every other `lam` becomes a function where it stands; its
captured variables are Python's own.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from pif.analysis.facts import literal_tool, live_children
from pif.compiled.emitter import Unsuitable
from pif.compiled.flat_lists import Plan
from pif.compiled.operations import Structures
from pif.compiled.scope import Called, Expression, Inference, Region, Scope
from pif.compiled.source import DEPTH, FUEL, Function
from pif.language import primitives as table
from pif.language.host import Tool, Tools
from pif.language.terms import Term, text_charge
from pif.language.values import ANY, NEVER, Kind, part

__all__ = ["Code", "Functions"]

_VARIANTS = 4
"""Kinds of argument for which a function is compiled; a further one gets the general form."""

_INLINED_NODES, _INLINED_LEVELS, _INLINED_BLOCKS = 40, 4, 14
"""Calls are written out where they stand: of code of so many nodes, so many inside one another, within so many blocks."""

_EVALS = "evals0"
_ENTRY = "entry"

_NOWHERE = -1
"""The loops in which a run's own input may grow: none."""

_ONE_CALL, _MANY_CALLS = 2, 1
"""How often a function that calls itself is written out within itself: with one such call, and with more."""


class Code:
    """A `lam` that takes nothing from its surroundings: a tool's, or a run's own (then `owner` is None). `names` are
    those that an `eval` would add to its scope; nothing in it refers to them."""

    __slots__ = ("names", "owner", "term")

    def __init__(self, term: Term, owner: Tool | None, names: tuple[str, ...]) -> None:
        self.term = term
        self.owner = owner
        self.names = names

    def scope(self) -> Scope:
        return Scope(Region(self.owner, dict.fromkeys(self.names)))


class Destination(Protocol):
    """Where a value goes: `store` emits it; `may_continue`: a `continue` may be it."""

    may_continue: bool

    def store(self, value: Expression) -> None: ...


class Variant(NamedTuple):
    """A function compiled for a kind of argument."""

    code: Code
    kind: Kind
    function: Function


class Functions(Structures):
    """Functions and calls; `value` and `tail` come from `control`."""

    def __init__(
        self, tools: Tools, plan: Plan, *, checks_sizes: bool, markers: bool, visits: int, inlines: bool
    ) -> None:
        super().__init__(checks_sizes=checks_sizes, markers=markers, visits=visits)
        self.tools = tools
        self.plan = plan
        self.walked: set[int] = set()
        self.wide: set[int] = set()
        self.tested: set[int] = set()
        self.relinkings: dict[int, int] = {}
        self.owned: dict[int, tuple[str, str]] = {}
        self.taking_items: Function | None = None
        self.inlines = inlines
        self.unrolled = 0
        self.inlined: list[Code] = []
        self.own_calls: dict[Code, int] = {}
        self.used: dict[str, Tool | None] = {}
        self.codes: dict[tuple[int, int, tuple[str, ...]], Code] = {}
        self.variants: dict[tuple[Code, Kind], Variant] = {}
        self.waiting: list[Variant] = []
        self.values: dict[Tool, Function] = {}
        self.finished: list[Function] = []
        self.closed: dict[Tool, bool] = {}
        self.inference = Inference(visits, self._behind, self.facts)

    @abstractmethod
    def value(self, term: Term, level: int, scope: Scope) -> Expression: ...

    @abstractmethod
    def tail(self, term: Term, level: int, scope: Scope, to: Any) -> None:
        """Carry the value of a term to where it goes."""

    @abstractmethod
    def body(self, term: Term, scope: Scope) -> None:
        """Emit a function's body into the present function."""

    # What is known by name.

    def tool(self, reference: str) -> Tool | None:
        """The tool of that name; the unit holds only as long as the name means the same."""
        if reference not in self.used:
            self.used[reference] = self.tools.tool(reference)
        return self.used[reference]

    def code(self, term: Term, owner: Tool | None, names: tuple[str, ...]) -> Code:
        key = (id(term), id(owner), names)
        if key not in self.codes:
            self.codes[key] = Code(term, owner, names)
        return self.codes[key]

    def is_closed(self, tool: Tool) -> bool:
        """Whether a tool's code is a `lam` that no `eval` in it can make depend on its surroundings."""
        if tool not in self.closed:
            self.closed[tool] = True  # as long as nothing speaks against it: tools may evaluate each other
            self.closed[tool] = (
                tool.term.op == "lam"
                and not self.facts.free(tool.term)
                and self._evaluates_tools(tool.term, tool)
            )
        return self.closed[tool]

    def _evaluates_tools(self, term: Term, owner: Tool) -> bool:
        if term.op == "eval":
            evaluated = self._evaluated_tool(term, owner)
            return evaluated is not None and self.is_closed(evaluated)
        return all(self._evaluates_tools(part, owner) for part in live_children(term))

    def _evaluated_tool(self, term: Term, owner: Tool | None) -> Tool | None:
        """The tool whose source an `eval` surely runs."""
        name = literal_tool(term.parts[0]) if term.parts[0].op == "code_of" else None
        if name is None:
            return None
        return owner if name == "self" else self.tool(name)

    def called_in(self, region: Region) -> Called:
        """For inference: which function a part of this region surely is."""
        owner = region.owner

        def called(term: Term, names: Mapping[str, Kind], inside: bool) -> Hashable | None:
            match term.op:
                case "literal" if isinstance(term.value, str):
                    tool = self.tool(term.value)
                case "self" if inside:
                    tool = owner
                case "eval":
                    tool = self._evaluated_tool(term, owner)
                    if tool is None or not self.is_closed(tool):
                        return None
                    return self.code(tool.term, tool, self._seen(tool, tuple(sorted(names))))
                case _:
                    return None
            return self.code(tool.term, tool, ()) if tool is not None and tool.term.op == "lam" else None

        return called

    def _behind(self, key: Hashable) -> tuple[Mapping[str, Kind], str, Term, Called]:
        assert isinstance(key, Code)
        return (
            dict.fromkeys(key.names, ANY),
            key.term.value,
            key.term.parts[0],
            self.called_in(key.scope().region),
        )

    def _seen(self, tool: Tool, names: tuple[str, ...]) -> tuple[str, ...]:
        """The names that the evaluated code of a tool is charged for."""
        return names if self.facts.evaluates(tool.term) else ()

    def kinds_in(self, scope: Scope) -> dict[str, Kind]:
        return {name: ANY if value is None else self.kind(value) for name, value in scope.visible().items()}

    def known_function(self, term: Term, level: int, scope: Scope) -> Code | None:
        """The function that a part surely is, charged as if it were evaluated; None where it is not known."""
        owner = scope.region.owner
        match term.op:
            case "literal" if isinstance(term.value, str):
                tool = self.tool(term.value)
            case "self" if scope.inside and owner is not None:
                tool = owner
            case "eval":
                return self._evaluated(term, level, scope)
            case _:
                return None
        if tool is None or tool.term.op != "lam":
            return None
        if self.facts.free(tool.term):
            raise Unsuitable("a tool's code has free names")
        if term.op == "self":
            self.node(level)
            level += 1
        self.node(level, table.charge_closure(0))
        return self.code(tool.term, tool, ())

    def _evaluated(self, term: Term, level: int, scope: Scope) -> Code | None:
        tool = self._evaluated_tool(term, scope.region.owner)
        if tool is None or not self.is_closed(tool):
            return None
        self.node(level, table.EVAL_NODE * tool.term.nodes + text_charge(tool.term) + scope.charge)
        self.node(level + 1)
        names = self._seen(tool, tuple(scope.visible()))
        self.node(level + 1, table.charge_closure(len(names)))
        if _EVALS not in self.known:  # in one function as many wait everywhere
            self.line(f"if {_EVALS} >= limit0: stop0()")
            self.known[_EVALS] = "int"
        return self.code(tool.term, tool, names)

    # Functions being written.

    @contextmanager
    def writing(self, function: Function, *, keeps_facts: bool) -> Iterator[None]:
        """Emit into another function."""
        before = (
            self.blocks, self.loops, self.known, self.truths, self.opened, self.versions, self.meter, self.function,
            self.inlined,
        )  # fmt: skip
        self.blocks, self.loops, self.meter, self.function = [function.block], [], FUEL, function
        self.known = dict(self.known) if keeps_facts else {}
        self.known.pop(_EVALS, None)
        self.truths, self.opened, self.versions, self.inlined = {}, {}, {}, []
        try:
            yield
        finally:
            (
                self.blocks, self.loops, self.known, self.truths, self.opened, self.versions, self.meter, self.function,
                self.inlined,
            ) = before  # fmt: skip

    def variant(self, code: Code, kind: Kind) -> Variant:
        """The function for a kind of argument, compiled later if it is new."""
        if kind == NEVER:
            kind = ANY
        found = self.variants.get((code, kind))
        if found is None:
            if kind != ANY and sum(1 for known, _ in self.variants if known is code) >= _VARIANTS:
                return self.variant(code, ANY)
            argument = self.parameter(kind)
            function = Function(self.names.fresh("f"), tuple(_leaves(argument)))
            found = self.variants[code, kind] = Variant(code, kind, function)
            self.waiting.append(found)
        return found

    def entry(self, code: Code, kind: Kind) -> Function:
        """The function that a run calls; one that takes a list takes a flat one, if it is only walked."""
        function = self.variant(code, kind).function
        if isinstance(kind, tuple) and kind[0] == "list" and self.plan.site(_ENTRY) is not None:
            self.taking_items = function
        return function

    def parameter(self, kind: Kind, levels: int = 2) -> Expression:
        """Names for an argument: one, or one for each part of a pair."""
        if levels and isinstance(kind, tuple) and kind[0] == "pair":
            first, second = (self.parameter(part(kind, i), levels - 1) for i in (0, 1))
            return Expression("", kind, parts=(first, second))
        return Expression(self.names.fresh("v"), kind, atom=True)

    def write_waiting(self) -> None:
        """Compile what has been asked for, and what that asks for."""
        while self.waiting:
            code, kind, function = self.waiting.pop()
            argument, rest = _from_leaves(list(function.parameters), kind)
            assert not rest
            with self.writing(function, keeps_facts=False):
                self.inlined.append(code)
                if function is self.taking_items:
                    site = self.plan.site(_ENTRY)
                    assert site is not None
                    argument = self.made_flat(argument.text, kind, site, _NOWHERE, up=True)
                scope = code.scope().bind(code.term.value, argument, inside=True)
                self.body(code.term.parts[0], scope)
            self.finished.append(function)

    def function_value(self, code: Code) -> Expression:
        """A known function as a value."""
        function = self.variant(code, ANY).function
        return Expression(function.name, "function", atom=True, static=code)

    def closure(self, term: Term, scope: Scope) -> Expression:
        """A function made where it stands."""
        argument = Expression(self.names.fresh("v"), atom=True)
        function = Function(self.names.fresh("f"), (argument.text,))
        self.block.lines.append(function)
        with self.writing(function, keeps_facts=True):
            self.body(term.parts[0], scope.bind(term.value, argument, inside=True))
        return Expression(function.name, "function", atom=True, static=function)

    def step_function(self, term: Term, scope: Scope) -> Expression:
        """The function of a fold whose steps make functions: its accumulator and item are arguments, so that every
        step has its own."""
        names = (self.names.fresh("v"), self.names.fresh("v"))
        first, second = (Expression(name, atom=True) for name in names)
        function = Function(self.names.fresh("f"), names)
        self.block.lines.append(function)
        with self.writing(function, keeps_facts=True):
            pair = Expression("", ANY, parts=(first, second))
            self.body(term.parts[0], scope.bind(term.value, pair, inside=True))
        return Expression(function.name, "function", atom=True, static=function)

    def tool_value(self, tool: Tool, level: int) -> Expression:
        """The value of a tool's code that is no `lam`: computed at each use."""
        function = self.values.get(tool)
        if function is None:
            function = self.values[tool] = Function(self.names.fresh("f"), ())
            with self.writing(function, keeps_facts=False):
                self.body(tool.term, Scope(Region(tool, {})))
            self.finished.append(function)
        return self.unmarked(self._called(function.name, "", level, ANY, function))

    def self_value(self, level: int, scope: Scope) -> Expression:
        code = self.known_function(Term("self"), level, scope)
        if code is not None:
            return self.function_value(code)
        owner = scope.region.owner
        if owner is None or not scope.inside:
            return self.impossible()
        self.node(level)
        return self.tool_value(owner, level + 1)

    # Calls.

    def call(self, term: Term, level: int, scope: Scope, to: Destination | None) -> Expression | None:
        """An `app` of anything but a literal `lam`. With a destination, None where its value has been carried there."""
        function, argument = term.parts
        self.node(level, table.CALL)
        code = self.known_function(function, level + 1, scope)
        if code is None:
            return self._call_value(term, level + 1, scope, to is not None and to.may_continue)
        given = self.value(argument, level + 1, scope)
        return self.call_code(code, given, level + 1, to)

    def call_code(
        self, code: Code, given: Expression, level: int, to: Destination | None
    ) -> Expression | None:
        """A call of a known function; its body runs at `level`."""
        may_continue = to is not None and to.may_continue
        may_jump = may_continue and not self._captures(code)
        known = self.variants.get((code, self.kind(given)))
        jumps = may_jump and known is not None and known.function is self.function
        if not jumps and self._is_inlined(code, is_last=may_continue):
            return self._inline(code, given, level, to)
        _, kind, function = self.variant(code, self.kind(given))
        if function is self.taking_items:
            self.plan.fail(self.plan.sites[_ENTRY])  # it takes a linked list here
        texts = list(self.arguments(given, kind))
        if may_jump and function is self.function:
            self._jump(function, texts, level)
            return None
        result = self.inference.result(code, kind)
        value = self._called(function.name, "".join(f"{text}, " for text in texts), level, result, function)
        return value if may_continue else self.unmarked(value)

    def _captures(self, code: Code) -> bool:
        return self.facts.makes_functions(code.term.parts[0])

    def _is_inlined(self, code: Code, *, is_last: bool) -> bool:
        """Whether a call is written out where it stands: code that is small, a bounded number of times within itself,
        and none that makes functions, to which Python's variables would not be their own."""
        term = code.term
        if (
            not self.inlines
            or term.nodes > _INLINED_NODES
            or len(self.inlined) > _INLINED_LEVELS
            or len(self.blocks) > _INLINED_BLOCKS
            or sum(other.term.nodes for other in self.inlined) > 2 * _INLINED_NODES
            or self._captures(code)
        ):
            return False
        within = self.inlined.count(code)
        if within == 0:
            return True
        if is_last or self.facts.loops(
            term
        ):  # a call in the last place becomes a jump; beside a loop it costs little
            return False
        calls = self.own_calls.get(code)
        if calls is None:
            calls = self.own_calls[code] = self._calls(term, code)
        return within <= (_ONE_CALL if calls == 1 else _MANY_CALLS)

    def _calls(self, term: Term, code: Code) -> int:
        """How many calls in a term may be calls of its own tool."""
        found = sum([self._calls(part, code) for part in live_children(term)])
        if term.op != "app":
            return found
        function, owner = term.parts[0], code.owner
        return found + (
            function.op in ("self", "eval") or (owner is not None and function.value == owner.name)
        )

    def _inline(self, code: Code, given: Expression, level: int, to: Destination | None) -> Expression | None:
        """The body of a known function where its call stands."""
        argument = given if given.parts is not None else self.named(given)
        scope = code.scope().bind(code.term.value, argument, inside=True)
        self.inlined.append(code)
        try:
            if to is None:
                return self.value(code.term.parts[0], level, scope)
            self.tail(code.term.parts[0], level, scope, to)
            return None
        finally:
            self.inlined.pop()

    def _jump(self, function: Function, texts: list[str], level: int) -> None:
        names = ", ".join((*function.parameters, DEPTH))
        self.line(f"{names} = {', '.join((*texts, self.depth(level)))}")
        self.line("continue")
        self.block.calls.append((level, function))
        self.busy()
        function.repeats = True

    def arguments(self, given: Expression, kind: Kind, levels: int = 2) -> Iterator[str]:
        """The arguments for a parameter of a kind."""
        if levels and isinstance(kind, tuple) and kind[0] == "pair":
            if given.parts is None:
                given = self.whole(given)
            for i in (0, 1):
                yield from self.arguments(self.pair_part(given, i), part(kind, i), levels - 1)
        else:
            yield self.text(given)

    def _call_value(self, term: Term, level: int, scope: Scope, may_continue: bool) -> Expression:
        function, argument = term.parts
        if literal_tool(term) is not None:
            tool = self.tool(function.value)
            called = self.impossible() if tool is None else self.tool_value(tool, level)
        else:
            called = self.whole(self.value(function, level, scope))
        given = self.text(self.value(argument, level, scope))
        kind = self.kind(called)
        if kind not in ("function", ANY, NEVER):
            return self.impossible()
        if isinstance(called.static, Code):
            return self._called(called.text, f"{given}, ", level, ANY, None, may_continue=may_continue)
        known = called.static if isinstance(called.static, Function) else None
        return self._called(called.text, f"{given}, ", level, ANY, known, may_continue=may_continue)

    def _called(
        self,
        name: str,
        arguments: str,
        level: int,
        kind: Kind,
        function: Function | None,
        *,
        may_continue: bool = True,
    ) -> Expression:
        """The text of a call. It is given a name at once: it must happen where it stands, and once."""
        result = self.names.fresh("t")
        self.line(f"{result} = {name}({arguments}{self.depth(level)})")
        self.block.calls.append((level, function))
        self.busy(is_slow=True)
        value = Expression(result, kind, atom=True)
        return value if may_continue else self.unmarked(value)

    def unmarked(self, value: Expression) -> Expression:
        """A call's value where a `continue` may not stand."""
        if self.markers and self.kind(value) == ANY:
            value = self.named(value)
            self.line(f"if type0({value.text}) is marker0: stop0()")
        return value


def _leaves(argument: Expression) -> Iterator[str]:
    if argument.parts is None:
        yield argument.text
    else:
        for piece in argument.parts:
            yield from _leaves(piece)


def _from_leaves(names: list[str], kind: Kind, levels: int = 2) -> tuple[Expression, list[str]]:
    """The parameter again, from the names of its parts, and the names left over."""
    if levels and isinstance(kind, tuple) and kind[0] == "pair":
        first, names = _from_leaves(names, part(kind, 0), levels - 1)
        second, names = _from_leaves(names, part(kind, 1), levels - 1)
        return Expression("", kind, parts=(first, second)), names
    return Expression(names[0], kind, atom=True), names[1:]
