"""Axioms of a file that clash, as warnings with place and names; for `kleis check` by a look that takes little time.

Specification: docs/reference/proving.md §2.8, §5.7.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from types import TracebackType
from typing import TYPE_CHECKING

from kleis.problems import AnswerWarning, Problem
from kleis.syntax.tree import Axiom, Structure

if TYPE_CHECKING:
    from kleis.prover.clashes import Clash
    from kleis.prover.process.broker import Broker
    from kleis.prover.prover import Prover
    from kleis.theory.loader import Loading

__all__ = ["ClashLook", "clash_warning", "clashes_in"]

_HINT = "change one of them; if it is meant, an example says so: assert_inconsistent"

_LEAST = 2.0
"""Seconds that looking may take, however little the rest of the command takes."""


def clashes_in(loading: Loading, prover: Prover, *, imported: bool = False) -> list[Clash]:
    """The clashes of a file's structures, and of the sections that it imports."""
    from kleis.prover.clashes import clashes

    names = _with_axioms(loading)
    if imported:
        others = prover.theory.structures.items()
        names += [name for name, each in others if not each.parameters and name not in names]
    return clashes(prover, names)


def clash_warning(clash: Clash) -> AnswerWarning:
    """The warning of a file: what reaches these axioms is no proof, all else is judged as ever."""
    return AnswerWarning("clash", _message(clash), _HINT)


def _message(clash: Clash) -> str:
    names = ", ".join(clash.names)
    if len(clash.axioms) == 1:
        return f"{names} has no model: what reaches it fails, and all else is judged without it"
    return f"{names} clash: what reaches these axioms fails, and all else is judged without them"


def _with_axioms(loading: Loading) -> list[str]:
    """The structures of a file that assume something, inherited or not."""
    items = [each for each in loading.main.result.program.items if isinstance(each, Structure)]
    return [
        each.name
        for each in items
        if each.extends is not None or any(not _is_operation(member) for member in each.members)
    ]


def _is_operation(member: object) -> bool:
    return not isinstance(member, Axiom) and type(member).__name__ != "NestedStructure"


class ClashLook:
    """A short look at the axioms of files, one after another; the prover's process is started when it is needed.

    It takes at most as long as the rest of the command did so far, or `_LEAST` seconds if that is more; what it has not
    found then it says nothing about.
    """

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._spent = 0.0
        self._opened = ExitStack()
        self._broker: Broker | None = None

    def clashing(self, loading: Loading) -> tuple[Problem, ...]:
        """Warnings of axioms of a file that clash, at the first of them that is written there."""
        now = time.monotonic()
        left = max(_LEAST, now - self._begun - self._spent) - self._spent
        if left <= 0 or not _with_axioms(loading):
            return ()
        found = self._clashes(loading, left)
        self._spent += time.monotonic() - now
        return tuple(_problem(each, loading) for each in found)

    def _clashes(self, loading: Loading, seconds: float) -> list[Clash]:
        from kleis.prover.clashes import clashes
        from kleis.prover.portfolio import LOOK
        from kleis.prover.process.broker import Broker
        from kleis.prover.process.cancellable_broker import CancellableBroker
        from kleis.prover.process.deadline import Deadline
        from registry.cli.kleis.shared.question import make_prover

        if self._broker is None:
            self._broker = self._opened.enter_context(Broker())
        deadline = Deadline(seconds)
        with CancellableBroker(self._broker).until(deadline) as broker:
            prover = make_prover(loading.theory, broker=broker, order=LOOK)
            return clashes(prover, _with_axioms(loading), lambda: not deadline.over)

    def __enter__(self) -> ClashLook:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()


def _problem(clash: Clash, loading: Loading) -> Problem:
    places = [each.place for each in clash.axioms]
    here = next((each for each in places if each.file == loading.main.name), places[0])
    others = tuple(each for each in places if each != here)
    return Problem(
        "warning",
        "clash",
        _message(clash),
        _HINT,
        here.file,
        here.line,
        here.column,
        here.line,
        here.column + 1,
        found=", ".join(clash.names),
        related=others,
    )
