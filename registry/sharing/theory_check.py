"""Texts of theories that came from elsewhere, parsed and elaborated in a process that can be killed.

The texts wait in a folder of their own. Nothing is proved: what a text asserts is a matter for whoever loads it, by whom it is verified as
any other theory, and whose lemmas are proved where they are used.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from kleis.budget import deep
from kleis.errors import KleisError, LoadError
from kleis.prover.process.broker import Broker, Guards
from kleis.prover.protocol.engine import Answer
from registry.errors import RegistryError
from registry.sharing.manifest import untrue
from registry.sharing.theories import TheoryRow, imported_names, in_order, read_theory, saved_names, sharable

__all__ = ["check_texts", "check_users", "run"]

_JOB: Final = "registry.sharing.theory_check:run"
_GUARDS: Final = Guards(cpu=40, wall=90.0, memory=2048)


class _Texts(msgspec.Struct, frozen=True):
    """Theories as files of a folder, what is imported first; of each the imports that its row says."""

    folder: Path
    imports: Mapping[str, Sequence[str]]


class _Refused(msgspec.Struct, frozen=True):
    """Why a text is not taken in: what it is, what was found, what was expected."""

    message: str
    found: str
    expected: str


def check_texts(
    broker: Broker, folder: Path, rows: Mapping[str, TheoryRow], order: Sequence[str], place: str
) -> None:
    """Raise `invalid_argument` unless each text in the folder can be read, imports what its row says, and can be elaborated."""
    task = _Texts(folder, {name: rows[name].imports for name in order})
    answer = broker.submit(_JOB, task, 1, guards=_GUARDS)[1].result()
    match answer.witness:
        case "sound":
            return
        case _Refused(message, found, expected):
            raise untrue(place, message, found, expected)
    raise RegistryError(
        "too_busy", "nothing was taken in: the theories could not be read within the limits", file=place,
        found=answer.detail[:200] or str(answer.reason), expected=f"{_GUARDS.cpu} seconds and {_GUARDS.memory} MB at most",
        hint="ask the publisher for smaller theories",
    )  # fmt: skip


def check_users(
    broker: Broker,
    saved: Path,
    arriving: Mapping[str, tuple[TheoryRow, str]],
    replaced: Collection[str],
    place: str,
) -> None:
    """Raise `version_conflict` unless the saved theories here that import what is replaced can be read with what arrives.

    `arriving`: rows and texts by the names here. A theory that imports more than theories beside it and the library is not looked at.
    """
    texts = {name: text for name, (_, text) in arriving.items()}
    rows = {name: row for name, (row, _) in arriving.items()}
    for name in saved_names(saved):
        if name not in arriving:
            try:
                rows[name], texts[name] = read_theory(saved, name)
            except RegistryError:
                continue
    whole, _ = sharable(rows)
    users = [
        each for each in whole if each not in arriving and not {*in_order([each], rows)}.isdisjoint(replaced)
    ]
    if not users:
        return
    order = in_order(users, rows)
    with TemporaryDirectory(prefix="pif-") as folder:
        for name in order:
            (Path(folder) / f"{name}.kleis").write_bytes(texts[name].encode())
        try:
            check_texts(broker, Path(folder), rows, order, place)
        except RegistryError as error:
            raise RegistryError(
                "version_conflict", f"a theory here could not be read with what came; nothing was taken in: {error.message}", place="theory",
                found=error.found, expected=f"{', '.join(users[:5])} to be read as before",
                hint="change that theory first; `--as NAME` takes the theory that was asked for in under another name",
            ) from None  # fmt: skip


@deep()
def run(task: _Texts, steps: int) -> Answer:
    """In the child: `sound`, or what refuses a text."""
    try:
        refused = _refused(task)
    except (KleisError, RegistryError) as error:
        refused = _Refused("a theory cannot be read", str(error)[:300], "a theory of this program")
    return Answer(outcome="silent", witness=refused or "sound", steps=steps)


def _refused(task: _Texts) -> _Refused | None:
    from kleis.builtins.rows.table import builtin_arities
    from kleis.elaborate.check_program import check_program
    from kleis.elaborate.elaborator import Elaborator
    from kleis.syntax.tree import Import
    from kleis.theory.import_search import ImportSearch, packaged_library
    from kleis.theory.loader import Loader
    from kleis.theory.name_check.check_names import check_names

    library, arities = packaged_library(), dict(builtin_arities())
    confined = (task.folder,) if library is None else (task.folder, library)
    loader = Loader(ImportSearch((), None, library, confined))
    for name, said in task.imports.items():
        path = task.folder / f"{name}.kleis"
        source = loader.imported(path.resolve(), shown=path.name)
        try:
            found = imported_names(
                each.path for each in source.result.program.items if isinstance(each, Import)
            )
        except RegistryError as error:
            return _Refused(f"{name}: {error.message}", str(error.found), str(error.expected))
        if found != [*said]:
            return _Refused(
                f"the row of {name} has other imports than its text", " ".join(said) or "none", " ".join(found) or "none"
            )  # fmt: skip
        try:
            loading = loader.load(path)
        except LoadError as error:
            return _Refused(f"the theory {name} cannot be read", str(error)[:300], "a text")
        wrong = [str(each) for each in loading.errors]
        wrong += [each.message for each in loading.problems if each.severity == "error"]
        if not wrong:
            program = loading.main.result.program
            problems = (
                *check_names(program, loading.theory, arities),
                *check_program(Elaborator(loading.theory), program),
            )
            wrong = [each.message for each in problems if each.severity == "error"]
        if wrong:
            return _Refused(
                f"the theory {name} cannot be read", wrong[0][:300], "declarations that can be elaborated"
            )
    return None
