"""Publishers and mirrors that lie, stall, pour and end in the middle: the worst they can do is withhold.

Alice publishes and is trusted by Bob. A liar has her key, so that everything is signed; a mirror has not. After each attack
every name in Bob's home stands for what it stood for.
"""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from registry.errors import RegistryError
from registry.records import read_laws
from registry.sharing.keys import KeyFile, TrustFile
from registry.sharing.manifest import MANIFEST, Offered, encoded, object_hash, read_manifest, shard_of, signed
from registry.sharing.places import opened
from registry.sharing.sources import DirectorySource, WebSource
from tests.support.files.publications import (
    LAW,
    SQUARE,
    TWICE,
    Peer,
    calling,
    forged,
    rerooted,
    row_of,
    two_homes,
)


class Scene:
    def __init__(self, folder: Path) -> None:
        self.alice, self.bob = two_homes(folder)
        self.out = folder / "out"
        self.alice.publish(self.out)
        self.before = self.bob.tools()

    def refused(self, name: str = "fourth", source: Any = None, **options: Any) -> dict[str, Any]:
        """The error of a pull that must be refused and change nothing."""
        try:
            answer = self.bob.pull(source or self.out, name, **options)
        except RegistryError as error:
            answer = {"type": "error", "error": error.as_json()}
        assert answer["type"] == "error", answer
        assert self.bob.tools() == self.before
        assert answer["error"]["hint"]
        return answer["error"]

    def lie(self, reference: str, **fields: Any) -> None:
        """Sign a row with other fields."""
        forged(self.out, self.alice, reference, lambda row: replace(row, **fields))

    def lie_of_content(self, reference: str, change: Callable[[dict[str, Any]], None]) -> None:
        """Sign another object for a version."""
        row = row_of(self.out, reference)
        content = msgspec.json.decode((self.out / "objects" / f"{row.object}.json").read_bytes())
        change(content)
        forged(self.out, self.alice, reference, lambda row: row, msgspec.json.encode(content))


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.alice.close()
    made.bob.close()


# A mirror, which cannot sign.


def test_an_object_with_other_bytes_is_refused(scene: Scene) -> None:
    path = scene.out / "objects" / f"{row_of(scene.out, 'square@1').object}.json"
    path.write_bytes(path.read_bytes().replace(b"mul", b"add"))

    assert "another hash" in scene.refused()["message"]


def test_a_signature_over_other_bytes_is_refused(scene: Scene) -> None:
    signature, _, content = (scene.out / MANIFEST).read_bytes().partition(b"\n")
    (scene.out / MANIFEST).write_bytes(signature + b"\n" + content.replace(b'"ops"', b'"opz"'))
    assert "signature" in scene.refused()["message"]

    (scene.out / MANIFEST).write_bytes(b"0" * 128 + b"\n" + content)
    assert "signature" in scene.refused()["message"]


def test_a_root_signed_by_somebody_else_is_refused(scene: Scene, tmp_path: Path) -> None:
    mallory = Peer(tmp_path / "mallory")
    mallory.key()
    rerooted(scene.out, mallory, lambda root: root)
    assert "signature" in scene.refused()["message"]

    rerooted_key = mallory.key()
    mallory_root = read_manifest_of(scene, rerooted_key)
    (scene.out / MANIFEST).write_bytes(signed(KeyFile(mallory.home).sign(mallory_root), mallory_root))
    assert scene.refused()["kind"] == "not_allowed"
    mallory.close()


def read_manifest_of(scene: Scene, key: str) -> bytes:
    """The root of the publication, said to be of another key."""
    content = (scene.out / MANIFEST).read_bytes().partition(b"\n")[2]
    root = msgspec.json.decode(content)
    return encoded({**root, "key": key})


def test_an_older_publication_and_another_of_the_same_number_are_refused(scene: Scene) -> None:
    old = (scene.out / MANIFEST).read_bytes()
    scene.alice.evolve("square", TWICE, force=True, examples=[{"input": 1, "output": 2}])
    scene.alice.publish(scene.out)
    assert scene.bob.pull(scene.out, "square")["added"] == ["square@2"]
    scene.before = scene.bob.tools()
    new = (scene.out / MANIFEST).read_bytes()

    (scene.out / MANIFEST).write_bytes(old)
    assert "older" in scene.refused("fourth")["message"]

    body = encoded(replace(read_manifest(new, ""), time="2031-01-01T00:00:00Z"))
    (scene.out / MANIFEST).write_bytes(signed(KeyFile(scene.alice.home).sign(body), body))
    assert "same number" in scene.refused("fourth")["message"]

    (scene.out / MANIFEST).write_bytes(new)
    assert scene.bob.pull(scene.out, "fourth")["type"] == "pulled"


