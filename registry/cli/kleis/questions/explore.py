"""`kleis explore`: the laws of a structure, found by a generator of candidates that is a PIF tool.

JSON: the object that the server's `explore` answers. For people: the laws that are proved, how many follow from them,
the smallest refuted ones with the points where they fail, and the models that refute them.

Exit status: 0 every candidate is decided, 1 there is nothing to explore, 2 the command is ill-formed, 3 some candidates
are not decided, 130 interrupted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from kleis.errors import LoadError
from kleis.theory.loader import Loading
from registry.cli.kleis.shared.loading import load, make_loader
from registry.cli.kleis.shared.reports import print_rejection, print_table, render
from registry.cli.kleis.shared.strict import strict_errors
from registry.cli.kleis.shared.workers import noting, workers_ahead
from registry.cli.terminal.command_context import interruptible
from registry.cli.terminal.layout import Piece, Role
from registry.cli.terminal.live_line import LiveLine
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.process import INTERRUPTED
from registry.cli.terminal.screen import Screen, json_text
from registry.errors import RegistryError

if TYPE_CHECKING:
    from kleis.batches.ahead import Ahead
    from kleis.prover.kept_certificates import Elsewhere
    from kleis.prover.process.broker import Broker

__all__ = ["Exploring", "explore"]

_ROLES: dict[str, Role] = {"axiom": "faint", "proved": "good", "follows": "operation", "refuted": "bad"}
_FAILED, _UNDECIDED = 1, 3

Answer = dict[str, Any]


class Exploring(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks."""

    file: str
    structure: str
    size: int
    variables: int
    carrier: str | None
    generator: str | None
    seconds: float | None
    effort: int
    limit: int
    offset: int
    home: Path | None
    strict: bool
    fresh: bool
    path: tuple[Path, ...]
    as_json: bool
    cluster: str = ""


def explore(asked: Exploring) -> int:
    """Explore and print; the exit status."""
    screen = Screen()
    try:
        loading = load(make_loader(asked.path), asked.file)
    except LoadError as error:
        print_rejection(error, "", as_json=asked.as_json)
        return _FAILED
    errors = strict_errors(loading, strict=asked.strict)
    if errors and asked.as_json:
        print_rejection(errors[0], "", as_json=True)
        return _FAILED
    for problem in errors:
        print_error(render(problem, loading.text_of(problem.file)), style="bad")
    if errors:
        return _FAILED
    with interruptible() as interrupted:
        try:
            answer = _answer(asked, loading, interrupted.is_set)
        except RegistryError as error:
            answer = {"type": "error", "error": error.as_json()}
    if asked.as_json:
        screen.out.write(json_text(answer) + "\n")
    elif answer["type"] == "error":
        _print_errors(answer["error"])
    else:
        show(screen, answer)
    has_had_time = answer["type"] != "error" or answer["error"]["kind"] != "too_busy"
    if answer["type"] == "error" and has_had_time:
        return _FAILED
    if interrupted.is_set():
        return INTERRUPTED
    return 0 if has_had_time and answer["complete"] and not answer["undecided"] else _UNDECIDED


def _answer(asked: Exploring, loading: Loading, cancelled: Callable[[], bool]) -> Answer:
    from kleis.batches.questions import Declarations
    from kleis.prover.process.broker import Broker
    from kleis.prover.verdict_cache import VerdictCache
    from registry.explore.asked import GENERATOR, Asked
    from registry.explore.explore_request import explored
    from registry.home import find_home
    from registry.oracles.theory_oracle import TheorySnapshot
    from registry.store.open_store import find_url, open_store
    from registry.workspace.workspace import Workspace

    home = find_home(asked.home).path
    cache = None if asked.fresh else VerdictCache(home / "verdicts")
    store = open_store(home, find_url())
    question = Asked(
        structure=asked.structure, size=asked.size, variables=asked.variables, carrier=asked.carrier,
        generator=asked.generator or GENERATOR, offset=asked.offset, limit=asked.limit,
        effort=asked.effort,
    )  # fmt: skip
    begun = time.monotonic()
    at: list[tuple[int, int, str]] = []

    def said() -> str:
        done, total, law = at[-1] if at else (0, 0, "")
        return f"{time.monotonic() - begun:.0f} s  {done}/{total} {law}" if total > 1 else ""

    def over() -> bool:
        return cancelled() or (asked.seconds is not None and time.monotonic() - begun > asked.seconds)

    with (
        closing(store),
        Broker() as broker,
        LiveLine(said, wanted=not asked.as_json) as line,
        workers_ahead(asked.cluster, broker, effort=asked.effort, line=line, over=over) as ahead,
        closing(
            TheorySnapshot(
                loading.theory, name=asked.file, broker=broker, cache=cache,
                elsewhere=_elsewhere(asked, broker, ahead, noting(line)),
            )
        ) as snapshot,
    ):  # fmt: skip
        return explored(
            snapshot, Workspace(store).tools(), question,
            seconds=asked.seconds, cancelled=cancelled,
            progress=lambda done, total, law: at.append((done, total, law)),
            workers=None if ahead is None else ahead.about(Declarations.of(loading)),
        )  # fmt: skip


