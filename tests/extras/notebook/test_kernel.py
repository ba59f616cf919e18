"""The kernel, as a real process through jupyter_client: cells, display, completion, interruption, restart, hostile text."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("ipykernel", reason="the extra jupyter is not installed")
pytest.importorskip("jupyter_client", reason="the extra jupyter is not installed")

LONG = "∀(x y z n : ℕ). (n > 2 ∧ x > 0 ∧ y > 0) ⟹ x^n + y^n ≠ z^n"


class Cell(NamedTuple):
    """What a cell gave: its status, the data of each display, its error."""

    status: str
    shown: list[dict[str, str]]
    error: dict[str, Any]
    streams: str


class Notebook:
    """A kernel and a client to it."""

    def __init__(self, prefix: Path, home: Path) -> None:
        from jupyter_client.kernelspec import KernelSpecManager
        from jupyter_client.manager import KernelManager

        found = KernelSpecManager(kernel_dirs=[str(prefix / "share/jupyter/kernels")])
        self.manager = KernelManager(kernel_name="kleis", kernel_spec_manager=found)
        self.manager.start_kernel(env={**os.environ, "PYTHONPATH": os.getcwd(), "PIF_HOME": str(home)})
        self.client = self.manager.blocking_client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def run(self, code: str) -> Cell:
        shown: list[dict[str, str]] = []
        error: dict[str, Any] = {}
        streams: list[str] = []

        def take(message: dict[str, Any]) -> None:
            content = message["content"]
            match message["msg_type"]:
                case "execute_result" | "display_data":
                    shown.append(content["data"])
                case "error":
                    error.update(content)
                case "stream":
                    streams.append(content["text"])

        # Without stop_on_error: Jupyter may drop what is sent right after a cell that ended with an error.
        reply = self.client.execute_interactive(code, stop_on_error=False, timeout=60, output_hook=take)
        return Cell(reply["content"]["status"], shown, error, "".join(streams))

    def is_complete(self, code: str) -> str:
        self.client.is_complete(code)
        return str(self.client.get_shell_msg(timeout=30)["content"]["status"])

    def matches(self, code: str, place: int | None = None) -> list[str]:
        found = self.client.complete(code, place, reply=True, timeout=30)["content"]
        return list(found["matches"])

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=False)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    prefix = tmp_path_factory.mktemp("prefix")
    subprocess.run(
        [sys.executable, "-m", "registry.cli.kleis", "kernel", "install", "--prefix", str(prefix)],
        check=True, capture_output=True,
    )  # fmt: skip
    found = Notebook(prefix, tmp_path_factory.mktemp("home"))
    yield found
    found.close()


def test_cells_are_statements_of_one_session(notebook: Notebook) -> None:
    declared = notebook.run("define double(x : ℤ) : ℤ = x + x\ndouble(21)")
    assert declared.status == "ok"
    assert [each["text/plain"].splitlines()[0] for each in declared.shown] == [
        "CONSISTENT: accepted (stage verify)", "42",
    ]  # fmt: skip

    refuted = notebook.run("∀(x : ℤ). double(x) > x")
    (verdict,) = refuted.shown
    assert refuted.status == "ok"
    assert verdict["text/plain"].startswith("DISPROVED")
    assert "disproved" in verdict["text/html"]
    assert "<table>" in verdict["text/html"]


def test_what_is_wrong_ends_the_cell_and_not_the_session(notebook: Notebook) -> None:
    wrong = notebook.run("1 + 1\nnosuchname(3)\n2 + 2")
    assert (wrong.status, wrong.error["ename"]) == ("error", "unknown-name")
    assert "nosuchname" in wrong.error["evalue"]
    assert len(wrong.shown) == 1
    assert notebook.run("1/0").error["evalue"] == "division by zero"
    assert notebook.run("1 + 1").shown[0]["text/plain"] == "2"


def test_every_reply_is_shown_as_text_and_as_html(notebook: Notebook) -> None:
    cell = notebook.run(
        'import "stdlib/number_theory.kleis"\ndata Colour = Red | Green\n:list\n:type mod\n:show Colour\n:model Group\n'
        'example "e" { assert(1 = 1) }\n:prove 1 + 1 = 2\n:help\n:undo'
    )
    assert (cell.status, len(cell.shown)) == ("ok", 10)
    for data in cell.shown:
        assert data["text/plain"].strip()
        assert data["text/html"].startswith('<div class="kleis-view">')


def test_pictures_are_drawn(notebook: Notebook) -> None:
    cell = notebook.run("diagram(plot([1, 2, 3], [1, 4, 9]))")
    assert cell.status == "ok"
    if find_spec("matplotlib") is None:
        assert "numeric" in cell.streams
        return
    (picture,) = cell.shown
    assert "<svg" in picture["image/svg+xml"]
    assert picture["image/png"].startswith("iVBOR")


def test_completion_inspection_and_completeness(notebook: Notebook) -> None:
    notebook.run("define tripled(x : ℤ) : ℤ = 3 * x")
    assert notebook.matches("1 + trip")[0] == "tripled"
    assert notebook.matches("\\foral") == ["\\forall"]
    assert notebook.matches("\\forall") == ["∀"]
    assert notebook.matches("😀 + trip")[0] == "tripled"
    assert ":undo" in notebook.matches(":un")
    found = notebook.client.inspect("tripled(3)", 2, reply=True, timeout=30)["content"]
    assert (found["found"], found["data"]["text/plain"]) == (True, "tripled(x : ℤ) : ℤ")
    assert not notebook.client.inspect("1 + 1", 2, reply=True, timeout=30)["content"]["found"]
    assert [notebook.is_complete(each) for each in ("1", "f(", "define f(x) =", "1 )")] == [
        "complete", "incomplete", "incomplete", "invalid",
    ]  # fmt: skip


def test_an_interrupt_stops_the_provers_and_keeps_the_session(notebook: Notebook) -> None:
    notebook.run("define kept(x : ℤ) : ℤ = x")
    notebook.client.execute(LONG, stop_on_error=False)
    while True:  # the kernel is at work
        message = notebook.client.get_iopub_msg(timeout=60)
        if message["msg_type"] == "execute_input":
            break
    notebook.manager.interrupt_kernel()
    reply = notebook.client.get_shell_msg(timeout=60)["content"]
    assert (reply["status"], reply["ename"]) == ("error", "Interrupted")
    assert notebook.run("kept(7)").shown[0]["text/plain"] == "7"


HOSTILE = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\u202egnp", "\x1b]0;owned\x07", "</style>",
           "'\"><svg/onload=alert(1)>"]  # fmt: skip


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_stays_text(notebook: Notebook, hostile: str) -> None:
    quoted = hostile.replace("\\", "\\\\").replace('"', '\\"')
    cell = notebook.run(f'"{quoted}"\n:list\nexample "{quoted}" {{ assert("{quoted}" = "b") }}')
    assert cell.shown
    for data in cell.shown:
        page = re.sub(r"<style>.*?</style>", "", data["text/html"], count=1, flags=re.DOTALL)
        tags = {each.lower() for each in re.findall(r"<\s*/?\s*([a-zA-Z]+)", page)}
        assert not tags & {"script", "img", "svg", "style", "iframe", "object", "link"}
        assert not re.search(r"<[^>]*\son\w+\s*=", page)
        assert "\u202e" not in page
        assert "\x1b" not in page
    assert (
        html.escape("<script>") in "".join(each["text/html"] for each in cell.shown)
        or "script" not in hostile
    )


def test_a_restart_forgets(notebook: Notebook) -> None:
    notebook.run("define forgotten(x : ℤ) : ℤ = x")
    assert "forgotten" in notebook.run(":list").shown[0]["text/plain"]
    notebook.manager.restart_kernel(now=False)
    notebook.client.wait_for_ready(timeout=60)
    assert "forgotten" not in notebook.run(":list").shown[0]["text/plain"]
