"""Hypothesis strategies for PIF terms: typed and untyped, closed and open, with quotes, evals, tools and folds.

`term_maker` makes them, from a source of small numbers. Hypothesis is one source; `Seeded` is another, many times
quicker, for long runs by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from pif.language.primitives import PRIMITIVES
from pif.language.terms import Term, literal, make
from tests.support.terms.compiled_maker import CompiledMaker
from tests.support.terms.gathered_maker import GatheredMaker
from tests.support.terms.kept_maker import KeptMaker
from tests.support.terms.list_maker import ListMaker
from tests.support.terms.moving_binders import MovingMaker, alpha_variant
from tests.support.terms.shape_maker import ShapeMaker
from tests.support.terms.term_maker import (
    DATA_KINDS,
    INTEGERS,
    KINDS,
    NAMES,
    STRINGS,
    Features,
    Seeded,
    Source,
    TermMaker,
)
from tests.support.terms.text_maker import TextMaker

__all__ = [
    "DATA_KINDS",
    "JSON",
    "KEYS",
    "KINDS",
    "NAMES",
    "SCALARS",
    "Features",
    "MovingMaker",
    "Seeded",
    "Source",
    "TermMaker",
    "alpha_variant",
    "alpha_variants",
    "closed_terms",
    "data_terms",
    "functions",
    "gathered_terms",
    "hard_terms",
    "kept_terms",
    "listed_terms",
    "moving_terms",
    "names",
    "open_terms",
    "pure_terms",
    "shaped_terms",
    "tool_terms",
    "typed_terms",
    "written_terms",
]

KEYS = st.sampled_from(
    [*PRIMITIVES, "body", "in", "func", "arg", "cond", "then", "else", "head", "tail", "x", "lenght"]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(-(2**9000), 2**9000), st.floats(), st.text(),
    st.sampled_from(["x", "42", '{"var": "x"}', "[1", "square", '"7"', "NaN", "1e999", " true "]),
)  # fmt: skip
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(KEYS, inner, max_size=3),
        st.dictionaries(st.text(), inner, max_size=2),
    ),
    max_leaves=20,
)


class _Drawn:
    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw

    def below(self, limit: int) -> int:
        return self._draw(st.integers(0, limit - 1)) if limit > 1 else 0


@st.composite
def _made(draw: Any, features: Features, size: int, build: Callable[[MovingMaker], Term]) -> Term:
    return build(MovingMaker(_Drawn(draw), features, size))


def names() -> st.SearchStrategy[str]:
    """Names that generated terms use."""
    return st.sampled_from(NAMES)


def typed_terms(
    kind: str = "integer", features: Features | None = None, *, size: int = 30
) -> st.SearchStrategy[Term]:
    """Closed terms of a kind out of `KINDS`; they may still fail (a zero divisor, an empty list)."""
    return _made(features or Features(), size, lambda maker: maker.typed(kind))


def closed_terms(features: Features | None = None, *, size: int = 30) -> st.SearchStrategy[Term]:
    """Closed terms, half of them typed but for mistakes, half untyped."""
    chosen = features or Features(mistakes=12)
    return _made(chosen, size, _either)


def open_terms(features: Features | None = None, *, size: int = 30) -> st.SearchStrategy[Term]:
    """The same with free names (those of the first three `NAMES` and `x0`)."""
    chosen = features or Features(free=("x", "y", "z", "x0"), mistakes=10)
    return _made(chosen, size, _either)


def pure_terms(features: Features | None = None, *, size: int = 30) -> st.SearchStrategy[Term]:
    """Terms without a live `eval`, with quotes and free names."""
    chosen = features or Features(free=("y", "x0"), evals=False, mistakes=12)
    return _made(chosen, size, _either)


def tool_terms(features: Features | None = None, *, size: int = 30) -> st.SearchStrategy[Term]:
    """Terms that may be a tool's code: a function of an integer that calls itself or continues."""
    chosen = features or Features(context=True, mistakes=16)
    return _made(chosen, size, lambda maker: maker.tool())


