"""Models of Z3 as plain data: values of variables, tables of symbols, elements of carriers.

See docs/reference/proving.md §5.5.  A witness is not trusted: it is evaluated (`kleis.prover.evidence`) before it is
shown.

Invariants
    * Values are those of the reference semantics (`kleis.semantics.ranges`): exact numbers, strings with their real
      characters, `Data`, `ListValue`, `BitVector`, `SetValue`; an element of a carrier is an `Element`.
    * A value that cannot be written exactly (an algebraic number, a set over functions) is left out, and its name is in
      `unread`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from kleis import core
from kleis.budget import Budget
from kleis.builtins.row import Context
from kleis.core.goal import Goal
from kleis.core.sort_printing import sort_text
from kleis.prover.engines.solvers.runs import library
from kleis.prover.protocol.witness import FunctionTable, Witness
from kleis.prover.smt.encode_sorts import Sorts
from kleis.prover.smt.script import Script
from kleis.semantics.ranges import Element, constructed
from kleis.values import BitVector, SetValue, Value, complex_value, equality_key, exact
from kleis.values.text import signed_integer

__all__ = ["UnreadableError", "decoded", "read_witness"]


class UnreadableError(Exception):
    """A value of a model that cannot be written exactly."""


_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")


def decoded(text: str) -> str:
    """A string with its real characters, from a solver's escapes."""
    return _ESCAPE.sub(lambda found: chr(int(found[1] or found[2] or found[3], 16)), text)


def read_witness(goal: Goal, script: Script, model: Any, *, undefined: bool) -> Witness:
    """The values of the variables and symbols of a script in a model."""
    reader = _Reader(goal, model)
    assignment: dict[str, Any] = {}
    unread: list[str] = []
    for constant in script.constants:
        variable = constant.variable
        sorts = variable.sort.domain if isinstance(variable.sort, core.FunctionOf) else ()
        result = variable.sort.codomain if isinstance(variable.sort, core.FunctionOf) else variable.sort
        try:
            assignment[variable.name] = reader.interpretation(constant.name, sorts, result)
        except UnreadableError:
            unread.append(variable.name)
    symbols = []
    for symbol, name in script.symbols:
        try:
            symbols.append((symbol, reader.interpretation(name, symbol.domain, symbol.codomain)))
        except UnreadableError:
            unread.append(symbol.name)
    return Witness(
        assignment=assignment,
        symbols=tuple(symbols),
        carriers=reader.carriers(),
        undefined=undefined,
        unread=tuple(unread),
    )


