"""The fields of the answers of the group `lean`. Schemas of answers are made from these types; no field is ever null."""

from __future__ import annotations

from typing import Any, Required, TypedDict

__all__ = ["FailureFields", "JobAnswer", "JobsAnswer", "KleisAnswer", "StatusAnswer"]


class FailureFields(TypedDict, total=False):
    """Fields of an error beside the error object."""

    status: Required[str]
    message: str
    mock: bool
    mode: str
    project_id: str
    problem: dict[str, Any]
    kleis_route: dict[str, str]


class JobAnswer(TypedDict, total=False):
    """A job: where it is, or what came of it."""

    status: Required[str]
    message: Required[str]
    project_id: str
    percent_complete: int
    retry_after_s: int
    trouble: str
    code: str
    lean_code: str
    counterexample: str
    refusal: str
    unchecked: list[str]
    checked: str
    sorries_filled: int
    sorries_total: int
    output_path: str
    warnings: list[str]
    mock: bool
    mode: str
    claim: str
    decided_by: str
    cancelled: bool


class KleisAnswer(JobAnswer, total=False):
    """A Kleis proposition: what each step said of it."""

    engine: str
    verdict: dict[str, Any]
    steps: list[dict[str, str]]
    advice: str
    hint: str


class StatusAnswer(TypedDict, total=False):
    """Whether the service can be asked."""

    mock_mode: bool
    api_key_configured: bool
    authenticated: bool
    api_healthy: bool
    ready: bool
    problem: str
    message: str
    mode: str
    projects_today: int
    toolchain: str


class JobsAnswer(TypedDict):
    """A page of jobs."""

    status: str
    message: str
    jobs: list[dict[str, Any]]
    total: int
    offset: int
