"""Tier T7: building and matching regular expressions (§5.4).  The matcher is
kleis/builtins/regular_automaton.py."""

from __future__ import annotations

from kleis.builtins.context import Context, undefined
from kleis.builtins.regular import regex
from kleis.builtins.regular.regex import Node
from kleis.builtins.regular_automaton import Automaton, matches
from kleis.builtins.row import Builtin, row
from kleis.values import Regex

__all__ = ["REGULAR_EXPRESSIONS"]


def _node(value: Regex | str) -> Node:
    """The expression of a value; a string stands for itself, it is no pattern language."""
    if isinstance(value, str):
        return ("text", value)
    node: Node = value.node
    return node


def _matches(context: Context, text: str, expression: Regex | str) -> bool:
    if isinstance(expression, str):
        return matches(text, _node(expression), context)
    if expression.automaton is None:
        expression.automaton = Automaton(expression.node)
    return bool(expression.automaton.matches(text, context))


def _literal(context: Context, text: str) -> Regex:
    return regex.regex_value(("text", text), context)


def _range(context: Context, low: str, high: str) -> Regex:
    if not low or not high:
        raise undefined("re_range of an empty string", "give two strings with a first character")
    node = ("range", low[0], high[0]) if low[0] <= high[0] else regex.NONE
    return regex.regex_value(node, context)


def _star(context: Context, part: Regex | str) -> Regex:
    return regex.regex_value(regex.loop(_node(part), 0, None), context)


def _plus(context: Context, part: Regex | str) -> Regex:
    return regex.regex_value(regex.loop(_node(part), 1, None), context)


def _option(context: Context, part: Regex | str) -> Regex:
    return regex.regex_value(regex.unite(regex.EMPTY, _node(part)), context)


def _join(context: Context, *parts: Regex | str) -> Regex:
    return regex.regex_value(regex.join(*map(_node, parts)), context)


def _unite(context: Context, *parts: Regex | str) -> Regex:
    return regex.regex_value(regex.unite(*map(_node, parts)), context)


def _meet(context: Context, *parts: Regex | str) -> Regex:
    return regex.regex_value(regex.meet(*map(_node, parts)), context)


def _complement(context: Context, part: Regex | str) -> Regex:
    return regex.regex_value(regex.negated(_node(part)), context)


def _loop(context: Context, part: Regex | str, low: int, high: int) -> Regex:
    return regex.regex_value(regex.loop(_node(part), max(low, 0), high if high >= 0 else -1), context)


def _full(context: Context) -> Regex:
    return regex.regex_value(regex.FULL, context)


def _none(context: Context) -> Regex:
    return regex.regex_value(regex.NONE, context)


def _any(context: Context) -> Regex:
    return regex.regex_value(regex.ANY, context)


_AB = 're_concat("a", re_star("b"))'

REGULAR_EXPRESSIONS: tuple[Builtin, ...] = (
    row("matches(s : String, r : Regex) : Bool", _matches, "Whether the whole of s is in the language of r.",
        ('matches("abc", re_plus(re_range("a", "z")))', "true"), ('matches("a.c", "abc")', "false"),
        (f'matches("abbb", {_AB})', "true"), tier="T7", aliases="matchesRegex str_in_re"),
    row("re_literal(s : String) : Regex", _literal, "s itself.", ('matches("a*", re_literal("a*"))', "true"), tier="T7",
        aliases="re_str str_to_re"),
    row("re_range(low : String, high : String) : Regex", _range, "One character between two first characters.",
        ('matches("d", re_range("a", "c"))', "false"), ('re_range("", "c")', "undefined"), tier="T7",
        condition="strlen(low) > 0 ∧ strlen(high) > 0"),
    row("re_star(r : Regex) : Regex", _star, "Any number of times.", ('matches("", re_star("ab"))', "true"), tier="T7"),
    row("re_plus(r : Regex) : Regex", _plus, "Once or more.", ('matches("", re_plus("ab"))', "false"), tier="T7"),
    row("re_option(r : Regex) : Regex", _option, "Once or not at all.", ('matches("", re_option("a"))', "true"),
        tier="T7", aliases="re_opt"),
    row("re_concat(r : Regex, s : Regex*) : Regex", _join, "One after the other.",
        ('matches("ab", re_concat("a", "b"))', "true"), tier="T7"),
    row("re_union(r : Regex, s : Regex*) : Regex", _unite, "Any of them.",
        ('matches("b", re_union("a", "b"))', "true"), tier="T7"),
    row("re_intersect(r : Regex, s : Regex*) : Regex", _meet, "All of them.",
        ('matches("ab", re_intersect(re_star(re_allchar), "ab"))', "true"), tier="T7", aliases="re_inter"),
    row("re_complement(r : Regex) : Regex", _complement, "Everything else.",
        ('matches("a", re_complement("a"))', "false"), tier="T7", aliases="re_comp"),
    row("re_loop(r : Regex, low : ℤ, high : ℤ) : Regex", _loop, "From low to high times.",
        ('matches("aaa", re_loop("a", 2, 3))', "true"), ('matches("a", re_loop("a", 2, 3))', "false"), tier="T7"),
    row("re_full() : Regex", _full, "Every string.", ('matches("x", re_full)', "true"), tier="T7", aliases="re_all"),
    row("re_empty() : Regex", _none, "No string.", ('matches("", re_empty)', "false"), tier="T7", aliases="re_none"),
    row("re_allchar() : Regex", _any, "Any single code point.", ('matches("λ", re_allchar)', "true"), tier="T7",
        aliases="re_any"),
)  # fmt: skip
