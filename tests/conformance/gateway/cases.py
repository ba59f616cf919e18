"""What is asked of each server, straight and through the gateway: every feature that the server has, one step each.

A step is a request in the server's own names.  Where the time of day is in an answer, `varying` says what is left out.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.conformance import installation

__all__ = ["CASES", "EXCEPTIONS", "NEWER", "OLDER", "Case", "Step"]

Kind = Literal["request", "list", "cancelled", "level", "subscribe", "unsubscribe"]


@dataclass(frozen=True)
class Step:
    """One request: `list` reads all pages, `cancelled` gives up at the first progress, `level`, `subscribe` and
    `unsubscribe` are asked as the client's generation does."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    kind: Kind = "request"
    progress: bool = False
    """Whether progress is asked for, and compared."""
    own_words: bool = False
    """Whether the gateway refuses it in words of its own: that it is refused is what is compared."""
    is_new: bool = False
    """Whether it is about what the server offers since its list was approved: the gateway has to refuse it."""

    @property
    def name(self) -> str:
        about = self.params.get("name") or self.params.get("uri") or self.params.get("ref") or ""
        return f"{self.method} {about}".strip()


@dataclass(frozen=True)
class Case:
    """One server: how it is started in a folder, what lies there before, and the steps."""

    name: str
    command: Callable[[Path], list[str]]
    steps: Callable[[Path], list[Step]]
    prepare: Callable[[Path], None] = lambda _: None
    environment: Callable[[Path], dict[str, str]] = lambda _: {}
    varying: str = r"(?!)"
    """A pattern of what differs between two runs of the same server."""
    generations: tuple[str, ...] = ("2025",)


EXCEPTIONS = {
    "simulate-research-query": "a tool that must be a task: tasks are not offered in this stage",
    "trigger-sampling-request": "asks the client for a completion: back-channels are not offered in this stage",
    "trigger-elicitation-request": "asks the client for input: back-channels are not offered in this stage",
    "get-roots-list": "asks the client for its roots: back-channels are not offered in this stage",
    "toggle-simulated-logging": "messages at random times, which no two runs share",
    "toggle-subscriber-updates": "messages at random times, which no two runs share",
}
"""What is not compared of `everything`, and why."""

LISTS = [
    Step(method, kind="list")
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
]


def call(tool: str, *, progress: bool = False, **arguments: Any) -> Step:
    return Step("tools/call", {"name": tool, "arguments": arguments}, progress=progress)


def read(uri: str) -> Step:
    return Step("resources/read", {"uri": uri})


def get(prompt: str, **arguments: str) -> Step:
    return Step("prompts/get", {"name": prompt, "arguments": arguments})


def complete(about: Mapping[str, str], name: str, value: str, **known: str) -> Step:
    context = {"context": {"arguments": known}} if known else {}
    params = {"ref": about, "argument": {"name": name, "value": value}, **context}
    return Step("completion/complete", params)


def _everything(folder: Path) -> list[Step]:
    document = "demo://resource/static/document/architecture.md"
    template = {"type": "ref/resource", "uri": "demo://resource/dynamic/text/{resourceId}"}
    prompt = {"type": "ref/prompt", "name": "completable-prompt"}
    return [
        *LISTS,
        Step("ping"),
        call("echo", message='ütf-8 \u2028 \U0001f600 \\ "quoted" \n'),
        call("echo"),
        call("echo", message=1),
        call("get-sum", a=0.1, b=0.2),
        call("get-sum", a=9007199254740991, b=1),
        Step("tools/call", {"name": "no-such-tool", "arguments": {}}, own_words=True),
        call("get-tiny-image"),
        call("get-structured-content", location="Chicago"),
        call("get-structured-content", location="Paris"),
        *(call("get-annotated-message", messageType=each, includeImage=True) for each in ("error", "debug")),
        call("get-resource-links", count=3),
        call("get-resource-reference", resourceType="Blob", resourceId=3),
        call("gzip-file-as-resource", name="a.gz", data="data:text/plain,abc", outputType="resource"),
        call("gzip-file-as-resource", name="b.gz", data="data:text/plain,abc", outputType="resourceLink"),
        Step("resources/read", {"uri": "demo://resource/session/b.gz"}, is_new=True),
        call("get-env"),
        call("trigger-long-running-operation", progress=True, duration=0.2, steps=3),
        Step(
            "tools/call",
            {"name": "trigger-long-running-operation", "arguments": {"duration": 600, "steps": 6000}},
            kind="cancelled",
        ),
        read(document),
        read("demo://resource/dynamic/text/7"),
        read("demo://resource/dynamic/blob/7"),
        read("demo://no/such"),
        get("simple-prompt"),
        get("args-prompt", city="Zürich", state="ZH"),
        get("args-prompt"),
        get("resource-prompt", resourceType="Text", resourceId="2"),
        Step("prompts/get", {"name": "no-such-prompt"}, own_words=True),
        complete(prompt, "department", "E"),
        complete(prompt, "name", "", department="Engineering"),
        complete(template, "resourceId", "4"),
        Step("logging/setLevel", {"level": "debug"}, kind="level"),
        Step("resources/subscribe", {"uri": document}, kind="subscribe"),
        Step("resources/unsubscribe", {"uri": document}, kind="unsubscribe"),
    ]


