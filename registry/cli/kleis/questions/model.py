"""`kleis model`: models of a structure, of a section or of constraints.

Specification: docs/reference/proving.md §5.10. JSON: the fields of `kleis.sessions.answer_shapes.ModelsAnswer`.

Exit status: 0 found, 1 there is provably none, 2 the question or the command is ill-formed, 3 unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from kleis.errors import KleisError, LoadError
from kleis.theory.loader import Loading
from registry.cli.kleis.shared.loading import STANDARD_INPUT, load, make_loader, standard_input
from registry.cli.kleis.shared.patience import Patience, TimeIsUp
from registry.cli.kleis.shared.question import make_prover
from registry.cli.kleis.shared.reports import (
    print_evidence,
    print_rows,
    print_warnings,
    remark,
    render,
)
from registry.cli.kleis.shared.strict import IMPORTING, strict_errors
from registry.cli.terminal.layout import Piece, Role
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.screen import Screen, json_text

if TYPE_CHECKING:
    from kleis.prover.model_search.wanted import Models, Wanted

__all__ = ["Asked", "model"]

_STATUS = {"found": 0, "none": 1, "error": 2, "unknown": 3}
_ROLES: dict[str, Role] = {"found": "good", "none": "bad", "unknown": "word", "error": "strong"}
_ENDING = ".kleis"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line asks."""

    wanted: Wanted
    imports: tuple[str, ...]
    path: tuple[Path, ...]
    fresh: bool
    strict: bool
    patience: Patience


def model(asked: Asked, *, as_json: bool) -> int:
    """Find models and print them; the exit status."""
    from kleis.prover.model_search.wanted import Models
    from kleis.sessions.find_models import models_fields

    texts: dict[str, str] = {}
    try:
        answer = _answer(asked, texts, live=not as_json)
    except KleisError as error:
        answer = Models(
            status="error", about=asked.wanted.about, message=error.message, problem=error.as_dict()
        )
    screen = Screen()
    if as_json:
        screen.out.write(json_text(models_fields(answer)) + "\n")
    else:
        print_warnings(screen, answer.warnings)
        _show(screen, answer, texts)
    return _STATUS[answer.status]


def _answer(asked: Asked, texts: dict[str, str], *, live: bool) -> Models:
    from kleis.prover.model_search.search import find_models
    from kleis.prover.model_search.wanted import Models

    wanted = asked.wanted
    if wanted.about == STANDARD_INPUT:
        wanted = msgspec.structs.replace(wanted, about=standard_input())
    loading, wanted = _loaded(asked, wanted)
    texts |= {source.name: source.text for source in loading.sources}
    texts["<constraints>"] = wanted.about
    for error in strict_errors(loading, strict=asked.strict):
        raise error
    try:
        with asked.patience.waiting(live=live) as waiting:
            prover = make_prover(
                loading.theory, fresh=asked.fresh, broker=waiting.broker, effort=asked.patience.effort
            )
            found = [0]
            waiting.line.beside = lambda: f"{found[-1]} models" if found[-1] > 1 else ""
            return find_models(prover, wanted, told=found.append)
    except TimeIsUp:
        message = f"stopped after {asked.patience.timeout:g} s"
        return Models(status="unknown", about=wanted.about, reason="killed", message=message)


def _loaded(asked: Asked, wanted: Wanted) -> tuple[Loading, Wanted]:
    """The declarations, and the question with the structure of the file that it names."""
    from kleis.syntax.printer.expressions import quote

    loader = make_loader(asked.path)
    if not wanted.about.endswith(_ENDING):
        lines = "\n".join(f"import {quote(name)}" for name in asked.imports)
        return loader.load_text(lines, file=IMPORTING, directory=Path.cwd()), wanted
    if asked.imports:
        raise click.UsageError("a file has its own imports: name a structure of it, and import the file")
    loading = load(loader, wanted.about)
    return loading, msgspec.structs.replace(wanted, about=_structure_of(loading, wanted.about))


def _structure_of(loading: Loading, name: str) -> str:
    """The one structure that a file declares."""
    from kleis.syntax.tree import Structure

    file = loading.sources[-1].name
    found = [
        each.declaration.name
        for each in loading.theory.entries
        if isinstance(each.declaration, Structure) and each.file == file
    ]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(found) or "none"
    raise LoadError(
        f"{name} declares {len(found)} structures, and a model is of one",
        code="structure-missing",
        file=file,
        found=listed,
        hint=f"name it: kleis model {found[0] if found else 'STRUCTURE'} --import {name}",
    )


# ── For people ───────────────────────────────────────────────────────────────────────────────────────────────


def _show(screen: Screen, answer: Models, texts: dict[str, str]) -> None:
    from kleis.sessions.find_models import headline, remarks

    problem = answer.problem or {}
    if answer.status == "error" and problem.get("message"):
        error = KleisError.from_dict(problem)
        print_error(f"error  {render(error, texts.get(error.file, ''))}", style="bad")
        return
    status = f"{answer.status} ({answer.reason})" if answer.reason else answer.status
    screen.write([Piece(status, _ROLES[answer.status]), Piece(f"  {headline(answer)}".rstrip())])
    screen.write(*(remark(title, text) for title, text in remarks(answer)))
    if len(answer.models) > 1 and _plain(answer):
        _print_rows(screen, answer)
        return
    if answer.complete and not answer.apart:
        return
    for place, each in enumerate(answer.models, 1):
        print_evidence(screen, each, f"model {place}" if len(answer.models) > 1 else "model")


def _plain(answer: Models) -> bool:
    """Whether every model is values of the same names."""
    names = [tuple(binding.name for binding in each.bindings) for each in answer.models]
    return (
        all(not (each.tables or each.carriers or each.interpretation or each.rules) for each in answer.models)
        and len(set(names)) == 1
        and bool(names[0])
    )


def _print_rows(screen: Screen, answer: Models) -> None:
    """Models as the rows of one table."""
    titles: Sequence[str] = [each.name for each in answer.models[0].bindings]
    rows = [[each.value for each in found.bindings] for found in answer.models]
    print_rows(screen, titles, rows)
