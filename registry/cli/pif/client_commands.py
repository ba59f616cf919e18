"""The command that enters the server in the settings of an MCP client."""

from __future__ import annotations

import shutil
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from registry.cli.terminal.command_context import CommandContext
from registry.cli.terminal.session import command
from registry.cli.terminal.sources import path, text
from registry.errors import RegistryError

if TYPE_CHECKING:
    from registry.cli.pif.clients import Client

__all__ = ["COMMANDS"]

_SAID = {
    "entered": "entered in",
    "replaced": "replaced in",
    "unchanged": "stands already in",
    "removed": "taken out of",
    "absent": "does not stand in",
}


@command("install-client")
@click.argument("name", type=text, default="")
@click.argument("arguments", type=text, nargs=-1, metavar="[-- SERVE OPTIONS]")
@click.option(
    "--project", type=path, metavar="DIR", help="Enter it for the project in DIR instead of the user."
)
@click.option(
    "--url",
    type=text,
    default="",
    metavar="URL",
    help="A server that runs already, such as http://127.0.0.1:8000/mcp.",
)
@click.option(
    "--as",
    "server",
    type=text,
    default="pif",
    show_default=True,
    metavar="NAME",
    help="The server's name there.",
)
@click.option("--remove", is_flag=True, help="Take the entry out.")
@click.option("--dry-run", is_flag=True, help="Show the entry and change nothing.")
def install_client(
    context: CommandContext,
    name: str,
    arguments: tuple[str, ...],
    project: Path | None,
    url: str,
    server: str,
    remove: bool,
    dry_run: bool,
) -> int:
    """Enter this server in the settings of the MCP client NAME; without NAME, list the clients.

    Everything else in the settings stays as it is. What follows -- are options of `pif serve`.
    """
    if not name:
        return context.answer(_listed(server), lambda answer: _show_clients(context, answer))
    client = _client(name)
    file = _file(client, project)
    if not server.replace("-", "").replace("_", "").isalnum() or not server.isascii():
        raise RegistryError(
            "invalid_argument", "a server's name is of letters, digits, - and _", place="as", found=server,
            hint="leave --as away",
        )  # fmt: skip
    answer = _changed(
        context,
        client,
        file,
        server,
        url,
        arguments,
        shared=project is not None,
        remove=remove,
        dry_run=dry_run,
    )
    return context.answer(answer, lambda done: _show_change(context, done))


def _changed(
    context: CommandContext,
    client: Client,
    file: Path,
    server: str,
    url: str,
    arguments: tuple[str, ...],
    *,
    shared: bool,
    remove: bool,
    dry_run: bool,
) -> dict[str, Any]:
    from registry.cli.pif.client_settings import entered, entry_text, removed

    answer: dict[str, Any] = {
        "type": "client",
        "client": client.name,
        "title": client.title,
        "server": server,
    }
    if remove:
        change = removed(client, file, server, dry_run=dry_run)
    else:
        entry = _entry(context, client, url, arguments, shared=shared)
        change = entered(client, file, server, entry, dry_run=dry_run)
        answer["entry"] = entry
        if dry_run:
            answer["text"] = entry_text(client, server, entry)
    return {**answer, "file": str(file), "outcome": change.outcome, "dry_run": dry_run}


def _entry(
    context: CommandContext, client: Client, url: str, arguments: tuple[str, ...], *, shared: bool
) -> dict[str, Any]:
    if not url:
        home = context.home()
        chosen = ["--home", str(home.path)] if home.chosen_by != "default" else []
        return client.local(_program(shared), [*chosen, "serve", *arguments])
    if client.remote is None:
        raise RegistryError(
            "invalid_argument",
            f"the settings of {client.title} take no address",
            place="url",
            found=url,
            hint="leave --url away: the client starts the server itself",
        )
    if arguments:
        raise click.UsageError(
            "options of `pif serve` belong to a server that the client starts, not to one at --url"
        )
    return client.remote(url)


def _program(shared: bool) -> str:
    """The path of `pif`: a client that was not started from a shell does not know the PATH.

    Settings that a project's people share have the name alone, if the PATH knows it: paths differ between them.
    """
    if shared and shutil.which("pif"):
        return "pif"
    called = Path(sys.argv[0])
    beside = Path(sys.executable).with_name("pif")
    for each in (called, beside):
        if each.name == "pif" and each.is_file():
            return str(each.absolute())
    return shutil.which("pif") or "pif"


def _client(name: str) -> Client:
    from registry.cli.pif.clients import CLIENTS, client_named

    client = client_named(name)
    if client is None:
        close = get_close_matches(name.lower(), CLIENTS, n=1)
        raise RegistryError(
            "invalid_argument",
            f"no client is called {name}",
            place="name",
            found=name,
            expected=", ".join(CLIENTS),
            hint=f"did you mean {close[0]}?"
            if close
            else "`pif install-client` lists the clients with their files",
        )
    return client


def _file(client: Client, project: Path | None) -> Path:
    if project is None:
        return client.user
    if not client.project:
        raise RegistryError(
            "invalid_argument",
            f"{client.title} has no settings of a project",
            place="project",
            found=str(project),
            hint="leave --project away",
        )
    if not project.is_dir():
        raise RegistryError(
            "invalid_argument", "there is no such folder", place="project", found=str(project),
            expected="the folder of a project", hint="make it first",
        )  # fmt: skip
    return project / client.project


def _listed(server: str) -> dict[str, Any]:
    from registry.cli.pif.client_settings import removed
    from registry.cli.pif.clients import CLIENTS

    rows = []
    for client in CLIENTS.values():
        try:
            stands = removed(client, client.user, server, dry_run=True).outcome == "removed"
        except RegistryError:
            stands = None  # what cannot be read is not known
        row = {
            "name": client.name,
            "title": client.title,
            "file": str(client.user),
            "project": client.project,
        }
        rows.append({**row, "present": client.user.exists(), "installed": stands})
    return {"type": "clients", "clients": rows}


def _show_clients(context: CommandContext, answer: dict[str, Any]) -> None:
    for each in answer["clients"]:
        state = "installed" if each["installed"] else "settings found" if each["present"] else ""
        context.say(f"{each['name']:<15} {state:<15} {each['file']}")
    context.say("pif install-client NAME enters the server there.")


def _show_change(context: CommandContext, answer: dict[str, Any]) -> None:
    if answer["dry_run"] and "text" in answer:
        context.say(answer["text"].rstrip("\n"))
        return
    would = "would be " if answer["dry_run"] else ""
    context.say(f"{answer['server']} {would}{_SAID[answer['outcome']]} {answer['file']}")
    if answer["outcome"] in ("entered", "replaced", "removed") and not answer["dry_run"]:
        context.say(f"Start {answer['title']} anew.")


COMMANDS = (install_client,)
