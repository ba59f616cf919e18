"""`--strict`: a name in a file that nothing declares is an error.

Specification: docs/reference/kleis.md §4.5.  It is about the files that a command is given, not those that they import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kleis.errors import KleisError
from kleis.problems import Problem
from kleis.syntax.tree import Assertion, Example, ExpressionStatement, LetStatement

if TYPE_CHECKING:
    from kleis.theory.loader import Loading
    from kleis.theory.theory import Theory

__all__ = ["IMPORTING", "UNDECLARED", "strict_errors", "strict_problems", "undeclared_in"]

IMPORTING = "<import>"
"""The name of a text that only imports the files which a command is given."""


UNDECLARED = ("unknown-name", "unknown-function", "free-name")
"""The codes of names that nothing declares; the last is of names that an assertion then is about any value of."""


def strict_errors(loading: Loading, *, strict: bool) -> tuple[KleisError, ...]:
    """The errors of a load; with `strict` also names that nothing declares, in the files that the command is given."""
    if not strict or loading.errors:
        return loading.errors
    main = loading.main.name
    given = loading.imports.get(main, frozenset()) if main == IMPORTING else {main}
    return tuple(each.as_error() for file in sorted(given) for each in strict_problems(loading, file))


def strict_problems(loading: Loading, file: str) -> tuple[Problem, ...]:
    """The names in a file that nothing declares, as errors in order of place."""
    from kleis.builtins.rows.table import builtin_arities
    from kleis.theory.name_check.check_names import check_names

    program = next(each.result.program for each in loading.sources if each.name == file)
    found = {
        (each.line, each.column): each
        for example in program.items
        if isinstance(example, Example)
        for each in undeclared_in(example, loading.theory, file)
    }
    for each in check_names(program, loading.theory, builtin_arities()):
        if each.code in UNDECLARED[:2]:
            found[each.line, each.column] = each
    return tuple(msgspec.structs.replace(found[place], severity="error") for place in sorted(found))


def undeclared_in(example: Example, theory: Theory, file: str) -> tuple[Problem, ...]:
    """Warnings of names in a block that nothing declares and that are no letters: its assertions are about any value."""
    from kleis.elaborate.question import names_asked

    found: list[Problem] = []
    bound: set[str] = set()
    for statement in example.statements:
        match statement:
            case LetStatement(name=name, value=value):
                asked = value
                bound_after = {name}
            case Assertion(proposition=proposition):
                asked, bound_after = proposition, set()
            case ExpressionStatement(expression=expression):
                asked, bound_after = expression, set()
            case _:
                continue
        if asked is not None:
            found += names_asked(asked, theory, file, bound)[0]
        bound |= bound_after
    unique = {each.found: each for each in reversed(found)}
    return tuple(
        msgspec.structs.replace(each, severity="warning") for each in reversed(list(unique.values()))
    )
