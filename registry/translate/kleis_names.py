"""Names of tools, helpers and variables in Kleis (docs/reference/registry.md §8.1).

A tool keeps its name where Kleis has no other use for it: an identifier that is no operator word, no built-in, no
keyword of the grammar and no name that the surrounding theory declares. Any other tool is called `tool_` and its name
with `_` in place of `.` and `-`. Two tools never share a name; nor do helpers, which are named after their tool.

Invariants
    * No two functions of a theory have one name: a second tool of a name gets its whole spelling with `tool_` in front,
      and where that is taken too it has no name and is untranslatable.
    * Variables have names that no function of the theory has.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache

from registry.records import LIBRARY_PREFIX

__all__ = ["FunctionNames", "VariableNames", "is_free", "plain_name"]

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VARIABLE = re.compile(r"[a-z][A-Za-z0-9_]*")
_PREFIX = "tool_"
_TYPES = frozenset(
    [
        "Bool",
        "String",
        "Int",
        "Nat",
        "Rational",
        "Real",
        "Complex",
        "List",
        "Set",
        "Option",
        "Unit",
        "Type",
        "Matrix",
        "Vector",
        "Regex",
        "BitVec",
    ]
)
_FORMS = frozenset(
    [
        "Pair",
        "Tuple3",
        "Tuple4",
        "Tuple5",
        "Cons",
        "Nil",
        "True",
        "False",
        "true",
        "false",
        "record",
        "field",
        "safe",
        "self",
    ]
)


@cache
def _words() -> frozenset[str]:
    """Every word that Kleis itself uses."""
    from kleis.builtins.rows.table import BUILTINS
    from kleis.syntax.operators import BINARY, POSTFIX, PREFIX
    from kleis.syntax.parser.tables import load_tables

    names = {name for row in BUILTINS for name in (row.name, *row.aliases)}
    spelled = {spelling for spelling in load_tables().spellings if _IDENTIFIER.fullmatch(spelling)}
    return frozenset(names | spelled | {*BINARY, *PREFIX, *POSTFIX} | _TYPES | _FORMS)


def is_free(name: str) -> bool:
    """Whether Kleis does not use a name itself."""
    return (
        _IDENTIFIER.fullmatch(name) is not None
        and name not in _words()
        and not name.startswith(_PREFIX)
        and not (len(name) == 1 and name.isupper())
    )


def plain_name(tool: str) -> str:
    """The Kleis name of a tool where nothing else is declared; a tool of the library has its short name."""
    tool = tool.removeprefix(LIBRARY_PREFIX)
    return tool if is_free(tool) else _PREFIX + _spelled(tool)


def _spelled(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


class FunctionNames:
    """The names of the functions of one theory. `taken` are the names of other things in it."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._tools: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        self._helpers: set[str] = set()

    def tool(self, label: str, name: str, *, current: bool) -> str | None:
        """The name of a tool, by its label; None where another tool has it. A version that is not current gets `_vN`."""
        if label in self._tools:
            return self._tools[label]
        version = "" if current else "_v" + label.rpartition("@")[2]
        for wanted in (plain_name(name) + version, f"{_PREFIX}{_spelled(name)}{version}"):
            if not self.is_taken(wanted):
                self._tools[label], self._owners[wanted] = wanted, label
                return wanted
        return None

    def reserve(self, names: Iterable[str]) -> None:
        """Names that no helper may get."""
        self._taken.update(names)

    def helper(self, wanted: str) -> str:
        """A name for a helper."""
        name, turn = wanted, 1
        while name in self._taken or name in self._owners or name in self._helpers or name in _words():
            turn += 1
            name = f"{wanted}_{turn}"
        self._helpers.add(name)
        return name

    def beside(self, wanted: str, taken: Collection[str]) -> str:
        """A name that is free in the theory and not in `taken`. It is not reserved."""
        name, turn = wanted, 1
        while name in taken or self.is_taken(name) or name in _words():
            turn += 1
            name = f"{wanted}_{turn}"
        return name

    def is_taken(self, name: str) -> bool:
        """Whether a function of the theory has the name."""
        return name in self._taken or name in self._owners or name in self._helpers


class VariableNames:
    """The variables of one definition: each binder gets its own name, and none that of a tool in `called`."""

    def __init__(self, functions: FunctionNames, called: Iterable[str] = ()) -> None:
        self._functions = functions
        self._used = {plain_name(each.partition("@")[0]) for each in called}

    def fresh(self, wanted: str) -> str:
        """A name for a new variable: `wanted`, or with a number."""
        base = wanted if _VARIABLE.fullmatch(wanted) and len(wanted) <= 40 else "v"
        name, turn = base, 1
        while name in self._used or name in _words() or self._functions.is_taken(name):
            turn += 1
            name = f"{base}{turn}"
        self._used.add(name)
        return name
