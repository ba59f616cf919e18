"""Random propositions over a small program, well sorted by construction, as text.

The program has what a printer may stumble over: data with and without parameters, a structure with parameters,
two sections that share a name, definitions with and without types, guards, nested patterns, every kind of number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

__all__ = ["PROGRAM", "propositions"]

PROGRAM = """
data Option(T) = None | Some(value : T)
data Shape = Dot | Line(length : ℕ) | Box(width : ℤ, height : ℤ)
data Tree = Leaf | Node(left : Tree, item : ℤ, right : Tree)
structure Monoid(M) {
    operation (•) : M → M → M
    element e : M
    axiom assoc : ∀(x y z : M). (x • y) • z = x • (y • z)
}
structure Weights { operation weigh : ℤ → ℤ  element unit : ℕ  operation good : ℝ → Bool }
structure Flags { element unit : Bool  operation weigh : Bool → ℤ }
operation same : T → T → Bool
define twice(x) = x + x
define half(x : ℝ) : ℝ = x / 2
define area(s) = match s { Dot => 0 | Line(n) => n | Box(w, h) if w > h => w * h | Box(w, h) => h }
define first(l : List(ℤ)) : ℤ = match l { Cons(h, _) => h }
"""

_VARIABLES = {
    "ℕ": ("n", "m"),
    "ℤ": ("x", "y"),
    "ℝ": ("r", "floor"),
    "Bool": ("a", "b"),
    "List(ℤ)": ("l", "k"),
    "Option(ℤ)": ("o", "match1"),
    "Shape": ("s",),
    "Tree": ("t",),
    "ℤ × Option(ℤ)": ("p",),
}
_SORTS = tuple(_VARIABLES)

_Draw = Callable[[Any], Any]


class _Writer:
    """Writes one proposition.  `scope` maps sorts to names in scope; `depth` is how far parts may nest."""

    def __init__(self, draw: _Draw) -> None:
        self._draw = draw
        self._count = 0

    def choose(self, options: Sequence[str]) -> str:
        return self._draw(st.sampled_from(list(options)))

    def fresh(self) -> str:
        self._count += 1
        return self.choose(("v", "w")) + str(self._count)

    def term(self, sort: str, scope: dict[str, tuple[str, ...]], depth: int) -> str:
        names = scope.get(sort, ())
        if depth <= 0:
            return self.choose([*names, _LEAVES[sort]])
        kind = self.choose(("leaf", "own", "own", "own", "if", "match", "let"))
        if kind == "leaf":
            return self.choose([*names, _LEAVES[sort]])
        if kind == "if":
            test = self.term("Bool", scope, depth - 1)
            yes, no = (self.term(sort, scope, depth - 1) for _ in range(2))
            return f"(if {test} then {yes} else {no})"
        if kind == "let":
            return self._let(sort, scope, depth - 1)
        if kind == "match":
            return self._match(sort, scope, depth - 1)
        return self._own(sort, scope, depth - 1)

    def _let(self, sort: str, scope: dict[str, tuple[str, ...]], depth: int) -> str:
        bound, name = self.choose(_SORTS), self.fresh()
        value = self.term(bound, scope, depth)
        body = self.term(sort, {**scope, bound: (*scope.get(bound, ()), name)}, depth)
        return f"(let {name} : {bound} = {value} in {body})"

    def _match(self, sort: str, scope: dict[str, tuple[str, ...]], depth: int) -> str:
        scrutinee = self.choose(tuple(_PATTERNS))
        value = self.term(scrutinee, scope, depth)
        cases = []
        for pattern in self._draw(st.sampled_from(_PATTERNS[scrutinee])):
            cases.append(self._case(pattern, sort, scope, depth))
        return f"(match {value} {{ {' | '.join(cases)} }})"

    def _case(
        self, pattern: tuple[str, ...], sort: str, scope: dict[str, tuple[str, ...]], depth: int
    ) -> str:
        shape, *sorts = pattern
        inner = dict(scope)
        names = []
        for each in sorts:
            names.append(self.fresh())
            inner[each] = (*inner.get(each, ()), names[-1])
        guard = ""
        if shape.endswith("?"):
            guard = f" if {self.term('Bool', inner, 0)}"
        return f"{shape.rstrip('?').format(*names)}{guard} => {self.term(sort, inner, depth)}"

    def _own(self, sort: str, scope: dict[str, tuple[str, ...]], depth: int) -> str:
        form = self.choose(_FORMS[sort])
        parts = form.split("⟨")
        text = parts[0]
        for part in parts[1:]:
            wanted, rest = part.split("⟩")
            if wanted.startswith(("∀", "∃")):
                text += self._quantified(wanted[0], scope, depth) + rest
            else:
                text += self.term(wanted, scope, depth) + rest
        return text

    def _quantified(self, sign: str, scope: dict[str, tuple[str, ...]], depth: int) -> str:
        sort, name = self.choose(_SORTS), self.choose(("n", "x", "q", "z"))
        hidden = {each: tuple(old for old in names if old != name) for each, names in scope.items()}
        inner = {**hidden, sort: (*hidden.get(sort, ()), name)}
        where = f" where {self.term('Bool', inner, 0)}" if self.choose(("yes", "no")) == "yes" else ""
        return f"({sign}({name} : {sort}){where}. {self.term('Bool', inner, depth)})"


_LEAVES = {
    "ℕ": "2",
    "ℤ": "(0 - 3)",
    "ℝ": "0.5",
    "Bool": "true",
    "List(ℤ)": "[1, 2]",
    "Option(ℤ)": "(None : Option(ℤ))",
    "Shape": "Dot",
    "Tree": "Leaf",
    "ℤ × Option(ℤ)": "((1, None) : ℤ × Option(ℤ))",
}

_FORMS = {
    "ℕ": ("⟨ℕ⟩ + ⟨ℕ⟩", "⟨ℕ⟩ * ⟨ℕ⟩", "abs(⟨ℤ⟩)", "length(⟨List(ℤ)⟩)", "(⟨ℤ⟩ : ℕ)", "twice(⟨ℕ⟩)", "(unit : ℕ)"),
    "ℤ": (
        "(⟨ℤ⟩ + ⟨ℕ⟩)",
        "(⟨ℤ⟩ - ⟨ℤ⟩)",
        "(-(⟨ℤ⟩))",
        "twice(⟨ℤ⟩)",
        "div(⟨ℤ⟩, ⟨ℕ⟩)",
        "weigh(⟨ℤ⟩)",
        "weigh(⟨Bool⟩)",
        "first(⟨List(ℤ)⟩)",
        "area(⟨Shape⟩)",
        "sum(⟨List(ℤ)⟩)",
    ),
    "ℝ": ("(⟨ℝ⟩ + ⟨ℤ⟩)", "(⟨ℝ⟩ * ⟨ℝ⟩)", "(⟨ℤ⟩ / ⟨ℤ⟩ : ℝ)", "half(⟨ℕ⟩)", "(⟨ℝ⟩)^2", "sqrt(⟨ℝ⟩)", "twice(⟨ℝ⟩)"),
    "Bool": (
        "(⟨ℤ⟩ = ⟨ℕ⟩)",
        "(⟨ℝ⟩ < ⟨ℤ⟩)",
        "(⟨ℕ⟩ ≠ ⟨ℤ⟩)",
        "(⟨Bool⟩ ∧ ⟨Bool⟩)",
        "(⟨Bool⟩ ∨ ⟨Bool⟩)",
        "(⟨Bool⟩ → ⟨Bool⟩)",
        "(⟨Bool⟩ ↔ ⟨Bool⟩)",
        "(¬(⟨Bool⟩))",
        "(⟨List(ℤ)⟩ = ⟨List(ℤ)⟩)",
        "(⟨Option(ℤ)⟩ = ⟨Option(ℤ)⟩)",
        "(⟨Shape⟩ = ⟨Shape⟩)",
        "(⟨ℤ × Option(ℤ)⟩ = ⟨ℤ × Option(ℤ)⟩)",
        "same(⟨ℤ⟩, ⟨ℤ⟩)",
        "good(⟨ℝ⟩)",
        "(unit : Bool)",
        "⟨∀⟩",
        "⟨∃⟩",
    ),
    "List(ℤ)": ("[⟨ℤ⟩, ⟨ℕ⟩]", "Cons(⟨ℤ⟩, ⟨List(ℤ)⟩)", "append(⟨List(ℤ)⟩, ⟨List(ℤ)⟩)", "([] : List(ℤ))"),
    "Option(ℤ)": ("Some(⟨ℤ⟩)", "(Some(⟨ℕ⟩) : Option(ℤ))", "(None : Option(ℤ))"),
    "Shape": ("Line(⟨ℕ⟩)", "Box(⟨ℤ⟩, ⟨ℕ⟩)", "Dot"),
    "Tree": ("Node(⟨Tree⟩, ⟨ℤ⟩, ⟨Tree⟩)", "Leaf"),
    "ℤ × Option(ℤ)": ("(⟨ℤ⟩, ⟨Option(ℤ)⟩)",),
}

_PATTERNS: dict[str, tuple[tuple[tuple[str, ...], ...], ...]] = {
    "List(ℤ)": (
        (("[]",), ("Cons({}, {})", "ℤ", "List(ℤ)")),
        (("Cons({}, {})", "ℤ", "List(ℤ)"), ("_",)),
        (("[{}]", "ℤ"), ("Cons({}, Cons({}, {}))?", "ℤ", "ℤ", "List(ℤ)"), ("_",)),
        (("Cons(0, {})", "List(ℤ)"),),
        (("Cons({}, Cons({}, _) as {})", "ℤ", "ℤ", "List(ℤ)"), ("{}", "List(ℤ)")),
    ),
    "Option(ℤ)": (
        (("None",), ("Some({})", "ℤ")),
        (("Some(0)",), ("Some({})?", "ℤ"), ("_",)),
        (("Some({})", "ℤ"),),
    ),
    "Shape": (
        (("Dot",), ("Line({})", "ℕ"), ("Box({}, {})", "ℤ", "ℤ")),
        (("Box({}, _)?", "ℤ"), ("Line(3)",), ("Line({})", "ℕ")),
    ),
    "Tree": ((("Leaf",), ("Node({}, {}, Node(_, {}, _))", "Tree", "ℤ", "ℤ"), ("_",)),),
    "ℤ × Option(ℤ)": (
        (("({}, Some({}))", "ℤ", "ℤ"), ("({}, None)", "ℤ")),
        (("(0, {})", "Option(ℤ)"), ("({}, {})", "ℤ", "Option(ℤ)")),
        (("({}, {})", "ℤ", "Option(ℤ)"),),
    ),
    "ℕ": ((("0",), ("{}", "ℕ")), (("1",), ("2",))),
    "Bool": ((("true",), ("false",)), (("{}?", "Bool"), ("_",))),
}


@st.composite
def propositions(draw: _Draw) -> str:
    """A closed proposition about the program."""
    writer = _Writer(draw)
    binders = ", ".join(f"{' '.join(names)} : {sort}" for sort, names in _VARIABLES.items())
    return f"∀({binders}). {writer.term('Bool', dict(_VARIABLES), 4)}"
