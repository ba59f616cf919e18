"""`kleis lsp` through its protocol: a real process, asked as editors ask."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.servers.language_client import LanguageClient

pytest.importorskip("pygls", reason="the extra lsp is not installed")

LIBRARY = "// The double of a number.\ndefine dbl(x : ℤ) : ℤ = x + x\n"
MAIN = """import "lib.kleis"
lemma even : ∀(n : ℤ). mod(dbl(n), 2) = 0
lemma wrong : ∀(n : ℤ). dbl(n) ≠ 42
define f(x : ℤ) : ℤ = dbl(x)
example "𝔹" { let 𝔹x = 3; assert(dbl(𝔹x) = 6); assert(dbl(3) = 7) }
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageClient]:
    folder = tmp_path_factory.mktemp("project")
    (folder / "lib.kleis").write_text(LIBRARY)
    (folder / "main.kleis").write_text(MAIN)
    with LanguageClient(folder) as found:
        yield found
        assert found.end() == 0


@pytest.fixture
def main(client: LanguageClient) -> Iterator[str]:
    uri = client.open("main.kleis", MAIN)
    yield uri
    client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def place(text: str, part: str, offset: int = 0) -> tuple[int, int]:
    """The line and the UTF-16 units at which a part of a text begins."""
    index = text.index(part) + offset
    line = text.count("\n", 0, index)
    before = text[text.rfind("\n", 0, index) + 1 : index]
    return line, len(before.encode("utf-16-le", "surrogatepass")) // 2


def marked(text: str, found: dict[str, Any]) -> str:
    """The part of a text that a range on one line means."""
    start, end = found["start"], found["end"]
    assert start["line"] == end["line"]
    line = text.split("\n")[start["line"]].encode("utf-16-le")
    return line[2 * start["character"] : 2 * end["character"]].decode("utf-16-le")


def test_diagnostics_come_while_typing_and_go(client: LanguageClient) -> None:
    text = "define f(x : ℤ) : ℤ = nope(x)\n"
    uri = client.open("typed.kleis", text)
    (found,) = client.diagnostics(uri)
    assert (found["code"], found["severity"], marked(text, found["range"])) == ("unknown-function", 1, "nope")
    client.change(uri, "define f(x : ℤ) : ℤ = abs(\n", 2)
    assert all(each["severity"] == 1 for each in client.diagnostics(uri, 2))
    client.change(uri, "define f(x : ℤ) : ℤ = abs(x)\n", 3)
    assert client.diagnostics(uri, 3) == []


def test_elaboration_adds_what_names_do_not_show(client: LanguageClient) -> None:
    text = "define f(x : ℤ) : ℤ = length(x)\n"
    uri = client.open("sorts.kleis", text)
    assert client.diagnostics(uri, stages=1) == []
    (found,) = client.diagnostics(uri, stages=2)
    assert found["source"] == "kleis"
    assert found["severity"] == 1


def test_positions_count_units_of_utf_16(client: LanguageClient) -> None:
    text = "// 😀é\u0301\u2028\x0c\ndefine 𝔹𝔹(𝔽x) = 𝔽x + nopé(𝔽x)\r\ndefine g(y) = zoo(y)\rdefine h(y) = zee(y)\n"
    uri = client.open("units.kleis", text)
    found = [each for each in client.diagnostics(uri) if each["code"] == "unknown-function"]
    places = [(each["range"]["start"]["line"], each["range"]["start"]["character"]) for each in found]
    assert places == [(1, 25), (2, 14), (3, 14)]
    (bound, *used) = client.at(uri, 1, 13, "documentHighlight")
    assert (bound["range"]["start"]["character"], bound["range"]["end"]["character"]) == (12, 15)
    assert [each["range"]["start"]["character"] for each in used] == [19, 30]


