"""Saved theories that were pulled, as sessions show them."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.errors import RegistryError
from registry.sharing.ledger import LedgerFile, Provenance
from registry.sharing.manifest import object_hash
from registry.sharing.theories import TheoryRow, imported_names, in_order, origins, text_object
from tests.support.servers.theory_client import theory_client

TEXT = "define twice(n : ℤ) : ℤ = n + n\n"
ROW = Provenance(
    "ops/twice", "ed25519:0", "out", 1, "2026-01-01T00:00:00Z", object_hash(text_object(TEXT)), ""
)


def test_a_session_says_where_what_it_imports_came_from(tmp_path: Path) -> None:
    home = tmp_path / "home"
    saved = home / "theories"
    saved.mkdir(parents=True)
    (saved / "twice.kleis").write_text(TEXT)
    (saved / "user.kleis").write_text('import "twice"\n')
    LedgerFile(home).took_theories({"twice": ROW})
    with theory_client(home) as client:
        loaded = client.ask("load_theory", session="s", imports=["user"])
        assert [(each["name"], each["origin"], each["from"]) for each in loaded["pulled"]] == [
            ("twice", "ops/twice", "out")
        ]
        (saved / "twice.kleis").write_text("define twice(n : ℤ) : ℤ = n\n")
        assert "pulled" not in client.ask("load_theory", session="s", imports=["user"])
        (home / "sharing" / "ledger.json").write_text("{")
        loaded = client.ask("load_theory", session="s", imports=["user"])
        assert "pulled" not in loaded
        assert [each["code"] for each in loaded["warnings"]] == ["origin-unknown"]
        assert client.ask("list_session", session="s")["imports"] == ["user.kleis"]
        assert "warnings" not in client.ask("save_theory", session="s", name="plain")
        assert client.ask("save_theory", session="s", name="Types")["warnings"][0]["code"] == "library-name"


def test_what_a_text_imports() -> None:
    assert imported_names(["b.kleis", "a", "stdlib/types.kleis", "b"]) == ["a", "b"]
    with pytest.raises(RegistryError, match="beside it only"):
        imported_names(["stdlib/../x"])


def test_what_is_imported_comes_first() -> None:
    rows = {"a": TheoryRow("", ("b", "c")), "b": TheoryRow("", ("c",)), "c": TheoryRow("")}
    assert in_order(["a"], rows) == ["c", "b", "a"]


def test_an_origin_counts_for_the_text_that_came_only(tmp_path: Path) -> None:
    saved = tmp_path / "theories"
    saved.mkdir()
    LedgerFile(tmp_path).took_theories({"twice": ROW})
    assert origins(saved, tmp_path, ["twice"]) == []
    (saved / "twice.kleis").write_text(TEXT)
    assert [each["key"] for each in origins(saved, tmp_path, ["twice", "other"])] == ["ed25519:0"]
    (saved / "twice.kleis").write_bytes(b"\xff")
    assert origins(saved, tmp_path, ["twice"]) == []