def _filesystem(folder: Path) -> list[Step]:
    at = str(folder)
    return [
        *LISTS,
        call("list_allowed_directories"),
        call("read_text_file", path=f"{at}/a.txt"),
        call("read_text_file", path=f"{at}/a.txt", head=1),
        call("read_text_file", path=f"{at}/../outside"),
        call("read_text_file", path="/etc/passwd"),
        call("read_text_file", path=f"{at}/missing"),
        call("read_media_file", path=f"{at}/picture.png"),
        call("read_multiple_files", paths=[f"{at}/a.txt", f"{at}/b/c.txt", f"{at}/missing"]),
        call("list_directory", path=at),
        call("directory_tree", path=at),
        call("search_files", path=at, pattern="**/*.txt"),
        call("create_directory", path=f"{at}/new"),
        call("write_file", path=f"{at}/new/ü.txt", content="first\nsecond\n"),
        call(
            "edit_file",
            path=f"{at}/new/ü.txt",
            edits=[{"oldText": "second", "newText": "2"}],
            dryRun=False,
        ),
        call("move_file", source=f"{at}/new/ü.txt", destination=f"{at}/moved.txt"),
        call("read_text_file", path=f"{at}/moved.txt"),
        call("write_file", path=f"{at}/x", wrong=1),
    ]


def _prepare_filesystem(folder: Path) -> None:
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / "b").mkdir()
    (folder / "b" / "c.txt").write_text("three")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))


def _memory(folder: Path) -> list[Step]:
    ada = {"name": "Ada", "entityType": "person", "observations": ["writes"]}
    engine = {"name": "Engine", "entityType": "machine", "observations": []}
    relation = {"from": "Ada", "to": "Engine", "relationType": "describes"}
    return [
        *LISTS,
        call("create_entities", entities=[ada, engine]),
        call("create_relations", relations=[relation]),
        call("add_observations", observations=[{"entityName": "Ada", "contents": ["counts"]}]),
        call("add_observations", observations=[{"entityName": "Bob", "contents": ["counts"]}]),
        call("read_graph"),
        call("search_nodes", query="count"),
        call("open_nodes", names=["Ada"]),
        call("delete_relations", relations=[relation]),
        call("delete_entities", entityNames=["Engine"]),
        call("read_graph"),
        call("create_entities", entities="none"),
    ]


def _thinking(folder: Path) -> list[Step]:
    first = {"thought": "one", "thoughtNumber": 1, "totalThoughts": 2, "nextThoughtNeeded": True}
    second = {"thought": "two", "thoughtNumber": 2, "totalThoughts": 2, "nextThoughtNeeded": False}
    return [
        *LISTS,
        call("sequentialthinking", **first),
        call("sequentialthinking", **second, isRevision=True, revisesThought=1),
        call("sequentialthinking", thought="three"),
    ]


def _git(folder: Path) -> list[Step]:
    at = str(folder)
    return [
        *LISTS,
        call("git_status", repo_path=at),
        call("git_log", repo_path=at, max_count=5),
        call("git_diff_unstaged", repo_path=at),
        call("git_add", repo_path=at, files=["b.txt"]),
        call("git_diff_staged", repo_path=at),
        call("git_show", repo_path=at, revision="HEAD"),
        call("git_create_branch", repo_path=at, branch_name="side"),
        call("git_branch", repo_path=at, branch_type="local"),
        call("git_checkout", repo_path=at, branch_name="side"),
        call("git_status", repo_path=at),
        call("git_log", repo_path="/no/such"),
        call("git_log"),
    ]


