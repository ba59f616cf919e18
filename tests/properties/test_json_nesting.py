"""`check_nesting` accepts exactly what nests within the limit, whatever the strings hold."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pif.language import json_text
from pif.language.json_text import TooDeep, check_nesting, outside_strings

TEXT = st.text(alphabet='[]{}"\\/,:ab\né', max_size=8)
DATA = st.recursive(
    st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=30,
)


def depth(data: object) -> int:
    match data:
        case list():
            return 1 + max(map(depth, data), default=0)
        case dict():
            return 1 + max(map(depth, data.values()), default=0)
        case _:
            return 0


def accepts(text: bytes, limit: int) -> bool:
    try:
        check_nesting(text, limit)
    except TooDeep:
        return False
    return True


@given(DATA, st.booleans(), st.integers(0, 12))
def test_exact(data: object, is_ascii: bool, limit: int) -> None:
    text = json.dumps(data, ensure_ascii=is_ascii).encode()
    assert accepts(text, limit) == (depth(data) <= limit)


@pytest.mark.parametrize("levels", [1, 31, 32, 33, 34, 500, 1_000])
@pytest.mark.parametrize("shape", ["[%s]", '{"]": %s}', "[[],%s,{}]", '[%s,"[["]'])
def test_at_the_limit(levels: int, shape: str) -> None:
    text = "1"
    for _ in range(levels):
        text = shape.replace("%s", text)
    real = levels + ("[]" in shape)
    assert accepts(text.encode(), real)
    assert not accepts(text.encode(), real - 1)


@given(st.lists(st.sampled_from(["[", "]", '"', "\\\\", '\\"', "a", '""', '"\\\\"', '"[\\"["']), max_size=30))
def test_a_torn_text_is_never_taken_for_shallower_than_a_decoder_goes(parts: list[str]) -> None:
    """A decoder goes as deep as the brackets outside strings open before the first one that closes too much."""
    text = "".join(parts)
    outside = re.sub(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)', "", text).partition("\\")[0]
    level = deepest = 0
    for character in outside:
        level += 1 if character == "[" else -1 if character == "]" else 0
        if level < 0:
            break
        deepest = max(deepest, level)
    assert not accepts(text.encode(), deepest - 1) or deepest == 0


@given(
    st.lists(st.sampled_from(["[1]", "{", ",", '"a\\"["', '"\\\\"', '"]"', '""', '"é'])), st.integers(1, 9)
)
def test_the_size_of_chunks_changes_nothing(parts: list[str], size: int) -> None:
    text = "".join(parts).encode()
    whole = outside_strings(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_text, "_CHUNK", size)
        assert outside_strings(text) == whole