def test_an_older_publication_is_refused_also_after_a_pull_that_failed(scene: Scene) -> None:
    old = (scene.out / MANIFEST).read_bytes()
    scene.alice.evolve("square", TWICE, force=True, examples=[{"input": 1, "output": 2}])
    scene.alice.publish(scene.out)
    assert "no fifth" in scene.refused("fifth")["message"]
    (scene.out / MANIFEST).write_bytes(old)
    assert "older" in scene.refused("square")["message"]


def test_a_revoked_key_is_refused_for_ever(scene: Scene) -> None:
    trust = TrustFile(scene.bob.home)
    trust.revoke((scene.alice.key(),))

    assert "revoked" in scene.refused()["message"]
    with pytest.raises(RegistryError, match="never trusted again"):
        trust.add(scene.alice.key(), "ops")
    assert trust.read().trusted == {}


# A publisher, who signs what is not so.


def test_a_row_that_lies_about_the_code_is_refused(scene: Scene) -> None:
    other = "pif1:" + "0" * 64
    scene.lie("square@1", hash=other)

    assert "not the version" in scene.refused()["message"]


def test_another_version_in_the_place_of_one_is_refused(scene: Scene) -> None:
    scene.lie("square@1", object=row_of(scene.out, "fourth@1").object)

    assert "not the version" in scene.refused()["message"]


def test_code_that_was_replaced_with_its_hash_is_another_meaning(scene: Scene) -> None:
    scene.alice.evolve("wrong", TWICE)
    hash_ = scene.alice.tools()["wrong@1"]

    def changed(content: dict[str, Any]) -> None:
        content.update(code=TWICE, hash=hash_, examples=[])

    scene.lie_of_content("square@1", changed)
    scene.lie("square@1", hash=hash_)

    assert "would not mean here" in scene.refused()["message"]


def test_names_that_are_said_to_mean_something_else_are_refused(scene: Scene) -> None:
    scene.lie("fourth@1", names={"square": None})
    assert "would not mean here" in scene.refused()["message"]
    scene.lie("fourth@1", names={"square": "std"})
    assert "`square` in its code" in scene.refused()["message"]
    scene.lie("fourth@1", names={"square": "nowhere@7"})
    assert "does not have" in scene.refused()["message"]


def test_rows_that_lead_in_a_circle_or_to_more_than_the_code_names_are_refused(scene: Scene) -> None:
    scene.lie("square@1", names={"fourth": "fourth@1"})

    assert "other names than its code" in scene.refused()["message"]
    assert "other names than its code" in scene.refused("square")["message"]


def test_rows_without_end_are_refused(scene: Scene) -> None:
    row = row_of(scene.out, "fourth@1")
    shards: dict[str, dict[str, Offered]] = {}
    for number in range(2_200):
        name = "fourth" if number == 0 else f"t{number}"
        made = replace(row, names={"x": f"t{number + 1}@1"})
        shards.setdefault(shard_of(name), {})[name] = Offered(1, {"1": made})
    hashes = {}
    for shard, tools in shards.items():
        content = encoded(tools)
        hashes[shard] = object_hash(content)
        (scene.out / "objects" / f"{hashes[shard]}.json").write_bytes(content)
    rerooted(scene.out, scene.alice, lambda root: replace(root, shards=hashes))

    assert "too many others" in scene.refused()["message"]


@pytest.mark.parametrize(
    "name",
    [
        "../square",
        "/etc/passwd",
        "sq/../uare",
        "ѕquare",
        "square\u200b",
        "std.square",
        "evolve",
        ".",
        "s" * 49,
    ],
)
def test_names_that_no_tool_may_have_are_refused(scene: Scene, name: str) -> None:
    """Path names, look-alikes, the library's names, system tools: in shards, in rows, in objects, and as what is asked for."""
    tools = {name: Offered(1, {"1": row_of(scene.out, "square@1")})}
    content = encoded(tools)
    hash_ = object_hash(content)
    (scene.out / "objects" / f"{hash_}.json").write_bytes(content)
    before = (scene.out / MANIFEST).read_bytes()
    rerooted(scene.out, scene.alice, lambda root: replace(root, shards={shard_of(name): hash_}))
    with pytest.raises(RegistryError):
        scene.bob.puller(scene.out).all()
    scene.refused(name)
    (scene.out / MANIFEST).write_bytes(before)

    scene.refused("square", as_name=name)
    scene.lie("fourth@1", names={"square": f"{name}@1"})
    scene.refused()
    scene.lie_of_content("square@1", lambda file: file.update(name=name))
    scene.refused("square")


