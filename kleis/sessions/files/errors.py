"""The errors of theory sessions: what was wrong, where, what is allowed."""

from __future__ import annotations

from kleis.errors import KleisError

__all__ = ["SessionError"]


class SessionError(KleisError):
    """A session, a saved theory or a setting that cannot be used.

    Codes: `session-name`, `session-unknown`, `session-broken`, `session-unreadable`, `session-unwritable`,
    `session-busy`, `session-empty`, `save-name`, `save-exists`, `save-refused`, `save-circular`, `configuration`.
    """
