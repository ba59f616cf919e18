"""What a terminal shows while laws are proved."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from registry.cli.terminal import proof_time
from registry.cli.terminal.proof_time import proving


class Line:
    """A line that is looked at by the test."""

    shown: Callable[[], str]

    def __init__(self, text: Callable[[], str]) -> None:
        Line.shown = staticmethod(text)

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        Line.shown = staticmethod(lambda: "gone")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof_time, "LiveLine", Line)
    monkeypatch.setattr(proof_time, "is_terminal", lambda stream: True)


@pytest.mark.usefixtures("terminal")
def test_the_line_says_which_law_is_decided() -> None:
    with proving(None, "safe(square)") as deadline:
        assert deadline is not None
        assert deadline.seconds == math.inf
        assert not deadline.over
        assert Line.shown().endswith(" s  safe(square)")
        deadline.report(2, 6, "square(x) ≥ 0")
        assert Line.shown().endswith(" s  law 2 of 3: square(x) ≥ 0")
        deadline.report(0, 2, "the only one")
        assert Line.shown().endswith(" s  the only one")
    assert Line.shown() == "gone"


def test_without_terminal_and_limit_there_is_no_deadline() -> None:
    with proving(None) as none, proving(0.0) as some:
        assert none is None
        assert some is not None
        assert some.over
