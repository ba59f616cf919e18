"""The page of a host of MCP Apps, served on this machine."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.browser.installation import bundled_host

__all__ = ["hosted"]

PAGE = '<!DOCTYPE html><html lang="en"><title>host</title><body><script type="module" src="/host.js"></script></body></html>'


@contextmanager
def hosted() -> Iterator[str]:
    """The origin of the host page. Raises `NotInstalled`."""
    script = bundled_host().encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = ("text/javascript", script) if self.path == "/host.js" else ("text/html", PAGE.encode())  # fmt: skip
            self.send_response(200 if self.path in ("/", "/host.js") else 204)
            self.send_header("Content-Type", kind)
            self.end_headers()
            if self.path in ("/", "/host.js"):
                self.wfile.write(body)

        def log_message(self, format: str, *given: Any) -> None: ...

    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{served.server_port}"
    served.shutdown()
