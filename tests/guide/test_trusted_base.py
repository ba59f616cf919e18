"""The page about what is believed: its paths are there, its attacks attack, and nothing that decides is left out."""

from __future__ import annotations

import re

import pytest

from tests.guide.tables import ROOT
from tests.guide.tables.trusted import ANSWERS, PARTS, Part

NOT_BELIEVED = {
    "kept_certificates.py": "certificates of strangers, which are checked before anything of them is believed",
    "__init__.py": "says where things are",
    "certificates": "makes files that the checker judges; what compares those of strangers is named apart",
    "counterexample_parts.py": "shows what the parts of a claim come to; decides nothing",
    "known_laws.py": "says which laws may help; they are proved again as lemmas",
    "problem_files.py": "writes files for others",
    "reasons.py": "words",
    "shared_provers.py": "keeps provers",
}
"""What of kleis/prover no answer rests on, and why."""


@pytest.mark.parametrize("name", PARTS)
def test_a_part_and_its_attacks_are_there(name: str) -> None:
    part = PARTS[name]
    assert all((ROOT / place).exists() for place in part.places)
    assert part.lines > 0
    assert part.attacks
    for attack in part.attacks:
        text = (ROOT / attack).read_text(encoding="utf-8")
        assert re.search(r"^(async )?def test_|^class .*Machine", text, re.MULTILINE), attack


@pytest.mark.parametrize("name", PARTS)
def test_an_attack_reaches_its_part(name: str) -> None:
    """Every attack imports the part, or asks it through the prover, a server or a support module that does."""
    part = PARTS[name]
    doors = _modules(part) | {"tests.support"} | {f"{root}.{door}" for root, door in _DOORS}
    for attack in part.attacks:
        text = (ROOT / attack).read_text(encoding="utf-8")
        imported = re.findall(r"^\s*(?:from|import) ([\w.]+)", text, re.MULTILINE)
        assert any(each == door or each.startswith(f"{door}.") for each in imported for door in doors), attack


_DOORS = (("kleis", "prover.prover"), ("registry", "workspace"))


def _modules(part: Part) -> set[str]:
    return {place.removesuffix(".py").replace("/", ".") for place in part.places}


def test_every_answer_rests_on_parts_that_there_are() -> None:
    used = {each for believed, _ in ANSWERS.values() for each in believed}
    assert used == set(PARTS)


def test_nothing_of_the_prover_is_left_out() -> None:
    named = {place for part in PARTS.values() for place in part.places}
    for entry in sorted((ROOT / "kleis/prover").iterdir()):
        if entry.name == "__pycache__" or entry.name in NOT_BELIEVED:
            continue
        assert f"kleis/prover/{entry.name}" in named, entry.name
    assert all((ROOT / "kleis/prover" / each).exists() for each in NOT_BELIEVED)


def test_no_line_is_counted_twice() -> None:
    places = [place for part in PARTS.values() for place in part.places]
    for place in places:
        assert not [other for other in places if other != place and other.startswith(f"{place}/")]
    assert len(set(places)) == len(places)
