"""Laws on the command line: evolve --law, list, show --kleis, verify, certificate check, analyze --against."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.commands import SQUARE, answer
from tests.cli.conftest import Pif

LAW = "∀(x : ℤ). square(x) ≥ 0"


def test_a_tool_with_laws_from_file_to_check(pif: Pif, tmp_path: Path) -> None:
    file = tmp_path / "square.json"
    request = {"name": "square", "description": "Squares", "code": json.loads(SQUARE), "laws": [LAW]}
    file.write_text(json.dumps(request))
    made = pif("evolve", file, "--law", "safe(square)")
    assert "proved        ∀(x : ℤ). square(x) ≥ 0" in made.stdout
    assert "proved        safe(square)" in made.stdout
    assert "2 proved" in pif("list").stdout
    assert "define square(x : ℤ) : ℤ = x * x" in pif("show", "square", "--kleis").stdout

    checked = pif("certificate", "check", "square")
    assert (checked.exit_code, checked.stdout.count("holds")) == (0, 2)
    assert answer(pif("certificate", "check", "square", "--json"))["ok"] is True


def test_a_wrong_version_is_refused_and_a_law_can_be_dropped(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square", "--law", LAW)
    refused = pif("evolve", '{"mul": [{"var": "x"}, 2]}', "--name", "square")
    assert refused.exit_code == 1
    assert "x = -1" in refused.stderr
    assert "--drop-law '" in refused.stderr
    assert "drop_laws" not in refused.stderr
    assert pif("evolve", '{"mul": [{"var": "x"}, 2]}', "--name", "square", "--drop-law", LAW).exit_code == 0


def test_verify_says_what_holds_by_its_status(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square")
    assert pif("verify", LAW).exit_code == 0
    refuted = pif("verify", "∀(x : ℤ). square(x) > 0")
    assert (refuted.exit_code, "gives 0" in refuted.stdout) == (1, True)
    assert pif("verify", "define x = 1").exit_code == 1
    assert answer(pif("verify", LAW, "--json"))["status"] == "proved"


def test_analyze_against_another(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square")
    assert "do the same" in pif("analyze", "square", "--against", SQUARE.replace('"x"', '"y"')).stdout
    other = pif("analyze", "square", "--against", '{"lam": "y", "body": {"mul": [{"var": "y"}, 3]}}')
    assert (other.exit_code, "square@1 and the term differ" in other.stdout) == (1, True)
    same = answer(pif("analyze", "square", "--against", "square@1", "--json"))["equivalence"]
    assert (same["status"], same["by"]) == ("proved", "normal_form")
    assert pif("analyze", "square", "--against", '{"lam": 1}').exit_code == 1


def test_a_tool_without_laws_says_so(pif: Pif) -> None:
    pif("evolve", SQUARE, "--name", "square")
    assert "has no laws" in pif("certificate", "check", "square").stderr
