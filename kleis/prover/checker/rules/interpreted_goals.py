"""Goals under an interpretation: carriers become other sorts, symbols the terms they are read as.

See docs/reference/certificates.md §5.4.  What is left are closed formulas over built-ins, data and definitions: leaves,
for a solver to prove.

Why a leaf shows what it is asked for
    A formula, so translated, is true exactly if the formula is true where carriers and symbols are what they are read
    as.  A term that has no value somewhere stands for any total function with its values elsewhere: the semantics is
    monotone, so what is true while a part has no value stays true when it gets one.

Invariants
    * Calls stay strict: an argument that is not a variable or a literal is bound by a `let` before the body.
    * Names that are bound so occur nowhere in the goal.
    * Symbols are told apart before carriers are replaced: two that would have the same sorts then stay two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from kleis import core
from kleis.core.goal import DataType, Goal
from kleis.core.traversal import bound_by, reach, rebuild, substitute, subterms
from kleis.prover.checker.sequent import NotExpressible, RejectedError, Sequent

__all__ = ["Leaves", "Meaning", "Translation", "denied", "negated"]

Meaning = tuple[tuple[core.Variable, ...], core.Term]
"""Parameters of a symbol, and its value as a term over them."""

Leaves = tuple[tuple[str, Sequent], ...]
"""What remains to be proved, by name."""


_PLAIN = frozenset({str, int, bool, Fraction, type(None)})
"""What fields hold that is neither sort nor term."""

_MOST = 1_000_000
"""Parts of the terms that calls of symbols become."""


class Translation:
    """A goal under an interpretation of some of its carriers and symbols."""

    def __init__(
        self,
        goal: Goal,
        carriers: Mapping[core.Carrier, core.Sort],
        symbols: Mapping[core.Symbol, Meaning],
    ) -> None:
        self._carriers = carriers
        self._symbols = symbols
        self._names: set[str] | None = None
        self._count = 0
        self._left = _MOST
        self._given = goal
        self.goal = msgspec.structs.replace(
            goal,
            claim=None,
            free=(),
            instances=(),
            carriers=tuple(each for each in goal.carriers if each not in carriers),
            symbols=tuple(self.sort(each) for each in goal.symbols if each not in symbols),
            axioms=(),
            definitions=self._node(goal.definitions),
            terminations=self._node(
                tuple((key, msgspec.structs.replace(each, obligations=())) for key, each in goal.terminations)
            ),
            data=_without_doubles(self._node(goal.data)),
            obligations=(),
            readings=(),
            warnings=(),
        )
        self._definitions = {each.key: each for each in self.goal.definitions}

    def sort(self, node: Any) -> Any:
        """A sort, or what has sorts, with carriers replaced."""
        return self._node(node)

    def formula(self, term: core.Term) -> core.Term:
        """A formula of the goal under the interpretation."""
        found: core.Term = self._node(term)
        return found

    def leaf(self, name: str, formula: core.Term) -> tuple[str, Sequent]:
        """The question whether a translated formula is true, with the definitions that it reaches and no others.

        Definitions may terminate for reasons that this interpretation does not satisfy; their equations would clash.
        """
        known = set(self.goal.symbols)
        if any(isinstance(each, core.SymbolCall) and each.symbol not in known for each in subterms(formula)):
            raise RejectedError(f"{name} mentions a symbol that the interpretation does not have")
        terms = [formula]
        keys: set[str] = set()
        conditions = dict(self.goal.terminations)
        while True:
            found = set(reach(terms, self._definitions).definitions)
            if found <= keys:
                break
            why = [conditions[key].condition for key in found - keys if key in conditions]
            keys |= found
            terms += [each for each in why if each is not None]
        definitions = tuple(each for each in self.goal.definitions if each.key in keys)
        terminations = tuple(each for each in self.goal.terminations if each[0] in keys)
        goal = msgspec.structs.replace(self.goal, definitions=definitions, terminations=terminations)
        return name, Sequent(goal, (), formula)

    def terminations(self) -> Iterator[tuple[str, Sequent]]:
        """Why definitions terminate that read interpreted symbols: shown before of any symbols, it has to hold of these."""
        for _, why in self._given.terminations:
            for each in why.obligations:
                translated = self.formula(each.formula)
                if translated != each.formula:
                    yield self.leaf(each.name, translated)

    def reduced(self, term: core.Term) -> core.Term:
        """A term without applications of functions that are written where they are applied."""
        if isinstance(term, core.Application):
            function = self.reduced(term.function)
            arguments = tuple(map(self.reduced, term.arguments))
            if isinstance(function, core.Lambda):
                return self._called((function.variables, function.body), arguments)
            return core.Application(function, arguments, term.sort)
        return rebuild(term, self.reduced)

    # ── One node after the other ─────────────────────────────────────────────────────────────────────────────

    def _node(self, node: Any) -> Any:
        kind = type(node)
        if kind is tuple:
            made = [self._node(each) for each in node]
            return node if all(new is old for new, old in zip(made, node, strict=True)) else tuple(made)
        if kind in _PLAIN or not issubclass(kind, msgspec.Struct):
            return node
        if kind is core.Carrier:
            return self._carriers.get(node, node)
        if kind is core.SymbolCall and node.symbol in self._symbols:
            return self._called(self._symbols[node.symbol], self._node(node.arguments))
        changes = {}
        for name in node.__struct_fields__:
            value = getattr(node, name)
            if type(value) not in _PLAIN:
                changed = self._node(value)
                if changed is not value:
                    changes[name] = changed
        return msgspec.structs.replace(node, **changes) if changes else node

    def _called(self, meaning: Meaning, arguments: Sequence[core.Term]) -> core.Term:
        """A body at arguments, which it reads once each."""
        parameters, body = meaning
        for _ in subterms(body):
            self._left -= 1
            if self._left < 0:
                raise NotExpressible(f"more than {_MOST} parts where symbols are written out")
        values: dict[str, core.Term] = {}
        bound: list[tuple[core.Variable, core.Term]] = []
        for parameter, argument in zip(parameters, arguments, strict=True):
            if isinstance(argument, core.Variable | core.LiteralTerm):
                values[parameter.name] = argument
            else:
                variable = core.Variable(self._fresh(), argument.sort)
                values[parameter.name] = variable
                bound.append((variable, argument))
        result = substitute(body, values)
        for variable, argument in reversed(bound):
            result = core.Let(variable, argument, result)
        return result

    def _fresh(self) -> str:
        if self._names is None:
            self._names = _names(self._given, self._symbols)
        while True:
            self._count += 1
            name = f"a{self._count}°"
            if name not in self._names:
                return name


def negated(term: core.Term) -> core.Term:
    """The negation of a formula."""
    return core.Connective("not", (term,))


def denied(term: core.Term) -> core.Term:
    """The negation of a formula, pushed inwards: true exactly where the formula is false."""
    match term:
        case core.Quantifier(kind="forall", variables=variables, body=body):
            return core.Quantifier("exists", variables, denied(body))
        case core.Quantifier(kind="exists", variables=variables, body=body):
            return core.Quantifier("forall", variables, denied(body))
        case core.Connective(name="not", arguments=(part,)):
            return part
        case core.Connective(name="implies", arguments=(hypothesis, conclusion)):
            return core.Connective("and", (hypothesis, denied(conclusion)))
        case core.Connective(name="and", arguments=parts):
            return core.Connective("or", tuple(map(denied, parts)))
        case core.Connective(name="or", arguments=parts):
            return core.Connective("and", tuple(map(denied, parts)))
    return negated(term)


def _names(goal: Goal, symbols: Mapping[core.Symbol, Meaning]) -> set[str]:
    """The names of all variables in a goal and in what its symbols are read as."""
    terms = [each.formula for each in goal.axioms]
    terms += [each.body for each in goal.definitions]
    terms += [body for _, body in symbols.values()]
    for _, why in goal.terminations:
        terms += [*why.measures, *(each.formula for each in why.obligations)]
        terms += [] if why.condition is None else [why.condition]
    terms += [] if goal.claim is None else [goal.claim]
    found = {each.name for made in goal.definitions for each in made.parameters}
    for each in subterms(*terms):
        found |= {variable.name for variable in bound_by(each)}
        if isinstance(each, core.Variable):
            found.add(each.name)
    return found


def _without_doubles(groups: tuple[tuple[DataType, ...], ...]) -> tuple[tuple[DataType, ...], ...]:
    """Data types that have become the same, once."""
    seen: set[core.Sort] = set()
    kept = []
    for group in groups:
        new = []
        for each in group:
            if each.sort not in seen:
                seen.add(each.sort)
                new.append(each)
        if new:
            kept.append(tuple(new))
    return tuple(kept)
