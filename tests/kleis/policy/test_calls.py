"""Decisions on calls of MCP servers: only Allow allows, whatever a policy or a call is like."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.budget import Budget
from kleis.policy.calls import (
    Annotations,
    Call,
    Completion,
    GetPrompt,
    Principal,
    ReadResource,
    ToolCall,
    decide_call,
)
from kleis.policy.policy import Policy, load_policy
from kleis.theory.import_search import packaged_library

HEAD = """
import "stdlib/policies/gateway.kleis"
define root = below("/srv/project")
"""
FILES = (
    HEAD
    + """
define check_call(who : Principal, state : State, call : McpCall) : Decision = match call {
    McpCall("filesystem", "read_file", arguments, _, _) =>
        if is_text_of(get(arguments, "path"), root) then Allow else Deny("root", "read below /srv/project")
  | McpCall("filesystem", "read_multiple_files", arguments, _, _) =>
        if is_list_of(get(arguments, "paths"), root) then Allow else Deny("root", "read below /srv/project")
  | McpCall("filesystem", "write_file", _, _, _) =>
        if has_scope(who, "write") then Ask("write", "Write it?") else Deny("write", "ask for the scope write")
  | McpCall("calculator", "half", arguments, _, _) =>
        if get(arguments, "of") = JsonNumber(1/2) then Allow else Deny("half", "")
  | McpCall("hints", _, _, Annotations(true, _, _, _), schema) => if schema = "d" then Allow else Deny("schema", "")
  | ReadResource("notes", uri) => if hasPrefix(uri, "note://") then Allow else Deny("notes", "")
  | GetPrompt("notes", "summary", _) => Allow
  | Complete("notes", "summary", "style", _) => Allow
  | _ => Deny("default", "no rule")
}
"""
)
ANN = Principal("ann")


def policy_of(tmp_path: Path, text: str) -> Policy:
    file = tmp_path / "policy.kleis"
    file.write_text(text)
    return load_policy(file)


def read(path: object) -> ToolCall:
    return ToolCall(server="filesystem", tool="read_file", arguments={"path": path})


ALLOWED: list[Call] = [
    read("/srv/project"),
    read("/srv/project/src/a.py"),
    ToolCall(
        server="filesystem",
        tool="read_multiple_files",
        arguments={"paths": ["/srv/project/a", "/srv/project/b"]},
    ),
    ToolCall(server="filesystem", tool="read_multiple_files", arguments={"paths": []}),
    ToolCall(server="hints", tool="any", annotations=Annotations(read_only=True), schema="d"),
    ReadResource(server="notes", uri="note://1"),
    GetPrompt(server="notes", prompt="summary"),
    Completion(server="notes", about="summary", argument="style", value="f"),
]
DENIED: list[Call] = [
    read("/srv/project/../secret"),
    read("/srv/project/./a"),
    read("/srv/project//a"),
    read("/srv/projects/a"),
    read("/srv/project/%2e%2e/a"),
    read("/srv/project/..\\a"),
    read("/srv/project/a\x00"),
    read("/srv/project/a\n"),
    read("/SRV/project/a"),
    read("srv/project/a"),
    read("/srv/project/\u2025/a"),
    read(["/srv/project/a"]),
    read({"path": "/srv/project/a"}),
    read(None),
    ToolCall(server="filesystem", tool="read_file", arguments={"Path": "/srv/project/a"}),
    ToolCall(server="filesystem", tool="read_file", arguments=None),
    ToolCall(server="filesystem", tool="Read_file", arguments={"path": "/srv/project/a"}),
    ToolCall(server="filesystem ", tool="read_file", arguments={"path": "/srv/project/a"}),
    ToolCall(
        server="filesystem",
        tool="read_multiple_files",
        arguments={"paths": ["/srv/project/a", "/etc/passwd"]},
    ),
    ToolCall(server="filesystem", tool="read_multiple_files", arguments={"paths": ["/srv/project/a", 1]}),
    ToolCall(server="filesystem", tool="read_multiple_files", arguments={"paths": "/srv/project/a"}),
    ToolCall(server="hints", tool="any", annotations=Annotations(), schema="d"),
    ToolCall(server="hints", tool="any", annotations=Annotations(read_only=True), schema="e"),
    ReadResource(server="notes", uri="file:///etc/passwd"),
    ReadResource(server="filesystem", uri="note://1"),
    GetPrompt(server="notes", prompt="other"),
    Completion(server="notes", about="summary", argument="other", value=""),
]


@pytest.mark.parametrize("call", ALLOWED, ids=repr)
def test_what_a_rule_allows_is_allowed(tmp_path: Path, call: Call) -> None:
    decision = decide_call(policy_of(tmp_path, FILES), ANN, call)
    assert decision.allowed, decision


@pytest.mark.parametrize("call", DENIED, ids=repr)
def test_everything_else_is_denied(tmp_path: Path, call: Call) -> None:
    decision = decide_call(policy_of(tmp_path, FILES), ANN, call)
    assert decision.outcome == "deny", decision
    assert decision.reason


def test_a_denial_has_the_policys_own_rule_and_hint(tmp_path: Path) -> None:
    decision = decide_call(policy_of(tmp_path, FILES), ANN, read("/etc/passwd"))
    assert (decision.rule, decision.hint) == ("root", "read below /srv/project")


def test_a_question_is_no_permission(tmp_path: Path) -> None:
    write = ToolCall(server="filesystem", tool="write_file", arguments={})
    policy = policy_of(tmp_path, FILES)
    assert decide_call(policy, ANN, write).outcome == "deny"
    asked = decide_call(policy, Principal("bob", ("write",)), write)
    assert (asked.outcome, asked.allowed, asked.hint) == ("ask", False, "Write it?")


def test_numbers_are_exact(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, FILES)
    from kleis.policy.exact_json import read_exactly

    half = ToolCall(server="calculator", tool="half", arguments=read_exactly('{"of": 0.5}'))
    near = ToolCall(server="calculator", tool="half", arguments=read_exactly('{"of": 0.5000000000000001}'))
    assert decide_call(policy, ANN, half).allowed
    assert not decide_call(policy, ANN, near).allowed


ANY = "define check_call(who : Principal, state : State, call : McpCall) : Decision = "
UNFIT = {
    "no rule": HEAD,
    "two parameters": HEAD + "define check_call(who, call) = Allow",
    "another order": HEAD
    + "define check_call(call : McpCall, state : State, who : Principal) : Decision = Allow",
    "an operation": HEAD + "operation check_call : McpCall → Decision",
    "types of its own": "data Decision = Allow | Deny(rule : String, hint : String)\ndefine check_call(who, state, call) = Allow",
    "its own answer": HEAD + "define check_call(who, state, call) = True",
    "a text": HEAD + 'define check_call(who, state, call) = "allow"',
    "a name": HEAD + "define check_call(who, state, call) = allow",
    "no value": HEAD + 'define check_call(who, state, call) = if 1/0 = 1 then Allow else Deny("", "")',
    "no case": HEAD + ANY + "match call { ReadResource(_, _) => Allow }",
    "kinds that never meet": HEAD + ANY + 'if argument(call, "path") = 1 then Deny("", "") else Allow',
    "no end": HEAD + "define loop(n) = loop(n + 1)\n" + ANY + "loop(0)",
    "approximate": HEAD + ANY + 'if sin(1) < 0.9 then Allow else Deny("", "")',
}


@pytest.mark.parametrize("text", UNFIT.values(), ids=UNFIT.keys())
def test_a_policy_that_cannot_judge_denies(tmp_path: Path, text: str) -> None:
    decision = decide_call(policy_of(tmp_path, text), ANN, read("/srv/project"))
    assert decision.outcome == "deny", decision
    assert decision.reason.startswith("DENIED")


def test_a_constructor_that_is_defined_again_is_no_decision(tmp_path: Path) -> None:
    text = HEAD + "define Deny(rule, hint) = Allow\n" + ANY + 'Deny("all", "")'
    assert not decide_call(policy_of(tmp_path, text), ANN, read("/srv/project")).allowed


def test_a_rule_that_takes_too_long_denies_and_says_so(tmp_path: Path) -> None:
    text = (
        HEAD
        + "define count(n) = if n = 0 then 0 else count(n - 1)\n"
        + ANY
        + "if count(50000) = 0 then Allow else Allow"
    )
    small = Budget(steps=10_000, depth=20_000, size=1_000_000)
    decision = decide_call(policy_of(tmp_path, text), ANN, read("/srv/project"), budget=small)
    assert (decision.outcome, decision.exhausted) == ("deny", True)


QUERIES = [
    "SELECT a FROM t",
    "select a, b from t where x = 'y' and n >= 3;",
    "SELECT update_time FROM t",
    "SELECT a\nFROM t",
]
NO_QUERIES = [
    "SELECT 1; DROP TABLE t",
    "SELECT a FROM t -- x",
    "SELECT a /* x */ FROM t",
    "SELECT a INTO b FROM t",
    "SELECT a FROM t FOR UPDATE",
    "SELECT pg_read_file('x')",
    "SELECT load_extension ('x')",
    'SELECT "a" FROM t',
    "SELECT a FROM t WHERE b = E'\\''",
    "WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x",
    "EXPLAIN ANALYZE DELETE FROM t",
    "PRAGMA writable_schema = 1",
    " SELECT a FROM t",
    "SELECTa FROM t",
    "",
]


def test_sql_that_is_unclear_counts_as_writing(tmp_path: Path) -> None:
    text = HEAD + ANY + 'if is_text_of(argument(call, "query"), sql_query) then Allow else Deny("sql", "")'
    policy = policy_of(tmp_path, text)
    for queries, allowed in ((QUERIES, True), (NO_QUERIES, False)):
        for query in queries:
            call = ToolCall(server="sqlite", tool="read_query", arguments={"query": query})
            assert decide_call(policy, ANN, call).allowed is allowed, query


ADDRESSES = [
    "https://docs.python.org",
    "https://docs.python.org/3/library/re.html",
    "https://docs.python.org?q=a",
]
NO_ADDRESSES = [
    "http://docs.python.org/",
    "https://docs.python.org.evil.example/",
    "https://docs.python.org@evil.example/",
    "https://docs.python.org:8080/",
    "https://evil.example/docs.python.org",
    "https://docs.python.org\\@evil.example",
    "https://docs.python.org/a b",
    "https://docs.python.org/#\u202e",
    "HTTPS://docs.python.org/",
]


def test_an_address_has_one_spelling(tmp_path: Path) -> None:
    text = (
        HEAD
        + ANY
        + 'if is_text_of(argument(call, "url"), https_at("docs.python.org")) then Allow else Deny("hosts", "")'
    )
    policy = policy_of(tmp_path, text)
    for addresses, allowed in ((ADDRESSES, True), (NO_ADDRESSES, False)):
        for address in addresses:
            call = ToolCall(server="fetch", tool="fetch", arguments={"url": address})
            assert decide_call(policy, ANN, call).allowed is allowed, address


@pytest.mark.parametrize("name", ["read_only", "developer", "production"])
def test_starter_policies_judge_calls(name: str) -> None:
    library = packaged_library()
    assert library is not None
    policy = load_policy(library / "policies" / f"gateway_{name}.kleis")
    assert policy.promises
    query = ToolCall(server="sqlite", tool="read_query", arguments={"query": "SELECT a FROM t"})
    reader = Principal("ann", ("read",))
    assert decide_call(policy, reader, query).allowed is (name != "developer")
    for tool in ("write_query", "drop", "create_table"):
        call = ToolCall(server="sqlite", tool=tool, arguments={"query": "DROP TABLE t"})
        assert not decide_call(policy, Principal("ann", ("admin", "operate", "write")), call).allowed


def test_a_table_of_ten_thousand_rules_is_one_look_up(tmp_path: Path) -> None:
    cases = "\n  | ".join(f'"tool{each}" => Allow' for each in range(10_000))
    text = HEAD + ANY + f'match tool_of(call) {{ {cases}\n  | _ => Deny("table", "") }}'
    policy = policy_of(tmp_path, text)
    assert decide_call(policy, ANN, ToolCall(server="s", tool="tool9999")).allowed
    assert not decide_call(policy, ANN, ToolCall(server="s", tool="tool10000")).allowed
