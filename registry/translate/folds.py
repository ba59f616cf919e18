"""`fold`, `range`, `chars` and `join`: helpers that recur (ADR 015).

A fold that Kleis has an operation for is that operation (known_folds.py).  Any other is a helper over the accumulator
and the list, with every variable that its function uses beside them:
``worth_fold(acc, items) = match items { [] => acc | Cons(item, rest) => worth_fold(10 * acc + item, rest) }``.
Over a reversed list it goes from the right:
``worth_foldr(initial, items) = match items { [] => initial | Cons(item, rest) => let acc = worth_foldr(initial, rest) in … }``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kleis.syntax import tree
from pif.analysis.types.unification import Shape, Type, find
from registry.translate.applications import apply
from registry.translate.kleis_syntax import EMPTY, call, choice, integer, list_cases
from registry.translate.known_folds import Step, known_fold
from registry.translate.symbolic_values import Called, Closure, Code, PairOf, Part, Plain

if TYPE_CHECKING:
    from registry.translate.translator import Translator

__all__ = ["characters", "fold", "interval", "joined"]

_INTEGER: tree.TypeExpression = tree.NamedType("ℤ")
_STRING: tree.TypeExpression = tree.NamedType("String")


def _element(type_: Type | None) -> Type | None:
    found = None if type_ is None else find(type_)
    return found.parts[0] if isinstance(found, Shape) and found.name == "list" else None


def fold(translator: Translator, code: Code) -> Part:
    """A fold, as the call of its helper."""
    step, initial, items = code.children
    function = translator.bound(translator.part(step), "step", None)
    if not isinstance(function, Closure | Called):
        raise step.refuse("the function of a fold is known only when it runs")
    start, given = translator.expression(initial), translator.expression(items)
    accumulator = translator.variable("acc", code.type)
    item = translator.variable("item", _element(items.type))
    with translator.framed() as frame:
        stepped = apply(translator, function, PairOf(tree.Name(accumulator), tree.Name(item)), code)
        body = frame.around(translator.plain(stepped, code))
    stepping = Step(accumulator, item, body, translator.sorts[item])
    known = known_fold(stepping, start, given)
    if known is not None:
        return Plain(known)
    if isinstance(given, tree.Call) and given.name == "reverse":
        return Plain(_from_the_right(translator, stepping, start, given.arguments[0], code))
    name = translator.helper("fold")
    kept = translator.captured(body, (accumulator, item))
    outside = tuple(tree.Name(each) for each in kept)
    rest, whole = translator.variable("rest", items.type), translator.variable("items", items.type)
    cases = list_cases(
        tree.Name(whole), tree.Name(accumulator), item, rest, call(name, *outside, body, tree.Name(rest))
    )
    translator.define(name, (*kept, accumulator, whole), cases, code.type)
    return Plain(call(name, *outside, start, given))


def _from_the_right(
    translator: Translator, step: Step, start: tree.Expression, items: tree.Expression, code: Code
) -> tree.Expression:
    """A fold over a reversed list, without an accumulator. `let` is strict, as the fold is in every step."""
    name = translator.helper("foldr")
    kept = translator.captured(step.body, (step.accumulator, step.item))
    outside = tuple(tree.Name(each) for each in kept)
    initial = translator.variable("initial", code.type)
    rest, whole = translator.variable("rest"), translator.variable("items", code.child(2).type)
    later = call(name, *outside, tree.Name(initial), tree.Name(rest))
    stepped = tree.Let(tree.VariablePattern(step.accumulator), None, later, step.body)
    cases = list_cases(tree.Name(whole), tree.Name(initial), step.item, rest, stepped)
    translator.define(name, (*kept, initial, whole), cases, code.type)
    return call(name, *outside, start, items)


def interval(translator: Translator, code: Code) -> Part:
    """`range`: the integers from the first up to but not including the second."""
    first, last = translator.variable("from"), translator.variable("upto")
    name = translator.helper("range")
    following = call(name, call("plus", tree.Name(first), integer(1)), tree.Name(last))
    body = choice(
        call("geq", tree.Name(first), tree.Name(last)), EMPTY, call("Cons", tree.Name(first), following)
    )
    sorts = dict.fromkeys((first, last), _INTEGER)
    translator.define(name, (first, last), body, code.type, sorts)
    return Plain(call(name, *translator.expressions(code)))


def characters(translator: Translator, code: Code) -> Part:
    """`chars`: strings of one character each."""
    text = translator.variable("text")
    name = translator.helper("chars")
    rest = call(
        "substr", tree.Name(text), integer(1), call("minus", call("strlen", tree.Name(text)), integer(1))
    )
    parts = call("Cons", call("substr", tree.Name(text), integer(0), integer(1)), call(name, rest))
    body = choice(call("equals", tree.Name(text), tree.Text("")), EMPTY, parts)
    translator.define(name, (text,), body, code.type, {text: _STRING})
    return Plain(call(name, *translator.expressions(code)))


def joined(translator: Translator, code: Code) -> Part:
    """`join`: strings with another between them."""
    between, items, item, rest = (translator.variable(each) for each in ("between", "items", "item", "rest"))
    name = translator.helper("join")
    tail = translator.helper("join_rest")
    sorts = {between: _STRING}
    parts: tree.Expression = call(
        "concat",
        tree.Name(between),
        call("concat", tree.Name(item), call(tail, tree.Name(between), tree.Name(rest))),
    )
    cases = list_cases(tree.Name(items), tree.Text(""), item, rest, parts)
    translator.define(tail, (between, items), cases, code.type, sorts)
    first = call("concat", tree.Name(item), call(tail, tree.Name(between), tree.Name(rest)))
    body = list_cases(tree.Name(items), tree.Text(""), item, rest, first)
    translator.define(name, (between, items), body, code.type, sorts)
    return Plain(call(name, *translator.expressions(code)))
