"""The gateway: `pif gateway`, and what belongs to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from registry.cli.terminal.commands import Commands
from registry.cli.terminal.process import USAGE
from registry.cli.terminal.session import CommandContext, context_of, home_and_json
from registry.cli.terminal.sources import path

__all__ = ["COMMANDS"]

_OPTIONS: list[click.Parameter] = [
    click.Option(["--policy"], type=path, metavar="FILE", help="The policy that judges calls (`check_call`)."),
    click.Option(["--config"], type=path, metavar="FILE", help="The servers: a file with `mcpServers`, as clients have it."),
    click.Option(
        ["--mode"], type=click.Choice(["enforce", "monitor"]), default="enforce", show_default=True,
        help="Whether what is denied is refused, or forwarded and logged.",
    ),
    click.Option(
        ["--log", "log_file"], type=path, metavar="FILE", show_default="gateway/log.jsonl in the home",
        help="The log: a line before anything is forwarded, one with the outcome.",
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
        if ctx.protected_args or ctx.args:
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
    log_file: Path | None,
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
    from registry.gateway.serving.plain_records import ApproveAll, PlainLog
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
    return serve(
        settings,
        lambda _: PlainLog(log_file or home / "gateway" / "log.jsonl"),
        lambda _: ApproveAll(),
    )


gateway = _Gateway(
    "gateway",
    commands=[],
    callback=_keep_outer,
    params=[*_OPTIONS, *home_and_json(answers=False)],
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Serve the MCP servers of a file behind a policy: every call is judged on its arguments, logged, then forwarded.

    Tools are named SERVER__TOOL. A policy is in force once its promises are proved, and is followed when its file changes.
    """,
)

COMMANDS = [gateway]
