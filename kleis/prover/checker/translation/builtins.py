"""Built-ins that are an expression of SMT-LIB, by name and by the kind of their first argument.

A condition of definedness stands beside the expression (kleis/prover/checker/translation/terms.py): SMT-LIB's operations
have a value everywhere.  SMT-LIB's `div` and `mod` are Euclidean, so they are asked for positive divisors only.
"""

from __future__ import annotations

from kleis.builtins.real_constants import BOUNDS

__all__ = ["CONSTANTS", "MEMBERS", "PRELUDE", "expression"]

PRELUDE = """
(declare-datatypes ((h-complex 0)) (((h-pair (h-re Real) (h-im Real)))))
(define-fun h-div ((a Int) (b Int)) Int (ite (or (> b 0) (= (mod a b) 0)) (div a b) (- (div a b) 1)))
(define-fun h-mod ((a Int) (b Int)) Int (ite (or (> b 0) (= (mod a b) 0)) (mod a b) (+ (mod a b) b)))
(define-fun h-add ((a h-complex) (b h-complex)) h-complex (h-pair (+ (h-re a) (h-re b)) (+ (h-im a) (h-im b))))
(define-fun h-sub ((a h-complex) (b h-complex)) h-complex (h-pair (- (h-re a) (h-re b)) (- (h-im a) (h-im b))))
(define-fun h-mul ((a h-complex) (b h-complex)) h-complex (h-pair
  (- (* (h-re a) (h-re b)) (* (h-im a) (h-im b))) (+ (* (h-re a) (h-im b)) (* (h-im a) (h-re b)))))
(define-fun h-conj ((a h-complex)) h-complex (h-pair (h-re a) (- (h-im a))))
(define-fun h-square ((a h-complex)) Real (+ (* (h-re a) (h-re a)) (* (h-im a) (h-im a))))
(define-fun h-scale ((a h-complex) (b Real)) h-complex (h-pair (/ (h-re a) b) (/ (h-im a) b)))"""
"""What every script begins with: complex numbers, and the division of integers that rounds down."""

CONSTANTS = {
    f"h-constant-{name}": f"(declare-const h-constant-{name} Real)\n"
    f"(assert (< (/ {low.numerator}.0 {low.denominator}.0) h-constant-{name}))\n"
    f"(assert (< h-constant-{name} (/ {high.numerator}.0 {high.denominator}.0)))"
    for name, (low, high) in sorted(BOUNDS.items())
}
"""The real constants that a script may mention: it knows of each that it lies between two rationals."""

_NUMBERS = """plus (+ {0} {1}) | minus (- {0} {1}) | times (* {0} {1}) | negate (- {0}) |
less_than (< {0} {1}) | leq (<= {0} {1}) | greater_than (> {0} {1}) | geq (>= {0} {1}) | """
_WORDS = """bvnot bvneg bvand bvor bvxor bvadd bvsub bvmul bvudiv bvurem bvsdiv bvsrem bvshl bvlshr bvashr
bvult bvule bvugt bvuge bvslt bvsle bvsgt bvsge"""
_TEXTS = {
    "Int": _NUMBERS + "div (h-div {0} {1}) | mod (h-mod {0} {1}) | floor {0} | ceil {0}",
    "Real": _NUMBERS + """divide (/ {0} {1}) | rational (/ {0} {1}) | reciprocal (/ 1.0 {0}) | floor (to_int {0}) |
        ceil (- (to_int (- {0}))) | to_real {0} | complex (h-pair {0} {1})""",
    "h-complex": """plus (h-add {0} {1}) | minus (h-sub {0} {1}) | times (h-mul {0} {1}) | conj (h-conj {0}) |
        divide (h-scale (h-mul {0} (h-conj {1})) (h-square {1})) | negate (h-sub (h-pair 0.0 0.0) {0}) |
        abs_squared (h-square {0}) | re (h-re {0}) | im (h-im {0})""",
    "String": """str_eq (= {0} {1}) | strlen (str.len {0}) | length (str.len {0}) | hasPrefix (str.prefixof {1} {0}) |
        hasSuffix (str.suffixof {1} {0}) | contains (str.contains {0} {1}) | charAt (str.at {0} {1}) |
        substr (str.substr {0} (ite (< {1} 0) 0 {1}) {2}) | replace (str.replace {0} {1} {2}) |
        replaceAll (str.replace_all {0} {1} {2}) | matches (= {0} {1})""",
    "Array": "in_set (select {1} {0}) | insert (store {1} {0} true) | remove (store {1} {0} false)",
    "a member": "union (or {0} {1}) | intersect (and {0} {1}) | difference (and {0} (not {1})) | complement (not {0})",
}  # fmt: skip


def _read(text: str) -> dict[str, str]:
    rows = (each.split(None, 1) for each in text.split("|"))
    return {name: template.strip() for name, template in rows}


_BY_KIND = {kind: _read(text) for kind, text in _TEXTS.items()}
MEMBERS = _BY_KIND["a member"]
"""What the members of a set that is computed from sets are, by whether they are members of those."""


def expression(name: str, kinds: list[str], result: str, arguments: list[str]) -> str | None:
    """A built-in at arguments, whose sorts in the script are `kinds`; None if it is no expression."""
    first, last = (kinds[0], kinds[-1]) if kinds else ("", "")
    if name in BOUNDS and result == "Real":
        return "(* 2.0 h-constant-pi)" if name == "tau" else f"h-constant-{name}"
    if name == "concat" and first == "String":
        return f"(str.++ {' '.join(arguments)})"
    if first.startswith("(_ BitVec") and len(set(kinds)) == 1 and name in _WORDS.split():
        return f"({name} {' '.join(arguments)})"
    if name == "bv":
        return f"({result.replace('BitVec', 'int2bv')} {arguments[0]})"
    if name in ("empty_set", "singleton"):
        empty = f"((as const {result}) false)"
        return f"(store {empty} {arguments[0]} true)" if arguments else empty
    template = _BY_KIND.get("Array" if last.startswith("(Array") else first, {}).get(name)
    return template and template.format(*arguments)
