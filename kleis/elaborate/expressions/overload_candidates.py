"""The ways a call can be read, what each costs, and the term it gives.

Specification: proving.md §1 ("Structures without parameters": overloads).

An `Overload` is a candidate at a number of arguments: sorts of parameters, the sort of the result, and how to build
the term.  Sort variables of an option (of polymorphic operations) are found by matching its parameters with the
sorts of the arguments; where several arguments determine one, the least sort that all are coerced to is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kleis import core
from kleis.builtins.row import Argument, Signature, Waiting
from kleis.builtins.rows.table import CONSTANT_NAMES
from kleis.core.sort_operations import family_arguments, family_name, join_sorts, sort_parts, variables_of
from kleis.core.sort_printing import sort_text
from kleis.elaborate.expressions.call_errors import refused_declaration
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

if TYPE_CHECKING:
    from kleis.elaborate.expressions.term_elaborator import TermElaborator

__all__ = [
    "CallArgument",
    "Overload",
    "build_call",
    "cost_of",
    "nullary",
    "option_text",
    "options_of",
    "overloaded_sorts",
    "symbol_option",
]


Values: TypeAlias = "dict[str, core.Sort | core.Dimension]"
"""What the variables of an option stand for."""


class Overload(msgspec.Struct):
    """One way to read a call.

    `variables` are the sort variables of the option, to be found from the arguments; `build` takes the arguments,
    adapted to the parameters, the sorts found for the parameters, and that of the result.
    """

    label: str
    parameters: tuple[core.Sort, ...]
    result: core.Sort
    build: Callable[[tuple[core.Term, ...], tuple[core.Sort, ...], core.Sort], core.Term]
    variables: frozenset[str] = frozenset()


class CallArgument(msgspec.Struct):
    """An argument: its source, and its term where that can be read before the call is decided.

    `choices` are the sorts of an element that several structures share the name of.
    """

    node: tree.Expression
    term: core.Term | None
    choices: tuple[core.Sort, ...] = ()


def option_text(option: Overload) -> str:
    """An option as people read it: ``plus : ℤ × ℤ → ℤ``."""
    if not option.parameters:
        return f"{option.label} : {sort_text(option.result)}"
    domain = " × ".join(sort_text(each) for each in option.parameters)
    return f"{option.label} : {domain} → {sort_text(option.result)}"


# ── The options of a candidate ───────────────────────────────────────────────────────────────────────────────


def options_of(
    unit: TermElaborator, candidate: Candidate, node: tree.Call | tree.Name, given: Sequence[CallArgument]
) -> list[Overload] | None:
    """The ways a candidate can be called with so many arguments; None where that cannot be told yet."""
    count = len(given)
    match candidate:
        case core.Symbol():
            return [symbol_option(candidate)] if len(candidate.domain) == count else []
        case Polymorphic():
            return [_polymorphic_option(unit, candidate)] if len(candidate.domain) == count else []
        case DataConstructor():
            return [_constructor_option(candidate)] if len(candidate.constructor.fields) == count else []
        case BuiltinName(row=row):
            found = row.signatures(tuple(_argument(unit, each) for each in given))
            if isinstance(found, Waiting):
                return None
            return [_builtin_option(unit, signature) for signature in found]
        case Template():
            option = _template_option(unit, candidate, node)
            return [option] if option is not None and len(option.parameters) == count else []
        case Rejected():
            raise refused_declaration(unit, node, candidate)


def symbol_option(symbol: core.Symbol) -> Overload:
    """The one way to call a symbol."""

    def build(arguments: tuple[core.Term, ...], _: tuple[core.Sort, ...], __: core.Sort) -> core.Term:
        return core.SymbolCall(symbol, arguments)

    return Overload(symbol.name, symbol.domain, symbol.codomain, build)


def _polymorphic_option(unit: TermElaborator, operation: Polymorphic) -> Overload:
    def build(
        arguments: tuple[core.Term, ...], parameters: tuple[core.Sort, ...], result: core.Sort
    ) -> core.Term:
        symbol = core.Symbol(operation.name, parameters, result)
        if operation.higher:
            unit.definitions.higher_order.setdefault(symbol, unit.scope.file)
        return core.SymbolCall(symbol, arguments)

    variables = frozenset(operation.variables)
    return Overload(operation.name, operation.domain, operation.codomain, build, variables)


def _constructor_option(candidate: DataConstructor) -> Overload:
    generic = candidate.constructor

    def build(
        arguments: tuple[core.Term, ...], parameters: tuple[core.Sort, ...], result: core.Sort
    ) -> core.Term:
        pairs = zip(generic.fields, parameters, strict=True)
        fields = tuple(core.ConstructorField(field.name, sort) for field, sort in pairs)
        return core.Construction(msgspec.structs.replace(generic, fields=fields, sort=result), arguments)

    sorts = tuple(field.sort for field in generic.fields)
    return Overload(generic.name, sorts, generic.sort, build, frozenset(candidate.parameters))


def _builtin_option(unit: TermElaborator, signature: Signature) -> Overload:
    def build(
        arguments: tuple[core.Term, ...], parameters: tuple[core.Sort, ...], result: core.Sort
    ) -> core.Term:
        return core.BuiltinCall(unit.definitions.operation(signature, parameters, result), arguments)

    sorts = (*signature.parameters, signature.result)
    variables = frozenset(name for sort in sorts for name in variables_of(sort))
    return Overload(signature.row.name, signature.parameters, signature.result, build, variables)


def _template_option(
    unit: TermElaborator, template: Template, node: tree.Call | tree.Name
) -> Overload | None:
    """A definition among other candidates: its parameters are all written."""
    written = unit.definitions.written_parameters(template)
    parameters = tuple(sort for sort in written if sort is not None)
    if len(parameters) < len(written):
        return None
    result = unit.definitions.written_result(template)
    if result is None:
        _, result = unit.definitions.instance(template, parameters, node, unit)
    found = result

    def build(arguments: tuple[core.Term, ...], _: tuple[core.Sort, ...], __: core.Sort) -> core.Term:
        key, _result = unit.definitions.instance(template, parameters, node, unit)
        return core.DefinitionCall(key, arguments, found)

    return Overload(template.key, parameters, found, build)


def _argument(unit: TermElaborator, given: CallArgument) -> Argument:
    if given.term is None:
        return Argument(None, None)
    value = given.term.value if isinstance(given.term, core.LiteralTerm) else None
    known = value if isinstance(value, int | str) and not isinstance(value, bool) else None
    return Argument(unit.sort(given.term), known, _shape(given.node))


def _shape(node: tree.Expression) -> tuple[int, ...] | None:
    """The lengths of a list literal: (2, 3) for two lists of three elements."""
    if not isinstance(node, tree.ListLiteral):
        return None
    inner = {_shape(item) for item in node.items}
    below = inner.pop() if len(inner) == 1 else None
    return (len(node.items), *(below or ()))


def nullary(candidate: Candidate) -> bool:
    """Whether a candidate can stand without arguments."""
    match candidate:
        case core.Symbol(domain=domain) | Polymorphic(domain=domain):
            return not domain
        case DataConstructor(constructor=constructor):
            return not constructor.fields
        case Template(node=definition):
            return not definition.parameters
        case BuiltinName(row=row):  # pi, e and tau need parentheses (§4.8): the names are free
            return not CONSTANT_NAMES.isdisjoint((row.name, *row.aliases))
        case Rejected():
            return True


def overloaded_sorts(unit: TermElaborator, node: tree.Expression) -> tuple[core.Sort, ...]:
    """The sorts of a name that stands for several elements; empty for everything else."""
    if not isinstance(node, tree.Name) or node.name in unit.environment:
        return ()
    candidates = [each for each in unit.scope.candidates(node.name) if nullary(each)]
    if len(candidates) < 2:
        return ()
    sorts = [
        each.codomain
        if isinstance(each, core.Symbol)
        else unit.definitions.written_result(each)
        if isinstance(each, Template)
        else None
        for each in candidates
    ]
    known = tuple(sort for sort in sorts if sort is not None)
    return known if len(known) == len(candidates) else ()


# ── Fitting ──────────────────────────────────────────────────────────────────────────────────────────────────


def cost_of(unit: TermElaborator, option: Overload, given: Sequence[CallArgument]) -> Cost | None:
    """What it costs to call an option with these arguments; None if they do not fit."""
    values = _match(unit, option, given)
    if values is None:
        return None
    total = FREE
    for parameter, each in zip(option.parameters, given, strict=True):
        wanted = instantiate_sort(parameter, values)
        if each.choices:
            cost = min(
                (found for each_sort in each.choices if (found := unit.inference.cost(each_sort, wanted))),
                default=None,
            )
        elif each.term is None:
            cost = FREE if isinstance(wanted, core.FunctionOf | core.SortVariable) else None
        else:
            cost = unit.cost(each.term, wanted)
        if cost is None:
            return None
        total = (total[0] + cost[0], total[1] + cost[1], total[2] + cost[2])
    return total


def _match(unit: TermElaborator, option: Overload, given: Sequence[CallArgument]) -> Values | None:
    """The sort variables of an option as far as the arguments determine them; None if they contradict."""
    values: Values = {}
    for parameter, each in zip(option.parameters, given, strict=True):
        if each.term is not None and not _collect(unit, option, parameter, each.term.sort, values):
            return None
    return values


def _collect(
    unit: TermElaborator, option: Overload, pattern: core.Sort, sort: core.Sort, values: Values
) -> bool:
    """Read off the variables of a pattern from a sort; False if the two contradict."""
    sort = unit.inference.resolve(sort)
    if isinstance(pattern, core.SortVariable) and pattern.name in option.variables:
        return _determine(unit, pattern.name, sort, values)
    if isinstance(sort, core.SortVariable) or not _mentions(pattern, option.variables):
        return True
    if isinstance(pattern, core.Carrier | core.DataSort | core.MatrixOf):
        return _collect_family(unit, option, pattern, sort, values)
    pieces = unit.inference.pieces(pattern, sort)
    return pieces is not None and all(_collect(unit, option, inner, part, values) for inner, part in pieces)


def _collect_family(
    unit: TermElaborator,
    option: Overload,
    pattern: core.Carrier | core.DataSort | core.MatrixOf,
    sort: core.Sort,
    values: Values,
) -> bool:
    """Read off variables from the arguments of a family, which are sorts and dimensions."""
    if type(sort) is not type(pattern) or family_name(sort) != family_name(pattern):
        return False
    pairs = list(zip(family_arguments(pattern), family_arguments(sort), strict=False))
    for inner, part in pairs:
        if (
            isinstance(inner, core.SortVariable)
            and inner.name in option.variables
            and isinstance(part, core.Dimension)
        ):
            if values.setdefault(inner.name, part) != part:
                return False
        elif isinstance(inner, core.Dimension) and isinstance(part, core.Dimension):
            atom = _atom(inner)
            if atom in option.variables and values.setdefault(atom, part) != part:
                return False
        elif (
            isinstance(inner, core.Dimension)
            or isinstance(part, core.Dimension)
            or not _collect(unit, option, inner, part, values)
        ):
            return False
    return True


def _mentions(sort: core.Sort | core.Dimension, names: frozenset[str]) -> bool:
    """Whether variables of an option occur in a sort, in its dimensions too."""
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


def _determine(unit: TermElaborator, name: str, sort: core.Sort, values: Values) -> bool:
    """Take a sort for a variable, joined with what was taken before."""
    known = values.get(name)
    if isinstance(known, core.Dimension):
        return False
    if known is None or isinstance(known, core.SortVariable):
        values[name] = sort
        return True
    if isinstance(sort, core.SortVariable):
        return True
    together = join_sorts(known, sort)
    if together is None and unit.inference.cost(sort, known) is not None:
        together = known
    if together is None and unit.inference.cost(known, sort) is not None:
        together = sort
    if together is None:
        return False
    values[name] = together
    return True


# ── The term ─────────────────────────────────────────────────────────────────────────────────────────────────


def build_call(
    unit: TermElaborator,
    node: tree.Call | tree.Name,
    option: Overload,
    given: Sequence[CallArgument],
    expected: core.Sort | None,
) -> core.Term:
    """The call as decided: sorts found, arguments adapted."""
    values = _match(unit, option, given) or {}
    if expected is not None:
        found: Values = {}
        if _collect(unit, option, option.result, expected, found):
            values = {**found, **values}
    arguments: list[core.Term] = []
    for parameter, each in zip(option.parameters, given, strict=True):
        term = each.term
        if each.choices:
            term = unit.term(each.node, instantiate_sort(parameter, values))
        elif term is None:
            term = _read_function(unit, each.node, parameter, values, option)
        arguments.append(term)
    for name in sorted(option.variables - values.keys()):
        values[name] = unit.unknown(node, f"sort {name}", f"a sort in {option.label}")
    parameters = tuple(instantiate_sort(parameter, values) for parameter in option.parameters)
    adapted = tuple(
        unit.adapt(term, parameter, each.node, f"an argument of {option.label}")
        for term, parameter, each in zip(arguments, parameters, given, strict=True)
    )
    return option.build(adapted, parameters, instantiate_sort(option.result, values))


def _read_function(
    unit: TermElaborator, node: tree.Expression, parameter: core.Sort, values: Values, option: Overload
) -> core.Term:
    """A function argument; read again where what it gives widens what it is given (an accumulator)."""
    while True:
        wanted = _known_function(parameter, values, option)
        term = unit.term(node, wanted)
        before = dict(values)
        _collect(unit, option, parameter, term.sort, values)
        if wanted is None or values == before or not unit.inference.known(term.sort):
            return term


def _known_function(parameter: core.Sort, values: Values, option: Overload) -> core.Sort | None:
    """What is known of the sort of a function argument, if its domain is."""
    sort = instantiate_sort(parameter, values)
    if isinstance(sort, core.FunctionOf) and not any(
        variables_of(each) & option.variables for each in sort.domain
    ):
        known = not variables_of(sort.codomain) & option.variables
        return core.FunctionOf(sort.domain, sort.codomain if known else core.SortVariable("_"))
    return None
