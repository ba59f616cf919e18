"""Tables of docs/reference/serving.md: groups, their tools, resources and prompts, limits, commands, options.

The groups are made in process over an empty home, and asked for what they list.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, get_args

import click
import msgspec

from registry.access.principals import Scope
from registry.access.required_scopes import EVOLVED, METHODS, METRICS
from registry.access.required_scopes import TOOLS as SCOPES_OF_TOOLS
from registry.access.tokens import MOST as MOST_TOKENS
from registry.cli.kleis.commands import kleis
from registry.cli.pif.commands import pif
from registry.errors import KINDS
from registry.server.calls.dispatch import ALL_CALLS, CALLS
from registry.server.calls.lanes import LANES, PATIENCE
from registry.server.calls.workers import STACK_BYTES
from registry.server.contract.group import Group, PromptSpec, ToolSpec
from registry.server.contract.settings import Settings, Site
from registry.server.groups.lean import group as lean_group
from registry.server.groups.pif import group as pif_group
from registry.server.groups.pif import tool_specs as pif_tools
from registry.server.groups.policy import requests as policy_tools
from registry.server.groups.theory import requests as theory_tools
from registry.server.groups.theory.explore_tool import ANSWER_WITHIN, LAWS_WITHIN
from registry.server.mcp import http_bodies, http_connection, http_requests, http_server, principal_servers
from registry.server.mcp.mcp_server import COMPLETIONS, HTTP_LEVELS, HTTP_SESSIONS
from registry.server.mcp.subscriptions import ADDRESSES, STREAMS, WATCHED
from registry.server.offers.wire_forms import INSTRUCTIONS_LIMIT, PAGE
from registry.server.serve import GROUPS, make_groups
from registry.server.stdio.fast_path import BYTES
from registry.server.streams.framing import DEFAULT_CAP
from registry.server.streams.messages import NESTING, TEXT_LIMIT, VALUES
from registry.tools.help import ERRORS
from registry.workspace import requests
from tests.guide.tables import ROOT, markdown

__all__ = ["TABLES", "all_tools"]

POLICY = ROOT / "stdlib" / "kleis" / "policies" / "coding_agent.kleis"


@contextmanager
def _made(name: str, *, more: bool) -> Iterator[Group]:
    """One group of an empty home, closed afterwards."""
    with tempfile.TemporaryDirectory() as home:
        site = Site(Settings(home=Path(home), more=more, policy=POLICY if name == "policy" else None))
        (group,) = make_groups(name, site)
        try:
            yield group
        finally:
            group.close()
            site.close()


@cache
def _listed(name: str, *, more: bool) -> tuple[ToolSpec, ...]:
    with _made(name, more=more) as group:
        return group.tools()


def all_tools() -> dict[str, tuple[ToolSpec, ...]]:
    """The tools of every group, those of its second list last."""
    return {name: (*_listed(name, more=False), *_second_list(name)) for name in GROUPS}


def _names(tools: Iterable[ToolSpec]) -> str:
    return ", ".join(f"`{each.name}`" for each in tools)


def _second_list(name: str) -> list[ToolSpec]:
    first = {each.name for each in _listed(name, more=False)}
    return [each for each in _listed(name, more=True) if each.name not in first]


def groups() -> str:
    """Each group with the names of its two lists."""
    rows = [
        (f"`{name}`", _names(_listed(name, more=False)), _names(_second_list(name)) or "none")
        for name in GROUPS
    ]
    return markdown(("Group", "Tools", "with `--more`"), rows)


# ── Tools ────────────────────────────────────────────────────────────────────────────────────────────────────


def tools(name: str) -> str:
    """The tools of a group as `tools/list` offers them."""
    first = {each.name for each in _listed(name, more=False)}
    rows = []
    explained: set[tuple[str, str]] = set()
    for each in _listed(name, more=True):
        title = f"`{each.name}`" if each.name in first else f"`{each.name}` (`--more`)"
        rows.append(
            (title, _sentence(each.description), _arguments(each.input_schema, explained), _hints(each))
        )
    return markdown(("Tool", "What for", "Arguments", "Hints"), rows)


def _sentence(text: str) -> str:
    """The first sentence, which has to carry the tool."""
    return re.split(r"(?<=\.) (?=[A-Z`])", text)[0]


def _hints(spec: ToolSpec) -> str:
    letters = {"R": spec.read_only, "D": spec.destructive, "I": spec.idempotent, "O": spec.open_world}
    return " ".join(letter for letter, holds in letters.items() if holds)


def _arguments(schema: Mapping[str, Any], explained: set[tuple[str, str]]) -> str:
    required = schema.get("required", ())
    names = sorted(schema["properties"], key=lambda name: name not in required)
    return (
        "<br>".join(
            _argument(name, schema["properties"][name], name in required, explained) for name in names
        )
        or "none"
    )


def _argument(name: str, schema: Mapping[str, Any], required: bool, explained: set[tuple[str, str]]) -> str:
    """One argument: bold if it is required, with its type, its default, and what it means if that is not `explained`."""
    default = schema.get("default")
    shown = "" if default in (None, "", False) else f" = `{msgspec.json.encode(default).decode()}`"
    meaning = schema.get("description", "")
    said = f": {meaning}" if meaning and (name, meaning) not in explained else ""
    explained.add((name, meaning))
    return f"**`{name}`** {_type(schema)}{said}" if required else f"`{name}` {_type(schema)}{shown}{said}"


def _type(schema: Mapping[str, Any]) -> str:
    match schema.get("type"):
        case None:
            return "any JSON"
        case "string" if "enum" in schema:
            return " or ".join(f"`{each}`" for each in schema["enum"])
        case "integer":
            bounds = (schema.get("minimum"), schema.get("maximum"))
            return f"integer {bounds[0]:,} to {bounds[1]:,}" if bounds[1] else f"integer ≥ {bounds[0]}"
        case "array":
            inner = schema.get("items")
            return "list" if inner is None or "type" not in inner else f"list of {_type(inner)}"
        case "object":
            fields = ", ".join(
                f"`{each}`" + ("" if each in schema.get("required", ()) else "?")
                for each in schema["properties"]
            )
            return f"object ({fields})"
        case kind:
            return str(kind)


# ── Resources and prompts ────────────────────────────────────────────────────────────────────────────────────


def resources() -> str:
    """Resources and templates of all groups."""
    rows: list[Sequence[str]] = []
    for name in GROUPS:
        with _made(name, more=False) as group:
            fixed = [(each.uri, each.title, each.mime_type) for each in group.resources()]
            families = [
                (each.uri_template, each.title, each.mime_type) for each in group.resource_templates()
            ]
        rows += [(f"`{uri}`", name, title, type_) for uri, title, type_ in (*fixed, *families)]
    return markdown(("Address", "Group", "What it holds", "Type"), rows)


def prompts() -> str:
    """Prompts of all groups with their arguments."""
    rows: list[Sequence[str]] = []
    for name in GROUPS:
        with _made(name, more=False) as group:
            rows += [
                (f"`{each.name}`", name, each.description, _prompt_arguments(each))
                for each in group.prompts()
            ]
    return markdown(("Prompt", "Group", "What it asks an agent to do", "Arguments"), rows)


def _prompt_arguments(prompt: PromptSpec) -> str:
    return ", ".join(
        f"`{each.name}`" + (", **required**" if each.default is None else f" = {each.default}")
        for each in prompt.arguments
    )


# ── Limits and errors ────────────────────────────────────────────────────────────────────────────────────────


def scopes() -> str:
    """What each scope lets its bearer do: methods of the protocol, and tools by their groups."""
    rows = []
    for scope in get_args(Scope):
        methods = [f"`{name}`" for name, needed in METHODS.items() if needed == scope]
        tools = [
            f"{group}: " + ", ".join(f"`{name}`" for name, needed in names.items() if needed == scope)
            for group, names in SCOPES_OF_TOOLS.items()
            if scope in names.values()
        ]
        more = {EVOLVED: ["every evolved tool"], METRICS: ["`/metrics`, and whatever has no other scope"]}
        rows.append((f"`{scope}`", "; ".join([*methods, *tools, *more.get(scope, [])])))
    return markdown(("Scope", "Needed by"), rows)


def limits() -> str:
    """What is bounded, with the figure of the code."""
    mib = 1024 * 1024
    rows = [
        ("one message on standard input", f"{DEFAULT_CAP // mib} MiB"),
        ("nesting of a message on standard input", f"{NESTING:,} levels"),
        ("values in a message (commas and opening brackets)", f"{VALUES:,}"),
        ("one request over HTTP", f"{http_requests.BODY // mib} MiB"),
        (
            f"bodies of requests over HTTP under way, those of at most {http_bodies.SMALL_BODY // 1024} KiB not counted",
            f"{http_bodies.BODIES // mib} MiB",
        ),
        ("head of a request over HTTP", f"{http_connection.HEAD_BYTES // 1024} KiB"),
        ("nesting of a request over HTTP", f"{http_requests.NESTING} levels"),
        (
            "connections over HTTP, where the system allows as many descriptors",
            f"{http_server.CONNECTIONS:,}",
        ),
        ("nesting of a field of an answer's object over HTTP", f"{HTTP_LEVELS} levels"),
        (
            "sessions of the older protocol over HTTP, of the owner and of another principal",
            f"{HTTP_SESSIONS:,}; {principal_servers.SESSIONS}",
        ),
        ("principals beside the owner that are served at one time", f"{principal_servers.MOST}"),
        ("tokens of a home, revoked ones included", f"{MOST_TOKENS:,}"),
        ("text of an answer", f"{TEXT_LIMIT:,} characters"),
        ("instructions; description of a tool", f"{INSTRUCTIONS_LIMIT:,} characters each"),
        ("description of an evolved tool as shown", f"{pif_tools.DESCRIPTION:,} characters"),
        ("entries on a page of a list", f"{PAGE}"),
        ("values of a completion", f"{COMPLETIONS}"),
        ("addresses that a client watches; all clients", f"{ADDRESSES}; {WATCHED:,}"),
        ("streams of a client (newer protocol)", f"{STREAMS}"),
        ("calls under way, of one client and of all", f"{CALLS}; {ALL_CALLS:,}"),
        ("bytes of the messages of calls under way", f"{BYTES // mib} MiB"),
        *(
            (
                f"lane `{name}`: at once; waiting, of one client and of all",
                f"{lane.places}; {lane.waiting // 2}, {lane.waiting}",
            )
            for name, lane in LANES.items()
        ),
        ("waiting for a turn", f"{PATIENCE:g} s"),
        ("stack of a worker thread", f"{STACK_BYTES // mib} MiB"),
    ]
    return markdown(("What", "Limit"), rows)


def times() -> str:
    """After how long a call answers."""
    seconds = "{:g} s".format
    rows = [
        ("a driven run, `fuzz`, a run with a theory", seconds(pif_group.ANSWER_WITHIN), "fixed"),
        (
            "proofs in `evolve` and `analyze`",
            _within(requests.STANDARD, requests.LONGEST),
            "`timeout_ms`",
        ),
        ("`evaluate` (theory)", _within(theory_tools.STANDARD, theory_tools.LONGEST), "`timeout_ms`"),
        ("other calls of the group theory", seconds(theory_tools.LONGEST / 1_000), "fixed, or `timeout_ms`"),
        (
            "`explore` of a structure; of tools",
            f"{ANSWER_WITHIN:g} s; {LAWS_WITHIN:g} s",
            "`timeout_ms`, at most 45 s",
        ),
        ("calls of the group policy that prove", f"up to {policy_tools.LONGEST / 1_000:g} s", "`timeout_ms`"),
        ("waiting for a Lean job", seconds(lean_group.WITHIN), "`wait`"),
        ("any call of the group lean", seconds(lean_group.ENDS), "fixed"),
    ]
    return markdown(("Work", "It ends after", "Set by"), rows)


def _within(standard: int, longest: int) -> str:
    return f"{standard / 1_000:g} s; at most {longest / 1_000:g} s"


def errors() -> str:
    """The kinds of errors that are not the calculus's own."""
    meanings = {**_MORE, **ERRORS}
    return markdown(("Kind", "Meaning"), [(f"`{kind}`", meanings[kind]) for kind in sorted(KINDS)])


