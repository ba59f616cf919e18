"""Which known laws settle a claim directly: by rewriting, by matching, and by premises that hold in the same way.

See docs/reference/registry.md §7.4.

    useful_laws(claim, laws) -> Useful(places=(0, 2), settles=True)

A law `∀x. l = r` whose right side is smaller rewrites from left to right, `¬P` rewrites P to false, and any law shows its
instances; a law with premises shows an instance whose premises are shown.  Nothing here is a proof: the answer names laws
that are worth giving to a prover, which shows the claim from them again.

Invariants
    * Rewriting ends: every step makes the term smaller, whatever stands for the variables.
    * The work is bounded by `_MOST` attempts to match, so the answer is the same on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from kleis import core
from kleis.core.traversal import rebuild, stripped, substitute, subterms

__all__ = ["Useful", "useful_laws"]

_MOST = 20_000
"""Attempts to match a law with a term."""

_DEPTH = 8
"""How deep premises of laws are shown by laws with premises."""

_TRUE = core.LiteralTerm(True, core.BOOL)
_FALSE = core.LiteralTerm(False, core.BOOL)

_Values = dict[str, core.Term]


class Useful(msgspec.Struct, frozen=True):
    """The places of the laws that were used on a claim, in order, and whether they settle it."""

    places: tuple[int, ...] = ()
    settles: bool = False


class _Law(msgspec.Struct, frozen=True):
    """A law with variables that no claim has: what it says, after its premises."""

    place: int
    variables: frozenset[str]
    premises: tuple[core.Term, ...]
    says: core.Term


class _Rule(msgspec.Struct, frozen=True):
    """An equation that makes terms smaller."""

    law: _Law
    left: core.Term
    right: core.Term


class _Spent(Exception):
    """The attempts are used up."""


def useful_laws(claim: core.Term, laws: Sequence[core.Term]) -> Useful:
    """The laws that rewrite a closed claim or show what is left of it.  `laws` are closed formulas."""
    return _Derivation(laws).of(claim)


class _Derivation:
    """The derivation of one claim."""

    def __init__(self, laws: Sequence[core.Term]) -> None:
        self._laws = [_law(place, each) for place, each in enumerate(laws)]
        self._rules = [rule for law in self._laws for rule in _rules(law)]
        self._left = _MOST
        self._used: dict[int, None] = {}

    def of(self, claim: core.Term) -> Useful:
        _, hypotheses, body = stripped(claim)
        try:
            settles = self._holds(body, hypotheses, _DEPTH)
            if not settles:
                known = [self._normal(each) for each in hypotheses]
                settles = self._holds(self._normal(body), known, _DEPTH)
        except _Spent:
            settles = False
        return Useful(tuple(sorted(self._used)), settles)

    # ── Showing ──────────────────────────────────────────────────────────────────────────────────────────────

    def _holds(self, claim: core.Term, known: Sequence[core.Term], depth: int) -> bool:
        """Whether a formula follows from `known` formulas and laws as they stand."""
        if claim == _TRUE or claim in known:
            return True
        match claim:
            case core.Connective(name="and", arguments=parts):
                return all(self._holds(each, known, depth) for each in parts)
            case core.Connective(name="implies", arguments=(premise, conclusion)):
                return self._holds(conclusion, (*known, *_conjuncts(premise)), depth)
            case core.Quantifier(kind="forall", body=body):
                return self._holds(body, known, depth)
        return depth > 0 and any(self._shows(law, claim, known, depth) for law in self._laws)

    def _shows(self, law: _Law, claim: core.Term, known: Sequence[core.Term], depth: int) -> bool:
        """Whether a law says a formula, or the same equation the other way round, and its premises hold."""
        for says in _ways(law.says):
            values = self._matched(law, says, claim)
            if values is None:
                continue
            before = dict(self._used)
            self._used.setdefault(law.place)
            premises = [self._normal(substitute(each, values)) for each in law.premises]
            if all(self._holds(each, known, depth - 1) for each in premises):
                return True
            self._used = before
        return False

    # ── Rewriting ────────────────────────────────────────────────────────────────────────────────────────────

    def _normal(self, term: core.Term) -> core.Term:
        """The term rewritten from inside out as long as a law fits."""
        made = _simplified(rebuild(term, self._normal))
        for rule in self._rules:
            values = self._matched(rule.law, rule.left, made)
            if values is not None:
                self._used.setdefault(rule.law.place)
                return self._normal(substitute(rule.right, values))
        return made

    def _matched(self, law: _Law, pattern: core.Term, term: core.Term) -> _Values | None:
        """The values of a law's variables at which a pattern is a term."""
        if self._left == 0:
            raise _Spent
        self._left -= 1
        values: _Values = {}
        return values if _match(pattern, term, law.variables, values) else None


