"""`fold`, `range`, `chars` and `join`: helpers that recur (ADR 015).

A fold is a helper over the accumulator and the list, with every variable that its function uses beside them:
``sum_fold(acc, items) = match items { [] => acc | Cons(item, rest) => sum_fold(acc + item, rest) }``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kleis.syntax import Expression, Name, NamedType, Text, TypeExpression
from pif.analysis.types import Shape, Type, find
from registry.bridge.applications import apply
from registry.bridge.forms import EMPTY, call, choice, integer, list_cases
from registry.bridge.parts import Called, Closure, Code, PairOf, Part, Plain

if TYPE_CHECKING:
    from registry.bridge.translation import Translator

__all__ = ["characters", "fold", "interval", "joined"]

_INTEGER: TypeExpression = NamedType("ℤ")
_STRING: TypeExpression = NamedType("String")


def _element(type_: Type | None) -> Type | None:
    found = None if type_ is None else find(type_)
    return found.parts[0] if isinstance(found, Shape) and found.name == "list" else None


def fold(translator: Translator, code: Code) -> Part:
    """A fold, as the call of its helper."""
    step, initial, items = code.children
    function = translator.part(step)
    if not isinstance(function, Closure | Called):
        raise step.refuse("the function of a fold is known only when it runs")
    start, given = translator.expression(initial), translator.expression(items)
    name = translator.helper("fold")
    accumulator = translator.variable("acc", code.type)
    item = translator.variable("item", _element(items.type))
    rest, whole = translator.variable("rest", items.type), translator.variable("items", items.type)
    with translator.framed() as frame:
        stepped = apply(translator, function, PairOf(Name(accumulator), Name(item)), code)
        body = frame.around(translator.plain(stepped, code))
    kept = translator.captured(body, (accumulator, item, rest, whole))
    outside = tuple(Name(each) for each in kept)
    again = call(name, *outside, body, Name(rest))
    cases = list_cases(Name(whole), Name(accumulator), item, rest, again)
    translator.define(name, (*kept, accumulator, whole), cases, code.type)
    return Plain(call(name, *outside, start, given))


def interval(translator: Translator, code: Code) -> Part:
    """`range`: the integers from the first up to but not including the second."""
    first, last = translator.variable("from"), translator.variable("upto")
    name = translator.helper("range")
    following = call(name, call("plus", Name(first), integer(1)), Name(last))
    body = choice(call("geq", Name(first), Name(last)), EMPTY, call("Cons", Name(first), following))
    sorts = dict.fromkeys((first, last), _INTEGER)
    translator.define(name, (first, last), body, code.type, sorts)
    return Plain(call(name, *translator.expressions(code)))


def characters(translator: Translator, code: Code) -> Part:
    """`chars`: strings of one character each."""
    text = translator.variable("text")
    name = translator.helper("chars")
    rest = call("substr", Name(text), integer(1), call("minus", call("strlen", Name(text)), integer(1)))
    parts = call("Cons", call("substr", Name(text), integer(0), integer(1)), call(name, rest))
    body = choice(call("equals", Name(text), Text("")), EMPTY, parts)
    translator.define(name, (text,), body, code.type, {text: _STRING})
    return Plain(call(name, *translator.expressions(code)))


def joined(translator: Translator, code: Code) -> Part:
    """`join`: strings with another between them."""
    between, items, item, rest = (translator.variable(each) for each in ("between", "items", "item", "rest"))
    name = translator.helper("join")
    tail = translator.helper("join_rest")
    sorts = {between: _STRING}
    parts: Expression = call(
        "concat", Name(between), call("concat", Name(item), call(tail, Name(between), Name(rest)))
    )
    cases = list_cases(Name(items), Text(""), item, rest, parts)
    translator.define(tail, (between, items), cases, code.type, sorts)
    first = call("concat", Name(item), call(tail, Name(between), Name(rest)))
    body = list_cases(Name(items), Text(""), item, rest, first)
    translator.define(name, (between, items), body, code.type, sorts)
    return Plain(call(name, *translator.expressions(code)))
