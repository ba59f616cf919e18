"""What a client may send that ends no server: hostile and half-typed texts, broken messages, large files, changes of mind."""

from __future__ import annotations

import os
import random
import select
import signal
from pathlib import Path

import pytest

from tests.support.servers.language_client import LanguageClient

pytest.importorskip("pygls", reason="the extra lsp is not installed")

ROOT = Path(__file__).parents[3]
PRELUDE = (ROOT / "stdlib" / "kleis" / "prelude.kleis").read_text()

HARD = """structure S(T) { operation (•) : T × T → T  element u : T
  axiom a : ∀(x y z : T). (x • y) • z = y • (z • x) }
lemma open : ∀(x y : ℕ). x > 2 ∧ y > 2 → x * x * x + y * y * y ≠ 61 * x * y + 1
"""

TEXTS = [
    "", "\x00", "\ud800", '"', "/*", "(" * 20_000, "define f(", "\u2028\x0c\r", "𝔹" * 1000 + "\r\n😀 define f(x) = x",
    'import "/etc/passwd"\nimport "../../x"\nimport "hostile.kleis"\n', "define x = " + "-" * 5_000 + "1",
    "lemma a : a\nlemma a : b using a, a, zzz\n", "structure S(S) extends S(S) { structure S : S(S) { } }",
    'example "x" { let x = x; assert }', "\ufeffdefine f = 1", "```\n# [x](http://y)\n", "type T = T\ndata D = D(D)\n",
    'define f(x) = f(x)\nexample "a" { assert(f(1) = 2) }', "x²ⁿ ²ⁿ ⁿ",
]  # fmt: skip


def questions(uri: str, line: int, character: int) -> list[tuple[str, dict[str, object]]]:
    text = {"textDocument": {"uri": uri}}
    start = {"line": line, "character": character}
    whole = {"start": start, "end": {"line": 9, "character": 9}}
    return [
        ("hover", {**text, "position": start}),
        ("definition", {**text, "position": start}),
        ("references", {**text, "position": start, "context": {"includeDeclaration": True}}),
        ("documentHighlight", {**text, "position": start}),
        ("completion", {**text, "position": start}),
        ("rename", {**text, "position": start, "newName": "zz"}),
        ("documentSymbol", text),
        ("codeLens", text),
        ("semanticTokens/full", text),
        ("formatting", {**text, "options": {"tabSize": 1, "insertSpaces": True}}),
        ("codeAction", {**text, "range": whole, "context": {"diagnostics": []}}),
    ]


def broken(rng: random.Random) -> str:
    """A program as it may stand between two keys."""
    text = [*PRELUDE[:3000]]
    for _ in range(rng.randrange(1, 20)):
        place = rng.randrange(len(text))
        text[place : place + rng.randrange(0, 40)] = rng.choice(
            ["", "(", '"', "/*", "∀", "define ", "{", "}", "𝔹", "²"]
        )
    return "".join(text)


def test_no_text_ends_the_server(tmp_path: Path) -> None:
    rng = random.Random(7)
    with LanguageClient(tmp_path) as client:
        uri = client.open("hostile.kleis", "")
        for version, text in enumerate([*TEXTS, *(broken(rng) for _ in range(12))], 2):
            client.change(uri, text, version)
            asked = questions(uri, rng.randrange(0, 3), rng.randrange(0, 60))
            numbers = [client.begin(f"textDocument/{method}", params) for method, params in asked]
            for number, (method, _) in zip(numbers, asked, strict=True):
                error = client.answer(number).get("error")
                # A refusal says why; anything else would be a mistake of ours.
                assert error is None or error["code"] == -32803, (method, text[:40], error)
        client.change(uri, "define f(x) = x\n", 10_000)
        assert client.diagnostics(uri, 10_000) == []
        assert client.end() == 0


