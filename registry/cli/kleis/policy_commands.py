"""The commands `kleis policy check`, `call`, `promises`, `audit`, `compare`. What they do is in `policies`, imported when needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from registry.cli.terminal.commands import Commands

if TYPE_CHECKING:
    from kleis.policy.policy import Default

__all__ = ["COMMANDS"]

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DEFAULT = click.option(
    "--default",
    type=click.Choice(["allow", "deny"]),
    default="allow",
    show_default=True,
    help="What becomes of an action without a rule.",
)
_ROOT = click.option(
    "--root",
    "roots",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    multiple=True,
    metavar="DIR",
    help="Imports may be here too (repeatable).",
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group(cls=Commands)
def policy() -> None:
    """Policies for agents: decide an action or a call, prove promises, audit a policy, compare two."""


@policy.command("check")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("action", metavar="ACTION")
@click.argument("arguments", metavar="KEY=VALUE…", nargs=-1)
@_DEFAULT
@_ROOT
@_JSON
def check(
    file: Path,
    action: str,
    arguments: tuple[str, ...],
    default: Default,
    roots: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Decide whether a policy allows an action.

    For example: kleis policy check agent.kleis git_push branch=main force=true. Exit status: 0 allowed, 1 denied.
    """
    from registry.cli.kleis.policies import check_action

    return check_action(file, action, arguments, default=default, roots=roots, as_json=as_json)


@policy.command("call")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.argument("server", metavar="SERVER")
@click.argument("tool", metavar="TOOL")
@click.argument("arguments", metavar="ARGUMENTS", default="{}")
@click.option("--as", "name", default="someone", metavar="NAME", show_default=True, help="Who calls.")
@click.option("--scope", "scopes", multiple=True, metavar="SCOPE", help="What they may do (repeatable).")
@_ROOT
@_JSON
def call(
    file: Path,
    server: str,
    tool: str,
    arguments: str,
    name: str,
    scopes: tuple[str, ...],
    roots: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Decide whether a policy allows a call of an MCP server's tool. ARGUMENTS is JSON.

    For example: kleis policy call team.kleis filesystem read_file '{"path": "/srv/a"}' --scope read. The promises of the
    policy are proved first. Exit status: 0 allowed, 1 denied, 3 a person has to be asked.
    """
    from registry.cli.kleis.policies import check_call

    return check_call(file, server, tool, arguments, name=name, scopes=scopes, roots=roots, as_json=as_json)


@policy.command("promises")
@click.argument("file", metavar="FILE", type=_FILE)
@_ROOT
@_JSON
def promises(file: Path, roots: tuple[Path, ...], as_json: bool) -> int:
    """Prove what a policy promises.

    Exit status: 0 all promises are kept, 1 one is broken, 3 one is open.
    """
    from registry.cli.kleis.policies import show_promises

    return show_promises(file, roots=roots, as_json=as_json)


@policy.command("audit")
@click.argument("file", metavar="FILE", type=_FILE)
@click.option("--action", default="", metavar="ACTION", help="Only the rule of this action.")
@click.option(
    "--lock",
    type=_FILE,
    metavar="LOCK",
    help="A gateway's lock file: branches for tools that no approved server has are findings too.",
)
@_DEFAULT
@_ROOT
@_JSON
def audit(
    file: Path, action: str, lock: Path | None, default: Default, roots: tuple[Path, ...], as_json: bool
) -> int:
    """Find the weak spots of a policy, each with an action that shows it.

    Exit status: 0 nothing should be changed, 1 something should, 3 not all could be decided.
    """
    from kleis.policy.actions import ACTIONS
    from registry.cli.kleis.policies import audit_file

    if action and action not in ACTIONS:
        raise click.UsageError(f"there is no action {action!r}; actions: {', '.join(ACTIONS)}")
    return audit_file(file, action=action, lock=lock, default=default, roots=roots, as_json=as_json)


@policy.command("compare")
@click.argument("old", metavar="OLD", type=_FILE)
@click.argument("new", metavar="NEW", type=_FILE)
@_DEFAULT
@_ROOT
@_JSON
def compare(old: Path, new: Path, default: Default, roots: tuple[Path, ...], as_json: bool) -> int:
    """Tell whether NEW is stricter than OLD, looser, equal or neither, with an action for each difference.

    Exit status: 0 equal or stricter, 1 looser or incomparable, 3 unknown.
    """
    from registry.cli.kleis.policies import compare_files

    return compare_files(old, new, default=default, roots=roots, as_json=as_json)


COMMANDS: tuple[click.Command, ...] = (policy,)
