"""Two principals and an attacker over two workers: what is nobody else's in one process is nobody else's over many.

Alice works at one worker; Mallory has a token as good as hers, knows every name, and asks both workers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.access.principals import ALL_SCOPES
from registry.access.tokens import TokenFile
from tests.support.servers.http_server import HEADERS, call
from tests.support.servers.many_workers import OLDER, Workers, answer_in, call_of, message, pif_workers
from tests.support.servers.principals import Caller, token

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


class Scene:
    def __init__(self, workers: Workers, home: Path) -> None:
        self.workers = workers
        self.home = home
        self.alice = Caller(workers.server, token(home, "alice"))
        self.mallory = Caller(workers.server, token(home, "mallory"))

    def at(self, number: int, caller: Caller, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """What a call answers that worker `number` reads."""
        with self.workers.only(number):
            body = call(tool, **arguments)
            headers = {**HEADERS, "Mcp-Name": tool, **caller.headers}
            status, answer = self.workers.server.post(body, **headers)
        assert status == 200, answer
        found: dict[str, Any] = answer["result"]["structuredContent"]
        return found


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = tmp_path_factory.mktemp("home")
    token(home, "first")
    with pif_workers(home, groups="pif,theory", quotas=("fuel=30000", "calls=50")) as workers:
        yield Scene(workers, home)


def answers(
    scene: Scene, headers: dict[str, str], body: bytes | None = None, method: str = "POST"
) -> list[tuple[int, bytes]]:
    """What each worker answers a request."""
    found = []
    for number in (0, 1):
        with scene.workers.only(number):
            status, _, said = scene.workers.server.request(method, "/mcp", body, **headers)
        found.append((status, said))
    return found


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_a_session_is_nobody_else_s_at_any_worker(scene: Scene, method: str) -> None:
    name, mine = scene.workers.open_session(0, **scene.alice.headers)
    body = message("tools/list") if method == "POST" else None
    theirs = {**OLDER, **scene.mallory.headers}
    made_up = answers(scene, {**theirs, "Mcp-Session-Id": "0" * 32}, body, method)
    assert {status for status, _ in made_up} == {404}
    own, _ = scene.workers.open_session(1, **scene.mallory.headers)
    number, random, seal = name.split(".")
    for forged in (
        name,  # another principal's
        f"1.{random}.{seal}",  # sent to another worker's number
        f"7.{random}.{seal}",
        f"{number}.{random}.{seal[:-2]}AA",
        f"{number}.{random}.{own.split('.')[2]}",  # with a seal of one's own
        f"{number}.{random}",
        f"{number}.{'0' * 32}.{seal}",
    ):
        assert answers(scene, {**theirs, "Mcp-Session-Id": forged}, body, method) == made_up, forged
    with scene.workers.only(1):  # the holder is stopped: a forged name is refused without it
        status, _, said = scene.workers.server.request(
            method, "/mcp", body, **theirs, **{"Mcp-Session-Id": name}
        )
    assert (status, said) == made_up[0]
    assert scene.workers.server.request("POST", "/mcp", message("ping"), **mine)[0] == 200


def test_an_ended_session_is_no_session_at_any_worker(scene: Scene) -> None:
    _, headers = scene.workers.open_session(0, **scene.alice.headers)
    assert scene.workers.server.request("DELETE", "/mcp", None, **headers)[0] == 200
    unknown = answers(scene, {**headers, "Mcp-Session-Id": "0" * 32}, message("ping"))
    for number, (status, said) in enumerate(unknown):
        with scene.workers.only(number):
            assert (
                number == 1
                or scene.workers.server.request("POST", "/mcp", message("ping"), **headers)[0] == 404
            )
        assert (status, said) == unknown[0]
    assert scene.workers.server.request("POST", "/mcp", message("ping"), **headers)[0] == 404


def test_tools_of_one_principal_are_in_both_workers_and_in_no_other_s(scene: Scene) -> None:
    kept = scene.at(0, scene.alice, "evolve", name="secret_square", description="private words", code=SQUARE)
    assert kept["type"] == "tool"
    assert scene.at(1, scene.alice, "run", tool="secret_square", input=3, fuel=100)["value"] == 9
    for number in (0, 1):
        seen = json.dumps([
            scene.at(number, scene.mallory, "run", tool="secret_square", input=3, fuel=100),
            scene.at(number, scene.mallory, "list"), scene.at(number, scene.mallory, "run", tool="secret_squar", input=3, fuel=100),
        ])  # fmt: skip
        assert "private words" not in seen
        assert "Did you mean `secret_square`" not in seen
        assert '"total": 0' in seen


def test_a_job_is_found_from_each_worker_by_its_principal_alone(scene: Scene) -> None:
    begun = scene.at(0, scene.alice, "evaluate", expression="∀(x : ℤ). x + 0 = x", wait=False)
    number = begun["project_id"]
    never = f"job-{'0' * 32}"
    for worker in (0, 1):
        with_mine = scene.at(worker, scene.mallory, "check_job", project_id=number, cancel=True)
        unknown = scene.at(worker, scene.mallory, "check_job", project_id=never, cancel=True)
        assert json.dumps(with_mine).replace(number, never) == json.dumps(unknown)
        assert scene.at(worker, scene.mallory, "check_job")["jobs"] == []
    for worker in (0, 1):
        while (found := asked(scene, worker, number))["status"] == "in_progress":
            continue
        assert found["status"] == "done"
        assert found["answer"]["status"] == "verified"
    listed = asked(scene, 1)
    assert [each["project_id"] for each in listed["jobs"]] == [number]


def asked(scene: Scene, number: int, job: str = "") -> dict[str, Any]:
    """`check_job` read by one worker; the other goes on, because it may have the job."""
    headers = {**OLDER, **scene.alice.headers}
    name, _ = scene.workers.open_session(number, **scene.alice.headers)
    arguments = {"project_id": job} if job else {}
    body = call_of("check_job", 1, **arguments)
    said = scene.workers.server.request("POST", "/mcp", body, **headers, **{"Mcp-Session-Id": name})[2]
    scene.workers.server.request("DELETE", "/mcp", None, **headers, **{"Mcp-Session-Id": name})
    found: dict[str, Any] = answer_in(said)["result"]["structuredContent"]
    return found


def test_a_quota_is_one_for_all_workers(scene: Scene) -> None:
    carol = Caller(scene.workers.server, token(scene.home, "carol"))
    spend = {
        "fold": [
            {"lam": "p", "body": {"add": [{"fst": {"var": "p"}}, {"snd": {"var": "p"}}]}},
            0,
            {"range": [0, 1_200]},
        ]
    }
    used = scene.at(0, carol, "run", code=spend, fuel=20_000)
    assert used["type"] == "value"
    left = 30_000 - used["fuel_used"]
    refused = scene.at(1, carol, "run", code={"add": [1, 1]}, fuel=left + 1)
    assert (refused["error"]["kind"], refused["error"]["quota"]) == ("quota_exceeded", "fuel")
    assert refused["error"]["used"] == used["fuel_used"]
    assert scene.at(1, carol, "run", code={"add": [1, 1]}, fuel=left)["value"] == 2
    assert scene.at(1, scene.alice, "run", code={"add": [1, 1]}, fuel=20_000)["value"] == 2


def test_a_revoked_token_is_refused_by_both_at_once_and_its_sessions_end(scene: Scene) -> None:
    dave = Caller(scene.workers.server, token(scene.home, "dave"))
    _, headers = scene.workers.open_session(0, **dave.headers)
    assert scene.at(0, dave, "run", code={"add": [1, 1]}, fuel=10)["value"] == 2
    assert scene.at(1, dave, "run", code={"add": [1, 1]}, fuel=10)["value"] == 2
    TokenFile(scene.home).revoke("dave")
    assert [status for status, _ in answers(scene, headers, message("ping"))] == [401, 401]
    again = Caller(scene.workers.server, token(scene.home, "dave"))
    while (
        scene.workers.server.request("POST", "/mcp", message("ping"), **{**headers, **again.headers})[0]
        != 404
    ):
        continue


def test_counters_are_those_of_all_workers(scene: Scene) -> None:
    admin = token(scene.home, "observer", frozenset(ALL_SCOPES))

    def counted(number: int) -> int:
        with scene.workers.only(number):
            pass  # the other has gone on: it is asked too
        headers = {"Authorization": f"Bearer {admin}"}
        text = scene.workers.server.request("GET", "/metrics", None, **headers)[2].decode()
        assert text.count("process_resident_memory_bytes{") == 2
        wanted = 'pif_calls_total{kind="",outcome="ok",tool="help"} '
        line = next((each for each in text.splitlines() if each.startswith(wanted)), wanted + "0")
        return round(float(line.rpartition(" ")[2]))

    before = counted(0)
    for number in (0, 1, 1):
        scene.at(number, scene.alice, "help")
    assert counted(0) == counted(1) == before + 3
    ready = json.loads(scene.workers.server.request("GET", "/readyz")[2])
    assert ready == {"ready": True, "store": "ok", "provers": "ok", "workers": 2, "serving": 2}
