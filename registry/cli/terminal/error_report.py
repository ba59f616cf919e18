"""An error for people: the place in the text it is about, with a caret, then what is wrong and what to try.

A path points into the JSON that was received where that is no term, else into the canonical printed form
(docs/reference/pif.md §6.2); which of the two it is shows by decoding the text once more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from registry.cli.terminal.characters import cells, shortened, visible
from registry.cli.terminal.layout import Layout, Mark, Piece, excerpt_of, place_of
from registry.cli.terminal.screen import Line
from registry.cli.terminal.sources import Source

__all__ = ["Texts", "error_report"]

Json = Any
Error = dict[str, Any]

_CONTEXT = 3
"""Lines shown before and after the one that is marked."""

_INDENT = "  "
_SHOWN = 2_000
"""Characters of one part of an error that are shown."""

_LINE = 88
"""Characters shown of a line of text that is no JSON."""

_TYPED = tuple(
    (re.compile(said), typed)
    for said, typed in (
        (r'"fuel": (\d+)', r"--fuel \1"),
        (r"\bexpect_version: (\d+)", r"--expect-version \1"),
        (r"\bleave expect_version out\b", "leave --expect-version out"),
        (r"\bPass force: true\b", "Use --force"),
        (r"\bpass force: true\b", "use --force"),
        (r"\ballow overwriting\b", "pass --overwrite"),
        (r"\bwith renumber\b", "with --renumber"),
        (r"\bwith drop_laws: \[(.+)\]", r"with --drop-law \1"),
        (r"`drop_laws`", "`--drop-law`"),
        (r"`drive`", "`--drive`"),
        (r", or start the server with more `--memory`", ": runs get half of the memory"),
        (r"`(list|history|help|show)`", r"`pif \1`"),
    )
)
"""Arguments of a call as hints write them, and the option of the command line."""


class Texts:
    """What an error may point into: a command's code and input, and the code of registered tools."""

    def __init__(
        self,
        *,
        code: Source | None = None,
        given: Source | None = None,
        raw: bool = False,
        data: bool = False,
        tool: Callable[[str], Json] | None = None,
    ) -> None:
        self.code = code
        self.given = given
        self._raw = raw
        self._data = data
        self._tool = tool

    def of(self, error: Error) -> tuple[str, Json, str] | Source | None:
        """The title of a text, its JSON and the path into it; or a text that is no JSON; or None."""
        from pif.language.errors import KINDS

        path = error.get("path") if error["kind"] in KINDS else None  # else into the arguments of the call
        if path is None or "in" in error:
            return None
        if "tool" in error:
            code = self._tool(error["tool"]) if self._tool else None
            return None if code is None else (error["tool"], code, path)
        if self.given is not None and (path == "/input" or path.startswith("/input/")):
            if self.given.error_answer:
                return self.given
            inside = path.removeprefix("/input")
            return (self.given.name, self._as_input(self.given.data), inside)
        if self.code is None or self.code.tool:
            return None
        if self.code.error_answer:
            return self.code
        return (self.code.name, _as_code(self.code.data), path)

    def _as_input(self, data: Json) -> Json:
        from pif.language.errors import PifError
        from pif.language.terms import print_term
        from pif.run.read_input import read_input

        if self._data:
            return data
        try:
            return print_term(read_input(data, raw=self._raw))
        except PifError:
            return data


def _as_code(data: Json) -> Json:
    """The form that a path points into: as received where that is no term, else the canonical one."""
    from pif.language.decode import decode_term
    from pif.language.errors import PifError
    from pif.language.json_text import load_json
    from pif.language.terms import print_term

    try:
        if isinstance(data, str):  # `code` that is text is decoded once more
            data = load_json(data, levels=900)
        return print_term(decode_term(data))
    except (PifError, ValueError):
        return data


def error_report(error: Error, texts: Texts, *, width: int) -> list[Line]:
    """The lines that explain an error."""
    found = None if "source" in error else texts.of(error)
    lines: list[Line] = []
    shown = False
    if "source" in error:
        lines += _python_excerpt(error)
        shown = True
    elif isinstance(found, Source):
        lines += [[Piece(f"{found.name}:", "faint")], *_text_excerpt(found)]
        shown = True
    elif found is not None:
        title, data, path = found
        lines += [[Piece(f"{title}:", "faint")], *_excerpt(data, path, width)]
        shown = bool(path)
    lines.append(
        [
            Piece(error["kind"], "bad"),
            Piece(_where(error, shown)),
            Piece(f": {_cut(error['message'])}", "strong"),
        ]
    )
    for key in ("found", "expected", "because", "hint"):
        if key in error:
            said = _as_typed(str(error[key])) if key == "hint" else str(error[key])
            if key == "because":
                said = f"{said or 'the root'} of {error.get('because_tool', 'the same code')}"
            lines.append([Piece(f"{_INDENT}{key}: ", "faint"), Piece(_cut(said))])
    lines += _shares(error.get("shares", []))
    if error.get("fuel_used"):
        lines.append([Piece(f"{_INDENT}fuel used: ", "faint"), Piece(str(error["fuel_used"]))])
    return lines


