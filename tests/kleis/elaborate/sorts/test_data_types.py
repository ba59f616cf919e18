"""Which declarations of data types are accepted, and their instances at given arguments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleis.core import (
    BOOL,
    INTEGER,
    NATURAL,
    Carrier,
    Constructor,
    ConstructorField,
    DataSort,
    Dimension,
    FunctionOf,
    ListOf,
    MatrixOf,
    RecordOf,
    SetOf,
    Sort,
    SortVariable,
    TupleOf,
)
from kleis.core.goal import ElaborationError
from kleis.elaborate.elaborator import Elaborator
from kleis.elaborate.sorts.data_instances import instances
from kleis.elaborate.sorts.data_types import DataDeclaration, DataReport, check_data, with_parts
from kleis.elaborate.sorts.dimensions import normal_dimension
from kleis.problems import Place
from kleis.strongly_connected import components
from kleis.syntax.parser.parser import parse_expression, parse_program
from kleis.theory.theory import Theory

T = SortVariable("T")
U = SortVariable("U")


def of(name: str, *arguments: Sort | Dimension) -> DataSort:
    return DataSort(name, arguments)


def arrow(*sorts: Sort) -> Sort:
    return FunctionOf(sorts[:-1], sorts[-1])


def data(head: str, *variants: tuple[str, *tuple[Sort, ...]]) -> DataDeclaration:
    """``data("List(T)", ("Nil",), ("Cons", T, …))``"""
    name, _, inner = head.rstrip(")").partition("(")
    parameters = tuple(inner.split(", ")) if inner else ()
    sort = DataSort(name, tuple(SortVariable(each) for each in parameters))
    constructors = tuple(
        Constructor(made, tuple(ConstructorField("", field) for field in fields), sort)
        for made, *fields in variants
    )
    return DataDeclaration(name, parameters, constructors, Place("types.kleis", 3, 1))


def check(*declarations: DataDeclaration) -> DataReport:
    return check_data({each.name: each for each in declarations})


D = of("D")


@pytest.mark.parametrize(
    "field",
    [
        arrow(D, BOOL),
        arrow(INTEGER, D, BOOL),
        arrow(arrow(D, BOOL), BOOL),
        arrow(ListOf(D), INTEGER),
        SetOf(D),
        ListOf(SetOf(D)),
        TupleOf((INTEGER, arrow(D, D))),
        RecordOf((("f", arrow(D, INTEGER)),)),
        arrow(INTEGER, SetOf(D)),
        SetOf(TupleOf((D, D))),
    ],
)
def test_a_type_left_of_an_arrow_or_in_a_set_is_refused(field: Sort) -> None:
    report = check(data("D", ("Zero",), ("Make", field)))
    (problem,) = report.problems
    assert (problem.code, problem.severity, problem.line) == ("data_not_positive", "error", 3)
    assert problem.found == "D"
    assert problem.hint
    assert report.rejected == {"D"}
    assert report.groups == ()


@pytest.mark.parametrize(
    "field",
    [
        D,
        ListOf(D),
        TupleOf((D, INTEGER)),
        RecordOf((("left", D), ("right", D))),
        MatrixOf(Dimension((((), 2),)), Dimension((((), 2),)), D),
        arrow(BOOL, INTEGER),
        SetOf(INTEGER),
        Carrier("Widget", (D,)),
    ],
)
def test_finitely_many_parts_are_lawful(field: Sort) -> None:
    report = check(data("D", ("Zero",), ("Make", field)))
    assert report == DataReport((("D",),), (), frozenset(), frozenset())


def test_right_of_an_arrow_is_lawful_and_marked() -> None:
    report = check(data("D", ("Zero",), ("Limit", arrow(NATURAL, D))))
    assert report.problems == ()
    assert report.higher_order == {"D"}


def test_positivity_goes_through_parameters() -> None:
    predicate = data("F(T)", ("MkF", arrow(T, BOOL)))
    wrapped = data("G(T)", ("MkG", of("F", T)))
    phantom = data("P(T)", ("MkP",))
    stream = data("S(T)", ("MkS", arrow(NATURAL, T)))
    assert check(predicate, data("D", ("Zero",), ("Make", of("F", D)))).rejected == {"D"}
    assert check(predicate, wrapped, data("D", ("Zero",), ("Make", of("G", D)))).rejected == {"D"}
    assert check(predicate, data("D", ("Zero",), ("Make", of("F", INTEGER)))).problems == ()
    assert check(phantom, data("D", ("Zero",), ("Make", of("P", arrow(D, BOOL))))).problems == ()
    report = check(stream, data("D", ("Zero",), ("Make", of("S", D))))
    assert report.problems == ()
    assert report.higher_order == {"D"}


def test_a_twice_negative_parameter_is_not_strictly_positive() -> None:
    twice = data("F(T)", ("MkF", arrow(arrow(T, BOOL), BOOL)))
    assert check(twice, data("D", ("Zero",), ("Make", of("F", D)))).rejected == {"D"}


def test_mutual_recursion_is_checked_round_the_circle() -> None:
    left = data("A", ("MkA", arrow(of("B"), BOOL)), ("NoA",))
    right = data("B", ("MkB", of("A")))
    report = check(left, right, data("User", ("Use", of("A"))))
    assert [problem.found for problem in report.problems] == ["A"]
    assert report.rejected == {"A", "B", "User"}


def test_a_negative_use_of_an_earlier_type_is_lawful() -> None:
    report = check(data("Test", ("Make", arrow(of("Color"), BOOL))), data("Color", ("Red",), ("Blue",)))
    assert report.groups == (("Color",), ("Test",))


@pytest.mark.parametrize(
    "declarations",
    [
        (data("D", ("Make", D)),),
        (data("D", ("Make", D, INTEGER), ("Other", TupleOf((D, D)))),),
        (data("D", ("Make", arrow(NATURAL, D))),),
        (data("D", ("Make", of("E"))), data("E", ("Made", D))),
        (data("Box(T)", ("MkBox", T)), data("D", ("Make", of("Box", D)))),
        (data("Two(T, U)", ("MkTwo", T, U)), data("D", ("Make", of("Two", INTEGER, D)))),
    ],
)
def test_a_type_without_a_first_value_is_refused(declarations: tuple[DataDeclaration, ...]) -> None:
    report = check(*declarations)
    assert {problem.code for problem in report.problems} == {"data_without_base"}
    assert "D" in report.rejected
    assert all(problem.hint for problem in report.problems)


@pytest.mark.parametrize(
    "declarations",
    [
        (data("D", ("Make", ListOf(D))),),
        (data("Either(T, U)", ("Left", T), ("Right", U)), data("D", ("Make", of("Either", INTEGER, D)))),
        (data("Option(T)", ("None",), ("Some", T)), data("D", ("Make", of("Option", D)))),
        (data("D", ("Make", of("E"))), data("E", ("Made", D), ("End",))),
    ],
)
def test_a_base_case_may_lie_elsewhere(declarations: tuple[DataDeclaration, ...]) -> None:
    assert check(*declarations).problems == ()


_NAMES = ("A", "B", "E", "F")


def _sorts() -> st.SearchStrategy[Sort]:
    leaves = st.sampled_from([INTEGER, BOOL, T, *(of(name, T) for name in _NAMES)])
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(ListOf, inner),
            st.builds(SetOf, inner),
            st.builds(arrow, inner, inner),
            st.builds(of, st.sampled_from(_NAMES), inner),
        ),
        max_leaves=3,
    )


_VARIANTS = st.lists(st.lists(_sorts(), max_size=2), min_size=1, max_size=2)


@given(st.tuples(*(_VARIANTS for _ in _NAMES)))
def test_whether_a_type_is_lawful_depends_on_what_it_is_made_of(every: tuple[list[list[Sort]], ...]) -> None:
    declared = {
        name: data(f"{name}(T)", *((f"{name}{place}", *fields) for place, fields in enumerate(variants)))
        for name, variants in zip(_NAMES, every, strict=True)
    }
    whole = check_data(declared)
    for name in _NAMES:
        parts = with_parts([name], declared.get)
        alone = check_data(parts)
        assert alone.rejected == whole.rejected & parts.keys()
        assert alone.higher_order == whole.higher_order & parts.keys()
        found = {(each.code, each.found) for each in alone.problems}
        assert found == {(each.code, each.found) for each in whole.problems if each.found in parts}


def test_a_question_looks_at_no_other_data_types(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "data D = Zero | Make(left : D, right : E)\ndata E = One\n"
    others = "".join(f"data O{number} = Only{number}(part : D)\n" for number in range(20))
    elaborator = Elaborator(Theory().include(parse_program(text + others)))
    looked_at = set()
    read = elaborator.globals.data

    def data_of(name: str) -> DataDeclaration | None:
        looked_at.add(name)
        return read(name)

    monkeypatch.setattr(elaborator.globals, "data", data_of)
    elaborator.proposition(parse_expression("∀(x : D). x = x"))
    assert looked_at == {"D", "E"}


def test_groups_come_parts_before_wholes() -> None:
    report = check(
        data("Program", ("Run", ListOf(of("Statement")))),
        data("Statement", ("Do", of("Expression")), ("Block", ListOf(of("Statement")))),
        data("Expression", ("Number", INTEGER), ("Call", ListOf(of("Statement")))),
        data("Color", ("Red",)),
    )
    assert report.groups == (("Statement", "Expression"), ("Program",), ("Color",))


def test_instances_are_reached_and_marked() -> None:
    declarations = {
        "Option": data("Option(T)", ("None",), ("Some", T)),
        "Tree": data("Tree(T)", ("Leaf",), ("Node", T, ListOf(of("Tree", T)))),
        "Wrap": data("Wrap", ("MkWrap", of("Tree", BOOL))),
        "Unused": data("Unused", ("MkUnused",)),
    }
    found = instances([ListOf(of("Wrap")), of("Option", INTEGER)], declarations.get)
    assert [[each.sort for each in group] for group in found] == [
        [of("Tree", BOOL)],
        [of("Wrap")],
        [of("Option", INTEGER)],
    ]
    tree, wrap = found[0][0], found[1][0]
    assert [each.alone for each in tree.constructors] == [False, False]
    assert [each.alone for each in wrap.constructors] == [True]
    node = tree.constructors[1]
    assert node.sort == of("Tree", BOOL)
    assert node.fields == (ConstructorField("_0", BOOL), ConstructorField("_1", ListOf(of("Tree", BOOL))))


def test_dimensions_are_replaced() -> None:
    def dimension(*terms: tuple[tuple[str, ...], int]) -> Dimension:
        return normal_dimension(dict(terms))

    one_more = dimension((("n",), 1), ((), 1))
    declaration = data("Grid(n)", ("MkGrid", MatrixOf(one_more, dimension((("n", "n"), 1)), INTEGER)))
    (group,) = instances([of("Grid", dimension((("m",), 2)))], {"Grid": declaration}.get)
    assert group[0].constructors[0].fields[0].sort == MatrixOf(
        dimension((("m",), 2), ((), 1)), dimension((("m", "m"), 4)), INTEGER
    )
    (group,) = instances([of("Grid", dimension(((), 3)))], {"Grid": declaration}.get)
    assert group[0].constructors[0].fields[0].sort == MatrixOf(
        dimension(((), 4)), dimension(((), 9)), INTEGER
    )


@pytest.mark.parametrize("grown", [TupleOf((T, T)), ListOf(T), of("N", T)])
def test_infinite_families_are_refused_when_used(grown: Sort) -> None:
    declarations = {"N": data("N(T)", ("Zero",), ("Succ", of("N", grown)))}
    assert check(*declarations.values()).problems == ()
    assert instances([INTEGER], declarations.get) == ()
    with pytest.raises(ElaborationError) as caught:
        instances([of("N", INTEGER)], declarations.get)
    assert (caught.value.code, caught.value.line) == ("data_not_regular", 3)
    assert caught.value.hint


def test_a_parameter_may_be_permuted() -> None:
    declarations = {"Alt": data("Alt(T, U)", ("End",), ("More", T, of("Alt", U, T)))}
    (group,) = instances([of("Alt", INTEGER, BOOL)], declarations.get)
    assert {each.sort for each in group} == {of("Alt", INTEGER, BOOL), of("Alt", BOOL, INTEGER)}


def test_components_are_in_order_and_deep_graphs_are_no_trouble() -> None:
    assert components({"a": ["b"], "b": ["a", "c"], "c": [], "d": ["d"]}) == (("c",), ("a", "b"), ("d",))
    chain = {index: [index + 1] for index in range(5000)}
    assert components(chain)[0] == (4999,)
