"""A client of the language server that writes the frames itself, and reads what comes in a thread."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

__all__ = ["LanguageClient"]

_PATIENCE = 120.0
"""Seconds after which something that must come has failed to."""


class LanguageClient:
    """`kleis lsp` as an editor runs it, with `folder` open."""

    def __init__(
        self, folder: Path, arguments: Sequence[str] = (), capabilities: dict[str, Any] | None = None
    ) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "registry.cli.kleis", "lsp", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=Path(__file__).parents[3],
        )
        self.received: list[dict[str, Any]] = []
        self._answers: dict[Any, dict[str, Any]] = {}
        self._arrived = threading.Condition()
        self._count = 0
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        asked = {
            "textDocument": {"hover": {"contentFormat": ["markdown"]}, "rename": {"prepareSupport": True}},
            "workspace": {"codeLens": {"refreshSupport": True}},
            **(capabilities or {}),
        }
        root = folder.as_uri()
        self.initialized = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": root,
                "capabilities": asked,
                "workspaceFolders": [{"uri": root, "name": "folder"}],
            },
        )["result"]
        self.tell("initialized", {})

    # ── messages ─────────────────────────────────────────────────────────────────────────────────────────

    def write(self, data: bytes) -> None:
        """Bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        """One message in its frame."""
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def tell(self, method: str, params: Any) -> None:
        """A notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any) -> int:
        """A request; its number."""
        self._count += 1
        self.send({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        return self._count

    def answer(self, number: Any) -> dict[str, Any]:
        """The answer to a request."""
        with self._arrived:
            assert self._arrived.wait_for(lambda: number in self._answers, _PATIENCE), "no answer came"
            return self._answers.pop(number)

    def ask(self, method: str, params: Any) -> dict[str, Any]:
        """A request and its answer."""
        return self.answer(self.begin(method, params))

    def until(self, condition: Callable[[], Any]) -> Any:
        """Wait for what messages bring about; what `condition` gives then."""
        with self._arrived:
            assert self._arrived.wait_for(condition, _PATIENCE), "it did not come about"
            return condition()

    # ── texts ────────────────────────────────────────────────────────────────────────────────────────────

    def open(self, name: str, text: str, *, version: int = 1) -> str:
        """Open a text of the folder; its address."""
        uri = (self.folder / name).as_uri()
        document = {"uri": uri, "languageId": "kleis", "version": version, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})
        return uri

    def change(self, uri: str, text: str, version: int) -> None:
        """Replace a text."""
        changed = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}
        self.tell("textDocument/didChange", changed)

    def at(self, uri: str, line: int, character: int, method: str, **more: Any) -> Any:
        """The result of a question about a position."""
        position = {"line": line, "character": character}
        params = {"textDocument": {"uri": uri}, "position": position, **more}
        return self.ask(f"textDocument/{method}", params)["result"]

    def about(self, uri: str, method: str, **more: Any) -> Any:
        """The result of a question about a text."""
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **more})["result"]

    def published(self, uri: str, version: int) -> list[list[dict[str, Any]]]:
        """The lists of diagnostics that came for a version of a text, in order."""
        return [
            each["params"]["diagnostics"]
            for each in self.received
            if each["method"] == "textDocument/publishDiagnostics"
            and each["params"]["uri"] == uri
            and each["params"].get("version") == version
        ]

    def diagnostics(self, uri: str, version: int = 1, *, stages: int = 1) -> list[dict[str, Any]]:
        """The diagnostics of a version of a text, after so many stages."""
        found: list[list[dict[str, Any]]] = self.until(
            lambda: self.published(uri, version) if len(self.published(uri, version)) >= stages else None
        )
        return found[-1]

    # ── the end ──────────────────────────────────────────────────────────────────────────────────────────

    def end(self) -> int:
        """Shut the server down as the protocol has it; the exit status."""
        self.ask("shutdown", None)
        self.tell("exit", None)
        return self.leave()

    def leave(self) -> int:
        """End the input; the exit status."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()
        status = self.process.wait(_PATIENCE)
        self._listener.join()
        self.process.stdout.close()
        return status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            size = 0
            while (line := stream.readline()) not in (b"\r\n", b""):
                if line.lower().startswith(b"content-length:"):
                    size = int(line.split(b":")[1])
            if not line:
                return
            message = json.loads(stream.read(size))
            with self._arrived:
                if "method" in message:
                    self.received.append(message)
                else:
                    self._answers[message["id"]] = message
                self._arrived.notify_all()
            if "method" in message and "id" in message:
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
