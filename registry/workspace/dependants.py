"""The users of a tool: which they are, whether their examples hold after a change, and their graph.

Uses are the names that stand in code: in `app` and in `code_of`. A name that a run computes is not seen, nor are tools
that were forgotten. `name@2` is a use of `name` that a new version does not affect. In the graph an arrow leads from a
tool to what its code names; a name that is no tool is shown as missing, and circles are allowed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Literal

import msgspec

from kleis.decoding import decode_json
from pif.analysis.facts import facts_of
from pif.analysis.work import STEPS, STOPPED, Unfinished, Work
from pif.language.budget import Budget
from pif.language.host import Tools
from pif.language.terms import Json
from pif.language.warnings import PifWarning
from registry.diagrams import Drawing
from registry.diagrams import Edge as Arrow
from registry.diagrams import Kind as Look
from registry.diagrams import Node as Box
from registry.errors import RegistryError
from registry.laws.on_evolve import is_stale
from registry.records import LIBRARY_PREFIX, ToolRecord, parse_reference, read_laws
from registry.store.protocol import Store
from registry.tools.code_and_examples import (
    EXAMPLE_FUEL,
    Example,
    example_answer,
    fuel_of,
    holds,
    outcome_of,
    shown,
)
from registry.tools.snapshot_tools import SnapshotTools

__all__ = [
    "CHECK_FUEL",
    "MOST_TOOLS",
    "Broken",
    "Checked",
    "Edge",
    "Graph",
    "Node",
    "User",
    "Users",
    "check_users",
    "drawing_of",
    "graph_of",
    "reject_broken",
    "unchecked_readers",
    "users_of",
]

CHECK_FUEL = 50_000_000
"""Fuel of the examples of all users of a tool."""

USERS_STEPS = 5 * STEPS
"""Steps of the search for the users of a tool: some seconds."""

_LOOK_UP = 20
"""Steps of looking a tool up in the store, beside those of its nodes."""

_QUESTIONS = 4
"""Tools whose users are asked for one by one; a tool rarely has so many."""

_ROWS = 1_000
"""Users in one answer."""

_READERS = 8
"""Tools that a warning or an error names."""

MOST_TOOLS = 500
"""Tools in one graph."""


class User(msgspec.Struct, frozen=True):
    """A tool that uses another: itself (`direct`), or through others; `pinned` where only by versions."""

    record: ToolRecord
    direct: bool
    pinned: bool

    def as_json(self) -> dict[str, Json]:
        """The user as a row."""
        return {
            "name": self.record.name,
            "version": self.record.version,
            "direct": self.direct,
            "pinned": self.pinned,
            "examples": len(msgspec.json.decode(self.record.examples)),
        }


def _more(users: int) -> list[str]:
    """What `unfinished` says where an answer has not a row for each user."""
    return [f"users: the first {_ROWS} of {users}"] if users > _ROWS else []


class Users(msgspec.Struct, frozen=True):
    """The users of a tool, by name. `unfinished` says why there may be more."""

    found: tuple[User, ...]
    unfinished: str | None = None

    def rows(self) -> list[Json]:
        """The first users as rows."""
        return [user.as_json() for user in self.found[:_ROWS]]

    def missing(self) -> list[str]:
        """What `unfinished` of an answer says of the rows."""
        return [f"users: {self.unfinished}"] if self.unfinished is not None else _more(len(self.found))


class Broken(msgspec.Struct, frozen=True):
    """An example of a user that held, and would not."""

    tool: str
    place: str
    input: Json
    expected: Json
    found: str


class Checked(msgspec.Struct, frozen=True):
    """What became of the examples of all users: how many hold of each, and those that would not. `stale` counts the
    laws of each that would rest on code that has changed. `refusal`: why not all were looked at."""

    held: dict[str, int]
    broken: tuple[Broken, ...]
    stale: dict[str, int] = {}
    refusal: RegistryError | None = None

    def missing(self) -> list[str]:
        """What `unfinished` of an answer says of the rows."""
        return _more(len(self.held))

    def as_json(self) -> list[Json]:
        """One row a user, the first ones of very many; all that have broken examples."""
        failing: dict[str, list[Json]] = {}
        for one in self.broken:
            failing.setdefault(one.tool, []).append(msgspec.to_builtins(one))
        rows: list[Json] = []
        for number, (tool, held) in enumerate(self.held.items()):
            if number >= _ROWS and tool not in failing:
                continue
            row: dict[str, Json] = {"tool": tool, "examples_held": held}
            if tool in failing:
                row["broken"] = failing[tool]
            if tool in self.stale:
                row["laws_stale"] = self.stale[tool]
            rows.append(row)
        return rows


def users_of(names: Collection[str], store: Store, tools: SnapshotTools, work: Work | None = None) -> Users:
    """Every tool in the home whose code reaches one of `names`, by name; the tools named are not among them.

    Without `work` as much is done as takes a few seconds. What is found when it is used up, or stopped, is answered.
    """
    work = work or Work(USERS_STEPS)
    found: dict[str, User] = {}
    namers = _Namers(store, work)
    waiting = deque(names)
    try:
        while waiting:
            used = waiting.popleft()
            reached = found.get(used)
            for namer in namers.of(used):
                work.done(_LOOK_UP)
                record = tools.find(namer)
                user = None if record is None else _user(record, names, used, reached, tools, work)
                if user is None:
                    continue
                before = found.get(namer)
                if before is not None and before.pinned <= user.pinned:
                    continue
                direct = user.direct or (before is not None and before.direct)
                found[namer] = User(user.record, direct, user.pinned)
                waiting.append(namer)
    except Unfinished as error:
        return Users(tuple(found[user] for user in sorted(found)), error.reason)
    return Users(tuple(found[user] for user in sorted(found)))


def _user(
    record: ToolRecord,
    names: Collection[str],
    used: str,
    reached: User | None,
    tools: SnapshotTools,
    work: Work,
) -> User | None:
    """A tool as a user of one of `names` by way of `used`, itself one by `reached`; None where its code does not name
    `used`."""
    tool = tools.tool(record.reference)
    if tool is None or record.name in names:
        return None
    named = [parse_reference(text) for text in _names(facts_of(tool.term, work).tools)]
    versions = [reference.version for reference in named if reference.name == used]
    if not versions:
        return None
    pinned = all(version is not None for version in versions) or (reached is not None and reached.pinned)
    return User(record, used in names, pinned)


class _Namers:
    """The tools in whose code a name stands. The store is asked of the first few, each time by a walk over all code;
    then of all at once, so that many users cost no more than one walk."""

    def __init__(self, store: Store, work: Work) -> None:
        self.store = store
        self.work = work
        self.asked = 0
        self.known: dict[str, list[str]] | None = None

    def of(self, name: str) -> Sequence[str]:
        if self.asked < _QUESTIONS:
            self.asked += 1
            return self.store.naming(name)
        if self.known is None:
            self.known = self.store.namings(self.work.done)
        return self.known.get(name, ())


def _names(texts: Sequence[str]) -> list[str]:
    """Those that a tool could have; code may hold any string in the place of a name."""
    names = []
    for text in texts:
        try:
            parse_reference(text)
        except RegistryError:
            continue
        names.append(text)
    return names


def check_users(
    names: Collection[str],
    store: Store,
    before: SnapshotTools,
    after: Tools,
    stop: Callable[[], bool] | None = None,
) -> Checked:
    """Run the examples of all users of `names`, which are not empty, on the registry as it would be.

    An example that does not hold as things are is nobody's fault now, and is passed over. Laws are not asked again,
    only counted: `certificate check` asks them.
    """
    held: dict[str, int] = {}
    broken: list[Broken] = []
    stale: dict[str, int] = {}
    left = CHECK_FUEL
    users = users_of(names, store, before, Work(USERS_STEPS, stop))
    name = ", ".join([*names][:_READERS])
    if users.unfinished is not None:
        return Checked(held, (), stale, _not_all(name, users))
    for user in users.found:
        if user.pinned:
            continue
        record = user.record
        held[record.reference] = 0
        laws = [law for law in read_laws(record.laws) if not is_stale(law, before, record)]
        if count := sum(is_stale(law, after, record) for law in laws):
            stale[record.reference] = count
        for number, example in enumerate(decode_json(record.examples, tuple[Example, ...])):
            if stop is not None and stop():
                return Checked(held, tuple(broken), stale, _not_all(name, Users(users.found, STOPPED)))
            answer = example_answer(record.name, example, after, Budget(fuel=EXAMPLE_FUEL))
            left -= fuel_of(answer)
            if left < 0:
                return Checked(held, tuple(broken), stale, _too_much(name, record))
            if holds(answer, example):
                held[record.reference] += 1
            elif holds(example_answer(record.name, example, before, Budget(fuel=EXAMPLE_FUEL)), example):
                broken.append(Broken(record.reference, f"examples/{number}", example.given(), example.output,
                                     outcome_of(answer)))  # fmt: skip
    return Checked(held, tuple(broken), stale)


def unchecked_readers(name: str, store: Store) -> list[PifWarning]:
    """The warning for tools that may use `name` by a name that a run computes: whether they do cannot be checked."""
    found = [reader for reader in store.naming_by_run() if reader != name]
    if not found:
        return []
    more = f" and {len(found) - _READERS} more" if len(found) > _READERS else ""
    readers = f"{', '.join(found[:_READERS])}{more}"
    return [
        PifWarning(
            code="unchecked_readers",
            message=f"not checkable: {readers} read tools by names that a run computes, and may use {name}",
            hint="Run their examples again, or name in their code the tools that they read.",
        )
    ]


def reject_broken(name: str, checked: Checked, place: str = "code") -> None:
    """Raise `example_failed` where an example of a user would not hold any more, `too_busy` where not all were tried."""
    if not checked.broken:
        if checked.refusal is not None:
            raise checked.refusal
        return
    first = checked.broken[0]
    more = len(checked.broken) - 1
    raise RegistryError(
        "example_failed",
        f"{first.tool} uses {name}, and its {first.place} would not hold any more: for {shown(first.input)} it "
        f"would give {first.found}" + (f" (and {more} more)" if more else ""),
        place=place,
        tool=first.tool,
        found=first.found,
        expected=shown(first.expected),
        hint=f"Nothing was changed. Keep what {first.tool} relies on, evolve under another name, let it use the old version "
        "by name@version, or pass force: true.",
    )


_FORCE = "Pass force: true to change it without them."


def _too_much(name: str, record: ToolRecord) -> RegistryError:
    return RegistryError(
        "too_busy", f"the examples of the tools that use {name} need more than {CHECK_FUEL} units of fuel together",
        place="code", tool=record.reference, found=f"more than {CHECK_FUEL}", expected=f"at most {CHECK_FUEL}",
        hint=_FORCE,
    )  # fmt: skip


def _not_all(name: str, users: Users) -> RegistryError:
    return RegistryError(
        "too_busy", f"the tools that use {name} are too many to check: {users.unfinished}", place="code", tool=name,
        found=f"{len(users.found)} and more", hint=_FORCE,
    )  # fmt: skip


Kind = Literal["tool", "version", "library", "missing"]


class Node(msgspec.Struct, frozen=True, order=True):
    """A tool of the home, a version of one that is not current, a tool of the library, or a name that is no tool."""

    name: str
    kind: Kind


class Edge(msgspec.Struct, frozen=True, order=True, rename={"user": "from", "used": "to"}):
    """`user` names `used` in its code."""

    user: str
    used: str


class Graph(msgspec.Struct, frozen=True):
    """Nodes and edges, each by code point; `cut` where there were more tools."""

    tools: tuple[Node, ...]
    edges: tuple[Edge, ...]
    cut: bool = False


def graph_of(names: Sequence[str], store: Store, tools: SnapshotTools, *, library: bool = False) -> Graph:
    """The tools named, all they use and all that use them; without names all of the home.

    Tools of the library are left out unless `library` or one is among the names.
    """
    library = library or any(name.startswith(LIBRARY_PREFIX) for name in names)
    chosen = [*names] if names else [*tools.snapshot.names()]
    work, cut = Work(USERS_STEPS), False
    for name in names:
        users = users_of([name], store, tools, work)
        chosen += [user.record.name for user in users.found]
        cut = cut or users.unfinished is not None
    nodes: dict[str, Node] = {}
    edges: set[Edge] = set()
    waiting = [*reversed(dict.fromkeys(chosen))]
    while waiting and len(nodes) < MOST_TOOLS:
        name = waiting.pop()
        if name in nodes:
            continue
        nodes[name] = Node(name, _kind(name, tools))
        tool = tools.tool(name)
        for text in facts_of(tool.term).tools if tool else ():
            used = _resolved(text, tools)
            if library or not used.startswith(LIBRARY_PREFIX):
                edges.add(Edge(name, used))
                waiting.append(used)
    kept = {edge for edge in edges if edge.user in nodes and edge.used in nodes}
    cut = cut or any(name not in nodes for name in waiting)
    return Graph(tuple(sorted(nodes.values())), tuple(sorted(kept)), cut)


def _resolved(text: str, tools: SnapshotTools) -> str:
    """The node of a name in code: a tool's name, or `name@version` where that is not the current one."""
    record = tools.find(text)
    if record is None:
        return text
    current = tools.find(record.name)
    return record.name if current is not None and current.version == record.version else record.reference


def _kind(name: str, tools: SnapshotTools) -> Kind:
    record = tools.find(name)
    if record is None:
        return "missing"
    if record.name.startswith(LIBRARY_PREFIX):
        return "library"
    try:
        return "tool" if parse_reference(name).version is None else "version"
    except RegistryError:
        return "missing"


_LOOKS: dict[Kind, tuple[Look, str]] = {
    "tool": ("plain", ""),
    "version": ("faint", ""),
    "library": ("round", ""),
    "missing": ("faint", " (missing)"),
}


def drawing_of(graph: Graph) -> Drawing:
    """The graph as it is drawn: tools of the library are round, what is missing or not current is faint."""
    nodes = []
    for node in graph.tools:
        look, said = _LOOKS[node.kind]
        nodes.append(
            Box(node.name, f"{node.name if len(node.name) <= 60 else node.name[:59] + '…'}{said}", look)
        )
    return Drawing(tuple(nodes), tuple(Arrow(edge.user, edge.used) for edge in graph.edges))
