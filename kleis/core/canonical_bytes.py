"""The canonical bytes of goals, and their SHA-256: equal goals have equal bytes on every machine and Python.

See docs/reference/certificates.md §2.4.  The bytes are JSON: every node is an object of its class name, ``core``, and of
all its fields in order, defaults included; a tuple is an array.  So class names, field names and their order in
`sorts`, `terms` and `goal` are part of every digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec

from kleis.core.goal import Goal
from kleis.core.terms import Term

__all__ = ["canonical_bytes", "digest_of"]


def digest_of(goal: Goal, lemmas: Sequence[Term] = ()) -> str:
    """The SHA-256 of a goal with lemmas, without places in files.

    The names of variables count, because evidence shows them; the order of axioms counts, because searches go by it.
    Warnings, readings and instances do not: they follow from theory and text.
    """
    parts = (
        goal.claim,
        goal.carriers,
        goal.symbols,
        [(each.name, each.standing, each.formula) for each in goal.axioms],
        goal.definitions,
        [(key, each.kind, each.arguments, each.condition, each.measures) for key, each in goal.terminations],
        goal.data,
        [(each.kind, each.name, each.subject, each.formula) for each in goal.obligations],
        [(each.reason, each.message) for each in goal.unsettled],
        tuple(lemmas),
    )
    return hashlib.sha256(canonical_bytes(parts)).hexdigest()


def canonical_bytes(part: Any) -> bytes:
    """The canonical bytes of terms, sorts, and tuples and lists of them."""
    try:
        return msgspec.json.encode(part, enc_hook=_fraction)
    except (ValueError, UnicodeEncodeError):
        return msgspec.json.encode(_spelled(part))


def _fraction(value: Any) -> Any:
    if isinstance(value, Fraction):
        return {"numerator": value.numerator, "denominator": value.denominator}
    raise TypeError(f"no goal has a {type(value).__name__}")


def _spelled(part: Any) -> Any:
    """The same where an integer has more digits than Python prints, or a text is no Unicode."""
    match part:
        case int() if not isinstance(part, bool):
            return {"hexadecimal": hex(part)}
        case Fraction():
            return {"numerator": hex(part.numerator), "denominator": hex(part.denominator)}
        case str():
            return {"text": part.encode("utf-8", "surrogatepass").hex()}
        case list() | tuple():
            return [_spelled(each) for each in part]
        case msgspec.Struct():
            fields = {name: _spelled(getattr(part, name)) for name in part.__struct_fields__}
            return {"core": type(part).__name__, **fields}
        case _:
            return part
