"""A session that is gone with its notebook; theories that it saves, and verdicts, are those of the home."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from kleis.conversation.conversation import Conversation
from kleis.sessions.sessions import open_sessions
from kleis.theory.parse_cache import user_cache
from registry.home import find_home
from registry.store.shared_state import certificate_files

__all__ = ["NAME", "notebook_conversation"]

NAME = "notebook"


@contextmanager
def notebook_conversation() -> Iterator[Conversation]:
    """A conversation over a session of its own."""
    home = find_home().path
    with TemporaryDirectory(prefix="kleis-notebook-") as directory:
        sessions = open_sessions(
            home,
            roots=(Path.cwd(), Path("/")),
            cache=user_cache(),
            workspace=Path(directory),
            certificates=certificate_files(home),
        )
        try:
            sessions.prepare()
            yield Conversation(sessions, NAME)
        finally:
            sessions.close()
