"""Calls whose arguments have sorts that are not known yet: they wait for the next pass, and tell what they can."""

from __future__ import annotations

from collections.abc import Sequence

from kleis import core
from kleis.core.sort_operations import rank, variables_of
from kleis.elaborate.expressions.elaboration_context import Context
from kleis.elaborate.expressions.overload_candidates import CallArgument, Overload
from kleis.syntax import tree

__all__ = ["is_unknown", "undecided", "wait"]

_LIKE_ARGUMENTS = frozenset({"plus", "minus", "times", "negate", "min", "max", "abs"})
"""Operations whose result is of the numeric sort of their arguments."""


def is_unknown(context: Context, term: core.Term) -> bool:
    """Whether the sort of a term itself is unknown, and not only that of its elements."""
    return isinstance(context.sort(term), core.SortVariable)


def wait(context: Context, node: tree.Call) -> core.Term:
    """A placeholder for a call that this pass cannot decide."""
    context.inference.waiting = True
    return core.Undefined(context.unknown(node, "result", f"the result of {node.name}"), "waiting")


def undecided(
    context: Context, node: tree.Call, overloads: Sequence[Overload], given: Sequence[CallArgument]
) -> core.Term:
    """A placeholder for a call with arguments of unknown sort, after what it tells about them was learnt."""
    context.inference.waiting = True
    columns = list(zip(*(overload.parameters for overload in overloads), strict=True))
    for each, column in zip(given, columns, strict=True):
        if each.term is not None and is_unknown(context, each.term):
            _learn_argument(context, each.term, column)
    results = {overload.result for overload in overloads}
    if len(results) == 1 and not variables_of(overloads[0].result):
        return core.Undefined(overloads[0].result, "waiting")
    if node.name in _LIKE_ARGUMENTS and all(isinstance(each, core.Numeric) for each in results):
        return core.Undefined(_same_number(context, given), "waiting")
    result = context.unknown(node, "result", f"the result of {node.name}")
    if all(isinstance(each, core.Numeric) for each in results):
        context.inference.number(result)
    return core.Undefined(result, "waiting")


def _learn_argument(context: Context, term: core.Term, column: Sequence[core.Sort]) -> None:
    """Learn the sort of an argument from the parameters it may be given for."""
    numbers = [sort for sort in column if isinstance(sort, core.Numeric)]
    if len(numbers) == len(column):
        greatest = max(numbers, key=rank)
        context.inference.number(term.sort)
        if greatest.name != "ℂ":
            context.inference.used_as(term.sort, greatest)
    elif all(sort == column[0] for sort in column) and not variables_of(column[0]):
        context.inference.unify(term.sort, column[0])


def _same_number(context: Context, given: Sequence[CallArgument]) -> core.Sort:
    """The sort of a sum or product with parts of unknown sort: that of its parts."""
    terms = [each.term for each in given if each.term is not None]
    unknown = [term.sort for term in terms if is_unknown(context, term)]
    for other in unknown[1:]:
        context.inference.unify(unknown[0], other)
    known = [context.sort(term) for term in terms if not is_unknown(context, term)]
    large = [sort for sort in known if isinstance(sort, core.Numeric) and sort.name in ("ℝ", "ℂ")]
    return large[0] if large else unknown[0]
