"""The laws of decompositions, equations and transforms: invariants, never digits that a library once gave."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.theories.numerics import computed, needs_numeric, text
from tests.support.theories.running import example, value

pytestmark = needs_numeric

entries = st.integers(-9, 9)


def squares(size: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(entries, min_size=size, max_size=size), min_size=size, max_size=size)


square = st.integers(1, 4).flatmap(squares)
rectangle = st.tuples(st.integers(1, 4), st.integers(1, 4)).flatmap(
    lambda size: st.lists(
        st.lists(entries, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0]
    )
)
pairs = st.integers(1, 3).flatmap(lambda size: st.tuples(squares(size), squares(size)))
few = settings(max_examples=15, deadline=None)


def array(rows: Any) -> Any:
    import numpy

    return numpy.array(rows)


def near(left: Any, right: Any, scale: float = 100.0) -> bool:
    import numpy

    return bool(numpy.allclose(array(left), array(right), rtol=1e-9, atol=1e-11 * scale))


def complex_of(pair: Any) -> Any:
    return array(pair[0]) + 1j * array(pair[1])


@few
@given(square)
def test_an_eigenvector_is_stretched_by_its_eigenvalue(a: list[list[int]]) -> None:
    values, vectors = computed(f"eig({text(a)})")
    for stretch, vector in zip(values, vectors, strict=True):
        assert near(array(a) @ array(vector), stretch * array(vector), 1e3)
        assert math.isclose(abs(array(vector) @ array(vector).conj()), 1.0)
    alone = computed(f"eigenvalues({text(a)})")
    assert near(sum(alone), sum(a[i][i] for i in range(len(a))))


@few
@given(rectangle)
def test_singular_values_and_reduced_factors_multiply_back(a: list[list[int]]) -> None:
    u, s, vt = map(array, computed(f"svd({text(a)})"))
    k = len(s)
    assert near((u[:, :k] * s) @ vt[:k], a)
    assert near(u.T @ u, array([[float(i == j) for j in range(len(u))] for i in range(len(u))]))
    assert all(one >= other >= 0 for one, other in pairwise(s))
    assert near(computed(f"singular_values({text(a)})"), s)
    q, r = map(array, computed(f"qr({text(a)})"))
    assert near(q @ r, a)
    assert q.shape == (len(a), min(len(a), len(a[0])))


@few
@given(square)
def test_schur_vectors_are_orthogonal_and_triangularise(a: list[list[int]]) -> None:
    u, t, values = computed(f"schur({text(a)})")
    u, t = array(u), array(t)
    assert near(u @ t @ u.T, a)
    assert near(sum(values), t.trace())
    assert all(t[i, j] == 0 for i in range(len(t)) for j in range(i - 1))


@few
@given(square, st.lists(entries, min_size=4, max_size=4))
def test_what_solves_an_equation_solves_it(a: list[list[int]], b: list[int]) -> None:
    import numpy

    if abs(numpy.linalg.det(array(a))) < 0.5:
        return
    b = b[: len(a)]
    assert near(array(a) @ array(computed(f"solve({text(a)}, {text(b)})")), b, 1e4)
    assert near(array(a) @ array(computed(f"inv({text(a)})")), numpy.eye(len(a)), 1e4)
    assert near(computed(f"det_lapack({text(a)})"), float(computed(f"det({text(a)})")), 1e4)


def test_cholesky_and_the_exponential() -> None:
    lower = array(computed("cholesky([[4, 2, 0], [2, 5, 1], [0, 1, 3]])"))
    assert near(lower @ lower.T, [[4, 2, 0], [2, 5, 1], [0, 1, 3]])
    assert lower[0, 1] == lower[0, 2] == lower[1, 2] == 0
    turned = computed("expm([[0, 0 - 1], [1, 0]])")
    assert near(turned, [[math.cos(1), -math.sin(1)], [math.sin(1), math.cos(1)]])


def test_powers_are_exact_where_the_entries_are() -> None:
    assert value("mpow([[1, 1], [1, 0]], 90)").startswith("Matrix(2, 2, [4660046610375530309,")
    assert value("mpow([[x, 0], [0, 1]], 2)") == value("multiply([[x, 0], [0, 1]], [[x, 0], [0, 1]])")
    assert value("mpow([[1/2]], 3)") == "Matrix(1, 1, [1/8])"
    assert near(computed("mpow([[2, 1], [1, 1]], 0 - 2)"), [[2, -3], [-3, 5]])


def test_norms_are_those_of_operators() -> None:
    a = "[[1, 0 - 2], [3, 4]]"
    assert math.isclose(computed(f"norm({a})"), math.sqrt(30))
    assert computed(f'norm({a}, "1")') == 6
    assert computed(f'norm({a}, "inf")') == computed(f"norm({a}, inf)") == 7
    assert math.isclose(computed(f"norm({a}, 2)"), computed(f"singular_values({a})")[0])
    assert computed("norm([3, 4])") == 5
    assert math.isclose(computed("norm([[10^200, 10^200]])"), math.sqrt(2) * 1e200)
    assert computed("norm([[0, 0]])") == 0


def test_rank_and_condition() -> None:
    assert computed("rank([[1, 2], [2, 4]])") == 1
    assert value("cond([[0, 0], [0, 0]])") == "Inf"
    assert math.isclose(computed("cond([[4, 0], [0, 1/2]])"), 8)


@few
@given(squares(2), st.lists(entries, min_size=2, max_size=2))
def test_riccati_solutions_solve_their_equations(a: list[list[int]], b: list[int]) -> None:
    import numpy

    state, control = array(a), array([[each] for each in b])
    if numpy.linalg.matrix_rank(numpy.hstack([control, state @ control])) < 2:
        return
    arguments = f"{text(a)}, {text([[each] for each in b])}, eye(2), [[1]]"
    p = array(computed(f"care({arguments})"))
    residual = state.T @ p + p @ state - p @ control @ control.T @ p + numpy.eye(2)
    size = max(1.0, numpy.abs(p).max()) ** 2
    assert numpy.abs(residual).max() <= 1e-8 * size * max(1, numpy.abs(control).max()) ** 2
    gain, same = map(array, computed(f"lqr({arguments})"))
    assert near(gain, control.T @ p, size)
    assert near(same, p, size)
    assert (numpy.linalg.eigvals(state - control @ gain).real < 1e-6).all()
    gain, p = map(array, computed(f"dlqr({arguments})"))
    closed = state - control @ gain
    assert (numpy.abs(numpy.linalg.eigvals(closed)) < 1 + 1e-6).all()
    assert near(numpy.linalg.inv(array([[1.0]]) + control.T @ p @ control) @ control.T @ p @ state, gain, 1e4)


def test_a_discrete_equation_needs_no_inverse_of_a() -> None:
    assert near(computed("dare([[0, 0], [0, 0]], [[1], [0]], eye(2), [[1]])"), [[1, 0], [0, 1]])


# ── Complex matrices ─────────────────────────────────────────────────────────────────────────────────────────


@few
@given(pairs)
def test_complex_decompositions_are_those_of_a_plus_ib(c: tuple[list[list[int]], list[list[int]]]) -> None:
    import numpy

    written, matrix = text([list(c[0]), list(c[1])]), complex_of(c)
    values, vectors = computed(f"cmat_eig({written})")
    assert len(values) == len(matrix)
    for stretch, vector in zip(values, vectors, strict=True):
        assert near(matrix @ array(vector), stretch * array(vector), 1e3)
    u, t, diagonal = computed(f"cmat_schur({written})")
    u, t = complex_of(u), complex_of(t)
    assert near(u @ t @ u.conj().T, matrix)
    assert near(diagonal, t.diagonal(), 1e3)
    u, s, vh = computed(f"cmat_svd({written})")
    assert near((complex_of(u) * array(s)) @ complex_of(vh), matrix)
    q, r = computed(f"cmat_qr({written})")
    assert near(complex_of(q) @ complex_of(r), matrix)
    assert near(complex(*computed(f"cmat_det({written})")), numpy.linalg.det(matrix), 1e3)
    assert near(computed(f"cmat_norm({written})"), numpy.linalg.norm(matrix))


@few
@given(pairs, st.data())
def test_structural_operations_are_exact(
    c: tuple[list[list[int]], list[list[int]]], data: st.DataObject
) -> None:
    size = len(c[0])
    d = data.draw(st.tuples(squares(size), squares(size)))
    one, other = text([list(c[0]), list(c[1])]), text([list(d[0]), list(d[1])])
    for name, expected in (
        ("mul", complex_of(c) @ complex_of(d)),
        ("add", complex_of(c) + complex_of(d)),
        ("sub", complex_of(c) - complex_of(d)),
    ):
        assert "≈" not in value(f"cmat_{name}({one}, {other})")
        assert (complex_of(computed(f"cmat_{name}({one}, {other})")) == expected).all()
    assert (complex_of(computed(f"cmat_dagger({one})")) == complex_of(c).conj().T).all()
    assert value(f"complexify(realify({one}))") == value(f"cmat_add({one}, cmat_zero({size}, {size}))")
    assert value(f"cmat_mul({one}, cmat_eye({size}))") == value(f"cmat_conj(cmat_conj({one}))")
    assert complex(*computed(f"cmat_trace({one})")) == complex_of(c).trace()


def test_complex_equations() -> None:
    c = "[[[1, 2], [0, 1]], [[0, 1], [1, 0 - 1]]]"
    matrix = complex_of(computed(c))
    assert near(complex_of(computed(f"cmat_mul({c}, cmat_inv({c}))")), [[1, 0], [0, 1]])
    solution = complex_of(computed(f"cmat_solve({c}, [[[1], [2]], [[0], [1]]])"))
    assert near(matrix @ solution, [[1], [2 + 1j]])
    half_turn = computed(f"cmat_expm([[[0]], [[{math.pi}]]])")
    assert near(complex_of(half_turn), [[-1]])
    assert value(f"cmat_mpow({c}, 3)") == value(f"cmat_mul({c}, cmat_mul({c}, {c}))")


# ── Transforms ───────────────────────────────────────────────────────────────────────────────────────────────


@few
@given(st.lists(entries, min_size=1, max_size=12))
def test_fourier_transforms_invert_and_keep_energy(x: list[int]) -> None:
    found = computed(f"fft({text(x)})")
    assert near(found[0], sum(x))
    assert near(computed(f"ifft(fft({text(x)}))"), x)
    assert near(sum(abs(each) ** 2 for each in found), len(x) * sum(each * each for each in x), 1e3)
    assert near(computed(f"dft({text(x)})"), found)


def test_a_transform_of_complex_numbers() -> None:
    assert computed("fft([complex(0, 1), 0])") == [1j, 1j]
    assert computed("ifft([4, 0, 0, 0])") == [1, 1, 1, 1]


# ── Approximate ──────────────────────────────────────────────────────────────────────────────────────────────


def test_what_rests_on_doubles_says_so() -> None:
    result = example(
        'example "numbers" { assert(nth(eigenvalues([[2]]), 0) = 2) let r = rank(eye(2)) assert(r = 2) assert(1 + 1 = 2) '
        "let k = if r = 2 then 1 else 0 assert(k = 1) assert(rank(eye(2)) = 2) }"
    )
    assert [each.status for each in result.assertions] == ["passed"] * 5
    assert [each.approximate for each in result.assertions] == [True, True, False, True, True]


def test_a_constant_that_rests_on_doubles_stays_approximate() -> None:
    result = example('define r = rank(eye(2))\nexample "c" { assert(r = 2) assert(r = 2) }')
    assert [each.approximate for each in result.assertions] == [True, True]


@pytest.mark.parametrize("name", ["inv", "norm", "rank", "solve", "eigenvalues"])
def test_a_declaration_hides_what_is_computed(name: str) -> None:
    program = f"structure S {{ operation {name} : ℤ → ℤ }}"
    assert value(f"{name}(3)", program) == f"{name}(3)"
    assert value(f"{name}([[1]])", f"define {name}(a) = 7") == "7"


def test_functions_are_values() -> None:
    assert computed("map(det_lapack, [[[2]], [[3]]])") == [2, 3]
