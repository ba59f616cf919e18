"""The size of what has to be trusted, and that it shares nothing with what finds proofs.

See docs/reference/certificates.md §1.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.guide.tables import ROOT
from tests.guide.tables.certificates import KERNEL, lines_of

CHECKER = "kleis/prover/checker"
RULES = sorted((ROOT / CHECKER / "rules").glob("*.py"))


def test_the_kernel_reads_in_a_sitting() -> None:
    assert lines_of(*(f"{CHECKER}/{each}.py" for each in KERNEL)) <= 600


@pytest.mark.parametrize("rule", RULES, ids=[each.stem for each in RULES])
def test_a_rule_is_a_short_file(rule: object) -> None:
    assert lines_of(str(rule)) <= 250


def test_the_checker_loads_nothing_of_what_finds_proofs() -> None:
    script = (
        "import sys; import kleis.prover.checker.kernel\n"
        "shared = ('engines', 'lowering', 'smt', 'portfolio', 'process', 'evidence', 'certificates', 'prover')\n"
        "print([name for name in sys.modules for each in shared if name.startswith(f'kleis.prover.{each}')])\n"
        "print([name for name in ('z3', 'cvc5') if name in sys.modules])\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["[]", "[]"]
