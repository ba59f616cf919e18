"""A server behind a server: what is not here is pulled and kept; one that is away or lies costs a bounded wait, and changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.errors import RegistryError
from registry.sharing.keys import KeyFile
from registry.sharing.upstream import Upstream
from tests.support.files.publications import Peer, calling
from tests.support.files.shared_servers import Line, Lying, Shared
from tests.support.servers.http_server import serving
from tests.support.servers.principals import Caller, token

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}
TWICE = {"lam": "x", "body": {"add": [{"var": "x"}, {"var": "x"}]}}


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Scene:
    def __init__(self, folder: Path) -> None:
        self.hub, self.here = Peer(folder / "hub"), Peer(folder / "here")
        self.hub.evolve("square", SQUARE)
        self.hub.evolve("fourth", calling("square", {"app": ["square", {"var": "x"}]}))
        self.here.evolve("mine", {"lam": "x", "body": "mine"})
        self.here.trusts(self.hub)
        self.server = Shared(self.hub)
        self.clock = Clock()

    def upstream(self, line: Any = None) -> Upstream:
        return Upstream(
            self.here.workspace, self.here.home, lambda: line or Line(self.server), clock=self.clock
        )


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.hub.close()
    made.here.close()


def test_what_is_not_here_comes_with_what_it_calls_and_is_asked_for_once(scene: Scene) -> None:
    upstream = scene.upstream()
    upstream.fetch(["fourth", "mine", "gcd", "team/x/y", "../x", "nowhere"])
    assert {"fourth@1", "square@1"} <= {*scene.here.tools()}
    asked = len(scene.server.asked)
    upstream.fetch(["fourth", "square", "mine", "nowhere"])
    assert len(scene.server.asked) == asked
    scene.clock.now += 61
    scene.hub.evolve("nowhere", TWICE)
    upstream.fetch(["nowhere"])
    assert "nowhere@1" in scene.here.tools()


def test_nothing_that_is_here_changes_not_even_what_came_from_there(scene: Scene) -> None:
    upstream = scene.upstream()
    upstream.fetch(["square"])
    before = scene.here.tools()
    scene.hub.evolve("square", TWICE, force=True)
    scene.hub.evolve("sixth", calling("square"))
    upstream.fetch(["square", "sixth"])  # `sixth` means the newer `square`
    assert scene.here.tools() == before
    upstream.fetch(["square@2"])
    assert scene.here.tools() == before


def test_an_upstream_that_is_away_is_left_alone_for_a_while(scene: Scene) -> None:
    upstream = scene.upstream(Line(scene.server, 0))
    upstream.fetch(["square"])
    assert upstream.missing(["square"]) == []
    scene.clock.now += 31
    assert upstream.missing(["square"]) == ["square"]

    def gone() -> Any:
        raise RegistryError("store_error", "the source cannot be read")

    Upstream(scene.here.workspace, scene.here.home, gone, clock=scene.clock).fetch(["square"])
    assert "square" not in scene.here.tools()


def test_nothing_comes_for_whom_there_is_no_room(scene: Scene) -> None:
    """Nor is that looked at with every call."""
    looks: list[bool | RegistryError] = [False, RegistryError("store_error", "unreadable"), True]
    asked = []

    def has_room() -> bool:
        asked.append(looks[len(asked)])
        found = asked[-1]
        if isinstance(found, RegistryError):
            raise found
        return found

    upstream = Upstream(
        scene.here.workspace,
        scene.here.home,
        lambda: Line(scene.server),
        clock=scene.clock,
        has_room=has_room,
    )
    for looked in (1, 2, 3):
        assert "square@1" not in scene.here.tools()
        upstream.fetch(["square"])
        upstream.fetch(["square"])
        assert len(asked) == looked
        scene.clock.now += 31
    assert "square@1" in scene.here.tools()


def test_one_that_drips_answers_has_one_deadline_for_all_of_them(scene: Scene) -> None:
    def slow(tool: str, arguments: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        scene.clock.now += 6
        return answer

    upstream = scene.upstream(Lying(scene.server, slow))
    upstream.fetch(["fourth"])
    assert len(scene.server.asked) == 2
    assert "fourth" not in scene.here.tools()
    assert upstream.missing(["fourth"]) == []


def test_one_that_lies_is_refused_and_the_name_not_asked_for_again(scene: Scene) -> None:
    def lie(tool: str, arguments: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        if answer["type"] == "objects":
            texts = {key: text.replace("mul", "add") for key, text in answer["objects"].items()}
            return {**answer, "objects": texts}
        return answer

    before = scene.here.tools()
    upstream = scene.upstream(Lying(scene.server, lie))
    upstream.fetch(["square"])
    assert scene.here.tools() == before
    assert upstream.missing(["square"]) == []


def test_a_served_home_reads_through_to_another(tmp_path: Path) -> None:
    hub, here = Peer(tmp_path / "hub"), Peer(tmp_path / "here")
    hub.evolve("square", SQUARE)
    hub.evolve("fourth", calling("square", {"app": ["square", {"var": "x"}]}))
    here.trusts(hub)
    secret = token(hub.home, "reader", frozenset({"read"}))
    (tmp_path / "token").write_text(secret)
    with serving(hub.home, share="ops") as server:
        # The token is of a principal, whose tools are its own: they are put there by another of its tokens.
        writer = token(hub.home, "reader")
        assert (
            Caller(server, writer).call("evolve", name="square", description="", code=SQUARE)["type"]
            == "tool"
        )
        Caller(server, secret).call("export", share=True)
        readers = hub.home / "principals" / "reader"
        here.trusts_key(KeyFile(readers).public(), "reader")
        (readers / "theories").mkdir()
        (readers / "theories" / "twice.kleis").write_text("define twice(n : ℤ) : ℤ = n + n\n")
        options = {"upstream": server.url, "upstream_token_file": str(tmp_path / "token")}
        with serving(here.home, groups="pif,theory", **options) as through:
            loaded = Caller(through, "").call("load_theory", imports=["twice"])
            assert loaded["pulled"][0]["origin"] == "ops/twice"
            assert Caller(through, "").call("load_theory", imports=["nowhere"])["status"] == "error"
            assert Caller(through, "").call("run", tool="square", input=3)["value"] == 9
            assert Caller(through, "").call("run", tool="fourth", input=3)["type"] == "error"
    with serving(here.home, **options) as through:
        assert Caller(through, "").call("run", code={"app": ["square", 4]})["value"] == 16
        assert Caller(through, "").call("run", code={"app": ["cube", 4]})["type"] == "error"
    hub.close()
    here.close()
