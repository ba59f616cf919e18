"""Structural descent: which arguments of a call are parts of which parameters, and does that end all recursion?

The order is "is a proper part of", on values of data types (strictly positive, so every value is built in finitely
many steps along any branch), lists, tuples and records.  It is well-founded, also across sorts; a coercion changes
no parts.  Numbers have no parts.

The method is size-change termination (Lee, Jones, Ben-Amram 2001): a call gives a graph of ≥ and > arcs from
parameters to arguments, the graphs are closed under composition, and the recursion ends if every idempotent graph
of the closure has an arc > from a parameter to itself.  It covers lexicographic, permuted and mutual descent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from kleis import core
from kleis.definedness.path_arithmetic import resolved
from kleis.termination.recursive_calls import Bound, Call

__all__ = ["Graph", "Parts", "descending", "graph_of", "parts_of"]

_GRAPHS = 1500
"""How many graphs a closure may have; a group with more is not shown to terminate."""

Parts: TypeAlias = frozenset[tuple[int, bool]]
"""Parameters (by position) that a value is a part of; True where it is a proper part."""

_LIST_PARTS = ("head", "tail", "nth")
_TUPLE_PARTS = ("fst", "snd")


class Graph(NamedTuple):
    """The graph of a path from one definition to another: arcs (from, to, proper)."""

    caller: str
    callee: str
    arcs: frozenset[tuple[int, int, bool]]


def graph_of(call: Call) -> Graph:
    """The arcs of one call."""
    known: dict[str, Parts | None] = {
        variable.name: frozenset({(index, False)}) for index, variable in enumerate(call.caller.parameters)
    }
    values = call.values()
    for step in call.path:
        if isinstance(step, Bound):
            known[step.variable.name] = parts_of(step.value, known, values)
    arcs = {
        (source, target, proper)
        for target, argument in enumerate(call.arguments)
        for source, proper in parts_of(argument, known, values) or ()
    }
    return Graph(call.caller.key, call.callee.key, _strongest(arcs))


def parts_of(
    term: core.Term, known: Mapping[str, Parts | None], values: Mapping[str, core.Term]
) -> Parts | None:
    """Which parameters a value is a part of; None for what never has a value, and so for all of them.

    `known` has those of variables; `values` are those that `Let` gives.
    """
    if not isinstance(term, core.Variable):
        term = resolved(term, values)
    match term:
        case core.Variable(name=name):
            return known.get(name, frozenset())
        case core.Selection(term=inner):
            return _proper(parts_of(inner, known, values))
        case core.BuiltinCall(operation=operation, arguments=(whole, *_)) if _takes_part(
            operation.name, whole
        ):
            return _proper(parts_of(whole, known, values))
        case core.Coercion(term=inner):
            return parts_of(inner, known, values)
        case core.Let(variable=variable, value=value, body=body):
            inner_parts = {**known, variable.name: parts_of(value, known, values)}
            return parts_of(body, inner_parts, {**values, variable.name: value})
        case core.Conditional(consequent=yes, alternative=no):
            return _both(parts_of(yes, known, values), parts_of(no, known, values))
        case core.Undefined():
            return None
        case _:
            return frozenset()


def _takes_part(name: str, whole: core.Term) -> bool:
    if name in _LIST_PARTS:
        return isinstance(whole.sort, core.ListOf)
    return name in _TUPLE_PARTS and isinstance(whole.sort, core.TupleOf)


def _proper(found: Parts | None) -> Parts | None:
    return None if found is None else frozenset((position, True) for position, _ in found)


def _both(left: Parts | None, right: Parts | None) -> Parts | None:
    """The parameters that both values are parts of."""
    if left is None or right is None:
        return right if left is None else left
    first, second = dict(sorted(left)), dict(sorted(right))
    return frozenset(
        (position, first[position] and second[position]) for position in first.keys() & second.keys()
    )


def _strongest(arcs: Iterable[tuple[int, int, bool]]) -> frozenset[tuple[int, int, bool]]:
    best: dict[tuple[int, int], bool] = {}
    for source, target, proper in arcs:
        best[source, target] = best.get((source, target), False) or proper
    return frozenset((source, target, proper) for (source, target), proper in best.items())


def descending(calls: Iterable[Call]) -> dict[str, tuple[int, ...]] | None:
    """The parameters that become proper parts of themselves, by definition; None if the recursion may go on.

    A definition that no path leads back to has no entry.
    """
    graphs = _closure({graph_of(call) for call in calls})
    if graphs is None:
        return None
    found: dict[str, set[int]] = {}
    for graph in graphs:
        if graph.caller == graph.callee and _composed(graph, graph) == graph:
            strict = {source for source, target, proper in graph.arcs if proper and source == target}
            if not strict:
                return None
            found.setdefault(graph.caller, set()).update(strict)
    return {key: tuple(sorted(positions)) for key, positions in found.items()}


def _closure(graphs: set[Graph]) -> set[Graph] | None:
    """All compositions; None if there are too many."""
    first = frozenset(graphs)
    closed = set(graphs)
    fresh = list(graphs)
    while fresh:
        graph = fresh.pop()
        for step in first:
            if graph.callee == step.caller:
                longer = _composed(graph, step)
                if longer not in closed:
                    closed.add(longer)
                    fresh.append(longer)
        if len(closed) > _GRAPHS:
            return None
    return closed


def _composed(first: Graph, second: Graph) -> Graph:
    arcs = (
        (source, target, proper or also)
        for source, middle, proper in first.arcs
        for start, target, also in second.arcs
        if middle == start
    )
    return Graph(first.caller, second.callee, _strongest(arcs))
