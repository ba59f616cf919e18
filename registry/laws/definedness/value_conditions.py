"""Value conditions of expressions, as Kleis formulas (docs/reference/registry.md §7.5).

Built bottom-up, mirroring the reference semantics: calls are strict, `if` and `match` need their condition or scrutinee
and the branch taken, ∧ ∨ → and the quantifiers are Kleene's. The condition of a built-in operation is that of its row in
`kleis.builtins`, the condition of a definition is its definedness predicate (`predicates`).

Two modes
    *whole*, for the body of a definition: every operation counts. The formula is true exactly where there is a value.
    *calls only*, for a law: only definedness predicates count, not the conditions of the law's own operations. Where the
    law has a truth value, or all its tools have values, the formula is not false.

Invariants
    * The formula is false only where the expression has no value; in the second mode, only where a definedness predicate
      is false that the value depends on. It may be undefined where an operation of the law itself has no value.
    * It has a value although parts of the expression have none: Kleene's false ∧ undefined is false, so the conditions
      of arguments stand before conditions on the arguments.
    * A form without a known condition raises `UnknownCondition`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import cast

import msgspec

from kleis.builtins.row import Builtin
from kleis.builtins.rows.table import find_builtin
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree.traversal import walk
from registry.translate.kleis_syntax import EMPTY, bound_by, call, names_in

__all__ = [
    "FALSE",
    "TRUE",
    "UnknownCondition",
    "ValueConditions",
    "both",
    "conjuncts",
    "implication",
    "pruned",
]

TRUE, FALSE = tree.Boolean(True), tree.Boolean(False)

_LARGEST = 3_000
"""Nodes that a formula may have: ∧ and ∨ of two partial sides contain each side more than once."""

_CONSTRUCTORS = frozenset({"Pair", "Tuple3", "Tuple4", "Tuple5", "Unit", "Cons", "Nil", "record", "field"})
_RECORDS = frozenset({"get_field", "set_field"})
"""Accesses to fields, which always have a value: Kleis rejects one of a record without the field."""

_ITEMWISE = frozenset({"list_map", "list_filter"})

PredicateName = Callable[[str], str | None]


class UnknownCondition(Exception):
    """An expression without a known value condition; the message says which part."""


class ValueConditions:
    """Makes the formulas.

    `partial` are the functions with a definedness predicate, `total` the other functions of the theory. `predicate` gives
    the name of a function's predicate, None for a function that always has a value; it may raise `UnknownCondition`.
    """

    def __init__(
        self, predicate: PredicateName, partial: Iterable[str], total: Iterable[str], *, whole: bool
    ) -> None:
        self._predicate = predicate
        self._partial = frozenset(partial)
        self._total = frozenset(total)
        self._whole = whole

    def of(self, node: tree.Expression) -> tree.Expression:
        """The value condition of an expression."""
        if not self._whole and not self._is_partial(node):
            return TRUE
        found = self._of(node)
        if sum(1 for _ in walk(found)) > _LARGEST:
            raise UnknownCondition(f"more than {_LARGEST} nodes say where it has a value")
        return found

    def of_law(self, law: tree.Expression) -> tree.Expression:
        """The law behind the value conditions of its calls, each where the law needs it."""
        match law:
            case tree.Quantifier(kind="forall", where=where, body=body):
                self._check_binders(each.name for each in law.binders)
                if where is None or self.of(where) == TRUE:
                    return msgspec.structs.replace(law, body=self.of_law(body))
                premised = self.of_law(call("implies", where, body))
                return msgspec.structs.replace(law, where=None, body=premised)
            case tree.Call(name="implies", arguments=(premise, conclusion)) if self.of(premise) == TRUE:
                return call("implies", premise, self.of_law(conclusion))
            case _:
                return implication(self.of(law), law)

    def _is_partial(self, node: tree.Expression) -> bool:
        """Whether an expression mentions a function with a definedness predicate."""
        return not self._partial.isdisjoint(names_in(node))

    def _check_binders(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self._partial:
                raise UnknownCondition(f"{name} is bound in it and a function too")

    # ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────

    def _of(self, node: tree.Expression) -> tree.Expression:
        match node:
            case tree.Name(name=name) if name not in self._partial:
                return TRUE
            case tree.Number() | tree.Text() | tree.Boolean():
                return TRUE
            case tree.ListLiteral(items=items):
                return self._all(items)
            case tree.Ascription(expression=inner) if inner == EMPTY or not self._whole:
                return self.of(inner)
            case tree.Conditional(condition=condition, consequent=yes, alternative=no):
                first, second = self.of(yes), self.of(no)
                same = first == second and (self._whole or first == TRUE)
                branch = first if same else tree.Conditional(condition, first, second)
                return both(self.of(condition), branch)
            case tree.Let(pattern=pattern, value=value, body=body):
                self._check_binders(bound_by(pattern))
                inside = self.of(body)
                unused = self._whole and names_in(inside).isdisjoint(bound_by(pattern))
                if inside != TRUE and not unused:
                    inside = msgspec.structs.replace(node, pattern=pruned(pattern, inside), body=inside)
                return both(self.of(value), inside)
            case tree.Match(scrutinee=scrutinee, cases=cases):
                return both(self.of(scrutinee), self._cases(scrutinee, cases))
            case tree.Quantifier(kind="forall" | "exists", where=where):
                return self._quantified(node, where)
            case tree.Call():
                return self._call(node)
            case _:
                raise UnknownCondition(
                    f"a tool without values is used in a form of which it is not said: {_word(node)}"
                )

    def _all(self, nodes: Iterable[tree.Expression]) -> tree.Expression:
        return reduce(both, map(self.of, nodes), cast(tree.Expression, TRUE))

    def _cases(self, scrutinee: tree.Expression, cases: tuple[tree.Case, ...]) -> tree.Expression:
        """The condition of a `match` besides that of its scrutinee: some case fits, and has a value."""
        if not self._whole and not any(self._is_partial(case.body) for case in cases):
            if any(case.guard is not None and self._is_partial(case.guard) for case in cases):
                raise UnknownCondition("a guard of a `match` asks a tool without values")
            return TRUE
        if not all(case.guard is None and _is_known(case.pattern) for case in cases):
            raise UnknownCondition("a `match` has patterns of which it is not said when they match")
        for case in cases:
            self._check_binders(bound_by(case.pattern))
        bodies = [self.of(case.body) for case in cases]
        made = [
            tree.Case(pruned(case.pattern, body), None, body)
            for case, body in zip(cases, bodies, strict=True)
        ]
        missing = _missing(cases)
        if missing is not None:
            made.insert(0, tree.Case(missing, None, FALSE if self._whole else TRUE))
        known = _known_case(scrutinee, made) if self._whole else None
        if known is not None:
            return known
        return TRUE if all(each.body == TRUE for each in made) else tree.Match(scrutinee, tuple(made))

    def _quantified(self, node: tree.Quantifier, where: tree.Expression | None) -> tree.Expression:
        """Kleene's quantifiers: all instances have a value, or one decides."""
        self._check_binders(each.name for each in node.binders)
        universal = node.kind == "forall"
        body = node.body
        if where is not None:
            body = call("implies" if universal else "logical_and", where, body)
        known = self.of(body)
        decisive = both(known, call("logical_not", body) if universal else body)
        every = tree.Quantifier("forall", node.binders, None, known)
        some = tree.Quantifier("exists", node.binders, None, decisive)
        return TRUE if known == TRUE else call("logical_or", every, some)

    # ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────

    def _call(self, node: tree.Call) -> tree.Expression:
        name, arguments = node.name, node.arguments
        connective = _CONNECTIVES.get(name)
        if connective is not None:
            return connective(self, arguments)
        if name in self._partial:
            predicate = self._predicate(name)
            needed = self._all(arguments)
            return needed if predicate is None else both(needed, tree.Call(predicate, arguments))
        if name in self._total or name in _CONSTRUCTORS or name in _RECORDS:
            return self._all(arguments)
        row = find_builtin(name)
        if row is None:
            raise UnknownCondition(f"it is not said where {name} has a value")
        if row.higher_order:
            return self._itemwise(node, row)
        return both(self._all(arguments), self._own(row, arguments))

    def _own(self, row: Builtin, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        """The condition of an operation on its arguments, from its row."""
        if not self._whole or row.condition is None:
            return TRUE
        names = [each.name for each in row.parameters]
        if row.variadic or len(arguments) != len(names):
            raise UnknownCondition(f"it is not said where {row.name} of so many arguments has a value")
        condition = parse_expression(row.condition)
        return _decided(_substituted(condition, dict(zip(names, arguments, strict=True))))

    def _itemwise(self, node: tree.Call, row: Builtin) -> tree.Expression:
        """The condition of a function at every item of a list."""
        if row.name in _ITEMWISE and len(node.arguments) == 2 and self._whole:
            function, items = node.arguments
            if isinstance(function, tree.Lambda):
                inside = self.of(function.body)
                needed = self.of(items)
                if inside == TRUE:
                    return needed
                return both(needed, call("all", msgspec.structs.replace(function, body=inside), items))
        raise UnknownCondition(f"{row.name} calls a function that may have no value")

    def _not(self, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        return self._all(arguments)

    def _and(self, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        return self._of_two(arguments, lambda each: call("logical_not", each), lambda each: each)

    def _or(self, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        return self._of_two(arguments, lambda each: each, lambda each: call("logical_not", each))

    def _implies(self, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
        premise, *conclusion = arguments
        return self._or((call("logical_not", premise), *conclusion))

    def _of_two(
        self,
        arguments: tuple[tree.Expression, ...],
        decides: Callable[[tree.Expression], tree.Expression],
        leaves: Callable[[tree.Expression], tree.Expression],
    ) -> tree.Expression:
        """A connective of two sides: both have values, or one decides alone. `decides` is the formula that a side decides,
        `leaves` that it does not."""
        left, right = arguments
        first, second = self.of(left), self.of(right)
        if first == second:
            return first
        if first == TRUE:
            return implication(_positive(leaves(left)), second)
        if second == TRUE:
            return implication(_positive(leaves(right)), first)
        alone = [both(first, _positive(decides(left))), both(second, _positive(decides(right)))]
        return reduce(lambda one, other: call("logical_or", one, other), alone, both(first, second))


_CONNECTIVES: Mapping[str, Callable[[ValueConditions, tuple[tree.Expression, ...]], tree.Expression]] = {
    "logical_not": ValueConditions._not,
    "logical_and": ValueConditions._and,
    "logical_or": ValueConditions._or,
    "implies": ValueConditions._implies,
}


# ── Formulas ─────────────────────────────────────────────────────────────────────────────────────────────────


def both(left: tree.Expression, right: tree.Expression) -> tree.Expression:
    """``left ∧ right``, simplified. FALSE decides, whatever the other side is."""
    if FALSE in (left, right):
        return FALSE
    if left == TRUE:
        return right
    known = conjuncts(left)
    new = [each for each in conjuncts(right) if each not in known]
    return reduce(lambda one, other: call("logical_and", one, other), new, left)


def conjuncts(formula: tree.Expression) -> list[tree.Expression]:
    """The parts of a conjunction; none for TRUE."""
    match formula:
        case tree.Call(name="logical_and", arguments=arguments):
            return [part for each in arguments for part in conjuncts(each)]
        case tree.Boolean(value=True):
            return []
        case _:
            return [formula]


def implication(premise: tree.Expression, conclusion: tree.Expression) -> tree.Expression:
    """``premise → conclusion``, simplified."""
    if premise == TRUE or conclusion == TRUE:
        return conclusion
    return call("implies", premise, conclusion)


def _positive(formula: tree.Expression) -> tree.Expression:
    """The formula without a double negation."""
    match formula:
        case tree.Call(name="logical_not", arguments=(tree.Call(name="logical_not", arguments=(inner,)),)):
            return inner
        case _:
            return formula


def _decided(condition: tree.Expression) -> tree.Expression:
    """The condition of an operation; decided where it asks whether a numeral is 0."""
    match condition:
        case tree.Call(name="neq", arguments=(tree.Number(text=text) | tree.Call(name="negate", arguments=(tree.Number(text=text),)),
                                         tree.Number(text="0"))):  # fmt: skip
            return tree.Boolean(text.strip("0") != "")
        case _:
            return condition


def _substituted(node: tree.Expression, values: Mapping[str, tree.Expression]) -> tree.Expression:
    """A row's condition, which has no binders, with arguments for its parameters."""
    match node:
        case tree.Name(name=name):
            if name not in values:
                raise UnknownCondition(f"a condition speaks of {name}")
            return values[name]
        case tree.Call(name=name, arguments=arguments):
            return tree.Call(name, tuple(_substituted(each, values) for each in arguments))
        case tree.Number() | tree.Text() | tree.Boolean():
            return node
        case _:
            raise UnknownCondition("the condition of an operation has a form that is not known")


# ── Patterns ─────────────────────────────────────────────────────────────────────────────────────────────────

_SIMPLE = (tree.VariablePattern, tree.WildcardPattern)


def _is_known(pattern: tree.Pattern) -> bool:
    match pattern:
        case tree.ListPattern(items=()):
            return True
        case tree.ConstructorPattern(name="Cons" | "Pair", arguments=(first, second)):
            return isinstance(first, _SIMPLE) and isinstance(second, _SIMPLE)
        case _:
            return False


def _missing(cases: tuple[tree.Case, ...]) -> tree.Pattern | None:
    """A pattern for the values without a case; None where there are none."""
    kinds = {
        each.pattern.name if isinstance(each.pattern, tree.ConstructorPattern) else "[]" for each in cases
    }
    if kinds in ({"Pair"}, {"[]", "Cons"}):
        return None
    if kinds == {"Cons"}:
        return tree.ListPattern(())
    raise UnknownCondition("a `match` has no cases for some values, or cases of two kinds")


def _known_case(scrutinee: tree.Expression, cases: list[tree.Case]) -> tree.Expression | None:
    """The body of the case for a list literal, if that uses no part of the list."""
    if not isinstance(scrutinee, tree.ListLiteral):
        return None
    is_empty = not scrutinee.items
    fitting = [each for each in cases if isinstance(each.pattern, tree.ListPattern) == is_empty]
    return fitting[0].body if fitting and not bound_by(fitting[0].pattern) else None


def pruned(pattern: tree.Pattern, body: tree.Expression) -> tree.Pattern:
    """A pattern without the names that the body does not use; patterns of other forms are unchanged."""
    if isinstance(pattern, tree.ConstructorPattern) and _is_known(pattern):
        names = names_in(body)
        parts = tuple(each if isinstance(each, tree.VariablePattern) and each.name in names else tree.WildcardPattern()
                      for each in pattern.arguments)  # fmt: skip
        return msgspec.structs.replace(pattern, arguments=parts)
    return pattern


def _word(node: tree.Expression) -> str:
    return type(node).__name__.lower()
