"""A loaded policy: its rules, and the decisions they make.

See docs/reference/policy.md §3.

Invariants
    * `decide` always answers and never raises for what is in a policy or in the arguments.
    * Only a value of a `check_` rule that allows, or the absence of a rule where the default is to allow, allows.  A
      rule that fails, that is undecided, that rests on an approximate comparison or on one of values of different
      kinds (`force = "1"`: a number with a text), or that uses up its budget denies, and so does a `before_` rule.
    * What is named like a rule and is none (an operation, a constructor, a member of a structure with parameters) is
      no missing rule: it denies.
    * The same action gets the same decision however many were decided before: the constants that rules mention are
      computed once, when the policy is loaded.
    * A policy reads no file: `readFile` has no directory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec

from kleis.budget import Budget
from kleis.errors import BudgetError, EvaluationError, KleisError
from kleis.evaluator.environment import Environment, environment_of
from kleis.evaluator.evaluate import evaluate_with
from kleis.evaluator.machine import BUSY, Machine
from kleis.policy.actions import ACTIONS, Action, ArgumentProblem, read_action, read_arguments
from kleis.policy.decision import Decision, allows, described, steps_of
from kleis.syntax import tree
from kleis.syntax.tree.traversal import walk
from kleis.theory.import_search import ImportSearch, packaged_library
from kleis.theory.loader import Loader, Loading
from kleis.theory.theory import Entry, Theory
from kleis.values import Value

__all__ = ["BRIEF", "CHECK_CALL", "FULL", "Default", "Policy", "load_policy", "policy_search"]

Default = Literal["allow", "deny"]

FULL = Budget(steps=5_000_000, depth=20_000, size=1_000_000)
"""What the rules of one action may use: about a second."""

BRIEF = Budget(steps=100_000, depth=20_000, size=1_000_000)
"""What a server tries first, before it takes a thread for `FULL`: tens of milliseconds at most."""

CHECK_CALL = "check_call"
"""The rule about calls of MCP servers (`kleis.policy.calls`)."""

_FILE = "<action>"


class _Answer(msgspec.Struct, frozen=True):
    """The value of a rule, or why there is none."""

    value: Value = False
    failure: str = ""
    exhausted: bool = False


class Policy:
    """A policy ready to decide.  Immutable; make one with `load_policy`, or from a `Loading` without errors."""

    def __init__(self, loading: Loading, *, default: Default = "allow") -> None:
        self.loading = loading
        self.default = default
        self._environment: Environment = environment_of(loading.theory)
        self._constants = self._known_constants()

    @property
    def theory(self) -> Theory:
        """The declarations of the policy, those of imported files too."""
        return self.loading.theory

    @property
    def definitions(self) -> Mapping[str, tree.FunctionDefinition]:
        """The definitions by name, those of imported files too."""
        return self.theory.definitions

    @cached_property
    def constructors(self) -> Mapping[str, str]:
        """The constructors, under their own names."""
        return {name: name for name in self.theory.constructors}

    @cached_property
    def own(self) -> tuple[tree.FunctionDefinition, ...]:
        """The definitions in the policy's file, and the rules of imported files, in the order of the text."""
        main = self.loading.main.name
        found: dict[str, tree.FunctionDefinition] = {}
        for entry in self.theory.entries:
            item = entry.declaration
            if not isinstance(item, tree.FunctionDefinition) or self.definitions.get(item.name) is not item:
                continue
            if entry.file == main or item.name.startswith(("check_", "before_")):
                found[item.name] = item
        return tuple(found.values())

    @cached_property
    def rules(self) -> tuple[tree.FunctionDefinition, ...]:
        """The `check_` and `before_` rules, in the order of the text."""
        return tuple(each for each in self.own if each.name.startswith(("check_", "before_")))

    @cached_property
    def promises(self) -> tuple[Entry, ...]:
        """What has to be proved before the policy is used, in its own file and in imported ones, in order."""
        return tuple(
            each
            for each in self.theory.lemmas
            if isinstance(each.declaration, tree.Lemma) and each.declaration.word == "promise"
        )

    # ── Decisions ────────────────────────────────────────────────────────────────────────────────────────────

    def decide(self, name: object, given: Mapping[str, Any], *, budget: Budget = FULL) -> Decision:
        """The decision on an action with these arguments."""
        action = read_action(name)
        if isinstance(action, ArgumentProblem):
            shown = name if isinstance(name, str) and len(name) <= 60 else "unknown"
            return Decision(allowed=False, action=shown, rule=None, reason=action.reason)
        arguments = read_arguments(action, given)
        if isinstance(arguments, ArgumentProblem):
            reason = f"DENIED — {arguments.reason}"
            return Decision(allowed=False, action=action.name, rule=None, reason=reason)
        return self.decide_read(action, arguments, budget=budget)

    def decide_read(
        self, action: Action, arguments: tuple[str | int, ...], *, budget: Budget = FULL
    ) -> Decision:
        """The decision on an action with arguments that have been read."""
        steps, problem, exhausted = self._steps(action, arguments, budget)
        rule: str | None = action.check if action.check in self.definitions else None
        if rule is None and (other := self.declared_otherwise(action.check)):
            allowed = False
            reason = f"DENIED — '{action.check}' is no rule: it is {other}"
        elif rule is None:
            allowed = self.default == "allow"
            what = "allowed" if allowed else "denied"
            reason = f"no rule: No policy rule '{action.check}' defined — action {what} by default"
        else:
            answer = self._ask(rule, arguments, budget)
            exhausted = exhausted or answer.exhausted
            allowed = not answer.failure and allows(answer.value)
            reason = self._reason(rule, answer, allowed)
        if allowed and problem:
            allowed, rule, reason = False, action.before, f"DENIED — {problem} in '{action.before}'"
        return Decision(
            allowed=allowed,
            action=action.name,
            rule=rule,
            reason=reason,
            preconditions=steps,
            exhausted=exhausted and not allowed,
        )

    def _steps(
        self, action: Action, arguments: tuple[str | int, ...], budget: Budget
    ) -> tuple[tuple[str, ...], str, bool]:
        """The steps of `before_X`, why they are not known (empty if they are), and whether the budget was too small."""
        if action.before not in self.definitions:
            other = self.declared_otherwise(action.before)
            problem = f"precondition could not be evaluated: it is {other}" if other else ""
            return (problem,) if problem else (), problem, False
        answer = self._ask(action.before, arguments, budget)
        if not answer.failure:
            steps = steps_of(answer.value)
            if steps is not None:
                return steps, "", False
            failure = f"its value {described(answer.value)} is no text"
        else:
            failure = answer.failure
        problem = f"precondition could not be evaluated: {failure}"
        return (problem,), problem, answer.exhausted

    def declared_otherwise(self, name: str) -> str:
        """What declares a name that is not defined; empty if nothing does."""
        declared = self.theory.lookup(name)
        if name in self.definitions or not declared:
            return ""
        last = declared[-1]
        owner = f" of {last.owner}" if last.owner else ""
        return f"the {last.kind} at {last.place}{owner}, and no definition of the policy"

    @staticmethod
    def _reason(rule: str, answer: _Answer, allowed: bool) -> str:
        if answer.failure:
            return f"DENIED — policy evaluation error in '{rule}': {answer.failure}"
        if allowed:
            return f"ALLOWED by {rule}"
        if isinstance(answer.value, str) and answer.value.lower() in ("deny", "denied"):
            return f"DENIED by {rule}"
        return f"DENIED by {rule}: its value is {described(answer.value)}, which does not allow"

    # ── Evaluation ───────────────────────────────────────────────────────────────────────────────────────────

    def _ask(self, rule: str, arguments: tuple[str | int, ...], budget: Budget) -> _Answer:
        """The value of a rule for these arguments."""
        count = len(self.definitions[rule].parameters)
        if count != len(arguments):
            return _Answer(failure=f"it has {_parameters(count)}, and is given {len(arguments)}")
        call = tree.Call(rule, tuple(_literal(each) for each in arguments))
        machine = self.machine(budget)
        try:
            value = evaluate_with(machine, call, self._environment, _FILE)
        except BudgetError as error:
            return _Answer(failure=error.message, exhausted=True)
        except EvaluationError as error:
            return _Answer(failure=str(error))
        if machine.approximate:
            return _Answer(failure="it rests on a comparison of approximate numbers")
        if machine.mixed:
            return _Answer(
                failure=f"it compares {machine.mixed}, which are never equal{_force_hint(arguments)}"
            )
        return _Answer(value)

    def machine(self, budget: Budget) -> Machine:
        """A machine with the values of the constants."""
        machine = Machine(budget, None)
        machine.constants = dict(self._constants)
        return machine

    @property
    def environment(self) -> Environment:
        """The evaluator's environment of the rules."""
        return self._environment

    def _known_constants(self) -> dict[str, Any]:
        """The exact values of the constants that rules reach; what fails is left to the decisions."""
        known: dict[str, Any] = {}
        for name in self._reached():
            machine = Machine(FULL, None)
            machine.constants = dict(known)
            try:
                evaluate_with(machine, tree.Name(name), self._environment, _FILE)
            except KleisError:
                continue
            if not machine.approximate and not machine.mixed and not machine.output:
                known |= {
                    each: value
                    for each, value in machine.constants.items()
                    if value is not BUSY
                    and not isinstance(value, EvaluationError)
                    and each not in machine.partial_constants
                }
        return known

    def _reached(self) -> Iterator[str]:
        """The constants among the definitions that rules mention, directly or not."""
        waiting = [name for action in ACTIONS.values() for name in (action.check, action.before)]
        waiting.append(CHECK_CALL)
        seen: set[str] = set()
        while waiting:
            definition = self.definitions.get(waiting.pop())
            if definition is None or definition.name in seen:
                continue
            seen.add(definition.name)
            if not definition.parameters:
                yield definition.name
            waiting.extend(
                node.name for node in walk(definition.body) if isinstance(node, tree.Name | tree.Call)
            )


