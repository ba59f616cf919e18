"""`pif ui` over a real server: each place opened, clicked through and compared with the data; the rules of its door; a lost server."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import registry
from tests.browser.chromium import serious, watched
from tests.support.files.small_corpus import small_corpus
from tests.support.views.recorded import POLICY

pytestmark = pytest.mark.filterwarnings("ignore")

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
PAIR = {"lam": "r", "body": {"add": [{"get": [{"var": "r"}, "a"]}, {"get": [{"var": "r"}, "b"]}]}}


class Ui:
    """`pif ui` in a process of its own, and the address that it printed."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "registry.cli.pif", "ui", "--home", str(folder / "home"), "--no-browser"]  # fmt: skip
        command += ["--policy", str(folder / "policy.kleis"), "--corpus", str(folder / "corpus"), *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"(http://127\.0\.0\.1:(\d+))/ui#([\w-]{43})", self.address)
        assert found is not None, self.address
        self.origin, self.port, self.token = found[1], int(found[2]), found[3]

    def request(
        self, method: str, path: str, body: object = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, sent, {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers})  # fmt: skip
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read()  # fmt: skip
        finally:
            connection.close()

    def call(self, tool: str, arguments: object, **headers: str) -> tuple[int, Any]:
        """A call as the page makes it."""
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": meta}}  # fmt: skip
        usual = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool, "Authorization": f"Bearer {self.token}"}  # fmt: skip
        status, _, text = self.request("POST", "/mcp", message, **{**usual, **headers})
        return status, json.loads(text)


