"""Attacks on the gate: broken policies, imports that escape, huge policies and arguments, look-alikes, many clients."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from kleis.errors import KleisError
from kleis.policy.policy import BRIEF, load_policy
from kleis.policy.policy_file import PolicyFile
from tests.support.servers.pif_server import pif_server
from tests.support.servers.raw_client import call
from tests.support.servers.theory_client import TheoryClient, theory_client
from tests.support.theories.policies import STARTER, decide, policy

GATE = """
define word = re_plus(re_range("a", "z"))
define check_run_command(command) = if matches(command, word) then "allow" else "deny"
define check_git_push(branch, force) = if force = 1 then "deny" else if branch = "main" then "deny" else "allow"
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheoryClient]:
    folder = tmp_path_factory.mktemp("gate")
    (folder / "agent.kleis").write_text(GATE)
    options = {"groups": "policy", "policy": folder / "agent.kleis", "default": "deny"}
    with theory_client(folder / "home", None, **options) as client:
        yield client


# Files.


NONSENSE = [
    "",
    "\0" * 1000,
    "define",
    "\ufeff\ufeff",
    "(" * 5000,
    "define check_git_push(b, f) = ",
    "x" * 200_000,
    'import "/dev/zero"',
]


def test_a_policy_edited_to_nonsense_while_serving(tmp_path: Path) -> None:
    path = tmp_path / "agent.kleis"
    path.write_text(GATE)
    with theory_client(tmp_path / "home", groups="policy", policy=path, default="deny") as server:
        assert server.ask("check_action", action="git_push", branch="topic")["allowed"]
        for text in NONSENSE:
            path.write_text(text)
            found = server.ask("check_action", action="git_push", branch="main")
            assert not found["allowed"]
            assert found["policy_problem"]
            assert not server.ask("check_action", action="run_command", command="rm -rf /")["allowed"]
        path.unlink()
        assert not server.ask("check_action", action="git_push", branch="main")["allowed"]
        path.mkdir()
        assert not server.ask("check_action", action="git_push", branch="main")["allowed"]


@pytest.mark.parametrize(
    "wanted", ["../outside.kleis", "/tmp/../etc/passwd", "link.kleis", "linked/inside.kleis", "pipe.kleis"]
)
def test_imports_cannot_leave_the_directory(tmp_path: Path, wanted: str) -> None:
    inside, outside = tmp_path / "policies", tmp_path / "elsewhere"
    inside.mkdir()
    outside.mkdir()
    (tmp_path / "outside.kleis").write_text('define verdict = "allow"\n')
    (outside / "inside.kleis").write_text('define verdict = "allow"\n')
    (inside / "link.kleis").symlink_to(outside / "inside.kleis")
    (inside / "linked").symlink_to(outside)
    os.mkfifo(inside / "pipe.kleis")
    main = inside / "agent.kleis"
    main.write_text(f'import "{wanted}"\ndefine check_file_edit(path) = verdict\n')
    with pytest.raises(KleisError):
        load_policy(main)
    found = PolicyFile(main).served.decide("file_edit", {"path": "x"})
    assert not found.allowed
    assert "no policy is in force" in found.reason


def test_roots_open_other_directories(tmp_path: Path) -> None:
    shared, inside = tmp_path / "shared", tmp_path / "policies"
    shared.mkdir()
    inside.mkdir()
    (shared / "verdicts.kleis").write_text('define verdict = "allow"\n')
    main = inside / "agent.kleis"
    main.write_text('import "../shared/verdicts.kleis"\ndefine check_file_edit(path) = verdict\n')
    assert load_policy(main, roots=(shared,)).decide("file_edit", {"path": "x"}).allowed


def test_a_policy_reads_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "verdict.txt"
    secret.write_text("allow")
    for name in (secret, "verdict.txt", "/etc/passwd", "/dev/zero"):
        found = decide(f'define check_file_edit(path) = readFile("{name}")', "file_edit", path="x")
        assert not found.allowed
    assert not decide("define check_file_edit(path) = readFile(path)", "file_edit", path=str(secret)).allowed


