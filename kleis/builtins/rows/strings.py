"""Tiers T4 and T7: strings, which are sequences of code points, and regular expressions over them.

A number is accepted as its text.  `isDigits`, `isAlpha`, `isAlphaNum` are false on the empty string, `isAscii` is true
on it; the four are about ASCII only.  The matcher of regular expressions is kleis/builtins/regular/automaton.py. See
docs/reference/kleis.md §8.4.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable

from kleis import core
from kleis.builtins.regular import regex
from kleis.builtins.regular.automaton import Automaton, matches
from kleis.builtins.regular.regex import Node
from kleis.builtins.row import (
    Argument,
    Builtin,
    Context,
    Requests,
    Signature,
    Undecided,
    row,
    undefined,
    wrong_sort,
)
from kleis.builtins.shapes import fixed, shape
from kleis.values import (
    Data,
    ListValue,
    Number,
    Regex,
    Stuck,
    Suspended,
    Symbol,
    Value,
    integer_from_digits,
    is_number,
    kind_name,
    list_of,
    plain_text,
)

__all__ = ["CONCAT", "INTEGER_TEXT", "REGULAR_EXPRESSIONS", "TEXT", "joined", "text_of"]

_DIGITS = frozenset(string.digits)
_LETTERS = frozenset(string.ascii_letters)
_WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def text_of(context: Context, value: Value) -> str:
    """The text of a string, number, truth value or constructor without fields."""
    if isinstance(value, (Symbol, Stuck, Suspended)):
        raise Undecided
    if isinstance(value, str):
        text = value
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, Data) and not value.fields:
        text = "()" if value.constructor == "Unit" else value.constructor
    elif is_number(value):
        assert isinstance(value, Number)
        text = plain_text(value)
    else:
        raise wrong_sort(
            f"{kind_name(value)} has no text", found=kind_name(value), expected="a string or a number"
        )
    context.charge(len(text) // 8)
    return text


def _concat(context: Context, *parts: Value) -> Value:
    if all(isinstance(part, ListValue) for part in parts):
        items = [item for part in parts if isinstance(part, ListValue) for item in part]
        context.admit(len(items), "a list")
        return list_of(items)
    texts = [text_of(context, part) for part in parts]
    return joined(context, *texts)


def joined(context: Context, *texts: str) -> str:
    """Strings one after the other."""
    context.admit(sum(map(len, texts)), "a string")
    return "".join(texts)


def _empty(context: Context) -> str:
    return ""


def _same_text(context: Context, a: Value, b: Value) -> bool:
    return text_of(context, a) == text_of(context, b)


def _length(context: Context, a: Value) -> int:
    return len(text_of(context, a))


def _text_test(test: Callable[[str, str], bool]) -> Callable[[Context, Value, Value], bool]:
    def run(context: Context, a: Value, b: Value) -> bool:
        return test(text_of(context, a), text_of(context, b))

    return run


def _index(context: Context, a: Value, b: Value, start: int = 0) -> int:
    text = text_of(context, a)
    return text.find(text_of(context, b), start) if 0 <= start <= len(text) else -1


def _substring(context: Context, a: Value, start: int, length: int) -> str:
    first = max(start, 0)
    return text_of(context, a)[first : first + max(length, 0)]


def _character(context: Context, a: Value, index: int) -> str:
    text = text_of(context, a)
    return text[index] if 0 <= index < len(text) else ""


def _replace(context: Context, a: Value, old: Value, new: Value) -> str:
    text = text_of(context, a)
    result = text.replace(text_of(context, old), text_of(context, new), 1)
    context.admit(len(result), "a string")
    return result


def _replace_all(context: Context, a: Value, old: Value, new: Value) -> str:
    text, part, other = text_of(context, a), text_of(context, old), text_of(context, new)
    if not part:
        return text
    context.admit(len(text) + text.count(part) * (len(other) - len(part)), "a string")
    return text.replace(part, other)


def _integer_text(context: Context, a: Number) -> str:
    whole = math.trunc(a)
    context.admit(whole.bit_length(), "the text of an integer")
    context.charge((whole.bit_length() // 64) ** 2)
    return plain_text(whole)


def _to_integer(context: Context, a: Value) -> int:
    text = text_of(context, a).strip(_WHITE_SPACE)
    digits = text[1:] if text[:1] in ("-", "+") else text
    if not digits or not _DIGITS.issuperset(digits):
        return -1
    context.charge((len(digits) // 16) ** 2 // 16)
    number = integer_from_digits(digits)
    return -number if text[0] == "-" else number


def _trim(context: Context, a: Value) -> str:
    return text_of(context, a).strip(_WHITE_SPACE)


def _trim_left(context: Context, a: Value) -> str:
    return text_of(context, a).lstrip(_WHITE_SPACE)


def _trim_right(context: Context, a: Value) -> str:
    return text_of(context, a).rstrip(_WHITE_SPACE)


def _only(characters: frozenset[str], *, empty: bool) -> Callable[[Context, Value], bool]:
    def run(context: Context, a: Value) -> bool:
        text = text_of(context, a)
        return characters.issuperset(text) if text else empty

    return run


_PRINTABLE = frozenset(map(chr, range(ord(" "), ord("~") + 1)))


def _lines_of(context: Context, a: Value) -> list[str]:
    text = text_of(context, a)
    # Without a line break the two characters \\ and n separate lines: texts that came in escaped.
    lines = text.split("\n" if "\n" in text else "\\n")
    if not lines[-1]:
        lines.pop()
    context.admit(len(lines), "a list of lines")
    return [line.removesuffix("\r") for line in lines]


def _split_lines(context: Context, a: Value) -> ListValue:
    return list_of(_lines_of(context, a))


def _count_lines(context: Context, a: Value) -> int:
    return len(_lines_of(context, a))


def _line(context: Context, a: Value, index: int) -> str:
    lines = _lines_of(context, a)
    return lines[index] if 0 <= index < len(lines) else ""


def _fold_lines(context: Context, function: Value, start: Value, a: Value) -> Requests:
    accumulated = start
    for line in _lines_of(context, a):
        accumulated = yield function, (line, accumulated)
    return accumulated


# Signatures.  Numbers are no strings in propositions: a parameter of the evaluator's sort ``Text`` is a String.
#
# Complete is what has an exact counterpart in SMT-LIB, as it is or by cases (negative arguments of `substr`, negative
# integers of `intToStr`, an empty `old` of `replaceAll`).  Incomplete are what trims white space (`trim`, and
# `strToInt`, which also takes a sign) and what splits lines.

_A = core.SortVariable("a")
_TEST = fixed(shape(core.STRING, core.STRING, core.BOOL))
_CLASS = fixed(shape(core.STRING, core.BOOL))
_REPLACEMENT = fixed(shape(core.STRING, core.STRING, core.STRING, core.STRING))
_TRIMMED = fixed(shape(core.STRING, core.STRING), incomplete=True)
_INDEX = fixed(
    shape(core.STRING, core.STRING, core.INTEGER),
    shape(core.STRING, core.STRING, core.INTEGER, core.INTEGER),
)
_FOLD_LINES = fixed(shape(core.FunctionOf((core.STRING, _A), _A), _A, core.STRING, _A), incomplete=True)


def _concat_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    return tuple(
        Signature(row=row, parameters=(sort,) * len(arguments), result=sort)
        for sort in (core.STRING, core.ListOf(_A))
    )


CONCAT = row(
    "concat(parts : Any*) : String or List", _concat_signatures, _concat,
    "The texts joined; of lists, the lists joined.", ('concat("a", 1, "b")', '"a1b"'),
    ('concat("x = ", 0.25)', '"x = 0.25"'), ("concat([1], [2, 3])", "[1, 2, 3]"), tier="T4", aliases="str_concat",
)  # fmt: skip
"""In propositions also the sum of two strings."""

INTEGER_TEXT = row(
    "intToStr(a : ℝ) : String", fixed(shape(core.INTEGER, core.STRING)), _integer_text,
    "The digits of a without its fraction.", ("intToStr(42)", '"42"'), ("intToStr(0 - 7/2)", '"-3"'), tier="T4",
    aliases="int_to_str fromInt intToString builtin_intToStr",
)  # fmt: skip
"""In propositions also the text `str` of an integer."""

TEXT: tuple[Builtin, ...] = (
    CONCAT,
    row("empty_string() : String", fixed(shape(core.STRING)), _empty,
        "The string without characters; also without parentheses.", ("empty_string", '""'), tier="T4"),
    row("str_eq(a : Any, b : Any) : Bool", _TEST, _same_text, "Whether the texts are the same.",
        ('str_eq("1", 1)', "true"), tier="T4"),
    row("strlen(s : Text) : ℕ", fixed(shape(core.STRING, core.NATURAL)), _length, "The number of code points.",
        ('strlen("héllo")', "5"), tier="T4", aliases="str_len"),
    row("hasPrefix(s : Text, part : Text) : Bool", _TEST, _text_test(str.startswith), "Whether s begins with part.",
        ('hasPrefix("kleis", "kl")', "true"), tier="T4", aliases="str_prefix has_prefix"),
    row("hasSuffix(s : Text, part : Text) : Bool", _TEST, _text_test(str.endswith), "Whether s ends with part.",
        ('hasSuffix("kleis", "is")', "true"), tier="T4", aliases="str_suffix has_suffix"),
    row("contains(s : Text, part : Text) : Bool", _TEST, _text_test(lambda a, b: b in a), "Whether part occurs in s.",
        ('contains("kleis", "lei")', "true"), ('contains("", "")', "true"), tier="T4", aliases="str_contains"),
    row("indexOf(s : Text, part : Text, start : ℤ?) : ℤ", _INDEX, _index,
        "The index of the first occurrence of part in s at start or later, or -1.", ('indexOf("banana", "an")', "1"),
        ('indexOf("banana", "an", 2)', "3"), ('indexOf("a", "b")', "0 - 1"), tier="T4", aliases="str_indexof indexof"),
    row("substr(s : Text, start : ℤ, length : ℤ) : String",
        fixed(shape(core.STRING, core.INTEGER, core.INTEGER, core.STRING)), _substring,
        "The part of s from start with so many code points; negative numbers count as 0.",
        ('substr("kleis", 1, 3)', '"lei"'), ('substr("abc", 0 - 1, 2)', '"ab"'), tier="T4", aliases="substring"),
    row("charAt(s : Text, index : ℤ) : String", fixed(shape(core.STRING, core.INTEGER, core.STRING)), _character,
        'The code point at index, or "".', ('charAt("abc", 1)', '"b"'), ('charAt("abc", 3)', '""'), tier="T4",
        aliases="str_at"),
    row("replace(s : Text, old : Text, new : Text) : String", _REPLACEMENT, _replace, "s with the first old replaced.",
        ('replace("aa", "a", "b")', '"ba"'), tier="T4", aliases="str_replace"),
    row("replaceAll(s : Text, old : Text, new : Text) : String", _REPLACEMENT, _replace_all,
        "s with every old replaced; an empty old changes nothing.", ('replaceAll("aa", "a", "b")', '"bb"'), tier="T4",
        aliases="str_replace_all"),
    INTEGER_TEXT,
    row("strToInt(s : Text) : ℤ", fixed(shape(core.STRING, core.INTEGER), incomplete=True), _to_integer,
        "The integer that s spells, or -1.", ('strToInt(" 12 ")', "12"), ('strToInt("x")', "0 - 1"), tier="T4",
        aliases="str_to_int toInt builtin_strToInt"),
    row("trim(s : Text) : String", _TRIMMED, _trim, "s without white space at both ends.", ('trim(" a ")', '"a"'),
        tier="T4"),
    row("trimLeft(s : Text) : String", _TRIMMED, _trim_left, "s without white space at its start.",
        ('trimLeft(" a ")', '"a "'), tier="T4"),
    row("trimRight(s : Text) : String", _TRIMMED, _trim_right, "s without white space at its end.",
        ('trimRight(" a ")', '" a"'), tier="T4"),
    row("isAscii(s : Text) : Bool", _CLASS, _only(_PRINTABLE, empty=True),
        "Whether all are characters from space to ~.", ('isAscii("")', "true"), ('isAscii("é")', "false"), tier="T4",
        aliases="is_ascii isAsciiPrintable"),
    row("isDigits(s : Text) : Bool", _CLASS, _only(_DIGITS, empty=False), "Whether s is one ASCII digit or more.",
        ('isDigits("042")', "true"), ('isDigits("")', "false"), tier="T4", aliases="is_digits"),
    row("isAlpha(s : Text) : Bool", _CLASS, _only(_LETTERS, empty=False), "Whether s is one ASCII letter or more.",
        ('isAlpha("ab1")', "false"), tier="T4", aliases="is_alpha"),
    row("isAlphaNum(s : Text) : Bool", _CLASS, _only(_LETTERS | _DIGITS, empty=False),
        "Whether s is one ASCII letter or digit or more.", ('isAlphaNum("ab1")', "true"), tier="T4",
        aliases="is_alpha_num is_alphanum"),
    row("splitLines(s : Text) : List", fixed(shape(core.STRING, core.ListOf(core.STRING)), incomplete=True),
        _split_lines, "The lines of s.", ('splitLines("a\\nb\\n")', '["a", "b"]'), tier="T4"),
    row("countLines(s : Text) : ℕ", fixed(shape(core.STRING, core.NATURAL), incomplete=True), _count_lines,
        "How many lines s has.", ('countLines("a\\nb")', "2"), tier="T4"),
    row("nthLine(s : Text, index : ℤ) : String", fixed(shape(core.STRING, core.INTEGER, core.STRING), incomplete=True),
        _line, 'The line at index, from 0, or "".', ('nthLine("a\\nb", 1)', '"b"'), ('nthLine("a", 7)', '""'),
        tier="T4"),
    row("foldLines(f : Function, start : Any, s : Text) : Any", _FOLD_LINES, _fold_lines,
        "f(line, accumulated) over the lines.", ('foldLines(λ line total . total + strlen(line), 0, "ab\\nc")', "3"),
        tier="T4", higher_order=True),
)  # fmt: skip


# Tier T7: building and matching regular expressions.


def _node(value: Regex | str) -> Node:
    """The expression of a value; a string stands for itself: there is no pattern language."""
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


# Signatures.  A string where a regular expression stands is the expression for itself.  Expressions whose bounds or
# characters are not literals are incomplete, because SMT-LIB wants them written.

_CONSTANT = fixed(shape(core.REGEX))


def _expression(argument: Argument) -> core.Sort:
    """The sort of a parameter for a regular expression: a string is one too."""
    return core.STRING if argument.sort == core.STRING else core.REGEX


def _expression_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """An operation on regular expressions only."""
    return (Signature(row=row, parameters=tuple(map(_expression, arguments)), result=core.REGEX),)


def _matches_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    return (Signature(row=row, parameters=(core.STRING, _expression(arguments[1])), result=core.BOOL),)


def _range_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    written = all(isinstance(each.literal, str) for each in arguments)
    return (
        Signature(
            row=row,
            parameters=(core.STRING, core.STRING),
            result=core.REGEX,
            incomplete=not written,
            condition=row.condition,
        ),
    )


def _loop_signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    written = all(isinstance(each.literal, int) for each in arguments[1:])
    parameters = (_expression(arguments[0]), core.INTEGER, core.INTEGER)
    return (Signature(row=row, parameters=parameters, result=core.REGEX, incomplete=not written),)


_AB = 're_concat("a", re_star("b"))'

REGULAR_EXPRESSIONS: tuple[Builtin, ...] = (
    row("matches(s : String, r : Regex) : Bool", _matches_signatures, _matches,
        "Whether the whole of s is in the language of r.", ('matches("abc", re_plus(re_range("a", "z")))', "true"),
        ('matches("a.c", "abc")', "false"), (f'matches("abbb", {_AB})', "true"), tier="T7",
        aliases="matchesRegex str_in_re"),
    row("re_literal(s : String) : Regex", fixed(shape(core.STRING, core.REGEX)), _literal, "s itself.",
        ('matches("a*", re_literal("a*"))', "true"), tier="T7", aliases="re_str str_to_re"),
    row("re_range(low : String, high : String) : Regex", _range_signatures, _range,
        "One character between two first characters.", ('matches("d", re_range("a", "c"))', "false"),
        ('re_range("", "c")', "undefined"), tier="T7", condition="strlen(low) > 0 ∧ strlen(high) > 0"),
    row("re_star(r : Regex) : Regex", _expression_signatures, _star, "Any number of times.",
        ('matches("", re_star("ab"))', "true"), tier="T7"),
    row("re_plus(r : Regex) : Regex", _expression_signatures, _plus, "Once or more.",
        ('matches("", re_plus("ab"))', "false"), tier="T7"),
    row("re_option(r : Regex) : Regex", _expression_signatures, _option, "Once or not at all.",
        ('matches("", re_option("a"))', "true"), tier="T7", aliases="re_opt"),
    row("re_concat(r : Regex, s : Regex*) : Regex", _expression_signatures, _join, "One after the other.",
        ('matches("ab", re_concat("a", "b"))', "true"), tier="T7"),
    row("re_union(r : Regex, s : Regex*) : Regex", _expression_signatures, _unite, "Any of them.",
        ('matches("b", re_union("a", "b"))', "true"), tier="T7"),
    row("re_intersect(r : Regex, s : Regex*) : Regex", _expression_signatures, _meet, "All of them.",
        ('matches("ab", re_intersect(re_star(re_allchar), "ab"))', "true"), tier="T7", aliases="re_inter"),
    row("re_complement(r : Regex) : Regex", _expression_signatures, _complement, "Everything else.",
        ('matches("a", re_complement("a"))', "false"), tier="T7", aliases="re_comp"),
    row("re_loop(r : Regex, low : ℤ, high : ℤ) : Regex", _loop_signatures, _loop, "From low to high times.",
        ('matches("aaa", re_loop("a", 2, 3))', "true"), ('matches("a", re_loop("a", 2, 3))', "false"), tier="T7"),
    row("re_full() : Regex", _CONSTANT, _full, "Every string.", ('matches("x", re_full)', "true"), tier="T7",
        aliases="re_all"),
    row("re_empty() : Regex", _CONSTANT, _none, "No string.", ('matches("", re_empty)', "false"), tier="T7",
        aliases="re_none"),
    row("re_allchar() : Regex", _CONSTANT, _any, "Any single code point.", ('matches("λ", re_allchar)', "true"),
        tier="T7", aliases="re_any"),
)  # fmt: skip
