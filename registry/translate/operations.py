"""The operations of PIF's table, as Kleis. Both floor, and both take strings as code points.

| PIF | Kleis |
|---|---|
| add, sub, mul, div, mod | plus, minus, times, div, mod |
| eq of one type | = (of two kinds: false, once both have values) |
| lt, lte, gt, gte of integers | <, ≤, >, ≥ |
| nil, cons, list, isEmpty, head, tail | [], Cons, `match` |
| length | length of a list, strlen of a string |
| pair, fst, snd | (a, b), `match` |
| concat, show | concat; intToStr with the sign, the words true and false |
| record, get, with, keys | record, get_field, set_field, the literal names |
| fold, range, chars, join | helpers (loops.py) |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kleis.syntax import tree
from pif.analysis.types.unification import Shape, Type, TypeVariable, find
from pif.language.terms import Term
from registry.translate import folds
from registry.translate.kleis_syntax import EMPTY, call, choice, integer, is_total, list_cases, of_pair
from registry.translate.node_types import fields_of, has_open_record
from registry.translate.symbolic_values import Code, PairOf, Part, Plain, RecordOf

if TYPE_CHECKING:
    from registry.translate.translator import Translator

__all__ = ["branches", "connective", "emptiness", "operation"]

_DIRECT = {
    "add": "plus",
    "sub": "minus",
    "mul": "times",
    "div": "div",
    "mod": "mod",
    "cons": "Cons",
    "concat": "concat",
    "not": "logical_not",
}
_ORDER = {"lt": "less_than", "lte": "leq", "gt": "greater_than", "gte": "geq"}

_WITHOUT = {
    "quote": "quoted code is data that Kleis does not have",
    "unquote": "quoted code is data that Kleis does not have",
    "code_of": "the source of a tool is data that Kleis does not have",
    "reify": "quoted code is data that Kleis does not have",
    "reflect": "quoted code is data that Kleis does not have",
    "analyze": "quoted code is data that Kleis does not have",
    "normalize": "quoted code is data that Kleis does not have",
    "continue": "`continue` ends a run; what it gives is not a value of the tool",
}

_Rule = Callable[["Translator", Code], Part]


def operation(translator: Translator, code: Code) -> Part:
    """A node that is an operation of the table."""
    op = code.term.op
    if op in _DIRECT:
        return Plain(call(_DIRECT[op], *translator.expressions(code)))
    if op in _ORDER:
        return _ordered(translator, code)
    rule = _RULES.get(op)
    if rule is None:
        raise code.refuse(_WITHOUT.get(op, f"`{op}` asks something that Kleis does not have"))
    return rule(translator, code)


def _kind(type_: Type | None) -> str | None:
    """The name of a type's outermost shape; None for a variable and for what is not known."""
    found = None if type_ is None else find(type_)
    return found.name if isinstance(found, Shape) else None


# ── Comparison ───────────────────────────────────────────────────────────────────────────────────────────────


def _ordered(translator: Translator, code: Code) -> Part:
    if "string" in (_kind(code.child(0).type), _kind(code.child(1).type)):
        raise code.refuse("Kleis has no order of strings")
    return Plain(call(_ORDER[code.term.op], *translator.expressions(code)))


def _equal(translator: Translator, code: Code) -> Part:
    left, right = code.children
    if has_open_record(left.type) or has_open_record(right.type):
        raise code.refuse("`eq` of a record that may have more fields than the code names")
    if left.type is None or right.type is None or _alike(translator, left.type, right.type):
        written = [translator.expression(each) for each in (left, right)]
        if not all(map(_is_empty_list, written)):  # the other side says what the elements would be
            written = [EMPTY if _is_empty_list(each) else each for each in written]
        return Plain(call("equals", *written))
    kinds = {_kind(left.type), _kind(right.type)}
    if len(kinds) < 2 or not kinds <= _DATA:
        raise code.refuse("`eq` of values that may be of one type or of two")
    for child in (left, right):
        translator.bound(Plain(translator.expression(child)), "v", None)
    return Plain(tree.Boolean(False))


_DATA: frozenset[str | None] = frozenset({"integer", "boolean", "string", "unit", "list", "pair", "record"})


def _is_empty_list(expression: tree.Expression) -> bool:
    match expression:
        case tree.ListLiteral(items=()) | tree.Ascription(expression=tree.ListLiteral(items=())):
            return True
        case _:
            return False


def _alike(translator: Translator, left: Type, right: Type) -> bool:
    """Whether two types are one, as far as Kleis writes them. What is open may be anything, so it is what is needed."""
    left, right = find(left), find(right)
    if left is right:
        return True
    if isinstance(left, TypeVariable) or isinstance(right, TypeVariable):
        return translator.types.is_open(left if isinstance(left, TypeVariable) else right)
    if left.name == right.name == "record":
        ours, theirs = fields_of(left), fields_of(right)
        return (
            ours is not None
            and theirs is not None
            and ours.keys() == theirs.keys()
            and all(_alike(translator, ours[name], theirs[name]) for name in ours)
        )
    if left.name != right.name or left.name not in _DATA:
        return False
    return all(_alike(translator, one, other) for one, other in zip(left.parts, right.parts, strict=True))


