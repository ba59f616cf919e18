"""Calls and names: which candidate is meant, and the term it becomes.

The cheapest candidate that fits the arguments is taken; equal least costs are an error.  A call whose arguments have
unknown sorts waits for the next pass.  See docs/reference/proving.md §2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from kleis import core
from kleis.core.sort_operations import rank, variables_of
from kleis.core.sort_printing import sort_text
from kleis.elaborate.expressions.call_errors import (
    missing_operation,
    nothing_fits,
    refused_declaration,
    unknown_operation,
)
from kleis.elaborate.expressions.overload_candidates import (
    CallArgument,
    Overload,
    build_call,
    cost_of,
    nullary,
    option_text,
    options_of,
    overloaded_sorts,
    symbol_option,
)
from kleis.elaborate.expressions.special_forms import special_form
from kleis.elaborate.scopes.scope import (
    BuiltinName,
    Candidate,
    DataConstructor,
    Polymorphic,
    Rejected,
    Template,
)
from kleis.spelling import suggestion
from kleis.syntax import tree

if TYPE_CHECKING:
    from kleis.elaborate.expressions.term_elaborator import TermElaborator

__all__ = ["apply_value", "call", "named_value"]

_LIKE_ARGUMENTS = frozenset({"plus", "minus", "times", "negate", "min", "max", "abs"})
"""Operations whose result is a number of the kind of their arguments."""


# ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────


def call(unit: TermElaborator, node: tree.Call, expected: core.Sort | None) -> core.Term:
    """A call by name."""
    local = unit.environment.get(node.name)
    if local is not None:
        return apply_value(unit, node, local, node.arguments)
    candidates = unit.scope.candidates(node.name)
    partial = _partial_builtin(unit, node, expected)
    if partial is not None:
        return partial
    special = special_form(unit, node, candidates, expected)
    if special is not None:
        return special
    if not candidates:
        raise unknown_operation(unit, node)
    if len(candidates) == 1 and isinstance(candidates[0], Template) and not candidates[0].overload:
        return _call_template(unit, node, candidates[0], node.arguments)
    given = [_given(unit, each) for each in node.arguments]
    return _choose(unit, node, candidates, given, expected)


def _given(unit: TermElaborator, node: tree.Expression) -> CallArgument:
    """An argument as far as it can be read before the call is decided."""
    choices = overloaded_sorts(unit, node)
    return CallArgument(node, None, choices) if choices else CallArgument(node, _early(unit, node))


def _early(unit: TermElaborator, node: tree.Expression) -> core.Term | None:
    """An argument that says its sort by itself; functions wait until the call is decided."""
    if isinstance(node, tree.Lambda):
        return None
    if isinstance(node, tree.Name) and node.name not in unit.environment and _is_function(unit, node):
        return None
    if isinstance(node, tree.Call) and _missing_arguments(unit, node):
        return None
    return unit.term(node)


def _missing_arguments(unit: TermElaborator, node: tree.Call) -> int:
    """How many arguments a call of a built-in leaves out; 0 for other calls."""
    if node.name in unit.environment or not node.arguments:
        return 0
    rows = [each.row for each in unit.scope.candidates(node.name) if isinstance(each, BuiltinName)]
    return max(0, rows[0].least - len(node.arguments)) if len(rows) == 1 else 0


def _is_function(unit: TermElaborator, node: tree.Name) -> bool:
    candidates = unit.scope.candidates(node.name)
    return bool(candidates) and not any(nullary(each) for each in candidates)


def _choose(
    unit: TermElaborator,
    node: tree.Call,
    candidates: Sequence[Candidate],
    given: Sequence[CallArgument],
    expected: core.Sort | None,
) -> core.Term:
    """Read a call as the cheapest option that fits."""
    options: list[Overload] = []
    for candidate in candidates:
        found = options_of(unit, candidate, node, given)
        if found is None:
            return _wait(unit, node)
        options += found
    fitting = [(cost, option) for option in options if (cost := cost_of(unit, option, given)) is not None]
    if not fitting:
        partial = _partial(unit, node, candidates, given)
        if partial is not None:
            return partial
        readings = [option_text(option) for option in options]
        _blame_constant(unit, options, given)
        raise nothing_fits(unit, node, candidates, readings, [each.term for each in given])
    if len(fitting) > 1 and any(each.term is None and not each.choices for each in given):
        given = _read_functions(unit, [option for _, option in fitting], given)
        fitting = [
            (cost, option) for _, option in fitting if (cost := cost_of(unit, option, given)) is not None
        ]
    if len(fitting) > 1 and any(each.term is not None and _open(unit, each.term) for each in given):
        return _undecided(unit, node, [option for _, option in fitting], given)
    least = min(cost for cost, _ in fitting)
    best = [option for cost, option in fitting if cost == least]
    return build_call(unit, node, _only(unit, node, best, expected), given, expected)


def _blame_constant(unit: TermElaborator, options: Sequence[Overload], given: Sequence[CallArgument]) -> None:
    """Refuse a name without arguments that keeps a call from fitting, and that a structure not in force has too."""
    for place, each in enumerate(given):
        name = each.node.name if isinstance(each.node, tree.Name) else ""
        if not name or name in unit.environment or not unit.definitions.is_member(name):
            continue
        others = [other for number, other in enumerate(given) if number != place]
        for option in options:
            parameters = tuple(sort for number, sort in enumerate(option.parameters) if number != place)
            rest = msgspec.structs.replace(option, parameters=parameters)
            if cost_of(unit, rest, others) is not None and isinstance(each.node, tree.Name):
                raise missing_operation(unit, each.node, name, ())


def _read_functions(
    unit: TermElaborator, options: Sequence[Overload], given: Sequence[CallArgument]
) -> list[CallArgument]:
    """Read the functions among the arguments whose domain is the same in all options."""
    found: list[CallArgument] = []
    for place, each in enumerate(given):
        domains = {_domain(option.parameters[place]) for option in options}
        domain = domains.pop() if len(domains) == 1 else None
        if each.term is None and domain is not None and not each.choices:
            each = CallArgument(
                each.node, unit.term(each.node, core.FunctionOf(domain, core.SortVariable("_")))
            )
        found.append(each)
    return found


def _domain(sort: core.Sort) -> tuple[core.Sort, ...] | None:
    """The domain of a sort of functions, if it is known."""
    if not isinstance(sort, core.FunctionOf) or any(variables_of(each) for each in sort.domain):
        return None
    return sort.domain


def _only(
    unit: TermElaborator, node: tree.Call | tree.Name, options: list[Overload], expected: core.Sort | None
) -> Overload:
    """The one option; among several, the one of the sort that the place of the call requires."""
    if len(options) > 1 and expected is not None and unit.inference.known(expected):
        wanted = unit.inference.resolve(expected)
        exact = [option for option in options if option.result == wanted]
        close = [option for option in options if unit.inference.cost(option.result, wanted) is not None]
        options = exact or close or options
        if not close and isinstance(node, tree.Name) and unit.definitions.is_member(node.name):
            raise missing_operation(unit, node, node.name, ())
    if len(options) == 1:
        return options[0]
    readings = tuple(option_text(option) for option in options)
    unit.refuse(
        node,
        "ambiguous-operation",
        f"{node.name} may be {' or '.join(readings)} here",
        found=node.name,
        expected=readings,
        hint="say which: write an argument's sort (x : T), or the structure's name before it, S::op",
    )


def _partial_builtin(unit: TermElaborator, node: tree.Call, expected: core.Sort | None) -> core.Term | None:
    """``max(3)`` where a function is wanted: λ over the arguments that are left out."""
    missing = _missing_arguments(unit, node)
    wanted = unit.inference.resolve(expected) if missing and expected is not None else None
    if not isinstance(wanted, core.FunctionOf) or len(wanted.domain) != missing:
        return None
    rest = _variables(unit, wanted.domain)
    values = {f"{variable.name} ": variable for variable in rest}
    names = tuple(tree.Name(name, node.span) for name in values)
    with unit.bound(values):
        whole = tree.Call(node.name, (*node.arguments, *names), node.span)
        return core.Lambda(tuple(rest), unit.term(whole, wanted.codomain))


def _partial(
    unit: TermElaborator, node: tree.Call, candidates: Sequence[Candidate], given: Sequence[CallArgument]
) -> core.Term | None:
    """``f(x)`` of an operation that takes more arguments: λ over the rest."""
    longer = [
        each for each in candidates if isinstance(each, core.Symbol) and len(each.domain) > len(given) > 0
    ]
    if len(longer) != 1:
        return None
    (symbol,) = longer
    rest = _variables(unit, symbol.domain[len(given) :])
    more = [*given, *(CallArgument(node, variable) for variable in rest)]
    return core.Lambda(tuple(rest), build_call(unit, node, symbol_option(symbol), more, None))


def _variables(unit: TermElaborator, sorts: Sequence[core.Sort]) -> list[core.Variable]:
    variables: list[core.Variable] = []
    for sort in sorts:
        variables.append(unit.variable("x", sort, variables))
    return variables


# ── Calls with arguments of unknown sort ─────────────────────────────────────────────────────────────────────


def _open(unit: TermElaborator, term: core.Term) -> bool:
    """Whether the sort of a term itself is unknown; unknown elements of a list decide nothing."""
    return isinstance(unit.sort(term), core.SortVariable)


def _wait(unit: TermElaborator, node: tree.Call) -> core.Term:
    """What stands for a call that this pass cannot decide."""
    unit.inference.waiting = True
    return core.Undefined(unit.unknown(node, "result", f"the result of {node.name}"), "waiting")


def _undecided(
    unit: TermElaborator, node: tree.Call, options: Sequence[Overload], given: Sequence[CallArgument]
) -> core.Term:
    """Learn what can be learnt from a call with arguments of unknown sort, and look again in the next pass."""
    unit.inference.waiting = True
    columns = list(zip(*(option.parameters for option in options), strict=True))
    for each, column in zip(given, columns, strict=True):
        if each.term is not None and _open(unit, each.term):
            _learn_argument(unit, each.term, column)
    results = {option.result for option in options}
    if len(results) == 1 and not variables_of(options[0].result):
        return core.Undefined(options[0].result, "waiting")
    if node.name in _LIKE_ARGUMENTS and all(isinstance(each, core.Numeric) for each in results):
        return core.Undefined(_same_number(unit, given), "waiting")
    result = unit.unknown(node, "result", f"the result of {node.name}")
    if all(isinstance(each, core.Numeric) for each in results):
        unit.inference.number(result)
    return core.Undefined(result, "waiting")


def _learn_argument(unit: TermElaborator, term: core.Term, column: Sequence[core.Sort]) -> None:
    """What the parameters that an argument may be given for say of its sort."""
    numbers = [sort for sort in column if isinstance(sort, core.Numeric)]
    if len(numbers) == len(column):
        greatest = max(numbers, key=rank)
        unit.inference.number(term.sort)
        if greatest.name != "ℂ":
            unit.inference.used_as(term.sort, greatest)
    elif all(sort == column[0] for sort in column) and not variables_of(column[0]):
        unit.inference.unify(term.sort, column[0])


def _same_number(unit: TermElaborator, given: Sequence[CallArgument]) -> core.Sort:
    """The sort of a sum or product of which some parts are of unknown sort: a number like them."""
    terms = [each.term for each in given if each.term is not None]
    unknown = [term.sort for term in terms if _open(unit, term)]
    for other in unknown[1:]:
        unit.inference.unify(unknown[0], other)
    known = [unit.sort(term) for term in terms if not _open(unit, term)]
    large = [sort for sort in known if isinstance(sort, core.Numeric) and sort.name in ("ℝ", "ℂ")]
    return large[0] if large else unknown[0]


# ── Definitions ──────────────────────────────────────────────────────────────────────────────────────────────


def _call_template(
    unit: TermElaborator,
    node: tree.Call | tree.Name,
    template: Template,
    arguments: Sequence[tree.Expression],
) -> core.Term:
    """A call of a definition: written sorts are required, others are taken from the arguments."""
    definitions, count = unit.definitions, len(template.node.parameters)
    if len(arguments) > count:
        result = definitions.written_result(template)
        if (
            count
            and result is not None
            and not variables_of(result)
            and not isinstance(result, core.FunctionOf)
        ):
            name = template.node.name
            unit.refuse(
                node,
                "arity",
                f"{name} takes {count} argument{'s' * (count != 1)}, here it has {len(arguments)}",
                found=str(len(arguments)),
                expected=(str(count),),
            )
        function = _call_template(unit, node, template, arguments[:count])
        return apply_value(unit, node, function, arguments[count:])
    written = definitions.written_parameters(template)
    terms: list[core.Term] = []
    for argument, wanted in zip(arguments, written, strict=False):
        # Variables of the template mean nothing here: what they stand for is found from all arguments together.
        known = wanted is not None and not variables_of(wanted)
        term = unit.term(argument, wanted if known else None)
        if wanted is not None and known:
            term = unit.adapt(term, wanted, argument, f"an argument of {template.node.name}")
        terms.append(term)
    missing: list[core.Variable] = []
    for place in range(len(arguments), count):
        parameter = template.node.parameters[place]
        sort = written[place]
        if sort is None or variables_of(sort):
            sort = unit.unknown(node, f"argument {place}", f"the parameter {parameter.name}")
        missing.append(unit.variable(parameter.name, sort, missing))
    given: list[core.Term] = [*terms, *missing]
    sorts = definitions.parameter_sorts(unit, template, [unit.sort(each) for each in given])
    if sorts is None:
        unit.inference.waiting = True
        result = definitions.written_result(template)
        if result is None or variables_of(result):
            result = unit.unknown(node, "result", f"the result of {template.node.name}")
        return _closed_over(missing, core.Undefined(result, "waiting"))
    key, result = definitions.instance(template, sorts, node, unit)
    sorts = definitions.sorts_of(key, sorts)
    nodes: list[tree.Expression] = [*arguments, *([node] * len(missing))]
    adapted = tuple(unit.adapt(term, sort, at) for term, sort, at in zip(given, sorts, nodes, strict=True))
    return _closed_over(missing, core.DefinitionCall(key, adapted, result))


def _closed_over(variables: Sequence[core.Variable], term: core.Term) -> core.Term:
    return core.Lambda(tuple(variables), term) if variables else term


# ── Names and function values ────────────────────────────────────────────────────────────────────────────────


def named_value(unit: TermElaborator, node: tree.Name, expected: core.Sort | None) -> core.Term:
    """A name without arguments."""
    local = unit.environment.get(node.name)
    if local is not None:
        return local
    candidates = unit.scope.candidates(node.name)
    if not candidates:
        return _unbound(unit, node)
    for each in candidates:
        if isinstance(each, Rejected):
            raise refused_declaration(unit, node, each)
    if len(candidates) == 1 and isinstance(candidates[0], Template):
        return _call_template(unit, node, candidates[0], ())
    values = [each for each in candidates if nullary(each)]
    if not values and all(isinstance(each, BuiltinName) and each.row.most == 0 for each in candidates):
        return _unbound(unit, node)
    if not values:
        return _function_value(unit, node, candidates, expected)
    as_call = tree.Call(node.name, (), node.span)
    special = special_form(unit, as_call, values, expected)
    if special is not None:
        return special
    options = [option for each in values for option in options_of(unit, each, node, ()) or ()]
    if not options:
        raise nothing_fits(unit, as_call, values, [], ())
    return build_call(unit, node, _only(unit, node, options, expected), (), expected)


def _unbound(unit: TermElaborator, node: tree.Name) -> core.Term:
    """A name that nothing in scope declares."""
    if node.name in ("True", "False"):
        return core.LiteralTerm(node.name == "True", core.BOOL)
    if "::" in node.name or unit.definitions.is_member(node.name):
        raise missing_operation(unit, node, node.name, ())
    if not unit.allow_free:
        names = (*unit.scope.names(), *unit.environment)
        hint = suggestion(node.name, names, otherwise="declare it, or bind it")
        unit.refuse(node, "unknown-name", f"{node.name} is declared nowhere", found=node.name, hint=hint)
    return unit.free_name(node)


def _function_value(
    unit: TermElaborator, node: tree.Name, candidates: Sequence[Candidate], expected: core.Sort | None
) -> core.Term:
    """A function by its name: λ over its arguments."""
    wanted = unit.inference.resolve(expected) if expected is not None else None
    domain = wanted.domain if isinstance(wanted, core.FunctionOf) else _own_domain(unit, node, candidates)
    variables = _variables(unit, domain)
    given = [CallArgument(node, variable) for variable in variables]
    codomain = wanted.codomain if isinstance(wanted, core.FunctionOf) else None
    as_call = tree.Call(node.name, tuple(node for _ in given), node.span)
    with unit.bound({variable.name: variable for variable in variables}):
        return core.Lambda(tuple(variables), _choose(unit, as_call, candidates, given, codomain))


def _own_domain(
    unit: TermElaborator, node: tree.Name, candidates: Sequence[Candidate]
) -> tuple[core.Sort, ...]:
    only = candidates[0]
    if len(candidates) == 1 and isinstance(only, core.Symbol):
        return only.domain
    counts = {len(each.domain) for each in candidates if isinstance(each, core.Symbol | Polymorphic)}
    counts |= {len(each.constructor.fields) for each in candidates if isinstance(each, DataConstructor)}
    counts |= {each.row.least for each in candidates if isinstance(each, BuiltinName)}
    count = counts.pop() if len(counts) == 1 else 1
    return tuple(
        unit.unknown(node, f"argument {place}", f"the arguments of {node.name}") for place in range(count)
    )


def apply_value(
    unit: TermElaborator,
    node: tree.Apply | tree.Call | tree.Name,
    function: core.Term,
    arguments: Sequence[tree.Expression],
) -> core.Term:
    """A function value at arguments; fewer than it takes leave a function."""
    sort = unit.sort(function)
    if isinstance(sort, core.SortVariable):
        terms = [unit.term(each) for each in arguments]
        result = unit.unknown(node, "result", "the result of a function")
        unit.inference.unify(sort, core.FunctionOf(tuple(unit.sort(each) for each in terms), result))
        return core.Application(function, tuple(terms), result)
    if not isinstance(sort, core.FunctionOf):
        unit.refuse(
            node,
            "not-a-function",
            f"this is of sort {sort_text(sort)} and takes no arguments",
            found=sort_text(sort),
            hint="a product needs its sign: write x * (y)" if isinstance(sort, core.Numeric) else "",
        )
    if len(arguments) > len(sort.domain):
        inner = apply_value(unit, node, function, arguments[: len(sort.domain)])
        return apply_value(unit, node, inner, arguments[len(sort.domain) :])
    terms = [unit.checked(each, wanted) for each, wanted in zip(arguments, sort.domain, strict=False)]
    rest = _variables(unit, sort.domain[len(arguments) :])
    return _closed_over(rest, core.Application(function, (*terms, *rest), sort.codomain))
