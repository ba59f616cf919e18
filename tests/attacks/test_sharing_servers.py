"""Servers that lie to those who pull, and senders that lie to the server: the worst they can do is withhold.

Alice's server is pulled from and pushed to; Bob has a home. After each attack every name in the home under attack stands for
what it stood for.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from registry.errors import RegistryError
from registry.sharing.keys import FOLDER, KeyFile, TrustFile
from registry.sharing.manifest import Offered, encoded, object_hash, read_manifest, shard_of, signed
from registry.sharing.places import opened, server_at
from registry.sharing.publication import content_of, rooted
from registry.sharing.staging import Staged, Wanted
from registry.sharing.wire import ANSWER_LIMIT, Wire
from registry.workspace.requests import Rollback
from tests.attacks.test_sharing import Answering, headed, web
from tests.support.files.publications import TWICE, Peer, calling, two_homes
from tests.support.files.shared_servers import Line, Lying, Shared, pulled, pushed, pusher_of


class Scene:
    def __init__(self, folder: Path) -> None:
        self.alice, self.bob = two_homes(folder)
        self.bob.evolve("yours", calling("mine"))
        self.alice.trusts(self.bob, "bob")
        self.server = Shared(self.alice)

    def state(self) -> tuple[dict[str, str], dict[str, str]]:
        return self.alice.tools(), self.bob.tools()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.alice.close()
    made.bob.close()


def refused(scene: Scene, answer: dict[str, Any]) -> dict[str, Any]:
    assert answer["type"] == "error", answer
    assert answer["error"]["hint"]
    return answer["error"]


# Connections that end.


@pytest.mark.parametrize("late", [False, True])
def test_a_pull_that_ends_at_any_message_leaves_nothing_half_done(scene: Scene, late: bool) -> None:
    before = scene.state()
    ended = 0
    while (answer := pulled(scene.bob, Line(scene.server, ended, late=late), "fourth"))["type"] == "error":
        assert answer["error"]["kind"] == "store_error"
        assert scene.state() == before
        ended += 1
    assert ended == 4  # the root, a shard, another, the versions together
    assert answer["added"] == ["fourth@1", "square@1"]


@pytest.mark.parametrize("late", [False, True])
def test_a_push_that_ends_at_any_message_leaves_nothing_half_done(scene: Scene, late: bool) -> None:
    before = scene.alice.tools()
    whole = before | scene.bob.tools()
    ended = 0
    while (answer := pushed(scene.bob, Line(scene.server, ended, late=late)))["type"] == "error":
        assert answer["error"]["kind"] == "store_error"
        assert scene.alice.tools() in (before, whole)
        shutil.rmtree(scene.alice.home / FOLDER / "incoming", ignore_errors=True)
        ended += 1
    assert ended == 6  # what is wanted, shards, what is wanted, versions, what is wanted, the wish
    assert answer["added"] == (
        [] if late else ["mine@1", "yours@1"]
    )  # the last answer was lost, not the tools
    assert scene.alice.tools() == whole
    assert not [*(scene.alice.home / FOLDER).glob("incoming/*")]


def test_a_push_that_ended_goes_on_where_it_was(scene: Scene) -> None:
    refused(scene, pushed(scene.bob, Line(scene.server, 4)))  # shards and versions have come
    scene.server.asked = []
    assert pushed(scene.bob, Line(scene.server))["added"] == ["mine@1", "yours@1"]
    assert [sorted(arguments) for _, arguments in scene.server.asked] == [["root"], ["after", "root"]]


class Between(Line):
    """A wire on which something else happens before a call with that argument."""

    def __init__(self, server: Shared, argument: str, act: Callable[[], object]) -> None:
        super().__init__(server)
        self._argument = argument
        self._act = act

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        if self._argument in arguments:
            act, self._act = self._act, lambda: None
            act()
        return super().call(tool, **arguments)


@pytest.mark.parametrize("argument", ["objects", "after"])
def test_another_push_that_is_done_first_takes_nothing_away(
    scene: Scene, tmp_path: Path, argument: str
) -> None:
    carol = Peer(tmp_path / "carol")
    carol.evolve("carols", {"lam": "x", "body": 7})
    scene.alice.trusts(carol, "carol")
    first: list[dict[str, Any]] = []
    line = Between(scene.server, argument, lambda: first.append(pushed(carol, Line(scene.server))))
    assert pushed(scene.bob, line)["added"] == ["mine@1", "yours@1"]
    assert [each["added"] for each in first] == [["carols@1"]]
    assert not [*(scene.alice.home / FOLDER).glob("incoming/*")]
    carol.close()


def test_what_waits_is_bounded_and_the_push_that_waited_longest_goes_first(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged = [Staged(scene.alice.home, "a push", f"root {n}".encode()) for n in range(3)]
    monkeypatch.setattr("registry.sharing.staging._OBJECTS", 5)
    for n, each in enumerate(staged[:2]):
        each.add(["a", "b"])
        os.utime(scene.alice.home / FOLDER / "incoming" / object_hash(f"root {n}".encode()), (n, n))
    staged[2].add(["a", "b", "c"])
    with pytest.raises(Wanted):
        staged[0].object(object_hash(b"a"), 10)
    assert [each.object(object_hash(b"b"), 10) for each in staged[1:]] == [b"b", b"b"]
    with pytest.raises(RegistryError, match="too much at once"):
        staged[1].add([str(n) for n in range(6)])


def test_what_came_before_a_pull_ended_is_told(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("registry.sharing.pull.TOGETHER", 1)
    scene.alice.evolve("twice", TWICE)
    whole = pulled(scene.bob, Line(scene.server, 4))
    assert whole["type"] == "synchronised"
    assert whole["added"]
    assert set(whole["added"]) < {"square@1", "fourth@1", "twice@1"}
    assert whole["ended"]["kind"] == "store_error"
    assert {each.partition("@")[0] for each in whole["added"]} < set(scene.bob.tools())
    after = pulled(scene.bob, Line(scene.server))
    assert {*whole["added"], *after["added"]} == {"square@1", "fourth@1", "twice@1"}
    assert "ended" not in after


def test_what_was_taken_before_a_push_ended_is_told(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("registry.sharing.service.TOGETHER", 1)
    monkeypatch.setattr("registry.sharing.service._PATIENCE", 0.0)
    answer = pushed(scene.bob, Line(scene.server, 6))
    assert answer["added"] == ["mine@1"]
    assert answer["ended"]["kind"] == "store_error"
    assert "yours" not in scene.alice.tools()


# Servers that lie.


def change_of(kind: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A liar about answers of one type."""
    return lambda tool, arguments, answer: change(answer) if answer["type"] == kind else answer


