"""`kleis check`: does a file parse, are its imports there, are its names known, do its declarations elaborate?

Specification: docs/reference/proving.md §2.8. JSON: ``{"files": [{"file", "parse": "ok"|[errors], "problems": […]}]}``.

Invariant: `parse` is about the text of the file alone. Missing imports, errors in imported files, unknown names,
clashes, lints and what does not elaborate are `problems`, each with its own severity, file and place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from kleis.errors import KleisError, LoadError, ParseError
from kleis.problems import Problem
from kleis.syntax.tree import Lint
from kleis.theory.loader import Loader, Loading
from registry.cli.kleis.shared.implementations import false_implementations
from registry.cli.kleis.shared.loading import load
from registry.cli.kleis.shared.strict import UNDECLARED, strict_problems

__all__ = ["CheckedFile", "check_file", "check_loading", "load_errors"]


class CheckedFile(msgspec.Struct, frozen=True):
    """What checking one file gave.  `loading` is None where the file could not be read."""

    file: str
    parse: tuple[KleisError, ...]
    errors: tuple[KleisError, ...]
    problems: tuple[Problem | Lint, ...]
    loading: Loading | None

    @property
    def ok(self) -> bool:
        """Whether there is no error; warnings do not count."""
        return (
            not self.parse and not self.errors and all(_severity(each) != "error" for each in self.problems)
        )

    def as_dict(self) -> dict[str, Any]:
        """The file's part of the answer in JSON."""
        return {
            "file": self.file,
            "parse": [error.as_dict() for error in self.parse] or "ok",
            "problems": [each.as_dict() for each in (*self.errors, *self.problems)],
        }

    def text_of(self, file: str) -> str:
        """The text that a place is in."""
        return self.loading.text_of(file) if self.loading is not None else ""


def check_file(
    loader: Loader,
    name: str,
    *,
    syntax_only: bool = False,
    strict: bool = False,
    look: Callable[[Loading], tuple[Problem, ...]] = lambda loading: (),
) -> CheckedFile:
    """Check one file.  Names and meanings are checked only where everything could be read: else most would be
    unknown.  If `strict`, a name that nothing declares is an error.  `look` finds axioms that clash, in a file that is
    right otherwise.
    """
    try:
        loading = load(loader, name)
    except LoadError as error:
        return CheckedFile(name, (error,), (), (), None)
    main = loading.main
    if syntax_only:
        return CheckedFile(name, main.result.errors, (), main.result.lints, loading)
    return check_loading(loading, name, strict=strict, look=look)


def check_loading(
    loading: Loading,
    name: str,
    *,
    strict: bool = False,
    look: Callable[[Loading], tuple[Problem, ...]] = lambda loading: (),
) -> CheckedFile:
    """`check_file` for a file that is loaded."""
    main = loading.main
    lints = main.result.lints
    errors = load_errors(loading)
    clashes = [
        each
        for each in loading.problems
        if each.severity == "error"
        or main.name in (each.file, *(place.file for place in each.related if each.code == "import-cycle"))
    ]
    names: tuple[Problem, ...] = ()
    if loading.ok:
        from kleis.builtins.rows.table import builtin_arities
        from kleis.theory.name_check.check_names import check_names

        names = check_names(main.result.program, loading.theory, builtin_arities())
        names += _meaning_problems(loading, (*clashes, *names))
    if loading.ok and all(each.severity != "error" for each in (*clashes, *names)):
        names += false_implementations(loading)
        if all(each.severity != "error" for each in names):
            names += look(loading)
    if strict and loading.ok:
        undeclared = strict_problems(loading, main.name)
        places = {(each.line, each.column) for each in undeclared}
        others = (
            each for each in names if each.code not in UNDECLARED or (each.line, each.column) not in places
        )
        names = (*others, *undeclared)
    problems: list[Problem | Lint] = [*clashes, *names, *lints]
    problems.sort(key=lambda each: (each.file != main.name, each.file, each.line, each.column))
    return CheckedFile(name, main.result.errors, errors, tuple(problems), loading)


def _meaning_problems(loading: Loading, known: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """What elaboration finds in the file itself, but where a place has an error already: one is enough."""
    from kleis.elaborate.check_program import check_program
    from kleis.elaborate.elaborator import Elaborator

    wrong = {(each.file, each.line, each.column) for each in known if each.severity == "error"}
    found = check_program(Elaborator(loading.theory), loading.main.result.program)
    return tuple(each for each in found if (each.file, each.line, each.column) not in wrong)


def load_errors(loading: Loading) -> tuple[KleisError, ...]:
    """The errors of a load that are not errors of the main file's text: imports, and what is wrong in them."""
    own = loading.main.name
    return tuple(
        error for error in loading.errors if not (isinstance(error, ParseError) and error.file == own)
    )


def _severity(problem: Problem | Lint) -> str:
    return problem.severity if isinstance(problem, Problem) else "warning"