_MORE = {"law_disproved": "a law of `evolve` is refuted by a run; nothing was kept"}
"""Kinds that `help errors` does not explain."""


# ── Commands ─────────────────────────────────────────────────────────────────────────────────────────────────


def commands(group: click.Group) -> str:
    """Every command of a group in one line."""
    rows = [
        (f"`{name}{_operands(each)}`", each.get_short_help_str(300), _options(each))
        for name, each in _walked(group, "")
    ]
    return markdown(("Command", "What it does", "Options"), rows)


def _walked(group: click.Group, before: str) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        command = group.commands[name]
        if isinstance(command, click.Group):
            yield from _walked(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def _operands(command: click.Command) -> str:
    context = click.Context(command)
    pieces = [each.make_metavar(context) for each in command.params if isinstance(each, click.Argument)]
    return "".join(f" {piece}" for piece in pieces)


_EVERYWHERE = frozenset({"--home", "--json", "--store"})


def _options(command: click.Command) -> str:
    shown = [
        max(each.opts, key=len)
        for each in command.params
        if isinstance(each, click.Option) and not each.hidden and not _EVERYWHERE.intersection(each.opts)
    ]
    return " ".join(f"`{each}`" for each in shown) or "none"


def serve_options() -> str:
    """The options of `pif serve`, and which of them `kleis serve` has."""
    rows = []
    short = {opt for each in kleis.commands["serve"].params for opt in each.opts}
    for each in pif.commands["serve"].params:
        if not isinstance(each, click.Option) or each.hidden:
            continue
        option = max(each.opts, key=len)
        value = f" {each.make_metavar(click.Context(pif))}" if not each.is_flag else ""
        default = f"`{each.default}`" if isinstance(each.default, str | int) and each.default else ""
        default = each.show_default if isinstance(each.show_default, str) else default
        also = "yes" if option in short else "no"
        rows.append((f"`{option}{value}`", each.help or "", default or "none", also))
    return markdown(("Option", "Meaning", "Default", "also `kleis serve`"), rows)


def deadlines() -> str:
    """How long a connection over HTTP may wait for its client."""
    rows = [(what, f"{seconds:g} s") for seconds, what in http_connection.PHASES.values()]
    return markdown(("What is waited for", "At most"), rows)


TABLES: dict[str, Callable[[], str]] = {
    "serving-options": serve_options,
    "serving-groups": groups,
    **{f"serving-tools-{name}": partial(tools, name) for name in GROUPS},
    "serving-resources": resources,
    "serving-prompts": prompts,
    "serving-errors": errors,
    "serving-scopes": scopes,
    "serving-limits": limits,
    "serving-deadlines": deadlines,
    "serving-times": times,
    "serving-commands-pif": partial(commands, pif),
    "serving-commands-kleis": partial(commands, kleis),
}