def test_no_message_ends_the_server(tmp_path: Path) -> None:
    with LanguageClient(tmp_path) as client:
        client.write(b"Content-Length: 5\r\n\r\nhello")
        client.write(b"garbage\r\n\r\nContent-Length: 2\r\n\r\n[]")
        client.send({"jsonrpc": "2.0", "id": "x", "method": "textDocument/hover", "params": {"bad": 1}})
        client.send({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"textDocument": None}})
        client.tell("$/cancelRequest", {"id": 123_456})
        client.change("file:///nowhere.kleis", "define", 1)
        assert client.ask("no/such", {})["error"]["code"] == -32601
        assert client.at("file:///nowhere.kleis", 0, 0, "hover") is None
        for arguments in ([], [1], ["file:///nowhere.kleis", "key", "more", {}]):
            command = {"command": "kleis:check", "arguments": arguments}
            assert client.ask("workspace/executeCommand", command)["result"] == {"verdicts": []}
        for params in ({}, None, {"uri": 3}, {"uri": "x", "line": "y"}):
            assert client.ask("kleis-lsp/check", params)["result"] == {"verdicts": []}
        assert client.end() == 0


def test_a_large_text_is_answered(tmp_path: Path) -> None:
    text = (PRELUDE.replace("import", "// import") * 60)[:300_000].rpartition("\n")[0]
    last = text.count("\n") + 1
    with LanguageClient(tmp_path) as client:
        uri = client.open("large.kleis", text)
        assert client.about(uri, "documentSymbol")
        # While the large text is read again, completion answers from the last reading, and another text is read.
        for version in range(2, 5):
            client.change(uri, text + "\ndefine q = ab", version)
            found = client.at(uri, last, 13, "completion")
            assert any(each["label"] == "abs" for each in found["items"])
        other = client.open("small.kleis", "define f(x) = nope(x)\n")
        assert [each["code"] for each in client.diagnostics(other)] == ["unknown-function"]
        assert client.end() == 0


@pytest.mark.parametrize("way", ["change", "cancel", "stop", "close"])
def test_a_proof_is_given_up(tmp_path: Path, way: str) -> None:
    with LanguageClient(tmp_path, ["--timeout", "600"]) as client:
        uri = client.open("hard.kleis", HARD)
        number = client.begin("kleis-lsp/check", {"uri": uri})
        client.until(lambda: any(each["method"] == "workspace/codeLens/refresh" for each in client.received))
        titles = [each["command"]["title"] for each in client.about(uri, "codeLens")]
        while "checking … (stop)" not in titles and "check" in titles:
            titles = [each["command"]["title"] for each in client.about(uri, "codeLens")]
        command = client.about(uri, "codeLens")[0]["command"]
        match way:
            case "change":
                client.change(uri, HARD + "define g(x) = x\n", 2)
            case "cancel":
                client.tell("$/cancelRequest", {"id": number})
            case "stop":
                assert command["command"] == "kleis:stop", "the proof ended before it could be stopped"
                client.ask("workspace/executeCommand", {**command, "title": None})
            case "close":
                client.tell("textDocument/didClose", {"textDocument": {"uri": uri}})
        answer = client.answer(number)
        if way == "cancel":
            assert answer["error"]["code"] == -32800
        else:
            assert answer["result"] == {"verdicts": []}
        if way in ("stop", "cancel"):
            titles = [each["command"]["title"] for each in client.about(uri, "codeLens")]
            assert titles == ["check"]
        assert client.end() == 0


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="it needs Linux")
def test_no_process_outlives_a_server_that_is_killed(tmp_path: Path) -> None:
    with LanguageClient(tmp_path, ["--timeout", "600"]) as client:
        uri = client.open("hard.kleis", HARD)
        client.begin("kleis-lsp/check", {"uri": uri})
        client.until(lambda: any(each["method"] == "workspace/codeLens/refresh" for each in client.received))
        below = children(client.process.pid)
        client.process.send_signal(signal.SIGKILL)
        client.process.wait()
        assert all(gone(each) for each in below)


def children(process: int) -> list[int]:
    """The processes that a process has begun."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(each) for each in listed.read_text().split()] if listed.exists() else []


def gone(process: int) -> bool:
    """Whether a process has ended, or does so before patience ends."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 60.0)[0])
    finally:
        os.close(handle)
