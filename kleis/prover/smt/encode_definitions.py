"""Definitions in SMT-LIB: macros where they are not recursive, recursive functions where they terminate.

See docs/reference/proving.md §8.6.

A definition f becomes a function ``d:f``; if it is partial, also a predicate ``d:f.defined`` (for truth values,
``d:f.true`` and ``d:f.false``).

Why a recursive function may be asserted.  Its termination was shown, under its condition and for arguments of the
written sorts; outside of both its value is left open (``d:f.else``), so that no equation is asserted of a descent
that never ends.  Where the condition holds it holds of the arguments of every recursive call: that is part of the
termination argument.  So the definedness of recursive calls need not be asked for again, and where nothing else in
the body is partial the function is defined exactly where the condition holds.

Invariant: a definition without a termination argument raises `Inexpressible`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise, product
from typing import Literal, TypeAlias

from kleis import core
from kleis.core.build_terms import at_arguments
from kleis.core.goal import Goal
from kleis.core.traversal import subterms
from kleis.prover.lowering.match_equations import Case, cases
from kleis.prover.protocol.engine import Inexpressible
from kleis.prover.smt.encode_terms import Terms
from kleis.prover.smt.smtlib_text import TRUE, application, conjunction, implication, quoted

__all__ = ["Definitions", "Recursion"]

Recursion: TypeAlias = Literal["functions", "equations", "opaque"]
"""How recursive definitions are written.

functions
    As ``define-funs-rec``.
equations
    Declared, and described by an equation that is asserted, with the call as its pattern: engines that instantiate by
    pattern prefer that.
opaque
    Declared, and no more. Then less is asserted: what is refuted holds, and a model shows nothing.
