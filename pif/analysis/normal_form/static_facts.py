"""What can be said of a reduced term without running it: its kind, whether it can fail, whether it can continue.

Every answer is on the safe side: "cannot fail" means that evaluation gives a value or meets a limit, in any scope; a
kind is that of the value where there is one. Answers are remembered for each node, so that asking costs a constant
amount for each node of a pass.
"""

from __future__ import annotations

from pif.analysis.facts import live_parts
from pif.language.terms import Term

__all__ = ["SCALARS", "Knowledge", "is_number", "is_text", "may_continue"]

SCALARS = frozenset({"integer", "boolean", "string", "unit"})
"""Kinds that hold nothing, so no function either."""

_KINDS = {
    **dict.fromkeys(("add", "sub", "mul", "div", "mod", "length"), "integer"),
    **dict.fromkeys(("eq", "lt", "lte", "gt", "gte", "and", "or", "not", "isEmpty"), "boolean"),
    **dict.fromkeys(("concat", "join", "show"), "string"),
    **dict.fromkeys(
        ("nil", "list", "cons", "tail", "range", "keys", "chars", "axioms", "operations", "structures"),
        "list",
    ),
    **dict.fromkeys(("record", "with", "reify", "analyze", "verify"), "record"),
    **dict.fromkeys(("quote", "reflect", "normalize", "code_of"), "quoted"),
    "pair": "pair",
    "lam": "function",
}
"""The kind of the value of each operation that has but one."""

_OPERANDS: dict[str, tuple[frozenset[str], ...]] = {
    **dict.fromkeys(("add", "sub", "mul", "range"), (frozenset({"integer"}),) * 2),
    **dict.fromkeys(("and", "or"), (frozenset({"boolean"}),) * 2),
    "not": (frozenset({"boolean"}),),
    "eq": (SCALARS | {"quoted"},) * 2,
    "concat": (frozenset({"string"}),) * 2,
    "chars": (frozenset({"string"}),),
    "show": (SCALARS | {"quoted"},),
    "isEmpty": (frozenset({"list"}),),
    "length": (frozenset({"list", "string"}),),
    "fst": (frozenset({"pair"}),),
    "snd": (frozenset({"pair"}),),
    "keys": (frozenset({"record"}),),
}
"""For operations that give a value whenever their operands have these kinds, those kinds."""

_CALLS = frozenset({"app", "self", "eval", "continue"})


def may_continue(term: Term) -> bool:
    """Whether the value may be the marker of a `continue`, where the term stands in a place that lets it pass."""
    while term.op == "let":
        term = term.parts[1]
    if term.op == "if":
        return may_continue(term.parts[1]) or may_continue(term.parts[2])
    return term.op in _CALLS


def is_number(term: Term) -> bool:
    """Whether a term is an integer literal (`true` is none)."""
    return term.op == "literal" and type(term.value) is int


def is_text(term: Term) -> bool:
    """Whether a term is a string literal."""
    return term.op == "literal" and type(term.value) is str


class Knowledge:
    """Answers about the terms that one pass makes. `bound` holds the values of numbered `let`s."""

    def __init__(self) -> None:
        self.bound: dict[int, Term] = {}
        # The terms are kept beside the answers: a freed term's id could be given to another.
        self._kinds: dict[int, tuple[Term, str | None]] = {}
        self._total: dict[int, tuple[Term, bool]] = {}

    def learn(self, name: int, value: Term) -> None:
        """Note the value of a `let`. Its kind is found now, so that no chain of names is followed later."""
        self.bound[name] = value
        self.kind(value)

    def meaning(self, term: Term) -> Term:
        """The term itself, or for a variable whose value is known the term of that value."""
        if term.op == "var" and type(term.value) is int:
            return self.bound.get(term.value, term)
        return term

    def kind(self, term: Term) -> str | None:
        """The kind of the term's value, or None where that is not known."""
        match term.op:
            case "literal":
                match term.value:
                    case bool():
                        return "boolean"
                    case int():
                        return "integer"
                    case str():
                        return "string"
                    case _:
                        return "unit"
            case "var":
                value = self.meaning(term)
                return None if value is term else self.kind(value)
            case "if" | "let":
                known = self._kinds.get(id(term))
                if known is None:
                    known = self._kinds[id(term)] = (term, self._kind_inside(term))
                return known[1]
            case op:
                return _KINDS.get(op)

    def _kind_inside(self, term: Term) -> str | None:
        kind = self.kind(term.parts[-1])
        return kind if term.op == "let" or self.kind(term.parts[1]) == kind else None

    def total(self, term: Term) -> bool:
        """Whether evaluating the term cannot fail, limits apart."""
        if not term.parts:
            return term.op != "self" and not (term.op == "var" and type(term.value) is str)
        if term.op == "lam":
            return True
        known = self._total.get(id(term))
        if known is None:
            known = self._total[id(term)] = (term, self._total_inside(term))
        return known[1]

    def _total_inside(self, term: Term) -> bool:
        op, parts = term.op, term.parts
        if op == "quote":
            return next(live_parts(parts[0]), None) is None
        if op not in _CALLS and not all(map(self.total, parts)):
            return False
        match op:
            case "list" | "record" | "pair" | "let":
                return True
            case "cons":
                return self.kind(parts[1]) == "list"
            case "if":
                return self.kind(parts[0]) == "boolean"
            case "with":
                return self.kind(parts[0]) == "record" and self.kind(parts[1]) == "string"
            case "div" | "mod":
                return self.kind(parts[0]) == "integer" and is_number(parts[1]) and parts[1].value != 0
            case "lt" | "lte" | "gt" | "gte":
                kind = self.kind(parts[0])
                return kind in ("integer", "string") and self.kind(parts[1]) == kind
            case _:
                wanted = _OPERANDS.get(op)
                return wanted is not None and all(
                    self.kind(part) in kinds for part, kinds in zip(parts, wanted, strict=True)
                )
