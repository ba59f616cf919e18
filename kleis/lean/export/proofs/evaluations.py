"""Claims without variables whose functions the kernel leaves folded, computed by rewriting.  See docs/reference/lean.md §6.1.

``simp`` with the equations of the definitions unfolds recursion by a measure, and choice over lists, which neither
``decide`` nor Lean's kernel does.  It goes deeper with every step, so that only short computations are written.
"""

from __future__ import annotations

from kleis import core
from kleis.core.traversal import sorts_of, subterms
from kleis.lean.export.declarations.lean_definitions import Definitions
from kleis.lean.language import lean_tree as lean
from kleis.prover.protocol.verdict import Verdict

__all__ = ["MAXIMUM_STEPS", "evaluation"]

MAXIMUM_STEPS = 1_200
"""Steps of our evaluation: what took more went beyond the depth that Lean allows."""

_NUMBERS = frozenset({"ℕ", "ℤ"})
_COMPUTED = frozenset(
    ["plus", "minus", "times", "negate", "div", "mod", "abs", "less_than", "leq", "greater_than", "geq",
     "length", "append", "list_filter", "list_map", "range"]
)  # fmt: skip
"""Built-ins that ``simp`` computes, with proofs that the kernel of every Lean accepts: of powers it did not."""

_RANGE = ("Builtin.range", "List.range", "List.range.loop")


def evaluation(
    claim: core.Term, verdict: Verdict, definitions: Definitions
) -> tuple[lean.Tactic, ...] | None:
    """Tactics that rewrite a claim to True; None where it is of another kind, or took long to compute."""
    steps = [each.steps for each in verdict.attempts if each.engine == verdict.engine]
    if verdict.engine != "evaluation" or not steps or steps[-1] > MAXIMUM_STEPS:
        return None
    keys: dict[str, None] = {}
    called: set[str] = set()
    waiting = [claim]
    while waiting:
        term = waiting.pop()
        if not all(map(_is_whole, sorts_of(term))):
            return None
        for each in subterms(term):
            if isinstance(each, core.SymbolCall | core.Quantifier):
                return None
            if isinstance(each, core.BuiltinCall):
                called.add(each.operation.name)
            if isinstance(each, core.DefinitionCall) and each.definition not in keys:
                keys[each.definition] = None
                waiting.append(definitions.gathering.definitions[each.definition].body)
    if not called <= _COMPUTED:
        return None
    own = [name for key in keys for name in definitions.written_names(key)]
    return (lean.Evaluate(tuple(map(lean.Name, (*own, *(_RANGE if "range" in called else ()))))),)


def _is_whole(sort: core.Sort) -> bool:
    """Whether values of a sort consist of whole numbers and truth values, which ``simp`` computes with."""
    match sort:
        case core.ListOf(element=element):
            return _is_whole(element)
        case core.TupleOf(items=items):
            return all(map(_is_whole, items))
        case core.FunctionOf(domain=domain, codomain=codomain):
            return all(map(_is_whole, (*domain, codomain)))
        case core.Numeric(name=name):
            return name in _NUMBERS
        case _:
            return sort == core.BOOL
