"""What a Lean says of an accepted text, and what it is not given to read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kleis.lean.acceptance import check_by_lean as module
from kleis.lean.acceptance.check_by_lean import LeanCheck, check_by_lean
from kleis.lean.lean_program import Lean, Limits, Reading, read_text
from tests.support.provers.fake_lean import VERSION, answering, install

OURS = "namespace N\n\ntheorem one :\n    1 = 1 := by\n  sorry\n\nend N\n"
DONE = OURS.replace("sorry", "rfl")
NAMES = ("N.one",)
SOON = Limits(seconds=0.5, processor=5, output=10_000)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), "/bin", "/usr/bin"]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(folder: Path, script: str, text: str = DONE, ours: str = OURS, **options: bool) -> LeanCheck:
    install(folder, script)

    def read(lean: Lean, given: str, limits: Limits) -> Reading:
        return read_text(lean, given, SOON if "pause" in script else limits)

    return check_by_lean(ours, text, NAMES, **options, read=read)


@pytest.mark.parametrize(
    "axioms", [(), ("propext",), ("propext", "Classical.choice", "Quot.sound")], ids=["none", "one", "all"]
)
def test_a_proof_on_the_standard_axioms_is_checked(folder: Path, axioms: tuple[str, ...]) -> None:
    found = asked(folder, answering(*axioms))
    assert (found.outcome, found.version, found.axioms) == ("checked", VERSION, tuple(sorted(axioms)))


@pytest.mark.parametrize(
    ("script", "code", "reason"),
    [
        ("say('error', 3, 'unsolved goals')\naxioms([])\nsys.exit(1)", "lean", "line 3: unsolved goals"),
        ("axioms([])\nsys.exit(1)", "lean", ""),
        (answering("propext", "sorryAx"), "sorry-left", "sorryAx"),
        ("say('warning', 3, 'declaration uses `sorry`')\naxioms([])", "sorry-left", "sorry"),
        (answering("Lean.ofReduceBool"), "axiom", "Lean.ofReduceBool"),
        (answering("propext", "N.oracle"), "axiom", "N.oracle"),
    ],
)
def test_what_lean_refuses(folder: Path, script: str, code: str, reason: str) -> None:
    found = asked(folder, script)
    assert (found.outcome, found.code) == ("refused", code)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("signal.pause()", "did not end"),
        ("while True: say('information', 9, 'x' * 1000)", "said more than"),
        ("axioms([]); os.kill(os.getpid(), signal.SIGSEGV)", "signal 11"),
        ("pass", "did not name the axioms of N.one"),
        ("say('information', 1, \"'N.one' does not depend on any axioms\")", "did not name the axioms"),
        ("say('information', 9, \"'N.two' does not depend on any axioms\")", "did not name the axioms"),
        ("say('error', 8, 'cannot use #print axioms here')\nsys.exit(1)", "did not name the axioms"),
        ("say('error', 1, \"unknown module prefix 'Mathlib'\")\nsys.exit(1)", "lacks a module"),
    ],
)
def test_what_leaves_a_text_unchecked(folder: Path, script: str, reason: str) -> None:
    found = asked(folder, script)
    assert found.outcome == "unchecked"
    assert reason in found.reason


def test_without_a_lean_it_stays_unchecked(folder: Path) -> None:
    found = check_by_lean(OURS, DONE, NAMES)
    assert (found.outcome, found.version) == ("unchecked", "")


def test_axioms_of_ours_are_allowed_and_no_others(folder: Path) -> None:
    ours = "axiom oracle : 1 = 1\n" + OURS
    text = ours.replace("sorry", "exact oracle")
    assert asked(folder, answering("oracle"), text, ours).outcome == "checked"
    assert asked(folder, answering("oracle"), DONE, OURS).outcome == "refused"


def test_a_refutation_may_stand_beside_what_is_open(folder: Path) -> None:
    script = "say('error', 3, 'unsolved goals')\naxioms(['propext'])\nsys.exit(1)"
    assert asked(folder, script, may_have_gaps=True).outcome == "checked"
    assert asked(folder, answering("sorryAx"), may_have_gaps=True).outcome == "refused"


@pytest.mark.parametrize(
    "added",
    [
        '#eval IO.println "x"',
        'run_cmd Lean.logInfo m!"x"',
        'macro "x" : tactic => `(tactic| skip)',
        'local macro "x" : tactic => `(tactic| skip)',
        'elab "x" : term => pure default',
        "initialize x : Nat ← pure 1",
        "unsafe def x : Nat := 1",
        "theorem x : 1 = 1 := by run_tac pure ()",
        "theorem x : 1 = 1 := by native_decide",
        "def x := by_elab pure default",
        'def x := include_str "/etc/passwd"',
        "structure X where\n  n : Nat\nderiving Repr",
        "@[implemented_by y] def x : Nat := 1",
        "@[command_elab a] def x : Nat := 1",
        "set_option compiler.extract_closed true",
        "def x := Lean.Elab.command",
        "attribute [simp] Nat.add_comm",
        "/- without an end",
    ],
)
def test_a_text_that_could_run_code_is_not_given_to_lean(folder: Path, added: str) -> None:
    text = f"{DONE}\n{added}\n"
    found = asked(folder, answering(), text, text)
    assert (found.outcome, found.version) == ("unchecked", "")
    assert found.reason.startswith("no Lean was run: ")


@pytest.mark.parametrize(
    "added",
    [
        "import Mathlib",
        'local notation "ℕ" => Nat',
        "set_option autoImplicit false",
        "class C (A : Type) where\n  op : A → A",
        "inductive T where\n  | leaf : T",
        "@[simp] theorem x : 1 = 1 := rfl",
        "open Classical in\nnoncomputable def x : Nat := 1",
    ],
)
def test_what_exported_files_consist_of_is_given_to_lean(folder: Path, added: str) -> None:
    text = f"{added}\n{DONE}"
    assert asked(folder, answering(), text, text).outcome == "checked"


def test_the_answer_of_a_call_waits_for_a_check() -> None:
    from registry.server.groups.lean.group import WITHIN

    assert module.LIMITS.seconds < WITHIN
