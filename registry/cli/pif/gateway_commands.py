"""The gateway: `pif gateway`, and what belongs to it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from kleis.errors import KleisError
from registry.cli.terminal.command_context import CommandContext
from registry.cli.terminal.commands import Commands
from registry.cli.terminal.process import FAILED, SUCCEEDED, USAGE
from registry.cli.terminal.session import command, context_of, group, home_and_json
from registry.cli.terminal.sources import path, text
from registry.errors import RegistryError

if TYPE_CHECKING:
    from registry.gateway.pins import lock_file

__all__ = ["COMMANDS"]

_OPTIONS: list[click.Parameter] = [
    click.Option(["--policy"], type=path, metavar="FILE", help="The policy that judges calls (`check_call`)."),
    click.Option(["--config"], type=path, metavar="FILE", help="The servers: a file with `mcpServers`, as clients have it."),
    click.Option(
        ["--mode"], type=click.Choice(["enforce", "monitor"]), default="enforce", show_default=True,
        help="Whether what is denied is refused, or forwarded and logged.",
    ),
    click.Option(
        ["--log"], type=path, metavar="DIR", show_default="gateway/log in the home",
        help="The folder of the log: a line before anything is forwarded, one with the outcome.",
    ),
    click.Option(["--fsync"], is_flag=True, help="Forward nothing before its line is on disk."),
    click.Option(
        ["--lock"], type=path, metavar="FILE", show_default="CONFIG.lock",
        help="What was approved of the servers: names, descriptions, schemas, instructions.",
    ),
    click.Option(
        ["--trust-first-use"], is_flag=True, help="Approve what a server says first; a change waits for `approve` still.",
    ),
    click.Option(
        ["--scopes"], default="", metavar="SCOPES",
        help="What the user who starts it may do, to the policy; with commas.",
    ),
    click.Option(
        ["--grant", "grants"], multiple=True, metavar="NAME=SCOPES",
        help="Scopes of a principal beside those of its token (repeatable).",
    ),
    click.Option(["--no-pif", "without_own"], is_flag=True, help="Leave out the registry's own tools, the server `pif`."),
    click.Option(
        ["--http"], default="", metavar="HOST:PORT",
        help="Serve streamable HTTP there, at /mcp, instead of standard input and output.",
    ),
    click.Option(
        ["--allow-origin", "origins"], multiple=True, metavar="ORIGIN",
        help="Web pages that may call over HTTP, such as https://example.org (repeatable).",
    ),
    click.Option(["--certfile", "certificate"], type=path, metavar="FILE", help="Serve HTTPS with this certificate (PEM)."),
    click.Option(["--keyfile", "certificate_key"], type=path, metavar="FILE", help="The key of the certificate (PEM)."),
    click.Option(["--oauth-issuer"], default="", metavar="URL", help="Take the access tokens of this authorization server too, over HTTP."),
    click.Option(["--oauth-audience"], default="", metavar="URL", help="The address of MCP here as clients write it: tokens must be for it."),
    click.Option(["--oauth-jwks"], default="", metavar="URL", show_default="as the issuer's metadata say", help="Where the issuer's keys are."),
    click.Option(["--oauth-any-type"], is_flag=True, help="Take tokens that do not say that they are access tokens (a server from before RFC 9068)."),
]  # fmt: skip


class _Gateway(Commands):
    """`pif gateway` serves; with a command behind it, that is done."""

    def invoke(self, ctx: click.Context) -> Any:
        # The words of a command behind it: click 8.2 and later warn of the public name.
        state = vars(ctx)
        if state.get("_protected_args") or state.get("protected_args") or ctx.args:
            return super().invoke(ctx)
        context = context_of(ctx)
        ctx.exit(_serve(context, **ctx.params))


def _keep_outer(**options: Any) -> None:
    """The options that all commands have count for the command behind too."""
    ctx = click.get_current_context()
    root = ctx.find_root().params
    shared = ("home", "store", "as_json")
    root.update({key: options.get(key) or root.get(key) for key in shared})


def _serve(
    context: CommandContext,
    policy: Path | None,
    config: Path | None,
    scopes: str,
    grants: tuple[str, ...],
    without_own: bool,
    **options: Any,
) -> int:
    """Serve; the exit status."""
    if context.as_json:
        raise click.UsageError("`gateway` speaks MCP on standard output; it has no --json")
    if policy is None or config is None:
        missing = "--policy FILE" if policy is None else "--config FILE"
        raise click.UsageError(
            f"{missing} is missing: pif gateway --policy POLICY.kleis --config SERVERS.json"
        )
    if context.closed & {0, 1} and not options["http"]:
        context.screen.print_error("pif gateway: standard input and output must be open")
        return USAGE
    from registry.gateway.serving.serve import GatewaySettings, read_grants, serve

    home = context.home().path
    try:
        given = read_grants(grants)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    settings = GatewaySettings(
        policy=policy, config=config, home=home, store=context.store_url(), has_own=not without_own,
        scopes=tuple(scopes.replace(",", " ").split()), grants=given, **options,
    )  # fmt: skip
    return serve(settings)


@command("wrap")
@click.argument("file", type=path)
@click.option(
    "--policy", type=path, required=True, metavar="FILE", help="The policy that the gateway is to judge by."
)
@click.option("--trust-first-use", is_flag=True, help="Start the gateway with --trust-first-use.")
@click.option("--scopes", default="", metavar="SCOPES", help="Start the gateway with --scopes.")
def wrap(context: CommandContext, file: Path, policy: Path, trust_first_use: bool, scopes: str) -> int:
    """Let the servers of a client's FILE (`mcpServers`) be reached through the gateway.

    The file is kept as it was beside it, and `unwrap` puts it back to the byte.
    """
    from registry.gateway.wrapping import wrap as wrapped

    arguments = ["--policy", str(policy.resolve())]
    arguments += ["--trust-first-use"] if trust_first_use else []
    arguments += ["--scopes", scopes] if scopes else []
    program = shutil.which("pif") or "pif"
    with _errors():
        kept = wrapped(file, program, arguments)
    answer = {"type": "wrapped", "file": str(file), "kept": str(kept)}
    return context.answer(
        answer, lambda done: context.say(f"{file} goes through the gateway; {kept} is what it was")
    )


@command("unwrap")
@click.argument("file", type=path)
@click.option("--force", is_flag=True, help="Also where it was changed since it was wrapped.")
def unwrap(context: CommandContext, file: Path, force: bool) -> int:
    """Put a wrapped FILE back as it was."""
    from registry.gateway.wrapping import unwrap as unwrapped

    with _errors():
        unwrapped(file, force=force)
    return context.answer(
        {"type": "unwrapped", "file": str(file)}, lambda done: context.say(f"{file} is as it was")
    )


@command("approve")
@click.argument("servers", type=text, nargs=-1, metavar="[SERVER]...")
@click.option(
    "--config", type=path, metavar="FILE", help="The servers, or a wrapped file; the lock file is beside it."
)
@click.option("--lock", type=path, metavar="FILE", help="The lock file itself.")
@click.option(
    "--yes",
    is_flag=True,
    help="Approve without asking; without it, and without a terminal, it is shown alone.",
)
def approve(
    context: CommandContext, servers: tuple[str, ...], config: Path | None, lock: Path | None, yes: bool
) -> int:
    """Show what servers say that was not approved yet, or say otherwise than it was, and approve it.

    Characters that nobody sees are shown as ⟨U+200B⟩. A gateway that runs takes it up by itself. Exit status 1 where
    something still waits.
    """
    if lock is None and config is None:
        raise click.UsageError("--config FILE or --lock FILE is missing")
    from registry.cli.pif.gateway_views import show_waiting
    from registry.gateway.pins import lock_file
    from registry.gateway.pins.pins import approve as approved_now
    from registry.gateway.serving.serve import lock_beside
    from registry.gateway.wrapping import kept_beside

    if lock is None:
        assert config is not None  # one of the two was given
        kept = kept_beside(config)
        lock = lock_beside(kept if kept.exists() else config)
    with _errors():
        approved, waiting = lock_file.read(lock)
    shown = {server: kinds for server, kinds in waiting.items() if not servers or server in servers}
    if not context.as_json:
        show_waiting(context, approved, shown)
    done: lock_file.Said = {}
    if shown and (yes or _consents(context)):
        with _errors():
            done = approved_now(lock, shown)
    count = sum(len(items) for kinds in done.values() for items in kinds.values())
    answer = {"type": "approved", "waiting": shown, "approved": done}
    status = context.answer(answer, lambda _: context.say(f"{count} approved" if shown else "nothing waits"))
    return status if len(done) == len(shown) else FAILED


def _consents(context: CommandContext) -> bool:
    """Whether a person at a terminal says yes."""
    if context.as_json or not sys.stdin.isatty():
        return False
    return click.confirm("Approve all of this?", default=False)


@group("log")
def log() -> None:
    """Verify and show the log of a gateway."""


@command("verify")
@click.argument("where", type=path, required=False, metavar="[FILE|DIR]")
@click.option(
    "--key", type=path, metavar="FILE", help="The public half of the key. [default: that of the home]"
)
@click.option(
    "--anchor",
    default="",
    metavar="DIGEST",
    help="The digest of a line that has to be there, noted elsewhere before.",
)
def verify(context: CommandContext, where: Path | None, key: Path | None, anchor: str) -> int:
    """Tell whether a log is as it was written: lines that were changed, taken out, put in or moved are found.

    That lines behind the last checkpoint are missing cannot be seen without an --anchor. Exit status 1 where something is
    wrong.
    """
    from registry.cli.pif.gateway_views import show_verified
    from registry.gateway.log.chain import digest
    from registry.gateway.log.key import PUBLIC, read_public
    from registry.gateway.log.verifying import read_lines
    from registry.gateway.log.verifying import verify as verified
    from registry.gateway.serving.serve import gateway_folder

    folder = gateway_folder(context.home().path)
    files = _log_files(where or folder / "log")
    with _errors():
        public = read_public((key or folder / PUBLIC).read_text())
        found = [verified(each, public) for each in files]
        is_anchored = not anchor or any(
            digest(line) == anchor for each in files for line in read_lines(each)[0]
        )
    answer = {"type": "verified", "files": msgspec.to_builtins(found), "anchored": is_anchored}
    context.answer(answer, lambda _: show_verified(context, found, is_anchored))
    return SUCCEEDED if is_anchored and all(each.is_sound for each in found) else FAILED


@command("show")
@click.argument("where", type=path, required=False, metavar="[FILE|DIR]")
@click.option(
    "--last",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="Of the calls, the last N.",
)
@click.option("--denied", is_flag=True, help="Those alone that were denied or refused.")
def show(context: CommandContext, where: Path | None, last: int, denied: bool) -> int:
    """Show the calls of a log with their outcomes, and what was refused without being judged."""
    from registry.cli.pif.gateway_views import calls_of, show_calls
    from registry.gateway.serving.serve import gateway_folder

    files = _log_files(where or gateway_folder(context.home().path) / "log")
    with _errors():
        calls = [each for each in calls_of(files) if not denied or each["decision"] != "allow"][-last:]
    return context.answer({"type": "calls", "calls": calls}, lambda _: show_calls(context, calls))


def _log_files(where: Path) -> list[Path]:
    """The files of a folder, or the one. Raises RegistryError where there is neither."""
    if not where.exists():
        raise RegistryError(
            "invalid_argument", f"there is no log at {where}", place="gateway",
            hint="`pif gateway` begins one when it starts; or name the file, or its folder",
        )  # fmt: skip
    return sorted(where.glob("*.jsonl")) if where.is_dir() else [where]


@contextmanager
def _errors() -> Iterator[None]:
    """Errors of files and of the gateway as those of a command."""
    try:
        yield
    except KleisError as error:
        raise RegistryError(
            "invalid_argument", error.message, place="gateway", hint=error.hint or ""
        ) from None
    except OSError as error:
        said = f"{error.filename} cannot be used: {error.strerror}"
        raise RegistryError("invalid_argument", said, place="gateway") from None


log.add_command(verify)
log.add_command(show)

gateway = _Gateway(
    "gateway",
    commands=[wrap, unwrap, approve, log],
    callback=_keep_outer,
    params=[*_OPTIONS, *home_and_json(answers=False)],
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Serve the MCP servers of a file behind a policy: every call is judged on its arguments, logged, then forwarded.

    Tools are named SERVER__TOOL. A policy is in force once its promises are proved, and is followed when its file changes.
    """,
)

COMMANDS = [gateway]