def _law(place: int, formula: core.Term) -> _Law:
    """A closed formula as a law: its premises are those of implications and their conjuncts."""
    variables, premises, says = stripped(formula)
    renamed = {each.name: core.Variable(f"law {place} {each.name}", each.sort) for each in variables}
    found = [part for each in premises for part in _conjuncts(each)]
    while isinstance(says, core.Connective) and says.name == "implies":
        found += _conjuncts(says.arguments[0])
        says = says.arguments[1]
    names = frozenset(each.name for each in renamed.values())
    return _Law(place, names, tuple(substitute(each, renamed) for each in found), substitute(says, renamed))


def _rules(law: _Law) -> Iterator[_Rule]:
    """What a law without premises rewrites, if anything."""
    if law.premises:
        return
    match law.says:
        case core.Equals(left=left, right=right):
            for larger, smaller in ((left, right), (right, left)):
                if _shrinks(law, larger, smaller):
                    yield _Rule(law, larger, smaller)
        case core.Connective(name="not", arguments=(denied,)) if _is_call(denied):
            yield _Rule(law, denied, _FALSE)


def _shrinks(law: _Law, larger: core.Term, smaller: core.Term) -> bool:
    """Whether an equation makes every instance of its larger side smaller."""
    if not _is_call(larger) or _size(larger) <= _size(smaller):
        return False
    return _occurrences(law, smaller) <= _occurrences(law, larger)


def _is_call(term: core.Term) -> bool:
    return isinstance(term, core.DefinitionCall | core.BuiltinCall | core.SymbolCall)


def _size(term: core.Term) -> int:
    return sum(1 for _ in subterms(term))


def _occurrences(law: _Law, term: core.Term) -> Counter[str]:
    return Counter(
        each.name for each in subterms(term) if isinstance(each, core.Variable) and each.name in law.variables
    )


def _ways(says: core.Term) -> Iterator[core.Term]:
    yield says
    if isinstance(says, core.Equals):
        yield core.Equals(says.right, says.left)


def _conjuncts(formula: core.Term) -> Sequence[core.Term]:
    if isinstance(formula, core.Connective) and formula.name == "and":
        return [part for each in formula.arguments for part in _conjuncts(each)]
    return [formula]


def _simplified(term: core.Term) -> core.Term:
    """A formula whose truth is plain as that truth value."""
    match term:
        case core.Equals(left=left, right=right) if left == right:
            return _TRUE
        case core.Connective(name="not", arguments=(denied,)) if denied in (_TRUE, _FALSE):
            return _FALSE if denied == _TRUE else _TRUE
        case core.Connective(name="and", arguments=parts):
            open_ones = tuple(each for each in parts if each != _TRUE)
            if len(open_ones) > 1:
                return core.Connective("and", open_ones)
            return open_ones[0] if open_ones else _TRUE
        case core.Connective(name="implies", arguments=(premise, conclusion)):
            return _TRUE if premise == _FALSE or conclusion == _TRUE else term
    return term


def _match(pattern: core.Term, term: core.Term, variables: frozenset[str], values: _Values) -> bool:
    """Whether a pattern with values for its variables is a term; fills in `values`."""
    if isinstance(pattern, core.Variable) and pattern.name in variables:
        known = values.setdefault(pattern.name, term)
        return known == term and pattern.sort == term.sort
    if type(pattern) is not type(term):
        return False
    return all(
        _same(getattr(pattern, field), getattr(term, field), variables, values)
        for field in pattern.__struct_fields__
    )


def _same(pattern: object, term: object, variables: frozenset[str], values: _Values) -> bool:
    """Whether two parts of terms match: terms, tuples of them, or data that must be equal."""
    if isinstance(pattern, core.Term) and isinstance(term, core.Term):
        return _match(pattern, term, variables, values)
    if isinstance(pattern, tuple) and isinstance(term, tuple):
        return len(pattern) == len(term) and all(
            _same(mine, other, variables, values) for mine, other in zip(pattern, term, strict=True)
        )
    return pattern == term
