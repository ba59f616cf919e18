"""Error messages show the place: in the code, in the input, in a tool, in text that is not JSON."""

from __future__ import annotations

from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.cli.terminal.characters import cells, shortened, visible
from tests.support.files.command_lines import SQUARE, Pif, answer


def pointed(stderr: str) -> str:
    """What stands above the carets."""
    lines = stderr.splitlines()
    at = next(number for number, line in enumerate(lines) if line.strip().startswith("^"))
    start = lines[at].index("^")
    return lines[at - 1][start : start + lines[at].count("^")]


@pytest.mark.parametrize(
    ("words", "part", "title"),
    [
        (("run", '{"mul": [2, {"ad": [1, 2]}]}'), '{"ad": [1, 2]}', "the code:"),
        (("run", '{"mul": [2, true]}'), "true", "the code:"),
        (("run", "square", '"a"'), '{"var": "x"}', "square@1:"),
        (("run", "square", '{"k": [1, {"var": 1}]}'), "1", "the input:"),
        (("run", "square", '{"add": ["{\\"mul\\": [1, true]}", 5]}'), "true", "the input:"),
        (
            ("run", '{"app": [{"lam": "x", "body": 1}, {"head": {"nil": 0}}]}'),
            '{"head": {"nil": true}}',
            "the code:",
        ),
        (("run", '{"let": {"a": 1, "b": {"fst": 2}}, "in": 3}'), "2", "the code:"),
        (("run", '{"app": ["square", "é日本"]}'), '{"var": "x"}', "square@1:"),
        (("evolve", '{"add": [{"var": "x"}, {"var": "y"}]}', "--name", "n"), '{"var": "x"}', "code of n:"),
        (("evolve", '{"name": "n", "description": "", "code": {"lam": 1, "body": 2}}'), "1", "code of n:"),
        (("analyze", '[1, {"ad": 1}]'), '{"ad": 1}', "the code:"),
    ],
)
def test_the_caret_is_under_the_part(square: Pif, words: tuple[str, ...], part: str, title: str) -> None:
    done = square(*words)
    shown = done.stderr or done.stdout

    assert pointed(shown) == part
    assert title in shown.splitlines()


def test_running_errors_point_into_the_canonical_form(pif: Pif) -> None:
    """The path of a three-argument application is that of the nested form, and so is the excerpt."""
    done = pif("run", '{"app": [{"lam": "x", "body": 1}, 2, 3]}')

    assert "/app/func" in done.stderr
    assert pointed(done.stderr) == '{"app": {"func": {"lam": "x", "body": 1}, "arg": 2}}'


def test_built_code_has_a_place_in_words(pif: Pif) -> None:
    done = pif("run", '{"eval": {"quote": {"add": [1, true]}}}')

    assert "type_error at /add/1 of the code that was built" in done.stderr
    assert "^" not in done.stderr


