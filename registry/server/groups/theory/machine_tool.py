"""The tool `check_machine`: what is true of the state machine that a session declares."""

from __future__ import annotations

from kleis.machines.properties import Asked
from kleis.prover.process.deadline import Deadline
from kleis.sessions.answer_shapes import FailedAnswer, MachineAnswer
from kleis.sessions.check_machine import check, machine_fields, machine_text
from kleis.sessions.files.universe import Universe
from kleis.sessions.sessions import Sessions
from registry.server.contract.group import Answer
from registry.server.groups.theory.requests import CheckMachine

__all__ = ["checked_machine"]


def checked_machine(
    sessions: Sessions, universe: Universe, arguments: CheckMachine, deadline: Deadline
) -> Answer:
    """The answer about the machine of a universe."""
    asked = Asked(
        init=arguments.init,
        next=arguments.next,
        state=arguments.state,
        invariants=arguments.invariants,
        variants=arguments.variants,
        reach=arguments.reach,
        deadlock=arguments.deadlock,
        depth=arguments.depth,
        induction=arguments.induction,
    )
    report = check(asked, universe.theory, sessions.provers, deadline, effort=arguments.effort)
    fields: MachineAnswer | FailedAnswer = machine_fields(report)
    if report.status == "error":
        fields = {"status": "error", "error": report.message, "problem": report.problem or {}}
    rest = "Call check_machine with fewer properties."
    return Answer(fields, machine_text(report), is_error=report.status == "error", rest=rest)
