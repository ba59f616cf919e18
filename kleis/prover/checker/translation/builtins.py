"""Built-ins that are an expression of SMT-LIB, by name and by the kind of their first argument.

A condition of definedness stands beside the expression (kleis/prover/checker/translation/terms.py): SMT-LIB's operations
have a value everywhere.  SMT-LIB's `div` and `mod` are Euclidean, so they are asked for positive divisors only.
"""

from __future__ import annotations

from functools import reduce
from typing import Any

from kleis import core
from kleis.builtins.real_constants import BOUNDS
from kleis.prover.checker.sequent import NotExpressible
from kleis.prover.checker.translation.text import call, string

__all__ = ["HELPERS", "NAMED_CHARACTERS", "expression", "language", "literal_value"]

HELPERS: tuple[tuple[str, str], ...] = tuple(
    (head.split()[0], f"(define-fun {head} {body})")
    for head, body in (
        ("h-div ((a Int) (b Int)) Int", "(ite (or (> b 0) (= (mod a b) 0)) (div a b) (- (div a b) 1))"),
        ("h-mod ((a Int) (b Int)) Int", "(ite (or (> b 0) (= (mod a b) 0)) (mod a b) (+ (mod a b) b))"),
        ("h-trunc ((a Real)) Int", "(ite (>= a 0.0) (to_int a) (- (to_int (- a))))"),
        ("h-rem ((a Int) (b Int)) Int", "(ite (>= a 0) (mod a b) (- (mod (- a) b)))"),
        ("h-rem-real ((a Real) (b Real)) Real", "(- a (* b (to_real (h-trunc (/ a b)))))"),
        ("h-abs ((a Int)) Int", "(ite (>= a 0) a (- a))"),
        ("h-abs-real ((a Real)) Real", "(ite (>= a 0.0) a (- a))"),
        ("h-sign ((a Int)) Int", "(ite (> a 0) 1 (ite (< a 0) (- 1) 0))"),
        ("h-sign-real ((a Real)) Int", "(ite (> a 0.0) 1 (ite (< a 0.0) (- 1) 0))"),
        ("h-round ((a Real)) Int", "(ite (>= a 0.0) (to_int (+ a 0.5)) (- (to_int (- 0.5 a))))"),
        ("h-min ((a Int) (b Int)) Int", "(ite (<= a b) a b)"),
        ("h-max ((a Int) (b Int)) Int", "(ite (>= a b) a b)"),
        ("h-min-real ((a Real) (b Real)) Real", "(ite (<= a b) a b)"),
        ("h-max-real ((a Real) (b Real)) Real", "(ite (>= a b) a b)"),
        ("h-frac ((a Real)) Real", "(- a (to_real (h-trunc a)))"),
        ("h-text ((a Int)) String", '(ite (>= a 0) (str.from_int a) (str.++ "-" (str.from_int (- a))))'),
        ("h-square ((a h-complex)) Real", "(+ (* (h-re a) (h-re a)) (* (h-im a) (h-im a)))"),
        *(
            (f"h-c{name} ((a h-complex) (b h-complex)) h-complex", f"(h-pair {real} {imaginary})")
            for name, real, imaginary in (
                ("add", "(+ (h-re a) (h-re b))", "(+ (h-im a) (h-im b))"),
                ("sub", "(- (h-re a) (h-re b))", "(- (h-im a) (h-im b))"),
                (
                    "mul",
                    "(- (* (h-re a) (h-re b)) (* (h-im a) (h-im b)))",
                    "(+ (* (h-re a) (h-im b)) (* (h-im a) (h-re b)))",
                ),
                (
                    "div",
                    "(/ (+ (* (h-re a) (h-re b)) (* (h-im a) (h-im b))) (h-square b))",
                    "(/ (- (* (h-im a) (h-re b)) (* (h-re a) (h-im b))) (h-square b))",
                ),
            )
        ),
        ("h-conj ((a h-complex)) h-complex", "(h-pair (h-re a) (- (h-im a)))"),
    )
) + tuple(
    (
        name,
        f"(declare-const {name} Real)\n(assert (< (/ {low.numerator}.0 {low.denominator}.0) {name}))\n"
        f"(assert (< {name} (/ {high.numerator}.0 {high.denominator}.0)))",
    )
    for name, (low, high) in ((f"h-constant-{each}", BOUNDS[each]) for each in sorted(BOUNDS))
)
"""Functions of a script by name, each of those before it, that are declared where a script mentions them; and the real
constants, of which a script knows that they are between two rationals."""

