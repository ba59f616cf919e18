"""What is read into a type is read through `kleis.decoding`: msgspec alone crashes where two threads are the first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOME = ROOT / "kleis" / "decoding.py"


def uses(source: str) -> Iterator[str]:
    """Each call in which msgspec itself describes a type."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            typed = bool(node.args[1:]) or any(each.arg == "type" for each in node.keywords)
            if (
                name == "msgspec.convert"
                or (name in ("msgspec.json.decode", "msgspec.msgpack.decode") and typed)
                or (name in ("msgspec.json.Decoder", "msgspec.msgpack.Decoder") and (node.args or typed))
            ):
                yield ast.unparse(node)


def test_types_are_described_in_one_place() -> None:
    sources = [
        path for root in ("pif", "kleis", "registry") for path in (ROOT / root).rglob("*.py") if path != HOME
    ]
    assert len(sources) > 500
    found = {str(path.relative_to(ROOT)): list(uses(path.read_text(encoding="utf-8"))) for path in sources}
    assert {path: calls for path, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    ("call", "is_one"),
    [
        ("msgspec.json.decode(data)", False),
        ("msgspec.json.Decoder()", False),
        ("msgspec.json.decode(data, type=Pair)", True),
        ("msgspec.msgpack.decode(data, type=Pair)", True),
        ("msgspec.msgpack.Decoder(Pair)", True),
        ("msgspec.convert(data, Pair)", True),
    ],
)  # fmt: skip
def test_calls_are_told_apart(call: str, is_one: bool) -> None:
    assert bool(list(uses(call))) is is_one
