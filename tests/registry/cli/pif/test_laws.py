"""Laws on the command line: evolve --law, list, show --kleis, verify, certificate check, analyze --against."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest
from click.testing import CliRunner

from registry.cli.kleis.commands import kleis
from registry.cli.pif import tool_commands
from registry.records import certificate_hash
from tests.support.files.command_lines import SQUARE, Pif, answer

LAW = "∀(x : ℤ). square(x) ≥ 0"


def test_a_tool_with_laws_from_file_to_check(pif: Pif, tmp_path: Path) -> None:
    file = tmp_path / "square.json"
    request = {"name": "square", "description": "Squares", "code": json.loads(SQUARE), "laws": [LAW]}
    file.write_text(json.dumps(request))
    made = pif("evolve", file, "--law", "safe(square)")
    assert "proved        ∀(x : ℤ). square(x) ≥ 0" in made.stdout
    assert "proved        safe(square)" in made.stdout
    assert "2 proved" in pif("list").stdout
    assert "define square(x : ℤ) : ℤ = x * x" in pif("show", "square", "--kleis").stdout

    checked = pif("certificate", "check", "square")
    assert (checked.exit_code, checked.stdout.count("holds")) == (0, 2)
    assert answer(pif("certificate", "check", "square", "--json"))["ok"] is True


def test_a_wrong_version_is_refused_and_a_law_can_be_dropped(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square", "--law", LAW)
    refused = pif("evolve", '{"mul": [{"var": "x"}, 2]}', "--name", "square")
    assert refused.exit_code == 1
    assert "x = -1" in refused.stderr
    assert "--drop-law '" in refused.stderr
    assert "drop_laws" not in refused.stderr
    assert pif("evolve", '{"mul": [{"var": "x"}, 2]}', "--name", "square", "--drop-law", LAW).exit_code == 0


def test_verify_says_what_holds_by_its_status(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square")
    assert pif("verify", LAW).exit_code == 0
    refuted = pif("verify", "∀(x : ℤ). square(x) > 0")
    assert (refuted.exit_code, "gives 0" in refuted.stdout) == (1, True)
    assert pif("verify", "define x = 1").exit_code == 1
    assert answer(pif("verify", LAW, "--json"))["status"] == "proved"


def test_analyze_against_another(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square")
    assert "do the same" in pif("analyze", "square", "--against", SQUARE.replace('"x"', '"y"')).stdout
    other = pif("analyze", "square", "--against", '{"lam": "y", "body": {"mul": [{"var": "y"}, 3]}}')
    assert (other.exit_code, "square@1 and the term differ" in other.stdout) == (1, True)
    same = answer(pif("analyze", "square", "--against", "square@1", "--json"))["equivalence"]
    assert (same["status"], same["by"]) == ("proved", "normal_form")
    assert pif("analyze", "square", "--against", '{"lam": 1}').exit_code == 1


def test_a_tool_without_laws_says_so(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square")
    assert "has no laws" in pif("certificate", "check", "square").stderr


def test_laws_of_the_library_are_checked_by_their_certificates(pif: Pif) -> None:
    assert "proved        ∀(n : ℤ). tool_sign(0 - n) = 0 - tool_sign(n)" in pif("show", "sign").stdout
    checked = pif("certificate", "check", "std.sign")
    assert (checked.exit_code, checked.stdout.count("by its certificate")) == (0, 2)


def test_the_certificates_of_several_tools(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square", "--law", LAW)
    pif("evolve", SQUARE, "--name", "other")
    several = pif("certificate", "check", "sign", "absolute")
    assert (several.exit_code, several.stdout.splitlines()[-1]) == (0, "6 of 6 laws of 2 tools hold")
    every = answer(pif("certificate", "check", "--all", "--json"))
    assert (every["type"], every["ok"]) == ("laws_of_tools", True)
    assert [each["tool"] for each in every["tools"]] == ["square@1"]
    missing = pif("certificate", "check", "sign", "nothing-of-the-kind")
    assert (missing.exit_code, missing.stdout.splitlines()[-1]) == (1, "2 of 2 laws of 1 tool hold")
    assert "nothing-of-the-kind:" in missing.stderr
    assert pif("certificate", "check").exit_code == 2


def test_certificates_as_files_that_need_no_home(pif: Pif, tmp_path: Path) -> None:
    files = tmp_path / "certificates"
    written = answer(pif("certificate", "export", "sign", files, "--json"))
    assert [Path(each["file"]).name for each in written["files"]] == ["std.sign-1.json", "std.sign-2.json"]
    checked = CliRunner().invoke(kleis, ["certificate", "check", str(files / "std.sign-1.json")])
    assert (checked.exit_code, checked.stdout.startswith("valid  verified: ")) == (0, True)
    again = pif("certificate", "export", "sign", files)
    assert (again.exit_code, "--overwrite" in again.stderr) == (1, True)
    assert pif("certificate", "export", "sign", files, "--overwrite").exit_code == 0
    assert "no law of std.map@1 has a certificate" in pif("certificate", "export", "map", files).stderr
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert pif("certificate", "export", "sign", blocked / "inside").exit_code == 1


@pytest.mark.parametrize(
    ("law", "hint"),
    [
        ("∀(a b : ℤ). smalle(a, b) = a", "There is no tool smalle; did you mean smaller?"),
        ("safe(isEvn)", "There is no tool isEvn; did you mean isEven?"),
        ("tool_revers([]) = []", "There is no tool tool_revers; did you mean tool_reverse?"),
        ("revers([]) = []", "did you mean tool_reverse? Of Kleis's own: did you mean reverse?"),
        ("∀(x : ℤ). nothingOfTheKind(x) = x", "There is no tool nothingOfTheKind; `pif list` shows"),
        ("std.reverse([]) = []", "In a law std.reverse is called tool_reverse."),
        ("∀(smalle : ℤ). smalle = smalle(1)", "a product needs its sign"),
    ],
)
def test_a_misspelt_tool_in_a_law(pif: Pif, law: str, hint: str) -> None:
    found = pif("verify", law)
    assert (found.exit_code, hint in found.stderr) == (1, True), found.stderr
    if "smaller" in hint:
        made = pif("evolve", SQUARE, "--name", "square", "--law", law)
        assert (made.exit_code, hint in made.stderr) == (1, True), made.stderr


@pytest.mark.parametrize(
    ("law", "hint"),
    [
        ("∀(n : ℤ). ops.square(n) = n * n", "In a law ops.square is called tool_ops_square."),
        ("∀(n : ℤ). square(n) = n * n", "There is no tool square; did you mean tool_ops_square?"),
    ],
)
def test_a_law_of_a_new_tool_with_a_dot_says_how_it_is_called(pif: Pif, law: str, hint: str) -> None:
    made = pif("evolve", SQUARE, "--name", "ops.square", "--law", law)
    assert (made.exit_code, hint in made.stderr) == (1, True), made.stderr


def test_a_misspelt_tool_in_a_lemma(pif: Pif) -> None:
    found = pif("verify", "smaller(1, 2) = 1", "--lemma", "safe(isEvn)")
    assert (found.exit_code, "There is no tool isEvn; did you mean isEven?" in found.stderr) == (1, True)
    unproved = pif("verify", "smaller(1, 2) = 1", "--lemma", "∀(n : ℤ). isEven(n)")
    assert "Leave it out" in unproved.stderr


def test_a_library_tool_that_a_tool_stands_in_front_of(pif: Pif) -> None:
    pif("evolve", '{"lam": "x", "body": {"var": "x"}}', "--name", "reverse")
    assert (
        "the tool reverse of this home stands in front of it" in pif("verify", "std.reverse([]) = []").stderr
    )


def test_what_was_imported_as_a_certificate_and_is_none(pif: Pif, tmp_path: Path) -> None:
    pif("evolve", SQUARE, "--name", "square", "--law", LAW)
    exported = tmp_path / "exported"
    pif("export", exported)
    (old,) = (exported / "certificates").iterdir()
    hash_ = certificate_hash("[]")
    (exported / "certificates" / f"{hash_}.json").write_text("[]")
    version = exported / "tools" / "square@1.json"
    version.write_text(version.read_text().replace(old.stem, hash_))
    elsewhere = tmp_path / "elsewhere"
    assert pif("--home", elsewhere, "import", exported).exit_code == 0
    refused = pif("--home", elsewhere, "certificate", "export", "square", tmp_path / "files")
    assert (refused.exit_code, "has a certificate" in refused.stderr) == (1, True)
    checked = pif("--home", elsewhere, "certificate", "check", "square")
    assert (checked.exit_code, "certificate: this is no certificate" in checked.stdout) == (1, True)


def test_an_import_says_what_became_of_its_laws(
    pif: Pif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pif("evolve", SQUARE, "--name", "square", "--law", LAW, "--law", "safe(square)")
    pif("export", tmp_path / "out")
    file = tmp_path / "out" / "tools" / "square@1.json"
    file.write_text(file.read_text().replace("square(x) ≥ 0", "square(x) = 9"))
    monkeypatch.setenv("PIF_HOME", str(tmp_path / "another"))
    taken = pif("import", tmp_path / "out")
    assert taken.exit_code == 0
    for said in (
        "refuted       ∀(x : ℤ). square(x) = 9",
        "dropped: it is false for x = 0",
        "proved        safe(square)",
    ):
        assert said in taken.stdout
    assert "= 9" not in pif("show", "square").stdout


def test_claimed_laws_are_shown_and_renewed(
    pif: Pif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pif("evolve", SQUARE, "--name", "square", "--law", LAW)
    pif("export", tmp_path / "out")
    for each in (tmp_path / "out" / "certificates").iterdir():
        each.unlink()
    monkeypatch.setenv("PIF_HOME", str(tmp_path / "another"))
    assert "claimed       ∀(x : ℤ). square(x) ≥ 0" in pif("import", tmp_path / "out").stdout
    assert "not checked here: its certificate is not there" in pif("show", "square").stdout
    assert pif("certificate", "check", "square").exit_code == 1
    assert pif("certificate", "renew").exit_code == 2
    assert pif("certificate", "renew", "--all", "square").exit_code == 2
    renewed = pif("certificate", "renew", "--all")
    assert (renewed.exit_code, "1 of 1 claimed laws are proved" in renewed.stdout) == (0, True)
    assert answer(pif("certificate", "renew", "square", "--json")) == {
        "type": "renewed",
        "ok": True,
        "laws": [],
    }
    assert pif("certificate", "check", "square").exit_code == 0


def test_a_file_says_how_long_proofs_may_take(
    pif: Pif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As over MCP; the option goes before it."""
    limits: list[float | None] = []

    def proving(seconds: float | None, about: str) -> AbstractContextManager[None]:
        limits.append(seconds)
        return nullcontext()

    monkeypatch.setattr(tool_commands, "proving", proving)
    file = tmp_path / "square.json"
    request = {"name": "square", "description": "Squares", "code": json.loads(SQUARE), "timeout_ms": 1_500}
    file.write_text(json.dumps(request))
    assert pif("evolve", file).exit_code == 0
    assert pif("evolve", file, "--timeout", "3").exit_code == 0
    assert limits == [1.5, 3.0]


def test_several_tools_are_checked_at_a_time_and_answered_in_order(pif: Pif) -> None:
    """Whatever ends first: the answers are those of one at a time, in the order of the names."""
    names = ["square", "negate", "twice"]
    codes = [SQUARE, '{"sub": [0, {"var": "x"}]}', '{"add": [{"var": "x"}, {"var": "x"}]}']
    laws = [LAW, "∀(x : ℤ). negate(x) = 0 - x", "∀(x : ℤ). twice(x) = x + x"]
    for name, code, law in zip(names, codes, laws, strict=True):
        pif("evolve", code, "--name", name, "--law", law)
    one = answer(pif("certificate", "check", *names, "--jobs", "1", "--json"))
    three = answer(pif("certificate", "check", *names, "--jobs", "3", "--json"))
    assert one == three
    assert [each["tool"] for each in three["tools"]] == ["square@1", "negate@1", "twice@1"]
    said = pif("certificate", "check", *reversed(names)).stdout
    assert said.index("twice") < said.index("negate") < said.index("square")
