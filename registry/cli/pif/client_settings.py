"""Entering a server in a client's settings: one entry changes, everything else in the file stays as it is.

A file that cannot be changed without loss (comments in JSON, a name twice in one object, a table written inline) is left
alone, with an error that holds the entry to paste.  Files are replaced whole, and only if nobody changed them meanwhile.
"""

from __future__ import annotations

import json
import re
import stat
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from kleis.durable_files import write_whole
from registry.cli.pif.clients import Client, Entry
from registry.errors import RegistryError

__all__ = ["Change", "entered", "entry_text", "removed"]

Outcome = Literal["entered", "replaced", "unchanged", "removed", "absent"]


class Change(msgspec.Struct, frozen=True):
    """What became of a file: the text it has now, or would have."""

    file: Path
    outcome: Outcome
    text: str


def entered(client: Client, file: Path, server: str, entry: Entry, *, dry_run: bool = False) -> Change:
    """Enter a server; an entry of that name is replaced.  Raises `RegistryError`."""
    before = _read(file)
    servers = _servers(client, file, before, server, entry)
    if servers.get(server) == entry:
        return Change(file, "unchanged", before)
    outcome: Outcome = "replaced" if server in servers else "entered"
    return _changed(client, file, before, server, entry, outcome, dry_run)


def removed(client: Client, file: Path, server: str, *, dry_run: bool = False) -> Change:
    """Take a server out.  Raises `RegistryError`."""
    before = _read(file)
    if server not in _servers(client, file, before, server, None):
        return Change(file, "absent", before)
    return _changed(client, file, before, server, None, "removed", dry_run)


def entry_text(client: Client, server: str, entry: Entry) -> str:
    """The entry as a text to paste."""
    if client.form == "toml":
        return _toml_table(client.key, server, entry)
    return json.dumps({client.key: {server: entry}}, ensure_ascii=False, indent=2) + "\n"


def _changed(
    client: Client, file: Path, before: str, server: str, entry: Entry | None, outcome: Outcome, dry_run: bool
) -> Change:
    write = _toml_changed if client.form == "toml" else _json_changed
    after = write(client, before, server, entry)
    expected = _parsed(client, before)
    servers = dict(expected.get(client.key, {}))
    if entry is None:
        del servers[server]
    else:
        servers[server] = entry
    try:
        found = _parsed(client, after)
    except ValueError:  # the server stands there in a form that cannot be taken out
        found = {}
    if found.get(client.key, {}) != servers or _without(found, client.key) != _without(expected, client.key):
        raise _refused(client, file, "it cannot be changed without losing something", server, entry)
    if not dry_run:
        _replace(file, before, after)
    return Change(file, outcome, after)


def _without(settings: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: each for name, each in settings.items() if name != key}


# ── Files ────────────────────────────────────────────────────────────────────────────────────────────────────


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise RegistryError(
            "invalid_argument",
            "the client's settings cannot be read",
            file=str(file),
            found=str(error),
            expected="a text file that this user may read",
            hint="look at the file; --dry-run shows the entry that belongs there",
        ) from error


def _replace(file: Path, before: str, after: str) -> None:
    """Write the file that a name stands for, so that a link to it stays a link."""
    target = file.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
        if _read(target) != before:
            raise RegistryError(
                "invalid_argument",
                "the client's settings changed while they were read",
                file=str(file),
                hint="close the client and try again",
            )
        write_whole(target, after.encode("utf-8"), mode=mode)
    except OSError as error:
        raise RegistryError(
            "invalid_argument",
            "the client's settings cannot be written; they are as they were",
            file=str(file),
            found=error.strerror or str(error),
            expected="a file that this user may write",
            hint="--dry-run shows the entry that belongs there",
        ) from error


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _servers(client: Client, file: Path, text: str, server: str, entry: Entry | None) -> dict[str, Any]:
    try:
        settings = _parsed(client, text)
    except (ValueError, RecursionError) as error:
        raise _refused(
            client, file, f"it is no plain {client.form.upper()}: {error}", server, entry
        ) from error
    servers = settings.get(client.key, {}) if isinstance(settings, dict) else None
    if not isinstance(servers, dict):
        raise _refused(client, file, f"{client.key} is no table of servers there", server, entry)
    return servers


def _parsed(client: Client, text: str) -> dict[str, Any]:
    if client.form == "toml":
        return tomllib.loads(text)
    if not text.strip():
        return {}
    found: dict[str, Any] = json.loads(text, object_pairs_hook=_once)
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _json_changed(client: Client, text: str, server: str, entry: Entry | None) -> str:
    settings = _parsed(client, text)
    servers = settings.setdefault(client.key, {})
    if entry is None:
        del servers[server]
    else:
        servers[server] = entry
    indented = re.search(r"\n([ \t]+)\S", text)
    step = indented.group(1) if indented else "  "
    return json.dumps(settings, ensure_ascii=False, indent=step) + "\n"


# ── TOML ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _toml_changed(client: Client, text: str, server: str, entry: Entry | None) -> str:
    """The text without the lines of the server's table, and with the new one at its end."""
    kept: list[str] = []
    dropped: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            # Comments above the next table are about that table.
            kept += _comments_at_the_end(dropped) if inside else []
            header = line.split("#")[0].strip()
            inside = header == f"[{client.key}.{server}]" or header.startswith(f"[{client.key}.{server}.")
            dropped = []
        (dropped if inside else kept).append(line)
    rest = "".join(kept).rstrip("\n")
    parts = [rest] if rest else []
    if entry is not None:
        parts.append(_toml_table(client.key, server, entry).rstrip("\n"))
    return "\n\n".join(parts) + "\n" if parts else ""


def _comments_at_the_end(lines: Sequence[str]) -> list[str]:
    end = len(lines)
    while end and lines[end - 1].lstrip()[:1] in ("", "#"):
        end -= 1
    return list(lines[end:])


def _toml_table(key: str, server: str, entry: Entry) -> str:
    lines = [f"[{key}.{server}]"]
    for name, value in entry.items():
        written: Callable[[Any], str] = _toml_list if isinstance(value, list) else _toml_text
        lines.append(f"{name} = {written(value)}")
    return "\n".join(lines) + "\n"


def _toml_text(value: str) -> str:
    # A JSON string is a basic string of TOML, apart from DEL, which no path of ours holds unescaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_list(values: Sequence[str]) -> str:
    return "[" + ", ".join(map(_toml_text, values)) + "]"


def _refused(client: Client, file: Path, why: str, server: str, entry: Entry | None) -> RegistryError:
    hint = (
        f"take {server} out by hand"
        if entry is None
        else "enter it by hand:\n" + entry_text(client, server, entry)
    )
    return RegistryError(
        "invalid_argument",
        f"the settings of {client.title} are left as they are: {why}",
        file=str(file),
        expected=f"{client.form.upper()} in which one entry can be changed",
        hint=hint,
    )
