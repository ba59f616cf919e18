"""Companions in fewer words: what is known is not said again, and parameters that nothing is asked of are left out
(companions.py, ADR 015).

    horn_has_value(acc, items) = match items { [] => true | Cons(item, rest) => item ≠ 0 ∧ horn_has_value(2 * acc, rest) }

hands `acc` on and asks nothing of it, so it becomes ``horn_has_value(items)``.

Invariants
    * In a body nothing is lost: what an argument needs is said beside the call (having_values.py).
    * What is said once before ∧ is true behind it, or the whole is false: a companion stays what it was.
    * In a law, an argument that is left out and may have no value is still looked at: the premise is undefined there,
      as the law is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import msgspec

from kleis.syntax.tree import Call, Case, Conditional, Expression, FunctionDefinition, Let, Match, Name, Node
from kleis.syntax.tree.traversal import children
from registry.laws.definedness.value_conditions import FALSE, TRUE, both, bound_by, conjuncts, used
from registry.translate.kleis_syntax import call, is_total, names_in

__all__ = ["Shortening", "plainer"]


def plainer(formula: Expression, known: tuple[Expression, ...] = ()) -> Expression:
    """The body of a companion without what is `known` to be true around it. (No name is bound twice on a path.)"""
    if formula in known:
        return TRUE
    match formula:
        case Call(name="logical_and", arguments=(left, right)):
            first = plainer(left, known)
            return both(first, plainer(right, (*known, *conjuncts(first))))
        case Conditional(condition=condition, consequent=yes, alternative=no):
            yes, no = plainer(yes, known), plainer(no, known)
            return yes if yes == no else Conditional(condition, yes, no)
        case Let(pattern=pattern, body=body):
            inside = plainer(body, known)
            if names_in(inside).isdisjoint(bound_by(pattern)):
                return inside
            return msgspec.structs.replace(formula, pattern=used(pattern, inside), body=inside)
        case Match(scrutinee=scrutinee, cases=cases):
            bodies = [plainer(each.body, known) for each in cases]
            made = [
                Case(used(each.pattern, body), None, body) for each, body in zip(cases, bodies, strict=True)
            ]
            return TRUE if all(body == TRUE for body in bodies) else Match(scrutinee, tuple(made))
        case _:
            return formula


class Shortening:
    """What becomes of definitions, and of laws that call them."""

    def __init__(self, definitions: Sequence[FunctionDefinition]) -> None:
        self._needed: dict[str, frozenset[int]] = {each.name: frozenset() for each in definitions}
        changed = True
        while changed:
            changed = False
            for each in definitions:
                used = frozenset(self._used(each.body))
                needed = frozenset(place for place, one in enumerate(each.parameters) if one.name in used)
                if needed != self._needed[each.name]:
                    self._needed[each.name], changed = needed, True

    def definition(self, definition: FunctionDefinition) -> FunctionDefinition:
        """A definition without the parameters that nothing is asked of."""
        needed = self._needed[definition.name]
        kept = tuple(each for place, each in enumerate(definition.parameters) if place in needed)
        body = cast(Expression, self._rewritten(definition.body, strict=False))
        return msgspec.structs.replace(definition, parameters=kept, body=body)

    def law(self, law: Expression) -> Expression:
        """A law with the calls of the definitions in it."""
        return cast(Expression, self._rewritten(law, strict=True))

    def _used(self, node: Node) -> Iterator[str]:
        """The names in a tree, but for arguments that are only handed on."""
        if isinstance(node, Name):
            yield node.name
        kept = self._needed.get(node.name) if isinstance(node, Call) else None
        for place, below in enumerate(children(node)):
            if kept is None or place in kept:
                yield from self._used(below)

    def _rewritten(self, node: Node, *, strict: bool) -> Node:
        changed: dict[str, object] = {}
        for name in node.__struct_fields__:
            value = getattr(node, name)
            if isinstance(value, Node):
                changed[name] = self._rewritten(value, strict=strict)
            elif isinstance(value, tuple) and any(isinstance(each, Node) for each in value):
                changed[name] = tuple(self._rewritten(each, strict=strict) for each in value)
        made = msgspec.structs.replace(node, **changed) if changed else node
        return self._call(made, strict) if isinstance(made, Call) else made

    def _call(self, node: Call, strict: bool) -> Expression:
        needed = self._needed.get(node.name)
        if node.name == "logical_and" and not self._needed.keys().isdisjoint(names_in(node)):
            return both(*node.arguments)
        if needed is None:
            return node
        places = list(enumerate(node.arguments))
        shorter: Expression = Call(node.name, tuple(each for place, each in places if place in needed))
        for place, each in places if strict else ():
            if place not in needed and not is_total(each):
                shorter = Conditional(call("equals", each, each), shorter, FALSE)
        return shorter