def _literal(value: str | int) -> tree.Expression:
    return tree.Text(value) if isinstance(value, str) else tree.Number(str(value))


def _force_hint(arguments: tuple[str | int, ...]) -> str:
    numbers = any(isinstance(each, int) for each in arguments)
    return " (force is the number 1 or 0)" if numbers else ""


def _parameters(count: int) -> str:
    return f"{count} parameter" + ("" if count == 1 else "s")


# ── Loading ──────────────────────────────────────────────────────────────────────────────────────────────────


def policy_search(path: Path, roots: tuple[Path, ...] = ()) -> ImportSearch:
    """Where the imports of a policy may be: its own directory, `roots` and the packaged library, nowhere else."""
    library = packaged_library()
    allowed = (path.resolve().parent, *roots) + ((library,) if library is not None else ())
    return ImportSearch(path=tuple(roots), root=None, library=library, confined_to=allowed)


def load_policy(
    path: Path, *, default: Default = "allow", roots: tuple[Path, ...] = (), text: str | None = None
) -> Policy:
    """The policy of a file, or of a `text` that stands in its place.

    Raises `LoadError` (or the `ParseError` of the text) where anything of it, imports included, cannot be read.
    """
    loader = Loader(policy_search(path, roots))
    if text is None:
        loading = loader.load(path)
    else:
        loading = loader.load_text(text, file=str(path), directory=path.resolve().parent)
    return policy_of(loading, default=default)


def policy_of(loading: Loading, *, default: Default = "allow") -> Policy:
    """The policy of what was loaded.  Raises the first error there is."""
    if loading.errors:
        raise loading.errors[0]
    for problem in loading.problems:
        if problem.severity == "error":
            raise problem.as_error()
    return Policy(loading, default=default)
