"""The instructions of all servers as one text, within what clients read."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["LONGEST", "merged"]

LONGEST = 2_048
"""Characters; clients cut what is longer without a word."""

_PREFACE = (
    "Several servers behind one gateway. Tools are named SERVER__TOOL, resources SERVER+ADDRESS. Every call is judged by a "
    "policy; a denial names its rule and may say what to do instead. Do not try by other means what was denied."
)


def merged(servers: Mapping[str, str]) -> str:
    """The text: `servers` are the instructions of each, by its part in names; empty where it has none.

    Servers share the room; what is short leaves its rest to the others, and what is cut ends in `…`.
    """
    said = {part: text.strip() for part, text in servers.items() if text.strip()}
    names = ", ".join(servers)
    head = f"{_PREFACE}\n\nServers: {names}"[:LONGEST]
    rooms: dict[str, int] = {}
    left = LONGEST - len(head) - sum(len(f"\n\n[{part}]\n") for part in said)
    for place, part in enumerate(sorted(said, key=lambda each: len(said[each]))):
        room = max(0, left // (len(said) - place))
        rooms[part] = min(room, len(said[part]))
        left -= rooms[part]
    shown = [f"\n\n[{part}]\n{_cut(text, rooms[part])}" for part, text in said.items() if rooms[part] > 1]
    return (head + "".join(shown))[:LONGEST]


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 1] + "…"