_INTEGERS = """
plus (+ {0} {1}) | minus (- {0} {1}) | times (* {0} {1}) | negate (- {0}) | div (h-div {0} {1}) | mod (h-mod {0} {1})
rem (h-rem {0} {1}) | abs (h-abs {0}) | floor {0} | ceil {0} | round {0} | trunc {0} | sign (h-sign {0})
min (h-min {0} {1}) | max (h-max {0} {1}) | less_than (< {0} {1}) | leq (<= {0} {1}) | greater_than (> {0} {1})
geq (>= {0} {1}) | intToStr (h-text {0})
"""
_REALS = """
plus (+ {0} {1}) | minus (- {0} {1}) | times (* {0} {1}) | negate (- {0}) | divide (/ {0} {1}) | rational (/ {0} {1})
reciprocal (/ 1.0 {0}) | rem (h-rem-real {0} {1}) | abs (h-abs-real {0}) | floor (to_int {0})
ceil (- (to_int (- {0}))) | round (h-round {0}) | trunc (h-trunc {0}) | frac (h-frac {0}) | sign (h-sign-real {0})
min (h-min-real {0} {1}) | max (h-max-real {0} {1}) | less_than (< {0} {1}) | leq (<= {0} {1})
greater_than (> {0} {1}) | geq (>= {0} {1}) | to_real {0} | complex (h-pair {0} {1})
"""
_COMPLEX = """
plus (h-cadd {0} {1}) | minus (h-csub {0} {1}) | times (h-cmul {0} {1}) | divide (h-cdiv {0} {1})
negate (h-csub (h-pair 0.0 0.0) {0}) | reciprocal (h-cdiv (h-pair 1.0 0.0) {0}) | complex_add (h-cadd {0} {1})
complex_sub (h-csub {0} {1}) | complex_mul (h-cmul {0} {1}) | complex_div (h-cdiv {0} {1})
complex_inverse (h-cdiv (h-pair 1.0 0.0) {0}) | conj (h-conj {0}) | abs_squared (h-square {0}) | re (h-re {0})
im (h-im {0})
"""
_STRINGS = """
str_eq (= {0} {1}) | strlen (str.len {0}) | length (str.len {0}) | hasPrefix (str.prefixof {1} {0})
hasSuffix (str.suffixof {1} {0}) | contains (str.contains {0} {1}) | charAt (str.at {0} {1})
substr (str.substr {0} (h-max {1} 0) {2}) | replace (str.replace {0} {1} {2}) | replaceAll (str.replace_all {0} {1} {2})
isAscii (str.in_re {0} (re.* (re.range " " "~"))) | isDigits (str.in_re {0} (re.+ (re.range "0" "9")))
isAlpha (str.in_re {0} (re.+ (re.union (re.range "a" "z") (re.range "A" "Z"))))
isAlphaNum (str.in_re {0} (re.+ (re.union (re.range "a" "z") (re.range "A" "Z") (re.range "0" "9"))))
"""
_WORDS = """
bv_to_int (bv2nat {0}) | bvnot (bvnot {0}) | bvneg (bvneg {0}) | bvconcat (concat {0} {1})
""" + "|".join(
    f"{name} ({name} {{0}} {{1}})"
    for name in [
        "bvand",
        "bvor",
        "bvxor",
        "bvadd",
        "bvsub",
        "bvmul",
        "bvudiv",
        "bvurem",
        "bvsdiv",
        "bvsrem",
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
    ]
)
_SETS = """
subset (= ((_ map and) {0} ((_ map not) {1})) {empty}) | disjoint (= ((_ map and) {0} {1}) {empty})
proper_subset (and (= ((_ map and) {0} ((_ map not) {1})) {empty}) (not (= {0} {1})))
difference ((_ map and) {0} ((_ map not) {1})) | complement ((_ map and) {domain} ((_ map not) {0}))
"""


def _read(text: str) -> dict[str, str]:
    lines = (each.split(None, 1) for each in text.replace("\n", "|").split("|") if each.strip())
    return {name: expression.strip() for name, expression in lines}


_BY_KIND = {
    "Int": _read(_INTEGERS),
    "Real": _read(_REALS),
    "h-complex": _read(_COMPLEX),
    "String": _read(_STRINGS),
    "(_ BitVec": _read(_WORDS),
    "(Array": _read(_SETS),
}
_OF_SETS = {"in_set": "(select {1} {0})", "insert": "(store {1} {0} true)", "remove": "(store {1} {0} false)"}
_ANY_NUMBER = {"concat": "str.++", "union": "(_ map or)", "intersect": "(_ map and)"}

NAMED_CHARACTERS = {
    "isAscii": " ~",
    "isDigits": "09",
    "isAlpha": "azAZ",
    "isAlphaNum": "azAZ09",
    "intToStr": "09--",
}
"""The characters that an expression names, as pairs of a first and a last one."""

