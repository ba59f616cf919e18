"""Data into types with msgspec, from any number of threads.

msgspec describes a structure when its first value is read, and shows the description to other threads before it is whole: one
that reads such a value meanwhile ends the process by a segmentation fault (0.22.0).  Here one thread at a time describes
types, and no value is read before its type is described.  All that `kleis` and `registry` read goes through this module.

The functions are msgspec's own, with their errors; a decoder is kept for each form.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar, overload

import msgspec

__all__ = ["converted", "decode_json", "decode_msgpack", "json_decoder", "msgpack_decoder"]

T = TypeVar("T")

_describing = threading.RLock()
_json: dict[Any, msgspec.json.Decoder[Any]] = {}
_msgpack: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


@overload
def json_decoder(form: type[T]) -> msgspec.json.Decoder[T]: ...
@overload
def json_decoder(form: Any) -> msgspec.json.Decoder[Any]: ...
def json_decoder(form: Any) -> msgspec.json.Decoder[Any]:
    """The decoder of JSON for a type."""
    found: msgspec.json.Decoder[Any] = _decoder(_json, msgspec.json.Decoder, form)
    return found


@overload
def msgpack_decoder(form: type[T]) -> msgspec.msgpack.Decoder[T]: ...
@overload
def msgpack_decoder(form: Any) -> msgspec.msgpack.Decoder[Any]: ...
def msgpack_decoder(form: Any) -> msgspec.msgpack.Decoder[Any]:
    """The decoder of MessagePack for a type."""
    found: msgspec.msgpack.Decoder[Any] = _decoder(_msgpack, msgspec.msgpack.Decoder, form)
    return found


def _decoder(kept: dict[Any, Any], make: Callable[[Any], Any], form: Any) -> Any:
    """The decoder for a form, made by one thread at a time and kept."""
    found = kept.get(form)
    if found is None:
        with _describing:
            found = kept.setdefault(form, make(form))
    return found


@overload
def decode_json(data: bytes | bytearray | str, form: type[T]) -> T: ...
@overload
def decode_json(data: bytes | bytearray | str, form: Any) -> Any: ...
def decode_json(data: bytes | bytearray | str, form: Any) -> Any:
    """`msgspec.json.decode(data, type=form)`."""
    return json_decoder(form).decode(data)


@overload
def decode_msgpack(data: bytes, form: type[T]) -> T: ...
@overload
def decode_msgpack(data: bytes, form: Any) -> Any: ...
def decode_msgpack(data: bytes, form: Any) -> Any:
    """`msgspec.msgpack.decode(data, type=form)`."""
    return msgpack_decoder(form).decode(data)


@overload
def converted(value: object, form: type[T], *, dec_hook: Callable[[type, Any], Any] | None = None) -> T: ...
@overload
def converted(value: object, form: Any, *, dec_hook: Callable[[type, Any], Any] | None = None) -> Any: ...
def converted(value: object, form: Any, *, dec_hook: Callable[[type, Any], Any] | None = None) -> Any:
    """`msgspec.convert(value, type=form)`."""
    json_decoder(form)
    return msgspec.convert(value, form, dec_hook=dec_hook)
