"""Terms that are compared under names that no code can say.

A term that is no tool needs a name while it is compared: runs and `self` mean tools. Code may hold any string in the
place of a name, so a fixed name, or one by a pattern, could be said by the other term. These names are digests of the
terms themselves, which a term cannot hold, with a space, which no tool's name has. Answers show them as `this term` and
`the other term`.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from pif.language.host import Tool
from pif.language.terms import Json, Term, term_text

__all__ = ["SHOWN", "UnnamedTerms"]

SHOWN = ("this term", "the other term")


class UnnamedTerms:
    """The names of two pieces of code in one comparison: tools have theirs."""

    def __init__(self, pair: Sequence[Tool | Term]) -> None:
        digest = sha256()
        for code in pair:
            text = term_text(code.term if isinstance(code, Tool) else code)
            digest.update(b"%d\n" % len(text) + text.encode())
        self.names = tuple(f"term {digest.hexdigest()[:40]}{place}" for place in range(len(pair)))
        self._shown: list[tuple[str, str]] = []
        for name, shown in zip(self.names, SHOWN, strict=True):
            in_kleis = name.replace(" ", "_")
            self._shown += [
                (f"{name}@1", shown), (name, shown),
                (f"tool_{in_kleis}", shown.replace(" ", "_")), (in_kleis, shown.replace(" ", "_")),
            ]  # fmt: skip

    def shown(self, data: Json) -> Json:
        """An answer as it is shown: the names as words."""
        match data:
            case str():
                for name, shown in self._shown:
                    data = data.replace(name, shown)
                return data
            case list() | tuple():
                return [self.shown(each) for each in data]
            case dict():
                return {self.shown(key): self.shown(each) for key, each in data.items()}
            case _:
                return data
