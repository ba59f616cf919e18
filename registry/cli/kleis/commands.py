"""The commands of `kleis`, put together (docs/reference/serving.md §9.2).

What a command does is imported when it runs, so that ``kleis --help`` is quick.

Exit status: 0 all is well; 1 something did not hold, or there is no value; 2 the command itself is wrong, or the
question asked is ill-formed; 3 what was asked is unknown (`verify`, `consistent` and `explore` only); 130 interrupted.
"""

from __future__ import annotations

import click

from registry.cli.kleis import file_commands, output_commands, question_commands
from registry.cli.kleis.policy_commands import policy
from registry.cli.terminal.commands import Commands

__all__ = ["kleis"]


@click.group(
    cls=Commands,
    commands=[
        *file_commands.COMMANDS,
        *question_commands.COMMANDS,
        policy,
        *output_commands.COMMANDS,
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="pif-kleis", prog_name="kleis")
def kleis() -> None:
    """Kleis: a language of structures, axioms, definitions and data types.

    FILES may be directories (all .kleis files below) or - (standard input).
    """
