"""What the product does with PIF tools, for every front alike: the server's tools and the `pif` commands.

Each method answers one JSON object, the `structuredContent` over MCP and the `--json` of the command line. Refusals
are answers too (`{"type": "error", "error": …}`): nothing a user sends makes a method raise.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec

import msgspec

from pif.analysis.facts import facts_of
from pif.analysis.normalize import normalize
from pif.analysis.tool_types import typing_of
from pif.budget import DEFAULT_FUEL, MAXIMUM_FUEL, RETAINED_BYTES, Budget
from pif.decode import decode_term, decode_text
from pif.errors import PifError
from pif.evaluate import Answer, Request, run
from pif.json_text import parse_json
from pif.reference.machine import Tool, missing_tool
from pif.terms import Json, Term, identity, same_term, term_text
from registry.admission import Admission
from registry.analysis import ASPECTS, analysis, invalid, type_advice, warnings_of
from registry.difference import changes
from registry.errors import RegistryError
from registry.evolution import (
    EXAMPLE_FUEL,
    Example,
    Language,
    check_examples,
    closed,
    read_code,
    read_python,
    read_text,
)
from registry.store import Store
from registry.store.exchange import Verified, export_tools, import_tools
from registry.tool import ToolRecord, check_name, parse_reference
from registry.tools_view import Overlay, SnapshotTools, TermCache
from registry.typings import TypeCache

__all__ = ["PAGE", "Workspace"]

PAGE = 50
"""Tools in one answer of `list` unless `limit` says otherwise."""

P = ParamSpec("P")


def _answering(
    method: Callable[Concatenate[Workspace, P], Answer],
) -> Callable[Concatenate[Workspace, P], Answer]:
    """Turn the refusals of a method into answers."""

    def answer(self: Workspace, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        try:
            return method(self, *args, **kwargs)
        except (RegistryError, PifError) as error:
            return {"type": "error", "error": error.as_json()}

    answer.__name__ = method.__name__
    answer.__doc__ = method.__doc__
    return answer


class Workspace:
    """A store of tools and the limits under which they run.

    `maximum_fuel` is what one run may ask for; `memory` (bytes) is what the runs at one time may retain together.
    """

    def __init__(self, store: Store, *, maximum_fuel: int = MAXIMUM_FUEL, memory: int = 512 * 2**20) -> None:
        self.store = store
        self.maximum_fuel = maximum_fuel
        self.admission = Admission(memory)
        self._terms = TermCache()
        self._types = TypeCache()

    def tools(self) -> SnapshotTools:
        """The tools as they are now; what is done with the answer does not see later changes."""
        return SnapshotTools(self.store.snapshot(), self._terms)

    # Evolving.

    @_answering
    def evolve(
        self,
        name: str,
        description: str,
        code: Json,
        *,
        examples: Sequence[Example] = (),
        expect_version: int | None = None,
        dry_run: bool = False,
        language: Language = "json",
    ) -> Answer:
        """Make a tool, or a new version of one; with examples, only if they hold.

        `code` is a term or its text, or with the language `python` the text of a Python function.
        """
        check_name(name)
        tools = self.tools()
        term = closed(read_python(code) if language == "python" else read_code(code, tools.nearest))
        text = term_text(term)
        facts = facts_of(term)

        def keep(expected: int | None, dry: bool) -> tuple[ToolRecord, str]:
            evolved = self.store.evolve(
                name, code=text, hash=identity(term), description=description, capabilities=facts.capabilities,
                expect_version=expected, dry_run=dry,
            )  # fmt: skip
            return evolved.record, evolved.outcome

        reports: list[Json] = []
        planned, _ = keep(expect_version, True)
        view = Overlay(tools, name, planned.version, term)
        typing = typing_of(view.new, view)
        if examples:
            reports = check_examples(name, examples, view, Budget(fuel=min(EXAMPLE_FUEL, self.maximum_fuel)))
        record, outcome = keep(expect_version, dry_run)
        answer: Answer = {
            "type": "tool",
            "name": record.name,
            "version": record.version,
            "hash": record.hash,
            "description": record.description,
            "capabilities": list(record.capabilities),
            "outcome": outcome,
        }
        answer |= type_advice(typing)
        from pif.analysis.cost import (
            cost_of,  # not needed to run a tool, and loaded in a hundredth of a second
        )

        answer["cost"] = cost_of(view.new, view, typing).as_json()
        if language == "json" and term.op == "lam" and (given := self._bound_name(code, term)):
            answer["closed_over"] = given
        if examples:
            answer["examples"] = reports
        if warnings := warnings_of(facts, name, tools):
            answer["warnings"] = warnings
        if dry_run:
            answer["dry_run"] = True
        return answer

    @staticmethod
    def _bound_name(code: Json, term: Term) -> str | None:
        """The free name that the stored code was closed over, where it was."""
        data = parse_json(code) if isinstance(code, str) else code
        return term.value if not (isinstance(data, dict) and "lam" in data) else None

    # Running.

    def run(
        self,
        request: Request,
        *,
        fuel: int | None = None,
        cancelled: Callable[[], bool] | None = None,
        progress: Callable[[int], None] | None = None,
        pause: Callable[[], bool] | None = None,
    ) -> Answer:
        """Run a tool or a term under exact limits."""
        try:
            fuel = self.fuel(fuel)
            with self.admission.of(fuel * RETAINED_BYTES):
                budget = Budget(fuel=fuel, ceiling=self.maximum_fuel)
                return run(request, self.tools(), budget, cancelled=cancelled, progress=progress, pause=pause)
        except RegistryError as error:
            return {"type": "error", "error": error.as_json()}

    def run_briefly(self, request: Request, *, fuel: int | None = None) -> Answer | None:
        """The answer of `run` where it can be had within a millisecond or two, else None: then call `run`.

        A first try under smaller limits; purity makes a second one invisible.
        """
        if request.drive or request.trace or not _is_brief(request.code, request.input):
            return None
        try:
            fuel = self.fuel(fuel)
        except RegistryError as error:
            return {"type": "error", "error": error.as_json()}
        deadline = time.monotonic() + _BRIEF_TIME
        brief = Budget(fuel=min(fuel, _COMPILED_FUEL), string_length=_BRIEF_SIZE, result_bytes=_BRIEF_SIZE)
        try:
            tools = _Brief(self.store.snapshot(), self._terms)
            answer = run(
                request, tools, brief, brief=_BRIEF_FUEL, cancelled=lambda: time.monotonic() > deadline
            )
        except _NeedsLonger:
            return None
        if answer["type"] == "error" and answer["error"]["kind"] in _LIMITED:
            return None
        return answer

    def fuel(self, asked: int | None) -> int:
        """The fuel of a run; refuses more than the maximum, and names it."""
        if asked is None:
            return min(DEFAULT_FUEL, self.maximum_fuel)
        if not 1 <= asked <= self.maximum_fuel:
            raise RegistryError(
                "invalid_argument", f"`fuel` must be from 1 to {self.maximum_fuel}", place="fuel", found=str(asked),
                expected=f"1 to {self.maximum_fuel}",
                hint=f"The server's maximum is {self.maximum_fuel}; split longer work by `continue` and `drive`.",
            )  # fmt: skip
        return asked

    @_answering
    def fuzz(
        self,
        reference: str,
        *,
        examples: int,
        seed: int,
        fuel: int | None = None,
        input_type: str | None = None,
        stop: Callable[[], bool] = lambda: False,
        progress: Callable[[int], None] | None = None,
    ) -> Answer:
        """Try a tool on made-up inputs of its type, or of the type given."""
        from registry.fuzzing import Fuzzing, fuzz, fuzzed_type  # not needed to run a tool

        record = self.record(reference)
        tools = self.tools()
        tool = tools.tool(record.reference)
        assert tool is not None
        given = fuzzed_type(self._types.typing(record, tools), input_type)
        plan = Fuzzing(input_type=given, seed=seed, examples=examples, fuel=self.fuel(fuel))
        with self.admission.of(plan.fuel * RETAINED_BYTES):
            return fuzz(tool, tools, plan, stop=stop, progress=progress)

    # Looking.

    @_answering
    def list(self, query: str = "", *, offset: int = 0, limit: int = PAGE, types: bool = True) -> Answer:
        """The tools whose name or description holds every word of `query`, with their types."""
        total, records = self.store.page(query, offset, limit)
        tools = self.tools()
        listed: list[Json] = []
        for record in records:
            found: dict[str, Json] = {
                "name": record.name,
                "version": record.version,
                "description": record.description,
                "capabilities": [*record.capabilities],
            }
            if types:
                found["type"] = self._types.typing(record, tools).text
            listed.append(found)
        return {"type": "tools", "tools": listed, "total": total, "offset": offset}

    @_answering
    def show(self, reference: str, *, python: bool = False) -> Answer:
        """One tool: its record, its term, its versions; with `python` its code as Python too."""
        record = self.record(reference)
        lineage = self.store.snapshot().lineage(record.name)
        from pif.analysis.cost import cost_of

        typing = self._types.typing(record, self.tools())
        versions = (
            [{"version": v.version, "hash": v.hash, "created": v.created} for v in lineage.versions]
            if lineage
            else []
        )
        written: Answer = {}
        if python:
            from pif.python_syntax import print_python

            written["python"] = print_python(self._decoded(record), record.name)
        return {
            "type": "tool",
            "name": record.name,
            "version": record.version,
            "current": lineage.current if lineage else record.version,
            "hash": record.hash,
            "description": record.description,
            "capabilities": [*record.capabilities],
            **typing.as_json(),
            "cost": cost_of(self._decoded(record), self.tools(), typing).as_json(),
            "created": record.created,
            "code": msgspec.json.decode(record.code),
            **written,
            "versions": versions,
        }

    def record(self, reference: str) -> ToolRecord:
        """The record that `name` or `name@version` names, or `unknown_tool`."""
        wanted = parse_reference(reference)
        snapshot = self.store.snapshot()
        record = snapshot.record(wanted.name, wanted.version)
        if record is not None:
            return record
        missing = missing_tool(reference, self.tools())
        raise RegistryError("unknown_tool", missing.message, found=missing.found, hint=missing.hint)

    def term(self, code: Json) -> Tool | Term:
        """What `code` names or says: a tool, or a term; as `run` reads it."""
        tools = self.tools()
        tool = tools.tool(code) if isinstance(code, str) else None
        return tool or read_code(code, tools.nearest)

    @_answering
    def analyze(self, code: Json, *, aspects: Sequence[str] = ASPECTS) -> Answer:
        """What can be said of a tool or a term without running it."""
        tools = self.tools()
        tool = tools.tool(code) if isinstance(code, str) else None
        if tool is not None:
            return analysis(tool.term, tool.label, tool.name, tools, lambda: typing_of(tool, tools), aspects)
        data = read_text(code, tools.nearest) if isinstance(code, str) else code
        refused = invalid(data)
        if refused is not None:
            return refused
        term = decode_term(data)
        return analysis(term, None, None, tools, lambda: typing_of(term, tools), aspects)

    # Versions.

    @_answering
    def history(self, name: str) -> Answer:
        """Everything that happened to a name, oldest first."""
        events = self.store.history(check_spelling(name))
        if not events:
            self.record(name)
        listed = [
            {
                key: value
                for key, value in msgspec.to_builtins(event).items()
                if value is not None and key != "name"
            }
            for event in events
        ]
        return {"type": "history", "name": name, "events": listed}

    @_answering
    def diff(self, left: str, right: str | None = None) -> Answer:
        """How two tools, or two versions of one, differ. Without `right`: a version and the one before it."""
        newer = self.record(left)
        if right is None:
            older = self.record(f"{newer.name}@{self._previous(newer)}")
            older, newer = older, newer
        else:
            older, newer = newer, self.record(right)
        terms = [self._decoded(record) for record in (older, newer)]
        normal = [normalize(term, lambda nodes: None) for term in terms]
        return {
            "type": "diff",
            "from": older.reference,
            "to": newer.reference,
            "same": older.hash == newer.hash,
            "same_normal_form": same_term(*normal),
            "changes": changes(*terms),
        }

    def _previous(self, record: ToolRecord) -> int:
        lineage = self.store.snapshot().lineage(record.name)
        earlier = [v.version for v in lineage.versions if v.version < record.version] if lineage else []
        if not earlier:
            raise RegistryError(
                "invalid_argument", f"{record.reference} has no earlier version", tool=record.reference,
                hint="Name two tools or versions to compare.",
            )  # fmt: skip
        return earlier[-1]

    def _decoded(self, record: ToolRecord) -> Term:
        return self._terms.tool(record, record.reference).term

    @_answering
    def rollback(self, name: str, version: int, *, expect_version: int | None = None) -> Answer:
        """Make an older version the current one."""
        record = self.store.rollback(name, version, expect_version=expect_version)
        return {"type": "tool", "name": record.name, "version": record.version, "hash": record.hash,
                "description": record.description, "capabilities": [*record.capabilities],
                "outcome": "rolled_back"}  # fmt: skip

    @_answering
    def forget(self, reference: str) -> Answer:
        """Drop a tool, or one version of it, from the registry."""
        wanted = parse_reference(reference)
        forgotten = self.store.forget(wanted.name, wanted.version)
        return {"type": "forgotten", "name": forgotten.name, "versions": [*forgotten.versions],
                "current": forgotten.current}  # fmt: skip

    # Exchange.

    @_answering
    def export(
        self, directory: Path, *, names: Sequence[str] | None = None, overwrite: bool = False
    ) -> Answer:
        """Write tools (all, or those named) with their versions to a directory of JSON files."""
        exported = export_tools(self.store, directory, names=names, overwrite=overwrite)
        return {"type": "exported", **msgspec.to_builtins(exported)}

    @_answering
    def import_(self, directory: Path, *, renumber: bool = False) -> Answer:
        """Take in the tools of such a directory, all of them or none; every code is decoded and hashed anew."""
        imported = import_tools(self.store, directory, verify=verified, renumber=renumber)
        return {"type": "imported", "added": imported.added, **msgspec.to_builtins(imported)}

    @_answering
    def backup(self, path: Path, *, overwrite: bool = False) -> Answer:
        """Write a complete copy of the home to one file, while others go on reading and writing."""
        self.store.backup(path, overwrite=overwrite)
        return {"type": "backup", "path": str(path)}


_BRIEF_FUEL, _COMPILED_FUEL, _BRIEF_TIME = 2_000, 150_000, 0.002
"""What a brief run gets on the reference evaluator, and where compiled code is ready; and for how many seconds."""

_BRIEF_SIZE = 16_384
_BRIEF_PARTS = 400
_LIMITED = frozenset({"cancelled", "out_of_fuel", "value_too_large", "result_too_large"})
"""Errors that a run under smaller limits may give where the real ones would not."""


class _NeedsLonger(Exception):
    """Something has to be looked up that takes longer than a brief run may."""


class _Brief(SnapshotTools):
    """The tools, but for large ones, which take long to decode, and the search through all names for a hint."""

    def tool(self, reference: str) -> Tool | None:
        record = self.find(reference)
        if record is not None and len(record.code) > _BRIEF_SIZE:
            raise _NeedsLonger
        return super().tool(reference)

    def nearest(self, name: str) -> str | None:
        raise _NeedsLonger


def _is_brief(*data: Json) -> bool:
    """Whether some JSON is small: decoding it must not hold the event loop."""
    stack = list(data)
    parts = 0
    while stack:
        item = stack.pop()
        parts += 1
        if parts > _BRIEF_PARTS:
            return False
        if isinstance(item, str):
            if len(item) > _BRIEF_SIZE:
                return False
        elif isinstance(item, dict):
            if len(item) > _BRIEF_PARTS:
                return False
            stack.extend(item.values())
        elif isinstance(item, list):
            if len(item) > _BRIEF_PARTS:
                return False
            stack.extend(item)
    return True


def verified(code: str) -> Verified:
    """What a tool's code from outside is: decoded, closed, printed and hashed by this program."""
    term = closed(decode_text(code))
    return Verified(term_text(term), identity(term), tuple(facts_of(term).capabilities))


def check_spelling(name: str) -> str:
    """`name` if it can be a tool's name."""
    reference = parse_reference(name)
    if reference.version is not None:
        raise RegistryError("invalid_name", "a name without a version is wanted", found=name, expected="NAME")
    return reference.name