"""

_LAYERS = ("", ".1", ".2")
"""The names of the copies of a function that is unfolded at most twice."""


class Definitions:
    """Declares the definitions that terms call, callees first; `recursion` is how recursive ones are written."""

    def __init__(
        self,
        goal: Goal,
        terms: Terms,
        *,
        recursion: Recursion = "functions",
        known_by_name: frozenset[str] = frozenset(),
    ) -> None:
        self._goal = goal
        self._terms = terms
        self._recursion = recursion
        self._known_by_name = known_by_name
        self._known: dict[str, bool] = {}
        self._split: dict[str, tuple[Case, ...]] = {}
        terms.definition_of = self.named

    def named(self, key: str) -> tuple[str, bool]:
        """The name of a definition, and whether it is partial."""
        if key not in self._known:
            definition = self._goal.definition(key)
            if definition.group:
                self._declare_group([self._goal.definition(each) for each in definition.group])
            else:
                self._declare(definition)
        return key, self._known[key]

    # ── not recursive ────────────────────────────────────────────────────────────────────────────────────

    def _declare(self, definition: core.Definition) -> None:
        by_cases = bool(self._known_by_name) and self._has_values(definition)
        if by_cases and definition.key in self._known_by_name:
            self._known[definition.key] = False
            sorts = " ".join(self._terms.sorts.name(each.sort) for each in definition.parameters)
            result = self._terms.sorts.name(definition.result)
            self._terms.declarations.append(f"(declare-fun {self._name(definition)} ({sorts}) {result})")
            self._terms.declarations.extend(self._result(definition))
            return
        head = self._head(definition)
        declarations = self._terms.declarations
        if definition.result == core.BOOL:
            formula = self._terms.formula(definition.body)
            self._known[definition.key] = partial = not (formula.total or by_cases)
            if not partial:
                declarations.append(f"(define-fun {self._name(definition)} {head} Bool {formula.true})")
                return
            declarations.append(f"(define-fun {self._name(definition, '.true')} {head} Bool {formula.true})")
            declarations.append(
                f"(define-fun {self._name(definition, '.false')} {head} Bool {formula.false})"
            )
            return
        value = self._terms.value(definition.body)
        self._known[definition.key] = partial = value.defined != TRUE and not by_cases
        sort = self._terms.sorts.name(definition.result)
        declarations.append(f"(define-fun {self._name(definition)} {head} {sort} {value.text})")
        if partial:
            name = self._name(definition, ".defined")
            declarations.append(f"(define-fun {name} {head} Bool {value.defined})")

    def _has_values(self, definition: core.Definition) -> bool:
        """Whether a definition has a value everywhere, as far as its cases show."""
        return self._body(definition)[1] == TRUE

    # ── recursive ────────────────────────────────────────────────────────────────────────────────────────

    def _declare_group(self, group: Sequence[core.Definition]) -> None:
        for each in group:
            termination = self._goal.termination(each.key)
            if termination is None or termination.kind == "unknown":
                raise Inexpressible("termination", f"termination of {each.name} not shown")
            self._known[each.key] = False
        conditions = {each.key: self._condition(each) for each in group}
        # First as if recursive calls were defined: this shows whether anything else is partial.
        bodies = {each.key: self._body(each) for each in group}
        if all(defined == TRUE for _, defined in bodies.values()):
            self._declare_total(group, conditions, bodies)
        else:
            self._declare_partial(group, conditions)

    def _condition(self, definition: core.Definition) -> str:
        """Where the recursion ends: the written sorts and the condition of the termination argument."""
        termination = self._goal.termination(definition.key)
        guards = [
            self._terms.sorts.guard(each.sort, self._terms.variable(each)) for each in definition.parameters
        ]
        if termination is not None and termination.condition is not None:
            guards.append(self._terms.formula(termination.condition).true)
        return conjunction(*guards)

    def _body(self, definition: core.Definition) -> tuple[str, str]:
        text, _ = self._written(definition, definition.body)
        written = [self._written(definition, case.body)[1] for case in self._cases(definition)]
        return text, conjunction(*written)

    def _written(self, definition: core.Definition, body: core.Term) -> tuple[str, str]:
        """The text of a body, and where it is defined."""
        if definition.result == core.BOOL:
            formula = self._terms.formula(body)
            return formula.true, formula.defined
        value = self._terms.value(body)
        return value.text, value.defined

    def _cases(self, definition: core.Definition) -> tuple[Case, ...]:
        if definition.key not in self._split:
            self._split[definition.key] = cases(definition, self._terms.sorts.constructors)
        return self._split[definition.key]

    def _declare_total(
        self, group: Sequence[core.Definition], conditions: dict[str, str], bodies: dict[str, tuple[str, str]]
    ) -> None:
        """Functions that are defined exactly where their recursion ends."""
        if self._recursion != "functions":
            self._declare_equations(group)
            self._declare_domains(group)
            return
        functions = []
        for each in group:
            text = self._elsewhere(each, conditions[each.key], bodies[each.key][0])
            functions.append((self._name(each), each, self._terms.sorts.name(each.result), text))
        self._declare_functions(functions)
        self._declare_domains(group)

    def _declare_equations(self, group: Sequence[core.Definition]) -> None:
        """One equation for every case, asserted where the recursion ends: elsewhere it may have any value.

        An equation whose left side fits every call would be unfolded for ever.  There the calls within are of a copy
        of the function, which is unfolded once more, to calls of a copy that is not: names for one function.
        """
        declarations = self._terms.declarations
        opaque = self._recursion == "opaque"
        layers = _LAYERS if not opaque and any(map(self._fits_every_call, group)) else _LAYERS[:1]
        for each, layer in product(group, layers):
            sorts = " ".join(self._terms.sorts.name(variable.sort) for variable in each.parameters)
            result = self._terms.sorts.name(each.result)
            declarations.append(f"(declare-fun {self._name(each, layer)} ({sorts}) {result})")
        for each in () if opaque else group:
            for layer, inner in pairwise(layers) if len(layers) > 1 else [("", "")]:
                with self._calling(group, inner):
                    declarations.extend(self._equation(each, case, layer) for case in self._cases(each))
                declarations.extend(self._same(each, layer, inner))
            declarations.extend(self._result(each))

    def _fits_every_call(self, definition: core.Definition) -> bool:
        """Whether a recursive equation has no constructor on its left side."""
        return any(
            not any(isinstance(each, core.Construction) for each in case.arguments)
            and any(
                isinstance(each, core.DefinitionCall) and each.definition in definition.group
                for each in subterms(case.body)
            )
            for case in self._cases(definition)
        )

    @contextmanager
    def _calling(self, group: Sequence[core.Definition], layer: str) -> Iterator[None]:
        """Encodes calls of the group as calls of its copies, within the block."""
        names = {each.key: f"{each.key}{layer}" for each in group}
        self._terms.definition_of = lambda key: (names[key], False) if key in names else self.named(key)
        try:
            yield
        finally:
            self._terms.definition_of = self.named

    def _same(self, definition: core.Definition, layer: str, inner: str) -> Iterator[str]:
        """The assertion that a function and its copy are equal."""
        if layer == inner or not definition.parameters:
            return
        call, copy = (
            application(self._name(definition, each), self._arguments(definition)) for each in (layer, inner)
        )
        yield f"(assert (forall {self._head(definition)} (! (= {call} {copy}) :pattern ({call}))))"

    def _result(self, definition: core.Definition) -> Iterator[str]:
        """The assertion that values are of the written sort where the recursion ends; no equation says so."""
        call = application(self._name(definition), self._arguments(definition))
        guard = implication(self._condition(definition), self._terms.sorts.guard(definition.result, call))
        if guard != TRUE and definition.parameters:
            yield f"(assert (forall {self._head(definition)} (! {guard} :pattern ({call}))))"

    def _equation(self, definition: core.Definition, case: Case, layer: str) -> str:
        sorts = self._terms.sorts
        termination = self._goal.termination(definition.key)
        given = [sorts.guard(each.sort, self._terms.variable(each)) for each in case.variables]
        if termination is not None and termination.condition is not None:
            condition = at_arguments(termination.condition, definition, case.arguments)
            given.append(self._terms.formula(condition).true)
        texts = [self._terms.value(each).text for each in case.arguments]
        call = application(self._name(definition, layer), texts)
        equation = implication(conjunction(*given), f"(= {call} {self._written(definition, case.body)[0]})")
        if not case.variables:
            return f"(assert {equation})"
        bound = " ".join(f"({self._terms.variable(each)} {sorts.name(each.sort)})" for each in case.variables)
        return f"(assert (forall ({bound}) (! {equation} :pattern ({call}))))"

    def _declare_domains(self, group: Sequence[core.Definition]) -> None:
        for each in group:
            termination = self._goal.termination(each.key)
            if termination is not None and termination.condition is not None:
                self._declare_domain(each, self._terms.formula(termination.condition).true)

    def _declare_domain(self, definition: core.Definition, condition: str) -> None:
        """Recursive definitions that are partial by their condition alone."""
        head, declarations = self._head(definition), self._terms.declarations
        self._known[definition.key] = True
        if definition.result != core.BOOL:
            name = self._name(definition, ".defined")
            declarations.append(f"(define-fun {name} {head} Bool {condition})")
            return
        call = application(self._name(definition), self._arguments(definition))
        yes, no = conjunction(condition, call), conjunction(condition, f"(not {call})")
        declarations.append(f"(define-fun {self._name(definition, '.true')} {head} Bool {yes})")
        declarations.append(f"(define-fun {self._name(definition, '.false')} {head} Bool {no})")

    def _declare_partial(self, group: Sequence[core.Definition], conditions: dict[str, str]) -> None:
        """Functions with partial bodies: where they are defined is recursive too."""
        for each in group:
            self._known[each.key] = True
        functions = []
        for each in group:
            condition = conditions[each.key]
            if each.result == core.BOOL:
                formula = self._terms.formula(each.body)
                functions.append(
                    (self._name(each, ".true"), each, "Bool", conjunction(condition, formula.true))
                )
                functions.append(
                    (self._name(each, ".false"), each, "Bool", conjunction(condition, formula.false))
                )
                continue
            value = self._terms.value(each.body)
            sort = self._terms.sorts.name(each.result)
            functions.append((self._name(each), each, sort, self._elsewhere(each, condition, value.text)))
            defined = conjunction(condition, value.defined)
            functions.append((self._name(each, ".defined"), each, "Bool", defined))
        self._declare_functions(functions)

    def _elsewhere(self, definition: core.Definition, condition: str, body: str) -> str:
        """The body where the recursion ends, and something unknown elsewhere."""
        if condition == TRUE:
            return body
        name = self._name(definition, ".else")
        sorts = " ".join(self._terms.sorts.name(each.sort) for each in definition.parameters)
        result = self._terms.sorts.name(definition.result)
        self._terms.declarations.append(f"(declare-fun {name} ({sorts}) {result})")
        return f"(ite {condition} {body} {application(name, self._arguments(definition))})"

    def _declare_functions(self, functions: Sequence[tuple[str, core.Definition, str, str]]) -> None:
        declarations = self._terms.declarations
        if self._recursion == "functions":
            heads = " ".join(f"({name} {self._head(each)} {sort})" for name, each, sort, _ in functions)
            bodies = " ".join(text for *_, text in functions)
            declarations.append(f"(define-funs-rec ({heads}) ({bodies}))")
            return
        for name, each, sort, _ in functions:
            sorts = " ".join(self._terms.sorts.name(variable.sort) for variable in each.parameters)
            declarations.append(f"(declare-fun {name} ({sorts}) {sort})")
        for name, each, _, text in () if self._recursion == "opaque" else functions:
            call = application(name, self._arguments(each))
            declarations.append(
                f"(assert (forall {self._head(each)} (! (= {call} {text}) :pattern ({call}))))"
            )

    # ── names ────────────────────────────────────────────────────────────────────────────────────────────

    @staticmethod
    def _name(definition: core.Definition, suffix: str = "") -> str:
        return quoted("d", f"{definition.key}{suffix}")

    def _head(self, definition: core.Definition) -> str:
        parts = (
            f"({self._terms.variable(each)} {self._terms.sorts.name(each.sort)})"
            for each in definition.parameters
        )
        return f"({' '.join(parts)})"

    def _arguments(self, definition: core.Definition) -> list[str]:
        return [self._terms.variable(each) for each in definition.parameters]
