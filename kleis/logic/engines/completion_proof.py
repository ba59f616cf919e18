"""Proofs of completion as chains: every lemma an equation, shown by replacing equals by equals.

Specification: proving.md §6 ("the chain of a completion"), provers.md §5.

A proof is a list of steps, each with a name and a JSON text ``{"terms": [t₀, …, tₙ], "by": [p₁, …, pₙ]}``: for every i,
tᵢ is tᵢ₋₁ with one part replaced by means of the equation pᵢ, an axiom or an earlier step.  So t₀ = tₙ holds for all
values of the variables.  ``reflection of p`` says that p is ``(s =G t) = true``, hence s = t.  The last step of every
branch is ``true = false``.

A term is ``[function, argument, …]``, a variable ``"x0 : G"``.  How it is checked: completion_check.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from kleis.core import Sort
from kleis.core.sort_printing import sort_text
from kleis.prover.engines.completion.rewriting import expanded
from kleis.prover.engines.completion.search import Origin, Search
from kleis.prover.engines.completion.shared_terms import Node
from kleis.prover.engines.completion.unit_equations import Unit
from kleis.prover.engines.first_order_terms import Function

__all__ = ["Reader", "chain_of", "written_proof"]


class Reader:
    """What the numbers of a search stand for."""

    def __init__(self, functions: Sequence[Function], sorts: Sequence[Sort]) -> None:
        self.functions = functions
        self.sorts = sorts

    def term(self, node: Node) -> Any:
        """A term as JSON values."""
        if node.head < 0:
            return f"x{-1 - node.head} : {sort_text(self.sorts[node.sort])}"
        return [self.functions[node.head].name, *map(self.term, node.arguments)]


def chain_of(search: Search, origin: Origin) -> tuple[list[Node], list[int]]:
    """The whole chain of an equation: its terms, and the labels between them."""
    terms, labels = list(origin.terms), list(origin.labels)
    for trace in origin.right:
        for label, term in expanded(search.bank, terms[-1], trace):
            terms.append(term)
            labels.append(label)
    before: list[tuple[int, Node]] = []
    for trace in origin.left:
        before += expanded(search.bank, before[-1][1] if before else terms[0], trace)
    front = [term for _, term in reversed(before)]
    return [*front, *terms], [*(label for label, _ in reversed(before)), *labels]


def written_proof(
    search: Search, units: Sequence[Unit], reader: Reader, prefix: str
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The names of the units that the contradiction rests on, in order, and the steps to it."""
    assert search.contradiction is not None, "there is a proof only of a contradiction"
    chains = {len(search.equations): chain_of(search, search.contradiction)}
    waiting = [len(search.equations)]
    while waiting:
        for label in chains[waiting.pop()][1]:
            number = label if label >= 0 else -1 - label
            if number not in chains:
                chains[number] = chain_of(search, search.equations[number].origin)
                waiting.append(number)
    names: dict[int, str] = {}
    used: dict[int, None] = {}
    steps: list[tuple[str, str]] = []
    for number in sorted(chains):
        terms, labels = chains[number]
        if not labels:
            unit = search.equations[number].origin.given
            assert unit is not None, "an equation without a chain was given"
            names[number] = units[unit].name
            used.setdefault(unit)
            continue
        names[number] = f"{prefix}step {len(steps) + 1}"
        by = [names[label] if label >= 0 else f"reflection of {names[-1 - label]}" for label in labels]
        text = {"terms": [reader.term(each) for each in terms], "by": by}
        steps.append((names[number], json.dumps(text, ensure_ascii=False, separators=(",", ":"))))
    return tuple(dict.fromkeys(units[unit].name for unit in sorted(used))), tuple(steps)
