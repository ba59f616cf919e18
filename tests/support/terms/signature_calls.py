"""Calls of every built-in that has signatures, values of ground sorts for them, and what rows and conditions give."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random

from kleis.budget import STANDARD_BUDGET
from kleis.builtins.matrix_shapes import constant, number_of
from kleis.builtins.row import Argument, Builtin, Context, CoreForm, Signature, Untyped, Waiting
from kleis.builtins.rows.table import BUILTINS, find_builtin
from kleis.core import (
    BOOL,
    COMPLEX,
    INTEGER,
    NATURAL,
    RATIONAL,
    REGEX,
    STRING,
    Basic,
    BitVec,
    FunctionOf,
    ListOf,
    MatrixOf,
    Numeric,
    RecordOf,
    SetOf,
    Sort,
    TupleOf,
)
from kleis.core.sort_operations import substitute_sort, variables_of
from kleis.evaluator.environment import environment_of
from kleis.evaluator.evaluate import evaluate
from kleis.syntax.parser.parser import parse_expression
from kleis.syntax.tree import Program
from kleis.values import (
    BitVector,
    Complex,
    Data,
    FunctionValue,
    ListValue,
    Regex,
    SetValue,
    Value,
    equality_key,
    list_of,
)

EMPTY = environment_of(Program(()))

CONTEXT = Context(STANDARD_BUDGET)

ANY = Argument(None)


def of(sort: Sort, literal: int | str | None = None, shape: tuple[int, ...] | None = None) -> Argument:
    return Argument(sort, literal, shape)


def matrix(rows: int, columns: int, element: Sort = INTEGER) -> Sort:
    return MatrixOf(constant(rows), constant(columns), element)


WORD = of(BitVec(4))
TWO, ONE = of(NATURAL, 2), of(NATURAL, 1)
INT = of(INTEGER)
M23, M32, M22, M12 = (of(matrix(*size)) for size in ((2, 3), (3, 2), (2, 2), (1, 2)))
WRITTEN = of(ListOf(ListOf(NATURAL)), shape=(2, 2))
ROW2, ROW3 = of(ListOf(NATURAL), shape=(2,)), of(ListOf(RATIONAL))
RECORD = of(RecordOf((("x", INTEGER), ("y", STRING))))
PAIR, TRIPLE = of(TupleOf((INTEGER, STRING))), of(TupleOf((BOOL, INTEGER, STRING)))
REGULAR, TEXT = of(REGEX), of(STRING)
CHANGED_ROW = [(M23, INT, ROW3), (WRITTEN, INT, ROW2)]

_ARITHMETIC = [(ANY, ANY), (M22, WRITTEN), (WRITTEN, M22)]
_WORDS = [(WORD, WORD), (WORD, INT), (INT, WORD), (WORD, of(NATURAL, 7)), (ANY, WORD)]
_ONE_MATRIX = [(M23,), (M22,), (WRITTEN,), (of(matrix(0, 2)),), (of(matrix(2, 0)),)]
_ONE_SQUARE = [
    (M22,),
    (WRITTEN,),
    (of(matrix(3, 3, COMPLEX)),),
    (of(matrix(0, 0)),),
    (of(matrix(2, 2, NATURAL)),),
]

CALLS: dict[str, list[tuple[Argument, ...]]] = {
    "plus": [*_ARITHMETIC, (M23, ANY), (of(matrix(2, 2, COMPLEX)), M22)],
    "minus": _ARITHMETIC,
    "times": [(ANY, ANY), (M23, M32), (TWO, M23), (M23, of(RATIONAL)), (WRITTEN, M23)],
    "multiply": [(ANY, ANY), (M23, M32), (TWO, M23), (M23, of(COMPLEX))],
    "negate": [(ANY,), (M23,), (WRITTEN,)],
    "power": [(ANY, ANY), (ANY, TWO)],
    "fst": [(PAIR,), (TRIPLE,)],
    "snd": [(PAIR,), (TRIPLE,)],
    "has_field": [(RECORD, TEXT), (RECORD, of(STRING, "z"))],
    "field_names": [(RECORD,)],
    "get_field": [(RECORD, of(STRING, "x")), (RECORD, of(STRING, "y"))],
    "set_field": [
        (RECORD, of(STRING, "x"), of(RATIONAL)),
        (RECORD, of(STRING, "x"), of(BOOL)),
        (RECORD, of(STRING, "w"), of(BOOL)),
        (RECORD, of(STRING, "y"), ANY),
    ],
    "bv": [(INT, of(NATURAL, 4)), (ANY, ONE)],
    **{name: [(WORD,), (of(BitVec(1)),)] for name in ("bv_to_int", "bv_to_signed", "bvwidth", "bvnot", "bvneg")},
    **{name: [(), (of(NATURAL, 3),)] for name in ("bvzero", "bvones", "bvone")},
    **{each.name: _WORDS for each in BUILTINS if each.parameters and each.parameters[0].sort == "BitVec|ℤ"},
    "extract": [(TWO, ONE, WORD), (TWO, TWO, WORD)],
    "bvconcat": [(WORD, of(BitVec(3)))],
    "zext": [(TWO, WORD), (of(NATURAL, 0), WORD)],
    "sext": [(TWO, WORD), (of(NATURAL, 0), WORD)],
    "matches": [(TEXT, REGULAR), (TEXT, TEXT)],
    "re_range": [(TEXT, TEXT), (of(STRING, "a"), of(STRING, "bc"))],
    "re_loop": [(REGULAR, INT, INT), (TEXT, ONE, TWO)],
    "re_concat": [(REGULAR, TEXT), (TEXT, TEXT, REGULAR)],
    "re_union": [(REGULAR, TEXT), (TEXT, TEXT, REGULAR)],
    "re_intersect": [(REGULAR, TEXT), (TEXT, TEXT, REGULAR)],
    "re_star": [(REGULAR,), (TEXT,)],
    "matrix_add": [(M23, M23), (M22, WRITTEN), (ANY, M23)],
    "matrix_sub": [(M23, M23), (M22, WRITTEN), (of(matrix(2, 2, NATURAL)), WRITTEN)],
    "scalar_matrix_mul": [(TWO, M23), (of(COMPLEX), WRITTEN), (ANY, M22)],
    "Matrix": [(TWO, ONE, of(ListOf(RATIONAL)))],
    "eye": [(TWO,), (of(NATURAL, 0),)],
    **{name: [(TWO,), (ONE, TWO), (of(NATURAL, 0), TWO)] for name in ("zeros", "ones")},
    "diag_matrix": [(ROW2,)],
    **dict.fromkeys(("matrix", "transpose", "dagger", "size", "nrows", "ncols", "matrix_diag"), _ONE_MATRIX),
    **dict.fromkeys(("trace", "det"), _ONE_SQUARE),
    "matrix_get": [(M23, INT, INT), (WRITTEN, INT, INT)],
    "matrix_row": [(M23, INT), (WRITTEN, INT)],
    "matrix_col": [(M23, INT), (WRITTEN, INT)],
    "set_element": [(M23, INT, INT, of(RATIONAL)), (WRITTEN, INT, INT, ANY)],
    "set_row": CHANGED_ROW,
    "set_col": CHANGED_ROW,
    "set_diag": [(M23, ROW3), (WRITTEN, ANY)],
    "prepend_row": [(ROW3, M23), (ROW2, WRITTEN)],
    "append_row": [(M23, ROW3), (WRITTEN, ROW2)],
    "prepend_col": [(ROW3, M23), (ROW2, WRITTEN)],
    "append_col": [(M23, ROW3), (WRITTEN, ROW2)],
    "vstack": [(M22, M12), (WRITTEN, M12)],
    "hstack": [(M22, M23), (WRITTEN, M22)],
    "assemble_matrix": [(M22, M23, M12, of(matrix(1, 3))), (WRITTEN, WRITTEN, M22, M22)],
}  # fmt: skip
"""The calls of rows whose signatures depend on the arguments; of other rows the sorts are left open."""

TYPED = tuple(row for row in BUILTINS if not isinstance(row.signature, CoreForm | Untyped))

_INSTANCES: tuple[dict[str, Sort], ...] = (
    {"a": INTEGER, "b": STRING, "a1": INTEGER, "a2": BOOL, "a3": STRING},
    {"a": BOOL, "b": ListOf(NATURAL), "a1": STRING, "a2": INTEGER, "a3": BOOL},
)


def calls_of(row: Builtin) -> list[tuple[Argument, ...]]:
    """The calls of a row that are tried."""
    if row.name in CALLS:
        return CALLS[row.name]
    most = row.least + 2 if row.most is None else row.most
    return [(ANY,) * count for count in range(row.least, most + 1)]


def ground_signatures(row: Builtin) -> Iterator[tuple[Signature, tuple[Argument, ...]]]:
    """The signatures of a row with their sort variables replaced, each with the arguments of its call."""
    for arguments in calls_of(row):
        found = row.signatures(arguments)
        assert not isinstance(found, Waiting), (row.name, arguments)
        assert found, (row.name, arguments)
        for each in found:
            mentioned = set().union(*(variables_of(sort) for sort in (*each.parameters, each.result)))
            for instance in _INSTANCES if mentioned else _INSTANCES[:1]:
                yield (
                    Signature(
                        row=row,
                        parameters=tuple(substitute_sort(sort, instance) for sort in each.parameters),
                        result=substitute_sort(each.result, instance),
                        incomplete=each.incomplete,
                        condition=each.condition,
                    ),
                    arguments,
                )


# ── Values ───────────────────────────────────────────────────────────────────────────────────────────────────

_NUMBERS: dict[str, tuple[Value, ...]] = {
    "ℕ": (0, 1, 2, 5),
    "ℤ": (-3, -1, 0, 1, 2),
    "ℚ": (Fraction(-5, 2), -1, 0, Fraction(1, 3), 2),
    "ℝ": (Fraction(-5, 2), -1, 0, Fraction(1, 3), 1, 4),
    "ℂ": (Complex(1, -2), Complex(0, 1), -1, 0, Fraction(1, 2)),
}


def _regexes() -> tuple[Value, ...]:
    literal, star = find_builtin("re_literal"), find_builtin("re_star")
    assert literal is not None
    assert star is not None
    return literal.run(CONTEXT, "ab"), star.run(CONTEXT, "a")


def values_of(sort: Sort, argument: Argument, random: Random) -> tuple[Value, ...]:
    """Some values of a ground sort; of an argument that is written, what is written."""
    if argument.literal is not None:
        return (argument.literal,)
    match sort:
        case Numeric(name=name):
            return _NUMBERS[name]
        case Basic(name="Bool"):
            return (True, False)
        case Basic(name="String"):
            return ("", "a", "ab", " 12", "x\ny")
        case Basic(name="Regex"):
            return _regexes()
        case BitVec(width=width):
            return tuple({BitVector(width, bits % (1 << width)): None for bits in (0, 1, 5, 9, 15)})
        case ListOf(element=element):
            return _lists(element, argument, random)
        case SetOf(element=element):
            members = {equality_key(each, CONTEXT): each for each in values_of(element, ANY, random)[:2]}
            return SetValue({}), SetValue(members), SetValue(members, True)
        case TupleOf(items=items):
            name = ("", "", "Pair", "Tuple3")[len(items)]
            return tuple(Data(name, _each(items, random)) for _ in range(3))
        case RecordOf(fields=fields):
            values = _each(tuple(each for _, each in fields), random)
            return (record(tuple(name for name, _ in fields), values),)
        case MatrixOf(rows=rows, columns=columns, element=element):
            height, width = number_of(rows), number_of(columns)
            assert height is not None
            assert width is not None
            entries = [_each((element,) * (height * width), random) for _ in range(3)]
            return tuple(Data("Matrix", (height, width, list_of(each))) for each in entries)
        case FunctionOf(domain=domain, codomain=codomain):
            return tuple(_function(domain, codomain, place, random) for place in range(3))
        case _:
            raise AssertionError(f"no values of {sort}")


def _each(sorts: tuple[Sort, ...], random: Random) -> tuple[Value, ...]:
    return tuple(random.choice(values_of(sort, ANY, random)) for sort in sorts)


def _lists(element: Sort, argument: Argument, random: Random) -> tuple[Value, ...]:
    if argument.shape is not None:
        inner = Argument(None, shape=argument.shape[1:] or None)
        lists = [[_any_of(element, inner, random) for _ in range(argument.shape[0])] for _ in range(3)]
        return tuple(map(list_of, lists))
    return tuple(list_of(_each((element,) * length, random)) for length in (0, 1, 2, 3))


def _any_of(sort: Sort, argument: Argument, random: Random) -> Value:
    return random.choice(values_of(sort, argument, random))


def record(names: tuple[str, ...], values: tuple[Value, ...]) -> Data:
    return Data("record", tuple(Data("field", pair) for pair in zip(names, values, strict=True)))


def _function(domain: tuple[Sort, ...], codomain: Sort, place: int, random: Random) -> FunctionValue:
    """A function that checks what it is given."""
    results = values_of(codomain, ANY, random)

    def call(*given: Value) -> Value:
        assert len(given) == len(domain)
        assert all(belongs(each, sort) for each, sort in zip(given, domain, strict=True)), (given, domain)
        return results[(place + len(repr(given))) % len(results)]

    return FunctionValue("f", len(domain), call)


def combinations(
    signature: Signature, arguments: tuple[Argument, ...], random: Random, most: int = 40
) -> list[tuple[Value, ...]]:
    """Arguments of the sorts of a signature; not all, if there are many."""
    pools = [
        values_of(sort, each, random) for sort, each in zip(signature.parameters, arguments, strict=True)
    ]
    every = list(product(*pools))
    return every if len(every) <= most else random.sample(every, most)


def belongs(value: Value, sort: Sort) -> bool:
    """Whether a value is of a ground sort.  A float is a real number."""
    match sort:
        case Numeric(name="ℕ"):
            return type(value) is int and value >= 0
        case Numeric(name="ℤ"):
            return type(value) is int
        case Numeric(name="ℚ"):
            return type(value) in (int, Fraction)
        case Numeric(name="ℝ"):
            return type(value) in (int, Fraction, float)
        case Numeric(name="ℂ"):
            return type(value) in (int, Fraction, float, Complex)
        case Basic(name=name):
            return type(value) is {"Bool": bool, "String": str, "Regex": Regex}[name]
        case BitVec(width=width):
            return isinstance(value, BitVector) and value.width == width
        case ListOf(element=element):
            return isinstance(value, ListValue) and all(belongs(each, element) for each in value)
        case SetOf(element=element):
            return isinstance(value, SetValue) and all(
                belongs(each, element) for each in value.members.values()
            )
        case TupleOf(items=items):
            return isinstance(value, Data) and _all_belong(value.fields, items)
        case RecordOf(fields=fields):
            return _is_record(value, dict(fields))
        case MatrixOf(rows=rows, columns=columns, element=element):
            if not (isinstance(value, Data) and value.constructor == "Matrix"):
                return False
            sizes = (number_of(rows), number_of(columns))
            return value.fields[:2] == sizes and belongs(value.fields[2], ListOf(element))
        case _:
            raise AssertionError(f"no values of {sort}")


def _all_belong(values: tuple[Value, ...], sorts: tuple[Sort, ...]) -> bool:
    return len(values) == len(sorts) and all(map(belongs, values, sorts))


def _is_record(value: Value, fields: dict[str, Sort]) -> bool:
    assert isinstance(value, Data)
    entries = {each.fields[0]: each.fields[1] for each in value.fields if isinstance(each, Data)}
    return entries.keys() == fields.keys() and all(
        belongs(entries[name], sort) for name, sort in fields.items()
    )


def run(row: Builtin, arguments: tuple[Value, ...]) -> Value:
    """What a row computes."""
    if not row.higher_order:
        return row.run(CONTEXT, *arguments)
    requests = row.run(CONTEXT, *arguments)
    answer = None
    while True:
        try:
            function, given = requests.send(answer)
        except StopIteration as stop:
            return stop.value
        assert isinstance(function, FunctionValue)
        answer = function.target(*given)


def holds(signature: Signature, arguments: tuple[Value, ...]) -> bool:
    """Whether the condition of a signature is true of arguments."""
    if signature.condition is None:
        return True
    scope = EMPTY
    for name, value in zip(signature.names, arguments, strict=True):
        scope = scope.bind(name, value)
    verdict = evaluate(parse_expression(signature.condition), scope, STANDARD_BUDGET).value
    assert isinstance(verdict, bool), (signature.condition, arguments)
    return verdict
