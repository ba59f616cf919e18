"""The package: its public names exist, and importing it loads nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

import kleis


def test_every_public_name_is_there() -> None:
    for name in kleis.__all__:
        assert getattr(kleis, name).__name__ == name


def test_every_lazy_name_is_public() -> None:
    assert {name for names in kleis._HOMES.values() for name in names} == set(kleis.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = kleis.nothing_like_it


def test_importing_the_package_imports_no_phase() -> None:
    program = "import sys, kleis; print(sorted(m for m in sys.modules if m.startswith('kleis')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['kleis']"
