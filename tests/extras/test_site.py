"""The documentation site is built without a warning, and its pages are there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the extra docs is not installed")

from tests.guide.site.__main__ import build
from tests.guide.site.generated import PAGES
from tests.guide.site.staging import pages


def test_the_site_is_built_with_warnings_as_errors(tmp_path: Path) -> None:
    assert build(tmp_path / "site") == 0
    for name in (*pages().values(), *PAGES):
        assert (tmp_path / "site" / f"{name}.html").is_file(), name
    first = (tmp_path / "site" / "index.html").read_text()
    assert "tutorials/group.html" in first
    assert "reference/generated/mcp-tools.html" in first