# ── Lists and pairs ──────────────────────────────────────────────────────────────────────────────────────────


def _listed(translator: Translator, code: Code) -> Part:
    return (
        Plain(tree.ListLiteral(tuple(translator.expressions(code))))
        if code.term.parts
        else _nil(translator, code)
    )


def _nil(translator: Translator, code: Code) -> Part:
    """The empty list; with its type where nothing around it says what its elements would be."""
    type_ = translator.types.maybe(code.type) if translator.types.is_open(code.type) else None
    return Plain(EMPTY if type_ is None else tree.Ascription(EMPTY, type_))


def _is_empty(translator: Translator, code: Code) -> Part:
    return Plain(emptiness(translator.expression(code.child(0))))


def _end(translator: Translator, code: Code) -> Part:
    """`head` and `tail`."""
    items = translator.expression(code.child(0))
    known = translator.frame.list(items.name) if isinstance(items, tree.Name) else None
    if known is not None:
        return Plain(tree.Name(known[0] if code.term.op == "head" else known[1]))
    name = translator.variable("item" if code.term.op == "head" else "rest", code.type)
    names = (name, "_") if code.term.op == "head" else ("_", name)
    return Plain(list_cases(items, None, *names, tree.Name(name)))


def _length(translator: Translator, code: Code) -> Part:
    given = code.child(0)
    if _kind(given.type) == "string":
        return Plain(call("strlen", translator.expression(given)))
    return Plain(call("length", translator.expression(given)))


def _pair(translator: Translator, code: Code) -> Part:
    return PairOf(*translator.expressions(code))


def _half(translator: Translator, code: Code) -> Part:
    """`fst` and `snd`."""
    whole, first = translator.part(code.child(0)), code.term.op == "fst"
    if isinstance(whole, PairOf):
        kept, other = (whole.first, whole.second) if first else (whole.second, whole.first)
        translator.bound(Plain(other), "v", None)  # it must have a value too
        return Plain(kept)
    expression = translator.plain(whole, code)
    type_ = code.child(0).type
    found = None if type_ is None else find(type_)
    halves = found.parts if isinstance(found, Shape) and found.name == "pair" else (None, None)
    left, right = translator.variable("left", halves[0]), translator.variable("right", halves[1])
    if isinstance(expression, tree.Name):
        known = translator.frame.take_apart(expression.name, left, right)
        return Plain(tree.Name(known[0 if first else 1]))
    return Plain(of_pair(expression, left, right, tree.Name(left if first else right)))


# ── Strings ──────────────────────────────────────────────────────────────────────────────────────────────────


def _show(translator: Translator, code: Code) -> Part:
    given = code.child(0)
    shown = translator.expression(given)
    match _kind(given.type):
        case "string":
            return Plain(shown)
        case "boolean":
            return Plain(choice(shown, tree.Text("true"), tree.Text("false")))
        case "unit":
            translator.bound(Plain(shown), "v", None)
            return Plain(tree.Text("null"))
        case "integer":
            number = translator.atom(shown, "n", given.type)
            negative = call("concat", tree.Text("-"), call("intToStr", call("negate", number)))
            return Plain(choice(call("less_than", number, integer(0)), negative, call("intToStr", number)))
        case _:
            raise code.refuse("`show` of what is not an integer, a boolean, a string or null")


# ── Records ──────────────────────────────────────────────────────────────────────────────────────────────────


def _record(translator: Translator, code: Code) -> Part:
    values = translator.expressions(code)
    return RecordOf(dict(zip(code.term.value, values, strict=True)))


def _field_name(code: Code) -> str:
    key = code.child(1).term
    if key.op != "literal" or not isinstance(key.value, str):
        raise code.refuse("the name of a field is computed")
    return key.value


def _get(translator: Translator, code: Code) -> Part:
    name = _field_name(code)
    whole = translator.part(code.child(0))
    if not isinstance(whole, RecordOf):
        return Plain(call("get_field", translator.plain(whole, code), tree.Text(name)))
    if name not in whole.fields:
        raise code.refuse(f'there is no field "{name[:48]}"')
    for other, value in whole.fields.items():
        if other != name:
            translator.bound(Plain(value), other, None)  # each field must have a value
    return Plain(whole.fields[name])


def _with(translator: Translator, code: Code) -> Part:
    name = _field_name(code)
    whole = translator.part(code.child(0))
    value = translator.expression(code.child(2))
    if isinstance(whole, RecordOf):
        if name in whole.fields:
            translator.bound(Plain(whole.fields[name]), name, None)
        return RecordOf({**whole.fields, name: value})
    return Plain(call("set_field", translator.plain(whole, code), tree.Text(name), value))


def _keys(translator: Translator, code: Code) -> Part:
    type_ = code.child(0).type
    fields = fields_of(type_)
    if fields is None or has_open_record(type_):
        raise code.refuse("the fields of the record are not known")
    translator.bound(translator.part(code.child(0)), "r", None)
    return Plain(tree.ListLiteral(tuple(tree.Text(name) for name in sorted(fields))))