def test_a_text_that_is_no_json_shows_its_line(pif: Pif, tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text('{"add": [\n  1,\n  2 3\n]}\n')

    done = pif("run", f"@{file}")

    assert pointed(done.stderr) == "3"
    assert f"{file}:" in done.stderr
    assert "line 3" in done.stderr


def test_a_long_line_is_cut_around_the_place(pif: Pif) -> None:
    done = pif("run", "[" + "1, " * 5_000 + "x" + ", 1" * 5_000 + "]")

    assert pointed(done.stderr) == "x"
    assert len(done.stderr) < 800


def test_found_expected_and_hint_follow(pif: Pif) -> None:
    done = pif("run", '{"lenght": [1]}')

    assert done.stderr.splitlines()[-4:] == [
        'parse_error: "lenght" is no operation',
        '  found: an object with "lenght"',
        "  expected: exactly one operation",
        '  hint: Did you mean `length`? {"length": t}',
    ]


def test_wide_characters_take_two_columns(pif: Pif) -> None:
    done = pif("run", '{"concat": ["日本語", 5]}')
    above, carets = done.stderr.splitlines()[1:3]

    assert cells(above[: above.index("5")]) == carets.index("^")


def test_errors_of_a_tool_that_another_calls(square: Pif) -> None:
    square("evolve", '{"lam": "x", "body": {"app": ["square", {"var": "x"}]}}', "--name", "caller")
    done = square("run", "caller", "true")

    assert done.stderr.startswith("square@1:\n")


def test_control_characters_do_not_reach_the_terminal(square: Pif) -> None:
    """A name, a string and a description that would clear the screen are shown escaped, on both streams."""
    nasty = "\u009b2J\u202e\u2028"
    for words in (
        ("run", f'{{"var": "{nasty}"}}'),
        ("run", f'{{"mul": [1, "{nasty}"]}}'),
        ("run", nasty),
        ("evolve", SQUARE, "--name", "square", "--description", nasty),
        ("list",),
        ("show", "square"),
        ("history", "square"),
        (nasty,),
        ("run", "square", "1", f"--{nasty}"),
    ):
        done = square(*words)
        assert not set(nasty[:1] + nasty[3:]).intersection(done.output), words


@given(st.text())
def test_visible_text_has_no_hidden_characters(text: str) -> None:
    """Only line ends and tabs are left of what steers a terminal, and seeing twice changes nothing."""
    shown = visible(text)

    seen = [character for character in shown if not character.isprintable() and character not in "\n\t"]
    assert {category(character) for character in seen} <= {"Cn", "Co", "Zs"}
    assert visible(shown) == shown


@pytest.mark.parametrize("file", [False, True])
def test_a_text_that_nests_too_deep_shows_how_it_begins(pif: Pif, tmp_path: Path, file: bool) -> None:
    text = "[" * 2_000 + "]" * 2_000
    (tmp_path / "deep.json").write_text(text)
    for words in (("run", f"@{tmp_path}/deep.json" if file else text), ("run", "1", text), ("evolve", text)):
        shown = pif(*words).stderr.splitlines()
        assert shown[1] == "  " + "[" * 87 + "…", words
        assert shown[2].startswith("term_too_deep: ")


def test_long_paths_keep_their_ends(pif: Pif) -> None:
    deep = '{"add": [1, ' * 380 + '{"mul": [1, true]}' + "]}" * 380
    done = pif("run", deep)

    assert pointed(done.stderr) == "true"
    label = next(line for line in done.stderr.splitlines() if "^" in line)
    assert " /add/1/add/1/" in label
    assert label.endswith("/add/1/mul/1")
    assert label.count("…") == 1
    assert len(label) < 200
    assert len(max(pif("run", deep, "--trace", "3").stderr.splitlines(), key=len)) < 500


@given(st.lists(st.text(st.characters(exclude_characters="/"), max_size=150), max_size=150))
def test_shortened_paths(steps: list[str]) -> None:
    """A short one stays; a long one is the same at both ends, and has room in a line."""
    path = "".join(f"/{step}" for step in steps)
    shown = shortened(path)

    assert len(shown) <= 121
    assert (shown == path) == (len(path) <= 120)
    assert shown == path or any(
        path.startswith(shown[:at]) and path.endswith(shown[at + 1 :])
        for at, character in enumerate(shown)
        if character == "…"
    )


def test_hints_name_what_one_types(square: Pif, tmp_path: Path) -> None:
    """On the command line an option; in the object of `--json` the argument of the server's tool."""
    endless = '{"fold": [{"lam": "p", "body": 0}, 0, {"range": [0, 400000]}]}'
    archive, changed = tmp_path / "archive", SQUARE.replace("mul", "add")
    assert square("export", archive).exit_code == 0
    (tmp_path / "file").write_text("")
    for words, typed, sent in (
        (("run", endless), "Pass --fuel ", 'Pass "fuel": '),
        (
            ("evolve", changed, "--name", "square", "--expect-version", "7"),
            "with --expect-version 1",
            "expect_version: 1",
        ),
        (
            ("evolve", SQUARE, "--name", "new", "--expect-version", "7"),
            "leave --expect-version out",
            "leave expect_version out",
        ),
        (("run", "1", "--fuel", "999999999"), "`--drive`", "`drive`"),
        (("evolve", '{"name": "n"}'), "`expect_version` (optional)", "`expect_version` (optional)"),
        (("export", archive), "or pass --overwrite", "allow overwriting"),
        (("backup", tmp_path / "file"), "or pass --overwrite", "allow overwriting"),
        (("show", "nothing-like-it-at-all"), "`pif list`", "`list`"),
    ):
        hint = [line for line in square(*words).stderr.splitlines() if line.startswith("  hint: ")]
        assert typed in hint[0], words
        assert sent in answer(square(*words, "--json"))["error"]["hint"], words
