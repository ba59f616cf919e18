"""Certificates as files: canonical bytes, and strict reading.

See docs/reference/certificates.md §2.1.  A file is a certificate only if it is what `to_json` writes of what it says, byte
for byte.  That refuses unknown, duplicate and reordered fields, other spellings of numbers and texts, blanks and trailing
data by one rule.
"""

from __future__ import annotations

import msgspec

from kleis.decoding import decode_json
from kleis.prover.checker.format import VERSION, Certificate, CertificateError

__all__ = ["from_json", "to_json"]

_LARGEST = 8 * 1024 * 1024
"""Bytes of the largest file that is read."""

_DEEPEST = 200
"""Nesting of brackets in a file."""


class _Versioned(msgspec.Struct):
    version: int = 1


def to_json(certificate: Certificate) -> bytes:
    """The canonical bytes of a certificate."""
    fields = {"version": VERSION, **msgspec.to_builtins(certificate)}
    return msgspec.json.encode(fields) + b"\n"


def from_json(data: bytes, *, file: str = "<text>") -> Certificate:
    """The certificate in a file; `CertificateError` if it is none, of another version, or not canonical."""
    if len(data) > _LARGEST:
        raise _unreadable(f"it has {len(data)} bytes, and at most {_LARGEST} are read", file)
    if _nests_deeper(data, _DEEPEST):
        raise _unreadable(f"its brackets nest deeper than {_DEEPEST}", file)
    try:
        version = decode_json(data, _Versioned).version
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unreadable(str(error), file) from None
    if version != VERSION:
        raise CertificateError(
            f"this is a certificate of format {version}; this checker reads format {VERSION}",
            code="certificate-version",
            file=file,
            hint="ask for the verdict again: `kleis verify … --certificate FILE`, or `pif certificate renew`",
        )
    try:
        certificate = decode_json(data, Certificate)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unreadable(str(error), file) from None
    if to_json(certificate) != data:
        raise _unreadable("it is not written the one way that certificates are written", file)
    return certificate


def _unreadable(why: str, file: str) -> CertificateError:
    return CertificateError(f"this is no certificate: {why}", code="certificate-unreadable", file=file)


def _nests_deeper(data: bytes, limit: int) -> bool:
    """Whether brackets outside of strings nest deeper than a limit: decoders recurse on C's stack."""
    depth = 0
    quoted = escaped = False
    for byte in data:
        if quoted:
            quoted = escaped or byte != 0x22
            escaped = not escaped and byte == 0x5C
        elif byte == 0x22:
            quoted = True
        elif byte in b"[{":
            depth += 1
            if depth > limit:
                return True
        elif byte in b"]}":
            depth -= 1
    return False
