"""Functions of a script, written in an order that solvers read.

A recursive function is written in one of two ways: by ``define-funs-rec``, or as an unknown function with its equation
for every way to construct the arguments that its body takes apart, the call being the pattern.
"""

from __future__ import annotations

import re
from itertools import count, product

import msgspec

from kleis.prover.checker.translation.text import TRUE, binder, call, choice, implication

__all__ = ["Function", "Program"]

_Fields = tuple[tuple[str, str], ...]
_NAMES = re.compile(r"\bf\d+\b")
_MOST_EQUATIONS = 16


class Function(msgspec.Struct, frozen=True):
    """A function of a script.

    parameters
        Names with sorts.
    where
        The formula where the body is its value; elsewhere it may have any.
    cases
        For some of the first parameters the constructors with names and sorts of their fields, if the body takes them
        apart; else nothing.
    """

    name: str
    parameters: tuple[tuple[str, str], ...]
    result: str
    body: str
    where: str = TRUE
    cases: tuple[tuple[tuple[str, _Fields], ...], ...] = ()


class Program:
    """What a script declares, in parts that are written one after the other."""

    def __init__(self) -> None:
        self.sorts: list[str] = []
        self.constants: list[str] = []
        self.functions: dict[str, Function] = {}
        self.facts: list[str] = []
        self.opaque: set[str] = set()  # functions that patterns mention: solvers expand others before
        self._numbers = count(1)

    def fresh(self, prefix: str) -> str:
        """A name that nothing else has."""
        return f"{prefix}{next(self._numbers)}"

    def lines(self, *, equations: bool) -> list[str]:
        """All declarations and facts."""
        lines = [*self.sorts, *self.constants]
        quantified: set[str] = set()
        for group in self._groups():
            members = [self.functions[name] for name in group]
            called = {name for each in members for name in _called(each)}
            texts = [each.body + each.where for each in members]
            if called & quantified or any("(forall " in each or "(exists " in each for each in texts):
                quantified.update(group)
            recursive = bool(called.intersection(group))
            if not recursive and not self.opaque.intersection(group):
                lines += _plain(members[0])
            elif equations or not recursive or quantified.intersection(group):
                lines += [line for each in members for line in _declared(each)]
                lines += [line for each in members for line in _equations(each)]
            else:
                lines += _recursive(members)
        return [*lines, *(f"(assert {each})" for each in self.facts)]

    def _groups(self) -> list[list[str]]:
        """The functions by mutual recursion, callees first (Tarjan)."""
        found: dict[str, int] = {}
        low: dict[str, int] = {}
        open_ones: list[str] = []
        groups: list[list[str]] = []

        def visit(name: str) -> None:
            found[name] = low[name] = len(found)
            open_ones.append(name)
            for other in _called(self.functions[name]):
                if other not in self.functions:
                    continue  # it stands in a string
                if other not in found:
                    visit(other)
                if other in open_ones:
                    low[name] = min(low[name], low[other])
            if low[name] == found[name]:
                at = open_ones.index(name)
                groups.append(open_ones[at:])
                del open_ones[at:]

        for name in self.functions:
            if name not in found:
                visit(name)
        return groups


def _called(function: Function) -> list[str]:
    return list(dict.fromkeys(_NAMES.findall(function.body) + _NAMES.findall(function.where)))


def _plain(function: Function) -> list[str]:
    return [f"(define-fun {_signature(function)} {function.body})"]


def _declared(function: Function) -> list[str]:
    sorts = " ".join(sort for _, sort in function.parameters)
    return [f"(declare-fun {function.name} ({sorts}) {function.result})"]


def _signature(function: Function) -> str:
    listed = " ".join(f"({name} {sort})" for name, sort in function.parameters)
    return f"{function.name} ({listed}) {function.result}"


def _recursive(members: list[Function]) -> list[str]:
    lines, bodies = [], []
    for each in members:
        other = msgspec.structs.replace(each, name=f"j-{each.name}")
        if each.where != TRUE:
            lines += _declared(other)
        given = [name for name, _ in each.parameters]
        bodies.append(choice(each.where, each.body, call(other.name, given)))
    heads = " ".join(f"({_signature(each)})" for each in members)
    return [*lines, f"(define-funs-rec ({heads}) ({' '.join(bodies)}))"]


def _equations(function: Function) -> list[str]:
    names = [name for name, _ in function.parameters]
    choices: list[list[tuple[str, _Fields]]] = []
    total = 1
    for place, parameter in enumerate(function.parameters):
        made = function.cases[place] if place < len(function.cases) else ()
        total *= max(1, len(made))
        if not made or total > _MOST_EQUATIONS:
            choices.append([(parameter[0], (parameter,))])
            continue
        choices.append([])
        for constructor, fields in made:
            own = tuple((f"{parameter[0]}-{name}", sort) for name, sort in fields)
            choices[-1].append((call(constructor, (name for name, _ in own)), own))
    lines = []
    for combination in product(*choices):
        given = [text for text, _ in combination]
        left = call(function.name, given)
        body = binder(
            "let",
            [(n, t) for n, t in zip(names, given, strict=True) if n != t],
            implication(function.where, f"(= {left} {function.body})"),
        )
        bound = [each for _, fields in combination for each in fields]
        lines.append(f"(assert {binder('forall', bound, body, left)})")
    return lines
