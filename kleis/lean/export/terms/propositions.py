"""Formulas of Lean, simplified while they are built, and joined from parts that may be undefined.

The simplifications are those of classical logic: they change the text, not the meaning.  Of partial parts ∧ ∨ ¬ → are
those of strong Kleene logic, and `if` and `match` need only the branch taken (docs/reference/proving.md §4.3).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import msgspec

from kleis.core import Term, Variable
from kleis.core.traversal import subterms
from kleis.definedness.partial_logic import Language, PartialFormula
from kleis.lean.language import lean_tree as lean

__all__ = [
    "FALSE",
    "LEAN",
    "TRUE",
    "Formula",
    "Value",
    "cases",
    "chosen",
    "conjunction",
    "decided",
    "denied",
    "disjunction",
    "exists",
    "forall",
    "guarded",
    "implication",
    "mentions",
    "merged",
    "negation",
    "numerals_compared",
    "occurs",
    "plain_truth",
    "simplified",
    "truth_value",
    "where",
]

TRUE = lean.Name("True")
FALSE = lean.Name("False")


class Formula(msgspec.Struct, frozen=True):
    """A formula: where it is true, and where it is false (None: where it is not true)."""

    true: lean.Term
    partial_false: lean.Term | None = None

    @property
    def total(self) -> bool:
        """Whether it is true or false everywhere."""
        return self.partial_false is None

    @property
    def false(self) -> lean.Term:
        """Where it is false."""
        return negation(self.true) if self.partial_false is None else self.partial_false

    @property
    def defined(self) -> lean.Term:
        """Where it is true or false."""
        return TRUE if self.total else disjunction(self.true, self.false)


class Value(msgspec.Struct, frozen=True):
    """A term, and where it has that value."""

    term: lean.Term
    defined: lean.Term = TRUE


def conjuncts(formula: lean.Term) -> list[lean.Term]:
    """The parts of a conjunction."""
    if isinstance(formula, lean.Infix) and formula.operator == "∧":
        return [*conjuncts(formula.left), *conjuncts(formula.right)]
    return [] if formula == TRUE else [formula]


def _chain(operator: str, parts: list[lean.Term], empty: lean.Term) -> lean.Term:
    if not parts:
        return empty
    result = parts[-1]
    for part in reversed(parts[:-1]):
        result = lean.Infix(operator, part, result)
    return result


def conjunction(*formulas: lean.Term) -> lean.Term:
    """∧, without ``True`` and repetitions."""
    parts = list(dict.fromkeys(part for formula in formulas for part in conjuncts(formula)))
    return FALSE if FALSE in parts else _chain("∧", parts, TRUE)


def disjunction(*formulas: lean.Term) -> lean.Term:
    """∨, without ``False`` and repetitions."""
    parts = list(dict.fromkeys(formula for formula in formulas if formula != FALSE))
    return TRUE if TRUE in parts else _chain("∨", parts, FALSE)


def negation(formula: lean.Term) -> lean.Term:
    """¬, of = and ≠ and of ¬ itself simplified."""
    match formula:
        case lean.Name(text="True"):
            return FALSE
        case lean.Name(text="False"):
            return TRUE
        case lean.Prefix(operator="¬", operand=inner):
            return inner
        case lean.Infix(operator="=", left=left, right=right):
            return lean.Infix("≠", left, right)
        case lean.Infix(operator="≠", left=left, right=right):
            return lean.Infix("=", left, right)
        case _:
            return lean.Prefix("¬", formula)


def denied(formula: lean.Term) -> lean.Term:
    """¬, pushed inwards: ¬∃ becomes ∀¬, and ¬(a ∧ b) becomes a → ¬b."""
    match formula:
        case lean.Bind(kind="∃", binders=binders, body=body):
            inner = denied(body)
            if (
                isinstance(inner, lean.Bind)
                and inner.kind == "∀"
                and inner.binders[0].type == binders[-1].type
            ):
                first = lean.Binder((*binders[-1].names, *inner.binders[0].names), binders[-1].type)
                return lean.Bind("∀", (*binders[:-1], first, *inner.binders[1:]), inner.body)
            return forall(binders, inner)
        case lean.Infix(operator="∧", left=left, right=right):
            return implication(left, denied(right))
        case lean.Infix(operator="∨", left=left, right=right):
            return conjunction(denied(left), denied(right))
        case _:
            return negation(formula)


def implication(given: lean.Term, then: lean.Term) -> lean.Term:
    """→, simplified where a side is ``True`` or ``False``."""
    if given == TRUE or then == TRUE:
        return then
    if given == FALSE:
        return TRUE
    return negation(given) if then == FALSE else lean.Infix("→", given, then)


def forall(binders: tuple[lean.Binder, ...], body: lean.Term) -> lean.Term:
    """∀; of a constant, the constant, since no sort is empty."""
    return body if body in (TRUE, FALSE) or not binders else lean.Bind("∀", binders, body)


def exists(binders: tuple[lean.Binder, ...], body: lean.Term) -> lean.Term:
    """∃, one for each binder, as Lean has it."""
    if body in (TRUE, FALSE):
        return body
    for binder in reversed(binders):
        body = lean.Bind("∃", (binder,), body)
    return body


def simplified(formula: lean.Term, known: frozenset[lean.Term] = frozenset()) -> lean.Term:
    """The formula without conjuncts that stand as hypotheses around them.

    What must be defined is often assumed already: ``x ≠ 0 → x ≠ 0 ∧ x / x = 1`` is ``x ≠ 0 → x / x = 1``.
    """
    match formula:
        case _ if formula in known:
            return TRUE
        case lean.Infix(operator="→", left=left, right=right):
            return implication(left, simplified(right, known | frozenset(conjuncts(left))))
        case lean.Infix(operator="∧"):
            kept: list[lean.Term] = []
            for part in conjuncts(formula):
                kept.append(simplified(part, known | frozenset(kept)))
            return conjunction(*kept)
        case lean.Infix(operator="∨", left=left, right=right):
            first = simplified(left, known)
            return disjunction(first, simplified(right, known | frozenset(conjuncts(negation(left)))))
        case lean.Bind(kind="∀", binders=binders, body=body):
            return forall(binders, simplified(body, known))
        case lean.Bind(kind="∃", binders=binders, body=body):
            return exists(binders, simplified(body, known))
        case _:
            return formula


_COMPARED: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "=": operator.eq,
    "≠": operator.ne,
    "<": operator.lt,
    "≤": operator.le,
    ">": operator.gt,
    "≥": operator.ge,
}


def numerals_compared(formula: lean.Term) -> lean.Term:
    """A formula with its comparisons of two numerals decided: ``2 ≠ 0`` is true."""
    match formula:
        case lean.Infix(operator="∧", left=left, right=right):
            return conjunction(numerals_compared(left), numerals_compared(right))
        case lean.Infix(operator="∨", left=left, right=right):
            return disjunction(numerals_compared(left), numerals_compared(right))
        case lean.Infix(operator=relation, left=left, right=right) if relation in _COMPARED:
            a, b = _numeral(left), _numeral(right)
            if a is None or b is None:
                return formula
            return TRUE if _COMPARED[relation](a, b) else FALSE
        case lean.Prefix(operator="¬", operand=inner):
            return negation(numerals_compared(inner))
        case _:
            return formula


def _numeral(term: lean.Term) -> Fraction | None:
    match term:
        case lean.Typed(term=inner):
            return _numeral(inner)
        case lean.Number(value=value):
            return Fraction(value)
        case lean.Prefix(operator="-", operand=inner):
            value_of = _numeral(inner)
            return None if value_of is None else -value_of
        case lean.Infix(operator="/", left=lean.Number(value=above), right=lean.Number(value=below)) if below:
            return Fraction(above, below)
        case _:
            return None


def mentions(term: lean.Term, name: str) -> bool:
    """Whether a name occurs in a term."""
    return any(isinstance(each, lean.Name) and each.text == name for each in lean.walk(term))


# ── Truth values, and conditions that a recursion needs ──


def truth_value(formula: lean.Term) -> lean.Term:
    """A formula as a Bool: Lean finds no decision procedure of a match, so its cases become Bools."""
    if not any(isinstance(each, lean.Match) for each in lean.walk(formula)):
        return lean.Call(lean.Name("decide"), (formula,))
    match formula:
        case lean.Match(subject=subject, arms=arms):
            return lean.Match(subject, tuple(lean.Arm(arm.pattern, _truth(arm.body)) for arm in arms))
        case lean.LetIn(name=name, type=type_, value=value, body=body):
            return lean.LetIn(name, type_, value, _truth(body))
        case lean.Infix(operator="∧" | "∨" as operator, left=left, right=right):
            return lean.Infix("&&" if operator == "∧" else "||", _truth(left), _truth(right))
        case lean.Infix(operator="→", left=left, right=right):
            return lean.Infix("||", lean.Prefix("!", _truth(left)), _truth(right))
        case lean.Prefix(operator="¬", operand=inner):
            return lean.Prefix("!", _truth(inner))
        case _:
            return plain_truth(formula) or lean.Call(lean.Name("decide"), (formula,))


def plain_truth(formula: lean.Term) -> lean.Term | None:
    """The Bool that a formula is about, where it is True, False or ``b = true``; else None."""
    match formula:
        case lean.Name(text="True" | "False"):
            return lean.Name(formula.text.lower())
        case lean.Infix(operator="=", left=left, right=lean.Name(text="true")):
            return left
        case _:
            return None


def _truth(formula: lean.Term) -> lean.Term:
    return plain_truth(formula) or truth_value(formula)


def decided(condition: lean.Term) -> lean.Term:
    """A condition that Lean can decide, of one with a match in it."""
    found = _truth(condition)
    if isinstance(found, lean.Call) or found in (lean.Name("true"), lean.Name("false")):
        return condition
    return lean.Infix("=", found, lean.Name("true"))


def guarded(formula: lean.Term, names: frozenset[str]) -> lean.Term:
    """A formula in which what stands before a recursive call is a hypothesis of it: ``∃ _ : a, b`` for ``a ∧ b``.

    Lean proves that a recursion ends from hypotheses, and a conjunction gives none.
    """

    def calls(term: lean.Term) -> bool:
        return any(mentions(term, name) for name in names)

    match formula:
        case lean.Infix(operator="∧", left=left, right=right) if calls(right):
            before, after = guarded(left, names), guarded(right, names)
            return lean.Bind("∃", (lean.Binder(("_",), before),), after)
        case lean.Infix(operator=operator, left=left, right=right) if operator in ("∧", "∨", "→"):
            return lean.Infix(operator, guarded(left, names), guarded(right, names))
        case lean.Bind(kind="∀" | "∃" as kind, binders=binders, body=body):
            return lean.Bind(kind, binders, guarded(body, names))
        case lean.Match(subject=subject, arms=arms):
            return lean.Match(subject, tuple(lean.Arm(arm.pattern, guarded(arm.body, names)) for arm in arms))
        case lean.LetIn(name=name, type=type_, value=value, body=body):
            return lean.LetIn(name, type_, value, guarded(body, names))
        case _:
            return formula


# ── Formulas from parts that may be undefined ──────────────────────────────────────────────────────────────────


def merged(binders: Iterable[lean.Binder]) -> tuple[lean.Binder, ...]:
    """Binders, with neighbours of one type joined."""
    found: list[lean.Binder] = []
    for each in binders:
        if found and found[-1].type == each.type:
            found[-1] = lean.Binder((*found[-1].names, *each.names), each.type)
        else:
            found.append(each)
    return tuple(found)


def occurs(variable: Variable, term: Term) -> bool:
    """Whether a variable occurs in a term."""
    return any(each == variable for each in subterms(term))


def where(formula: lean.Term, defined: lean.Term) -> Formula:
    """An atom that is true or false only where it is defined."""
    if defined == TRUE:
        return Formula(formula)
    return Formula(conjunction(defined, formula), conjunction(defined, negation(formula)))


def _implies(given: PartialFormula[lean.Term], then: PartialFormula[lean.Term]) -> lean.Term:
    return implication(given.true, then.true) if given.total else disjunction(given.false, then.true)


LEAN = Language(conjunction, disjunction, _implies)


def chosen(condition: lean.Term, yes: lean.Term, no: lean.Term) -> lean.Term:
    """``yes`` where the condition holds, else ``no``."""
    return conjunction(implication(condition, yes), implication(negation(condition), no))


def cases(subject: lean.Term, branches: Sequence[tuple[lean.Term, lean.Term]]) -> lean.Term:
    """A match, simplified: cases that are all alike become their body, and alike cases without names become ``_``."""
    arms = [lean.Arm(_needed(pattern, body), body) for pattern, body in branches]
    if not any(_names(arm.pattern) for arm in arms) and len({arm.body for arm in arms}) == 1:
        return arms[0].body
    last = arms[-1]
    same = [arm for arm in arms if arm.body == last.body and not _names(arm.pattern)]
    if len(same) > 1 and last in same:
        arms = [*(arm for arm in arms if arm not in same), lean.Arm(lean.Name("_"), last.body)]
    return lean.Match(subject, tuple(arms))


def _needed(pattern: lean.Term, body: lean.Term) -> lean.Term:
    """A pattern that names only the parts that its case uses."""

    def part(each: lean.Term) -> lean.Term:
        return each if isinstance(each, lean.Name) and mentions(body, each.text) else lean.Name("_")

    match pattern:
        case lean.Infix(operator=operator, left=left, right=right):
            return lean.Infix(operator, part(left), part(right))
        case lean.Tuple(items=items):
            return lean.Tuple(tuple(map(part, items)))
        case lean.Call(function=function, arguments=arguments):
            return lean.Call(function, tuple(map(part, arguments)))
        case _:
            return pattern


def _names(pattern: lean.Term) -> bool:
    """Whether a pattern names a part."""
    match pattern:
        case lean.Infix(left=left, right=right):
            parts: Sequence[lean.Term] = (left, right)
        case lean.Tuple(items=items):
            parts = items
        case _:
            parts = getattr(pattern, "arguments", ())
    return any(part != lean.Name("_") for part in parts)
