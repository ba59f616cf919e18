"""Questions about a machine to a report.

    check_machine(prover, Asked(invariants=("x ≥ 0",), reach=("x = 4",)))

Invariants are proved together first, by induction.  For one that is not, a run to a state that violates it is looked for, then
a proof by k-induction; what stays open is shown with the step that breaks the induction.  All other properties may assume the
invariants that were proved.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from kleis.elaborate.question import warnings_of
from kleis.errors import KleisError
from kleis.machines.claims import Claims, negation
from kleis.machines.enabled import stopped
from kleis.machines.induction import Asking, Invariants, by_k_induction, invariants
from kleis.machines.machine import read_machine
from kleis.machines.properties import Asked, Property, read_properties
from kleis.machines.reachable import Reachable, all_reachable
from kleis.machines.report import Decided, Finding, Report, State
from kleis.machines.search import Run, find_run, states_of
from kleis.prover.protocol.verdict import Verdict
from kleis.prover.prover import Prover
from kleis.syntax import tree

__all__ = ["check_machine"]


def check_machine(prover: Prover, asked: Asked) -> Report:
    """What is true of the machine that the prover's theory declares.  An ill-formed question is a report of its own."""
    try:
        machine = read_machine(prover.theory, init=asked.init, step=asked.next, state=asked.state)
        properties, lints = read_properties(prover.theory, machine, asked)
        findings = _Check(Asking(prover, Claims(machine, prover.theory.names)), asked).findings(properties)
    except KleisError as error:
        return Report(status="error", message=error.message, hint=error.hint, problem=error.as_dict())
    return Report(
        status=_worst(findings),
        variables=machine.names,
        findings=findings,
        warnings=warnings_of(lints),
    )


def _worst(findings: tuple[Finding, ...]) -> Literal["verified", "disproved", "unknown"]:
    """The status of all of them together."""
    found = {each.status for each in findings}
    if found & {"disproved", "none"}:
        return "disproved"
    return "unknown" if "unknown" in found else "verified"


