"""`fold`, `range`, `chars` and `join`: recursive helpers.

A fold that is a built-in operation of Kleis becomes that operation (`known_folds`). Any other becomes a helper over the
accumulator and the list, and every other variable that its function uses:
``worth_fold(acc, items) = match items { [] => acc | Cons(item, rest) => worth_fold(10 * acc + item, rest) }``.
Over a reversed list it goes from the right:
``worth_foldr(initial, items) = match items { [] => initial | Cons(item, rest) => let acc = worth_foldr(initial, rest) in … }``.
"""

from __future__ import annotations

from kleis.syntax import tree
from registry.translate.applications import apply
from registry.translate.kleis_syntax import EMPTY, call, choice, integer, list_cases
from registry.translate.known_folds import Step, known_fold
from registry.translate.node_types import element_of
from registry.translate.symbolic_values import Called, Closure, Code, PairOf, Part, Plain, Translation, plain

__all__ = ["characters", "fold", "interval", "joined"]

_INTEGER: tree.TypeExpression = tree.NamedType("ℤ")
_STRING: tree.TypeExpression = tree.NamedType("String")


def fold(translation: Translation, code: Code) -> Part:
    """A fold, as the call of its helper."""
    step, initial, items = code.children
    function = translation.bound(translation.part(step), "step", None)
    if not isinstance(function, Closure | Called):
        raise step.untranslatable("the function of a fold is known only when it runs")
    start, given = translation.expression(initial), translation.expression(items)
    accumulator = translation.variable("acc", code.type)
    element = element_of(items.type)
    item = translation.variable("item", element)
    with translation.framed() as frame:
        stepped = apply(translation, function, PairOf(tree.Name(accumulator), tree.Name(item)), code)
        body = frame.around(plain(stepped, code))
    stepping = Step(accumulator, item, body, translation.types.maybe(element))
    known = known_fold(stepping, start, given)
    if known is not None:
        return Plain(known)
    if isinstance(given, tree.Call) and given.name == "reverse":
        return Plain(_from_the_right(translation, stepping, start, given.arguments[0], code))
    name = translation.helper("fold")
    kept = translation.captured(body, (accumulator, item))
    outside = tuple(tree.Name(each) for each in kept)
    rest, whole = translation.variable("rest", items.type), translation.variable("items", items.type)
    cases = list_cases(
        tree.Name(whole), tree.Name(accumulator), item, rest, call(name, *outside, body, tree.Name(rest))
    )
    translation.define(name, (*kept, accumulator, whole), cases, code.type)
    return Plain(call(name, *outside, start, given))


def _from_the_right(
    translation: Translation, step: Step, start: tree.Expression, items: tree.Expression, code: Code
) -> tree.Expression:
    """A fold over a reversed list, without an accumulator. `let` is strict, as the fold is in every step."""
    name = translation.helper("foldr")
    kept = translation.captured(step.body, (step.accumulator, step.item))
    outside = tuple(tree.Name(each) for each in kept)
    initial = translation.variable("initial", code.type)
    rest, whole = translation.variable("rest"), translation.variable("items", code.child(2).type)
    later = call(name, *outside, tree.Name(initial), tree.Name(rest))
    stepped = tree.Let(tree.VariablePattern(step.accumulator), None, later, step.body)
    cases = list_cases(tree.Name(whole), tree.Name(initial), step.item, rest, stepped)
    translation.define(name, (*kept, initial, whole), cases, code.type)
    return call(name, *outside, start, items)


def interval(translation: Translation, code: Code) -> Part:
    """`range`: the integers from the first up to but not including the second."""
    first, last = translation.variable("from"), translation.variable("upto")
    name = translation.helper("range")
    following = call(name, call("plus", tree.Name(first), integer(1)), tree.Name(last))
    body = choice(
        call("geq", tree.Name(first), tree.Name(last)), EMPTY, call("Cons", tree.Name(first), following)
    )
    sorts = dict.fromkeys((first, last), _INTEGER)
    translation.define(name, (first, last), body, code.type, sorts)
    return Plain(call(name, *translation.expressions(code)))


def characters(translation: Translation, code: Code) -> Part:
    """`chars`: strings of one character each."""
    text = translation.variable("text")
    name = translation.helper("chars")
    rest = call(
        "substr", tree.Name(text), integer(1), call("minus", call("strlen", tree.Name(text)), integer(1))
    )
    parts = call("Cons", call("substr", tree.Name(text), integer(0), integer(1)), call(name, rest))
    body = choice(call("equals", tree.Name(text), tree.Text("")), EMPTY, parts)
    translation.define(name, (text,), body, code.type, {text: _STRING})
    return Plain(call(name, *translation.expressions(code)))


def joined(translation: Translation, code: Code) -> Part:
    """`join`: strings with another between them."""
    between, items, item, rest = (translation.variable(each) for each in ("between", "items", "item", "rest"))
    name = translation.helper("join")
    tail = translation.helper("join_rest")
    sorts = {between: _STRING}
    parts: tree.Expression = call(
        "concat",
        tree.Name(between),
        call("concat", tree.Name(item), call(tail, tree.Name(between), tree.Name(rest))),
    )
    cases = list_cases(tree.Name(items), tree.Text(""), item, rest, parts)
    translation.define(tail, (between, items), cases, code.type, sorts)
    first = call("concat", tree.Name(item), call(tail, tree.Name(between), tree.Name(rest)))
    body = list_cases(tree.Name(items), tree.Text(""), item, rest, first)
    translation.define(name, (between, items), body, code.type, sorts)
    return Plain(call(name, *translation.expressions(code)))
