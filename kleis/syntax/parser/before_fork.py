"""The parser with its tables read and its patterns compiled, which take longer than most texts.

Import this in a process whose children parse, before they are forked: they have both from their parent then.
"""

from __future__ import annotations

from kleis.syntax.parser.parser import parse_expression

__all__: list[str] = []

parse_expression("0")
