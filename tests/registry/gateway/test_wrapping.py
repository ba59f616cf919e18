"""A client's file is wrapped, and put back to the byte."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest

from kleis.errors import KleisError
from registry.gateway.config import read_config_file
from registry.gateway.wrapping import kept_beside, unwrap, wrap

TEXT = b'{\n\t"theme": "d\\u0061rk",  "mcpServers": {"a": {"command": "x", "env": {"K": "${KEY_THAT_IS_NOT_SET}"}}}}\r\n\n'


def test_a_file_is_put_back_to_the_byte(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(TEXT)
    file.chmod(0o600)
    kept = wrap(file, "pif", ["--policy", "p.kleis"])
    found = json.loads(file.read_text())
    assert found["theme"] == "dark"
    assert found["mcpServers"] == {
        "gateway": {"command": "pif", "args": ["gateway", "--policy", "p.kleis", "--config", str(kept)]}
    }
    assert kept.read_bytes() == TEXT
    assert (file.stat().st_mode & 0o777, kept.stat().st_mode & 0o777) == (0o600, 0o600)
    unwrap(file)
    assert file.read_bytes() == TEXT
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"]


SERVERS = b'"mcpServers": {"a": {"command": "x"}}'


@pytest.mark.parametrize(
    "text",
    [
        codecs.BOM_UTF8 + b"{" + SERVERS + b"}",
        b"{\r\n  " + SERVERS + b"\r\n}\r\n",
        b"{" + SERVERS + b"}",
        '{"naïve": "\u202e😀\u2028", '.encode() + SERVERS + b"}\n\n",
        b'{"x": "\\ud83d\\ude00 \\u0000", "f": 1.10, ' + SERVERS + b"}",
    ],
)
def test_odd_files_are_put_back_to_the_byte(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(text)
    wrap(file, "pif", [])
    others = {**json.loads(text), "mcpServers": None}
    assert {**json.loads(file.read_bytes()), "mcpServers": None} == others
    assert list(read_config_file(file)) == ["gateway"]
    assert list(read_config_file(kept_beside(file))) == ["a"]
    unwrap(file)
    assert file.read_bytes() == text


@pytest.mark.parametrize(
    "text",
    [
        b"// mine\n{" + SERVERS + b"}",
        b"{" + SERVERS + b",}",
        b'{"x": 1, "x": 2, ' + SERVERS + b"}",
        b'{"x": "\\ud800", ' + SERVERS + b"}",
        b'{"x": "\xe9", ' + SERVERS + b"}",
        (b"{" + SERVERS + b"}").decode().encode("utf-16"),
    ],
)
def test_files_that_two_readers_take_differently_are_not_touched(tmp_path: Path, text: bytes) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(text)
    with pytest.raises(KleisError) as caught:
        wrap(file, "pif", [])
    assert caught.value.hint == ("JSON has no comments" if text.startswith(b"//") else "")
    assert file.read_bytes() == text
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"]


def test_what_cannot_be_wrapped_stays(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    for text in (
        b"{",
        b"{}",
        b'{"mcpServers": {}}',
        b'{"mcpServers": {"a": {"command": "x", "command": "y"}}}',
    ):
        file.write_bytes(text)
        with pytest.raises(KleisError):
            wrap(file, "pif", [])
        assert file.read_bytes() == text
    with pytest.raises(KleisError, match="cannot be read"):
        wrap(tmp_path / "nowhere", "pif", [])
    with pytest.raises(KleisError, match="is not wrapped"):
        unwrap(file)
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"]


def test_a_file_is_wrapped_once_and_a_changed_one_is_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_bytes(TEXT)
    wrap(file, "pif", [])
    wrapped = file.read_bytes()
    with pytest.raises(KleisError, match="is wrapped"):
        wrap(file, "pif", [])
    file.write_bytes(wrapped.replace(b"dark", b"light"))
    with pytest.raises(KleisError, match="was changed"):
        unwrap(file)
    assert b"light" in file.read_bytes()
    assert kept_beside(file).read_bytes() == TEXT
    unwrap(file, force=True)
    assert file.read_bytes() == TEXT
