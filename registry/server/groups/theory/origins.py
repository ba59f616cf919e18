"""Where saved theories came from that were pulled from other registries."""

from __future__ import annotations

from kleis.sessions.answer_shapes import Pulled
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.universe import Universe
from registry.errors import RegistryError
from registry.server.contract.settings import Site

__all__ = ["pulled_from"]


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
