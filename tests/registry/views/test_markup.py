"""Text becomes HTML in one way, and the policy of a document names what it holds."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from registry.views.markup import Markup, element, tagged, text
from registry.views.page import View, document, policy_of
from registry.views.verdict import evaluation_view
from tests.support.views.hostile import HARMLESS, HOSTILE, read


def hostile_verdict(bad: str) -> dict[str, object]:
    return {
        "status": "disproved",
        "claim": bad,
        "reading": [bad],
        "warnings": [{"code": "w", "message": bad, "hint": bad}],
        "axioms_used": [bad],
        "axioms": "model",
        "clash": [bad],
        "method": bad,
        "message": bad,
        "hint": bad,
        "lemmas": [bad],
        "assumed": [bad],
        "tried": [bad],
        "problem": {"message": bad, "hint": bad, "file": bad, "line": 1},
        "witness_bindings": [{"variable": bad, "value": bad, "type": bad}],
        "counterexample": {
            "kind": "tables",
            "carriers": {bad: [bad]},
            "values": {bad: bad},
            "interpretation": {bad: bad},
            "tables": [
                {"name": bad, "columns": [bad, bad, bad], "rows": [[bad, bad, bad]]},
                {"name": bad, "columns": [bad], "rows": [[bad]]},
            ],
            "rules": [bad],
            "normal_forms": [bad, bad],
            "parts": [{"term": bad, "value": bad}],
        },
        "explanation": {
            "proof": [bad],
            "attempts": [{"engine": bad, "outcome": bad, "detail": bad, "steps": 1, "seconds": 0.5}],
            "unused": {bad: bad},
            "solvers": {bad: bad},
            "rests_on": [bad],
        },
    }


@pytest.mark.parametrize("bad", HOSTILE, ids=lambda each: ascii(each[:20]))
def test_hostile_text_is_text_in_every_field(bad: str) -> None:
    written = document(evaluation_view(hostile_verdict(bad)))
    if len(bad) > 100_000:
        assert "<<" not in written
        return
    found = read(written)
    assert {*found.elements} <= HARMLESS
    assert found.elements.count("script") == 1
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", written)
    assert written.encode()  # no lone surrogate is left


def test_text_is_shown_whole_or_says_what_is_left_out() -> None:
    assert text('a < b & "c"') == "a &lt; b &amp; &quot;c&quot;"
    assert "a < b" in "".join(read(element("p", "a < b")).said)
    assert text("ab\u202ecd") == "ab⟨U+202E⟩cd"
    assert str(text("x" * 30_000)).endswith("… (10,000 more characters)")


@pytest.mark.parametrize("name", ["onclick", "on load", "a=b", "x>y"])
def test_no_attribute_runs_or_ends_its_element(name: str) -> None:
    with pytest.raises(ValueError, match="is no attribute"):
        tagged("p", {name: "x"}, "text")


@pytest.mark.parametrize("place", ["file", "app", "ui"])
def test_the_policy_names_the_script_and_the_style_of_the_document(place: str) -> None:
    written = document(View("t", Markup("<p>x</p>")), place)  # type: ignore[arg-type]
    for pattern, directive in (
        (r"<style>(.*?)</style>", "style-src"),
        (r"<script[^>]*>(.*?)</script>", "script-src"),
    ):
        (inside,) = re.findall(pattern, written, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy_of(place)  # type: ignore[arg-type]
    policy = policy_of(place)  # type: ignore[arg-type]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert ("connect-src 'self'" in policy) == (place == "ui")
    assert "http://" not in written
    assert "https://" not in written
