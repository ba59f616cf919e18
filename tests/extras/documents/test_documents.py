"""Documents compiled by Typst: their pages, and everything that they must not do."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("typst", reason="needs the extra documents")

from click.testing import CliRunner

from kleis.documents import child
from kleis.documents.child import Limits
from kleis.documents.compile import compile_document
from kleis.documents.paper import Paper, Section, StatedVerdict, paper_text
from kleis.documents.typst_compile import MAIN
from kleis.errors import BudgetError, EvaluationError
from kleis.syntax.parser.parser import parse_program
from kleis.typesetting.escape import prose
from registry.cli.kleis.commands import kleis


def rejected(text: str) -> EvaluationError:
    with pytest.raises(EvaluationError) as caught:
        compile_document(text)
    assert caught.value.code == "document"
    return caught.value


def test_pages() -> None:
    (pdf,) = compile_document("= One\n#pagebreak()\n= Two").pages
    assert pdf.startswith(b"%PDF-")
    first, second = compile_document("= One\n#pagebreak()\n= Two", (), "png").pages
    assert first.startswith(b"\x89PNG")
    assert first != second


def test_an_error_has_its_place() -> None:
    assert rejected("fine\n\n#nothing()").message == "main.typ:3:1: unknown variable: nothing"


# ── Files and network ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "code",
    [
        'read("../secret.txt")',
        'read("{secret}")',
        'read("/etc/passwd")',
        'image("{secret}")',
        'include("../secret.txt")',
        'json("/proc/self/environ")',
        'read("../../../../../../etc/passwd")',
        'plugin("/bin/ls")',
    ],
)
def test_no_file_outside_is_read(code: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret of the test")
    error = rejected("#" + code.replace("{secret}", str(secret)))
    assert "the secret of the test" not in str(error)
    assert re.search("escape the project root|file not found|failed to load", error.message)


def test_only_its_own_files_are_in_the_directory() -> None:
    """A directory is not read, and what the text may read is itself."""
    assert compile_document(f'#read("{MAIN}").len()').pages
    rejected('#read(".")')


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """A proxy that only counts who comes."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(child, "_NOWHERE", f"http://127.0.0.1:{server.getsockname()[1]}")

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    heard.append(connection.recv(200))

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield heard
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


PACKAGE = '#import "@preview/lilaq:0.5.0" as lq'


def test_packages_are_not_downloaded() -> None:
    assert rejected(PACKAGE).message.startswith("packages are not downloaded")


UNCONFINED = "child.confine_network = child.confine_files = lambda *given: False; "


def test_a_download_would_go_to_the_proxy_where_nobody_listens(
    listener: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the refusal above is the proxy's and not that of a machine without network, where the kernel refuses nothing."""
    start = f"from kleis.documents import child; {UNCONFINED}main(*"
    monkeypatch.setattr(child, "_START", child._START.replace("main(*", start))
    assert rejected(PACKAGE).message.startswith("packages are not downloaded")
    assert listener
    assert all(each.startswith(b"CONNECT ") for each in listener)


# ── Limits ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "#let s = 0\n#for i in range(30000) { for j in range(30000) { s += calc.rem(i * j, 7) } }\n#s",
        "#range(100000000).map(n => n * n).sum()",
    ],
)
def test_what_takes_too_long_or_too_much_is_stopped(text: str) -> None:
    with pytest.raises(BudgetError):
        compile_document(text, limits=Limits(wall=4.0, cpu=3, memory=1500))


def test_a_text_that_is_too_long() -> None:
    with pytest.raises(BudgetError):
        compile_document("x" * 5_000_001)


# ── Text of others ───────────────────────────────────────────────────────────────────────────────────────────

PIECES = ["#", "#panic(1)", "\\", "`", "$", "*", "_", "[", "]", "<a>", "@a", '"', "/*", "//", "= ", "- ", "\n", "\n\n", " ", "a", "1",
          "std", ".", "panic", "(1)", "{", "}", "~", "/ t: ", "&", ";", "^", "http://a.b", "\\u{23}", "'", "--", "```"]  # fmt: skip


