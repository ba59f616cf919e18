"""Sorts as text for messages."""

from __future__ import annotations

from collections.abc import Iterable

from kleis.core.goal import ElaborationError
from kleis.core.sorts import (
    Basic,
    BitVec,
    Carrier,
    DataSort,
    Dimension,
    FunctionOf,
    ListOf,
    MatrixOf,
    Numeric,
    RecordOf,
    SetOf,
    Sort,
    SortVariable,
    TupleOf,
)
from kleis.problems import Place, Spanned

__all__ = ["dimension_text", "elaboration_error", "sort_text", "sorts_text"]


def sort_text(sort: Sort | Dimension) -> str:
    """A sort as it is written in Kleis; what is not known yet is ``_``."""
    match sort:
        case Basic(name=name) | Numeric(name=name):
            return name
        case Dimension():
            return dimension_text(sort)
        case BitVec(width=width):
            return f"BitVec({width})"
        case ListOf(element=element):
            return f"List({sort_text(element)})"
        case SetOf(element=element):
            return f"Set({sort_text(element)})"
        case TupleOf(items=()):
            return "Unit"
        case TupleOf(items=items):
            return "(" + " × ".join(sort_text(item) for item in items) + ")"
        case RecordOf(fields=fields):
            return "record(" + ", ".join(f"{name} : {sort_text(each)}" for name, each in fields) + ")"
        case MatrixOf(rows=rows, columns=columns, element=element):
            return f"Matrix({dimension_text(rows)}, {dimension_text(columns)}, {sort_text(element)})"
        case FunctionOf(domain=domain, codomain=codomain):
            return "(" + " → ".join(map(sort_text, (*domain, codomain))) + ")"
        case SortVariable():
            return "_"
        case DataSort(name=name, arguments=arguments) | Carrier(name=name, arguments=arguments):
            return f"{name}({', '.join(map(sort_text, arguments))})" if arguments else name


def sorts_text(sorts: Iterable[Sort]) -> str:
    """Sorts, separated by commas."""
    return ", ".join(map(sort_text, sorts))


def dimension_text(dimension: Dimension) -> str:
    """A dimension as it is written: ``n + 1``, ``2*m``."""
    shown = ""
    for atoms, coefficient in dimension.terms:
        size = abs(coefficient)
        factors = [str(size)] * (size != 1 or not atoms) + list(atoms)
        sign = "-" if coefficient < 0 else "+"
        shown += f" {sign} " + "*".join(factors) if shown else ("-" * (coefficient < 0)) + "*".join(factors)
    return shown or "0"


def elaboration_error(
    node: Spanned,
    file: str,
    code: str,
    message: str,
    *,
    found: str = "",
    expected: tuple[str, ...] = (),
    hint: str = "",
    related: tuple[Place, ...] = (),
    kind: type[ElaborationError] = ElaborationError,
) -> ElaborationError:
    """The error of a piece of source that cannot be elaborated."""
    span = node.span
    error = kind(
        message,
        code=code,
        file=file,
        line=span.line,
        column=span.column,
        end_line=span.line,
        end_column=span.column + max(1, getattr(span, "end", 0) - getattr(span, "start", 0)),
        found=found,
        expected=expected,
        hint=hint,
    )
    error.related = related
    return error
