"""Access tokens of an authorization server (JWTs, RFC 9068) as principals.

A token lets somebody in where all of this holds; otherwise it is refused in one and the same words, whatever was wrong:

- It is signed with a key that the issuer publishes, by an asymmetric algorithm of that key. Of its header only `alg`, `kid`
  and `typ` are read; addresses and keys in it are not (RFC 8725, JSON Web Token Best Current Practices).
- It is an access token (`typ`), of the issuer that this server names, for this server (`aud`), in its time (`exp`, `nbf`, `iat`).
- It is not bound to a key of its sender (`cnf`), which could not be seen here.
- Its subject was not cut off by the owner of this server after it was issued (`tokens.TokenFile.revoke`).
"""

from __future__ import annotations

import hashlib
import logging
import math
import re
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import jwt

from registry.access.key_set import ALGORITHMS, KeySet, KeysUnavailable
from registry.access.principals import ALL_SCOPES, Principal, oauth_name
from registry.access.tokens import TokenFile
from registry.access.verifier import Denied, revoked
from registry.errors import RegistryError

__all__ = ["LEEWAY", "LONGEST", "AccessTokens", "OAuthPrincipal", "is_jwt"]

LEEWAY: Final = 30.0
"""Seconds by which the issuer's clock may be ahead of this one's."""

LONGEST: Final = 8_192
"""Characters of a token."""

LONGEST_SUBJECT: Final = 255

_SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")
_TYPE = ("at+jwt", "application/at+jwt")
_PLAIN_TYPES = ("jwt", "application/jwt", "")
_SAID_SECONDS = 60.0

logger = logging.getLogger(__name__)


class OAuthPrincipal(Principal, frozen=True):
    """A subject of the issuer, by one access token. Moments are seconds since 1970; `key` is the hash of the key that signed."""

    issuer: str = ""
    subject: str = ""
    client: str = ""
    issued: float = 0.0
    ends: float = 0.0
    key: str = ""


def is_jwt(token: str) -> bool:
    """Whether a token has the form of a JWT with a signature, or of one without."""
    return len(token) <= LONGEST and _SHAPE.fullmatch(token) is not None


