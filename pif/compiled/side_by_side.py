"""Loops that only pair the items of two lists, one after the other: they are told how many pairs there are.

Such a loop is what `zip` is translated to: it walks one list; its accumulator is what is left of the other, and the pairs
so far. Where nothing is left of the other it changes nothing any more.
"""

from __future__ import annotations

from pif.compiled.scope import Expression
from pif.compiled.source import FUEL, Block, Suite

__all__ = ["paired"]


def paired(
    body: Block, target: Expression, item: Expression, walk: str, place: str, many: str
) -> Suite | None:
    """What stands for the steps of a loop over the linked list `walk`, if they only pair its items with those of another.
    `body` is a step's, which begins with taking the item; `place` and `many` are names of the loop's own. A pair may go
    deeper than the loop does, so there is a test of whether there is any."""
    if target.parts is None or target.parts[1].flat is None or len(body.lines) != 3 or body.calls:
        return None
    rest, pairs = target.parts[0].text, target.parts[1].flat.name
    leave, pair = body.lines[1:]
    if not isinstance(leave, Suite) or not isinstance(pair, Suite):
        return None
    first = pair.block.lines[0] if pair.block.lines else ""
    head = first.partition(" = ")[0] if isinstance(first, str) else ""
    steps = [f"{head} = {rest}[0]", f"append0({pairs}, ({item.text}, {head}))", f"{rest} = {rest}[1]"]
    if (
        (leave.header, leave.block.lines, leave.extra) != (f"if (not {rest}):", ["break"], 0)
        or pair.header != "else:"
        or pair.block.lines != steps
    ):
        return None
    made, taken = Block(), Block()
    made.height = pair.block.height
    made.lines.append(f"{many} = {walk}[2] if {walk}[2] < {rest}[2] else {rest}[2]")
    if pair.extra:
        made.lines += [f"{FUEL} = {FUEL} - {many} * {pair.extra}", f"if {FUEL} < 0: pause0(0)"]
    taken.lines += [f"{item.text}, {walk}, {place} = {walk}", f"{head}, {rest}, {place} = {rest}"]
    taken.lines.append(f"append0({pairs}, ({item.text}, {head}))")
    made.lines.append(Suite(f"for {place} in range0(0, {many}):", taken, 0, FUEL, tests=False))
    return Suite(f"if {rest}:", made, 0, FUEL)
