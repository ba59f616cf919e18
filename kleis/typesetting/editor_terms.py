"""Terms of an equation editor as Typst mathematics, without dollars.

``EObject(symbol)``, ``EConst(text)``, ``EOp(name, arguments)``, ``EList(terms)``, ``EPlaceholder(…)``; names, numbers and
strings stand for objects and constants.  What an object or constant says goes through `formula`, so that it names no code.
See docs/reference/documents.md §2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kleis.errors import EvaluationError
from kleis.typesetting.escape import formula
from kleis.typesetting.mathematics import name_text
from kleis.values import Data, ListValue, Stuck, Symbol, Value, is_number, kind_name, plain_text

__all__ = ["editor_text", "is_editor_term"]

_TERMS = frozenset({"EObject", "EConst", "EOp", "EList", "EPlaceholder"})
_DEEPEST = 120

_Written = tuple[str, float]

_INFIX: dict[str, tuple[str, float]] = {
    "equals": ("=", 5), "plus": ("+", 6), "minus": ("-", 6), "less_than": ("<", 5), "lt": ("<", 5),
    "greater_than": (">", 5), "gt": (">", 5), "leq": ("<=", 5), "geq": (">=", 5), "neq": ("!=", 5),
    "approx": ("approx", 5), "in": ("in", 5), "in_set": ("in", 5), "subset": ("subset", 5), "union": ("union", 6),
    "intersection": ("inter", 7), "implies": ("=>", 2), "iff": ("<=>", 1), "and": ("and", 4), "or": ("or", 3),
    "logical_and": ("and", 4), "logical_or": ("or", 3), "times": ("", 7), "multiply": ("", 7),
    "scalar_multiply": ("", 7), "dot": ("dot", 7), "cross": ("times", 7), "convolution": ("ast", 7),
}  # fmt: skip

_PATTERNS: dict[str, str] = {
    "divide": "{0} / {1}", "frac": "frac({0}, {1})", "scalar_divide": "frac({0}, {1})", "nth_root": "root({0}, {1})",
    "binomial": "binom({0}, {1})", "index_mixed": "{0}^({1})_({2})", "subsup": "{0}_({1})^({2})",
    "abs": "abs({0})", "norm": "norm({0})", "floor": "floor({0})", "ceiling": "ceil({0})", "sqrt": "sqrt({0})",
    "exp": "e^({0})", "parens": "lr(({0}))", "brackets": "lr([{0}])", "braces": "lr({{{0}}})",
    "angle_brackets": "lr(chevron.l {0} chevron.r)", "d_dt": "frac(d {0}, d {1})",
    "d_part": "frac(partial {0}, partial {1})", "int_bounds": "integral_({1})^({2}) {0} thin d {3}",
    "sum_bounds": "sum_({1})^({2}) {0}", "prod_bounds": "product_({1})^({2}) {0}", "lim": "lim_({1} -> {2}) {0}",
    "dot_accent": "dot({0})", "ddot_accent": "dot.double({0})", "bar": "macron({0})", "hat": "hat({0})",
    "tilde": "tilde({0})", "overline": "overline({0})", "vector_bold": "bold({0})", "vector_arrow": "arrow({0})",
    "ket": "lr(| {0} chevron.r)", "bra": "lr(chevron.l {0} |)", "inner": "lr(chevron.l {0} | {1} chevron.r)",
    "outer": "lr(| {0} chevron.r) lr(chevron.l {1} |)", "commutator": "lr([{0}, {1}])",
    "anticommutator": "lr({{{0}, {1}}})", "expectation": "lr(chevron.l {0} chevron.r)", "grad": "nabla {0}",
    "div": "nabla dot {0}", "curl": "nabla times {0}", "fourier_transform": "cal(F)[{0}]",
    "inverse_fourier": "cal(F)^(-1)[{0}]", "laplace_transform": "cal(L)[{0}]", "inverse_laplace": "cal(L)^(-1)[{0}]",
}  # fmt: skip
"""Forms with holes; the arguments stand in them without parentheses."""

_CALLED = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "log",
        "ln",
        "min",
        "max",
        "det",
    ]
)


def is_editor_term(value: Value) -> bool:
    """Whether a value is a term of an equation editor."""
    name = (
        value.operation if isinstance(value, Stuck) else value.constructor if isinstance(value, Data) else ""
    )
    return name in _TERMS


def editor_text(value: Value) -> str:
    """A term as mathematics; an error of code ``sort`` for anything else inside it."""
    return _written(value, 0)[0]


def _parts(value: Value) -> tuple[str, tuple[Value, ...]]:
    if isinstance(value, Stuck):
        return value.operation, value.arguments
    assert isinstance(value, Data)
    return value.constructor, value.fields


def _written(value: Value, depth: int) -> _Written:
    if depth > _DEEPEST:
        raise EvaluationError("a term that is nested too deeply", code="sort")
    if isinstance(value, Symbol):
        return name_text(value.name), 100
    if isinstance(value, str):
        return formula(value), 100
    if is_number(value):
        return plain_text(value), 100
    if not is_editor_term(value):
        raise EvaluationError(
            f"a term of an equation has {', '.join(sorted(_TERMS))}, not {kind_name(value)}",
            code="sort",
            found=kind_name(value),
            expected=tuple(sorted(_TERMS)),
        )
    name, fields = _parts(value)
    match name, fields:
        case "EObject", (str() as symbol, *_):
            return _object(symbol), 100
        case "EConst", (str() as text, *_):
            return formula(text), 100
        case "EPlaceholder", _:
            return "square", 100
        case "EList", (ListValue() as items, *_):
            return ", ".join(_written(each, depth + 1)[0] for each in items), 0.5
        case "EOp", (str() as operation, ListValue() as arguments, *_):
            return _operation(operation, arguments.items(), depth)
    return _written(fields[0], depth + 1) if len(fields) == 1 else ("square", 100)


def _object(symbol: str) -> str:
    named = {"∞": "infinity", "∂": "partial", "∇": "nabla"}.get(symbol)
    return named or (name_text(symbol) if symbol.isidentifier() else formula(symbol))


def _operation(name: str, arguments: Sequence[Value], depth: int) -> _Written:
    def part(place: int, level: float = 0.6) -> str:
        text, own = _written(arguments[place], depth + 1)
        return f"({text})" if own < level else text

    if name in _INFIX and len(arguments) >= 2:
        sign, level = _INFIX[name]
        last = len(arguments) - 1
        parts = [
            part(place, level + (0.1 if place == last and name in ("minus", "implies") else 0))
            for place in range(last + 1)
        ]
        return f" {sign} ".replace("  ", " ").join(parts), level
    if name in _PATTERNS and _PATTERNS[name].count("{") - 2 * _PATTERNS[name].count("{{") == len(arguments):
        loose = name == "divide"
        return _PATTERNS[name].format(
            *(part(place, 7.5 if loose else 0.6) for place in range(len(arguments)))
        ), (7 if loose or " " in _PATTERNS[name] else 100)
    if name in _SCRIPTS and len(arguments) == 2:
        return f"{part(0, 50)}{_SCRIPTS[name]}({part(1, 0)})", 60
    if name in ("negate", "not", "logical_not") and len(arguments) == 1:
        return f"{'-' if name == 'negate' else 'not '}{part(0, 7)}", 6.5
    if name == "factorial" and len(arguments) == 1:
        return f"{part(0, 50)}!", 60
    if name.endswith("atrix") or name.startswith(("matrix", "pmatrix", "vmatrix", "bmatrix")):
        return _matrix(name, arguments, part), 100
    if name == "tensor" and arguments:
        return _tensor(arguments, depth), 100
    inside = ", ".join(part(place) for place in range(len(arguments)))
    return f"{name if name in _CALLED else name_text(name)}({inside})", 20


_SCRIPTS = {"power": "^", "superscript": "^", "sup": "^", "subscript": "_", "sub": "_"}


def _matrix(name: str, arguments: Sequence[Value], part: Callable[[int], str]) -> str:
    """``PMatrix(m, n, entries…)`` and ``pmatrix2x2(entries…)``."""
    delimiter = {"p": '"("', "v": '"|"', "b": '"["'}.get(
        name[0].lower(), '"("' if name == "Matrix" else '"["'
    )
    sizes = [each for each in arguments[:2] if isinstance(each, int)]
    first = 0
    if len(sizes) == 2 and sizes[0] * sizes[1] == len(arguments) - 2:
        rows, columns, first = sizes[0], sizes[1], 2
    else:
        digits = [int(each) for each in name[-3:].split("x") if each.isdecimal()]
        rows, columns = (
            digits if len(digits) == 2 and digits[0] * digits[1] == len(arguments) else (1, len(arguments))
        )
    lines = [
        ", ".join(part(first + row * columns + column) for column in range(columns)) for row in range(rows)
    ]
    return f"mat(delim: {delimiter}, {'; '.join(lines)})"


def _tensor(arguments: Sequence[Value], depth: int) -> str:
    """A symbol with its indices: those that are negated are below."""
    symbol, *indices = arguments
    upper, lower = [], []
    for each in indices:
        if is_editor_term(each) and _parts(each)[0] == "EOp" and _parts(each)[1][0] == "negate":
            inner = _parts(each)[1][1]
            lower += (
                [_written(index, depth + 1)[0] for index in inner] if isinstance(inner, ListValue) else []
            )
        else:
            upper.append(_written(each, depth + 1)[0])
    text = _written(symbol, depth + 1)[0]
    return text + (f"^({' '.join(upper)})" if upper else "") + (f"_({' '.join(lower)})" if lower else "")
