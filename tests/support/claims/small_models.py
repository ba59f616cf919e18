"""Theories of one carrier made at random, with a claim, and brute force over their small models.

A formula is made twice, as Kleis and as Python over tables: `•` and `inv` of numbers, `e` a number, `p` a set of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random
from typing import Any, NamedTuple

__all__ = ["Both", "Tables", "compiled", "countermodel", "formula", "models", "program"]

Tables = tuple[tuple[tuple[int, ...], ...], tuple[int, ...], int, tuple[bool, ...]]
"""`•`, `inv`, `e` and `p`."""


class Both(NamedTuple):
    """A formula as Kleis and as Python."""

    kleis: str
    python: str


_KNOWN = (
    Both("∀(x : S). e • x = x", "m[e][x] == x"),
    Both("∀(x : S). x • e = x", "m[x][e] == x"),
    Both("∀(x y : S). x • y = y • x", "m[x][y] == m[y][x]"),
    Both("∀(x y z : S). (x • y) • z = x • (y • z)", "m[m[x][y]][z] == m[x][m[y][z]]"),
    Both("∀(x : S). x • x = x", "m[x][x] == x"),
    Both("∀(x : S). inv(x) • x = e", "m[i[x]][x] == e"),
    Both("∀(x : S). x ≠ e → x • inv(x) = e", "x == e or m[x][i[x]] == e"),
    Both("∀(x : S). inv(inv(x)) = x", "i[i[x]] == x"),
    Both("∀(x y : S). x • y = e → x = e ∨ y = e", "m[x][y] != e or x == e or y == e"),
    Both("∀(x y : S). p(x • y) ↔ p(x) ∧ p(y)", "p[m[x][y]] == (p[x] and p[y])"),
    Both("∀(x : S). p(x) ∨ p(inv(x))", "p[x] or p[i[x]]"),
    Both("∀(x : S). p(x) → ¬p(inv(x))", "not p[x] or not p[i[x]]"),
    Both("∀(x : S). ∃(y : S). x • y = e", "any(m[x][y] == e for y in d)"),
    Both("∃(x : S). ∀(y : S). x • y = y", "any(all(m[v][w] == w for w in d) for v in d)"),
    Both("¬p(e)", "not p[e]"),
    Both("∃(x : S). p(x)", "any(p[v] for v in d)"),
    Both("∀(x y : S). x = y ∨ p(x) ∨ p(y)", "x == y or p[x] or p[y]"),
)
"""Written by hand; the variables of Python are x, y, z of the outermost ∀."""


def _term(random: Random, size: int) -> Both:
    if size <= 1 or random.random() < 0.25:
        name = random.choice("xxyyze")
        return Both(name, name)
    if random.random() < 0.3:
        inner = _term(random, size - 1)
        return Both(f"inv({inner.kleis})", f"i[{inner.python}]")
    left, right = _term(random, size // 2), _term(random, size - size // 2)
    return Both(f"({left.kleis} • {right.kleis})", f"m[{left.python}][{right.python}]")


def _literal(random: Random) -> Both:
    left, right = _term(random, random.choice((1, 2, 3))), _term(random, random.choice((1, 1, 2)))
    if random.random() < 0.25:
        found = Both(f"p({left.kleis})", f"p[{left.python}]")
    else:
        found = Both(f"{left.kleis} = {right.kleis}", f"{left.python} == {right.python}")
    return Both(f"¬({found.kleis})", f"not ({found.python})") if random.random() < 0.25 else found


def formula(random: Random) -> Both:
    """A closed formula: a known law, or a clause of up to three literals."""
    if random.random() < 0.45:
        return random.choice(_KNOWN)
    parts = [_literal(random) for _ in range(random.choice((1, 1, 1, 2, 2, 3)))]
    kleis = " ∨ ".join(f"({each.kleis})" for each in parts)
    return Both(f"∀(x y z : S). {kleis}", " or ".join(f"({each.python})" for each in parts))


def program(axioms: list[Both]) -> str:
    """The structure with these axioms."""
    lines = "".join(f"  axiom a{place} : {each.kleis}\n" for place, each in enumerate(axioms))
    return (
        "structure Small(S) {\n  operation (•) : S → S → S\n  operation inv : S → S\n  element e : S\n"
        f"  operation p : S → Bool\n{lines}}}\n"
    )


def compiled(formulas: list[Both]) -> Callable[..., bool]:
    """Whether all formulas are true of tables: a function of `•`, `inv`, `e`, `p` and the elements."""
    whole = " and ".join(f"({each.python})" for each in formulas) or "True"
    source = f"lambda m, i, e, p, d: all({whole} for x in d for y in d for z in d)"
    found: Any = eval(source)  # noqa: S307  # of texts made here
    return found  # type: ignore[no-any-return]  # what the source says


def models(random: Random, drawn: int) -> Iterator[Tables]:
    """All tables of one and of two elements, and some of three."""
    for size in (1, 2):
        rows = list(product(range(size), repeat=size))
        for table in product(rows, repeat=size):
            yield from (
                (table, inverse, unit, holds)
                for inverse in rows
                for unit in range(size)
                for holds in product((False, True), repeat=size)
            )
    for _ in range(drawn):
        table = tuple(tuple(random.randrange(3) for _ in range(3)) for _ in range(3))
        inverse = tuple(random.randrange(3) for _ in range(3))
        yield table, inverse, random.randrange(3), tuple(random.random() < 0.5 for _ in range(3))


def countermodel(axioms: list[Both], claim: Both | None, random: Random, drawn: int = 100) -> Tables | None:
    """A small model of the axioms in which the claim, if there is one, is false."""
    holds, said = compiled(axioms), compiled([] if claim is None else [claim])
    for tables in models(random, drawn):
        elements = range(len(tables[1]))
        if holds(*tables, elements) and not (claim is not None and said(*tables, elements)):
            return tables
    return None
