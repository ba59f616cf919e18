"""Rules for one node whose parts are in canonical form: what an operation on known parts comes to.

A rule applies only where the operation gives a value on those parts, within the limits, or where the new node fails
exactly as the old one would. None makes a term larger or higher, none evaluates a part that was not evaluated, skips
one that can fail, or changes the order of two that can. A part that was an operand may take its operation's place
only where the place is an operand too, or the part gives no `continue`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from pif.analysis.facts import live_parts
from pif.analysis.normal_form.static_facts import SCALARS, Knowledge, is_number, is_text, may_continue
from pif.language.budget import INTEGER_BITS
from pif.language.terms import Term, literal, make, same_term

__all__ = ["EMPTY", "Rewriter", "is_atom"]

EMPTY = make("list", ())
"""The empty list, for `nil` as well."""

SHORT_TEXT = 1_024
"""Strings that are folded: longer ones would cost more than the visit of a node is charged."""

NARROW = 64
"""Fields of a record that a `with` is folded into, for the same reason."""

SHORT_LIST = 256
"""Items of a list that a `cons` or a `tail` is folded into, for the same reason."""

SMALL_TEXT = 32
SMALL_BITS = 256
"""Literals that may stand in several places instead of one."""

_INTEGER_RULES: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
}

_NEUTRAL_LEFT = {"add": 0, "mul": 1}
_NEUTRAL_RIGHT = {"add": 0, "sub": 0, "mul": 1, "div": 1}

_OPPOSITE = {"lt": "gte", "gte": "lt", "gt": "lte", "lte": "gt"}


def is_atom(term: Term) -> bool:
    """Whether a term may be copied to wherever its variable is used: evaluating it costs and fails nothing."""
    if term.op == "literal":
        value = term.value
        if type(value) is str:
            return len(value) <= SMALL_TEXT
        return type(value) is not int or value.bit_length() <= SMALL_BITS
    return type(term.value) is int if term.op == "var" else term.op == "list" and not term.parts


def _is_true(term: Term) -> bool:
    return term.op == "literal" and term.value is True


def _is_false(term: Term) -> bool:
    return term.op == "literal" and term.value is False


class Rewriter:
    """The rules of one pass. `uses` counts the numbered variables in what the pass has made so far; a part that a
    rule drops is counted off, so that a `let` is seen to be unused as soon as it is."""

    def __init__(self, uses: dict[int, int]) -> None:
        self.uses = uses
        self.knowledge = Knowledge()

    def rewritten(self, term: Term, operand: bool) -> Term:
        """What a node with reduced parts comes to. `operand`: its value is used, so no `continue` may be it."""
        rule = _RULES.get(term.op)
        return term if rule is None else rule(self, term, operand)

    # What the rules share.

    def emit(self, term: Term) -> Term:
        """Another copy of an atom."""
        if term.op == "var":
            self.uses[term.value] = self.uses.get(term.value, 0) + 1
        return term

    def drop(self, *terms: Term) -> None:
        """Count the variables of terms off that will not be in the result."""
        for term in terms:
            if term.op == "var" and type(term.value) is int:
                self.uses[term.value] -= 1
            self.drop(*term.parts)

    def _all_total(self, terms: tuple[Term, ...]) -> bool:
        return all(map(self.knowledge.total, terms))

    def _part(self, term: Term, op: str, index: int, operand: bool) -> Term:
        """An operation that gives the part at `index` of its first operand, a structure made by `op`."""
        structure = self.knowledge.meaning(term.parts[0])
        if structure.op != op or not index < len(structure.parts):
            return term
        part = structure.parts[index]
        if structure is not term.parts[0]:
            if not is_atom(part):
                return term
            self.drop(term)
            return self.emit(part)
        others = structure.parts[:index] + structure.parts[index + 1 :]
        if not self._all_total(others) or not (operand or not may_continue(part)):
            return term
        self.drop(*others)
        return part

    def _is_data(self, term: Term) -> bool:
        """Whether a term is the literal form of data, short strings only."""
        match term.op:
            case "literal":
                return type(term.value) is not str or len(term.value) <= SHORT_TEXT
            case "quote":
                return next(live_parts(term.parts[0]), None) is None
            case "list" | "pair" | "record":
                return all(map(self._is_data, term.parts))
            case _:
                return False

    # Numbers, order, equality.

    def _arithmetic(self, term: Term, operand: bool) -> Term:
        op = term.op
        left, right = term.parts
        kind = self.knowledge.kind
        if is_number(left) and is_number(right):
            return self._computed(term, left.value, right.value)
        if is_number(right) and right.value == _NEUTRAL_RIGHT.get(op) and kind(left) == "integer":
            return left
        if is_number(left) and left.value == _NEUTRAL_LEFT.get(op) and kind(right) == "integer":
            return right
        return term

    def _computed(self, term: Term, left: int, right: int) -> Term:
        op = term.op
        if op in ("div", "mod") and right == 0:
            return term
        if op == "mul" and left.bit_length() + right.bit_length() - 1 > INTEGER_BITS:
            return term
        value = _INTEGER_RULES[op](left, right)
        return literal(value) if value.bit_length() <= INTEGER_BITS else term

    def _order(self, term: Term, operand: bool) -> Term:
        left, right = term.parts
        numbers = is_number(left) and is_number(right)
        texts = is_text(left) and is_text(right) and max(len(left.value), len(right.value)) <= SHORT_TEXT
        if not numbers and not texts:
            return term
        less, equal = left.value < right.value, left.value == right.value
        match term.op:
            case "lt":
                return literal(less)
            case "lte":
                return literal(less or equal)
            case "gt":
                return literal(not less and not equal)
            case _:
                return literal(not less)

    def _eq(self, term: Term, operand: bool) -> Term:
        left, right = term.parts
        # Data in canonical form has one form only, so equal values are the same terms.
        if self._is_data(left) and self._is_data(right):
            return literal(same_term(left, right))
        kinds = self.knowledge.kind(left), self.knowledge.kind(right)
        if kinds[0] != kinds[1] and SCALARS.issuperset(kinds) and self._all_total(term.parts):
            self.drop(left, right)
            return literal(False)
        return term

    # Booleans and choice.

    def _and(self, term: Term, operand: bool) -> Term:
        left, right = term.parts
        boolean = self.knowledge.kind(left) == "boolean"
        if _is_false(left):
            self.drop(right)
            return left
        if _is_true(left) and self.knowledge.kind(right) == "boolean":
            return right
        if _is_true(right) and boolean:
            return left
        if _is_false(right) and boolean and self.knowledge.total(left):
            self.drop(left)
            return right
        return term

    def _or(self, term: Term, operand: bool) -> Term:
        left, right = term.parts
        boolean = self.knowledge.kind(left) == "boolean"
        if _is_true(left):
            self.drop(right)
            return left
        if _is_false(left) and self.knowledge.kind(right) == "boolean":
            return right
        if _is_false(right) and boolean:
            return left
        if _is_true(right) and boolean and self.knowledge.total(left):
            self.drop(left)
            return right
        return term

    def _not(self, term: Term, operand: bool) -> Term:
        (part,) = term.parts
        if part.op == "literal" and type(part.value) is bool:
            return literal(not part.value)
        if part.op == "not" and self.knowledge.kind(part.parts[0]) == "boolean":
            return part.parts[0]
        if part.op in _OPPOSITE:
            return make(_OPPOSITE[part.op], part.parts)
        return term

    def _if(self, term: Term, operand: bool) -> Term:
        cond, then, other = term.parts
        if cond.op == "not":
            return self._if(make("if", (cond.parts[0], other, then)), operand)
        if _is_true(then) and _is_false(other) and self.knowledge.kind(cond) == "boolean":
            return cond
        if _is_false(then) and _is_true(other):
            return self._not(make("not", (cond,)), operand)
        return term

    # Lists.

    def _cons(self, term: Term, operand: bool) -> Term:
        head, tail = term.parts
        if tail.op != "list" or len(tail.parts) > SHORT_LIST:
            return term
        return make("list", (head, *tail.parts))

    def _head(self, term: Term, operand: bool) -> Term:
        return self._part(term, "list", 0, operand)

    def _tail(self, term: Term, operand: bool) -> Term:
        (items,) = term.parts
        if items.op != "list" or not 0 < len(items.parts) <= SHORT_LIST:
            return term
        if not self.knowledge.total(items.parts[0]):
            return term
        self.drop(items.parts[0])
        return make("list", items.parts[1:])

    def _is_empty(self, term: Term, operand: bool) -> Term:
        items = self.knowledge.meaning(term.parts[0])
        if items.op != "list" or not self._all_total(term.parts):
            return term
        self.drop(term)
        return literal(not items.parts)

    def _length(self, term: Term, operand: bool) -> Term:
        items = self.knowledge.meaning(term.parts[0])
        if items.op == "list" and self._all_total(term.parts):
            self.drop(term)
            return literal(len(items.parts))
        if is_text(items):
            self.drop(term)
            return literal(len(items.value))
        return term

    def _fold(self, term: Term, operand: bool) -> Term:
        step, first, items = term.parts
        if items.op != "list" or items.parts or self.knowledge.kind(step) != "function":
            return term
        if not self.knowledge.total(step) or not (operand or not may_continue(first)):
            return term
        self.drop(step)
        return first

    # Pairs and records.

    def _half(self, term: Term, operand: bool) -> Term:
        return self._part(term, "pair", 0 if term.op == "fst" else 1, operand)

    def _get(self, term: Term, operand: bool) -> Term:
        record, key = self.knowledge.meaning(term.parts[0]), term.parts[1]
        if record.op != "record" or not is_text(key):
            return term
        index = bisect_left(record.value, key.value)  # the names are sorted, and records may be wide
        if record.value[index : index + 1] != (key.value,):
            return term
        return self._part(term, "record", index, operand)

    def _with(self, term: Term, operand: bool) -> Term:
        record, key, value = term.parts
        if record.op != "record" or not is_text(key) or not self.knowledge.total(value):
            return term
        if len(record.parts) > NARROW:
            return term
        fields = dict(zip(record.value, record.parts, strict=True))
        replaced = fields.get(key.value)
        if replaced is not None:
            if not self.knowledge.total(replaced):
                return term
            self.drop(replaced)
        fields[key.value] = value
        names = tuple(sorted(fields))
        return make("record", tuple([fields[name] for name in names]), names)

    def _keys(self, term: Term, operand: bool) -> Term:
        (record,) = term.parts
        if record.op != "record" or not self._all_total(record.parts):
            return term
        self.drop(record)
        return make("list", tuple([literal(name) for name in record.value]))

    # Strings.

    def _concat(self, term: Term, operand: bool) -> Term:
        left, right = term.parts
        if is_text(left) and is_text(right) and len(left.value) + len(right.value) <= SHORT_TEXT:
            return literal(left.value + right.value)
        if is_text(right) and not right.value and self.knowledge.kind(left) == "string":
            return left
        if is_text(left) and not left.value and self.knowledge.kind(right) == "string":
            return right
        return term

    def _join(self, term: Term, operand: bool) -> Term:
        separator, items = term.parts
        if not is_text(separator) or items.op != "list" or not all(map(is_text, items.parts)):
            return term
        length = sum(len(item.value) + len(separator.value) for item in items.parts)
        if length > SHORT_TEXT:
            return term
        return literal(separator.value.join([item.value for item in items.parts]))

    def _show(self, term: Term, operand: bool) -> Term:
        (part,) = term.parts
        if part.op != "literal":
            return part if self.knowledge.kind(part) == "string" else term
        match part.value:
            case str():
                return part
            case bool():
                return literal("true" if part.value else "false")
            case None:
                return literal("null")
            case _ if is_atom(part):
                return literal(str(part.value))
            case _:
                return term


_RULES: dict[str, Callable[[Rewriter, Term, bool], Term]] = {
    **dict.fromkeys(_INTEGER_RULES, Rewriter._arithmetic),
    **dict.fromkeys(_OPPOSITE, Rewriter._order),
    "eq": Rewriter._eq,
    "and": Rewriter._and,
    "or": Rewriter._or,
    "not": Rewriter._not,
    "if": Rewriter._if,
    "cons": Rewriter._cons,
    "head": Rewriter._head,
    "tail": Rewriter._tail,
    "isEmpty": Rewriter._is_empty,
    "length": Rewriter._length,
    "fold": Rewriter._fold,
    "fst": Rewriter._half,
    "snd": Rewriter._half,
    "get": Rewriter._get,
    "with": Rewriter._with,
    "keys": Rewriter._keys,
    "concat": Rewriter._concat,
    "join": Rewriter._join,
    "show": Rewriter._show,
}
"""The rule of each operation that has one: functions, not bound methods, so that no `Rewriter` holds itself."""
