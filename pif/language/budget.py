"""What a run may use: fuel, depth and sizes (docs/reference/pif.md §3).

A `Budget` is required wherever something runs. There is no unlimited one: every field is a positive number.
"""

from __future__ import annotations

import sys

import msgspec

__all__ = [
    "COMMAND_FUEL",
    "COMMAND_MAXIMUM_FUEL",
    "DEFAULT_FUEL",
    "INTEGER_BITS",
    "JSON_LEVELS",
    "MAXIMUM_FUEL",
    "RETAINED_BYTES",
    "STRING_LENGTH",
    "TERM_DEPTH",
    "Budget",
    "reserve_stack",
]

DEFAULT_FUEL = 10_000
MAXIMUM_FUEL = 5_000_000
"""What `run` may ask for unless the server is configured otherwise."""

COMMAND_FUEL = 1_000_000
COMMAND_MAXIMUM_FUEL = 50_000_000
"""The two on the command line, where nobody else waits; the second where the memory allows it."""

TERM_DEPTH = 400
"""How many terms a written term may nest, counted in the canonical form."""

JSON_LEVELS = 900
"""How many arrays and objects the JSON of a written term may nest."""

INTEGER_BITS = 8_192
STRING_LENGTH = 1_048_576

RETAINED_BYTES = 48
"""Bytes that one unit of fuel can keep alive, at most: what admission to a server's memory is counted by."""


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one run. All are inclusive: a run that uses exactly the limit succeeds.

    `ceiling` limits nothing: it is the most fuel that a run may be given here, for the hint of one that ran out.

    `fuel`: steps, by the table in `primitives`. `depth`: enclosing evaluations. `integer_bits` (64 or more: smaller
    integers are not tested), `string_length` (code points), `result_bytes` (UTF-8 of the printed result),
    `eval_depth`: `eval`s that have not returned.
    """

    fuel: int = DEFAULT_FUEL
    ceiling: int = MAXIMUM_FUEL
    depth: int = 10_000
    integer_bits: int = INTEGER_BITS
    string_length: int = STRING_LENGTH
    result_bytes: int = 1_048_576
    eval_depth: int = 100

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 1:
                raise ValueError(f"a budget's {name} must be at least 1, not {getattr(self, name)}")
        if self.integer_bits < 64:
            raise ValueError(f"a budget's integer_bits must be at least 64, not {self.integer_bits}")


def reserve_stack(levels: int) -> None:
    """Let Python recurse at least `levels` deep (never lowers the limit).

    The evaluator spends one Python frame on each level of evaluation and stops at its own depth limit; from 3.11
    on such frames take no C stack. The limit stays far below what C code (JSON decoders, `==`) needs to overflow
    an 8 MB stack, and every text is tested for nesting before such code sees it (`json_text`).
    """
    if sys.getrecursionlimit() < levels:
        sys.setrecursionlimit(levels)
