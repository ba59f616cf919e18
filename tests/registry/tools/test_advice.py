"""Words of other languages and names of the library are answered with what to use here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pif.language.decode import decode_term
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Json
from pif.run.evaluate import Request
from registry.store.sqlite.sqlite_store import SqliteStore
from registry.tools.advice import advice, curried_folds
from registry.tools.code_and_examples import verified
from registry.tools.common_words import OPERATIONS, TOOLS, WAYS
from registry.tools.help import ERRORS, TOPICS, help_on
from registry.tools.library import Library
from registry.workspace.requests import Evolve
from registry.workspace.workspace import Workspace

LIBRARY = Library(verified)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(SqliteStore(tmp_path_factory.mktemp("home")))
    yield made
    made.close()


def test_everything_that_is_named_exists() -> None:
    assert set(OPERATIONS.values()) <= PRIMITIVES.keys()
    for word, names in TOOLS.items():
        for name in names:
            assert LIBRARY.entry(name) is not None, (word, name)
    for word in {*OPERATIONS, *TOOLS, *WAYS}:
        assert word not in PRIMITIVES, f"{word} is an operation itself"
        assert advice(word, LIBRARY)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("sum", "std.sum : list(integer) → integer"),
        ("filter", "std.filter"),
        ("append", "std.append"),
        ("map", "std.map"),
        ("len", '{"length": t}'),
        ("throw", "std.failure"),
        ("try", "std.resultThen"),
        ("regex", "std.splitText"),
        ("sort", "std.sort"),
        ("zip", "std.zip"),
        ("print", "reads or writes"),
        ("for", "`fold`"),
        ("while", "`continue`"),
        ("dict", '{"record"'),
        ("str", '{"show"'),
        ("int", "std.parseInteger"),
        ("float", "help numbers"),
    ],
)
def test_common_words_at_every_place(home: Workspace, word: str, told: str) -> None:
    as_operation: Json = {word: [[1, 2]]}
    answers = [
        home.run(Request(code=as_operation)),
        home.run_briefly(Request(code=as_operation)),
        home.evolve(Evolve("made", "A tool", as_operation)),
    ]
    if LIBRARY.entry(word) is None:  # a call of a library tool by its short name is no mistake
        answers += [home.run(Request(code={"app": [word, 1]})), home.run(Request(tool=word))]
    for answer in answers:
        assert answer is not None
        assert told in answer["error"]["hint"], answer
    text = help_on(word, LIBRARY)
    assert text["type"] == "help"


def test_help_explains_every_operation_tool_error_and_topic() -> None:
    for topic in (*TOPICS, *PRIMITIVES, *ERRORS, "integer", "list", "quoted"):
        assert help_on(topic, LIBRARY)["type"] == "help", topic
    for name in LIBRARY.names():
        assert name.removeprefix("std.") in help_on(name, LIBRARY)["text"]
    assert help_on("gdc", LIBRARY)["error"]["hint"] == 'Did you mean "gcd"?'


def test_the_tools_of_a_home_are_nearer(home: Workspace) -> None:
    home.evolve(Evolve("totals", "A tool", {"lam": "x", "body": {"var": "x"}}))
    hint = home.run(Request(code={"app": ["total", 1]}))["error"]["hint"]
    assert hint.startswith('Did you mean "totals"?')
    assert "std.sum" in hint


def test_a_curried_function_given_to_fold_is_named(home: Workspace) -> None:
    curried: Json = {"lam": "a", "body": {"lam": "b", "body": {"add": [{"var": "a"}, {"var": "b"}]}}}
    fold: Json = {"lam": "l", "body": {"fold": [curried, 0, {"var": "l"}]}}
    answer = home.run(Request(code=fold, input=[1, 2]))
    assert [each["code"] for each in answer["warnings"]] == ["curried_fold"]
    assert "/body" in answer["warnings"][0]["message"]
    home.evolve(Evolve("bad", "A sum", fold))
    assert home.run(Request(tool="bad", input=[1, 2]))["warnings"][0]["code"] == "curried_fold"
    wrapped: Json = {"fold": [{"app": ["std.uncurry", curried]}, 0, [1, 2]]}
    assert home.run(Request(code=wrapped))["value"] == 3
    assert curried_folds(decode_term(wrapped)) == []
