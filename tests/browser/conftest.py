"""One browser for all tests of this folder; a page for each, which reports every fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.chromium import launched, watched


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with launched() as found:
        yield found


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    with watched(browser) as opened:
        yield opened
