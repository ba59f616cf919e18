"""The tokens of a home: 256 random bits each, of which only the SHA-256 is kept.

``access/tokens.json`` in the home holds a row for each token: who it stands for, its scopes, when it was made, when it expires,
when it was revoked. A revoked row stays: it says that the home has tokens, so that a server never becomes
open again by the last one's end. A row without a hash says since when tokens of a subject of an authorization server are
not let in any more.

Invariants
----------
- The file is replaced and read as `access_file` says.
- A file that cannot be read lets nobody in.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from kleis.decoding import decode_json
from registry.access.access_file import AccessFile
from registry.access.principals import ALL_SCOPES, Principal, check_principal_name, issuer_and_subject
from registry.errors import RegistryError

__all__ = ["FILE", "MOST", "PREFIX", "Token", "TokenFile", "Tokens", "moment_of", "read_expiry"]

FILE: Final = Path("access") / "tokens.json"
"""Below the home."""

PREFIX: Final = "pif_"
"""What a token begins with, so that programs that look for secrets in texts find it."""

MOST: Final = 10_000
"""Tokens of a home, revoked ones included."""

_BYTES = 32
_FORMAT = 1
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_SPAN = re.compile(r"([1-9][0-9]{0,8})([smhd])")


class Token(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A token as it is kept. Moments are seconds since 1970; `expires` and `revoked` are None for never."""

    id: str
    name: str
    scopes: tuple[str, ...]
    sha256: str
    created: float
    expires: float | None = None
    revoked: float | None = None

    def is_valid(self, now: float) -> bool:
        return self.revoked is None and (self.expires is None or now < self.expires)

    @property
    def principal(self) -> Principal:
        return Principal(self.name, frozenset(self.scopes), self.id)


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tokens: tuple[Token, ...]
    format: int = _FORMAT


