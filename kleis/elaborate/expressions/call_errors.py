"""Why a name or a call has no meaning: errors, worded.

Specification: HOUSE rule "errors are part of the interface"; proving.md §1 ("Resolution").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kleis.builtins.rows.table import builtin_arities
from kleis.core import Carrier, Symbol, Term, Variable
from kleis.core.goal import MeaningError, MissingOperation
from kleis.core.sort_printing import refusal, sort_text, sorts_text
from kleis.elaborate.scopes.scope import (
    BuiltinName,
    Candidate,
    DataConstructor,
    Polymorphic,
    Refused,
    Template,
)
from kleis.spelling import suggestion
from kleis.syntax.tree import Call, Name

if TYPE_CHECKING:
    from kleis.elaborate.expressions.term_elaborator import Unit

__all__ = ["missing_operation", "nothing_fits", "refused_declaration", "unknown_operation"]


def unknown_operation(unit: Unit, node: Call) -> MeaningError:
    """A call of something that nothing in scope declares."""
    if "::" in node.name or unit.definitions.is_member(node.name):
        return missing_operation(unit, node, node.name, [unit.term(each) for each in node.arguments])
    names = (*unit.scope.names(), *unit.environment, *builtin_arities())
    hint = suggestion(node.name, names, otherwise="declare it as an operation")
    message = f"no function {node.name} is declared"
    return refusal(node, unit.scope.file, "unknown-name", message, found=node.name, hint=hint)


def missing_operation(unit: Unit, node: Call | Name, name: str, terms: Sequence[Term]) -> MissingOperation:
    """A name that only structures with parameters have, none of which is in force here."""
    owners = unit.definitions.owners(name)
    at = f" at {sorts_text(unit.sort(each) for each in terms)}" if terms else ""
    error = refusal(
        node,
        unit.scope.file,
        "no-structure",
        f"{name} belongs to {' and '.join(owners) or 'no structure'}; no structure in force has it{at}",
        found=name,
        expected=owners,
        hint=f"say what the proposition is about: using {owners[0]}" if owners else "",
        kind=MissingOperation,
    )
    assert isinstance(error, MissingOperation)
    error.operation = name
    return error


def refused_declaration(unit: Unit, node: Call | Name, candidate: Refused) -> MeaningError:
    """A name whose declaration was refused."""
    return refusal(
        node,
        unit.scope.file,
        "refused-declaration",
        f"{node.name} was refused where it is declared: {candidate.message}",
        found=node.name,
        hint=f"mend the declaration at {candidate.place}",
        related=(candidate.place,),
    )


def nothing_fits(
    unit: Unit,
    node: Call,
    candidates: Sequence[Candidate],
    readings: Sequence[str],
    terms: Sequence[Term | None],
) -> MeaningError:
    """Why no reading of a call fits its arguments."""
    sorts = [_argument_text(unit, each) if each is not None else "a function" for each in terms]
    carriers = [
        sort_text(unit.sort(each))
        for each in terms
        if each is not None and isinstance(unit.sort(each), Carrier)
    ]
    if carriers and unit.definitions.is_member(node.name):
        return missing_operation(unit, node, node.name, [each for each in terms if each is not None])
    shown = tuple(dict.fromkeys(readings))[:6]
    file, found = unit.scope.file, ", ".join(sorts)
    if carriers and any(isinstance(each, BuiltinName) for each in candidates):
        message = (
            f"{node.name} is built in for other sorts; the elements of the carrier {carriers[0]} are opaque"
        )
        hint = f"declare an operation on {carriers[0]}, or use the one of its structure"
        return refusal(node, file, "carrier-arithmetic", message, found=found, expected=shown, hint=hint)
    if not shown:
        takes = tuple(sorted({_arity(each) for each in candidates}))
        message = f"{node.name} takes {' or '.join(takes)} arguments, here it has {len(terms)}"
        if str(len(terms)) in takes:
            message = f"{node.name} does not take ({found})"
            return refusal(node, file, "wrong-sort", message, found=found)
        return refusal(node, file, "arity", message, found=str(len(terms)), expected=takes)
    message = f"{node.name} does not take ({found})"
    hint = f"it is {' or '.join(shown)}"
    return refusal(node, file, "wrong-sort", message, found=found, expected=shown, hint=hint)


def _argument_text(unit: Unit, term: Term) -> str:
    """An argument as people know it: its name, if it has one, and its sort."""
    shown = sort_text(unit.sort(term))
    return f"{term.name} : {shown}" if isinstance(term, Variable) else shown


def _arity(candidate: Candidate) -> str:
    match candidate:
        case Symbol(domain=domain) | Polymorphic(domain=domain):
            return str(len(domain))
        case DataConstructor(constructor=constructor):
            return str(len(constructor.fields))
        case Template(node=definition):
            return str(len(definition.parameters))
        case BuiltinName(row=row):
            return str(row.least) if row.most == row.least else f"{row.least} or more"
        case Refused():
            return "no"
