"""The key of a home, signatures over bytes, and whom a home trusts (docs/reference/registry.md §3.1).

Below `sharing` in the home: `key` holds the secret half as 64 hexadecimal digits, readable by its owner alone; `trust.json` the
public keys that the owner trusts, and those that are revoked. A key is written `ed25519:` and 64 hexadecimal digits.

Invariant: a revoked key stays revoked. Trusting it again is refused, and a list of revocations only adds.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

import msgspec

from kleis.decoding import decode_json
from registry.access.access_file import AccessFile
from registry.errors import RegistryError

__all__ = ["FOLDER", "KeyFile", "Trust", "TrustFile", "check_key", "check_signature"]

FOLDER: Final = "sharing"
"""Below the home."""

_PREFIX: Final = "ed25519:"
_KEY: Final = re.compile(r"ed25519:[0-9a-f]{64}")
_SECRET: Final = re.compile(rb"[0-9a-f]{64}")
_SIGNATURE: Final = re.compile(r"[0-9a-f]{128}")
_LABEL: Final = re.compile(r"[A-Za-z0-9_.-]{1,48}")
_MOST: Final = 10_000


def check_key(key: str) -> str:
    """`key` itself; raises `invalid_argument` where it is not spelled as a key."""
    if _KEY.fullmatch(key) is None:
        raise RegistryError(
            "invalid_argument", "that is no key of a publisher", place="key", found=ascii(key[:80]),
            expected="ed25519: and 64 hexadecimal digits, in lower case", hint="`pif key show` prints it at the publisher's",
        )  # fmt: skip
    return key


def check_signature(key: str, signature: str, content: bytes) -> bool:
    """Whether that is the signature of those bytes by that key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if _SIGNATURE.fullmatch(signature) is None or _KEY.fullmatch(key) is None:
        return False
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.removeprefix(_PREFIX)))
        public.verify(bytes.fromhex(signature), content)
    except (InvalidSignature, ValueError):
        return False
    return True


class KeyFile:
    """The key of a home."""

    def __init__(self, home: Path) -> None:
        self.path = home / FOLDER / "key"

    def create(self) -> str:
        """Make a key; its public half. Raises `invalid_argument` where there is one: what it signed would have no publisher."""
        from kleis.durable_files import write_whole

        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self.path, os.urandom(32).hex().encode(), replace=False)
        except FileExistsError:
            raise RegistryError(
                "invalid_argument", "this home has a key already", file=str(self.path),
                hint="`pif key show` prints its public half; move the file away to begin as another publisher",
            ) from None  # fmt: skip
        except OSError as error:
            raise self._error(error.strerror or str(error)) from error
        return self.public()

    def public(self) -> str:
        """The public half. Raises as `sign`."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        private = Ed25519PrivateKey.from_private_bytes(self._secret())
        return _PREFIX + private.public_key().public_bytes_raw().hex()

    def sign(self, content: bytes) -> str:
        """The signature of those bytes. Raises `invalid_argument` where there is no key, `store_error` where it cannot be read."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self._secret()).sign(content).hex()

    def _secret(self) -> bytes:
        try:
            text = self.path.read_bytes()[:65].strip()
        except (FileNotFoundError, NotADirectoryError):
            raise RegistryError(
                "invalid_argument", "this home has no key to sign with", file=str(self.path),
                expected="a key", hint="`pif key create` makes one",
            ) from None  # fmt: skip
        except OSError as error:
            raise self._error(error.strerror or str(error)) from error
        if _SECRET.fullmatch(text) is None:
            raise self._error("not 64 hexadecimal digits")
        return bytes.fromhex(text.decode())

    def _error(self, why: str) -> RegistryError:
        return RegistryError(
            "store_error", "the key of this home cannot be read or written", file=str(self.path), found=why,
            hint="Restore the file, or move it away and make another key.",
        )  # fmt: skip


class Trust(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Trusted keys with what the owner calls them, and revoked keys."""

    trusted: dict[str, str] = {}
    revoked: tuple[str, ...] = ()
    format: int = 1


class TrustFile:
    """Whom a home trusts, on disk. Reading it makes nothing."""

    def __init__(self, home: Path) -> None:
        self._file = AccessFile(
            home / FOLDER / "trust.json", "the trusted keys", _decoded, Trust(),
            unreadable="the trusted keys of this home cannot be read",
            restore="Nobody is trusted until they can. Restore the file, or move it away and trust anew.",
        )  # fmt: skip

    def read(self) -> Trust:
        """The keys as they are now."""
        return self._file.read()

    def add(self, key: str, label: str) -> Trust:
        """Trust a key under a label. Raises `not_allowed` for one that is revoked."""
        check_key(key)
        if _LABEL.fullmatch(label) is None:
            raise RegistryError(
                "invalid_argument", "that is no name for a publisher", place="as", found=ascii(label[:60]),
                expected="1 to 48 letters, digits, '_', '.' or '-'", hint="for example --as ops",
            )  # fmt: skip
        with self._file.changing() as replace:
            trust = self.read()
            if key in trust.revoked:
                raise RegistryError(
                    "not_allowed", "that key is revoked, and is never trusted again", place="key", found=key,
                    hint="ask the publisher for its new key",
                )  # fmt: skip
            other = next(
                (each for each, name in trust.trusted.items() if name == label and each != key), None
            )
            if other is not None:
                raise RegistryError(
                    "invalid_argument", f"another key is called {label!r} here", place="as", found=other,
                    hint="choose another name with --as, or remove the other first",
                )  # fmt: skip
            if len(trust.trusted) >= _MOST:
                raise RegistryError("invalid_argument", f"a home trusts {_MOST:,} keys at most", place="key")
            replace(msgspec.structs.replace(trust, trusted={**trust.trusted, key: label}))
        return self.read()

    def remove(self, which: str) -> str:
        """Stop trusting a key, by itself or by its label; the key."""
        with self._file.changing() as replace:
            trust = self.read()
            key = _chosen(trust, which)
            replace(
                msgspec.structs.replace(
                    trust, trusted={each: name for each, name in trust.trusted.items() if each != key}
                )
            )
        return key

    def revoke(self, keys: tuple[str, ...]) -> Trust:
        """Never trust these keys again."""
        with self._file.changing() as replace:
            trust = self.read()
            gone = {*trust.revoked, *map(check_key, keys)}
            kept = {each: name for each, name in trust.trusted.items() if each not in gone}
            replace(msgspec.structs.replace(trust, trusted=kept, revoked=tuple(sorted(gone))))
        return self.read()


def _chosen(trust: Trust, which: str) -> str:
    found = next((key for key, name in trust.trusted.items() if which in (key, name)), None)
    if found is None:
        raise RegistryError(
            "invalid_argument", "no trusted key is that or is called that", place="key", found=ascii(which[:80]),
            expected=", ".join(sorted(trust.trusted.values())[:8]) or "a trusted key: there is none",
            hint="`pif trust list` shows them",
        )  # fmt: skip
    return found


def _decoded(content: bytes) -> Trust:
    trust = decode_json(content, Trust)
    if trust.format != 1:
        raise ValueError(f"format {trust.format}; this program reads 1")
    if any(_KEY.fullmatch(key) is None for key in (*trust.trusted, *trust.revoked)):
        raise ValueError("a key that is not spelled as one")
    return Trust({k: n for k, n in trust.trusted.items() if k not in trust.revoked}, trust.revoked)
