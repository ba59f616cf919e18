"""No hint names what is not there: the commands, options, operations, tools, files and extras that hints name are run or
resolved, those written in the sources and those that the first hundred inputs are answered with."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import click
import pytest
from click.testing import CliRunner

import kleis
import registry
from kleis.syntax import tree
from pif.language.errors import KINDS, PifError
from pif.language.primitives import PRIMITIVES
from pif.run.evaluate import Request
from registry.cli.kleis.commands import kleis as kleis_commands
from registry.cli.pif.commands import pif as pif_commands
from registry.server.groups.theory.explore_tool import EXPLORE
from registry.server.groups.theory.job_tools import JOB_TOOLS
from registry.tools.code_and_examples import Example, verified
from registry.tools.common_words import WAYS
from registry.tools.help import TOPICS
from registry.tools.library import Library
from tests.support.terms import pif_inputs
from tests.support.theories import kleis_inputs

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS: dict[str, click.Command] = {"pif": pif_commands, "kleis": kleis_commands}
GROUPS = ("pif", "theory", "policy", "lean", "corpus", "documents")

_COMMAND = re.compile(r"\b(pif|kleis)((?: [a-z]+(?:-[a-z]+)*)+)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_TICKED = re.compile(r"`([^`]+)`")
_KEY = re.compile(r'\{+"([A-Za-z_]+)":')
_UNDERSCORED = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_LIBRARY_TOOL = re.compile(r"\bstd\.(\w+(?:\.\w+)*(?:\.\*)?)")
_FILE = re.compile(r"\b(?:stdlib|docs)/[\w/.-]+\w|\b[A-Z]+\.md\b")
_EXTRA = re.compile(r"pif-kleis\[(\w+)\]")
_PROSE = frozenset({"generator", "type", "function"})
"""Words in backticks that are words of the languages, not names of ours."""


# ── Where hints come from ────────────────────────────────────────────────────────────────────────────────────


def _is_hint(node: ast.AST) -> ast.expr | None:
    """The expression of a hint: an argument `hint=`, or what is assigned to something called so."""
    if isinstance(node, ast.keyword) and node.arg in ("hint", "advice"):
        return node.value
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return None
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        match target:
            case (
                ast.Name(id=name)
                | ast.Attribute(attr=name)
                | ast.Subscript(slice=ast.Constant(value=str(name)))
            ):
                if "hint" in name.lower():
                    return node.value
    return None


def _text(node: ast.expr) -> Iterator[str]:
    """The texts in an expression; what an f-string fills in is left open."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr():
            yield "".join(each.value if isinstance(each, ast.Constant) else "…" for each in node.values)
        case _:
            for each in ast.iter_child_nodes(node):
                if isinstance(each, ast.expr):
                    yield from _text(each)