class Tokens:
    """The tokens of one moment."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.all = tokens
        self._by_hash = {each.sha256: each for each in tokens}
        self._by_id = {each.id: each for each in tokens}
        self._cut_off = {each.name: each.revoked or 0.0 for each in tokens if not each.sha256}

    def __len__(self) -> int:
        return len(self.all)

    def find(self, secret: str) -> Token | None:
        """The token of a secret, valid or not.

        The table is entered by the hash of what was sent: whoever could learn from the time how a hash compares would
        still have to find a secret with that hash. The last comparison takes the same time for each.
        """
        digest = _digest(secret)
        token = self._by_hash.get(digest)
        return token if token is not None and hmac.compare_digest(token.sha256, digest) else None

    def of_id(self, number: str) -> Token | None:
        """The token with this id."""
        return self._by_id.get(number)

    def cut_off(self, name: str) -> float:
        """The moment before which access tokens of this subject of an authorization server were issued in vain; 0 for none."""
        return self._cut_off.get(name, 0.0)


class TokenFile:
    """The tokens of a home on disk. Reading it makes nothing; a directory is made with the first token."""

    def __init__(self, home: Path, clock: Callable[[], float] = time.time) -> None:
        self.path = home / FILE
        self._clock = clock
        self._file = AccessFile(
            self.path, "the tokens", _decoded, Tokens(()), unreadable="the tokens of this home cannot be read",
            restore="Nobody is let in by a token until they can. Restore the file, or move it away and make new tokens.",
        )  # fmt: skip

    def read(self) -> Tokens:
        """The tokens as they are now. Raises `store_error` where they cannot be read."""
        return self._file.read()

    def create(
        self, name: str, scopes: frozenset[str], expires: Callable[[float], float | None]
    ) -> tuple[Token, str]:
        """A new token for a principal, and its secret, which is nowhere else. `expires` gives the end for the present moment."""
        check_principal_name(name)
        with self._changing() as tokens:
            if len(tokens) >= MOST:
                raise RegistryError(
                    "invalid_argument", f"a home has {MOST:,} tokens at most, revoked ones included", file=str(self.path),
                    hint="Stop the servers and take rows that were revoked out of the file.",
                )  # fmt: skip
            secret = PREFIX + secrets.token_urlsafe(_BYTES)
            now = self._clock()
            token = Token(_new_id(tokens), name, tuple(sorted(scopes)), _digest(secret), now, expires(now))
            tokens.append(token)
        return token, secret

    def is_gone(self, name: str) -> bool:
        """Whether a principal had tokens and all were revoked: who gets one now gets what it has kept. Raises as `read`."""
        tokens = [each for each in self.read().all if each.name == name]
        return bool(tokens) and all(each.revoked is not None for each in tokens)

    def revoke(self, which: str) -> tuple[Token, ...]:
        """End the token with this id, or all of the principal with this name; those that were not revoked before.

        Of a subject of an authorization server (`registry.access.principals.oauth_name`) all end that were issued until now.
        """
        if issuer_and_subject(which) is not None:
            return (self._cut_off(which),)
        with self._changing() as tokens:
            found = [place for place, each in enumerate(tokens) if which in (each.id, each.name)]
            if not found:
                names = sorted({each.name for each in tokens})
                raise RegistryError(
                    "invalid_argument", f"no token has the id or the name {which[:60]!a}", place="which",
                    found=which[:60], expected=", ".join(names[:8]) or "a token: there is none",
                    hint="`pif token list` shows them.",
                )  # fmt: skip
            ended = []
            for place in found:
                if tokens[place].revoked is None:
                    tokens[place] = msgspec.structs.replace(tokens[place], revoked=self._clock())
                    ended.append(tokens[place])
        return tuple(ended)

    def _cut_off(self, name: str) -> Token:
        with self._changing() as tokens:
            now = self._clock()
            kept = [each for each in tokens if each.sha256 or each.name != name]
            row = Token(_new_id(tokens), name, (), "", now, None, now)
            tokens[:] = [*kept, row]
        return row

    @contextmanager
    def _changing(self) -> Iterator[list[Token]]:
        """The tokens, to be changed in the block: written when it ends well, left alone where it raises."""
        with self._file.changing() as replace:
            tokens = list(self.read().all)
            yield tokens
            replace(_Kept(tuple(tokens)))


def _decoded(text: bytes) -> Tokens:
    kept = decode_json(text, _Kept)
    if kept.format != _FORMAT:
        raise ValueError(f"format {kept.format}; this program reads {_FORMAT}")
    if any(set(token.scopes) - ALL_SCOPES for token in kept.tokens):
        raise ValueError("a scope that this program does not know")
    return Tokens(kept.tokens)


def _new_id(tokens: list[Token]) -> str:
    taken = {each.id for each in tokens}
    return next(each for each in iter(lambda: secrets.token_hex(4), "") if each not in taken)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def moment_of(seconds: float) -> str:
    """A moment for reading: ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def read_expiry(text: str) -> Callable[[float], float | None]:
    """When a token expires: ``never``, a span such as ``90d`` or ``12h``, or a moment in ISO 8601. Raises `invalid_argument`."""
    if text == "never":
        return lambda now: None
    if span := _SPAN.fullmatch(text):
        seconds = int(span[1]) * _SECONDS[span[2]]
        return lambda now: now + seconds
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None:
        raise RegistryError(
            "invalid_argument", "that is no end of a token", place="expires", found=ascii(text[:60]),
            expected="a span (90d, 12h, 30m), a moment (2027-01-31, 2027-01-31T12:00:00Z), or never",
            hint="for example --expires 90d",
        )  # fmt: skip
    until = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

    def at(now: float) -> float:
        if until > now:
            return until
        raise RegistryError(
            "invalid_argument", "that moment is past", place="expires", found=text[:60], expected="a moment to come",
            hint="for example --expires 90d",
        )  # fmt: skip

    return at