@pytest.mark.parametrize(
    "file",
    ["/etc/passwd", "../agent.kleis", "nothing.kleis", "", "agent.kleis\0", "https://x.example/p.kleis"],
)
def test_a_comparison_reads_only_beside_the_policy(server: TheoryClient, file: str) -> None:
    assert server.reply("compare_policies", file=file).is_error


# Sizes.


@pytest.mark.parametrize("length", [10_000, 99_999, 100_001, 2_000_000])
def test_giant_arguments(server: TheoryClient, length: int) -> None:
    assert not server.ask("check_action", action="run_command", command="rm " + "x" * length)["allowed"]
    reply = server.reply("check_action", action="git_push", branch="main", description="y" * length)
    assert not reply.structured["allowed"]
    assert len(reply.text) < 30_000


BOMBS = {
    "nested": 're_plus(re_plus(re_plus(re_plus(re_literal("a")))))',
    "overlapping": 're_star(re_union(re_literal("a"), re_literal("aa"), re_literal("aaa")))',
    "counted": 're_loop(re_loop(re_loop(re_union(re_literal("a"), re_literal("b")), 1, 50), 1, 50), 1, 50)',
    "states": 're_concat(re_full, re_literal("a"), re_loop(re_allchar, 200, 200))',
    "complements": 're_complement(re_concat(re_complement(re_concat(re_full, re_literal("ab"))), re_full, re_literal("x")))',
}


@pytest.mark.parametrize("name", BOMBS)
def test_regular_bombs_are_decided_or_denied(name: str) -> None:
    """The budget bounds what a pattern may cost; whatever it stops is denied."""
    made = policy(f'define check_run_command(c) = if matches(c, {BOMBS[name]}) then "allow" else "deny"')
    for command in ("a" * 5_000, "ab" * 2_500, "a" * 200 + "!", "b" * 1_000):
        found = made.decide("run_command", {"command": command}, budget=BRIEF)
        again = made.decide("run_command", {"command": command}, budget=BRIEF)
        assert (found.allowed, found.reason) == (again.allowed, again.reason)
        assert found.allowed or found.reason.startswith("DENIED")


def test_rules_that_do_not_end() -> None:
    for text in (
        "define check_file_edit(p) = check_file_edit(concat(p, p))",
        'define again(p) = if contains(p, "never") then "allow" else again(concat(p, "x"))\ndefine check_file_edit(p) = again(p)',
        "define f(n) = f(n + 1) + f(n + 1)\ndefine check_file_edit(p) = f(1)",
        "define check_file_edit(p) = foldl(λ a b . concat(a, a), p, range(100))",
    ):
        found = policy(text).decide("file_edit", {"path": "x"}, budget=BRIEF)
        assert not found.allowed
        assert "evaluation error" in found.reason


# Types and look-alikes.


@pytest.mark.parametrize("value", [None, 0, 1, 1.5, True, [], ["main"], {}, {"branch": "main"}, [[["x"]]]])
@pytest.mark.parametrize("name", ["action", "path", "command", "branch", "description"])
def test_arguments_that_are_no_texts(server: TheoryClient, name: str, value: object) -> None:
    for action in ("file_edit", "run_command", "git_push", "git_commit"):
        given = {"action": action, name: value}
        reply = server.reply("check_action", **given)
        assert reply.is_error
        assert reply.structured["allowed"] is False


TWICE = [
    '"action": "git_push", "branch": "topic", "force": true, "force": false',
    '"action": "git_push", "branch": "topic", "force": true, "f\\u006frce": false',
    '"action": "git_push", "branch": "main", "branch": "topic"',
    '"action": "run_command", "command": "rm -rf /", "command": "ls"',
    '"action": "file_edit", "path": "x", "action": "git_push", "branch": "topic", "force": 18446744073709551616',
    '"action": "git_push", "branch": "main"}, "arguments": {"action": "git_push", "branch": "topic"',
]


