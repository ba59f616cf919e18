"""The names that generated code finds in its globals besides its own: constants, and what the runtime does for it."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Protocol

from pif.compiled.emitter import BIGNUM
from pif.language.host import Refusal, Theory, ask, asking_charge, question_of
from pif.language.values import Continuation, Record, Value

__all__ = ["CONSTANTS", "SERVICES", "SIZE_CHECKED", "asked"]


def _fields(record: Record) -> dict[str, Value]:
    """Called as often as anything: a function of Python's own takes less time than `attrgetter`."""
    return record.fields


CONSTANTS: dict[str, Any] = {
    "type0": type, "len0": len, "range0": range, "int0": int, "bool0": bool, "str0": str, "tuple0": tuple,
    "none0": None, "nil0": (), "function0": FunctionType, "marker0": Continuation,
    "low0": -BIGNUM, "high0": BIGNUM, "append0": list.append, "reversed0": reversed, "sum0": sum, "at0": dict.get,
    "recordtype0": Record, "fields0": _fields,
}  # fmt: skip

SERVICES = (
    "pause", "look", "stop", "wide", "narrow", "deep", "keep", "eq", "lt", "lte", "gt", "gte", "ranged", "list", "up", "down", "length", "record", "get", "place", "seek",
    "keys", "names", "concat", "concats", "chars", "letters", "join", "glue", "glued", "show", "reify", "reflect", "analyze", "normalize", "source", "template", "code", "ask",
)  # fmt: skip

SIZE_CHECKED = ("add", "sub", "mul", "div", "mod")


# Questions to the theory from compiled code: charged as in `reference.theory_questions`, with which it changes.


class _Asking(Protocol):
    theory: Theory | None
    cancelled: Callable[[], bool] | None


def asked(
    session: _Asking, charge: Callable[[int], None], operation: str, value: Value
) -> tuple[Value, bool]:
    """The theory's answer; False where there is none, which is for the reference to explain."""
    question, is_one = question_of(operation, value)
    if not is_one:
        return None, False
    charge(asking_charge(operation, question))
    answer = ask(session.theory, operation, question, session.cancelled)
    charge(answer.fuel)
    return (None, False) if isinstance(answer, Refusal) else (answer.value, True)
