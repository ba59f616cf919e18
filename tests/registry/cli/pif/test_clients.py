"""`pif install-client`: one entry of a client's settings changes, and nothing else, whatever the file holds."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.cli.pif.client_settings import entered, removed
from registry.cli.pif.clients import CLIENTS, Entry
from registry.errors import RegistryError
from tests.support.files.command_lines import Pif, answer

_ENTRY: Entry = {"command": '/a "b"\\c/pif', "args": ["serve", "--groups", "pif,theory"]}


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "user"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return folder


@pytest.mark.parametrize("name", sorted(CLIENTS))
def test_every_client_gets_its_entry_once_and_loses_it_again(pif: Pif, user: Path, name: str) -> None:
    done = answer(pif("--json", "install-client", name, "--", "--groups", "all"))
    file = Path(done["file"])
    assert done["outcome"] == "entered"
    assert file.is_relative_to(user)
    read = tomllib.loads if CLIENTS[name].form == "toml" else json.loads
    assert read(file.read_text())[CLIENTS[name].key] == {"pif": done["entry"]}
    assert "--groups" in json.dumps(done["entry"])
    assert file.stat().st_mode & 0o077 == 0

    assert answer(pif("--json", "install-client", name, "--", "--groups", "all"))["outcome"] == "unchanged"
    assert answer(pif("--json", "install-client", name))["outcome"] == "replaced"
    assert answer(pif("--json", "install-client", name, "--remove"))["outcome"] == "removed"
    assert answer(pif("--json", "install-client", name, "--remove"))["outcome"] == "absent"


def test_the_entry_names_a_home_that_was_chosen(pif: Pif, user: Path, home: Path) -> None:
    done = answer(pif("--json", "install-client", "cursor"))
    assert done["entry"]["args"] == ["--home", str(home), "serve"]


def test_a_project_has_settings_of_its_own(pif: Pif, user: Path, tmp_path: Path) -> None:
    done = answer(
        pif("--json", "install-client", "vscode", "--project", tmp_path, "--url", "http://127.0.0.1:8000/mcp")
    )
    assert done["file"] == str(tmp_path / ".vscode" / "mcp.json")
    servers = json.loads((tmp_path / ".vscode" / "mcp.json").read_text())["servers"]
    assert servers == {"pif": {"type": "http", "url": "http://127.0.0.1:8000/mcp"}}


def test_nothing_is_written_by_a_dry_run_or_the_list(pif: Pif, user: Path) -> None:
    shown = pif("install-client", "codex", "--dry-run")
    assert tomllib.loads(shown.output)["mcp_servers"]["pif"]["args"][-1] == "serve"
    listed = answer(pif("--json", "install-client"))["clients"]
    assert [each["installed"] for each in listed] == [False] * len(CLIENTS)
    assert list(user.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["cursr"], "did you mean cursor?"),
        (["claude-desktop", "--url", "http://x/mcp"], "take no address"),
        (["windsurf", "--project", "."], "no settings of a project"),
        (["cursor", "--project", "/no/such/folder"], "no such folder"),
        (["cursor", "--as", "a.b]"], "letters, digits"),
    ],
)
def test_what_cannot_be_is_said(pif: Pif, user: Path, arguments: list[str], said: str) -> None:
    done = pif("install-client", *arguments)
    assert done.exit_code == 1
    assert said in done.output
    assert list(user.iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        '{// a comment\n"mcpServers": {}}',
        '{"mcpServers": {}, "mcpServers": {"mine": {}}}',
        '{"mcpServers": ["no table"]}',
        "[1, 2]",
        "{" * 2_000,
    ],
)
def test_json_that_would_lose_something_is_left_alone(user: Path, text: str) -> None:
    file = user / "mcp.json"
    file.write_text(text)
    with pytest.raises(RegistryError) as raised:
        entered(CLIENTS["cursor"], file, "pif", _ENTRY)
    assert file.read_text() == text
    assert raised.value.hint is not None
    assert '"pif"' in raised.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {pif = {command = 'old'}, mine = {command = 'm'}}\n",
        "mcp_servers.pif.command = 'old'\n",
        '[mcp_servers."pif"]\ncommand = "old"\n',
        'prompt = """\n[mcp_servers.pif]\nis how it starts\n"""\n',
    ],
)
def test_toml_that_would_lose_something_is_left_alone(user: Path, text: str) -> None:
    file = user / "config.toml"
    file.write_text(text)
    with pytest.raises(RegistryError, match="losing something"):
        entered(CLIENTS["codex"], file, "pif", _ENTRY)
    assert file.read_text() == text


def test_comments_and_tables_of_toml_stay(user: Path) -> None:
    file = user / "config.toml"
    file.write_text(
        '# mine\nmodel = "m"  # fast\n\n[mcp_servers.pif]\ncommand = "old"\n\n[mcp_servers.pif.env]\nA = "1"\n'
        "\n# about the other\n[mcp_servers.other]\ncommand = 'x'\n"
    )
    assert entered(CLIENTS["codex"], file, "pif", _ENTRY).outcome == "replaced"
    text = file.read_text()
    assert text.startswith('# mine\nmodel = "m"  # fast\n')
    assert "# about the other\n[mcp_servers.other]\n" in text
    assert tomllib.loads(text)["mcp_servers"] == {"other": {"command": "x"}, "pif": _ENTRY}


def test_a_link_to_the_settings_stays_a_link(user: Path) -> None:
    (user / "kept").mkdir()
    target = user / "kept" / "mcp.json"
    target.write_text("{}")
    target.chmod(0o644)
    link = user / "mcp.json"
    link.symlink_to(target)
    entered(CLIENTS["cursor"], link, "pif", _ENTRY)
    assert link.is_symlink()
    assert json.loads(target.read_text())["mcpServers"]["pif"] == _ENTRY
    assert target.stat().st_mode & 0o777 == 0o644


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(max_size=5), _values, max_size=4),
    st.dictionaries(st.text(max_size=5), _values, max_size=3),
)
def test_any_other_settings_are_the_same_afterwards(
    tmp_path_factory: pytest.TempPathFactory, settings: dict[str, object], servers: dict[str, object]
) -> None:
    file = tmp_path_factory.mktemp("settings") / "mcp.json"
    servers.pop("pif", None)
    given = {**settings, "mcpServers": servers}
    file.write_text(json.dumps(given))
    entered(CLIENTS["cursor"], file, "pif", _ENTRY)
    assert json.loads(file.read_text()) == {**given, "mcpServers": {**servers, "pif": _ENTRY}}
    removed(CLIENTS["cursor"], file, "pif")
    assert json.loads(file.read_text()) == given
