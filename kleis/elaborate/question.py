"""What somebody asks: a text read as one expression, its names checked, and the warnings that its answer carries.

THE list of warnings of an answer is made here, from the lints of the text, the names that were left free and what
elaboration noted. Every entrance (command, MCP, Python) shows it before the answer; see docs/reference/kleis.md §4.5.

Invariant: a name that nothing declares and that is no letter is an error, never a variable: a misspelt or forgotten
function would be quantified over, and the answer would be about something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec
from rpds import HashTrieSet

from kleis.builtins.real_constants import CONSTANT_READINGS
from kleis.builtins.rows.table import builtin_arities
from kleis.core.goal import ElaborationError, Goal
from kleis.core.sort_printing import sort_text
from kleis.problems import AnswerWarning, Problem
from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_asked
from kleis.syntax.printer.program import print_expression
from kleis.syntax.superscripts import SUPERSCRIPTS
from kleis.syntax.tree.traversal import walk
from kleis.theory.library_index import declaring_files
from kleis.theory.name_check.known_names import Known, Report
from kleis.theory.name_check.uses import ExpressionNames
from kleis.theory.theory import Theory

__all__ = [
    "Importing",
    "Question",
    "check_names_asked",
    "computed_with_constants",
    "declared_constants",
    "names_asked",
    "read_question",
    "symbols_left",
    "warnings_of",
]

Importing: TypeAlias = Literal["command", "session", "python", "statement"]
"""How whoever asks can import a file: by an option of the command, by the tool `load_theory`, by an argument, or by a
statement, at a prompt or in a notebook."""

_HOW: dict[Importing, str] = {
    "command": "add --import {}",
    "session": 'load_theory with imports ["{}"]',
    "python": 'give imports=["{}"], or import it in the file',
    "statement": 'write import "{}"',
}


class Question(msgspec.Struct, frozen=True):
    """An expression that somebody asks about, with the lints of its text."""

    expression: tree.Expression
    lints: tuple[tree.Lint, ...] = ()
    file: str = "<text>"
    importing: Importing = "command"


def read_question(text: str, *, file: str = "<text>", importing: Importing = "command") -> Question:
    """The question that a text asks; raises `ParseError`."""
    expression, lints = parse_asked(text, file=file)
    return Question(expression, lints, file, importing)


def check_names_asked(question: Question, theory: Theory) -> tuple[str, ...]:
    """The letters that a question leaves free.

    Raises `ElaborationError` for its first name that nothing declares and that is no letter, with the library file that
    declares it, if one does.
    """
    problems, letters = names_asked(question.expression, theory, question.file)
    for problem in problems:
        files = declaring_files(problem.found)
        raise ElaborationError(
            problem.message,
            code=problem.code,
            file=problem.file,
            line=problem.line,
            column=problem.column,
            end_line=problem.end_line,
            end_column=problem.end_column,
            found=problem.found,
            hint=_import_hint(problem.found, files[0], question.importing) if files else problem.hint,
        )
    return letters


def names_asked(
    expression: tree.Expression, theory: Theory, file: str = "<text>", bound: Iterable[str] = ()
) -> tuple[tuple[Problem, ...], tuple[str, ...]]:
    """What is wrong with the names of a question, in order of place, and the letters that it leaves free."""
    report = Report(file)
    names = ExpressionNames(Known(theory, builtin_arities()), report)
    names.check(expression, HashTrieSet(bound), "question")
    return tuple(each for each in report.problems() if each.code == "unknown-name"), tuple(names.letters)


def _import_hint(name: str, file: str, importing: Importing) -> str:
    return f"{name} is declared in {file}: {_HOW[importing].format(file)}"


# ── Warnings ─────────────────────────────────────────────────────────────────────────────────────────────────


def warnings_of(lints: Iterable[tree.Lint], goal: Goal | None = None) -> tuple[AnswerWarning, ...]:
    """The warnings of an answer, each once: lints of the text asked, free names, what elaboration noted."""
    found = [AnswerWarning(each.code, each.message, each.hint) for each in lints]
    if goal is not None:
        found += [_constant(each.source) for each in goal.readings if each.kind == "constant"]
        if goal.free:
            found.append(_free_names(goal))
        found += [AnswerWarning(each.code, each.message, each.hint) for each in goal.warnings]
    return tuple(dict.fromkeys(found))


def _constant(name: str) -> AnswerWarning:
    meaning = CONSTANT_READINGS[name]
    return AnswerWarning("constant", f"{name} is read as {meaning}", f"bind {name} to mean anything else")


def _free_names(goal: Goal) -> AnswerWarning:
    """How the free names of a proposition were read."""
    groups: dict[str, list[str]] = {}
    for each in goal.free:
        groups.setdefault(sort_text(each.sort), []).append(each.name)
    binders = ", ".join(f"{' '.join(names)} : {sort}" for sort, names in groups.items())
    return AnswerWarning(
        "free-names", f"read as ∀({binders}). …", "write the quantifier, or declare what is meant to be known"
    )


def declared_constants(
    question: Question, theory: Theory, goal: Goal | None = None
) -> tuple[AnswerWarning, ...]:
    """Warnings of names of constants that a definition gives another meaning: the prelude's `pi` is an arctangent.

    With a goal, of those definitions only that it reaches: `e` may be the unit of a group.
    """
    found = []
    reached = {each.name for each in goal.definitions} if goal is not None else CONSTANT_READINGS
    names = {
        each.name.rstrip(SUPERSCRIPTS) for each in walk(question.expression) if isinstance(each, tree.Name)
    }
    for name in sorted(names & CONSTANT_READINGS.keys() & set(reached)):
        definition = theory.definitions.get(name)
        if definition is not None and not definition.parameters:
            message = f"{name} is what {theory.file_of(name)} defines: {print_expression(definition.body)}"
            hint = "write π for the constant" if name == "pi" else ""
            found.append(AnswerWarning("constant", message, hint))
    return tuple(found)


def computed_with_constants(
    question: Question, theory: Theory
) -> tuple[tree.Expression, tuple[AnswerWarning, ...]]:
    """The expression of a computation with the constants in it bound to their values, and warnings that say so.

    Where a letter such as `e` stands for a constant is found out as in a proposition: by the sort of its place.
    """
    expression = question.expression
    names = {each.name.rstrip(SUPERSCRIPTS) for each in walk(expression) if isinstance(each, tree.Name)}
    if not names & CONSTANT_READINGS.keys():
        return expression, ()
    from kleis.elaborate.elaborator import Elaborator  # most computations have no constants

    itself = tree.Call("equals", (expression, expression), expression.span)
    try:
        readings = Elaborator(theory).proposition(itself, file=question.file).readings
    except ElaborationError:
        readings = ()
    read = [each.source for each in readings if each.kind == "constant"]
    if isinstance(expression, tree.Name) and not theory.lookup(expression.name):
        read = [expression.name] if expression.name in CONSTANT_READINGS else read
    for name in read:
        value = tree.Call(name, ())
        if name == "i":
            value = tree.Call("complex", (tree.Number("0"), tree.Number("1")))
        expression = tree.Let(tree.VariablePattern(name), None, value, expression, expression.span)
    return expression, (*map(_constant, read), *declared_constants(question, theory))


def symbols_left(letters: Sequence[str]) -> tuple[AnswerWarning, ...]:
    """The warning of a computation in which letters stay symbols."""
    if not letters:
        return ()
    one = len(letters) == 1
    message = f"{', '.join(letters)} {'is' if one else 'are'} declared nowhere and {'stays a symbol' if one else 'stay symbols'}"
    return (AnswerWarning("free-names", message, f"give a value: let {letters[0]} = … in …"),)