@pytest.mark.parametrize("hash_", ["../../secret", "A" * 64, "0" * 63, "0" * 64 + "/.."])
def test_what_is_no_hash_is_never_asked_for(scene: Scene, hash_: str) -> None:
    scene.lie("square@1", object=hash_)
    scene.refused()


def test_a_name_here_is_never_given_another_meaning(scene: Scene) -> None:
    """Of the tool itself, of one that it names, of one that it names and the publisher has not, of one of the library."""
    scene.bob.evolve("square", TWICE)
    scene.before = scene.bob.tools()
    error = scene.refused("square")
    assert error["kind"] == "version_conflict"
    assert scene.before["square@1"] in error["found"]
    assert error["expected"] == scene.alice.tools()["square@1"]
    assert "--as" in error["hint"]
    scene.refused("fourth")
    scene.refused("fourth", as_name="power4")

    scene.alice.evolve("open", calling("mine"))
    scene.alice.evolve("gcd", TWICE)
    scene.alice.publish(scene.out)
    assert "`mine` in its code" in scene.refused("open")["message"]
    assert scene.refused("gcd")["kind"] == "version_conflict"
    assert scene.bob.pull(scene.out, "gcd", "their_gcd")["added"] == ["their_gcd@1"]


def test_a_publisher_does_not_replace_what_another_brought(scene: Scene, tmp_path: Path) -> None:
    carol = Peer(tmp_path / "carol")
    carol.evolve("square", SQUARE)
    carol.evolve("square", TWICE)
    carol.publish(tmp_path / "of carol")
    scene.bob.trusts(carol, "carol")
    assert scene.bob.pull(scene.out, "square")["added"] == ["square@1"]
    scene.before = scene.bob.tools()

    assert scene.refused("square", tmp_path / "of carol")["kind"] == "version_conflict"
    carol.close()


def test_an_example_that_does_not_hold_refuses_the_tool_and_all_with_it(scene: Scene) -> None:
    scene.lie_of_content("square@1", lambda file: file.update(examples=[{"input": 3, "output": 10}]))

    assert scene.refused()["kind"] == "example_failed"


def test_laws_are_believed_only_as_they_are_checked_here(scene: Scene) -> None:
    """A false law is dropped, one with a certificate of something else stays a claim."""
    scene.alice.evolve("square", SQUARE, laws=[LAW])
    scene.alice.publish(scene.out)

    def claims(file: dict[str, Any]) -> None:
        (law,) = file["laws"]
        file["laws"] = [
            {**law, "law": "∀(n : ℤ). square(n) ≥ 1", "kleis": ""},
            {**law, "law": "∀(n : ℤ). square(n) = square(0 - n)", "kleis": ""},
        ]

    scene.lie_of_content("square@1", claims)
    answer = scene.bob.pull(scene.out, "square")

    assert answer["added"] == ["square@1"]
    record = scene.bob.workspace.tools().find("square")
    assert record is not None
    assert [(law.law, law.status) for law in read_laws(record.laws)] == [
        ("∀(n : ℤ). square(n) = square(0 - n)", "claimed")
    ]


def test_a_tool_that_is_refused_keeps_no_other_from_coming(scene: Scene) -> None:
    scene.alice.evolve("good", {"lam": "x", "body": "good"})
    scene.alice.publish(scene.out)
    scene.lie_of_content("square@1", lambda file: file.update(examples=[{"input": 3, "output": 10}]))

    answer = scene.bob.puller(scene.out).all()

    assert answer["added"] == ["good@1"]
    assert sorted(each["root"] for each in answer["refused"]) == ["fourth@1", "square@1"]
    assert scene.bob.puller(scene.out).all()["looked_at"] == 2


# Servers and connections.


