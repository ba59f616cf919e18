"""Equality where Python and PIF could differ: True equals 1 in Python, and here it does not.

The two sides of `==`, and the item looked for by `in`, have one type. What only the comparison makes an integer is held
to be one when it runs; what only the comparison makes a boolean, or a part of a list or record, has to be said, so that
no input of another kind gets another answer than Python's. A comparison with None means the same for every type.
"""

from __future__ import annotations

from typing import NamedTuple

from pif.analysis.types.inference import Inference
from pif.analysis.types.type_text import TypeProblem
from pif.analysis.types.unification import Clash, Shape, Type, TypeVariable, Unifier, find
from pif.language.errors import Path, pointer
from pif.language.terms import Term

__all__ = ["Comparisons"]

_SAY = "Say which it is, as in x: int, b: bool, xs: list[int]; for a boolean write `b` or `not b`."
_KINDS = "Compare values of one kind: for a boolean write `b` or `not b`, for an integer n == 1."


class _Compared(NamedTuple):
    """Two types that are compared in a term, and the variables in them before that was taken into account."""

    term: Term
    sides: tuple[Type, Type]
    path: Path
    open: tuple[TypeVariable, ...]


class Comparisons(Inference):
    """Inference that also makes one type of what is compared. `integers`: ids of the terms whose sides are held to be
    integers when they run."""

    unifier: Unifier

    def start_comparisons(self) -> None:
        self.waiting: list[tuple[Term, Type, Type, Path]] = []
        self.taken: list[_Compared] = []
        self.integers: set[int] = set()

    def compare(self, term: Term, left: Type, right: Type, path: Path) -> None:
        """Note that the two are compared in the term."""
        self.waiting.append((term, left, right, path))

    def take_comparisons(self) -> bool:
        """Make the sides of what is noted one type each; whether there was any."""
        noted, self.waiting = self.waiting, []
        taken = [
            _Compared(term, (left, right), path, self.variables(left, right))
            for term, left, right, path in noted
            if not _is_none(left) and not _is_none(right)
        ]
        for each in taken:
            self.one_kind(each)
        self.taken += taken
        return bool(noted)

    def variables(self, *types: Type) -> tuple[TypeVariable, ...]:
        return tuple(
            part
            for type_ in types
            for part in self.unifier.parts(type_)
            if isinstance(part, TypeVariable) and part.sort == "type"
        )

    def one_kind(self, compared: _Compared) -> None:
        left, right = compared.sides
        try:
            self.unifier.make_same(right, left)
        except Clash as clash:
            kinds = {_kind(clash.found), _kind(clash.expected)} - {""}
            if kinds == {"integer", "boolean"}:
                message = "`==` of an integer and a boolean: 1 and True are equal in Python and not here"
            else:
                said = " and ".join(f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}" for kind in sorted(kinds))
                message = f"`==` of values of different kinds{': ' if said else ''}{said}"
            if compared.term.op == "python in":
                message = message.replace("`==`", "`in`, which compares,")
            self.report(TypeProblem(message, pointer(compared.path), "", hint=_KINDS))

    def settle_comparisons(self) -> None:
        """When all types are known: hold to integers, or refuse, what only comparisons decided."""
        for each in self.taken:
            sides = [find(side) for side in each.sides]
            plain = [variable for variable in each.open if any(find(variable) is side for side in sides)]
            for variable in each.open:
                kinds = {part.name for part in self.unifier.parts(variable) if isinstance(part, Shape)} & {
                    "integer",
                    "boolean",
                }
                if kinds == {"integer"} and variable in plain and _kind(sides[0]) == "integer":
                    self.integers.add(id(each.term))
                elif kinds:
                    self.undecided(each, kinds)
                    break

    def undecided(self, compared: _Compared, kinds: set[str]) -> None:
        one, other = ("a boolean", "an integer") if "boolean" in kinds else ("an integer", "a boolean")
        message = f"only this comparison shows that {one} is meant; {other} may equal it in Python, and does not here"
        self.report(TypeProblem(message, pointer(compared.path), "", hint=_SAY))


def _is_none(type_: Type) -> bool:
    return _kind(type_) == "unit"


def _kind(type_: Type | None) -> str:
    found = None if type_ is None else find(type_)
    return found.name if isinstance(found, Shape) else ""
