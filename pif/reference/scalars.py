"""Nodes for arithmetic, comparison and logic."""

from __future__ import annotations

from pif.language import primitives as table
from pif.language.values import Value
from pif.reference.equality import equal
from pif.reference.machine import Env, Machine, Node, One, Two

__all__ = ["SCALAR_OPERATIONS", "SMALL"]

SMALL = 2**30 - 1
"""Integers below this in magnitude are one digit of CPython's, quickest to compare; no charge or limit touches them."""


class Numeric(Two):
    """An operation on two integers."""

    __slots__ = ()

    def not_integers(self, operation: str, left: Value, right: Value) -> None:
        if type(left) is not int:
            self.left.wrong_type(operation, left, "an integer")
        self.right.wrong_type(operation, right, "an integer")

    def weigh_sum(self, operation: str, left: int, right: int, value: int, run: Machine) -> None:
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
            self.weigh_sum("add", left, right, left + right, run)
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
            self.weigh_sum("sub", left, right, left - right, run)
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
            self.weigh(left, right, run)
        return left * right

    def weigh(self, left: int, right: int, run: Machine) -> None:
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

    def weigh(self, left: Value, right: Value, run: Machine) -> None:
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
            self.weigh(left, right, run)
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
            self.weigh(left, right, run)
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
            self.weigh(left, right, run)
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
            self.weigh(left, right, run)
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
