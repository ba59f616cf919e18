"""Companions of tools that do not always have a value, and laws under the premise that they do (ADR 015).

    define inverse(x : ℤ) : ℤ = div(100, x)
    define inverse_has_value(x : ℤ) : Bool = x ≠ 0

    ∀(x : ℤ). inverse(x) ≤ 100    becomes    ∀(x : ℤ). inverse_has_value(x) → inverse(x) ≤ 100

The law with its premises is an ordinary proposition over an ordinary theory: what is proved, what its certificate holds
and what a reader sees is that.

Which functions have a companion is what Kleis says of the definitions (kleis/definedness/conditions.py): those that are
not shown to have a value everywhere.  Where a recursion ends only for some arguments, its companion says for which, in
the words of Kleis's own condition (kleis/termination/show_termination.py), so that the companion itself always ends.

A companion does not take what it only hands on to itself: an accumulator that nothing is asked of would have to be
spoken of in each induction.

Invariants
    * A companion is false only where its function has no value (having_values.py).
    * No companion has a name that occurs in the laws or in any definition.
    * The definitions of the tools are those that they are without companions.
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
    Unsaid,
    ValueConditions,
    both,
    bound_by,
    conjuncts,
    implication,
    used,
)
from registry.translate.kleis_syntax import call, is_total, names_in
from registry.translate.symbolic_values import Untranslatable
from registry.translate.tool_theory import MOST_NESTED, ToolTheory, height

__all__ = ["DefinednessPredicates", "Shortening", "never_together", "plainer"]

_STACK = 12_000
_SUFFIX = "has_value"


class DefinednessPredicates:
    """The companions of the functions of a theory. `labels` are tools in it, `laws` what will be said of them.

    Raises `Unsaid` where it is not said where some function has a value.
    """

    def __init__(self, theory: ToolTheory, labels: Iterable[str], laws: Sequence[tree.Expression]) -> None:
        reserve_stack(_STACK)
        self._theory = theory
        self._definitions = {
            each.name: each for one in theory.translated.values() for each in one.definitions
        }
        self._partial: dict[str, list[Termination | None]] = {}
        for label in labels:
            self._note(label)
        self._taken = _all_names(*laws, *self._definitions.values())
        self._names: dict[str, str] = {}
        self._waiting: list[str] = []
        self._made: list[tree.FunctionDefinition] = []

    def of_laws(self, laws: Sequence[tree.Expression]) -> tuple[tree.Expression, ...]:
        """Laws where their tools have values; a law itself where they always have. To be asked once."""
        conditions = self._conditions(whole=False)
        return self._shortened([conditions.of_law(each) for each in laws])

    def never_asked(
        self, law: tree.Expression, *, where_defined: bool
    ) -> tuple[tree.Expression | None, bool]:
        """That the premises of a law are never true together (`never_together`), None where there is nothing to ask;
        and whether this asks for values at all that a quantifier inside the law ranges over. Asked instead of `of_laws`.
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
        return self._shortened([never])[0], any(not made.isdisjoint(names_in(each)) for each in inside)

    def agreement(self, left: tree.Call, right: tree.Call) -> tree.Expression:
        """That two calls have values together, and one value where they have. Asked instead of `of_laws`."""
        conditions = self._conditions(whole=False)
        first, second = conditions.of(left), conditions.of(right)
        together = _both(implication(first, second), implication(second, first))
        return self._shortened([_both(together, implication(first, call("equals", left, right)))])[0]

    @property
    def always_ends(self) -> bool:
        """Whether every function ends for all arguments, with a value or without."""
        found = (each for terminations in self._partial.values() for each in terminations)
        return all(each is None or (each.kind != "unknown" and each.condition is None) for each in found)

    def _shortened(self, laws: Sequence[tree.Expression]) -> tuple[tree.Expression, ...]:
        """Laws that speak of companions, with these made."""
        while self._waiting:
            self._made.append(self._companion(self._waiting.pop(0)))
        shortening = Shortening(self._made)
        self._made = [shortening.definition(each) for each in self._made]
        return tuple(shortening.law(each) for each in laws)

    @property
    def definitions(self) -> tuple[str, ...]:
        """The companions that were needed so far, as Kleis text."""
        return tuple(print_declaration(each) for each in self._made)

    def theory(self) -> Theory:
        """The theory with the companions that were needed so far, as they are read from their text."""
        if any(height(each) > MOST_NESTED for each in self._made):
            raise Unsaid(f"a condition nests more than {MOST_NESTED} deep")
        try:
            program = parse_program("\n".join(self.definitions), file="<companions>")
        except KleisError as error:
            raise Unsaid(f"Kleis cannot read a condition: {error.message}") from None
        return self._theory.theory.include(program)

    # ── What Kleis says of the definitions ───────────────────────────────────────────────────────────────────

    def _note(self, label: str) -> None:
        """Which functions that a tool reaches are not shown to have a value everywhere."""
        tool = self._theory.tools.tool(label)
        claim = None if tool is None else self._theory.reflexivity(tool)
        if claim is None:
            raise Unsaid(f"Kleis has no words for the types of {label}")
        try:
            meaning = Elaborator(self._theory.theory).proposition(claim, file="<tools>")
        except (KleisError, Untranslatable) as error:
            raise Unsaid(f"{label} has no reading in Kleis: {error}") from None
        for name, termination in _partial(meaning):
            self._partial.setdefault(name, []).append(termination)

    # ── Companions ───────────────────────────────────────────────────────────────────────────────────────────

    def _conditions(self, *, whole: bool) -> ValueConditions:
        total = self._definitions.keys() - self._partial.keys()
        return ValueConditions(self._named, self._partial, total, whole=whole)

    def _named(self, name: str) -> str:
        """The companion of a function."""
        if name not in self._names:
            taken = self._taken | set(self._names.values())
            self._names[name] = self._theory.names.beside(f"{name}_{_SUFFIX}", taken)
            self._waiting.append(name)
        return self._names[name]

    def _companion(self, name: str) -> tree.FunctionDefinition:
        definition = self._definitions[name]
        body = plainer(self._conditions(whole=True).of(definition.body))
        ends = self._ends(name)
        if ends is not None:
            body = tree.Conditional(ends, body, FALSE)
        return msgspec.structs.replace(
            definition, name=self._names[name], result=tree.NamedType("Bool"), body=body, decreases=()
        )

    def _ends(self, name: str) -> tree.Expression | None:
        """For which parameters a recursion ends, where that is not for all."""
        found = self._partial[name]
        if any(each is not None and each.kind == "unknown" for each in found):
            raise Unsaid(f"{name} is not shown to terminate")
        conditions = {None if each is None else each.condition for each in found}
        if len(conditions) > 1:
            raise Unsaid(f"{name} ends under more than one condition")
        condition = conditions.pop()
        return None if condition is None else expression_of(condition)


