"""The contract with clients of the original theory server, row by row.

One server for the module; every test has a session of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers.theory_client import TheoryClient, theory_client

MAGMA = "structure Bag(B) { operation (⊙) : B × B → B  axiom same : ∀(x : B). x ⊙ x = x }"
_numbers = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheoryClient]:
    with theory_client(tmp_path_factory.mktemp("theory") / "home") as client:
        yield client


@pytest.fixture
def session() -> str:
    return f"session_{next(_numbers)}"


def functions(server: TheoryClient, session: str) -> int:
    count = server.ask("describe_schema", session=session)["schema"]["stats"]["functions"]
    assert isinstance(count, int)
    return count


# Start.


def test_a_session_begins_with_the_prelude_and_without_items(server: TheoryClient, session: str) -> None:
    assert functions(server, session) > 0
    assert server.ask("list_session", session=session)["count"] == 0


# Submit.


def test_a_valid_structure_is_accepted_and_counted(server: TheoryClient, session: str) -> None:
    reply = server.reply("submit_structure", kleis=MAGMA, session=session)
    assert not reply.is_error
    answer = reply.structured
    assert (answer["status"], answer["accepted"], answer["stage"]) == ("consistent", True, "verify")
    assert answer["structures_added"] == ["Bag"]
    assert answer["functions_added"] == answer["data_types_added"] == []
    assert answer["axioms_verified"] == ["Bag::same"]
    assert answer["model"]["size"] >= 1
    assert {table["name"] for table in answer["model"]["tables"]} == {"⊙"}
    assert server.ask("list_session", session=session)["count"] == 1


def test_a_syntax_error_is_rejected_with_its_place(server: TheoryClient, session: str) -> None:
    reply = server.reply(
        "submit_structure", kleis="structure Broken(B) {\n  axiom a ∀(x : B). x = x }", session=session
    )
    assert reply.is_error
    assert (reply.structured["status"], reply.structured["accepted"]) == ("rejected", False)
    assert reply.structured["stage"] == "parse"
    assert reply.structured["error"].startswith("Parse error")
    assert reply.structured["problems"][0]["line"] == 2
    assert server.ask("list_session", session=session)["count"] == 0


def test_a_define_is_named(server: TheoryClient, session: str) -> None:
    answer = server.ask("submit_define", kleis="define twice(x : ℤ) : ℤ = x + x", session=session)
    assert answer["accepted"]
    assert answer["functions_added"] == ["twice"]


def test_a_data_type_is_named(server: TheoryClient, session: str) -> None:
    answer = server.ask("submit_data", kleis="data Light = On | Off", session=session)
    assert answer["accepted"]
    assert answer["data_types_added"] == ["Light"]


def test_three_in_a_row_are_three(server: TheoryClient, session: str) -> None:
    server.ask("submit_structure", kleis=MAGMA, session=session)
    server.ask("submit_define", kleis="define one() : ℤ = 1", session=session)
    answer = server.ask("submit_data", kleis="data Light = On | Off", session=session)
    assert answer["count"] == 3


# Try.


def test_a_trial_keeps_nothing(server: TheoryClient, session: str) -> None:
    before = functions(server, session)
    answer = server.ask("try_structure", kleis="define thrice(x : ℤ) : ℤ = 3 * x", session=session)
    assert answer["accepted"]
    assert answer["functions_added"] == ["thrice"]
    assert not answer["kept"]
    assert functions(server, session) == before
    assert server.ask("list_session", session=session)["count"] == 0


def test_an_invalid_trial_says_what_is_wrong(server: TheoryClient, session: str) -> None:
    reply = server.reply("try_structure", kleis="define thrice(x = 3", session=session)
    assert reply.is_error
    assert reply.structured["error"].startswith("Parse error")


# Evaluate.


def test_arithmetic_is_a_value(server: TheoryClient, session: str) -> None:
    reply = server.reply("evaluate", expression="2 + 3", session=session)
    assert reply.structured["result"] == reply.text == "5"
    assert "verified" not in reply.structured


def test_a_submitted_function_runs(server: TheoryClient, session: str) -> None:
    server.ask("submit_define", kleis="define answer(x : ℤ) : ℤ = x * 7", session=session)
    assert server.ask("evaluate", expression="answer(6)", session=session)["result"] == "42"


def test_broken_syntax_is_a_parse_error(server: TheoryClient, session: str) -> None:
    reply = server.reply("evaluate", expression="2 + + 3 (", session=session)
    assert reply.is_error
    assert "Parse error" in reply.structured["error"]
    assert reply.structured["problem"]["column"] > 1


def test_a_real_identity_is_verified(server: TheoryClient, session: str) -> None:
    answer = server.ask("evaluate", expression="∀(x : ℝ). x + 0 = x", session=session)
    assert answer["status"] == "verified"
    assert answer["verified"] is True
    assert answer["witness"] is None
    assert answer["witness_bindings"] == []


def test_an_unknown_function_is_no_crash(server: TheoryClient, session: str) -> None:
    answer = server.ask("evaluate", expression="nothing_of_that_name(3)", session=session)
    assert answer["status"] in ("value", "error")
    assert "nothing_of_that_name" in str(answer)


# Schema.


def test_the_schema_has_the_prelude_and_what_was_submitted(server: TheoryClient, session: str) -> None:
    server.ask("submit_structure", kleis=MAGMA, session=session)
    schema = server.ask("describe_schema", session=session)["schema"]
    assert schema["structures"][0]["name"] == "Bag"
    assert "Group" in [each["name"] for each in schema["structures"]]
    assert "pi" in [each["name"] for each in schema["functions"]]
    assert schema["session_history_count"] == 1
    assert schema["session_file"].endswith(f"{session}/session.kleis")


# Load and save.


def test_loading_begins_anew(server: TheoryClient, session: str) -> None:
    server.ask("submit_structure", kleis=MAGMA, session=session)
    assert not server.reply("load_theory", imports=["stdlib/prelude.kleis"], session=session).is_error
    assert server.ask("list_session", session=session)["count"] == 0
    assert functions(server, session) > 0


def test_loading_nothing_is_an_empty_universe(server: TheoryClient, session: str) -> None:
    server.ask("load_theory", imports=[], session=session)
    assert functions(server, session) == 0


def test_saving_writes_the_imports_and_the_functions(server: TheoryClient, session: str) -> None:
    server.ask("submit_define", kleis="define saved_one(x : ℤ) : ℤ = x + 1", session=session)
    answer = server.ask("save_theory", name="kept", session=session)
    text = Path(answer["path"]).read_text()
    assert 'import "stdlib/prelude.kleis"' in text
    assert "define saved_one(x : ℤ) : ℤ = x + 1" in text
    other = f"{session}_other"
    server.ask("load_theory", imports=["kept"], session=other)
    assert server.ask("evaluate", expression="saved_one(1)", session=other)["result"] == "2"


# Session list.


def test_an_empty_session_lists_nothing(server: TheoryClient, session: str) -> None:
    assert server.ask("list_session", session=session)["items"] == []


def test_the_order_is_kept_and_failures_are_not(server: TheoryClient, session: str) -> None:
    server.ask("submit_define", kleis="define first() : ℤ = 1", session=session)
    server.ask("submit_define", kleis="define broken( = 1", session=session)
    server.ask("submit_define", kleis="define second() : ℤ = 2", session=session)
    items = server.ask("list_session", session=session)["items"]
    assert [(each["number"], each["functions"]) for each in items] == [(1, ["first"]), (2, ["second"])]
    assert {each["status"] for each in items} == {"consistent"}
    everywhere = server.ask("list_session", session="*")["sessions"]
    assert {"session": session, "imports": ["stdlib/prelude.kleis"], "count": 2, "unknown": 0} in everywhere


@pytest.mark.parametrize("name", ["Grop", "Nothing"])
def test_a_name_that_nothing_declares_is_an_error(server: TheoryClient, session: str, name: str) -> None:
    for expression in (name, f"{name} ∧ true", f"{name}(1) = 2"):
        answer = server.reply("evaluate", expression=expression, session=session).structured
        assert (answer["status"], answer["problem"]["code"]) == ("error", "unknown-name"), answer


def test_a_forgotten_import_is_named(server: TheoryClient, session: str) -> None:
    answer = server.reply("evaluate", expression="isPrime(7)", session=session).structured
    assert 'load_theory with imports ["stdlib/number_theory.kleis"]' in answer["problem"]["hint"]


@pytest.mark.parametrize("name", ["Group", "x"])
def test_a_name_alone_claims_nothing(server: TheoryClient, session: str, name: str) -> None:
    """It was read as any truth value once, and "disproved"."""
    answer = server.ask("evaluate", expression=name, session=session)
    assert (answer["status"], answer["result"], answer["symbolic"]) == ("value", name, True)
    assert name in answer["warnings"][0]["message"]
    assert next(iter(answer)) == "warnings"
    assert server.ask("evaluate", expression=f"{name} ∧ true", session=session)["status"] == "disproved"
