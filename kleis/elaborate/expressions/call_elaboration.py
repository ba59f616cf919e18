"""Calls and names: which candidate is meant, and the term it becomes.

The cheapest candidate that fits the arguments is taken; equal least costs are an error.  A call whose arguments have
unknown sorts waits for the next pass.  See docs/reference/proving.md §2.2.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from kleis import core
from kleis.builtins.rows.table import builtin_beside
from kleis.core.goal import ElaborationError
from kleis.core.sort_operations import variables_of
from kleis.elaborate.expressions.applications import apply_value, call_template, fresh_variables
from kleis.elaborate.expressions.call_errors import (
    missing_operation,
    nothing_fits,
    rejected_declaration,
    unknown_operation,
)
from kleis.elaborate.expressions.elaboration_context import Context
from kleis.elaborate.expressions.overload_candidates import (
    CallArgument,
    Overload,
    build_call,
    cost_of,
    nullary,
    overload_text,
    overloaded_sorts,
    overloads_of,
    symbol_overload,
)
from kleis.elaborate.expressions.special_forms import special_form
from kleis.elaborate.expressions.undecided_calls import is_unknown, undecided, wait
from kleis.elaborate.scopes.declared_builtins import only_built_in
from kleis.elaborate.scopes.scope import (
    BuiltinName,
    Candidate,
    DataConstructor,
    Polymorphic,
    Rejected,
    Template,
)
from kleis.elaborate.sorts.sort_inference import Cost
from kleis.spelling import suggestion
from kleis.syntax import tree
from kleis.syntax.superscripts import power_of
from kleis.theory.name_check.uses import is_letter

__all__ = ["call", "named_value"]

_NUMBER_TYPES = frozenset({"ℕ", "ℤ", "ℚ", "ℝ", "ℂ"})


# ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────


def call(context: Context, node: tree.Call, expected: core.Sort | None) -> core.Term:
    """A call by name."""
    local = context.environment.get(node.name)
    if local is not None:
        return apply_value(context, node, local, node.arguments)
    candidates = _called(context, node)
    partial = _partial_builtin(context, node, expected)
    if partial is not None:
        return partial
    special = special_form(context, node, candidates, expected)
    if special is not None:
        return special
    if not candidates:
        raise unknown_operation(context, node)
    if len(candidates) == 1 and isinstance(candidates[0], Template) and not candidates[0].overload:
        return call_template(context, node, candidates[0], node.arguments)
    given = [_given(context, each) for each in node.arguments]
    return _choose(context, node, candidates, given, expected)


def _called(context: Context, node: tree.Call) -> tuple[Candidate, ...]:
    """What a call may mean: a definition, or the built-in of its name where that alone takes so many arguments."""
    candidates = context.scope.candidates(node.name)
    match candidates:
        case (Template(overload=False, node=definition),):
            beside = builtin_beside(node.name, len(definition.parameters), len(node.arguments))
            return candidates if beside is None else (BuiltinName(beside),)
    return candidates


def _given(context: Context, node: tree.Expression) -> CallArgument:
    """An argument, elaborated as far as it can be before the call is decided."""
    choices = overloaded_sorts(context, node)
    return CallArgument(node, None, choices) if choices else CallArgument(node, _early(context, node))


def _early(context: Context, node: tree.Expression) -> core.Term | None:
    """The term of an argument whose sort does not depend on the call; functions wait until it is decided."""
    if isinstance(node, tree.Lambda):
        return None
    if isinstance(node, tree.Name) and node.name not in context.environment and _is_function(context, node):
        return None
    if isinstance(node, tree.Call) and _missing_arguments(context, node):
        return None
    return context.term(node)


def _missing_arguments(context: Context, node: tree.Call) -> int:
    """How many arguments a call of a built-in leaves out; 0 for other calls."""
    if node.name in context.environment or not node.arguments:
        return 0
    rows = [each.row for each in context.scope.candidates(node.name) if isinstance(each, BuiltinName)]
    return max(0, rows[0].least - len(node.arguments)) if len(rows) == 1 else 0


def _is_function(context: Context, node: tree.Name) -> bool:
    candidates = context.scope.candidates(node.name)
    return bool(candidates) and not any(
        nullary(each) or (isinstance(each, BuiltinName) and each.row.most == 0) for each in candidates
    )


def _choose(
    context: Context,
    node: tree.Call,
    candidates: Sequence[Candidate],
    given: Sequence[CallArgument],
    expected: core.Sort | None,
) -> core.Term:
    """The call of the cheapest overload that fits."""
    overloads: list[Overload] = []
    for candidate in candidates:
        found = overloads_of(context, candidate, node, given)
        if found is None:
            return wait(context, node)
        overloads += found
    fitting = [
        (cost, overload) for overload in overloads if (cost := cost_of(context, overload, given)) is not None
    ]
    fitting = _built_in_first(context, fitting, given)
    if not fitting:
        partial = _partial(context, node, candidates, given)
        if partial is not None:
            return partial
        _check_constants(context, overloads, given)
        raise _none_fits(context, node, candidates, overloads, given)
    if len(fitting) > 1 and any(each.term is None and not each.choices for each in given):
        given = _with_functions(context, [overload for _, overload in fitting], given)
        fitting = [
            (cost, overload)
            for _, overload in fitting
            if (cost := cost_of(context, overload, given)) is not None
        ]
        if not fitting:  # a function argument has a sort of its own that none of them takes
            raise _none_fits(context, node, candidates, overloads, given)
    if len(fitting) > 1 and any(each.term is not None and is_unknown(context, each.term) for each in given):
        return undecided(context, node, [overload for _, overload in fitting], given)
    least = min(cost for cost, _ in fitting)
    best = [overload for cost, overload in fitting if cost == least]
    return build_call(context, node, _only(context, node, best, expected), given, expected)


def _built_in_first(
    context: Context, fitting: list[tuple[Cost, Overload]], given: Sequence[CallArgument]
) -> list[tuple[Cost, Overload]]:
    """The overloads that fit, without polymorphic ones where the built-in takes the arguments.

    A declaration over a type variable is about other types; at built-in sorts the name is the built-in's.
    """
    if any(each.term is None or not only_built_in(context.sort(each.term)) for each in given):
        return fitting
    kinds = {overload.kind for _, overload in fitting}
    if not {"built-in", "polymorphic"} <= kinds:
        return fitting
    return [each for each in fitting if each[1].kind != "polymorphic"]


def _none_fits(
    context: Context,
    node: tree.Call,
    candidates: Sequence[Candidate],
    overloads: Sequence[Overload],
    given: Sequence[CallArgument],
) -> ElaborationError:
    shown = [overload_text(overload) for overload in overloads]
    return nothing_fits(context, node, candidates, shown, [each.term for each in given])


def _check_constants(context: Context, overloads: Sequence[Overload], given: Sequence[CallArgument]) -> None:
    """Raise `MissingOperation` for a name alone that keeps a call from fitting, if a structure not in scope has it."""
    for place, each in enumerate(given):
        name = each.node.name if isinstance(each.node, tree.Name) else ""
        if not name or name in context.environment or not context.definitions.is_member(name):
            continue
        others = [other for number, other in enumerate(given) if number != place]
        for overload in overloads:
            parameters = tuple(sort for number, sort in enumerate(overload.parameters) if number != place)
            rest = msgspec.structs.replace(overload, parameters=parameters)
            if cost_of(context, rest, others) is not None and isinstance(each.node, tree.Name):
                raise missing_operation(context, each.node, name, ())


def _with_functions(
    context: Context, overloads: Sequence[Overload], given: Sequence[CallArgument]
) -> list[CallArgument]:
    """Elaborate the functions among the arguments whose domain is the same in all overloads."""
    found: list[CallArgument] = []
    for place, each in enumerate(given):
        domains = {_domain(overload.parameters[place]) for overload in overloads}
        domain = domains.pop() if len(domains) == 1 else None
        if each.term is None and domain is not None and not each.choices:
            each = CallArgument(
                each.node, context.term(each.node, core.FunctionOf(domain, core.SortVariable("_")))
            )
        found.append(each)
    return found


def _domain(sort: core.Sort) -> tuple[core.Sort, ...] | None:
    """The domain of a sort of functions, if it is known."""
    if not isinstance(sort, core.FunctionOf) or any(variables_of(each) for each in sort.domain):
        return None
    return sort.domain


def _only(
    context: Context, node: tree.Call | tree.Name, overloads: list[Overload], expected: core.Sort | None
) -> Overload:
    """The one overload; among several, the one of the sort that the place of the call requires."""
    if len(overloads) > 1 and expected is not None and context.inference.known(expected):
        wanted = context.inference.resolve(expected)
        exact = [overload for overload in overloads if overload.result == wanted]
        close = [
            overload for overload in overloads if context.inference.cost(overload.result, wanted) is not None
        ]
        # `u = 3` requires ℕ of u, and a u of ℝ will do: 3 is one of its numbers.
        wider = [
            overload for overload in overloads if context.inference.cost(wanted, overload.result) is not None
        ]
        overloads = exact or close or wider or overloads
        if (
            not close
            and not wider
            and isinstance(node, tree.Name)
            and context.definitions.is_member(node.name)
        ):
            raise missing_operation(context, node, node.name, ())
    if len(overloads) == 1:
        return overloads[0]
    shown = tuple(overload_text(overload) for overload in overloads)
    context.reject(
        node,
        "ambiguous-operation",
        f"{node.name} may be {' or '.join(shown)} here",
        found=node.name,
        expected=shown,
        hint="say which: write an argument's sort (x : T), or the structure's name before it, S::op",
    )


def _partial_builtin(context: Context, node: tree.Call, expected: core.Sort | None) -> core.Term | None:
    """``max(3)`` where a function is wanted: λ over the arguments that are left out."""
    missing = _missing_arguments(context, node)
    wanted = context.inference.resolve(expected) if missing and expected is not None else None
    if not isinstance(wanted, core.FunctionOf) or len(wanted.domain) != missing:
        return None
    rest = fresh_variables(context, wanted.domain)
    values = {f"{variable.name} ": variable for variable in rest}
    names = tuple(tree.Name(name, node.span) for name in values)
    with context.bound(values):
        whole = tree.Call(node.name, (*node.arguments, *names), node.span)
        return core.Lambda(tuple(rest), context.term(whole, wanted.codomain))


def _partial(
    context: Context, node: tree.Call, candidates: Sequence[Candidate], given: Sequence[CallArgument]
) -> core.Term | None:
    """``f(x)`` of an operation that takes more arguments: λ over the rest."""
    longer = [
        each for each in candidates if isinstance(each, core.Symbol) and len(each.domain) > len(given) > 0
    ]
    if len(longer) != 1:
        return None
    (symbol,) = longer
    rest = fresh_variables(context, symbol.domain[len(given) :])
    more = [*given, *(CallArgument(node, variable) for variable in rest)]
    return core.Lambda(tuple(rest), build_call(context, node, symbol_overload(symbol), more, None))


# ── Names and function values ────────────────────────────────────────────────────────────────────────────────


def named_value(context: Context, node: tree.Name, expected: core.Sort | None) -> core.Term:
    """A name without arguments."""
    local = context.environment.get(node.name)
    if local is not None:
        return local
    candidates = context.scope.candidates(node.name)
    if not candidates:
        return _unbound(context, node)
    for each in candidates:
        if isinstance(each, Rejected):
            raise rejected_declaration(context, node, each)
    if len(candidates) == 1 and isinstance(candidates[0], Template):
        return call_template(context, node, candidates[0], ())
    values = [each for each in candidates if nullary(each)]
    if not values and all(isinstance(each, BuiltinName) and each.row.most == 0 for each in candidates):
        if context.reads_constant(node.name):
            return context.term(tree.Call(node.name, (), node.span), expected)
        return _unbound(context, node)
    if not values:
        return _function_value(context, node, candidates, expected)
    as_call = tree.Call(node.name, (), node.span)
    special = special_form(context, as_call, values, expected)
    if special is not None:
        return special
    overloads = [overload for each in values for overload in overloads_of(context, each, node, ()) or ()]
    if not overloads:
        raise nothing_fits(context, as_call, values, [], ())
    return build_call(context, node, _only(context, node, overloads, expected), (), expected)


def _unbound(context: Context, node: tree.Name) -> core.Term:
    """A name that nothing in scope declares."""
    if node.name in ("True", "False"):
        return core.LiteralTerm(node.name == "True", core.BOOL)
    if node.name == "i" and context.reads_constant("i"):
        parts = (tree.Number("0", node.span), tree.Number("1", node.span))
        return context.term(tree.Call("complex", parts, node.span))
    power = power_of(node)
    if power is not None and _has_base(context, power):
        return context.term(power)
    if "::" in node.name or context.definitions.is_member(node.name):
        raise missing_operation(context, node, node.name, ())
    if node.name in _NUMBER_TYPES:
        hint = f"write the type: ∀(x : {node.name}). …, or ∀ x ∈ {node.name}. …"
        context.reject(
            node, "type-as-value", f"{node.name} is a type, and no set", found=node.name, hint=hint
        )
    if not context.allow_free:
        names = (*context.scope.names(), *context.environment)
        hint = suggestion(node.name, names, otherwise="declare it, or bind it")
        context.reject(node, "unknown-name", f"{node.name} is declared nowhere", found=node.name, hint=hint)
    return context.free_name(node)


def _has_base(context: Context, power: tree.Call) -> bool:
    """Whether ``x²`` is the power of something: x is bound, declared, or a letter where letters may be free."""
    base = power.arguments[0]
    assert isinstance(base, tree.Name)
    known = base.name in context.environment or bool(context.scope.candidates(base.name))
    return known or (context.allow_free and is_letter(base.name))


def _function_value(
    context: Context, node: tree.Name, candidates: Sequence[Candidate], expected: core.Sort | None
) -> core.Term:
    """A function by its name: λ over its arguments."""
    wanted = context.inference.resolve(expected) if expected is not None else None
    domain = wanted.domain if isinstance(wanted, core.FunctionOf) else _own_domain(context, node, candidates)
    variables = fresh_variables(context, domain)
    given = [CallArgument(node, variable) for variable in variables]
    codomain = wanted.codomain if isinstance(wanted, core.FunctionOf) else None
    as_call = tree.Call(node.name, tuple(node for _ in given), node.span)
    with context.bound({variable.name: variable for variable in variables}):
        return core.Lambda(tuple(variables), _choose(context, as_call, candidates, given, codomain))


def _own_domain(context: Context, node: tree.Name, candidates: Sequence[Candidate]) -> tuple[core.Sort, ...]:
    only = candidates[0]
    if len(candidates) == 1 and isinstance(only, core.Symbol):
        return only.domain
    counts = {len(each.domain) for each in candidates if isinstance(each, core.Symbol | Polymorphic)}
    counts |= {len(each.constructor.fields) for each in candidates if isinstance(each, DataConstructor)}
    counts |= {each.row.least for each in candidates if isinstance(each, BuiltinName)}
    count = counts.pop() if len(counts) == 1 else 1
    return tuple(
        context.unknown(node, f"argument {place}", f"the arguments of {node.name}") for place in range(count)
    )
