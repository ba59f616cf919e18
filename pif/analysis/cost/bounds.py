"""How much fuel a term takes, from its text alone: bounds in the sizes of its input (docs/reference/pif.md §11).

The promise: a run that gives a value or a continuation takes no less than `low` and no more than `high` beyond what the
evaluation of its own input takes; one that fails takes no more than `high`, if the fuel lasts. Where no bound is found
the answer is why. The charges are those of `primitives` and of the reference evaluator: they change together, and a
property test holds them together (`tests/properties/test_pif_cost.py`).

The term is evaluated on measures instead of values: calls are followed, branches joined. What a `fold` does to its
accumulator is found by running its function once on symbols: what stays is bounded, what grows by as much each time
grows by that times the number of items. Anything else is not bounded, nor is what calls itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count

import msgspec

from pif.analysis.cost.operation_costs import Cost, Unbounded, operation
from pif.analysis.cost.polynomials import ZERO, Polynomial, TooLarge, larger, smaller, symbol
from pif.analysis.cost.value_sizes import (
    ANYTHING,
    BOOLEAN,
    UNIT,
    Function,
    List,
    Measure,
    Other,
    Pair,
    Quoted,
    Record,
    Sizes,
    joined,
    mapped,
    natural,
    of_type,
    text,
)
from pif.analysis.facts import free_names, holds_live, literal_tool, live_parts
from pif.analysis.types.tool_types import Typing
from pif.analysis.types.unification import Origin, Shape, Type, find
from pif.language import primitives as table
from pif.language.budget import reserve_stack
from pif.language.errors import longer, pointer
from pif.language.host import Tool, Tools
from pif.language.terms import Json, Term, part_keys, text_charge

__all__ = ["CostBound", "after_fold", "applied_cost_of", "argument_types", "cost_json", "cost_of"]

_STEPS = 6_000

_DEPTH = 600
_ORDER = ["the first argument", "the second argument", "the third argument"]
_NESTED = 6

_STACK = 12_000

Env = dict[str, Measure]


class CostBound(msgspec.Struct, frozen=True):
    """Bounds, or why there are none. `sizes` tells what the names in them mean; `reader` reads them off an input."""

    low: Polynomial | None
    high: Polynomial | None
    sizes: Sizes
    reason: str = ""
    place: Origin | None = None

    def as_json(self) -> Json:
        """The `cost` of an answer."""
        if self.low is None or self.high is None:
            found: dict[str, Json] = {"unknown": self.reason}
            if self.place is not None:
                found["path"] = pointer(self.place.path)
                if self.place.tool is not None:
                    found["tool"] = self.place.tool
            return found
        found = {"min": str(self.low), "max": str(self.high)}
        used = self.low.names() | self.high.names()
        if meaning := {name: said for name, said in self.sizes.meaning.items() if name in used}:
            found["sizes"] = meaning
        if charges := [said for kind, said in _CHARGES.items() if kind in found["max"]]:
            found["charges"] = charges
        return found


_CHARGES = {
    "w(": "w(m): limbs (64 bits) of m / 4, rounded down; 0 below 2^192",
    "p(": "p(m, k): limbs of m times limbs of k / 4, rounded down; 0 where both are below 2^64",
    "h(": "h(m): limbs of m / 2, rounded down; 0 below 2^64",
    "…": "…: an integer as large as integers get",
}


def cost_of(program: Tool | Term, tools: Tools, typing: Typing) -> CostBound:
    """The bounds for running a tool or a term; `typing` tells what its input is."""
    return _bounds(program, tools, None if typing.function is None else [typing.function.parts[0]])


def applied_cost_of(program: Tool | Term, tools: Tools, typing: Typing) -> CostBound:
    """The bounds for a function that takes one argument after another, called on all of them.

    The evaluation of the arguments is left out, and so are the `app`s that hand them over.
    """
    return _bounds(program, tools, argument_types(typing))


def cost_json(program: Tool | Term, tools: Tools, typing: Typing) -> Json:
    """The `cost` of an answer: for a run and, where a run gives a function, `applied` to all arguments too."""
    found = cost_of(program, tools, typing).as_json()
    count = len(argument_types(typing))
    if count > 1:
        found["applied"] = {"arguments": count, **applied_cost_of(program, tools, typing).as_json()}
    return found


def argument_types(typing: Typing) -> list[Type]:
    """The types of the arguments that a function takes one after another."""
    types: list[Type] = []
    takes = typing.function
    while takes is not None:
        types.append(takes.parts[0])
        result = find(takes.parts[1])
        takes = result if isinstance(result, Shape) and result.name == "function" else None
    return types


def _bounds(program: Tool | Term, tools: Tools, arguments: Sequence[Type] | None) -> CostBound:
    """The bounds for a term and calls of it, the first where it is a function; None: on anything."""
    reserve_stack(_STACK)
    term = program.term if isinstance(program, Tool) else program
    sizes = Sizes()
    analysis = _Analysis(tools)
    here = Origin(None)
    names = ["the input"] if arguments is None or len(arguments) == 1 else _ORDER
    try:
        value, cost = analysis.eval(term, {}, here, 0)
        for number, type_ in enumerate(arguments or [None]):
            if not isinstance(value, Function):
                break
            of = names[number] if number < len(names) else f"argument {number + 1}"
            given = ANYTHING if type_ is None else of_type(type_, sizes, of)
            value, called = analysis.call(value, given, here, 0)
            cost = cost + called
        else:
            return CostBound(cost.low, cost.high, sizes)
        if value == ANYTHING:
            raise Unbounded("whether the term gives a function is not known", here)
    except Unbounded as error:
        return CostBound(None, None, sizes, error.reason, error.place or here)
    except TooLarge:
        return CostBound(None, None, sizes, "the bound is too long to be of use", None)
    return CostBound(cost.low, cost.high, sizes)


class _Analysis:
    """One walk. `calling` are the functions under way, `left` the nodes that may still be looked at."""

    def __init__(self, tools: Tools) -> None:
        self.tools = tools
        self.left = _STEPS
        self.calling: dict[int, int] = {}
        self.kept: list[Term] = []
        self.fresh = count()

    def eval(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        """The measure of a term's value and the cost of evaluating it."""
        self.left -= 1
        if self.left < 0 or depth > _DEPTH:
            raise Unbounded("there is too much to follow", here)
        match term.op:
            case "literal":
                return self.literal(term)
            case "var":
                if term.value not in env:
                    raise Unbounded(f'nothing binds "{term.value[:40]}"', here)
                return env[term.value], Cost.of(1)
            case "lam":
                return self.function(term, env, here)
            case "let":
                value, cost = self.part(term, 0, env, here, depth)
                body, rest = self.part(term, 1, {**env, term.value: value}, here, depth)
                return body, Cost.of(1) + cost + rest
            case "app":
                return self.application(term, env, here, depth)
            case "if":
                return self.choice(term, env, here, depth)
            case "and" | "or":
                return self.connective(term, env, here, depth)
            case "fold":
                return self.fold(term, env, here, depth)
            case "quote":
                if any(live_parts(term.parts[0])):
                    raise Unbounded("the size of spliced code is not known", here)
                return Quoted(term.parts[0]), Cost.of(1)
            case "code_of" if (name := literal_tool(term)) is not None and name != "self":
                return Quoted(self.tool(name, here).term), Cost.of(1)
            case "eval":
                return self.evaluation(term, env, here, depth)
            case "self":
                raise Unbounded("it calls itself", here)
            case "continue":
                _, cost = self.part(term, 0, env, here, depth)
                return Other("continue"), Cost.of(1) + cost
            case _:
                return self.operation(term, env, here, depth)

    def part(self, term: Term, index: int, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        place = Origin(longer(here.path, part_keys(term)[index]), here.tool) if here.tool is None else here
        return self.eval(term.parts[index], env, place, depth + 1)

    @staticmethod
    def literal(term: Term) -> tuple[Measure, Cost]:
        match term.value:
            case bool():
                return Other("boolean", term.value), Cost.of(1)
            case int():
                return natural(term.value), Cost.of(1)
            case str():
                return text(len(term.value)), Cost.of(1 + table.charge_text(len(term.value)))
            case _:
                return UNIT, Cost.of(1)

    @staticmethod
    def function(term: Term, env: Env, here: Origin) -> tuple[Measure, Cost]:
        captured = len(env) if holds_live(term.parts[0], "eval") else len(free_names(term) & env.keys())
        return Function(((term, env, here),)), Cost.of(1 + table.charge_closure(captured))

    def tool(self, name: str, here: Origin) -> Tool:
        tool = self.tools.tool(name)
        if tool is None:
            raise Unbounded(f'there is no tool "{name[:40]}"', here)
        return tool

    def application(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        name = literal_tool(term)
        if name is not None:
            tool = self.tool(name, here)
            called, cost = self.eval(tool.term, {}, Origin(None, tool.label), depth + 1)
        else:
            called, cost = self.part(term, 0, env, here, depth)
        argument, more = self.part(term, 1, env, here, depth)
        value, rest = self.call(called, argument, here, depth)
        return value, Cost.of(1) + cost + more + rest

    def call(self, called: Measure, argument: Measure, here: Origin, depth: int) -> tuple[Measure, Cost]:
        """A call, its own charge included."""
        if not isinstance(called, Function):
            if called is None or called == Other("continue"):
                return None, Cost.of(0)  # never reached
            raise Unbounded("the function called here is not known", here)
        found: Measure = None
        total: Cost | None = None
        for lam, env, place in called.closures:
            nested = self.calling.get(id(lam), 0)
            if nested >= _NESTED:
                raise Unbounded("it calls itself", place)
            self.kept.append(lam)
            self.calling[id(lam)] = nested + 1
            body = Origin((place.path, "body"), place.tool) if place.tool is None else place
            value, cost = self.eval(lam.parts[0], {**env, lam.value: argument}, body, depth + 1)
            self.calling[id(lam)] = nested
            found = joined(found, value)
            total = cost if total is None else total.either(cost)
        assert total is not None
        return found, Cost.of(table.CALL) + total

    def choice(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        condition, cost = self.part(term, 0, env, here, depth)
        cost = Cost.of(1) + cost
        truth = condition.truth if isinstance(condition, Other) else None
        if truth is not None:
            value, chosen = self.part(term, 1 if truth else 2, env, here, depth)
            return value, cost + chosen
        then, one = self.part(term, 1, env, here, depth)
        other, two = self.part(term, 2, env, here, depth)
        return joined(then, other), cost + one.either(two)

    def connective(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        """`and` and `or`: the second operand may not be reached."""
        _, left = self.part(term, 0, env, here, depth)
        _, right = self.part(term, 1, env, here, depth)
        return BOOLEAN, Cost.of(1) + left + Cost(ZERO, right.high)

    def fold(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        called, one = self.part(term, 0, env, here, depth)
        initial, two = self.part(term, 1, env, here, depth)
        items, three = self.part(term, 2, env, here, depth)
        cost = Cost.of(1) + one + two + three
        if items is None or items == List(ZERO, ZERO, None):
            return initial, cost
        if not isinstance(items, List) or items.high is None:
            raise Unbounded("the number of items is not known", here)

        def step(accumulated: Measure) -> tuple[Measure, Cost]:
            return self.call(called, Pair(accumulated, items.item), here, depth)

        value, each = after_fold(initial, items, step, self.fresh)
        each = each + Cost.of(1)
        return value, cost + Cost(items.low * each.low, items.high * each.high)

    def evaluation(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        quoted, cost = self.part(term, 0, env, here, depth)
        if not isinstance(quoted, Quoted):
            raise Unbounded("the code evaluated here is not known", here)
        own = Cost.of(
            1
            + table.EVAL_NODE * quoted.term.nodes
            + text_charge(quoted.term)
            + len(env)
            + table.charge_names(env)
        )
        value, rest = self.eval(quoted.term, env, Origin(here.path, here.tool or "quoted code"), depth + 1)
        return value, own + cost + rest

    def operation(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        total = Cost.of(1)
        measures = []
        for index in range(len(term.parts)):
            measure, cost = self.part(term, index, env, here, depth)
            measures.append(measure)
            total = total + cost
        if term.op == "record":
            fields = tuple(zip(term.value, measures, strict=True))
            return Record(fields), total + Cost.of(table.charge_record(len(fields)))
        if any(measure is None for measure in measures) and term.op not in ("cons", "pair", "list"):
            return None, Cost(ZERO, total.high)  # one of them has no value, so that this is never reached
        value, own = operation(term, measures, here)
        return value, total + own


# What a `fold` makes of its accumulator, and what one of its calls costs at most and at least.
#
# The function is run once on an accumulator whose bounds are symbols. A bound that comes back as a fixed one, or as
# itself and something more, has a solution for any number of items; the others have none. All bounds grow with the
# symbols in them, so that putting in a bound for all calls bounds each call.

_TRIES = 6

Step = Callable[[Measure], tuple[Measure, Cost]]
Bounds = dict[str, Polynomial | None]


def after_fold(initial: Measure, items: List, step: Step, fresh: Iterator[int]) -> tuple[Measure, Cost]:
    """The accumulator after all items, and the cost of one call. Raises `Unbounded`.

    `fresh` numbers the symbols: a fold inside the function has symbols of its own beside those of this one.
    """
    start = initial
    for _ in range(_TRIES):
        names = _Names(fresh)
        symbolic = mapped(start, names.low, names.high)
        found, cost = step(symbolic)
        if _skeleton(joined(symbolic, found)) == _skeleton(symbolic) == _skeleton(joined(found, symbolic)):
            return _solved(start, names, joined_parts(found, symbolic), items, cost)
        start = joined(start, mapped(found, lambda low: ZERO, lambda high: ZERO))
    raise Unbounded("what a `fold` accumulates changes its shape")


class _Names:
    """A symbol for each bound of a measure, lower and upper ones apart, in the order of `mapped`."""

    def __init__(self, fresh: Iterator[int]) -> None:
        self.lows: dict[str, Polynomial] = {}
        self.highs: Bounds = {}
        self._number = fresh

    def low(self, before: Polynomial) -> Polynomial:
        name = f"<low {next(self._number)}>"
        self.lows[name] = before
        return symbol(name)

    def high(self, before: Polynomial | None) -> Polynomial | None:
        name = f"<high {next(self._number)}>"
        self.highs[name] = before
        return symbol(name)


def _skeleton(measure: Measure) -> Measure:
    return mapped(measure, lambda low: ZERO, lambda high: ZERO)


def joined_parts(found: Measure, symbolic: Measure) -> Measure:
    """What came back, in the shape of what went in: parts without any value stay as they were."""
    if found is None:
        return symbolic
    blank = mapped(symbolic, lambda low: low, lambda high: high)
    return found if _skeleton(found) == _skeleton(blank) else joined(found, blank)


def _solved(start: Measure, names: _Names, found: Measure, items: List, cost: Cost) -> tuple[Measure, Cost]:
    lows: list[Polynomial] = []
    highs: list[Polynomial | None] = []

    def low(bound: Polynomial) -> Polynomial:
        lows.append(bound)
        return bound

    def high(bound: Polynomial | None) -> Polynomial | None:
        highs.append(bound)
        return ZERO  # what is made of it is not used; None would stop the walk

    mapped(found, low, high)
    if found == ANYTHING or len(lows) != len(names.lows) or len(highs) != len(names.highs):
        during_low: dict[str, Polynomial] = dict.fromkeys(names.lows, ZERO)
        during: Bounds = dict.fromkeys(names.highs, None)
        after_low = during_low
    else:
        during = _solve_highs(names.highs, dict(zip(names.highs, highs, strict=True)), items.high)
        during_low, after_low = _solve_lows(names.lows, dict(zip(names.lows, lows, strict=True)), items.low)
    least = cost.low.put(during_low)
    most = cost.high.put(during)
    if most is None:
        raise Unbounded("what a `fold` accumulates grows in a way that is not bounded")
    assert least is not None
    left, right = iter(after_low.values()), iter(during.values())
    return mapped(start, lambda _: next(left), lambda _: next(right)), Cost(least, most)


def _solve_highs(before: Bounds, after: Bounds, count: Polynomial | None) -> Bounds:
    """Upper bounds for all calls and for what is left at the end."""
    solved: Bounds = {}
    while len(solved) < len(before):
        progress = False
        for name in [name for name in before if name not in solved]:
            first, then = before[name], after[name]
            open_ = set() if then is None else (then.names() & before.keys()) - solved.keys()
            if first is None or then is None:
                solved[name] = None
            elif not open_:
                value = then.put(solved)
                solved[name] = None if value is None else larger(first, value)
            elif open_ == {name} and (added := _added(then, name)) is not None:
                more = added.put(solved)
                solved[name] = None if more is None or count is None else first + count * more
            else:
                continue
            progress = True
        if not progress:
            solved |= dict.fromkeys(before.keys() - solved.keys(), None)
    return {name: solved[name] for name in before}


def _solve_lows(
    before: dict[str, Polynomial], after: dict[str, Polynomial], count: Polynomial
) -> tuple[dict[str, Polynomial], dict[str, Polynomial]]:
    """Lower bounds for all calls, and for what is left at the end."""
    during: dict[str, Polynomial] = {}
    end: dict[str, Polynomial] = {}
    for name, first in before.items():
        then = after[name]
        others = (then.names() & before.keys()) - {name}
        added = None if others else _added(then, name)
        if not others and name not in then.names():
            during[name] = end[name] = smaller(first, then)
        elif added is not None:
            during[name], end[name] = first, first + count * added
        else:
            during[name] = end[name] = ZERO
    return during, end


def _added(bound: Polynomial, name: str) -> Polynomial | None:
    """What is added to a symbol each time, where that is all that is done to it."""
    rest = bound.without(name)
    own = {monomial: number for monomial, number in bound.terms.items() if monomial not in rest.terms}
    return rest if all(monomial == ((name, 1),) and number == 1 for monomial, number in own.items()) else None
