"""What the translation of every part of a function shares: its names, its places in the text, its library.

Names are told apart as Python tells them. A name that a function, a lambda or a comprehension assigns anywhere belongs
to it everywhere in it: read before it has a value it is an error in Python, and never the built-in function or the tool
of the same name. `names` holds what surely has a value; `declared` what belongs to the scopes around.
"""

from __future__ import annotations

import ast
import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pif.language.terms import Term, make
from pif.python_syntax.library import Library, let, var
from pif.python_syntax.parse_subset import PythonError, refused

__all__ = ["BUILTINS", "OPERATIONS", "OTHER_BUILTINS", "TOOL", "Names", "Translator"]

TOOL = "tool"
"""`tool("name")(x)` calls a tool by any name, those included that Python or the subset has for something else."""

OPERATIONS = (
    "head", "tail", "isEmpty", "length", "fst", "snd", "fold", "cons", "concat", "chars", "join", "show", "keys", "get",
)  # fmt: skip
"""PIF's own operations that may be called by their names."""

BUILTINS = (
    "len", "range", "sum", "min", "max", "abs", "sorted", "str", "any", "all", "enumerate", "zip", "reversed", "map",
    "filter", "list", *OPERATIONS, TOOL,
)  # fmt: skip

OTHER_BUILTINS = frozenset(name for name in dir(builtins) if not name.startswith("_")) - {*BUILTINS}
"""Functions of Python that the subset does not have: no tool is meant by their names."""

Names = frozenset[str]


class Translator(ABC):
    """Translates parts. `own` is the function's name, `parameters` how it takes its arguments, `assigned` the names
    that its statements assign anywhere."""

    def __init__(self, own: str | None, parameters: tuple[str, ...], assigned: Names = frozenset()) -> None:
        self.own = own
        self.parameters = parameters
        self.library = Library()
        self.positions: dict[int, ast.AST] = {}
        self.kept: list[Term] = []
        self.declared: list[Names] = [assigned | {*parameters}]

    @abstractmethod
    def expression(self, node: ast.expr, names: Names) -> Term:
        """The term of an expression."""

    def at(self, node: ast.AST, term: Term) -> Term:
        """Remember where a term comes from."""
        self.positions.setdefault(id(term), node)
        self.kept.append(term)  # an id must not be used again
        return term

    def moved(self, before: Term, after: Term) -> None:
        """Another term stands for a part now: it comes from the same place."""
        node = self.positions.get(id(before))
        if node is not None and after is not before:
            self.at(node, after)

    # Names.

    @contextmanager
    def scope(self, names: Names) -> Iterator[None]:
        """Names that belong to a comprehension."""
        self.declared.append(names)
        yield
        self.declared.pop()

    def is_free(self, name: str, names: Names) -> bool:
        """Whether no scope has the name: then a function of Python, an operation or a tool is meant."""
        return name not in names and not any(name in scope for scope in self.declared)

    def is_builtin(self, node: ast.AST, names: Names, *wanted: str) -> bool:
        """Whether the node calls one of these functions of Python."""
        return (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in wanted
            and node.func.id != self.own
            and self.is_free(node.func.id, names)
        )

    def without_value(self, node: ast.Name) -> PythonError:
        """The error for a name that is assigned, but not on every way that leads here."""
        return refused(
            node,
            f"`{node.id}` is assigned elsewhere in this function and may have no value here",
            "Give it a value before, on every way: before the loop, or in both branches.",
        )

    def target(self, node: ast.expr, value: Term, names: Names, inside: Callable[[Names], Term]) -> Term:
        """A name, or two in a pair, bound to a value in what `inside` makes."""
        match node:
            case ast.Name():
                return self.at(node, let(node.id, value, inside(names | {node.id})))
            case ast.Tuple(elts=[first, second]):
                whole = self.library.name()

                def rest(bound: Names) -> Term:
                    return self.target(second, make("snd", (var(whole),)), bound, inside)

                return let(whole, value, self.target(first, make("fst", (var(whole),)), names, rest))
            case _:
                raise refused(node, "a name, or two names, are wanted here")
