"""The adapter to aristotlelib, against a module of the tests with the interface that its documentation describes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from kleis.lean.acceptance.check_by_lean import LeanCheck
from registry.aristotle.choose_service import choose_service
from registry.aristotle.job_requests import JobRequest, formalize_job, prove_job
from registry.aristotle.job_runner import JobRunner
from registry.aristotle.job_store import JobStore, Ordered
from registry.aristotle.real_service import RealService
from registry.aristotle.service import ServiceFailure
from registry.aristotle.stand_in import Script, StandIn
from tests.support.servers import described_library as described
from tests.support.servers.lean_jobs import CODE, OUTCOMES, Clock, ended

KEY = "arstl_x"


class Meeting:
    """A service over the described library, with what it was told and what it is to raise."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        self.stand_in = StandIn()
        self.raising: list[Exception] = []
        library, declaration, self.told = described.described_library(self.stand_in, self.raising)
        httpx = ModuleType("httpx")
        self.lost: type[Exception] = type("HTTPError", (Exception,), {})
        monkeypatch.setattr(httpx, "HTTPError", self.lost, raising=False)
        for name, module in (
            ("aristotlelib", library),
            ("aristotlelib.declaration", declaration),
            ("httpx", httpx),
        ):
            monkeypatch.setitem(sys.modules, name, module)
        self.service = choose_service({"ARISTOTLE_API_KEY": KEY}, home)
        self.runner = JobRunner(JobStore(home), self.service, now=Clock())

    def job(self, **context: str) -> Ordered:
        return prove_job(JobRequest(self.service.mode, KEY, 0.0), CODE, context, "")


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Meeting:
    return Meeting(monkeypatch, tmp_path)


@pytest.mark.parametrize(
    "ending", ["proved", "partial", "refuted", "negated", "failed", "out_of_budget", "with_errors", "lost"]
)
def test_endings(met: Meeting, ending: Any) -> None:
    assert met.service.mode == "real"
    met.stand_in.scripts.append(Script(ending))
    clock = Clock()
    runner = JobRunner(met.runner.store, met.service, now=clock)
    job = ended(runner, clock, runner.open(met.job()))
    assert job.outcome is not None
    assert job.outcome.status == OUTCOMES[ending]
    assert job.mode == "real"
    assert job.id.startswith("aristotle-")
    assert met.told["key"] == KEY


def test_a_lean_is_asked_of_what_the_real_service_returns_and_of_no_stand_in(
    met: Meeting, tmp_path: Path
) -> None:
    asked: list[tuple[str, ...]] = []

    def check(ours: str, returned: str, names: Sequence[str], may_have_gaps: bool) -> LeanCheck:
        asked.append(tuple(names))
        return LeanCheck(outcome="checked", reason="rests on no axiom", version="Lean 4.28")

    for service, seen in ((StandIn(), ""), (met.service, "checked by Lean 4.28: rests on no axiom")):
        clock = Clock()
        runner = JobRunner(JobStore(tmp_path / service.mode), service, now=clock, check=check)
        job = ended(runner, clock, runner.open(prove_job(JobRequest(service.mode, "", 0.0), CODE, {}, "")))
        assert job.outcome is not None
        assert (job.outcome.status, job.outcome.checked) == ("proved", seen)
    assert len(asked) == 1


def test_the_folder(met: Meeting) -> None:
    met.runner.open(prove_job(JobRequest("real", "", 0.0), CODE, {"Extra.lean": "def x := 1\n"}, ""))
    (folder,) = met.told["folders"]
    assert set(folder) == {"Main.lean", "Extra.lean", "lakefile.toml"}
    assert folder["Main.lean"] == CODE
    met.runner.open(formalize_job(JobRequest("real", "", 0.0), "words", {}, prove=False))
    assert met.told["folders"][1]["DESCRIPTION.md"] == "words"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (described.AristotleProjectLimitError(), "run_limit"),
        (described.AristotleOutcomeUnknownError(), "outcome_unknown"),
        (described.AristotleNotProcessedError(), "connection"),
        (described.AristotleNotFoundError(), "not_found"),
        (described.AristotleAPIError(status_code=401), "authentication"),
        (described.AristotleAPIError(status_code=403), "authentication"),
        (described.AristotleAPIError(status_code=429), "rate_limited"),
        (described.AristotleAPIError(status_code=422), "refused"),
        (described.AristotleAPIError(status_code=503), "service_error"),
        (described.AristotleAPIError(), "service_error"),
        (TimeoutError(), "outcome_unknown"),
        (ConnectionResetError(), "outcome_unknown"),
        (KeyError("surprise"), "unreadable"),
    ],
)
def test_its_errors_become_ours(met: Meeting, error: Exception, code: str) -> None:
    met.raising.append(error)
    with pytest.raises(ServiceFailure) as caught:
        met.service.submit(met.job().submission)
    assert caught.value.code == code
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_lost_answer_is_looked_up_by_name(met: Meeting) -> None:
    job = met.job()
    met.service.submit(job.submission)
    assert met.service.find(job.job.id) is not None
    assert met.service.find("something else") is None
    met.raising.append(met.lost("detail"))
    with pytest.raises(ServiceFailure) as caught:
        met.service.find(job.job.id)
    assert caught.value.code == "connection"


def test_cancelling_and_the_overview(met: Meeting) -> None:
    project = met.service.submit(met.job().submission)
    assert met.service.cancel(project) is True
    assert met.service.look(project).status == "canceled"
    met.stand_in.scripts.append(Script("proved", looks=0))
    done = met.service.submit(met.job().submission)
    met.service.look(done)
    assert met.service.cancel(done) is False
    assert met.service.overview().projects_today == 2


def test_a_key_that_cannot_be_one(met: Meeting) -> None:
    with pytest.raises(ServiceFailure) as caught:
        RealService(sys.modules["aristotlelib"], "two words")
    assert caught.value.code == "authentication"
    assert "two words" not in str(caught.value)


def test_without_a_key_nothing_is_imported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "aristotlelib", None)  # an import of it would fail
    with pytest.raises(ServiceFailure) as caught:
        choose_service({}, tmp_path)
    assert caught.value.code == "no_key"
    for value in ("true", "1", "YES", " True "):
        assert choose_service({"ARISTOTLE_MOCK": value, "ARISTOTLE_API_KEY": KEY}, tmp_path).mode == "mock"
    with pytest.raises(ServiceFailure) as caught:
        choose_service({"ARISTOTLE_MOCK": "no", "ARISTOTLE_API_KEY": KEY}, tmp_path)
    assert caught.value.code == "library_missing"
