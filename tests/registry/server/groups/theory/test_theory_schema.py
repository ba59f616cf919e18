"""`describe_schema`: levels of detail, and suggested propositions that run; tool lists and resources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kleis.prover.process.deadline import Deadline
from kleis.sessions import Sessions, open_sessions
from kleis.sessions.evaluate_expression import evaluate
from kleis.sessions.suggestions import suggestions
from kleis.syntax.parser.parser import parse_expression
from registry.server.contract.settings import Settings, Site
from registry.server.offers.offer import Offer
from registry.server.offers.wire_forms import INSTRUCTIONS_LIMIT
from registry.server.serve import make_groups
from tests.support.servers.pif_server import PifClient, pif_server

MODULES = open_sessions(Path("/nowhere"), environment={}).imported_theories.modules()

MANY = "\n".join(f"define f{n}(x : ℤ, y : ℤ) : ℤ = x * x + y * y + {n}" for n in range(400))


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    made = open_sessions(tmp_path / "home", environment={})
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PifClient]:
    with pif_server(tmp_path_factory.mktemp("schema") / "home", groups="pif,theory") as client:
        yield client


def described(server: PifClient, **arguments: Any) -> dict[str, Any]:
    schema = server.ask("describe_schema", **arguments)["schema"]
    assert isinstance(schema, dict)
    return schema


# Levels.


@pytest.mark.parametrize("arguments", [{}, {"name": "Group"}, {"depth": "signatures"}])
def test_the_text_is_the_whole_answer(server: PifClient, arguments: dict[str, str]) -> None:
    found = server.call(f"text-{arguments}", "describe_schema", **arguments)
    assert msgspec.json.decode(found["content"][0]["text"]) == found["structuredContent"]
    assert set(found["structuredContent"]) == {"schema"}


def test_names_come_first_and_full_is_for_one(server: PifClient) -> None:
    names = described(server)
    assert names["depth"] == "names"
    assert {"name": "Group"} in names["structures"]
    one = described(server, name="Group")
    (group,) = one["declarations"]
    assert group["type_params"] == ["G"]
    assert group["extends"] == "Monoid(G)"
    assert {"name": "left_inverse", "kleis": "∀(x : G). inv(x) • x = e"} in group["axioms"]
    assert {"name": "•", "type": "G × G → G"} in group["inherited"]["operations"]
    assert "AbelianGroup" in one["mentioned_by"]


def test_signatures_have_no_bodies(server: PifClient) -> None:
    schema = described(server, depth="signatures")
    monoid = next(each for each in schema["structures"] if each["name"] == "Monoid")
    assert {"name": "e", "type": "M"} in monoid["operations"]
    assert monoid["fields"] == []
    assert monoid["axioms"] == ["left_identity", "right_identity"]
    assert "kleis" not in monoid


def test_full_text_is_kleis(server: PifClient) -> None:
    server.ask("submit_data", kleis="data Option2(T) = None2 | Some2(value : T)", session="full")
    server.ask("submit_define", kleis="define half(x : ℝ) : ℝ = x / 2", session="full")
    schema = described(server, depth="full", session="full")
    (half,) = (each for each in schema["functions"] if each["name"] == "half")
    assert (half["params"], half["result"]) == (["x : ℝ"], "ℝ")
    assert parse_expression(half["body"])
    (option,) = schema["data_types"]
    assert option["variants"][1] == {"name": "Some2", "fields": ["value : T"]}
    for structure in schema["structures"]:
        for axiom in structure["axioms"]:
            assert parse_expression(axiom["kleis"])


def test_an_unknown_name_is_an_error_with_the_nearest(server: PifClient) -> None:
    answer = server.ask("describe_schema", name="Gruop")
    assert answer["problem"]["code"] == "unknown-name"
    assert "Group" in answer["problem"]["hint"]


@pytest.mark.parametrize("depth", ["names", "signatures", "full"])
def test_a_large_universe_does_not_flood(server: PifClient, depth: str) -> None:
    server.ask("submit_define", kleis=MANY, session="large")
    schema = described(server, session="large", depth=depth)
    assert len(msgspec.json.encode(schema)) < 20_000
    shown = len(schema["functions"]) + schema.get("left_out", {}).get("functions", 0)
    assert shown == schema["stats"]["functions"] > 400
    assert schema["functions"][0]["name"] == "f0", "the session's own come first"


# Propositions worth trying.


@pytest.mark.parametrize("module", MODULES)
def test_suggestions_of_every_library_module_have_a_meaning(sessions: Sessions, module: str) -> None:
    """Each is read again from its text and elaborated or computed, in a universe of that module."""
    from kleis.sessions.files.universe import Universe

    universe = Universe.of("s", sessions.imported_theories.theory_of((f"stdlib/{module}.kleis",)))
    found = suggestions(universe, limit=30)
    texts = [each.kleis for each in found]
    assert len(texts) == len(set(texts))
    from kleis.elaborate.elaborator import Elaborator

    elaborator = Elaborator(universe.theory)
    for each in found:
        tree = parse_expression(each.kleis)
        assert each.hint != "verify" or elaborator.proposition(tree).claim is not None


def test_all_suggestions_of_a_session_run(sessions: Sessions) -> None:
    for kind, text in (
        ("structure", "structure Loop(L) { operation (⊙) : L × L → L  element u : L  operation inv : L → L  axiom i : ∀(x : L). inv(x) ⊙ x = u }"),
        ("structure", "structure Positive { operation w : ℤ → ℤ  axiom up : ∀(x : ℤ). w(x) > x }"),
        ("data", "data Colour = Red | Green | Blue"),
        ("define", "define clip(x : ℤ) : ℤ = if x > 10 then 10 else x"),
        ("define", 'define greeting(name : String) : String = concat("hello ", name)'),
    ):  # fmt: skip
        checked, universe = sessions.submit("s", text, kind, Deadline(30))
        assert checked.grown is not None, checked.problems
    found = suggestions(universe)
    assert len(found) >= 8
    assert {each.hint for each in found} == {"verify", "evaluate"}
    for each in found:
        answer = evaluate(universe, each.kleis, sessions.provers, Deadline(20))
        wanted = {"value"} if each.hint == "evaluate" else {"verified", "disproved"}
        assert answer["status"] in wanted, (each, answer)


# What the group looks like.


def test_the_lists_of_the_default_groups_are_small(server: PifClient) -> None:
    server.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
    tools = server.answer_to("list")["result"]["tools"]
    names = [tool["name"] for tool in tools]
    assert {"evolve", "evaluate", "submit_structure", "save_theory"} <= set(names)
    assert not {"undo", "compare", "explain"} & set(names)
    outputs = [tool.pop("outputSchema") for tool in tools]
    assert len(msgspec.json.encode(tools).decode()) / 4 < 3_200
    assert len(msgspec.json.encode(outputs).decode()) / 4 < 2_500
    for tool in tools:
        assert len(tool["description"]) < 2_048


def test_instructions_of_all_groups_fit(tmp_path: Path) -> None:
    site = Site(Settings(home=tmp_path / "home"))
    (theory,) = make_groups("theory", site)
    assert len(theory.instructions) <= INSTRUCTIONS_LIMIT
    assert 0 < len(theory.brief_instructions) <= 400
    text = Offer(make_groups("pif,theory", site), name="n", version="1").instructions
    assert text is not None
    assert "submit_structure" in text
    assert len(text) <= INSTRUCTIONS_LIMIT
    site.close()


def test_a_server_that_is_only_listed_loads_no_solver(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home", groups="theory") as client:
        client.send({"jsonrpc": "2.0", "id": "list", "method": "tools/list"})
        client.answer_to("list")
        maps = Path(f"/proc/{client.process.pid}/maps")
        if maps.exists():
            assert "libz3" not in maps.read_text()
        client.ask("evaluate", expression="∀(x : ℝ). x + 0 = x")
        if maps.exists():
            assert "libz3" not in maps.read_text(), "solvers run in a process of their own"


# Resources.


def ask(server: PifClient, method: str, **params: Any) -> Any:
    server.send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
    return server.answer_to(method)


def test_sessions_and_modules_are_resources(server: PifClient) -> None:
    server.ask("submit_define", kleis="define kept() : ℤ = 1", session="shown")
    text = ask(server, "resources/read", uri="kleis://sessions/shown")["result"]["contents"][0]
    assert "define kept() : ℤ = 1" in text["text"]
    assert text["mimeType"] == "text/x-kleis"
    one = ask(server, "resources/read", uri="kleis://sessions/shown/kept")["result"]["contents"][0]["text"]
    assert msgspec.json.decode(one)["declarations"][0]["body"] == "1"
    module = ask(server, "resources/read", uri="kleis://stdlib/prelude")["result"]["contents"][0]["text"]
    assert "structure Group(G)" in module
    for wrong in (
        "kleis://sessions/nothing",
        "kleis://sessions/../x",
        "kleis://stdlib/../../etc",
        "kleis://stdlib/nope",
    ):
        assert "error" in ask(server, "resources/read", uri=wrong)


def test_names_are_completed(server: PifClient) -> None:
    server.ask("submit_define", kleis="define kept() : ℤ = 1", session="completed")

    def complete(template: str, argument: str, prefix: str, **given: str) -> list[str]:
        reference = {"type": "ref/resource", "uri": template}
        answer = ask(
            server,
            "completion/complete",
            ref=reference,
            argument={"name": argument, "value": prefix},
            context={"arguments": given},
        )
        values = answer["result"]["completion"]["values"]
        assert isinstance(values, list)
        return values

    assert complete("kleis://sessions/{session}", "session", "compl") == ["completed"]
    assert complete("kleis://stdlib/{module}", "module", "pre") == ["prelude"]
    assert complete("kleis://sessions/{session}/{structure}", "structure", "Gr", session="completed") == [
        "Group"
    ]
    assert complete("kleis://sessions/{session}/{structure}", "structure", "ke", session="completed") == [
        "kept"
    ]


@pytest.mark.parametrize(("claim", "status"), [("π > 3.14", "verified"), ("π = 3.14", "disproved")])
def test_constants_are_compared_by_proof_and_not_by_doubles(
    sessions: Sessions, claim: str, status: str
) -> None:
    answer = evaluate(sessions.universe("constants"), claim, sessions.provers, Deadline(20))
    assert (answer["status"], "approximate" in answer) == (status, False)
