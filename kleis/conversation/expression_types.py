"""What a name is declared as, and the type of an expression, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from kleis import core
from kleis.builtins.rows.numeric_table import find_numeric
from kleis.builtins.rows.table import find_builtin
from kleis.core.sort_printing import sort_text
from kleis.editing.completion import signature_of
from kleis.elaborate.elaborator import Elaborator
from kleis.elaborate.question import check_names_asked, read_question
from kleis.syntax import tree
from kleis.syntax.printer.program import print_declaration
from kleis.theory.theory import Theory

__all__ = ["declared_as", "type_lines"]

_FILE = "<expression>"


def type_lines(text: str, theory: Theory) -> list[str]:
    """The declarations of a name, the usage of a built-in, or an expression with its type.

    Raises `KleisError` for what has no type.
    """
    question = read_question(text, file=_FILE, importing="statement")
    asked = question.expression
    if isinstance(asked, tree.Name):
        known = [*_declared(asked.name, theory), *_built_in(asked.name)]
        if known:
            return known
    check_names_asked(question, theory)
    itself = tree.Call("equals", (asked, asked), asked.span)
    goal = Elaborator(theory).proposition(itself, file=_FILE)
    claim = goal.claim
    free = ", ".join(f"{each.name} : {sort_text(each.sort)}" for each in goal.free)
    for _ in goal.free and (claim,):
        assert isinstance(claim, core.Quantifier), "free names are bound outside"
        claim = claim.body
    assert isinstance(claim, core.Equals), "an equation was asked about"
    return [f"{text.strip()} : {sort_text(claim.left.sort)}{f'   where {free}' if free else ''}"]


def declared_as(name: str, theory: Theory) -> list[str]:
    """The declarations of a name as they are written; a member with the structure it belongs to.

    Raises `KleisError` where nothing is called so.
    """
    found = theory.lookup(name)
    if not found:
        return type_lines(name, theory)
    return list(dict.fromkeys(print_declaration(each.item) for each in found))


def _declared(name: str, theory: Theory) -> Iterator[str]:
    for each in theory.lookup(name):
        yield signature_of(each)


def _built_in(name: str) -> Iterator[str]:
    row = find_builtin(name) or find_numeric(name)
    if row is not None:
        yield f"{row.usage}   built in: {row.doc}"
