"""Nodes for arithmetic, comparison, logic and equality."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any, Protocol

from pif.language import primitives as table
from pif.language.terms import same_term, text_charge
from pif.language.values import Closure, Quoted, Record, Value
from pif.reference.machine import Env, Machine, Node, One, Two

__all__ = ["SCALAR_OPERATIONS", "SMALL", "equal"]

SMALL = 2**30 - 1


class Numeric(Two):
    """An operation on two integers."""

    __slots__ = ()

    def not_integers(self, operation: str, left: Value, right: Value) -> None:
        if type(left) is not int:
            self.left.wrong_type(operation, left, "an integer")
        self.right.wrong_type(operation, right, "an integer")

    def check_sum_size(self, operation: str, left: int, right: int, value: int, run: Machine) -> None:
        """The size test and the charge of a sum or difference; making the value first costs no more than the charge."""
        if value.bit_length() > run.budget.integer_bits:
            self.too_large(operation, value.bit_length(), run)
        run.charge(table.charge_linear(left, right), self)

    def too_large(self, operation: str, bits: int, run: Machine) -> None:
        self.fail(
            "value_too_large",
            f"the result of `{operation}` would have more than {run.budget.integer_bits} bits",
            found=f"about {bits} bits",
            expected=f"at most {run.budget.integer_bits} bits",
            hint="Reduce with `mod`, or keep large numbers as lists of digits.",
        )


class Add(Numeric):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if type(left) is not int or type(right) is not int:
            self.not_integers("add", left, right)
        if not (-SMALL < left < SMALL and -SMALL < right < SMALL):
            self.check_sum_size("add", left, right, left + right, run)
        return left + right


class Sub(Numeric):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if type(left) is not int or type(right) is not int:
            self.not_integers("sub", left, right)
        if not (-SMALL < left < SMALL and -SMALL < right < SMALL):
            self.check_sum_size("sub", left, right, left - right, run)
        return left - right


class Mul(Numeric):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if type(left) is not int or type(right) is not int:
            self.not_integers("mul", left, right)
        if not (-SMALL < left < SMALL and -SMALL < right < SMALL):
            self.check_size(left, right, run)
        return left * right

    def check_size(self, left: int, right: int, run: Machine) -> None:
        """The size test and the charge: by the operands' sizes where those decide, else by the product."""
        bits = left.bit_length() + right.bit_length() - 1
        limit = run.budget.integer_bits
        if left and right and (bits > limit or (bits == limit and (left * right).bit_length() > limit)):
            self.too_large("mul", bits, run)
        run.charge(table.charge_product(left, right), self)


class Div(Numeric):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if type(left) is not int or type(right) is not int:
            self.not_integers("div", left, right)
        if not (-SMALL < left < SMALL and -SMALL < right < SMALL):
            run.charge(table.charge_product(left, right), self)
        if right == 0:
            divided_by_zero(self, "div")
        return left // right


class Mod(Numeric):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if type(left) is not int or type(right) is not int:
            self.not_integers("mod", left, right)
        if not (-SMALL < left < SMALL and -SMALL < right < SMALL):
            run.charge(table.charge_product(left, right), self)
        if right == 0:
            divided_by_zero(self, "mod")
        return left % right


def divided_by_zero(node: Node, operation: str) -> None:
    node.fail(
        "division_by_zero", f"`{operation}` by zero", expected="a divisor other than 0",
        hint="Test the divisor with `eq` and `if` first.",
    )  # fmt: skip


class Order(Two):
    """`lt`, `lte`, `gt`, `gte`: two integers, or two strings by code points."""

    __slots__ = ()

    operation = ""

    def check_size(self, left: Value, right: Value, run: Machine) -> None:
        """The type tests and charges where the operands are not two small integers."""
        if type(left) is int and type(right) is int:
            run.charge(table.charge_linear(left, right), self)
        elif type(left) is str and type(right) is str:
            run.charge(table.charge_text_walk(max(len(left), len(right))), self)
        elif type(left) is int or type(left) is str:
            expected = "an integer" if type(left) is int else "a string"
            self.right.wrong_type(self.operation, right, f"{expected} like its first operand")
        else:
            self.left.wrong_type(self.operation, left, "two integers or two strings")


