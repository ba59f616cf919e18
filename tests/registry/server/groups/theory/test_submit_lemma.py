"""The tool `submit_lemma` of the second list."""

from __future__ import annotations

from pathlib import Path

from tests.support.servers.theory_client import theory_client

FACTS = """structure Facts {
    operation f : ℕ → ℕ
    axiom step : ∀(n : ℕ). f(n + 1) = f(n) + n + 1
    axiom at_zero : f(0) = 0
}"""


def test_lemmas_are_proved_kept_and_used(tmp_path: Path) -> None:
    with theory_client(tmp_path / "home", more=True) as server:
        server.ask("submit_structure", kleis=FACTS)
        assert server.ask("evaluate", expression="f(60) = 1830")["status"] == "unknown"
        for n in (20, 40):
            added = server.ask("submit_lemma", kleis=f"lemma at_{n} : f({n}) = {n * (n + 1) // 2}")
            assert added["accepted"]
            assert added["axioms_verified"] == [f"at_{n}"]
        found = server.ask("evaluate", expression="f(60) = 1830")
        assert found["status"] == "verified"
        assert [each["kind"] for each in server.ask("list_session")["items"]] == [
            "structure",
            "lemma",
            "lemma",
        ]
        refused = server.reply("submit_lemma", kleis="theorem wrong : ∀(n : ℕ). f(n) = n")
        assert refused.is_error
        assert not refused.structured["accepted"]
        assert "wrong is" in refused.structured["error"]
        saved = server.ask("save_theory", name="facts")
        assert "lemma at_40" in Path(saved["path"]).read_text("utf-8")
        server.ask("load_theory", imports=["facts"], session="other")
        assert server.ask("evaluate", expression="f(60) = 1830", session="other")["status"] == "verified"


def test_other_tools_point_to_it(tmp_path: Path) -> None:
    with theory_client(tmp_path / "home", more=True) as server:
        refused = server.reply("submit_define", kleis="lemma trivial : 1 = 1")
        assert refused.is_error
        assert "submit_lemma" in refused.structured["problems"][0]["hint"]
        assert server.ask("try_structure", kleis="lemma trivial : 1 = 1")["status"] == "consistent"
