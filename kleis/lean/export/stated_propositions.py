"""The propositions that a theory states: its lemmas, and the assertions of its example blocks.

In an assertion after a `let` with a value, the value is substituted for the name.  After a `let` without a value, the
name is free.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from kleis.problems import Place, place_of
from kleis.syntax import tree
from kleis.theory.theory import Theory

__all__ = ["Proposition", "propositions_of"]


class Proposition(msgspec.Struct, frozen=True):
    """A proposition with a name and a place; no expression where it exists in the core alone."""

    name: str
    expression: tree.Expression | None
    place: Place
    using: tree.TypeExpression | None
    text: str = ""


def propositions_of(theory: Theory) -> Iterator[Proposition]:
    """What lemmas state and examples assert, in order; expected failures are not claims."""
    for entry in theory.entries:
        if isinstance(entry.declaration, tree.Example):
            yield from _of_example(entry.declaration, entry.file)
        elif isinstance(entry.declaration, tree.Lemma):
            lemma = entry.declaration
            yield Proposition(lemma.name, lemma.proposition, place_of(lemma, entry.file), None)


def _of_example(example: tree.Example, file: str) -> Iterator[Proposition]:
    lets: list[tree.LetStatement] = []
    count = 0
    for statement in example.statements:
        if isinstance(statement, tree.LetStatement) and statement.value is not None:
            lets.append(statement)
        if (
            isinstance(statement, tree.Assertion)
            and statement.kind == "assert"
            and statement.proposition is not None
        ):
            count += 1
            name = f"{example.name} {count}"
            yield Proposition(name, _within(lets, statement.proposition), place_of(statement, file), None)


def _within(lets: list[tree.LetStatement], proposition: tree.Expression) -> tree.Expression:
    if isinstance(proposition, tree.Using):
        return tree.Using(proposition.structure, _within(lets, proposition.body), proposition.span)
    for statement in reversed(lets):
        assert statement.value is not None
        pattern = tree.VariablePattern(statement.name, statement.span)
        proposition = tree.Let(pattern, statement.type, statement.value, proposition, statement.span)
    return proposition
