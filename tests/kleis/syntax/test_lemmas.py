"""Lemmas as items: their text and tree, and that `lemma`, `theorem` and `using` stay names everywhere else."""

from __future__ import annotations

import pytest

from kleis.syntax import tree
from kleis.syntax.parser.parser import parse_program, parse_source
from kleis.syntax.printer.formatter import format_source
from kleis.syntax.printer.program import print_program


def the_item(text: str) -> tree.Declaration:
    (item,) = parse_program(text).items
    return item


def test_a_lemma_has_word_name_proposition_and_grounds() -> None:
    plain = the_item("lemma a : x = x")
    assert isinstance(plain, tree.Lemma)
    assert (plain.word, plain.name, plain.using) == ("lemma", "a", None)
    grounded = the_item("theorem b : ∀(x : ℝ). x = x using a, using")
    assert isinstance(grounded, tree.Lemma)
    assert (grounded.word, grounded.using) == ("theorem", ("a", "using"))
    assert isinstance(grounded.proposition, tree.Quantifier)


def test_a_structure_is_named_before_the_proposition_and_grounds_after_it() -> None:
    lemma = the_item("lemma a : using Group(G) ∀(x : G). x = x using b")
    assert isinstance(lemma, tree.Lemma)
    assert isinstance(lemma.proposition, tree.Using)
    assert lemma.using == ("b",)


AS_NAMES = """
define lemma(theorem) = theorem + lemma
define theorem = lemma(2)
operation using : lemma → theorem
structure S(lemma) {
    theorem : lemma
    axiom theorem : lemma = theorem
    lemma : lemma
    operation theorem : lemma
}
data D = lemma | theorem(theorem : D)
type theorem = lemma
example "names" {
    let lemma = 3
    assert(lemma = theorem)
    lemma
    theorem(lemma)
}
lemma lemma : lemma(theorem) = theorem
theorem theorem : lemma using lemma
"""


def test_the_words_stay_names() -> None:
    program = parse_program(AS_NAMES)
    assert sum(isinstance(each, tree.Lemma) for each in program.items) == 2
    assert parse_program(print_program(program)).items == program.items
    assert parse_program(print_program(program, ascii=True)).items == program.items


@pytest.mark.parametrize(
    "text",
    [
        "lemma = 3",
        "lemma a = 3",
        "theorem : 3",
        "lemma (+) : 1 = 1",
        "lemma a : 1 = 1 using",
        "lemma a : 1 = 1 using 3",
    ],
)
def test_what_is_no_lemma_is_an_error(text: str) -> None:
    assert parse_source(text).errors


def test_an_error_in_a_lemma_leaves_the_others() -> None:
    result = parse_source("lemma a : 1 = 1\nlemma b 2 = 2\ntheorem c : 3 = 3\n")
    assert [getattr(each, "name", "") for each in result.program.items] == ["a", "c"]
    assert len(result.errors) == 1


def test_lemmas_are_laid_out() -> None:
    text = "lemma   a :  forall(x : R).  x >= x\n  using b ,c\n"
    assert format_source(text) == "lemma a : ∀(x : R). x ≥ x\n    using b, c\n"