def test_hover_says_type_definition_and_verdict(client: LanguageClient, main: str) -> None:
    found = client.at(main, *place(MAIN, "dbl(n), 2"), "hover")["contents"]
    assert found["kind"] == "markdown"
    assert "define dbl(x : ℤ) : ℤ" in found["value"]
    assert "The double of a number" in found["value"]
    assert "verified" not in found["value"]
    client.ask("kleis-lsp/check", {"uri": main, "line": 1})
    assert "✓ verified" in client.at(main, *place(MAIN, "dbl(n), 2"), "hover")["contents"]["value"]


def test_definitions_and_references_cross_imports(client: LanguageClient, main: str) -> None:
    library = (client.folder / "lib.kleis").as_uri()
    (found,) = client.at(main, *place(MAIN, "dbl(n), 2"), "definition")
    assert found["uri"] == library
    assert marked(LIBRARY, found["range"]) == "dbl"
    (imported,) = client.at(main, 0, 10, "definition")
    assert imported["uri"] == library
    listed = client.at(main, *place(MAIN, "dbl(x)"), "references", context={"includeDeclaration": True})
    assert [each["uri"] for each in listed] == [library, *[main] * 5]
    own = client.open("lib.kleis", LIBRARY)
    listed = client.at(own, *place(LIBRARY, "dbl"), "references", context={"includeDeclaration": False})
    assert {each["uri"] for each in listed} == {main}
    client.tell("textDocument/didClose", {"textDocument": {"uri": own}})


def test_rename_changes_every_file_or_refuses(client: LanguageClient, main: str) -> None:
    where = place(MAIN, "dbl(x)")
    assert client.at(main, *where, "prepareRename") is not None
    changes = client.at(main, *where, "rename", newName="twice")["changes"]
    assert {uri.rpartition("/")[2]: len(edits) for uri, edits in changes.items()} == {
        "lib.kleis": 1,
        "main.kleis": 5,
    }
    params = {"textDocument": {"uri": main}, "position": dict(zip(("line", "character"), where, strict=True))}
    refused = client.ask("textDocument/rename", {**params, "newName": "f"})
    assert refused["error"]["code"] == -32803
    assert "declared already" in refused["error"]["message"]


def test_rename_looks_at_files_that_are_not_open(client: LanguageClient) -> None:
    text = "structure Own(Q) { element own_unit : Q }\ndefine own(x) = x\n"
    (client.folder / "own.kleis").write_text(text)
    (client.folder / "other.kleis").write_text(
        'import "own.kleis"\nlemma a : ∀(x : Q). x = own_free ∨ x = x\n'
    )
    uri = client.open("own.kleis", text)

    def refusal(part: str, new: str) -> str:
        line, character = place(text, part)
        position = {"line": line, "character": character}
        params = {"textDocument": {"uri": uri}, "position": position, "newName": new}
        return str(client.ask("textDocument/rename", params)["error"]["message"])

    assert "carrier" in refusal("Q)", "P")
    assert "nothing declares" in refusal("own(x)", "own_free")


