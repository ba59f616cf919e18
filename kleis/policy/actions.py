"""The actions a policy decides about, and the arguments its rules are given.

`branch` falls back to `path`; an argument that is absent, of the wrong type or another action's denies.  See docs/reference/policy.md §2.

Invariant: a rule is only asked with arguments of the types that it is written for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kleis.spelling import nearest

__all__ = ["ACTIONS", "LONGEST_ARGUMENT", "Action", "ArgumentProblem", "read_action", "read_arguments"]

LONGEST_ARGUMENT = 100_000
"""Characters of one argument: more than a command line can have on most systems."""


class Action(msgspec.Struct, frozen=True):
    """An action: `parameters` are those of its rules, `given_as` the arguments that each may come as."""

    name: str
    parameters: tuple[str, ...]
    given_as: tuple[tuple[str, ...], ...]

    @property
    def check(self) -> str:
        """The rule that decides."""
        return f"check_{self.name}"

    @property
    def before(self) -> str:
        """The rule that names what is to be done first."""
        return f"before_{self.name}"

    def request(self, arguments: Sequence[str | int]) -> dict[str, Any]:
        """The action with these arguments of its rules, as a client would ask about it."""
        given: dict[str, Any] = dict(zip(self.parameters, arguments, strict=True))
        if "force" in given:
            given["force"] = bool(given["force"])
        return {"action": self.name, **given}


def _action(name: str, *parameters: str) -> Action:
    return Action(name, parameters, tuple((each,) for each in parameters))


ACTIONS: Mapping[str, Action] = {
    action.name: action
    for action in (
        _action("file_delete", "path"),
        _action("file_create", "path"),
        _action("file_edit", "path"),
        _action("run_command", "command"),
        Action("git_push", ("branch", "force"), (("branch", "path"), ("force",))),
        _action("git_commit", "description"),
    )
}
"""The actions by name."""

_NAMES = tuple(
    dict.fromkeys(name for action in ACTIONS.values() for names in action.given_as for name in names)
)


class ArgumentProblem(msgspec.Struct, frozen=True):
    """Why an action is denied before any rule is asked."""

    reason: str


def read_action(name: object) -> Action | ArgumentProblem:
    """The action of that name."""
    if isinstance(name, str) and name in ACTIONS:
        return ACTIONS[name]
    if not isinstance(name, str):
        return ArgumentProblem(f"the action must be a text, not {_kind_of(name)}")
    near = nearest(name, ACTIONS)
    meant = f"; did you mean {near[0]}?" if near else f"; actions are {', '.join(ACTIONS)}"
    return ArgumentProblem(f"Unknown action type: '{_shown(name)}'{meant}")


def read_arguments(action: Action, given: Mapping[str, Any]) -> tuple[str | int, ...] | ArgumentProblem:
    """The arguments for the rules of an action, in the order of their parameters."""
    for name in given:
        if name not in _NAMES:  # it may be `force`, misspelt
            near = nearest(str(name), _NAMES)
            meant = f"; did you mean {near[0]}?" if near else f"; arguments are {', '.join(_NAMES)}"
            return ArgumentProblem(f"there is no argument {_shown(str(name))}{meant}")
    own = tuple(name for names in action.given_as for name in names)
    for name in given:
        if name not in own:  # the caller means something that no rule of this action would see
            others = [each.name for each in ACTIONS.values() if any(name in names for names in each.given_as)]
            return ArgumentProblem(
                f"the argument {name} belongs to {', '.join(others)}; {action.name} takes {', '.join(own)}"
            )
    values: list[str | int] = []
    for parameter, names in zip(action.parameters, action.given_as, strict=True):
        value = _flag(given) if parameter == "force" else _text(action, given, names)
        if isinstance(value, ArgumentProblem):
            return value
        values.append(value)
    return tuple(values)


def _text(action: Action, given: Mapping[str, Any], names: Sequence[str]) -> str | ArgumentProblem:
    found: list[str] = []
    for name in names:
        if name not in given:
            continue
        value = given[name]
        if not isinstance(value, str):
            return ArgumentProblem(f"the argument {name} must be a text, not {_kind_of(value)}")
        if len(value) > LONGEST_ARGUMENT:
            return ArgumentProblem(
                f"the argument {name} has {len(value)} characters; at most {LONGEST_ARGUMENT} are read"
            )
        found.append(value)
    if not found:
        return ArgumentProblem(f"the argument {' or '.join(names)} of {action.name} is missing")
    if any(each != found[0] for each in found):
        return ArgumentProblem(f"the arguments {' and '.join(names)} differ: which one is meant is unclear")
    return found[0]


def _flag(given: Mapping[str, Any]) -> int | ArgumentProblem:
    """1 where `force` is true or a number other than zero, 0 where it is false, zero or absent."""
    value = given.get("force", False)
    if isinstance(value, int):
        return int(bool(value))
    return ArgumentProblem(f"the argument force must be true or false, not {_kind_of(value)}")


def _kind_of(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple():
            return "a list"
        case _:
            return "an object"


def _shown(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
