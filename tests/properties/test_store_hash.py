"""`registry.records.content_hash` (of a text) and `pif.language.terms.identity` (of a term) are one rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pif.language.decode import decode_term
from pif.language.terms import identity, term_text
from registry.records import content_hash

LITERALS = st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"]))
TERMS = st.recursive(
    LITERALS,
    lambda part: (
        st.lists(part, max_size=3)
        | st.builds(lambda a, b: {"add": [a, b]}, part, part)
        | st.builds(lambda a: {"quote": a}, part)
        | st.builds(
            lambda fields: {"record": fields}, st.dictionaries(st.text("aé\U0001f600b"), part, max_size=3)
        )
    ),
    max_leaves=12,
)


# Hypothesis wants the recursion limit to itself; decoding raises it (pif.language.budget.reserve_stack).
@pytest.mark.filterwarnings("ignore:The recursion limit will not be reset")
@given(TERMS)
def test_the_hash_of_the_text_is_the_identity_of_the_term(data: object) -> None:
    term = decode_term(data)

    assert content_hash(term_text(term)) == identity(term)
