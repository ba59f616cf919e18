"""The propositions that answer questions about a machine.

They are about the states of a run, numbered from 0: the variable x of state 2 is ``x_2``.

Soundness of `inductive` and `k_inductive`: a reachable state that violates P has a shortest run to one.  No state stands in it
twice, all states before the last fulfil P, and all fulfil whatever else was proved of every reachable state.  If it has fewer
than k steps, `safe` excludes it; if it has more, its last k + 1 states are what `k_inductive` excludes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import combinations

from kleis.machines.machine import Machine
from kleis.machines.properties import Property
from kleis.syntax import tree

__all__ = ["Claims", "conjunction", "negation"]

_INTEGER = tree.NamedType("ℤ")


class Claims:
    """The propositions about the runs of one machine."""

    def __init__(self, machine: Machine, declared: Iterable[str]) -> None:
        """`declared` are the names that stand for something else in what is said of states."""
        self.machine = machine
        taken = {*machine.names, *declared}
        self._separator = "_"
        while any(_is_numbered(name, each, self._separator) for name in taken for each in machine.names):
            self._separator += "_"

    def names(self, place: int) -> tuple[str, ...]:
        """The names of the variables of a state."""
        return tuple(f"{each}{self._separator}{place}" for each in self.machine.names)

    # ── Formulas over states ─────────────────────────────────────────────────────────────────────────────────

    def says(self, wanted: Property, place: int) -> tree.Expression:
        """What a property says of a state."""
        return wanted.at(self.machine, self.names(place))

    def run(self, steps: int, *, begins: bool = True) -> list[tree.Expression]:
        """That the states from 0 on are a run of so many steps; `begins`: from a first state."""
        found = [self.machine.first(self.names(0))] if begins else []
        return found + [self.machine.step(self.names(place), self.names(place + 1)) for place in range(steps)]

    def decreases(self, variant: Property, place: int) -> tree.Expression:
        """That the step from a state makes a variant smaller, which is no negative number before it."""
        before, after = (tree.Ascription(self.says(variant, each), _INTEGER) for each in (place, place + 1))
        natural = tree.Call("leq", (tree.Number("0"), before))
        return conjunction([natural, tree.Call("less_than", (after, before))])

    def goes_on(self, place: int) -> tree.Expression:
        """That a state has a next one."""
        step = self.machine.step(self.names(place), self.names(place + 1))
        return self._bound("exists", (place + 1,), step)

    # ── Closed propositions ──────────────────────────────────────────────────────────────────────────────────

    def always(
        self, places: int, assumed: Sequence[tree.Expression], said: tree.Expression
    ) -> tree.Expression:
        """That something holds of all states 0 to `places` that fulfil what is assumed."""
        body = tree.Call("implies", (conjunction(assumed), said)) if assumed else said
        return self._bound("forall", range(places + 1), body)

    def some(self, places: int, said: Sequence[tree.Expression]) -> tree.Expression:
        """That there are states 0 to `places` of which all of this holds."""
        return self._bound("exists", range(places + 1), conjunction(said))

    def safe(self, wanted: Property, steps: int) -> tree.Expression:
        """That a property holds after every run of so many steps."""
        return self.always(steps, self.run(steps), self.says(wanted, steps))

    def inductive(self, wanted: Property, assumed: Sequence[Property]) -> tree.Expression:
        """That a step keeps a property, from states that fulfil it and what is assumed."""
        before = [self.says(each, 0) for each in dict.fromkeys((*assumed, wanted))]
        return self.always(1, [*before, *self.run(1, begins=False)], self.says(wanted, 1))

    def k_inductive(self, wanted: Property, assumed: Sequence[Property], k: int) -> tree.Expression:
        """That a property holds after k different states in a row that fulfil it and what is assumed."""
        before = [self.says(each, place) for place in range(k) for each in dict.fromkeys((*assumed, wanted))]
        different = [self._differ(first, second) for first, second in combinations(range(k), 2)]
        return self.always(k, [*before, *self.run(k, begins=False), *different], self.says(wanted, k))

    def at_states(self, assumed: Sequence[Property], said: tree.Expression) -> tree.Expression:
        """That something holds of every state 0 that fulfils what is assumed."""
        return self.always(0, [self.says(each, 0) for each in assumed], said)

    def at_steps(self, assumed: Sequence[Property], said: tree.Expression) -> tree.Expression:
        """That something holds of every step from a state 0 that fulfils what is assumed."""
        before = [self.says(each, 0) for each in assumed]
        return self.always(1, [*before, *self.run(1, begins=False)], said)

    def _differ(self, first: int, second: int) -> tree.Expression:
        pairs = zip(self.names(first), self.names(second), strict=True)
        same = [tree.Call("equals", (tree.Name(left), tree.Name(right))) for left, right in pairs]
        return negation(conjunction(same))

    def _bound(
        self, kind: tree.QuantifierKind, places: Sequence[int], body: tree.Expression
    ) -> tree.Expression:
        binders = tuple(
            tree.Binder(name, variable.type)
            for place in places
            for name, variable in zip(self.names(place), self.machine.variables, strict=True)
        )
        return tree.Quantifier(kind, binders, None, body)


def _is_numbered(name: str, variable: str, separator: str) -> bool:
    """Whether a name could be that of a variable at some state."""
    prefix = f"{variable}{separator}"
    return name.startswith(prefix) and name.removeprefix(prefix).isdigit()


def conjunction(parts: Sequence[tree.Expression]) -> tree.Expression:
    """All of them."""
    return reduce(lambda left, right: tree.Call("logical_and", (left, right)), parts)


def negation(expression: tree.Expression) -> tree.Expression:
    """Not that."""
    return tree.Call("logical_not", (expression,))
