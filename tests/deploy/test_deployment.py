"""The page of deploying, tried from nothing: a database, TLS, tokens, metrics, upgrades under load, a restore."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.support import databases
from tests.support.servers.deployment import (
    PROGRAM,
    Deployment,
    Load,
    certificate,
    handing_over,
    pif,
    workers_of,
)
from tests.support.servers.raw_client import PATIENCE

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
ENDLESS = {"lam": "n", "body": {"continue": {"input": {"add": [{"var": "n"}, 1]}}}}

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


@pytest.fixture
def schema() -> Iterator[str]:
    """The name of a schema; it and those of principals beside it are dropped."""
    with databases.new_schema() as url:
        name = url.partition("?schema=")[2]
        try:
            yield name
        finally:
            drop(name)


def drop(schema: str) -> None:
    for (each,) in databases.asked(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE %s", f"{schema}\\_\\_%"
    ):
        databases.asked(f'DROP SCHEMA "{each}" CASCADE')
    databases.asked(f'DROP SCHEMA IF EXISTS "{schema}" CASCADE')


def counted(text: bytes, name: str, **labels: str) -> float:
    return sum(
        sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


@needs_openssl
def test_a_deployment_from_nothing(tmp_path: Path, schema: str) -> None:
    home, backup = tmp_path / "home", tmp_path / "backup"
    store = f"{databases.SERVER}?schema={schema}"
    made, key = certificate(tmp_path)
    secrets = {
        name: pif("--home", home, "token", "create", name, "--scopes", scopes)["token"]
        for name, scopes in (
            ("alice", "read,run,evolve,theory"),
            ("bob", "read,run,evolve,theory"),
            ("prometheus", "admin"),
        )
    }
    site = Deployment(
        home, "--store", store, "--certfile", made, "--keyfile", key, "--drain", 15, "--log", "json", "--more",
        "--workers", 2, "--memory", 1024, trusted=made,
    )  # fmt: skip
    try:
        server = site.start()
        assert site.get("/livez")[0] == site.get("/readyz")[0] == 200
        assert site.get("/metrics")[0] == 401
        assert site.get("/metrics", secrets["alice"])[0] == 403
        assert (
            site.call(secrets["alice"], "evolve", name="square", description="squares", code=SQUARE)["type"]
            == "tool"
        )
        assert site.call(
            secrets["alice"], "submit_define", kleis="define third(x : ℤ) : ℤ = x * 3", session="plans"
        )["accepted"]
        assert site.call(secrets["bob"], "list")["total"] == 0

        with Load(site, secrets["alice"]) as load:
            load.wait_for(10)
            site.stop(server)
            server = site.start()
            load.wait_for(10)
            before = workers_of(server)
            server.send_signal(signal.SIGHUP)  # the other way to renew: workers one by one
            while before & workers_of(server):
                load.wait_for(1)
            load.wait_for(10)
        assert not load.refused, load.refused[:3]
        print(
            f"{sum(load.answered)} calls over two upgrades, none refused; the longest took {load.longest:.2f} s"
        )
        assert site.call(secrets["alice"], "list", query="made_")["total"] == len(load.evolved)
        answered = counted(
            site.get("/metrics", secrets["prometheus"])[1], "pif_calls_total", tool="run", outcome="ok"
        )
        assert answered >= 10  # by the second server alone, whose counters outlive its workers
        killed = min(workers_of(server))
        os.kill(int(killed), signal.SIGKILL)  # with TLS its connections end; whoever comes anew is answered
        for _ in range(4):
            assert site.call(secrets["alice"], "run", code="square", input=3)["value"] == 9

        dumped = tmp_path / "tools.dump"
        subprocess.run(
            ["pg_dump", "--format=custom", f"--schema={schema}*", f"--file={dumped}", databases.SERVER], check=True, timeout=PATIENCE
        )  # fmt: skip
        shutil.copytree(home, backup)
        kept = len(load.evolved)
        assert (
            site.call(secrets["alice"], "evolve", name="too_late", description="d", code=SQUARE)["type"]
            == "tool"
        )
        logged = [json.loads(line) for line in site.stop(server).splitlines()]
        errors = [each["message"] for each in logged if each["level"] == "error"]
        assert [each.partition(" ")[2].partition(" ")[2] for each in errors] == [
            f"(process {killed}) was ended by signal 9"
        ]
        drop(schema)
        shutil.rmtree(home)
        subprocess.run(
            ["pg_restore", f"--dbname={databases.SERVER}", "--exit-on-error", dumped],
            check=True,
            timeout=PATIENCE,
        )
        shutil.copytree(backup, home)

        server = site.start()
        assert site.call(secrets["alice"], "run", code="square", input=9)["value"] == 81
        assert site.call(secrets["alice"], "list", query="made_")["total"] == kept
        assert site.call(secrets["alice"], "run", code="too_late", input=1)["type"] == "error"
        assert "15" in str(site.call(secrets["alice"], "evaluate", expression="third(5)", session="plans"))
        assert site.call(secrets["bob"], "list")["total"] == 0
        site.stop(server)
    finally:
        site.close()


def test_an_upgrade_of_a_server_with_its_tools_in_the_home_refuses_no_call(tmp_path: Path) -> None:
    secret = pif("--home", tmp_path, "token", "create", "alice")["token"]
    site = Deployment(tmp_path, "--drain", 15)
    try:
        server = site.start()
        with Load(site, secret) as load:
            load.wait_for(10)
            newer = site.start()  # both serve for a moment, on one store and one socket
            load.wait_for(5)
            site.stop(server)
            load.wait_for(10)
            site.stop(newer)
            newer = site.start()
            load.wait_for(10)
        assert not load.refused, load.refused[:3]
        print(
            f"{sum(load.answered)} calls over two upgrades, none refused; the longest took {load.longest:.2f} s"
        )
        assert site.call(secret, "list", query="made_")["total"] == len(load.evolved)
        site.stop(newer)
    finally:
        site.close()


def test_a_server_that_is_drained_answers_what_is_under_way_and_says_that_it_is_not_ready(
    tmp_path: Path,
) -> None:
    secret = pif("--home", tmp_path, "token", "create", "alice")["token"]
    site = Deployment(tmp_path, "--drain", 60)
    watching, calling = site.connection(), site.connection()
    answers: list[dict[str, Any]] = []
    try:
        server = site.start()
        site.call(secret, "evolve", name="endless", description="never ends", code=ENDLESS)
        watching.request("GET", "/readyz")
        assert watching.getresponse().read().startswith(b'{"ready":true')

        long = threading.Thread(
            target=lambda: answers.append(
                site.ask(calling, secret, "run", tool="endless", input=0, drive=1_000_000, fuel=3_000_000)
            )
        )
        long.start()
        admin = pif("--home", tmp_path, "token", "create", "admin", "--scopes", "admin")["token"]
        while not counted(site.get("/metrics", admin)[1], "pif_lane_running", lane="runs"):
            assert long.is_alive()
        server.send_signal(signal.SIGTERM)
        said = b""
        while b"stopping" not in said:
            watching.request("GET", "/readyz")
            answer = watching.getresponse()
            said = answer.read()
        assert answer.status == 503
        assert answer.headers["Connection"] == "close"
        long.join(PATIENCE)
        assert (
            calling.sock is None
        )  # the head of its answer said so, though the call had begun before the signal
        server.communicate(timeout=PATIENCE)
        assert server.returncode == 0
        assert [each["type"] for each in answers] != ["error"] or answers[0]["error"][
            "kind"
        ] != "cancelled", answers
    finally:
        watching.close()
        calling.close()
        site.close()


def handed(home: Path, *options: str, listening: socket.socket | None, count: int = 1) -> tuple[int, str]:
    """What becomes of a server that such a socket is handed to."""
    descriptor = os.open("/dev/null", os.O_RDONLY) if listening is None else listening.fileno()
    try:
        words = ["--home", home, "serve", "--http", "127.0.0.1:8000", *options]
        done = subprocess.run(
            handing_over(descriptor, *PROGRAM, *words, count=count),
            pass_fds=(descriptor,), stderr=subprocess.PIPE, text=True, check=False, timeout=PATIENCE,
        )  # fmt: skip
    finally:
        if listening is None:
            os.close(descriptor)
    return done.returncode, done.stderr


def test_sockets_that_cannot_be_served_are_refused_in_words(tmp_path: Path) -> None:
    assert handed(tmp_path, listening=None)[0] == 2
    with socket.create_server(("127.0.0.1", 0)) as good:
        status, said = handed(tmp_path, listening=good, count=2)
        assert (status, "one ListenStream=" in said) == (2, True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams, socket.socket() as silent:
        for each in (datagrams, silent):
            each.bind(("127.0.0.1", 0))
            status, said = handed(tmp_path, listening=each)
            assert (status, "ListenStream=HOST:PORT" in said) == (2, True)
    with socket.socket(socket.AF_UNIX) as local:
        local.bind(str(tmp_path / "s"))
        local.listen()
        assert handed(tmp_path, listening=local)[0] == 2


def test_a_socket_that_others_reach_is_not_served_without_tokens_whatever_the_option_says(
    tmp_path: Path,
) -> None:
    with socket.create_server(("0.0.0.0", 0)) as wide:
        status, said = handed(tmp_path, listening=wide)
    assert status == 2
    assert "callers need a token" in said


def test_a_socket_for_another_process_is_left_alone(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        process = subprocess.Popen(
            [*PROGRAM, "--home", tmp_path, "serve", "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True,
            env=os.environ | {"LISTEN_PID": "1", "LISTEN_FDS": "1"}, pass_fds=(other.fileno(),),
        )  # fmt: skip
        assert process.stderr is not None
        assert f":{other.getsockname()[1]}/" not in process.stderr.readline()
        process.terminate()
        process.communicate()
