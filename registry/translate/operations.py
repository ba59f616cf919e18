"""The operations of PIF's table and its conditions, as Kleis. Both languages floor, and strings are code points in both.

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
| fold, range, chars, join | helpers (`folds`) |
| if, and, or | `if`, ∧, ∨, or cases of a list |
"""

from __future__ import annotations

from collections.abc import Callable

from kleis.syntax import tree
from pif.analysis.types.unification import Shape, Type, TypeVariable, find
from pif.language.terms import Term
from registry.translate import folds
from registry.translate.kleis_syntax import EMPTY, call, choice, integer, is_total, list_cases, of_pair
from registry.translate.node_types import element_of, fields_of, has_open_record, kind_of
from registry.translate.symbolic_values import Code, PairOf, Part, Plain, RecordOf, Translation, plain

__all__ = ["conditional", "operation"]

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

_QUOTED = "quoted code is data that Kleis does not have"
_WITHOUT = {
    **dict.fromkeys(("quote", "unquote", "reify", "reflect", "analyze", "normalize"), _QUOTED),
    "code_of": "the source of a tool is data that Kleis does not have",
    "continue": "`continue` ends a run; what it gives is not a value of the tool",
}

_Rule = Callable[[Translation, Code], Part]


def operation(translation: Translation, code: Code) -> Part:
    """A node that is an operation of the table."""
    op = code.term.op
    if op in _DIRECT:
        return Plain(call(_DIRECT[op], *translation.expressions(code)))
    if op in _ORDER:
        return _ordered(translation, code)
    rule = _RULES.get(op)
    if rule is None:
        raise code.untranslatable(_WITHOUT.get(op, f"`{op}` asks something that Kleis does not have"))
    return rule(translation, code)


# ── Comparison ───────────────────────────────────────────────────────────────────────────────────────────────


def _ordered(translation: Translation, code: Code) -> Part:
    if "string" in (kind_of(code.child(0).type), kind_of(code.child(1).type)):
        raise code.untranslatable("Kleis has no order of strings")
    return Plain(call(_ORDER[code.term.op], *translation.expressions(code)))


def _equal(translation: Translation, code: Code) -> Part:
    left, right = code.children
    if has_open_record(left.type) or has_open_record(right.type):
        raise code.untranslatable("`eq` of a record that may have more fields than the code names")
    if left.type is None or right.type is None or _alike(translation, left.type, right.type):
        written = [translation.expression(each) for each in (left, right)]
        if not all(map(_is_empty_list, written)):  # the other side says what the elements would be
            written = [EMPTY if _is_empty_list(each) else each for each in written]
        return Plain(call("equals", *written))
    kinds = {kind_of(left.type), kind_of(right.type)}
    if len(kinds) < 2 or not kinds <= _DATA:
        raise code.untranslatable("`eq` of values that may be of one type or of two")
    for child in (left, right):
        translation.bound(Plain(translation.expression(child)), "v", None)
    return Plain(tree.Boolean(False))


_DATA: frozenset[str | None] = frozenset({"integer", "boolean", "string", "unit", "list", "pair", "record"})


def _is_empty_list(expression: tree.Expression) -> bool:
    match expression:
        case tree.ListLiteral(items=()) | tree.Ascription(expression=tree.ListLiteral(items=())):
            return True
        case _:
            return False


def _alike(translation: Translation, left: Type, right: Type) -> bool:
    """Whether two types are one, as far as Kleis writes them. An open variable may be any type, so it is the needed one."""
    left, right = find(left), find(right)
    if left is right:
        return True
    if isinstance(left, TypeVariable) or isinstance(right, TypeVariable):
        return translation.types.is_open(left if isinstance(left, TypeVariable) else right)
    if left.name == right.name == "record":
        ours, theirs = fields_of(left), fields_of(right)
        return (
            ours is not None
            and theirs is not None
            and ours.keys() == theirs.keys()
            and all(_alike(translation, ours[name], theirs[name]) for name in ours)
        )
    if left.name != right.name or left.name not in _DATA:
        return False
    return all(_alike(translation, one, other) for one, other in zip(left.parts, right.parts, strict=True))


# ── Lists and pairs ──────────────────────────────────────────────────────────────────────────────────────────


def _listed(translation: Translation, code: Code) -> Part:
    return (
        Plain(tree.ListLiteral(tuple(translation.expressions(code))))
        if code.term.parts
        else _nil(translation, code)
    )


