"""The keys of an issuer (a JWKS, RFC 7517): looked for when they are needed, kept for a bounded time when they are lost.

Invariants
----------
- Only public keys of asymmetric algorithms are in it; each verifies the algorithms of its kind and no other.
- However many tokens name keys that nobody has, the issuer is asked `BURST` times in `BURST_SECONDS` at most.
- Keys that are older than `FRESH_SECONDS` are asked for again while they are used. If that fails they serve until they are `KEPT_SECONDS` old,
  and after that none do: an issuer that withdraws a key and cannot be reached is not overruled for ever.
- A document without a usable key changes nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Final

import jwt
import msgspec

from pif.language.json_text import TooDeep, check_nesting
from registry.access.issuer import NESTING, IssuerError

__all__ = [
    "ALGORITHMS",
    "BURST",
    "BURST_SECONDS",
    "FRESH_SECONDS",
    "KEPT_SECONDS",
    "Key",
    "KeySet",
    "KeysUnavailable",
]

FRESH_SECONDS: Final = 300.0
KEPT_SECONDS: Final = 3_600.0

BURST: Final = 4
BURST_SECONDS: Final = 60.0

MOST_KEYS: Final = 64
RSA_BITS: Final = range(2_048, 8_193)
"""Longer ones take a server's time, shorter ones are weak."""

_RSA = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
_CURVES: Final[Mapping[str, str]] = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512"}

ALGORITHMS: Final[tuple[str, ...]] = (*_RSA, *_CURVES.values(), "EdDSA")
"""Of signatures. With none of them can what is public sign."""

_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "RSA": ("n", "e"),
    "EC": ("crv", "x", "y"),
    "OKP": ("crv", "x"),
}
_SECRET: Final = ("d", "p", "q", "k")

logger = logging.getLogger(__name__)


class KeysUnavailable(Exception):
    """There are no keys to judge a token by."""


class Key(msgspec.Struct, frozen=True):
    """A key: what tokens call it, the algorithms with which it verifies, and the hash of what it is."""

    kid: str
    by_algorithm: dict[str, jwt.PyJWK]
    fingerprint: str


