"""The group `theory`: theories that agents declare, prove about and save, one a session.

Handlers are thin: arguments in, `kleis.sessions` in a worker thread, its fields out. A client gets an answer within
45 seconds, also where a solver hangs; a cancelled call is stopped.

To put a tool of another package into this group, write ``provide(site) -> Sequence[ExtraTool]`` and name it in
`EXTRA_TOOLS`.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import msgspec

from kleis.errors import KleisError
from kleis.problems import AnswerWarning
from kleis.prover.process.deadline import Deadline
from kleis.sessions.answer_fields import warned
from kleis.sessions.answer_shapes import (
    FailedAnswer,
    LoadedAnswer,
    ModelsAnswer,
    NotLoadedAnswer,
    Pulled,
    SavedAnswer,
    SchemaAnswer,
    SessionAnswer,
    SessionsAnswer,
    UndoneAnswer,
)
from kleis.sessions.certify import certify
from kleis.sessions.compare_universes import compare, explain
from kleis.sessions.computed_value import error_fields
from kleis.sessions.describe_universe import describe, describe_name
from kleis.sessions.evaluate_expression import evaluate
from kleis.sessions.files.errors import SessionError
from kleis.sessions.files.record import ItemKind
from kleis.sessions.files.shared_theories import savings
from kleis.sessions.files.universe import Universe
from kleis.sessions.find_models import find, models_fields, models_text, wanted_models
from kleis.sessions.numeric_data import MOST_SHOWN, numbers_in, summarised
from kleis.sessions.sessions import Sessions
from kleis.sessions.submission import outcome_fields
from kleis.sessions.suggestions import suggestions
from kleis.sessions.verification import Verification
from kleis.spelling import nearest
from registry.server.contract.group import (
    Announcer,
    Answer,
    CallContext,
    Group,
    LaneName,
    PromptSpec,
    ResourceText,
    TemplateSpec,
    ToolSpec,
)
from registry.server.contract.prompts import THEORY_PROMPTS
from registry.server.contract.settings import Site
from registry.server.groups.theory import requests, resources
from registry.server.groups.theory.job_tools import JOB_TOOLS, begun, checked_job
from registry.server.groups.theory.machine_tool import checked_machine
from registry.server.groups.theory.origins import pulled_from
from registry.server.groups.theory.submission_rows import PREVIEW, cut, item_fields, item_line
from registry.server.groups.theory.text import evaluation_text, submission_text
from registry.server.groups.theory.tool_specs import (
    BRIEF_INSTRUCTIONS,
    INSTRUCTIONS,
    MORE_TOOLS,
    TOOLS,
)
from registry.store.following import Following
from registry.store.shared_state import job_board

__all__ = ["EXTRA_TOOLS", "ExtraTool", "TheoryGroup", "make"]

EXTRA_TOOLS: tuple[str, ...] = ("registry.server.groups.theory.explore_tool:provide",)
"""Tools that other packages put into this group: ``module:function`` of each provider."""

_RECURSION = 100_000
"""Python's own limit counts frames that cost no stack; elaboration raises it while it works, and several threads
that raise and lower it would take it from each other."""

_WITHOUT_PROOFS = frozenset({"describe_schema", "list_session", "save_theory"})

_PAGE = 100

_MOST_VALUES = 32
_LONGEST_VALUES = 50_000_000
"""Long results that are kept for their addresses, and their characters: the oldest go first."""

_KINDS: dict[str, ItemKind] = {
    "submit_structure": "structure",
    "submit_define": "define",
    "submit_data": "data",
    "submit_lemma": "lemma",
}


class ExtraTool(msgspec.Struct, frozen=True):
    """A tool of another package in this group, and its handler."""

    spec: ToolSpec
    call: Callable[[Any, CallContext], Awaitable[Answer]]


def make(site: Site) -> TheoryGroup:
    """The group over the sessions of the site's home."""
    extra: list[ExtraTool] = []
    for address in EXTRA_TOOLS:
        module, _, name = address.partition(":")
        extra += getattr(import_module(module), name)(site)
    group = TheoryGroup(site.sessions, more=site.settings.more, extra=extra, roots=site.settings.roots)
    group.origins = lambda universe: pulled_from(site, universe)
    if site.settings.store:
        group.job_board = job_board(site.store)
        group.follow = site.store.follow
    return group


