"""The package: its public names exist, and importing them loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pif


def _loaded(statement: str) -> set[str]:
    """The modules that a statement loads in a new process."""
    program = f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_every_public_name_is_there() -> None:
    assert all(callable(getattr(pif, name)) for name in pif.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = pif.nothing_like_it


def test_importing_the_function_loads_nothing_but_its_folder() -> None:
    package = _loaded("import pif")
    assert {name for name in package if name.startswith("pif")} == {"pif"}
    assert _loaded("from pif import run") - package == {"pif.run"}


def test_a_run_loads_neither_of_the_other_packages() -> None:
    loaded = _loaded("from pif import run; run({'add': [1, 2]})")
    assert {name.partition(".")[0] for name in loaded} & {
        "kleis",
        "registry",
        "z3",
        "mcp",
        "sqlite3",
    } == set()


@pytest.mark.parametrize(
    "program",
    [
        "from pif import run; print(run({'add': [1, 2]})['value'])",
        "import pif; print(pif.run({'add': [1, 2]})['value'])",
        "import pif.run.evaluate; from pif import run; print(run({'add': [1, 2]})['value'])",
        "import pif; pif.run(1); print(pif.run({'add': [1, 2]})['value'])",
        "import pif.run.evaluate as evaluate, pif; print(pif.run({'add': [1, 2]})['value'])",
    ],
)
def test_the_function_and_its_folder_share_a_name(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "3\n"
