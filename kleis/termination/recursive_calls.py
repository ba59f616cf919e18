"""The recursive calls of a group of definitions, each with the path that leads to it.

Why a path may be assumed.  The value of a definition depends on a call only where the path is taken.
    * A `Conditional` is strict in its condition, so in a branch the condition is true or false (`certain`).
    * ``a ∧ b`` is false where a is false, so b matters only where a is *not false*: true, or undefined.  Likewise
      for ∨ (not true) and → (not false).  These are facts only of conditions that always have a value.
    * `Let` and calls are strict: the value of a variable, and the arguments, are defined.
Nothing is assumed of what a λ or a quantifier binds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

import msgspec

from kleis import core
from kleis.core.traversal import parts

__all__ = ["Bound", "Call", "Condition", "Step", "always_defined", "recursive_calls", "term_text"]


class Condition(msgspec.Struct, frozen=True):
    """A condition on the path: true if it `holds`, else false; if not `certain`, it may also be undefined."""

    formula: core.Term
    holds: bool
    certain: bool


class Bound(msgspec.Struct, frozen=True):
    """A variable of a `Let` on the path."""

    variable: core.Variable
    value: core.Term


Step: TypeAlias = Condition | Bound


class Call(msgspec.Struct, frozen=True):
    """A call of a definition of the group.

    `within` says what binds around it: "", "λ" or a quantifier.
    """

    caller: core.Definition
    callee: core.Definition
    arguments: tuple[core.Term, ...]
    path: tuple[Step, ...]
    within: str

    def values(self) -> dict[str, core.Term]:
        """The values of the variables that `Let` binds on the path."""
        return {step.variable.name: step.value for step in self.path if isinstance(step, Bound)}

    def __str__(self) -> str:
        return f"{self.callee.name}({', '.join(map(term_text, self.arguments))})"


def recursive_calls(group: Collection[core.Definition]) -> tuple[Call, ...]:
    """All calls of the group from within the group, in order of the text."""
    members = {definition.key: definition for definition in group}
    found: list[Call] = []
    for definition in group:
        found.extend(_calls(definition.body, definition, members, (), ""))
    return tuple(found)


def _calls(
    term: core.Term,
    caller: core.Definition,
    members: dict[str, core.Definition],
    path: tuple[Step, ...],
    within: str,
) -> Iterator[Call]:
    if isinstance(term, core.DefinitionCall) and term.definition in members:
        yield Call(caller, members[term.definition], term.arguments, path, within)
    if isinstance(term, core.Lambda):
        within = "λ"
    elif isinstance(term, core.Quantifier):
        within = "∀" if term.kind == "forall" else "∃"
    for part, steps in _ways(term):
        yield from _calls(part, caller, members, (*path, *steps), within)


def _ways(term: core.Term) -> Iterator[tuple[core.Term, tuple[Step, ...]]]:
    """The parts of a term, each with the steps that lead to it."""
    match term:
        case core.Conditional(condition=condition, consequent=consequent, alternative=alternative):
            yield condition, ()
            yield consequent, (Condition(condition, True, True),)
            yield alternative, (Condition(condition, False, True),)
        case core.Let(variable=variable, value=value, body=body):
            yield value, ()
            yield body, (Bound(variable, value),)
        case core.Connective(name=name, arguments=arguments):
            for index, argument in enumerate(arguments):
                yield argument, tuple(Condition(each, name != "or", False) for each in arguments[:index])
        case _:
            for part in parts(term):
                yield part, ()


_PARTIAL = core.Selection | core.Narrowing | core.Undefined | core.DefinitionCall | core.Application
"""Terms that may be undefined although their parts are not.  (A λ is a value, an application of it may not be.)"""


def always_defined(term: core.Term) -> bool:
    """Whether a term has a value wherever its variables have one, as far as its form shows."""
    if isinstance(term, _PARTIAL):
        return False
    if isinstance(term, core.Lambda | core.Variable):
        return True
    if isinstance(term, core.BuiltinCall) and term.operation.condition is not None and not _divides(term):
        return False
    return all(always_defined(part) for part in parts(term))


def _divides(term: core.BuiltinCall) -> bool:
    """Whether a call is a division by a numeral that is not 0."""
    if term.operation.name not in ("div", "mod", "divide") or len(term.arguments) != 2:
        return False
    divisor = term.arguments[1]
    while isinstance(divisor, core.Coercion):
        divisor = divisor.term
    return isinstance(divisor, core.LiteralTerm) and divisor.value != 0


_SIGNS = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "divide": "/",
    "power": "^",
    "leq": "≤",
    "less_than": "<",
    "geq": "≥",
    "greater_than": ">",
    "neq": "≠",
    "and": "∧",
    "or": "∨",
    "implies": "→",
}

_SHOWN = 12
"""How many levels of a term are shown."""


def term_text(term: core.Term, depth: int = _SHOWN) -> str:
    """A term for a message: coercions and sorts are left out, what is deep is cut."""
    if depth <= 0:
        return "…"

    def shown(each: core.Term) -> str:
        return term_text(each, depth - 1)

    match term:
        case core.Variable(name=name):
            return name
        case core.LiteralTerm(value=bool(value)):
            return "true" if value else "false"
        case core.LiteralTerm(value=str(value)):
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case core.LiteralTerm(value=value):
            return str(value)
        case core.Coercion(term=inner) | core.Narrowing(term=inner):
            return term_text(inner, depth)
        case core.BuiltinCall(operation=operation, arguments=arguments):
            return _applied(operation.name, [shown(each) for each in arguments])
        case core.Connective(name="not", arguments=(inner,)):
            return f"¬{shown(inner)}"
        case core.Connective(name=name, arguments=arguments):
            return _applied(name, [shown(each) for each in arguments])
        case core.Equals(left=left, right=right):
            return f"({shown(left)} = {shown(right)})"
        case core.Conditional(condition=condition, consequent=consequent, alternative=alternative):
            return f"(if {shown(condition)} then {shown(consequent)} else {shown(alternative)})"
        case core.Discrimination(constructor=constructor, term=inner):
            return f"is_{constructor.name}({shown(inner)})"
        case core.Selection(constructor=constructor, index=index, term=inner):
            return f"{constructor.name}{constructor.fields[index].name}({shown(inner)})"
        case core.Let(variable=variable, value=value, body=body):
            return f"(let {variable.name} = {shown(value)} in {shown(body)})"
        case core.SymbolCall(symbol=symbol, arguments=()):
            return symbol.name
        case core.SymbolCall(symbol=symbol, arguments=arguments):
            return f"{symbol.name}({', '.join(map(shown, arguments))})"
        case core.Construction(constructor=constructor, arguments=()):
            return constructor.name
        case core.Construction(constructor=constructor, arguments=arguments):
            return f"{constructor.name}({', '.join(map(shown, arguments))})"
        case core.DefinitionCall(definition=key, arguments=arguments):
            return f"{key}({', '.join(map(shown, arguments))})"
        case core.Application(function=function, arguments=arguments):
            return f"{shown(function)}({', '.join(map(shown, arguments))})"
        case core.Lambda(variables=variables, body=body):
            return f"(λ {' '.join(each.name for each in variables)} . {shown(body)})"
        case core.Quantifier(kind=kind, variables=variables, body=body):
            sign = "∀" if kind == "forall" else "∃"
            return f"({sign}({' '.join(each.name for each in variables)}) {shown(body)})"
        case core.Undefined():
            return "undefined"


def _applied(name: str, arguments: list[str]) -> str:
    sign = _SIGNS.get(name)
    if sign and len(arguments) > 1:
        return "(" + f" {sign} ".join(arguments) + ")"
    return f"{name}({', '.join(arguments)})"
