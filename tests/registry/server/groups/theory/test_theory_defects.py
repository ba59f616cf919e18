"""What the original theory server got wrong, each as a test through the real client."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers.theory_client import TheoryClient, theory_client

PAIR = """structure Left(L) { operation (⊙) : L × L → L  element u : L
  axiom unit : ∀(x : L). u ⊙ x = x }"""
CLASH = "structure NoUnit(L) extends Left(L) { axiom never : ∀(x : L). u ⊙ x ≠ x }"
_numbers = itertools.count()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TheoryClient]:
    with theory_client(tmp_path_factory.mktemp("theory") / "home", more=True) as client:
        yield client


@pytest.fixture
def session() -> str:
    return f"session_{next(_numbers)}"


def count(server: TheoryClient, session: str) -> int:
    found = server.ask("list_session", session=session)["count"]
    assert isinstance(found, int)
    return found


# "Only parsing and loading happen. Contradictory axioms are accepted."


@pytest.mark.parametrize("tool", ["submit_structure", "try_structure"])
def test_contradictory_axioms_are_refused_by_name(server: TheoryClient, session: str, tool: str) -> None:
    server.ask("submit_structure", kleis=PAIR, session=session)
    reply = server.reply(tool, kleis=CLASH, session=session)
    assert reply.is_error
    assert reply.structured["status"] == "inconsistent"
    assert not reply.structured["accepted"]
    assert set(reply.structured["clash"]) == {"Left::unit", "NoUnit::never"}
    assert count(server, session) == 1
    answer = server.ask("evaluate", expression="∀(x : L). u ⊙ x = x", session=session)
    assert answer["status"] == "verified", "the session is as well as before"


def test_a_section_that_clashes_with_an_earlier_one_is_refused(server: TheoryClient, session: str) -> None:
    server.ask(
        "submit_structure",
        kleis="structure A { operation w : ℤ → ℤ  axiom up : ∀(x : ℤ). w(x) > x }",
        session=session,
    )
    answer = server.ask("submit_structure", kleis="structure B { axiom down : w(3) < 3 }", session=session)
    assert answer["status"] == "inconsistent"
    assert set(answer["clash"]) == {"A::up", "B::down"}


def test_a_section_that_empties_an_earlier_structure_is_refused(server: TheoryClient, session: str) -> None:
    server.ask(
        "submit_structure", kleis="structure A { operation w : ℤ → ℤ  axiom up : w(0) > 0 }", session=session
    )
    server.ask(
        "submit_structure",
        kleis="structure Low(T) { operation k : T → ℤ  axiom is : ∀(t : T). k(t) = w(7)  axiom low : ∀(t : T). k(t) < 9 }",
        session=session,
    )
    answer = server.ask("submit_structure", kleis="structure C { axiom seven : w(7) = 100 }", session=session)
    assert answer["status"] == "inconsistent"
    assert set(answer["clash"]) == {"Low::is", "Low::low", "C::seven"}


def test_a_redefinition_that_makes_axioms_clash_is_refused(server: TheoryClient, session: str) -> None:
    server.ask("submit_define", kleis="define most() : ℤ = 10", session=session)
    server.ask(
        "submit_structure",
        kleis="structure Sized(S) { operation size : S → ℤ  element big : S  axiom big : size(big) = 7  axiom cap : ∀(x : S). size(x) < most() }",
        session=session,
    )
    answer = server.ask("submit_define", kleis="define most() : ℤ = 5", session=session)
    assert answer["status"] == "inconsistent"
    assert server.ask("evaluate", expression="most()", session=session)["result"] == "10"


def test_a_definition_under_the_name_of_an_operation_is_warned_of(server: TheoryClient, session: str) -> None:
    server.ask(
        "submit_structure",
        kleis="structure A { operation w : ℤ → ℤ  axiom up : ∀(x : ℤ). w(x) > x }",
        session=session,
    )
    answer = server.ask("submit_define", kleis="define w(x : ℤ) : ℤ = x - 1", session=session)
    assert answer["accepted"]
    assert "the axioms there speak of the operation" in answer["warnings"][0]["message"]
    assert answer["axioms_verified"] == []


def test_a_definition_that_shadows_a_built_in_is_checked_against_earlier_axioms(
    server: TheoryClient, session: str
) -> None:
    server.ask(
        "submit_structure",
        kleis="structure Long(L) { operation size : L → ℤ  axiom some : ∃(x : L). size(x) = abs(0 - 3)"
        "  axiom three : ∀(x : L). size(x) = 3 }",
        session=session,
    )
    answer = server.ask("submit_define", kleis="define abs(x : ℤ) : ℤ = 0 - x * x", session=session)
    assert answer["status"] == "inconsistent"
    assert set(answer["clash"]) == {"Long::some", "Long::three"}


def test_an_implementation_that_is_no_model_is_refused(server: TheoryClient, session: str) -> None:
    server.ask("submit_structure", kleis=PAIR, session=session)
    wrong = "implements Left(ℤ) { operation (⊙)(a, b) = a * b  element u = 0 }"
    answer = server.ask("submit_structure", kleis=wrong, session=session)
    assert (answer["status"], answer["accepted"]) == ("rejected", False)
    assert "unit fails" in answer["error"]
    assert answer["counterexample"]["values"].keys() == {"x"}
    right = "implements Left(ℤ) { operation (⊙)(a, b) = a * b  element u = 1 }"
    assert server.ask("submit_structure", kleis=right, session=session)["axioms_verified"] == [
        "Left(ℤ)::unit"
    ]


def test_what_is_not_known_is_kept_with_a_warning_that_stays(server: TheoryClient, session: str) -> None:
    endless = "define endless(n : ℤ) : ℤ = endless(n + 1) + 1"
    answer = server.ask("submit_define", kleis=endless, session=session)
    assert (answer["status"], answer["accepted"]) == ("unknown", True)
    (item,) = server.ask("list_session", session=session)["items"]
    assert item["status"] == "unknown"
    assert "termination of endless is not shown" in item["warnings"][0]["message"]
    assert {"session": session, "imports": ["stdlib/prelude.kleis"], "count": 1, "unknown": 1} in server.ask(
        "list_session", session="*"
    )["sessions"]


# "There is no undo, so the session is dead until load_theory."


def test_undo_drops_the_last_submission(server: TheoryClient, session: str) -> None:
    server.ask("submit_define", kleis="define kept() : ℤ = 1", session=session)
    server.ask("submit_define", kleis="define dropped() : ℤ = 2", session=session)
    answer = server.ask("undo", session=session)
    assert answer["undone"]["functions"] == ["dropped"]
    assert answer["count"] == 1
    assert server.ask("submit_define", kleis="define dropped() : ℤ = 3", session=session)["accepted"]
    assert server.ask("evaluate", expression="dropped()", session=session)["result"] == "3"


def test_there_is_nothing_to_undo_in_an_empty_session(server: TheoryClient, session: str) -> None:
    reply = server.reply("undo", session=session)
    assert reply.is_error
    assert reply.structured["problem"]["code"] == "session-empty"


# "After a failed load_theory the file has already been overwritten."


@pytest.mark.parametrize("name", ["nowhere", "/etc/passwd", "../../../etc/passwd", "stdlib/nowhere", ""])
def test_a_failed_load_leaves_everything(server: TheoryClient, session: str, name: str) -> None:
    server.ask("submit_define", kleis="define still() : ℤ = 1", session=session)
    file = Path(server.ask("describe_schema", session=session)["schema"]["session_file"])
    before = file.read_bytes()
    reply = server.reply("load_theory", imports=["stdlib/prelude", name], session=session)
    assert reply.is_error
    assert file.read_bytes() == before
    assert server.ask("evaluate", expression="still()", session=session)["result"] == "1"
    assert server.ask("submit_define", kleis="define more() : ℤ = 2", session=session)["accepted"]


def test_a_saved_theory_that_clashes_is_not_loaded(server: TheoryClient, session: str) -> None:
    saved = server.home / "theories"
    saved.mkdir(parents=True, exist_ok=True)
    (saved / "clash.kleis").write_text(f"{PAIR}\n{CLASH}\n")
    server.ask("submit_define", kleis="define still() : ℤ = 1", session=session)
    answer = server.ask("load_theory", imports=["clash"], session=session)
    assert answer["status"] == "inconsistent"
    assert set(answer["clash"]) == {"Left::unit", "NoUnit::never"}
    assert server.ask("evaluate", expression="still()", session=session)["result"] == "1"


# "Resubmitting a structure is accepted but Z3 keeps the first."


def test_a_structure_twice_is_refused(server: TheoryClient, session: str) -> None:
    server.ask("submit_structure", kleis=PAIR, session=session)
    again = server.ask("submit_structure", kleis=PAIR, session=session)
    assert (again["status"], again["problems"][0]["code"]) == ("rejected", "declared-again")
    other = server.ask(
        "submit_structure", kleis="structure Left(L) { operation (⊙) : L × L → L }", session=session
    )
    assert (other["status"], other["problems"][0]["code"]) == ("rejected", "duplicate-declaration")
    assert count(server, session) == 1


def test_a_function_twice_is_replaced_and_said_to_be(server: TheoryClient, session: str) -> None:
    server.ask("submit_define", kleis="define level() : ℤ = 1", session=session)
    answer = server.ask("submit_define", kleis="define level() : ℤ = 2", session=session)
    assert answer["accepted"]
    assert "replaces the one at" in answer["warnings"][0]["message"]
    assert server.ask("evaluate", expression="level()", session=session)["result"] == "2"


def test_a_redefinition_that_breaks_what_uses_it_is_refused(server: TheoryClient, session: str) -> None:
    server.ask("submit_define", kleis="define base(x : ℤ) : ℤ = x", session=session)
    server.ask("submit_define", kleis="define user(x : ℤ) : ℤ = base(x) + 1", session=session)
    answer = server.ask("submit_define", kleis="define base(x : ℤ, y : ℤ) : ℤ = x + y", session=session)
    assert answer["status"] == "rejected"
    assert answer["problems"][0]["code"] == "breaks-earlier"
    assert server.ask("evaluate", expression="user(1)", session=session)["result"] == "2"


# "The kind is not checked: submit_define accepts data, even empty text."


@pytest.mark.parametrize(
    ("tool", "kleis", "code"),
    [
        ("submit_define", "data D = A | B", "wrong-kind"),
        ("submit_data", "define f() : ℤ = 1", "wrong-kind"),
        ("submit_structure", "define f() : ℤ = 1", "wrong-kind"),
        ("submit_structure", 'import "stdlib/lists.kleis"', "wrong-kind"),
        ("try_structure", 'example "e" { assert(1 = 1) }', "wrong-kind"),
        ("submit_define", "", "empty"),
        ("submit_data", "  // only a comment\n", "empty"),
        ("try_structure", "", "empty"),
    ],
)
def test_the_kind_must_match_the_tool(
    server: TheoryClient, session: str, tool: str, kleis: str, code: str
) -> None:
    reply = server.reply(tool, kleis=kleis, session=session)
    assert reply.is_error
    assert (reply.structured["status"], reply.structured["stage"]) == ("rejected", "parse")
    assert reply.structured["problems"][0]["code"] == code
    assert count(server, session) == 0


def test_several_defines_of_one_submission_stand_together(server: TheoryClient, session: str) -> None:
    both = """define even(n : ℕ) : Bool = if n = 0 then true else odd(n - 1)
