"""What needs no Jupyter: the door of `%load_ext kleis`, the fragment, and that nothing else loads them."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from types import SimpleNamespace

import pytest

import kleis
from registry.notebook.fragment import fragment
from registry.notebook.python_cells import KleisCells
from registry.views.markup import element
from registry.views.page import View


class Shell:
    """What the extension uses of IPython."""

    def __init__(self) -> None:
        self.published: list[dict[str, str]] = []
        self.display_pub = SimpleNamespace(publish=self.published.append)
        self.printers: dict[type, object] = {}
        formatter = SimpleNamespace(for_type=self.printers.__setitem__, type_printers=self.printers)
        self.display_formatter = SimpleNamespace(formatters={"text/html": formatter})
        self.magics_manager = SimpleNamespace(magics={"line": {}, "cell": {}})

    def register_magic_function(self, function: object, *, magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "line_cell"
        for each in self.magics_manager.magics.values():
            each[magic_name] = function


def test_the_entry_point_is_the_extension() -> None:
    (found,) = entry_points(group="kleis_notebook")
    assert found.value == "registry.notebook.python_cells"
    module = found.load()
    assert callable(module.load)
    assert callable(module.unload)


def test_the_door_gives_and_takes_back(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("PIF_HOME", str(tmp_path))
    shell = Shell()
    kleis.load_ipython_extension(shell)
    cell = shell.magics_manager.magics["cell"]["kleis"]
    cell("", "define f(x : ℤ) : ℤ = x + 1\nf(2)")
    assert shell.published[1]["text/plain"] == "3"
    assert len(shell.printers) == 5
    kleis.unload_ipython_extension(shell)
    assert shell.printers == {}
    assert shell.magics_manager.magics == {"line": {}, "cell": {}}


def test_without_the_package_the_door_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.entry_points", lambda *, group: ())
    with pytest.raises(ImportError, match=r"install pif-kleis"):
        kleis.load_ipython_extension(Shell())


def test_a_cell_that_is_wrong_ends_there(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("PIF_HOME", str(tmp_path))
    shell = Shell()
    cells = KleisCells(shell)
    cells.cell("nosuch(3)")
    cells.cell("", "nosuch(3)\n1 + 1")
    cells.close()
    assert [each["text/plain"].split()[0] for each in shell.published] == ["ERROR", "ERROR"]


def test_the_style_of_a_fragment_holds_within_it() -> None:
    page = fragment(View("t", element("p", "<b>")))
    style = re.search(r"@scope \(\.kleis-view\) \{\n(.*)\}</style>", page, re.DOTALL)
    assert style is not None
    assert not re.search(r"(?<![\w-])(:root|body|main)\b", style[1])
    assert page.endswith("<p>&lt;b&gt;</p></div>")
    assert "<script" not in page


def test_importing_kleis_loads_no_view() -> None:
    code = (
        "import sys, kleis; kleis.load_ipython_extension\n"
        "assert not {each for each in sys.modules if each.startswith(('registry', 'IPython', 'kleis.'))}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
