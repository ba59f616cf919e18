"""Applying what is already found: a definition to its arguments, a function value to its own.

Fewer arguments than are taken leave a function; more are given to the result.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleis import core
from kleis.core.sort_operations import variables_of
from kleis.core.sort_printing import sort_text
from kleis.elaborate.expressions.elaboration_context import Context
from kleis.elaborate.scopes.scope import Template
from kleis.syntax import tree

__all__ = ["apply_value", "call_template", "fresh_variables"]


def call_template(
    context: Context,
    node: tree.Call | tree.Name,
    template: Template,
    arguments: Sequence[tree.Expression],
) -> core.Term:
    """A call of a definition: written sorts are required, others are taken from the arguments."""
    definitions, count = context.definitions, len(template.node.parameters)
    if len(arguments) > count:
        result = definitions.written_result(template)
        if (
            count
            and result is not None
            and not variables_of(result)
            and not isinstance(result, core.FunctionOf)
        ):
            name = template.node.name
            context.reject(
                node,
                "arity",
                f"{name} takes {count} argument{'s' * (count != 1)}, here it has {len(arguments)}",
                found=str(len(arguments)),
                expected=(str(count),),
            )
        function = call_template(context, node, template, arguments[:count])
        return apply_value(context, node, function, arguments[count:])
    written = definitions.written_parameters(template)
    terms: list[core.Term] = []
    for argument, wanted in zip(arguments, written, strict=False):
        # Type variables of the template are determined from all arguments together.
        known = wanted is not None and not variables_of(wanted)
        term = context.term(argument, wanted if known else None)
        if wanted is not None and known:
            term = context.adapt(term, wanted, argument, f"an argument of {template.node.name}")
        terms.append(term)
    missing: list[core.Variable] = []
    for place in range(len(arguments), count):
        parameter = template.node.parameters[place]
        sort = written[place]
        if sort is None or variables_of(sort):
            sort = context.unknown(node, f"argument {place}", f"the parameter {parameter.name}")
        missing.append(context.variable(parameter.name, sort, missing))
    given: list[core.Term] = [*terms, *missing]
    sorts = definitions.parameter_sorts(context, template, [context.sort(each) for each in given])
    if sorts is None:
        context.inference.waiting = True
        result = definitions.written_result(template)
        if result is None or variables_of(result):
            result = context.unknown(node, "result", f"the result of {template.node.name}")
        return _abstracted(missing, core.Undefined(result, "waiting"))
    key, result = definitions.instance(template, sorts, node, context)
    sorts = definitions.sorts_of(key, sorts)
    nodes: list[tree.Expression] = [*arguments, *([node] * len(missing))]
    adapted = tuple(context.adapt(term, sort, at) for term, sort, at in zip(given, sorts, nodes, strict=True))
    return _abstracted(missing, core.DefinitionCall(key, adapted, result))


def fresh_variables(context: Context, sorts: Sequence[core.Sort]) -> list[core.Variable]:
    variables: list[core.Variable] = []
    for sort in sorts:
        variables.append(context.variable("x", sort, variables))
    return variables


def _abstracted(variables: Sequence[core.Variable], term: core.Term) -> core.Term:
    return core.Lambda(tuple(variables), term) if variables else term


def apply_value(
    context: Context,
    node: tree.Apply | tree.Call | tree.Name,
    function: core.Term,
    arguments: Sequence[tree.Expression],
) -> core.Term:
    """A function value at arguments; fewer than it takes leave a function."""
    sort = context.sort(function)
    if isinstance(sort, core.SortVariable):
        terms = [context.term(each) for each in arguments]
        result = context.unknown(node, "result", "the result of a function")
        context.inference.unify(sort, core.FunctionOf(tuple(context.sort(each) for each in terms), result))
        return core.Application(function, tuple(terms), result)
    if not isinstance(sort, core.FunctionOf):
        context.reject(
            node,
            "not-a-function",
            f"this is of sort {sort_text(sort)} and takes no arguments",
            found=sort_text(sort),
            hint="a product needs its sign: write x * (y)" if isinstance(sort, core.Numeric) else "",
        )
    if len(arguments) > len(sort.domain):
        inner = apply_value(context, node, function, arguments[: len(sort.domain)])
        return apply_value(context, node, inner, arguments[len(sort.domain) :])
    terms = [context.checked(each, wanted) for each, wanted in zip(arguments, sort.domain, strict=False)]
    rest = fresh_variables(context, sort.domain[len(arguments) :])
    return _abstracted(rest, core.Application(function, (*terms, *rest), sort.codomain))
