"""Names spelled in full in the code of teams: what they mean is settled when code is kept, and cannot be unsettled."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from pif.analysis.facts import facts_of
from pif.language.decode import decode_term
from pif.language.terms import identity, print_term
from registry.errors import RegistryError
from registry.tools.code_and_examples import verified
from registry.tools.full_names import FullNames
from registry.tools.library import Library
from tests.support.terms.term_strategies import tool_terms

LIBRARY = Library(verified)
NAMES = FullNames(LIBRARY)
OURS = frozenset(("helper", "sort"))
X = {"var": "x"}


def spelled(code: Any) -> Any:
    return print_term(NAMES.spelled(decode_term(code), "ops", OURS.__contains__))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("helper", "team/ops/helper"),
        ("helper@2", "team/ops/helper@2"),
        ("sort", "team/ops/sort"),
        ("std.sort", "std.sort"),
        ("reverse", "std.reverse"),
        ("reverse@1", "std.reverse@1"),
        ("nothing_yet", "team/ops/nothing_yet"),
        ("std.nothing_yet", "std.nothing_yet"),
        ("evolve", "team/ops/evolve"),
        ("team/ops/helper", "team/ops/helper"),
        ("team/ops/nothing_yet@3", "team/ops/nothing_yet@3"),
    ],
)
def test_a_name_becomes_the_teams_else_the_librarys_else_the_teams(name: str, meant: str) -> None:
    assert spelled({"app": [name, X]}) == print_term(decode_term({"app": [meant, X]}))
    assert spelled({"code_of": name}) == {"code_of": meant}
    assert spelled({"quote": {"quote": {"app": [name, X]}}}) == print_term(
        decode_term({"quote": {"quote": {"app": [meant, X]}}})
    )


def test_strings_that_are_no_names_stay() -> None:
    code = {
        "pair": [
            "helper",
            {"record": {"helper": {"app": [{"lam": "helper", "body": {"var": "helper"}}, "helper"]}}},
        ]
    }
    assert spelled(code) == print_term(decode_term(code))
    assert spelled({"code_of": "self"}) == {"code_of": "self"}
    assert spelled({"app": [{"self": True}, X]}) == print_term(decode_term({"app": [{"self": True}, X]}))


@settings(max_examples=150)
@given(tool_terms())
def test_spelled_code_names_nothing_that_a_caller_could_answer(term: Any) -> None:
    try:
        kept = NAMES.spelled(term, "ops", OURS.__contains__)
    except RegistryError as error:
        assert error.kind == "not_allowed"
        assert not NAMES.is_spelled(term, "ops", identity(term))
        return
    assert all(name.startswith(("team/ops/", "std.")) for name in facts_of(kept).tools)
    assert NAMES.is_spelled(kept, "ops", identity(kept))
    assert (
        not facts_of(kept).tools
        or not NAMES.is_spelled(kept, "other", identity(kept) + "other")
        or all(name.startswith("std.") for name in facts_of(kept).tools)
    )
    # Spelling again changes nothing, whatever the team has by then.
    for has in (lambda name: True, lambda name: False):
        assert NAMES.spelled(kept, "ops", has) is kept


def test_tools_of_the_library_that_make_names_are_known_through_others() -> None:
    making = {name for name in LIBRARY.names() if NAMES.makes_names(name)}
    assert {"std.differentiate", "std.substitute"} <= making
    assert not making & {"std.map", "std.sort", "std.gcd", "std.compose", "std.median"}
    for name in making:
        record = LIBRARY.record(name)
        assert record is not None
        assert {"dynamic_code"} & {*record.capabilities} or making & {
            *facts_of(decode_code(record.code)).tools
        }


def decode_code(text: str) -> Any:
    from pif.language.decode import decode_text

    return decode_text(text)
