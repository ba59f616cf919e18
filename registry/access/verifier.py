"""From the header ``Authorization`` to a principal.

Three states of a server decide (docs/reference/serving.md §3.6): without a secret in the environment and without tokens in the home
everybody who reaches it is the owner; with the secret, who sends it is the owner; with tokens, who sends one is its principal.
Anything else is refused, with the challenge that RFC 6750 asks for.
"""

from __future__ import annotations

import hmac
import logging
import time
from collections.abc import Callable

from registry.access.principals import OWNER, Principal
from registry.access.tokens import TokenFile
from registry.errors import RegistryError

__all__ = ["Denied", "Verifier", "challenge", "insufficient", "revoked"]

SCHEME = "bearer"
REALM = "pif"

_LONGEST = 8_192
"""Characters of a header that are looked at."""

logger = logging.getLogger(__name__)


class Denied(Exception):
    """Nobody, or not somebody who may: an HTTP status, what is said, and the header ``WWW-Authenticate`` ("" for none)."""

    def __init__(self, status: int, said: str, authenticate: str = "") -> None:
        super().__init__(said)
        self.status = status
        self.said = said
        self.authenticate = authenticate


def challenge(**fields: str) -> str:
    """The value of ``WWW-Authenticate``: the scheme, the realm and further fields. Values are ours and hold no quotes."""
    return f'Bearer realm="{REALM}"' + "".join(f', {name}="{value}"' for name, value in fields.items())


def insufficient(scope: str) -> Denied:
    """The refusal of what needs a scope that the caller has not."""
    authenticate = challenge(
        error="insufficient_scope", error_description=f"this needs the scope {scope}", scope=scope
    )
    return Denied(403, f"this needs the scope `{scope}`, which your token has not", authenticate)


def revoked() -> Denied:
    """The refusal of a token that is not valid: one text for unknown, expired and revoked, so that whoever finds an old token
    learns nothing of it."""
    said = "unknown, expired or revoked"
    return Denied(
        401, f"the token is not valid: {said}", challenge(error="invalid_token", error_description=said)
    )


class Verifier:
    """Who may call one server. `secret` is that of the environment; `tokens` are those of the home, if it is served with them;
    `is_closed`: it is never open.

    Once a token has been seen the server stays closed as long as it lives: a file that is taken away opens nothing.
    """

    def __init__(
        self,
        secret: str = "",
        tokens: TokenFile | None = None,
        *,
        is_closed: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._secret = secret.encode()
        self._is_closed = is_closed or bool(secret)
        self._tokens = tokens
        self._clock = clock
        self._trouble = ""

    @property
    def is_open(self) -> bool:
        """Whether callers need nothing: there is no secret, and there are no tokens, not even revoked ones."""
        if not self._is_closed and self._tokens is not None:
            try:
                self._is_closed = len(self._tokens.read()) > 0
            except RegistryError:
                return False
        return not self._is_closed

    @property
    def has_callers(self) -> bool:
        """Whether there is anybody whom it would let in."""
        if self.is_open or self._secret:
            return True
        try:
            now = self._clock()
            return self._tokens is not None and any(each.is_valid(now) for each in self._tokens.read().all)
        except RegistryError:
            return False

    def principal(self, authorization: bytes) -> Principal:
        """Who sends this header; the owner where the server is open. Raises `Denied`."""
        if self.is_open:
            return OWNER
        scheme, _, given = authorization[:_LONGEST].partition(b" ")
        given = given.strip()
        if scheme.lower() != SCHEME.encode() or not given:
            said = (
                "this server needs a token, sent as `Authorization: Bearer …`: one that its owner has made with "
                "`pif token create`, or the secret of its PIF_HTTP_TOKEN"
            )
            raise Denied(401, said, challenge())
        if self._secret and hmac.compare_digest(given, self._secret):
            return OWNER
        if self._tokens is not None:
            try:
                token = self._tokens.read().find(given.decode("latin-1"))
            except RegistryError as error:
                raise self._unreadable(error) from None
            if token is not None and token.is_valid(self._clock()):
                return token.principal
        raise revoked()

    def still_valid(self, principal: Principal) -> bool:
        """Whether what let this principal in would let it in now, with the same scopes: asked of streams while they are open."""
        if not principal.credential:
            # By the secret of the environment, which does not change; or by there being no token yet.
            return bool(self._secret) or self.is_open
        if self._tokens is None:
            return False
        try:
            token = self._tokens.read().of_id(principal.credential)
        except RegistryError:
            return False
        return token is not None and token.is_valid(self._clock()) and token.principal == principal

    def _unreadable(self, error: RegistryError) -> Denied:
        if str(error) != self._trouble:
            self._trouble = str(error)
            logger.error("%s: %s (%s)", error.file, error.message, error.found)
        return Denied(503, "the tokens of this server cannot be read; its log says why")
