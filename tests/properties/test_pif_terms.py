"""Properties of terms: printing and decoding are inverse, as are reify and reflect; JSON never breaks the decoder."""

from __future__ import annotations

from typing import Any

import jsonschema
import msgspec
from hypothesis import given
from hypothesis import strategies as st

from pif.language.decode import all_errors, decode_term, decode_text
from pif.language.errors import PifError
from pif.language.reification import reflect, reify
from pif.language.schema import term_schema
from pif.language.terms import Term, identity, print_term, same_term, term_text
from pif.run.read_input import read_data, read_input
from tests.support.terms.term_strategies import JSON, Features, open_terms

TERMS = open_terms(Features(free=("u", "v"), tools=("double",), context=True, mistakes=4))

VALIDATOR = jsonschema.Draft202012Validator(term_schema())


@given(TERMS)
def test_decoding_a_printed_term_gives_the_term(term: Term) -> None:
    assert same_term(decode_term(print_term(term)), term)
    assert same_term(decode_text(term_text(term)), term)


@given(TERMS)
def test_a_term_keeps_its_identity_when_printed(term: Term) -> None:
    assert identity(decode_text(term_text(term))) == identity(term)


@given(TERMS)
def test_counts_of_nodes_and_height(term: Term) -> None:
    def count(node: Term) -> tuple[int, int]:
        below = [count(part) for part in node.parts]
        return 1 + sum(nodes for nodes, _ in below), 1 + max((height for _, height in below), default=0)

    assert (term.nodes, term.height) == count(term)


@given(TERMS)
def test_reflecting_a_reified_term_gives_the_term(term: Term) -> None:
    nodes = 0

    def visit() -> None:
        nonlocal nodes
        nodes += 1

    assert same_term(reflect(reify(term), visit), term)
    assert nodes == term.nodes


@given(TERMS)
def test_raw_input_is_read_as_terms_are(term: Term) -> None:
    assert same_term(read_input(print_term(term), raw=True), term)


@given(TERMS)
def test_the_schema_accepts_every_printed_term(term: Term) -> None:
    VALIDATOR.validate(print_term(term))


@given(JSON)
def test_json_is_a_term_or_gets_an_error_with_a_place(data: Any) -> None:
    errors = all_errors(data)
    try:
        term = decode_term(data)
    except PifError as error:
        assert errors
        assert (errors[0].kind, errors[0].path) == (error.kind, error.path)
        assert error.message
        assert _at(data, error.path) is not _NOWHERE
    else:
        assert errors == []
        assert same_term(decode_term(print_term(term)), term)


@given(JSON)
def test_any_json_is_read_as_input_or_refused(data: Any) -> None:
    for read in (read_input, read_data):
        try:
            read(data)
        except PifError as error:
            assert error.path.startswith("/input") or error.path == ""
            assert error.place == "input"


@given(st.text() | st.binary())
def test_any_text_is_a_term_or_gets_an_error(text: str | bytes) -> None:
    try:
        decode_text(text)
    except PifError as error:
        assert error.kind in ("parse_error", "term_too_deep", "value_too_large")


@given(JSON)
def test_plain_data_is_not_changed(data: Any) -> None:
    """What `data` input holds comes back as it was, numbers rounded."""
    from pif.language.value_text import print_value

    try:
        value, charge = read_data(data)
    except PifError:
        return
    printed = print_value(value, 1 << 20)
    assert printed is not None
    assert charge >= 1
    assert msgspec.json.decode(printed.text) == _rounded(data)


def _rounded(data: Any) -> Any:
    if isinstance(data, float):
        return round(data)
    if isinstance(data, list):
        return [_rounded(item) for item in data]
    if isinstance(data, dict):
        return {key: _rounded(item) for key, item in data.items()}
    return data


_NOWHERE = object()


def _at(data: Any, path: str) -> Any:
    """What a JSON pointer points at, or `_NOWHERE`."""
    for step in path.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(data, list) and step.isdigit() and int(step) < len(data):
            data = data[int(step)]
        elif isinstance(data, dict) and step in data:
            data = data[step]
        else:
            return _NOWHERE
    return data
