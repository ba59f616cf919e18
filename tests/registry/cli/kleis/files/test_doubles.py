"""What `kleis test` says of results in doubles: a pass is one to a tolerance, and it serves no proof."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.theories.numerics import needs_numeric

BLOCK = """
structure Facts { operation g : ℝ → ℝ  axiom there : g(1) = 1 }
example "doubles" {
  let v = nth(eigenvalues([[1]]), 0)
  assert(v = 1)
  assert(g(v) = 1)
}
"""


@needs_numeric
def test_a_numeric_let_serves_no_proof(kleis: Callable[..., Any], write: Callable[..., None]) -> None:
    write(main=BLOCK)
    (file,) = kleis("test", "--json", "main.kleis").json["files"]
    first, second = file["examples"][0]["assertions"]
    assert (first["status"], first["detail"]) == ("passed", "(to 1e-9)")
    assert second["status"] not in ("passed", "verified")


@needs_numeric
def test_a_block_that_rests_on_doubles_passes_to_a_tolerance(
    kleis: Callable[..., Any], write: Callable[..., None]
) -> None:
    write(main='example "spectrum" { assert(eigenvalues([[2, 0], [0, 3]]) = [2, 3]) }')
    assert kleis("test", "main.kleis").out.splitlines()[0] == "passed main.kleis: spectrum (to 1e-9)"
