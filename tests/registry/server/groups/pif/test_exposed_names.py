"""Evolved tools as names of MCP: each spelling is that of one tool."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from registry.records import NAME_RULE, TEAM_RULE, full_name
from registry.server.groups.pif.exposed_names import exposed_name, name_of

PLAIN = st.one_of(
    st.from_regex(NAME_RULE, fullmatch=True),
    st.text("team_xo", min_size=1, max_size=20).map(lambda text: "team__" + text),
    st.text("_-x", min_size=1, max_size=6).filter(lambda text: not text.startswith("-")),
)
TEAMS = st.one_of(st.from_regex(TEAM_RULE, fullmatch=True), st.sampled_from(["team", "x", "x-", "x--"]))
NAMES = st.one_of(PLAIN, st.builds(full_name, TEAMS, PLAIN))


@given(NAMES)
@example("team__ops__x")
@example("team/ops/_x")
@example("team/ops/team__ops__x")
def test_a_spelling_is_read_back(name: str) -> None:
    exposed = exposed_name(name)
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", exposed)
    if len(exposed) <= 48 or name.startswith("team/"):
        assert name_of(exposed) == name


@given(NAMES, NAMES)
@example("team__ops__x", "team/ops/x")
@example("team___x", "team__x")
def test_no_two_tools_have_one_spelling(one: str, other: str) -> None:
    assert (exposed_name(one) == exposed_name(other)) == (one == other)


@given(st.one_of(NAMES.map(exposed_name), st.text("team_ox/.", max_size=16)))
@example("team__")
@example("team__ops")
@example("team____")
@example("team__ops__")
@example("team/ops/x")
def test_what_is_a_spelling_is_that_of_its_name(exposed: str) -> None:
    name = name_of(exposed)
    assert name is None or exposed_name(name) == exposed