class TheoryGroup(Group):
    """The tools over one workspace of sessions.  `more`: offer the second list too."""

    name = "theory"
    instructions = INSTRUCTIONS
    brief_instructions = BRIEF_INSTRUCTIONS
    follow: Callable[[Callable[[], None]], Following | None] | None = None
    """How to be told of changes of sessions in a database."""
    origins: Callable[[Universe], list[Pulled]] = staticmethod(lambda universe: [])
    """Where saved theories came from that were pulled from other registries."""

    def __init__(
        self, sessions: Sessions, *, more: bool, extra: Sequence[ExtraTool] = (), roots: Sequence[Any] = ()
    ) -> None:
        self.sessions = sessions
        self._extra = {each.spec.name: each for each in extra}
        self._tools = (*TOOLS, *(each.spec for each in extra), *JOB_TOOLS, *(MORE_TOOLS if more else ()))
        self._granted = roots[0] if roots else None
        self._warm = False
        self._following: Following | None = None
        self._values: dict[str, str] = {}
        self._keeping = threading.Lock()
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))
        sessions.prepare()

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._tools

    def attach(self, announcer: Announcer) -> None:
        self._following = None if self.follow is None else self.follow(announcer.look)

    @property
    def is_told(self) -> bool:
        return self._following is not None and self._following.is_live

    def close(self) -> None:
        if self._following is not None:
            self._following.close()
        self.sessions.close()

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        if isinstance(arguments, requests.CheckJob):
            return await checked_job(arguments, context)
        self._warm_up()
        if not getattr(arguments, "wait", True) and not context.is_job:
            about = getattr(arguments, "expression", "") or getattr(arguments, "structure", "")
            about = about or getattr(arguments, "about", "") or name
            return begun(
                await context.jobs.start(name, about[:PREVIEW], lambda job: self.call(name, arguments, job))
            )
        if name in self._extra:
            return await self._extra[name].call(arguments, context)
        seconds = getattr(arguments, "timeout_ms", requests.LONGEST) / 1_000
        if context.is_job:
            seconds = requests.JOB_WITHIN
        deadline = Deadline(seconds, left=context.cancelled.is_set, progress=context.progress)
        lane: LaneName = "writes" if name in _WITHOUT_PROOFS else "proofs"
        return await context.run_in_worker(lambda: self._answer(name, arguments, deadline), lane=lane)

    def _warm_up(self) -> None:
        """Start the solvers' process beside the first call, whatever it is about."""
        if not self._warm:
            self._warm = True
            threading.Thread(target=self.sessions.warm_up, name="kleis-warm", daemon=True).start()

    def _answer(self, name: str, arguments: Any, deadline: Deadline) -> Answer:
        try:
            return self._dispatch(name, arguments, deadline)
        except KleisError as error:
            fields = error_fields(error)
            if name in _KINDS or name == "try_structure":
                fields["accepted"] = False
            return Answer(fields, evaluation_text(fields), is_error=True)

    def _dispatch(self, name: str, arguments: Any, deadline: Deadline) -> Answer:
        match name:
            case "evaluate":
                return self._evaluate(arguments, deadline)
            case "describe_schema":
                return self._describe(arguments)
            case "submit_structure" | "submit_define" | "submit_data" | "submit_lemma":
                checked, universe = self.sessions.submit(
                    arguments.session, arguments.kleis, _KINDS[name], deadline
                )
                accepted = checked.grown is not None
                fields = outcome_fields(checked, accepted=accepted)
                fields["session"], fields["count"] = arguments.session, universe.count
                _warn_of_changes(fields, universe)
                return Answer(fields, submission_text(fields), is_error=not accepted)
            case "try_structure":
                checked, universe = self.sessions.attempt(arguments.session, arguments.kleis, deadline)
                fields = outcome_fields(checked, accepted=checked.grown is not None)
                fields["kept"] = False
                _warn_of_changes(fields, universe)
                return Answer(fields, submission_text(fields), is_error=not fields["accepted"])
            case "list_session":
                return self._list(arguments)
            case "load_theory":
                return self._load(arguments, deadline)
            case "save_theory":
                path = self.sessions.save(arguments.session, arguments.name, overwrite=arguments.overwrite)
                prefix = arguments.name.rpartition("/")[0]
                name = f"{prefix}/{path.stem}" if prefix else path.stem
                saved: SavedAnswer = {
                    "status": "saved",
                    "path": str(path),
                    "name": name,
                    "session": arguments.session,
                }
                return Answer(saved, f"saved {name}: load_theory can import it\npath: {path}")
            case "undo":
                return self._undo(arguments, deadline)
            case "compare":
                return self._compare(arguments, deadline)
            case "explain":
                universe = self.sessions.universe(arguments.session)
                found = explain(
                    universe,
                    arguments.expression,
                    self.sessions.provers,
                    deadline,
                    using=arguments.using,
                    effort=arguments.effort,
                )
                _warn_of_changes(found, universe)
                return Answer(found, evaluation_text(found), is_error=found["status"] == "error")
            case "certify":
                universe = self.sessions.universe(arguments.session)
                certified = certify(
                    universe, arguments.expression, self.sessions.provers, deadline, using=arguments.using
                )
                _warn_of_changes(certified, universe)
                return Answer(certified, evaluation_text(certified), is_error=certified["status"] == "error")
            case "find_models":
                return self._find_models(arguments, deadline)
            case "check_machine":
                universe = self.sessions.universe(arguments.session)
                answer = checked_machine(self.sessions, universe, arguments, deadline)
                _warn_of_changes(answer.structured, universe)
                return answer
            case _:
                raise LookupError(f"the group theory has no tool {name}")

    # ── tools ────────────────────────────────────────────────────────────────────────────────────────────

    def _evaluate(self, arguments: Any, deadline: Deadline) -> Answer:
        universe = self.sessions.universe(arguments.session)
        fields = evaluate(
            universe,
            arguments.expression,
            self.sessions.provers,
            deadline,
            using=arguments.using,
            effort=arguments.effort,
            explain=arguments.explain,
            granted_root=self._granted,
        )
        _warn_of_changes(fields, universe)
        self._shorten(fields)
        return Answer(fields, evaluation_text(fields), is_error=fields["status"] == "error")

    def _shorten(self, fields: Any) -> None:
        """Leave long data out of an answer: a summary stands for it, and its address."""
        data = fields.get("data")
        if data is None or numbers_in(data) <= MOST_SHOWN:
            return
        fields["data"], whole, identity = summarised(data)
        fields["result"] = (
            f"{fields['result'][:PREVIEW]}… ({numbers_in(data)} numbers: {fields['data']['resource']})"
        )
        with self._keeping:
            self._values.pop(identity, None)
            self._values[identity] = whole
            while len(self._values) > _MOST_VALUES or sum(map(len, self._values.values())) > _LONGEST_VALUES:
                self._values.pop(next(iter(self._values)))

    def _describe(self, arguments: Any) -> Answer:
        universe = self.sessions.universe(arguments.session)
        if arguments.name:
            schema = describe_name(universe, arguments.name, arguments.depth or "full")
            wanted = suggestions(universe, limit=6, name=arguments.name)
        else:
            file = self.sessions.place(arguments.session)
            schema = describe(universe, arguments.depth or "names", session_file=file)
            wanted = suggestions(universe)
        schema["propositions"] = msgspec.to_builtins(wanted)
        described: SchemaAnswer = {"schema": schema}
        return Answer(
            described,
            msgspec.json.encode(described).decode(),
            rest="Call describe_schema with the name of one of them.",
        )

    def _list(self, arguments: Any) -> Answer:
        if arguments.session == "*":
            return self._list_all(arguments.offset)
        universe = self.sessions.universe(arguments.session)
        items = universe.items()
        end = arguments.offset + _PAGE
        rows = [item_fields(n, item) for n, item in enumerate(items, 1)][arguments.offset : end]
        fields: SessionAnswer = {
            "session": arguments.session,
            "imports": list(universe.imported.imports),
            "count": len(items),
            "items": rows,
        }
        if universe.stale:
            fields = warned([_STALE], fields)
        if end < len(items):
            fields["next_offset"] = end
        lines = [
            f"session {arguments.session}: {len(items)} submissions, imports {', '.join(fields['imports'])}"
        ]
        lines += [item_line(row) for row in rows]
        rest = f"Call list_session with offset {end}."
        return Answer(fields, "\n".join([*lines, *([rest] if end < len(items) else [])]), rest=rest)

    def _list_all(self, offset: int) -> Answer:
        rows: list[dict[str, Any]] = []
        for name, record in self.sessions.records():
            if isinstance(record, SessionError):
                rows.append({"session": name, "error": record.message})
            else:
                open_ones = sum(item.status != "consistent" for item in record.items)
                rows.append(
                    {
                        "session": name,
                        "imports": list(record.imports),
                        "count": len(record.items),
                        "unknown": open_ones,
                    }
                )
        end = offset + _PAGE
        fields: SessionsAnswer = {"count": len(rows), "sessions": rows[offset:end]}
        if end < len(rows):
            fields["next_offset"] = end
        return Answer(
            fields, msgspec.json.encode(fields).decode(), rest=f"Call list_session with offset {end}."
        )

    def _load(self, arguments: Any, deadline: Deadline) -> Answer:
        found, universe = self.sessions.load(arguments.session, arguments.imports, deadline)
        if universe is None:
            clash = _load_error(found)
            return Answer(clash, submission_text(clash), is_error=True)
        fields: LoadedAnswer = {
            "status": found.status,
            "session": arguments.session,
            "imports": list(universe.imported.imports),
            "count": 0,
            "declarations": len(universe.theory),
            "functions": len(universe.theory.definitions),
        }
        if saved := savings(self.sessions.imported_theories.shared, fields["imports"]):
            fields["saved"] = saved
        if pulled := self.origins(universe):
            fields["pulled"] = pulled
        fields = warned(found.warnings, fields)
        text = (
            f"a new universe: session {arguments.session} imports {', '.join(fields['imports']) or 'nothing'}"
        )
        lines = [text, *(f"warning: {each}" for each in found.warnings)]
        lines += [f"{each['name']} was saved by {each['by']} at {each['at']}" for each in saved]
        lines += [
            f"{each['name']} is {each['origin']}, signed by {each['key']}, pulled {each['at']}"
            for each in pulled
        ]
        return Answer(fields, "\n".join([*lines, f"{fields['declarations']} declarations"]))

    def _undo(self, arguments: Any, deadline: Deadline) -> Answer:
        item, universe = self.sessions.undo(arguments.session, deadline)
        fields: UndoneAnswer = {
            "status": "undone",
            "session": arguments.session,
            "count": universe.count,
            "undone": item_fields(universe.count + 1, item),
        }
        return Answer(fields, f"undone: {item.text}\nsubmissions left: {universe.count}")

    def _compare(self, arguments: Any, deadline: Deadline) -> Answer:
        self._check_known(arguments.sessions)
        universes = [self.sessions.universe(name) for name in dict.fromkeys(arguments.sessions)]
        fields = compare(universes, arguments.propositions, self.sessions.provers, deadline)
        changed = [each.session for each in universes if each.stale]
        warnings = (
            [AnswerWarning(_STALE.code, f"{', '.join(changed)}: {_STALE.message}", _STALE.hint)]
            if changed
            else []
        )
        fields = warned(warnings, fields)
        lines = [f"warning: {each}" for each in warnings]
        for row in fields["propositions"]:
            lines.append(row["proposition"])
            for session, found in row["in"].items():
                details = {name: value for name, value in found.items() if name != "status"}
                more = msgspec.json.encode(details).decode() if details else ""
                lines.append(f"  {session}: {found['status']}  {cut(more)}".rstrip())
        return Answer(fields, "\n".join(lines))

    def _find_models(self, arguments: requests.FindModels, deadline: Deadline) -> Answer:
        try:
            wanted = wanted_models(
                arguments.about,
                where=arguments.where,
                size=arguments.size,
                skip=arguments.skip,
                every=arguments.all,
                limit=arguments.limit,
                enumerated=arguments.enumerate,
                minimise=arguments.minimise,
                maximise=arguments.maximise,
            )
        except ValueError as error:
            return Answer.error("invalid_argument", str(error), path="/maximise")
        universe = self.sessions.universe(arguments.session)
        models = find(wanted, universe.theory, self.sessions.provers, deadline, effort=arguments.effort)
        fields: ModelsAnswer | FailedAnswer = models_fields(models)
        if models.status == "error":
            problem = models.problem or {}
            fields = {"status": "error", "error": models.message, "problem": problem}
        _warn_of_changes(fields, universe)
        rest = "Call find_models with a smaller limit, and skip."
        return Answer(fields, models_text(models), is_error=models.status == "error", rest=rest)

    def _check_known(self, names: Sequence[str]) -> None:
        """Raise SessionError for a session that nothing was submitted to: it says nothing, whatever its name promised."""
        known = {"default", *self.sessions.names()}
        for name in names:
            if name not in known:
                close = nearest(name, known)
                hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(sorted(known))}"
                raise SessionError(f"there is no session {name!r}", code="session-unknown", hint=hint)

    # ── questions ────────────────────────────────────────────────────────────────────────────────────────

    def question(self, name: str, arguments: Any) -> str | None:
        match arguments:
            case requests.SaveTheory(name=stem, overwrite=True):
                kept = self.sessions.saved(stem)
                return f"Replace the saved theory {stem}?" if kept else None
            case requests.LoadTheory(session=session) | requests.Undo(session=session):
                return self._question_of_dropping(name, session)
            case _:
                return None

    def _question_of_dropping(self, name: str, session: str) -> str | None:
        """The question before submissions are dropped; a session that cannot be read has some too, perhaps."""
        try:
            items = self.sessions.universe(session).items()
        except KleisError:
            return f"The theory session {session} cannot be read. Drop what is in it all the same?"
        if not items:
            return None
        if name == "undo":
            return f"Drop submission {len(items)} of the theory session {session}: {cut(items[-1].text)}"
        return f"Begin the theory session {session} anew? Its submissions ({len(items)}) are dropped."

    # ── resources ────────────────────────────────────────────────────────────────────────────────────────

    def resource_templates(self) -> Sequence[TemplateSpec]:
        return resources.TEMPLATES

    async def read(self, uri: str) -> ResourceText | None:
        whole = self._values.get(uri.removeprefix("kleis://values/"))
        if whole is not None:
            return ResourceText(whole)
        return await asyncio.to_thread(resources.read, self.sessions, uri)  # a database may be asked

    def state(self, uri: str) -> object:
        return resources.state(self.sessions, uri)

    def prompts(self) -> Sequence[PromptSpec]:
        return THEORY_PROMPTS

    def complete(self, reference: str, argument: str, prefix: str, given: Mapping[str, str]) -> Sequence[str]:
        return resources.complete(self.sessions, reference, argument, prefix, given)


_STALE = AnswerWarning(
    "imports-changed",
    "what is imported has changed since the submissions were checked",
    "load_theory and submit them again",
)


def _warn_of_changes(fields: Any, universe: Universe) -> None:
    """Say that what the session imports is no longer what its items were checked against."""
    if universe.stale:
        others = {name: value for name, value in fields.items() if name != "warnings"}
        warnings = [*fields.get("warnings", ()), _STALE.as_dict()]
        fields.clear()
        fields.update({"warnings": warnings, **others})


def _load_error(found: Verification) -> NotLoadedAnswer:
    """The answer of `load_theory` where the imports clash or do not elaborate: the session stays as it was."""
    fields: NotLoadedAnswer = {
        "status": found.status,
        "accepted": False,
        "stage": "verify",
        "structures_added": [],
        "functions_added": [],
        "data_types_added": [],
        "axioms_verified": [],
        "hint": "the session is as it was",
    }
    if found.core:
        fields["clash"] = list(found.core)
        fields["error"] = f"these axioms have no model together: {', '.join(found.core)}"
    elif found.problems:
        fields["error"] = str(found.problems[0])
    else:
        fields["error"] = "the call was cancelled"
    return fields
