"""Laws through the server: `evolve` with `laws` and `drop_laws`, `list`, `analyze` with `against` (servers.md)."""

from __future__ import annotations

from pathlib import Path

from tests.server.pif_server import pif_server

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
DOUBLE = {"lam": "x", "body": {"mul": [{"var": "x"}, 2]}}
LAW = "∀(x : ℤ). square(x) ≥ 0"


def test_an_agent_evolves_a_tool_with_a_law_and_cannot_break_it(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home") as client:
        made = client.ask("evolve", name="square", description="Squares", code=SQUARE, laws=[LAW])
        assert (made["laws"][0]["status"], made["laws"][0]["law"]) == ("proved", LAW)
        assert client.ask("list")["tools"][0]["laws"] == [{"law": LAW, "status": "proved"}]

        refused = client.ask("evolve", name="square", description="Doubles", code=DOUBLE)
        assert refused["error"]["kind"] == "law_disproved"
        shown = refused["error"]["counterexample"]
        assert (shown["input"], shown["runs"][0]["answer"]) == ({"x": -1}, -2)

        compared = client.ask("analyze", code="square", against=DOUBLE)["equivalence"]
        assert compared["status"] == "refuted"
        assert client.ask("analyze", code="square", against={"lam": "y", "body": {"mul": [{"var": "y"}, {"var": "y"}]}})[
            "equivalence"]["status"] == "proved"  # fmt: skip

        dropped = client.ask("evolve", name="square", description="Doubles", code=DOUBLE, drop_laws=[LAW])
        assert (dropped["version"], dropped["dropped_laws"]) == (2, [LAW])


def test_laws_of_a_wrong_shape_are_refused_with_their_place(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home") as client:
        for laws in ("safe(square)", [1], [LAW, None]):
            refused = client.ask("evolve", name="square", description="Squares", code=SQUARE, laws=laws)
            assert refused["error"]["path"].startswith("/laws")
        refused = client.ask("evolve", name="square", description="Squares", code=SQUARE, laws=['import "x"'])
        assert refused["error"]["path"] == "/laws/0"
        assert client.ask("list")["total"] == 0
