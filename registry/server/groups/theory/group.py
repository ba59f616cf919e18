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
from kleis.prover.process.deadline import Deadline
from kleis.sessions.answer_shapes import (
    FailedAnswer,
    ModelsAnswer,
    Pulled,
)
from kleis.sessions.certify import certify
from kleis.sessions.compare_universes import explain
from kleis.sessions.computed_value import error_fields
from kleis.sessions.evaluate_expression import evaluate
from kleis.sessions.files.record import ItemKind
from kleis.sessions.files.universe import Universe
from kleis.sessions.find_models import find, models_fields, models_text, wanted_models
from kleis.sessions.numeric_data import MOST_SHOWN, numbers_in, summarised
from kleis.sessions.sessions import Sessions
from kleis.sessions.submission import outcome_fields
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
from registry.server.groups.theory.origins import fetch_missing, pulled_from
from registry.server.groups.theory.session_tools import (
    compared,
    described,
    listed,
    loaded,
    saved,
    undone,
    warn_of_changes,
)
from registry.server.groups.theory.submission_rows import PREVIEW, cut
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
    group.fetch_missing = lambda imports: fetch_missing(site, imports)
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
    fetch_missing: Callable[[Sequence[str]], None] = staticmethod(lambda imports: None)
    """Has theories that are not here pulled from the server behind this one, if there is any."""

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
                return described(self.sessions, arguments)
            case "submit_structure" | "submit_define" | "submit_data" | "submit_lemma":
                checked, universe = self.sessions.submit(
                    arguments.session, arguments.kleis, _KINDS[name], deadline
                )
                accepted = checked.grown is not None
                fields = outcome_fields(checked, accepted=accepted)
                fields["session"], fields["count"] = arguments.session, universe.count
                warn_of_changes(fields, universe)
                return Answer(fields, submission_text(fields), is_error=not accepted)
            case "try_structure":
                checked, universe = self.sessions.attempt(arguments.session, arguments.kleis, deadline)
                fields = outcome_fields(checked, accepted=checked.grown is not None)
                fields["kept"] = False
                warn_of_changes(fields, universe)
                return Answer(fields, submission_text(fields), is_error=not fields["accepted"])
            case "list_session":
                return listed(self.sessions, arguments)
            case "load_theory":
                self.fetch_missing(arguments.imports)
                return loaded(self.sessions, arguments, deadline, self.origins)
            case "save_theory":
                return saved(self.sessions, arguments)
            case "undo":
                return undone(self.sessions, arguments, deadline)
            case "compare":
                return compared(self.sessions, arguments, deadline)
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
                warn_of_changes(found, universe)
                return Answer(found, evaluation_text(found), is_error=found["status"] == "error")
            case "certify":
                universe = self.sessions.universe(arguments.session)
                certified = certify(
                    universe, arguments.expression, self.sessions.provers, deadline, using=arguments.using
                )
                warn_of_changes(certified, universe)
                return Answer(certified, evaluation_text(certified), is_error=certified["status"] == "error")
            case "find_models":
                return self._find_models(arguments, deadline)
            case "check_machine":
                universe = self.sessions.universe(arguments.session)
                answer = checked_machine(self.sessions, universe, arguments, deadline)
                warn_of_changes(answer.structured, universe)
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
        warn_of_changes(fields, universe)
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
        warn_of_changes(fields, universe)
        rest = "Call find_models with a smaller limit, and skip."
        return Answer(fields, models_text(models), is_error=models.status == "error", rest=rest)

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
