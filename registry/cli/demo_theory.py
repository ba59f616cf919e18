"""The acts of `pif demo` that build a theory: groups, a clash refused, a proof, a counterexample, a second universe.

Specification: issue 6, item 5.
"""

from __future__ import annotations

from registry.cli.demo_calls import Act, Call

__all__ = ["THEORY", "THEORY_LATER"]

_GROUP = """structure Symmetries(W) {
  operation (⊙) : W × W → W
  element u : W
  operation back : W → W
  axiom assoc : ∀(x y z : W). (x ⊙ y) ⊙ z = x ⊙ (y ⊙ z)
  axiom left_unit : ∀(x : W). u ⊙ x = x
  axiom left_back : ∀(x : W). back(x) ⊙ x = u
}"""

_CLASH = """structure Strange(W) extends Symmetries(W) {
  axiom two : ∃(x : W). x ≠ u
  axiom constant : ∀(x y : W). x ⊙ y = u
}"""

_COMMUTES = "∀(x y : W). x ⊙ y = y ⊙ x"


def _verdict(status: str, **more: object) -> dict[str, object]:
    return {"status": status, **more}


THEORY = Act(
    "A theory that is checked: symmetries, a group by three axioms",
    (
        Call(
            "submit_structure",
            {"kleis": _GROUP},
            _verdict("consistent", accepted=True, structures_added=["Symmetries"]),
            "kept, because it has a model",
        ),
        Call(
            "submit_structure",
            {"kleis": _CLASH},
            _verdict("inconsistent", accepted=False),
            "refused, with the axioms that clash; nothing is kept",
        ),
        Call(
            "evaluate",
            {"expression": "∀(x : W). x ⊙ u = x"},
            _verdict("verified", verified=True, axioms="model"),
            "a left unit is a right one: proved",
        ),
        Call(
            "evaluate",
            {"expression": _COMMUTES},
            _verdict("disproved", verified=False),
            "groups need not commute: the smallest one that does not, as a table",
        ),
        Call("save_theory", {"name": "symmetries"}, _verdict("saved", name="symmetries")),
        Call(
            "load_theory",
            {"imports": ["symmetries"], "session": "abelian"},
            _verdict("consistent", imports=["symmetries.kleis"]),
            "a second universe beside the first",
        ),
        Call(
            "submit_structure",
            {
                "kleis": f"structure Abelian(W) extends Symmetries(W) {{ axiom comm : {_COMMUTES} }}",
                "session": "abelian",
            },
            _verdict("consistent", accepted=True),
        ),
        Call(
            "evaluate",
            {"expression": "using Abelian ∀(x y : W). back(x ⊙ y) = back(x) ⊙ back(y)", "session": "abelian"},
            _verdict("verified", verified=True),
            "true there",
        ),
    ),
)
"""The act of the first day."""

THEORY_LATER = Act(
    "The universes are still there",
    (
        Call("list_session", {"session": "abelian"}, {"count": 1, "imports": ["symmetries.kleis"]}),
        Call("evaluate", {"expression": "∀(x : W). back(back(x)) = x"}, _verdict("verified", verified=True)),
    ),
)
"""After the server was started anew."""
