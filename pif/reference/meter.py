"""The account of where the fuel of a run went: each unit to the code whose node was charged it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pif.language.errors import Place, Share

if TYPE_CHECKING:
    from pif.language.host import Tool

__all__ = ["Account", "Meter", "Way"]

_LISTED = 12
"""Shares that are listed one by one."""

_PLACES: dict[Place, str] = {"code": "the code", "input": "the input", "quoted": "built code", "data": "data"}


class Account:
    """What one code was charged: a version of a tool, the run's own code, its input, or code that was built."""

    __slots__ = ("name", "spent")

    def __init__(self, name: str) -> None:
        self.name = name
        self.spent = 0


Way = tuple[Account, "Way"] | None
"""The accounts that wait for each other, the innermost first."""


class Meter:
    """The accounts of one run; `way` are those under way, `mark` the fuel that was left when that last changed."""

    __slots__ = ("accounts", "mark", "way")

    def __init__(self, fuel: int) -> None:
        self.accounts: dict[str, Account] = {}
        self.way: Way = None
        self.mark = fuel

    def account(self, place: Place, owner: Tool | None) -> Account:
        """The account that the nodes of a code are charged to: its owner's, else that of its place."""
        name = _PLACES[place] if owner is None else owner.label
        return self.accounts.setdefault(name, Account(name))

    def turn(self, way: Way, left: int) -> None:
        """Charge what was used since the last turn; from here on the first account of `way` is charged."""
        if self.way is not None:
            self.way[0].spent += self.mark - left
        self.mark = left
        self.way = way

    def shares(self) -> tuple[Share, ...]:
        """The shares of a run that used all its fuel: what is under way first, from the outside in; then the rest.

        They add up to the fuel of the run. Beyond a dozen, the smallest are one.
        """
        self.turn(self.way, 0)
        outwards: list[Account] = []
        way = self.way
        while way is not None:
            account, way = way
            outwards.append(account)
        down = list(dict.fromkeys(reversed(outwards)))
        done = [each for each in self.accounts.values() if each.spent and each not in down]
        done.sort(key=lambda each: -each.spent)
        largest = sorted([*down, *done], key=lambda each: -each.spent)[:_LISTED]
        total = sum(each.spent for each in self.accounts.values())
        listed = [
            Share(
                where=each.name, fuel=each.spent, percent=_percent(each.spent, total), under_way=each in down
            )
            for each in [*down, *done]
            if each in largest
        ]
        rest = total - sum(each.fuel for each in listed)
        if rest:
            listed.append(Share(where="others", fuel=rest, percent=_percent(rest, total), under_way=False))
        return tuple(listed)


def _percent(part: int, whole: int) -> int:
    """Rounded half up."""
    return (200 * part + whole) // (2 * whole)
