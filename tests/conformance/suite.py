"""The published conformance suite of the protocol, run against the server for one generation."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import msgspec

from tests.conformance import installation

__all__ = ["GENERATIONS", "Outcome", "run_suite"]

GENERATIONS = ("2025-11-25", "2026-07-28")
PACKAGE = "@modelcontextprotocol/conformance"

_FOLDER = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
_BEGUN = re.compile(r"^Running client scenario '(\S+)' against server", re.MULTILINE)
_UNSCORED = re.compile(r"^  [✓✗] (?P<scenario>\S+) \((?P<why>[^)]+)\)$", re.MULTILINE)


class Outcome(msgspec.Struct, frozen=True):
    """One scenario: numbers of its checks, and what the failed ones and the warnings say. `unscored`: the suite's own
    word for why it does not count, empty where it does."""

    scenario: str
    passed: int
    failed: int
    warnings: int
    unscored: str
    complaints: tuple[str, ...]

    @property
    def word(self) -> str:
        """What became of it."""
        return "failed" if self.failed else "passed" if self.passed else "nothing to check"


def run_suite(address: str, generation: str, results: Path, patience: float = 300) -> list[Outcome]:
    """The outcomes of all scenarios of a generation, in the suite's order.

    Raises RuntimeError where the suite itself does not run, and `installation.NotInstalled`.
    """
    packages = installation.node_packages()
    program = packages / "node_modules" / PACKAGE / "dist" / "index.js"
    options = ["--url", address, "--requirements", generation, "-o", str(results)]
    ended = subprocess.run(
        ["node", str(program), "server", *options],
        env=installation.environment(),
        capture_output=True,
        text=True,
        timeout=patience,
        check=False,
    )
    unscored = {found["scenario"]: found["why"] for found in _UNSCORED.finditer(ended.stdout)}
    outcomes = [_outcome(folder, unscored) for folder in results.iterdir()]
    if not outcomes:
        raise RuntimeError(f"the suite ran nothing:\n{ended.stdout[-2000:]}{ended.stderr[-2000:]}")
    missing = unscored.keys() - {each.scenario for each in outcomes}
    if missing or f"Not scored for {generation}" not in ended.stdout:
        raise RuntimeError(f"the suite's summary was not understood: {missing}\n{ended.stdout[-2000:]}")
    begun = list(dict.fromkeys(_BEGUN.findall(ended.stdout)))
    return sorted(outcomes, key=lambda each: begun.index(each.scenario))


def _outcome(folder: Path, unscored: dict[str, str]) -> Outcome:
    named = _FOLDER.fullmatch(folder.name)
    if named is None:
        raise RuntimeError(f"the suite wrote {folder.name}, which names no scenario")
    checks = json.loads((folder / "checks.json").read_text())
    found = Counter(each["status"] for each in checks)
    complaints = tuple(
        f"{each['id']}: {each.get('errorMessage', each['status'])}"
        for each in checks
        if each["status"] in ("FAILURE", "WARNING")
    )
    scenario = named["scenario"]
    return Outcome(
        scenario,
        found["SUCCESS"],
        found["FAILURE"],
        found["WARNING"],
        unscored.get(scenario, ""),
        complaints,
    )