class _Reader:
    """Reads one model."""

    def __init__(self, goal: Goal, model: Any) -> None:
        self._z3 = library()
        self._goal = goal
        self._sorts = Sorts(goal)
        self._model = model
        self._context = Context(Budget())
        self._declared = {each.name(): each for each in model.decls()}
        self._elements: dict[str, list[str]] = {}

    def carriers(self) -> dict[str, int]:
        """The number of elements of each carrier in the model."""
        sizes: dict[str, int] = {}
        for sort in self._goal.carriers:
            universe = self._universe(sort)
            sizes[sort_text(sort)] = max(1, len(universe))
        return sizes

    def interpretation(self, name: str, domain: Sequence[core.Sort], result: core.Sort) -> Any:
        """The value of a constant, or the table of a function; where the model has none, any value will do."""
        declaration = self._declared.get(name.strip("|"))
        if declaration is None:
            return self._any(result) if not domain else FunctionTable((), self._any(result))
        if not domain:
            return self.value(self._model.eval(declaration(), model_completion=True), result)
        if all(isinstance(sort, core.Carrier) or sort == core.BOOL for sort in domain):
            return self._whole_table(declaration, domain, result)
        found = self._model[declaration]
        rows = []
        for index in range(found.num_entries()):
            entry = found.entry(index)
            given = tuple(self.value(entry.arg_value(place), sort) for place, sort in enumerate(domain))
            rows.append((given, self.value(entry.value(), result)))
        return FunctionTable(tuple(rows), self.value(found.else_value(), result))

    def _whole_table(self, declaration: Any, domain: Sequence[core.Sort], result: core.Sort) -> FunctionTable:
        """The whole table of a function on finite sorts."""
        ranges = [self._all_of(sort) for sort in domain]
        if prod(map(len, ranges)) > _LARGEST_TABLE:
            raise UnreadableError
        rows = []
        for arguments in product(*ranges):
            called = self._model.eval(declaration(*arguments), model_completion=True)
            given = tuple(self.value(each, sort) for each, sort in zip(arguments, domain, strict=True))
            rows.append((given, self.value(called, result)))
        return FunctionTable(tuple(rows))

    def _all_of(self, sort: core.Sort) -> list[Any]:
        """All values of a finite sort, as terms of Z3."""
        z3, context = self._z3, self._model.ctx
        if sort == core.BOOL:
            return [z3.BoolVal(False, context), z3.BoolVal(True, context)]
        name = self._sorts.name(sort).strip("|")
        found = [each for each in self._model.sorts() if each.name() == name]
        if found:
            return list(self._model.get_universe(found[0]))
        # The model has no universe of a sort of which nothing is asked: one element is enough.
        return [z3.Const(f"{name}!val!0", z3.DeclareSort(name, context))]

    def _any(self, sort: core.Sort) -> Value:
        """Some value of a sort that the model does not mention."""
        match sort:
            case core.Basic(name="Bool"):
                return False
            case core.Basic(name="String"):
                return ""
            case core.Numeric():
                return 0
            case core.BitVec(width=width):
                return BitVector(width, 0)
            case core.SetOf():
                return SetValue({})
            case core.Carrier():
                return Element(sort.name, 0)
            case _:
                return self._smallest(sort, 0)

    def _smallest(self, sort: core.Sort, depth: int) -> Value:
        if depth > _DEEPEST:
            raise UnreadableError
        for constructor in sorted(self._sorts.constructors(sort), key=lambda each: len(each.fields)):
            if not any(field.sort == sort for field in constructor.fields):
                fields = [
                    self._smallest(field.sort, depth + 1)
                    if self._sorts.constructors(field.sort)
                    else self._any(field.sort)
                    for field in constructor.fields
                ]
                return constructed(constructor, tuple(fields))
        raise UnreadableError

    # ── values ───────────────────────────────────────────────────────────────────────────────────────────

    def value(self, expression: Any, sort: core.Sort) -> Value:
        """A value of a model."""
        z3 = self._z3
        match sort:
            case core.Basic(name="Bool"):
                if z3.is_true(expression) or z3.is_false(expression):
                    return bool(z3.is_true(expression))
            case core.Basic(name="String"):
                if z3.is_string_value(expression):
                    return decoded(expression.as_string())
            case core.Numeric():
                return self._number(expression)
            case core.BitVec(width=width):
                if z3.is_bv_value(expression):
                    return BitVector(width, expression.as_long())
            case core.Carrier():
                return self._element(expression, sort)
            case core.SetOf(element=element):
                return self._set(expression, element)
            case _:
                return self._construction(expression, sort)
        raise UnreadableError

    def _number(self, expression: Any) -> Value:
        if self._z3.is_app(expression) and expression.decl().name() == "c:complex":
            real, imaginary = expression.children()
            return complex_value(self._rational(real), self._rational(imaginary))
        return self._rational(expression)

    def _rational(self, expression: Any) -> int | Fraction:
        if self._z3.is_int_value(expression):
            return signed_integer(expression.as_string())
        if self._z3.is_rational_value(expression):
            top, bottom = expression.numerator().as_string(), expression.denominator().as_string()
            return exact(Fraction(signed_integer(top), signed_integer(bottom)))
        raise UnreadableError

    def _universe(self, sort: core.Sort) -> list[str]:
        name = self._sorts.name(sort)
        if name not in self._elements:
            bare = name.strip("|")
            found = [each for each in self._model.sorts() if each.name() == bare]
            elements = self._model.get_universe(found[0]) if found else None
            self._elements[name] = [each.decl().name() for each in elements or ()]
        return self._elements[name]

    def _element(self, expression: Any, sort: core.Carrier) -> Value:
        if not self._z3.is_app(expression):
            raise UnreadableError
        name = expression.decl().name()
        universe = self._universe(sort)
        if name not in universe:
            universe.append(name)
        return Element(sort.name, universe.index(name))

    def _set(self, expression: Any, element: core.Sort) -> Value:
        """A set from the stores that make it."""
        z3 = self._z3
        stores = []
        while z3.is_store(expression):
            array, member, holds = expression.children()
            stores.append((self.value(member, element), bool(z3.is_true(holds))))
            expression = array
        if not z3.is_K(expression):
            raise UnreadableError
        complement = bool(z3.is_true(expression.children()[0]))
        members: dict[Any, Value] = {}
        for value, holds in reversed(stores):
            key = equality_key(value, self._context)
            if holds != complement:
                members[key] = value
            else:
                members.pop(key, None)
        return SetValue(members, complement)

    def _construction(self, expression: Any, sort: core.Sort) -> Value:
        """A value of a data type, list, tuple or record."""
        if not self._z3.is_app(expression):
            raise UnreadableError
        name = expression.decl().name()
        for constructor in self._sorts.constructors(sort):
            if self._sorts.constructor(constructor).strip("|") == name:
                parts = zip(expression.children(), constructor.fields, strict=True)
                return constructed(constructor, tuple(self.value(part, field.sort) for part, field in parts))
        raise UnreadableError


_DEEPEST = 20
_LARGEST_TABLE = 4_096
