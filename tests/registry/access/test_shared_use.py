"""What principals use, over processes: none is counted twice or not at all, and what a dead process held is free."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from registry.access import shared_use
from registry.access.quotas import Meter, Quotas
from registry.access.shared_use import UseTable

COUNTING = """
import sys
from pathlib import Path
from registry.access.quotas import Meter, Quotas
from registry.access.shared_use import UseTable
table = UseTable(Path(sys.argv[1]), 4, int(sys.argv[2]))
meter = Meter(Quotas(fuel=10**12, calls=10**6), Path("."), use=table.of("alice"))
for _ in range(300):
    assert meter.begin("run", "run", 10, None) is None
    meter.end(10, 7)
"""


def meters(tmp_path: Path, quotas: Quotas, principal: str = "alice") -> list[Meter]:
    """Meters of one principal in two processes."""
    tables = [UseTable(tmp_path / "use", 2, column) for column in range(2)]
    return [Meter(quotas, tmp_path, use=table.of(principal)) for table in tables]


def test_fuel_that_one_process_set_aside_is_not_the_other_s(tmp_path: Path) -> None:
    one, other = meters(tmp_path, Quotas(fuel=100))
    assert one.begin("run", "run", 60, None) is None
    refused = other.begin("run", "run", 60, None)
    assert refused is not None
    assert (refused.quota, refused.used) == ("fuel", 60)
    one.end(60, 10)
    assert other.begin("run", "run", 60, None) is None
    assert one.begin("run", "run", 31, None) is not None
    assert one.begin("run", "run", 30, None) is None


def test_calls_and_seconds_are_counted_together(tmp_path: Path) -> None:
    one, other = meters(tmp_path, Quotas(calls=2, prover_seconds=5))
    assert one.begin("run", "run", 0, None) is None
    assert other.begin("run", "run", 0, None) is None
    for each in (one, other):
        refused = each.begin("run", "run", 0, None)
        assert refused is not None
        assert refused.quota == "calls"
    other.end(0, 0)
    one.proved(6.0)
    refused = other.begin("evaluate", "theory", 0, None)
    assert refused is not None
    assert refused.quota == "prover-seconds"


def test_principals_have_rows_of_their_own(tmp_path: Path) -> None:
    (alice, _), (_, mallory) = (meters(tmp_path, Quotas(fuel=100), name) for name in ("alice", "mallory"))
    assert alice.begin("run", "run", 100, None) is None
    assert mallory.begin("run", "run", 100, None) is None


def test_what_a_process_held_that_has_ended_is_free(tmp_path: Path) -> None:
    one, other = meters(tmp_path, Quotas(fuel=100, calls=1))
    assert one.begin("run", "run", 100, None) is None
    assert other.begin("run", "run", 1, None) is not None
    UseTable(tmp_path / "use", 2).clear(0)
    assert other.begin("run", "run", 100, None) is None


def test_many_processes_count_each_use_once(tmp_path: Path) -> None:
    path = str(tmp_path / "use")
    running = [
        subprocess.Popen([sys.executable, "-c", COUNTING, path, str(column)], cwd=Path(__file__).parents[3])
        for column in range(3)
    ]
    assert [each.wait() for each in running] == [0, 0, 0]
    with UseTable(Path(path), 4, 3).of("alice").changing() as use:
        assert use.fuel == 3 * 300 * 7
        assert (use.reserved, use.calls) == (0, 0)


def test_a_full_table_takes_the_row_that_was_used_longest_ago(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    monkeypatch.setattr(shared_use, "ROWS", 2)
    table = UseTable(tmp_path / "use", 1)
    clock = 100.0
    names = ("alice", "bob", "carol")
    meters = {name: Meter(Quotas(fuel=10), tmp_path, lambda: clock, table.of(name)) for name in names}
    assert meters["alice"].begin("run", "run", 10, None) is None  # under way: its row is not taken
    assert meters["bob"].begin("run", "run", 10, None) is None
    meters["bob"].end(10, 10)
    assert meters["carol"].begin("run", "run", 10, None) is None
    assert meters["alice"].begin("run", "run", 1, None) is not None
