"""Commands on tools: evolve, list, show, diff, history, rollback, forget, analyze, help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from registry.cli.pif.commands import pif as commands
from registry.cli.pif.evolve_file import is_evolve_file
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.help import TOPICS
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace
from tests.support.files.command_lines import SQUARE, Pif, answer

DOUBLE = '{"add": [{"var": "x"}, {"var": "x"}]}'


def test_evolve_a_file_a_list_and_standard_input(pif: Pif, tmp_path: Path) -> None:
    one = {"name": "one", "description": "The first", "code": json.loads(SQUARE)}
    file = tmp_path / "one.json"
    file.write_text(json.dumps(one))
    pair = json.dumps([{**one, "name": "two"}, {**one, "name": "three", "code": SQUARE}])

    assert pif("evolve", file).stdout.startswith("one@1 created\n")
    assert pif("evolve", f"@{file}").stdout.startswith("one@1 unchanged\n")
    done = pif("evolve", "-", "--json", input=pair)
    assert [json.loads(line)["name"] for line in done.stdout.splitlines()] == ["two", "three"]
    assert answer(pif("list", "--json"))["total"] == 3


def test_evolve_says_what_the_workspace_says(pif: Pif, tmp_path: Path) -> None:
    """The object is that of `Workspace.evolve` for the same arguments."""
    listed = answer(pif("evolve", DOUBLE, "--name", "double", "--description", "Doubles", "--json"))

    store = SqliteStore(tmp_path / "another")
    assert listed == Workspace(store).evolve(Evolve("double", "Doubles", json.loads(DOUBLE)))
    store.close()


def test_a_bare_term_takes_its_name_from_the_option(pif: Pif) -> None:
    done = pif("evolve", DOUBLE, "--name", "double")

    assert "closed over  x" in done.stdout
    assert pif("run", "double", "21").stdout == "42\n"
    assert pif("evolve", DOUBLE).exit_code == 2


def test_a_bare_term_keeps_the_description(square: Pif) -> None:
    assert answer(square("evolve", DOUBLE, "--name", "square", "--json"))["description"] == "Squares a number"


def test_examples_are_promises(pif: Pif) -> None:
    kept = pif("evolve", SQUARE, "--name", "square", "--example", "-3", "9", "--example", "0", "0")
    refused = pif("evolve", DOUBLE, "--name", "square", "--example", "3", "9")

    assert "2 hold" in kept.stdout
    assert refused.exit_code == 1
    assert "example_failed" in refused.stderr
    assert pif("run", "square", "3").stdout == "9\n"
    assert pif("evolve", DOUBLE, "--name", "square", "--example", "3", "{").exit_code == 1


def test_a_dry_run_keeps_nothing(pif: Pif) -> None:
    done = pif("evolve", SQUARE, "--name", "square", "--dry-run", "--example", "2", "4")

    assert done.stdout.startswith("square@1 would be created\n")
    assert answer(pif("list", "--json"))["total"] == 0


def test_expect_version(square: Pif) -> None:
    assert square("evolve", DOUBLE, "--name", "square", "--expect-version", "0").exit_code == 1
    assert square("evolve", DOUBLE, "--name", "square", "--expect-version", "1").exit_code == 0


def test_options_stand_above_the_file(pif: Pif) -> None:
    file = json.dumps({"name": "one", "description": "in the file", "code": 1})

    made = answer(pif("evolve", file, "--name", "two", "--description", "beside it", "--json"))

    assert (made["name"], made["description"]) == ("two", "beside it")


def test_a_list_ends_at_the_first_refusal(pif: Pif) -> None:
    tools = [
        {"name": name, "description": "", "code": code}
        for name, code in (("a", 1), ("b", {"c": 1}), ("d", 2))
    ]
    done = pif("evolve", json.dumps(tools))

    assert done.exit_code == 1
    assert done.stderr.startswith("b:\ncode of b:\n")
    assert "1 of 3 tools were evolved before this one." in done.stderr
    assert [tool["name"] for tool in answer(pif("list", "--json"))["tools"]] == ["a"]
    assert pif("evolve", json.dumps(tools), "--name", "x").exit_code == 2


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ({"name": "a", "description": "", "cod": 1}, "did you mean `code`?"),
        ({"name": "a", "code": 1}, "`description` is missing"),
        ({"name": 5, "description": "", "code": 1}, "must be a string"),
        ({"name": "run", "description": "", "code": 1}, "reserved"),
        ({"name": "a b", "description": "", "code": 1}, "invalid_name"),
        ({"name": "a", "description": "", "code": 1, "examples": 5}, "must be an array"),
        ({"name": "a", "description": "", "code": 1, "examples": [{"input": 1}]}, "lacks the field `output`"),
    ],
)
def test_evolve_files_are_checked_as_the_server_checks(pif: Pif, file: dict[str, Any], said: str) -> None:
    done = pif("evolve", json.dumps(file))

    assert done.exit_code == 1
    assert said in done.stderr


@pytest.mark.parametrize(
    "data", [1, [], [1], {"lam": "x", "body": 1}, {"code_of": "a"}, [{"add": [1, 2]}], None]
)
def test_terms_are_no_evolve_files(data: Any) -> None:
    assert not is_evolve_file(data)


def test_warnings_go_to_standard_error(pif: Pif) -> None:
    done = pif("evolve", '{"app": ["later", {"var": "x"}]}', "--name", "early")

    assert 'the code names "later"' in done.stderr
    assert "later" not in done.stdout


def test_list(square: Pif) -> None:
    square("evolve", DOUBLE, "--name", "double", "--description", "Doubles\na number")

    assert square("list").stdout == (
        "double@1\t\tDoubles a number\tinteger → integer\nsquare@1\t\tSquares a number\tinteger → integer\n"
    )
    assert square("list", "squares", "number").stdout == "square@1\t\tSquares a number\tinteger → integer\n"
    paged = square("list", "--limit", "1", "--offset", "0")
    assert paged.stdout.count("\n") == 1
    assert "1 of 2; more with --offset 1" in paged.stderr
    assert answer(square("list", "--json", "--limit", "1"))["total"] == 2
    assert square("list", "nothing").stdout == ""
    assert square("list", "--limit", "0").exit_code == 2


def test_show(square: Pif) -> None:
    square("evolve", DOUBLE, "--name", "square")
    current, first = square("show", "square"), square("show", "square@1")

    assert '  {"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}' in current.stdout.splitlines()
    assert "none: it only computes" in current.stdout
    assert current.stdout.count("pif1:") == 3
    assert "current      square@2" in first.stdout
    assert answer(square("show", "square@1", "--json"))["version"] == 1


def test_what_is_not_there(square: Pif) -> None:
    for words in (
        ("show", "squar"),
        ("diff", "squar"),
        ("history", "squar"),
        ("rollback", "squar", "1"),
        ("forget", "squar", "--yes"),
        ("forget", "squar"),
        ("show", "a b"),
        ("diff", "square"),
        ("rollback", "square", "9"),
    ):
        done = square(*words)
        assert (done.exit_code, done.stdout) == (1, ""), words
        assert answer(square(*words, "--json"))["type"] == "error", words


def test_diff_history_rollback(square: Pif) -> None:
    square("evolve", DOUBLE, "--name", "square")

    shown = square("diff", "square")
    assert shown.stdout.splitlines() == [
        "square@1 → square@2",
        "/body",
        '  - {"mul": [{"var": "x"}, {"var": "x"}]}',
        '  + {"add": [{"var": "x"}, {"var": "x"}]}',
    ]
    assert "the same code" in square("diff", "square", "square@2").stdout
    assert answer(square("diff", "square", "--json"))["same"] is False

    assert square("rollback", "square", "1").stdout == "square is at version 1\n"
    assert square("run", "square", "9").stdout == "81\n"
    events = answer(square("history", "square", "--json"))["events"]
    assert [event["kind"] for event in events] == ["evolve", "evolve", "rollback"]
    assert [line.split("\t")[1] for line in square("history", "square").stdout.splitlines()] == [
        "evolve", "evolve", "rollback",
    ]  # fmt: skip


def test_forget_asks_or_is_told(square: Pif) -> None:
    asked = square("forget", "square", input="y\n")

    assert asked.exit_code == 2
    assert "--yes" in asked.stderr
    assert square("forget", "square@1", "--yes").stdout == "forgotten: square 1; the name is free\n"
    assert square("run", "square", "1").exit_code == 1


def test_analyze(square: Pif) -> None:
    of_tool, of_term = square("analyze", "square"), square("analyze", '{"add": [1, {"add": [2, 3]}]}')

    assert "operations   lam 1, mul 1, var 2" in of_tool.stdout
    assert of_term.stdout.splitlines()[-2:] == ["  normal form  ", "    6"]
    assert answer(square("analyze", "square", "--json", "--aspect", "facts")).keys() == {
        "type", "tool", "nodes", "depth", "operations", "free", "tools", "capabilities",
    }  # fmt: skip
    wrong = square("analyze", '[{"ad": 1}, {"subb": 2}]')
    assert wrong.exit_code == 0
    assert wrong.stdout.count("^^^") >= 2
    assert "2 errors" in wrong.stdout
    assert square("analyze", "squar").exit_code == 1


MIXED = '{"lam": "x", "body": {"if": {"cond": true, "then": {"add": [{"var": "x"}, 1]}, "else": "none"}}}'


def test_types_are_shown_and_are_advice(pif: Pif) -> None:
    evolved = pif("evolve", MIXED, "--name", "mixed")
    assert evolved.exit_code == 0
    assert "warning: /body/if/else: `if` gives from `then` integer, and this is string" in evolved.stderr
    assert pif("run", "mixed", "1").stdout == "2\n"
    assert pif("list").stdout == "mixed@1\t\t\tno type\n"
    assert "type         none: 1 type error" in pif("show", "mixed").stdout
    analyzed = pif("analyze", "mixed", "--aspect", "types").stdout
    assert "because: /body/if/then of the same code" in analyzed
    assert analyzed.count("^^^") >= 1
    unknown = pif("analyze", '{"lam": "q", "body": {"eval": {"var": "q"}}}').stdout
    assert "type         quoted → ?, not certain" in unknown
    assert "? at /body: what `eval` gives is known when it runs" in unknown


def test_types_of_tools_follow_what_they_depend_on(pif: Pif) -> None:
    pif("evolve", '{"app": ["inner", {"var": "x"}]}', "--name", "outer")
    assert answer(pif("list", "--json"))["tools"][0]["type"] == "? → ?"
    pif("evolve", '{"length": {"var": "x"}}', "--name", "inner")
    assert answer(pif("show", "outer", "--json"))["inferred_type"] == "sized a → integer"
    pif("evolve", '{"not": {"var": "x"}}', "--name", "inner")
    assert answer(pif("show", "outer", "--json"))["result_type"] == "boolean"


def test_cost_reach_and_dead_code_are_shown(square: Pif) -> None:
    assert "  fuel         9 to p(x, x) + 9\n" in square("show", "square").stdout
    told = square(
        "analyze",
        '{"lam": "x", "body": {"if": {"cond": true, "then": {"app": ["square", {"var": "x"}]}, "else": 1}}}',
    ).stdout
    assert "  reaches      square@1\n" in told
    assert "  dead code    /body/if/else: the condition is always true\n" in told
    assert "  fuel         19 to p(x, x) + 19\n" in told
    assert "x: magnitude of the input" in told
    assert "no bound: it calls itself (/body/app/func)" in square(
        "analyze", '{"lam": "n", "body": {"app": [{"self": true}, {"var": "n"}]}}'
    ).stdout  # fmt: skip


def test_python(pif: Pif, tmp_path: Path) -> None:
    file = tmp_path / "shout.py"
    file.write_text('def shout(s: str):\n    return s + "!"\n')
    made = pif("evolve", file, "--name", "shout")
    assert made.stdout.startswith("shout@1 created\n")
    assert "type         string → string" in made.stdout
    assert pif("run", "shout", '"hey"').stdout == '"hey!"\n'
    assert "  def shout(s):\n      return concat(s, '!')\n" in pif("show", "shout", "--python").stdout
    assert answer(pif("show", "shout", "--python", "--json"))["python"].startswith("def shout(s):")
    wrong = pif("evolve", "--language", "python", "lambda x: x.y", "--name", "wrong")
    assert wrong.exit_code == 1
    assert "line 1, column 11: values have no attributes here" in wrong.stderr
    assert pif("evolve", file).exit_code == 2
    pif("evolve", '{"lam": "q", "body": {"eval": {"var": "q"}}}', "--name", "runs")
    assert "`eval` has no Python form" in pif("show", "runs", "--python").stderr


def test_fuzz(square: Pif) -> None:
    square("evolve", '{"div": [1, {"var": "x"}]}', "--name", "inverse")
    found = square("fuzz", "inverse", "--seed", "4")
    assert found.exit_code == 0
    assert found.stdout.splitlines()[:2] == [
        "inverse@1 on integer: 200 runs, " + found.stdout.split()[5] + " different inputs",
        "  seed         4",
    ]
    assert "smallest: pif run inverse@1 0\n" in found.stdout
    assert "division_by_zero: `div` by zero" in found.stdout
    assert square("fuzz", "inverse", "--seed", "4").stdout == found.stdout
    assert square("fuzz", "inverse", "--strict").exit_code == 1
    assert square("fuzz", "square", "--strict").exit_code == 0
    told = answer(square("fuzz", "square", "--json", "--examples", "20"))
    assert (told["type"], told["examples"], told["outcomes"]) == ("fuzz", 20, {"value": 20})
    assert answer(square("fuzz", "square", "--json", "--seed", str(told["seed"]), "--examples", "20")) == told
    assert square("fuzz", "nothing").exit_code == 1
    assert "`type` is no type" in square("fuzz", "square", "--type", "lists").stderr


def test_help(pif: Pif) -> None:
    for topic in TOPICS:
        assert pif("help", topic).exit_code == 0
    assert answer(pif("help", "lists", "--json"))["topic"] == "lists"
    assert "Categories" in pif("help").stdout
    assert "Usage: pif run" in pif("help", "run").stdout
    assert answer(pif("help", "run", "--json"))["type"] == "error"
    assert pif("help", "nonsense").exit_code == 1


def test_every_command_explains_itself(pif: Pif) -> None:
    for name in commands.commands:
        shown = pif(name, "--help")
        assert shown.exit_code == 0
        assert ("--json" in shown.stdout) == (name not in ("serve", "gateway", "completion", "repl", "ui")), (
            name
        )
        assert ("--home" in shown.stdout) == (name != "completion")
        assert pif(name, "--nonsense").exit_code == 2
    assert "has no --json" in pif("serve", "--json").stderr
    assert "Status 2 is explained on standard error only" in " ".join(pif("--help").stdout.split())


def test_all_lines_of_a_description_are_indented(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square", "--description", "Squares.\n\nOf numbers only.")

    assert pif("show", "square").stdout.splitlines()[1:4] == ["  Squares.", "  ", "  Of numbers only."]


@pytest.mark.parametrize("word", ["nofile.json", "./nofile", "/nowhere/x.json"])
@pytest.mark.parametrize("command", [("evolve",), ("run",), ("analyze",)])
def test_a_file_that_is_not_there(pif: Pif, command: tuple[str, ...], word: str) -> None:
    done = pif(*command, word)

    assert done.exit_code == 2
    assert f"{word.removeprefix('./')}: No such file or directory" in done.stderr


def test_a_directory_is_no_file(pif: Pif, tmp_path: Path) -> None:
    assert f"{tmp_path}: Is a directory" in pif("evolve", tmp_path).stderr


@pytest.mark.parametrize("text", ["{a/b.json", '"a/b', "[1/2]"])
def test_broken_json_is_no_file(pif: Pif, text: str) -> None:
    assert "is not JSON" in pif("evolve", text).stderr
