"""Lists and tuples that are written out, item by item: what is computed from them, as forms of numbers.

    cross([a, b, c], [x, y, z]), map(λ p . fst(p) * snd(p), zip([a, b], [x, y]))   ──>   their items

A term is computed as far as constructors are known: definitions without recursion are opened, and ``match`` is decided by
constructors.  Of a list that is not written out nothing is known.

Invariants
    * Calls are strict: every number in what a step takes, also in what it leaves out, is reckoned with, so that what it
      needs to have a value is asked for.
    * What was asked for stays asked for, also where a computation comes to nothing: its forms are known by then.
"""

from __future__ import annotations

from kleis import core
from kleis.core.build_terms import at_arguments
from kleis.core.goal import Goal
from kleis.core.terms import list_constructors, tuple_constructor
from kleis.core.traversal import substitute
from kleis.prover.checker.rules.normal_forms import Forms, is_number
from kleis.prover.checker.rules.polynomials import Form
from kleis.prover.checker.sequent import NotExpressible

__all__ = ["Lists", "is_of_lists"]


def is_of_lists(sort: core.Sort) -> bool:
    """Whether a sort is one of lists or tuples of real numbers, or of such."""
    match sort:
        case core.ListOf(element=element):
            return is_number(element) or is_of_lists(element)
        case core.TupleOf(items=items):
            return all(is_number(each) or is_of_lists(each) for each in items)
    return False


