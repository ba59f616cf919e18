"""cvc5 asked about a script that Z3 refuted.

Specification: proving.md §6 ("what a second solver said").
"""

from __future__ import annotations

import importlib
from typing import Any

from kleis.prover.protocol.engine import Answer

__all__ = ["SECOND_OPINION", "SecondOpinion"]


class SecondOpinion:
    """An engine: ``proved`` if cvc5 refutes the script too; else silent, with ``sat``, or why it cannot say."""

    name = "second opinion"

    def applies(self, task: Any) -> bool:
        """To scripts."""
        return isinstance(task, str)

    def run(self, task: Any, steps: int) -> Answer:
        """Read the script without its options, which are another solver's, and check it."""
        cvc5: Any = importlib.import_module("cvc5")
        solver = cvc5.Solver(cvc5.TermManager())
        solver.setOption("rlimit-per", str(steps))
        solver.setLogic("HO_ALL" if "(lambda " in task else "ALL")
        parser = cvc5.InputParser(solver)
        lines = (each for each in task.split("\n") if not each.startswith(("(set-option", "(check-sat")))
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, "\n".join(lines), "obligation")
        symbols = parser.getSymbolManager()
        try:
            while not (command := parser.nextCommand()).isNull():
                refused = str(command.invoke(solver, symbols)).strip()
                if refused and refused != "success":
                    return Answer(outcome="silent", reason="incomplete", detail=refused)
            result = solver.checkSat()
        except RuntimeError as error:
            return Answer(outcome="silent", reason="incomplete", detail=str(error))
        if result.isUnsat():
            return Answer(outcome="proved", detail="unsat")
        return Answer(outcome="silent", reason="resource", detail="sat" if result.isSat() else "unknown")


SECOND_OPINION = SecondOpinion()