def _elsewhere(
    asked: Exploring, broker: Broker, ahead: Ahead | None, note: Callable[[str], None]
) -> Elsewhere | None:
    """What was found elsewhere: certificates that were pulled, and what workers bring."""
    from registry.cli.kleis.shared.pulled import found_elsewhere

    arrived = None if ahead is None else ahead.arrived
    return found_elsewhere(broker, note, arrived, fresh=asked.fresh, home=asked.home)


def _print_errors(error: Answer) -> None:
    print_error(f"{error['kind']}  {error['message']}", style="bad")
    for key in ("found", "expected", "hint"):
        if key in error:
            print_error(f"  {key}: {error[key]}")


def show(screen: Screen, answer: Answer) -> None:
    """The answer of `explore` for people."""
    counts = answer["counts"]
    said = ", ".join(f"{counts[status]} {status}" for status in _ORDER if status in counts)
    title = f"{answer['structure']}({answer['carrier']})  {answer['candidates']} candidates: {said}"
    screen.write([Piece(title, "strong")])
    for law in answer["laws"]:
        _row(screen, law["status"], law["law"], ", ".join(law["uses"]))
    for law in answer["follows"]:
        _row(screen, "follows", law["law"], f"from {'; '.join(law['uses'])}" if law["uses"] else "")
    for row in answer["refuted"]:
        _row(screen, "refuted", row["law"], _where(row))
    for row in answer["undecided"]:
        _row(screen, "unknown", row["law"], row["reason"])
    for model in answer["models"]:
        _model(screen, answer["carrier"], model)
    if "left_out" in answer:
        screen.print_error(
            f"left out, for they are not on {answer['carrier']} alone: {', '.join(answer['left_out'])}"
        )
    if "problems" in answer:
        problems = answer["problems"]
        screen.print_error(
            f"{problems['count']} candidates are no propositions, the first: {problems['first'][0]}"
        )
    if not answer["complete"]:
        screen.print_error("not complete: run the same command again, it goes on from what is proved")


_ORDER = ("axiom", "proved", "follows", "refuted", "unknown", "not reached")


def _row(screen: Screen, status: str, law: str, remark: str) -> None:
    pieces = [Piece(f"{status:8}  ", _ROLES.get(status, "word")), Piece(law)]
    screen.write([*pieces, *([Piece(f"   {remark}", "faint")] if remark else [])])


def _where(row: Answer) -> str:
    point = ", ".join(
        f"{name} = {value}" for name, value in row["at"].items() if name not in ("left", "right")
    )
    at = dict(row["at"])
    sides = f": {at['left']} ≠ {at['right']}" if "left" in at else ""
    place = f"model {row['model']}" if "model" in row else ""
    return " at ".join(each for each in (place, point) if each) + sides


def _model(screen: Screen, carrier: str, model: Answer) -> None:
    from kleis.prover.protocol.verdict import Table

    title = f"model {model['model']}, which refutes {model['refutes']}: {carrier} = {{{', '.join(model['elements'])}}}"
    screen.write([Piece(title, "strong")])
    for name, rows in model["tables"].items():
        if rows and len(rows[0]) == 1:
            screen.write([Piece(f"    {name} = {rows[0][0]}")])
        elif rows:
            columns = (carrier,) * len(rows[0])
            print_table(screen, Table(name, columns, tuple(tuple(row) for row in rows)))
