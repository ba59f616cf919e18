"""Without the extra: each name says what it needs, the rest goes on, and nothing imports a library before it is used."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from kleis.builtins.numeric import extra
from kleis.builtins.rows.numeric_table import NUMERIC_ROWS
from kleis.builtins.rows.table import builtin_arities, find_builtin
from kleis.syntax.parser.parser import parse_program
from kleis.theory.name_check.check_names import check_names
from kleis.theory.theory import Theory
from tests.support.theories.running import example, refusal, value

_ARGUMENTS = {
    "solve": "[[2]], [1]",
    "fft": "[1, 2]",
    "ifft": "[1, 2]",
    "ode45": "λ t y . y, [1], [0, 1]",
    "roots": "[1, 1]",
    "care": "[[1]], [[1]], [[1]], [[1]]",
    "dare": "[[1]], [[1]], [[1]], [[1]]",
    "lqr": "[[1]], [[1]], [[1]], [[1]]",
    "dlqr": "[[1]], [[1]], [[1]], [[1]]",
    "cmat_solve": "[[[1]], [[0]]], [[[1]], [[0]]]",
}


@pytest.fixture
def without_libraries(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An interpreter in which the libraries of the extra cannot be imported."""
    for name in list(sys.modules):
        if name.partition(".")[0] in ("numpy", "scipy", "flint"):
            monkeypatch.delitem(sys.modules, name)
    for name in ("numpy", "scipy", "scipy.linalg", "scipy.integrate", "flint"):
        monkeypatch.setitem(sys.modules, name, None)
    extra.is_installed.cache_clear()
    yield
    extra.is_installed.cache_clear()


@pytest.mark.usefixtures("without_libraries")
@pytest.mark.parametrize("row", [each for each in NUMERIC_ROWS if each.needs], ids=lambda each: each.name)
def test_each_name_says_which_extra_it_needs(row: object) -> None:
    name = getattr(row, "name", "")
    given = _ARGUMENTS.get(name, "[[[1]], [[0]]]" if name.startswith("cmat_") else "[[1]]")
    error = refusal(f"{name}({given})")
    assert error.code == "needs_extra"
    assert name in error.message
    assert "extra numeric" in error.message
    assert "pip install 'pif-kleis[numeric]'" in error.hint


@pytest.mark.usefixtures("without_libraries")
def test_the_rest_of_the_file_goes_on() -> None:
    result = example(
        'example "mixed" { assert(1 = 1) out(eigenvalues([[1]])) assert(2 = 2) assert(inv([[1]]) = 1) }'
    )
    assert [each.status for each in result.assertions] == ["passed", "passed", "error"]
    assert result.error is not None
    assert "numpy" in result.error


@pytest.mark.usefixtures("without_libraries")
def test_what_is_exact_needs_nothing() -> None:
    assert value("mpow([[2]], 3)") == "Matrix(1, 1, [8])"
    assert value("cmat_trace(cmat_eye(2))") == "[2, 0]"
    assert value("ndarray_flatten(ndarray_reshape([1, 2], [2, 1]))") == "[1, 2]"
    assert value("interval(1 + 1)") == "[2, 2]"


@pytest.mark.usefixtures("without_libraries")
def test_the_check_of_names_warns() -> None:
    program = parse_program("define f(m) = eigenvalues(m)\ndefine g(m) = mpow(m, 2)")
    checked = check_names(program, Theory().include(program), builtin_arities())
    assert [(each.code, each.line) for each in checked] == [("needs-numeric", 1)]
    assert "numpy" in checked[0].message


def test_numbers_without_numeric_names_import_no_library() -> None:
    program = (
        "import sys; from tests.support.theories.running import value; value('sin(1) + det([[1, 2], [3, 4]])');"
        "print([name for name in ('numpy', 'scipy', 'flint', 'matplotlib') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_no_name_is_in_the_table_that_proofs_read() -> None:
    for row in NUMERIC_ROWS:
        for name in (row.name, *row.aliases):
            assert find_builtin(name) is None, name
