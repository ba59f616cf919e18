"""What is asked of a machine.

A file may ask itself: its definitions named `invariant` or `invariant_…`, `variant` or `variant_…`, of as many parameters as
the state has variables.  Other properties are texts: the name of such a definition, or an expression over the variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from kleis.core.goal import ElaborationError
from kleis.elaborate.question import Question, check_names_asked
from kleis.machines.machine import Machine
from kleis.machines.report import Kind
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_asked
from kleis.theory.theory import Theory

__all__ = ["Asked", "Property", "file_of", "read_properties"]

DEADLOCK = "every reachable state has a next one"
"""The name of the property that a machine never stops."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody asks of a machine.

    invariants, variants, reach
        Texts, beside what the file asks itself: what holds in every reachable state; integers that every step makes
        smaller and that are never negative; what shall hold in some reachable state.
    deadlock
        Whether to ask that every reachable state has a next one.
    depth
        Runs are searched up to so many steps.
    induction
        A proof by k-induction assumes up to so many states.
    """

    init: str = "init"
    next: str = "next"
    state: str = ""
    invariants: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    reach: tuple[str, ...] = ()
    deadlock: bool = False
    depth: int = 12
    induction: int = 4


class Property(msgspec.Struct, frozen=True):
    """One of the things that are asked: its name, and what it says of a state.

    `expression` is over `Machine.names`, or `definition` names a function of the state; `denied`: that it does not hold.
    """

    kind: Kind
    name: str
    expression: tree.Expression | None = None
    definition: str = ""
    denied: bool = False

    def at(self, machine: Machine, state: Sequence[str]) -> tree.Expression:
        """What it says of the state that has these names."""
        said = self._said(machine, tuple(tree.Name(each) for each in state))
        return tree.Call("logical_not", (said,)) if self.denied else said

    def _said(self, machine: Machine, names: Sequence[tree.Expression]) -> tree.Expression:
        if self.definition:
            return tree.Call(self.definition, tuple(names))
        assert self.expression is not None
        said = self.expression
        for variable, name in zip(machine.variables, names, strict=True):
            said = tree.Let(tree.VariablePattern(variable.name), None, name, said)
        return said


def read_properties(
    theory: Theory, machine: Machine, asked: Asked
) -> tuple[tuple[Property, ...], list[tree.Lint]]:
    """All properties, those of the file first, and the lints of the texts.

    Raises `KleisError` for a text that cannot be read, and where nothing is asked.
    """
    found = [*_stated(theory, machine, "invariant"), *_stated(theory, machine, "variant")]
    lints: list[tree.Lint] = []
    texts: tuple[tuple[Kind, tuple[str, ...]], ...] = (
        ("invariant", asked.invariants),
        ("variant", asked.variants),
        ("reach", asked.reach),
    )
    for kind, given in texts:
        for place, text in enumerate(given, 1):
            each, more = _read(theory, machine, kind, text, file_of(kind, place))
            found += [] if each in found else [each]
            lints += more
    if asked.deadlock:
        found.append(Property("deadlock", DEADLOCK))
    if not found:
        raise ElaborationError(
            "nothing is asked of the machine",
            code="property-missing",
            expected=("invariant", "variant", "reach", "deadlock"),
            hint=f"define invariant({', '.join(machine.names)}) in the file, or give an invariant, a variant, a state to reach",
        )
    return tuple(found), lints


def file_of(kind: Kind, place: int) -> str:
    """What errors call the text of a property: the first invariant that is given, and so on."""
    return f"<{kind} {place}>"


def _stated(theory: Theory, machine: Machine, kind: Kind) -> Iterable[Property]:
    """The properties that the definitions of the theory state."""
    stated = {
        entry.declaration.name: None
        for entry in theory.entries
        if isinstance(entry.declaration, tree.FunctionDefinition)
    }
    for name in stated:
        begins = name == kind or name.startswith(f"{kind}_")
        if begins and len(theory.definitions[name].parameters) == len(machine.variables):
            yield Property(kind, name, definition=name)


def _read(
    theory: Theory, machine: Machine, kind: Kind, text: str, file: str
) -> tuple[Property, tuple[tree.Lint, ...]]:
    """A property that is given as text."""
    definition = theory.definitions.get(text.strip())
    if definition is not None and len(definition.parameters) == len(machine.variables):
        return Property(kind, definition.name, definition=definition.name), ()
    expression, lints = parse_asked(text, file=file)
    binders = tuple(tree.Binder(each.name, each.type) for each in machine.variables)
    bound = tree.Quantifier("forall", binders, None, tree.Call("equals", (expression, expression)))
    letters = check_names_asked(Question(bound, lints, file), theory)
    if letters:
        raise ElaborationError(
            f"{letters[0]} is no variable of the state",
            code="unknown-name",
            file=file,
            found=letters[0],
            expected=machine.names,
            hint=f"the state is {', '.join(machine.names)}",
        )
    return Property(kind, " ".join(text.split()), expression), lints
