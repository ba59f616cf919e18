"""A policy decides once its promises are proved; what is broken or open leaves the policy before it in force."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kleis.errors import LoadError
from kleis.policy.calls import Principal, ToolCall
from kleis.policy.policy import load_policy
from kleis.policy.policy_file import PolicyFile
from kleis.policy.promises import prove_promises, require_promises
from kleis.prover.prover import Prover
from kleis.theory.theory import Theory

RULE = """
import "stdlib/policies/gateway.kleis"
define root = below("/srv/project")
define check_call(who : Principal, state : State, call : McpCall) : Decision = match call {
    McpCall("filesystem", "read_file", arguments, _, _) =>
        if is_text_of(get(arguments, "path"), root) then Allow else Deny("root", "")
  | McpCall("filesystem", "read_multiple_files", arguments, _, _) =>
        if is_list_of(get(arguments, "paths"), root) then Allow else Deny("root", "")
  | _ => Deny("default", "")
}
"""
EVERY = "∀(who : Principal)(state : State)(call : McpCall). "
KEPT = f"""
promise paths : {EVERY}server_of(call) = "filesystem" ∧ tool_of(call) = "read_file" ∧ allowed(check_call(who, state, call)) → is_text_of(argument(call, "path"), root)
promise lists : {EVERY}tool_of(call) = "read_multiple_files" ∧ allowed(check_call(who, state, call)) → is_list_of(argument(call, "paths"), root)
promise lexical : ∀(path : String). matches(path, root) → hasPrefix(path, "/srv/project") ∧ ¬contains(path, "/../")
"""
BROKEN = f'promise nobody : {EVERY}allowed(check_call(who, state, call)) → has_scope(who, "admin")\n'
ANN = Principal("ann")
READ = ToolCall(server="filesystem", tool="read_file", arguments={"path": "/srv/project/a"})


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "policy.kleis"
    file.write_text(text)
    return file


def test_promises_about_calls_are_proved_or_broken_by_a_call(tmp_path: Path) -> None:
    found = prove_promises(load_policy(written(tmp_path, RULE + KEPT + BROKEN)))
    assert [each.state for each in found] == ["kept", "kept", "kept", "broken"]
    witness = dict(found[-1].witness)
    assert "read_file" in witness["call"] or "read_multiple_files" in witness["call"]


NEARLY = {
    "a path of the list": f'{EVERY}tool_of(call) = "read_multiple_files" ∧ allowed(check_call(who, state, call)) → is_text_of(argument(call, "path"), root)',
    "another root": f'{EVERY}allowed(check_call(who, state, call)) → is_text_of(argument(call, "path"), below("/srv/project/src"))',
    "every server": f'{EVERY}allowed(check_call(who, state, call)) → server_of(call) = "files"',
    "no call": f"{EVERY}¬allowed(check_call(who, state, call))",
    "a language": '∀(path : String). matches(path, root) → ¬contains(path, "..")',
    "no claim": "allowed(check_call)",
}


@pytest.mark.parametrize("claim", NEARLY.values(), ids=NEARLY.keys())
def test_nearly_true_promises_are_not_kept(tmp_path: Path, claim: str) -> None:
    policy = load_policy(written(tmp_path, f"{RULE}promise nearly : {claim}\n"))
    assert [each.state for each in prove_promises(policy)] == ["broken"]


def test_a_broken_promise_is_an_error_with_its_witness(tmp_path: Path) -> None:
    with pytest.raises(LoadError) as caught:
        require_promises(load_policy(written(tmp_path, RULE + BROKEN)))
    assert caught.value.code == "promise-broken"
    assert "nobody" in caught.value.message
    assert "McpCall(" in caught.value.message


def test_the_old_policy_stays_where_a_promise_is_broken(tmp_path: Path) -> None:
    file = PolicyFile(written(tmp_path, RULE), elapsed=Clock())
    assert file.served.decide_call(ANN, READ).allowed
    written(tmp_path, RULE.replace("read_file", "write_file") + BROKEN)
    served = after(file)
    decision = served.decide_call(ANN, READ)
    assert decision.allowed
    assert "the promise nobody" in decision.problem
    assert "stays in force" in decision.problem


def test_where_there_is_no_old_policy_a_broken_promise_denies_all(tmp_path: Path) -> None:
    served = PolicyFile(written(tmp_path, RULE + BROKEN)).served
    assert served.policy is None
    decision = served.decide_call(ANN, READ)
    assert not decision.allowed
    assert "nobody" in decision.reason


def test_promises_of_imported_files_have_to_hold_too(tmp_path: Path) -> None:
    (tmp_path / "base.kleis").write_text(RULE + BROKEN)
    served = PolicyFile(written(tmp_path, 'import "base.kleis"\n')).served
    assert served.policy is None


def test_a_definition_that_replaces_the_rule_is_what_promises_are_about(tmp_path: Path) -> None:
    (tmp_path / "base.kleis").write_text(RULE + KEPT)
    text = 'import "base.kleis"\ndefine check_call(who : Principal, state : State, call : McpCall) : Decision = Allow\n'
    served = PolicyFile(written(tmp_path, text)).served
    assert not served.decide_call(ANN, ToolCall(server="filesystem", tool="read_file")).allowed


def test_the_policy_before_decides_while_promises_are_proved(tmp_path: Path) -> None:
    may_begin = threading.Event()

    @contextmanager
    def late(theory: Theory) -> Iterator[Prover]:
        may_begin.wait(60)
        with Prover(theory) as prover:
            yield prover

    file = PolicyFile(written(tmp_path, RULE), open_prover=late, proves_beside=True, elapsed=Clock())
    narrower = RULE.replace('"read_file"', '"get_file"')
    written(tmp_path, narrower + "promise small : ∀(x : ℤ). x = x\n")
    decision = after(file).decide_call(ANN, READ)
    assert decision.allowed
    assert "are being proved" in decision.problem
    proving = file._proving
    assert proving is not None
    may_begin.set()
    proving.join(60)
    assert not file.served.problem
    assert not file.served.decide_call(ANN, READ).allowed


def test_a_prover_that_cannot_be_had_keeps_the_old_policy(tmp_path: Path) -> None:
    @contextmanager
    def broken(theory: Theory) -> Iterator[Prover]:
        raise LoadError("no prover", code="none")
        yield Prover(theory)

    file = PolicyFile(written(tmp_path, RULE), open_prover=broken, elapsed=Clock())
    written(tmp_path, RULE + KEPT)
    assert "no prover" in after(file).problem


@pytest.mark.parametrize(
    ("code", "again"), [("promise-broken", False), ("promise-open", True), ("none", True)]
)
def test_a_promise_that_does_not_hold_is_not_tried_without_end(
    tmp_path: Path, code: str, again: bool
) -> None:
    tried: list[float] = []
    clock = Clock()

    @contextmanager
    def fails(theory: Theory) -> Iterator[Prover]:
        tried.append(clock.seconds)
        raise LoadError("it does not hold", code=code)
        yield Prover(theory)

    file = PolicyFile(written(tmp_path, RULE), open_prover=fails, elapsed=clock)
    path = written(tmp_path, RULE + BROKEN)
    after(file)
    before = len(tried)
    for _ in range(20):
        file.current()
    gaps = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert (len(tried) > before) is again
    assert code != "promise-open" or min(gaps[before:], default=60) >= 60
    count = len(tried)
    path.write_text(RULE + KEPT)
    after(file)
    assert len(tried) > count


class Clock:
    """Seconds that pass whenever it is looked at, so that a file is quiet without waiting."""

    def __init__(self) -> None:
        self._now = 0.0

    @property
    def seconds(self) -> float:
        return self._now

    def __call__(self) -> float:
        self._now += 10.0
        return self._now


def after(file: PolicyFile):  # type: ignore[no-untyped-def]
    """What is served once the change was noticed."""
    for _ in range(5):
        served = file.current()
    return served


def test_an_axiom_of_the_policy_keeps_no_promise(tmp_path: Path) -> None:
    """What it says of what the rules use, nobody has proved."""
    file = tmp_path / "policy.kleis"
    file.write_text(
        """
import "stdlib/policies/gateway.kleis"
operation trusted : String → Bool
structure Trust { axiom all : ∀(server : String). trusted(server) }
define check_call(who : Principal, state : State, call : McpCall) : Decision =
    if trusted(server_of(call)) then Deny("no", "") else Allow
promise nobody : ∀(who : Principal)(state : State)(call : McpCall). ¬allowed(check_call(who, state, call))
"""
    )
    policy = load_policy(file, default="deny")
    (promise,) = prove_promises(policy)
    assert promise.state != "kept"
    (assuming,) = prove_promises(policy, Prover)
    assert assuming.state == "open"
    assert "Trust::all" in assuming.detail
