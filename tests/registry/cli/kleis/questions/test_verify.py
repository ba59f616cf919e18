"""`kleis verify`, `kleis consistent`: verdicts, exit statuses, tables, JSON.

See docs/reference/proving.md §5.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from kleis.problems import AnswerWarning
from kleis.prover.protocol.verdict import Attempt, Binding, Evidence, Status, Table, Verdict
from kleis.sessions.answer_fields import evidence_fields, evidence_of, witness_text
from registry.cli.kleis.questions.verify import exit_status
from registry.cli.kleis.shared.reports import grid, print_verdict, print_warnings, status_piece
from registry.cli.terminal.screen import Screen
from tests.support.files.command_lines import on_a_terminal
from tests.support.theories.small_theories import GROUP

CLASH = """
structure Clash {
  element c : ℤ
  axiom one : c = 1
  axiom two : c = 2
}
"""
RIGHT_IDENTITY = "∀(x : G). x • e = x"
ABELIAN = "∀(x y : G). x • y = y • x"
SINE = "∀(x : ℝ). atan(x) < 2"


# ── Verdicts ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("proposition", "status", "code"),
    [
        ("∀(x : ℤ). x + 0 = x", "verified", 0),
        (RIGHT_IDENTITY, "verified", 0),
        ("∀(x : ℤ). x ≠ 42", "disproved", 1),
        (ABELIAN, "disproved", 1),
        (SINE, "unknown", 3),
        ("nowhere(x) = 1", "error", 2),
        ("∀(x : ", "error", 2),
    ],
)
def test_statuses_and_exit_statuses(
    kleis: Callable[..., Any], write: Callable[..., None], proposition: str, status: str, code: int
) -> None:
    write(group=GROUP)
    answer = kleis("verify", proposition, "--import", "group.kleis", "--json")
    assert (answer.json["status"], answer.status, answer.err) == (status, code, "")
    words = kleis("verify", proposition, "--import", "group.kleis")
    assert words.status == code
    assert (words.err if status == "error" else words.out).startswith(status)


@pytest.mark.parametrize(
    "status", ["verified", "disproved", "consistent", "inconsistent", "unknown", "error"]
)
@pytest.mark.parametrize("expected", ["", "verified", "disproved", "inconsistent", "unknown", "error"])
def test_exit_statuses_tell_statuses_apart(status: Status, expected: str) -> None:
    known = {"verified": 0, "consistent": 0, "disproved": 1, "inconsistent": 1, "error": 2, "unknown": 3}
    if not expected:
        assert exit_status(status) == known[status]
    elif status == expected:
        assert exit_status(status, expected) == 0
    else:
        assert exit_status(status, expected) == (2 if status == "error" else 1)


@pytest.mark.parametrize(
    ("expected", "code"), [("disproved", 0), ("verified", 1), ("unknown", 1), ("nonsense", 2)]
)
def test_an_expected_verdict(kleis: Callable[..., Any], expected: str, code: int) -> None:
    answer = kleis("verify", "∀(x : ℤ). x ≠ 42", "--expect", expected)
    assert answer.status == code
    assert ("expected" in answer.err) == (code == 1)


def test_a_counterexample_is_an_assignment(kleis: Callable[..., Any]) -> None:
    lines = kleis("verify", "∀(x : ℤ). x ≠ 42").out.splitlines()
    assert lines[0].startswith("disproved  ∀(x : ℤ). x ≠ ")
    assert lines[1:] == ["  counterexample", "    x = 42 : ℤ"]


def test_a_point_where_the_claim_is_undefined_says_so(kleis: Callable[..., Any]) -> None:
    answer = kleis("verify", "∀(x : ℝ). x / x = 1", "--json")
    assert answer.json["evidence"]["undefined"] is True
    assert "undefined there" in kleis("verify", "∀(x : ℝ). x / x = 1").out


def test_the_six_element_group_is_shown_as_a_table(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(group=GROUP)
    lines = kleis("verify", ABELIAN, "--import", "group.kleis").out.splitlines()
    (place,) = (place for place, line in enumerate(lines) if line.split()[:1] == ["•"])
    names = lines[place].split()[1:]
    rows = {cells[0]: cells[1:] for cells in (line.split() for line in lines[place + 1 : place + 7])}
    assert len(names) == 6
    assert list(rows) == names
    product = {(x, y): rows[x][names.index(y)] for x in names for y in names}
    assert any(product[x, y] != product[y, x] for x in names for y in names)
    assert all(
        product[product[x, y], z] == product[x, product[y, z]] for x in names for y in names for z in names
    )


def test_what_a_proof_used(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(group=GROUP)
    answer = kleis("verify", RIGHT_IDENTITY, "--import", "group.kleis", "--json")
    assert set(answer.json["core"]) == {"Group::assoc", "Group::left_id", "Group::left_inv"}
    assert answer.json["consistency"] == "model"
    shown = kleis("verify", RIGHT_IDENTITY, "--import", "group.kleis").out
    assert "Group::left_inv" in shown
    assert "they have a model" in shown


def test_the_explanation_has_engines_steps_and_the_model(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(group=GROUP)
    short = kleis("verify", RIGHT_IDENTITY, "--import", "group.kleis").out
    long = kleis("verify", RIGHT_IDENTITY, "--import", "group.kleis", "--explain").out
    assert long.startswith(short)
    for word in ("decided by", "a model of the axioms used", "engines", "steps"):
        assert word in long
        assert word not in short


def test_using_and_standard_input(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(group=GROUP)
    answer = kleis("verify", RIGHT_IDENTITY, "--import", "group.kleis", "--using", "Group(G)", "--json")
    assert answer.json["status"] == "verified"
    assert kleis("verify", "1 = 1", "--using", "Group((").status == 2


def test_a_proposition_on_standard_input(process: Callable[..., Any]) -> None:
    answer = process("verify", "-", "--json", text="∀(x : ℤ). x ≤ x")
    assert (answer.status, answer.json["status"]) == (0, "verified")


def test_lemmas_are_proved_first(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(group=GROUP)
    arguments = ("verify", "∀(x y : G). x • (y • e) = x • y", "--import", "group.kleis", "--json")
    answer = kleis(*arguments, "--lemma", RIGHT_IDENTITY)
    assert (answer.json["status"], len(answer.json["lemmas"])) == ("verified", 1)
    wrong = kleis(*arguments, "--lemma", ABELIAN)
    assert (wrong.json["status"], wrong.status) == ("unknown", 3)
    assert "lemma" in wrong.json["message"]
    assert kleis(*arguments, "--lemma", "∀(").status == 2


def test_errors_have_the_line_and_a_caret(kleis: Callable[..., Any]) -> None:
    answer = kleis("verify", "1 + nowhere(2) = 3")
    assert answer.out == ""
    assert "<proposition>:1:5" in answer.err
    assert "^^^^^^^" in answer.err


def test_a_missing_import(kleis: Callable[..., Any]) -> None:
    answer = kleis("verify", "1 = 1", "--import", "nowhere.kleis", "--json")
    assert (answer.status, answer.json["status"]) == (2, "error")
    assert answer.json["problem"]["code"] == "import-missing"
    assert "nowhere" in kleis("verify", "1 = 1", "--import", "nowhere.kleis").err


# ── The cache ────────────────────────────────────────────────────────────────────────────────────────────────


def test_verdicts_are_kept_in_the_home(kleis: Callable[..., Any], tmp_path: Path) -> None:
    first = kleis("verify", "∀(x : ℤ). x ≠ 42", "--json").json
    assert first["cached"] is False
    again = kleis("verify", "∀(x : ℤ). x ≠ 42", "--json").json
    assert again["cached"] is True
    assert (again["status"], again["evidence"]) == (first["status"], first["evidence"])
    fresh = kleis("verify", "∀(x : ℤ). x ≠ 42", "--json", "--fresh").json
    assert fresh["cached"] is False
    assert any((tmp_path / ".home" / "verdicts").iterdir())


# ── Consistency ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_consistent_file_shows_its_model(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(group=GROUP)
    answer = kleis("consistent", "group.kleis")
    assert answer.status == 0
    assert answer.out.startswith("consistent  Group\n  model\n")


def test_an_inconsistent_file_names_the_axioms(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(both=GROUP + CLASH)
    answer = kleis("consistent", "both.kleis", "--json")
    assert (answer.status, answer.json["status"]) == (1, "inconsistent")
    parts = {part["name"]: part for part in answer.json["parts"]}
    assert {name: part["status"] for name, part in parts.items()} == {
        "Group": "consistent",
        "Clash": "inconsistent",
    }
    assert set(parts["Clash"]["core"]) == {"Clash::one", "Clash::two"}
    assert "inconsistent  Clash" in kleis("consistent", "both.kleis").out


@pytest.mark.parametrize(("text", "code"), [("structure", 2), ('import "nowhere"', 2), ("define x = 1", 0)])
def test_files_that_say_little_or_nothing(
    kleis: Callable[..., Any], write: Callable[..., None], text: str, code: int
) -> None:
    write(main=text)
    assert kleis("consistent", "main.kleis").status == code
    assert kleis("consistent", "missing.kleis").status == 2


# ── Words and tables ─────────────────────────────────────────────────────────────────────────────────────────

EVIDENCE = Evidence(
    kind="tables",
    bindings=(Binding("x", "G", "g1"),),
    carriers=(("G", ("g0", "g1")),),
    tables=(
        Table("e", ("G",), (("g0",),)),
        Table("inv", ("G", "G"), (("g0", "g0"), ("g1", "g1"))),
        Table(
            "•",
            ("G", "G", "G"),
            (("g0", "g0", "g0"), ("g0", "g1", "g1"), ("g1", "g0", "g1"), ("g1", "g1", "g0")),
        ),
    ),
)


def test_no_two_statuses_look_alike() -> None:
    statuses: tuple[Status, ...] = (
        "verified",
        "disproved",
        "consistent",
        "inconsistent",
        "unknown",
        "error",
    )
    pieces = [status_piece(Verdict(status=each)) for each in statuses]
    assert len({piece.text.split()[0] for piece in pieces}) == len(statuses)
    assert len({piece.role for piece in pieces}) == len(statuses)
    assert status_piece(Verdict(status="unknown", reason="memory")).text == "unknown (memory)"


def test_tables_in_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_verdict(Screen(), Verdict(status="disproved", claim="p", evidence=EVIDENCE))
    assert capsys.readouterr().out.splitlines() == [
        "disproved  p",
        "  counterexample",
        "    G = {g0, g1}",
        "    x = g1 : G",
        "    e = g0 : G",
        "    G    g0  g1",
        "    inv  g0  g1",
        "    •   g0  g1",
        "    g0  g0  g1",
        "    g1  g1  g0",
    ]


def test_a_table_with_missing_points_or_more_arguments_has_a_row_for_every_point() -> None:
    rows = (("g0", "g1", "g1"), ("g1", "g0", "g0"))
    assert grid(Table("f", ("G", "G", "G"), rows)) == (["G 1", "G 2", "f"], rows)
    three = (("g0", "g0", "g0", "true"),)
    assert grid(Table("between", ("G", "G", "G", "Bool"), three))[1] == three


def test_a_counterexample_on_one_line() -> None:
    text = witness_text(EVIDENCE)
    assert text.startswith("x = g1, G = {g0, g1}")
    assert "g0, g1 ↦ g1" in text


def test_the_fields_of_evidence_are_read_back() -> None:
    full = structs.replace(EVIDENCE, undefined=True, interpretation=(("f", "x + 1"),), rules=("a → b",))
    back = evidence_of(evidence_fields(full))
    unsorted = tuple(structs.replace(each, sort="") for each in full.bindings)
    assert back == structs.replace(full, bindings=unsorted)
    assert witness_text(back) == witness_text(full)


def test_everything_a_verdict_knows_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = Verdict(
        status="unknown",
        reason="resource",
        claim="p",
        message="no engine decided it",
        tried=("finite models: no countermodel up to size 6", "z3: steps used up"),
        advice="give a lemma",
        theory="inconsistent",
        warnings=(AnswerWarning("unknown-type", "G is a fresh carrier"),),
        attempts=(Attempt("z3", "silent", "steps used up", 12, 0.5),),
    )
    print_warnings(Screen(), verdict.warnings)
    print_verdict(Screen(), verdict, explain=True)
    shown = capsys.readouterr().out
    for text in (
        "unknown (resource)",
        "no engine decided it",
        "no countermodel up to size 6",
        "give a lemma",
        "inconsistent",
        "fresh carrier",
        "12 steps",
    ):
        assert text in shown
    print_verdict(
        Screen(), Verdict(status="verified", core=("A::x",), assumed=("A::x",), consistency="unknown")
    )
    shown = capsys.readouterr().out
    assert "not proved" in shown
    assert "whether they have a model is not known" in shown
    assert shown.splitlines()[0].startswith("verified – the axioms used are not known to have a model")


def test_a_terminal_gets_drawn_tables(write: Callable[..., None], tmp_path: Path) -> None:
    write(group=GROUP)
    status, text = on_a_terminal("verify", ABELIAN, "--import", "group.kleis")
    assert status == 1
    assert "\x1b[1;31mdisproved" in text
    assert "──" in text
