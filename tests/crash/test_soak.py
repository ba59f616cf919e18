"""The soak of `make soak`, cut to three rounds; and that it can fail."""

from __future__ import annotations

import pytest

from tests.programs import soak


def test_three_rounds_lose_nothing_and_leak_nothing() -> None:
    found = soak.soak(0.0, seed=19)
    assert found["rounds"] == 3
    assert found["acknowledged"] > 10
    assert found["lost"] == 0
    assert found["prove"] > 0


@pytest.mark.parametrize(
    ("last", "complaint"),
    [((300, 20, 2), "grew"), ((100, 60, 2), "descriptors"), ((100, 20, 40), "processes")],
)
def test_a_leak_is_told(last: tuple[int, int, int], complaint: str) -> None:
    with pytest.raises(soak.Broken, match=complaint):
        soak.bounded([(100, 20, 2)] * 5 + [last])
    soak.bounded([(100, 20, 2)] * 6)
