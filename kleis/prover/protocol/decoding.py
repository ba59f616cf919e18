"""Data decoded against types, by several threads at a time.

msgspec finds out what the fields of a type are when it is first decoded, and a second thread that wants the same then
reads what is not complete: the process dies.  So decoders are made one after the other, each once.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

__all__ = ["decoded_json", "decoded_msgpack"]

T = TypeVar("T")

_MAKING = threading.Lock()
_JSON: dict[Any, msgspec.json.Decoder[Any]] = {}
_PACKED: dict[Any, msgspec.msgpack.Decoder[Any]] = {}
"""By the types that are named in calls, which are few."""


def decoded_json(data: bytes, kind: type[T]) -> T:
    """Data in JSON as a value of a type.  Raises msgspec.DecodeError."""
    with _MAKING:
        decoder = _JSON.get(kind) or _JSON.setdefault(kind, msgspec.json.Decoder(kind))
    value: T = decoder.decode(data)
    return value


def decoded_msgpack(data: bytes, kind: type[T]) -> T:
    """Data in MessagePack as a value of a type.  Raises msgspec.DecodeError."""
    with _MAKING:
        decoder = _PACKED.get(kind) or _PACKED.setdefault(kind, msgspec.msgpack.Decoder(kind))
    value: T = decoder.decode(data)
    return value
