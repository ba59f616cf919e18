"""`kleis fmt`: files rewritten in the one style, or only compared with it.

A file is replaced as a whole or not at all, and keeps its permissions; through a link, the file it leads to.
"""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import Literal

from kleis import durable_files
from kleis.errors import LoadError, ParseError
from kleis.theory.import_search import read_text
from registry.cli.kleis.shared.loading import STANDARD_INPUT, standard_input
from registry.cli.kleis.shared.reports import render
from registry.cli.terminal.plain_output import print_error, say

__all__ = ["Outcome", "format_file"]

Outcome = Literal["same", "changed", "failed"]


def format_file(name: str, *, only_check: bool, in_ascii: bool) -> Outcome:
    """Format one file, or standard input to standard output."""
    from kleis.syntax.printer.formatter import format_source

    text = ""
    try:
        text = standard_input() if name == STANDARD_INPUT else read_text(Path(name), shown=name)
        formatted = format_source(text, ascii=in_ascii, file=name)
    except ParseError as error:
        for each in (error, *error.others):
            print_error(render(each, text), style="bad")
        return "failed"
    except LoadError as error:
        print_error(render(error, text), style="bad")
        return "failed"
    if name == STANDARD_INPUT and not only_check:
        sys.stdout.write(formatted)
        return "same"
    if formatted == text:
        return "same"
    if only_check:
        say(f"would change {name}")
        return "changed"
    try:
        path = Path(name).resolve()
        permissions = stat.S_IMODE(path.stat().st_mode)
        durable_files.write_whole(path, formatted.encode(), mode=permissions, durable=False)
    except OSError as error:
        print_error(f"{name} cannot be written: {error.strerror}", style="bad")
        return "failed"
    return "changed"
