"""Commands on the home and the program itself: export, import, backup, migrate-store, serve, ui, demo, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pif.language.budget import MAXIMUM_FUEL
from registry.cli.pif import views
from registry.cli.pif.completion import own_tool_names, team_names
from registry.cli.terminal.command_context import CommandContext
from registry.cli.terminal.commands import SECONDS, deadline_of
from registry.cli.terminal.process import USAGE
from registry.cli.terminal.session import command, fractions
from registry.cli.terminal.sources import path, text

__all__ = ["COMMANDS"]


@command("export")
@click.argument("directory", type=path)
@click.argument("names", type=text, nargs=-1, shell_complete=own_tool_names)
@click.option("--overwrite", is_flag=True, help="Replace an earlier export in DIRECTORY.")
@click.option(
    "--team", default="", type=text, metavar="TEAM", shell_complete=team_names, help="The tools of a team."
)
def export(
    context: CommandContext, directory: Path, names: tuple[str, ...], overwrite: bool, team: str
) -> int:
    """Write tools (all, or those NAMES) with all their versions to a directory of JSON files."""
    with context.workspace() as workspace:
        answer = workspace.export(directory, names=names or None, overwrite=overwrite, team=team)
    return context.answer(answer, lambda done: context.say(views.exported(done)))


@command("import")
@click.argument("directory", type=path)
@click.option("--renumber", is_flag=True, help="Give versions whose number is taken new numbers.")
@click.option("--trust-nothing", is_flag=True, help="Prove the laws anew; look at no certificate.")
@click.option("--force", is_flag=True, help="Take them in though examples of tools that use them fail.")
@click.option(
    "--timeout", type=SECONDS, metavar="SECONDS", help="The most time for laws; the rest stay claimed."
)
@click.option(
    "--team", default="", type=text, metavar="TEAM", shell_complete=team_names, help="As tools of a team."
)
def import_(
    context: CommandContext,
    directory: Path,
    renumber: bool,
    trust_nothing: bool,
    force: bool,
    timeout: float | None,
    team: str,
) -> int:
    """Take in the tools of an exported directory, all of them or none; every hash is checked.

    Then their laws are checked: each is run, and its certificate checked. One that is false is dropped; one that is not
    shown here is claimed, which `pif certificate renew` can change.
    """
    with context.workspace() as workspace:
        answer = workspace.import_(
            directory,
            renumber=renumber,
            trust_nothing=trust_nothing,
            force=force,
            team=team,
            deadline=deadline_of(timeout),
        )
    return context.answer(answer, lambda done: views.imported(context.screen, done))


@command("backup")
@click.argument("file", type=path)
@click.option("--overwrite", is_flag=True, help="Replace FILE if it is there.")
@click.option(
    "--verify", is_flag=True, help="Read the backup whole: FILE if it is there, else the one just made."
)
def backup(context: CommandContext, file: Path, overwrite: bool, verify: bool) -> int:
    """Write a complete copy of the home to one file, while servers go on using it.

    With --verify and a FILE that is there, nothing is written: it is checked as it is.
    """
    answer: dict[str, Any] = {"type": "backup", "path": str(file)}
    if not (verify and file.exists() and not overwrite):
        with context.workspace() as workspace:
            answer = workspace.backup(file, overwrite=overwrite)
    if not verify or answer["type"] == "error":
        return context.answer(answer, lambda done: context.say(f"backup written to {done['path']}"))
    from registry.store.sqlite.maintenance import verify_backup

    tools, versions, wrong = verify_backup(file)
    found = {**answer, "verified": not wrong, "tools": tools, "versions": versions, "problems": list(wrong)}
    status = context.answer(found, lambda done: views.verified_backup(context.screen, done))
    return status or int(bool(wrong))


@command("migrate-store")
@click.argument("source", type=text, metavar="FROM")
@click.argument("target", type=text, metavar="TO")
def migrate(context: CommandContext, source: str, target: str) -> int:
    """Copy a whole store, with sessions and jobs, to another that is empty.

    FROM and TO are each the directory of a home or the URL of a PostgreSQL. Every hash is checked. TO has all of it
    afterwards, or is as it was; FROM is not changed. Theory sessions, saved theories, jobs of Aristotle and shared
    verdicts come along. The stores of principals and teams are copied one by one: the answer names them, with their commands.
    """
    from registry.cli.pif.stores_beside import stores_beside
    from registry.store.migrate import migrate_store

    others = [
        {"from": each.source, "to": each.target}
        for each in stores_beside(source, target, context.home().path)
    ]
    done = migrate_store(source, target)
    answer = {
        "type": "migrated", "from": done.source, "to": done.target, "rows": done.rows, "beside": others
    }  # fmt: skip
    return context.answer(answer, lambda shown: views.migrated(context.screen, shown))


@command("serve", answers=False)
@click.option(
    "--groups",
    default="pif,theory",
    show_default=True,
    help="The groups of tools to offer, with commas; or all.",
)
@click.option(
    "--expose", type=click.IntRange(min=0), default=25, show_default=True, metavar="N",
    help="List this many evolved tools as tools of their own.",
)  # fmt: skip
@click.option(
    "--more", is_flag=True, help="Offer the second list of tools too (history, diff, rollback, ...)."
)
@click.option(
    "--memory", "memory_mb", type=click.IntRange(min=1), show_default="a quarter of the machine's", metavar="MB",
    help="What the runs at one time may use together.",
)  # fmt: skip
@click.option(
    "--max-fuel", "maximum_fuel", type=click.IntRange(min=1), default=MAXIMUM_FUEL, show_default=True, metavar="N",
    envvar="PIF_MAX_FUEL", show_envvar=True, help="What one run may ask for.",
)  # fmt: skip
@click.option("--policy", type=path, metavar="FILE", help="The policy that the group policy enforces.")
@click.option(
    "--default", type=click.Choice(["allow", "deny"]), default="allow", show_default=True,
    help="What becomes of an action for which the policy has no rule.",
)  # fmt: skip
@click.option("--corpus", type=path, metavar="DIR", help="The theorem corpus that the group corpus reads.")
@click.option(
    "--root", "roots", type=path, multiple=True, metavar="DIR",
    help="A directory in which tools that take files may work (repeatable).",
)  # fmt: skip
@click.option(
    "--read-only", is_flag=True, help="Change nothing in the home: runs, lists and proofs of what is there."
)
@click.option(
    "--share", type=text, default="", metavar="NAMESPACE",
    help="Let other registries pull the tools, which are called this together, and push.",
)  # fmt: skip
@click.option(
    "--upstream", type=text, default="", metavar="ADDRESS",
    help="Pull tools that are asked for and are not here from the server there.",
)  # fmt: skip
@click.option(
    "--upstream-token-file", type=path, metavar="FILE", help="The file that holds the token for it."
)
@click.option(
    "--upstream-token-env", type=text, default="", metavar="NAME", help="The variable that holds the token for it."
)  # fmt: skip
@click.option(
    "--cluster", default="", metavar="ADDRESS",
    help="Have `explore` ask workers ahead: tcp://HOST:PORT of a Dask scheduler, or local:N. What they find is checked here.",
)  # fmt: skip
@click.option(
    "--http", default="", metavar="HOST:PORT",
    help="Serve streamable HTTP there, at /mcp, instead of standard input and output.",
)  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(min=1, max=64), default=1, show_default=True, metavar="N",
    help="Serve HTTP by this many processes on one socket.",
)  # fmt: skip
@click.option(
    "--allow-origin", "origins", multiple=True, metavar="ORIGIN",
    help="Web pages that may call over HTTP, such as https://example.org (repeatable).",
)  # fmt: skip
@click.option(
    "--certfile", "certificate", type=path, metavar="FILE", help="Serve HTTPS with this certificate (PEM)."
)
@click.option(
    "--keyfile", "certificate_key", type=path, metavar="FILE", help="The key of the certificate (PEM)."
)
@click.option(
    "--drain", type=click.IntRange(min=0, max=3_600), default=0, show_default=True, metavar="SECONDS",
    help="What calls under way have to end, when the server is told to; another process takes new connections.",
)  # fmt: skip
@click.option(
    "--quota", "quotas", multiple=True, metavar="NAME=N",
    help="What each principal but the owner may use: fuel and prover-seconds in a minute, stored-mb, sessions, calls; team-mb is for each team (repeatable).",
)  # fmt: skip
@click.option(
    "--oauth-issuer", default="", metavar="URL",
    help="Take the access tokens of this authorization server too, over HTTP.",
)  # fmt: skip
@click.option(
    "--oauth-audience", default="", metavar="URL",
    help="The address of MCP here as clients write it: tokens must be for it.",
)  # fmt: skip
@click.option(
    "--oauth-jwks", default="", metavar="URL", show_default="as the issuer's metadata say",
    help="Where the issuer's keys are.",
)  # fmt: skip
@click.option(
    "--oauth-any-type", is_flag=True,
    help="Take tokens that do not say that they are access tokens (a server from before RFC 9068).",
)  # fmt: skip
@click.option(
    "--log", type=click.Choice(["text", "json"]), default="text", show_default=True,
    help="The lines of the log on standard error; json has one for each call.",
)  # fmt: skip
@click.option("--log-arguments", is_flag=True, help="Log the arguments of calls too (with --log json).")
@click.option(
    "--traces",
    is_flag=True,
    help="Send OpenTelemetry traces where OTEL_EXPORTER_OTLP_ENDPOINT says (extra otel).",
)
@fractions
def serve(context: CommandContext, groups: str, **options: Any) -> int:
    """Serve MCP on standard input and output, or over HTTP."""
    if context.as_json:
        raise click.UsageError("`serve` speaks MCP on standard output; it has no --json")
    if options["share"]:
        from registry.sharing.manifest import check_namespace

        check_namespace(options["share"])
    if options["cluster"]:
        from registry.cli.kleis.shared.workers import check_address

        check_address(options["cluster"])
    if options["read_only"] and (options["share"] or options["upstream"]):
        raise click.UsageError("--share and --upstream keep what comes in the home: leave --read-only out")
    if context.closed & {0, 1} and not options["http"]:
        context.screen.print_error("pif serve: standard input and output must be open")
        return USAGE
    from registry.server.contract.machine_memory import fitted_memory
    from registry.server.contract.settings import Settings
    from registry.server.serve import serve as serve_groups

    if options["memory_mb"] is None:
        options["memory_mb"] = fitted_memory()
    return serve_groups(
        Settings(home=context.home().path, store=context.store_url(), fractions=context.fractions, **options),
        groups,
    )


@command("ui", answers=False)
@click.option(
    "--groups", default="", help="The groups of tools to show. [default: pif,theory and what has a file]"
)
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, help="The port; a free one unless it is given."
)
@click.option("--allow-changes", is_flag=True, help="Offer the tools that change something too.")
@click.option("--no-browser", is_flag=True, help="Open no browser; print the address alone.")
@click.option("--policy", type=path, metavar="FILE", help="A policy to look at.")
@click.option("--corpus", type=path, metavar="DIR", help="A theorem corpus to look at.")
def ui(
    context: CommandContext,
    groups: str,
    port: int,
    allow_changes: bool,
    no_browser: bool,
    policy: Path | None,
    corpus: Path | None,
) -> int:
    """Show tools, theories, verdicts, policies and corpora in a browser on this machine.

    The page is served to this machine alone, and to whoever has the address that is printed: it ends in a token made
    for this start. Nothing can be changed through it without --allow-changes. It ends with Ctrl-C.
    """
    if context.as_json:
        raise click.UsageError("`ui` serves a page; it has no --json")
    from registry.server.contract.machine_memory import fitted_memory
    from registry.server.contract.settings import Settings
    from registry.server.serve_ui import serve_ui

    chosen = groups or ",".join(
        ["pif", "theory", *(["policy"] if policy else []), *(["corpus"] if corpus else [])]
    )
    settings = Settings(
        home=context.home().path, store=context.store_url(), fractions=context.fractions, memory_mb=fitted_memory(),
        more=True, policy=policy, corpus=corpus, read_only=not allow_changes, only_reads=not allow_changes,
    )  # fmt: skip

    def opened(address: str) -> None:
        context.say(address)
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    return serve_ui(settings, chosen, port, opened)


@command("demo")
@click.argument("what", type=click.Choice(["server", "gateway"]), default="server")
def demo(context: CommandContext, what: str) -> int:
    """Start a server with an empty home, and show what it can do; or the same of a gateway.

    The home is a temporary one: your own tools are not touched.
    """
    if what == "gateway":
        from registry.cli.demo.gateway import play_gateway

        return play_gateway(context)
    from registry.cli.demo.play import play

    return play(context)


@command("doctor")
@click.option(
    "--repair", "mend", is_flag=True, help="Save what is readable of a damaged store; keep the damaged files."
)
def doctor(context: CommandContext, mend: bool) -> int:
    """Check the installation and the home: versions, what is missing, whether the store is whole.

    With --repair, stop all servers of the home first. Exit status 1 if something was lost.
    """
    from registry.cli.pif.doctor import examine, show

    if mend:
        if context.store_url():
            raise click.UsageError("--repair is about the file in a home; restore a database from a backup")
        from registry.cli.pif.repair import repair, show_repair

        done = repair(context.home())
        context.answer(done, lambda answer: show_repair(context.screen, answer))
        return 0 if done["ok"] else 1

    found = examine(context.home(), context.store_url())
    if context.as_json:
        context.answer(found, views.nothing)
    else:
        show(context.screen, found)
    return 0 if found["ok"] else 1


COMMANDS = (export, import_, backup, migrate, serve, ui, demo, doctor)
