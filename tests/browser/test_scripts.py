"""The modules of the script: they parse, their types agree, and what they define has one name each when they are joined."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import registry.views.page
from registry.views.page.document import _MODULES, script
from tests.browser.installation import NotInstalled, node_packages

SCRIPTS = Path(registry.views.page.__file__).with_name("scripts")
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="node is not installed")
@pytest.mark.parametrize("place", _MODULES)
def test_a_joined_script_parses(place: str) -> None:
    assert NODE is not None
    checked = subprocess.run(
        [NODE, "--check", "--input-type=module", "-"], input=script(place), capture_output=True, text=True, check=False,  # type: ignore[arg-type]
    )  # fmt: skip
    assert checked.returncode == 0, checked.stderr


def test_the_types_of_the_modules_agree() -> None:
    try:
        modules = node_packages()
    except NotInstalled as error:
        pytest.skip(str(error))
    files = [str(each) for each in sorted(SCRIPTS.glob("*.js"))]
    wanted = [
        *("--allowJs", "--checkJs", "--noEmit", "--strict", "--noImplicitAny", "false", "--target", "es2023"),
        *("--lib", "es2023,dom,dom.iterable", "--module", "esnext", "--moduleResolution", "bundler"),
    ]
    compiler = str(modules / "typescript" / "bin" / "tsc")
    checked = subprocess.run([str(NODE), compiler, *wanted, *files], capture_output=True, text=True, check=False)  # fmt: skip
    assert checked.stdout == ""
    assert checked.returncode == 0


@pytest.mark.parametrize("place", _MODULES)
def test_joined_modules_share_no_name(place: str) -> None:
    joined = script(place)  # type: ignore[arg-type]
    assert not re.search(r"^(import|export) ", joined, re.MULTILINE)
    found = re.findall(r"^(?:async )?(?:function|const|let|class) (\w+)", joined, re.MULTILINE)
    assert [name for name, count in Counter(found).items() if count > 1] == []
