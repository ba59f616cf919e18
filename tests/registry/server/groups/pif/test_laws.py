"""Laws through the server: `evolve` with `laws` and `drop_laws`, `list`, `analyze` with `against` (docs/reference/registry.md §7)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.servers.pif_server import pif_server
from tests.support.servers.raw_client import call, cancelled

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


def test_evolve_and_analyze_take_a_time_limit_and_tell_progress(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home") as client:
        arguments = {
            "name": "square",
            "description": "Squares",
            "code": SQUARE,
            "laws": [LAW],
            "timeout_ms": 1,
        }
        message = call("limited", "evolve", arguments)
        message["params"]["_meta"] = {"progressToken": "p"}
        client.send(message)
        told = []
        while (received := client.receive()).get("id") != "limited":
            if received.get("method") == "notifications/progress":
                told.append(received["params"])
        (law,) = received["result"]["structuredContent"]["laws"]
        assert (law["status"], law["labels"]) == ("tested", ["not decided within 0.001 s"])
        assert told
        said = {each["message"].partition("working since")[0].removesuffix(" · ") for each in told}
        assert LAW in said  # a busy machine says before it that the work goes on
        assert said <= {LAW, ""}

        again = client.ask("evolve", name="square", description="Squares", code=SQUARE)
        assert [(each["law"], each["status"]) for each in again["laws"]] == [(LAW, "proved")]
        shifted = {
            "lam": "y",
            "body": {"sub": [{"mul": [{"var": "y"}, {"add": [{"var": "y"}, 1]}]}, {"var": "y"}]},
        }
        compared = client.ask("analyze", code="square", against=shifted, timeout_ms=1)["equivalence"]
        assert (compared["status"], compared["reason"]) == ("unknown", "not decided within 0.001 s")
        refused = client.ask("evolve", name="square", description="Squares", code=SQUARE, timeout_ms=50_000)
        assert refused["error"]["kind"] == "invalid_argument"


def test_a_check_of_laws_tells_which_law_it_is_at(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home", more=True) as client:
        client.ask("evolve", name="square", description="Squares", code=SQUARE, laws=[LAW])
        message = call("checked", "check_laws", {"name": "square"})
        message["params"]["_meta"] = {"progressToken": "c"}
        client.send(message)
        told = []
        while (received := client.receive()).get("id") != "checked":
            if received.get("method") == "notifications/progress":
                told.append(received["params"])
        assert received["result"]["structuredContent"]["ok"] is True
        assert (1, LAW) in {
            (each["total"], each["message"]) for each in told
        }  # the answer may overtake the last


def test_a_cancelled_evolve_keeps_nothing(tmp_path: Path) -> None:
    """The call is cancelled before its laws are decided; what runs for it ends, and the name is free."""
    laws = [f"∀(x : ℤ). square(x) * {number} ≥ 0" for number in range(30)]
    with pif_server(tmp_path / "home") as client:
        message = call(
            "gone", "evolve", {"name": "square", "description": "Squares", "code": SQUARE, "laws": laws}
        )
        message["params"]["_meta"] = {"progressToken": "p"}
        client.send(message)
        while client.receive().get("method") != "notifications/progress":
            pass
        client.send(cancelled("gone"))
        made = client.ask(
            "evolve", name="other", description="Squares", code=SQUARE, laws=[LAW.replace("square", "other")]
        )
        assert made["laws"][0]["status"] == "proved"
        assert [each["name"] for each in client.ask("list")["tools"]] == ["other"]


def test_an_agent_imports_laws_that_are_checked_here(tmp_path: Path) -> None:
    """A law that is false is dropped with its counterexample; one whose certificate is another's stays claimed."""
    with pif_server(tmp_path / "home", more=True) as client:
        client.ask("evolve", name="square", description="Squares", code=SQUARE, laws=[LAW, "safe(square)"])
        client.ask("export", directory="out")
        client.ask("forget", name="square")
        file = tmp_path / "home" / "exchange" / "out" / "tools" / "square@1.json"
        data = json.loads(file.read_text())
        data["laws"].append({**data["laws"][0], "law": "∀(x : ℤ). square(x) ≥ -1"})
        data["laws"].append({**data["laws"][0], "law": "∀(x : ℤ). square(x) = 9"})
        file.write_text(json.dumps(data))

        taken = client.ask("import", directory="out", renumber=True)
        assert [each["status"] for each in taken["laws"]] == ["proved", "proved", "claimed", "refuted"]
        dropped = taken["laws"][3]
        assert (dropped["dropped"], dropped["counterexample"]["input"]) == (True, {"x": 0})
        listed = client.ask("list")["tools"][0]["laws"]
        assert [each["status"] for each in listed] == ["proved", "proved", "claimed"]
        assert "about something else" in listed[2]["reason"]

        again = client.ask("evolve", name="square", description="Squares", code=SQUARE)
        assert {each["status"] for each in again["laws"]} == {"proved"}
