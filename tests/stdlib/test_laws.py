"""The laws of the library: proved from nothing, with certificates that are checked again from nothing.

`python -m tests.stdlib.test_laws` prints them as a table.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from registry.bridge.laws import check_laws
from registry.bridge.proving import LawProver
from tests.stdlib.hosted import LibraryTools

TOOLS = LibraryTools()
LAWS = {name: entry.laws for name, entry in TOOLS.library.entries.items() if entry.laws}


@pytest.fixture(scope="module")
def prover() -> Iterator[LawProver]:
    with LawProver() as made:
        yield made


def test_there_are_enough_of_them() -> None:
    assert sum(map(len, LAWS.values())) >= 70
    assert len(LAWS) >= 30


@pytest.mark.parametrize("name", LAWS)
def test_laws_are_proved_and_their_certificates_hold(name: str, prover: LawProver) -> None:
    """No report is `proved` before its certificate has passed its check; the last is read and checked once more."""
    reports = check_laws(f"std.{name}", LAWS[name], TOOLS, TOOLS.library.names, prover)
    for report in reports:
        assert report.status == "proved", report
    assert reports[-1].certificate is not None
    checked = prover.check(reports[-1].certificate)
    assert checked.ok, checked


def test_a_wrong_law_is_not_proved(prover: LawProver) -> None:
    (report,) = check_laws(
        "std.smaller", ["∀(a b : ℤ). smaller(a, b) = a"], TOOLS, TOOLS.library.names, prover
    )
    assert report.status == "refuted"
    assert report.counterexample is not None


def main() -> int:
    """Prove all laws and print what became of each; 1 where one is not proved."""
    proved = 0
    with LawProver() as made:
        for name, laws in LAWS.items():
            for report in check_laws(f"std.{name}", laws, TOOLS, TOOLS.library.names, made):
                holds = report.certificate is not None and made.check(report.certificate).ok
                proved += holds
                print(f"{name:14} {report.status:9} {'certificate holds' if holds else '':18} {report.law}")
    print(f"{proved} of {sum(map(len, LAWS.values()))} laws of {len(LAWS)} tools proved")
    return 0 if proved == sum(map(len, LAWS.values())) else 1


if __name__ == "__main__":
    sys.exit(main())