def other_texts(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "objects": {key: text.replace("mul", "add") for key, text in answer["objects"].items()}}


LIES: dict[str, Any] = {
    "other bytes": change_of("objects", other_texts),
    "another object": change_of(
        "objects", lambda said: {**said, "objects": dict.fromkeys(said["objects"], "{}")}
    ),
    "no text": change_of("objects", lambda said: {**said, "objects": dict.fromkeys(said["objects"], 7)}),
    "half a character": change_of(
        "objects", lambda said: {**said, "objects": dict.fromkeys(said["objects"], "\ud800")}
    ),
    "nothing": change_of("objects", lambda said: {**said, "objects": {}}),
    "others than were asked for": change_of(
        "objects", lambda said: {**said, "objects": {"0" * 64: "x", "../../secret": "y"}}
    ),
    "too much": change_of(
        "objects", lambda said: {**said, "objects": dict.fromkeys(said["objects"], "x" * (5 * 2**20))}
    ),
    "no objects": change_of("objects", lambda said: {"type": "objects", "objects": [1]}),
    "another type": change_of("objects", lambda said: {"type": "value", "value": 1}),
    "no root": change_of("offer", lambda said: {"type": "offer"}),
    "a root that is none": change_of("offer", lambda said: {**said, "root": "0" * 128 + "\n{}"}),
    "a root of a megabyte": change_of("offer", lambda said: {**said, "root": "0" * 2**20}),
    "a root with other bytes": change_of(
        "offer", lambda said: {**said, "root": said["root"].replace('"ops"', '"opz"')}
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_what_a_server_changes_is_refused(scene: Scene, lie: str) -> None:
    before = scene.state()
    refused(scene, pulled(scene.bob, Lying(scene.server, LIES[lie]), "fourth"))
    answer = pulled(scene.bob, Lying(scene.server, LIES[lie]))
    assert answer["type"] == "error" or (answer["added"] == [] and len(answer["refused"]) == 2)
    assert scene.state() == before


def resigned(scene: Scene, answer: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """The root of an answer with other fields, signed by the server."""
    root = read_manifest(answer["root"].encode(), "", "server")
    body = encoded(replace(root, **fields))
    return {**answer, "root": signed(KeyFile(scene.alice.home).sign(body), body).decode()}


@pytest.mark.parametrize("name", ["../square", "ѕquare", "square\u200b", "std.square", "evolve", "."])
def test_names_that_no_tool_may_have_are_refused(scene: Scene, name: str) -> None:
    before = scene.state()
    honest = scene.server.answer("export", {"share": True})
    shard = read_manifest(honest["root"].encode(), "", "server").shards[shard_of("square")]
    row = msgspec.json.decode(
        scene.server.answer("export", {"objects": [shard]})["objects"][shard], type=dict[str, Offered]
    )["square"]
    text = encoded({name: row}).decode()
    hash_ = object_hash(text.encode())

    def lie(tool: str, arguments: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        if answer["type"] == "offer":
            return resigned(scene, answer, shards={shard_of(name): hash_}, sequence=9)
        return {"type": "objects", "objects": {hash_: text}}

    refused(scene, pulled(scene.bob, Lying(scene.server, lie)))
    refused(scene, pulled(scene.bob, Lying(scene.server, lie), name))
    assert scene.state() == before


def test_a_root_that_is_replayed_or_is_of_another_kind_is_refused(scene: Scene, tmp_path: Path) -> None:
    old = scene.server.answer("export", {"share": True})
    scene.alice.evolve("square", TWICE, force=True, examples=[{"input": 1, "output": 2}])
    assert pulled(scene.bob, Line(scene.server), "square")["added"] == ["square@2"]
    before = scene.state()
    replay = Lying(scene.server, change_of("offer", lambda said: old))
    assert "older" in refused(scene, pulled(scene.bob, replay, "square"))["message"]

    scene.alice.publish(tmp_path / "out")
    files = (tmp_path / "out" / "manifest.signed").read_text()
    mixed = Lying(scene.server, change_of("offer", lambda said: {**said, "root": files}))
    assert "something else" in refused(scene, pulled(scene.bob, mixed, "square"))["message"]
    same = Lying(scene.server, change_of("offer", lambda said: resigned(scene, said, namespace="other")))
    assert "same number" in refused(scene, pulled(scene.bob, same, "square"))["message"]
    assert scene.state() == before


def test_a_publisher_who_goes_back_takes_nobody_back(scene: Scene) -> None:
    """The root is new and signed; what is current in it is older than what is here."""
    scene.alice.evolve("square", TWICE, force=True, examples=[{"input": 1, "output": 2}])
    assert pulled(scene.bob, Line(scene.server), "square")["added"] == ["square@2"]
    scene.alice.workspace.rollback(Rollback("square", 1, force=True))
    before = scene.bob.tools()
    for name in ("square", ""):
        answer = pulled(scene.bob, Line(scene.server), name)
        assert answer["type"] == "error" or "square@1" not in answer["added"]
    after = scene.bob.tools()
    assert {name: after[name] for name in before} == before


def test_a_publication_without_end_is_refused(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("registry.sharing.arrival._SHARD_BYTES", 300)
    assert "offers too much" in refused(scene, pulled(scene.bob, Line(scene.server)))["message"]


def test_keys_that_are_revoked_or_unknown_are_refused(scene: Scene, tmp_path: Path) -> None:
    carol = Peer(tmp_path / "carol")
    before = (scene.state(), carol.tools())
    assert "not trusted" in refused(scene, pulled(carol, Line(scene.server), "square"))["message"]
    assert "not trusted" in refused(scene, pushed(carol, Line(scene.server)))["message"]

    TrustFile(scene.bob.home).revoke((scene.alice.key(),))
    TrustFile(scene.alice.home).revoke((scene.bob.key(),))
    assert "revoked" in refused(scene, pulled(scene.bob, Line(scene.server), "square"))["message"]
    assert "revoked" in refused(scene, pushed(scene.bob, Line(scene.server)))["message"]
    assert (scene.state(), carol.tools()) == before
    carol.close()


def test_a_key_that_the_owner_of_the_server_has_revoked_is_refused_for_every_principal(scene: Scene) -> None:
    """Whom the owner trusts may push to all principals; whom the owner has revoked, to none, whoever else trusts that key."""
    hers = Peer(scene.alice.home / "principals" / "ann")
    scene.server.service._workspace, scene.server.service._home = hers.workspace, hers.home
    scene.server.service._trust = (TrustFile(scene.alice.home),)
    assert pushed(scene.bob, Line(scene.server))["added"] == ["mine@1", "yours@1"]
    hers.trusts(scene.bob, "bob")
    TrustFile(scene.alice.home).revoke((scene.bob.key(),))
    scene.bob.evolve("third", {"lam": "x", "body": 3})
    assert "revoked" in refused(scene, pushed(scene.bob, Line(scene.server)))["message"]
    assert "third" not in hers.tools()
    hers.close()


# Senders that lie.


def test_a_push_never_changes_what_a_name_means(scene: Scene) -> None:
    scene.bob.evolve("square", TWICE)
    scene.bob.evolve("open", calling("fourth"))  # means nothing at Bob's
    before = scene.alice.tools()
    answer = pushed(scene.bob, Line(scene.server))
    assert sorted(each["root"] for each in answer["refused"]) == ["open@1", "square@1"]
    assert answer["added"] == ["mine@1", "yours@1"]
    after = scene.alice.tools()
    assert {name: after[name] for name in before} == before
    assert "open" not in after


def test_a_pushed_example_that_does_not_hold_and_a_law_without_a_proof(scene: Scene) -> None:
    content = content_of(scene.bob.workspace.tools(), scene.bob.workspace.store)
    shards = {}
    for shard, hash_ in content.shards.items():
        tools = msgspec.json.decode(content.objects[hash_], type=dict[str, Offered])
        for name, offered in tools.items():
            row = offered.versions["1"]
            file = msgspec.json.decode(content.objects[row.object])
            lie = {"examples": [{"input": 1, "output": 1}]} if name == "mine" else {}
            text = msgspec.json.encode({**file, **lie})
            content.objects[object_hash(text)] = text
            tools[name] = Offered(1, {"1": replace(row, object=object_hash(text))})
        text = encoded(tools)
        shards[shard] = object_hash(text)
        content.objects[shards[shard]] = text
    _, file = rooted(shards, scene.bob.home, "bob", stream="push")
    before = scene.alice.tools()
    line = Line(scene.server)
    for _ in range(3):
        wanted = line.call("import", root=file.decode())["objects"]
        if wanted:
            line.call(
                "import", root=file.decode(), objects=[content.objects[each].decode() for each in wanted]
            )
    answer = line.call("import", root=file.decode(), after="")

    assert {each["root"]: each["kind"] for each in answer["refused"]} == {
        "mine@1": "example_failed",
        "yours@1": "example_failed",
    }
    assert scene.alice.tools() == before


def test_objects_of_a_push_are_nothing_without_a_root_that_names_them(scene: Scene) -> None:
    """They are named by the hashes that are computed here, so none can stand for another; and their room is bounded."""
    before = scene.alice.tools()
    line = Line(scene.server)
    pusher = pusher_of(scene.bob, line, (), "theirs")
    line.call("import", root=pusher.root.decode(), objects=["../../key", "{}", "", "\u0000"])
    kept = scene.alice.home / FOLDER / "incoming" / object_hash(pusher.root)
    assert {each.name for each in kept.iterdir()} == {
        object_hash(text.encode()) for text in ("../../key", "{}", "", "\u0000")
    }
    with pytest.raises(RegistryError):
        line.call("import", root=pusher.root.decode(), objects=["x" * (5 * 2**20)])
    for root in ("", "../key", pusher.root.decode().replace("theirs", "others")):
        with pytest.raises(RegistryError):
            line.call("import", root=root, objects=["{}"])
    assert [each.name for each in kept.parent.iterdir()] == [kept.name]
    assert scene.alice.tools() == before
    assert pushed(scene.bob, line)["added"] == ["mine@1", "yours@1"]


def test_an_older_push_is_refused_and_one_for_another_purpose(scene: Scene, tmp_path: Path) -> None:
    assert pushed(scene.bob, Line(scene.server))["added"] == ["mine@1", "yours@1"]
    old = (scene.bob.home / FOLDER / "published-push").read_text()
    scene.bob.evolve("third", {"lam": "x", "body": 3})
    assert pushed(scene.bob, Line(scene.server))["added"] == ["third@1"]
    with pytest.raises(RegistryError, match="older"):
        Line(scene.server).call("import", root=old)
    scene.bob.publish(tmp_path / "out")
    with pytest.raises(RegistryError, match="something else"):
        Line(scene.server).call("import", root=(tmp_path / "out" / "manifest.signed").read_text())


def test_a_server_gets_nothing_of_a_pusher_but_what_was_offered(scene: Scene) -> None:
    secret = scene.bob.evolve("secret", {"lam": "x", "body": "secret"})["hash"]

    def greedy(tool: str, arguments: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        return {"type": "wanted", "objects": ["0" * 64, secret.removeprefix("pif1:")]}

    error = refused(scene, pushed(scene.bob, Lying(scene.server, greedy), "mine"))
    assert "may not have" in error["message"]
    assert len(scene.server.asked) == 1

    def endless(tool: str, arguments: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        return {"type": "wanted", "objects": []} if "after" not in arguments else {
            "type": "taken", "after": "", "left": 5,
        }  # fmt: skip

    assert "no end" in refused(scene, pushed(scene.bob, Lying(scene.server, endless)))["message"]

    def again(tool: str, arguments: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
        if "root" not in arguments:
            return answer
        content = content_of(scene.bob.workspace.tools(), scene.bob.workspace.store)
        return {"type": "wanted", "objects": sorted(content.objects)}

    assert "may not have" in refused(scene, pushed(scene.bob, Lying(scene.server, again)))["message"]


def test_a_name_that_changes_while_something_comes_in_is_not_overwritten(scene: Scene) -> None:
    """Between the look at what is here and the transaction, somebody else evolves the name."""
    assert pulled(scene.bob, Line(scene.server), "square")["added"] == ["square@1"]
    scene.alice.evolve("square", TWICE, force=True, examples=[{"input": 1, "output": 2}])
    take_in = scene.bob.workspace.take_in

    def late(*arguments: Any, **options: Any) -> Any:
        scene.bob.workspace.forget("square")
        return take_in(*arguments, **options)

    scene.bob.workspace.take_in = late  # type: ignore[method-assign]
    error = refused(scene, pulled(scene.bob, Line(scene.server), "square"))
    assert error["kind"] == "version_conflict"
    assert "square" not in scene.bob.tools()


# The wire.


def posting(answer: Answering) -> Answering:
    """An answer to a request whose body is read."""

    def whole(handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers.get("content-length", "0")))
        answer(handler)

    return whole


def saying(content: bytes, kind: str = "application/json", status: int = 200) -> Answering:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("content-type", kind)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "application/json")
    handler.send_header("connection", "close")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" " * 65_536)
    except OSError:
        return


BAD: dict[str, tuple[Answering, str]] = {
    "no JSON": (saying(b"hello"), "is none"),
    "deep": (saying(b"[" * 100_000), "is none"),
    "a stream": (saying(b"data: x\n\n", "text/event-stream"), "is none"),
    "a stream without a message": (saying(b": wait\n\n", "text/event-stream"), "is none"),
    "a stream that is cut": (saying(b'data: {"result":{}}\n', "text/event-stream"), "is none"),
    "a stream of lines": (saying(b"data:\n" * 200_000, "text/event-stream"), "is none"),
    "a stream of progress": (
        saying(b'data: {"method":"notifications/progress"}\n\n', "text/event-stream"),
        "does not answer",
    ),
    "a page": (saying(b"<html>", "text/html"), "no server of ours"),
    "an error": (saying(b'{"error":{"code":1,"message":"no\\u001b[31m"}}'), "does not answer"),
    "elsewhere": (headed(302, location="http://169.254.169.254/", content_length="0"), "no redirect"),
    "not let in": (headed(401, content_length="0"), "let this caller in"),
    "busy": (headed(503, content_length="0"), "no room"),
    "broken": (headed(500, content_length="0"), "stopped answering"),
    "long, it says": (
        headed(200, content_type="application/json", content_length=str(10**11)),
        "larger",
    ),
    "without end": (endless, "larger"),
    "packed": (
        headed(200, content_type="application/json", content_encoding="gzip", content_length="0"),
        "packed",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_answers_that_are_none_are_bounded_and_told(kind: str) -> None:
    answer, said = BAD[kind]
    with (
        web(posting(answer), post=True) as address,
        Wire(address.replace("/tools/", "/mcp")) as wire,
        pytest.raises(RegistryError, match=said) as caught,
    ):
        wire.call("export", share=True)
    assert "\u001b" not in str(caught.value.as_json())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_an_answer_that_took_a_while_comes_as_a_stream(end: str) -> None:
    lines = (
        ": ping", "", "event: message", 'data: {"jsonrpc":"2.0","method":"notifications/progress"}', "",
        "event: message", 'data: {"jsonrpc":"2.0","id":1,', 'data: "result":{"structuredContent":{"type":"offer","root":"r"}}}', "", "",
    )  # fmt: skip
    stream = posting(saying(end.join(lines).encode(), "text/event-stream"))
    with web(stream, post=True) as address, Wire(address.replace("/tools/", "/mcp")) as wire:
        assert wire.call("export", share=True) == {"type": "offer", "root": "r"}


def test_an_answer_that_drips_has_a_deadline() -> None:
    moments = iter(range(0, 100_000, 40))
    with (
        web(posting(endless), post=True) as address,
        Wire(address.replace("/tools/", "/mcp"), clock=lambda: float(next(moments))) as wire,
        pytest.raises(RegistryError, match="stopped answering"),
    ):
        wire.call("export", share=True)
    assert ANSWER_LIMIT == 16 * 2**20


def test_a_token_goes_to_nobody_who_can_listen() -> None:
    for address in ("http://example.org/mcp", "http://10.0.0.1/mcp", "http://localhost.example.org/mcp"):
        with pytest.raises(RegistryError, match="not sent"):
            server_at(address, "secret")
    for address in ("http://127.0.0.1:1/mcp", "http://localhost:1/mcp", "https://example.org/mcp"):
        server_at(address, "secret").close()
    with pytest.raises(RegistryError, match="for a server"):
        opened("https://example.org/tools/", "secret")
    for address in ("https://u:p@example.org/mcp", "https://example.org/mcp?x=/mcp", "ftp://example.org/mcp"):
        with pytest.raises(RegistryError) as caught:
            server_at(address, "secret")
        assert "secret" not in str(caught.value.as_json())
