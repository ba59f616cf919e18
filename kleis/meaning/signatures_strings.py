"""Signatures of strings and regular expressions.

Specification: proving.md §1 ("Numbers": strings are sequences of code points); kleis-language.md §4.8, §5.4.

Numbers are no strings here: the table's sort ``Text``, which takes a number as its digits, is String.

Complete is what has an exact counterpart in SMT-LIB, as it is or by cases (negative arguments of `substr`, negative
integers of `intToStr`, an empty `old` of `replaceAll`, the first character of `re_range`).  Incomplete are what trims
white space (`trim`, and `strToInt`, which also takes a sign) and what splits lines; and regular expressions whose
bounds or characters are not literals, because SMT-LIB wants them written.

A string where a regular expression stands is the expression for itself.
"""

from __future__ import annotations

from collections.abc import Mapping

from kleis.builtins.row import Builtin
from kleis.builtins.signatures.shapes import Argument, Rule, Signature, fixed, shape
from kleis.core import BOOL, INTEGER, NATURAL, REGEX, STRING, FunctionOf, ListOf, Sort, SortVariable

__all__ = ["STRING_RULES"]

_A = SortVariable("a")
_TEST = fixed(shape(STRING, STRING, BOOL))
_CLASS = fixed(shape(STRING, BOOL))
_REPLACEMENT = fixed(shape(STRING, STRING, STRING, STRING))
_TRIMMED = fixed(shape(STRING, STRING), incomplete=True)
_CONSTANT = fixed(shape(REGEX))


def _concat(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    return tuple(
        Signature(row=row, parameters=(sort,) * len(arguments), result=sort) for sort in (STRING, ListOf(_A))
    )


def _expression(argument: Argument) -> Sort:
    """The sort of a parameter for a regular expression: a string is one too."""
    return STRING if argument.sort == STRING else REGEX


def _expressions(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    """An operation on regular expressions only."""
    return (Signature(row=row, parameters=tuple(map(_expression, arguments)), result=REGEX),)


def _matches(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    return (Signature(row=row, parameters=(STRING, _expression(arguments[1])), result=BOOL),)


def _range(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    written = all(isinstance(each.literal, str) for each in arguments)
    return (
        Signature(
            row=row,
            parameters=(STRING, STRING),
            result=REGEX,
            incomplete=not written,
            condition=row.condition,
        ),
    )


def _loop(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...]:
    written = all(isinstance(each.literal, int) for each in arguments[1:])
    parameters = (_expression(arguments[0]), INTEGER, INTEGER)
    return (Signature(row=row, parameters=parameters, result=REGEX, incomplete=not written),)


STRING_RULES: Mapping[str, Rule] = {
    "concat": _concat,
    "empty_string": fixed(shape(STRING)),
    "str_eq": _TEST,
    "strlen": fixed(shape(STRING, NATURAL)),
    "hasPrefix": _TEST,
    "hasSuffix": _TEST,
    "contains": _TEST,
    "indexOf": fixed(shape(STRING, STRING, INTEGER), shape(STRING, STRING, INTEGER, INTEGER)),
    "substr": fixed(shape(STRING, INTEGER, INTEGER, STRING)),
    "charAt": fixed(shape(STRING, INTEGER, STRING)),
    "replace": _REPLACEMENT,
    "replaceAll": _REPLACEMENT,
    "intToStr": fixed(shape(INTEGER, STRING)),
    "strToInt": fixed(shape(STRING, INTEGER), incomplete=True),
    "trim": _TRIMMED,
    "trimLeft": _TRIMMED,
    "trimRight": _TRIMMED,
    "isAscii": _CLASS,
    "isDigits": _CLASS,
    "isAlpha": _CLASS,
    "isAlphaNum": _CLASS,
    "splitLines": fixed(shape(STRING, ListOf(STRING)), incomplete=True),
    "countLines": fixed(shape(STRING, NATURAL), incomplete=True),
    "nthLine": fixed(shape(STRING, INTEGER, STRING), incomplete=True),
    "foldLines": fixed(shape(FunctionOf((STRING, _A), _A), _A, STRING, _A), incomplete=True),
    "matches": _matches,
    "re_literal": fixed(shape(STRING, REGEX)),
    "re_range": _range,
    "re_star": _expressions,
    "re_plus": _expressions,
    "re_option": _expressions,
    "re_concat": _expressions,
    "re_union": _expressions,
    "re_intersect": _expressions,
    "re_complement": _expressions,
    "re_loop": _loop,
    "re_full": _CONSTANT,
    "re_empty": _CONSTANT,
    "re_allchar": _CONSTANT,
}
"""By the names of the rows."""