def test_symbols_formatting_and_tokens(client: LanguageClient, main: str) -> None:
    assert [each["name"] for each in client.about(main, "documentSymbol")] == ["even", "wrong", "f", "𝔹"]
    options = {"tabSize": 4, "insertSpaces": True}
    assert client.about(main, "formatting", options=options) == []
    text = "define f(x)   =   x\n"
    uri = client.open("layout.kleis", text)
    (edit,) = client.about(uri, "formatting", options=options)
    assert edit["newText"].strip() == "define f(x) = x"
    legend = client.initialized["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
    data = client.about(uri, "semanticTokens/full")["data"]
    kinds = [legend[data[index + 3]] for index in range(0, len(data), 5)]
    assert kinds[:3] == ["keyword", "function", "variable"]
    client.change(uri, "define f( =", 2)
    answer = client.ask("textDocument/formatting", {"textDocument": {"uri": uri}, "options": options})
    assert answer["error"]["code"] == -32803


def test_completion_of_names_symbols_and_imports(client: LanguageClient) -> None:
    text = 'import "lib.kleis"\ndefine g(value) = \\fora + db + isPri\n'
    uri = client.open("complete.kleis", text)

    def offered(part: str) -> list[dict[str, Any]]:
        line, character = place(text, part, len(part))
        found: list[dict[str, Any]] = client.at(uri, line, character, "completion")["items"]
        return found

    (symbol, *_) = offered("\\fora")
    assert symbol["textEdit"]["newText"] == "∀"
    assert symbol["filterText"] == "\\forall"
    assert symbol["textEdit"]["range"]["start"] == {"line": 1, "character": 18}
    assert any(each["label"] == "dbl" and "ℤ" in each["detail"] for each in offered("+ db"))
    (prime,) = [each for each in offered("isPri") if each["label"] == "isPrime"]
    assert prime["additionalTextEdits"][0]["newText"] == 'import "stdlib/number_theory.kleis"\n'


def test_quick_fixes_import_what_is_not_declared(client: LanguageClient) -> None:
    text = "define g(n : ℤ) = isPrime(n)\ndefine h(n : ℤ) = dbl(n)\n"
    uri = client.open("fixes.kleis", text)
    client.diagnostics(uri)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}}
    found = client.about(uri, "codeAction", range=whole, context={"diagnostics": []})
    titles = [each["title"] for each in found]
    assert 'import "stdlib/number_theory.kleis"' in titles
    assert 'import "lib.kleis"' in titles
    (edit,) = found[titles.index('import "lib.kleis"')]["edit"]["changes"][uri]
    client.change(uri, edit["newText"] + text, 2)
    assert {each["range"]["start"]["line"] for each in client.diagnostics(uri, 2)} == {2}


def test_lenses_check_and_show_the_verdict(client: LanguageClient) -> None:
    text = MAIN.replace("42", "44")
    uri = client.open("lenses.kleis", text)
    lenses = client.about(uri, "codeLens")
    assert [each["command"]["title"] for each in lenses] == ["check all", *["check"] * 4]
    command = lenses[2]["command"]
    client.ask("workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]})
    titles = [each["command"]["title"] for each in client.about(uri, "codeLens")]
    assert titles == ["check all", "check", "✗ disproved: n = 22", "check", "check"]
    assert any(each["method"] == "workspace/codeLens/refresh" for each in client.received)
    checked = client.ask("kleis-lsp/check", {"uri": uri})["result"]["verdicts"]
    assert [each["status"] for each in checked] == ["holds", "fails", "holds", "fails"]
    last = client.until(
        lambda: [each for each in client.published(uri, 1)[-1] if each["source"] == "kleis prover"][1:]
    )
    assert marked(text, last[0]["range"]) == "assert(dbl(3) = 7)"
    client.change(uri, "// a comment changes no verdict\n" + text, 2)
    titles = [each["command"]["title"] for each in client.about(uri, "codeLens")]
    assert titles[2] == "✗ disproved: n = 22"
    client.change(uri, text.replace("dbl(x)", "dbl(x) + 1"), 3)
    assert {each["command"]["title"] for each in client.about(uri, "codeLens")} == {"check all", "check"}


def test_a_changed_import_is_seen_before_it_is_saved(client: LanguageClient, main: str) -> None:
    client.diagnostics(main)
    before = len(client.published(main, 1))
    own = client.open("lib.kleis", LIBRARY.replace("dbl", "triple"))
    codes = client.until(
        lambda: [
            each["code"]
            for found in client.published(main, 1)[before:]
            for each in found
            if each["code"] == "unknown-function"
        ]
    )
    assert codes
    client.tell("textDocument/didClose", {"textDocument": {"uri": own}})
    count = len(client.published(main, 1))
    client.until(lambda: len(client.published(main, 1)) > count and client.published(main, 1)[-1] == [])
