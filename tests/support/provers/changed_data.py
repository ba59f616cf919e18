"""Data of certificates with something changed, for attacks."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

__all__ = ["changed"]


def changed(data: Any, random: Random, times: int = 1) -> Any:
    """A copy of JSON values with parts dropped, doubled, swapped, renamed, or moved from elsewhere in it."""
    data = deepcopy(data)
    for _ in range(times):
        places = list(_places(data))
        if not places:
            break
        container, key = random.choice(places)
        others = [other[at] for other, at in places]
        alike = [each for each in others if type(each) is type(container[key])]
        kind = random.choice(["alike", "alike", "alike", "drop", "double", "swap", "number", "turn"])
        old = container[key]
        if kind == "drop" and isinstance(container, list):
            del container[key]
        elif kind == "double" and isinstance(container, list):
            container.insert(key, deepcopy(old))
        elif kind == "swap" and isinstance(container, list):
            other = random.randrange(len(container))
            container[key], container[other] = container[other], old
        elif kind == "number" and isinstance(old, int) and not isinstance(old, bool):
            container[key] = random.choice([-old, old + 1, old - 1, 0, 10**9])
        elif kind == "turn" and isinstance(old, bool):
            container[key] = not old
        else:
            container[key] = deepcopy(random.choice(alike))
    return data


def _places(data: Any) -> Any:
    """Every part of JSON values, as what it is in and where."""
    keys = range(len(data)) if isinstance(data, list) else list(data) if isinstance(data, dict) else ()
    for key in keys:
        yield data, key
        yield from _places(data[key])
