"""Numbers over MCP: a theory is instantiated and run, results are data with a shape, and long ones a summary with an address."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from kleis.sessions.numeric_data import data_fields
from tests.support.servers.theory_client import theory_client
from tests.support.theories.numerics import needs_numeric
from tests.support.theories.running import evaluation


@pytest.mark.parametrize(
    ("expression", "kind", "shape", "values"),
    [
        ("[1, 1/3, complex(0, 1)]", "vector", [3], [1, "1/3", {"re": 0, "im": 1}]),
        ("[2^60]", "vector", [1], [str(2**60)]),
        ("[[1, 2], [3, 4], [5, 6]]", "matrix", [3, 2], [[1, 2], [3, 4], [5, 6]]),
        ("Matrix(1, 2, [1, 2])", "matrix", [1, 2], [[1, 2]]),
        ("ndarray_reshape([1, 2], [2, 1])", "array", [2, 1], [1, 2]),
        ("[[0, [1, 2]], [1, [3, 4]]]", "trajectory", [2, 3], [[0, 1, 2], [1, 3, 4]]),
    ],
)
def test_values_are_data(expression: str, kind: str, shape: list[int], values: object) -> None:
    found = data_fields(evaluation(expression).value)
    assert found is not None
    assert (found["kind"], found["shape"], found["values"]) == (kind, shape, values)
    assert len(found["axes"]) == len(shape)


@pytest.mark.parametrize(
    "expression", ["1", "[]", '["a"]', "[[1], [2, 3]]", "[1, [2]]", "x", "[[0, [1]], [1, [2, 3]]]"]
)
def test_other_values_are_none(expression: str) -> None:
    assert data_fields(evaluation(expression).value) is None


@needs_numeric
def test_a_theory_is_instantiated_with_numbers_and_run(tmp_path: Path) -> None:
    with theory_client(tmp_path / "home") as server:
        added = server.ask(
            "submit_define", kleis="define oscillator(w) = λ t y . [nth(y, 1), 0 - w * w * nth(y, 0)]"
        )
        assert added["accepted"]
        short = server.ask("evaluate", expression="ode45(oscillator(2), [1, 0], [0, 1], 1/2)")
        assert short["approximate"]
        assert short["data"]["columns"] == ["t", "y1", "y2"]
        assert short["data"]["shape"] == [3, 3]
        assert len(short["data"]["values"]) == 3
        long = server.ask("evaluate", expression="ode45(oscillator(2), [1, 0], [0, 10], 1/20)")
        assert long["data"]["shape"] == [201, 3]
        assert "values" not in long["data"]
        assert long["data"]["summary"]["count"] == 603
        assert long["data"]["resource"] in long["result"]
        assert len(msgspec.json.encode(long)) < 3_000
        claim = server.ask("evaluate", expression="eigenvalues([[2]]) = [2]")
        assert claim["status"] == "value"
        assert claim["approximate"]
        wrong = server.reply("evaluate", expression="solve(eye(2), [1])")
        assert wrong.is_error
        assert "a list of 2 numbers" in wrong.structured["error"]
