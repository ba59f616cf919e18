"""The table of built-in operations: the examples of every row, and conditions of definedness against what the row
computes.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kleis.budget import STANDARD_BUDGET
from kleis.builtins import BUILTINS, Builtin, builtin_arities, find_builtin
from kleis.builtins.row import RECOVERABLE
from kleis.errors import EvaluationError
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Call, Name, Program
from kleis.values import BitVector, Data, SetValue, Value, list_of
from tests.support.theories.running import refusal, value

EXAMPLES = [
    pytest.param(builtin, *pair, id=f"{builtin.name}-{index}")
    for builtin in BUILTINS
    for index, pair in enumerate(builtin.examples)
]
PARTIAL = [builtin for builtin in BUILTINS if builtin.condition is not None]


@pytest.mark.parametrize(("builtin", "source", "expected"), EXAMPLES)
def test_every_example_holds(builtin: Builtin, source: str, expected: str) -> None:
    if expected == "undefined":
        assert refusal(source).code in {*RECOVERABLE, "file"}
    else:
        assert value(f"({source}) = ({expected})") == "true"


@pytest.mark.parametrize("builtin", BUILTINS, ids=lambda builtin: builtin.name)
def test_every_row_is_complete(builtin: Builtin) -> None:
    assert builtin.examples
    assert builtin.doc
    assert builtin.result
    assert builtin.tier in {f"T{number}" for number in range(12)}
    assert [each.optional for each in builtin.parameters] == sorted(
        each.optional for each in builtin.parameters
    )
    assert all(find_builtin(name) is builtin for name in (builtin.name, *builtin.aliases))


def test_a_partial_row_shows_where_it_is_undefined_and_no_total_one_does() -> None:
    unshown = [each.name for each in PARTIAL if "undefined" not in {want for _, want in each.examples}]
    # These are undefined only for indexes and sizes out of range; the property below covers them.
    assert {"set_element", "set_row", "set_col", "set_diag", "matrix_row", "matrix_col"} >= set(unshown) - {
        "ones", "vstack", "hstack", "prepend_row", "append_row", "prepend_col", "append_col", "assemble_matrix",
        "matrix_sub",
    }  # fmt: skip


SPECIFIED = """
    plus minus times mul divide div mod negate eq equals neq lt less_than le leq less_or_equal gt greater_than ge
    geq greater_or_equal logical_and logical_or logical_not out show print
    concat str_eq strlen hasPrefix hasSuffix contains indexOf substr substring charAt replace replaceAll intToStr
    int_to_str fromInt intToString builtin_intToStr strToInt str_to_int toInt builtin_strToInt trim trimLeft
    trimRight isAscii isDigits isAlpha isAlphaNum splitLines countLines nthLine foldLines readFile
    Cons cons Nil nil head car tail cdr isEmpty isNil builtin_isEmpty length nth index list_nth list_length list_map
    map builtin_map list_filter filter builtin_filter all builtin_all any builtin_any list_fold foldl builtin_foldl
    foldr builtin_foldr list_flatmap flatmap concat_map builtin_flatmap list_zip zip builtin_zip fst first snd
    second list_concat list_append append builtin_append list_flatten list_join list_slice list_rotate reverse
    builtin_reverse sum builtin_sum product builtin_product range linspace random random_uniform random_normal
    vec_add apply_lambda sin cos tan sinh cosh tanh asin arcsin acos arccos atan arctan asinh arcsinh acosh arccosh
    atanh arctanh atan2 arctan2 sqrt exp exp2 log10 log2 ln log pow power abs fabs floor ceil ceiling round trunc
    truncate frac fract sign signum fmod remainder min max hypot deg_to_rad radians pi e tau
    complex_add cadd complex_sub csub complex_mul cmul complex_conj conj conjugate complex_abs_squared abs_sq Re re
    real_part real Im im imag_part imag matrix eye identity zeros ones diag_matrix diagonal matrix_add matrix_sub
    multiply matmul builtin_matrix_mul scalar_matrix_mul transpose trace det size shape dims nrows num_rows ncols
    num_cols matrix_get element matrix_row row matrix_col col matrix_diag diag set_element set set_row set_col
    set_diag vstack append_rows hstack append_cols prepend_row append_row prepend_col append_col assemble_matrix
    assemble_vector in_set set_member member union set_union intersect intersection set_intersect difference
    set_difference set_diff complement subset singleton insert set_add remove set_del proper_subset empty_set
    bvand bvor bvxor bvnot bvadd bvsub bvmul bvneg bvudiv bvsdiv bvurem bvshl bvlshr bvashr bvult bvule bvslt bvsle
    matches matchesRegex str_in_re re_literal re_str str_to_re re_range re_star re_plus re_option re_opt re_concat
    re_union re_intersect re_inter re_complement re_comp re_full re_all re_empty re_none re_allchar re_any re_loop
    typst_raw export_typst export_typst_fragment table_typst table_typst_raw render_to_typst record field
"""


def test_names_of_the_specification() -> None:
    """Every spelling of the families that tiers T0 to T9 cover is a row."""
    assert [name for name in SPECIFIED.split() if find_builtin(name) is None] == []


def test_arities_for_name_checks() -> None:
    arities = builtin_arities()
    assert arities["plus"] == (2, 2)
    assert arities["range"] == (1, 2)
    assert arities["concat"] == (1, None)


# ── Conditions of definedness ────────────────────────────────────────────────────────────────────────────────

whole = st.integers(-4, 4)
rational = st.fractions(-4, 4, max_denominator=3).map(lambda f: f.numerator if f.denominator == 1 else f)
lists = st.lists(whole, max_size=3).map(list_of)
matrices = st.tuples(st.integers(1, 3), st.integers(1, 3)).flatmap(
    lambda size: st.lists(whole, min_size=size[0] * size[1], max_size=size[0] * size[1]).map(
        lambda entries: Data("Matrix", (*size, list_of(entries)))
    )
)
BY_SORT: dict[str, st.SearchStrategy[Value]] = {
    "ℤ": whole,
    "ℚ": rational,
    "ℝ": rational,
    "ℂ": rational,
    "ℂ|Matrix": rational,
    "Any": whole,
    "String": st.sampled_from(["", "a", "x"]),
    "List": lists,
    "Matrix": matrices,
    "Set": st.builds(SetValue, st.just({}), st.booleans()),
    "BitVec": st.builds(lambda width: BitVector(width, 1), st.integers(1, 5)),
    "Record": st.just(Data("record", (Data("field", ("x", 1)),))),
}
SPECIAL = {"table_typst", "table_typst_raw"}
EMPTY = environment_of(Program(()))


@pytest.mark.parametrize("builtin", [b for b in PARTIAL if b.name not in SPECIAL], ids=lambda b: b.name)
@settings(deadline=None)
@given(data=st.data())
def test_a_row_is_defined_exactly_where_its_condition_holds(builtin: Builtin, data: st.DataObject) -> None:
    scope = EMPTY
    for parameter in builtin.parameters:
        scope = scope.bind(parameter.name, data.draw(BY_SORT[parameter.sort], label=parameter.name))
    assert builtin.condition is not None
    holds = evaluate(parse_expression(builtin.condition), scope, STANDARD_BUDGET).value
    assert isinstance(holds, bool)
    call = Call(builtin.name, tuple(Name(parameter.name) for parameter in builtin.parameters))
    if holds:
        evaluate(call, scope, STANDARD_BUDGET)
    else:
        with pytest.raises(EvaluationError) as caught:
            evaluate(call, scope, STANDARD_BUDGET)
        assert caught.value.code in RECOVERABLE
