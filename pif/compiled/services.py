"""The names that generated code finds in its globals besides its own: constants, and what the runtime does for it."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from pif.language.values import Continuation

__all__ = ["CONSTANTS", "SERVICES", "WEIGHED"]

CONSTANTS: dict[str, Any] = {
    "type0": type, "len0": len, "range0": range, "int0": int, "bool0": bool, "str0": str, "tuple0": tuple,
    "none0": None, "nil0": (), "function0": FunctionType, "marker0": Continuation,
}  # fmt: skip

SERVICES = (
    "pause", "look", "stop", "wide", "keep", "eq", "lt", "lte", "gt", "gte", "ranged", "list", "length", "record", "get",
    "keys", "concat", "chars", "join", "show", "reify", "reflect", "analyze", "normalize", "source", "template", "code", "ask",
)  # fmt: skip
"""Methods of the runtime, by the names of their operations."""

WEIGHED = ("add", "sub", "mul", "div", "mod")
"""Operations that weigh their integers where they may be wide."""
