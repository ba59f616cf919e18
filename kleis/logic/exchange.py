"""A proposition as a file for other provers: SMT-LIB as our solvers get it, or TPTP.

Specification: issue 10 item 1; proving.md §6 ("plain z3 checks").  The SMT-LIB text is that of
kleis/prover/smt/script.py and nothing else: `unsat` means that the claim holds.
"""

from __future__ import annotations

import msgspec

from kleis.core.goal import Meaning
from kleis.errors import KleisError
from kleis.prover.problem_files import tptp_text
from kleis.prover.protocol.engine import Task
from kleis.prover.smt.encode_sorts import Inexpressible
from kleis.prover.smt.script import encode

__all__ = ["Exchange", "ExportError", "smtlib", "tptp"]


class ExportError(KleisError):
    """A proposition that the language of another prover cannot say: `code` is ``not-expressible``."""


class Exchange(msgspec.Struct, frozen=True):
    """A file for other provers.

    exact
        Whether a model found is a countermodel: nothing was approximated.
    approximated
        Built-ins that are unknown functions in it.
    """

    text: str
    exact: bool
    approximated: tuple[str, ...] = ()


def _refused(error: Inexpressible, language: str) -> ExportError:
    return ExportError(
        f"{language} cannot say this: {error}",
        code="not-expressible",
        hint="kleis show --meaning prints what the proposition says",
    )


def smtlib(meaning: Meaning) -> Exchange:
    """The script that solvers are given: `unsat` is a proof of the claim; `ExportError` where there is none."""
    if meaning.unsettled:
        first = meaning.unsettled[0]
        raise _refused(Inexpressible(first.reason, first.message), "SMT-LIB")
    try:
        script = encode(Task(meaning))
    except Inexpressible as error:
        raise _refused(error, "SMT-LIB") from error
    return Exchange(script.text(), script.exact, script.approximated)


def tptp(meaning: Meaning) -> Exchange:
    """The question in TPTP, FOF or TFF; `ExportError` where it has no first-order form."""
    try:
        return Exchange(tptp_text(meaning), True)
    except Inexpressible as error:
        raise _refused(error, "TPTP") from error
