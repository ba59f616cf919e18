"""Types that several threads are the first to read: msgspec alone ends the process there."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from kleis.decoding import converted, decode_json, decode_msgpack, json_decoder, msgpack_decoder

_PROGRAM = """
import json, sys, threading
import msgspec
from kleis.decoding import converted, decode_json, decode_msgpack

plain = {f"x{place}": {"items": [1]} if place % 2 else "text" for place in range(6)}
readings = (
    lambda form: decode_json(json.dumps(plain).encode(), form),
    lambda form: decode_msgpack(msgspec.msgpack.encode(plain), form),
    lambda form: converted(plain, form),
    lambda form: decode_json(json.dumps([plain]).encode(), list[form])[0],
)
sys.setswitchinterval(1e-6)
for number in range(100):
    inner = msgspec.defstruct("Inner", [("items", "list[int]")] + [(f"y{place}", "int", 0) for place in range(9)])
    outer = msgspec.defstruct("Outer", [(f"x{place}", inner if place % 2 else str) for place in range(6)])
    together, found = threading.Barrier(len(readings)), []
    def read(reading):
        together.wait()
        found.append(reading(outer))
    threads = [threading.Thread(target=read, args=(each,)) for each in readings]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == len(readings) and all(each == found[0] for each in found), found
"""


def test_threads_that_are_the_first_to_read_a_type_read_it_whole() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


class _Pair(msgspec.Struct):
    left: int
    right: str = ""


def test_values_and_errors_are_those_of_msgspec() -> None:
    assert decode_json(b'{"left": 1}', _Pair) == _Pair(1)
    assert decode_msgpack(msgspec.msgpack.encode({"left": 1, "right": "a"}), _Pair) == _Pair(1, "a")
    assert converted([{"left": 1}], tuple[_Pair, ...]) == (_Pair(1),)
    assert converted({"left": "1", "right": ""}, dict[str, int | str]) == {"left": "1", "right": ""}
    with pytest.raises(msgspec.ValidationError, match=r"Expected `int`, got `str` - at `\$.left`"):
        decode_json(b'{"left": "1"}', _Pair)
    with pytest.raises(msgspec.DecodeError, match="truncated"):
        decode_msgpack(b"\x81", _Pair)
    with pytest.raises(msgspec.ValidationError, match="missing required field `left`"):
        converted({}, _Pair)


def test_a_decoder_is_made_once() -> None:
    assert json_decoder(tuple[_Pair, ...]) is json_decoder(tuple[_Pair, ...])
    assert msgpack_decoder(_Pair) is msgpack_decoder(_Pair)
    assert json_decoder(int) is not json_decoder(bool)
