"""A module with the interface of aristotlelib 3.0.0 as its documentation describes it, over a stand-in.

The real one may be used with a key of one's own only; no test touches it.
"""

from __future__ import annotations

import enum
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from registry.aristotle.service import ServiceFailure, Submission
from registry.aristotle.stand_in import StandIn


class TaskStatus(enum.Enum):
    QUEUED = "QUEUED"
    IN_PROGRESS = "IN_PROGRESS"
    COMPLETE = "COMPLETE"
    COMPLETE_WITH_ERRORS = "COMPLETE_WITH_ERRORS"
    OUT_OF_BUDGET = "OUT_OF_BUDGET"
    FAILED = "FAILED"
    CANCELED = "CANCELED"
    UNKNOWN = "UNKNOWN"


class AgentQuestionsSetting(enum.Enum):
    ENABLED = 1
    DISABLED = 2


class AristotleAPIError(Exception):
    def __init__(self, message: str = "secret detail of the server", status_code: int | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code


class AristotleNotFoundError(AristotleAPIError):
    pass


class AristotleProjectLimitError(AristotleAPIError):
    pass


class AristotleOutcomeUnknownError(AristotleAPIError):
    pass


class AristotleNotProcessedError(AristotleAPIError):
    pass


def described_library(
    stand_in: StandIn, raising: list[Exception]
) -> tuple[ModuleType, ModuleType, dict[str, Any]]:
    """The module, its submodule `declaration`, and what it was told."""
    told: dict[str, Any] = {"folders": []}

    def meet() -> None:
        if raising:
            raise raising.pop(0)

    class Task:
        output_summary: str | None = None
        percent_complete: int | None = None

        def __init__(self, project: str, status: TaskStatus) -> None:
            self._project = project
            self.status = status

        async def cancel(self) -> None:
            if not stand_in.cancel(self._project):
                raise AristotleNotFoundError(status_code=404)

    class Project:
        def __init__(self, project_id: str) -> None:
            self.project_id = project_id
            self.created_at = datetime.now(UTC).replace(tzinfo=None)

        @classmethod
        async def create_from_directory(
            cls, prompt: str, project_dir: str, agent_questions_setting: AgentQuestionsSetting, name: str
        ) -> Project:
            meet()
            assert agent_questions_setting is AgentQuestionsSetting.DISABLED
            found = {
                path.relative_to(project_dir).as_posix(): path.read_text()
                for path in sorted(Path(project_dir).rglob("*"))
                if path.is_file()
            }
            told["folders"].append(found)
            (target, *_) = re.findall(r"[\w/]+\.lean", prompt)
            return cls(stand_in.submit(Submission(name, prompt, found, target)))

        @classmethod
        async def resolve_id(cls, name: str) -> str:
            meet()
            found = stand_in.find(name)
            if found is None:
                raise AristotleNotFoundError(status_code=404)
            return found

        @classmethod
        async def from_id(cls, project_id: str) -> Project:
            meet()
            return cls(project_id)

        @classmethod
        async def list_projects(cls, pagination_key: str | None = None, limit: int = 50) -> Any:
            meet()
            assert 1 <= limit <= 100
            return [cls("a"), cls("b")], None

        async def get_tasks(self, limit: int, newest_first: bool) -> list[Task]:
            try:
                run = stand_in.look(self.project_id)
            except ServiceFailure as error:
                raise AristotleNotFoundError(status_code=404) from error
            return [Task(self.project_id, TaskStatus[run.status.upper()])]

        async def save_files(self, paths: list[str], folder: str) -> AsyncIterator[str]:
            for path in paths:
                text = stand_in.fetch(self.project_id, path)
                if text is not None:
                    Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
                    Path(folder, path).write_text(text)
                    yield path

    class Declaration:
        @classmethod
        async def list_all_for_project(cls, project_id: str) -> list[Any]:
            meet()
            return [
                SimpleNamespace(name=each.name, status=2, evidence=None, evidence_message=each.message)
                for each in stand_in.findings(project_id)
            ]

    def set_api_key(key: str) -> None:
        if not key.isascii() or " " in key:
            raise ValueError("the key is malformed")
        told["key"] = key

    library, declaration = ModuleType("aristotlelib"), ModuleType("aristotlelib.declaration")
    for value in (
        Project, TaskStatus, AgentQuestionsSetting, AristotleAPIError, AristotleNotFoundError,
        AristotleProjectLimitError, AristotleOutcomeUnknownError, AristotleNotProcessedError, set_api_key,
    ):  # fmt: skip
        setattr(library, value.__name__, value)
    declaration.Declaration = Declaration
    return library, declaration, told
