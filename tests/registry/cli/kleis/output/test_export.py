"""`kleis export`: what is written, exit statuses, JSON, and what a Lean on the PATH says.

See docs/reference/lean.md §1.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kleis.lean import check_emitted

BAND = """
structure Band(B) {
  operation (⊗) : B × B → B
  axiom assoc : ∀(x y z : B). (x ⊗ y) ⊗ z = x ⊗ (y ⊗ z)
}
data Bit = On | Off
define flip(b : Bit) : Bit = match b { On => Off | Off => On }
example "bits" { assert(∀(b : Bit). flip(flip(b)) = b)  assert(matches("a", re_star("a"))) }
"""
COMMUTES = "∀(x y : B). x ⊗ y = y ⊗ x"

Kleis = Callable[..., Any]


@pytest.fixture(autouse=True)
def _band(write: Callable[..., None]) -> None:
    write(band=BAND)


def test_a_whole_file(kleis: Kleis) -> None:
    answer = kleis("export", "--lean", "band.kleis", "--json")
    assert answer.status == 0
    found = answer.json
    assert check_emitted(found["text"]) == ()
    assert found["problems"] == []
    assert [each["status"] for each in found["theorems"]] == ["sorry"]
    assert [each["name"] for each in found["omitted"]] == ["bits 2"]
    assert {"kleis": "⊗", "lean": "Spec.Band.Band.otimes", "kind": "operation"} in found["names"]
    assert found["lean"] is None


def test_the_text_goes_to_standard_output_and_remarks_do_not(kleis: Kleis) -> None:
    answer = kleis("export", "--lean", "band.kleis")
    assert answer.out.startswith("set_option autoImplicit false\n")
    assert check_emitted(answer.out) == ()
    assert "left out  bits 2: regular expressions" in answer.err
    assert "no Lean has read it" in answer.err


def test_the_text_goes_to_a_file(kleis: Kleis) -> None:
    answer = kleis("export", "--lean", "band.kleis", "-p", COMMUTES, "-o", "Out.lean")
    assert (answer.status, answer.out) == (0, "")
    assert Path("Out.lean").read_text(encoding="utf-8").endswith("end Spec.Band\n")
    assert kleis("export", "--lean", "band.kleis", "-o", "nowhere/Out.lean").status == 2


def test_the_prover_adds_proofs_and_models(kleis: Kleis) -> None:
    found = kleis("export", "--lean", "band.kleis", "-p", COMMUTES, "--prove", "--json").json
    assert found["theorems"][0]["status"] == "refutation"
    assert found["theorems"][0]["method"] == "finite model: B of 2"
    found = kleis("export", "--lean", "band.kleis", "--prove", "--json").json
    assert [each["status"] for each in found["theorems"]] == ["proof"]
    assert found["sorries"] == 0


def test_other_provers(kleis: Kleis) -> None:
    smtlib = kleis("export", "--smtlib", "band.kleis", "-p", COMMUTES)
    assert (smtlib.status, smtlib.err) == (0, "")
    assert smtlib.out.endswith("(check-sat)\n")
    tptp = kleis("export", "--tptp", "band.kleis", "-p", COMMUTES, "--json").json
    assert tptp["text"].count("fof(") == 2
    assert tptp["exact"] is True


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["band.kleis"], 2, "--lean, --smtlib or --tptp"),
        (["--smtlib", "band.kleis"], 2, "needs a proposition"),
        (["--lean", "nothing.kleis"], 2, "nothing.kleis"),
        (["--lean", "band.kleis", "-p", "∀(x : "], 2, ""),
        (["--lean", "band.kleis", "-p", "nowhere(1) = 2"], 2, "nowhere"),
        (["--lean", "band.kleis", "-p", 'matches("a", re_star("a"))'], 1, "regular expressions"),
        (["--tptp", "band.kleis", "-p", "length([1]) = 1"], 1, "TPTP cannot say this"),
        (["--smtlib", "band.kleis", "-p", "∀(f : (ℤ → ℤ) → ℤ). f = f"], 1, "SMT-LIB cannot say this"),
    ],
)
def test_refusals(kleis: Kleis, arguments: list[str], status: int, message: str) -> None:
    answer = kleis("export", *arguments)
    assert answer.status == status
    assert answer.out == ""
    assert message in answer.err


def test_a_refusal_in_json(kleis: Kleis) -> None:
    answer = kleis("export", "--tptp", "band.kleis", "-p", "length([1]) = 1", "--json")
    assert answer.status == 1
    assert answer.json["error"]["code"] == "not-expressible"


# ── A Lean on the PATH ───────────────────────────────────────────────────────────────────────────────────────


def _lean(folder: Path, script: str) -> None:
    """A program called lean that says what a script says."""
    program = folder / "lean"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the whole PATH, but for the shell's."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(folder), "/bin"]))
    return folder


def test_without_a_lean_nothing_more_than_the_shape_is_said(kleis: Kleis, only: Path) -> None:
    answer = kleis("export", "--lean", "band.kleis", "--check", "--json")
    assert answer.status == 0
    assert answer.json["lean"]["level"] == "shape"
    assert "no lean on the PATH" in answer.json["lean"]["message"]


def test_what_lean_reports_is_traced_to_its_declaration(kleis: Kleis, only: Path) -> None:
    text = kleis("export", "--lean", "band.kleis", "-p", COMMUTES).out
    line = next(at for at, each in enumerate(text.split("\n"), 1) if each.startswith("theorem"))
    _lean(
        only,
        f"""echo '{{"severity": "error", "pos": {{"line": {line + 2}, "column": 2}}, "data": "no"}}'\nexit 1""",
    )
    answer = kleis("export", "--lean", "band.kleis", "-p", COMMUTES, "--check", "--json")
    assert answer.status == 1
    (error,) = answer.json["lean"]["errors"]
    assert (error["message"], error["line"]) == ("no", line + 2)
    assert error["place"].startswith("<proposition>")


def test_a_lean_that_is_content(kleis: Kleis, only: Path) -> None:
    _lean(only, """echo '{"severity": "warning", "pos": {"line": 1, "column": 0}, "data": "sorry"}'""")
    said = kleis("export", "--lean", "band.kleis", "--check", "--json").json["lean"]
    assert said["level"] == "elaborated"
    assert len(said["warnings"]) == 1
    reals = kleis("export", "--lean", "band.kleis", "-p", "∀(x : ℝ). x = x", "--check", "--json")
    assert reals.json["lean"]["level"] == "elaborated with Mathlib"


@pytest.mark.parametrize("script", ["exit 1", "echo nonsense; exit 3", "echo '[]' ; echo gone >&2; exit 1"])
def test_a_lean_that_fails_without_a_word_is_not_content(kleis: Kleis, only: Path, script: str) -> None:
    _lean(only, script)
    answer = kleis("export", "--lean", "band.kleis", "--check", "--json")
    assert answer.status == 1
    assert answer.json["lean"]["level"] == "shape"
    assert answer.json["lean"]["errors"]


# ── A limit of time ──────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_not_decided_in_time_stays_open_in_a_file_that_is_written(kleis: Kleis) -> None:
    arguments = (
        "export",
        "--lean",
        "band.kleis",
        "--prove",
        "-p",
        "∀(x y : B). x ⊗ (x ⊗ y) = x ⊗ y",
        "--json",
    )
    late = kleis(*arguments, "--fresh", "--timeout", "0.000001")
    assert late.status == 0
    assert [each["status"] for each in late.json["theorems"]] == ["sorry"]
    assert [each["status"] for each in kleis(*arguments, "--timeout", "600").json["theorems"]] == [
        "refutation"
    ]
