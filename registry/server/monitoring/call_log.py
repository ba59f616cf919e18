"""The log of a server as lines of JSON, with one line for each call.

A line has `time` (RFC 3339, UTC), `level`, `logger`, `message`; that of a call also `tool`, `outcome`, `kind`, `seconds`, `fuel`,
`client`, `request`, `trace_id` where the client named one, and `arguments` only where they were asked for. A client is
named by its principal or its connection; a session by the hash of its id, since whoever has the id has the session.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

from registry.server.calls.observation import CallRecord

__all__ = ["CallLog", "JsonLines", "log_as_json"]

_SESSION = "session "

logger = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """A record as one line of JSON. Whatever is in it, it is one line: JSON escapes line ends."""

    def format(self, record: logging.LogRecord) -> str:
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        return json.dumps(said, ensure_ascii=False, default=repr)


class CallLog:
    """Writes a line for each call. `wants_arguments`: with its arguments."""

    def __init__(self, *, wants_arguments: bool = False) -> None:
        self.wants_arguments = wants_arguments

    def ended(self, call: CallRecord) -> None:
        """Log a call."""
        fields: dict[str, Any] = {
            "tool": call.tool,
            "outcome": call.outcome,
            "seconds": round(call.seconds, 6),
            "fuel": call.fuel,
            "client": _client(call.whose),
            "request": call.request.id,
        }
        if call.kind:
            fields["kind"] = call.kind
        if call.request.trace_id:
            fields["trace_id"] = call.request.trace_id
        if self.wants_arguments:
            fields["arguments"] = call.arguments
        logger.info("%s %s", call.tool, call.outcome, extra={"fields": fields})


def _client(whose: str) -> str:
    if not whose.startswith(_SESSION):
        return whose
    return _SESSION + hashlib.sha256(whose.removeprefix(_SESSION).encode()).hexdigest()[:12]


def log_as_json() -> None:
    """Write all of the log to standard error as lines of JSON, from calls on upwards."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logger.setLevel(logging.INFO)
