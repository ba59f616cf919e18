"""Exact rational and decimal numbers: against Python's own, on text of every kind, and laws that are tested only."""

from __future__ import annotations

import decimal
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from pif.language.budget import Budget
from pif.language.terms import Json
from pif.run.evaluate import Request, run
from tests.support.terms.hosted_evaluator import library_tools

TOOLS = library_tools()
BUDGET = Budget(fuel=2_000_000)

MODES = {
    "half even": decimal.ROUND_HALF_EVEN,
    "half up": decimal.ROUND_HALF_UP,
    "down": decimal.ROUND_DOWN,
    "up": decimal.ROUND_UP,
    "floor": decimal.ROUND_FLOOR,
    "ceiling": decimal.ROUND_CEILING,
}

EXACT = decimal.Context(prec=200)


def answer(name: str, *arguments: Json) -> dict[str, Any]:
    return run(Request(code={"app": [f"std.{name}", *map(written, arguments)]}), TOOLS, BUDGET)


def value(name: str, *arguments: Json) -> Any:
    given = answer(name, *arguments)
    assert given["type"] == "value", given
    return given["value"]


def written(data: Json) -> Json:
    """Data as a term."""
    if isinstance(data, dict):
        return {"record": {key: written(each) for key, each in data.items()}}
    return [written(each) for each in data] if isinstance(data, list) else data


def rational(number: Fraction) -> Json:
    return {"numerator": number.numerator, "denominator": number.denominator}