def _connective(translator: Translator, code: Code) -> Part:
    return Plain(connective(translator, code))


_RULES: dict[str, _Rule] = {
    "eq": _equal,
    "and": _connective,
    "or": _connective,
    "list": _listed,
    "nil": _nil,
    "isEmpty": _is_empty,
    "head": _end,
    "tail": _end,
    "length": _length,
    "pair": _pair,
    "fst": _half,
    "snd": _half,
    "show": _show,
    "record": _record,
    "get": _get,
    "with": _with,
    "keys": _keys,
    "fold": folds.fold,
    "range": folds.interval,
    "chars": folds.characters,
    "join": folds.joined,
}


# `if`, `and`, `or` and the questions whether a list is empty (ADR 015).
#
# A condition that asks for an empty list becomes cases, so that what stands in them knows the head and the tail: this is
# the form in which recursion over lists is structural, and in which it is proved by induction.

_SMALL = 24

Make = Callable[[], tree.Expression]


def branches(translator: Translator, condition: Code, then: Code, other: Code) -> tree.Expression:
    """An `if`."""
    return _decided(translator, condition, lambda: translator.expression(then), lambda: translator.expression(other),
                    small=(then.term.nodes <= _SMALL, other.term.nodes <= _SMALL))  # fmt: skip


def _decided(
    translator: Translator, condition: Code, then: Make, other: Make, *, small: tuple[bool, bool]
) -> tree.Expression:
    """One of two expressions. `small` says of each whether it may be written twice."""
    term = condition.term
    if term.op == "not":
        return _decided(translator, condition.child(0), other, then, small=(small[1], small[0]))
    if term.op == "and" and small[1] and _has_emptiness(term):
        return _decided(
            translator,
            condition.child(0),
            lambda: _decided(translator, condition.child(1), then, other, small=small),
            other,
            small=(False, True),
        )
    if term.op == "or" and small[0] and _has_emptiness(term):
        return _decided(
            translator,
            condition.child(0),
            then,
            lambda: _decided(translator, condition.child(1), then, other, small=small),
            small=(True, False),
        )
    asked = _asked_list(condition)
    if asked is not None:
        return _cases(translator, asked, then, other)
    question = translator.expression(condition)
    return choice(question, _inside(translator, then), _inside(translator, other))


def _inside(translator: Translator, make: Make) -> tree.Expression:
    with translator.framed() as frame:
        return frame.around(make())


def _cases(translator: Translator, asked: Code, empty: Make, other: Make) -> tree.Expression:
    """Cases of a list; where it is known already not to be empty, what holds then."""
    items = translator.atom(translator.expression(asked), "items", asked.type)
    if not isinstance(items, tree.Name):
        return choice(emptiness(items), _inside(translator, empty), _inside(translator, other))
    if translator.frame.list(items.name) is not None:
        return _inside(translator, other)
    item = find(asked.type) if asked.type is not None else None
    element = item.parts[0] if isinstance(item, Shape) and item.name == "list" else None
    head, tail = translator.variable("item", element), translator.variable("rest", asked.type)
    first = _inside(translator, empty)
    with translator.framed({items.name: (head, tail)}) as frame:
        second = frame.around(other())
    return list_cases(items, first, head, tail, second)


def _asked_list(condition: Code) -> Code | None:
    """The list of a condition that asks whether it is empty, in any of the ways of asking."""
    term = condition.term
    if term.op == "isEmpty":
        return condition.child(0)
    if term.op != "eq":
        return None
    for number in (0, 1):
        one, other = condition.child(number), condition.child(1 - number)
        if other.term.op == "nil" or (other.term.op == "list" and not other.term.parts):
            return one if one.term.op in ("var", "tail") else None
        if one.term.op == "length" and other.term.op == "literal" and other.term.value == 0:
            inner = one.child(0)
            found = None if inner.type is None else find(inner.type)
            is_list = isinstance(found, Shape) and found.name == "list"
            return inner if is_list and other.term.value is not False else None
    return None


def _has_emptiness(term: Term) -> bool:
    if term.op in ("and", "or", "not"):
        return any(map(_has_emptiness, term.parts))
    return term.op == "isEmpty"


def emptiness(items: tree.Expression) -> tree.Expression:
    """Whether a list is empty, as a value."""
    return list_cases(items, tree.Boolean(True), "_", "_", tree.Boolean(False))


def connective(translator: Translator, code: Code) -> tree.Expression:
    """`and` or `or` as a value.

    Kleis's are Kleene's: ``undefined ∧ false`` is false, where PIF has no value. They are used where the left side
    certainly has a value; then the right side decides exactly where PIF asks for it.
    """
    left = translator.expression(code.child(0))
    right = _inside(translator, lambda: translator.expression(code.child(1)))
    if is_total(left):
        return call("logical_and" if code.term.op == "and" else "logical_or", left, right)
    return (
        choice(left, right, tree.Boolean(False))
        if code.term.op == "and"
        else choice(left, tree.Boolean(True), right)
    )
