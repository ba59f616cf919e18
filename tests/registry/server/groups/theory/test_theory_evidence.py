"""Evidence over MCP: witnesses as fields and as text, reasons in words, limits of time and effort."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.servers.theory_client import TheoryClient, theory_client


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheoryClient]:
    with theory_client(tmp_path_factory.mktemp("theory") / "home") as client:
        yield client


def test_a_witness_is_a_field_and_in_the_text(server: TheoryClient) -> None:
    reply = server.reply("evaluate", expression="∃(x : ℝ). x * x = 2 ∧ x > 0")
    assert reply.structured["verified"] is True
    assert reply.structured["witness"] == "x = √2"
    assert reply.structured["witness_bindings"] == [{"variable": "x", "value": "√2", "type": "ℝ"}]
    assert "witness: x = √2" in reply.text.splitlines()


def test_no_witness_is_said(server: TheoryClient) -> None:
    fields = server.ask("evaluate", expression="∃(f : ℤ → ℤ → ℤ). f(0, 0) = 1")
    assert (fields["verified"], fields["witness"], fields["witness_bindings"]) == (True, None, [])
    assert fields["message"] == "no value is known that makes it true: it was proved without one"


def test_a_disproved_existence_says_why(server: TheoryClient) -> None:
    fields = server.ask("evaluate", expression="∃(x : ℤ). x * x = 50")
    assert fields["verified"] is False
    assert fields["message"].startswith("no x makes it true: ∀(x : ℤ)")


def test_unknown_says_why_and_what_to_try(server: TheoryClient) -> None:
    fields = server.ask("evaluate", expression="∀(x y z : ℤ). x*x*x + y*y*y + z*z*z ≠ 33")
    assert fields["status"] == "unknown"
    assert fields["message"] == "neither a proof nor a counterexample was found within the budget"
    assert "effort: 4" in fields["hint"]


def test_time_is_a_reason(server: TheoryClient) -> None:
    fields = server.ask("evaluate", expression="∀(x y z : ℤ). x*x*x + y*y*y + z*z*z ≠ 34", timeout_ms=1)
    assert (fields["status"], fields["reason"]) == ("unknown", "killed")
    assert fields["message"] == "stopped after 0.001 s"


def test_effort_is_taken_and_bounded(server: TheoryClient) -> None:
    assert server.ask("evaluate", expression="∀(x : ℤ). x + 0 = x", effort=3)["verified"] is True
    refused = server.reply("evaluate", expression="1 = 1", effort=101)
    assert refused.is_error
    assert "effort" in refused.text
