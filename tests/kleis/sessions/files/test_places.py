"""Where sessions are kept: the home, config/kleis.toml, KLEIS_CONFIG; errors in the configuration are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.sessions import SessionError, find_places


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_home_is_the_default(tmp_path: Path) -> None:
    places = find_places(tmp_path / "home", {}, tmp_path)
    assert places.workspace == tmp_path / "home" / "sessions"
    assert places.saved == tmp_path / "home" / "theories"
    assert places.configuration is None


def test_a_project_says_where(tmp_path: Path) -> None:
    file = write(
        tmp_path / "config" / "kleis.toml",
        '[theory]\nworkspace_dir = ".theory-sessions"\nsave_dir = "/kept"\n[z3]\ntimeout_ms = 1\n',
    )
    places = find_places(tmp_path / "home", {}, tmp_path)
    assert places.workspace == tmp_path / ".theory-sessions"
    assert places.saved == Path("/kept")
    assert places.configuration == file


def test_the_environment_comes_first(tmp_path: Path) -> None:
    write(tmp_path / "config" / "kleis.toml", '[theory]\nworkspace_dir = "a"\n')
    file = write(tmp_path / "other" / "mine.toml", '[theory]\nworkspace_dir = "b"\n')
    places = find_places(tmp_path / "home", {"KLEIS_CONFIG": str(file)}, tmp_path)
    assert places.workspace == tmp_path / "other" / "b"
    assert places.saved == tmp_path / "home" / "theories"


def test_the_personal_file_comes_last(tmp_path: Path) -> None:
    write(tmp_path / ".config" / "kleis" / "config.toml", '[theory]\nsave_dir = "kept"\n')
    places = find_places(tmp_path / "home", {"HOME": str(tmp_path)}, tmp_path / "project")
    assert places.saved == tmp_path / ".config" / "kleis" / "kept"


@pytest.mark.parametrize(
    "text",
    [
        "[theory",
        "[theory]\nworkspace = 'x'",
        "[theory]\nsave_dir = 3",
        "[theory]\nsave_dir = ''",
        "[theory]\nsave_dir = '~nobody-of-that-name/x'",
        "[theory]\nsave_dir = 'config/kleis.toml'",
        "[theory]\nsave_dir = 'config/kleis.toml/x'",
        '[theory]\nsave_dir = "a\\u0000b"',
        f"[theory]\nworkspace_dir = '{'x' * 5000}'",
        "theory = 1",
    ],
)
def test_a_wrong_configuration_is_never_silently_the_default(tmp_path: Path, text: str) -> None:
    write(tmp_path / "config" / "kleis.toml", text)
    with pytest.raises(SessionError) as refused:
        find_places(tmp_path / "home", {}, tmp_path)
    assert refused.value.code == "configuration"


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SessionError):
        find_places(tmp_path / "home", {"KLEIS_CONFIG": "nowhere.toml"}, tmp_path)
