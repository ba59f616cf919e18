"""Proofs by structural induction.  See docs/reference/lean.md §6.1.

What the engine left are the steps of a certificate: lemmas that it made, each shown by an induction, and the induction of
the claim.  Each becomes an ``induction … with`` whose cases unfold definitions and use the hypotheses and the earlier
steps by ``simp only``; where the claim is about whole numbers, ``omega`` closes what is left.

Only equations over lists and data types that do not nest are written, so that the cases of Lean are those of the
certificate.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis import core
from kleis.core.terms import list_constructors
from kleis.core.traversal import subterms
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.export.proofs.decisions import outermost
from kleis.lean.export.terms.lean_terms import Terms
from kleis.lean.language import lean_tree as lean
from kleis.prover.checker.format import Ask, Induction, Proof

__all__ = ["induction_proof"]

_LEMMAS = {
    "append": ("List.nil_append", "List.cons_append", "List.append_nil"),
    "reverse": ("List.reverse_nil", "List.reverse_cons"),
    "length": ("List.length_nil", "List.length_cons"),
    "list_map": ("List.map_nil", "List.map_cons"),
}
"""What Lean knows of built-ins, as equations that compute."""

_WHOLE = frozenset({core.NATURAL, core.INTEGER})


def induction_proof(
    steps: Sequence[tuple[core.Term, Proof]], statement: lean.Term, terms: Terms, definitions: Definitions
) -> tuple[lean.Tactic, ...] | None:
    """Tactics for the claim of the last step; None where a step has no form here."""
    tactics: list[lean.Tactic] = []
    known: list[lean.Term] = []
    for place, (claim, proof) in enumerate(steps):
        formula = terms.formula(claim)
        if not formula.total:
            return None
        last = place == len(steps) - 1
        if last and formula.true != statement:
            return None
        shown = _shown(claim, proof, known, terms, definitions)
        if shown is None:
            return None
        if last:
            return (*tactics, *shown)
        name = terms.locals.fresh(f"step_{place + 1}")
        tactics.append(lean.Have(name, formula.true, shown))
        known.append(lean.Name(name))
    return None


def _shown(
    claim: core.Term, proof: Proof, known: Sequence[lean.Term], terms: Terms, definitions: Definitions
) -> tuple[lean.Tactic, ...] | None:
    """Tactics for one step."""
    variables, body = outermost(claim)
    if not isinstance(body, core.Equals) or body.left.sort == core.BOOL:
        return None
    facts = _facts(body, terms, definitions)
    arithmetic = lean.Close("omega") if body.left.sort in _WHOLE else None
    if facts is None:
        return None
    names = tuple(terms.locals(each.name) for each in variables)
    match proof:
        case Induction(on=on, by=0, deep=False, cases=cases) if all(
            isinstance(each.proof, Ask) for each in cases
        ):
            variable = next(each for each in variables if each.name == on)
            written = []
            for constructor in _constructors(variable.sort, definitions):
                parts, hypotheses = _parts(constructor, variable.sort, terms)
                used = [*facts, *(lean.Name(each) for each in hypotheses), *known]
                case = lean.InductionCase(
                    _case_name(constructor, definitions),
                    (*parts, *hypotheses),
                    (lean.Simplify(tuple(used), arithmetic),),
                )
                written.append(case)
            if len(written) != len(cases):
                return None
            local = terms.locals(on)
            others = tuple(each for each in names if each != local)
            return (lean.Intro(names), lean.Induction(local, tuple(written), others))
        case _:
            return None


def _facts(body: core.Term, terms: Terms, definitions: Definitions) -> list[lean.Term] | None:
    """What computes the functions of an equation: definitions, and equations of built-ins."""
    found: dict[lean.Term, None] = {}
    waiting, seen = [body], set[str]()
    while waiting:
        for each in subterms(waiting.pop()):
            match each:
                case core.DefinitionCall(definition=key) if key not in seen:
                    seen.add(key)
                    use = terms.world.definition(key)
                    if use.defined is not None or definitions.is_measured(key):
                        return None
                    head = use.head.function if isinstance(use.head, lean.Call) else use.head
                    found.setdefault(head)
                    waiting.append(definitions.gathering.definitions[key].body)
                case core.BuiltinCall(operation=operation):
                    found |= dict.fromkeys(map(lean.Name, _LEMMAS.get(operation.name, ())))
                case core.Quantifier() | core.SymbolCall():
                    return None
                case _:
                    pass
    return list(found)


def _constructors(sort: core.Sort, definitions: Definitions) -> Sequence[core.Constructor]:
    """The constructors of a sort that Lean does induction over as the certificate does; none for another."""
    if isinstance(sort, core.ListOf):
        return list_constructors(sort)
    if not isinstance(sort, core.DataSort):
        return ()
    found = definitions.data.constructors(sort)
    flat = all(
        field.sort == sort
        or not isinstance(field.sort, core.DataSort | core.ListOf | core.FunctionOf | core.TupleOf)
        for each in found
        for field in each.fields
    )
    return found if flat else ()


def _parts(constructor: core.Constructor, sort: core.Sort, terms: Terms) -> tuple[list[str], list[str]]:
    """Names of the parts of a value, and of the hypotheses about those of its own sort."""
    parts = [
        terms.locals.fresh(each.name if each.name[:1].isalpha() else "part") for each in constructor.fields
    ]
    hypotheses = [terms.locals.fresh("ih") for each in constructor.fields if each.sort == sort]
    return parts, hypotheses


def _case_name(constructor: core.Constructor, definitions: Definitions) -> str:
    if isinstance(constructor.sort, core.ListOf):
        return "cons" if constructor.fields else "nil"
    return definitions.data.constructor(constructor).rpartition(".")[2]