class AccessTokens:
    """The access tokens of one issuer, for one resource.

    `audiences`: the spellings of the resource's address. `any_type`: a token need not say that it is an access token, as those of
    servers from before RFC 9068 do not. `tokens`: who was cut off.
    """

    def __init__(
        self,
        issuer: str,
        audiences: Sequence[str],
        keys: KeySet,
        *,
        any_type: bool = False,
        tokens: TokenFile | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._issuer = issuer
        self._audiences = tuple(audiences)
        self._keys = keys
        self._types = _TYPE + (_PLAIN_TYPES if any_type else ())
        self._tokens = tokens
        self._clock = clock
        self._said: dict[str, float] = {}

    async def principal(self, token: str) -> OAuthPrincipal:
        """Who sends this token. Raises `Denied`."""
        if not is_jwt(token):
            raise revoked()
        try:
            algorithm, kid = self._judge_header(jwt.get_unverified_header(token))
            for key in await self._keys.find(kid, algorithm):
                claims = self._verified(token, key.by_algorithm[algorithm], algorithm)
                if claims is not None:
                    return self._judge(claims, key.fingerprint, hashlib.sha256(token.encode()).hexdigest())
        except KeysUnavailable:
            raise Denied(503, "the keys of the authorization server cannot be had; try again later") from None
        except jwt.PyJWTError:
            raise revoked() from None
        raise revoked()

    def still_valid(self, principal: OAuthPrincipal) -> bool:
        """Whether the token that let this principal in would let it in now."""
        self._keys.keep_fresh()
        try:
            cut_off = self._cut_off(principal.name)
        except RegistryError:
            return False
        return (
            self._clock() < principal.ends and principal.issued > cut_off and self._keys.holds(principal.key)
        )

    def _judge_header(self, header: dict[str, Any]) -> tuple[str, str | None]:
        """The algorithm and the key that a header names. Raises `Denied`."""
        algorithm, kid, kind = header.get("alg"), header.get("kid"), header.get("typ", "")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS or "crit" in header:
            raise revoked()
        if not isinstance(kind, str) or kind.lower() not in self._types:
            raise revoked()
        return algorithm, kid

    def _verified(self, token: str, key: jwt.PyJWK, algorithm: str) -> dict[str, Any] | None:
        """The claims of a token that this key has signed, and that is for this resource and of this time; else None."""
        options: jwt.types.Options = {
            "require": ["exp", "iat", "iss", "aud", "sub"], "verify_exp": False, "enforce_minimum_key_length": True,
        }  # fmt: skip
        try:
            return jwt.decode(
                token, key, [algorithm], options, audience=self._audiences, issuer=self._issuer, leeway=LEEWAY
            )
        except (jwt.InvalidAudienceError, jwt.MissingRequiredClaimError) as error:
            self._say(f"it is not for this resource, or lacks a claim: {type(error).__name__}")
        except jwt.InvalidIssuerError:
            self._say("it is of another issuer than --oauth-issuer names, letter by letter")
        except jwt.ImmatureSignatureError:
            self._say("it is not valid yet: compare the clocks")
        except jwt.PyJWTError:
            return None
        return None

    def _judge(self, claims: dict[str, Any], key: str, digest: str) -> OAuthPrincipal:
        """The principal of claims whose signature, issuer and audience are good. Raises `Denied`."""
        issued, ends, starts = (_moment(claims.get(name)) for name in ("iat", "exp", "nbf"))
        subject = claims["sub"]
        if issued is None or ends is None or ("nbf" in claims and starts is None):
            raise self._refused("a moment of it is no number")
        if ends <= self._clock():
            raise revoked()
        if "cnf" in claims:
            raise self._refused("it is bound to a key of its sender, which this server does not check")
        if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
            raise self._refused("its subject is empty or too long")
        try:
            name = oauth_name(self._issuer, subject)
        except ValueError as error:
            raise self._refused(str(error)) from None
        try:
            cut_off = self._cut_off(name)
        except RegistryError:
            raise Denied(503, "the tokens of this server cannot be read; its log says why") from None
        if issued <= cut_off:
            raise revoked()
        client = claims.get("client_id", claims.get("azp", ""))
        return OAuthPrincipal(
            name, self._scopes(claims), f"oauth {digest}", issuer=self._issuer, subject=subject,
            client=client if isinstance(client, str) else "", issued=issued, ends=ends, key=key,
        )  # fmt: skip

    def _cut_off(self, name: str) -> float:
        """Until when tokens of this subject were issued in vain. Raises RegistryError where that cannot be read."""
        moment = self._tokens.read().cut_off(name) if self._tokens is not None else 0.0
        return moment + LEEWAY if moment else 0.0

    def _scopes(self, claims: dict[str, Any]) -> frozenset[str]:
        """Scopes that this server knows; others are for other servers. Raises `Denied` where they are no text."""
        said = claims.get("scope")
        if said is None:
            listed = claims.get("scp", [])  # what some servers write instead
            said = (
                " ".join(listed)
                if isinstance(listed, list) and all(isinstance(each, str) for each in listed)
                else listed
            )
        if not isinstance(said, str):
            raise self._refused("its scopes are no text")
        return ALL_SCOPES & frozenset(said.split(" "))

    def _refused(self, why: str) -> Denied:
        self._say(why)
        return revoked()

    def _say(self, why: str) -> None:
        """Log why a token that the issuer has signed is refused, each reason once in a minute."""
        now = self._clock()
        if now - self._said.get(why, -_SAID_SECONDS) >= _SAID_SECONDS:
            self._said[why] = now
            logger.warning("a token of the authorization server was refused: %s", why)


def _moment(value: Any) -> float | None:
    """A moment of a claim: a finite number (RFC 7519), which a truth value is not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        moment = float(value)
    except OverflowError:
        return None
    return moment if math.isfinite(moment) else None
