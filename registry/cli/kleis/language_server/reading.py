"""A text parsed, loaded and its names checked: what the server knows of a version of a text before anything is elaborated."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from kleis.builtins.rows.table import builtin_arities
from kleis.editing.occurrences import Document
from kleis.editing.outline import Proposition, propositions
from kleis.errors import KleisError
from kleis.problems import Problem
from kleis.syntax.tree import Lint
from kleis.theory.loader import Loading
from kleis.theory.name_check.check_names import check_names
from kleis.theory.name_check.known_names import Known
from registry.cli.kleis.files.check import load_errors
from registry.cli.kleis.language_server.project import Project
from registry.cli.kleis.language_server.text_positions import Lines, Units

__all__ = ["Found", "Reading", "read"]

Found = Problem | Lint | KleisError
"""What a diagnostic is made of."""


class Reading:
    """One version of a text: the document, the theory that it is part of, and what is wrong so far."""

    def __init__(self, document: Document, loading: Loading, path: Path | None, lines: Lines) -> None:
        self.document = document
        self.loading = loading
        self.path = path
        self.lines = lines
        self.problems: tuple[Found, ...] = _problems(document, loading)

    @property
    def name(self) -> str:
        """The file as problems name it."""
        return self.document.file

    @cached_property
    def propositions(self) -> list[Proposition]:
        """What a prover can be asked about; the keys hold the imports too."""
        return propositions(self.document)

    @cached_property
    def imports_key(self) -> str:
        """Differs where the text of an imported file does."""
        digest = hashlib.sha256()
        for source in self.loading.sources[:-1]:
            digest.update(source.text.encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()

    @cached_property
    def paths(self) -> dict[str, Path]:
        """The files of the theory by the names that places have for them."""
        return {each.name: each.path for each in self.loading.sources if each.path is not None}

    def files(self, project: Project) -> list[Document]:
        """The documents of the theory, this one as it is."""
        return [project.document(each) for each in self.loading.sources[:-1]] + [self.document]

    def known_names(self) -> Callable[[], list[str]]:
        """What a name that nothing declares may have been meant to be."""
        known = Known(self.loading.theory, builtin_arities())
        return lambda: [*known.value_names(), *known.type_names()]


def read(
    project: Project, text: str, file: str, path: Path | None, directory: Path | None, units: Units
) -> Reading:
    """Read a text. Never raises for what stands in it."""
    document = Document(text, file)
    return Reading(document, project.load(document, path, directory), path, Lines(text, units))


def _problems(document: Document, loading: Loading) -> tuple[Found, ...]:
    """Errors of the text and of its imports, clashes of names, unknown names, lints: what concerns this file."""
    own = document.file
    found: list[Found] = [*document.result.errors]
    found += [each for each in load_errors(loading) if each.file == own]
    if loading.ok:
        found += [each for each in loading.problems if each.file == own]
        found += check_names(document.program, loading.theory, builtin_arities())
    return (*found, *document.result.lints)
