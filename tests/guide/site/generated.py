"""Pages of the reference that are made from the code: each operation, tool, built-in, error, command, MCP tool and function.

The tables in docs/reference are the short form of the same; these pages have examples, laws, schemas and full help.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click
import msgspec

import kleis
import pif
import registry
from kleis.builtins.row import Builtin
from kleis.builtins.rows.numeric_table import NUMERIC_ROWS
from kleis.builtins.rows.table import BUILTINS
from pif.language.primitives import CATEGORIES, PRIMITIVES
from pif.run.scripting import run
from registry.cli.kleis.commands import kleis as kleis_command
from registry.cli.pif.commands import pif as pif_command
from registry.tools.library import Entry, directory_of_the_library
from tests.guide.site.staging import ROOT
from tests.guide.tables import all_tables
from tests.guide.tables.serving import all_tools

__all__ = ["PAGES"]

_WIDE = 200
"""Characters of an example that is shown."""


def operations() -> str:
    """The operations of PIF."""
    parts = ["# Operations of PIF", "What each form of a term does, [as specified](../pif.md)."]
    for category, meaning in CATEGORIES.items():
        parts.append(f"## {category.capitalize()}\n\n{meaning}")
        for row in PRIMITIVES.values():
            if row.category == category:
                term, value = row.example
                forms = "\n".join(row.forms)
                charge = f"Fuel beyond 1: {row.charge}.\n\n" if row.charge else ""
                parts.append(
                    f"### {row.name}\n\n{_text(row.doc)}\n\n{_block(forms)}\n\nTypes: {_code(row.types)}. {charge}\n\n"
                    f"Example:\n\n{_block(f'{term}  is  {value}')}"
                )
    return "\n\n".join(parts)


def tools_of_the_library() -> str:
    """The tools that ship with the product."""
    parts = [
        "# Tools of the library",
        "They are there from the start, under these names; `pif show NAME` has the term, the cost and the versions. "
        "[How to use them](../../how-to/use-the-library.md).",
    ]
    for file in sorted(directory_of_the_library().glob("*.json")):
        parts.append(f"## {file.stem.replace('_', ' ').capitalize()}")
        listed = msgspec.json.decode(file.read_bytes(), type=list[Entry] | Entry)
        parts += map(_tool, listed if isinstance(listed, list) else [listed])
    return "\n\n".join(parts)


def _tool(tool: Entry) -> str:
    laws = "".join(f"\n- {_code(law)}" for law in tool.laws)
    shown = [
        f"{_json(each['input'])}  gives  {_json(each['output'])}"
        for each in msgspec.json.decode(tool.examples)
        if "input" in each and "output" in each
    ]
    examples = "\n".join([each for each in shown if len(each) < _WIDE][:3])
    written = f"\n\nType: {_code(tool.type)}" if tool.type else ""
    return (
        f"### std.{tool.name}\n\n{_text(tool.description)}{written}"
        + (f"\n\n{_block(examples)}" if examples else "")
        + (f"\n\nLaws:\n{laws}" if laws else "")
    )


def built_ins() -> str:
    """The built-in operations of Kleis."""
    parts = [
        "# Built-in operations of Kleis",
        "What evaluation, provers and help know of each; [the reference](../kleis.md) has them by topic.",
    ]
    rows: list[Builtin] = sorted((*BUILTINS, *NUMERIC_ROWS), key=lambda each: each.name.casefold())
    for row in rows:
        examples = "\n".join(f"{left}  is  {right}" for left, right in row.examples)
        facts = [
            f"Also: {', '.join(_code(each) for each in row.aliases)}." if row.aliases else "",
            f"Has a value where {_code(row.condition)}." if row.condition else "",
            f"Needs the extra `numeric` ({', '.join(row.needs)})." if row.needs else "",
        ]
        parts.append(
            f"## {row.name}\n\n{_block(row.usage)}\n\n{_text(row.doc)} {' '.join(filter(None, facts))}"
            + (f"\n\n{_block(examples)}" if examples else "")
        )
    return "\n\n".join(parts)


def grammar() -> str:
    """Operators and the grammar of Kleis."""
    tables = all_tables()
    source = (ROOT / "kleis" / "syntax" / "parser" / "grammar.lark").read_text(encoding="utf-8")
    return "\n\n".join([
        "# Operators and grammar of Kleis",
        "## Operators\n\nFrom the loosest to the tightest level.",
        tables["kleis-operators"](),
        "## Signs\n\n" + tables["kleis-signs"](),
        "## The grammar\n\nThe file that the parser is made from. [The reference](../kleis.md) says it in words.",
        _block(source.rstrip("\n")),
    ])  # fmt: skip


def errors() -> str:
    """The kinds of errors and warnings."""
    tables = all_tables()
    sections = [
        ("Runs of PIF", "pif-run-errors"),
        ("The registry", "pif-registry-errors"),
        ("The server", "serving-errors"),
        ("Names of a Kleis program", "kleis-names"),
        ("Texts that do not parse", "kleis-mistakes"),
        ("Texts that may be read otherwise than they are meant", "kleis-lints"),
        ("The corpus", "corpus-codes"),
        ("Exports to Lean", "lean-refusals"),
    ]
    parts = ["# Errors and warnings", "By what is stable in each: its kind, or its code."]
    return "\n\n".join([*parts, *(f"## {title}\n\n{tables[name]()}" for title, name in sections)])


def commands() -> str:
    """The commands with their help."""
    parts = [
        "# Commands and options",
        "What `--help` prints. [The reference](../serving.md#9-commands) has the rest.",
    ]
    for name, command in (("pif", pif_command), ("kleis", kleis_command)):
        for words, text in _helps(name, command, None):
            level = "##" if words == name else "###"
            parts.append(f"{level} {words}\n\n{_block(text)}")
    return "\n\n".join(parts)


def _helps(words: str, command: click.Command, parent: click.Context | None) -> Iterator[tuple[str, str]]:
    name = words.rpartition(" ")[2]
    context = command.make_context(name, [], parent, resilient_parsing=True, terminal_width=96)
    yield words, command.get_help(context)
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            inner = command.get_command(context, each)
            if inner is not None:
                yield from _helps(f"{words} {each}", inner, context)


def mcp_tools() -> str:
    """The tools of the server, with the schemas of their arguments."""
    parts = [
        "# MCP tools",
        "What `tools/list` says of each tool, by group; those of the second list need `--more`. "
        "[The reference](../serving.md#6-tools) has the rules of calls.",
    ]
    for group, tools in all_tools().items():
        parts.append(f"## Group {group}")
        for tool in tools:
            schema = json.dumps(tool.input_schema, ensure_ascii=False, indent=1)
            example = f"\n\nExample:\n\n{_block(_json(tool.example))}" if tool.example is not None else ""
            parts.append(
                f"### {tool.name}\n\n*{_text(tool.title)}.* {_text(tool.description)}{example}\n\n"
                f"Arguments:\n\n{_block(schema, 'json')}"
            )
    return "\n\n".join(parts)


def functions() -> str:
    """The functions for Python, from their docstrings."""
    parts = [
        "# Functions for Python",
        "Signatures and docstrings. [The reference](../python.md) has examples.",
    ]
    for module, names in (
        (pif, ("run", "Tool")),
        (kleis, ("verify", "evaluate", "Theory")),
        (registry, ("open", "Registry")),
    ):
        parts.append(f"## {module.__name__}")
        for name in names:
            parts += _documented(f"{module.__name__}.{name}", getattr(module, name))
    return "\n\n".join(parts)


def _documented(name: str, found: Any) -> Iterator[str]:
    if inspect.isclass(found):
        yield f"### {name}\n\n{_docstring(found)}"
        for each, member in vars(found).items():
            function = getattr(member, "__func__", member)
            if not each.startswith("_") and inspect.isfunction(function):
                yield f"#### {name}.{each}\n\n{_block(f'{each}{_signature(function)}', 'python')}\n\n{_docstring(function)}"
        return
    function = found if inspect.isfunction(found) else run
    yield f"### {name}\n\n{_block(f'{name}{_signature(function)}', 'python')}\n\n{_docstring(function)}"


PAGES: dict[str, Callable[[], str]] = {
    "reference/generated/operations": operations,
    "reference/generated/library-tools": tools_of_the_library,
    "reference/generated/built-ins": built_ins,
    "reference/generated/grammar": grammar,
    "reference/generated/errors": errors,
    "reference/generated/commands": commands,
    "reference/generated/mcp-tools": mcp_tools,
    "reference/generated/functions": functions,
}
"""The pages by their names on the site."""


# ── Text ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _block(text: str, language: str = "text") -> str:
    longest = max((len(each) for each in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _code(text: str) -> str:
    longest = max((len(each) for each in re.findall("`+", text)), default=0)
    mark = "`" * (longest + 1)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{mark}{gap}{text}{gap}{mark}"


def _text(text: str) -> str:
    """Prose of the code in Markdown: spans of code stay, everything else is text."""
    parts = re.split(r"(`+[^`]+`+)", text)
    return "".join(
        part if part.startswith("`") else re.sub(r"([\\*_\[\]<>|#$])", r"\\\1", part) for part in parts
    )


class _Raw(str):
    """A type as it is written, without quotes."""

    __repr__ = str.__str__


def _signature(function: Any) -> str:
    found = inspect.signature(function)
    parameters = [each.replace(annotation=_raw(each.annotation)) for each in found.parameters.values()]
    return str(found.replace(parameters=parameters, return_annotation=_raw(found.return_annotation)))


def _raw(annotation: Any) -> Any:
    return _Raw(annotation) if isinstance(annotation, str) else annotation


def _docstring(found: Any) -> str:
    """A docstring: paragraphs, and what is indented in them as it stands."""
    text = inspect.getdoc(found) or ""
    paragraphs: Iterable[str] = re.split(r"\n\n+", text)
    return "\n\n".join(_block(each) if each.startswith("    ") else _text(each) for each in paragraphs)


def _json(value: Any) -> str:
    return (
        msgspec.json.encode(value).decode()
        if not isinstance(value, str)
        else json.dumps(value, ensure_ascii=False)
    )
