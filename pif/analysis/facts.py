"""What can be read off a term: names, operations, tools, capabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pif.analysis.work import Work
from pif.language.errors import Path, PifError, longer, pointer
from pif.language.primitives import PRIMITIVES
from pif.language.terms import Term, make, part_keys

__all__ = [
    "CAPABILITIES",
    "Facts",
    "closed",
    "facts_of",
    "free_names",
    "holds_live",
    "literal_tool",
    "live_children",
    "live_parts",
    "multiplies_itself",
]

CAPABILITIES: dict[str, str] = {
    "continue": "can ask to be called again",
    "dynamic_code": "builds code, or reads a tool whose name it computes",
    "eval": "runs quoted code",
    "self": "calls itself",
    "theory": "asks the theory that its run was given",
}
"""What a term may do beyond plain computation."""


ORACLES = frozenset(name for name, row in PRIMITIVES.items() if row.category == "theory")
"""Operations that ask a theory."""


class Facts(msgspec.Struct, frozen=True):
    """The record that `analyze` gives. Quoted parts are entered, except by `free`, which enters live unquotes only."""

    nodes: int
    depth: int
    operations: dict[str, int]
    free: list[str]
    tools: list[str]
    capabilities: list[str]


def facts_of(term: Term, work: Work | None = None) -> Facts:
    """All facts of one term. A step of `work` is four nodes; raises `Unfinished` where it is used up."""
    if work is not None:
        work.done(1 + term.nodes // 4)
    operations: dict[str, int] = {}
    tools: set[str] = set()
    capabilities: set[str] = set()
    stack = [term]
    while stack:
        node = stack.pop()
        stack += node.parts
        op = node.op
        if op == "literal" or op == "list":
            continue
        operations[op] = operations.get(op, 0) + 1
        if op in ("eval", "self", "continue"):
            capabilities.add(op)
        elif op in ORACLES:
            capabilities.add("theory")
        elif op in ("reflect", "unquote"):
            capabilities.add("dynamic_code")
        elif op == "code_of" or op == "app":
            name = literal_tool(node)
            if name == "self" and op == "code_of":
                capabilities.add("self")
            elif name is not None:
                tools.add(name)
            elif op == "code_of":
                capabilities.add("dynamic_code")
    return Facts(
        term.nodes,
        term.height,
        dict(sorted(operations.items())),
        sorted(free_names(term)),
        sorted(tools),
        sorted(capabilities),
    )


def literal_tool(term: Term) -> str | None:
    """The tool that an `app` or `code_of` names literally."""
    if term.op not in ("app", "code_of"):
        return None
    name = term.parts[0]
    return name.value if name.op == "literal" and type(name.value) is str else None


def live_parts(template: Term) -> Iterator[Term]:
    """The live unquotes of a quote's template (its one part), left to right: the nodes that run when it does."""
    stack = [(template, 1)]
    while stack:
        term, level = stack.pop()
        if term.op == "unquote":
            if level == 1:
                yield term
                continue
            level -= 1
        elif term.op == "quote":
            level += 1
        stack.extend((part, level) for part in reversed(term.parts))


def live_children(term: Term) -> Sequence[Term]:
    """The parts of a term that are code where it stands: of a quote, what its live unquotes hold."""
    if term.op != "quote":
        return term.parts
    return [unquote.parts[0] for unquote in live_parts(term.parts[0])]


def free_names(term: Term) -> frozenset[str]:
    """The names that nothing in the term binds; names inside quotes do not count, except in live unquotes."""
    walk = _FreeNames()
    walk.visit(term, 0)
    return frozenset(walk.found)


class _FreeNames:
    """`level` counts quotes less unquotes: only at level 0 is a term code. `bound` counts the binders of each name."""

    def __init__(self) -> None:
        self.bound: dict[str, int] = {}
        self.found: set[str] = set()

    def visit(self, term: Term, level: int) -> None:
        op = term.op
        if op == "var":
            if level == 0 and not self.bound.get(term.value):
                self.found.add(term.value)
        elif level == 0 and (op == "lam" or op == "let"):
            *outer, body = term.parts
            for part in outer:
                self.visit(part, 0)
            self.bound[term.value] = self.bound.get(term.value, 0) + 1
            self.visit(body, 0)
            self.bound[term.value] -= 1
        else:
            inside = level + (op == "quote") - (op == "unquote")
            for part in term.parts:
                if part.parts or part.op == "var":
                    self.visit(part, inside)


def free_occurrences(term: Term) -> Iterator[tuple[str, Path]]:
    """Every occurrence of a free name with its path in the printed form, in reading order."""
    return iter(_FreeWalk().walk(term, None, 0))


class _FreeWalk:
    """`level` counts quotes less unquotes: only at level 0 is a term code."""

    def __init__(self) -> None:
        self.bound: dict[str, int] = {}
        self.found: list[tuple[str, Path]] = []

    def walk(self, term: Term, path: Path, level: int) -> list[tuple[str, Path]]:
        op = term.op
        if op == "var" and level == 0 and not self.bound.get(term.value):
            self.found.append((term.value, path))
        binds = level == 0 and op in ("lam", "let")
        inside = level + (op == "quote") - (op == "unquote")
        for i, (part, steps) in enumerate(zip(term.parts, part_keys(term), strict=True), 1):
            last = binds and i == len(term.parts)
            if last:
                self.bound[term.value] = self.bound.get(term.value, 0) + 1
            self.walk(part, longer(path, steps), inside)
            if last:
                self.bound[term.value] -= 1
        return self.found


def holds_live(term: Term, op: str) -> bool:
    """Whether an operation of this kind can run when the term does (not: stands only inside a quote)."""
    return term.op == op or any(holds_live(part, op) for part in live_children(term))


def multiplies_itself(term: Term) -> bool:
    """Whether a product is taken of what a call of `self` gives, and not brought down by a remainder or a quotient."""
    if term.op == "mul" and any(map(_calls_itself, term.parts)):
        return True
    if term.op in ("mod", "div") and term.parts[0].op == "mul":
        return any(multiplies_itself(part) for part in (*term.parts[0].parts, term.parts[1]))
    return any(map(multiplies_itself, term.parts))


def _calls_itself(term: Term) -> bool:
    return (term.op == "app" and term.parts[0].op == "self") or any(map(_calls_itself, term.parts))


def closed(term: Term) -> Term:
    """The term that is stored: closed over its one free name where its root is no `lam`.

    Raises `unbound_variable` with the names where it has more, or any under a `lam`.
    """
    occurrences = list(free_occurrences(term))
    if not occurrences:
        return term
    free = sorted({name for name, _ in occurrences})
    if term.op != "lam" and len(free) == 1:
        return make("lam", (term,), free[0])
    names = ", ".join(f'"{name[:48]}"' for name in free[:8])
    raise PifError(
        "unbound_variable",
        f"nothing binds {names} in the tool's code",
        path=pointer(occurrences[0][1]),
        found=names,
        expected="code without free names, or a bare expression with exactly one",
        hint='Wrap the code in {"lam": name, "body": …}, or take one record as input and `get` its fields.',
    )
