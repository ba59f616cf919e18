"""The key that signs checkpoints: ed25519, in a file that its owner alone may read."""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from kleis.durable_files import write_whole
from kleis.errors import KleisError

__all__ = ["PUBLIC", "open_key", "public_text", "public_text_of", "read_public", "signed", "verifies"]

PUBLIC = "gateway-key.pub"
_PRIVATE = "gateway-key"
_PREFIX = "pif-gateway-ed25519:"


def open_key(folder: Path) -> Ed25519PrivateKey:
    """The key of a folder, made where there is none; its public half stands beside it. Raises OSError, `KleisError`."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / _PRIVATE
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        made = Ed25519PrivateKey.generate()
        raw = made.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        try:
            write_whole(path, raw, replace=False)
        except FileExistsError:  # another gateway was first
            raw = path.read_bytes()
    if len(raw) != 32:
        raise KleisError(
            f"{path} is no key",
            code="bad-key",
            hint="move it away: a new one is made, and old logs need the old",
        )
    key = Ed25519PrivateKey.from_private_bytes(raw)
    public = folder / PUBLIC
    if not os.path.lexists(public):
        write_whole(public, (public_text(key) + "\n").encode(), mode=0o644)
    return key


def public_text(key: Ed25519PrivateKey) -> str:
    """The public half, as it stands in files and lines."""
    return public_text_of(key.public_key())


def public_text_of(key: Ed25519PublicKey) -> str:
    """The same of the public half itself."""
    return _PREFIX + key.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def read_public(text: str) -> Ed25519PublicKey:
    """The public half of a text. Raises `KleisError`."""
    written = text.strip()
    try:
        return Ed25519PublicKey.from_public_bytes(bytes.fromhex(written.removeprefix(_PREFIX)))
    except ValueError:
        raise KleisError(
            f"{written[:40]!r} is no public key", code="bad-key", hint=f"one begins with {_PREFIX}"
        ) from None


def signed(key: Ed25519PrivateKey, text: bytes) -> str:
    """The signature of a text."""
    return key.sign(text).hex()


def verifies(key: Ed25519PublicKey, signature: str, text: bytes) -> bool:
    """Whether a signature is this key's, of this text."""
    try:
        key.verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError):
        return False
    return True
