"""Term → source: the whole of one unit.

A unit is one function `unit0` over a tuple of constants; calling it makes the unit's functions and gives the one to
start with. There are two forms:

- *function*: for code that is a `lam`; called with its argument (and the depth left).
- *value*: for any other code; called with a tuple of the values that an `eval` hands in (and the depth left).
"""

from __future__ import annotations

from typing import NamedTuple

from pif.compiled.control import Control, Return
from pif.compiled.emitter import NeedsMarkers, Unsuitable
from pif.compiled.flat_lists import NotFlat, Plan
from pif.compiled.scope import Expression, Region, Scope
from pif.compiled.source import INDENT, Function, TooNested
from pif.language import primitives as table
from pif.language.host import Tool, Tools
from pif.language.terms import Term
from pif.language.values import ANY, Kind, Value

__all__ = ["Draft", "draft_function", "draft_value"]

_VISITS = 3_000
"""Visits to nodes that compiling may take, some tenth of a second: nothing can stop it while it goes on. A body is
walked again for each kind of argument."""


class Draft(NamedTuple):
    """Source before it is compiled. `used`: the tools whose code it holds, by the names they were asked for.

    `takes_items`: the entry takes the items of a list, no list value.
    `charge`: what the entry does not charge itself: the evaluation of the code to a function, and the call.
    `gave_up`: more tries might have found more lists that need not be linked.
    """

    source: str
    constants: tuple[Value, ...]
    used: dict[str, Tool | None]
    charge: int
    takes_items: bool
    gave_up: bool


class _Generator(Control):
    def body(self, term: Term, scope: Scope) -> None:
        self.tail(term, 0, scope, Return(self))

    def end(self) -> None:
        """Undo the cycles: functions call each other, and what infers their kinds asks this generator for them. Nothing
        collects them while anything runs."""
        for function in [*self.finished, *[variant.function for variant in self.variants.values()]]:
            function.block.calls.clear()
        self.__dict__.clear()

    def draft(self, entry: str, charge: int) -> Draft:
        lines = ["def unit0(k0):"]
        lines += [f"{INDENT}k{i} = k0[{i - 1}]" for i in range(1, len(self.constants) + 1)]
        try:
            for function in self.finished:
                function.write(lines, 1)
        except TooNested:
            raise Unsuitable("the code nests too deep") from None
        lines.append(f"{INDENT}return {entry}\n")
        source = "\n".join(lines)
        self.plan.check(source)
        return Draft(
            source, tuple(self.constants), self.used, charge, self.taking_items is not None, self.plan.gave_up
        )


def _generator(
    term: Term, tools: Tools, plan: Plan, *, checks_sizes: bool, markers: bool, inlines: bool
) -> _Generator:
    if term.nodes > _VISITS:
        raise Unsuitable("the code is too large to compile")
    return _Generator(
        tools, plan, checks_sizes=checks_sizes, markers=markers, visits=_VISITS, inlines=inlines
    )


def draft_function(
    term: Term,
    owner: Tool | None,
    kind: Kind,
    tools: Tools,
    *,
    checks_sizes: bool,
    inlines: bool = True,
    thorough: bool = False,
) -> Draft:
    """The source of a `lam` for a kind of argument. Raises `Unsuitable` and `Bignums`."""
    plan, markers = Plan(term, thorough=thorough), False
    while True:  # a plan fails a bounded number of times, markers are missing once
        generator = _generator(term, tools, plan, checks_sizes=checks_sizes, markers=markers, inlines=inlines)
        try:
            return _draft_function(generator, term, owner, kind)
        except NotFlat:
            continue
        except NeedsMarkers:
            markers = True
        finally:
            generator.end()


def _draft_function(generator: _Generator, term: Term, owner: Tool | None, kind: Kind) -> Draft:
    if generator.facts.free(term):
        raise Unsuitable("the code has free names")
    code = generator.code(term, owner, ())
    function = generator.entry(code, kind)
    generator.write_waiting()
    entry = function.name
    if len(function.parameters) > 1:
        entry = _unpacking(generator, function, kind)
    return generator.draft(entry, 1 + table.charge_closure(0) + table.CALL)


def _unpacking(generator: _Generator, function: Function, kind: Kind) -> str:
    """A function of the whole argument for one that takes the parts of a pair."""
    whole = Expression(generator.names.fresh("v"), kind, atom=True)
    entry = Function(generator.names.fresh("f"), (whole.text,))
    with generator.writing(entry, keeps_facts=False):
        texts = ", ".join(generator.arguments(whole, kind))
        generator.line(f"return {function.name}({texts}, d0)")
        generator.block.calls.append((0, function))
    generator.finished.append(entry)
    return entry.name


def draft_value(
    term: Term,
    owner: Tool | None,
    names: tuple[str, ...],
    tools: Tools,
    *,
    checks_sizes: bool,
    operand: bool = False,
    inlines: bool = True,
) -> Draft:
    """The source of code that is run with these names in scope. As an `operand` it may not end in `continue`."""
    plan = Plan(term)
    while True:
        generator = _generator(term, tools, plan, checks_sizes=checks_sizes, markers=True, inlines=inlines)
        try:
            return _draft_value(generator, term, owner, names, operand)
        except NotFlat:
            continue
        finally:
            generator.end()


def _draft_value(
    generator: _Generator, term: Term, owner: Tool | None, names: tuple[str, ...], operand: bool
) -> Draft:
    function = Function(generator.names.fresh("f"), (generator.names.fresh("v"),))
    (handed,) = function.parameters
    wanted = set(names) if generator.facts.evaluates(term) else generator.facts.free(term)
    given: dict[str, Expression | None] = {}
    for index, name in enumerate(names):
        value = Expression(generator.names.fresh("v"), ANY, atom=True)
        given[name] = value
        if name in wanted:
            function.prologue.append(f"{value.text} = {handed}[{index}]")
    with generator.writing(function, keeps_facts=False):
        scope = Scope(Region(owner, given))
        if operand:
            value = generator.value(term, 0, scope)
            generator.line(f"return {generator.text(value)}")
        else:
            generator.body(term, scope)
    generator.finished.append(function)
    generator.write_waiting()
    return generator.draft(function.name, 0)
