"""The errors of calls: why no candidate fits.

Each error names the places in the source, what was found, what would fit, and a hint.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis import core
from kleis.builtins.rows.numeric_table import find_numeric
from kleis.builtins.rows.table import builtin_arities
from kleis.core.goal import ElaborationError, MissingOperation
from kleis.core.sort_printing import elaboration_error, sort_text, sorts_text
from kleis.elaborate.expressions.elaboration_context import Context
from kleis.elaborate.scopes.scope import (
    BuiltinName,
    Candidate,
    DataConstructor,
    Polymorphic,
    Rejected,
    Template,
)
from kleis.spelling import suggestion
from kleis.syntax.tree import Call, Name

__all__ = ["missing_operation", "nothing_fits", "rejected_declaration", "unknown_operation"]


def unknown_operation(context: Context, node: Call) -> ElaborationError:
    """A call of something that nothing in scope declares."""
    if "::" in node.name or context.definitions.is_member(node.name):
        return missing_operation(context, node, node.name, [context.term(each) for each in node.arguments])
    if find_numeric(node.name) is not None:
        message = f"{node.name} is computed in floating point: no proposition is about it"
        hint = "compare its value in an example block; a double proves nothing"
        return elaboration_error(
            node, context.scope.file, "numeric-name", message, found=node.name, hint=hint
        )
    names = (*context.scope.names(), *context.environment, *builtin_arities())
    hint = suggestion(node.name, names, otherwise="declare it as an operation")
    message = f"no function {node.name} is declared"
    return elaboration_error(node, context.scope.file, "unknown-name", message, found=node.name, hint=hint)


def missing_operation(
    context: Context, node: Call | Name, name: str, terms: Sequence[core.Term]
) -> MissingOperation:
    """A name that only structures with parameters have, none of which is in scope."""
    owners = context.definitions.owners(name)
    at = f" at {sorts_text(context.sort(each) for each in terms)}" if terms else ""
    error = elaboration_error(
        node,
        context.scope.file,
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


def rejected_declaration(context: Context, node: Call | Name, candidate: Rejected) -> ElaborationError:
    """A name whose declaration was rejected."""
    return elaboration_error(
        node,
        context.scope.file,
        "refused-declaration",
        f"{node.name} was refused where it is declared: {candidate.message}",
        found=node.name,
        hint=f"mend the declaration at {candidate.place}",
        related=(candidate.place,),
    )


def nothing_fits(
    context: Context,
    node: Call,
    candidates: Sequence[Candidate],
    alternatives: Sequence[str],
    terms: Sequence[core.Term | None],
) -> ElaborationError:
    """Why no candidate of a call fits its arguments."""
    sorts = [_argument_text(context, each) if each is not None else "a function" for each in terms]
    carriers = [
        sort_text(context.sort(each))
        for each in terms
        if each is not None and isinstance(context.sort(each), core.Carrier)
    ]
    if carriers and context.definitions.is_member(node.name):
        return missing_operation(context, node, node.name, [each for each in terms if each is not None])
    shown = tuple(dict.fromkeys(alternatives))[:6]
    file, found = context.scope.file, ", ".join(sorts)
    if carriers and any(isinstance(each, BuiltinName) for each in candidates):
        message = (
            f"{node.name} is built in for other sorts; the elements of the carrier {carriers[0]} are opaque"
        )
        hint = f"declare an operation on {carriers[0]}, or use the one of its structure"
        return elaboration_error(
            node, file, "carrier-arithmetic", message, found=found, expected=shown, hint=hint
        )
    if not shown:
        takes = tuple(sorted({_arity(each) for each in candidates}))
        message = f"{node.name} takes {' or '.join(takes)} arguments, here it has {len(terms)}"
        if str(len(terms)) in takes:
            message = f"{node.name} does not take ({found})"
            return elaboration_error(node, file, "wrong-sort", message, found=found)
        return elaboration_error(node, file, "arity", message, found=str(len(terms)), expected=takes)
    message = f"{node.name} does not take ({found})"
    hint = f"it is {' or '.join(shown)}"
    return elaboration_error(node, file, "wrong-sort", message, found=found, expected=shown, hint=hint)


def _argument_text(context: Context, term: core.Term) -> str:
    """An argument in messages: its name, if it has one, and its sort."""
    shown = sort_text(context.sort(term))
    return f"{term.name} : {shown}" if isinstance(term, core.Variable) else shown


def _arity(candidate: Candidate) -> str:
    match candidate:
        case core.Symbol(domain=domain) | Polymorphic(domain=domain):
            return str(len(domain))
        case DataConstructor(constructor=constructor):
            return str(len(constructor.fields))
        case Template(node=definition):
            return str(len(definition.parameters))
        case BuiltinName(row=row):
            return str(row.least) if row.most == row.least else f"{row.least} or more"
        case Rejected():
            return "no"