class Lt(Order):
    __slots__ = ()

    operation = "lt"

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if (
            type(left) is not int
            or type(right) is not int
            or not (-SMALL < left < SMALL and -SMALL < right < SMALL)
        ):
            self.check_size(left, right, run)
        return left < right


class Lte(Order):
    __slots__ = ()

    operation = "lte"

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if (
            type(left) is not int
            or type(right) is not int
            or not (-SMALL < left < SMALL and -SMALL < right < SMALL)
        ):
            self.check_size(left, right, run)
        return left <= right


class Gt(Order):
    __slots__ = ()

    operation = "gt"

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if (
            type(left) is not int
            or type(right) is not int
            or not (-SMALL < left < SMALL and -SMALL < right < SMALL)
        ):
            self.check_size(left, right, run)
        return left > right


class Gte(Order):
    __slots__ = ()

    operation = "gte"

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if (
            type(left) is not int
            or type(right) is not int
            or not (-SMALL < left < SMALL and -SMALL < right < SMALL)
        ):
            self.check_size(left, right, run)
        return left >= right


class Eq(Two):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        right = self.right.ev(env, depth - 1, run)
        if type(left) is int and type(right) is int and -SMALL < left < SMALL and -SMALL < right < SMALL:
            run.fuel = fuel = run.fuel - 1
            if fuel < 0:
                run.refill(self)
            return left == right
        return equal(left, right, run, self)


class And(Two):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        if left is False:
            return False
        if left is not True:
            self.left.wrong_type("and", left, "a boolean")
        right = self.right.ev(env, depth - 1, run)
        if type(right) is not bool:
            self.right.wrong_type("and", right, "a boolean")
        return right


class Or(Two):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        left = self.left.ev(env, depth - 1, run)
        if left is True:
            return True
        if left is not False:
            self.left.wrong_type("or", left, "a boolean")
        right = self.right.ev(env, depth - 1, run)
        if type(right) is not bool:
            self.right.wrong_type("or", right, "a boolean")
        return right


class Not(One):
    __slots__ = ()

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        value = self.operand.ev(env, depth - 1, run)
        if type(value) is not bool:
            self.operand.wrong_type("not", value, "a boolean")
        return not value


SCALAR_OPERATIONS: dict[str, type[One] | type[Two]] = {
    "add": Add,
    "sub": Sub,
    "mul": Mul,
    "div": Div,
    "mod": Mod,
    "eq": Eq,
    "lt": Lt,
    "lte": Lte,
    "gt": Gt,
    "gte": Gte,
    "and": And,
    "or": Or,
    "not": Not,
}


# `eq`: structural equality of data, charged for every value it visits (docs/reference/pif.md §2.3).
#
# Both sides are walked together in pre-order. After the first difference the walk goes on, because a function anywhere
# inside either side is a `type_error` whatever stands before it.

_ABSENT: Any = object()

_FUNCTIONS = (Closure, FunctionType)

_VALUES, _CELLS, _FIELDS = range(3)

_DUE = 256
"""Charges that are gathered before they are taken, all of them before an error."""


class Meter(Protocol):
    """What is charged: a machine, or compiled code's runtime."""

    def charge(self, amount: int, node: Any) -> None: ...