def random_texts(seed: int) -> list[str]:
    """Texts of pieces that mean something to Typst."""
    random = Random(seed)
    return ["".join(random.choices(PIECES, k=random.randrange(14))) for _ in range(60)]


@pytest.mark.parametrize("seed", range(4))
def test_prose_without_formulas_compiles(seed: int) -> None:
    texts = [text.replace("$", "") for text in random_texts(seed)]
    assert compile_document("\n\n".join(prose(each, ()) for each in texts)).pages


@pytest.mark.parametrize("seed", range(4))
def test_prose_with_formulas_runs_nothing(seed: int) -> None:
    """It compiles or is an error of mathematics; what stands in it never runs."""
    try:
        compile_document("\n\n".join(prose(each, ()) for each in random_texts(seed)))
    except EvaluationError as error:
        assert "panicked" not in error.message


def test_a_paper_shows_hostile_text() -> None:
    hostile = '#read("../secret.txt") \\ ] } $ <x> @y `z` */ #import "@preview/a:1.0.0" \u202e \x07'
    program = parse_program(
        "structure S(T) { operation f : T → T axiom a : ∀(x : T). f(x) = x }\n"
        'define text = "#panic(1) $ ] \\" "\ndata D = A(n : ℤ) | B\nlemma l : ∀(n : ℤ). n = n\n'
    )
    text = paper_text(
        Paper(
            title=hostile,
            authors=(hostile,),
            abstract=hostile,
            sections=(Section(hostile, hostile),),
            declarations=tuple(program.items),
            verdicts=(
                StatedVerdict(
                    proposition=hostile, status=hostile, axioms=(hostile,), evidence=hostile, note=hostile
                ),
            ),
            sources=(hostile,),
        )
    )
    (pdf,) = compile_document(text).pages
    assert pdf.startswith(b"%PDF-")


# ── The command ──────────────────────────────────────────────────────────────────────────────────────────────

FILE = """
structure Monoid(M) {
    operation op : M × M → M
    element e : M
    axiom left : ∀(x : M). op(e, x) = x
    axiom right : ∀(x : M). op(x, e) = x
}
example "laws" { assert(∀(x : ℤ). x + 0 = x) assert(∀(x : ℤ). x ≠ 42) }
example "paper" { out(typst_raw("= Title\\n\\nText #box[in a box].")) }
"""


def test_the_command_compiles_what_a_block_prints(tmp_path: Path) -> None:
    file, output = tmp_path / "a.kleis", tmp_path / "a.pdf"
    file.write_text(FILE)
    done = CliRunner().invoke(kleis, ["document", str(file), "--example", "paper", "-o", str(output)])
    assert done.exit_code == 0, done.output
    assert output.read_bytes().startswith(b"%PDF-")
    none = CliRunner().invoke(kleis, ["document", str(file), "--example", "laws", "-o", str(output)])
    assert "prints a document" in none.output


def test_the_command_assembles_a_paper(tmp_path: Path) -> None:
    file, output = tmp_path / "a.kleis", tmp_path / "a.typ"
    file.write_text(FILE)
    (tmp_path / "prose.txt").write_text("Abstract.\n\n# Words\n\nMore *words*.\n")
    options = ["--assemble", "--title", "T", "--prose", str(tmp_path / "prose.txt"), "--json", "-o"]
    done = CliRunner().invoke(kleis, ["document", str(file), *options, str(output)])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["paths"] == [str(output)]
    text = output.read_text()
    assert "= Words" in text
    assert "*verified*" in text
    assert "*disproved*" in text
    assert len(re.findall(r'SHA-256 #raw\("[0-9a-f]{32}"\) #raw\("[0-9a-f]{32}"\)', text)) == 2
    assert compile_document(text).pages
