"""Terms: the syntax trees of PIF, how they are printed and what identifies them (docs/reference/pif.md §1).

A `Term` is one kind of node for every operation, described by the table in `primitives`; what differs between
operations is data. Terms are frozen, may share parts, and nest at most `budget.TERM_DEPTH` deep, so plain recursion
over them is safe. `decode` makes them from JSON; printing a term and decoding it again gives the same term.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pif.language.primitives import PRIMITIVES, charge_names

__all__ = [
    "ONE_PART",
    "Data",
    "Json",
    "Term",
    "code_text",
    "identity",
    "literal",
    "make",
    "part_keys",
    "print_term",
    "same_term",
    "term_text",
    "text_charge",
]

Json = Any
"""Decoded JSON: None, bool, int, float, str, list, dict. (A recursive alias would say no more to a checker.)"""

Data = None | bool | int | str


class Term(msgspec.Struct, frozen=True):
    """One node.

    `op`: an operation of `primitives.PRIMITIVES`, or `literal`, or `list`. `parts`: the subterms, in evaluation
    order. `value`: what is not a subterm: the literal's value; the name of `var`, `lam` and `let`; the tuple of
    field names of `record`, sorted. `nodes` and `height` count all nodes below and including this one, and the
    longest chain of them (a leaf has height 1).

    Compare terms with `same_term`: `==` would take the literal `true` for 1, as Python does.
    """

    op: str
    parts: tuple[Term, ...] = ()
    value: Any = None
    nodes: int = 1
    height: int = 1

    def rebuilt(self, parts: tuple[Term, ...]) -> Term:
        """The same node over other parts (itself where nothing changed)."""
        if all(new is old for new, old in zip(parts, self.parts, strict=True)):
            return self
        return make(self.op, parts, self.value)


def make(op: str, parts: tuple[Term, ...], value: object = None) -> Term:
    """A node with its counts."""
    nodes = 1
    height = 0
    for part in parts:
        nodes += part.nodes
        if part.height > height:
            height = part.height
    return Term(op, parts, value, nodes, height + 1)


def text_charge(term: Term) -> int:
    """1 for each 16 characters of each text in a term: strings, names, the names of fields."""
    total = 0
    stack = [term]
    while stack:
        node = stack.pop()
        value = node.value
        if type(value) is str:
            total += len(value) >> 4
        elif type(value) is tuple:
            total += charge_names(value)
        stack += node.parts
    return total


def literal(value: Data) -> Term:
    """The leaf that evaluates to an integer, boolean, string or unit."""
    return Term("literal", (), value)


def part_keys(term: Term) -> tuple[tuple[str | int, ...], ...]:
    """For each part, the JSON pointer steps that lead to it in the printed form."""
    steps = _STEPS.get(term.op)
    if steps is not None:
        return ((term.op, 0),) if _wrapped(term) else steps
    match term.op:
        case "list":
            return tuple((i,) for i in range(len(term.parts)))
        case "record":
            return tuple(("record", name) for name in term.value)
        case "let":
            return (("let", term.value), ("in",))
        case _:
            return ()


ONE_PART = frozenset(name for name, row in PRIMITIVES.items() if row.shape == "one") | {"code_of"}
"""Operations printed as `{"op": part}`."""


_STEPS: dict[str, tuple[tuple[str | int, ...], ...]] = {
    **{name: ((name,),) for name in ONE_PART},
    **{
        row.name: tuple((row.name, i) for i in range(row.arity))
        for row in PRIMITIVES.values()
        if row.shape == "many"
    },
    "lam": (("body",),),
    "app": (("app", "func"), ("app", "arg")),
    "if": (("if", "cond"), ("if", "then"), ("if", "else")),
    "cons": (("cons", "head"), ("cons", "tail")),
    "continue": (("continue", "input"),),
}


def _wrapped(term: Term) -> bool:
    """Whether the one part is printed in an array: `analyze` of a list of one item would otherwise read as `analyze`
    of the item, by its second form."""
    return term.op == "analyze" and term.parts[0].op == "list" and len(term.parts[0].parts) == 1


def print_term(term: Term) -> Json:
    """The canonical JSON form: the first of the forms that the table gives for each operation."""
    parts = term.parts
    match term.op:
        case "literal":
            return term.value
        case "var":
            return {"var": term.value}
        case "list":
            return [print_term(part) for part in parts]
        case "lam":
            return {"lam": term.value, "body": print_term(parts[0])}
        case "app":
            return {"app": {"func": print_term(parts[0]), "arg": print_term(parts[1])}}
        case "if":
            cond, then, other = parts
            return {"if": {"cond": print_term(cond), "then": print_term(then), "else": print_term(other)}}
        case "let":
            return {"let": {term.value: print_term(parts[0])}, "in": print_term(parts[1])}
        case "record":
            fields = zip(term.value, parts, strict=True)
            return {"record": {name: print_term(part) for name, part in fields}}
        case "cons":
            return {"cons": {"head": print_term(parts[0]), "tail": print_term(parts[1])}}
        case "continue":
            return {"continue": {"input": print_term(parts[0])}}
        case "nil" | "self":
            return {term.op: True}
        case op if op in ONE_PART:
            part = print_term(parts[0])
            return {op: [part] if _wrapped(term) else part}
        case op:
            return {op: [print_term(part) for part in parts]}


_SORTED = msgspec.json.Encoder(order="sorted")


def code_text(code: Json) -> str:
    """Compact JSON text with the keys of every object in code-point order and UTF-8 unescaped."""
    return _SORTED.encode(code).decode()


def term_text(term: Term) -> str:
    """The compact canonical text of a term."""
    return code_text(print_term(term))


def identity(term: Term) -> str:
    """What identifies a tool: `pif1:` and the hex SHA-256 of `pif1`, a newline and the term's canonical text."""
    import hashlib  # loads a library of its own, which a run of a term does without

    digest = hashlib.sha256(b"pif1\n" + term_text(term).encode())
    return "pif1:" + digest.hexdigest()


def same_term(a: Term, b: Term) -> bool:
    """Whether two terms print the same (so that `true` differs from 1)."""
    if a is b:
        return True
    return (
        a.op == b.op
        and a.nodes == b.nodes
        and type(a.value) is type(b.value)
        and a.value == b.value
        and len(a.parts) == len(b.parts)
        and all(map(same_term, a.parts, b.parts))
    )
