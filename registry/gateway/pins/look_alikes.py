"""Names of different servers that a reader takes for one: other alphabets, other digits, other separators."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

__all__ = ["look_alikes", "skeleton"]

_LOOKS = str.maketrans(
    {
        "а": "a", "е": "e", "о": "o", "р": "p", "с": "c", "у": "y", "х": "x", "і": "i", "ј": "j", "ѕ": "s", "ԁ": "d", "ɡ": "g",
        "һ": "h", "ӏ": "l", "ո": "n", "ս": "u", "ν": "v", "α": "a", "ο": "o", "ρ": "p", "ι": "i", "κ": "k", "τ": "t", "υ": "u",
        "в": "b", "к": "k", "м": "m", "н": "h", "т": "t", "г": "r", "п": "n", "0": "o", "1": "l", "|": "l", "5": "s", "ı": "i",
    }
)  # fmt: skip
_SEPARATORS = re.compile(r"[\s_\-.]+")


def skeleton(name: str) -> str:
    """What a reader sees of a name: names with one skeleton look alike."""
    text = unicodedata.normalize("NFKD", name).casefold()
    seen = "".join(each for each in text if unicodedata.category(each) not in ("Mn", "Cf", "Cc", "Me"))
    return _SEPARATORS.sub("", seen.translate(_LOOKS)).replace("rn", "m").replace("i", "l")


def look_alikes(names: Iterable[str], others: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Pairs of ``server/name`` that look alike; one name at two servers is such a pair only where the servers look alike."""
    known: dict[str, str] = {}
    for other in others:
        known.setdefault(skeleton(other.partition("/")[2]), other)
    for name in names:
        other = known.get(skeleton(name.partition("/")[2]), "")
        same_name = other.partition("/")[2] == name.partition("/")[2]
        if other and (not same_name or skeleton(other.partition("/")[0]) == skeleton(name.partition("/")[0])):
            yield name, other
