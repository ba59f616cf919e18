"""The group of `demo_group` over HTTP, with limits of a test's own: `python tests/programs/hasty_http.py '{"head": 0.2}'`.

The argument is an object: deadlines by phase (`http_connection.PHASES`), and `connections`, `sessions`, `bodies`, `token`,
`origins`, `certificate`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from registry.server.mcp import http_connection, http_requests, http_server
from tests.programs.demo_group import DemoGroup

__all__ = ["main"]


def main() -> int:
    wanted = json.loads(sys.argv[1])
    for phase, (_, what) in tuple(http_connection.PHASES.items()):
        if phase in wanted:
            http_connection.PHASES[phase] = (wanted[phase], what)
    http_server.CONNECTIONS = wanted.get("connections", http_server.CONNECTIONS)
    http_server.HTTP_SESSIONS = wanted.get("sessions", http_server.HTTP_SESSIONS)
    http_requests.BODIES = wanted.get("bodies", http_requests.BODIES)
    certificate = Path(wanted["certificate"]) if "certificate" in wanted else None
    options = http_server.HttpOptions(("127.0.0.1", 0), tuple(wanted.get("origins", ())), certificate)
    return http_server.serve_http([DemoGroup()], options, name="demo", version="1.0")


if __name__ == "__main__":
    sys.exit(main())
