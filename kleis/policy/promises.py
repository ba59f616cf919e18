"""The promises of a policy: propositions that have to be proved before it decides anything.

See docs/reference/policy.md §11.

    promise name : ∀(who : Principal)(state : State)(call : McpCall). …

Invariants
    * A policy with promises is served only if each of them, in its own file and in those it imports, is verified about
      the rules as the policy has them.
    * A promise follows from the definitions alone. An axiom decides nothing, and may say of a rule what is not so: what
      rests on one is open.
    * What fails or stays unknown is shown: the counterexample, or what was tried.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Literal, TypeAlias, TypedDict

import msgspec

from kleis.errors import LoadError
from kleis.policy.policy import Policy
from kleis.prover.facts import Fact
from kleis.prover.lemmas import Entered, Ledger
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax.tree import Lemma
from kleis.theory.theory import Entry, Theory

__all__ = ["OpenProver", "Promise", "of_definitions", "prove_promises", "require_promises"]

OpenProver: TypeAlias = Callable[[Theory], AbstractContextManager[Prover]]
"""Gives a prover for the theory of a policy, one that assumes no axioms."""

State: TypeAlias = Literal["kept", "broken", "open"]


class PromiseAnswer(TypedDict, total=False):
    """The fields of a promise that clients read."""

    name: str
    state: State
    file: str
    line: int
    detail: str
    witness: dict[str, str]


class Promise(msgspec.Struct, frozen=True, kw_only=True):
    """One promise and what is known of it.  `witness` are the values at which a broken one fails."""

    name: str
    state: State
    file: str
    line: int
    detail: str = ""
    witness: tuple[tuple[str, str], ...] = ()

    def as_dict(self) -> PromiseAnswer:
        """The fields that are not empty, as JSON values."""
        answer: PromiseAnswer = {
            "name": self.name,
            "state": self.state,
            "file": self.file,
            "line": self.line,
        }
        if self.detail:
            answer["detail"] = self.detail
        if self.witness:
            answer["witness"] = dict(self.witness)
        return answer

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}"
        if self.state == "kept":
            return f"the promise {self.name} ({place}) is kept"
        if self.witness:
            values = ", ".join(f"{name} = {value}" for name, value in self.witness)
            return f"the promise {self.name} ({place}) is broken by {values}"
        return f"the promise {self.name} ({place}) is {self.state}: {self.detail}"


def of_definitions(theory: Theory) -> Prover:
    """A prover that assumes no axioms."""
    return Prover(theory, assumes=False)


def prove_promises(
    policy: Policy,
    open_prover: OpenProver = of_definitions,
    *,
    progress: Callable[[int, int, str], None] | None = None,
    until_broken: bool = False,
) -> tuple[Promise, ...]:
    """Every promise with its state; lemmas before a promise may help to prove it.

    `until_broken`: the promises up to the first that is not kept.
    """
    entries = policy.theory.lemmas
    count = len(policy.promises)
    found: list[Promise] = []
    if not count:
        return ()
    with open_prover(policy.theory) as prover:
        ledger = Ledger(prover, visible=policy.loading.imported_by)
        for entry in entries:
            if _is_promise(entry):
                if progress is not None:
                    progress(len(found), count, _lemma(entry).name)
                found.append(_promise(ledger.prove(entry)))
                if until_broken and found[-1].state != "kept":
                    break
            elif len(found) < count:
                ledger.prove(entry)
    return tuple(found)


def require_promises(policy: Policy, open_prover: OpenProver = of_definitions) -> None:
    """Raise `LoadError` (codes `promise-broken`, `promise-open`) unless every promise is kept."""
    for each in prove_promises(policy, open_prover, until_broken=True):
        if each.state != "kept":
            hint = (
                "mend the rule or the promise: the policy is not used before it is kept"
                if each.state == "broken"
                else "state what it rests on as lemmas before it, one language or one tool at a time"
            )
            raise LoadError(
                str(each), code=f"promise-{each.state}", file=each.file, line=each.line, column=1, hint=hint
            )


def _lemma(entry: Entry) -> Lemma:
    assert isinstance(entry.declaration, Lemma), "the lemmas of a theory are lemmas"
    return entry.declaration


def _is_promise(entry: Entry) -> bool:
    return _lemma(entry).word == "promise"


def _promise(entered: Entered) -> Promise:
    verdict = entered.verdict
    state: State = "open"
    assumed = _assumed(entered.fact)
    if entered.fact is not None and not assumed:
        state = "kept"
    elif verdict.status in ("disproved", "error", "inconsistent"):
        state = "broken"
    witness = (
        tuple((each.name, each.value) for each in verdict.evidence.bindings)
        if verdict.evidence is not None
        else ()
    )
    return Promise(
        name=entered.lemma.name,
        state=state,
        file=entered.place.file,
        line=entered.place.line,
        detail="" if state == "kept" else _detail(verdict, assumed),
        witness=witness,
    )


def _assumed(fact: Fact | None) -> tuple[str, ...]:
    """The axioms that a proof rests on, by its lemmas too; none where the prover assumed none."""
    grounds = fact.grounds() if fact is not None else []
    used = (
        each.name for ground in grounds for each in ground.goal.axioms if each.name in ground.verdict.core
    )
    return tuple(dict.fromkeys(used))


def _detail(verdict: Verdict, assumed: tuple[str, ...]) -> str:
    """Why a verdict is no proof."""
    if assumed:
        return f"it rests on {', '.join(assumed)}, which nobody has proved of the rules"
    match verdict.status:
        case "verified":
            return "it was only computed, of a recursion that is not shown to end"
        case "inconsistent":
            return f"the declarations clash: {', '.join(verdict.core)}"
        case _:
            return verdict.message or verdict.reason or verdict.status
