"""Definedness predicates of tools that do not always have a value, and laws behind them (docs/reference/registry.md §7.5).

    define inverse(x : ℤ) : ℤ = div(100, x)
    define inverse_has_value(x : ℤ) : Bool = x ≠ 0

    ∀(x : ℤ). inverse(x) ≤ 100    becomes    ∀(x : ℤ). inverse_has_value(x) → inverse(x) ≤ 100

The law with its premises is an ordinary proposition over an ordinary theory: it is what is proved, what the certificate
holds and what a reader sees.

A function gets a predicate unless `kleis.definedness.conditions` shows that it has a value everywhere. Where a recursion
ends only for some arguments, the predicate contains the condition found by `kleis.termination.show_termination`, so the
predicate itself always ends.

Predicates are simplified: what is known around a condition is not repeated, and parameters that are only passed through
are omitted, since each induction would have to mention them. So

    horn_has_value(acc, items) = match items { [] => true | Cons(item, rest) => item ≠ 0 ∧ horn_has_value(2 * acc, rest) }

becomes ``horn_has_value(items)``.

Invariants
    * A predicate is false only where its function has no value (`value_conditions`).
    * No predicate has a name that occurs in the laws or in any definition.
    * The definitions of the tools are the same with and without predicates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import cast

import msgspec

from kleis.core import DefinitionCall
from kleis.core.goal import Goal, Termination
from kleis.definedness.conditions import Definedness
from kleis.delaborate.describe_goal import expression_of
from kleis.elaborate.elaborator import Elaborator
from kleis.errors import KleisError
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_program
from kleis.syntax.printer.program import print_declaration
from kleis.syntax.tree.traversal import children, rebuild, walk
from kleis.theory.theory import Theory
from pif.language.budget import reserve_stack
from registry.laws.definedness.value_conditions import (
    FALSE,
    TRUE,
    UnknownCondition,
    ValueConditions,
    both,
    conjuncts,
    implication,
    pruned,
)
from registry.translate.kleis_syntax import bound_by, call, is_total, names_in
from registry.translate.symbolic_values import Untranslatable
from registry.translate.tool_theory import MOST_NESTED, ToolTheory, height

__all__ = ["DefinednessPredicates", "never_together"]

_STACK = 12_000
"""Python frames that walks over definitions may need."""

_SUFFIX = "has_value"


class DefinednessPredicates:
    """The definedness predicates of the functions of a theory.

    `labels` are tools in the theory, `laws` the laws whose names the predicates avoid. Raises `UnknownCondition` for a
    function without a known condition.
    """

    def __init__(self, theory: ToolTheory, labels: Iterable[str], laws: Sequence[tree.Expression]) -> None:
        reserve_stack(_STACK)
        self._theory = theory
        self._definitions = {
            each.name: each for one in theory.translated.values() for each in one.definitions
        }
        self._partial: dict[str, list[Termination | None]] = {}
        for label in labels:
            self._add_partial(label)
        self._taken = _all_names(*laws, *self._definitions.values())
        self._names: dict[str, str] = {}
        self._waiting: list[str] = []
        self._made: list[tree.FunctionDefinition] = []

    def of_laws(self, laws: Sequence[tree.Expression]) -> tuple[tree.Expression, ...]:
        """Laws behind the definedness predicates of their tools; unchanged where these always have values. Call it once."""
        conditions = self._conditions(whole=False)
        return self._simplified([conditions.of_law(each) for each in laws])

    def never_asked(
        self, law: tree.Expression, *, where_defined: bool
    ) -> tuple[tree.Expression | None, bool]:
        """That the premises of a law are never true together (`never_together`), None for a law without premises; and
        whether a quantifier inside the law ranges over predicates. Called instead of `of_laws`.
        """
        conditions = self._conditions(whole=False)
        never = never_together(law, conditions.of, where_defined=where_defined)
        if never is None:
            return None, False
        made = set(self._names.values())
        body = never
        while isinstance(body, tree.Quantifier):
            body = body.body
        inside = (each for each in walk(body) if isinstance(each, tree.Quantifier))
        return self._simplified([never])[0], any(not made.isdisjoint(names_in(each)) for each in inside)

    def agreement(self, left: tree.Call, right: tree.Call) -> tree.Expression:
        """That two calls have values for the same inputs, and equal ones. Called instead of `of_laws`."""
        conditions = self._conditions(whole=False)
        first, second = conditions.of(left), conditions.of(right)
        together = _and(implication(first, second), implication(second, first))
        return self._simplified([_and(together, implication(first, call("equals", left, right)))])[0]

    @property
    def always_ends(self) -> bool:
        """Whether every function ends for all arguments, with a value or without."""
        found = (each for terminations in self._partial.values() for each in terminations)
        return all(each is None or (each.kind != "unknown" and each.condition is None) for each in found)

    def _simplified(self, laws: Sequence[tree.Expression]) -> tuple[tree.Expression, ...]:
        """Laws that mention predicates, after defining these; all without unused parameters."""
        while self._waiting:
            self._made.append(self._predicate(self._waiting.pop(0)))
        unused = _UnusedParameters(self._made)
        self._made = [unused.removed(each) for each in self._made]
        return tuple(unused.law(each) for each in laws)

    @property
    def definitions(self) -> tuple[str, ...]:
        """The predicates that were needed so far, as Kleis text."""
        return tuple(print_declaration(each) for each in self._made)

    def theory(self) -> Theory:
        """The theory with the predicates that were needed so far, parsed from their text."""
        if any(height(each) > MOST_NESTED for each in self._made):
            raise UnknownCondition(f"a condition nests more than {MOST_NESTED} deep")
        try:
            program = parse_program("\n".join(self.definitions), file="<predicates>")
        except KleisError as error:
            raise UnknownCondition(f"Kleis cannot read a condition: {error.message}") from None
        return self._theory.theory.include(program)

    # ── Which functions are partial ──────────────────────────────────────────────────────────────────────────

    def _add_partial(self, label: str) -> None:
        """Find the functions a tool reaches that are not shown to have a value everywhere."""
        tool = self._theory.tools.tool(label)
        claim = None if tool is None else self._theory.reflexivity(tool)
        if claim is None:
            raise UnknownCondition(f"Kleis has no words for the types of {label}")
        try:
            goal = Elaborator(self._theory.theory).proposition(claim, file="<tools>")
        except (KleisError, Untranslatable) as error:
            raise UnknownCondition(f"{label} has no reading in Kleis: {error}") from None
        for name, termination in _partial(goal):
            self._partial.setdefault(name, []).append(termination)

    # ── Predicates ───────────────────────────────────────────────────────────────────────────────────────────

    def _conditions(self, *, whole: bool) -> ValueConditions:
        total = self._definitions.keys() - self._partial.keys()
        return ValueConditions(self._predicate_name, self._partial, total, whole=whole)

    def _predicate_name(self, name: str) -> str:
        """The name of the predicate of a function, which is defined later."""
        if name not in self._names:
            taken = self._taken | set(self._names.values())
            self._names[name] = self._theory.names.beside(f"{name}_{_SUFFIX}", taken)
            self._waiting.append(name)
        return self._names[name]

    def _predicate(self, name: str) -> tree.FunctionDefinition:
        definition = self._definitions[name]
        body = _without_known(self._conditions(whole=True).of(definition.body))
        ends = self._ends(name)
        if ends is not None:
            body = tree.Conditional(ends, body, FALSE)
        return msgspec.structs.replace(
            definition, name=self._names[name], result=tree.NamedType("Bool"), body=body, decreases=()
        )

    def _ends(self, name: str) -> tree.Expression | None:
        """The condition under which a recursion ends; None where it always does."""
        found = self._partial[name]
        if any(each is not None and each.kind == "unknown" for each in found):
            raise UnknownCondition(f"{name} is not shown to terminate")
        conditions = {None if each is None else each.condition for each in found}
        if len(conditions) > 1:
            raise UnknownCondition(f"{name} ends under more than one condition")
        condition = conditions.pop()
        return None if condition is None else expression_of(condition)


def never_together(
    law: tree.Expression,
    needs: Callable[[tree.Expression], tree.Expression],
    *,
    where_defined: bool,
    given: tuple[tree.Expression, ...] = (),
) -> tree.Expression | None:
    """That the premises of a law, those before each of its →, are never true together with their value conditions; None
    for a law without premises. `needs` gives the value condition of an expression. With `where_defined` that of the
    conclusion counts too.
    """
    match law:
        case tree.Quantifier(kind="forall", binders=binders, where=where, body=body) if not _captures(
            binders, given
        ):
            given = given if where is None else (*given, needs(where), where)
            inner = never_together(body, needs, where_defined=where_defined, given=given)
            return None if inner is None else msgspec.structs.replace(law, where=None, body=inner)
        case tree.Call(name="implies", arguments=(premise, conclusion)):
            given = (*given, needs(premise), premise)
            return never_together(conclusion, needs, where_defined=where_defined, given=given)
        case _:
            asked = [each for each in (*given, needs(law) if where_defined else TRUE) if each != TRUE]
            return call("logical_not", reduce(_and, asked)) if asked else None


def _and(left: tree.Expression, right: tree.Expression) -> tree.Expression:
    return call("logical_and", left, right)


def _captures(binders: Iterable[tree.Binder], given: Iterable[tree.Expression]) -> bool:
    """Whether a quantifier would capture a name in one of the premises before it."""
    bound = {each.name for each in binders}
    return any(not bound.isdisjoint(names_in(each)) for each in given)


def _partial(goal: Goal) -> Iterable[tuple[str, Termination | None]]:
    """The definitions of a goal that are not shown to have a value everywhere, with why they end."""
    definedness = Definedness(goal)
    for each in goal.definitions:
        whole = DefinitionCall(each.key, each.parameters, each.body.sort)
        if not definedness.certain(whole):
            yield each.name, goal.termination(each.key)


def _all_names(*roots: tree.Node) -> frozenset[str]:
    """Every name in some trees, bound or not."""
    return frozenset(name for node in walk(*roots) if isinstance(name := getattr(node, "name", None), str))


# ── Simplification ───────────────────────────────────────────────────────────────────────────────────────────
#
# Nothing is lost in the body of a predicate: the conditions of arguments stand beside the call (`value_conditions`). What
# stands before ∧ is true behind it, or the whole is false. In a law, an omitted argument that may have no value is still
# evaluated: the premise is undefined there, as the law is.


def _without_known(formula: tree.Expression, known: tuple[tree.Expression, ...] = ()) -> tree.Expression:
    """The body of a predicate without what is `known` to be true around it. (No name is bound twice on a path.)"""
    if formula in known:
        return TRUE
    match formula:
        case tree.Call(name="logical_and", arguments=(left, right)):
            first = _without_known(left, known)
            return both(first, _without_known(right, (*known, *conjuncts(first))))
        case tree.Conditional(condition=condition, consequent=yes, alternative=no):
            yes, no = _without_known(yes, known), _without_known(no, known)
            return yes if yes == no else tree.Conditional(condition, yes, no)
        case tree.Let(pattern=pattern, body=body):
            inside = _without_known(body, known)
            if names_in(inside).isdisjoint(bound_by(pattern)):
                return inside
            return msgspec.structs.replace(formula, pattern=pruned(pattern, inside), body=inside)
        case tree.Match(scrutinee=scrutinee, cases=cases):
            bodies = [_without_known(each.body, known) for each in cases]
            made = [
                tree.Case(pruned(each.pattern, body), None, body)
                for each, body in zip(cases, bodies, strict=True)
            ]
            return TRUE if all(body == TRUE for body in bodies) else tree.Match(scrutinee, tuple(made))
        case _:
            return formula


class _UnusedParameters:
    """Removes the parameters that definitions only pass through, from these and from laws that call them."""

    def __init__(self, definitions: Sequence[tree.FunctionDefinition]) -> None:
        self._needed: dict[str, frozenset[int]] = {each.name: frozenset() for each in definitions}
        changed = True
        while changed:
            changed = False
            for each in definitions:
                used = frozenset(self._used(each.body))
                needed = frozenset(place for place, one in enumerate(each.parameters) if one.name in used)
                if needed != self._needed[each.name]:
                    self._needed[each.name], changed = needed, True

    def removed(self, definition: tree.FunctionDefinition) -> tree.FunctionDefinition:
        """A definition without its unused parameters."""
        needed = self._needed[definition.name]
        kept = tuple(each for place, each in enumerate(definition.parameters) if place in needed)
        body = cast(tree.Expression, self._rewritten(definition.body, strict=False))
        return msgspec.structs.replace(definition, parameters=kept, body=body)

    def law(self, law: tree.Expression) -> tree.Expression:
        """A law that calls the definitions without their unused parameters."""
        return cast(tree.Expression, self._rewritten(law, strict=True))

    def _used(self, node: tree.Node) -> Iterator[str]:
        """The names in a tree, except in arguments for unused parameters."""
        if isinstance(node, tree.Name):
            yield node.name
        kept = self._needed.get(node.name) if isinstance(node, tree.Call) else None
        for place, below in enumerate(children(node)):
            if kept is None or place in kept:
                yield from self._used(below)

    def _rewritten(self, node: tree.Node, *, strict: bool) -> tree.Node:
        made = rebuild(node, lambda below: self._rewritten(below, strict=strict))
        return self._call(made, strict) if isinstance(made, tree.Call) else made

    def _call(self, node: tree.Call, strict: bool) -> tree.Expression:
        needed = self._needed.get(node.name)
        if node.name == "logical_and" and not self._needed.keys().isdisjoint(names_in(node)):
            return both(*node.arguments)
        if needed is None:
            return node
        places = list(enumerate(node.arguments))
        shorter: tree.Expression = tree.Call(
            node.name, tuple(each for place, each in places if place in needed)
        )
        for place, each in places if strict else ():
            if place not in needed and not is_total(each):
                shorter = tree.Conditional(call("equals", each, each), shorter, FALSE)
        return shorter
