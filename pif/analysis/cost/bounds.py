"""How much fuel a term takes, from its text alone: bounds in the sizes of its input (docs/reference/pif.md §11).

The promise: a run that gives a value or a continuation takes no less than `low` and no more than `high` beyond what the
evaluation of its own input takes; one that fails takes no more than `high`, if the fuel lasts. Where no bound is found
the answer is why. The charges are those of `primitives` and of the reference evaluator: they change together, and a
property test holds them together (`tests/properties/test_pif_cost.py`).

The term is evaluated on measures instead of values: calls are followed, branches joined. What a `fold` does to its
accumulator is found by running its function once on symbols: what stays is bounded, what grows by as much each time
grows by that times the number of items. Anything else is not bounded, nor is what calls itself.

A step of the work is a node, or a part of a measure or a bound that is looked at: measures share parts, and as trees
they can be exponential in the term.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count

import msgspec

from pif.analysis.cost.captured_names import CapturedNames
from pif.analysis.cost.fold_growth import after_fold
from pif.analysis.cost.operation_costs import Cost, Unbounded, operation
from pif.analysis.cost.polynomials import ZERO, Polynomial, TooLarge, constant
from pif.analysis.cost.value_sizes import (
    ANYTHING,
    BOOLEAN,
    Function,
    Integer,
    List,
    Measure,
    Other,
    Pair,
    Quoted,
    Record,
    Sizes,
    joined,
    of_literals,
    of_type,
    weight,
)
from pif.analysis.facts import literal_tool, live_parts
from pif.analysis.types.tool_types import Typing
from pif.analysis.types.unification import Origin, Shape, Type, find
from pif.analysis.work import Unfinished, Work
from pif.language import primitives as table
from pif.language.budget import reserve_stack
from pif.language.errors import longer, pointer
from pif.language.host import Tool, Tools
from pif.language.terms import Data, Json, Term, part_keys, text_charge

__all__ = ["CostBound", "applied_cost_of", "argument_types", "cost_json", "cost_of"]

_LITERALS_A_STEP = 8
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
    unfinished: str = ""

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


def cost_of(program: Tool | Term, tools: Tools, typing: Typing, work: Work | None = None) -> CostBound:
    """The bounds for running a tool or a term; `typing` tells what its input is."""
    arguments = None if typing.function is None else [typing.function.parts[0]]
    return _bounds(program, tools, arguments, work or Work())


def applied_cost_of(
    program: Tool | Term, tools: Tools, typing: Typing, work: Work | None = None
) -> CostBound:
    """The bounds for a function that takes one argument after another, called on all of them.

    The evaluation of the arguments is left out, and so are the `app`s that hand them over.
    """
    return _bounds(program, tools, argument_types(typing), work or Work())


def cost_json(program: Tool | Term, tools: Tools, typing: Typing, work: Work | None = None) -> Json:
    """The `cost` of an answer: for a run and, where a run gives a function, `applied` to all arguments too."""
    work = work or Work()
    found = cost_of(program, tools, typing, work).as_json()
    count = len(argument_types(typing))
    if count > 1:
        found["applied"] = {"arguments": count, **applied_cost_of(program, tools, typing, work).as_json()}
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


def _bounds(program: Tool | Term, tools: Tools, arguments: Sequence[Type] | None, work: Work) -> CostBound:
    """The bounds for a term and calls of it, the first where it is a function; None: on anything."""
    reserve_stack(_STACK)
    term = program.term if isinstance(program, Tool) else program
    sizes = Sizes(work)
    analysis = _Analysis(tools, work)
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
    except Unfinished as error:
        return CostBound(None, None, sizes, error.reason, None, f"cost: {error.reason}")
    return CostBound(cost.low, cost.high, sizes)


class _Analysis:
    """One walk. `calling` are the functions under way."""

    def __init__(self, tools: Tools, work: Work) -> None:
        self.tools = tools
        self.work = work
        self.captured = CapturedNames(work)
        self.calling: dict[int, int] = {}
        self.kept: list[Term] = []
        self.fresh = count()

    def eval(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        """The measure of a term's value and the cost of evaluating it."""
        self.work.done()
        if depth > _DEPTH:
            raise Unbounded("there is too much to follow", here)
        match term.op:
            case "literal":
                return of_literals([term.value]), Cost.of(charge_of_literal(term))
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
            case "list":
                return self.list(term, env, here, depth)
            case _:
                return self.operation(term, env, here, depth)

    def part(self, term: Term, index: int, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        place = Origin(longer(here.path, part_keys(term)[index]), here.tool) if here.tool is None else here
        return self.eval(term.parts[index], env, place, depth + 1)

    def parts(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[list[Measure], Cost]:
        """The measures of parts that are all evaluated, literals of a list as one; and what they cost together."""
        keys = part_keys(term) if here.tool is None else None
        measures: list[Measure] = []
        literals: list[Data] = []
        charges, total = 0, Cost.of(0)
        for index, part in enumerate(term.parts):
            if part.op == "literal":
                charges += charge_of_literal(part)
                if term.op == "list":
                    literals.append(part.value)
                else:
                    self.work.done()
                    measures.append(of_literals([part.value]))
                continue
            place = here if keys is None else Origin(longer(here.path, keys[index]))
            measure, cost = self.eval(part, env, place, depth + 1)
            self.work.done(len(cost.high.terms) + len(cost.low.terms))
            measures.append(measure)
            total = total + cost
        self.work.done(len(literals) // _LITERALS_A_STEP)
        if literals:
            measures.append(of_literals(literals))
        return measures, total + Cost.of(charges)

    def list(self, term: Term, env: Env, here: Origin, depth: int) -> tuple[Measure, Cost]:
        measures, cost = self.parts(term, env, here, depth)
        item: Measure = None
        for measure in measures:
            self.work.done(weight(measure, self.work))
            item = joined(item, measure)
        length = constant(len(term.parts))
        return List(length, length, item), Cost.of(1 + table.charge_list(len(term.parts))) + cost

    def function(self, term: Term, env: Env, here: Origin) -> tuple[Measure, Cost]:
        names = self.captured.of(term)
        captured = len(env) if names is None else len(names & env.keys())
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
            weight(value, self.work)
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
        self.work.done(weight(then, self.work) + weight(other, self.work))
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
            size = weight(accumulated, self.work)
            value, cost = self.call(called, Pair(accumulated, items.item), here, depth)
            # The bounds are solved one after another, each by a look at the others.
            size = max(size, weight(value, self.work))
            self.work.done(size * size // 4 + len(cost.low.terms) ** 2 + len(cost.high.terms) ** 2)
            return value, cost

        weight(initial, self.work)

        value, each = after_fold(initial, items, step, self.fresh)
        each = each + Cost.of(1)
        self.work.done(2 * len(items.high.terms) * len(each.high.terms))
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
        measures, total = self.parts(term, env, here, depth)
        total = Cost.of(1) + total
        if term.op == "record":
            fields = tuple(zip(term.value, measures, strict=True))
            return Record(fields), total + Cost.of(table.charge_record(len(fields)))
        if any(measure is None for measure in measures) and term.op not in ("cons", "pair"):
            return None, Cost(ZERO, total.high)  # one of them has no value, so that this is never reached
        if term.op not in ("pair", "fst", "snd", "head", "tail"):  # these look at nothing inside
            for measure in measures:
                weight(measure, self.work)
        if term.op == "mul":
            self.work.done(
                math.prod(
                    len(each.high.terms) for each in measures if isinstance(each, Integer) and each.high
                )
            )
        value, own = operation(term, measures, here)
        return value, total + own


def charge_of_literal(term: Term) -> int:
    """What evaluating a literal is charged."""
    return 1 + table.charge_text(len(term.value)) if type(term.value) is str else 1
