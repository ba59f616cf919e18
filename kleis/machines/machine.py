"""The machine that a theory declares.

Two definitions make one.  The parameters of `init` are the variables of its state:

    define init(x : ℤ, y : ℤ) = x = 0 ∧ y = 0
    define next(x : ℤ, y : ℤ, x2 : ℤ, y2 : ℤ) = x2 = x + 1 ∧ y2 = y      // a relation of two states
    define next(x : ℤ, y : ℤ) = (x + 1, y)                               // or a function

Or `implements` does, of a structure that has both operations, such as `Machine` of stdlib/machines.kleis; its state is one
value of the sort that implements it.  `init` may also be the only state that a machine of one variable begins in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from kleis.core.goal import ElaborationError
from kleis.problems import place_of
from kleis.spelling import nearest
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.printer.program import print_type
from kleis.theory.theory import Theory

__all__ = ["FILE", "Machine", "Variable", "read_machine"]

FILE = "<machine>"
"""The file of errors in the texts of properties."""

_STATE = "state"
"""The variable of a machine whose state is one value without a name."""

Form: TypeAlias = Literal["relation", "function"]


class Variable(msgspec.Struct, frozen=True):
    """A part of the state: its name and its type as written."""

    name: str
    type: tree.TypeExpression


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """A machine.

    init, next
        The names of what it begins with, and of its steps.
    form
        Whether `next` relates two states, or gives the next one.
    begins
        Whether `init` is the first state itself, and no condition on it.
    """

    variables: tuple[Variable, ...]
    init: str
    next: str
    form: Form
    begins: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(each.name for each in self.variables)

    def first(self, state: Sequence[str]) -> tree.Expression:
        """That a run may begin in the state that has these names."""
        names = _named(state)
        if self.begins:
            return tree.Call("equals", (names[0], tree.Name(self.init)))
        return tree.Call(self.init, names)

    def step(self, state: Sequence[str], after: Sequence[str]) -> tree.Expression:
        """That one state may follow another."""
        return self.step_from(_named(state), after)

    def step_from(self, values: tuple[tree.Expression, ...], after: Sequence[str]) -> tree.Expression:
        """That a state may follow the one that has these values."""
        if self.form == "relation":
            return tree.Call(self.next, (*values, *_named(after)))
        following = parse_expression(f"({', '.join(after)})", file=FILE)
        return tree.Call("equals", (following, tree.Call(self.next, values)))


def read_machine(theory: Theory, *, init: str = "init", step: str = "next", state: str = "") -> Machine:
    """The machine of a theory, by the names of its definitions.

    `state` is the type of the state, where several machines implement one structure.  Raises `ElaborationError` where there
    is none, or where its two parts do not fit.
    """
    first, following = theory.definitions.get(init), theory.definitions.get(step)
    if first is not None and following is not None and not state:
        return _defined(theory, first, following)
    found = _implemented(theory, init, step)
    fitting = [each for each in found if not state or print_type(each.variables[0].type) == state]
    if len(fitting) == 1:
        return fitting[0]
    if found:
        types = tuple(print_type(each.variables[0].type) for each in found)
        raise ElaborationError(
            f"there are {len(found)} machines: say of which type the state is"
            if not state
            else f"no machine has a state of type {state}",
            code="machine-missing",
            found=state,
            expected=types,
            hint=f"state {types[0]}",
        )
    missing = init if first is None else step
    near = nearest(missing, theory.definitions)
    raise ElaborationError(
        f"no definition {missing} says {'how a run begins' if missing == init else 'what a step is'}",
        code="machine-missing",
        found=missing,
        expected=(f"define {init}(…)", f"define {step}(…)"),
        hint=f"did you mean {near[0]}?"
        if near
        else f"write define {init}(x : ℤ) = x = 0 and define {step}(x : ℤ, y : ℤ) = y = x + 1, or name others",
    )


# ── Definitions ──────────────────────────────────────────────────────────────────────────────────────────────


def _defined(theory: Theory, first: tree.FunctionDefinition, following: tree.FunctionDefinition) -> Machine:
    parameters = first.parameters
    begins = not parameters
    if begins:
        parameters = following.parameters[:1]
    if not parameters:
        raise _ill_formed(theory, following, f"{following.name} takes no state", "a step begins in a state")
    variables = []
    for each in parameters:
        if each.type is None:
            where = following if begins else first
            raise _ill_formed(
                theory,
                where,
                f"the variable {each.name} of the state has no type",
                f"write {where.name}({each.name} : ℤ, …)",
            )
        variables.append(Variable(each.name, each.type))
    count, given = len(variables), len(following.parameters)
    if given not in (count, 2 * count):
        raise _ill_formed(
            theory,
            following,
            f"{following.name} has {given} parameters, and the state has {count} variables",
            f"a step has {2 * count} parameters, two states, or {count} and gives the next state",
        )
    return Machine(
        variables=tuple(variables),
        init=first.name,
        next=following.name,
        form="function" if given == count else "relation",
        begins=begins,
    )


def _ill_formed(theory: Theory, node: tree.FunctionDefinition, message: str, hint: str) -> ElaborationError:
    place = place_of(node, theory.file_of(node.name))
    return ElaborationError(
        message, code="machine-form", file=place.file, line=place.line, column=place.column, hint=hint
    )


# ── Implementations ──────────────────────────────────────────────────────────────────────────────────────────


def _implemented(theory: Theory, init: str, step: str) -> list[Machine]:
    """The machines that `implements` declares, in order."""
    found = []
    for each in theory.implementations:
        members = {member.name: member for member in each.members}
        first, following = members.get(init), members.get(step)
        if (
            len(each.arguments) != 1
            or not isinstance(first, tree.OperationImplementation | tree.ElementImplementation)
            or not isinstance(following, tree.OperationImplementation)
        ):
            continue
        relation = len(_parameters(following)) == 2
        found.append(
            Machine(
                variables=(Variable(_STATE, each.arguments[0]),),
                init=init,
                next=step,
                form="relation" if relation else "function",
                begins=isinstance(first, tree.ElementImplementation),
            )
        )
    return found


def _parameters(operation: tree.OperationImplementation) -> tuple[tree.Parameter, ...]:
    """The parameters of an operation, also of one that is given as a λ."""
    if operation.parameters or not isinstance(operation.body, tree.Lambda):
        return operation.parameters
    return operation.body.parameters


def _named(names: Sequence[str]) -> tuple[tree.Expression, ...]:
    return tuple(tree.Name(each) for each in names)
