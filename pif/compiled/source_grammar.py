"""What generated source looks like, line by line, as one regular expression.

It is stricter than `source_policy`, which decides about whatever does not match, and takes a hundredth of its time: no
tree is made, and a process that compiles need not load RestrictedPython. What matches can say only what the policy
allows (`tests/attacks/test_generated_source.py`):

- a word is a keyword of the list here, or letters and a number; no point, quotation mark, backslash, `@`, `:=`, `**`,
  brace or comment is in any line, so there are no attributes, texts, decorators or comments;
- `=` stands between the names at the beginning of a line and one expression, so that calls are positional and nothing
  but names is assigned; `for` and `:` stand where statements have them and nowhere else;
- an opening parenthesis stands at the beginning of an operand, or behind a name that is called; a bracket behind a
  name, around one number, or empty, or behind the name of a record's dictionary, around one name;
- between two operands is one of the signs of `_SIGN`, or a comma;
- each line closes as many parentheses as it opens, so that Python, too, ends it where it ends.

Nothing is ever tried twice (all repetition is possessive), so the time is that of reading the text once.
"""

from __future__ import annotations

import re
from functools import cache

from pif.compiled.source import FIELDS

__all__ = ["is_generated"]

_NAME = "[a-z]++[0-9]++"
_NAMES = f"{_NAME}(?:, {_NAME})*+"
_NUMBER = "[0-9]{1,10}+"
_SIGN = " (?:[-+*%&<>]|//|[<>=!]=|and|or|is|if|else) "
_OPENING = rf"(?:not |-|\((?!\))|{_NAME}\((?!\)))*+"
_OPERAND = (
    rf"(?:{FIELDS}[0-9]++\[{_NAME}\]|{_NAME}(?:\[{_NUMBER}\]|\(\))?+|{_NUMBER}|None|True|False|\(\)|\[\])"
)
_CLOSING = r"(?:(?:, )?+\))*+"
_TERM = _OPENING + _OPERAND + _CLOSING
_EXPRESSION = f"{_TERM}(?:(?:, |{_SIGN}){_TERM})*+"
_STATEMENT = "|".join((
    f"{_NAMES} = {_EXPRESSION}", f"(?:if|while) {_EXPRESSION}:(?: {_EXPRESSION})?+", "else:",
    f"for {_NAME} in {_EXPRESSION}:", f"return {_EXPRESSION}", _EXPRESSION, "continue", "break", "pass",
    rf"def {_NAME}\((?:{_NAMES})?+\):", f"global {_NAMES}",
))  # fmt: skip


@cache
def _source() -> re.Pattern[str]:
    """The expression, compiled with the first text: that takes longer than many a process has to do."""
    return re.compile(f"(?: *+(?:{_STATEMENT})\n)*+")


def is_generated(source: str) -> bool:
    """Whether every line of a text is one that the generator can have written."""
    if _source().fullmatch(source) is None:
        return False
    return all(line.count("(") == line.count(")") for line in source.split("\n"))