define odd(n : ℕ) : Bool = if n = 0 then false else even(n - 1)"""
    answer = server.ask("submit_define", kleis=both, session=session)
    assert answer["functions_added"] == ["even", "odd"]
    assert server.ask("evaluate", expression="even(10)", session=session)["result"] == "true"


# "A saved file contains relative imports as typed; from another directory they may not resolve."


def test_a_saved_theory_that_imports_a_saved_theory_loads(server: TheoryClient, session: str) -> None:
    server.ask("submit_define", kleis="define ground() : ℤ = 7", session=session)
    server.ask("save_theory", name=f"{session}_a", session=session)
    server.ask("load_theory", imports=[f"{session}_a"], session=session)
    server.ask("submit_define", kleis="define roof() : ℤ = ground() + 1", session=session)
    server.ask("save_theory", name=f"{session}_b", session=session)
    server.ask("load_theory", imports=[f"{session}_b"], session=f"{session}_c")
    assert server.ask("evaluate", expression="roof()", session=f"{session}_c")["result"] == "8"


# "evaluate": trailing text, infix connectives, equalities, inconsistency, debug text.


def test_trailing_text_is_an_error(server: TheoryClient) -> None:
    reply = server.reply("evaluate", expression="2 + 3 garbage")
    assert reply.is_error
    assert "garbage" in reply.structured["error"]


@pytest.mark.parametrize(
    "claim",
    [
        "∀(x : ℤ). x < x + 1",
        "x + 0 = x",
        "x < x + 1",
        "x + 0 = x ∧ y + 0 = y",
        "x + 0 = x and y + 0 = y",
        "x + 0 = x && y + 0 = y",
        "¬(x < x)",
        "not(x < x)",
        "x < y → y > x",
        "implies(x < y, y > x)",
        "x < y ↔ y > x",
        "x < y or x >= y",
        "∃(x : ℤ). x * x = 49",
    ],
)
def test_propositions_in_every_spelling_are_decided(server: TheoryClient, claim: str) -> None:
    answer = server.ask("evaluate", expression=claim)
    assert answer["status"] == "verified", answer


def test_an_equality_with_free_names_is_proved_or_refuted(server: TheoryClient) -> None:
    answer = server.ask("evaluate", expression="x * x = x")
    assert answer["status"] == "disproved"
    assert answer["verified"] is False
    (binding,) = answer["witness_bindings"]
    assert binding["variable"] == "x"
    assert binding["value"] in answer["witness"]
    assert answer["reading"] == ["x : ℝ"]


def test_an_equality_of_closed_values_is_computed(server: TheoryClient) -> None:
    assert server.ask("evaluate", expression="2 + 2 = 4")["result"] == "true"
    assert server.ask("evaluate", expression="2 + 2 = 5")["result"] == "false"


def test_what_is_not_decided_looks_like_nothing_else(server: TheoryClient, session: str) -> None:
    server.ask("submit_define", kleis="define endless(n : ℤ) : ℤ = endless(n + 1) + 1", session=session)
    reply = server.reply("evaluate", expression="∀(n : ℤ). endless(n) = 0", session=session)
    assert not reply.is_error
    assert reply.structured["status"] == "unknown"
    assert reply.structured["reason"] == "termination"
    assert "verified" not in reply.structured
    assert reply.text.startswith("UNKNOWN")


def test_inconsistent_axioms_are_said_to_be(server: TheoryClient, session: str) -> None:
    """An edited file may hold what a submission could not bring in."""
    server.ask("submit_structure", kleis=PAIR, session=session)
    file = Path(server.ask("describe_schema", session=session)["schema"]["session_file"])
    file.write_text(file.read_text() + "\n" + CLASH + "\n")
    answer = server.ask("evaluate", expression="using NoUnit ∀(x : L). x = u", session=session)
    assert answer["status"] == "inconsistent"
    assert answer["verified"] is False
    assert set(answer["clash"]) == {"Left::unit", "NoUnit::never"}
    statuses = [each["status"] for each in server.ask("list_session", session=session)["items"]]
    assert statuses == ["unchecked", "unchecked"], "what a person wrote was not checked by a submission"


def test_files_cannot_be_read(server: TheoryClient) -> None:
    reply = server.reply("evaluate", expression='readFile("/etc/passwd")')
    assert reply.is_error
    assert "not permitted" in reply.structured["error"]
    assert "root:" not in reply.text


def test_a_section_does_not_answer_for_the_structure_it_extends(server: TheoryClient, session: str) -> None:
    """Of several declarations at once each is asked about, whatever the others inherit."""
    both = """structure Odd(T) { operation odd : T → T  element some : T  axiom never : ∀(x : T). odd(x) ≠ odd(x) }
structure Sec extends Odd(ℤ) { }"""
    other = """structure Sec { operation w : ℤ → ℤ  axiom up : ∀(x : ℤ). w(x) > x }
structure Sec2 { axiom down : w(3) < 3 }"""
    assert server.ask("try_structure", kleis=both, session=session)["status"] == "inconsistent"
    assert server.ask("try_structure", kleis=other, session=session)["status"] == "inconsistent"


def test_compare_refuses_a_session_that_is_not_there(server: TheoryClient) -> None:
    server.ask("submit_define", kleis="define twice(x : ℤ) : ℤ = x + x", session="doubled")
    answer = server.ask("compare", sessions=["doubled", "dubled"], propositions=["twice(2) = 4"])
    assert answer["status"] == "error"
    assert "no session 'dubled'" in answer["error"]
    assert "did you mean doubled?" in str(answer)