class KeySet:
    """The keys of one issuer. `fetch` gets the document; it is called in a thread and raises IssuerError. Use it from one event loop."""

    def __init__(self, fetch: Callable[[], bytes], clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: tuple[Key, ...] = ()
        self._fetched: float | None = None
        self._asked: deque[float] = deque(maxlen=BURST)
        self._asking: asyncio.Task[bool] | None = None
        self._said = ""

    async def find(self, kid: str | None, algorithm: str) -> list[Key]:
        """The keys that may have signed a token which names `kid`, or no key. Raises KeysUnavailable."""
        age = self._age()
        if age is None or age > KEPT_SECONDS:
            await self._ask()
            age = self._age()
            if age is None or age > KEPT_SECONDS:
                raise KeysUnavailable
        self.keep_fresh()
        found = self._named(kid, algorithm)
        if not found and await self._ask():
            found = self._named(kid, algorithm)
        return found

    def holds(self, fingerprint: str) -> bool:
        """Whether this key is still one of the issuer's, as far as is known."""
        return any(key.fingerprint == fingerprint for key in self._keys)

    def keep_fresh(self) -> None:
        """Look for the keys again where they are old, without waiting."""
        age = self._age()
        if age is not None and age > FRESH_SECONDS and self._may_ask():
            self._begin()

    def _age(self) -> float | None:
        return None if self._fetched is None else self._clock() - self._fetched

    def _named(self, kid: str | None, algorithm: str) -> list[Key]:
        fitting = [key for key in self._keys if algorithm in key.by_algorithm]
        if kid is None:
            return fitting if len(fitting) == 1 else []
        return [key for key in fitting if key.kid == kid]

    def _may_ask(self) -> bool:
        if self._asking is not None:
            return False
        return len(self._asked) < BURST or self._clock() - self._asked[0] > BURST_SECONDS

    def _begin(self) -> asyncio.Task[bool]:
        self._asked.append(self._clock())
        self._asking = asyncio.create_task(self._renew())
        return self._asking

    async def _ask(self) -> bool:
        """Whether the keys were looked for, now or by another who waits, and found."""
        if self._asking is None and not self._may_ask():
            return False
        return await asyncio.shield(self._asking or self._begin())

    async def _renew(self) -> bool:
        try:
            began = self._clock()
            document = await _in_thread(self._fetch)
            self._keys = _keys_of(document)
            self._fetched = began
        except IssuerError as error:
            if str(error) != self._said:
                self._said = str(error)
                logger.error("the keys of the authorization server cannot be had: %s", error)
            return False
        else:
            self._said = ""
            return True
        finally:
            self._asking = None


async def _in_thread(fetch: Callable[[], bytes]) -> bytes:
    """What `fetch` gets, in a thread that no process waits for when it ends: an issuer that hangs delays no stop."""
    fetched: Future[bytes] = Future()
    fetched.set_running_or_notify_cancel()  # who gives up waiting does not end it

    def run() -> None:
        try:
            fetched.set_result(fetch())
        except Exception as error:
            logger.debug("the keys were not fetched", exc_info=True)
            fetched.set_exception(error)

    threading.Thread(target=run, name="keys", daemon=True).start()
    return await asyncio.wrap_future(fetched)


def _keys_of(document: bytes) -> tuple[Key, ...]:
    """The usable keys of a document. Raises IssuerError where there is none."""
    try:
        check_nesting(document, NESTING)
        decoded = msgspec.json.decode(document)
    except (msgspec.MsgspecError, UnicodeDecodeError, TooDeep):
        raise IssuerError("what it publishes as keys is no JSON") from None
    listed = decoded.get("keys") if isinstance(decoded, dict) else None
    rows = listed[:MOST_KEYS] if isinstance(listed, list) else []
    keys = tuple(key for row in rows if isinstance(row, dict) and (key := _key_of(row)) is not None)
    if not keys:
        raise IssuerError("what it publishes has no key that verifies a signature")
    return keys


def _key_of(row: Mapping[str, Any]) -> Key | None:
    """A row as a key; None for what is none that verifies: a secret, a key for encryption, another curve, junk."""
    kind, kid, use, operations = (
        row.get("kty"),
        row.get("kid", ""),
        row.get("use", "sig"),
        row.get("key_ops", ["verify"]),
    )
    members = _MEMBERS.get(kind) if isinstance(kind, str) else None
    if members is None or not isinstance(kid, str) or use != "sig" or any(each in row for each in _SECRET):
        return None
    if not isinstance(operations, list) or "verify" not in operations:
        return None
    public = {name: row.get(name) for name in ("kty", *members)}
    if not all(isinstance(value, str) for value in public.values()):
        return None
    by_algorithm: dict[str, jwt.PyJWK] = {}
    for algorithm in _algorithms_of(public, row.get("alg")):
        try:
            key = jwt.PyJWK({**public, "kid": kid}, algorithm)
        except (jwt.PyJWTError, ValueError, TypeError, OverflowError):
            return None
        if kind == "RSA" and key.key.key_size not in RSA_BITS:
            return None
        by_algorithm[algorithm] = key
    digest = hashlib.sha256(msgspec.json.encode(public, order="sorted")).hexdigest()
    return Key(kid, by_algorithm, digest) if by_algorithm else None


def _algorithms_of(public: Mapping[str, Any], stated: Any) -> tuple[str, ...]:
    """The algorithms that a key may verify: those of its kind, and of these the one that its row states."""
    curve = str(public.get("crv"))
    possible: tuple[str, ...] = _RSA if public["kty"] == "RSA" else ()
    if public["kty"] == "EC" and curve in _CURVES:
        possible = (_CURVES[curve],)
    if public["kty"] == "OKP" and curve == "Ed25519":
        possible = ("EdDSA",)
        stated = "EdDSA" if stated == "Ed25519" else stated  # RFC 9864 gives it a second name
    return possible if stated is None else tuple(each for each in possible if each == stated)
