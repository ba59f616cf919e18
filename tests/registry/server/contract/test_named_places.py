"""Options of `pif serve` that name nothing end it at the start: a misspelt policy file must not leave the server without
a gate.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from registry.server.contract.settings import Settings, check_places
from tests.support.servers.pif_server import command


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "agent.kleis").write_text('define check_file_edit(path) = "deny"\n')
    (tmp_path / "theorems").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("option", "name", "chosen", "said"),
    [
        ("policy", "agnet.kleis", ["policy"], "did you mean {}/agent.kleis?"),
        ("policy", "Agent.kleis", ["policy"], "did you mean {}/agent.kleis?"),
        ("policy", "unlike", ["policy"], "there is no such file"),
        ("policy", "theorem/agent.kleis", ["policy"], "did you mean {}/theorems?"),
        ("policy", "theorems", ["policy"], "that is no file"),
        ("policy", "agent.kleis", ["pif", "theory"], "--groups pif,theory,policy"),
        ("corpus", "theorms", ["corpus"], "did you mean {}/theorems?"),
        ("corpus", "agent.kleis", ["corpus"], "that is no directory"),
        ("corpus", "theorems", ["pif"], "--groups pif,corpus"),
        ("roots", "theorms", ["theory"], "did you mean {}/theorems?"),
    ],
)
def test_what_names_nothing_is_refused(
    folder: Path, option: str, name: str, chosen: list[str], said: str
) -> None:
    value = (folder / name,) if option == "roots" else folder / name
    with pytest.raises(ValueError, match="--") as refusal:
        check_places(Settings(home=folder, **{option: value}), chosen)
    assert said.format(folder) in str(refusal.value)


def test_what_is_there_is_taken(folder: Path) -> None:
    given = Settings(
        home=folder,
        policy=folder / "agent.kleis",
        corpus=folder / "theorems",
        roots=(folder, folder / "theorems"),
    )
    check_places(given, ["pif", "policy", "corpus"])
    check_places(Settings(home=folder), ["pif", "policy", "corpus"])


def started(home: Path, **options: object) -> subprocess.CompletedProcess[bytes]:
    words = command(home, **options)
    assert words[0] == sys.executable
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)


def test_a_server_does_not_start_without_its_policy(folder: Path) -> None:
    ended = started(folder / "home", groups="policy", policy=folder / "agnet.kleis")
    assert ended.returncode == 2
    assert b"did you mean" in ended.stderr
    assert not ended.stdout


def test_a_policy_that_cannot_be_loaded_is_a_warning(folder: Path) -> None:
    (folder / "agent.kleis").write_text("define (")
    ended = started(folder / "home", groups="policy", policy=folder / "agent.kleis")
    assert ended.returncode == 0
    assert b"agent.kleis cannot be loaded" in ended.stderr
    assert b"every action is denied" in ended.stderr


def test_a_directory_that_is_no_corpus_is_a_warning(folder: Path) -> None:
    ended = started(folder / "home", groups="corpus", corpus=folder / "theorems")
    assert ended.returncode == 0
    assert b"no corpus in" in ended.stderr
