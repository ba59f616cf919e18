"""`kleis test` with workers: the same reports, and what workers found is not searched again."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from kleis.batches.ahead import Ahead
from kleis.batches.spread import Opening, executor_pool
from kleis.prover.prover import Prover
from registry.cli.kleis.commands import kleis
from registry.cli.kleis.files.test import run_files
from registry.cli.kleis.shared.loading import make_loader
from registry.cli.kleis.shared.patience import PATIENT
from tests.support.faulty_workers import FAULTS

FILES = {
    "one.kleis": """
structure Monoid(M) {
  operation e : M
  operation (•) : M × M → M
  axiom left: ∀(x : M). e • x = x
  axiom right: ∀(x : M). x • e = x
}
example "units" {
  assert(∀(x : M). e • x = x • e)
  assert_disproved(∀(x y : M). x • y = y • x)
  assert(∀(x y : M). x • y = x)
}
""",
    "two.kleis": """
define twice(n : ℤ) : ℤ = n + n
lemma even: ∀(n : ℤ). twice(n) = 2 * n
example "numbers" {
  let n : ℤ
  assert(twice(n) = 2 * n)
  assert_disproved(n > 3)
  assert_inconsistent(n > n)
  assert(nothing(n) = 1)
}
""",
}


@pytest.mark.parametrize("fault", ["none", "lying"])
def test_reports_are_those_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setenv("PIF_HOME", str(tmp_path / "home"))
    names = []
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
        names.append(str(tmp_path / name))
    expected = [each.as_dict() for each in run_files(make_loader(), names, fresh=True)]
    searched: list[str] = []
    search = Prover._search

    def counting(self: Prover, task: Any, base: Any) -> Any:
        if threading.current_thread().name.startswith("kleis-test"):
            searched.append(base.claim)
        return search(self, task, base)

    monkeypatch.setattr(Prover, "_search", counting)
    with PATIENT.waiting(live=False) as waiting, ThreadPoolExecutor(1) as threads:

        def cluster(theories: Mapping[str, bytes]) -> Opening:
            class Faulty:
                def submit(self, fn: Any, *args: Any) -> Any:
                    return threads.submit(FAULTS[fault], *args)

            return lambda shunned: executor_pool(Faulty(), theories)  # type: ignore[arg-type]

        with Ahead(waiting.broker, cluster) as ahead:
            found = [
                each.as_dict()
                for each in run_files(make_loader(), names, fresh=True, waiting=waiting, ahead=ahead)
            ]
            assert ahead.answered == ahead.asked > 4
    assert found == expected
    if fault == "none":
        claims = [each for each in searched if "•" in each]
        assert claims == [], "what workers found needs no search"


@pytest.mark.parametrize("command", ["test", "explore"])
def test_what_is_no_address_is_refused_before_anything_is_read(tmp_path: Path, command: str) -> None:
    file = tmp_path / "f.kleis"
    file.write_text("structure S(A) { operation e : A }")
    words = [command, str(file), *(["S"] if command == "explore" else []), "--cluster", "nowhere"]
    done = CliRunner().invoke(kleis, words)
    assert done.exit_code == 2
    assert "tcp://HOST:PORT" in done.output
