"""A file is a certificate only if it is written the one way.

See docs/reference/certificates.md §2.1.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from kleis.prover.checker.format import (
    Ask,
    Case,
    Certificate,
    CertificateError,
    Induction,
    Instance,
    Lemma,
    Step,
    Tables,
)
from kleis.prover.checker.strict_reading import from_json, to_json

CERTIFICATE = Certificate(
    status="verified",
    theory="define twice(n : ℤ) : ℤ = n + n\n",
    goal="0" * 64,
    claim='∀(n : ℤ). twice(n) = 2 * n ∧ "é" = "é"',
    lemmas=(Lemma("1 = 1", (Step(Ask()),)),),
    steps=(
        Step(Ask(("lemma 1",), (Instance("lemma 1", (["number", "-2", "ℤ"],)),)), shows=["true"]),
        Step(Induction("n", (Case("low", Ask()), Case("step", Ask(("step 1",)))), start=-3, by=1)),
    ),
    model=Tables(carriers=(("G", 2),), tables=(("e : G", (0,)), ("p : G → Bool", (True, False)))),
)
FILE = to_json(CERTIFICATE)


def test_it_is_read_as_it_was_written() -> None:
    assert from_json(FILE) == CERTIFICATE
    assert to_json(from_json(FILE)) == FILE
    assert FILE.startswith(b'{"version":2,"status":"verified"')
    assert FILE.endswith(b"}\n")


SPELLINGS: dict[str, Callable[[bytes], bytes]] = {
    "blanks": lambda data: data.replace(b'"status":', b'"status": '),
    "no line feed": lambda data: data.rstrip(),
    "two line feeds": lambda data: data + b"\n",
    "trailing data": lambda data: data + b"{}",
    "a duplicate field": lambda data: data.replace(b'"status"', b'"status":"disproved","status"'),
    "a duplicate field of a part": lambda data: data.replace(b'"on":', b'"on":"m","on":'),
    "another order": lambda data: data.replace(
        b'"version":2,"status":"verified"', b'"status":"verified","version":2'
    ),
    "an unknown field": lambda data: data.replace(b'"status"', b'"second":[],"status"'),
    "an unknown field of a part": lambda data: data.replace(b'"on":', b'"by_solver":"z3","on":'),
    "a default that is written": lambda data: data.replace(b'"by":1', b'"by":1,"deep":false'),
    "a number as a float": lambda data: data.replace(b'"by":1', b'"by":1.0'),
    "a number with an exponent": lambda data: data.replace(b'"by":1', b'"by":1e0'),
    "a number with a sign": lambda data: data.replace(b'"start":-3', b'"start":-03'),
    "an escape": lambda data: data.replace("é".encode(), b"\\u00e9"),
    "an escaped slash": lambda data: data.replace(b"low", b"l\\u006fw"),
    "a truth value for a number": lambda data: data.replace(b'"by":1', b'"by":true'),
    "a byte order mark": lambda data: b"\xef\xbb\xbf" + data,
    "a comment": lambda data: data.replace(b"{", b"{/**/", 1),
    "null": lambda data: data.replace(b'"shows":["true"]', b'"shows":null'),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_other_spelling_is_refused(spelling: str) -> None:
    changed = SPELLINGS[spelling](FILE)
    assert changed != FILE
    with pytest.raises(CertificateError) as refused:
        from_json(changed, file="it.json")
    assert refused.value.code == "certificate-unreadable"
    assert refused.value.file == "it.json"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"[]",
        b"null",
        b"\xff",
        b'{"version":2}',
        b'{"version":2,"status":"verified","theory":1,"goal":""}\n',
        b'{"version":2,"status":"proved","theory":"","goal":""}\n',
        b"[" * 10_000_000,
        b'{"version":2,"status":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        b'{"a":"' + b"\\" * 100_001,
        b" " * (9 * 1024 * 1024),
    ],
    ids=range(12),
)
def test_what_is_none_is_refused(data: bytes) -> None:
    with pytest.raises(CertificateError) as refused:
        from_json(data)
    assert refused.value.code == "certificate-unreadable"


@pytest.mark.parametrize("version", [1, 3, 0, -1])
def test_another_format_is_refused_by_name(version: int) -> None:
    fields = {**json.loads(FILE), "version": version}
    with pytest.raises(CertificateError) as refused:
        from_json(json.dumps(fields).encode())
    assert refused.value.code == "certificate-version"
    assert str(version) in refused.value.message
    assert "renew" in refused.value.hint


def test_a_file_without_a_version_is_of_format_1() -> None:
    with pytest.raises(CertificateError) as refused:
        from_json(b'{"status":"verified"}')
    assert refused.value.code == "certificate-version"


def test_brackets_in_texts_do_not_nest() -> None:
    deep = Certificate(status="verified", theory="[{" * 10_000 + '\\"[', goal="", claim="[" * 1000)
    assert from_json(to_json(deep)) == deep