def functions(features: Features | None = None, *, size: int = 40) -> st.SearchStrategy[Term]:
    """Functions of one name, of any kind of argument."""
    chosen = features or Features(mistakes=16)
    return _made(chosen, size, _function)


def hard_terms(features: Features | None = None, *, size: int = 40) -> st.SearchStrategy[Term]:
    """Terms in which a compiler is likely to slip; in the code of a tool they may use `x`, its argument."""
    chosen = features or Features(tools=("double", "fact"), context=True)

    @st.composite
    def made(draw: Any) -> Term:
        return CompiledMaker(_Drawn(draw), chosen, size).hard()

    return made()


def written_terms(*, size: int = 40) -> st.SearchStrategy[Term]:
    """Terms over records and texts."""

    @st.composite
    def made(draw: Any) -> Term:
        return TextMaker(_Drawn(draw), Features(tools=("double",), context=True), size).written()

    return made()


def listed_terms(*, size: int = 40) -> st.SearchStrategy[Term]:
    """Terms over lists that are put together, searched and walked."""

    @st.composite
    def made(draw: Any) -> Term:
        return ListMaker(_Drawn(draw), Features(tools=("double",), context=True), size).listed()

    return made()


def gathered_terms(*, size: int = 40) -> st.SearchStrategy[Term]:
    """Terms over integers that loops gather."""

    @st.composite
    def terms(draw: st.DrawFn) -> Term:
        return GatheredMaker(_Drawn(draw), Features(tools=("double",), context=True), size).gathered()

    return terms()


def kept_terms(*, size: int = 40) -> st.SearchStrategy[Term]:
    """Terms over what loops keep: states, sums, rows, records."""

    @st.composite
    def made(draw: Any) -> Term:
        return KeptMaker(_Drawn(draw), Features(tools=("double",), context=True), size).kept()

    return made()


def shaped_terms(*, size: int = 40) -> st.SearchStrategy[Term]:
    """Terms of shapes that compiled code treats in a way of its own; they call tools of `shape_maker.RINGS`."""

    @st.composite
    def made(draw: Any) -> Term:
        return ShapeMaker(_Drawn(draw), Features(tools=("double",), context=True), size).shaped()

    return made()


def moving_terms(features: Features | None = None, *, size: int = 40) -> st.SearchStrategy[Term]:
    """Terms of calls, bindings and structures, for what moves and drops parts of terms."""
    chosen = features or Features(context=True, free=("x0", "y"))
    return _made(chosen, size, lambda maker: maker.moving())


def data_terms(*, size: int = 12) -> st.SearchStrategy[Term]:
    """Data that need no evaluation but their own: inputs."""
    scalars = st.one_of(
        st.sampled_from(INTEGERS).map(literal), st.booleans().map(literal), st.sampled_from(STRINGS).map(literal),
        st.just(literal(None)),
    )  # fmt: skip
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda parts: make("list", tuple(parts))),
            st.tuples(inner, inner).map(lambda parts: make("pair", parts)),
            st.tuples(inner, inner).map(lambda parts: make("record", parts, ("a", "b"))),
        ),
        max_leaves=size,
    )


@st.composite
def alpha_variants(draw: Any, terms: st.SearchStrategy[Term]) -> tuple[Term, Term]:
    """A term and the same with its binders renamed."""
    term = draw(terms)
    return term, alpha_variant(term, _Drawn(draw))


def _function(maker: MovingMaker) -> Term:
    kind = maker.pick(KINDS)
    body = maker.typed(maker.pick(KINDS), (("n", kind), ("x", kind)))
    return make("lam", (make("let", (Term("var", (), "n"), body), "x"),), "n")


def _either(maker: TermMaker) -> Term:
    return maker.typed(maker.pick(KINDS)) if maker.source.below(2) else maker.untyped()
