"""Names in Lean: one for each name of the theory.  See docs/reference/lean.md §3.4.

Invariants
    * Two entities never share a full Lean name, also not with a projection or constructor: a name that is taken gets a
      number.
    * The same entities, asked for in the same order, get the same names.
    * A name is made of letters, digits and ``_`` that Lean accepts bare, and is not reserved.
"""

from __future__ import annotations

from collections.abc import Iterable

from kleis.lean.language.lean_lexer import GLOBAL_NAMES, RESERVED, RESERVED_FIELDS, is_letter
from kleis.lean.lean_file import NameEntry

__all__ = ["Locals", "Names", "spelled"]

_WORDS = {
    "•": "dot",
    "∘": "circ",
    "∗": "ast",
    "⋆": "star",
    "⊗": "otimes",
    "⊕": "oplus",
    "⊙": "odot",
    "⊛": "oast",
    "⊘": "oslash",
    "⊞": "boxplus",
    "⊟": "boxminus",
    "⊠": "boxtimes",
    "⊡": "boxdot",
    "⊓": "meet",
    "⊔": "join",
    "∪": "cup",
    "∩": "cap",
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "divide",
    "^": "power",
    "<": "lt",
    ">": "gt",
    "≤": "le",
    "≥": "ge",
    "∇": "nabla",
    "∂": "partial_d",
    "∫": "integral",
    "Σ": "Sigma",
    "Π": "Pi",
    "λ": "lam",
    "∞": "infinity",
}
"""Operators, spelled in letters."""


def spelled(name: str) -> str:
    """A name in letters that Lean accepts bare; different names may be spelled alike.

    >>> spelled("additive::•"), spelled("x'"), spelled("end"), spelled("2x")
    ('additive_dot', "x'", 'end_', 'n2x')
    """
    pieces: list[str] = []
    for character in name.replace("::", "_"):
        fits = is_letter(character) or (character.isascii() and (character.isdigit() or character == "'"))
        if fits:
            pieces.append(character)
            continue
        if pieces and not pieces[-1].endswith("_"):
            pieces.append("_")
        pieces.append(_word(character))
    text = "".join(pieces).rstrip("_") or "x"
    if not is_letter(text[0]):
        text = f"n{text}"
    return f"{text}_" if text in RESERVED or text == "_" else text


def _word(character: str) -> str:
    if character in " ,()@[]→×.:":
        return ""
    return _WORDS.get(character, f"u{ord(character):04x}")


class Names:
    """The global names of a file, and those inside its classes and data types."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self._taken: dict[str, set[str]] = {"": set(GLOBAL_NAMES | RESERVED)}
        self._entries: dict[tuple[str, str], NameEntry] = {}

    @property
    def entries(self) -> tuple[NameEntry, ...]:
        """The table, in order of declaration."""
        return tuple(self._entries.values())

    def declare(
        self, kleis: str, kind: str, *, stem: str = "", owner: str = "", avoid: Iterable[str] = ()
    ) -> str:
        """A new name: global, or inside its `owner` (a class or data type).  Without namespace and owner."""
        taken = self._taken.setdefault(owner, set(RESERVED | RESERVED_FIELDS | GLOBAL_NAMES))
        if owner:
            taken = taken | set(avoid)
        wanted = spelled(stem or kleis)
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted.rstrip('_')}_{count}"
        self._taken[owner].add(name)
        full = ".".join(part for part in (self.namespace, owner, name) if part)
        self._entries[(owner, name)] = NameEntry(kleis, full, kind)
        return name

    def is_global(self, name: str) -> bool:
        """Whether a local name would hide a global one."""
        return name in self._taken[""]


class Locals:
    """The names of variables within one declaration: one for each Kleis name, none of them global.

    What follows a NUL in a name only tells variables of our own apart.
    """

    def __init__(self, names: Names, avoid: Iterable[str] = ()) -> None:
        self._names = names
        self._avoid = set(avoid)
        self._known: dict[str, str] = {}
        self._used: set[str] = set()

    def __call__(self, kleis: str) -> str:
        """The name of a variable."""
        if kleis not in self._known:
            self._known[kleis] = self.fresh(kleis.partition("\0")[0])
        return self._known[kleis]

    def fresh(self, stem: str) -> str:
        """A name that nothing here has yet."""
        wanted = spelled(stem)
        name, count = wanted, 1
        while name in self._used or name in self._avoid or self._names.is_global(name):
            count += 1
            name = f"{wanted.rstrip('_')}_{count}"
        self._used.add(name)
        return name
