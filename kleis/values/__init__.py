"""Values: what evaluation gives, how values compare, and how they are written.

- `kinds`: the classes of values, the one list representation
- `equality`: equality in three values, keys for sets, tolerance for floats
- `text`: numbers and values as text

Import the names from here.  A new kind of value touches all three modules and `kleis/builtins/row.py` (sorts of
arguments); what evaluation and the reference semantics both compute is in `kleis/builtins/`.
"""

from __future__ import annotations

from kleis.values.equality import (
    TOLERANCE,
    TOLERANCE_TEXT,
    approximately_equal,
    close,
    contains_float,
    differ_in_kind,
    equal,
    equality_key,
    indistinct,
    is_partial,
    is_symbolic,
    leaves_of,
)
from kleis.values.kinds import (
    EMPTY_LIST,
    UNIT,
    BitVector,
    Complex,
    Data,
    FunctionValue,
    ListValue,
    Number,
    Regex,
    SetValue,
    Stuck,
    Suspended,
    Symbol,
    Symbolic,
    Value,
    complex_value,
    exact,
    is_number,
    kind_name,
    list_of,
)
from kleis.values.text import (
    decimal_text,
    display_text,
    integer_from_digits,
    integer_text,
    number_from_text,
    number_text,
    plain_text,
    render_value,
)

__all__ = [
    "EMPTY_LIST",
    "TOLERANCE",
    "TOLERANCE_TEXT",
    "UNIT",
    "BitVector",
    "Complex",
    "Data",
    "FunctionValue",
    "ListValue",
    "Number",
    "Regex",
    "SetValue",
    "Stuck",
    "Suspended",
    "Symbol",
    "Symbolic",
    "Value",
    "approximately_equal",
    "close",
    "complex_value",
    "contains_float",
    "decimal_text",
    "differ_in_kind",
    "display_text",
    "equal",
    "equality_key",
    "exact",
    "indistinct",
    "integer_from_digits",
    "integer_text",
    "is_number",
    "is_partial",
    "is_symbolic",
    "kind_name",
    "leaves_of",
    "list_of",
    "number_from_text",
    "number_text",
    "plain_text",
    "render_value",
]
