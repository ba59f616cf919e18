"""Candidates of a call: what a name offers at given arguments, and what each candidate costs.

See docs/reference/proving.md §2.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import msgspec

from kleis import core
from kleis.builtins.row import Argument, Signature, Waiting
from kleis.builtins.rows.table import CONSTANT_NAMES
from kleis.core.sort_operations import family_arguments, family_name, join_sorts, sort_parts, variables_of
from kleis.core.sort_printing import sort_text
from kleis.elaborate.expressions.call_errors import rejected_declaration
from kleis.elaborate.expressions.elaboration_context import Context
from kleis.elaborate.scopes.scope import (
    BuiltinName,
    Candidate,
    DataConstructor,
    Polymorphic,
    Rejected,
    Template,
)
from kleis.elaborate.sorts.data_instances import instantiate_sort
from kleis.elaborate.sorts.sort_inference import FREE, Cost
from kleis.syntax import tree

__all__ = [
    "CallArgument",
    "Overload",
    "build_call",
    "cost_of",
    "nullary",
    "overload_text",
    "overloaded_sorts",
    "overloads_of",
    "symbol_overload",
]


Values: TypeAlias = "dict[str, core.Sort | core.Dimension]"
"""What the sort variables of an overload stand for."""


class Overload(msgspec.Struct):
    """A candidate at so many arguments: its parameters and result.

    `variables` are the sort variables of the overload, to be found from the arguments; `build` takes the arguments,
    adapted to the parameters, the sorts found for the parameters, and that of the result.  `kind` is what it comes from.
    """

    label: str
    parameters: tuple[core.Sort, ...]
    result: core.Sort
    build: Callable[[tuple[core.Term, ...], tuple[core.Sort, ...], core.Sort], core.Term]
    variables: frozenset[str] = frozenset()
    kind: Literal["built-in", "polymorphic", "other"] = "other"


class CallArgument(msgspec.Struct):
    """An argument: its source, and its term where it can be elaborated before the call is decided.

    `choices` are the sorts of a name that several elements share.
    """

    node: tree.Expression
    term: core.Term | None
    choices: tuple[core.Sort, ...] = ()


def overload_text(overload: Overload) -> str:
    """An overload in messages: ``plus : ℤ × ℤ → ℤ``."""
    if not overload.parameters:
        return f"{overload.label} : {sort_text(overload.result)}"
    domain = " × ".join(sort_text(each) for each in overload.parameters)
    return f"{overload.label} : {domain} → {sort_text(overload.result)}"


# ── The overloads of a candidate ───────────────────────────────────────────────────────────────────────────────


def overloads_of(
    context: Context, candidate: Candidate, node: tree.Call | tree.Name, given: Sequence[CallArgument]
) -> list[Overload] | None:
    """The overloads of a candidate for so many arguments; None where that is not known yet."""
    count = len(given)
    match candidate:
        case core.Symbol():
            return [symbol_overload(candidate)] if len(candidate.domain) == count else []
        case Polymorphic():
            return [_polymorphic_overload(context, candidate)] if len(candidate.domain) == count else []
        case DataConstructor():
            return [_constructor_overload(candidate)] if len(candidate.constructor.fields) == count else []
        case BuiltinName(row=row):
            found = row.signatures(tuple(_argument(context, each) for each in given))
            if isinstance(found, Waiting):
                return None
            return [_builtin_overload(context, signature) for signature in found]
        case Template():
            overload = _template_overload(context, candidate, node)
            return [overload] if overload is not None and len(overload.parameters) == count else []
        case Rejected():
            raise rejected_declaration(context, node, candidate)


def symbol_overload(symbol: core.Symbol) -> Overload:
    """The one overload of a symbol."""

    def build(arguments: tuple[core.Term, ...], _: tuple[core.Sort, ...], __: core.Sort) -> core.Term:
        return core.SymbolCall(symbol, arguments)

    return Overload(symbol.name, symbol.domain, symbol.codomain, build)


def _polymorphic_overload(context: Context, operation: Polymorphic) -> Overload:
    def build(
        arguments: tuple[core.Term, ...], parameters: tuple[core.Sort, ...], result: core.Sort
    ) -> core.Term:
        symbol = core.Symbol(operation.name, parameters, result)
        if operation.higher:
            context.definitions.higher_order.setdefault(symbol, context.scope.file)
        return core.SymbolCall(symbol, arguments)

    variables = frozenset(operation.variables)
    return Overload(operation.name, operation.domain, operation.codomain, build, variables, "polymorphic")


def _constructor_overload(candidate: DataConstructor) -> Overload:
    generic = candidate.constructor

    def build(
        arguments: tuple[core.Term, ...], parameters: tuple[core.Sort, ...], result: core.Sort
    ) -> core.Term:
        pairs = zip(generic.fields, parameters, strict=True)
        fields = tuple(core.ConstructorField(field.name, sort) for field, sort in pairs)
        return core.Construction(msgspec.structs.replace(generic, fields=fields, sort=result), arguments)

    sorts = tuple(field.sort for field in generic.fields)
    return Overload(generic.name, sorts, generic.sort, build, frozenset(candidate.parameters))


def _builtin_overload(context: Context, signature: Signature) -> Overload:
    def build(
        arguments: tuple[core.Term, ...], parameters: tuple[core.Sort, ...], result: core.Sort
    ) -> core.Term:
        return core.BuiltinCall(context.definitions.operation(signature, parameters, result), arguments)

    sorts = (*signature.parameters, signature.result)
    variables = frozenset(name for sort in sorts for name in variables_of(sort))
    return Overload(signature.row.name, signature.parameters, signature.result, build, variables, "built-in")


def _template_overload(context: Context, template: Template, node: tree.Call | tree.Name) -> Overload | None:
    """A definition among other candidates; None unless its parameters are all written."""
    written = context.definitions.written_parameters(template)
    parameters = tuple(sort for sort in written if sort is not None)
    if len(parameters) < len(written):
        return None
    result = context.definitions.written_result(template)
    if result is None:
        _, result = context.definitions.instance(template, parameters, node, context)
    found = result

    def build(arguments: tuple[core.Term, ...], _: tuple[core.Sort, ...], __: core.Sort) -> core.Term:
        key, _result = context.definitions.instance(template, parameters, node, context)
        return core.DefinitionCall(key, arguments, found)

    return Overload(template.key, parameters, found, build)


def _argument(context: Context, given: CallArgument) -> Argument:
    if given.term is None:
        return Argument(None, None)
    value = given.term.value if isinstance(given.term, core.LiteralTerm) else None
    known = value if isinstance(value, int | str) and not isinstance(value, bool) else None
    return Argument(context.sort(given.term), known, _shape(given.node))


def _shape(node: tree.Expression) -> tuple[int, ...] | None:
    """The lengths of a list literal: (2, 3) for two lists of three elements."""
    if not isinstance(node, tree.ListLiteral):
        return None
    inner = {_shape(item) for item in node.items}
    below = inner.pop() if len(inner) == 1 else None
    return (len(node.items), *(below or ()))


def nullary(candidate: Candidate) -> bool:
    """Whether a candidate can be used without arguments."""
    match candidate:
        case core.Symbol(domain=domain) | Polymorphic(domain=domain):
            return not domain
        case DataConstructor(constructor=constructor):
            return not constructor.fields
        case Template(node=definition):
            return not definition.parameters
        case BuiltinName(row=row):  # pi, e and tau need parentheses: the names are free
            return not CONSTANT_NAMES.isdisjoint((row.name, *row.aliases))
        case Rejected():
            return True


def overloaded_sorts(context: Context, node: tree.Expression) -> tuple[core.Sort, ...]:
    """The sorts of a name that stands for several elements; empty for everything else."""
    if not isinstance(node, tree.Name) or node.name in context.environment:
        return ()
    candidates = [each for each in context.scope.candidates(node.name) if nullary(each)]
    if len(candidates) < 2:
        return ()
    sorts = [
        each.codomain
        if isinstance(each, core.Symbol)
        else context.definitions.written_result(each)
        if isinstance(each, Template)
        else None
        for each in candidates
    ]
    known = tuple(sort for sort in sorts if sort is not None)
    return known if len(known) == len(candidates) else ()


# ── Fitting ──────────────────────────────────────────────────────────────────────────────────────────────────


def cost_of(context: Context, overload: Overload, given: Sequence[CallArgument]) -> Cost | None:
    """The cost of calling an overload with these arguments; None if they do not fit."""
    values = _match(context, overload, given)
    if values is None:
        return None
    total = FREE
    for parameter, each in zip(overload.parameters, given, strict=True):
        wanted = instantiate_sort(parameter, values)
        if each.choices:
            cost = min(
                (found for each_sort in each.choices if (found := context.inference.cost(each_sort, wanted))),
                default=None,
            )
        elif each.term is None:
            cost = FREE if isinstance(wanted, core.FunctionOf | core.SortVariable) else None
        else:
            cost = context.cost(each.term, wanted)
        if cost is None:
            return None
        total = (total[0] + cost[0], total[1] + cost[1], total[2] + cost[2])
    return total


def _match(context: Context, overload: Overload, given: Sequence[CallArgument]) -> Values | None:
    """The sort variables of an overload as far as the arguments determine them; None if they contradict."""
    values: Values = {}
    for parameter, each in zip(overload.parameters, given, strict=True):
        if each.term is not None and not _collect(context, overload, parameter, each.term.sort, values):
            return None
    return values


def _collect(
    context: Context, overload: Overload, pattern: core.Sort, sort: core.Sort, values: Values
) -> bool:
    """Determine the variables of a pattern from a sort; False if the two contradict."""
    sort = context.inference.resolve(sort)
    if isinstance(pattern, core.SortVariable) and pattern.name in overload.variables:
        return _determine(context, pattern.name, sort, values)
    if isinstance(sort, core.SortVariable) or not _mentions(pattern, overload.variables):
        return True
    if isinstance(pattern, core.Carrier | core.DataSort | core.MatrixOf):
        return _collect_family(context, overload, pattern, sort, values)
    pieces = context.inference.pieces(pattern, sort)
    return pieces is not None and all(
        _collect(context, overload, inner, part, values) for inner, part in pieces
    )


def _collect_family(
    context: Context,
    overload: Overload,
    pattern: core.Carrier | core.DataSort | core.MatrixOf,
    sort: core.Sort,
    values: Values,
) -> bool:
    """Determine variables from the arguments of a family, which are sorts and dimensions."""
    if type(sort) is not type(pattern) or family_name(sort) != family_name(pattern):
        return False
    pairs = list(zip(family_arguments(pattern), family_arguments(sort), strict=False))
    for inner, part in pairs:
        if (
            isinstance(inner, core.SortVariable)
            and inner.name in overload.variables
            and isinstance(part, core.Dimension)
        ):
            if values.setdefault(inner.name, part) != part:
                return False
        elif isinstance(inner, core.Dimension) and isinstance(part, core.Dimension):
            atom = _atom(inner)
            if atom in overload.variables and values.setdefault(atom, part) != part:
                return False
        elif (
            isinstance(inner, core.Dimension)
            or isinstance(part, core.Dimension)
            or not _collect(context, overload, inner, part, values)
        ):
            return False
    return True


def _mentions(sort: core.Sort | core.Dimension, names: frozenset[str]) -> bool:
    """Whether variables of an overload occur in a sort, in its dimensions too."""
    if isinstance(sort, core.Dimension):
        return any(atom in names for atoms, _ in sort.terms for atom in atoms)
    if variables_of(sort) & names:
        return True
    inner = family_arguments(sort) or sort_parts(sort)
    return any(_mentions(each, names) for each in inner)


def _atom(dimension: core.Dimension) -> str:
    """The name that a dimension is; empty if it is a sum or product."""
    match dimension.terms:
        case (((name,), 1),):
            return name
        case _:
            return ""


def _determine(context: Context, name: str, sort: core.Sort, values: Values) -> bool:
    """Set a variable to a sort, joined with what it was before; False if they have no join."""
    known = values.get(name)
    if isinstance(known, core.Dimension):
        return False
    if known is None or isinstance(known, core.SortVariable):
        values[name] = sort
        return True
    if isinstance(sort, core.SortVariable):
        return True
    together = join_sorts(known, sort)
    if together is None and context.inference.cost(sort, known) is not None:
        together = known
    if together is None and context.inference.cost(known, sort) is not None:
        together = sort
    if together is None:
        return False
    values[name] = together
    return True


# ── The term ─────────────────────────────────────────────────────────────────────────────────────────────────


def build_call(
    context: Context,
    node: tree.Call | tree.Name,
    overload: Overload,
    given: Sequence[CallArgument],
    expected: core.Sort | None,
) -> core.Term:
    """The term of a decided call: sort variables determined, arguments coerced."""
    values = _match(context, overload, given) or {}
    if expected is not None:
        found: Values = {}
        if _collect(context, overload, overload.result, expected, found):
            values = {**found, **values}
    arguments: list[core.Term] = []
    for parameter, each in zip(overload.parameters, given, strict=True):
        term = each.term
        if each.choices:
            term = context.term(each.node, instantiate_sort(parameter, values))
        elif term is None:
            term = _function_argument(context, each.node, parameter, values, overload)
        arguments.append(term)
    for name in sorted(overload.variables - values.keys()):
        values[name] = context.unknown(node, f"sort {name}", f"a sort in {overload.label}")
    parameters = tuple(instantiate_sort(parameter, values) for parameter in overload.parameters)
    adapted = tuple(
        context.adapt(term, parameter, each.node, f"an argument of {overload.label}")
        for term, parameter, each in zip(arguments, parameters, given, strict=True)
    )
    return overload.build(adapted, parameters, instantiate_sort(overload.result, values))


def _function_argument(
    context: Context, node: tree.Expression, parameter: core.Sort, values: Values, overload: Overload
) -> core.Term:
    """A function argument; elaborated again where its result widens its own parameters (an accumulator)."""
    while True:
        wanted = _known_function(parameter, values, overload)
        term = context.term(node, wanted)
        before = dict(values)
        _collect(context, overload, parameter, term.sort, values)
        if wanted is None or values == before or not context.inference.known(term.sort):
            return term


def _known_function(parameter: core.Sort, values: Values, overload: Overload) -> core.Sort | None:
    """What is known of the sort of a function argument, if its domain is."""
    sort = instantiate_sort(parameter, values)
    if isinstance(sort, core.FunctionOf) and not any(
        variables_of(each) & overload.variables for each in sort.domain
    ):
        known = not variables_of(sort.codomain) & overload.variables
        return core.FunctionOf(sort.domain, sort.codomain if known else core.SortVariable("_"))
    return None
