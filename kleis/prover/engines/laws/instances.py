"""At which terms a claim needs which laws of built-ins.

Every call of a built-in in the claim asks for the laws about it; those mention further calls, which ask in turn, for a
few rounds.  Terms may mention the variables of the claim's outermost ∀ only.  Nothing here is trusted: the checker takes
the laws from its own table, and instances of what is true are true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

from kleis import core
from kleis.core.build_terms import integer
from kleis.core.traversal import free_variables, stripped, subterms

__all__ = ["FUNCTIONS", "Taken", "instances_for", "mentions_functions"]

Taken = tuple[str, tuple[core.Term, ...]]
"""A law by its name, and terms for its variables."""

_Call = tuple[str, tuple[core.Term, ...]]
_Found = Iterator["Taken | _Call"]

_CIRCLE = ("sin", "cos", "tan")
_GROWTH = ("exp", "ln", "log2", "log10", "sinh", "cosh", "tanh")
_DIVISORS = ("gcd", "lcm")

FUNCTIONS = frozenset((*_CIRCLE, *_GROWTH, *_DIVISORS, "sqrt"))
"""The built-ins that solvers know nothing of, and laws do."""

_BOUNDS = frozenset(
    {
        "sine below its angle",
        "cosine above its parabola",
        "sine and its cubic",
        "sine is positive",
        "cosine is positive",
        "tangent above its angle",
        "exp above its tangent",
        "exp above its parabola",
        "exp below a parabola",
        "exp below a quotient",
        "logarithm below its tangent",
        "logarithm above a quotient",
    }
)

_MOST = 80
_ROUNDS = 3
_MOST_PAIRS = 4


def mentions_functions(*terms: core.Term) -> bool:
    """Whether terms call a built-in that only the laws say something of: an unknown power and a remainder too."""
    return any(_is_asked(each) for each in subterms(*terms))


def _is_asked(term: core.Term) -> bool:
    if not isinstance(term, core.BuiltinCall):
        return False
    if term.operation.name in ("mod", "power"):
        return _written(term.arguments[1]) is None
    if term.operation.name == "strToInt":
        return _split_call(term.arguments[0], "intToStr") is not None
    return term.operation.name in FUNCTIONS


def _split_call(term: core.Term, name: str) -> core.Term | None:
    """The argument of a term that calls this built-in of one argument."""
    if isinstance(term, core.BuiltinCall) and term.operation.name == name:
        return term.arguments[0]
    return None


def instances_for(claim: core.Term, *, bounds: bool = True) -> tuple[Taken, ...]:
    """The instances of laws for a claim, in order of need and each once; without those that only bound angles and
    exponentials, unless `bounds`."""
    outer = set(stripped(claim)[0])
    calls: dict[_Call, None] = {}
    for each in subterms(claim):
        if _is_asked(each) and set(free_variables(each)) <= outer:
            assert isinstance(each, core.BuiltinCall)
            calls.setdefault((each.operation.name, each.arguments))
    taken: dict[Taken, None] = {}
    fresh = list(calls)
    for _ in range(_ROUNDS):
        more: list[_Call] = []
        for name, arguments in fresh:
            for found in _LAWS_OF.get(name, _none)(*arguments):
                if found[0] in _LAWS_OF and _is_call(found):
                    if found not in calls:
                        calls.setdefault(found)
                        more.append(found)
                else:
                    taken.setdefault(found)
        fresh = more
    for found in _between(list(calls)):
        taken.setdefault(found)
    return tuple(each for each in taken if bounds or each[0] not in _BOUNDS)[:_MOST]


def _is_call(found: Taken | _Call) -> bool:
    return " " not in found[0]


def _none(*arguments: core.Term) -> _Found:
    yield from ()


# ── Terms ────────────────────────────────────────────────────────────────────────────────────────────────────


def _split(term: core.Term, *names: str) -> tuple[str, tuple[core.Term, ...]]:
    """The operation of a term, if it is one of these, and its operands; coercions of a sum are taken apart."""
    if isinstance(term, core.Coercion) and isinstance(term.term, core.BuiltinCall):
        name, inner = _split(term.term, *names)
        return name, tuple(core.Coercion(_bare(each), term.sort) for each in inner)
    if not isinstance(term, core.BuiltinCall) or any(each.sort != term.sort for each in term.arguments):
        return "", ()
    name = term.operation.name
    return (name, term.arguments) if name in names else ("", ())


def _bare(term: core.Term) -> core.Term:
    return term.term if isinstance(term, core.Coercion) else term


def _written(term: core.Term) -> int | None:
    """The integer that a term writes."""
    if isinstance(term, core.Coercion):
        return _written(term.term)
    if isinstance(term, core.BuiltinCall) and term.operation.name == "negate":
        inner = _written(term.arguments[0])
        return None if inner is None else -inner
    if isinstance(term, core.LiteralTerm) and type(term.value) is int:
        return term.value
    return None


def _real(value: int) -> core.Term:
    return core.Coercion(core.LiteralTerm(value, core.NATURAL), core.REAL)


def _opposite(term: core.Term) -> core.Term:
    parameters = (core.Variable("a", term.sort),)
    return core.BuiltinCall(core.Operation("negate", parameters, term.sort), (term,))


# ── Laws of one call ─────────────────────────────────────────────────────────────────────────────────────────


def _of_numeral(text: core.Term) -> _Found:
    """Of the integer that a text spells."""
    number = _split_call(text, "intToStr")
    if number is not None:
        yield "numeral read back", (number,)


def _of_angle(x: core.Term) -> _Found:
    """Of sine and cosine."""
    yield "pythagoras", (x,)
    match _split(x, "plus", "minus", "negate", "times"):
        case "plus", (a, b):
            yield from (("sine of a sum", (a, b)), ("cosine of a sum", (a, b)), ("sin", (a,)), ("sin", (b,)))
        case "minus", (a, b):
            yield from (("sine of a difference", (a, b)), ("cosine of a difference", (a, b)))
            yield from (("sin", (a,)), ("sin", (b,)))
        case "negate", (a,):
            yield from (("sine is odd", (a,)), ("cosine is even", (a,)), ("sin", (a,)))
        case "times", (a, b) if _written(a) == 2:
            yield from (("sine of a double", (b,)), ("cosine of a double", (b,)), ("sin", (b,)))
    yield from (("sine below its angle", (x,)), ("cosine above its parabola", (x,)))
    yield from (("sine and its cubic", (x,)), ("sine is positive", (x,)), ("cosine is positive", (x,)))


def _of_tangent(x: core.Term) -> _Found:
    yield from (("tangent", (x,)), ("tangent above its angle", (x,)), ("sin", (x,)))


def _of_exponential(x: core.Term) -> _Found:
    yield "exp is positive", (x,)
    match _split(x, "plus", "minus", "negate", "times"):
        case "plus", (a, b):
            yield from (("exp of a sum", (a, b)), ("exp", (a,)), ("exp", (b,)))
        case "minus", (a, b):
            yield from (("exp of a difference", (a, b)), ("exp", (a,)), ("exp", (b,)))
        case "negate", (a,):
            yield from (("exp of the opposite", (a,)), ("exp", (a,)))
        case "times", (a, b) if _written(a) == 2:
            yield from (("exp of a double", (b,)), ("exp", (b,)))
    if _written(x) == 0:
        yield "exp of zero", ()
    if _written(x) == 1:
        yield "exp of one", ()
    if isinstance(x, core.BuiltinCall) and x.operation.name == "ln":
        yield "exp of a logarithm", x.arguments
    yield from (("exp above its tangent", (x,)), ("exp above its parabola", (x,)))
    yield from (("exp below a parabola", (x,)), ("exp below a quotient", (x,)))


def _of_logarithm(x: core.Term) -> _Found:
    match _split(x, "times", "divide"):
        case "times", (a, b):
            yield from (("logarithm of a product", (a, b)), ("ln", (a,)), ("ln", (b,)))
        case "divide", (a, b):
            yield from (("logarithm of a quotient", (a, b)), ("ln", (a,)), ("ln", (b,)))
    match x:
        case core.BuiltinCall(operation=operation, arguments=(a, b)) if (
            operation.name == "power" and _written(b) == 2
        ):
            yield "logarithm of a square", (a,)
        case core.BuiltinCall(operation=operation, arguments=(a,)) if operation.name == "exp":
            yield from (("logarithm of exp", (a,)), ("exp", (a,)))
    if _written(x) == 1:
        yield "logarithm of one", ()
    yield from (("logarithm below its tangent", (x,)), ("logarithm above a quotient", (x,)))


def _of_base(name: str, base: int) -> Callable[[core.Term], _Found]:
    def found(x: core.Term) -> _Found:
        yield from ((name, (x,)), ("ln", (x,)), ("ln", (_real(base),)))

    return found


def _of_hyperbola(x: core.Term) -> _Found:
    yield from (("hyperbolic sine", (x,)), ("hyperbolic cosine", (x,)), ("hyperbolic tangent", (x,)))
    yield from (("exp of the opposite", (x,)), ("exp", (x,)), ("exp", (_opposite(x),)))


def _of_root(x: core.Term) -> _Found:
    yield "square root", (x,)


def _of_power(x: core.Term, y: core.Term) -> _Found:
    if (x.sort, y.sort) != (core.REAL, core.REAL):
        return
    yield "real power is positive", (x, y)
    match _split(y, "plus"):
        case "plus", (a, b):
            yield "real power of a sum", (x, a, b)
    match x:
        case core.BuiltinCall(operation=operation, arguments=(a, b)) if (
            operation.name == "power" and b.sort == core.REAL
        ):
            yield "real power of a power", (a, b, y)
        case core.BuiltinCall(operation=operation, arguments=(a, b)) if operation.name == "times":
            yield "real power of a product", (a, b, y)


def _of_divisor(a: core.Term, b: core.Term) -> _Found:
    yield from (
        ("divisor commutes", (a, b)),
        ("divisor of the first", (a, b)),
        ("divisor of the second", (a, b)),
    )
    yield from (("divisor of zeros", (a, b)), ("Bézout", (a, b)), ("divisor is bounded", (a, b)))
    for x, y in ((a, b), (b, a)):
        if _written(y) == 0:
            yield "divisor with zero", (x,)
        if _written(y) == 1:
            yield "divisor with one", (x,)
        if (
            isinstance(y, core.Coercion)
            and isinstance(y.term, core.BuiltinCall)
            and y.term.operation.name == "gcd"
        ):
            yield "divisor associates", (x, *y.term.arguments)
            yield "divisor associates", (*y.term.arguments, x)
            yield "gcd", (core.Coercion(_gcd(x, y.term.arguments[0]), core.INTEGER), y.term.arguments[1])
        match _split(x, "plus", "minus", "negate", "times"):
            case "negate", (p,):
                yield from (("divisor of opposites", (p, y)), ("gcd", (p, y)))
            case "plus", (p, q):
                yield from _shifts(p, q, y, 1)
                yield from _shifts(q, p, y, 1)
            case "minus", (p, q):
                yield from _shifts(p, q, y, -1)
            case "times", (p, q):
                yield from _shifts(integer(0), x, y, 1)
                match _split(y, "times"):
                    case "times", (r, s):
                        for k, m in ((p, q), (q, p)):
                            for j, n in ((r, s), (s, r)):
                                if k == j:
                                    yield from (("divisor of multiples", (m, n, k)), ("gcd", (m, n)))
                yield from (("coprime products", (y, p, q)), ("gcd", (y, p)), ("gcd", (y, q)))
        if isinstance(x, core.BuiltinCall) and x.operation.name == "mod" and x.arguments[1] == y:
            yield from (("divisor of a remainder", (x.arguments[0], y)), ("gcd", (x.arguments[0], y)))
    if a == b:
        yield "divisor with itself", (a,)


def _gcd(a: core.Term, b: core.Term) -> core.Term:
    parameters = (core.Variable("a", core.INTEGER), core.Variable("b", core.INTEGER))
    return core.BuiltinCall(core.Operation("gcd", parameters, core.NATURAL, None, incomplete=True), (a, b))


def _shifts(p: core.Term, q: core.Term, y: core.Term, sign: int) -> _Found:
    """Of gcd(p ± q, y), where q is a multiple of y, or y one of q."""
    factors = [integer(sign)] if q == y else []
    match _split(q, "times"):
        case "times", (r, s):
            factors += [sign_of(each, sign) for each, other in ((r, s), (s, r)) if other == y]
    for k in factors:
        yield from (("divisor of a shift", (p, y, k)), ("gcd", (p, y)))
    match _split(y, "plus", "minus"):
        case "plus" | "minus" as name, (r, s):
            for u, v, way in ((r, s, 1 if name == "plus" else -1), (s, r, 1)):
                if v == q and (name == "plus" or v is s):
                    yield from (("divisor of a shift", (u, q, integer(way))), ("gcd", (u, q)))


def sign_of(term: core.Term, sign: int) -> core.Term:
    """A term or its opposite."""
    return term if sign > 0 else _opposite(term)


def _of_multiple(a: core.Term, b: core.Term) -> _Found:
    yield from (
        ("multiple commutes", (a, b)),
        ("multiple of the first", (a, b)),
        ("multiple of the second", (a, b)),
    )
    yield from (("multiple of zeros", (a, b)), ("divisor and multiple", (a, b)), ("gcd", (a, b)))
    for x, y in ((a, b), (b, a)):
        if (
            isinstance(y, core.Coercion)
            and isinstance(y.term, core.BuiltinCall)
            and y.term.operation.name == "lcm"
        ):
            yield "multiple associates", (x, *y.term.arguments)
            yield "multiple associates", (*y.term.arguments, x)
            yield "multiple commutes", (x, y.term.arguments[0])
    if a == b or 1 in (_written(a), _written(b)):
        yield "multiple of itself", (a if _written(b) == 1 else b,)


def _of_remainder(a: core.Term, d: core.Term) -> _Found:
    if a.sort != core.INTEGER or d.sort != core.INTEGER:
        return
    yield from (("divisibility as a multiple", (a, d)), ("division with remainder", (a, d)))
    match _split(a, "plus", "minus", "times"):
        case "plus", (p, q):
            yield from (("remainder of a sum", (p, q, d)), ("mod", (p, d)), ("mod", (q, d)))
        case "minus", (p, q):
            yield from (("remainder of a difference", (p, q, d)), ("mod", (p, d)), ("mod", (q, d)))
        case "times", (p, q):
            yield from (("remainder of a product", (p, q, d)), ("remainder of a multiple", (p, q, d)))
            yield "remainder of a multiple", (q, p, d)


_LAWS_OF: dict[str, Callable[..., _Found]] = {
    "strToInt": _of_numeral,
    "sin": _of_angle,
    "cos": _of_angle,
    "tan": _of_tangent,
    "exp": _of_exponential,
    "ln": _of_logarithm,
    "log2": _of_base("base two", 2),
    "log10": _of_base("base ten", 10),
    "sinh": _of_hyperbola,
    "cosh": _of_hyperbola,
    "tanh": _of_hyperbola,
    "sqrt": _of_root,
    "power": _of_power,
    "gcd": _of_divisor,
    "lcm": _of_multiple,
    "mod": _of_remainder,
}


# ── Laws of several calls ────────────────────────────────────────────────────────────────────────────────────


def _between(calls: Sequence[_Call]) -> Iterator[Taken]:
    """Laws that compare values of one function, or join divisors and remainders."""
    for name, law, neutral in (("exp", "exp increases", 0), ("ln", "logarithm increases", 1)):
        points = [arguments[0] for each, arguments in calls if each == name][:_MOST_PAIRS]
        if points:
            yield ("exp of zero" if name == "exp" else "logarithm of one"), ()
            for pair in permutations(dict.fromkeys((*points, _real(neutral))), 2):
                yield law, pair
    if any(name == "exp" for name, _ in calls):
        yield from (("exp of a logarithm", arguments) for name, arguments in calls if name == "ln")
    remainders = [arguments for name, arguments in calls if name == "mod"]
    for c, b in remainders:
        for other, a in remainders:
            if other == b and a != b:
                yield "divisibility goes on", (a, b, c)
    for name, arguments in calls:
        if name not in _DIVISORS:
            continue
        a, b = arguments
        for m, d in remainders:
            if name == "gcd":
                yield "greatest divisor", (a, b, d)
                match _split(m, "times"):
                    case "times", (p, q):
                        for x, y in ((p, q), (q, p)):
                            if d in (a, b) and x in (a, b):
                                yield "coprime division", (d, x, y)
                                yield "divisor commutes", (a, b)
            if name == "lcm":
                yield "least multiple", (a, b, m)