_LANGUAGES = {
    "re_star": "re.*",
    "re_plus": "re.+",
    "re_option": "re.opt",
    "re_concat": "re.++",
    "re_union": "re.union",
    "re_intersect": "re.inter",
    "re_complement": "re.comp",
    "re_full": "re.all",
    "re_empty": "re.none",
    "re_allchar": "re.allchar",
}


def expression(
    name: str, kinds: list[str], result: core.Sort, arguments: list[str], **sets: str
) -> str | None:
    """A built-in at arguments, whose sorts in the script are `kinds`; None if it is no expression."""
    if name in _ANY_NUMBER:
        return reduce(lambda left, right: f"({_ANY_NUMBER[name]} {left} {right})", arguments)
    last = kinds[-1] if kinds else ""
    if name in _OF_SETS and last.startswith("(Array"):
        return _OF_SETS[name].format(*arguments)
    if name == "indexOf":
        return f"(str.indexof {' '.join(arguments)}{'' if len(arguments) == 3 else ' 0'})"
    if name == "empty_string":
        return '""'
    if name in BOUNDS and not arguments and result == core.REAL:
        return f"h-constant-{name}"
    if (kinds and kinds[0].startswith("(_ BitVec")) or last.startswith("(_ BitVec"):
        return _word(name, kinds, result, arguments)
    if isinstance(result, core.BitVec):
        widths = {
            "bv": f"((_ int2bv {result.width}) {arguments[0] if arguments else ''})",
            "bvzero": f"(_ bv0 {result.width})",
        }
        ones = {"bvone": 1, "bvones": (1 << result.width) - 1}
        return widths.get(name) or (f"(_ bv{ones[name]} {result.width})" if name in ones else None)
    for kind, table in _BY_KIND.items():
        if kinds and kinds[0].startswith(kind) and name in table:
            return table[name].format(*arguments, **sets)
    return None


def _word(name: str, kinds: list[str], result: core.Sort, arguments: list[str]) -> str | None:
    (width, *_) = (int(each[10:-1]) for each in kinds if each.startswith("(_ BitVec"))
    if name == "bvwidth":
        return f"{width}"
    if name == "bv_to_signed":
        unsigned = f"(bv2nat {arguments[0]})"
        return f"(ite (bvslt {arguments[0]} (_ bv0 {width})) (- {unsigned} {1 << width}) {unsigned})"
    if name == "extract":
        return f"((_ extract {arguments[0]} {arguments[1]}) {arguments[2]})"
    if name in ("zext", "sext"):
        return f"((_ {'zero' if name == 'zext' else 'sign'}_extend {arguments[0]}) {arguments[1]})"
    # An integer beside a word stands for its residue.
    read = [
        f"((_ int2bv {width}) {each})" if kind == "Int" else each
        for each, kind in zip(arguments, kinds, strict=True)
    ]
    template = _BY_KIND["(_ BitVec"].get(name)
    return template and template.format(*read)


def language(term: core.Term, named: list[tuple[str, str]]) -> str:
    """A regular expression that is written out; `named` gets the characters that it names, first and last ones."""
    inner = term.term if isinstance(term, core.Coercion) else term
    if isinstance(inner, core.LiteralTerm) and isinstance(inner.value, str):
        named += ((each, each) for each in inner.value)
        return f"(str.to_re {string(inner.value)})"
    if isinstance(inner, core.BuiltinCall):
        name, given = inner.operation.name, inner.arguments
        literals = [literal_value(each) for each in given]
        if name == "re_literal" or (name in ("re_concat", "re_union", "re_intersect") and len(given) == 1):
            return language(given[0], named)
        if name == "re_range" and all(isinstance(each, str) and each for each in literals):
            low, high = (str(each)[0] for each in literals)
            if low > high:
                return "re.none"
            named.append((low, high))
            return f"(re.range {string(low)} {string(high)})"
        if name == "re_loop" and all(isinstance(each, int) for each in literals[1:]):
            low_count, high_count = max(literals[1], 0), literals[2]
            if high_count < low_count:
                return "re.none"
            return f"((_ re.loop {low_count} {high_count}) {language(given[0], named)})"
        if name in _LANGUAGES:
            return call(_LANGUAGES[name], (language(each, named) for each in given))
    raise NotExpressible("a regular expression that is not written out")


def literal_value(term: core.Term) -> Any:
    """The value of a literal in a larger sort, or with a sign."""
    if isinstance(term, core.Coercion):
        return literal_value(term.term)
    if isinstance(term, core.BuiltinCall) and term.operation.name == "negate":
        value = literal_value(term.arguments[0])
        return -value if isinstance(value, int) else None
    return term.value if isinstance(term, core.LiteralTerm) else None
