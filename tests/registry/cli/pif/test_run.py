"""`pif run`: what its arguments may be, what it prints, how it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.files.command_lines import FACTORIAL, SQUARE, Pif, answer


def test_a_tool_by_name(square: Pif) -> None:
    done = square("run", "square", "7")

    assert (done.exit_code, done.stdout, done.stderr) == (0, "49\n", "")


def test_json_is_the_servers_object(square: Pif) -> None:
    done = square("run", "square", "7", "--json")

    assert answer(done) == {"type": "value", "value": 49, "kind": "integer", "fuel_used": 10}
    assert square("--json", "run", "square", "7").stdout == done.stdout


@pytest.mark.parametrize(("given", "value"), [("-7", "49"), ('"-7"', "49"), (" 7 ", "49"), ('"0x"', None)])
def test_inputs_are_read_as_run_reads_them(square: Pif, given: str, value: str | None) -> None:
    done = square("run", "square", given)

    assert done.stdout.strip() == (value or "")
    assert done.exit_code == (0 if value else 1)


def test_a_term_a_file_and_standard_input(pif: Pif, tmp_path: Path) -> None:
    file = tmp_path / "square.json"
    file.write_text(SQUARE)

    assert pif("run", SQUARE, "5").stdout == "25\n"
    assert pif("run", f"@{file}", "5").stdout == "25\n"
    assert pif("run", file, "5").stdout == "25\n"
    assert pif("run", "-", "5", input=SQUARE).stdout == "25\n"
    assert pif("run", SQUARE, "-", input="6").stdout == "36\n"
    assert pif("run", '{"add": [1, 2]}').stdout == "3\n"


def test_a_tool_stands_before_a_file_of_its_name(
    square: Pif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "square").write_text("1")
    (tmp_path / "other").write_text("1")
    monkeypatch.chdir(tmp_path)

    assert square("run", "square", "7").stdout == "49\n"
    assert square("run", "@square").stdout == "1\n"
    assert square("run", "other").stdout == "1\n"


def test_json_stands_before_a_file_of_its_name(
    pif: Pif, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "5").write_text("6")
    monkeypatch.chdir(tmp_path)

    assert pif("run", "5").stdout == "5\n"
    assert pif("run", "./5").stdout == "6\n"


def test_versions(square: Pif) -> None:
    square("evolve", '{"add": [{"var": "x"}, {"var": "x"}]}', "--name", "square")

    assert square("run", "square", "7").stdout == "14\n"
    assert square("run", "square@1", "7").stdout == "49\n"
    assert square("run", "square@3", "7").exit_code == 1


def test_no_input_is_null(pif: Pif) -> None:
    assert pif("run", '{"lam": "x", "body": {"var": "x"}}').stdout == "null\n"


def test_a_continuation_says_how_to_go_on(pif: Pif) -> None:
    pif("evolve", FACTORIAL, "--name", "factorial")
    done = pif("run", "factorial", '{"pair": [5, 1]}')

    assert done.exit_code == 0
    assert "pif run factorial '{\"pair\":[4,5]}' --step 1" in done.stdout
    again = pif("run", "factorial", '{"pair":[4,5]}', "--step", "1", "--json")
    assert answer(again)["step"] == 2


def test_drive(pif: Pif) -> None:
    pif("evolve", FACTORIAL, "--name", "factorial")

    driven = pif("run", "factorial", '{"pair": [5, 1]}', "--drive", "10")
    stopped = pif("run", "factorial", '{"pair": [5, 1]}', "--drive", "10", "--fuel", "60")

    assert (driven.stdout, driven.stderr) == ("120\n", "")
    assert "out_of_fuel" not in stopped.stdout
    assert "--fuel" in stopped.stderr
    assert stopped.exit_code == 0


def test_trace_goes_to_standard_error(square: Pif) -> None:
    done = square("run", "square", "7", "--trace", "2")
    listed = answer(square("run", "square", "7", "--trace", "2", "--json"))

    assert done.stdout == "49\n"
    assert [line.split()[1] for line in done.stderr.splitlines()] == [
        "square@1/body/mul/0",
        "square@1/body/mul/1",
    ]
    assert len(listed["trace"]) == 2


def test_raw_and_data(pif: Pif) -> None:
    identity = '{"lam": "x", "body": {"var": "x"}}'

    assert pif("run", identity, '"42"').stdout == "42\n"
    assert pif("run", identity, '"42"', "--raw").stdout == '"42"\n'
    assert pif("run", identity, '{"add": [1, 2]}').stdout == "3\n"
    assert json.loads(pif("run", identity, '{"add": [1, 2]}', "--data").stdout) == {"add": [1, 2]}


def test_exact_large_integers(square: Pif) -> None:
    assert square("run", "square", "9007199254740993").stdout == f"{9007199254740993**2}\n"


def test_a_value_too_deep_to_print_as_data_comes_as_text(pif: Pif) -> None:
    nest = '{"fold": [{"lam": "p", "body": [{"fst": {"var": "p"}}]}, 0, {"range": [0, 300]}]}'
    done = pif("run", nest, "--fuel", "100000")

    assert done.stdout == "[" * 300 + "0" + "]" * 300 + "\n"
    assert "value" not in answer(pif("run", nest, "--fuel", "100000", "--json"))


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("run", "squar", "7"), "parse_error"),
        (("run", '{"mull": [1, 2]}'), "parse_error"),
        (("run", '{"mul": [1, 2]'), "parse_error"),
        (("run", "square", '{"a": '), "parse_error"),
        (("run", "square", "Ada"), "parse_error"),
        (("run", "square", "[" * 2_000), "term_too_deep"),
        (("run", "square", '"a"'), "type_error"),
        (("run", "square", "7", "--fuel", "50000001"), "invalid_argument"),
        (("run", "square", "7", "--fuel", "2"), "out_of_fuel"),
        (("run", '"\\ud800"'), "parse_error"),
    ],
)
def test_errors_end_with_1(square: Pif, words: tuple[str, ...], kind: str) -> None:
    plain, listed = square(*words), square(*words, "--json")

    assert (plain.exit_code, plain.stdout) == (1, "")
    assert kind in plain.stderr
    assert listed.exit_code == 1
    assert answer(listed)["error"]["kind"] == kind


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run",), "Missing argument"),
        (("run", SQUARE, "7", "8"), "several arguments are for a tool"),
        (("run", "square", "7", "--fule", "8"), "--fuel"),
        (("run", "square", "7", "--fuel", "0"), "--fuel"),
        (("run", "square", "7", "--fuel", "-1"), "--fuel"),
        (("run", "square", "7", "--trace", "1001"), "--trace"),
        (("run", "@missing.json", "7"), "missing.json"),
        (("run", "square", "@."), "directory"),
        (("run", "-", "-"), "standard input"),
        (("rnu", "square"), "'run'"),
        (("run", '{"name": "a", "description": "", "code": 1}'), "pif evolve"),
    ],
)
def test_usage_errors_end_with_2(square: Pif, words: tuple[str, ...], said: str) -> None:
    done = square(*words)

    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_bytes_that_are_no_text(pif: Pif, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(b'"\xff"')

    assert pif("run", f"@{tmp_path / 'bad.json'}").exit_code == 2
    assert pif("run", "-", input=b'"\xff"').exit_code == 2


def test_a_file_may_begin_with_a_mark_of_its_encoding(pif: Pif, tmp_path: Path) -> None:
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf[1, 2]")

    assert pif("run", tmp_path / "marked.json").stdout == "[1,2]\n"


def test_a_term_runs_where_no_home_can_be_made(pif: Pif) -> None:
    nowhere = ("--home", "/proc/nothing/here")
    done = pif("run", '{"add": [1, 2]}', *nowhere)
    assert (done.exit_code, done.stdout) == (0, "3\n")
    assert "cannot be written" in done.stderr
    assert pif("evolve", SQUARE, "--name", "square", *nowhere).exit_code == 1


SUMS = '{"fold": [{"lam": "p", "body": {"app": ["std.sum", {"range": [0, 2000]}]}}, 0, {"range": [0, 100]}]}'


def test_fuel_that_ran_out_names_the_tools_and_what_to_raise(square: Pif) -> None:
    done = square("run", SUMS, "--fuel", "100000")
    assert done.exit_code == 1
    for said in ("hint: Pass --fuel 1000000", "way down: the code ", " % → std.sum@1 ", "fuel used: 100000"):
        assert said in done.stderr
    shares = answer(square("run", SUMS, "--fuel", "100000", "--json"))["error"]["shares"]
    assert [each["where"] for each in shares] == ["the code", "std.sum@1"]
    assert sum(each["fuel"] for each in shares) == 100_000


def test_the_command_line_gives_a_million(square: Pif) -> None:
    long = '{"fold": [{"lam": "p", "body": 0}, 0, {"range": [0, 400000]}]}'
    assert answer(square("run", long, "--json"))["error"]["fuel_used"] == 1_000_000
    assert square("run", long, "--fuel", "5000000").stdout == "0\n"


def test_the_maximum_of_fuel_is_a_setting(square: Pif, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIF_MAX_FUEL", "5000")
    asked = square("run", "square", "7", "--fuel", "5001")
    assert "`fuel` must be from 1 to 5000" in asked.stderr
    assert "PIF_MAX_FUEL" in asked.stderr
    short = square("run", SUMS)
    assert "the run used all its 5000 units" in short.stderr
    assert "The most for one run is 5000, which PIF_MAX_FUEL" in short.stderr
    for wrong in ("many", "0", "-5", "1e6", "9" * 40):
        monkeypatch.setenv("PIF_MAX_FUEL", wrong)
        done = square("run", "square", "7")
        assert (done.exit_code, "PIF_MAX_FUEL is no positive number" in done.stderr) == (1, True)
