"""Counterexamples as Lean declarations: a witness, or a finite model on ``Fin n`` with tables.

Only evidence that `kleis.prover.evidence` checked is written, and only where Lean can decide it: that the tables satisfy
the axioms and the claim fails there, ``by decide``.  No Lean has run here.  See docs/reference/lean.md §6.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kleis import core
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.errors import KleisError
from kleis.lean.export.declarations.class_scopes import Scope, Use
from kleis.lean.export.declarations.inductive_types import Emit
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.proofs.decisions import is_decided, outermost
from kleis.lean.export.terms.lean_names import Names
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.export.terms.lean_types import call
from kleis.lean.export.terms.propositions import FALSE, conjunction, disjunction
from kleis.lean.language import lean_tree as lean
from kleis.problems import Place
from kleis.prover.protocol.verdict import Evidence, Table, Verdict

__all__ = ["Refuter", "refutation_of"]

LARGEST = 6
"""Carriers up to this size: deciding axioms of three variables on larger ones takes long."""


class Refuter(Protocol):
    """What a refutation needs of the export."""

    @property
    def names(self) -> Names:
        """The names of the file."""

    @property
    def emit(self) -> Emit:
        """Takes finished commands."""

    def literal_at(self, text: str, sort: core.Sort) -> core.Term:
        """The value of a Kleis text, at a sort."""


def refutation_of(
    writer: Refuter,
    theorem: lean.Theorem,
    goal: Goal,
    verdict: Verdict,
    scope: Scope,
    terms: Terms,
    definitions: Definitions,
    source: tuple[str, Place],
) -> str | None:
    """Write the refutation of a claim after its theorem; how it was made, or None where it cannot be written."""
    evidence = verdict.evidence
    claim = goal.claim
    if evidence is None or claim is None:
        return None
    if evidence.carriers and len(scope.uses) == 1:
        return _by_model(writer, theorem, evidence, scope.uses[0], scope, source)
    if not goal.symbols and not goal.carriers and not scope.uses:
        return _by_witness(writer, theorem, claim, evidence, terms, definitions, source)
    return None


def _emit(
    writer: Refuter,
    theorem: lean.Theorem,
    opposite: lean.Term,
    contradiction: lean.Term,
    source: tuple[str, Place],
) -> None:
    label, place = source
    name = writer.names.declare(f"{label} (refuted)", "refutation", stem=f"{theorem.name}_refuted")
    proof = (
        lean.Intro(("h",)),
        lean.Exact(call(lean.Name("absurd"), contradiction, lean.By(lean.Close("decide")))),
    )
    writer.emit(lean.Theorem(name, (), opposite, proof, theorem.classical), place, label)


# ── Witnesses ────────────────────────────────────────────────────────────────────────────────────────────────


def _by_witness(
    writer: Refuter,
    theorem: lean.Theorem,
    claim: core.Term,
    evidence: Evidence,
    terms: Terms,
    definitions: Definitions,
    source: tuple[str, Place],
) -> str | None:
    variables, body = outermost(claim)
    if not is_decided(body, definitions) or theorem.classical:
        return None
    values = {each.name: each.value for each in evidence.bindings}
    given: list[lean.Term] = []
    for variable in variables:
        if variable.name not in values:
            return None
        try:
            given.append(terms.value(writer.literal_at(values[variable.name], variable.sort)).term)
        except KleisError:
            return None
    _emit(writer, theorem, lean.Prefix("¬", theorem.statement), call(lean.Name("h"), *given), source)
    return "witness: " + ", ".join(f"{each.name} = {values[each.name]}" for each in variables)


# ── Finite models ────────────────────────────────────────────────────────────────────────────────────────────


def _by_model(
    writer: Refuter,
    theorem: lean.Theorem,
    evidence: Evidence,
    use: Use,
    scope: Scope,
    source: tuple[str, Place],
) -> str | None:
    elements = dict(evidence.carriers)
    if any(each.kind != "type" for each in scope.parameters) or use.info.requires:
        return None
    sizes: dict[str, list[str]] = {}
    for parameter in scope.parameters:
        found = elements.get(_shown(core.Carrier(parameter.kleis)))
        if not found or len(found) > LARGEST:
            return None
        sizes[parameter.kleis] = list(found)
    if len({_shown(core.Carrier(each)) for each in sizes}) < len(sizes):
        return None
    fields = _fields(evidence, use, sizes)
    if fields is None or theorem.classical:
        return None
    label, place = source
    types = [_fin(len(sizes[each.kleis])) for each in scope.parameters]
    chosen = {each.kleis: type_ for each, type_ in zip(scope.parameters, types, strict=True)}
    arguments = [chosen[each.name] for each in use.arguments if isinstance(each, core.Carrier)]
    name = writer.names.declare(f"{label} (model)", "model", stem=f"{theorem.name}_model")
    laws = [lean.ModelField(field, None, (lean.Close("decide"),)) for field in use.info.laws]
    writer.emit(lean.Model(name, call(lean.Name(use.info.name), *arguments), (*fields, *laws)), place, label)
    instances = [
        lean.Name(name) if binder.type == scope.class_at(use) else lean.Anonymous((lean.Number(0),))
        for binder in theorem.binders
        if binder.style == "instance"
    ]
    contradiction = lean.Call(lean.Explicit("h"), (*types, *instances))
    _emit(writer, theorem, _opposite(theorem), contradiction, source)
    shown = ", ".join(f"{key.rpartition('::')[2]} of {len(found)}" for key, found in sizes.items())
    return f"finite model: {shown}"


def _shown(sort: core.Sort) -> str:
    """A sort as evidence names it: carriers without their structure."""
    return sort_text(sort).rpartition("::")[2]


def _opposite(theorem: lean.Theorem) -> lean.Term:
    """The negation of the statement for all types, in the least universe."""
    binders = tuple(
        binder if binder.style == "instance" else lean.Binder(binder.names, lean.Name("Type"))
        for binder in theorem.binders
    )
    return lean.Prefix("¬", lean.Bind("∀", binders, theorem.statement))


def _fin(size: int) -> lean.Term:
    return lean.Call(lean.Name("Fin"), (lean.Number(size),))


def _fields(evidence: Evidence, use: Use, sizes: dict[str, list[str]]) -> list[lean.ModelField] | None:
    """A table for every operation; None where one has other sorts than carriers and Bool, or no table."""
    found = []
    for symbol, owner in use.symbols.items():
        table = _table(evidence, symbol)
        places = [_elements(each, sizes) for each in symbol.domain]
        target = None if symbol.codomain == core.BOOL else _elements(symbol.codomain, sizes)
        if table is None or None in places or (target is None and symbol.codomain != core.BOOL):
            return None
        body = _tabled(table, [each for each in places if each is not None], target)
        if body is None:
            return None
        found.append(lean.ModelField(owner.field, body))
    return found


def _elements(sort: core.Sort, sizes: dict[str, list[str]]) -> list[str] | None:
    return sizes.get(sort.name) if isinstance(sort, core.Carrier) and not sort.arguments else None


def _table(evidence: Evidence, symbol: core.Symbol) -> Table | None:
    """The table of an operation; a constant is a binding or a table of one row."""
    columns = tuple(map(_shown, (*symbol.domain, symbol.codomain)))
    for table in evidence.tables:
        if table.name == symbol.name and tuple(table.columns) == columns:
            return table
    for binding in evidence.bindings:
        if binding.name == symbol.name and not symbol.domain:
            return Table(binding.name, columns, ((binding.value,),))
    return None


def _tabled(table: Table, places: Sequence[list[str]], target: list[str] | None) -> lean.Term | None:
    """A table as a function: nested choices, or for a relation the rows where it holds."""
    names = [f"x{place}" for place, _ in enumerate(places)]
    try:
        rows = {
            tuple(place.index(each) for place, each in zip(places, row[:-1], strict=True)): (
                target.index(row[-1]) if target is not None else int(row[-1] == "true")
            )
            for row in table.rows
        }
    except ValueError:
        return None
    body = _relation(rows, names) if target is None else _choices(rows, names, [len(each) for each in places])
    if body is None:
        return None
    if not names:
        return body
    binders = tuple(lean.Binder((name,), _fin(len(place))) for name, place in zip(names, places, strict=True))
    return lean.Bind("fun", binders, body)


def _relation(rows: dict[tuple[int, ...], int], names: Sequence[str]) -> lean.Term:
    holding = [
        conjunction(
            *(lean.Infix("=", lean.Name(name), lean.Number(at)) for name, at in zip(names, row, strict=True))
        )
        for row, holds in rows.items()
        if holds
    ]
    return disjunction(*holding) if holding else FALSE


def _choices(
    rows: dict[tuple[int, ...], int], names: Sequence[str], sizes: Sequence[int]
) -> lean.Term | None:
    """``if x0 = 0 then … else …``; a variable is not tested where all its values give the same."""

    def build(prefix: tuple[int, ...]) -> lean.Term | None:
        if len(prefix) == len(names):
            return lean.Number(rows[prefix]) if prefix in rows else None
        branches = [build((*prefix, each)) for each in range(sizes[len(prefix)])]
        if any(each is None for each in branches):
            return None
        known = [each for each in branches if each is not None]
        last = known[-1]
        result = last
        for at in range(len(known) - 2, -1, -1):
            if known[at] != last or result != last:
                result = lean.If(
                    lean.Infix("=", lean.Name(names[len(prefix)]), lean.Number(at)), known[at], result
                )
        return result

    return build(())
