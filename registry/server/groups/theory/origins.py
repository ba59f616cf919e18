"""Saved theories of other registries: where those came from that were pulled, and those that a server behind this one has."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from kleis.errors import KleisError
from kleis.sessions.answer_shapes import Pulled
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.universe import Universe
from registry.errors import RegistryError
from registry.server.contract.settings import Site

__all__ = ["fetch_missing", "pulled_from"]


def fetch_missing(site: Site, imports: Sequence[str]) -> None:
    """Have what cannot be imported here pulled from the server behind this one, for a bounded time. What does not come is not found
    by whoever imports it."""
    upstream = site.upstream
    if upstream is None:
        return
    site.sessions.storage.update_saved()
    missing = []
    for each in imports:
        try:
            site.sessions.imported_theories.canonical_names([each])
        except KleisError:
            missing.append(each)
    if not missing:
        return
    from registry.sharing.upstream import WAIT

    # A text that is slow to be read has a longer limit than a call: what comes later is here for the next one.
    fetching = threading.Thread(
        target=upstream.fetch_theories, args=(missing,), name="kleis-upstream", daemon=True
    )
    fetching.start()
    fetching.join(WAIT)


def pulled_from(site: Site, universe: Universe) -> list[Pulled]:
    """Of what a session imports, directly or not, the saved theories that were pulled. Raises `SessionError` where what is known of publishers cannot be read."""
    from registry.sharing.theories import origins  # not needed until a theory is loaded

    saved = site.sessions.places.saved
    names = [path.stem for path, _ in universe.imported.stamps if path.parent == saved.resolve()]
    try:
        return origins(saved, site.settings.home, names)
    except RegistryError as error:
        raise SessionError(
            error.message, code="session-unreadable", file=error.file or "", hint=error.hint or ""
        ) from error
