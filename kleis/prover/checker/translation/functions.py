"""Definitions, and functions given as arguments, as functions of a script.

A definition that is given functions is written once for every function that it is given; what these take from around
them become parameters.  So does a built-in that is a recursion (kleis/prover/checker/translation/lists.py).

Where a recursive definition has a value
    It is first taken to have one everywhere.  If its body, so read, is not seen to have a value everywhere, everything
    is translated again with a second function that says where it has one (`Restart`).

Consistency
    The equation of a recursive definition is asserted where it terminates, its arguments are of their sorts and it has a
    value.  The meaning of the definition, with any value elsewhere, satisfies all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from kleis import core
from kleis.core.goal import Goal
from kleis.core.traversal import canonical, subterms
from kleis.definedness.discharge import discharged
from kleis.prover.checker.sequent import NotExpressible
from kleis.prover.checker.translation.lists import RECURSIVE
from kleis.prover.checker.translation.program import Function, Program
from kleis.prover.checker.translation.sorts import Sorts, constructed, erased
from kleis.prover.checker.translation.text import FALSE, TRUE, binder, both, call, implication

__all__ = ["Closure", "Environment", "Functions", "Meaning", "Named", "Restart"]

_MOST = 200


class Meaning(NamedTuple):
    """A term in the script.

    text
        Its value, or T of a formula; anything where `defined` is false.
    false
        F of a formula; empty for other terms.
    defined
        Where it has a value: T or F, of a formula.
    """

    text: str
    false: str = ""
    defined: str = TRUE

    def under(self, needed: str) -> Meaning:
        """The same, without a value where `needed` is false."""
        false = both(needed, self.false) if self.false else ""
        text = both(needed, self.text) if self.false else self.text
        return Meaning(text, false, both(needed, self.defined)) if needed != TRUE else self


class Named(msgspec.Struct, frozen=True):
    """A function that is a function of the script: an unknown one."""

    name: str

    def captured(self) -> Iterator[tuple[core.Sort, str]]:
        """Nothing."""
        return iter(())

    def renamed(self, names: Iterator[str]) -> Named:
        """Itself."""
        del names
        return self


class Closure(msgspec.Struct, frozen=True):
    """A λ with the values and functions that it takes from around it."""

    term: core.Lambda
    values: tuple[tuple[core.Variable, str], ...]
    functions: tuple[tuple[str, Closure | Named], ...]

    def captured(self) -> Iterator[tuple[core.Sort, str]]:
        """The sorts and texts of everything taken."""
        yield from ((variable.sort, text) for variable, text in self.values)
        for _, each in self.functions:
            yield from each.captured()

    def renamed(self, names: Iterator[str]) -> Closure:
        """The same of other values, in the order of `captured`."""
        values = tuple((variable, next(names)) for variable, _ in self.values)
        return Closure(self.term, values, tuple((name, each.renamed(names)) for name, each in self.functions))


Environment: TypeAlias = dict[str, "str | Closure | Named"]
"""What variables stand for: a text that has a value, or a function."""


class Restart(Exception):
    """A recursive definition has no value somewhere: everything is translated again, with that known."""


class _Instance(msgspec.Struct):
    name: str
    defined: str = ""
    finished: bool = False


class Functions(ABC):
    """The definitions of one script.  `partial` are those known to have no value somewhere."""

    def __init__(self, goal: Goal, partial: set[object]) -> None:
        self.goal = goal
        self.program = Program()
        self.sorts = Sorts(goal, self.program)
        self._own = frozenset(each.key for each in goal.definitions)
        self._partial = partial
        self._definitions = {each.key: each for each in goal.definitions}
        self._instances: dict[object, _Instance] = {}
        self._results: set[object] = set()

    @abstractmethod
    def meaning(self, term: core.Term, env: Environment, path: frozenset[str]) -> Meaning:
        """The term at a place that `path` leads to."""

    @abstractmethod
    def function(self, term: core.Term, env: Environment) -> Closure | Named:
        """A term of a sort of functions."""

    def recursion(self, term: core.BuiltinCall, env: Environment, path: frozenset[str]) -> Meaning:
        """A built-in that is a recursion."""
        given = term.operation
        domain, result = tuple(erased(each.sort) for each in given.parameters), erased(given.result)
        key = f"\0{given.name} {domain} {result}"
        if key not in self._definitions:
            parameters = tuple(core.Variable(f"p{at}", sort) for at, sort in enumerate(domain))

            def again(*arguments: core.Term) -> core.Term:
                return core.DefinitionCall(key, arguments, result)

            body = RECURSIVE[given.name](again, result, *parameters)
            group = (key,) if any(isinstance(each, core.DefinitionCall) for each in subterms(body)) else ()
            self._definitions[key] = core.Definition(key, given.name, parameters, result, body, group)
        return self.defined(key, term.arguments, given, env, path)

    def coerced(self, term: core.Coercion, env: Environment, path: frozenset[str]) -> Meaning:
        """A list, tuple, record or value of a data type in a larger sort: a recursion over its constructors."""
        before, after = term.term.sort, term.sort
        key = f"\0as {before} {after}"
        if key not in self._definitions:
            x = core.Variable("p0", before)
            makers = list(zip(constructed(before, self.goal), constructed(after, self.goal), strict=True))
            body: core.Term | None = None
            for old, new in reversed(makers):
                parts = [core.Selection(old, at, x) for at in range(len(old.fields))]
                made = core.Construction(
                    new,
                    tuple(
                        part if part.sort == field.sort else core.Coercion(part, field.sort)
                        for part, field in zip(parts, new.fields, strict=True)
                    ),
                )
                body = made if body is None else core.Conditional(core.Discrimination(old, x), made, body)
            if body is None:
                raise NotExpressible("a set in a larger sort")
            self._definitions[key] = core.Definition(key, "as", (x,), after, body, (key,))
        return self.defined(key, (term.term,), None, env, path)

    def defined(
        self,
        key: str,
        terms: tuple[core.Term, ...],
        operation: core.Operation | None,
        env: Environment,
        path: frozenset[str],
    ) -> Meaning:
        """A definition at arguments; `operation` is the built-in that it is of."""
        definition = self._definitions[key]
        functions: list[Closure | Named] = []
        texts, needed = [], [TRUE]
        for parameter, term in zip(definition.parameters, terms, strict=True):
            if isinstance(parameter.sort, core.FunctionOf):
                functions.append(self.function(term, env))
            else:
                value = self.meaning(term, env, path)
                texts.append(value.text)
                needed.append(value.defined)
        texts += [text for each in functions for _, text in each.captured()]
        instance = self._instance(definition, functions)
        left = call(instance.name, texts)
        if operation is not None and self.sorts.is_guarded(operation.result):
            sorts = [e.sort for e in operation.parameters if not isinstance(e.sort, core.FunctionOf)]
            self._result(instance, definition, sorts, functions, operation.result)
        condition = self._condition(definition, _environment(definition, texts, functions))
        if definition.result == core.BOOL:
            if instance.defined:
                false = call(instance.defined, texts)
                found = Meaning(left, false, f"(or {left} {false})")
            else:
                found = Meaning(left, f"(not {left})")
        else:
            found = Meaning(left, "", call(instance.defined, texts) if instance.defined else TRUE)
        return found.under(both(*needed, condition))

    def _condition(self, definition: core.Definition, env: Environment) -> str:
        """Where a definition terminates; `NotExpressible` where it is not known to."""
        if not definition.group or definition.key not in self._own:
            return TRUE
        termination = self.goal.termination(definition.key)
        if termination is None or termination.kind == "unknown":
            raise NotExpressible(f"{definition.name} is not known to terminate")
        if termination.condition is None:
            return TRUE
        return self.meaning(termination.condition, env, frozenset()).text

    def _instance(self, definition: core.Definition, functions: list[Closure | Named]) -> _Instance:
        key = (definition.key, tuple(_shape(each) for each in functions))
        found = self._instances.get(key)
        if found is not None:
            if not found.finished and not definition.group:
                raise NotExpressible(f"{definition.name} calls itself through a function it is given")
            return found
        if len(self._instances) >= _MOST:
            raise NotExpressible(f"definitions at more than {_MOST} functions")
        program = self.program
        instance = self._instances[key] = _Instance(program.fresh("f"))
        if key in self._partial:
            instance.defined = program.fresh("f")
        env, parameters, guards = self._parameters(definition, functions)
        own = definition.key in self._own
        body = discharged(definition.body, self.goal) if own else definition.body
        value = self.meaning(body, env, frozenset())
        beside = not own and definition.name == "nth"  # where it has a value stands beside the call
        if value.defined != TRUE and not instance.defined and not beside:
            if definition.group:
                self._partial.add(key)
                raise Restart
            instance.defined = program.fresh("f")
        instance.finished = True
        where, other = TRUE, ""
        if definition.group and own:
            where = both(*guards, self._condition(definition, env))
        if instance.defined:
            other = value.false or value.defined
            if not value.false and definition.group:
                where = both(where, call(instance.defined, (name for name, _ in parameters)))
        cases = self._cases(definition, env, parameters)
        result = self.sorts.name(definition.result)
        # T and F of a formula are false where it does not terminate; that is asked beside each call.
        text = value.text
        program.functions[instance.name] = Function(instance.name, parameters, result, text, where, cases)
        if other:
            program.functions[instance.defined] = Function(
                instance.defined, parameters, "Bool", other, where if value.false else TRUE, cases
            )
        if own and definition.group and self.sorts.is_guarded(definition.result):
            sorts = [e.sort for e in definition.parameters if not isinstance(e.sort, core.FunctionOf)]
            self._result(instance, definition, sorts, functions, definition.result)
        return instance

    def _parameters(
        self, definition: core.Definition, functions: list[Closure | Named]
    ) -> tuple[Environment, tuple[tuple[str, str], ...], list[str]]:
        """What the parameters stand for in the body, the parameters in the script, and their guards."""
        sorts, program = self.sorts, self.program
        listed: list[tuple[str, core.Sort]] = [
            (program.fresh("x"), each.sort)
            for each in definition.parameters
            if not isinstance(each.sort, core.FunctionOf)
        ]
        taken = [(program.fresh("x"), sort) for each in functions for sort, _ in each.captured()]
        names = iter([name for name, _ in taken])
        renamed = [each.renamed(names) for each in functions]
        env = _environment(definition, [name for name, _ in listed], renamed)
        listed += taken
        guards = [sorts.guard(sort, name) for name, sort in listed]
        return env, tuple((name, sorts.name(sort)) for name, sort in listed), guards

    def _cases(
        self, definition: core.Definition, env: Environment, parameters: tuple[tuple[str, str], ...]
    ) -> tuple[tuple[tuple[str, tuple[tuple[str, str], ...]], ...], ...]:
        tested = {
            env[each.term.name]
            for each in subterms(definition.body)
            if isinstance(each, core.Discrimination)
            and isinstance(each.term, core.Variable)
            and each.term.name in env
        }
        sorts: dict[object, core.Sort] = {env[each.name]: each.sort for each in definition.parameters}
        return tuple(self.sorts.cases((sorts[name],))[0] if name in tested else () for name, _ in parameters)

    def _result(
        self,
        instance: _Instance,
        definition: core.Definition,
        sorts: Sequence[core.Sort],
        functions: list[Closure | Named],
        result: core.Sort,
    ) -> None:
        """That results are of their sort where the arguments are of theirs."""
        key = (instance.name, tuple(sorts), result)
        if key in self._results:
            return
        self._results.add(key)
        self.program.opaque.add(instance.name)
        every = [*sorts, *(sort for each in functions for sort, _ in each.captured())]
        bound = [(self.program.fresh("x"), sort) for sort in every]
        names = [name for name, _ in bound]
        left = call(instance.name, names)
        given = [self.sorts.guard(sort, name) for name, sort in bound]
        taken = iter(names[len(sorts) :])
        renamed = [each.renamed(taken) for each in functions]
        given.append(self._condition(definition, _environment(definition, names, renamed)))
        if instance.defined:
            given.append(call(instance.defined, names))
        fact = implication(both(*given), self.sorts.guard(result, left))
        if fact not in (TRUE, FALSE):
            named = [(name, self.sorts.name(sort)) for name, sort in bound]
            self.program.facts.append(binder("forall", named, fact, left))


def _environment(
    definition: core.Definition, texts: list[str], functions: list[Closure | Named]
) -> Environment:
    """The parameters of a definition at arguments."""
    values, given = iter(texts), iter(functions)
    return {
        each.name: next(given) if isinstance(each.sort, core.FunctionOf) else next(values)
        for each in definition.parameters
    }


def _shape(function: Closure | Named) -> object:
    """What tells functions apart but for the values that they take, and for the names of what they bind."""
    if isinstance(function, Named):
        return function
    return canonical(function.term), tuple((name, _shape(each)) for name, each in function.functions)
