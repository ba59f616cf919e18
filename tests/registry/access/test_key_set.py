"""The keys of an issuer: which of what it publishes are taken, how often it is asked, what becomes of lost ones."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from registry.access.issuer import IssuerError
from registry.access.key_set import (
    BURST,
    BURST_SECONDS,
    FRESH_SECONDS,
    KEPT_SECONDS,
    Key,
    KeySet,
    KeysUnavailable,
)
from tests.support.servers.issuer import new_key
from tests.support.terms.recursion import recursion_limit


class Scene:
    """An issuer whose clock and documents a test sets."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.published: Any = {"keys": [new_key("one").jwk]}
        self.asked = 0
        self.keys = KeySet(self.fetch, lambda: self.now)

    def fetch(self) -> bytes:
        self.asked += 1
        if self.published is None:
            raise IssuerError("it is lost")
        return self.published if isinstance(self.published, bytes) else json.dumps(self.published).encode()

    async def find(self, kid: str | None = "one", algorithm: str = "RS256") -> list[Key]:
        found = await self.keys.find(kid, algorithm)
        while self.keys._asking is not None:  # what is looked for without waiting
            await asyncio.sleep(0)
        return found


def play(scene: Callable[[Scene], Awaitable[None]]) -> None:
    asyncio.run(scene(Scene()))  # type: ignore[arg-type]


def test_keys_serve_until_they_are_old_and_are_then_looked_for_beside_the_request() -> None:
    async def talk(scene: Scene) -> None:
        assert [key.kid for key in await scene.find()] == ["one"]
        scene.now += FRESH_SECONDS
        await scene.find()
        assert scene.asked == 1
        scene.now += 1
        scene.published = {"keys": [new_key("two").jwk]}
        assert await scene.find()  # the old ones answer this request
        assert scene.asked == 2
        assert not await scene.find()
        assert await scene.find("two")

    play(talk)


def test_lost_keys_are_kept_for_a_bounded_time_and_then_nobody_is_let_in() -> None:
    async def talk(scene: Scene) -> None:
        await scene.find()
        scene.published = None
        scene.now += KEPT_SECONDS
        assert await scene.find()
        scene.now += 1
        with pytest.raises(KeysUnavailable):
            await scene.find()
        scene.now += BURST_SECONDS + 1
        scene.published = {"keys": [new_key("one").jwk]}
        assert await scene.find()

    play(talk)


def test_unknown_names_are_asked_for_a_bounded_number_of_times() -> None:
    async def talk(scene: Scene) -> None:
        for number in range(200):
            assert not await scene.find(f"guessed {number}")
        assert scene.asked <= BURST + 1
        asked = scene.asked
        scene.now += BURST_SECONDS + 1
        scene.published = {"keys": [new_key("two").jwk]}
        assert await scene.find("two")
        assert scene.asked == asked + 1

    play(talk)


def test_a_lost_issuer_is_asked_a_bounded_number_of_times() -> None:
    async def talk(scene: Scene) -> None:
        scene.published = None
        for _ in range(50):
            with pytest.raises(KeysUnavailable):
                await scene.find()
        assert scene.asked == BURST

    play(talk)


def test_many_at_once_ask_once() -> None:
    async def talk(scene: Scene) -> None:
        found = await asyncio.gather(*(scene.keys.find("one", "RS256") for _ in range(50)))
        assert all(found)
        assert scene.asked == 1

    play(talk)


def test_a_request_that_is_given_up_does_not_end_the_search_of_others() -> None:
    async def talk(scene: Scene) -> None:
        first = asyncio.create_task(scene.keys.find("one", "RS256"))
        second = asyncio.create_task(scene.keys.find("one", "RS256"))
        await asyncio.sleep(0)
        first.cancel()
        assert await second

    play(talk)


@pytest.mark.parametrize(
    "document",
    [b"", b"{", b"[]", b"null", b"7", b'{"keys": null}', b'{"keys": {}}', b'{"keys": []}', b'{"keys": [1, null, "x", []]}', b"\xff",
     b"[" * 100_000, b'{"keys": "n"}', b'{"KEYS": []}', b"<html>moved</html>"],
    ids=lambda each: repr(each[:20]),
)  # fmt: skip
def test_documents_without_a_key_change_nothing(document: bytes) -> None:
    """Also where Python may recurse deep, as in a server of theories: the decoder's C stack is what ends then."""

    async def talk(scene: Scene) -> None:
        await scene.find()
        scene.published = document
        assert not await scene.find("two")
        assert await scene.find()

    with recursion_limit(200_000):
        play(talk)


