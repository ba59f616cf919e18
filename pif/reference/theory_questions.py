"""Nodes that ask a theory: `kleis`, `verify`, `axioms`, `operations`, `structures`."""

from __future__ import annotations

from pif.language.host import EXPECTED, ORACLES, Refusal, ask, asking_charge, question_of
from pif.language.values import Value
from pif.reference.machine import Env, Machine, One

__all__ = ["ORACLE_OPERATIONS"]


class Ask(One):
    """One question. The charge for asking is taken before the theory hears of it."""

    __slots__ = ()

    operation = ""

    def ev(self, env: Env, depth: int, run: Machine) -> Value:
        run.fuel = fuel = run.fuel - 1
        if fuel < 0 or depth < 0:
            run.stop(self, depth)
        operation = self.operation
        value = self.operand.ev(env, depth - 1, run)
        question, is_one = question_of(operation, value)
        if not is_one:
            wanted = " or ".join(EXPECTED[kind] for kind in ORACLES[operation])
            self.operand.wrong_type(operation, value, wanted)
        run.charge(asking_charge(operation, question), self)
        answer = ask(run.theory, operation, question, run.cancelled)
        run.charge(answer.fuel, self)
        if isinstance(answer, Refusal):
            self.fail(
                "oracle_error", f"`{operation}`: {answer.message}", found=answer.found, expected=answer.expected,
                hint=answer.hint,
            )  # fmt: skip
        return answer.value


class Kleis(Ask):
    __slots__ = ()

    operation = "kleis"


class Verify(Ask):
    __slots__ = ()

    operation = "verify"


class Axioms(Ask):
    __slots__ = ()

    operation = "axioms"


class Operations(Ask):
    __slots__ = ()

    operation = "operations"


class Structures(Ask):
    __slots__ = ()

    operation = "structures"


ORACLE_OPERATIONS: dict[str, type[One]] = {
    kind.operation: kind for kind in (Kleis, Verify, Axioms, Operations, Structures)
}
