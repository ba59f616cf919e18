"""What others have changed in a database, told as it happens: one connection of a process that listens (ADR 046).

Every transaction that changes what somebody may be looking at ends with a notice on `CHANNEL`, which says the schema. The
database sends it when the transaction is committed, so who looks after a notice sees the change.

A notice says only that it is worth a look. Those who follow are told besides whenever the connection is there again after it was lost: what
was changed meanwhile is found then. While it is lost `is_live` is false, and they look by the clock.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from multiprocessing.connection import wait
from typing import Any, Final

import psycopg

from registry.store.postgres.address import Address

__all__ = ["CHANNEL", "NOTICE", "Following", "follow"]

CHANNEL: Final = "pif_changes"

NOTICE: Final = f"SELECT pg_notify('{CHANNEL}', current_schema())"
"""Ends a transaction; the database puts equal notices of one transaction together."""

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 5.0
"""Seconds before a lost connection is tried again."""

logger = logging.getLogger(__name__)


class Following:
    """One who is told of the changes in a schema, until it is closed."""

    def __init__(self, listener: _Listener, schema: str, told: Callable[[], None]) -> None:
        self.schema = schema
        self.told = told
        self._listener = listener

    @property
    def is_live(self) -> bool:
        """Whether changes are told of now. False: look by the clock."""
        return self._listener.is_live

    def close(self) -> None:
        """Be told no more. Closing again does nothing."""
        self._listener.leave(self)


class _Listener:
    """The connection to one database, in a thread of its own as long as somebody follows."""

    def __init__(self, address: Address, key: str) -> None:
        self.key = key
        self.is_live = False
        self.followers: set[Following] = set()
        self._address = address
        self._stopping, self._stopped = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="changes in the database", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def leave(self, following: Following) -> None:
        with _lock:
            self.followers.discard(following)
            if self.followers or _listeners.get(self.key) is not self:
                return
            del _listeners[self.key]
        self._stopping.close()  # the thread sees the end and closes its connection

    def _run(self) -> None:
        pause, trouble = _FIRST_PAUSE, ""
        with self._stopped:
            while True:
                try:
                    with psycopg.connect(self._address.connection, autocommit=True) as connection:
                        connection.execute(f"LISTEN {CHANNEL}")
                        self.is_live, pause, trouble = True, _FIRST_PAUSE, ""
                        self._tell(None)
                        if self._listen(connection):
                            return
                except psycopg.Error as error:
                    if str(error) != trouble:
                        logger.warning(
                            "changes in the database are looked for by the clock: %s", str(error).strip()
                        )
                    trouble = str(error)
                finally:
                    self.is_live = False
                if wait([self._stopped], pause):
                    return
                pause = min(_LONGEST_PAUSE, 2 * pause)

    def _listen(self, connection: psycopg.Connection[Any]) -> bool:
        """Tell of notices until nobody follows: True. Raises errors of the driver where the connection is lost."""
        while True:
            if self._stopped in wait([connection.fileno(), self._stopped]):
                return True
            schemas = {notice.payload for notice in connection.notifies(timeout=0)}
            if schemas:
                self._tell(schemas)

    def _tell(self, schemas: set[str] | None) -> None:
        """Tell those who follow one of these schemas, or all."""
        with _lock:
            followers = tuple(self.followers)
        for each in followers:
            if schemas is None or each.schema in schemas:
                try:
                    each.told()
                except Exception:  # a defect of one must not end what all are told by
                    logger.exception("telling of a change in the database failed")


_lock = threading.Lock()
_listeners: dict[str, _Listener] = {}
"""By the parameters of the connection without the schema: principals and teams of one database have one connection."""


def follow(address: Address, told: Callable[[], None]) -> Following:
    """Have `told` called, from some thread and quickly, after changes in the schema of an address."""
    key = address.connection.replace(f"search_path={address.schema}", "")
    with _lock:
        listener = _listeners.get(key)
        is_new = listener is None
        if listener is None:
            listener = _listeners[key] = _Listener(address, key)
        following = Following(listener, address.schema, told)
        listener.followers.add(following)
    if is_new:
        listener.begin()
    elif listener.is_live:
        told()  # what was changed before is found by one look
    return following