def of_decimal(number: Decimal) -> Json:
    """The record of a decimal number: as few places as it has, at least none."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    coefficient = int("".join(map(str, digits))) * (-1 if sign else 1)
    places = -exponent
    while coefficient % 10 == 0 and places > 0:
        coefficient, places = coefficient // 10, places - 1
    if places < 0:
        coefficient, places = coefficient * 10**-places, 0
    return {"coefficient": coefficient, "places": 0 if coefficient == 0 else places}


RANDOM = random.Random(20)
FRACTIONS = [Fraction(RANDOM.randint(-60, 60), RANDOM.randint(1, 24)) for _ in range(24)] + [
    Fraction(0),
    Fraction(-1),
    Fraction(10**40 + 1, 10**30 - 1),
]
DECIMALS = [Decimal(RANDOM.randint(-4000, 4000)).scaleb(-RANDOM.randint(0, 4)) for _ in range(24)] + [
    Decimal("0"), Decimal("-0.5"), Decimal("2.5"), Decimal("19.99"), Decimal("123456789012345678901234567890.125"),
]  # fmt: skip
PAIRS = list(zip(FRACTIONS, reversed(FRACTIONS), strict=True))
DECIMAL_PAIRS = list(zip(DECIMALS, reversed(DECIMALS), strict=True))


def compared(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def test_rationals_compute_as_fractions_do() -> None:
    for x, y in PAIRS:
        given = (rational(x), rational(y))
        assert value("rational.add", *given) == rational(x + y)
        assert value("rational.subtract", *given) == rational(x - y)
        assert value("rational.multiply", *given) == rational(x * y)
        assert value("rational.compare", *given) == compared(x, y)
        assert value("rational.less", *given) is (x < y)
        assert value("rational.atMost", *given) is (x <= y)
        assert value("rational.equal", *given) is (x == y)
        assert value("rational.negate", given[0]) == rational(-x)
        assert value("rational.absolute", given[0]) == rational(abs(x))
        if y:
            assert value("rational.divide", *given) == rational(x / y)
    assert value("rational.sum", [rational(each) for each in FRACTIONS]) == rational(
        sum(FRACTIONS, Fraction(0))
    )


def test_decimals_compute_as_decimals_do() -> None:
    for x, y in DECIMAL_PAIRS:
        given = (of_decimal(x), of_decimal(y))
        assert value("decimal.add", *given) == of_decimal(EXACT.add(x, y))
        assert value("decimal.subtract", *given) == of_decimal(EXACT.subtract(x, y))
        assert value("decimal.multiply", *given) == of_decimal(EXACT.multiply(x, y))
        assert value("decimal.compare", *given) == compared(x, y)
        assert value("decimal.less", *given) is (x < y)
        assert value("decimal.atMost", *given) is (x <= y)
        assert value("decimal.equal", *given) is (x == y)
        assert value("decimal.negate", given[0]) == of_decimal(x.copy_negate())
        assert value("decimal.toRational", given[0]) == rational(Fraction(x))
    total = sum(map(Fraction, DECIMALS), Fraction(0))
    assert value(
        "decimal.toRational", value("decimal.sum", [of_decimal(each) for each in DECIMALS])
    ) == rational(total)


@pytest.mark.parametrize("mode", MODES)
def test_rounding_is_that_of_the_decimal_arithmetic_standard(mode: str) -> None:
    for x, y in DECIMAL_PAIRS:
        for places in (-2, 0, 1, 3):
            unit = Decimal(1).scaleb(-places)
            rounded = x.quantize(unit, rounding=MODES[mode], context=EXACT)
            assert value("decimal.round", mode, places, of_decimal(x)) == of_decimal(rounded)
            again = value("decimal.round", mode, places, value("decimal.round", mode, places, of_decimal(x)))
            assert again == of_decimal(rounded), "rounding twice is rounding once"
            if y:
                quotient = exact_quotient(Fraction(x) / Fraction(y), places, mode)
                assert value("decimal.divide", mode, places, of_decimal(x), of_decimal(y)) == of_decimal(
                    quotient
                )
        assert value("rational.round", mode, rational(Fraction(x))) == int(
            x.to_integral_value(MODES[mode], EXACT)
        )
    for each in FRACTIONS:
        found = value("decimal.fromRational", mode, 2, rational(each))
        assert found == of_decimal(exact_quotient(each, 2, mode))


def exact_quotient(number: Fraction, places: int, mode: str) -> Decimal:
    """A fraction rounded to so many places, from its floor and its rest alone."""
    scaled = number * Fraction(10) ** places
    below = scaled.numerator // scaled.denominator
    rest = scaled - below
    up = {
        "floor": False,
        "ceiling": rest > 0,
        "down": rest > 0 and scaled < 0,
        "up": rest > 0 and scaled > 0,
        "half up": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and scaled > 0),
        "half even": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and below % 2 == 1),
    }[mode]
    return Decimal(below + up).scaleb(-places, EXACT)


def test_what_is_printed_is_read_back() -> None:
    for each in FRACTIONS:
        text = value("rational.print", rational(each))
        assert text == str(each)
        assert value("rational.parse", text) == [rational(each)]
    for number in DECIMALS:
        text = value("decimal.print", of_decimal(number))
        assert Decimal(text) == number
        assert value("decimal.parse", text) == [of_decimal(number)]
        assert value("rational.parse", text) == [rational(Fraction(number))]
        shown = value("decimal.format", "half even", 2, of_decimal(number))
        rounded = number.quantize(Decimal("0.01"), rounding=decimal.ROUND_HALF_EVEN, context=EXACT)
        assert shown == (f"{rounded:f}" if rounded else "0.00")


def test_money() -> None:
    price, vat = value("decimal.parse", "19.99")[0], value("decimal.parse", "0.19")[0]
    gross = value("decimal.add", price, value("decimal.multiply", price, vat))
    assert value("decimal.print", gross) == "23.7881"
    assert value("decimal.format", "half up", 2, gross) == "23.79"
    assert value("decimal.format", "half up", 2, value("decimal.fromInteger", 20)) == "20.00"


MALFORMED = [
    "", " ", "1.2.3", "--1", "-", ".", ".5", "5.", "1e3", "1,5", "0x10", "1 5", " 1", "1.-5", "1.5-", "+1", "½", "٣",
    "NaN", "inf", "1/", "/2", "1/0", "1/-2", "1/2/3", "1.5/2", "1//2", "-/2",
]  # fmt: skip


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_text_is_no_number(text: str) -> None:
    assert value("rational.parse", text) == []
    assert value("decimal.parse", text) == []


def test_numbers_that_are_too_large_are_errors_and_never_other_numbers() -> None:
    huge = "9" * 3000
    assert answer("decimal.parse", huge)["error"]["kind"] == "value_too_large"
    assert answer("rational.parse", f"1/{huge}")["error"]["kind"] == "value_too_large"
    tiny = {"coefficient": 1, "places": 10**9}
    assert answer("decimal.add", tiny, {"coefficient": 1, "places": 0})["error"]["kind"] == "value_too_large"
    assert value("decimal.of", 0, 10**9) == {"coefficient": 0, "places": 0}
    assert value("decimal.of", 10**400, 400) == {"coefficient": 1, "places": 0}


def test_zero_in_a_denominator_is_an_error_wherever_it_comes_from() -> None:
    bad, one = {"numerator": 1, "denominator": 0}, {"numerator": 1, "denominator": 1}
    zero = {"numerator": 0, "denominator": 1}
    for name, *given in (
        ("rational.of", 1, 0), ("rational.add", bad, one), ("rational.multiply", one, bad), ("rational.divide", one, zero),
        ("rational.compare", bad, one), ("rational.less", one, bad), ("rational.print", bad), ("rational.negate", bad),
        ("rational.absolute", bad), ("rational.round", "floor", bad), ("rounding.halfUp", 1, 0),
        ("decimal.divide", "floor", 2, {"coefficient": 1, "places": 0}, {"coefficient": 0, "places": 0}),
    ):  # fmt: skip
        assert answer(name, *given)["error"]["kind"] == "division_by_zero", name


def test_records_that_are_not_in_lowest_terms_count_for_their_value() -> None:
    half, odd_half = {"numerator": 1, "denominator": 2}, {"numerator": -2, "denominator": -4}
    assert value("rational.equal", half, odd_half) is True
    assert value("rational.less", {"numerator": 1, "denominator": -2}, half) is True
    assert value("rational.add", odd_half, odd_half) == {"numerator": 1, "denominator": 1}
    assert value("rational.print", odd_half) == "1/2"
    assert value("decimal.print", {"coefficient": 12, "places": -2}) == "1200"
    assert value("decimal.add", {"coefficient": 12, "places": -2}, {"coefficient": 50, "places": 2}) == {
        "coefficient": 12005, "places": 1,
    }  # fmt: skip


def test_a_mode_that_does_not_exist_is_an_error_that_names_those_that_do() -> None:
    error = answer("decimal.round", "nearest", 2, {"coefficient": 5, "places": 1})["error"]
    assert error["kind"] == "missing_key"
    assert "half even" in str(error)


def test_a_decimal_is_no_rational() -> None:
    error = answer("rational.add", {"coefficient": 5, "places": 1}, {"numerator": 1, "denominator": 2})[
        "error"
    ]
    assert error["kind"] == "missing_key"