def _nil(translation: Translation, code: Code) -> Part:
    """The empty list; with its type where nothing around it says what its elements would be."""
    type_ = translation.types.maybe(code.type) if translation.types.is_open(code.type) else None
    return Plain(EMPTY if type_ is None else tree.Ascription(EMPTY, type_))


def _is_empty(translation: Translation, code: Code) -> Part:
    return Plain(_emptiness(translation.expression(code.child(0))))


def _end(translation: Translation, code: Code) -> Part:
    """`head` and `tail`."""
    items = translation.expression(code.child(0))
    known = translation.frame.list(items.name) if isinstance(items, tree.Name) else None
    if known is not None:
        return Plain(tree.Name(known[0] if code.term.op == "head" else known[1]))
    name = translation.variable("item" if code.term.op == "head" else "rest", code.type)
    names = (name, "_") if code.term.op == "head" else ("_", name)
    return Plain(list_cases(items, None, *names, tree.Name(name)))


def _length(translation: Translation, code: Code) -> Part:
    given = code.child(0)
    if kind_of(given.type) == "string":
        return Plain(call("strlen", translation.expression(given)))
    return Plain(call("length", translation.expression(given)))


def _pair(translation: Translation, code: Code) -> Part:
    return PairOf(*translation.expressions(code))


def _half(translation: Translation, code: Code) -> Part:
    """`fst` and `snd`."""
    whole, first = translation.part(code.child(0)), code.term.op == "fst"
    if isinstance(whole, PairOf):
        kept, other = (whole.first, whole.second) if first else (whole.second, whole.first)
        translation.bound(Plain(other), "v", None)  # it must have a value too
        return Plain(kept)
    expression = plain(whole, code)
    type_ = code.child(0).type
    found = None if type_ is None else find(type_)
    halves = found.parts if isinstance(found, Shape) and found.name == "pair" else (None, None)
    left, right = translation.variable("left", halves[0]), translation.variable("right", halves[1])
    if isinstance(expression, tree.Name):
        known = translation.frame.take_apart(expression.name, left, right)
        return Plain(tree.Name(known[0 if first else 1]))
    return Plain(of_pair(expression, left, right, tree.Name(left if first else right)))


# ── Strings ──────────────────────────────────────────────────────────────────────────────────────────────────


def _show(translation: Translation, code: Code) -> Part:
    given = code.child(0)
    shown = translation.expression(given)
    match kind_of(given.type):
        case "string":
            return Plain(shown)
        case "boolean":
            return Plain(choice(shown, tree.Text("true"), tree.Text("false")))
        case "unit":
            translation.bound(Plain(shown), "v", None)
            return Plain(tree.Text("null"))
        case "integer":
            number = translation.atom(shown, "n", given.type)
            negative = call("concat", tree.Text("-"), call("intToStr", call("negate", number)))
            return Plain(choice(call("less_than", number, integer(0)), negative, call("intToStr", number)))
        case _:
            raise code.untranslatable("`show` of what is not an integer, a boolean, a string or null")


# ── Records ──────────────────────────────────────────────────────────────────────────────────────────────────


def _record(translation: Translation, code: Code) -> Part:
    values = translation.expressions(code)
    return RecordOf(dict(zip(code.term.value, values, strict=True)))


def _field_name(code: Code) -> str:
    key = code.child(1).term
    if key.op != "literal" or not isinstance(key.value, str):
        raise code.untranslatable("the name of a field is computed")
    return key.value


def _get(translation: Translation, code: Code) -> Part:
    name = _field_name(code)
    whole = translation.part(code.child(0))
    if not isinstance(whole, RecordOf):
        return Plain(call("get_field", plain(whole, code), tree.Text(name)))
    if name not in whole.fields:
        raise code.untranslatable(f'there is no field "{name[:48]}"')
    for other, value in whole.fields.items():
        if other != name:
            translation.bound(Plain(value), other, None)  # each field must have a value
    return Plain(whole.fields[name])


def _with(translation: Translation, code: Code) -> Part:
    name = _field_name(code)
    whole = translation.part(code.child(0))
    value = translation.expression(code.child(2))
    if isinstance(whole, RecordOf):
        if name in whole.fields:
            translation.bound(Plain(whole.fields[name]), name, None)
        return RecordOf({**whole.fields, name: value})
    return Plain(call("set_field", plain(whole, code), tree.Text(name), value))