def _prepare_git(folder: Path) -> None:
    said = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org"}
    said |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org"}
    date = "2026-01-02T03:04:05Z"
    environment = {**os.environ, **said, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    (folder / "a.txt").write_text("one\n")
    for words in (("init", "-q", "-b", "main"), ("add", "a.txt"), ("commit", "-q", "-m", "first")):
        subprocess.run(["git", *words], cwd=folder, env=environment, check=True, timeout=60)
    (folder / "a.txt").write_text("two\n")
    (folder / "b.txt").write_text("new\n")


def _time(folder: Path) -> list[Step]:
    return [
        *LISTS,
        call("get_current_time", timezone="Asia/Tokyo"),
        call("convert_time", source_timezone="UTC", time="12:30", target_timezone="Asia/Tokyo"),
        call("get_current_time", timezone="No/Where"),
        call("convert_time", time=1),
    ]


def _fetch(folder: Path) -> list[Step]:
    address = (folder.parent / "address").read_text()
    return [
        *LISTS,
        call("fetch", url=f"{address}/page.html"),
        call("fetch", url=f"{address}/page.html", raw=True, max_length=10, start_index=5),
        call("fetch", url=f"{address}/missing.html"),
        call("fetch", url="no address"),
        get("fetch", url=f"{address}/page.html"),
    ]


def _sqlite(folder: Path) -> list[Step]:
    return [
        *LISTS,
        call("list_tables"),
        call("describe_table", table_name="t"),
        call("read_query", query="SELECT a, b, NULL, 1.5 FROM t"),
        call("write_query", query="INSERT INTO t VALUES (2, 'ü')"),
        call("read_query", query="DELETE FROM t"),
        call("create_table", query="CREATE TABLE u (x)"),
        call("append_insight", insight="there are two"),
        read("memo://insights"),
        get("mcp-demo", topic="retail"),
        Step("prompts/get", {"name": "no-such"}, own_words=True),
    ]


def _prepare_sqlite(folder: Path) -> None:
    with sqlite3.connect(folder / "x.db") as database:
        database.execute("CREATE TABLE t (a INTEGER, b TEXT)")
        database.execute("INSERT INTO t VALUES (9007199254740993, 'one')")
    database.close()


def _node(name: str) -> str:
    package = installation.NODE_SERVERS / "node_modules" / "@modelcontextprotocol" / f"server-{name}"
    return str(package / "dist" / "index.js")


def _program(requirements: str, name: str) -> str:
    return str(installation.PLACE / Path(requirements).stem / "bin" / name)


NEWER, OLDER = "requirements-servers.txt", "requirements-older-servers.txt"
BOTH = ("2025", "2026")

CASES = [
    Case(
        "everything",
        lambda _: ["node", _node("everything")],
        _everything,
        varying=r"\d{1,2}:\d\d:\d\d [AP]M|UmVzb3VyY2Ug[A-Za-z0-9+/]+=*",  # the latter is the former in base64
    ),
    Case("filesystem", lambda at: ["node", _node("filesystem"), str(at)], _filesystem, _prepare_filesystem),
    Case(
        "memory",
        lambda _: ["node", _node("memory")],
        _memory,
        environment=lambda at: {"MEMORY_FILE_PATH": str(at / "memory.jsonl")},
    ),
    Case("thinking", lambda _: ["node", _node("sequential-thinking")], _thinking),
    Case(
        "git",
        lambda at: [_program(NEWER, "mcp-server-git"), "--repository", str(at)],
        _git,
        _prepare_git,
        generations=BOTH,
    ),
    Case(
        "time",
        lambda _: [_program(NEWER, "mcp-server-time"), "--local-timezone", "UTC"],
        _time,
        varying=r"\d{4}-\d\d-\d\dT[0-9:.+]+",
        generations=BOTH,
    ),
    Case(
        "fetch",
        lambda _: [_program(NEWER, "mcp-server-fetch"), "--allow-private-ips", "--ignore-robots-txt"],
        _fetch,
        generations=BOTH,
    ),
    Case(
        "sqlite",
        lambda at: [_program(OLDER, "mcp-server-sqlite"), "--db-path", str(at / "x.db")],
        _sqlite,
        _prepare_sqlite,
    ),
]
