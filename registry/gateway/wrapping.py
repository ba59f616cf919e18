"""A client's file that goes through the gateway, and back: `wrap` and `unwrap`.

`wrap` keeps the file as it was beside it, byte by byte; the gateway reads its servers there. In the client's file `mcpServers`
becomes the gateway alone, everything else stays. `unwrap` puts the kept file back, where nobody has changed the wrapped one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kleis.durable_files import write_whole
from kleis.errors import KleisError
from registry.gateway.config import read_config_file

__all__ = ["NAME", "kept_beside", "unwrap", "wrap"]

NAME = "gateway"
"""The server in a wrapped file."""

_MARK = "pif-gateway-wrapped"


def kept_beside(file: Path) -> Path:
    """Where the file as it was is kept."""
    return file.with_name(f"{file.name}.before-gateway")


def wrap(file: Path, command: str, arguments: Sequence[str]) -> Path:
    """Let a client's servers be reached through the gateway; where the file is kept as it was.

    `arguments`: of `pif gateway`, but for `--config`.  Raises `KleisError`, and OSError.
    """
    kept = kept_beside(file)
    text = _read(file)
    if kept.exists():
        raise KleisError(
            f"{file} is wrapped: {kept} is there", code="wrapped", hint="`pif gateway unwrap` undoes it first"
        )
    servers = read_config_file(file, _Anything())
    if not servers:
        raise KleisError(
            f"{file} has no servers", code="no-servers", hint="there is nothing to put the gateway before"
        )
    data = json.loads(text)
    entry = {"command": command, "args": ["gateway", *arguments, "--config", str(kept.resolve())]}
    data["mcpServers"] = {NAME: entry}
    wrapped = (json.dumps(data, ensure_ascii=False, indent=2) + "\n").encode()
    mode = file.stat().st_mode & 0o777
    write_whole(kept, text, mode=mode, replace=False)
    write_whole(_mark(file), hashlib.sha256(wrapped).hexdigest().encode() + b"\n", mode=mode)
    write_whole(file, wrapped, mode=mode)
    return kept


def unwrap(file: Path, *, force: bool = False) -> None:
    """Put a wrapped file back as it was, to the byte.  Raises `KleisError`, and OSError.

    `force`: also where it was changed since it was wrapped.
    """
    kept = kept_beside(file)
    if not kept.exists():
        raise KleisError(
            f"{file} is not wrapped: there is no {kept}",
            code="not-wrapped",
            hint="name the file that was wrapped",
        )
    mark = _mark(file)
    expected = mark.read_text().strip() if mark.exists() else ""
    now = _read(file) if file.exists() else b""
    if not force and hashlib.sha256(now).hexdigest() != expected and now != kept.read_bytes():
        hint = f"bring the changes into {kept}, then `pif gateway unwrap --force` puts that back"
        raise KleisError(f"{file} was changed since it was wrapped", code="changed", hint=hint)
    write_whole(file, kept.read_bytes(), mode=kept.stat().st_mode & 0o777)
    kept.unlink()
    mark.unlink(missing_ok=True)


def _mark(file: Path) -> Path:
    """Where the digest of the wrapped file is kept."""
    return file.with_name(f".{file.name}.{_MARK}")


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise KleisError(
            f"{file} cannot be read: {error.strerror}", code="unreadable", file=str(file)
        ) from None


class _Anything(dict[str, Any]):
    """An environment that has every variable: they are resolved when the gateway starts, in its environment."""

    def get(self, name: str, default: Any = None) -> str:
        return ""