def _keys(translation: Translation, code: Code) -> Part:
    type_ = code.child(0).type
    fields = fields_of(type_)
    if fields is None or has_open_record(type_):
        raise code.untranslatable("the fields of the record are not known")
    translation.bound(translation.part(code.child(0)), "r", None)
    return Plain(tree.ListLiteral(tuple(tree.Text(name) for name in sorted(fields))))


# ── Conditions ───────────────────────────────────────────────────────────────────────────────────────────────
#
# A condition that asks whether a list is empty becomes cases, so that head and tail are variables in the branches: in
# this form recursion over lists is structural, and is proved by induction.

_SMALL = 24
"""Nodes of a branch that may be written twice."""

_Make = Callable[[], tree.Expression]


def conditional(translation: Translation, condition: Code, then: Code, other: Code) -> tree.Expression:
    """An `if`."""
    return _choice(translation, condition, lambda: translation.expression(then), lambda: translation.expression(other),
                    small=(then.term.nodes <= _SMALL, other.term.nodes <= _SMALL))  # fmt: skip


def _choice(
    translation: Translation, condition: Code, then: _Make, other: _Make, *, small: tuple[bool, bool]
) -> tree.Expression:
    """One of two expressions, by a condition. `small` says of each whether it may be written twice."""
    term = condition.term
    if term.op == "not":
        return _choice(translation, condition.child(0), other, then, small=(small[1], small[0]))
    if term.op == "and" and small[1] and _asks_emptiness(term):
        return _choice(
            translation,
            condition.child(0),
            lambda: _choice(translation, condition.child(1), then, other, small=small),
            other,
            small=(False, True),
        )
    if term.op == "or" and small[0] and _asks_emptiness(term):
        return _choice(
            translation,
            condition.child(0),
            then,
            lambda: _choice(translation, condition.child(1), then, other, small=small),
            small=(True, False),
        )
    asked = _asked_list(condition)
    if asked is not None:
        return _cases(translation, asked, then, other)
    question = translation.expression(condition)
    return choice(question, _framed(translation, then), _framed(translation, other))


def _framed(translation: Translation, make: _Make) -> tree.Expression:
    with translation.framed() as frame:
        return frame.around(make())


def _cases(translation: Translation, asked: Code, empty: _Make, other: _Make) -> tree.Expression:
    """Cases of a list; the other branch alone where the list is known not to be empty."""
    items = translation.atom(translation.expression(asked), "items", asked.type)
    if not isinstance(items, tree.Name):
        return choice(_emptiness(items), _framed(translation, empty), _framed(translation, other))
    if translation.frame.list(items.name) is not None:
        return _framed(translation, other)
    head, tail = (
        translation.variable("item", element_of(asked.type)),
        translation.variable("rest", asked.type),
    )
    first = _framed(translation, empty)
    with translation.framed({items.name: (head, tail)}) as frame:
        second = frame.around(other())
    return list_cases(items, first, head, tail, second)


def _asked_list(condition: Code) -> Code | None:
    """The list of a condition that asks whether it is empty: `isEmpty`, a comparison with [], or `length … = 0`."""
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
            return inner if kind_of(inner.type) == "list" and other.term.value is not False else None
    return None


def _asks_emptiness(term: Term) -> bool:
    if term.op in ("and", "or", "not"):
        return any(map(_asks_emptiness, term.parts))
    return term.op == "isEmpty"


def _emptiness(items: tree.Expression) -> tree.Expression:
    """Whether a list is empty, as a value."""
    return list_cases(items, tree.Boolean(True), "_", "_", tree.Boolean(False))


def _connective(translation: Translation, code: Code) -> Part:
    """`and` or `or` as a value.

    Kleis's are Kleene's: ``undefined ∧ false`` is false, where PIF has no value. They are used where the left side
    certainly has a value; then the right side decides exactly where PIF asks for it.
    """
    is_and = code.term.op == "and"
    left = translation.expression(code.child(0))
    right = _framed(translation, lambda: translation.expression(code.child(1)))
    if is_total(left):
        return Plain(call("logical_and" if is_and else "logical_or", left, right))
    return Plain(
        choice(left, right, tree.Boolean(False)) if is_and else choice(left, tree.Boolean(True), right)
    )


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