def rows() -> list[tuple[str, Any]]:
    rsa, curve, edwards = new_key("one").jwk, new_key("curve", "ES256").jwk, new_key("edwards", "EdDSA").jwk
    short = new_key("short", "RS256", 1_024).jwk
    return [
        ("a secret", {"kty": "oct", "kid": "one", "k": "AAAA"}), ("a secret of RSA", {**rsa, "kty": "oct", "k": rsa["n"]}),
        ("a private key", {**rsa, "d": "AAAA"}), ("for encryption", {**rsa, "use": "enc"}), ("to sign", {**rsa, "key_ops": ["sign"]}),
        ("operations that are no list", {**rsa, "key_ops": "verify"}), ("short", {**short, "kid": "one"}),
        ("another algorithm", {**rsa, "alg": "ES256"}), ("HMAC", {**rsa, "alg": "HS256"}), ("none", {**rsa, "alg": "none"}),
        ("an algorithm that is no text", {**rsa, "alg": ["RS256"]}), ("no modulus", {"kty": "RSA", "kid": "one", "e": "AQAB"}),
        ("a modulus that is no text", {**rsa, "n": 7}), ("a modulus that is no base64", {**rsa, "n": "!!!"}),
        ("an even exponent", {**rsa, "e": "AA"}), ("no exponent", {**rsa, "e": ""}), ("a kind that is no text", {**rsa, "kty": ["RSA"]}),
        ("a name that is no text", {**rsa, "kid": 1}), ("a point off the curve", {**curve, "kid": "one", "y": curve["x"]}),
        ("another curve", {**curve, "kid": "one", "crv": "secp256k1", "alg": None}), ("a curve of another kind", {**curve, "kty": "OKP"}),
        ("half a point", {**edwards, "kid": "one", "x": "AAAA"}), ("certificates alone", {"kty": "RSA", "kid": "one", "x5c": ["MIIB"]}),
    ]  # fmt: skip


@pytest.mark.parametrize(("what", "row"), rows(), ids=lambda each: each if isinstance(each, str) else "")
def test_rows_that_are_no_key_are_passed_over_and_the_others_serve(what: str, row: Any) -> None:
    async def talk(scene: Scene) -> None:
        scene.published = {"keys": [row, 7, new_key("two").jwk]}
        for algorithm in ("RS256", "ES256", "EdDSA"):
            assert not await scene.find("one", algorithm), what
        assert await scene.find("two")

    play(talk)


def test_a_key_verifies_the_algorithms_of_its_kind_alone() -> None:
    async def talk(scene: Scene) -> None:
        free = {name: value for name, value in new_key("one").jwk.items() if name != "alg"}
        kinds = [new_key("e256", "ES256"), new_key("e384", "ES384"), new_key("ed", "EdDSA")]
        scene.published = {"keys": [free, *(each.jwk for each in kinds)]}
        assert await scene.find("one", "PS512")
        assert not await scene.find("one", "ES256")
        for key in kinds:
            assert await scene.find(key.kid, key.algorithm)
            for other in ("RS256", "HS256", "none", *(each.algorithm for each in kinds if each is not key)):
                assert not await scene.find(key.kid, other)

    play(talk)


def test_a_token_without_a_name_of_a_key_fits_only_where_there_is_one() -> None:
    async def talk(scene: Scene) -> None:
        assert await scene.find(None)
        scene.now += FRESH_SECONDS + 1
        scene.published = {"keys": [new_key("one").jwk, new_key("two").jwk]}
        await scene.find()
        assert not await scene.find(None)

    play(talk)


def test_another_key_under_the_old_name_is_another_key() -> None:
    async def talk(scene: Scene) -> None:
        (key,) = await scene.find()
        assert scene.keys.holds(key.fingerprint)
        scene.now += FRESH_SECONDS + 1
        scene.published = {"keys": [{**new_key("two").jwk, "kid": "one"}]}
        await scene.find()
        assert not scene.keys.holds(key.fingerprint)

    play(talk)


def test_an_issuer_that_hangs_delays_no_end_of_the_process() -> None:
    began, goes_on = threading.Event(), threading.Event()

    def hang() -> bytes:
        began.set()
        goes_on.wait()
        return b""

    async def talk() -> None:
        asking = asyncio.create_task(KeySet(hang).find("one", "RS256"))
        await asyncio.to_thread(began.wait)
        asking.cancel()

    asyncio.run(talk())  # which waits for the threads of its own executor
    assert not goes_on.is_set()
    goes_on.set()
