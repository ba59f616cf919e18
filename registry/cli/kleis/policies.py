"""`kleis policy check`, `call`, `promises`, `audit` and `compare`: decisions, proofs, findings, differences.

Specification: docs/reference/policy.md §7.4. `--json` prints the object that the server would answer.

Exit status: `check` and `call` 0 allowed, 1 denied, 3 to be asked; `promises` 0 kept, 1 broken, 3 open; `audit` 0 nothing that should be changed, 1 something, 3 not complete; `compare`
0 equal or stricter, 1 looser or incomparable, 3 unknown; 2 for a policy that cannot be loaded (`check` denies then).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kleis.errors import KleisError
from registry.cli.terminal.plain_output import print_error, progress, say, say_row, table

if TYPE_CHECKING:
    from kleis.policy.audit import Audit
    from kleis.policy.audit_of_calls import Offered
    from kleis.policy.compare_policies import Comparison, Row
    from kleis.policy.policy import Default, Policy
    from kleis.prover.prover import Prover
    from kleis.theory.theory import Theory

__all__ = ["audit_file", "check_action", "check_call", "compare_files", "offered_by", "show_promises"]

_UNKNOWN = 3
_USAGE = 2


def check_action(
    file: Path, action: str, words: Sequence[str], *, default: Default, roots: tuple[Path, ...], as_json: bool
) -> int:
    """Decide one action; the exit status."""
    from kleis.policy.policy_file import PolicyFile

    given = _arguments(words)
    served = PolicyFile(file, default=default, roots=roots, open_prover=_open_prover).served
    decision = served.decide(action, given)
    if as_json:
        _print_json(decision.as_dict())
    else:
        word, style = ("allowed", "good") if decision.allowed else ("denied", "bad")
        say_row(word, f"{decision.action}: {decision.reason}", style=style)
        for place, step in enumerate(decision.preconditions, 1):
            say(f"  first {place}: {step}")
    return 0 if decision.allowed else 1


def _arguments(words: Sequence[str]) -> dict[str, Any]:
    """``key=value`` words; `force` is true or false."""
    given: dict[str, Any] = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or not key.isidentifier():
            raise click.UsageError(f"{word!r} is no argument: write key=value, for example branch=main")
        if key in given:
            raise click.UsageError(f"the argument {key} is given twice")
        flags = {"true": True, "1": True, "false": False, "0": False}
        given[key] = flags.get(value, value) if key == "force" else value
    return given


def check_call(
    file: Path,
    server: str,
    tool: str,
    text: str,
    *,
    name: str,
    scopes: Sequence[str],
    roots: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Decide one call; the exit status."""
    from kleis.policy.calls import CallDecision, Principal, ToolCall
    from kleis.policy.exact_json import ExactJsonError, read_exactly
    from kleis.policy.policy_file import PolicyFile

    served = PolicyFile(file, roots=roots, open_prover=_open_prover).served
    try:
        arguments = read_exactly(text)
    except ExactJsonError as error:
        reason = f"DENIED — the arguments cannot be judged: {error}"
        decision = CallDecision(outcome="deny", rule=error.code, reason=reason)
    else:
        decision = served.decide_call(
            Principal(name, tuple(scopes)), ToolCall(server=server, tool=tool, arguments=arguments)
        )
    if as_json:
        _print_json(decision.as_dict())
    else:
        word, style = _OUTCOMES[decision.outcome]
        say_row(word, f"{server} {tool}: {decision.reason}", style=style)
        if decision.hint:
            say(f"  hint  {decision.hint}")
        if decision.problem:
            say(f"  policy  {decision.problem}", style="bad")
    return {"allow": 0, "deny": 1, "ask": _UNKNOWN}[decision.outcome]


_OUTCOMES: Mapping[str, tuple[str, str]] = {
    "allow": ("allowed", "good"),
    "deny": ("denied", "bad"),
    "ask": ("ask", "note"),
}


def show_promises(file: Path, *, roots: tuple[Path, ...], as_json: bool) -> int:
    """Prove the promises of a policy and print their states; the exit status."""
    policy = _load(file, "deny", roots, as_json=as_json)
    if policy is None:
        return _USAGE
    from kleis.policy.promises import prove_promises

    found = prove_promises(policy, _open_prover, progress=progress)
    progress(1, 1, "")
    if as_json:
        _print_json({"promises": [each.as_dict() for each in found]})
    else:
        for each in found:
            style = {"kept": "good", "broken": "bad"}.get(each.state, "note")
            say_row(each.state, f"{each.name} ({each.file}:{each.line})", style=style)
            for name, value in each.witness:
                say(f"  {name} = {value}")
            if each.detail and not each.witness:
                say(f"  {each.detail}")
        if not found:
            say(f"{file} makes no promises")
    states = {each.state for each in found}
    return 1 if "broken" in states else _UNKNOWN if "open" in states else 0


