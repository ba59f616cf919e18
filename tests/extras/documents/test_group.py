"""The group `documents` over MCP: images, resources, papers of a session, errors."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="needs the extra numeric")
pytest.importorskip("typst", reason="needs the extra documents")

from tests.support.servers.pif_server import PifClient, pif_server


def read(client: PifClient, uri: str) -> bytes:
    client.send({"jsonrpc": "2.0", "id": uri, "method": "resources/read", "params": {"uri": uri}})
    (found,) = client.answer_to(uri)["result"]["contents"]
    return base64.b64decode(found["blob"]) if "blob" in found else found["text"].encode()


def test_plots_and_a_paper(tmp_path: Path) -> None:
    with pif_server(tmp_path / "home", groups="theory,documents") as client:
        client.ask("submit_define", kleis="define squares(n) = map(λ x . x * x, range(0, n))")
        drawn = client.call("draw", "draw_plot", expression='plot(range(0, 4), squares(4), label = "s")')
        assert [each["type"] for each in drawn["content"]] == ["text", "image"]
        assert base64.b64decode(drawn["content"][1]["data"]).startswith(b"\x89PNG")
        answer = drawn["structuredContent"]
        assert answer["picture"]["series"] == [{"kind": "plot", "points": 8, "label": "s"}]
        assert b"<svg" in read(client, answer["uri"])

        paper = client.ask(
            "assemble_document",
            title="Squares",
            sections=[{"heading": "Result", "text": 'See @figure-1. #read("../secret.txt") is text.'}],
            propositions=["∀(x : ℝ). x * x ≥ 0", "∀(x : ℤ). x ≠ 42", "∀(x : ℤ). x ="],
            plots=[{"expression": "plot(range(0, 4), squares(4))", "caption": "Squares"}],
        )
        assert [each["status"] for each in paper["verdicts"]] == ["verified", "disproved", "error"]
        assert [len(each["certificate"]) for each in paper["verdicts"][:2]] == [64, 64]
        pdf = read(client, paper["uri"])
        assert pdf.startswith(b"%PDF-")
        assert hashlib.sha256(pdf).hexdigest() == paper["sha256"]

        wrong = client.call("wrong", "draw_plot", expression="plot([1], [2, 3])")
        assert wrong["isError"]
        assert "equal length" in wrong["content"][0]["text"]
        none = client.call("none", "draw_plot", expression="1 + 1")
        assert none["isError"]
