"""Small theories: the prelude, a text as a theory, groups."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kleis.theory.import_search import search_from
from kleis.theory.loader import Loader
from kleis.theory.theory import Theory

_REPOSITORY = Path(__file__).resolve().parents[3]

__all__ = ["GROUP", "prelude", "theory_of"]

GROUP = """
structure Group(G) {
  operation (•) : G × G → G
  element e : G
  operation inv : G → G
  axiom assoc : ∀(x y z : G). (x • y) • z = x • (y • z)
  axiom left_id : ∀(x : G). e • x = x
  axiom left_inv : ∀(x : G). inv(x) • x = e
}
"""


def theory_of(text: str) -> Theory:
    loading = Loader(search_from({}, path=())).load_text(text, file="<test>", directory=_REPOSITORY)
    assert not loading.errors, loading.errors
    return loading.theory


@lru_cache(maxsize=1)
def prelude() -> Theory:
    return theory_of('import "stdlib/kleis/prelude.kleis"\n')
