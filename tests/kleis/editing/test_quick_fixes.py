"""Quick fixes: the import that declares a name, and the name that was meant; an import is added where it parses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.editing.occurrences import Document
from kleis.editing.quick_fixes import fixes, import_edit
from kleis.editing.rename import replaced
from kleis.syntax import tree

LINE = 'import "a.kleis"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", LINE),
        ("define x = 1\n", LINE + "\ndefine x = 1\n"),
        ("\n\ndefine x = 1\n", LINE + "\n\ndefine x = 1\n"),
        ("\ufeffdefine x = 1\n", "\ufeff" + LINE + "\ndefine x = 1\n"),
        ("// about the file\n\ndefine x = 1\n", "// about the file\n\n" + LINE + "\ndefine x = 1\n"),
        ("// about x\ndefine x = 1\n", LINE + "\n// about x\ndefine x = 1\n"),
        ('import "b.kleis"\ndefine x = 1\n', 'import "b.kleis"\n' + LINE + "define x = 1\n"),
        ('import "b.kleis"  // why\n', 'import "b.kleis"  // why\n' + LINE),
        ('import "b.kleis"', 'import "b.kleis"\n' + LINE),
    ],
)
def test_an_import_is_added_after_the_others(text: str, expected: str) -> None:
    assert replaced(text, [import_edit(Document(text), "a.kleis")]) == expected


_LINES = st.sampled_from(
    ["", "// c", "/* c */", "/* c\n\nd */", 'import "b.kleis"', "define x = 1", "  ", "define ("]
)


@given(st.lists(_LINES, max_size=8).map("\n".join))
def test_an_import_that_is_added_is_read(text: str) -> None:
    after = Document(replaced(text, [import_edit(Document(text), "a.kleis")]))
    paths = [each.path for each in after.program.items if isinstance(each, tree.Import)]
    assert paths.count("a.kleis") == 1
    assert len(after.result.errors) == len(Document(text).result.errors)


def test_the_library_file_of_a_name_is_offered_and_the_nearest_name() -> None:
    text = "define f(n) = isPrime(n) + lenght(n)\n"
    document = Document(text)
    first = [*fixes(document, "isPrime", text.index("isPrime"), known=lambda: ["f"])]
    assert [each.title for each in first] == ['import "stdlib/number_theory.kleis"']
    second = [*fixes(document, "lenght", text.index("lenght"), known=lambda: ["length", "f"])]
    assert [each.title for each in second] == ["write length"]
    assert replaced(text, [second[0].change]) == text.replace("lenght", "length")


def test_a_file_of_the_project_comes_first_and_an_imported_one_not_at_all() -> None:
    document = Document('import "stdlib/number_theory.kleis"\ndefine f(n) = isPrime(n)\n')
    found = fixes(document, "isPrime", 0, known=list, elsewhere=lambda name: [f"my_{name}.kleis"])
    assert [each.title for each in found] == ['import "my_isPrime.kleis"']