def _python_excerpt(error: Error) -> Iterator[Line]:
    """The line of Python that an error is in, with a caret."""
    title = f"{error['tool']}, line {error['line']}:" if "tool" in error else f"line {error['line']}:"
    yield [Piece(title, "faint")]
    line, column = error["source"], error["column"] - 1
    margin = len(line) - len(line.lstrip(" "))
    yield [Piece(_INDENT + line[margin:])]
    yield _caret(line[margin:] + " ", column - margin, column - margin + 1, f"column {error['column']}")


def _shares(shares: list[dict[str, Any]]) -> Iterator[Line]:
    """Where the fuel went: on the way down to where it ran out, and before."""
    for title, under_way, between in (("way down", True, " → "), ("before", False, ", ")):
        listed = [
            f"{each['where']} {each['percent']} %"
            for each in shares
            if each["under_way"] is under_way and (under_way or each["percent"])
        ]
        if listed and len(shares) > 1:
            yield [Piece(f"{_INDENT}{title}: ", "faint"), Piece(_cut(between.join(listed)))]


def _where(error: Error, shown: bool) -> str:
    """The place as text, where no excerpt shows it."""
    if shown:
        return ""
    place = error.get("path") or error.get("file") or ""
    where = f" at {_cut(shortened(str(place)))}" if place else ""
    if "in" in error:
        where += " of the code that was built" if error["in"] == "quoted" else " of the data"
    return where + (f" in {error['tool']}" if "tool" in error else "")


def _as_typed(hint: str) -> str:
    """A hint with options of the command line; the object of `--json` keeps the arguments of the server."""
    for said, typed in _TYPED:
        hint = said.sub(typed, hint)
    return hint


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _excerpt(data: Json, path: str, width: int) -> Iterator[Line]:
    layout = excerpt_of(data, place_of(data, path), width=width - len(_INDENT))
    if layout.mark is None:
        return
    yield from _marked(layout, layout.mark, path)


def _marked(layout: Layout, mark: Mark, label: str) -> Iterator[Line]:
    first, last = max(0, mark.line - _CONTEXT), min(len(layout.lines), mark.line + _CONTEXT + 1)
    texts = layout.texts()
    margin = min(len(text) - len(text.lstrip(" ")) for text in texts[first:last])
    if first:
        yield [Piece(_INDENT + "…", "faint")]
    for number in range(first, last):
        yield [Piece(_INDENT), *_without_margin(layout.lines[number], margin)]
        if number == mark.line:
            yield _caret(texts[number][margin:], mark.start - margin, mark.end - margin, label)
    if last < len(layout.lines):
        yield [Piece(_INDENT + "…", "faint")]


def _without_margin(line: list[Piece], margin: int) -> list[Piece]:
    if not margin:
        return line
    indentation, *rest = line
    return [Piece(indentation.text[margin:], indentation.role), *rest]


def _caret(text: str, start: int, end: int, label: str) -> Line:
    before = " " * cells(visible(text[:start]))
    under = "^" * max(1, cells(visible(text[start:end])))
    return [
        Piece(_INDENT + before),
        Piece(under, "bad"),
        Piece(f" {shortened(label)}" if label else "", "faint"),
    ]


def _text_excerpt(source: Source) -> Iterator[Line]:
    """The line of a text where it stops being JSON; how it begins, where it is no more than too deep."""
    if not source.line:
        begins = " ".join(source.text[: 2 * _LINE].split())
        yield [Piece(_INDENT + (begins if len(begins) <= _LINE else begins[: _LINE - 1] + "…"))]
        return
    lines = source.text.split("\n")
    line = lines[min(source.line, len(lines)) - 1].rstrip("\r")
    column = min(source.column, len(line) + 1) - 1
    first = max(0, column - _LINE // 2)
    part = line[first : first + _LINE].replace("\t", " ")
    before, after = "…" if first else "", "…" if first + _LINE < len(line) else ""
    shown = before + part + after
    yield [Piece(_INDENT + shown)]
    yield _caret(
        shown + " ", column - first + len(before), column - first + len(before) + 1, f"line {source.line}"
    )
