"""The real service, through `aristotlelib` 3.

The library is proprietary: its licence allows installing and using it only with a key of one's own.  It is an extra
(``pip install 'pif-kleis[lean]'``), imported when a key is set and never otherwise, and no test runs it: this adapter is
tested against a module of ours with the library's interface.

Invariants
----------
- Every call ends within `TIMEOUT` seconds, whatever the library's own retries.
- Questions of the service are switched off: no user is there to answer them.
- No text of the library or the server leaves this module; its exceptions become `ServiceFailure`s without a cause.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from registry.aristotle.service import (
    RUN_STATUSES,
    Finding,
    Mode,
    Overview,
    Run,
    RunStatus,
    ServiceFailure,
    Submission,
)

__all__ = ["RealService", "load_library"]

TIMEOUT = 40.0
"""Seconds for one call; the library retries for up to 90."""

LARGEST = 20_000_000
"""Bytes of a file that is taken back."""

_PAGES = 20
_LAKEFILE = 'name = "snippet"\ndefaultTargets = ["Main"]\n\n[[lean_lib]]\nname = "Main"\n'
_FINDINGS = {2: "refuted", 3: "proved", 4: "removed", 6: "failed"}

T = TypeVar("T")
logger = logging.getLogger(__name__)


def load_library() -> ModuleType:
    """The library.  Raises `ServiceFailure` where it is not installed."""
    try:
        return import_module("aristotlelib")
    except ImportError as error:
        raise ServiceFailure("library_missing") from error


class RealService:
    """The real service.  The key is given to the library and not kept."""

    mode: Mode = "real"
    interval = 5.0
    retry_after_s = 30

    def __init__(self, library: ModuleType, key: str) -> None:
        self._library: Any = library
        try:
            self._library.set_api_key(key)
        except ValueError:
            raise ServiceFailure("authentication") from None

    def submit(self, submission: Submission) -> str:
        """Begin a run: the files in a folder of their own, as a new project named by the key."""
        with tempfile.TemporaryDirectory(prefix="aristotle-") as folder:
            _lay_out(Path(folder), submission.files)
            library = self._library

            async def work() -> str:
                project = await library.Project.create_from_directory(
                    prompt=submission.prompt,
                    project_dir=folder,
                    agent_questions_setting=library.AgentQuestionsSetting.DISABLED,
                    name=submission.key,
                )
                return str(project.project_id)

            return self._run(work, late="outcome_unknown")

    def find(self, key: str) -> str | None:
        """The project that has the key as its name."""

        async def work() -> str | None:
            try:
                found = await self._library.Project.resolve_id(key)
            except self._library.AristotleNotFoundError:
                return None
            return str(getattr(found, "project_id", found))

        return self._run(work)

    def look(self, project: str) -> Run:
        """The newest task of a project."""

        async def work() -> Run:
            task = await self._newest(project)
            if task is None:
                return Run("queued", percent=0)
            name = str(getattr(task.status, "name", task.status))
            status: RunStatus = next((each for each in RUN_STATUSES if each == name.casefold()), "unknown")
            percent = task.percent_complete if isinstance(task.percent_complete, int) else None
            raw = name if status == "unknown" else ""
            return Run(status, raw=raw, summary=str(task.output_summary or ""), percent=percent)

        return self._run(work)

    def fetch(self, project: str, path: str) -> str | None:
        """A file of the project."""
        with tempfile.TemporaryDirectory(prefix="aristotle-") as folder:

            async def work() -> str | None:
                found = await self._library.Project.from_id(project)
                async for _ in found.save_files([path], folder):
                    continue
                return _taken(Path(folder), path)

            return self._run(work)

    def findings(self, project: str) -> tuple[Finding, ...]:
        """The properties that the service registered; most Lean projects have none."""

        async def work() -> tuple[Finding, ...]:
            declarations = import_module("aristotlelib.declaration").Declaration
            found = await declarations.list_all_for_project(project)
            return tuple(_finding(each) for each in found)

        return self._run(work)

    def cancel(self, project: str) -> bool:
        """Cancel the newest task."""

        async def work() -> bool:
            task = await self._newest(project)
            if task is None:
                return False
            try:
                await task.cancel()
            except self._library.AristotleNotFoundError:
                return False  # it has ended
            return True

        return self._run(work)

    def overview(self) -> Overview:
        """The projects begun today, in UTC.  The library has no call for the service's toolchain."""

        async def work() -> Overview:
            today = datetime.now(UTC).date()
            count, page = 0, None
            for _ in range(_PAGES):
                found, page = await self._library.Project.list_projects(pagination_key=page, limit=100)
                days = [each.created_at.date() for each in found]
                count += sum(1 for day in days if day == today)
                if page is None or not days or min(days) < today:
                    break
            return Overview("", count)

        return self._run(work)

    async def _newest(self, project: str) -> Any:
        found = await self._library.Project.from_id(project)
        tasks = await found.get_tasks(limit=1, newest_first=True)
        if isinstance(tasks, tuple):
            tasks = tasks[0]
        return next(iter(tasks), None)

    def _run(self, work: Callable[[], Awaitable[T]], *, late: str = "timeout") -> T:
        """Run one piece of work to its end or its time limit; what goes wrong becomes a failure."""
        library = self._library

        async def bounded() -> T:
            async with asyncio.timeout(TIMEOUT):
                return await work()

        try:
            return asyncio.run(bounded())
        except TimeoutError:
            raise ServiceFailure("outcome_unknown" if late == "outcome_unknown" else "timeout") from None
        except library.AristotleProjectLimitError:
            raise ServiceFailure("run_limit") from None
        except library.AristotleOutcomeUnknownError:
            raise ServiceFailure("outcome_unknown") from None
        except library.AristotleNotProcessedError:
            raise ServiceFailure("connection") from None
        except library.AristotleNotFoundError:
            raise ServiceFailure("not_found") from None
        except library.AristotleAPIError as error:
            raise _failure(getattr(error, "status_code", None)) from None
        except (OSError, import_module("httpx").HTTPError):
            raise ServiceFailure("outcome_unknown" if late == "outcome_unknown" else "connection") from None
        except (AttributeError, KeyError, TypeError, ValueError):
            # The library is not as it is described; its texts may hold anything, so only the place is logged.
            logger.error("aristotlelib answered in a way that this adapter does not know")
            raise ServiceFailure("unreadable") from None


