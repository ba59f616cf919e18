"""Drawings as files: the form is what the name says, and a PNG shows what the SVG does."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import pytest

from registry.cli.kleis import main as kleis
from registry.cli.pif import main as pif
from registry.cli.terminal.pictures import FORMS, form_of, png, written
from registry.diagrams import Drawing, Edge, Node

DRAWING = Drawing((Node("a", "first"), Node("b", "<b>&\x00")), (Edge("a", "b", "uses"),), "two")
BEGINNINGS = {"svg": b"<svg", "png": b"\x89PNG", "mermaid": b"---\ntitle", "dot": b"digraph {", "html": b"<!DOCTYPE html>"}  # fmt: skip
HAS_PNG = importlib.util.find_spec("resvg_py") is not None
needs_png = pytest.mark.skipif(not HAS_PNG, reason="the extra pictures is not installed")


@pytest.mark.parametrize("form", [each for each in FORMS if each != "png"])
def test_each_form_begins_as_it_should(form: str) -> None:
    assert written(DRAWING, form).startswith(BEGINNINGS[form])


@needs_png
def test_a_png_has_twice_the_pixels_of_the_drawing_and_is_bounded() -> None:
    width, height = struct.unpack(">II", png(DRAWING)[16:24])
    picture = written(DRAWING, "svg").decode()
    assert (width, height) == tuple(2 * int(picture.partition(f' {each}="')[2].partition('"')[0]) for each in ("width", "height"))  # fmt: skip
    many = Drawing(tuple(Node(str(number), "x" * 50) for number in range(600)))
    assert max(struct.unpack(">II", png(many)[16:24])) <= 12_000


@pytest.mark.skipif(HAS_PNG, reason="the extra pictures is installed")
def test_without_the_extra_the_error_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    assert pif(["graph", "--home", str(tmp_path / "home"), "--image", str(tmp_path / "a.png")]) == 1
    assert "pif-kleis[pictures]" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "form"), [("a.SVG", "svg"), ("a.mmd", "mermaid"), ("a.gv", "dot"), ("a", None)])  # fmt: skip
def test_the_name_says_the_form(name: str, form: str | None) -> None:
    assert form_of(Path(name)) == form


@pytest.mark.parametrize("suffix", [".svg", ".html", ".dot", ".mmd", pytest.param(".png", marks=needs_png)])
def test_both_commands_write_each_form(tmp_path: Path, suffix: str) -> None:
    theory = tmp_path / "magma.kleis"
    theory.write_text("structure Magma(M) { operation (⊙) : M × M → M }\n", encoding="utf-8")
    of_theory, of_tools = tmp_path / f"theory{suffix}", tmp_path / f"tools{suffix}"
    assert kleis(["graph", str(theory), "--output", str(of_theory)]) == 0
    assert pif(["graph", "std.gcd", "--home", str(tmp_path / "home"), "--image", str(of_tools)]) == 0
    form = form_of(of_theory)
    assert form is not None
    for each in (of_theory, of_tools):
        assert each.read_bytes().startswith((BEGINNINGS[form][:3], b"flowchart"))


def test_a_png_is_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    theory = tmp_path / "magma.kleis"
    theory.write_text("data D = A\n", encoding="utf-8")
    assert kleis(["graph", str(theory), "--png"]) == 2
    assert "--output FILE.png" in capsys.readouterr().err
