"""The rule `remainders`: claims that depend on integers only by what they leave when divided by fixed numbers.

    ∀(n : ℤ). mod(n ^ 7, 7) = mod(n, 7)            true for n = 0, …, 6, and so for all n
    ∀(n : ℕ). mod(3 ^ (2 * n + 1) + 2 ^ (n + 2), 7) = 0      true for n below a number from which powers repeat

See docs/reference/certificates.md §3.12.  What is compared are remainders by written divisors, and what is computed from
them.  With M the least common multiple of the divisors, a remainder of a polynomial is the same at n and n + M; powers of a
written number by an exponent that is linear in natural numbers repeat from some exponent on.

Invariants
    * No premise is used.
    * What is no remainder, and not computed from remainders, is neither true nor false: the claim must hold without it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from itertools import product
from math import lcm

from kleis import core
from kleis.core.traversal import subterms
from kleis.prover.checker.rules.whole_numbers import (
    WHOLE,
    NotComputed,
    applied,
    repetition,
    written_divisor,
    written_number,
)
from kleis.prover.checker.sequent import RejectedError, Sequent
from kleis.semantics.truth import FALSE, OPEN, TRUE, Truth, conjunction, disjunction, negation

__all__ = ["STEPS", "check_remainders"]

STEPS = 4_000_000
_LARGEST = 5_000
_LARGEST_EXPONENT = 1_000
_MOST_CASES = 100_000


_ORDERS: dict[str, Callable[[int, int], bool]] = {
    "less_than": operator.lt,
    "leq": operator.le,
    "greater_than": operator.gt,
    "geq": operator.ge,
}


def check_remainders(sequent: Sequent, steps: int = STEPS) -> int:
    """The steps after which the claim was found true in all cases; `RejectedError` if it was not."""
    claim = sequent.claim
    variables: list[core.Variable] = []
    while isinstance(claim, core.Quantifier) and claim.kind == "forall":
        variables += claim.variables
        claim = claim.body
    whole = [each for each in variables if each.sort in WHOLE]
    divisors = [each for each in (written_divisor(term) for term in subterms(claim)) if each is not None]
    if not whole or not divisors:
        raise RejectedError("the claim is not about remainders of integers")
    modulus = lcm(*divisors)
    if modulus > _LARGEST:
        raise RejectedError(f"remainders by more than {_LARGEST}")
    cases = _Cases(modulus, [each.name for each in whole], steps)
    cases.check(claim, whole)
    return steps - cases.steps


class _Cases:
    """A claim at values of its variables, computed modulo a number."""

    def __init__(self, modulus: int, names: list[str], steps: int) -> None:
        self.steps = steps
        self._modulus = modulus
        self._names = frozenset(names)
        self._period = modulus
        self._before = 0
        self._in_exponents: set[str] = set()

    def _charge(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise RejectedError("more cases than steps")

    def check(self, claim: core.Term, variables: list[core.Variable]) -> None:
        """Every case in turn; `RejectedError` at one where the claim is not true."""
        self._read_powers(claim)
        ranges = []
        count = 1
        for each in variables:
            powered = each.name in self._in_exponents
            ranges.append(range(self._before + self._period if powered else self._modulus))
            count *= len(ranges[-1])
        if count > _MOST_CASES:
            raise RejectedError(f"more than {_MOST_CASES} cases")
        for values in product(*ranges):
            if (
                self._truth(claim, dict(zip((each.name for each in variables), values, strict=True)))
                is not TRUE
            ):
                raise RejectedError(f"it is not true where the variables are {', '.join(map(str, values))}")

    def _read_powers(self, claim: core.Term) -> None:
        """From where, and after how many values, powers of written numbers repeat, and which variables they depend on."""
        for term in subterms(claim):
            if not (isinstance(term, core.BuiltinCall) and term.operation.name == "power"):
                continue
            base, exponent = written_number(term.arguments[0]), term.arguments[1]
            if base is None or written_number(exponent) is not None:
                continue
            names = list(self._linear(exponent))
            if names:
                before, period = repetition(base, self._modulus)
                self._before = max(self._before, before)
                self._period = lcm(self._period, period)
                self._in_exponents.update(names)

    def _linear(self, exponent: core.Term) -> Iterator[str]:
        """The variables of an exponent that is a sum of multiples of natural variables; nothing for others."""
        try:
            found = self._coefficients(exponent)
        except NotComputed:
            return
        yield from (name for name in found if name)

    def _coefficients(self, term: core.Term) -> Mapping[str, int]:
        """What each variable is multiplied with, all natural, and under the empty name what is added."""
        written = written_number(term)
        if written is not None and written >= 0:
            return {"": written}
        match term:
            case core.Coercion(term=part):
                return self._coefficients(part)
            case core.Variable(name=name, sort=sort) if sort == core.NATURAL and name in self._names:
                return {name: 1}
            case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name == "plus":
                found = dict(self._coefficients(left))
                for name, count in self._coefficients(right).items():
                    found[name] = found.get(name, 0) + count
                return found
            case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name == "times":
                for number, other in ((written_number(left), right), (written_number(right), left)):
                    if number is not None and number > 0:
                        return {name: number * count for name, count in self._coefficients(other).items()}
        raise NotComputed

    # ── Values ───────────────────────────────────────────────────────────────────────────────────────────────

    def _truth(self, formula: core.Term, values: Mapping[str, int]) -> Truth:
        self._charge(1)
        match formula:
            case core.LiteralTerm(value=bool() as value):
                return TRUE if value else FALSE
            case core.Connective(name=name, arguments=arguments):
                parts = [self._truth(each, values) for each in arguments]
                if name == "not":
                    return negation(parts[0])
                if name == "implies":
                    return disjunction(negation(parts[0]), parts[1])
                return reduce(conjunction if name == "and" else disjunction, parts)
            case core.Equals(left=left, right=right) if left.sort in WHOLE:
                return self._compared(operator.eq, left, right, values)
            case core.Equals(left=left, right=right) if left.sort == core.BOOL:
                sides = [self._truth(each, values) for each in (left, right)]
                if OPEN in sides:
                    return OPEN
                return TRUE if sides[0] is sides[1] else FALSE
            case core.BuiltinCall(operation=operation, arguments=(left, right)) if operation.name in _ORDERS:
                return self._compared(_ORDERS[operation.name], left, right, values)
        return OPEN

    def _compared(
        self, test: Callable[[int, int], bool], left: core.Term, right: core.Term, values: Mapping[str, int]
    ) -> Truth:
        try:
            return TRUE if test(self._exact(left, values), self._exact(right, values)) else FALSE
        except NotComputed:
            return OPEN

    def _exact(self, term: core.Term, values: Mapping[str, int]) -> int:
        """An integer that is computed from remainders and written numbers."""
        self._charge(1)
        written = written_number(term)
        if written is not None:
            return written
        match term:
            case core.Coercion(term=part) if part.sort in WHOLE and term.sort in WHOLE:
                return self._exact(part, values)
            case core.BuiltinCall(operation=operation, arguments=arguments):
                divisor = written_divisor(term)
                if divisor is not None:
                    return self._remainder(arguments[0], values) % divisor
                return applied(operation.name, [self._exact(each, values) for each in arguments])
        raise NotComputed

    def _remainder(self, term: core.Term, values: Mapping[str, int]) -> int:
        """A number that leaves the same as a term when divided by the modulus."""
        self._charge(1)
        written = written_number(term)
        if written is not None:
            return written % self._modulus
        match term:
            case core.Variable(name=name) if name in self._names:
                return values[name] % self._modulus
            case core.Coercion(term=part) if part.sort in WHOLE and term.sort in WHOLE:
                return self._remainder(part, values)
            case core.BuiltinCall(operation=operation, arguments=arguments):
                if written_divisor(term) is not None:
                    return self._exact(term, values)
                if operation.name == "power":
                    return self._power(arguments[0], arguments[1], values)
                parts = [self._remainder(each, values) for each in arguments]
                return applied(operation.name, parts) % self._modulus
        raise NotComputed

    def _power(self, base: core.Term, exponent: core.Term, values: Mapping[str, int]) -> int:
        times = written_number(exponent)
        if times is not None:
            if not 0 <= times <= _LARGEST_EXPONENT:
                raise NotComputed
            return pow(self._remainder(base, values), times, self._modulus)
        number = written_number(base)
        if number is None:
            raise NotComputed
        total = 0
        for name, count in self._coefficients(exponent).items():
            total += count * (values[name] if name else 1)
        return pow(number, total, self._modulus)
