"""Loops that only look for a value: the place of it is found in one go."""

from __future__ import annotations

import re
from typing import NamedTuple

from pif.compiled.flat_lists import Flat
from pif.compiled.functions import Functions
from pif.compiled.scope import Expression
from pif.compiled.source import FUEL, Block, Suite
from pif.language import primitives as table
from pif.language.values import ANY, Kind

__all__ = ["Loop", "Searches"]

_EQUALITY = re.compile(
    r"(a\d+) = \((\w+) == (\w+)( if (?:[^()]|type0\(\w+\)|len0\(\w+\))+ else eq0\(\2, \3\))?\)"
)
"""A flag that is the equality of two atoms, as `operations` writes it."""


class Search(NamedTuple):
    """A loop that only looks for a value: what holds the items, if they are not known before, and how many they are; what
    each is charged for besides; the text of the place; the step behind its flag."""

    items: str
    many: str | int
    charge: int
    found_at: str
    ask: Suite


class Loop:
    """What a fold walks: the bounds of a range, or a list. `level` is where its steps run; `is_short`: its items are
    short strings; `spelled`: the line that gives a string's characters or a record's names, and the string or record."""

    def __init__(
        self,
        level: int,
        counted: tuple[str, str] | None,
        walked: Expression | None,
        item_kind: Kind,
        *,
        is_short: bool,
        spelled: tuple[str, Expression] | None,
    ) -> None:
        self.level = level
        self.is_short = is_short
        self.spelled = spelled
        self.counted = counted
        self.walked = walked
        self.item_kind = item_kind
        self.flat: Flat | None = None if walked is None else walked.flat
        self.is_linked = counted is None and self.flat is None


class Searches(Functions):
    """Text for searches."""

    def sought(
        self, loop: Loop, body: Block, target: Expression, item: Expression, start: Expression, count: str
    ) -> Search | None:
        """A loop whose steps ask of one item after the other whether it is a certain value, until one is: the place is
        found in one go. What a step costs beyond what every step was charged before the loop is charged for those that
        were taken."""
        lines = body.lines[loop.is_linked :]
        if start.text != "False" or target.kind != "bool" or len(lines) != 2:
            return None
        ask, leave = lines
        if (
            not isinstance(ask, Suite)
            or not isinstance(leave, Suite)
            or ask.header != f"if not {target.text}:"
        ):
            return None
        asked = ask.block.lines[0] if len(ask.block.lines) == 1 else ""
        found = _EQUALITY.fullmatch(asked) if isinstance(asked, str) else None
        if found is None or found[1] != target.text or leave.block.lines != ["break"]:
            return None
        sides = {found[2], found[3]}
        (wanted,) = sides - {item.text} if item.text in sides and len(sides) == 2 else (target.text,)
        if wanted == target.text:
            return None
        if loop.spelled is not None and not loop.is_short:
            record = loop.spelled[1]
            fields = self.fields(record)
            if fields is None:
                return None
            found_at, items, charge = f"place0({record.text}, {wanted})", fields, table.CHARS_ELEMENT
        elif loop.walked is not None and type(loop.walked.static) is list:
            constants = loop.walked.static
            if found[4] is None:  # both are short texts, or small integers
                places = dict(reversed([(value, at) for at, value in enumerate(constants)]))
                found_at = f"at0({self.constant(places, ANY).text}, {wanted}, {len(constants)})"
            else:
                found_at = f"seek0({self.constant(constants, ANY).text}, {wanted})"
            return Search("", len(constants), 0, found_at, ask)
        elif loop.flat is not None and loop.flat.up and (loop.is_short or item.kind == "int"):
            found_at, items, charge = f"seek0({loop.flat.name}, {wanted})", loop.flat.name, 0
            self.walked.add(loop.flat.site)
            if loop.spelled is not None:
                self.line(loop.spelled[0])
        else:
            return None
        return Search(items, count, charge, found_at, ask)

    def place(self, search: Search, each: int, target: Expression, body: Block, around: Block) -> None:
        """Find the place, and charge the steps: those that every item is charged, and what the items that were asked are
        charged besides."""
        at, count = self.names.fresh("i"), search.many
        around.height = max(body.height, search.ask.block.height)
        start = f"{target.text} = False"
        lines = [f"{at} = {search.found_at}", f"{target.text} = ({at} < {count})"]
        taken = f" - ({at} + {target.text}) * {search.ask.extra}" if search.ask.extra else ""
        if search.items == "":
            self.block.cost += int(count) * each
            self.block.height = max(self.block.height, around.height)
            if self.block.lines[-1:] == [start]:
                self.block.lines.pop()
            self.block.lines += lines
            if taken:
                self.line(f"{FUEL} = {FUEL}{taken}")
            self.slow()
            return
        self.busy()
        around.lines.append(f"{count} = len0({search.items})")
        around.lines += lines
        around.lines.append(f"{FUEL} = {FUEL} - {count} * {each + search.charge}{taken}")
        around.lines.append(f"if {FUEL} < 0: pause0(0)")
        self.block.lines.append(Suite(f"if {search.items}:", around, 0, FUEL))