@cache
def _written() -> tuple[str, ...]:
    """The hints in the sources of the packages."""
    found = [*WAYS.values()]
    for package in ("pif", "kleis", "registry"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if (hint := _is_hint(node)) is not None:
                    found += _text(hint)
    return tuple(dict.fromkeys(found))


@cache
def _answered() -> tuple[str, ...]:
    """The hints that the first hundred inputs are answered with."""
    found: list[str] = []
    with TemporaryDirectory() as folder, registry.open(folder) as tools:
        for case in (*pif_inputs.GIVEN, *pif_inputs.REFUSED):
            try:
                answer = tools.run(case.code, case.input, fuel=50_000)
                found += [each["hint"] for each in answer.get("warnings", ())]
            except PifError as error:
                found += [error.hint or "", *(str(each["hint"]) for each in error.warnings)]
    for refused in kleis_inputs.REFUSED:
        try:
            kleis.verify(refused.text)
        except kleis.KleisError as error:
            found += [error.hint, *(each["hint"] for each in error.warnings)]
    return tuple(dict.fromkeys(each for each in found if each))


def _hints() -> tuple[str, ...]:
    return (*_written(), *_answered())


def _all(pattern: re.Pattern[str]) -> list[str]:
    """What a pattern finds in all hints, each once."""
    return sorted({each for hint in _hints() for each in pattern.findall(hint)})


# ── What there is ────────────────────────────────────────────────────────────────────────────────────────────


def _command(words: list[str]) -> tuple[click.Command, list[str]] | None:
    """The command that words begin with, and how it is called; None where the first is none."""
    command: click.Command = PROGRAMS[words[0]]
    called = words[:1]
    for word in words[1:]:
        inner = (
            command.get_command(click.Context(command), word) if isinstance(command, click.Group) else None
        )
        if inner is None:
            break
        command, called = inner, [*called, word]
    return (command, called) if len(called) > 1 else None


def _commands(command: click.Command) -> Iterator[click.Command]:
    yield command
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from _commands(each)


@cache
def _options() -> frozenset[str]:
    """The options of all commands."""
    return frozenset(
        option
        for program in PROGRAMS.values()
        for command in _commands(program)
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    )


@cache
def _names() -> frozenset[str]:
    """Operations, assertions, MCP tools, their arguments and those of runs and examples, kinds of errors, topics of help."""
    found = {*PRIMITIVES, *get_args(tree.AssertionKind), *KINDS, *TOPICS, *registry.errors.KINDS}
    found |= {*Request.__struct_fields__, *Example.__struct_fields__}
    modules = [import_module(f"registry.server.groups.{group}.tool_specs") for group in GROUPS]
    specs = [spec for each in modules for spec in (*each.TOOLS, *getattr(each, "MORE_TOOLS", ()))]
    for spec in (*specs, EXPLORE, *JOB_TOOLS):
        found |= {spec.name, *spec.arguments.__struct_fields__}
    return frozenset(found)


_PARTS = frozenset({"cond", "then", "else", "func", "arg", "head", "tail", "body", "in"})
"""Keys within operations."""


# ── The tests ────────────────────────────────────────────────────────────────────────────────────────────────


def test_there_are_hints_to_look_at() -> None:
    assert len(_written()) > 300
    assert len(_answered()) > 80


def test_commands_can_be_run_with_the_options_beside_them() -> None:
    found = 0
    for hint in _hints():
        for program, words in _COMMAND.findall(hint):
            named = _command([program, *words.split()])
            assert named is not None, f"no command: {program}{words} in {hint}"
            command, called = named
            done = CliRunner().invoke(PROGRAMS[program], [*called[1:], "--help"])
            assert done.exit_code == 0, hint
            (snippet,) = [each for each in _TICKED.findall(hint) if " ".join(called) in each][:1] or [""]
            known = {option for parameter in command.params for option in parameter.opts}
            assert set(_OPTION.findall(snippet)) <= known, hint
            found += 1
    assert found > 10


def test_options_are_there() -> None:
    named = _all(_OPTION)
    assert len(named) > 10
    assert set(named) <= _options()


def test_what_stands_in_backticks_is_there() -> None:
    words = [each for each in _all(_TICKED) if re.fullmatch(r"[A-Za-z_]+", each)]
    assert len(words) > 20
    commands = {each.name for program in PROGRAMS.values() for each in _commands(program)}
    assert set(words) - _names() - commands - _PARTS <= _PROSE


def test_words_with_underscores_are_names() -> None:
    hints = [_FILE.sub("", each) for each in _hints()]
    named = {each for hint in hints for each in _UNDERSCORED.findall(hint)}
    assert "load_theory" in named
    assert named - _names() <= _MADE_UP


def test_keys_in_examples_of_terms_and_calls_are_there() -> None:
    named = _all(_KEY)
    assert len(named) > 15
    assert set(named) - _names() - _PARTS <= _MADE_UP


_MADE_UP = frozenset({"k", "x", "x_next"})
"""Names that examples make up."""


def test_tools_of_the_library_are_there() -> None:
    library = Library(verified)
    named = _all(_LIBRARY_TOOL)
    assert len(named) > 20
    assert [each for each in named if not _is_in(library, each)] == []


def _is_in(library: Library, name: str) -> bool:
    """Whether there is such a tool, or are tools of such a family (`decimal.*`)."""
    if name.endswith(".*"):
        return any(each.startswith(name[:-1]) for each in library.entries)
    return library.entry(name) is not None


def test_files_are_there() -> None:
    named = _all(_FILE)
    assert "stdlib/number_theory.kleis" in named
    assert [
        each
        for each in named
        if not ((ROOT / each).exists() or (ROOT / each.replace("stdlib/", "stdlib/kleis/")).exists())
    ] == []


def test_extras_are_there() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = _all(_EXTRA)
    assert named
    assert set(named) <= set(extras)


@pytest.mark.parametrize("word", ["pif show nothing", "pif certificate nothing"])
def test_a_word_that_is_no_command_is_noticed(word: str) -> None:
    program, *words = word.split()
    named = _command([program, *words])
    assert named is not None
    assert named[1] != [program, *words]
