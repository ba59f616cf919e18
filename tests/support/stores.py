"""Versions of tools, written into a store of any kind with no more than a test asks about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.records import content_hash
from registry.store.protocol import Evolved, Store

__all__ = ["evolve", "next_version"]


def evolve(
    store: Store,
    name: str,
    code: str,
    description: str = "text",
    capabilities: Sequence[str] = (),
    **options: Any,
) -> Evolved:
    """What the store answers to `code` as the next version of the tool `name`; `options` are those of `Store.evolve`."""
    return store.evolve(
        name,
        code=code,
        hash=content_hash(code),
        description=description,
        capabilities=capabilities,
        **options,
    )


def next_version(store: Store, name: str, code: str, description: str = "text", **options: Any) -> int:
    """`evolve`, where the number of the version is all that is asked about."""
    return evolve(store, name, code, description, **options).record.version
