"""Whatever the arguments are, a command ends with one of its exit statuses and a message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from registry.cli.pif import main
from registry.cli.pif.commands import pif as commands

ASKING = ("run", "analyze", "evolve", "list", "show", "diff", "history", "help", "rollback")
KEYS = [
    "name",
    "code",
    "description",
    "lam",
    "body",
    "var",
    "add",
    "app",
    "quote",
    "eval",
    "let",
    "in",
    "if",
    "k",
]
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda parts: (
        st.lists(parts, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), parts, max_size=3)
    ),
    max_leaves=12,
)
WORDS = st.one_of(
    DATA.map(json.dumps),
    st.text(st.characters(exclude_characters="\0/@"), max_size=12),
    st.sampled_from(
        ["--json", "--raw", "--data", "--fuel", "--name", "--dry-run", "--", "-", "@", "@.", "", "1"]
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.sampled_from(ASKING), st.lists(WORDS, max_size=4))
def test_any_arguments(tmp_path: Path, name: str, words: list[str]) -> None:
    """The status is 0, 1 or 2; 1 and 2 come with a message, or with the object of an error."""
    done = CliRunner().invoke(
        commands, ["--home", str(tmp_path / "home"), name, *words], input=b"{", catch_exceptions=False
    )

    assert done.exit_code in (0, 1, 2)
    assert done.exit_code == 0 or done.stderr or json.loads(done.stdout)["type"] == "error"
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    "words", [["run", "\udcff"], ["show", "\udcff"], ["\udcff"], ["run", "1", "--\udcff"]]
)
def test_arguments_that_are_no_text(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "\udcff" not in capsys.readouterr().err
