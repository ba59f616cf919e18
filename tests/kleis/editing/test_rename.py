"""Renaming changes no meaning: the renamed text is the old one with another name, or there is a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleis.editing.definitions import DeclaredAt
from kleis.editing.occurrences import Document
from kleis.editing.rename import Renaming, check_renameable, renamed, replaced
from kleis.errors import KleisError
from kleis.theory.theory import Theory

ROOT = Path(__file__).parents[3]


def rename(text: str, at: str, new: str, *, offset: int = 0, others: tuple[str, ...] = ()) -> list[str]:
    """The texts after the name that begins `at` is renamed: `text`, and others that see it."""
    files = [Document(each, f"{number}.kleis") for number, each in enumerate((text, *others))]
    document = files[0]
    occurrence = document.at(text.index(at) + offset)
    assert occurrence is not None, "a name stands there"
    theories = [Theory().include(document.program)]
    theories += [theories[0].include(each.program) for each in files[1:]]
    declared = [
        DeclaredAt(file, each)
        for file in files
        for each in file.declarations
        if occurrence.local < 0 and each.name == occurrence.name and each.space == occurrence.space
    ]
    asked = Renaming(document, occurrence, declared, files, theories)
    check_renameable(asked, may_change={each.file for each in files})
    changes = renamed(asked, new)
    return [replaced(each.text, changes.get(each.file, ())) for each in files]


@pytest.mark.parametrize(
    ("text", "at", "new", "expected"),
    [
        ("define f(x) = x + g(x)", "x)", "y", "define f(y) = y + g(y)"),
        ("define f(x) = x + (λ x . x)(x)", "x)", "y", "define f(y) = y + (λ x . x)(y)"),
        ("define f(x) = x² + x⁻¹", "x)", "y", "define f(y) = y² + y⁻¹"),
        ("define f(x) = g(x = x)", "x)", "y", "define f(y) = g(x = y)"),
        ("define f(x) = x\ndefine g(f) = f(f)\ndefine h = f(1)", "f(x", "k", "define k(x) = x\ndefine g(f) = f(f)\ndefine h = k(1)"),
        ("lemma a : ∃!(x : ℤ). x = 3", "x :", "y", "lemma a : ∃!(y : ℤ). y = 3"),
        ("data D = D(D) | E\ndefine f(d) = match d { D(x) => x | E => E }", "D =", "T",
         "data T = T(T) | E\ndefine f(d) = match d { T(x) => x | E => E }"),
        ("lemma a : 1 = 1\nlemma b : 2 = 2 using a", "a :", "c", "lemma c : 1 = 1\nlemma b : 2 = 2 using c"),
        ("example \"t\" { let a = 1; assert(a = 1); let a = a + 1; assert(a = 2) }", "a = 1;", "b",
         "example \"t\" { let b = 1; assert(b = 1); let a = b + 1; assert(a = 2) }"),
        ("structure S(T) { element e : T }\nexample \"t\" { assert(S::e = e) }", "S(T", "R",
         "structure R(T) { element e : T }\nexample \"t\" { assert(R::e = e) }"),
        ("structure S(T) { element u : T }\nexample \"t\" { assert(S::u = u) }", "u :", "one",
         "structure S(T) { element one : T }\nexample \"t\" { assert(S::one = one) }"),
    ],
)  # fmt: skip
def test_names_are_replaced_where_they_mean_the_same(text: str, at: str, new: str, expected: str) -> None:
    assert rename(text, at, new) == [expected]


def test_other_files_are_changed_too() -> None:
    after = rename("define f(x) = x\n", "f(x", "twice", others=("define g(x) = f(f(x))\n", "define h = 1\n"))
    assert after == ["define twice(x) = x\n", "define g(x) = twice(twice(x))\n", "define h = 1\n"]


@pytest.mark.parametrize(
    ("text", "at", "new", "why"),
    [
        ("define f(x) = x + g(y)", "x)", "y", "line 1"),  # captures a free name
        ("define f(x) = (λ y . x + y)(1)", "x)", "y", "line 1"),  # is captured
        ("define f(x, y) = x + y", "x,", "y", "line 1"),
        ("define f(x) = x\ndefine g(x) = x", "f(x", "g", "declared already"),
        ('define f(x) = x\nexample "t" { assert(q = f(q)) }', "f(x", "q", "nothing declares"),
        ("define f(x) = x\ndefine h(g) = f(g)", "f(x", "g", "line 2"),
        ("define f(x) = x", "f(x", "abs", "has a meaning"),
        ("define f(x) = x", "f(x", "plus", "has a meaning"),
        ("define f(x) = x", "f(x", "ℝ", "has a meaning"),
        ("define f(x) = x", "f(x", "2x", "is no name"),
        ("define f(x) = x", "f(x", "a b", "is no name"),
        ("define f(x) = x", "f(x", "", "is no name"),
        ("define f(x) = x", "x)", "if", "read differently"),
        (
            "define f(x) = match x { Z => 1 | n => n }\ndata N = Z | S(N)",
            "Z |",
            "z",
            "z",
        ),  # would become a variable
        ("define f(n) = 2ⁿ", "n)", "k", "exponent"),
        ("define f(x) = x + 1", "+", "p", "operator"),
        ("define f(x) = abs(x)", "abs", "p", "built in"),
        ("define f(x) = q", "q", "p", "nothing declares"),
        ("structure A(T) { element u : T }\nstructure B(T) { element u : T }", "u :", "v", "several places"),
        ("structure A(G) { element e : G }\nlemma a : ∀(x : G). x = x", "G)", "H", "carrier"),
        ("structure A(G) { element e : G }\nlemma a : ∀(x : H). x = x", "G)", "H", "carrier"),
        ("define f(x) = x\ndefine g( = f(1)", "f(x", "h", "does not parse"),
    ],
)
def test_what_would_change_a_meaning_is_refused(text: str, at: str, new: str, why: str) -> None:
    with pytest.raises(KleisError, match=why) as caught:
        rename(text, at, new)
    assert caught.value.code == "rename"
    assert caught.value.hint


def test_a_name_of_another_project_stays() -> None:
    document = Document("define f(x) = x\n", "library.kleis")
    occurrence = document.at(7)
    assert occurrence is not None
    asked = Renaming(document, occurrence, [DeclaredAt(document, document.declarations[0])])
    with pytest.raises(KleisError, match=r"declared in library\.kleis"):
        check_renameable(asked, may_change={"mine.kleis"})


@pytest.mark.parametrize("name", ["prelude", "lists", "groups", "text"])
def test_every_name_of_a_library_file_is_renamed_there_and_back_or_refused(name: str) -> None:
    found = sorted((ROOT / "stdlib" / "kleis").glob("*.kleis"))
    file = next((each for each in found if each.stem == name), found[len(name)])
    text = file.read_text()
    document = Document(text)
    done = 0
    names = {each.name: each for each in document.occurrences if each.declares}
    for occurrence in [*names.values()][:25]:
        try:
            (after,) = rename(text, text[occurrence.start :], "zz_new")
        except KleisError as error:
            assert error.code == "rename"
            continue
        again = Document(after)
        assert len(again.occurrences) == len(document.occurrences)
        (back,) = rename(after, "zz_new", text[occurrence.start : occurrence.end])
        assert back == text
        done += 1
    assert done > 0