def _open_prover(theory: Theory) -> Prover:
    from registry.cli.kleis.shared.question import make_prover

    return make_prover(theory, assumes=False)


def audit_file(
    file: Path, *, action: str, lock: Path | None, default: Default, roots: tuple[Path, ...], as_json: bool
) -> int:
    """Print what is wrong with a policy; the exit status.  `lock`: what a gateway's servers were approved with."""
    policy = _load(file, default, roots, as_json=as_json)
    if policy is None:
        return _USAGE
    from kleis.policy.audit import audit

    try:
        offered = None if lock is None else offered_by(lock)
    except KleisError as error:
        print_error(f"error  {error}", style="bad")
        return _USAGE
    found = audit(policy, only=action, offered=offered, progress=progress)
    progress(1, 1, "")
    if as_json:
        _print_json(found.as_dict())
    else:
        _print_audit(found)
    if not found.ok:
        return 1
    return 0 if found.complete else _UNKNOWN


def offered_by(lock: Path) -> Offered:
    """The tools of each server in a lock file, and those of the registry's own server, which needs no approval. Raises
    `KleisError`."""
    from registry.gateway.pins.lock_file import read
    from registry.gateway.serving.own_server import NAME

    approved, _ = read(lock)
    return {NAME: None, **{server: list(kinds.get("tools", {})) for server, kinds in approved.items()}}


def _print_audit(found: Audit) -> None:
    from registry.server.groups.policy.text import one_line

    for each in found.remarks:
        place = each.rule + (f", line {each.line}" if each.line else "")
        about = f"{place}: " if place else ""
        say_row(each.kind, f"{about}{each.message}", style="bad" if each.serious else "note")
        if each.condition:
            say(f"  condition  {each.condition}")
        if each.witness is not None:
            say(f"  witness    {one_line(each.witness)}")
        if each.decision is not None:
            say(f"  decision   {each.decision.reason}")
        if each.proposition:
            say(f"  forbid by  assert({each.proposition})")
    counts: dict[str, int] = {}
    for each in found.remarks:
        counts[each.kind] = counts.get(each.kind, 0) + 1
    table("kleis policy audit", ("finding", "number"), [(kind, str(count)) for kind, count in counts.items()])
    serious = sum(each.serious for each in found.remarks)
    say(
        f"{serious} to change, {len(found.remarks) - serious} to know, {found.asked} questions asked",
        style="bad" if serious else "good",
    )


def compare_files(old: Path, new: Path, *, default: Default, roots: tuple[Path, ...], as_json: bool) -> int:
    """Print how one policy is compared with another; the exit status."""
    first = _load(old, default, roots, as_json=as_json)
    second = None if first is None else _load(new, default, roots, as_json=as_json)
    if first is None or second is None:
        return _USAGE
    from kleis.policy.compare_policies import compare

    found = compare(first, second)
    if as_json:
        _print_json(found.as_dict())
    else:
        _print_comparison(found, new)
    return {"equal": 0, "stricter": 0, "unknown": _UNKNOWN}.get(found.relation, 1)


def _print_comparison(found: Comparison, new: Path) -> None:
    style = {"equal": "good", "stricter": "good", "unknown": "note"}.get(found.relation, "bad")
    say_row(found.relation, f"{new}" + (f": {found.reason}" if found.reason else ""), style=style)
    for row in found.rows:
        for line in _lines(row):
            say(line)
    table(
        "kleis policy compare", ("action", "new policy"), [(row.action, row.relation) for row in found.rows]
    )


def _lines(row: Row) -> list[str]:
    from registry.server.groups.policy.text import one_line

    lines = [f"  {row.action}: {row.relation}" + (f" ({row.reason})" if row.reason else "")]
    for words, difference in (
        ("denied now", row.stricter),
        ("allowed now", row.looser),
        ("other steps", row.steps),
    ):
        if difference is not None:
            lines.append(f"    {words}: {one_line(difference.witness)}")
    return lines


def _load(file: Path, default: Default, roots: tuple[Path, ...], *, as_json: bool) -> Policy | None:
    from kleis.policy.policy import load_policy

    try:
        return load_policy(file, default=default, roots=roots)
    except KleisError as error:
        if as_json:
            _print_json({"error": error.as_dict()})
        else:
            print_error(f"error  {error}", style="bad")
        return None


def _print_json(answer: Mapping[str, Any]) -> None:
    from registry.cli.terminal.screen import json_text

    say(json_text(answer))
