"""Terms of a lowered task in the words of the task that it came from.

See docs/reference/certificates.md §3.4.

A definition that lowering wrote stands for a call of a built-in, of a coercion, or of a definition at functions; that call
is put in its place.  An unknown operation that stands for a function variable of the claim becomes a variable again, so a
lemma that mentions one is a statement about all functions.

Invariant: a formula and what is written back for it mean the same; where there are no such words, `UnwritableError` says
why.  Nothing is approximated.
"""

from __future__ import annotations

import msgspec

from kleis import core
from kleis.builtins.rows.table import find_builtin
from kleis.core.goal import Goal
from kleis.core.traversal import apart_from, bound_by, free_variables, rebuild, substitute
from kleis.prover.lowering.defunctionalize import Lowered

__all__ = ["UnwritableError", "WrittenBack", "written_back"]


class UnwritableError(Exception):
    """A term without words in the task it came from; the message says which part has none."""


class WrittenBack(msgspec.Struct, frozen=True):
    """A formula over function variables of the claim, which `functions` lists in order of occurrence."""

    formula: core.Term
    functions: tuple[core.Variable, ...]

    def closed(self) -> core.Term:
        """The formula for all functions, in front of its other variables."""
        return core.Quantifier("forall", self.functions, self.formula) if self.functions else self.formula


def written_back(formula: core.Term, lowered: Lowered, goal: Goal) -> WrittenBack:
    """A closed formula of a lowered task, in the words of its goal before."""
    back = _Back(lowered, goal)
    found = back.term(apart_from(formula, set(lowered.operations)))
    functions = free_variables(found)
    return WrittenBack(_unshadowed(found, {each.name for each in functions}), functions)


def _unshadowed(term: core.Term, above: set[str]) -> core.Term:
    """The term without a name that is bound where it is bound already, as a λ put in its place may have one."""
    if above.intersection(each.name for each in bound_by(term)):
        term = apart_from(term, above)
    inner = above.union(each.name for each in bound_by(term))
    return rebuild(term, lambda part: _unshadowed(part, inner))


class _Back:
    """One formula."""

    def __init__(self, lowered: Lowered, goal: Goal) -> None:
        self._calls = lowered.calls
        self._variables = {
            symbol: core.Variable(name, core.FunctionOf(symbol.domain, symbol.codomain))
            for name, symbol in lowered.operations.items()
        }
        self._keys = {each.key for each in goal.definitions}

    def term(self, term: core.Term) -> core.Term:
        """The term with everything that lowering wrote put back."""
        if isinstance(term, core.SymbolCall) and term.symbol in self._variables:
            return self._applied(term)
        if isinstance(term, core.Lambda):
            return self._function(term)
        term = rebuild(term, self.term)
        if isinstance(term, core.DefinitionCall) and term.definition in self._calls:
            return self._call(term)
        if isinstance(term, core.DefinitionCall) and term.definition not in self._keys:
            raise UnwritableError(f"the definition {term.definition}")
        if isinstance(term, core.BuiltinCall) and find_builtin(term.operation.name) is None:
            raise UnwritableError(f"the operation {term.operation.name}")
        return term

    def _applied(self, term: core.SymbolCall) -> core.Term:
        arguments = tuple(map(self.term, term.arguments))
        return core.Application(self._variables[term.symbol], arguments, term.symbol.codomain)

    def _function(self, term: core.Lambda) -> core.Term:
        """A function; ``λ x . f(x)`` of a function variable is that variable, which has a value everywhere."""
        function = rebuild(term, self.term)
        assert isinstance(function, core.Lambda), "a function"
        match function.body:
            case core.Application(function=core.Variable() as named, arguments=arguments) if (
                arguments == function.variables and named in self._variables.values()
            ):
                return named
        return function

    def _call(self, call: core.DefinitionCall) -> core.Term:
        parameters, meant = self._calls[call.definition]
        names = {each.name for argument in call.arguments for each in free_variables(argument)}
        given = dict(zip((each.name for each in parameters), call.arguments, strict=True))
        return substitute(self.term(apart_from(meant, names)), given)
