"""The servers behind the gateway: the `mcpServers` object of a client's file, read strictly.

Each server is what clients already write: `command`, `args`, `env`, `cwd`, or `url` and `headers`.  What only the gateway
knows stands in its member `gateway`: `exact`, `generation`, `timeouts`.  `${NAME}`, `${env:NAME}` and `${NAME:-default}` are
taken from the environment when the file is read; what they stand for is in no message and in no log.
"""

from __future__ import annotations

import codecs
import dataclasses
import os
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn, cast
from urllib.parse import urlsplit

from kleis.errors import KleisError
from kleis.policy.exact_json import ExactJsonError, read_exactly
from kleis.spelling import suggestion
from registry.gateway.upstream.protocol import Generation, Timeouts, UpstreamSettings

__all__ = ["LONGEST_NAME", "ConfigError", "read_config", "read_config_file"]

LONGEST_NAME = 32
"""Characters of a server's name, which begins the names of its tools."""

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]|_(?!_))*(?<!_)")
_REFERENCE = re.compile(r"\$\{(?:env:)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<default>:-[^}]*)?\}")
_COMMENT = re.compile(rb"^\s*(?://|/\*)", re.MULTILINE)
_HEADER = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_TYPES = ("stdio", "http", "streamable-http", "streamableHttp")
_KEYS = ("command", "args", "env", "cwd", "url", "headers", "type", "disabled", "gateway")
_OWN = ("exact", "generation", "timeouts")
_OF_CLIENTS = frozenset(
    {
        "alwaysAllow",
        "autoApprove",
        "description",
        "enabled",
        "name",
        "serverUrl",
        "timeout",
        "transport",
        "trust",
        "icon",
    }
)
"""Members that some client gives a meaning of its own: they are left alone, and decide nothing here."""
_RESERVED = frozenset(
    {"accept", "accept-encoding", "content-length", "content-type", "host", "last-event-id"}
)


class ConfigError(KleisError):
    """A configuration that is not read. `code` is `no-json` or `bad-config`; the place is in the message."""


def read_config_file(path: Path, environment: Mapping[str, str] | None = None) -> dict[str, UpstreamSettings]:
    """The servers of a file. Raises `ConfigError`."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror}", code="bad-config", file=str(path)
        ) from None
    return read_config(text, environment, file=str(path))


def read_config(
    text: bytes, environment: Mapping[str, str] | None = None, *, file: str = "<text>"
) -> dict[str, UpstreamSettings]:
    """The servers that `mcpServers` names, in its order. `environment`: the process's own if None. Raises `ConfigError`."""
    try:
        data = read_exactly(text.removeprefix(codecs.BOM_UTF8))
    except ExactJsonError as error:
        hint = "JSON has no comments" if _COMMENT.search(text) else ""
        raise ConfigError(f"{file}: {error.message}", code="no-json", file=file, hint=hint) from None
    return _Reader(file, os.environ if environment is None else environment).servers(data)


