"""Answers of a real server, one for each tool that has a view: recorded in `answers.json`, for tests that change them.

python -m tests.support.views.recorded
"""

from __future__ import annotations

import json
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from tests.support.files.small_corpus import small_corpus
from tests.support.servers.raw_client import RawClient, demo

__all__ = ["POLICY", "answers", "questions"]

FILE = Path(__file__).with_name("answers.json")

POLICY = """\
define is_secret(path) = matches(path, re_concat(re_literal("secret"), re_all()))
define check_file_edit(path) = if is_secret(path) then "deny" else if path = "" then "deny" else "allow"
define check_file_delete(path) = if is_secret(path) then "deny" else "deny"
define before_file_edit(path) = "read the file && look at its tests"
define check_git_push(branch, force) = if force ≠ 0 then "deny" else "allow"
"""

_MAGMA = "structure Magma(M) { operation (⊙) : M × M → M  element u : M  axiom left : ∀(x : M). u ⊙ x = x }"
_SAME = "∀(x y : M). x ⊙ y = y ⊙ x"
_DOUBLE = {"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}


def questions(paper: str, declaration: str) -> list[tuple[str, str, dict[str, Any]]]:
    """What is asked, in order: a key, the tool, the arguments."""
    about = {"paper_id": paper, "lean_decl": declaration}
    law = "∀(x : ℤ). double(x) = x + x"
    return [
        ("evolve", "evolve", {"name": "double", "description": "Doubles", "code": _DOUBLE, "laws": [law],
                              "examples": [{"input": 2, "output": 4}]}),
        ("evolve again", "evolve", {"name": "double", "description": "Doubles", "code": {"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}}),
        ("run", "run", {"code": {"app": ["std.gcd", 12, 18]}, "trace": 40}),
        ("run wrong", "run", {"code": {"ad": [1]}}),
        ("list", "list", {"limit": 5, "query": "double"}),
        ("help", "help", {"category": "lists"}),
        ("analyze", "analyze", {"code": "std.gcd"}),
        ("analyze against", "analyze", {"code": "double", "against": "double@1"}),
        ("history", "history", {"name": "double"}),
        ("diff", "diff", {"name": "double@1", "against": "double@2"}),
        ("rollback", "rollback", {"name": "double", "version": 1}),
        ("fuzz", "fuzz", {"name": "double", "examples": 20}),
        ("check_laws", "check_laws", {"name": "double"}),
        ("submit_structure", "submit_structure", {"kleis": _MAGMA}),
        ("submit_structure extending", "submit_structure", {"kleis": "structure Loop(M) extends Magma(M) { axiom right : ∀(x : M). x ⊙ u = x }"}),
        ("submit_data", "submit_data", {"kleis": "data Colour = Red | Green(shade : ℤ)"}),
        ("submit_define", "submit_define", {"kleis": "define twice(x : ℤ) : ℤ = x + x"}),
        ("submit_lemma", "submit_lemma", {"kleis": "lemma even : ∀(x : ℤ). twice(x) = 2 * x"}),
        ("try_structure clashing", "try_structure", {"kleis": "structure Bad(M) { element a : M axiom w : ∀(x : M). x = a  axiom v : ∃(x : M). x ≠ a }"}),
        ("try_structure rejected", "try_structure", {"kleis": "structure Bad(M) { elemen }"}),
        ("undo", "undo", {}),
        ("list_session", "list_session", {}),
        ("list_session all", "list_session", {"session": "*"}),
        ("describe_schema", "describe_schema", {"scope": "theory", "depth": "full"}),
        ("describe_schema name", "describe_schema", {"scope": "theory", "name": "Loop"}),
        ("load_theory", "load_theory", {"imports": ["stdlib/algebra"], "session": "abelian"}),
        ("save_theory", "save_theory", {"name": "magmas"}),
        ("evaluate disproved", "evaluate", {"expression": _SAME, "using": "Magma", "explain": True}),
        ("evaluate verified", "evaluate", {"expression": "∀(x : ℤ). twice(x) = 2*x", "explain": True}),
        ("evaluate value", "evaluate", {"expression": "1/3 + 1/6"}),
        ("evaluate wrong", "evaluate", {"expression": "∀(x : ℤ"}),
        ("explain", "explain", {"expression": "∀(x : M). u ⊙ (u ⊙ x) = x", "using": "Loop(M)"}),
        ("certify", "certify", {"expression": "∀(x : ℤ). x + 0 = x"}),
        ("compare", "compare", {"propositions": [_SAME, "1 + 1 = 2"], "sessions": ["default", "abelian"]}),
        ("find_models", "find_models", {"about": "∃(x y : ℤ). x * y = 12 ∧ x < y", "all": True}),
        ("explore", "explore", {"structure": "Loop", "size": 3}),
        ("submit machine", "submit_define", {"kleis": "define init(x : ℤ) = x = 0\ndefine next(x : ℤ, y : ℤ) = y = x + 1"}),
        ("check_machine", "check_machine", {"invariants": ["x ≥ 0", "x < 3"], "reach": ["x = 3"]}),
        ("evaluate begun", "evaluate", {"expression": "∀(x : ℤ). x * x ≥ 0", "wait": False}),
        ("check_job", "check_job", {}),
        ("check_action denied", "check_action", {"action": "file_edit", "path": "secret/key"}),
        ("check_action allowed", "check_action", {"action": "file_edit", "path": "a.py"}),
        ("list_rules", "list_rules", {}),
        ("explain_rule", "explain_rule", {"rule_name": "check_file_edit"}),
        ("explain_rule none", "explain_rule", {"rule_name": "check_file_edits"}),
        ("describe_schema policy", "describe_schema", {"scope": "policy", "depth": "full"}),
        ("audit_policy", "audit_policy", {}),
        ("compare_policies", "compare_policies", {"kleis": 'define check_git_push(branch, force) = "deny"'}),
        ("list_papers", "list_papers", {}),
        ("list_declarations_for_paper", "list_declarations_for_paper", {"paper_id": paper, "merge": True}),
        ("list_declarations_in_file", "list_declarations_in_file", {"paper_id": paper, "file_path": "Turns.lean", "match": "suffix"}),
        ("search_declarations", "search_declarations", {"query": "turn"}),
        ("dependencies whole", "get_dependency_graph_for_declaration", about),
        ("dependencies", "get_dependency_graph_for_declaration", {**about, "direction": "dependencies"}),
        ("audit_paper", "audit_paper", {"paper_id": paper}),
    ]  # fmt: skip


@cache
def _recorded() -> str:
    return FILE.read_text(encoding="utf-8")


def answers() -> dict[str, tuple[str, dict[str, Any]]]:
    """The recorded answers, each with its tool, by their keys."""
    return {
        key: (one["tool"], one["answer"]) for key, one in json.loads(_recorded()).items()
    }  # parsed anew, so that each test may change its own


def _record() -> dict[str, Any]:
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        small_corpus(place / "corpus")
        (place / "policy.kleis").write_text(POLICY, encoding="utf-8")
        command = [
            sys.executable, "-m", "registry.cli.pif", "serve", "--home", str(place / "home"), "--more",
            "--groups", "pif,theory,policy,corpus", "--policy", str(place / "policy.kleis"), "--corpus", str(place / "corpus"),
        ]  # fmt: skip
        with demo(command=command) as client:
            _asked(client, 0, "initialize", protocolVersion="2025-11-25", capabilities={},
                   clientInfo={"name": "recorder", "version": "1"})  # fmt: skip
            client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            for number, (key, tool, arguments) in enumerate(questions("turns", "Small.Turns.turn_le"), 1):
                answer = _asked(client, number, "tools/call", name=tool, arguments=arguments)
                text = json.dumps(answer["structuredContent"], ensure_ascii=False)
                found[key] = {"tool": tool, "answer": json.loads(text.replace(folder, "/tmp/place"))}
    return found


def _asked(client: RawClient, number: int, method: str, **params: Any) -> Any:
    client.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
    return client.answer_to(number)["result"]


if __name__ == "__main__":
    FILE.write_text(json.dumps(_record(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
