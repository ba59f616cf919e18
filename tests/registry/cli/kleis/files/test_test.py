"""`kleis test`: statuses, the exact JSON, and assertions that exact evaluation leaves open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.files.command_lines import on_a_terminal

PROGRAM = """
define f(x) = x + 1
example "good" {
  let y = f(1)
  assert(y = 2)
  assert(f(2) = 3)
}
example "bad" {
  assert(f(1) = 2)
  assert(f(1) = 3)
}
example "proved" {
  assert(∀(x : ℤ). f(x) > x)
}
example "open" {
  assert(∀(x : ℝ). atan(x) < 2)
}
example "mixed" {
  assert(f(1) = 2)
  assert(∀(x : ℝ). atan(x) < 2)
}
"""


def test_json_to_the_letter(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main=PROGRAM)
    answer = kleis("test", "--json", "main.kleis")
    assert answer.status == 1
    (file,) = answer.json["files"]
    assert list(file) == ["file", "parse", "examples"]
    assert (file["file"], file["parse"]) == ("main.kleis", "ok")
    for example in file["examples"]:
        assert list(example) == ["name", "passed", "error", "assertions"]
        for assertion in example["assertions"]:
            assert list(assertion) == ["line", "kind", "status", "detail"]
    assert [(each["name"], each["passed"], each["error"]) for each in file["examples"]] == [
        ("good", True, None),
        ("bad", False, None),
        ("proved", True, None),
        ("open", False, "unknown"),
        ("mixed", False, "unknown"),
    ]
    assert [
        (assertion["line"], assertion["kind"], assertion["status"])
        for example in file["examples"]
        for assertion in example["assertions"]
    ] == [
        (5, "assert", "passed"),
        (6, "assert", "passed"),
        (9, "assert", "passed"),
        (10, "assert", "failed"),
        (13, "assert", "passed"),
        (16, "assert", "unknown"),
        (19, "assert", "passed"),
        (20, "assert", "unknown"),
    ]


@pytest.mark.parametrize(
    ("selection", "status"), [("good", 0), ("open", 0), ("mixed", 0), ("bad", 1), ("o", 0)]
)
def test_what_is_unknown_does_not_fail(
    kleis: Callable[..., Any], write: Callable[..., None], selection: str, status: int
) -> None:
    write(main=PROGRAM)
    answer = kleis("test", "--json", "--example", selection, "main.kleis")
    assert answer.status == status
    names = [each["name"] for each in answer.json["files"][0]["examples"]]
    assert names == [name for name in ("good", "bad", "proved", "open", "mixed") if selection in name]


def test_a_selection_that_selects_nothing_is_a_wrong_command(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main=PROGRAM)
    assert kleis("test", "--example", "nothing like it", "main.kleis").status == 2


def test_every_kind_of_assertion(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(
        main='example "a" { assert_disproved(1 = 2) assert_unknown(∀(x : ℤ). x = x) assert_inconsistent(1 = 2) }'
    )
    (example,) = kleis("test", "--json", "main.kleis").json["files"][0]["examples"]
    kinds = [each["kind"] for each in example["assertions"]]
    assert kinds == ["assert_disproved", "assert_unknown", "assert_inconsistent"]
    statuses = {each["status"] for each in example["assertions"]}
    assert statuses == {"passed", "failed"}
    assert [each["status"] for each in example["assertions"]] == ["passed", "failed", "passed"]


def test_people_see_what_failed_and_counts(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main=PROGRAM)
    lines = kleis("test", "main.kleis").out.splitlines()
    assert "passed main.kleis: good" in lines
    assert "failed main.kleis: bad" in lines
    assert "  main.kleis:10: failed: assert(f(1) = 3)" in lines
    assert "passed main.kleis: proved" in lines
    assert "unknown main.kleis: open" in lines
    assert lines[-1] == "2 passed, 1 failed, 2 unknown"


def test_only_exact_evaluation_asks_the_prover_nothing(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main=PROGRAM)
    lines = kleis("test", "--exact", "main.kleis").out.splitlines()
    assert "needs the prover main.kleis: proved" in lines
    assert lines[-1] == "1 passed, 1 failed, 3 not decided without the prover"


def test_a_block_that_cannot_go_on_carries_the_reason(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main='example "a" { let x = 1 / 0  assert(x = 1) }\nexample "b" { assert(1 = 1) }')
    answer = kleis("test", "--json", "main.kleis")
    assert answer.status == 1
    first, second = answer.json["files"][0]["examples"]
    assert first["passed"] is False
    assert first["error"].startswith("main.kleis:1:")
    assert second["passed"] is True


def test_syntax_errors_stop_the_blocks_and_are_all_told(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main='define =\nexample "a" { assert(1 = 1) }\ndefine f( = 1')
    answer = kleis("test", "--json", "main.kleis")
    assert answer.status == 1
    (file,) = answer.json["files"]
    assert [error["line"] for error in file["parse"]] == [1, 3]
    (example,) = file["examples"]
    assert (example["passed"], example["assertions"]) == (False, [])
    assert "syntax" in example["error"]


def test_a_missing_import_stops_the_blocks(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main='import "nowhere"\nexample "a" { assert(1 = 1) }', empty='import "nowhere"')
    answer = kleis("test", "--json", "main.kleis", "empty.kleis")
    assert answer.status == 1
    main, empty = answer.json["files"]
    assert main["parse"] == "ok"
    assert "nowhere" in main["examples"][0]["error"]
    assert main["examples"][0]["passed"] is False
    assert [each["code"] for each in main["problems"]] == ["import-missing"]
    assert (empty["examples"], [each["code"] for each in empty["problems"]]) == ([], ["import-missing"])


def test_definitions_of_imports_are_used_and_their_examples_not_run(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main='import "lib"\nexample "a" { assert(double(3) = 6) }')
    write(lib='define double(x) = x + x\nexample "in the library" { assert(1 = 2) }')
    answer = kleis("test", "--json", "main.kleis")
    assert answer.status == 0
    assert [each["name"] for each in answer.json["files"][0]["examples"]] == ["a"]


def test_path_is_searched(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(src__main='import "far"\nexample "a" { assert(x = 1) }', lib__far="define x = 1")
    assert kleis("test", "src/main.kleis", "--path", "lib").status == 0


def test_directories(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(dir__one='example "a" { assert(1 = 1) }', dir__sub__two='example "b" { assert(2 = 2) }', other="x")
    answer = kleis("test", "dir")
    assert answer.status == 0
    assert answer.out.splitlines()[-1] == "2 passed, 0 failed"


def test_what_programs_print(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main='example "a" { out("hello")  assert(1 = 1) }')
    assert kleis("test", "main.kleis").out.splitlines()[0] == "hello"
    answer = kleis("test", "--json", "main.kleis")
    assert answer.err == "hello\n"
    assert answer.json["files"][0]["examples"][0]["passed"] is True


def test_a_file_may_be_read_only_below_the_granted_directory(
    kleis: Callable[..., Any], write: Callable[..., None], tmp_path: Any
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("inside")
    (tmp_path / "b.txt").write_text("outside")
    write(main='example "a" { assert(readFile("a.txt") = "inside") }')
    write(escape='example "a" { assert(readFile("../b.txt") = "outside") }')
    assert kleis("test", "main.kleis").status == 1
    assert kleis("test", "main.kleis", "--grant", "data").status == 0
    assert kleis("test", "escape.kleis", "--grant", "data").status == 1


def test_warnings_are_no_part_of_testing(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main='define f(x) = 1\ndefine f(x) = 2\nexample "a" { assert(f(0) = 2) }')
    answer = kleis("test", "main.kleis")
    assert (answer.status, answer.err) == (0, "")


def test_standard_input(process: Callable[..., Any]) -> None:
    answer = process("test", "--json", "-", text='example "a" { assert(1 + 1 = 2) }')
    assert (answer.status, answer.json["files"][0]["file"]) == (0, "-")


def test_a_terminal_gets_colours_and_a_table(write: Callable[..., None]) -> None:
    write(one='example "a" { assert(1 = 1) out("\x1b[2J") }', two='example "b" { assert(1 = 2) }')
    status, text = on_a_terminal("test", "one.kleis", "two.kleis")
    assert status == 1
    assert "\x1b[32mpassed\x1b[0m one.kleis: a" in text
    assert "unknown" in text
    assert "│" in text
    assert "\\u001b[2J" in text
    assert "\x1b[2J" not in text


# ── What exact evaluation leaves open ────────────────────────────────────────────────────────────────────────

GROUP = """
structure Group(G) {
  operation (•) : G × G → G
  element e : G
  operation inv : G → G
  axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
  axiom left_id : ∀(x : G). e • x = x
  axiom left_inv : ∀(x : G). inv(x) • x = e
}
"""
BOUNDED = "∀(x : ℝ). atan(x) < 2"


@pytest.mark.parametrize(
    ("assertion", "status"),
    [
        ("assert(∀(x : G). x • e = x)", "passed"),
        ("assert(∀(x y : G). x • y = y • x)", "failed"),
        (f"assert({BOUNDED})", "unknown"),
        ("assert(∀(x : ℤ). x • x = x)", "error"),
        ("assert_disproved(∀(x y : G). x • y = y • x)", "passed"),
        ("assert_disproved(∀(x : G). x • e = x)", "failed"),
        (f"assert_disproved({BOUNDED})", "unknown"),
        (f"assert_unknown({BOUNDED})", "passed"),
        ("assert_unknown(∀(x : G). x • e = x)", "failed"),
        ("assert_unknown(∀(x y : G). x • y = y • x)", "failed"),
        ("assert_inconsistent(∀(x : G). x • e ≠ x)", "passed"),
        ("assert_inconsistent { ∃(x : ℤ). x * x = 4 ; ∀(x : ℤ). x * x ≠ 4 }", "passed"),
        ("assert_inconsistent(∀(x y : G). x • y = y • x)", "failed"),
        ("assert_inconsistent", "failed"),
        ("assert_sat(∃(x y : G). x • y ≠ y • x)", "passed"),
        ("assert_sat(∃(x : G). x • e ≠ x)", "failed"),
        ("assert_sat(∃(x : ℤ). x * x = 49)", "passed"),
        ("let x : ℤ assert_sat(x * x = 49)", "passed"),
        ("let x : ℤ assert_sat(x * x = 50)", "failed"),
        ("assert_sat(1 + 1 = 2)", "passed"),
        ("let x : ℤ assert_sat(x / 0 = 1)", "unknown"),
        (f"assert_sat(¬({BOUNDED}))", "unknown"),
    ],
)
def test_the_prover_decides(
    kleis: Callable[..., Any], write: Callable[..., None], assertion: str, status: str
) -> None:
    write(main=f'{GROUP}example "a" {{ {assertion} }}')
    answer = kleis("test", "--json", "main.kleis")
    (example,) = answer.json["files"][0]["examples"]
    assert example["assertions"][0]["status"] == status, example
    assert example["passed"] is (status == "passed")
    assert answer.status == (0 if status in ("passed", "unknown") else 1)


def test_a_counterexample_is_the_detail(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main='example "a" { assert(∀(x : ℤ). x ≠ 42) }')
    (example,) = kleis("test", "--json", "main.kleis").json["files"][0]["examples"]
    assert example["assertions"][0]["detail"] == "disproved: x = 42"


@pytest.mark.parametrize(
    ("block", "statuses", "detail"),
    [
        (
            "let n = 3 let x : ℤ assert(x + n > x) assert(x + n ≠ 45)",
            ["passed", "failed"],
            "disproved: x = 42",
        ),
        ("let x : ℤ let y = x * x assert(y ≥ 0) assert(y ≠ 49)", ["passed", "failed"], "disproved: x = 7"),
        ("let x = 1 let x = x + 1 let z : ℤ assert(z + x = z + 2)", ["passed"], ""),
        ("let x : ℤ let x = 5 let z : ℤ assert(z + x = z + 5)", ["passed"], ""),
        ("let x : ℤ assert_inconsistent(x > 1 ∧ x < 0) assert_inconsistent(x > 1)", ["passed", "failed"], ""),
        ("let f = λ y . y + 1 let z : ℤ assert(f(z) > z)", ["passed"], ""),
    ],
)
def test_lets_stand_around_the_proposition(
    kleis: Callable[..., Any], write: Callable[..., None], block: str, statuses: list[str], detail: str
) -> None:
    write(main=f'example "a" {{ {block} }}')
    (example,) = kleis("test", "--json", "main.kleis").json["files"][0]["examples"]
    assert [each["status"] for each in example["assertions"]] == statuses, example
    if detail:
        assert example["assertions"][-1]["detail"].startswith(detail)


def test_a_clash_fails_what_reaches_it_and_warns_of_the_file(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(
        main="structure Clash { element c : ℤ axiom one : c = 1 axiom two : c = 2 }\n"
        "structure Sound { element s : ℤ axiom three : s = 3 }\n"
        'example "apart" { assert(1 + 1 = 2) assert(s = 3) assert(∀(x : ℤ). x + 0 = x) }\n'
        'example "reached" { assert(c = 1) }\n'
        'example "said" { assert_inconsistent }'
    )
    answer = kleis("test", "--json", "main.kleis")
    report = answer.json["files"][0]
    assert {each["name"]: each["passed"] for each in report["examples"]} == {
        "apart": True,
        "reached": False,
        "said": True,
    }
    assert "clash" in report["examples"][1]["assertions"][0]["detail"]
    assert [each["code"] for each in report["warnings"]] == ["clash"]
    assert "Clash::one" in report["warnings"][0]["message"]
    assert answer.status == 1


@pytest.mark.parametrize("jobs", ["1", "2", "7"])
def test_the_number_of_jobs_changes_no_answer(
    kleis: Callable[..., Any], write: Callable[..., None], jobs: str
) -> None:
    numbers = range(1, 9)
    for number in numbers:
        write(
            **{
                f"dir__file{number}": f'example "{number}" {{ assert(∀(x : ℤ). x ≠ {number})\n'
                f"assert(∀(x : ℤ). x + {number} > x) }}"
            }
        )
    answer = kleis("test", "--json", "--fresh", "--jobs", jobs, "dir")
    assert answer.status == 1
    found = [
        [(each["status"], each["detail"]) for each in file["examples"][0]["assertions"]]
        for file in answer.json["files"]
    ]
    assert found == [[("failed", f"disproved: x = {number}"), ("passed", "")] for number in numbers]


def test_no_jobs_is_a_wrong_command(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main=PROGRAM)
    assert kleis("test", "--jobs", "0", "main.kleis").status == 2