class _Check:
    """The properties of one machine."""

    def __init__(self, asking: Asking, asked: Asked) -> None:
        self._asking = asking
        self._prover = asking.prover
        self._claims = asking.claims
        self._asked = asked
        self._listed: list[Reachable | None] = []

    def findings(self, properties: tuple[Property, ...]) -> tuple[Finding, ...]:
        """What is found of each property, in order."""
        for each in properties:
            self._check_form(each)
        candidates = [each for each in properties if each.kind == "invariant"]
        proved = invariants(self._asking, candidates)
        return tuple(self._finding(each, proved) for each in properties)

    def _check_form(self, wanted: Property) -> None:
        """Raises `KleisError` where what is asked means nothing, before anything is searched."""
        elaborator = self._prover.elaborator
        match wanted.kind:
            case "variant":
                claim = self._claims.at_steps((), self._claims.decreases(wanted, 0))
            case "deadlock":
                claim = self._claims.at_states((), self._claims.goes_on(0))
            case _:
                claim = self._claims.inductive(wanted, ())
        elaborator.proposition(claim)

    def _finding(self, wanted: Property, known: Invariants) -> Finding:
        match wanted.kind:
            case "invariant":
                return self._invariant(wanted, known)
            case "reach":
                return self._reach(wanted, known)
            case "variant":
                return self._variant(wanted, known)
            case "deadlock":
                return self._deadlock(wanted, known)

    # ── What holds in every reachable state ──────────────────────────────────────────────────────────────────

    def _invariant(self, wanted: Property, known: Invariants) -> Finding:
        claims, asking = self._claims, self._asking
        if wanted in known.proved:
            others = tuple(each for each in known.proved if each != wanted)
            alone = not others or asking.holds(claims.inductive(wanted, ()))
            used = () if alone else others
            step = claims.inductive(wanted, () if alone else known.proved)
            return Finding(
                kind="invariant",
                name=wanted.name,
                status="verified",
                how="induction",
                assumed=tuple(each.name for each in used),
                decided=asking.decided(claims.safe(wanted, 0), step),
            )
        run = find_run(
            self._prover, claims, self._asked.depth, lambda at: [negation(claims.says(wanted, at))]
        )
        if run.trace:
            return _by_run(wanted, "disproved", run)
        k, proof = by_k_induction(asking, wanted, known.proved, self._asked.induction)
        if k:
            return Finding(
                kind="invariant",
                name=wanted.name,
                status="verified",
                how="k-induction",
                k=k,
                assumed=tuple(each.name for each in known.proved),
                depth=run.depth,
                decided=asking.decided(*proof),
            )
        listed = self._by_states(wanted, claims.says(wanted, 0), "verified", run.depth)
        if listed is not None:
            return listed
        return self._open(
            wanted, run, known.broken.get(wanted.name), "strengthen it: what else is true before such a step?"
        )

    def _reach(self, wanted: Property, known: Invariants) -> Finding:
        claims = self._claims
        run = find_run(self._prover, claims, self._asked.depth, lambda at: [claims.says(wanted, at)])
        if run.trace:
            return _by_run(wanted, "found", run)
        never = _denied(wanted)
        k, proof = by_k_induction(self._asking, never, known.proved, self._asked.induction)
        if k:
            return Finding(
                kind="reach",
                name=wanted.name,
                status="none",
                how="induction" if k == 1 else "k-induction",
                k=k if k > 1 else 0,
                assumed=tuple(each.name for each in known.proved),
                depth=run.depth,
                decided=self._asking.decided(*proof),
            )
        listed = self._by_states(wanted, claims.says(never, 0), "none", run.depth)
        if listed is not None:
            return listed
        return self._open(wanted, run, None, "search further (depth), or state an invariant that excludes it")

    # ── Steps ────────────────────────────────────────────────────────────────────────────────────────────────

    def _variant(self, wanted: Property, known: Invariants) -> Finding:
        claims, asking = self._claims, self._asking
        claim = claims.at_steps(known.proved, claims.decreases(wanted, 0))
        verdict = asking.verdict(claim)
        if verdict.status == "verified":
            return self._step_by_step(wanted, known, claim)
        run = find_run(
            self._prover,
            claims,
            self._asked.depth,
            lambda at: [negation(claims.decreases(wanted, at))],
            steps_more=1,
        )
        if run.trace:
            return _by_run(
                wanted,
                "disproved",
                run,
                message="the last step does not make it smaller, or it is negative before",
            )
        return self._open(wanted, run, verdict, "state an invariant that excludes such a step")

    def _deadlock(self, wanted: Property, known: Invariants) -> Finding:
        claims, asking = self._claims, self._asking
        claim = claims.at_states(known.proved, claims.goes_on(0))
        if asking.holds(claim):
            return self._step_by_step(wanted, known, claim)
        run, proof = stopped(asking, self._asked.depth)
        if run.trace:
            return _by_run(
                wanted,
                "disproved",
                run,
                message="no step leads on from the last state",
                decided=asking.decided(proof) if proof is not None else (),
            )
        listed = self._by_states(wanted, claims.goes_on(0), "verified", -1)
        if listed is not None:
            return listed
        return self._open(wanted, run, asking.verdict(claim), "state an invariant that excludes such a state")

    def _step_by_step(self, wanted: Property, known: Invariants, claim: tree.Expression) -> Finding:
        """What a claim about one step from any state in which the invariants hold has shown."""
        return Finding(
            kind=wanted.kind,
            name=wanted.name,
            status="verified",
            how="step by step",
            assumed=tuple(each.name for each in known.proved),
            decided=self._asking.decided(claim),
        )

    # ── Few states ───────────────────────────────────────────────────────────────────────────────────────────

    def _by_states(
        self, wanted: Property, said: tree.Expression, status: Literal["verified", "none"], depth: int
    ) -> Finding | None:
        """What follows from the list of all reachable states, where there are few."""
        claims, asking = self._claims, self._asking
        if not self._listed:
            self._listed.append(all_reachable(asking, self._asked.depth))
        (reachable,) = self._listed
        if reachable is None:
            return None
        one_of = reachable.property
        claim = claims.at_states([one_of], said)
        if not asking.holds(claim):
            return None
        return Finding(
            kind=wanted.kind,
            name=wanted.name,
            status=status,
            how="states",
            k=reachable.count,
            depth=depth,
            decided=asking.decided(claims.safe(one_of, 0), claims.inductive(one_of, ()), claim),
        )

    # ── What stays open ──────────────────────────────────────────────────────────────────────────────────────

    def _open(self, wanted: Property, run: Run, verdict: Verdict | None, advice: str) -> Finding:
        """Neither a run nor a proof: the step at which the induction fails, and how far was searched."""
        if self._asking.clash:
            clash = f"these axioms have no model together: {', '.join(self._asking.clash)}"
            return Finding(
                kind=wanted.kind,
                name=wanted.name,
                status="unknown",
                message=clash,
                advice="change or drop one of them: nothing runs where they all hold",
            )
        return Finding(
            kind=wanted.kind,
            name=wanted.name,
            status="unknown",
            depth=run.depth,
            breaks=self._broken(verdict),
            message=self._reason(run, verdict),
            advice=advice,
        )

    def _reason(self, run: Run, verdict: Verdict | None) -> str:
        """Why a property stays open, where more is known than that nothing was found."""
        evidence = verdict.evidence if verdict is not None else None
        if evidence is not None and evidence.undefined:
            return "the machine, or what is asked of it, has no value there"
        return run.ended

    def _broken(self, verdict: Verdict | None) -> tuple[State, ...]:
        evidence = verdict.evidence if verdict is not None and verdict.status == "disproved" else None
        if evidence is None:
            return ()
        if evidence.undefined:
            return states_of(self._claims, evidence, 0)
        return states_of(self._claims, evidence, 1) or states_of(self._claims, evidence, 0)


def _denied(wanted: Property) -> Property:
    """That a property does not hold, as a property."""
    return msgspec.structs.replace(
        wanted, kind="invariant", name=f"¬({wanted.name})", denied=not wanted.denied
    )


def _by_run(
    wanted: Property,
    status: Literal["disproved", "found"],
    run: Run,
    message: str = "",
    decided: tuple[Decided, ...] = (),
) -> Finding:
    """What a run shows."""
    return Finding(
        kind=wanted.kind,
        name=wanted.name,
        status=status,
        depth=run.depth,
        trace=run.trace,
        constants=run.constants,
        message=message,
        decided=decided,
    )
