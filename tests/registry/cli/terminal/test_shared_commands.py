"""What `pif` and `kleis` have in common: completion for shells, help on commands, the version, paths."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from registry.cli.kleis.commands import kleis
from registry.cli.pif.commands import pif


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(("command", "name"), [(pif, "pif"), (kleis, "kleis")])
def test_completion_prints_what_the_shell_reads(command: object, name: str, shell: str) -> None:
    done = CliRunner().invoke(command, ["completion", shell], prog_name=name)  # type: ignore[arg-type]
    assert done.exit_code == 0
    assert f"_{name.upper()}_COMPLETE={shell}_complete" in done.output


def test_versions_read_alike() -> None:
    said = [
        CliRunner().invoke(each, ["--version"], prog_name=name).output.split()
        for each, name in ((pif, "pif"), (kleis, "kleis"))
    ]
    assert [each[0] for each in said] == ["pif", "kleis"]
    assert said[0][1:] == said[1][1:] != []


def test_kleis_help_explains_commands_and_their_commands() -> None:
    runner = CliRunner()
    assert "certificate" in runner.invoke(kleis, ["help"], prog_name="kleis").output
    assert runner.invoke(kleis, ["help", "policy", "check"]).output.startswith("Usage: kleis policy check")
    assert runner.invoke(kleis, ["help", "nonsense"]).exit_code == 2


def test_an_empty_home_and_a_missing_file_are_named() -> None:
    empty = CliRunner().invoke(pif, ["list", "--home", ""], prog_name="pif")
    assert (empty.exit_code, "the path is empty" in empty.output) == (2, True)
    missing = CliRunner().invoke(pif, ["evolve", "nosuch.py"], prog_name="pif")
    assert (missing.exit_code, "nosuch.py: No such file" in missing.output) == (2, True)


def test_a_library_file_is_shown_as_it_is_imported() -> None:
    shown = CliRunner().invoke(kleis, ["show", "stdlib/lists.kleis"], prog_name="kleis")
    assert shown.exit_code == 0
    assert "structure ListLaws" in shown.output
    assert CliRunner().invoke(kleis, ["show", "nolists.kleis"], prog_name="kleis").exit_code == 2
