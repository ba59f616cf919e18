"""The wheel holds all that its extras need: built, installed in an environment of its own, and put to work from another directory.

The libraries are those of this environment, so that nothing but the wheel is installed.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.support.theories.numerics import needs_numeric

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import "stdlib/prelude.kleis"
import "stdlib/templates/arxiv_paper.kleis"
example "numbers" { assert(eigenvalues([[2, 0], [0, 3]]) = [2, 3]) }
example "picture" { diagram(plot([1, 2, 3], [1, 4, 9])) }
example "proof" { assert(∀(x : ℝ). x^2 ≥ 0) }
example "text" { out(typst_raw("= Title")) }
"""


def run(*command: str | Path, where: Path) -> str:
    """What a command prints; it has to succeed."""
    done = subprocess.run(
        [str(each) for each in command], cwd=where, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The directory of commands of an environment that has the wheel."""
    building = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), str(ROOT)]
    built = subprocess.run(building, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False)
    if "No matching distribution found for hatchling" in built.stderr:
        pytest.skip("no package index to get the build's tools from")
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("*.whl")
    home = tmp_path / "fresh"
    venv.create(home, with_pip=False)
    commands = home / "bin"
    run(
        sys.executable,
        "-m",
        "pip",
        "--python",
        commands / "python",
        "install",
        "-q",
        "--no-deps",
        wheel,
        where=tmp_path,
    )
    (own,) = home.glob("lib/*/site-packages")
    packages = [each for each in sys.path if Path(each).name == "site-packages"]
    (own / "libraries.pth").write_text("\n".join(packages))
    return commands


@needs_numeric
def test_the_wheel_computes_draws_proves_and_compiles(installed: Path, tmp_path: Path) -> None:
    where = run(installed / "python", "-c", "import kleis; print(kleis.__file__)", where=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    (work / "small.kleis").write_text(PROGRAM)
    tested = run(installed / "kleis", "test", "small.kleis", "--plots", "plots", where=work)
    assert "passed small.kleis: numbers (to 1e-9)" in tested
    assert "passed small.kleis: proof" in tested
    assert {each.suffix for each in (work / "plots").iterdir()} == {".svg", ".png"}
    run(installed / "kleis", "document", "small.kleis", "-o", "paper.pdf", where=work)
    assert (work / "paper.pdf").read_bytes().startswith(b"%PDF-")
