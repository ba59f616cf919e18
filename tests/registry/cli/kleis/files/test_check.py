"""`kleis check`: parsing, imports, names, lints; the exact JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ERROR_KEYS = {
    "severity", "code", "message", "file", "line", "column", "end_line", "end_column", "found", "expected", "hint",
}  # fmt: skip
LINT_KEYS = {"severity", "code", "message", "hint", "file", "line", "column", "end_line", "end_column"}


def codes(file: dict[str, Any]) -> list[tuple[str, str, int]]:
    return [(each["severity"], each["code"], each["line"]) for each in file["problems"]]


def test_a_good_file(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(good='define f(x) = x + 1\nexample "a" { assert(f(1) = 2) }')
    answer = kleis("check", "good.kleis", "--json")
    assert answer.status == 0
    assert answer.json == {"files": [{"file": "good.kleis", "parse": "ok", "problems": []}]}
    assert answer.err == ""
    assert kleis("check", "good.kleis")[:2] == (0, "ok good.kleis\n")


def test_all_errors_of_all_files(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(one="define = 1\ndefine f(x) = x\ndefine g( = 2", two="define h(x) = f(x", three="define k = 1")
    answer = kleis("check", "--json", "one.kleis", "two.kleis", "three.kleis")
    assert answer.status == 1
    one, two, three = answer.json["files"]
    assert [error["line"] for error in one["parse"]] == [1, 3]
    assert [error["line"] for error in two["parse"]] == [1]
    assert three["parse"] == "ok"
    for error in (*one["parse"], *two["parse"]):
        assert set(error) == ERROR_KEYS
        assert error["severity"] == "error"


def test_problems_of_every_kind(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(
        main='import "lib"\nimport "lib.kleis"\ndefine f(x) = inc(x, x)\ndefine inc(x) = x\n'
        "define g(x) = lenght(x)\ndata D = A\n",
        lib="define inc(x) = x + 1\ndata D = B\ndefine bad(x) = whatever(x)",
    )
    answer = kleis("check", "--json", "main.kleis")
    assert answer.status == 1
    (file,) = answer.json["files"]
    assert file["parse"] == "ok"
    assert codes(file) == [
        ("warning", "duplicate-import", 2),
        ("error", "arity", 3),
        ("warning", "redefinition", 4),
        ("error", "unknown-function", 5),
        ("error", "duplicate-declaration", 6),
    ]
    for each in file["problems"]:
        assert set(each) == ERROR_KEYS | {"related"}
    assert file["problems"][4]["related"] == [{"file": "lib.kleis", "line": 2, "column": 1}]
    assert "did you mean length" in file["problems"][3]["hint"]


def test_a_cycle_of_imports_is_reported_at_every_file_in_it(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(a='import "b.kleis"\n', b='import "c.kleis"\n', c='import "a.kleis"\n', d='import "a.kleis"\n')
    for name in ("a", "b", "c"):
        (file,) = kleis("check", "--json", f"{name}.kleis").json["files"]
        assert [each["code"] for each in file["problems"]] == ["import-cycle"]
    (file,) = kleis("check", "--json", "d.kleis").json["files"]
    assert file["problems"] == []


MONOID = """
structure Mon(M) {
    operation (•) : M × M → M
    element e : M
    axiom left : ∀(x : M). e • x = x
}
implements Mon(ℤ) { operation (•)(x, y) = x + y  element e = UNIT }
"""


def test_a_false_implementation_is_an_error(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(false=MONOID.replace("UNIT", "1"), true=MONOID.replace("UNIT", "0"))
    (file,) = kleis("check", "--json", "false.kleis").json["files"]
    assert codes(file) == [("error", "axiom-fails", 7)]
    assert "left fails: x = 0" in file["problems"][0]["message"]
    assert kleis("check", "true.kleis").status == 0
    refused = kleis("consistent", "--json", "false.kleis")
    assert (refused.status, refused.json["status"]) == (1, "disproved")
    assert [(each["name"], each["status"]) for each in refused.json["parts"]] == [
        ("Mon", "consistent"),
        ("Mon(ℤ)", "disproved"),
    ]
    assert kleis("consistent", "--json", "true.kleis").json["status"] == "consistent"


def test_cases_that_no_value_reaches(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(
        main="data L = A | B(x : ℤ)\n"
        "define f(l : L) : ℤ = match l { A => 1 | B(x) => x }\n"
        "define g(l : L) : ℤ = match l { A => 1 | B(x) => x\n | _ => 3 }\n"
        "define h(l : L) : ℤ = match l { A if 1 = 2 => 1 | B(x) => x | A => 3 }\n"
    )
    answer = kleis("check", "--json", "main.kleis")
    assert answer.status == 0
    assert codes(answer.json["files"][0]) == [("warning", "unreachable-case", 4)]


def test_missing_and_broken_imports_are_problems(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main='import "nowhere"\nimport "broken"\ndefine f(x) = anything(x)', broken="define =")
    (file,) = kleis("check", "--json", "main.kleis").json["files"]
    assert file["parse"] == "ok"
    found = {(each["file"], each["code"], each["line"]) for each in file["problems"]}
    assert ("main.kleis", "import-missing", 1) in found
    assert ("main.kleis", "import-broken", 2) in found
    assert any(name == "broken.kleis" for name, _, _ in found)
    assert "unknown-function" not in {code for _, code, _ in found}


def test_syntax_only_looks_at_the_text_alone(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main='import "nowhere"\ndefine f(x) = anything(x)', bad="define =")
    answer = kleis("check", "--syntax-only", "--json", "main.kleis")
    assert (answer.status, answer.json["files"]) == (
        0,
        [{"file": "main.kleis", "parse": "ok", "problems": []}],
    )
    assert kleis("check", "--syntax-only", "bad.kleis").status == 1


def test_lints_are_warnings_and_do_not_fail(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main="define f(x) = -x^2")
    answer = kleis("check", "--json", "main.kleis")
    assert answer.status == 0
    (lint,) = answer.json["files"][0]["problems"]
    assert set(lint) == LINT_KEYS
    assert lint["severity"] == "warning"


def test_people_see_the_line_and_a_caret(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main="define f(x) =\n    1 + lenght(x)")
    answer = kleis("check", "main.kleis")
    assert answer.out.splitlines() == [
        "error[unknown-function] main.kleis:2:9: the function lenght is declared nowhere",
        "      1 + lenght(x)",
        "          ^^^^^^",
        "  hint: did you mean length?",
        "not ok main.kleis",
    ]
    assert answer.err == ""


def test_directories_and_standard_input(process: Callable[..., Any], write: Callable[..., None]) -> None:
    write(dir__b="define b = 1", dir__sub__a="define a = 1", lib="define x = 1")
    answer = process("check", "--json", "dir", "-", text='import "lib"\ndefine y = x')
    assert answer.status == 0
    assert [file["file"] for file in answer.json["files"]] == ["dir/b.kleis", "dir/sub/a.kleis", "-"]


def test_path_and_kleis_root(process: Callable[..., Any], write: Callable[..., None]) -> None:
    write(src__main='import "far"\nimport "root"', lib__far="define x = 1", base__root="define y = 1")
    assert process("check", "src/main.kleis").status == 1
    answer = process("check", "src/main.kleis", "--path", "lib", environment={"KLEIS_ROOT": "base"})
    assert (answer.status, answer.out) == (0, "ok src/main.kleis\n")


def test_a_file_that_is_no_text(kleis: Callable[..., Any], tmp_path: Any) -> None:
    (tmp_path / "bad.kleis").write_bytes(b"define x = \xff")
    answer = kleis("check", "--json", "bad.kleis")
    assert answer.status == 1
    (error,) = answer.json["files"][0]["parse"]
    assert (error["code"], error["line"], error["column"]) == ("file-encoding", 1, 12)
