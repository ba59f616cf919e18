"""The signatures of built-ins: at which sorts each row of the table is an operation of the core.


Every row of kleis.builtins.rows.table is in exactly one of three places: it has a node of its own in the core
(`CORE_FORMS`), it has no place in a proposition (`UNTYPED`, with the reason), or it has signatures.
"""

from __future__ import annotations

from collections.abc import Mapping

from kleis.builtins.row import Builtin
from kleis.builtins.signatures.lists import LIST_RULES
from kleis.builtins.signatures.matrices import MATRIX_RULES
from kleis.builtins.signatures.scalars import NUMBER_RULES, STRING_RULES, WORD_RULES
from kleis.builtins.signatures.shapes import Argument, Rule, Signature, Waiting

__all__ = ["CORE_FORMS", "RULES", "UNTYPED", "Argument", "Signature", "Waiting", "signatures"]

CORE_FORMS = frozenset(
    {"equals", "neq", "logical_and", "logical_or", "logical_not", "implies", "iff", "Cons", "Nil", "record"}
)
"""The rows that are equality, connectives and constructors."""

_DOCUMENT = "it makes a document of a value, as it is printed; state laws of the value itself"

UNTYPED: Mapping[str, str] = {
    "out": "it prints; write its argument",
    "eval": "it is an instruction to the evaluator; write its argument",
    "field": "it is a part of record(…) and no value by itself",
    "readFile": "it reads a file, and what it gives depends on the machine",
    "set_to_list": "a set has no order: equal sets would give different lists; state the law of a list and set_of",
    **dict.fromkeys(
        (
            *("typst_raw", "table_typst", "table_typst_raw", "render_to_typst"),
            *("export_typst", "export_typst_fragment"),
        ),
        _DOCUMENT,
    ),
}
"""The rows without a meaning in propositions, and why."""

RULES: Mapping[str, Rule] = {**NUMBER_RULES, **LIST_RULES, **STRING_RULES, **WORD_RULES, **MATRIX_RULES}
"""The rules by the names of the rows."""


def signatures(row: Builtin, arguments: tuple[Argument, ...]) -> tuple[Signature, ...] | Waiting:
    """The signatures of a built-in for a call with these arguments, from the least sorts up.

    All of them at this number of arguments: the caller finds sort variables, counts coercions and chooses.  Empty if
    there is none (too few or too many arguments, `CORE_FORMS`, `UNTYPED`, sizes or widths that do not agree or are not
    written); `Waiting` where sorts that are not known yet decide.
    """
    rule = RULES.get(row.name)
    if rule is None or not row.takes(len(arguments)):
        return ()
    return rule(row, arguments)
