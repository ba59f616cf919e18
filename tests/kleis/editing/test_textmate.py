"""The TextMate grammar that is kept for editors is the one of the parser's tables."""

from __future__ import annotations

import json
import re
from pathlib import Path

import regex

from kleis.editing.textmate import grammar, grammar_text
from kleis.editing.words import words

ROOT = Path(__file__).parents[3]
EXTENSION = ROOT / "editors" / "vscode"


def test_the_file_is_what_the_tables_give() -> None:
    (kept,) = (EXTENSION / "syntaxes").iterdir()
    assert kept.read_text() == grammar_text(), f"python -m kleis.editing.textmate > {kept.relative_to(ROOT)}"


def scope_of(text: str) -> str:
    """The scope of the first expression that matches at the beginning of a text: how TextMate chooses."""
    for each in grammar()["patterns"]:
        expression = each.get("match") or each["begin"]
        if (found := regex.match(expression, text)) is not None and found.end():
            return str(each.get("name", "declaration"))
    return ""


def test_every_spelling_of_the_language_has_its_scope() -> None:
    known = words()
    for spellings, scope in [
        (known.keywords, "keyword.control"),
        (known.word_operators, "keyword.operator.word"),
        (known.operators, "keyword.operator"),
        (known.punctuation, "punctuation"),
    ]:
        for each in spellings:
            # `//` and `/*` begin comments, and `@` an annotation where a name follows.
            assert scope_of(each).startswith(scope), each


def test_the_manifest_names_what_is_there() -> None:
    manifest = json.loads((EXTENSION / "package.json").read_text())
    contributed = manifest["contributes"]
    files = [
        manifest["main"],
        *(each["configuration"] for each in contributed["languages"]),
        *(each["path"] for each in contributed["grammars"]),
    ]
    assert [each for each in files if not (EXTENSION / each).is_file()] == []
    assert contributed["grammars"][0]["scopeName"] == grammar()["scopeName"]
    client = (EXTENSION / manifest["main"]).read_text()
    settings = {each.rpartition(".")[2] for each in contributed["configuration"]["properties"]}
    assert set(re.findall(r'settings\.get\("(\w+)"', client)) == settings
    assert {each["command"] for each in contributed["commands"]} == set(
        re.findall(r'registerCommand\("([\w.]+)"', client)
    )
    # A folder must not choose what is run.
    assert {each["scope"] for each in contributed["configuration"]["properties"].values()} == {"machine"}