@pytest.mark.parametrize("members", TWICE)
def test_an_argument_that_is_given_twice_is_refused(tmp_path: Path, members: str) -> None:
    (tmp_path / "agent.kleis").write_text(GATE)
    with pif_server(tmp_path / "home", groups="policy", policy=tmp_path / "agent.kleis") as client:
        call_of = '{"jsonrpc":"2.0","id":"%s","method":"tools/call","params":{"name":"check_action","arguments":{%s}}}\n'
        client.write((call_of % ("twice", members)).encode())
        found = client.answer_to("twice")["result"]
        assert found["isError"]
        assert "stands twice" in found["content"][0]["text"]
        assert not found["structuredContent"].get("allowed")
        once = '"action": "git_push", "branch": "a: \\"b\\": c{}", "force": false'
        client.write((call_of % ("once", once)).encode())
        assert "force" not in client.answer_to("once")["result"]["structuredContent"].get("error", {})
        assert client.ask("check_action", action="git_push", branch="topic")["allowed"]


LOOK_ALIKES = [
    "ｇit_push",
    "git\u200b_push",
    "git_push\u0000",
    "Git_Push",
    "gіt_push",
    "git＿push",
    " git_push",
    "git_push\n",
]


@pytest.mark.parametrize("action", LOOK_ALIKES)
def test_actions_that_look_alike_are_unknown(server: TheoryClient, action: str) -> None:
    found = server.ask("check_action", action=action, branch="topic")
    assert found["allowed"] is False


@pytest.mark.parametrize(
    "command", ["ｒm", "rｍ", "r\u200dm", "r\u00adm", "\u202erm", "ѕudo", "ls\u2028", "ℓs", "ls\x1b[2J"]
)
def test_letters_that_look_alike_are_no_letters(server: TheoryClient, command: str) -> None:
    assert not server.ask("check_action", action="run_command", command=command)["allowed"]


@pytest.mark.parametrize(
    "verdict", ["аllow", "allow\u200b", "ａｌｌｏｗ", "allow\0", "ALLOW\u0301", "yeſ", "trüe", "ALLOWED!"]
)
def test_verdicts_that_look_alike_do_not_allow(verdict: str) -> None:
    text = f'define check_file_edit(path) = concat("{verdict}", "")'
    assert not decide(text, "file_edit", path="x").allowed


# Crowds.


def test_two_hundred_calls_at_once(tmp_path: Path) -> None:
    (tmp_path / "agent.kleis").write_text(GATE)
    with pif_server(tmp_path / "home", groups="policy", policy=tmp_path / "agent.kleis") as client:
        branches = ["main" if number % 3 == 0 else f"topic{number}" for number in range(200)]
        calls = [
            call(number, "check_action", {"action": "git_push", "branch": branch})
            for number, branch in enumerate(branches, 1)
        ]
        client.write_aside(b"".join(msgspec.json.encode(each) + b"\n" for each in calls))
        answers = {}
        while len(answers) < len(branches):
            message = client.receive()
            answers[message["id"]] = message["result"]["structuredContent"]["allowed"]
        assert [answers[number] for number in range(1, 201)] == [branch != "main" for branch in branches]


def test_many_threads_on_one_policy_while_it_changes(tmp_path: Path) -> None:
    """Every decision is that of one of the two policies, whole."""
    path = tmp_path / "agent.kleis"
    left = 'define word = "left"\ndefine check_file_edit(path) = if word = "left" then "deny" else "allow"\n'
    path.write_text(left)
    file = PolicyFile(path)

    def ask(number: int) -> tuple[bool, str]:
        if number % 10 == 0:
            other = tmp_path / f"new{number}"
            other.write_text(left.replace('"left"', '"right"'))
            other.replace(path)
        found = file.current().decide("file_edit", {"path": f"x{number}"})
        return found.allowed, found.problem

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(ask, range(200)))
    assert {allowed for allowed, _ in results} == {False}
    assert {problem for _, problem in results} == {""}


def test_two_hundred_threads_decide_alike() -> None:
    made = load_policy(STARTER, default="deny")
    commands = ["ls -la", "rm -rf /", "git diff | head", "curl x | sh", "pytest -q", "cat .env"] * 40
    alone = [made.decide("run_command", {"command": command}).allowed for command in commands]
    fresh = load_policy(STARTER, default="deny")
    with ThreadPoolExecutor(16) as pool:
        together = list(
            pool.map(lambda command: fresh.decide("run_command", {"command": command}).allowed, commands)
        )
    assert together == alone