def _failure(status: Any) -> ServiceFailure:
    match status:
        case 401 | 403:
            return ServiceFailure("authentication")
        case 404:
            return ServiceFailure("not_found")
        case 429:
            return ServiceFailure("rate_limited")
        case int() if 400 <= status < 500:
            return ServiceFailure("refused")
        case _:
            return ServiceFailure("service_error")


def _lay_out(folder: Path, files: dict[str, str]) -> None:
    """Write the files; a folder without a lakefile gets a small one."""
    whole = files if any(name in files for name in ("lakefile.toml", "lakefile.lean")) else {
        "lakefile.toml": _LAKEFILE, **files,
    }  # fmt: skip
    for name, text in whole.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _taken(folder: Path, path: str) -> str | None:
    """A file that was saved in a folder, wherever below it that is; None where there is none or it is no text."""
    candidates = [folder / path, *folder.rglob(Path(path).name)]
    found = next((each for each in candidates if each.is_file() and not each.is_symlink()), None)
    if found is None:
        return None
    if found.stat().st_size > LARGEST:
        raise ServiceFailure("unreadable")
    try:
        return found.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ServiceFailure("unreadable") from None


def _finding(declaration: Any) -> Finding:
    number = int(getattr(declaration.status, "value", declaration.status))
    status: Any = _FINDINGS.get(number, "in_progress")
    evidence = getattr(declaration.evidence, "name", None) or ""
    return Finding(str(declaration.name), status, evidence, str(declaration.evidence_message or ""))
