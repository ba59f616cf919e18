"""`--strict`: the same meaning at every command that reads files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

UNDECLARED = """
structure S(M) { operation f : M → M  axiom a : ∀(x : M). f(x) = x }
example "block" { assert(nothing = 3) }
"""
LETTERS = """
structure S(M) { operation f : M → M  axiom a : ∀(x : M). f(x) = x }
example "block" { assert(x = x) }
"""
COMMANDS = [
    (("check", "main.kleis"), 1),
    (("test", "main.kleis"), 1),
    (("consistent", "main.kleis"), 2),
    (("explore", "main.kleis", "S", "--size", "1"), 1),
    (("verify", "1 = 1", "--import", "main.kleis"), 2),
    (("eval", "1 + 1", "--import", "main.kleis"), 1),
]


@pytest.mark.parametrize(("command", "status"), COMMANDS, ids=[command[0] for command, _ in COMMANDS])
def test_a_name_that_nothing_declares_is_an_error(
    kleis: Callable[..., Any], write: Callable[..., None], command: tuple[str, ...], status: int
) -> None:
    write(main=UNDECLARED, other='import "main.kleis"\n')
    strict = kleis(*command, "--strict")
    assert strict.status == status
    assert "nothing is declared nowhere" in strict.out + strict.err
    write(main=LETTERS)
    assert kleis(*command, "--strict").status == kleis(*command).status == 0


def test_check_reports_each_name_once(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main=UNDECLARED)
    for option, severity in (((), "warning"), (("--strict",), "error")):
        (file,) = kleis("check", "--json", "main.kleis", *option).json["files"]
        assert [(each["line"], each["severity"]) for each in file["problems"]] == [(3, severity)]


def test_files_that_are_only_imported_by_others_do_not_count(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main=UNDECLARED, other='import "main.kleis"\n')
    assert kleis("verify", "1 = 1", "--import", "other.kleis", "--strict").status == 0
    assert kleis("check", "other.kleis", "--strict").status == 0
