"""Walking terms: what lies below one is what its fields say."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

import pytest

from kleis import core
from kleis.core import terms
from kleis.core.traversal import parts, rebuild, subterms
from kleis.semantics.reference import Evaluator

KINDS: tuple[type[Any], ...] = get_args(core.Term)

X = core.Variable("x", core.INTEGER)
Y = core.Variable("y", core.INTEGER)


def holding(kind: type[Any]) -> dict[str, bool]:
    """The fields of a kind that hold terms, in order; whether each holds several.  Bound variables are not below."""
    hints = get_type_hints(kind, vars(terms))
    known = {core.Term: False, tuple[core.Term, ...]: True}
    return {name: known[hints[name]] for name in kind.__struct_fields__ if hints[name] in known}


def made(kind: type[Any]) -> tuple[Any, tuple[core.Term, ...]]:
    """A term of a kind with a variable at each place below, and those variables."""
    below = holding(kind)
    names = iter("abcdefgh")
    values: dict[str, Any] = dict.fromkeys(kind.__struct_fields__, X)
    found: list[core.Term] = []
    for name, several in below.items():
        new = [core.Variable(next(names), core.INTEGER) for _ in range(1 + several)]
        values[name] = tuple(new) if several else new[0]
        found += new
    if "variables" in values:
        values["variables"] = (X, Y)
    return kind(**values), tuple(found)


@pytest.mark.parametrize("kind", KINDS)
def test_the_parts_of_a_term_are_what_its_fields_hold(kind: type[Any]) -> None:
    term, below = made(kind)
    assert parts(term) == below
    assert tuple(subterms(term)) == (term, *below)
    seen: list[core.Term] = []

    def change(part: core.Term) -> core.Term:
        seen.append(part)
        return Y if part == below[-1] else part

    changed = rebuild(term, change)
    assert tuple(seen) == below
    assert parts(changed) == (*below[:-1], *((Y,) if below else ()))
    assert rebuild(term, lambda part: part) is term


@pytest.mark.parametrize("kind", [each for each in KINDS if each is not core.Variable])
def test_the_reference_semantics_has_a_rule_for_each_kind_of_term(kind: type[Any]) -> None:
    from kleis.semantics.reference import _RULES

    assert callable(getattr(Evaluator, _RULES[kind]))
