"""What value the output of an example says (docs/reference/registry.md §5.3).

| output | value |
|---|---|
| a number without a fraction, a string, true, false, null | that |
| a list | the list of what its items say |
| `{"pair": [a, b]}`, `{"quote": term}`, `{"record": {…}}` | a pair, quoted code, a record |
| another object | quoted code where it is a term, else a record |

No output says a function.
"""

from __future__ import annotations

from pif.language.decode import decode_term
from pif.language.errors import PifError
from pif.language.terms import Json, same_term

__all__ = ["says", "says_code"]


def says(output: Json, value: Json) -> bool:
    """Whether an output says a value, which is printed as the term that evaluates to it."""
    match value:
        case {"record": dict() as fields}:
            said = output["record"] if _form(output) == "record" else output
            if not isinstance(said, dict) or _form(output) in ("pair", "quote") or says_code(output):
                return False
            return said.keys() == fields.keys() and all(says(said[key], fields[key]) for key in fields)
        case {"pair": [_, _] as halves}:
            return _form(output) == "pair" and all(map(says, output["pair"], halves))
        case {"quote": code}:
            if _form(output) == "quote":
                return _same_code(output["quote"], code)
            return isinstance(output, dict) and _form(output) is None and _same_code(output, code)
        case list():
            return isinstance(output, list) and len(output) == len(value) and all(map(says, output, value))
        case _:
            if isinstance(output, float) and output.is_integer():
                output = int(output)
            return type(output) is type(value) and bool(output == value)


def says_code(output: Json) -> bool:
    """Whether an output is an object without a form of its own that says code, since it is a term."""
    if not isinstance(output, dict) or _form(output) is not None:
        return False
    try:
        decode_term(output)
    except PifError:
        return False
    return True


def _form(output: Json) -> str | None:
    """`pair`, `quote` or `record`, where an output is an object that says such a value; None for all others."""
    match output:
        case {"pair": [_, _]} | {"quote": _} | {"record": dict()} if len(output) == 1:
            return str(next(iter(output)))
        case _:
            return None


def _same_code(written: Json, code: Json) -> bool:
    try:
        return same_term(decode_term(written), decode_term(code))
    except PifError:
        return False
