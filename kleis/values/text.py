"""Numbers and values as text.

`render_value` writes Kleis text that parses and evaluates to the same value wherever there is such text: numbers,
strings, lists, constructors, bit-vectors, finite sets, symbolic operations.  Approximate numbers carry a leading
``≈``.  `display_text` is what a program shows to its user: a string is its own text, a matrix is drawn as a box, and
numbers are plain.  Both are iterative and stop at a limit of characters; see docs/reference/kleis.md §9.3.

Numbers are converted exactly at any size.  Python refuses to print or parse integers beyond a few thousand digits, by
a setting that is global to the process; `decimal` has no such limit, so the setting stays as the host wants it.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from kleis.budget import Meter
from kleis.syntax.operators import BINARY
from kleis.syntax.tree import TUPLES
from kleis.values.kinds import (
    BitVector,
    Complex,
    Data,
    FunctionValue,
    ListValue,
    Number,
    Regex,
    SetValue,
    Stuck,
    Suspended,
    Symbol,
    Value,
    exact,
)

__all__ = [
    "decimal_places",
    "decimal_text",
    "display_text",
    "integer_from_digits",
    "integer_text",
    "number_from_text",
    "number_text",
    "plain_text",
    "render_value",
    "signed_integer",
]

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"})
_TUPLES = frozenset(TUPLES.values())


def render_value(value: Value, *, limit: int = 20_000) -> str:
    """A value as Kleis text, cut with ``…`` after `limit` characters."""
    return _Renderer(limit, mark="≈").text(value)


def display_text(value: Value, *, limit: int = 1_000_000) -> str:
    """A value as `out` shows it."""
    if isinstance(value, str):
        return value
    plain = _Renderer(limit, mark="")
    if isinstance(value, Data) and value.constructor == "Matrix" and len(value.fields) == 3:
        return _box(value, plain)
    return plain.text(value)


class _Renderer:
    def __init__(self, limit: int, mark: str) -> None:
        self.limit = limit
        self.mark = mark

    def text(self, value: Value) -> str:
        parts: list[str] = []
        length = 0
        pending: list[Value | tuple[str]] = [value]
        while pending:
            item = pending.pop()
            # A one-element tuple is text that is already written; every value is something else.
            if isinstance(item, tuple):
                text = item[0]
            elif (children := self._children(item)) is not None:
                pending.extend(reversed(children))
                continue
            else:
                text = self._leaf(item)
            parts.append(text)
            length += len(text)
            if length > self.limit:
                return "".join(parts)[: self.limit] + "…"
        return "".join(parts)

    def _children(self, value: Value) -> list[Value | tuple[str]] | None:
        """What a composite value is written with, in order; None for a leaf."""
        match value:
            case ListValue():
                return _enclosed("[", value.items()[: self.limit], "]")
            case Data(constructor=constructor, fields=()):
                return [("()" if constructor == "Unit" else constructor,)]
            case Data(constructor=constructor, fields=fields):
                return _enclosed("(" if constructor in _TUPLES else f"{constructor}(", list(fields), ")")
            case Complex(real=real, imaginary=imaginary):
                return _enclosed("complex(", [real, imaginary], ")")
            case SetValue(members=members, complement=complement):
                return _set(list(members.values()), complement)
            case Stuck(operation=operation, arguments=arguments):
                return _operation(operation, arguments)
            case Suspended(bindings=bindings):
                return _suspended(value, bindings)
            case FunctionValue():
                return _function(value)
        return None

    def _leaf(self, value: Value) -> str:
        match value:
            case bool():
                return "true" if value else "false"
            case float():
                return self.mark + number_text(value)
            case int() | Fraction():
                return number_text(value) if self.mark else plain_text(value)
            case str():
                return f'"{value[: self.limit].translate(_ESCAPES)}"'
            case BitVector(width=width, bits=bits):
                return f"bv({bits}, {width})"
            case Regex(key=key):
                return key
            case Symbol(name=name):
                return name
            case _:
                return "…"


_Pieces = list["Value | tuple[str]"]


def _enclosed(opening: str, items: list[Value], closing: str) -> _Pieces:
    pieces: _Pieces = [(opening,)]
    for index, item in enumerate(items):
        if index:
            pieces.append((", ",))
        pieces.append(item)
    pieces.append((closing,))
    return pieces


def _set(members: list[Value], complement: bool) -> _Pieces:
    if not members:
        finite: _Pieces = [("empty_set",)]
    else:
        finite = []
        for member in members:
            finite += [("insert(",), member, (", ",)]
        finite += [("empty_set" + ")" * len(members),)]
    return [("complement(",), *finite, (")",)] if complement else finite


def _operation(operation: str, arguments: tuple[Value, ...]) -> _Pieces:
    """An operation as the printer would write it, with every operand in parentheses that could need them."""
    operator = BINARY.get(operation)
    if operation == "logical_not" and len(arguments) == 1:
        bare = isinstance(arguments[0], Symbol) or (
            isinstance(arguments[0], Stuck) and arguments[0].operation not in BINARY
        )
        return [("¬",), arguments[0]] if bare else [("¬(",), arguments[0], (")",)]
    if operator is None or len(arguments) != 2:
        return _enclosed(f"{operation}(", list(arguments), ")")
    pieces: _Pieces = []
    for index, argument in enumerate(arguments):
        if index:
            pieces.append((f" {operator.symbol} ",))
        atomic = not (
            (isinstance(argument, Stuck) and argument.operation in BINARY)
            or (
                isinstance(argument, (int, Fraction, float))
                and (argument < 0 or isinstance(argument, Fraction))
            )
            or isinstance(argument, (Suspended, FunctionValue))
        )
        pieces += [argument] if atomic else [("(",), argument, (")",)]
    return pieces


def _suspended(value: Suspended, bindings: tuple[tuple[str, Value], ...]) -> _Pieces:
    from kleis.syntax.printer.program import print_expression

    pieces = _lets(bindings)
    pieces.append((print_expression(value.expression),))
    return pieces


def _function(value: FunctionValue) -> _Pieces:
    if value.source is not None:
        from kleis.syntax.printer.program import print_expression

        names = getattr(value.target, "captured_names", ())
        function: _Pieces = _lets(tuple(zip(names, value.captured, strict=True)))
        function.append((print_expression(value.source),))
    else:
        function = [(value.name,)]
    if not value.applied:
        return function
    if value.source is not None:
        function = [("(",), *function, (")",)]
    return [*function, *_enclosed("(", list(value.applied), ", …)")]


def _lets(bindings: tuple[tuple[str, Value], ...]) -> _Pieces:
    """``let x = 3 in`` for every local name that an expression keeps."""
    pieces: _Pieces = []
    for name, value in bindings:
        if not (isinstance(value, Symbol) and value.name == name):
            pieces += [(f"let {name} = ",), value, (" in ",)]
    return pieces


def _box(matrix: Data, plain: _Renderer) -> str:
    rows, columns, entries = matrix.fields
    if not (isinstance(rows, int) and isinstance(columns, int) and isinstance(entries, ListValue)):
        return plain.text(matrix)
    if len(entries) != rows * columns or not rows or not columns:
        return plain.text(matrix)
    cells = [plain.text(entry) for entry in entries]
    widths = [max(len(cells[row * columns + column]) for row in range(rows)) for column in range(columns)]
    lines = [
        "  ".join(cells[row * columns + column].rjust(widths[column]) for column in range(columns))
        for row in range(rows)
    ]
    if rows == 1:
        return f"[{lines[0]}]"
    edges = [("⎡", "⎤"), *[("⎢", "⎥")] * (rows - 2), ("⎣", "⎦")]
    return "\n".join(f"{left}{line}{right}" for (left, right), line in zip(edges, lines, strict=True))


# ── Numbers ──────────────────────────────────────────────────────────────────────────────────────────────────

_DIRECT_DIGITS = 600


def integer_text(number: int) -> str:
    """The decimal digits of an integer."""
    return str(number) if number.bit_length() < _DIRECT_DIGITS else str(Decimal(number))


def integer_from_digits(digits: str) -> int:
    """The integer with these ASCII digits."""
    return int(digits) if len(digits) < _DIRECT_DIGITS else int(Decimal(digits))


def signed_integer(text: str) -> int:
    """The integer with this sign, if there is one, and ASCII digits; `ValueError` if it is no such text."""
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"no integer: {text[:40]!r}")
    number = integer_from_digits(digits)
    return -number if text.startswith("-") else number


def number_text(number: Number) -> str:
    """A number as plain text: ``3``, ``-1/3``, ``0.8414709848078965``."""
    if isinstance(number, float):
        text = repr(number)
        return text.removesuffix(".0")
    if isinstance(number, Fraction):
        return f"{integer_text(number.numerator)}/{integer_text(number.denominator)}"
    return integer_text(number)


def number_from_text(text: str, meter: Meter) -> int | Fraction:
    """The exact value of a numeral as Kleis spells it: ``3``, ``0.10``, ``1e3``.

    ``1e999999999`` is a short text for a number that the budget may not admit.
    """
    mantissa, _, exponent = text.replace("E", "e").partition("e")
    whole, _, part = mantissa.partition(".")
    shift = integer_from_digits(exponent.lstrip("+-")) if exponent else 0
    scale = (-shift if exponent.startswith("-") else shift) - len(part)
    meter.admit((len(whole) + len(part) + abs(scale)) * 10 // 3, "a number")
    digits = integer_from_digits(whole + part)
    return digits * 10**scale if scale >= 0 else exact(Fraction(digits, 10**-scale))


def plain_text(number: Number) -> str:
    """A number as programs put it into a text: ``0.25`` where that is exact, else ``1/3``."""
    if not isinstance(number, Fraction) or number.denominator.bit_length() > _GREATEST_DECIMAL_BITS:
        return number_text(number)
    places = decimal_places(number)
    return decimal_text(number, places) if places else number_text(number)


_GREATEST_DECIMAL_BITS = 128


def decimal_places(value: Fraction) -> int | None:
    """How many decimals a fraction has; None if they do not end."""
    twos = fives = 0
    rest = value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def decimal_text(value: Fraction, places: int) -> str:
    """A fraction with so many decimals, at least one: ``-0.25``."""
    digits = integer_text(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
