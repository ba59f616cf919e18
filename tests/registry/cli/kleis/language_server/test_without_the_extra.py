"""`kleis lsp` without pygls says what to install."""

from __future__ import annotations

import sys

import pytest

from registry.cli.kleis import main

_SERVER = "registry.cli.kleis.language_server"


def test_it_names_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] in ("pygls", "lsprotocol")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("server", "answers", "protocol_forms"):
        monkeypatch.delitem(sys.modules, f"{_SERVER}.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    assert main(["lsp"]) == 2
    assert "pip install 'pif-kleis[lsp]'" in capsys.readouterr().err