class _Reader:
    """One file being read. A place is the path of members from the top."""

    def __init__(self, file: str, environment: Mapping[str, str]) -> None:
        self._file = file
        self._environment = environment
        self._secrets: set[str] = set()

    def servers(self, data: Any) -> dict[str, UpstreamSettings]:
        if not isinstance(data, dict):
            self._refuse((), "an object with `mcpServers` is expected")
        if "mcpServers" not in data:
            hint = suggestion("mcpServers", data, otherwise='write {"mcpServers": {"NAME": {"command": …}}}')
            self._refuse((), "`mcpServers` is missing", hint)
        found = self._object(data["mcpServers"], ("mcpServers",))
        servers = {name: self._server(name, each) for name, each in found.items()}
        folded: dict[str, str] = {}
        for name in servers:
            other = folded.setdefault(name.casefold(), name)
            if other != name:
                self._refuse(("mcpServers", name), f"differs from {other} in the case of its letters only")
        return servers

    def _server(self, name: str, data: Any) -> UpstreamSettings:
        place = ("mcpServers", name)
        if len(name) > LONGEST_NAME or _NAME.fullmatch(name) is None:
            self._refuse(
                place,
                "is no name of a server",
                f"letters, digits, `-` and single `_` between them, at most {LONGEST_NAME}",
            )
        fields = self._object(data, place)
        self._known(fields, _KEYS, place, _OF_CLIENTS)
        if ("command" in fields) == ("url" in fields):
            said = (
                "has both `command` and `url`" if "command" in fields else "has neither `command` nor `url`"
            )
            self._refuse(place, said, "a server is either a process or an address")
        self._check_type(fields, place)
        self._secrets = set()
        own = self._object(fields.get("gateway", {}), (*place, "gateway"))
        self._known(own, _OWN, (*place, "gateway"))
        disabled = fields.get("disabled", False)
        if not isinstance(disabled, bool):
            self._refuse((*place, "disabled"), "true or false is expected")
        settings = UpstreamSettings(
            name,
            command=self._command(fields, place),
            args=tuple(self._texts(fields.get("args", []), (*place, "args"))),
            env=self._mapping(fields.get("env", {}), (*place, "env")),
            cwd=self._text(fields["cwd"], (*place, "cwd")) if "cwd" in fields else None,
            url=self._url(fields, place),
            headers=self._headers(fields.get("headers", {}), (*place, "headers")),
            exact=frozenset(self._texts(own.get("exact", []), (*place, "gateway", "exact"))),
            generation=self._generation(own, (*place, "gateway", "generation")),
            timeouts=self._timeouts(own.get("timeouts", {}), (*place, "gateway", "timeouts")),
            disabled=disabled,
        )
        return dataclasses.replace(settings, secrets=frozenset(self._secrets))

    def _check_type(self, fields: Mapping[str, Any], place: tuple[str, ...]) -> None:
        kind = fields.get("type", "stdio" if "command" in fields else "http")
        if kind == "sse":
            self._refuse(
                (*place, "type"),
                "the transport of 2024 (`sse`) is not spoken",
                "use its streamable HTTP address",
            )
        if kind not in _TYPES:
            found = suggestion(str(kind), _TYPES, otherwise=f"one of {', '.join(_TYPES)}")
            self._refuse((*place, "type"), "is no kind of transport", found)
        if (kind == "stdio") != ("command" in fields):
            self._refuse((*place, "type"), f"{kind} does not go with what the server has")
        wrong = ("headers",) if kind == "stdio" else ("args", "env", "cwd")
        for each in wrong:
            if each in fields:
                self._refuse(
                    (*place, each),
                    f"means nothing for a server over {'stdio' if kind == 'stdio' else 'HTTP'}",
                )

    def _command(self, fields: Mapping[str, Any], place: tuple[str, ...]) -> str | None:
        if "command" not in fields:
            return None
        command = self._text(fields["command"], (*place, "command"))
        return command or self._refuse((*place, "command"), "is empty")

    def _url(self, fields: Mapping[str, Any], place: tuple[str, ...]) -> str | None:
        if "url" not in fields:
            return None
        url = self._text(fields["url"], (*place, "url"))
        try:
            parts = urlsplit(url)
            is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            is_one = False
        if not is_one or any(each <= " " or each == "\x7f" for each in url):
            self._refuse((*place, "url"), "is no http:// or https:// address")
        if parts.username is not None or parts.password is not None:
            self._refuse((*place, "url"), "holds a name or a password", "credentials go into `headers`")
        return url

    def _headers(self, data: Any, place: tuple[str, ...]) -> dict[str, str]:
        headers = self._mapping(data, place)
        for name, value in headers.items():
            if _HEADER.fullmatch(name) is None:
                self._refuse((*place, name), "is no name of a header")
            if name.lower() in _RESERVED or name.lower().startswith("mcp-"):
                self._refuse((*place, name), "is a header that the protocol writes itself")
            if any(each != "\t" and not " " <= each <= "~" for each in value):
                self._refuse((*place, name), "its value has characters that a header cannot have")
        return headers

    def _generation(self, own: Mapping[str, Any], place: tuple[str, ...]) -> Generation | None:
        generation = own.get("generation")
        if generation not in (None, "2025", "2026"):
            self._refuse(place, 'is no generation of the protocol: "2025" or "2026"')
        return cast("Generation | None", generation)

    def _timeouts(self, data: Any, place: tuple[str, ...]) -> Timeouts:
        names = tuple(each.name for each in dataclasses.fields(Timeouts))
        given = self._object(data, place)
        self._known(given, names, place)
        for name, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | Fraction) or not 0 < value <= 86_400:
                self._refuse((*place, name), "seconds are expected, more than 0 and at most 86400")
        return Timeouts(**{name: float(value) for name, value in given.items()})

    # values

    def _object(self, data: Any, place: tuple[str, ...]) -> dict[str, Any]:
        if not isinstance(data, dict):
            self._refuse(place, "an object is expected")
        return cast("dict[str, Any]", data)

    def _known(
        self,
        fields: Mapping[str, Any],
        known: tuple[str, ...],
        place: tuple[str, ...],
        ignored: frozenset[str] = frozenset(),
    ) -> None:
        for name in fields:
            if name not in known and name not in ignored:
                hint = suggestion(name, known, otherwise=f"known are {', '.join(known)}")
                self._refuse((*place, name), "is no member that is known", hint)

    def _texts(self, data: Any, place: tuple[str, ...]) -> list[str]:
        if not isinstance(data, list):
            self._refuse(place, "a list of texts is expected")
        return [self._text(each, (*place, str(index))) for index, each in enumerate(data)]

    def _mapping(self, data: Any, place: tuple[str, ...]) -> dict[str, str]:
        return {name: self._text(each, (*place, name)) for name, each in self._object(data, place).items()}

    def _text(self, data: Any, place: tuple[str, ...]) -> str:
        """A text with its references resolved."""
        if not isinstance(data, str):
            self._refuse(place, "a text is expected")

        def resolve(found: re.Match[str]) -> str:
            value = self._environment.get(found["name"])
            if value is None and found["default"] is None:
                hint = f"set it, or write ${{{found['name']}:-default}}"
                near = suggestion(found["name"], self._environment, otherwise=hint)
                self._refuse(place, f"the environment has no {found['name']}", near)
            if value is None:
                return cast("str", found["default"][2:])
            self._secrets.add(value)
            return value

        text = _REFERENCE.sub(resolve, data)
        if "\0" in text:
            self._refuse(place, "holds a zero byte")
        return text

    def _refuse(self, place: tuple[str, ...], what: str, hint: str = "") -> NoReturn:
        where = ".".join(place)
        raise ConfigError(
            f"{self._file}: {where}: {what}" if where else f"{self._file}: {what}",
            code="bad-config",
            file=self._file,
            hint=hint,
        )
