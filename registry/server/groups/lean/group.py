"""The group `lean`: proofs by Aristotle, files and formalisations, Kleis propositions first (ADR 019).

Invariants
----------
- No call takes longer than 50 s: what is not done by then is a job, and the answer says when to ask again.
- Files are read and written below the allowed roots only.  The key is in no answer.
- The service is made when it is first needed; a server without a key still answers, and says what is missing.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, assert_never

import msgspec

from kleis.errors import KleisError
from registry.aristotle.allowed_folders import Folders, PathNotAllowed
from registry.aristotle.choose_service import KEY, STAND_IN, check_origin, choose_service, is_mock
from registry.aristotle.escalation import ARGUMENTS
from registry.aristotle.job_requests import (
    JobRequest,
    JobRequestError,
    context_names,
    file_job,
    formalize_job,
    prove_job,
)
from registry.aristotle.job_rows import job_storage
from registry.aristotle.job_runner import JobRunner
from registry.aristotle.job_store import Job, JobKind, Ordered
from registry.aristotle.service import FAILURES, AristotleService, ServiceFailure
from registry.errors import RegistryError
from registry.server.contract.group import Answer, CallContext, Group, ResourceSpec, ResourceText, ToolSpec
from registry.server.contract.settings import Site
from registry.server.groups.lean import requests
from registry.server.groups.lean.answers import answered, error_answer, job_answer, row_of, scrubbed
from registry.server.groups.lean.kleis_route import KleisRoute, no_key
from registry.server.groups.lean.tool_specs import (
    BRIEF,
    INSTRUCTIONS,
    MORE_TOOLS,
    TOOLS,
)

if TYPE_CHECKING:
    from kleis.lean.acceptance.check_by_lean import LeanCheck

__all__ = ["LeanGroup", "make"]

WITHIN = 45.0
"""Seconds in which a call answers with what it has."""

ENDS = 48.0
"""Seconds after which it answers even while the service is being asked: with the job as it is written down."""

STATUS = "aristotle://status"


def _check(ours: str, returned: str, names: Sequence[str], may_have_gaps: bool) -> LeanCheck:
    """What a Lean on the PATH says of a returned text."""
    from kleis.lean.acceptance.check_by_lean import check_by_lean

    return check_by_lean(ours, returned, names, may_have_gaps)


def make(site: Site) -> Group:
    """The group over the site's home and roots, with the service that the environment asks for.

    Raises ValueError for an address of the stand-in that is none.
    """
    if origin := os.environ.get(STAND_IN, ""):
        check_origin(origin)
    return LeanGroup(site, os.environ)


class Held(msgspec.Struct):
    """The job that a call is about, as soon as it is known; `is_new` where the call began it."""

    job: Job | None = None
    is_new: bool = False


class Begun(msgspec.Struct, frozen=True):
    """A job that was submitted: whether to wait for it, and further fields of its answer."""

    job: Job
    wait: bool
    note: str
    more: dict[str, Any]


class LeanGroup(Group):
    """The tools over the jobs of one home."""

    name = "lean"
    instructions = INSTRUCTIONS
    brief_instructions = BRIEF

    def __init__(self, site: Site, environment: Mapping[str, str]) -> None:
        self._site = site
        self._environment = dict(environment)
        self._key = environment.get(KEY, "").strip()
        self._folders = Folders(site.settings.roots)
        self._store = job_storage(site.settings.home, site.store if site.settings.store else None)
        self._service: AristotleService | None = None
        self._kleis = KleisRoute(site)
        self._tools = TOOLS + MORE_TOOLS if site.settings.more else TOOLS

    def tools(self) -> tuple[ToolSpec, ...]:
        return self._tools

    def close(self) -> None:
        self._kleis.close()

    async def call(self, name: str, arguments: Any, context: CallContext) -> Answer:
        held = Held()
        try:
            async with asyncio.timeout(ENDS):
                said = await self._conversed(arguments, context, held)
        except TimeoutError:
            said = await asyncio.to_thread(self._late, held)
        return scrubbed(said, self._key)

    async def _conversed(self, arguments: requests.Request, context: CallContext, held: Held) -> Answer:
        started = time.monotonic()

        def work() -> Answer | Begun:
            return self._guarded(lambda: self._answer(arguments, context, held))

        said = await context.run_in_worker(work, lane="proofs")
        if isinstance(said, Begun):
            begun, job = said, said.job
            if begun.wait:
                job = await self._waited(job, started, context)
            said = await context.run_in_worker(
                lambda: self._guarded(lambda: self._finished(job, begun)), lane="proofs"
            )
        assert isinstance(said, Answer)
        return said

    def _late(self, held: Held) -> Answer:
        """The answer of a call whose time is up while the service is still being asked: the job as it is written."""
        job = held.job
        if job is not None:
            with suppress(RegistryError):  # then it is told as it was when it was last seen
                job = self._store.get(job.id) or job
        if job is None:
            return error_answer("timeout", FAILURES["timeout"], hint="Nothing was begun. Try again later.")
        retry = self._service.retry_after_s if self._service is not None else 1
        return job_answer(job, retry, time.time(), asked="submitted" if held.is_new else "")

    async def _waited(self, job: Job, started: float, context: CallContext) -> Job:
        """The job when it is done, or when the call has to answer.  No thread is held meanwhile."""
        runner = self._runner()

        async def look(job: Job) -> Job:
            found = await context.run_in_worker(lambda: runner.advance(job), lane="proofs")
            context.progress(time.monotonic() - started, WITHIN, found.last)
            return found

        return await runner.wait(job, WITHIN - (time.monotonic() - started), look)

    def _guarded(self, work: Callable[[], Answer | Begun]) -> Answer | Begun:
        try:
            return work()
        except PathNotAllowed as error:
            return error_answer(error.code, error.message, hint=error.hint)
        except JobRequestError as error:
            return error_answer(error.code, error.message, argument=error.argument, hint=error.hint)
        except ServiceFailure as error:
            return no_key() if error.code == "no_key" else error_answer(error.code, error.message)
        except KleisError as error:
            fields = error.as_dict()
            argument = ARGUMENTS.get(error.file, "session")
            return error_answer(error.code, error.message, argument=argument, hint=error.hint, problem=fields)
        except RegistryError as error:
            return error_answer(error.kind, error.message, hint=error.hint or "")

    def _answer(self, arguments: requests.Request, context: CallContext, held: Held) -> Answer | Begun:
        match arguments:
            case requests.Prove(language="kleis"):
                return self._prove_kleis(arguments, context, held)
            case requests.Prove():
                return self._prove(arguments, held)
            case requests.ProveFile():
                return self._prove_file(arguments, held)
            case requests.Formalize():
                return self._formalize(arguments, held)
            case requests.CheckProof():
                return self._check("prove", arguments.project_id, held)
            case requests.CheckFormalize():
                return self._check("formalize", arguments.project_id, held)
            case requests.CheckProveFile():
                return self._check_file(arguments, held)
            case requests.Cancel():
                return self._cancel(arguments, held)
            case requests.AristotleStatus():
                return answered(self._status())
            case requests.ListJobs():
                jobs = self._store.all()
                end = arguments.offset + arguments.limit
                rows = [row_of(job) for job in jobs[arguments.offset : end]]
                return answered(
                    {
                        "status": "listed",
                        "message": f"{len(jobs)} jobs",
                        "jobs": rows,
                        "total": len(jobs),
                        "offset": arguments.offset,
                    }
                )
            case _:
                assert_never(arguments)

    # The service.

    def service(self) -> AristotleService:
        """The service.  Raises `ServiceFailure` where there is none."""
        if self._service is None:
            self._service = choose_service(self._environment, self._site.settings.home)
        return self._service

    def _order(self) -> JobRequest:
        return JobRequest(self.service().mode, self._key, time.time())

    def _runner(self) -> JobRunner:
        return JobRunner(self._store, self.service(), check=_check)

    def _begun(
        self,
        held: Held,
        ordered: Ordered,
        *,
        wait: bool,
        note: str = "",
        more: Mapping[str, Any] | None = None,
    ) -> Begun:
        """Hand a job in."""
        held.job, held.is_new = ordered.job, True
        return Begun(self._runner().open(ordered), wait, note, dict(more or {}))

    def _finished(self, job: Job, begun: Begun) -> Answer:
        """The answer of the call that began a job."""
        if job.kind == "file" and job.outcome is not None:
            job = self._saved(job, None)
        return self._said(job, asked="submitted", note=begun.note, **begun.more)

    def _said(self, job: Job, *, asked: str = "", note: str = "", **more: Any) -> Answer:
        retry = 0 if job.stage == "done" else self.service().retry_after_s
        return job_answer(job, retry, time.time(), asked=asked, note=note, **more)

    # Jobs begin.

    def _prove(self, arguments: requests.Prove, held: Held) -> Begun:
        order = self._order()
        files, warnings = self._context(arguments.context_files or ())
        ordered = prove_job(order, arguments.code, files, arguments.hint or "")
        return self._begun(held, ordered.noting(warnings=warnings), wait=arguments.wait)

    def _prove_kleis(self, arguments: requests.Prove, context: CallContext, held: Held) -> Answer | Begun:
        try:
            service = self.service()
        except ServiceFailure:
            service = None
        found = self._kleis.decide(arguments, context)
        if found.answer is not None or service is None:
            return found.answer or found.unknown("no key is set: Aristotle was not asked")
        ordered = found.job(self._order(), arguments.hint or "")
        more = found.fields(f"job {ordered.job.id}")
        return self._begun(held, ordered, wait=arguments.wait, more=more)

    def _prove_file(self, arguments: requests.ProveFile, held: Held) -> Begun:
        order = self._order()
        file = self._folders.project(arguments.file_path)
        wanted = arguments.output_path or str(file.path.with_name(file.path.stem + ".solved.lean"))
        output = self._folders.output(wanted)
        notes = (f"{file.left_out} files of the project are too many or too large and stay here",)
        ordered = file_job(order, file).noting(
            file_path=str(file.path), output_path=str(output), warnings=notes if file.left_out else ()
        )
        return self._begun(held, ordered, wait=arguments.wait)

    def _formalize(self, arguments: requests.Formalize, held: Held) -> Begun:
        order = self._order()
        given = (arguments.context_file,) if arguments.context_file else ()
        files, warnings = self._context(given)
        ordered = formalize_job(order, arguments.description, files, prove=arguments.prove)
        note = f"the context file {', '.join(files)} went along" if files else ""
        return self._begun(held, ordered.noting(warnings=warnings), wait=arguments.wait, note=note)

    def _context(self, paths: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
        """Context files by name.  The mock takes one that is missing, as the original's did, and says so."""
        files: dict[str, str] = {}
        warnings: list[str] = []
        for path, name in zip(paths, context_names(paths), strict=True):
            try:
                files[name] = self._folders.read(path)[1]
            except PathNotAllowed as error:
                if error.code != "not_found" or not is_mock(self._environment):
                    raise
                files[name] = ""
                warnings.append(f"the context file {name} was not found; the real service would not be asked")
        return files, tuple(warnings)

    # Jobs go on.

    def _job(self, kind: JobKind | None, project_id: str, held: Held) -> Job | Answer:
        job = self._store.get(project_id)
        if job is None or (kind is not None and job.kind != kind):
            hint = "use the project_id of an answer, with the check tool of the same kind"
            return error_answer(
                "unknown_job", f"unknown project {project_id[:80]!r}", argument="project_id", hint=hint
            )
        if job.stage != "done" and (mode := self.service().mode) != job.mode:
            message = f"this job belongs to the {job.mode} service, and the {mode} one is in use"
            return error_answer("other_service", message, argument="project_id", project_id=job.id)
        held.job = job
        return job

    def _check(self, kind: JobKind, project_id: str, held: Held) -> Answer:
        job = self._job(kind, project_id, held)
        return job if isinstance(job, Answer) else self._said(self._looked(job))

    def _looked(self, job: Job) -> Job:
        """The job, advanced once; a finished one needs no service."""
        return job if job.stage == "done" else self._runner().advance(job)

    def _check_file(self, arguments: requests.CheckProveFile, held: Held) -> Answer:
        job = self._job("file", arguments.project_id, held)
        if isinstance(job, Answer):
            return job
        job = self._looked(job)
        if job.outcome is None or not job.outcome.code:
            return self._said(job)
        if arguments.save:
            return self._said(self._saved(job, arguments.output_path))
        return self._said(job, note="not saved: call check_prove_file with save=True to write it")

    def _saved(self, job: Job, wanted: str | None) -> Job:
        """The job with its text on disk, where that is a result; a second save to the same place writes nothing."""
        assert job.outcome is not None
        if job.outcome.status not in ("proved", "partial"):
            return job
        target = self._folders.real(wanted or job.output_path)
        if (
            job.saved_path
            and (not wanted or str(target) == job.saved_path)
            and os.path.exists(job.saved_path)
        ):
            return job
        saved = self._folders.write_new(target, job.outcome.code)
        return self._store.put(msgspec.structs.replace(job, saved_path=str(saved)))

    def _cancel(self, arguments: requests.Cancel, held: Held) -> Answer:
        job = self._job(None, arguments.project_id, held)
        if isinstance(job, Answer):
            return job
        if job.stage == "done":
            return self._said(job, cancelled=False)
        job = self._runner().cancel(job)
        return self._said(job, cancelled=job.cancelled)

    def question(self, name: str, arguments: Any) -> str | None:
        if not isinstance(arguments, requests.Cancel):
            return None
        job = self._store.get(arguments.project_id)
        if job is None or job.stage == "done":
            return None
        return f"Cancel the job {job.id}? What the service has done for it is lost."

    # The resource.

    def resources(self) -> Sequence[ResourceSpec]:
        return (ResourceSpec(uri=STATUS, name="aristotle status", title="Whether Aristotle can be asked"),)

    async def read(self, uri: str) -> ResourceText | None:
        if uri != STATUS:
            return None
        status = await asyncio.get_running_loop().run_in_executor(None, self._status)
        return ResourceText(msgspec.json.encode(status).decode())

    def _status(self) -> dict[str, Any]:
        """The original's four fields and the design's three."""
        mock = is_mock(self._environment)
        fields: dict[str, Any] = {"mock_mode": mock, "api_key_configured": bool(self._key)}
        try:
            service = self.service()
            overview = service.overview()
        except ServiceFailure as failure:
            healthy = failure.code in ("no_key", "library_missing", "authentication")
            fields |= {"authenticated": False if healthy else None, "api_healthy": None if healthy else False}
            fields |= {"ready": False, "problem": failure.code, "message": failure.message}
            return {name: value for name, value in fields.items() if value is not None}
        fields |= {"ready": True, "authenticated": True, "api_healthy": True, "mode": service.mode}
        fields["projects_today"] = overview.projects_today
        if overview.toolchain:
            fields["toolchain"] = overview.toolchain
        marked = "" if service.mode == "real" else f" ({service.mode}: nothing is proved)"
        return {**fields, "message": f"ready{marked}"}