def equal(left: Value, right: Value, run: Meter, node: Any) -> bool:
    """Whether two values are equal. `node` is the `Eq` that asks: it is charged, and its operands bear the errors."""
    same = True
    due = 0
    stack: list[tuple[int, Any, Any]] = [(_VALUES, left, right)]
    while stack:
        what, a, b = stack.pop()
        if what == _CELLS:
            if a or b:
                head_a, tail_a = (a[0], a[1]) if a else (_ABSENT, a)
                head_b, tail_b = (b[0], b[1]) if b else (_ABSENT, b)
                if tail_a or tail_b:
                    stack.append((_CELLS, tail_a, tail_b))
                stack.append((_VALUES, head_a, head_b))
            continue
        if what == _FIELDS:
            pair = next(a, None)
            if pair is not None:
                stack += ((_FIELDS, a, b), (_VALUES, *pair))
            continue
        due += 1
        if due > _DUE:
            run.charge(due, node)
            due = 0
        kind = type(a)
        other = type(b)
        if kind in _FUNCTIONS or other in _FUNCTIONS:
            run.charge(due, node)
            _refuse_function(node.left if kind in _FUNCTIONS else node.right)
        if kind is not other or (kind is tuple and (len(a) == 2) != (len(b) == 2)):
            same = False
            stack += _parts(b, on_right=True)
            stack += _parts(a, on_right=False)
            due += _own_charge(a) + _own_charge(b)
        elif kind is tuple:
            if len(a) == 2:
                stack += ((_VALUES, a[1], b[1]), (_VALUES, a[0], b[0]))
            else:
                same = same and bool(a) == bool(b) and (not a or a[2] == b[2])
                stack.append((_CELLS, a, b))
        elif kind is Record:
            names, others = list(a.fields), list(b.fields)
            due += _names_charge(names)
            if names != others:
                same = False
                due += max(0, _names_charge(others) - _names_charge(names))
                stack += _waiting(_matched(a.fields, b.fields), len(names) + len(others))
            elif len(names) > _FEW:
                stack.append((_FIELDS, zip(a.fields.values(), b.fields.values(), strict=True), None))
            else:
                names.reverse()
                for name in names:
                    stack.append((_VALUES, a.fields[name], b.fields[name]))
        else:
            due += max(_own_charge(a), _own_charge(b))
            if due > _DUE:
                run.charge(due, node)
                due = 0
            same = same and (same_term(a.term, b.term) if kind is Quoted else a == b)
    run.charge(due, node)
    return same


def _parts(value: Value, *, on_right: bool) -> list[tuple[int, Any, Any]]:
    """What is left to walk of a value that has no counterpart."""
    if type(value) is tuple:
        if len(value) == 2:
            found = [value[1], value[0]]
        else:
            return [(_CELLS, (), value) if on_right else (_CELLS, value, ())]
    elif type(value) is Record:
        fields = value.fields.values()
        pairs = ((_ABSENT, field) for field in fields) if on_right else ((field, _ABSENT) for field in fields)
        return _waiting(pairs, len(fields))
    else:
        return []
    return [(_VALUES, _ABSENT, part) if on_right else (_VALUES, part, _ABSENT) for part in found]


def _waiting(pairs: Iterator[tuple[Value, Value]], at_most: int) -> list[tuple[int, Any, Any]]:
    """Pairs of fields as entries of the stack: few of them each by itself, because what is left of a walk through many
    takes more room than a field pays for."""
    if at_most > _FEW:
        return [(_FIELDS, pairs, None)]
    found: list[tuple[int, Any, Any]] = [(_VALUES, *pair) for pair in pairs]
    found.reverse()
    return found


_FEW = 16


def _matched(a: dict[str, Value], b: dict[str, Value]) -> Iterator[tuple[Value, Value]]:
    """The fields of two records in the order of their names, those of one name together."""
    others = iter(b.items())
    name, other = next(others, (None, _ABSENT))
    for own, value in a.items():
        while name is not None and name < own:
            yield _ABSENT, other
            name, other = next(others, (None, _ABSENT))
        if name == own:
            yield value, other
            name, other = next(others, (None, _ABSENT))
        else:
            yield value, _ABSENT
    if name is not None:
        yield _ABSENT, other
    for _, rest in others:
        yield _ABSENT, rest


def _own_charge(value: Value) -> int:
    kind = type(value)
    if kind is int:
        return table.limbs(value) >> 2
    if kind is str:
        return table.charge_text(len(value))
    if kind is Quoted:
        return int(value.term.nodes) + text_charge(value.term)
    if kind is Record:
        return _names_charge(list(value.fields))
    return 0


def _names_charge(names: list[str]) -> int:
    """The fields of a record: 1 each, and their names."""
    total = len(names)
    for name in names:
        total += len(name) >> 4
    return total


def _refuse_function(operand: Node) -> None:
    operand.fail(
        "type_error", "`eq` compares data; a function cannot be compared", found="function", expected="data",
        hint="Compare sources instead: `eq` of two `code_of`.",
    )  # fmt: skip
