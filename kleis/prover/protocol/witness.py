"""Witnesses as engines find them: records, not yet checked.

See docs/reference/proving.md §5.5.  `kleis.prover.checker.write_witness` writes them as the data of a certificate.
"""

from __future__ import annotations

from typing import Any

import msgspec

from kleis import core
from kleis.semantics.enclosures import PRECISION
from kleis.values import Value

__all__ = ["FunctionTable", "Interpretation", "Witness"]


class Interpretation(msgspec.Struct, frozen=True, kw_only=True):
    """An interpretation of carriers and symbols, and an assignment at which the claim fails.

    symbols
        Each with its parameters and its value as a term over them.
    point
        Values of the claim's outermost universal variables; empty where none is needed, or known.
    functions
        Those of these variables that are functions, as terms over parameters; `point` has none of them then.
    undefined
        The claim is neither true nor false.
    proof
        The steps of a proof of the negated claim, as a certificate has them; none where a solver shows it at once.
    """

    carriers: tuple[tuple[core.Carrier, core.Sort], ...] = ()
    symbols: tuple[tuple[core.Symbol, tuple[core.Variable, ...], core.Term], ...] = ()
    point: tuple[tuple[str, Value], ...] = ()
    functions: tuple[tuple[str, tuple[core.Variable, ...], core.Term], ...] = ()
    undefined: bool = False
    proof: tuple[Any, ...] = ()


class FunctionTable(msgspec.Struct, frozen=True):
    """A function by its values: at the listed arguments, and everywhere else (None: nothing is said)."""

    rows: tuple[tuple[tuple[Any, ...], Any], ...]
    default: Any = None


class Witness(msgspec.Struct, frozen=True, kw_only=True):
    """An assignment at which a claim fails, or a model.

    assignment
        Values of the claim's outermost universal variables, by name.
    symbols
        Values of constants, and tables of operations, as far as they could be read.
    carriers
        Sizes of carriers, where the model has finitely many elements of each, by the text of the sort.
    undefined
        The claim is not false there but undefined.
    unread
        Names whose values could not be written exactly.
    precision
        The significant binary digits with which irrational numbers have to be compared there.
    """

    assignment: dict[str, Any] = {}
    symbols: tuple[tuple[core.Symbol, Any], ...] = ()
    carriers: dict[str, int] = {}
    undefined: bool = False
    unread: tuple[str, ...] = ()
    precision: int = PRECISION
