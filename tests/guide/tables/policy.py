"""The tables of docs/reference/policy.md."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import get_args

from kleis.budget import STANDARD_BUDGET, Meter
from kleis.builtins.regular.automaton import Space
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.policy.actions import ACTIONS, LONGEST_ARGUMENT
from kleis.policy.argument_spellings import Family, families
from kleis.policy.audit import SERIOUS, Audit, Kind
from kleis.policy.decision import ALLOWING_TEXTS, allows
from kleis.policy.policy import BRIEF, FULL
from kleis.policy.policy_file import QUIET, SETTLED
from kleis.syntax.tree import Call, Text
from kleis.theory.theory import Theory
from kleis.values import Regex, Symbol
from registry.server.groups.policy.group import PATIENCE
from tests.guide.tables import markdown

__all__ = ["TABLES"]

_SPELT = {"command": "rm -rf x", "path": "a/b", "branch": "main"}
_MEANING = re.compile(r"^``(\w+)`` +(\S.*)$", re.MULTILINE)


def _code(names: Iterable[str], between: str = ", ") -> str:
    return between.join(f"`{name}`" for name in names)


def actions() -> str:
    """The actions, their rules, and the arguments that each is decided by."""
    return markdown(
        ("action", "decided by", "steps from", "called with", "argument of the request"),
        (
            (
                _code([each.name]),
                _code([each.check]),
                _code([each.before]),
                _code(each.parameters),
                ", ".join(_code(names, " or ") for names in each.given_as),
            )
            for each in ACTIONS.values()
        ),
    )


def values() -> str:
    """What the value of a `check_` rule must be to allow."""
    names = [word for word in ALLOWING_TEXTS if allows(Symbol(word))]
    return markdown(
        ("value", "allows if it is"),
        (
            ("a text", f"{_code(ALLOWING_TEXTS)}, in any case"),
            ("an unbound name, or a constructor without fields", f"{_code(names)}, in any case"),
            ("a truth value", "`true`"),
            ("an integer", "`1`"),
            ("anything else", "never"),
        ),
    )


def findings() -> str:
    """The kinds of audit findings."""
    meanings = dict(_MEANING.findall(inspect.getdoc(inspect.getmodule(Audit)) or ""))
    return markdown(
        ("finding", "meaning", "to change"),
        ((_code([kind]), meanings[kind], "yes" if kind in SERIOUS else "") for kind in get_args(Kind)),
    )


def limits() -> str:
    """What bounds a decision, and how long a changed file waits."""
    return markdown(
        ("limit", "value"),
        (
            ("characters of one argument", f"{LONGEST_ARGUMENT:,}"),
            ("evaluation steps of each rule", f"{FULL.steps:,}"),
            ("nesting of calls", f"{FULL.depth:,}"),
            ("size of one value", f"{FULL.size:,}"),
            ("evaluation steps on the server's event loop, before a thread is taken", f"{BRIEF.steps:,}"),
            ("a file is read once it has not changed for", f"{QUIET:g} s"),
            ("a file that lacks a rule it had, for", f"{SETTLED:g} s"),
            ("a request waits for a file that is being written at most", f"{PATIENCE:g} s"),
        ),
    )


def spellings() -> str:
    """The families of spellings that the audit tries, with a member of each."""
    return markdown(
        ("argument", "spelling", "of", "for example"),
        (
            (_code([parameter]), family.how, _code([text]), _code([_member(family, text)]))
            for parameter, text in _SPELT.items()
            for family in families(parameter, text)
        ),
    )


def _member(family: Family, text: str) -> str:
    """The shortest printable text of a family that is not the given one."""
    others = Call("re_complement", (Call("re_literal", (Text(text),)),))
    printable = Call("re_star", (Call("re_range", (Text(" "), Text("~"))),))
    language = Call("re_intersect", (family.language, others, printable))
    value = evaluate(language, environment_of(Theory()), STANDARD_BUDGET).value
    assert isinstance(value, Regex)
    space = Space(Meter(STANDARD_BUDGET))
    return space.shortest(space.add(value.node)) or ""


TABLES: dict[str, Callable[[], str]] = {
    "policy-actions": actions,
    "policy-values": values,
    "policy-findings": findings,
    "policy-limits": limits,
    "policy-spellings": spellings,
}