class Lists:
    """The values of terms that are written out."""

    def __init__(self, forms: Forms, goal: Goal) -> None:
        self._forms = forms
        self._goal = goal
        self._others = forms.outside
        self._known: dict[core.Term, core.Term] = {}
        forms.outside = self.number
        forms.chosen = self._chosen_number
        forms.written = self.is_written

    def is_written(self, term: core.Term) -> bool:
        """Whether a term that is no number is written out; what its numbers need is asked for."""
        if not is_of_lists(term.sort):
            return False
        try:
            self.value(term)
        except NotExpressible:
            return False
        return True

    def number(self, term: core.BuiltinCall) -> Form | None:
        """The form of a number that is computed from what is written out; None for any other."""
        try:
            found = self._number(term)
        except NotExpressible:
            found = None
        return self._others(term) if found is None else found

    def _chosen_number(self, term: core.Selection | core.Conditional) -> Form | None:
        """The form of a field or of a branch, where it is known which."""
        try:
            return self._forms.of(self._chosen(term))
        except NotExpressible:
            return None

    def _number(self, term: core.BuiltinCall) -> Form | None:
        forms = self._forms
        match term:
            case core.BuiltinCall(operation=core.Operation(name="fst" | "snd" as name), arguments=(pair,)):
                return forms.of(self._parts(pair)[name == "snd"])
            case core.BuiltinCall(operation=core.Operation(name="length"), arguments=(whole,)) if is_of_lists(
                whole.sort
            ):
                return forms.number(len(self._items(whole)))
            case core.BuiltinCall(operation=core.Operation(name="sum"), arguments=(whole,)):
                found = forms.number(0)
                for each in self._items(whole):
                    found = forms.ring.plus(found, forms.of(each))
                return found
        return None

    # ── What is written out ──────────────────────────────────────────────────────────────────────────────────

    def value(self, term: core.Term) -> core.Term:
        """A number as it is, of anything else its constructors; `NotExpressible` where they are not known."""
        if term not in self._known:
            self._forms.ring.charge(1)
            self._known[term] = self._value(term)
        return self._known[term]

    def _value(self, term: core.Term) -> core.Term:
        if is_number(term.sort):
            self._forms.of(term)
            return term
        match term:
            case core.Construction(constructor=constructor, arguments=arguments) if is_of_lists(term.sort):
                return core.Construction(constructor, tuple(map(self.value, arguments)))
            case core.Coercion(term=part, sort=core.ListOf(element=element) as sort):
                items = (
                    each if each.sort == element else core.Coercion(each, element)
                    for each in self._items(part)
                )
                return self._list(sort, list(items))
            case core.Let(variable=variable, value=value, body=body):
                return self.value(substitute(body, {variable.name: self.value(value)}))
            case core.DefinitionCall(definition=key, arguments=arguments):
                definition = self._goal.definition(key)
                if not definition.group:
                    values = tuple(map(self.value, arguments))
                    return self.value(at_arguments(definition.body, definition, values))
            case core.Selection() | core.Conditional():
                return self.value(self._chosen(term))
            case core.BuiltinCall():
                return self._built(term)
        raise NotExpressible("a list that is not written out")

    def _chosen(self, term: core.Selection | core.Conditional) -> core.Term:
        """The field that is selected, or the branch that is taken."""
        if isinstance(term, core.Conditional):
            return term.consequent if self._decided(term.condition) else term.alternative
        whole = self.value(term.term)
        if not isinstance(whole, core.Construction) or whole.constructor != term.constructor:
            raise NotExpressible("a field of what has none")
        return whole.arguments[term.index]

    def _decided(self, test: core.Term) -> bool:
        """Whether a test of constructors is true; each is decided from the left, as far as it matters."""
        match test:
            case core.Discrimination(constructor=constructor, term=term):
                whole = self.value(term)
                if isinstance(whole, core.Construction):
                    return whole.constructor == constructor
            case core.Connective(name="and", arguments=parts):
                return all(map(self._decided, parts))
            case core.Connective(name="or", arguments=parts):
                return any(map(self._decided, parts))
            case core.Connective(name="not", arguments=(part,)):
                return not self._decided(part)
        raise NotExpressible("a test of more than constructors")

    def _built(self, term: core.BuiltinCall) -> core.Term:
        given, sort = term.arguments, term.sort
        match term.operation.name:
            case "fst" | "snd" as name:
                return self.value(self._parts(given[0])[name == "snd"])
            case "list_zip" if isinstance(sort, core.ListOf) and isinstance(sort.element, core.TupleOf):
                pair = tuple_constructor(sort.element)
                pairs = zip(self._items(given[0]), self._items(given[1]), strict=False)
                return self._list(sort, [core.Construction(pair, each) for each in pairs])
            case "list_map" if isinstance(sort, core.ListOf) and isinstance(given[0], core.Lambda):
                (variable,), body = given[0].variables, given[0].body
                items = self._items(given[1])
                return self._list(sort, [substitute(body, {variable.name: each}) for each in items])
            case "vec_add" if isinstance(sort, core.ListOf):
                left, right = self._items(given[0]), self._items(given[1])
                if len(left) != len(right):
                    raise NotExpressible("lists of different lengths")
                return self._list(sort, [_plus(*each) for each in zip(left, right, strict=True)])
            case "append" if isinstance(sort, core.ListOf):
                return self._list(sort, [*self._items(given[0]), *self._items(given[1])])
        raise NotExpressible(f"{term.operation.name} of lists")

    def _list(self, sort: core.ListOf, items: list[core.Term]) -> core.Term:
        empty, more = list_constructors(sort)
        found: core.Term = core.Construction(empty, ())
        for each in reversed(items):
            found = core.Construction(more, (self.value(each), found))
        return found

    def _items(self, term: core.Term) -> list[core.Term]:
        whole, found = self.value(term), []
        while isinstance(whole, core.Construction) and whole.constructor.name == "Cons":
            found.append(whole.arguments[0])
            whole = whole.arguments[1]
        if not (isinstance(whole, core.Construction) and whole.constructor.name == "Nil"):
            raise NotExpressible("a list that is not written out")
        return found

    def _parts(self, term: core.Term) -> tuple[core.Term, ...]:
        whole = self.value(term)
        if not isinstance(whole, core.Construction) or not isinstance(whole.sort, core.TupleOf):
            raise NotExpressible("a tuple that is not written out")
        return whole.arguments

    # ── Equations ────────────────────────────────────────────────────────────────────────────────────────────

    def are_equal(self, left: core.Term, right: core.Term) -> bool:
        """Whether two values have the same constructors, and numbers of equal forms."""
        forms = self._forms
        if is_number(left.sort):
            return forms.ring.same(forms.of(left), forms.of(right))
        if not isinstance(left, core.Construction) or not isinstance(right, core.Construction):
            raise NotExpressible("a list that is not written out")
        if left.constructor != right.constructor:
            return False
        return all(self.are_equal(a, b) for a, b in zip(left.arguments, right.arguments, strict=True))


def _plus(left: core.Term, right: core.Term) -> core.Term:
    parameters = (core.Variable("a", left.sort), core.Variable("b", right.sort))
    return core.BuiltinCall(core.Operation("plus", parameters, left.sort), (left, right))
