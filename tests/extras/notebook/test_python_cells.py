"""`%load_ext kleis` in IPython: the cell `%%kleis`, and the values of the Python functions as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("IPython", reason="the extra jupyter is not installed")

import kleis
import pif
import registry


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from IPython.core.interactiveshell import InteractiveShell

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIF_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        found = InteractiveShell.instance()
        found.run_line_magic("load_ext", "kleis")
        yield found
        found.run_line_magic("unload_ext", "kleis")
        InteractiveShell.clear_instance()


def shown(shell: Any, text: str) -> list[dict[str, str]]:
    from IPython.utils.capture import capture_output

    with capture_output() as captured:
        assert shell.run_cell(text).success
    return [each.data for each in captured.outputs]


def as_html(shell: Any, value: object) -> str | None:
    data, _ = shell.display_formatter.format(value)
    found = data.get("text/html")
    assert data["text/plain"]
    return None if found is None else str(found)


def test_a_cell_is_a_conversation(shell: Any) -> None:
    declared, value = shown(shell, "%%kleis\ndefine double(x : ℤ) : ℤ = x + x\ndouble(21)\n")
    assert "double" in declared["text/html"]
    assert value["text/plain"] == "42"
    (again,) = shown(shell, "%kleis double(2)")
    assert again["text/plain"] == "4"
    (wrong,) = shown(shell, "%%kleis\nnosuch(1)\n1 + 1")
    assert "unknown-name" in wrong["text/plain"]


def test_values_show_themselves(shell: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.kleis").write_text("structure Heap(H) { element top : H }\n")
    theory = kleis.Theory.load(tmp_path / "mine.kleis")
    with registry.open(tmp_path / "home") as tools:
        tools.evolve("double", "Doubles", {"mul": [{"var": "x"}, 2]})
        for value, said in [
            (kleis.verify("∀(x : ℝ). x ≥ x + 1"), "disproved"),
            (kleis.evaluate("1/3 + 1/6"), "1/2"),
            (theory, "Heap"),
            (theory.models("∃(x : ℤ). x > 3"), "Model"),
            (pif.Tool("twice", "def twice(x): return x + x", language="python"), "integer"),
            (pif.run({"add": [1, 2]}), "3"),
            (tools, "double"),
            (tools.list(), "double"),
        ]:
            html = as_html(shell, value)
            assert html is not None, value
            assert said in html


@pytest.mark.parametrize(
    "value", [{}, {"status": 3}, {"type": "value"}, {"status": "value"}, {"type": "models"}, [1], "text"]
)
def test_other_values_are_shown_as_ever(shell: Any, value: object) -> None:
    assert as_html(shell, value) is None


def test_hostile_answers_stay_text(shell: Any) -> None:
    html = as_html(shell, {"status": "value", "result": "<script>alert(1)</script>"})
    assert html is not None
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_it_is_loaded_once_and_taken_back(shell: Any) -> None:
    shell.run_line_magic("load_ext", "kleis")
    shell.run_line_magic("unload_ext", "kleis")
    assert as_html(shell, {"status": "value", "result": "1"}) is None
    assert "kleis" not in shell.magics_manager.magics["cell"]
    shell.run_line_magic("load_ext", "kleis")
    assert as_html(shell, {"status": "value", "result": "1"}) is not None
