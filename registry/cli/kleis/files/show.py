"""`kleis show`: the goal of a proposition (`--meaning`), or the syntax tree of a file (`--tree`).

Specification: docs/reference/proving.md §1. JSON: the fields of `kleis.delaborate.describe_goal.Description`, or
``{"error": {…}}``; an error of a file that is imported has that file's name.

Invariant: the lines of `proposition` together are Kleis again, with the same meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from kleis.errors import KleisError, LoadError
from kleis.syntax.tree import Node, Program
from registry.cli.kleis.shared.loading import STANDARD_INPUT, make_loader, standard_input
from registry.cli.kleis.shared.reports import render
from registry.cli.terminal.layout import Piece
from registry.cli.terminal.plain_output import print_error
from registry.cli.terminal.screen import Line, Screen, json_text

if TYPE_CHECKING:
    from kleis.core.goal import Goal
    from kleis.delaborate.describe_goal import Description
    from kleis.theory.loader import Loading

__all__ = ["show_meaning", "tree_lines"]

_PROPOSITION = "<proposition>"
_USING = "<using>"
_COLUMN = 13


def show_meaning(
    proposition: str,
    imports: Sequence[str],
    using: str,
    path: Sequence[Path],
    *,
    in_ascii: bool = False,
    as_json: bool = False,
) -> int:
    """Print what a proposition means; the exit status."""
    texts = {_USING: using, _PROPOSITION: proposition}
    try:
        texts[_PROPOSITION] = standard_input() if proposition == STANDARD_INPUT else proposition
        loading = _load(imports, path)
    except LoadError as error:
        return _reject([error], texts, as_json)
    if loading.errors:
        texts |= {source.name: source.text for source in loading.sources}
        return _reject(loading.errors, texts, as_json)
    texts |= {source.name: source.text for source in loading.sources}
    try:
        meaning = _elaborate(loading, texts[_PROPOSITION], using)
    except KleisError as error:
        return _reject([error], texts, as_json)
    from kleis.delaborate.describe_goal import describe

    shown = describe(meaning, loading.theory, ascii=in_ascii)
    screen = Screen()
    if as_json:
        screen.out.write(json_text(shown.as_dict()) + "\n")
    else:
        screen.write(*_lines(shown))
    return 0


def _load(imports: Sequence[str], path: Sequence[Path]) -> Loading:
    from kleis.syntax.printer.expressions import quote

    lines = "\n".join(f"import {quote(name)}" for name in imports)
    return make_loader(path).load_text(lines, file="<import>", directory=Path.cwd())


def _elaborate(loading: Loading, text: str, using: str) -> Goal:
    from kleis.elaborate.elaborator import Elaborator
    from kleis.elaborate.question import check_names_asked, read_question
    from kleis.syntax.parser.parser import parse_type

    structure = parse_type(using, file=_USING) if using else None
    question = read_question(text, file=_PROPOSITION)
    check_names_asked(question, loading.theory)
    return Elaborator(loading.theory).proposition(question.expression, using=structure, file=_PROPOSITION)


def _reject(errors: Sequence[KleisError], texts: dict[str, str], as_json: bool) -> int:
    if as_json:
        screen = Screen()
        screen.out.write(json_text({"error": errors[0].as_dict()}) + "\n")
    else:
        for error in errors:
            print_error(render(error, texts.get(error.file, "")), style="bad")
    return 1


# ── Lines ────────────────────────────────────────────────────────────────────────────────────────────────────


def _lines(shown: Description) -> Iterator[Line]:
    """The sections that are not empty, each with its name before its first line."""
    for name, entries in _sections(shown):
        label = name
        for entry in entries:
            for line in _entry(entry):
                yield [Piece(label.ljust(_COLUMN), "strong"), *line]
                label = ""


def _entry(entry: Sequence[Piece]) -> Iterator[list[Piece]]:
    """The lines of an entry; texts of several lines stay below one another."""
    line: list[Piece] = []
    for piece in entry:
        indent = sum(len(each.text) for each in line)
        first, *rest = piece.text.split("\n")
        line.append(Piece(first, piece.role))
        for each in rest:
            yield line
            line = [Piece(" " * indent), Piece(each, piece.role)]
    yield line


def _sections(shown: Description) -> Iterator[tuple[str, list[list[Piece]]]]:
    proposition = shown.proposition
    yield "proposition", [[Piece(proposition)]] if proposition is not None else []
    yield "free names", [[Piece(f"{each.name} : {each.type}")] for each in shown.free]
    yield (
        "operations",
        [_operation(each.declaration, each.condition, each.incomplete) for each in shown.operations],
    )
    yield "in force", [[Piece(each)] for each in shown.instances]
    yield "carriers", [[Piece(each)] for each in shown.carriers]
    yield "symbols", [[Piece(each)] for each in shown.symbols]
    yield "axioms", [_axiom(each.name, each.proposition, each.standing) for each in shown.axioms]
    yield "definitions", [_definition(each.text, each.termination) for each in shown.definitions]
    yield "data", [[Piece(each)] for group in shown.data for each in group]
    yield (
        "readings",
        [
            [
                Piece(f"{each.line}:{each.column}".ljust(6), "faint"),
                Piece(_interpretation(each.source, each.meaning)),
            ]
            for each in shown.readings
            if each.kind != "free"
        ],
    )
    yield (
        "conditions",
        [_condition(each.subject, each.proposition, each.certain) for each in shown.conditions],
    )
    yield (
        "rests on",
        [[Piece(f"{each.name}: ", "key"), Piece(each.proposition)] for each in shown.obligations],
    )
    yield "undecided", [[Piece(f"{each.reason}: ", "bad"), Piece(each.message)] for each in shown.unsettled]
    yield "warnings", [[Piece(each["message"], "word")] for each in shown.warnings]


def _operation(declaration: str, condition: str, incomplete: bool) -> list[Piece]:
    remarks = [f"where {condition}"] if condition else []
    remarks += ["approximated by solvers"] if incomplete else []
    return [Piece(declaration), *([Piece(f"  ({', '.join(remarks)})", "faint")] if remarks else [])]


def _axiom(name: str, proposition: str, standing: str) -> list[Piece]:
    remark = [Piece(f"  ({standing})", "word")] if standing != "axiom" else []
    return [Piece(f"{name} : ", "key"), Piece(proposition), *remark]


def _definition(text: str, termination: str) -> list[Piece]:
    return [Piece(f"{text}\n  terminates: {termination}" if termination else text)]


def _interpretation(source: str, meaning: str) -> str:
    return f"{source} is {meaning}"


def _condition(subject: str, proposition: str, certain: bool) -> list[Piece]:
    if not proposition:
        return [Piece("not shown  ", "word"), Piece(f"{subject} is defined")]
    word = Piece("holds      ", "good") if certain else Piece("not shown  ", "word")
    return [word, Piece(proposition)]


def tree_lines(program: Program) -> Iterator[str]:
    """The syntax tree, indented: a line a node, with its field, its class, its plain fields and ``line:column``."""
    pending: list[tuple[int, str, Node]] = [(0, "", item) for item in reversed(program.items)]
    while pending:
        depth, label, node = pending.pop()
        yield "  " * depth + (f"{label}: " if label else "") + _headline(node)
        below = [(depth + 1, name, child) for name, child in _children(node)]
        pending.extend(reversed(below))


def _headline(node: Node) -> str:
    plain = [
        f"{name}={value!r}"
        for name, value in msgspec.structs.asdict(node).items()
        if isinstance(value, str | int | bool)
    ]
    span = getattr(node, "span", None)
    place = f"  @{span.line}:{span.column}" if span is not None and span.line else ""
    return " ".join([type(node).__name__, *plain]) + place


def _children(node: Node) -> Iterator[tuple[str, Node]]:
    for name, value in msgspec.structs.asdict(node).items():
        if isinstance(value, Node):
            yield name, value
        elif isinstance(value, tuple):
            for index, each in enumerate(value):
                if isinstance(each, Node):
                    yield f"{name}[{index}]", each
