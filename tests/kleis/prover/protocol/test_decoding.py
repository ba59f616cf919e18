"""Decoders for several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from kleis.prover.protocol import decoding
from kleis.prover.protocol.decoding import decoded_json, decoded_msgpack


class Part(msgspec.Struct):
    name: str


class Whole(msgspec.Struct):
    parts: tuple[Part, ...]


def test_decoders_are_made_one_at_a_time_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[bool] = []
    for module in (msgspec.json, msgspec.msgpack):
        plain: Any = module.Decoder

        def noted(kind: Any, plain: Any = plain) -> Any:
            made.append(decoding._MAKING.locked())
            return plain(kind)

        monkeypatch.setattr(module, "Decoder", noted)
    whole = Whole((Part("a"), Part("b")))
    text, packed = msgspec.json.encode(whole), msgspec.msgpack.encode(whole)
    with ThreadPoolExecutor(4) as threads:
        found = [threads.submit(decoded_json, text, Whole) for _ in range(8)]
        found += [threads.submit(decoded_msgpack, packed, Whole) for _ in range(8)]
        assert all(each.result() == whole for each in found)
    assert made == [True, True]


def test_what_is_not_of_the_type_is_an_error() -> None:
    with pytest.raises(msgspec.DecodeError):
        decoded_json(b'{"parts": 1}', Whole)
    with pytest.raises(msgspec.DecodeError):
        decoded_msgpack(b"\xc1", Whole)