def never_together(
    law: tree.Expression,
    needs: Callable[[tree.Expression], tree.Expression],
    *,
    where_defined: bool,
    given: tuple[tree.Expression, ...] = (),
) -> tree.Expression | None:
    """That the premises of a law, those before each of its →, are never true together with what they need; None where
    it has none. `needs` says where an expression has a value. With `where_defined` the conclusion is to have one too.
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
            return call("logical_not", reduce(_both, asked)) if asked else None


def _both(left: tree.Expression, right: tree.Expression) -> tree.Expression:
    return call("logical_and", left, right)


def _captures(binders: Iterable[tree.Binder], given: Iterable[tree.Expression]) -> bool:
    """Whether a quantifier binds a name that means another thing in what stands before it."""
    bound = {each.name for each in binders}
    return any(not bound.isdisjoint(names_in(each)) for each in given)


def _partial(meaning: Goal) -> Iterable[tuple[str, Termination | None]]:
    """The definitions of a meaning that are not shown to have a value everywhere."""
    definedness = Definedness(meaning)
    for each in meaning.definitions:
        whole = DefinitionCall(each.key, each.parameters, each.body.sort)
        if not definedness.certain(whole):
            yield each.name, meaning.termination(each.key)


def _all_names(*roots: tree.Node) -> frozenset[str]:
    """Every name that stands in some trees, bound or not."""
    return frozenset(name for node in walk(*roots) if isinstance(name := getattr(node, "name", None), str))


# Companions in fewer words: what is known is not said again, and parameters that nothing is asked of are left out
# (companions.py, ADR 015).
#
#     horn_has_value(acc, items) = match items { [] => true | Cons(item, rest) => item ≠ 0 ∧ horn_has_value(2 * acc, rest) }
#
# hands `acc` on and asks nothing of it, so it becomes ``horn_has_value(items)``.
#
# Invariants
#     * In a body nothing is lost: what an argument needs is said beside the call (having_values.py).
#     * What is said once before ∧ is true behind it, or the whole is false: a companion stays what it was.
#     * In a law, an argument that is left out and may have no value is still looked at: the premise is undefined there,
#       as the law is.


def plainer(formula: tree.Expression, known: tuple[tree.Expression, ...] = ()) -> tree.Expression:
    """The body of a companion without what is `known` to be true around it. (No name is bound twice on a path.)"""
    if formula in known:
        return TRUE
    match formula:
        case tree.Call(name="logical_and", arguments=(left, right)):
            first = plainer(left, known)
            return both(first, plainer(right, (*known, *conjuncts(first))))
        case tree.Conditional(condition=condition, consequent=yes, alternative=no):
            yes, no = plainer(yes, known), plainer(no, known)
            return yes if yes == no else tree.Conditional(condition, yes, no)
        case tree.Let(pattern=pattern, body=body):
            inside = plainer(body, known)
            if names_in(inside).isdisjoint(bound_by(pattern)):
                return inside
            return msgspec.structs.replace(formula, pattern=used(pattern, inside), body=inside)
        case tree.Match(scrutinee=scrutinee, cases=cases):
            bodies = [plainer(each.body, known) for each in cases]
            made = [
                tree.Case(used(each.pattern, body), None, body)
                for each, body in zip(cases, bodies, strict=True)
            ]
            return TRUE if all(body == TRUE for body in bodies) else tree.Match(scrutinee, tuple(made))
        case _:
            return formula


class Shortening:
    """What becomes of definitions, and of laws that call them."""

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

    def definition(self, definition: tree.FunctionDefinition) -> tree.FunctionDefinition:
        """A definition without the parameters that nothing is asked of."""
        needed = self._needed[definition.name]
        kept = tuple(each for place, each in enumerate(definition.parameters) if place in needed)
        body = cast(tree.Expression, self._rewritten(definition.body, strict=False))
        return msgspec.structs.replace(definition, parameters=kept, body=body)

    def law(self, law: tree.Expression) -> tree.Expression:
        """A law with the calls of the definitions in it."""
        return cast(tree.Expression, self._rewritten(law, strict=True))

    def _used(self, node: tree.Node) -> Iterator[str]:
        """The names in a tree, but for arguments that are only handed on."""
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
