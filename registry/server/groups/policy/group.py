"""The group `policy`: a gate for an agent's actions, and what can be known about it (ADR 014).

Invariants
----------
- `check_action` answers with a decision whatever happens: where there is none, it denies (`NO_DECISION`).
- A decision uses the policy file as it is at the call, once the file has not changed for a moment. Where it cannot be
  loaded, the policy loaded before it decides, and every answer of the group says so.
- Deciding uses no prover and, but for rules that use much of their budget, no thread.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.errors import KleisError, LoadError
from kleis.policy.actions import ACTIONS
from kleis.policy.deciding_condition import deciding_condition
from kleis.policy.decision import Decision
from kleis.policy.describe_rules import describe, explain_rule, list_rules
from kleis.policy.policy import BRIEF, Policy, load_policy, policy_search
from kleis.policy.policy_file import PolicyFile, Served
from pif.language.errors import nearest
from registry.server.contract.group import Answer, CallContext, Group, PromptSpec, ToolSpec
from registry.server.contract.prompts import POLICY_PROMPTS
from registry.server.contract.settings import PROVER_NICENESS, Settings, Site
from registry.server.groups.policy import requests
from registry.server.groups.policy.text import (
    audit_text,
    comparison_text,
    decision_text,
    evaluation_text,
    explanation_text,
    rules_text,
    schema_text,
)
from registry.server.groups.policy.tool_specs import (
    BRIEF_INSTRUCTIONS,
    INSTRUCTIONS,
    TOOLS,
)

if TYPE_CHECKING:
    from kleis.prover.shared_provers import Provers
    from kleis.sessions.files.universe import Universe
    from registry.server.calls.search_process import Search

__all__ = ["PolicyGroup", "make"]

SEARCH = "registry.server.groups.policy.group:search"

_Searching = requests.AuditPolicy | requests.ComparePolicies
Progress = Callable[[float, float | None, str | None], None]

LOOK = 0.02
"""Seconds between checks of a file that is being written."""

PATIENCE = 1.0
"""Seconds after which a file that is still being written no longer holds an answer up."""


def make(site: Site) -> PolicyGroup:
    """The group over the policy of the settings. Raises ValueError where none is named."""
    settings = site.settings
    if settings.policy is None:
        raise ValueError("the group policy needs a file: --policy FILE")
    file = PolicyFile(settings.policy, default=settings.default, roots=settings.roots, proves_beside=True)
    return PolicyGroup(file, settings)


def search(site: Site, arguments: _Searching, search: Search) -> Answer:
    """What `audit_policy` and `compare_policies` do in a process of their own."""
    group = make(site)
    try:
        return group.search(arguments, search)
    finally:
        group.close()


class PolicyGroup(Group):
    """The tools over one policy file."""

    name = "policy"
    instructions = INSTRUCTIONS
    brief_instructions = BRIEF_INSTRUCTIONS

    def __init__(self, file: PolicyFile, settings: Settings) -> None:
        self._file = file
        self._settings = settings
        self._known: tuple[Policy, Universe] | None = None

    def warnings(self) -> Sequence[str]:
        problem = self._file.served.problem
        return (f"{problem}; every action is denied until the file is mended",) if problem else ()

    def tools(self) -> tuple[ToolSpec, ...]:
        return TOOLS

    def prompts(self) -> Sequence[PromptSpec]:
        return POLICY_PROMPTS

    def close(self) -> None:
        if "_provers" in self.__dict__:
            self._provers.broker.close()

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        served = await self._served(context)
        if isinstance(arguments, requests.CheckAction):
            return await self._check(arguments, served, context)
        policy = served.policy
        if policy is None:
            return Answer.error(
                "no_policy", served.problem, hint="Repair the file; it is read again by itself."
            )
        answer = await self._about(policy, name, arguments, context)
        if served.problem and not answer.is_error:
            told = {**answer.structured, "policy_problem": served.problem}
            return msgspec.structs.replace(
                answer, structured=told, text=f"{answer.text}\nPolicy problem: {served.problem}"
            )
        return answer

    # ── the current policy ──────────────────────────────────────────────────────────────────────────────────

    async def _served(self, context: CallContext) -> Served:
        """The current policy, after waiting for a file that is being written."""
        until = time.monotonic() + PATIENCE
        while True:
            match self._file.state():
                case "fresh":
                    return self._file.served
                case "stale":
                    await context.run_in_worker(self._file.reload, lane="writes")
                case "changing":
                    if time.monotonic() >= until:
                        return self._being_written()
                    await asyncio.sleep(LOOK)

    def _being_written(self) -> Served:
        served = self._file.served
        return Served(
            served.policy, served.problem or f"{self._file.path.name} is being written; not read yet"
        )

    async def _check(self, arguments: requests.CheckAction, served: Served, context: CallContext) -> Answer:
        given = {
            name: value
            for name in ("path", "command", "branch", "force", "description")
            if (value := getattr(arguments, name)) is not msgspec.UNSET
        }
        decision = served.decide(arguments.action, given, budget=BRIEF)
        if decision.exhausted:
            decision = await context.run_in_worker(lambda: served.decide(arguments.action, given))
        answer = decided(decision, given)
        if decision.allowed or decision.rule is None or served.policy is None:
            return answer
        because = deciding_condition(served.policy, decision.action, given)
        if because is None:
            return answer
        holds = "holds" if because.holds else "does not hold"
        return msgspec.structs.replace(
            answer,
            structured={**answer.structured, "because": because.as_dict()},
            text=f"{answer.text}\nDecided by: {because.condition} (line {because.line}) {holds}",
        )

    # ── about the policy ─────────────────────────────────────────────────────────────────────────────────────

    async def _about(self, policy: Policy, name: str, arguments: Any, context: CallContext) -> Answer:
        match arguments:
            case requests.ExplainRule(rule_name=rule):
                explained = explain_rule(policy, rule)
                return Answer(explained, explanation_text(explained))
            case requests.DescribeSchema(name=only, depth=depth):
                schema = await context.run_in_worker(lambda: describe(policy, depth=depth, name=only))
                return Answer(
                    {"schema": schema}, schema_text(schema), rest="Call it with `name`, or depth names."
                )
            case requests.Evaluate():
                return await context.run_in_worker(
                    lambda: self._evaluate(policy, arguments, context), lane="proofs"
                )
            case requests.AuditPolicy() | requests.ComparePolicies():
                return await self._search(policy, arguments, context)
            case _ if name == "list_rules":
                listed = list_rules(policy)
                return Answer(listed, rules_text(listed))
            case _:
                raise LookupError(f"the group policy has no tool {name}")

    async def _search(self, policy: Policy, arguments: _Searching, context: CallContext) -> Answer:
        """What takes long, in a process of its own, which reads the policy of the file.

        Where a policy is in force that is not the file's, because that is broken, it is examined in a thread here.
        """
        seconds = arguments.timeout_ms / 1000
        if self._file.served.problem:
            until = time.monotonic() + seconds

            def over() -> bool:
                return context.cancelled.is_set() or time.monotonic() > until

            return await context.run_in_worker(
                lambda: self._examined(policy, arguments, over, context.progress), lane="proofs"
            )
        return await context.search(SEARCH, self._settings, arguments, seconds)

    def search(self, arguments: _Searching, search: Search) -> Answer:
        """The answer of such a tool, in the process of a search."""
        policy = self._file.served.policy
        if policy is None:
            return Answer.error("no_policy", self._file.served.problem)
        return self._examined(policy, arguments, search.over, search.progress)

    def _examined(
        self, policy: Policy, arguments: _Searching, over: Callable[[], bool], progress: Progress
    ) -> Answer:
        if isinstance(arguments, requests.AuditPolicy):
            return self._audit(policy, arguments, over, progress)
        return self._compare(policy, arguments, over)

    @cached_property
    def _provers(self) -> Provers:
        from kleis.prover.process.broker import Broker
        from kleis.prover.shared_provers import Provers

        return Provers(Broker(niceness=PROVER_NICENESS), None)

    def _evaluate(self, policy: Policy, arguments: requests.Evaluate, context: CallContext) -> Answer:
        from kleis.prover.process.deadline import Deadline
        from kleis.sessions.evaluate_expression import evaluate

        deadline = Deadline(arguments.timeout_ms / 1000, left=context.cancelled.is_set)
        universe = self._universe(policy)
        found = evaluate(universe, arguments.expression, self._provers, deadline, explain=arguments.explain)
        return Answer(found, evaluation_text(found), is_error=found["status"] in ("error", "unknown"))

    def _universe(self, policy: Policy) -> Universe:
        """The policy's declarations as the evaluation of sessions takes them."""
        from kleis.sessions.files.imported_theory import ImportedTheory
        from kleis.sessions.files.universe import Universe

        known = self._known
        if known is None or known[0] is not policy:
            basis = ImportedTheory(
                imports=(), theory=policy.theory, digest="", files=(), own=frozenset(), warnings=(), stamps=()
            )
            known = policy, Universe.of("policy", basis)
            self._known = known
        return known[1]

    def _audit(
        self, policy: Policy, arguments: requests.AuditPolicy, over: Callable[[], bool], progress: Progress
    ) -> Answer:
        from kleis.policy.audit import audit

        if arguments.action and arguments.action not in ACTIONS:
            close = nearest(arguments.action, ACTIONS)
            hint = f"Did you mean `{close}`?" if close else f"Actions: {', '.join(ACTIONS)}."
            message = f"there is no action `{arguments.action[:60]}`"
            return Answer.error("invalid_argument", message, path="/action", hint=hint)
        found = audit(
            policy, broker=self._provers.broker, only=arguments.action, stop=over, progress=progress
        ).as_dict()
        return Answer(found, audit_text(found), rest="Call it with one `action`.")

    def _compare(
        self, policy: Policy, arguments: requests.ComparePolicies, over: Callable[[], bool]
    ) -> Answer:
        from kleis.policy.compare_policies import compare

        try:
            other = self._other(arguments)
        except KleisError as error:
            return Answer.error(
                "invalid_policy", str(error), path="/file" if arguments.file else "/kleis", hint=error.hint
            )
        found = compare(policy, other, broker=self._provers.broker, stop=over).as_dict()
        return Answer(found, comparison_text(found))

    def _other(self, arguments: requests.ComparePolicies) -> Policy:
        """The policy to compare with. Raises KleisError where it cannot be loaded, or may not be read."""
        default, here = self._file.served.policy, self._file.path
        kept = default.default if default is not None else "allow"
        if bool(arguments.kleis) == bool(arguments.file):
            raise LoadError(
                "give either the text (`kleis`) or the `file` of the other policy",
                code="invalid-argument",
                hint='for example {"file": "stricter.kleis"}',
            )
        if arguments.kleis:
            text = arguments.kleis
            return load_policy(here.with_name("<kleis>"), default=kept, roots=self._settings.roots, text=text)
        found = policy_search(here, self._settings.roots).find(arguments.file, here.resolve().parent)
        return load_policy(found, default=kept, roots=self._settings.roots)


def decided(decision: Decision, given: Mapping[str, Any]) -> Answer:
    """A decision as the server answers it; one that denies is an error result, as existing clients expect."""
    return Answer(decision.as_dict(), decision_text(decision, given), is_error=not decision.allowed)