class Broken(DirectorySource):
    """A publication whose connection ends at a message, the root's being the first."""

    def __init__(self, path: Path, at: int) -> None:
        super().__init__(path)
        self.left = at

    def root(self) -> bytes:
        self._next()
        return super().root()

    def object(self, hash_: str, limit: int) -> bytes:
        self._next()
        return super().object(hash_, limit)

    def _next(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise RegistryError("store_error", "the connection ended", hint="again")


def test_a_connection_that_ends_at_any_message_leaves_nothing_half_done(scene: Scene) -> None:
    ended = 0
    for at in range(20):
        source = Broken(scene.out, at)
        try:
            answer = scene.bob.pull(source, "fourth")
        except RegistryError as error:
            answer = {"type": "error", "error": error.as_json()}
        source.close()
        if answer["type"] == "pulled":
            break
        assert answer["error"]["kind"] == "store_error"
        assert scene.bob.tools() == scene.before
        ended += 1
    assert ended == 5  # the root, two shards, two versions
    assert answer["added"] == ["fourth@1", "square@1"]


Answering = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def web(answer: Answering, *, post: bool = False) -> Iterator[str]:
    """A web server of the attacker's; with `post` it answers these too."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            answer(self)
            self.close_connection = True

        def do_POST(self) -> None:
            assert post
            self.do_GET()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/tools/"
        finally:
            server.shutdown()
            thread.join()


def files(root: Path) -> Answering:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        content = (root / handler.path.removeprefix("/tools/")).read_bytes()
        handler.send_response(200)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def headed(status: int, **headers: str) -> Answering:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()

    return answer


def test_any_web_server_will_do(scene: Scene) -> None:
    with web(files(scene.out)) as address:
        source = opened(address)
        assert scene.bob.pull(source, "fourth")["added"] == ["fourth@1", "square@1"]
        source.close()


def test_a_web_server_may_close_a_kept_connection_while_it_is_asked(scene: Scene) -> None:
    asked: dict[str, int] = {}

    def answer(handler: BaseHTTPRequestHandler) -> None:
        asked[handler.path] = asked.get(handler.path, 0) + 1
        if asked[handler.path] > 1:  # the first time it ends without a byte
            files(scene.out)(handler)

    with web(answer) as address:
        source = opened(address)
        assert scene.bob.pull(source, "fourth")["added"] == ["fourth@1", "square@1"]
        source.close()
    assert len(asked) > 2
    assert set(asked.values()) == {2}


def test_a_web_server_that_ends_every_connection_is_away() -> None:
    asked: list[str] = []
    with (
        web(lambda handler: asked.append(handler.path)) as address,
        closing(opened(address)) as source,
        pytest.raises(RegistryError, match="stopped answering") as refused,
    ):
        source.root()
    assert refused.value.kind == "store_error"
    assert len(asked) == 3


@pytest.mark.parametrize(
    "target",
    [
        "http://127.0.0.1:1/",
        "https://example.org/",
        "file:///etc/passwd",
        "http://169.254.169.254/",
        "//10.0.0.1/",
    ],
)
def test_no_redirect_is_followed(scene: Scene, target: str) -> None:
    with web(headed(302, location=target, content_length="0")) as address:
        assert "no redirect" in scene.refused(source=address)["message"]


def test_more_than_a_file_may_have_is_not_read(scene: Scene) -> None:
    with web(headed(200, content_length=str(10**11))) as address:
        assert "larger" in scene.refused(source=address)["message"]

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("connection", "close")
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"0" * 65_536)
        except OSError:
            return

    with web(endless) as address:
        assert "larger" in scene.refused(source=address)["message"]


def test_nothing_is_unpacked(scene: Scene) -> None:
    def packed(handler: BaseHTTPRequestHandler) -> None:
        content = gzip.compress(bytes(10_000_000))
        handler.send_response(200)
        handler.send_header("content-encoding", "gzip")
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()

    with web(packed) as address:
        assert "packed" in scene.refused(source=address)["message"]


def test_a_file_that_drips_has_a_deadline() -> None:
    moments = iter(range(0, 10_000, 40))

    def drips(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("connection", "close")
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"0")
                handler.wfile.flush()
        except OSError:
            return

    with (
        web(drips) as address,
        WebSource(address, clock=lambda: float(next(moments))) as source,
        pytest.raises(RegistryError) as caught,
    ):
        source.root()
    assert "60 seconds" in (caught.value.found or "")


@pytest.mark.parametrize("status", [404, 403, 500, 204])
def test_a_server_that_has_nothing_is_told_as_that(scene: Scene, status: int) -> None:
    with web(headed(status, content_length="0")) as address:
        assert scene.refused(source=address)["file"].startswith(address.rstrip("/"))


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc",
        "ftp://host/x",
        "http://user:secret@host/",
        "https://host/?q=1",
        "https:///x",
        "http://host/#a",
    ],
)
def test_addresses_that_are_none_are_refused(scene: Scene, address: str) -> None:
    assert "secret" not in scene.refused(source=address).get("message", "")


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"0\n{}", b"[" * 100_000, b"\xff" * 200, b"0" * 128 + b"\n" + b"[" * 100_000]
)
def test_a_root_that_is_none_is_refused(scene: Scene, content: bytes) -> None:
    (scene.out / MANIFEST).write_bytes(content)
    scene.refused()


def test_links_in_a_directory_are_not_followed(scene: Scene, tmp_path: Path) -> None:
    path = scene.out / "objects" / f"{row_of(scene.out, 'square@1').object}.json"
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")

    assert "symbolic link" in scene.refused()["message"]
