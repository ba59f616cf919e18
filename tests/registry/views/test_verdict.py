"""The page of a verdict says what the verdict says."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.cli.kleis import main
from registry.views.verdict import verdict_view


def page(tmp_path: Path, *arguments: str) -> str:
    out = tmp_path / "out.html"
    assert main(["verify", "--fresh", "--html", str(out), *arguments]) in (0, 1)
    return out.read_text(encoding="utf-8")


def test_a_countermodel_is_a_square_with_its_parts(tmp_path: Path) -> None:
    theory = tmp_path / "magma.kleis"
    theory.write_text("structure Magma(M) { operation (⊙) : M × M → M }\n", encoding="utf-8")
    shown = page(tmp_path, "∀(x y : M). x ⊙ y = y ⊙ x", "--import", str(theory), "--using", "Magma(M)")
    assert "✗ disproved" in shown
    assert "⊙ : M × M → M" in shown
    assert "Evaluated, from the inside out" in shown


def test_numbers_that_refute_stand_beside_their_types(tmp_path: Path) -> None:
    shown = page(tmp_path, "∀(x : ℤ). x * x > x")
    assert "✗ disproved" in shown
    assert ">ℤ</td>" in shown


def test_what_is_proved_names_its_engine(tmp_path: Path) -> None:
    shown = page(tmp_path, "∀(x : ℤ). x + 0 = x")
    assert "✓ verified" in shown
    assert "Decided by" in shown


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "1 = 1", "--html", str(tmp_path / "none" / "out.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_unknown_lists_what_was_tried() -> None:
    view = verdict_view({"status": "unknown", "claim": "P", "tried": ["models up to 5"], "hint": "more time"})
    assert "? unknown" in view.body
    assert "models up to 5" in view.body
    assert "more time" in view.body
