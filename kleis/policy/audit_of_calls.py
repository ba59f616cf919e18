"""The findings about a rule of calls: is any call allowed, any denied, does any come to each of its branches?

See docs/reference/policy.md §10.4.

Invariants
    * A branch is only said to be unreachable where that is proved of every place from which it is reached.
    * What lies inside such a branch is not spoken of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from kleis.policy.calls import unfit
from kleis.policy.policy import CHECK_CALL, Policy
from kleis.policy.questions_about_calls import CallQuestions, allows
from kleis.policy.rule_conditions import Branch, branches, conjunction, negation
from kleis.syntax import tree

__all__ = ["BRANCHES", "CallRemark", "Offered", "about_calls"]

BRANCHES = 100
"""Branches that are asked about."""

Offered = Mapping[str, Sequence[str] | None]
"""The tools of each server that a policy is used with; None where they are not known."""

Kind = Literal[
    "never_fires", "always_fires", "always_allows", "always_denies", "never_asked", "not_offered", "undecided"
]


class CallRemark(msgspec.Struct, frozen=True):
    """One finding; `condition` is the branch as it is written."""

    kind: Kind
    line: int
    message: str
    condition: str = ""


def about_calls(
    policy: Policy, questions: CallQuestions, offered: Offered | None = None
) -> Iterator[CallRemark]:
    """The findings.  `offered`: the tools that there are; branches that are for others alone are findings too."""
    line = policy.definitions[CHECK_CALL].span.line
    problem = unfit(policy)
    if problem:
        yield CallRemark("never_asked", line, f"{problem}; every call is denied")
        return
    asked: tuple[tuple[tree.Expression, Kind, str], ...] = (
        (allows(), "always_denies", "no call is allowed"),
        (negation(allows()), "always_allows", "no call is denied"),
    )
    for condition, kind, message in asked:
        found = questions.find(condition)
        if found.outcome == "none":
            yield CallRemark(kind, line, message)
        elif found.outcome == "unknown":
            yield CallRemark("undecided", line, f"whether {message} is not known: {found.reason}")
    yield from _unreached(policy, questions, offered)


_Place = tuple[tuple[int, int, str], ...]


def _unreached(policy: Policy, questions: CallQuestions, offered: Offered | None) -> Iterator[CallRemark]:
    """Branches that no call comes to, outer ones first."""
    given = tuple(tree.Name(each) for each in ("who", "state", "call"))
    walked = branches(tree.Call(CHECK_CALL, given), policy.definitions, policy.constructors, BRANCHES + 1)
    places: dict[tuple[int, int, str], list[Branch]] = {}
    for branch in walked[:BRANCHES]:
        places.setdefault(branch.place[-1], []).append(branch)
    dead: set[_Place] = set()
    for (line, _, shown), same in places.items():
        live = [
            each for each in same if not any(each.place[:end] in dead for end in range(1, len(each.place)))
        ]
        if not live:
            dead |= {each.place for each in same}
            continue
        remark = _remark(live, line, shown, questions, offered)
        if remark is None:
            continue
        if remark.kind != "undecided":
            dead |= {each.place for each in live}
        if not (live[0].is_rest and remark.kind == "not_offered"):
            yield remark
    if len(walked) > BRANCHES:
        message = f"the rule has more than {BRANCHES} branches: only the first are asked about"
        yield CallRemark("undecided", policy.definitions[CHECK_CALL].span.line, message)


def _remark(
    same: Sequence[Branch], line: int, shown: str, questions: CallQuestions, offered: Offered | None
) -> CallRemark | None:
    """The finding about a branch, which is reached from several places; None where a call comes to it."""
    doubt = ""
    for branch in same:
        found = questions.find(branch.reached)
        if found.outcome == "found":
            break
        doubt = doubt or (found.reason if found.outcome == "unknown" else "")
    else:
        if doubt:
            return CallRemark("undecided", line, f"whether a call comes here: {doubt}", shown)
        if same[0].is_rest:
            return CallRemark("always_fires", line, "what comes before it decides every call", shown)
        message = "no call comes here: it is never so where it is asked"
        return CallRemark("never_fires", line, message, shown)
    if offered is None:
        return None
    there = _is_offered(offered)
    if all(questions.find(conjunction([there, branch.reached])).outcome == "none" for branch in same):
        message = "no call of a tool that a server offers comes here"
        return CallRemark("not_offered", line, message, shown)
    return None


def _is_offered(offered: Offered) -> tree.Expression:
    """That a call is of a tool that there is, or is another request to a server that there is."""
    yes, no = tree.Boolean(True), tree.Boolean(False)
    rest = tree.Case(tree.WildcardPattern(), None, no)

    def text(value: str) -> tree.Pattern:
        return tree.LiteralPattern(tree.Text(value))

    call = tree.Name("call")
    cases = []
    for server, names in offered.items():
        known: tree.Expression = yes
        if names is not None:  # the name of no tool is that of other requests
            tools = (tree.Case(text(each), None, yes) for each in ("", *names))
            known = tree.Match(tree.Call("tool_of", (call,)), (*tools, rest))
        cases.append(tree.Case(text(server), None, known))
    return tree.Match(tree.Call("server_of", (call,)), (*cases, rest))
