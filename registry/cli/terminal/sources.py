"""What an argument stands for: a tool's name, JSON text, `@FILE`, `-` for standard input (docs/reference/serving.md §9.3).

The order is always that one; an argument that may be a file can name an existing one without the `@`, last of all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from registry.cli.terminal.usage import bad_parameter

__all__ = ["Source", "Sources", "path", "text"]

Json = Any
Answer = dict[str, Any]

_OPENING = ("{", "[", '"')
_LONGEST_NAME = 4_096


def text(value: str) -> str:
    """The type of arguments that are text."""
    try:
        value.encode()
    except UnicodeError:
        raise bad_parameter("the argument is not valid UTF-8") from None
    return value


def path(value: str) -> Path:
    """The type of arguments that are paths: `process.words` undone, since the system spells paths as the locale does."""
    if not value:
        raise bad_parameter("the path is empty; leave the option out, or name a file or directory")
    return Path(os.fsdecode(value.encode("utf-8", "surrogateescape")))


class Source:
    """One argument, read.

    `name`: what to call it in messages. `tool`: it is the name of a tool. `text`: what was read; `data`: its JSON.
    `error_answer`: the answer where it is no JSON (`line` and `column`, from 1, say where that shows).
    """

    def __init__(self, name: str, text: str, *, tool: bool = False) -> None:
        self.name = name
        self.text = text
        self.tool = tool
        self.data: Json = None
        self.error_answer: Answer | None = None
        self.line = 0
        self.column = 0

    @property
    def code(self) -> Json:
        """The argument as `code`: a tool's name or a JSON string stays text, which is decoded once more there."""
        return self.text if self.tool or self.error_answer or isinstance(self.data, str) else self.data


class Sources:
    """Reads the arguments of one command; standard input can be read once."""

    def __init__(self) -> None:
        self._stdin_taken = False

    def code(self, argument: str, is_tool: Callable[[str], bool], *, what: str) -> Source:
        """A tool, a term or the file of one."""
        from registry.records import team_of

        if is_tool(argument) or (team_of(argument) and not _is_there(path(argument))):
            return Source(argument, argument, tool=True)
        source = self.json(argument, what=what, place="code", files=True)
        if source.error_answer and source.name == what and not source.text.lstrip().startswith(_OPENING):
            source.error_answer = None  # the run itself knows which tool may have been meant
            source.tool = True
        return source

    def json(
        self, argument: str, *, what: str, place: Literal["code", "input"], files: bool = False
    ) -> Source:
        """JSON text, `@FILE` or `-`; with `files` also the path of an existing file."""
        source = self._decoded(Source(what, argument), place)
        if not source.error_answer:
            return source
        if argument == "-":
            return self._decoded(Source("standard input", self._stdin(what)), place)
        if argument.startswith("@"):
            return self._file(path(argument[1:]), what, place)
        if files and (_is_there(path(argument.strip())) or _is_meant_as_file(argument.strip())):
            return self._file(path(argument.strip()), what, place)
        if place == "input" and source.error_answer and not argument.lstrip().startswith(_OPENING):
            source.error_answer["error"]["hint"] = (
                "Text is written in double quotes, as in '\"text\"'; a file as @FILE."
            )
        return source

    def _file(self, file: Path, what: str, place: Literal["code", "input"]) -> Source:
        try:
            content = file.read_bytes()
        except OSError as error:
            raise bad_parameter(f"{file}: {os.strerror(error.errno or 0)}", what) from None
        return self._decoded(Source(str(file), _utf8(content, str(file), what)), place)

    def _stdin(self, what: str) -> str:
        if self._stdin_taken:
            raise bad_parameter("standard input can stand for one argument only", what)
        self._stdin_taken = True
        return _utf8(sys.stdin.buffer.read(), "standard input", what)

    def _decoded(self, source: Source, place: Literal["code", "input"]) -> Source:
        from pif.language.budget import JSON_LEVELS
        from pif.language.errors import PifError
        from pif.language.json_text import JsonError, TooDeep, load_json
        from pif.language.text_mistakes import hint_for

        where = "/input" if place == "input" else ""
        try:
            source.data = load_json(source.text, levels=JSON_LEVELS)
            return source
        except TooDeep as problem:
            error = PifError("term_too_deep", str(problem), path=where, place=place)
        except JsonError as problem:
            source.line, source.column = problem.line, problem.column
            message = f"{source.name} is not JSON: {problem}"
            error = PifError(
                "parse_error",
                message,
                path=where,
                place=place,
                expected="a JSON text",
                hint=hint_for(source.text),
            )
        source.error_answer = {"type": "error", "error": error.as_json()}
        return source


def _utf8(content: bytes, name: str, what: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeError:
        raise bad_parameter(f"{name} is not valid UTF-8", what) from None


def _is_meant_as_file(argument: str) -> bool:
    """Whether a text that is no JSON was surely meant to name a file, though there is none of that name."""
    looks = argument.endswith((".json", ".py")) or "/" in argument
    code = (*_OPENING, "def ", "lambda ")  # a function of Python may divide
    return looks and len(argument) <= _LONGEST_NAME and not argument.startswith(code)


def _is_there(file: Path) -> bool:
    try:
        return file.exists() and not file.is_dir()  # a pipe of the shell's `<(…)` counts
    except (OSError, ValueError):  # a name too long, or with a NUL: no path at all
        return False
