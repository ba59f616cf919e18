"""Built-in operations in SMT-LIB: one line of text for each, saying exactly what the built-in table computes.

See docs/reference/proving.md §8.7.

`OPERATIONS` maps a row's name to a function from the operation and the texts of its arguments to a text, right
wherever the operation is defined.  A row without an entry is an uninterpreted function of its sorts: what is proved
of that holds of the operation too, what is refuted says nothing.

Invariants
    * `div` and `mod` floor, as in PIF; SMT-LIB's are Euclidean.
    * Powers have literal exponents, and are products.
    * A string is a sequence of code points; indexes are those of the built-in table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from kleis import core
from kleis.prover.smt.smtlib_text import application, integer

__all__ = ["OPERATIONS", "Encoder"]

Encoder: TypeAlias = Callable[[core.Operation, Sequence[str]], "str | None"]
"""The text of a call; None where this operation, at these sorts or arguments, has none."""

MAXIMUM_EXPONENT = 64


def _plain(head: str) -> Encoder:
    return lambda operation, arguments: application(head, arguments)


def _is(operation: core.Operation, *names: str) -> bool:
    """Whether the result, or the first argument, is of one of these sorts of numbers."""
    sort = operation.parameters[0].sort if operation.parameters else operation.result
    return isinstance(sort, core.Numeric) and sort.name in names


def _numeric(head: str) -> Encoder:
    """An operation on integers and reals, but not on complex numbers."""

    def encode(operation: core.Operation, arguments: Sequence[str]) -> str | None:
        return application(head, arguments) if _is(operation, "ℕ", "ℤ", "ℚ", "ℝ") else None

    return encode


def _arithmetic(head: str, parts: Callable[[Sequence[str]], tuple[str, str]]) -> Encoder:
    """An operation on real and on complex numbers; `parts` gives the real and imaginary part of the result."""

    def encode(operation: core.Operation, arguments: Sequence[str]) -> str | None:
        if _is(operation, "ℂ"):
            real, imaginary = parts(arguments)
            return f"(|c:complex| {real} {imaginary})"
        return application(head, arguments) if _is(operation, "ℕ", "ℤ", "ℚ", "ℝ") else None

    return encode


def _re(text: str) -> str:
    return f"(|f:re| {text})"


def _im(text: str) -> str:
    return f"(|f:im| {text})"


def _sum(head: str) -> Callable[[Sequence[str]], tuple[str, str]]:
    return lambda given: (application(head, list(map(_re, given))), application(head, list(map(_im, given))))


def _product(given: Sequence[str]) -> tuple[str, str]:
    a, b = given
    real = f"(- (* {_re(a)} {_re(b)}) (* {_im(a)} {_im(b)}))"
    return real, f"(+ (* {_re(a)} {_im(b)}) (* {_im(a)} {_re(b)}))"


def _quotient(given: Sequence[str]) -> tuple[str, str]:
    a, b = given
    square = f"(+ (* {_re(b)} {_re(b)}) (* {_im(b)} {_im(b)}))"
    real = f"(+ (* {_re(a)} {_re(b)}) (* {_im(a)} {_im(b)}))"
    imaginary = f"(- (* {_im(a)} {_re(b)}) (* {_re(a)} {_im(b)}))"
    return f"(/ {real} {square})", f"(/ {imaginary} {square})"


def _complex(parts: Callable[[Sequence[str]], tuple[str, str]]) -> Encoder:
    def encode(_: core.Operation, arguments: Sequence[str]) -> str:
        real, imaginary = parts(arguments)
        return f"(|c:complex| {real} {imaginary})"

    return encode


def _floor_division(_: core.Operation, arguments: Sequence[str]) -> str:
    a, b = arguments
    return f"(ite (> {b} 0) (div {a} {b}) (div (- {a}) (- {b})))"


def _modulo(operation: core.Operation, arguments: Sequence[str]) -> str:
    a, b = arguments
    if b.isdigit() and b != "0":
        return f"(mod {a} {b})"
    return f"(- {a} (* {b} {_floor_division(operation, arguments)}))"


def _literal_exponent(text: str) -> int | None:
    return int(text) if text.isdigit() and int(text) <= MAXIMUM_EXPONENT else None


def _power(operation: core.Operation, arguments: Sequence[str]) -> str | None:
    base, exponent = arguments
    below = exponent.removeprefix("(- ").removesuffix(")") if exponent.startswith("(- ") else ""
    if below and _is(operation, "ℚ", "ℝ"):
        power = _power(operation, (base, below))
        return f"(/ 1.0 {power})" if power is not None else None
    count = _literal_exponent(exponent)
    if count is None:
        return None
    one = "1" if _is(operation, "ℕ", "ℤ") else "1.0"
    if _is(operation, "ℂ"):
        result = "(|c:complex| 1.0 0.0)"
        for _ in range(count):
            real, imaginary = _product((result, base))
            result = f"(|c:complex| {real} {imaginary})"
        return result if count <= 3 else None
    return one if count == 0 else base if count == 1 else application("*", [base] * count)


def _choice(relation: str) -> Encoder:
    def encode(_: core.Operation, arguments: Sequence[str]) -> str:
        a, b = arguments
        return f"(ite ({relation} {a} {b}) {a} {b})"

    return encode


def _absolute(operation: core.Operation, arguments: Sequence[str]) -> str | None:
    (a,) = arguments
    zero = "0" if _is(operation, "ℕ", "ℤ") else "0.0"
    return None if _is(operation, "ℂ") else f"(ite (>= {a} {zero}) {a} (- {a}))"


def _rounded(form: str) -> Encoder:
    """A rounding of a real number, as a form with {a} for it; integers are themselves."""

    def encode(operation: core.Operation, arguments: Sequence[str]) -> str:
        return arguments[0] if _is(operation, "ℕ", "ℤ") else form.replace("{a}", arguments[0])

    return encode


def _sign(operation: core.Operation, arguments: Sequence[str]) -> str:
    (a,) = arguments
    zero = "0" if _is(operation, "ℕ", "ℤ") else "0.0"
    return f"(ite (> {a} {zero}) 1 (ite (= {a} {zero}) 0 (- 1)))"


_TRUNCATED = "(ite (>= {a} 0.0) (to_int {a}) (- (to_int (- {a}))))"

# ── Strings ──────────────────────────────────────────────────────────────────────────────────────────────────


def _swapped(head: str) -> Encoder:
    return lambda _, arguments: f"({head} {arguments[1]} {arguments[0]})"


def _index(_: core.Operation, arguments: Sequence[str]) -> str:
    start = arguments[2] if len(arguments) > 2 else "0"
    return f"(str.indexof {arguments[0]} {arguments[1]} {start})"


def _substring(_: core.Operation, arguments: Sequence[str]) -> str:
    text, start, length = arguments
    first = start if start.isdigit() else f"(ite (>= {start} 0) {start} 0)"
    return f"(str.substr {text} {first} {length})"


def _digits(_: core.Operation, arguments: Sequence[str]) -> str:
    (a,) = arguments
    return f'(ite (>= {a} 0) (str.from_int {a}) (str.++ "-" (str.from_int (- {a}))))'


_DIGIT = '(re.range "0" "9")'
_LETTER = '(re.union (re.range "a" "z") (re.range "A" "Z"))'


def _only(characters: str, repeat: str) -> Encoder:
    return lambda _, arguments: f"(str.in_re {arguments[0]} ({repeat} {characters}))"


def _matches(operation: core.Operation, arguments: Sequence[str]) -> str:
    text, expression = arguments
    return f"(str.in_re {text} {_regex(operation, 1, expression)})"


def _regex(operation: core.Operation, place: int, text: str) -> str:
    """An argument as a regular expression: a string is the expression of itself."""
    sort = operation.parameters[place].sort
    return f"(str.to_re {text})" if getattr(sort, "name", "") == "String" else text


def _regular(head: str) -> Encoder:
    def encode(operation: core.Operation, arguments: Sequence[str]) -> str:
        return application(head, [_regex(operation, place, each) for place, each in enumerate(arguments)])

    return encode


def _loop(operation: core.Operation, arguments: Sequence[str]) -> str | None:
    expression, low, high = arguments
    if not (low.isdigit() and high.isdigit()):
        return None
    return f"((_ re.loop {low} {high}) {_regex(operation, 0, expression)})"


def _range(_: core.Operation, arguments: Sequence[str]) -> str:
    low, high = (f"(str.at {each} 0)" if len(each) != 3 else each for each in arguments)
    return f"(re.range {low} {high})"


# ── Sets ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _folded(connective: str) -> Encoder:
    def encode(_: core.Operation, arguments: Sequence[str]) -> str:
        result = arguments[0]
        for each in arguments[1:]:
            result = f"((_ map {connective}) {result} {each})"
        return result

    return encode


def _difference(_: core.Operation, arguments: Sequence[str]) -> str:
    return f"((_ map and) {arguments[0]} ((_ map not) {arguments[1]}))"


def _member(operation: core.Operation, arguments: Sequence[str]) -> str | None:
    if not isinstance(operation.parameters[1].sort, core.SetOf):
        return None
    return f"(select {arguments[1]} {arguments[0]})"


def _subset(_: core.Operation, arguments: Sequence[str]) -> str:
    return f"(= ((_ map and) {arguments[0]} {arguments[1]}) {arguments[0]})"


def _proper_subset(operation: core.Operation, arguments: Sequence[str]) -> str:
    return f"(and {_subset(operation, arguments)} (not (= {arguments[0]} {arguments[1]})))"


def _disjoint(_: core.Operation, arguments: Sequence[str]) -> str:
    first, second = arguments
    nothing = f"((_ map and) {first} ((_ map not) {first}))"
    return f"(= ((_ map and) {first} {second}) {nothing})"


# ── Bit-vectors ──────────────────────────────────────────────────────────────────────────────────────────────


def _words(head: str) -> Encoder:
    """An operation on bit-vectors; an integer beside a bit-vector is the bit-vector of its value."""

    def encode(operation: core.Operation, arguments: Sequence[str]) -> str:
        widths = [each.sort.width for each in operation.parameters if isinstance(each.sort, core.BitVec)]
        texts = [
            each if isinstance(parameter.sort, core.BitVec) else f"((_ int2bv {widths[0]}) {each})"
            for each, parameter in zip(arguments, operation.parameters, strict=True)
        ]
        return application(head, texts)

    return encode


def _constant(value: int) -> Encoder:
    def encode(operation: core.Operation, _: Sequence[str]) -> str | None:
        if not isinstance(operation.result, core.BitVec):
            return None
        return f"(_ bv{value % (1 << operation.result.width)} {operation.result.width})"

    return encode


def _make_word(operation: core.Operation, arguments: Sequence[str]) -> str | None:
    return (
        f"((_ int2bv {operation.result.width}) {arguments[0]})"
        if isinstance(operation.result, core.BitVec)
        else None
    )


def _signed(operation: core.Operation, arguments: Sequence[str]) -> str | None:
    sort = operation.parameters[0].sort
    if not isinstance(sort, core.BitVec):
        return None
    half, whole = 1 << (sort.width - 1), 1 << sort.width
    value = f"(bv2nat {arguments[0]})"
    return f"(ite (>= {value} {half}) (- {value} {whole}) {value})"


def _width(operation: core.Operation, _: Sequence[str]) -> str | None:
    sort = operation.parameters[0].sort
    return integer(sort.width) if isinstance(sort, core.BitVec) else None


def _extracted(_: core.Operation, arguments: Sequence[str]) -> str | None:
    high, low, word = arguments
    return f"((_ extract {high} {low}) {word})" if high.isdigit() and low.isdigit() else None


def _extended(head: str) -> Encoder:
    def encode(_: core.Operation, arguments: Sequence[str]) -> str | None:
        count, word = arguments
        return f"((_ {head} {count}) {word})" if count.isdigit() else None

    return encode


OPERATIONS: Mapping[str, Encoder] = {
    "plus": _arithmetic("+", _sum("+")),
    "minus": _arithmetic("-", _sum("-")),
    "negate": _arithmetic("-", _sum("-")),
    "times": _arithmetic("*", _product),
    "divide": _arithmetic("/", _quotient),
    "rational": _numeric("/"),
    "reciprocal": lambda operation, given: None if _is(operation, "ℂ") else f"(/ 1.0 {given[0]})",
    "div": _floor_division,
    "mod": _modulo,
    "power": _power,
    "abs": _absolute,
    "min": _choice("<="),
    "max": _choice(">="),
    "floor": _rounded("(to_int {a})"),
    "ceil": _rounded("(- (to_int (- {a})))"),
    "round": _rounded("(ite (>= {a} 0.0) (to_int (+ {a} 0.5)) (- (to_int (- 0.5 {a}))))"),
    "trunc": _rounded(_TRUNCATED),
    "sign": _sign,
    "less_than": _numeric("<"),
    "leq": _numeric("<="),
    "greater_than": _numeric(">"),
    "geq": _numeric(">="),
    "complex": lambda _, given: f"(|c:complex| {given[0]} {given[1]})",
    "complex_add": _complex(_sum("+")),
    "complex_sub": _complex(_sum("-")),
    "complex_mul": _complex(_product),
    "complex_div": _complex(_quotient),
    "re": lambda _, given: _re(given[0]),
    "im": lambda _, given: _im(given[0]),
    "conj": lambda _, given: f"(|c:complex| {_re(given[0])} (- {_im(given[0])}))",
    "abs_squared": lambda _, given: (
        f"(+ (* {_re(given[0])} {_re(given[0])}) (* {_im(given[0])} {_im(given[0])}))"
    ),
    "concat": lambda operation, given: (
        application("str.++", given)
        if len(given) > 1 and getattr(operation.result, "name", "") == "String"
        else given[0]
        if len(given) == 1
        else None
    ),
    "empty_string": lambda _, __: '""',
    "str_eq": _plain("="),
    "strlen": _plain("str.len"),
    "hasPrefix": _swapped("str.prefixof"),
    "hasSuffix": _swapped("str.suffixof"),
    "contains": _plain("str.contains"),
    "indexOf": _index,
    "substr": _substring,
    "charAt": _plain("str.at"),
    "replace": _plain("str.replace"),
    "replaceAll": _plain("str.replace_all"),
    "intToStr": _digits,
    "isDigits": _only(_DIGIT, "re.+"),
    "isAlpha": _only(_LETTER, "re.+"),
    "isAlphaNum": _only(f"(re.union {_LETTER} {_DIGIT})", "re.+"),
    "isAscii": _only('(re.range " " "~")', "re.*"),
    "matches": _matches,
    "re_literal": _plain("str.to_re"),
    "re_range": _range,
    "re_star": _regular("re.*"),
    "re_plus": _regular("re.+"),
    "re_option": _regular("re.opt"),
    "re_concat": _regular("re.++"),
    "re_union": _regular("re.union"),
    "re_intersect": _regular("re.inter"),
    "re_complement": _regular("re.comp"),
    "re_loop": _loop,
    "re_full": lambda _, __: "re.all",
    "re_empty": lambda _, __: "re.none",
    "re_allchar": lambda _, __: "re.allchar",
    "in_set": _member,
    "insert": lambda _, given: f"(store {given[1]} {given[0]} true)",
    "remove": lambda _, given: f"(store {given[1]} {given[0]} false)",
    "union": _folded("or"),
    "intersect": _folded("and"),
    "difference": _difference,
    "complement": lambda _, given: f"((_ map not) {given[0]})",
    "subset": _subset,
    "proper_subset": _proper_subset,
    "disjoint": _disjoint,
    "bv": _make_word,
    "bv_to_int": _plain("bv2nat"),
    "bv_to_signed": _signed,
    "bvwidth": _width,
    "bvzero": _constant(0),
    "bvones": _constant(-1),
    "bvone": _constant(1),
    "bvnot": _plain("bvnot"),
    "bvneg": _plain("bvneg"),
    "extract": _extracted,
    "bvconcat": _plain("concat"),
    "zext": _extended("zero_extend"),
    "sext": _extended("sign_extend"),
    **{
        name: _words(name)
        for name in (
            *("bvand", "bvor", "bvxor", "bvadd", "bvsub", "bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem"),
            *(
                "bvshl",
                "bvlshr",
                "bvashr",
                "bvult",
                "bvule",
                "bvugt",
                "bvuge",
                "bvslt",
                "bvsle",
                "bvsgt",
                "bvsge",
            ),
        )
    },
}
"""The exact encodings.  Empty and singleton sets need their element sort: see `encode_terms`."""
