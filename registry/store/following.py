"""Those who are told of changes in a store, instead of looking by the clock."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Following"]


class Following(Protocol):
    """One who is told of changes."""

    @property
    def is_live(self) -> bool:
        """Whether changes are told of now. False: look by the clock."""
        ...

    def close(self) -> None:
        """Be told no more."""
        ...
