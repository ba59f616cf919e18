"""The memory of runs is fitted to the machine and to the control groups around the process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from registry.server.contract.machine_memory import LEAST, MOST, fitted_memory, memory_limit

GIGABYTE = 1 << 30
MACHINE = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def places(home: Path, own: str, files: dict[str, str]) -> tuple[Path, Path]:
    (home / "own").write_text(own)
    for name, text in files.items():
        file = home / "cgroup" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return home / "cgroup", home / "own"


@pytest.mark.parametrize(
    ("own", "files", "limit"),
    [
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/memory.max": "123456789\n"}, 123_456_789),
        ("0::/a\n", {"a/memory.max": "200000000\n", "memory.max": "100000000\n"}, 100_000_000),
        ("0::/\n", {"memory.max": "100000000\n"}, 100_000_000),
        ("4:cpu,memory:/c\n", {"memory/c/memory.limit_in_bytes": "300000000\n"}, 300_000_000),
        ("4:memory:/docker/x\n", {"memory/memory.limit_in_bytes": "300000000\n"}, 300_000_000),
        ("4:memory:/\n", {"memory/memory.limit_in_bytes": f"{2**63 - 4096}\n"}, MACHINE),
        ("0::/a\n", {"a/memory.max": "max\n"}, MACHINE),
        ("", {}, MACHINE),
    ],
)
def test_the_lowest_limit_counts(tmp_path: Path, own: str, files: dict[str, str], limit: int) -> None:
    assert memory_limit(*places(tmp_path, own, files)) == limit


def test_runs_get_a_quarter_within_bounds(tmp_path: Path) -> None:
    found = [
        fitted_memory(*places(tmp_path, "0::/\n", {"memory.max": str(size)}))
        for size in (1, min(MACHINE, 2 * GIGABYTE), 1 << 62)
    ]
    assert found == [LEAST, min(MACHINE, 2 * GIGABYTE) // 4 >> 20, min(MOST, max(LEAST, MACHINE // 4 >> 20))]
