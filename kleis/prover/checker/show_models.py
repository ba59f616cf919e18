"""Models that were checked, as the evidence that people see: one function for each kind.

See docs/reference/proving.md §5.5.  Nothing here decides anything; the rules have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kleis import core
from kleis.core.sort_printing import sort_text
from kleis.delaborate.describe_goal import expression_of
from kleis.prover.checker.rules.assignment import AssignedModel
from kleis.prover.checker.rules.interpretation import InterpretedModel
from kleis.prover.checker.rules.interpreted_goals import Meaning
from kleis.prover.checker.rules.named_parts import arrow
from kleis.prover.checker.rules.tables import FiniteModel, Rows
from kleis.prover.protocol.verdict import Binding, Evidence, Table
from kleis.prover.protocol.witness import FunctionTable
from kleis.semantics.ranges import Element
from kleis.syntax.printer.program import print_expression
from kleis.values.text import render_value

__all__ = ["assignment_evidence", "interpretation_evidence", "tables_evidence"]


# ── Tables ───────────────────────────────────────────────────────────────────────────────────────────────────


def tables_evidence(model: FiniteModel) -> Evidence:
    """A finite model with readable names: g0, g1, … for the elements of G."""
    taken = {each.name for each in model.symbols} | {each.name for each in model.point}
    naming = _Naming(model.sizes, taken)
    functions = {each: rows for each, rows in model.point.items() if isinstance(each.sort, core.FunctionOf)}
    values = {each: rows for each, rows in model.point.items() if each not in functions}
    return Evidence(
        kind="tables",
        bindings=tuple(
            Binding(each.name, naming.sort(each.sort), naming.value(each.sort, rows[()]))
            for each, rows in values.items()
        ),
        carriers=tuple((naming.sort(sort), naming.elements[sort]) for sort in model.sizes),
        tables=(
            *(
                naming.table(each.name, (*each.domain, each.codomain), rows)
                for each, rows in model.symbols.items()
            ),
            *(
                naming.table(each.name, (*domain, codomain), rows)
                for each, rows in functions.items()
                for domain, codomain in (arrow(each.sort),)
            ),
        ),
    )


class _Naming:
    """The names of carriers and elements: ``G`` where no other carrier has that name, else ``Group::G``; g0, g1, …"""

    def __init__(self, sizes: Mapping[core.Carrier, int], taken: set[str]) -> None:
        short = {sort: _short(sort) for sort in sizes}
        texts = list(short.values())
        self._texts: dict[core.Sort, str] = {
            sort: text if texts.count(text) == 1 else sort_text(sort) for sort, text in short.items()
        }
        self.elements: dict[core.Sort, tuple[str, ...]] = {}
        for sort, size in sizes.items():
            letter = short[sort][:1].lower() if short[sort][:1].isalpha() else "e"
            prefix = letter
            while taken.intersection(f"{prefix}{index}" for index in range(size)):
                prefix += letter
            self.elements[sort] = tuple(f"{prefix}{index}" for index in range(size))
            taken = taken.union(self.elements[sort])

    def sort(self, sort: core.Sort) -> str:
        """The name of a sort."""
        return self._texts.get(sort, sort_text(sort))

    def value(self, sort: core.Sort, number: int | bool) -> str:
        """The name of a value."""
        return self.elements[sort][number] if sort in self.elements else str(bool(number))

    def table(self, name: str, columns: tuple[core.Sort, ...], rows: Rows) -> Table:
        """A table with names."""
        shown = tuple(
            tuple(self.value(sort, each) for sort, each in zip(columns, (*point, value), strict=True))
            for point, value in sorted(rows.items())
        )
        return Table(name, tuple(map(self.sort, columns)), shown)


def _short(sort: core.Carrier) -> str:
    """The name of a carrier without its structure."""
    return sort_text(core.Carrier(sort.name.rsplit("::", 1)[-1], sort.arguments))


# ── Assignments ──────────────────────────────────────────────────────────────────────────────────────────────


def assignment_evidence(model: AssignedModel) -> Evidence:
    """Values of variables and symbols; as terms where the axioms or the claim were proved at them."""
    if model.leaves:
        values = [
            Binding(each.name, sort_text(each.sort), render_value(value))
            for each, value in model.variables
            if not isinstance(each.sort, core.FunctionOf)
        ]
        lines = tuple(_line(name, meaning) for name, meaning in model.meanings)
        return Evidence(kind="interpretation", interpretation=lines, bindings=tuple(values))
    names = {
        each: [f"{_letter(sort_text(each))}{place}" for place in range(size)]
        for each, size in model.sizes.items()
    }
    named = [(each.name, *arrow(each.sort), value) for each, value in model.variables]
    named += [(symbol.name, symbol.domain, symbol.codomain, value) for symbol, value in model.symbols]
    bindings: list[Binding] = []
    tables: list[Table] = []
    for name, domain, codomain, value in named:
        if not isinstance(value, FunctionTable):
            bindings.append(Binding(name, sort_text(codomain), _text(value)))
            continue
        columns = tuple(map(sort_text, (*domain, codomain)))
        rows = [tuple(map(_text, (*arguments, result))) for arguments, result in value.rows]
        if value.default is not None:
            rows.append((*("otherwise" for _ in domain), _text(value.default)))
        tables.append(Table(name, columns, tuple(rows)))
    return Evidence(
        kind="tables" if model.sizes else "assignment",
        undefined=model.undefined,
        bindings=tuple(bindings),
        carriers=tuple((sort_text(each), tuple(found)) for each, found in names.items()),
        tables=tuple(tables),
    )


def _text(value: Any) -> str:
    if isinstance(value, Element):
        return f"{_letter(value.constructor.partition('#')[0])}{value.index}"
    return render_value(value)


def _letter(carrier: str) -> str:
    """The letter that names of elements of a carrier begin with."""
    first = carrier.rpartition("::")[2][:1].lower()
    return first if first.isalpha() and first.isascii() else "a"


# ── Interpretations ──────────────────────────────────────────────────────────────────────────────────────────


def interpretation_evidence(model: InterpretedModel) -> Evidence:
    """Sets of numbers for carriers, terms for symbols, and values of the claim's variables."""
    lines = [(sort_text(carrier), sort_text(sort)) for carrier, sort in model.carriers]
    lines += [_line(symbol.name, meaning) for symbol, meaning in model.symbols]
    lines += [_line(name, meaning) for name, meaning in model.functions]
    bindings = tuple(
        Binding(each.name, sort_text(each.sort), render_value(value))
        for each, (_, value) in zip(model.variables, model.point, strict=False)
    )
    return Evidence(
        kind="interpretation", undefined=model.undefined, interpretation=tuple(lines), bindings=bindings
    )


def _line(name: str, meaning: Meaning) -> tuple[str, str]:
    parameters, body = meaning
    names = ", ".join(each.name for each in parameters)
    text = print_expression(expression_of(body, variables=parameters))
    return (f"{name}({names})" if names else name), text
