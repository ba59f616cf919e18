"""What was done otherwise than its writer may have meant: warnings, which stand before an answer.

A reading that rounds (docs/reference/pif.md §2.1: a number with a fraction is an integer, half to even) tells a
`Rounding`, which every decoder has. It keeps the first of the numbers, with their places, or refuses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import msgspec

from pif.language.errors import PifError, Place
from pif.language.terms import Json

__all__ = [
    "FRACTIONS",
    "REFUSED_HINT",
    "Fractions",
    "PifWarning",
    "Rounded",
    "RoundedNumbers",
    "Rounding",
    "warned",
]

Fractions = Literal["round", "refuse"]
"""What becomes of a number with a fraction: an integer and a warning, or an error."""

FRACTIONS: tuple[Fractions, ...] = get_args(Fractions)

_SHOWN = 20
"""Numbers that one warning lists."""

_NAMED = 3
"""Numbers that its message names."""

REFUSED_HINT = (
    "Fractions are refused here (--fractions refuse). Write an integer: amounts in a smaller unit, 1999 cents. The tools "
    'std.decimal.* and std.rational.* compute exactly: std.decimal.parse reads the text "19.99". `help numbers` says more.'
)

_HINT = (
    "PIF computes with integers: write amounts in a smaller unit, 1999 cents. The tools std.decimal.* and std.rational.* "
    'compute exactly: std.decimal.parse reads the text "19.99". `help numbers` says more; --fractions refuse makes this '
    "an error."
)


class Rounded(msgspec.Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """A number that was rounded: its place as a JSON pointer, as it was written, and the integer it was read as."""

    path: str
    source: float
    target: int


class RoundedNumbers(msgspec.Struct, frozen=True):
    """The first of the numbers that were rounded, and how many there were."""

    rounded: tuple[Rounded, ...]
    count: int

    def warning(self, code: str, when: str) -> PifWarning:
        """The warning that names the first of them."""
        named = ", ".join(
            f"{each.source!r} → {each.target}" + (f" at {each.path}" if each.path else "")
            for each in self.rounded[:_NAMED]
        )
        more = f" and {self.count - _NAMED} more" if self.count > _NAMED else ""
        return PifWarning(
            code=code, message=f"{when}: {named}{more}", hint=_HINT, rounded=self.rounded, count=self.count
        )


class PifWarning(msgspec.Struct, frozen=True, kw_only=True):
    """One warning: a stable `code`, what happened, and what to do about it.

    `rounded` lists numbers that were rounded, at most 20; `count` is how many there were.
    """

    code: str
    message: str
    hint: str
    rounded: tuple[Rounded, ...] = ()
    count: int = 0

    def as_json(self) -> dict[str, Json]:
        fields: dict[str, Json] = {"code": self.code, "message": self.message, "hint": self.hint}
        if self.count:
            fields |= {"rounded": [msgspec.to_builtins(each) for each in self.rounded], "count": self.count}
        return fields


class Rounding:
    """The numbers that one call's code, input and examples lost their fractions by. `refuse`: they are errors."""

    def __init__(self, fractions: Fractions = "round") -> None:
        self.refuse = fractions == "refuse"
        self.shown: list[Rounded] = []
        self.count = 0

    def note(self, number: float, integer: int, path: str, place: Place) -> None:
        """A number was read as an integer. Raises `parse_error` where that is refused."""
        if self.refuse:
            raise PifError(
                "parse_error",
                f"{number!r} has a fraction, and numbers are integers here",
                path=path,
                place=place,
                found=repr(number),
                expected=f"an integer, such as {integer}",
                hint=REFUSED_HINT,
            )
        self.count += 1
        if len(self.shown) < _SHOWN:
            self.shown.append(Rounded(path, number, integer))

    def mark(self) -> int:
        """How many there are now, for `back_to`."""
        return self.count

    def back_to(self, mark: int) -> None:
        """Forget those noted since: what was read is read again."""
        self.count = mark
        del self.shown[mark:]

    def take(self, other: Rounding, place: str) -> None:
        """What another reading rounded: of code or an input that stands at `place`."""
        self.count += other.count
        for each in other.shown[: _SHOWN - len(self.shown)]:
            self.shown.append(Rounded(place + each.path.removeprefix("/input"), each.source, each.target))

    def numbers(self) -> RoundedNumbers | None:
        """What was rounded, if anything was."""
        return RoundedNumbers(tuple(self.shown), self.count) if self.count else None

    def warnings(self) -> list[PifWarning]:
        """The warning of what was rounded while this call was read, if anything was."""
        numbers = self.numbers()
        return [numbers.warning("fraction_rounded", "rounded while reading")] if numbers else []


def warned(answer: dict[str, Json], warnings: Sequence[PifWarning]) -> dict[str, Json]:
    """An answer with these warnings before those that it has: their list is its first key."""
    if not warnings:
        return answer
    told = [*(each.as_json() for each in warnings), *answer.get("warnings", ())]
    return {"warnings": told, **{key: value for key, value in answer.items() if key != "warnings"}}
