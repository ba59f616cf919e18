"""The audit of a policy: what is wrong with it, or may surprise its author, each finding with an action that shows it.

See docs/reference/policy.md §7.1.

=====================  ==================================================================================
``never_fires``        a condition that no action fulfils, or that no action reaches
``shadowed``           a condition that would hold for some action, but an earlier one decides it
``always_fires``       a condition that holds whenever it is asked: what follows it is never used
``slips_past``         an action that means the same as a denied one, and is allowed
``fails``              an action for which a rule has no value; it is denied
``always_allows``      a rule that denies nothing
``always_denies``      a rule that allows nothing
``before_only``        `before_X` without `check_X`: the action is left to the default
``never_asked``        a rule for an action that does not exist, or with the wrong number of parameters
``unknown_name``       a name in the policy's file that nothing declares
``redefined``          a definition in the policy's file that replaces another one
``misread``            a place in it whose parse may surprise (`kleis.syntax.parser.lints`)
``no_rule``            an action without a rule, left to the default
``not_offered``        a branch of `check_call` for tools alone that no server offers
``undecided``          a question that the prover did not decide
=====================  ==================================================================================

Invariants
    * Every witness is an action, and `decision` is what the policy itself says about it.  A witness that the policy
      does not confirm is not reported.
    * A condition is only reported as unreachable where that is proved.
    * `proposition` is false of the policy as it is: the witness, which is allowed, is its counterexample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Literal

import msgspec

from kleis.budget import deep
from kleis.builtins.rows.table import builtin_arities
from kleis.policy.actions import ACTIONS, Action
from kleis.policy.answer_shapes import AuditAnswer
from kleis.policy.argument_spellings import families
from kleis.policy.audit_of_calls import Offered, about_calls
from kleis.policy.decision import Decision
from kleis.policy.policy import CHECK_CALL, Policy
from kleis.policy.prover_questions import Finding, Questions
from kleis.policy.questions_about_calls import CallQuestions
from kleis.policy.rule_conditions import (
    LEAF_SORTS,
    Condition,
    builtin_name,
    conditions,
    conjunction,
    disjuncts,
    negation,
    permits,
)
from kleis.prover.process.broker import Broker
from kleis.spelling import nearest
from kleis.syntax import tree
from kleis.syntax.printer.program import print_expression
from kleis.syntax.tree.traversal import walk
from kleis.theory.name_check.check_names import check_names

__all__ = ["Audit", "Kind", "Remark", "audit"]

Kind = Literal[
    "never_fires",
    "shadowed",
    "always_fires",
    "slips_past",
    "fails",
    "always_allows",
    "always_denies",
    "before_only",
    "never_asked",
    "unknown_name",
    "redefined",
    "misread",
    "no_rule",
    "not_offered",
    "undecided",
]

SERIOUS: frozenset[Kind] = frozenset(
    {
        "never_fires", "shadowed", "slips_past", "fails", "before_only", "never_asked", "unknown_name", "redefined",
        "misread", "not_offered",
    }
)  # fmt: skip
"""Findings for which a policy should be changed; the others inform."""

_SHOWN = 160


class Remark(msgspec.Struct, frozen=True, kw_only=True):
    """One finding.  `witness` is an action with its arguments; `decision` what the policy says about it.

    `proposition` is given where the witness is allowed: the Kleis that would have forbidden it, to be asserted in an
    example block beside the mended rule.
    """

    kind: Kind
    rule: str
    message: str
    line: int = 0
    condition: str = ""
    witness: Mapping[str, Any] | None = None
    decision: Decision | None = None
    proposition: str = ""

    @property
    def serious(self) -> bool:
        """Whether the policy should be changed for it."""
        return self.kind in SERIOUS

    def as_dict(self) -> dict[str, Any]:
        """The fields that are not empty, as JSON values."""
        fields: dict[str, Any] = {"kind": self.kind, "rule": self.rule, "message": self.message}
        if self.line:
            fields["line"] = self.line
        if self.condition:
            fields["condition"] = self.condition
        if self.witness is not None:
            fields["witness"] = dict(self.witness)
        if self.decision is not None:
            fields["decision"] = self.decision.as_dict()
        if self.proposition:
            fields["proposition"] = self.proposition
        return fields


class Audit(msgspec.Struct, frozen=True):
    """The findings in the order of the actions; `asked` counts the questions, `complete` says that none is left."""

    remarks: tuple[Remark, ...]
    asked: int
    complete: bool

    @property
    def ok(self) -> bool:
        """Whether there is nothing that the policy should be changed for."""
        return not any(each.serious for each in self.remarks)

    def as_dict(self) -> AuditAnswer:
        """The findings as JSON values."""
        return {
            "ok": self.ok,
            "complete": self.complete,
            "asked": self.asked,
            "findings": [each.as_dict() for each in self.remarks],
        }


def audit(
    policy: Policy,
    *,
    broker: Broker | None = None,
    only: str = "",
    offered: Offered | None = None,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> Audit:
    """All findings of the table above, or those about the rule of one action (`only`).

    `offered`: the tools that the policy is used with.  `stop` ends the search early; the findings so far are given.
    """
    remarks = list(_pairing(policy, ACTIONS[only])) if only else [*_names(policy), *_pairings(policy)]
    with deep(), Questions(policy.theory, broker=broker, stop=stop) as questions:
        checks = [action for action in ACTIONS.values() if _asked(policy, action.check, action)]
        checks = [action for action in checks if only in ("", action.name)]
        for done, action in enumerate(checks):
            if progress is not None:
                progress(done, len(checks), action.check)
            remarks += _RuleAudit(policy, action, questions).remarks()
        asked = questions.asked
        if CHECK_CALL in policy.definitions and only in ("", "call"):
            with CallQuestions(policy.theory, broker=broker, stop=stop) as questions_of_calls:
                remarks += [
                    Remark(
                        kind=each.kind,
                        rule=CHECK_CALL,
                        message=each.message,
                        line=each.line,
                        condition=each.condition,
                    )
                    for each in about_calls(policy, questions_of_calls, offered)
                ]
                asked += questions_of_calls.asked
        complete = not questions.stopped
        return Audit(tuple(remarks), asked, complete)


# ── What needs no prover ─────────────────────────────────────────────────────────────────────────────────────


def _asked(policy: Policy, rule: str, action: Action) -> bool:
    definition = policy.definitions.get(rule)
    return definition is not None and len(definition.parameters) == len(action.parameters)


def _names(policy: Policy) -> Iterator[Remark]:
    """What the text itself shows: undeclared names (a rule that mentions one is undecided, and denies) and the like."""
    program = policy.loading.main.result.program
    for problem in check_names(program, policy.theory, builtin_arities()):
        message = problem.message + (f" ({problem.hint})" if problem.hint else "")
        yield Remark(kind="unknown_name", rule="", message=message, line=problem.line)
    for problem in policy.loading.problems:
        if problem.code == "redefinition" and problem.file == policy.loading.main.name:
            yield Remark(kind="redefined", rule="", message=problem.message, line=problem.line)
    for lint in policy.loading.main.result.lints:
        yield Remark(kind="misread", rule="", message=f"{lint.message} ({lint.hint})", line=lint.line)


def _pairings(policy: Policy) -> Iterator[Remark]:
    """Rules that are never asked, actions without rules."""
    known = {CHECK_CALL, *(name for action in ACTIONS.values() for name in (action.check, action.before))}
    meant = {each.rule for name in known - set(policy.definitions) for each in _meant(policy, name)}
    for rule in policy.rules:
        if rule.name not in known | meant:
            about = rule.name.partition("_")[2]
            message = f"there is no action {about}: the rule is never asked; actions are {', '.join(ACTIONS)}"
            yield Remark(kind="never_asked", rule=rule.name, message=message, line=rule.span.line)
    if CHECK_CALL in policy.definitions and not known & {each.name for each in policy.rules} - {CHECK_CALL}:
        return  # a policy about calls alone: no actions are asked of it
    for action in ACTIONS.values():
        yield from _pairing(policy, action)


def _meant(policy: Policy, name: str) -> Iterator[Remark]:
    """What a missing rule may have been meant as: another declaration of its name, definitions of a similar name."""
    other = policy.declared_otherwise(name)
    if other:
        message = f"{name} is no rule, and every such action is denied: it is {other}"
        yield Remark(kind="never_asked", rule=name, message=message)
    rules = {each for action in ACTIONS.values() for each in (action.check, action.before)}
    for definition in policy.own:
        if definition.name not in rules and nearest(definition.name, rules)[:1] == (name,):
            message = f"{definition.name} is not {name}, and is never asked"
            yield Remark(kind="never_asked", rule=definition.name, message=message, line=definition.span.line)


def _pairing(policy: Policy, action: Action) -> Iterator[Remark]:
    for name in (action.check, action.before):
        if name not in policy.definitions:
            yield from _meant(policy, name)
        rule = policy.definitions.get(name)
        if rule is not None and not _asked(policy, name, action):
            wanted = ", ".join(action.parameters)
            message = f"the rule is called with ({wanted}): as it is written it fails, and every {action.name} is denied"
            yield Remark(kind="never_asked", rule=name, message=message, line=rule.span.line)
    if action.check in policy.definitions:
        return
    before = policy.definitions.get(action.before)
    kind: Kind = "before_only" if before is not None else "no_rule"
    if policy.declared_otherwise(action.check):
        return
    message = f"no rule decides about {action.name}: it is left to the default, which is to {policy.default}"
    if before is not None:
        message = f"{action.before} names steps, but there is no {action.check}: nothing is ever denied"
    arguments = tuple(0 if each == "force" else "x" for each in action.parameters)
    decision = policy.decide_read(action, arguments)
    yield Remark(
        kind=kind,
        rule=action.before if before is not None else "",
        message=message,
        line=before.span.line if before is not None else 0,
        witness=action.request(arguments),
        decision=decision,
        proposition=_forbids(action, None, arguments) if decision.allowed else "",
    )


def _forbids(action: Action, language: tree.Expression | None, arguments: tuple[str | int, ...]) -> str:
    """That the rule denies a language of first arguments, or, without one, this action."""
    first, *rest = action.parameters
    names = {each: tree.Number(str(value)) for each, value in zip(rest, arguments[1:], strict=True)}
    given: tree.Expression = tree.Text(str(arguments[0])) if language is None else tree.Name(first)
    decided = tree.Call("equals", (tree.Call(action.check, (given, *names.values())), tree.Text("deny")))
    if language is None:
        return print_expression(decided)
    member = tree.Call("matches", (tree.Name(first), language))
    binder = tree.Binder(first, tree.NamedType("String"))
    implied = tree.Call("implies", (member, decided))
    return print_expression(tree.Quantifier("forall", (binder,), None, implied))


# ── One rule ─────────────────────────────────────────────────────────────────────────────────────────────────


class _RuleAudit:
    """The findings about one `check_` rule."""

    def __init__(self, policy: Policy, action: Action, questions: Questions) -> None:
        self._policy = policy
        self._action = action
        self._questions = questions
        self._rule: tree.FunctionDefinition = policy.definitions[action.check]
        self._names = [each.name for each in self._rule.parameters]

    def remarks(self) -> Iterator[Remark]:
        definitions, constructors = self._policy.definitions, self._policy.constructors
        bodies = (permits(self._rule, definitions, constructors, each) for each in LEAF_SORTS)
        allowed, reason = self._questions.first_elaborated(self._names, self._action, bodies)
        if allowed is None:
            message = f"the rule is decided, but not analysed: it has no meaning for the prover ({reason})"
            yield self._remark("undecided", message)
            yield from self._samples()
            return
        yield from self._overall(allowed)
        for condition in conditions(self._rule, definitions, constructors):
            yield from self._condition(condition)
            if condition.denies:
                yield from self._slips(condition, allowed)

    def _samples(self) -> Iterator[Remark]:
        """A plain action for which a rule that cannot be analysed has no value."""
        for text, force in product(("x", ""), (0, 1)):
            arguments = tuple(force if each == "force" else text for each in self._action.parameters)
            sample = Finding("found", arguments)
            reason = self._decide(sample).reason
            if "evaluation error" in reason:
                yield self._remark("fails", f"the rule has no value here: {reason}", finding=sample)
                return

    def _find(self, condition: tree.Expression) -> Finding:
        return self._questions.find(self._names, self._action, condition)

    def _decide(self, finding: Finding) -> Decision:
        return self._policy.decide_read(self._action, finding.arguments)

    def _remark(
        self,
        kind: Kind,
        message: str,
        *,
        finding: Finding | None = None,
        at: Condition | None = None,
        test: tree.Expression | None = None,
        slipped: tree.Expression | None = None,
    ) -> Remark:
        """A finding about the rule, or about a condition of it (`at`) or a part of one (`test`).

        `slipped` is the language of texts of which one is allowed.
        """
        asked = test if test is not None else at.test if at is not None else None
        return Remark(
            kind=kind,
            rule=self._rule.name,
            message=message,
            line=at.line if at is not None else self._rule.span.line,
            condition=_shown(asked) if asked is not None else "",
            witness=self._action.request(finding.arguments) if finding is not None else None,
            decision=self._decide(finding) if finding is not None else None,
            proposition=_forbids(self._action, slipped, finding.arguments)
            if finding is not None and slipped
            else "",
        )

    # the rule as a whole

    def _overall(self, allowed: tree.Expression) -> Iterator[Remark]:
        """Whether it denies anything, allows anything, and has a value for every action."""
        denied = self._find(negation(allowed))
        if denied.outcome == "none":
            yield self._remark("always_allows", f"{self._rule.name} denies nothing")
        elif denied.outcome == "unknown":
            yield self._remark("undecided", f"whether it denies anything: {denied.reason}")
        without = self._find(negation(tree.Call("equals", (allowed, allowed))))
        if without.outcome == "found" and "evaluation error" in self._decide(without).reason:
            reason = self._decide(without).reason
            yield self._remark("fails", f"the rule has no value here: {reason}", finding=without)
        permitted = self._find(allowed)
        if permitted.outcome == "none":
            yield self._remark("always_denies", f"{self._rule.name} allows nothing")
        elif permitted.outcome == "unknown":
            yield self._remark("undecided", f"whether it allows anything: {permitted.reason}")

    # one condition

    def _condition(self, condition: Condition) -> Iterator[Remark]:
        parts = disjuncts(condition.test)
        reached = condition.reached
        whole = self._fires(condition, condition.test, conjunction([reached, condition.test]))
        if whole is not None:
            yield whole
            return
        if len(parts) > 1:
            for place, part in enumerate(parts):
                tests = [reached, *(negation(each) for each in parts[:place]), part]
                remark = self._fires(condition, part, conjunction(tests), among=parts[:place])
                if remark is not None:
                    yield remark
        if condition.after or not _is_constant(condition.test):
            never = self._find(conjunction([reached, negation(condition.test)]))
            if never.outcome == "none":
                message = "the condition holds whenever it is asked: what follows it is never used"
                yield self._remark("always_fires", message, at=condition)

    def _fires(
        self,
        condition: Condition,
        test: tree.Expression,
        asked: tree.Expression,
        *,
        among: Sequence[tree.Expression] = (),
    ) -> Remark | None:
        """The finding on a condition that no action fulfils where it is evaluated; None if one does."""
        found = self._find(asked)
        if found.outcome == "found":
            return None
        if found.outcome == "unknown":
            reason = f"whether the condition ever holds: {found.reason}"
            return self._remark("undecided", reason, at=condition, test=test)
        alone = self._find(test)
        if alone.outcome != "found":
            return self._remark("never_fires", "no action fulfils the condition", at=condition, test=test)
        candidates = [*among, *(earlier for earlier, _ in condition.after)]
        by = self._hidden_by(test, candidates)
        message = f"earlier conditions decide every such action{by}"
        return self._remark("shadowed", message, finding=alone, at=condition, test=test)

    def _hidden_by(self, test: tree.Expression, earlier: Sequence[tree.Expression]) -> str:
        """The one earlier condition that suffices to hide this one, if there is one."""
        for each in earlier:
            if self._find(conjunction([test, negation(each)])).outcome == "none":
                return f": whenever it holds, so does {_shown(each)}"
        return ""

    # what means the same and is allowed

    def _slips(self, condition: Condition, allowed: tree.Expression) -> Iterator[Remark]:
        """Actions that mean the same as one that this condition denies, and are allowed."""
        for base in self._bases(condition):
            parameter = self._action.parameters[0]
            for family in families(parameter, str(base[0])):
                belongs = tree.Call("matches", (tree.Name(self._names[0]), family.language))
                found = self._find(conjunction([belongs, allowed]))
                if found.outcome == "found" and self._decide(found).allowed:
                    message = f"{base[0]!r} is denied, and this means the same: {family.how}"
                    yield self._remark(
                        "slips_past", message, finding=found, at=condition, slipped=family.language
                    )

    def _bases(self, condition: Condition) -> Iterator[tuple[str | int, ...]]:
        """Denied actions that show what a condition is about: the texts it looks for, or one the prover finds."""
        rest = tuple(0 for _ in self._action.parameters[1:])
        bases = [self._denied(text, rest) for text in dict.fromkeys(self._patterns(condition.test))]
        if not any(bases):
            witness = self._find(conjunction([condition.reached, condition.test]))
            if witness.outcome == "found":
                bases = [self._denied(str(witness.arguments[0]), witness.arguments[1:])]
        yield from (each for each in bases if each is not None)

    def _denied(self, text: str, rest: tuple[str | int, ...]) -> tuple[str | int, ...] | None:
        """A denied action with a text without blanks at its ends, made from what a condition looks for."""
        bare = text.strip()
        for candidate in (bare, f"{bare} x", f"x {bare}"):
            arguments = (candidate, *rest)
            if bare and not self._policy.decide_read(self._action, arguments).allowed:
                return arguments
        return None

    def _patterns(self, test: tree.Expression) -> Iterator[str]:
        """The texts that a condition, and the helpers it calls, look for in a text that has a name."""
        waiting: list[tree.Expression] = [test]
        seen: set[str] = set()
        while waiting:
            for node in walk(waiting.pop()):
                if not isinstance(node, tree.Call):
                    continue
                helper = self._policy.definitions.get(node.name)
                if helper is not None and node.name not in seen:
                    seen.add(node.name)
                    waiting.append(helper.body)
                match node.arguments:
                    case (tree.Name(), tree.Text(value=text)) if builtin_name(node) in _SEARCHES:
                        yield text


_SEARCHES = ("contains", "hasPrefix", "hasSuffix", "equals", "str_eq")


def _is_constant(test: tree.Expression) -> bool:
    return not any(isinstance(node, tree.Name | tree.Call) for node in walk(test))


def _shown(test: tree.Expression) -> str:
    """A condition as it is written in the policy, without the names bound around it."""
    while isinstance(test, tree.Let):
        test = test.body
    text = print_expression(test)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
