"""Commands that `pif` and `kleis` both have: `completion`, and `--version`."""

from __future__ import annotations

import click

__all__ = ["completion", "version_option"]


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from kleis.installed_versions import version_of

        click.echo(f"{ctx.find_root().info_name} {version_of('pif-kleis')}")
        ctx.exit()


version_option = click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version."
)


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what makes a shell complete commands, options and names.

    Put this line into the shell's start-up file: eval "$(pif completion bash)" for bash and zsh, with the name of the
    shell; pif completion fish | source for fish. The same with kleis for kleis.
    """
    from click.shell_completion import get_completion_class

    root = ctx.find_root()
    name = root.info_name or "pif"
    made = get_completion_class(shell)
    assert made is not None, "click completes these three"
    click.echo(made(root.command, {}, name, f"_{name.upper()}_COMPLETE").source())