@contextmanager
def shown(folder: Path, *options: str) -> Iterator[Ui]:
    ui = Ui(folder, *options)
    try:
        yield ui
    finally:
        ui.process.send_signal(signal.SIGTERM)
        ui.process.communicate(timeout=60)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with some tools, a policy and a corpus."""
    made = tmp_path_factory.mktemp("ui")
    small_corpus(made / "corpus")
    (made / "policy.kleis").write_text(POLICY, encoding="utf-8")
    with registry.open(made / "home") as tools:
        tools.evolve("square", "Squares a number", SQUARE, laws=["∀(x : ℤ). square(x) ≥ 0"])
        tools.evolve("pair", "Adds two fields", PAIR)
        tools.evolve("fourth", "Squares twice", {"lam": "x", "body": {"app": ["square", {"app": ["square", {"var": "x"}]}]}})  # fmt: skip
    return made


@pytest.fixture(scope="module")
def ui(folder: Path) -> Iterator[Ui]:
    with shown(folder, "--allow-changes") as started:
        yield started


@pytest.fixture
def opened(browser: Any, ui: Ui) -> Iterator[Any]:
    with watched(browser, ui.origin) as page:
        page.goto(ui.address)
        page.get_by_role("heading", name="tools").wait_for()
        yield page


def go(page: Any, place: str) -> None:
    page.get_by_role("navigation").get_by_role("button", name=place, exact=True).click()
    page.locator("body:not([aria-busy])").wait_for()


def heading(page: Any, text: str) -> None:
    page.get_by_role("heading", level=1, name=text).wait_for()


def test_the_token_leaves_the_address_and_the_tools_are_there(opened: Any, ui: Ui) -> None:
    assert opened.url == f"{ui.origin}/ui"
    _, listed = ui.call("list", {})
    names = [each["name"] for each in listed["result"]["structuredContent"]["tools"]]
    assert sorted(names) == sorted(opened.locator("#tools th").all_inner_texts()) == ["fourth", "pair", "square"]  # fmt: skip
    opened.get_by_label("Search tools").fill("twice")
    assert opened.locator("#tools tr:visible").count() == 1
    opened.reload()
    heading(opened, "3 tools")


def test_a_tool_is_opened_run_and_gone_back_to(opened: Any, ui: Ui) -> None:
    opened.locator("#tools tr", has_text="square").filter(has_text="Squares a number").get_by_role("button", name="Open").click()  # fmt: skip
    heading(opened, "square@1")
    opened.get_by_text("Run it").click()
    opened.get_by_label("Input : integer").fill("12345678901234567890")
    opened.get_by_role("button", name="Run", exact=True).click()
    heading(opened, "Value")
    assert opened.locator("#view pre").first.inner_text().strip() == str(12345678901234567890**2)
    code = json.dumps({"app": ["square@1", 12345678901234567890]})
    _, run = ui.call("run", {"code": code, "trace": 200})
    answer = run["result"]["structuredContent"]
    left = [str(each["fuel_left"]) for each in answer["trace"]]
    assert opened.locator("table").last.locator("tbody tr td:last-child").all_inner_texts() == left
    assert opened.locator("svg.bar rect").count() > len(left)
    opened.get_by_role("button", name="Back").click()
    heading(opened, "square@1")
    opened.go_back()
    heading(opened, "3 tools")


def test_a_record_has_a_field_for_each_of_its_own(opened: Any) -> None:
    opened.locator("#tools tr", has_text="Adds two fields").get_by_role("button", name="Open").click()
    heading(opened, "pair@1")
    opened.get_by_text("Run it").click()
    opened.get_by_label("Input, a : integer").fill("40")
    opened.get_by_label("Input, b : integer").fill("two")
    opened.get_by_role("button", name="Run", exact=True).click()
    heading(opened, "pair@1")  # the browser asks for a number
    opened.get_by_label("Input, b : integer").fill("2")
    opened.get_by_role("button", name="Run", exact=True).click()
    heading(opened, "Value")
    assert opened.locator("#view pre").first.inner_text().strip() == "42"


def test_laws_are_checked_again(opened: Any) -> None:
    opened.locator("#tools tr", has_text="Squares a number").get_by_role("button", name="Open").click()
    heading(opened, "square@1")
    opened.get_by_role("button", name="Check the laws and certificates again").click()
    heading(opened, "Laws of square@1")
    assert "✓ holds" in opened.locator("#view").inner_text()


def test_the_graph_and_the_versions(opened: Any) -> None:
    opened.get_by_role("button", name="Which uses which").click()
    heading(opened, "Which tools use which")
    assert opened.locator("svg g[data-row]").count() == 3
    assert "3 nodes, 1 arrows" in opened.locator("#view").inner_text()


def test_a_theory_is_declared_and_looked_at(opened: Any, ui: Ui) -> None:
    go(opened, "Declare")
    opened.get_by_label("A structure").fill(
        "structure Magma(M) { operation (⊙) : M × M → M  element u : M  axiom left : ∀(x : M). u ⊙ x = x }"
    )
    opened.get_by_role("button", name="Add the structure").click()
    heading(opened, "✓ consistent")
    opened.get_by_role("button", name="Open the theory").click()
    heading(opened, "Theory default")
    assert opened.locator("math[alttext='∀(x : M). u ⊙ x = x']").first.is_visible()
    assert opened.locator("math[alttext='x ⊙ y']").first.is_visible()
    opened.locator("details", has_text="structure Magma(M)").get_by_role("button", name="Find a model").click()  # fmt: skip
    heading(opened, "✓ found")
    go(opened, "Ask")
    opened.get_by_label("Expression or proposition").fill("∀(x y : M). x ⊙ y = y ⊙ x")
    opened.get_by_label("About the structure (using)").fill("Magma")
    opened.get_by_role("button", name="Decide").click()
    heading(opened, "✗ disproved")
    _, asked = ui.call("evaluate", {"expression": "∀(x y : M). x ⊙ y = y ⊙ x", "using": "Magma"})
    evidence = asked["result"]["structuredContent"]["counterexample"]
    square = next(each for each in evidence["tables"] if each["name"] == "⊙")
    cells = opened.locator("table", has=opened.get_by_text("⊙ : M × M → M")).locator("tbody td").all_inner_texts()  # fmt: skip
    assert cells == [row[-1] for row in square["rows"]]
    opened.get_by_text("The same as a tree").click()
    assert opened.locator("details.node summary").first.is_visible()
    go(opened, "Theories")
    heading(opened, "Theories")
    opened.get_by_text("Universes side by side").click()
    opened.get_by_label("Propositions, one a line").fill("1 + 1 = 2\n∀(x : ℤ). x = 0")
    opened.get_by_role("button", name="Compare").click()
    heading(opened, "Universes side by side")
    assert opened.locator("tbody tr").count() == 2


def test_a_proof_unfolds_and_is_checked_again(opened: Any) -> None:
    go(opened, "Ask")
    opened.get_by_label("Expression or proposition").fill("∀(x : ℤ). x + 0 = x")
    opened.get_by_role("button", name="Decide").click()
    heading(opened, "✓ verified")
    opened.get_by_role("button", name="Prove and check again").click()
    opened.get_by_text("The certificate was checked again, and accepted.").wait_for()
    assert "SHA-256" in opened.locator("#view").inner_text()


def test_an_exploration_groups_its_laws(opened: Any) -> None:
    go(opened, "Explore")
    opened.get_by_label("Structure").fill("Magma")
    opened.get_by_label("Size").fill("3")
    opened.get_by_role("button", name="Find laws").click()
    heading(opened, "Laws of Magma")
    assert opened.get_by_role("heading", name="Models that refute").is_visible()
    assert opened.locator("math[alttext='∀(x : M). u ⊙ x = x']").first.is_visible()


def test_a_policy_decides_and_says_which_condition_did(opened: Any) -> None:
    go(opened, "Policy")
    heading(opened, "Policy")
    assert "✗ deny if" in opened.locator("#rules").inner_text()
    opened.get_by_text("file_edit: a file is changed").click()
    opened.locator("details", has_text="file_edit: a file is changed").get_by_label("Path").fill("secret/key")
    opened.get_by_role("button", name="May I: file_edit").click()
    heading(opened, "Decision")
    assert "✗ denied" in opened.locator("#view").inner_text()
    assert "is_secret(path)" in opened.locator("#view dd", has_text="It holds.").inner_text() or opened.get_by_text("matches").first.is_visible()  # fmt: skip
    go(opened, "Policy")
    opened.get_by_text("What is wrong with it?").click()
    opened.get_by_role("button", name="Audit", exact=True).click()
    heading(opened, "Audit of the policy")
    assert opened.get_by_text("always_denies", exact=False).first.is_visible()
    opened.get_by_role("button", name="Back").click()
    opened.get_by_text("Is another policy stricter?").click()
    opened.get_by_label("Another policy, as Kleis").fill(
        POLICY + 'define check_git_commit(description) = "deny"'
    )
    opened.get_by_role("button", name="Compare", exact=True).click()
    heading(opened, "The other policy is stricter")


def test_a_corpus_has_its_claims_and_their_graph(opened: Any) -> None:
    go(opened, "Corpus")
    heading(opened, "3 papers")
    opened.locator("#papers tr", has_text="On turns").get_by_role("button", name="Claims").click()
    heading(opened, "5 claims")
    opened.locator("#claims tr", has_text="turn_le").get_by_role("button", name="Needs").click()
    heading(opened, "turn_le")
    assert opened.locator("svg g[data-row]").count() == opened.locator("#nodes tr").count() == 4


def test_a_machine_shows_its_trace(opened: Any, ui: Ui) -> None:
    machine = "define init(n : ℤ) = n = 0\ndefine next(n : ℤ, m : ℤ) = m = n + 1"
    assert ui.call("submit_define", {"kleis": machine})[0] == 200
    go(opened, "Machines")
    opened.get_by_label("Invariants, one a line").fill("n ≥ 0\nn < 3")
    opened.get_by_role("button", name="Check", exact=True).click()
    heading(opened, "✗ disproved")
    assert opened.locator("table", has_text="Trace").locator("tbody tr").count() == 4


def test_a_tool_is_made_by_keyboard_alone(opened: Any) -> None:
    opened.get_by_role("button", name="New tool").focus()
    opened.keyboard.press("Enter")
    heading(opened, "New tool")
    opened.get_by_label("Name").focus()
    for text in ("triple", "Three times", "def triple(x):\n    return 3 * x"):
        opened.keyboard.insert_text(text)
        opened.keyboard.press("Tab")
    opened.get_by_role("button", name="Keep it").focus()
    opened.keyboard.press("Enter")
    heading(opened, "triple@1: created")
    assert opened.evaluate("document.activeElement.id") == "view"  # what is new has the focus


def test_an_error_stands_beside_the_form(opened: Any) -> None:
    go(opened, "Ask")
    opened.get_by_label("Expression or proposition").fill("∀(x : ℤ")
    opened.get_by_role("button", name="Decide").click()
    heading(opened, "✗ error")
    assert "is not closed" in opened.locator("#view").inner_text()


def test_the_page_has_no_serious_fault_of_access(opened: Any) -> None:
    assert serious(opened) == []
    go(opened, "Ask")
    assert serious(opened) == []


def test_what_may_not_call(ui: Ui) -> None:
    assert ui.call("list", {})[0] == 200
    assert ui.call("list", {}, Authorization="Bearer wrong")[0] == 401
    assert ui.call("list", {}, Authorization="")[0] == 401
    assert ui.call("list", {}, Origin="https://example.org")[0] == 403
    assert ui.call("list", {}, Host="example.org")[0] == 421
    assert ui.request("GET", "/ui", Host="example.org")[0] == 421
    status, headers, body = ui.request("GET", "/ui")
    assert status == 200
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "default-src 'none'" in headers["content-security-policy"]
    assert ui.token.encode() not in body
    assert b"square" not in body


def test_without_changes_nothing_can_be_changed(browser: Any, folder: Path) -> None:
    with shown(folder) as reading, watched(browser, reading.origin) as page:
        page.goto(reading.address)
        page.get_by_role("heading", name="tools").wait_for()
        assert not page.get_by_role("button", name="New tool").is_visible()
        for tool, arguments in (
            ("evolve", {"name": "evil", "description": "x", "code": 1}),
            ("forget", {"name": "square"}),
            ("submit_define", {"kleis": "define f(x : ℤ) : ℤ = x"}),
            ("load_theory", {"imports": []}),
        ):
            status, answer = reading.call(tool, arguments)
            assert status != 200 or answer["result"]["isError"], tool
        assert not reading.call("run", {"code": {"app": ["square", 3]}})[1]["result"]["isError"]
        assert not reading.call("evaluate", {"expression": "1 + 1"})[1]["result"]["isError"]


def test_a_lost_server_shows_and_recovers(browser: Any, folder: Path) -> None:
    with shown(folder) as lost:
        context = browser.new_context()
        page = context.new_page()
        page.goto(lost.address)
        page.get_by_role("heading", name="tools").wait_for()
        os.kill(lost.process.pid, signal.SIGSTOP)
        try:
            page.route("**/*", lambda route: route.abort())  # as a server that is gone
            page.get_by_text("The server does not answer.").wait_for()
            go(page, "Ask")
        finally:
            os.kill(lost.process.pid, signal.SIGCONT)
        page.unroute("**/*")
        page.locator("#server").wait_for(state="hidden")
        go(page, "Theories")
        heading(page, "Theories")
        context.close()


def test_a_page_without_its_token_says_what_to_open(browser: Any, ui: Ui) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{ui.origin}/ui")
    page.get_by_text("This page needs the token").wait_for()
    page.goto("about:blank")
    page.goto(f"{ui.origin}/ui#wrong")
    page.get_by_text("no valid token").wait_for()
    context.close()
