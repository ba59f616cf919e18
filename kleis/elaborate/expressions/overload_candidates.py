"""The ways a call can be read, what each costs, and the term it gives.

Specification: proving.md §1 ("Structures without parameters": overloads).

An `Option` is a candidate at a number of arguments: sorts of parameters, the sort of the result, and how to build
the term.  Sort variables of an option (of polymorphic operations) are found by matching its parameters with the
sorts of the arguments; where several arguments determine one, the least sort that all are coerced to is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from kleis.builtins.rows.table import CONSTANT_NAMES
from kleis.builtins.signatures.shapes import Argument, Signature, Waiting
from kleis.builtins.signatures.signature_table import signatures
from kleis.core import (
    BuiltinCall,
    Carrier,
    Construction,
    ConstructorField,
    DataSort,
    DefinitionCall,
    Dimension,
    FunctionOf,
    LiteralTerm,
    MatrixOf,
    Sort,
    SortVariable,
    Symbol,
    SymbolCall,
    Term,
)
from kleis.core.sort_operations import family_arguments, family_name, join_sorts, sort_parts, variables_of
from kleis.core.sort_printing import sort_text
from kleis.elaborate.expressions.call_errors import refused_declaration
from kleis.elaborate.scopes.scope import (
    BuiltinName,
    Candidate,
    DataConstructor,
    Polymorphic,
    Refused,
    Template,
)
from kleis.elaborate.sorts.data_instances import instantiate_sort
from kleis.elaborate.sorts.sort_inference import FREE, Cost
from kleis.syntax.tree import Call, Expression, ListLiteral, Name

if TYPE_CHECKING:
    from kleis.elaborate.expressions.term_elaborator import Unit

__all__ = [
    "Given",
    "Option",
    "build_call",
    "cost_of",
    "nullary",
    "option_text",
    "options_of",
    "overloaded_sorts",
    "symbol_option",
]


Values: TypeAlias = "dict[str, Sort | Dimension]"
"""What the variables of an option stand for."""


class Option(msgspec.Struct):
    """One way to read a call.

    `variables` are the sort variables of the option, to be found from the arguments; `build` takes the arguments,
    adapted to the parameters, the sorts found for the parameters, and that of the result.
    """

    label: str
    parameters: tuple[Sort, ...]
    result: Sort
    build: Callable[[tuple[Term, ...], tuple[Sort, ...], Sort], Term]
    variables: frozenset[str] = frozenset()


class Given(msgspec.Struct):
    """An argument: its source, and its term where that can be read before the call is decided.

    `choices` are the sorts of an element that several structures share the name of.
    """

    node: Expression
    term: Term | None
    choices: tuple[Sort, ...] = ()


def option_text(option: Option) -> str:
    """An option as people read it: ``plus : ℤ × ℤ → ℤ``."""
    if not option.parameters:
        return f"{option.label} : {sort_text(option.result)}"
    domain = " × ".join(sort_text(each) for each in option.parameters)
    return f"{option.label} : {domain} → {sort_text(option.result)}"


# ── The options of a candidate ───────────────────────────────────────────────────────────────────────────────


def options_of(
    unit: Unit, candidate: Candidate, node: Call | Name, given: Sequence[Given]
) -> list[Option] | None:
    """The ways a candidate can be called with so many arguments; None where that cannot be told yet."""
    count = len(given)
    match candidate:
        case Symbol():
            return [symbol_option(candidate)] if len(candidate.domain) == count else []
        case Polymorphic():
            return [_polymorphic_option(unit, candidate)] if len(candidate.domain) == count else []
        case DataConstructor():
            return [_constructor_option(candidate)] if len(candidate.constructor.fields) == count else []
        case BuiltinName(row=row):
            found = signatures(row, tuple(_argument(unit, each) for each in given))
            if isinstance(found, Waiting):
                return None
            return [_builtin_option(unit, signature) for signature in found]
        case Template():
            option = _template_option(unit, candidate, node)
            return [option] if option is not None and len(option.parameters) == count else []
        case Refused():
            raise refused_declaration(unit, node, candidate)


def symbol_option(symbol: Symbol) -> Option:
    """The one way to call a symbol."""

    def build(arguments: tuple[Term, ...], _: tuple[Sort, ...], __: Sort) -> Term:
        return SymbolCall(symbol, arguments)

    return Option(symbol.name, symbol.domain, symbol.codomain, build)


def _polymorphic_option(unit: Unit, operation: Polymorphic) -> Option:
    def build(arguments: tuple[Term, ...], parameters: tuple[Sort, ...], result: Sort) -> Term:
        symbol = Symbol(operation.name, parameters, result)
        if operation.higher:
            unit.definitions.higher_order.setdefault(symbol, unit.scope.file)
        return SymbolCall(symbol, arguments)

    variables = frozenset(operation.variables)
    return Option(operation.name, operation.domain, operation.codomain, build, variables)


def _constructor_option(candidate: DataConstructor) -> Option:
    generic = candidate.constructor

    def build(arguments: tuple[Term, ...], parameters: tuple[Sort, ...], result: Sort) -> Term:
        pairs = zip(generic.fields, parameters, strict=True)
        fields = tuple(ConstructorField(field.name, sort) for field, sort in pairs)
        return Construction(msgspec.structs.replace(generic, fields=fields, sort=result), arguments)

    sorts = tuple(field.sort for field in generic.fields)
    return Option(generic.name, sorts, generic.sort, build, frozenset(candidate.parameters))


def _builtin_option(unit: Unit, signature: Signature) -> Option:
    def build(arguments: tuple[Term, ...], parameters: tuple[Sort, ...], result: Sort) -> Term:
        return BuiltinCall(unit.definitions.operation(signature, parameters, result), arguments)

    sorts = (*signature.parameters, signature.result)
    variables = frozenset(name for sort in sorts for name in variables_of(sort))
    return Option(signature.row.name, signature.parameters, signature.result, build, variables)


def _template_option(unit: Unit, template: Template, node: Call | Name) -> Option | None:
    """A definition among other candidates: its parameters are all written."""
    written = unit.definitions.written_parameters(template)
    parameters = tuple(sort for sort in written if sort is not None)
    if len(parameters) < len(written):
        return None
    result = unit.definitions.written_result(template)
    if result is None:
        _, result = unit.definitions.instance(template, parameters, node, unit)
    found = result

    def build(arguments: tuple[Term, ...], _: tuple[Sort, ...], __: Sort) -> Term:
        key, _result = unit.definitions.instance(template, parameters, node, unit)
        return DefinitionCall(key, arguments, found)

    return Option(template.key, parameters, found, build)


def _argument(unit: Unit, given: Given) -> Argument:
    if given.term is None:
        return Argument(None, None)
    value = given.term.value if isinstance(given.term, LiteralTerm) else None
    known = value if isinstance(value, int | str) and not isinstance(value, bool) else None
    return Argument(unit.sort(given.term), known, _shape(given.node))


def _shape(node: Expression) -> tuple[int, ...] | None:
    """The lengths of a list literal: (2, 3) for two lists of three elements."""
    if not isinstance(node, ListLiteral):
        return None
    inner = {_shape(item) for item in node.items}
    below = inner.pop() if len(inner) == 1 else None
    return (len(node.items), *(below or ()))


def nullary(candidate: Candidate) -> bool:
    """Whether a candidate can stand without arguments."""
    match candidate:
        case Symbol(domain=domain) | Polymorphic(domain=domain):
            return not domain
        case DataConstructor(constructor=constructor):
            return not constructor.fields
        case Template(node=definition):
            return not definition.parameters
        case BuiltinName(row=row):  # pi, e and tau need parentheses (§4.8): the names are free
            return not CONSTANT_NAMES.isdisjoint((row.name, *row.aliases))
        case Refused():
            return True


def overloaded_sorts(unit: Unit, node: Expression) -> tuple[Sort, ...]:
    """The sorts of a name that stands for several elements; empty for everything else."""
    if not isinstance(node, Name) or node.name in unit.environment:
        return ()
    candidates = [each for each in unit.scope.candidates(node.name) if nullary(each)]
    if len(candidates) < 2:
        return ()
    sorts = [
        each.codomain
        if isinstance(each, Symbol)
        else unit.definitions.written_result(each)
        if isinstance(each, Template)
        else None
        for each in candidates
    ]
    known = tuple(sort for sort in sorts if sort is not None)
    return known if len(known) == len(candidates) else ()


# ── Fitting ──────────────────────────────────────────────────────────────────────────────────────────────────


def cost_of(unit: Unit, option: Option, given: Sequence[Given]) -> Cost | None:
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
            cost = FREE if isinstance(wanted, FunctionOf | SortVariable) else None
        else:
            cost = unit.cost(each.term, wanted)
        if cost is None:
            return None
        total = (total[0] + cost[0], total[1] + cost[1], total[2] + cost[2])
    return total


def _match(unit: Unit, option: Option, given: Sequence[Given]) -> Values | None:
    """The sort variables of an option as far as the arguments determine them; None if they contradict."""
    values: Values = {}
    for parameter, each in zip(option.parameters, given, strict=True):
        if each.term is not None and not _collect(unit, option, parameter, each.term.sort, values):
            return None
    return values


def _collect(unit: Unit, option: Option, pattern: Sort, sort: Sort, values: Values) -> bool:
    """Read off the variables of a pattern from a sort; False if the two contradict."""
    sort = unit.inference.resolve(sort)
    if isinstance(pattern, SortVariable) and pattern.name in option.variables:
        return _determine(unit, pattern.name, sort, values)
    if isinstance(sort, SortVariable) or not _mentions(pattern, option.variables):
        return True
    if isinstance(pattern, Carrier | DataSort | MatrixOf):
        return _collect_family(unit, option, pattern, sort, values)
    pieces = unit.inference.pieces(pattern, sort)
    return pieces is not None and all(_collect(unit, option, inner, part, values) for inner, part in pieces)


def _collect_family(
    unit: Unit, option: Option, pattern: Carrier | DataSort | MatrixOf, sort: Sort, values: Values
) -> bool:
    """Read off variables from the arguments of a family, which are sorts and dimensions."""
    if type(sort) is not type(pattern) or family_name(sort) != family_name(pattern):
        return False
    pairs = list(zip(family_arguments(pattern), family_arguments(sort), strict=False))
    for inner, part in pairs:
        if isinstance(inner, SortVariable) and inner.name in option.variables and isinstance(part, Dimension):
            if values.setdefault(inner.name, part) != part:
                return False
        elif isinstance(inner, Dimension) and isinstance(part, Dimension):
            atom = _atom(inner)
            if atom in option.variables and values.setdefault(atom, part) != part:
                return False
        elif (
            isinstance(inner, Dimension)
            or isinstance(part, Dimension)
            or not _collect(unit, option, inner, part, values)
        ):
            return False
    return True


def _mentions(sort: Sort | Dimension, names: frozenset[str]) -> bool:
    """Whether variables of an option occur in a sort, in its dimensions too."""
    if isinstance(sort, Dimension):
        return any(atom in names for atoms, _ in sort.terms for atom in atoms)
    if variables_of(sort) & names:
        return True
    inner = family_arguments(sort) or sort_parts(sort)
    return any(_mentions(each, names) for each in inner)


def _atom(dimension: Dimension) -> str:
    """The name that a dimension is; empty if it is a sum or product."""
    match dimension.terms:
        case (((name,), 1),):
            return name
        case _:
            return ""


def _determine(unit: Unit, name: str, sort: Sort, values: Values) -> bool:
    """Take a sort for a variable, joined with what was taken before."""
    known = values.get(name)
    if isinstance(known, Dimension):
        return False
    if known is None or isinstance(known, SortVariable):
        values[name] = sort
        return True
    if isinstance(sort, SortVariable):
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
    unit: Unit, node: Call | Name, option: Option, given: Sequence[Given], expected: Sort | None
) -> Term:
    """The call as decided: sorts found, arguments adapted."""
    values = _match(unit, option, given) or {}
    if expected is not None:
        found: Values = {}
        if _collect(unit, option, option.result, expected, found):
            values = {**found, **values}
    arguments: list[Term] = []
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


def _read_function(unit: Unit, node: Expression, parameter: Sort, values: Values, option: Option) -> Term:
    """A function argument; read again where what it gives widens what it is given (an accumulator)."""
    while True:
        wanted = _known_function(parameter, values, option)
        term = unit.term(node, wanted)
        before = dict(values)
        _collect(unit, option, parameter, term.sort, values)
        if wanted is None or values == before or not unit.inference.known(term.sort):
            return term


def _known_function(parameter: Sort, values: Values, option: Option) -> Sort | None:
    """What is known of the sort of a function argument, if its domain is."""
    sort = instantiate_sort(parameter, values)
    if isinstance(sort, FunctionOf) and not any(
        variables_of(each) & option.variables for each in sort.domain
    ):
        known = not variables_of(sort.codomain) & option.variables
        return FunctionOf(sort.domain, sort.codomain if known else SortVariable("_"))
    return None
