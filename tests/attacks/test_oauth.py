"""Access tokens of an authorization server: forged, stale, misdirected, confused. None of them lets anybody in.

The server is a real process; the issuer of tokens answers on this machine and signs what a test wants signed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.access.principals import oauth_name
from registry.access.tokens import FILE, TokenFile
from tests.attacks.test_principals import GUESSES, SQUARE, evolved
from tests.support.servers.http_server import Served, serving
from tests.support.servers.issuer import AUDIENCE, TokenIssuer, new_key, token_issuer
from tests.support.servers.principals import Caller, token


class Scene:
    def __init__(self, server: Served, home: Path, issuer: TokenIssuer) -> None:
        self.server = server
        self.home = home
        self.issuer = issuer

    def caller(self, subject: str = "alice", **changed: Any) -> Caller:
        return Caller(self.server, self.issuer.token(subject, **changed))

    def status_of(self, sent: str) -> tuple[int, str]:
        status, challenge = Caller(self.server, sent).status_of("list")
        return status, challenge

    def is_refused(self, sent: str) -> bool:
        status, challenge = self.status_of(sent)
        return status == 401 and 'error="invalid_token"' in challenge and "resource_metadata=" in challenge


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    home = tmp_path_factory.mktemp("home")
    with (
        token_issuer() as issuer,
        serving(
            home, groups="pif,theory", more=True, oauth_issuer=issuer.url, oauth_audience=AUDIENCE
        ) as server,
    ):
        yield Scene(server, home, issuer)
        server.process.send_signal(signal.SIGTERM)
        assert server.ended()[0] == 0


def part(value: Any) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def by_hand(scene: Scene, header: Any, claims: Any = None, signature: bytes | None = None) -> str:
    """A token with any header, signed with the issuer's own key unless a signature is given."""
    signed = f"{part(header)}.{part(scene.issuer.claims() if claims is None else claims)}"
    if signature is None:
        from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
        from cryptography.hazmat.primitives.hashes import SHA256

        signature = scene.issuer.key.private.sign(signed.encode(), PKCS1v15(), SHA256())
    return f"{signed}.{part(signature)}"


def with_secret(signed: str, secret: bytes) -> str:
    return f"{signed}.{part(hmac.new(secret, signed.encode(), hashlib.sha256).digest())}"


def test_a_good_token_lets_its_principal_in_and_nobody_else(scene: Scene) -> None:
    assert scene.status_of(scene.issuer.token())[0] == 200
    assert scene.status_of("")[0] == 401
    assert by_hand(scene, {"alg": "RS256", "typ": "at+jwt", "kid": "one"}).count(".") == 2
    assert scene.status_of(by_hand(scene, {"alg": "RS256", "typ": "at+jwt", "kid": "one"}))[0] == 200


CLAIMS: list[dict[str, Any]] = [
    {"exp": 1}, {"exp": None}, {"exp": "soon"}, {"exp": "99999999999"}, {"exp": True}, {"exp": [99999999999]}, {"exp": 1e400},
    {"exp": -1}, {"nbf": 4_000_000_000}, {"nbf": "now"}, {"nbf": True}, {"iat": 4_000_000_000}, {"iat": None},
    {"iat": "1"}, {"aud": "https://other.example.org/mcp"}, {"aud": ["https://other.example.org/mcp"]}, {"aud": None}, {"aud": ""},
    {"aud": []}, {"aud": [AUDIENCE, 7]}, {"aud": {AUDIENCE: 1}}, {"aud": AUDIENCE + "/more"}, {"aud": AUDIENCE[:-1]},
    {"aud": "https://pif.example.org"}, {"aud": AUDIENCE.upper()}, {"aud": "a client"}, {"iss": "https://evil.example.org"},
    {"iss": None}, {"iss": ["x"]}, {"iss": ""}, {"sub": None}, {"sub": ""}, {"sub": 7}, {"sub": "x" * 300}, {"sub": ["alice"]},
    {"sub": "A" * 100}, {"cnf": {"jkt": "x"}}, {"cnf": {}}, {"scope": 7}, {"scope": ["read"]}, {"scope": {"read": 1}},
]  # fmt: skip


@pytest.mark.parametrize("changed", CLAIMS, ids=lambda each: json.dumps(each)[:48])
def test_claims_that_do_not_hold_here(scene: Scene, changed: dict[str, Any]) -> None:
    assert scene.is_refused(scene.issuer.token(**changed))


def test_the_issuer_is_compared_letter_by_letter(scene: Scene) -> None:
    for near in (
        scene.issuer.url + "/",
        scene.issuer.url.upper(),
        scene.issuer.url.replace("127.0.0.1", "localhost"),
    ):
        assert scene.is_refused(scene.issuer.token(iss=near))


@pytest.mark.parametrize(
    "header",
    [{"typ": "JWT"}, {"typ": None}, {"typ": ""}, {"typ": "at+jwt2"}, {"typ": "dpop+jwt"}, {"typ": "id-jag+jwt"},
     {"typ": "logout+jwt"}, {"typ": 7}, {"typ": ["at+jwt"]}, {"kid": "../../etc/passwd"}, {"kid": "one' OR '1'='1"},
     {"kid": ""}, {"kid": "one\u0000"}, {"crit": ["exp"], "exp": 1}, {"crit": ["x"], "x": 1}, {"crit": []},
     {"b64": False, "crit": ["b64"]}],
    ids=lambda each: json.dumps(each)[:48],
)  # fmt: skip
def test_headers_of_what_is_no_access_token(scene: Scene, header: dict[str, Any]) -> None:
    usual = {"alg": "RS256", "typ": "at+jwt", "kid": "one"}
    made = {name: value for name, value in {**usual, **header}.items() if value is not None}
    assert scene.is_refused(by_hand(scene, made))


@pytest.mark.parametrize(
    "algorithm",
    ["none", "None", "NONE", "nOnE", "", None, ["RS256"], {"a": 1}, 7, True, "RS1", "HS256", "dir"],
)
@pytest.mark.parametrize("signature", [b"", b"x" * 256, None], ids=["unsigned", "junk", "signed"])
def test_algorithms_that_are_none(scene: Scene, algorithm: Any, signature: bytes | None) -> None:
    assert scene.is_refused(
        by_hand(scene, {"alg": algorithm, "typ": "at+jwt", "kid": "one"}, signature=signature)
    )


@pytest.mark.parametrize(
    "form", ["pem", "pem without the last line end", "der", "modulus", "jwk", "empty", "kid"]
)
def test_a_public_key_is_no_secret_to_sign_with(scene: Scene, form: str) -> None:
    key = scene.issuer.key
    secret = {
        "pem": key.pem, "pem without the last line end": key.pem.rstrip(), "empty": b"", "kid": b"one",
        "der": base64.b64decode(b"".join(key.pem.splitlines()[1:-1])), "modulus": key.jwk["n"].encode(),
        "jwk": json.dumps(key.jwk).encode(),
    }[form]  # fmt: skip
    signed = f"{part({'alg': 'HS256', 'typ': 'at+jwt', 'kid': 'one'})}.{part(scene.issuer.claims())}"
    assert scene.is_refused(with_secret(signed, secret))


def test_keys_of_others_sign_nothing(scene: Scene) -> None:
    theirs = new_key("one of another")
    assert scene.is_refused(scene.issuer.token(key=theirs, headers={"kid": "one"}))
    assert scene.is_refused(scene.issuer.token(key=theirs))
    assert scene.is_refused(scene.issuer.token(key=theirs, headers={"kid": None}))
    assert scene.is_refused(scene.issuer.token(key=new_key("curve", "ES256"), headers={"kid": "one"}))


def test_keys_that_a_token_brings_along_are_not_asked_for(scene: Scene) -> None:
    with token_issuer() as theirs:
        theirs.key = new_key("one of another")
        theirs.published = {"keys": [{**theirs.key.jwk, "kid": "one"}]}
        for header in (
            {"jku": f"{theirs.url}/jwks"}, {"x5u": f"{theirs.url}/jwks"}, {"jwk": theirs.key.jwk}, {"x5c": ["MIIB"]},
            {"jku": f"{theirs.url}/jwks", "crit": ["jku"]}, {"jku": "file:///etc/passwd"}, {"x5u": "http://169.254.169.254/"},
        ):  # fmt: skip
            made = theirs.token(headers={"kid": "one", **header}, iss=scene.issuer.url)
            assert scene.is_refused(made)
            assert scene.is_refused(theirs.token(headers=header))
        assert not theirs.asked


def mangled(good: str) -> Iterator[str]:
    head, body, signature = good.split(".")
    yield from (
        f"{head}.{body}.",
        f"{head}.{body}",
        head,
        f"{head}..{signature}",
        f".{body}.{signature}",
        "..",
        "...",
        ".",
    )
    yield f"{head}.{body}.{signature[:-4]}"
    yield f"{head}.{body}.{signature}.{signature}"
    yield f"{head}.{body}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}"
    yield f"{head}.{part({'sub': 'admin'})}.{signature}"
    yield f"{head}.{body[:-2]}.{signature}"
    yield f"{good}{'A' * 9_000}"
    yield f"{head}.{'A' * 12_000}.{signature}"
    yield f"{part(b'[' * 3_000)}.{body}.{signature}"
    yield f"{part(b'{' + b'a' * 10)}.{body}.{signature}"
    yield f"{part(bytes([255]) * 40)}.{body}.{signature}"
    yield f"{part([1])}.{body}.{signature}"
    yield "eyJ" + "." * 2_000
    yield good.replace(".", "。")
    yield f"{good} {good}"


def test_what_is_no_token_and_what_is_huge(scene: Scene) -> None:
    for sent in mangled(scene.issuer.token()):
        assert Caller(scene.server, sent.encode().decode("latin-1")).status_of("list")[0] in (401, 431)
    assert scene.status_of(scene.issuer.token())[0] == 200


def test_guessed_keys_ask_the_issuer_a_bounded_number_of_times(scene: Scene) -> None:
    assert scene.status_of(scene.issuer.token())[0] == 200
    before = scene.issuer.asked["/jwks"]
    for number in range(60):
        assert scene.is_refused(scene.issuer.token(headers={"kid": f"guessed {number}"}))
    assert scene.issuer.asked["/jwks"] - before <= 4
    assert scene.status_of(scene.issuer.token())[0] == 200


# ── scopes ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_scopes_are_those_of_the_token_by_the_same_table(scene: Scene) -> None:
    reader = scene.caller("rita", scope="openid read profile")
    assert reader.status_of("list")[0] == 200
    for tool, arguments, scope in (
        ("run", {"code": 1}, "run"), ("evolve", {"name": "x", "description": "x", "code": SQUARE}, "evolve"),
        ("evaluate", {"expression": "1 = 1"}, "theory"),
    ):  # fmt: skip
        status, challenge = reader.status_of(tool, **arguments)
        assert status == 403
        assert 'error="insufficient_scope"' in challenge
        assert f'scope="{scope}"' in challenge
        assert "resource_metadata=" in challenge
    assert reader.tools() == {"list", "help", "history", "diff", "describe_schema", "list_session"}
    assert scene.server.request("GET", "/metrics", **reader.headers)[0] == 403
    assert scene.server.request("GET", "/metrics", **scene.caller("adam", scope="admin").headers)[0] == 200
    for scope in (None, "", "READ", "reading", "read,run", "openid"):
        assert scene.caller("nobody", scope=scope).status_of("list")[0] == 403


# ── principals ───────────────────────────────────────────────────────────────────────────────────────────────


def seen(caller: Caller) -> list[Any]:
    told = [(tool, caller.call(tool, **arguments)) for tool, arguments in GUESSES]
    return [*told, *(caller.ask(method) for method in ("tools/list", "resources/list"))]


def test_two_principals_see_nothing_of_each_other(scene: Scene) -> None:
    alice, mallory = scene.caller("alice"), scene.caller("mallory")
    seen(mallory)
    before = seen(mallory)
    evolved(alice, "secret_sum", description="adds what is secret")
    assert alice.call("submit_define", kleis="define hidden(x : ℤ) : ℤ = x * 7", session="plans")["accepted"]
    assert seen(mallory) == before
    again = scene.caller("alice", jti="another token of hers")
    assert again.call("secret_sum", input=5)["value"] == 25


def test_a_subject_is_nobody_else_whatever_it_is_called(scene: Scene) -> None:
    local = Caller(scene.server, token(scene.home, "carol"))
    evolved(local, "of_carol")
    owner = Caller(scene.server, token(scene.home, "owner"))
    evolved(owner, "of_the_owner")
    subjects = [
        "carol", "owner", "Carol", "CAROL", "../carol", "..", ".", "carol/..", "carol\u0000", "/", "principals/carol", "~",
        "carol ", "c\u00e4rol", "ca\u0308rol", "_63arol", "oauth.carol", "-rf", "%2e%2e", "carol\n", "𝒸arol",
    ]  # fmt: skip
    for number, subject in enumerate(subjects):
        caller = scene.caller(subject)
        assert caller.call("list")["total"] == 0, ascii(subject)
        if number % 8 == 0:
            evolved(caller, "mine")
    names = {each.name for each in (scene.home / "principals").iterdir()}
    assert {oauth_name(scene.issuer.url, each) for each in subjects} <= names
    assert all(each.isascii() and each == each.lower() and len(each) < 256 for each in names)
    assert local.call("list")["total"] == 1


def test_a_session_of_the_older_protocol_is_closed_to_another(scene: Scene) -> None:
    from tests.support.servers.raw_client import initialize

    alice, mallory = scene.caller("alice"), scene.caller("mallory")
    body = json.dumps(initialize(1)).encode()
    status, received, _ = scene.server.request("POST", "/mcp", body, **alice.headers)
    assert status == 200
    session = {"Mcp-Session-Id": received["mcp-session-id"]}
    ping = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"}).encode()
    assert scene.server.request("POST", "/mcp", ping, **session, **mallory.headers)[0] == 404
    assert (
        scene.server.request("POST", "/mcp", ping, **session, **scene.caller("alice", jti="renewed").headers)[
            0
        ]
        == 200
    )
    other = scene.caller("alice", client_id="another client")  # of hers, but not the one that opened it
    assert scene.server.request("POST", "/mcp", ping, **session, **other.headers)[0] == 404
    assert scene.server.request("POST", "/mcp", ping, **session, **alice.headers)[0] == 200


# ── revocation, rotation, loss ───────────────────────────────────────────────────────────────────────────────


def test_a_principal_that_the_owner_cuts_off_replays_nothing(scene: Scene) -> None:
    gone = scene.issuer.token("gone", iat=int(time.time()) - 60)
    other = scene.issuer.token("other", iat=int(time.time()) - 60)
    assert scene.status_of(gone)[0] == 200
    TokenFile(scene.home).revoke(oauth_name(scene.issuer.url, "gone"))
    assert scene.is_refused(gone)
    assert scene.is_refused(scene.issuer.token("gone", iat=int(time.time()) - 1))
    assert scene.status_of(other)[0] == 200


def in_order(tmp_path: Path, *steps: Callable[[Scene], None]) -> None:
    with (
        token_issuer() as issuer,
        serving(tmp_path, oauth_issuer=issuer.url, oauth_audience=AUDIENCE) as server,
    ):
        made = Scene(server, tmp_path, issuer)
        for step in steps:
            step(made)


def test_keys_are_rotated_and_what_was_withdrawn_signs_nothing(tmp_path: Path) -> None:
    def talk(scene: Scene) -> None:
        first, second = scene.issuer.key, new_key("two", "ES256")
        old, new = scene.issuer.token(), scene.issuer.token(key=second)
        assert scene.status_of(old)[0] == 200
        assert scene.is_refused(new)
        scene.issuer.published = {"keys": [first.jwk, second.jwk]}
        assert scene.status_of(new)[0] == 200
        assert scene.status_of(old)[0] == 200
        scene.issuer.published = {"keys": [second.jwk]}
        assert scene.is_refused(
            scene.issuer.token(headers={"kid": "unknown"})
        )  # which lets the keys be looked for
        assert scene.is_refused(old)
        assert scene.status_of(new)[0] == 200

    in_order(tmp_path, talk)


def test_without_the_issuer_s_keys_nobody_is_let_in_and_known_keys_are_kept(tmp_path: Path) -> None:
    def talk(scene: Scene) -> None:
        local = Caller(scene.server, token(scene.home, "carol"))
        scene.issuer.is_lost = True
        assert scene.status_of(scene.issuer.token())[0] == 503
        assert local.status_of("list")[0] == 200
        scene.issuer.is_lost = False
        assert scene.status_of(scene.issuer.token())[0] == 200
        scene.issuer.is_lost = True
        assert scene.status_of(scene.issuer.token())[0] == 200
        assert scene.is_refused(scene.issuer.token(headers={"kid": "unknown"}))
        assert scene.status_of(scene.issuer.token())[0] == 200

    in_order(tmp_path, talk)


def test_an_issuer_that_says_it_is_another_is_not_believed(tmp_path: Path) -> None:
    def talk(scene: Scene) -> None:
        scene.issuer.metadata["issuer"] = "https://another.example.org"
        assert scene.status_of(scene.issuer.token())[0] == 503
        scene.issuer.metadata |= {"issuer": scene.issuer.url, "jwks_uri": "file:///etc/passwd"}
        assert scene.status_of(scene.issuer.token())[0] == 503

    in_order(tmp_path, talk)


def test_tokens_that_cannot_be_read_let_nobody_in_by_an_issuer_either(tmp_path: Path) -> None:
    def talk(scene: Scene) -> None:
        good = scene.issuer.token()
        assert scene.status_of(good)[0] == 200
        (scene.home / FILE).parent.mkdir(exist_ok=True)
        (scene.home / FILE).write_bytes(b"{")
        assert scene.status_of(good)[0] == 503  # who was cut off stands in it

    in_order(tmp_path, talk)


def test_no_log_and_no_answer_holds_a_token(tmp_path: Path) -> None:
    with (
        token_issuer() as issuer,
        serving(
            tmp_path, log="json", log_arguments=True, oauth_issuer=issuer.url, oauth_audience=AUDIENCE
        ) as server,
    ):
        good, wrong = issuer.token("alice"), issuer.token("alice", aud="https://other.example.org")
        assert Caller(server, good).call("list")["total"] == 0
        for sent in (wrong, good + "x"):
            status, headers, text = server.request("POST", "/mcp", b"{}", Authorization=f"Bearer {sent}")
            assert status == 401
            assert sent not in str(headers) + text.decode()
        server.process.send_signal(signal.SIGTERM)
        status, said = server.ended()
    assert status == 0
    lines = [json.loads(each) for each in said.splitlines()]
    assert f"principal {oauth_name(issuer.url, 'alice')}" in [each.get("client") for each in lines]
    assert any("not for this resource" in each["message"] for each in lines)
    for sent in (good, wrong):
        assert not any(each in said for each in sent.split("."))


def test_streams_end_with_their_token_and_a_session_goes_on_with_the_next(scene: Scene) -> None:
    from tests.support.servers.http_server import until_closed
    from tests.support.servers.raw_client import initialize

    def sent(caller: Caller, method: str, message: Any, **headers: str) -> int:
        body = None if message is None else json.dumps(message).encode()
        return scene.server.request(method, "/mcp", body, **headers, **caller.headers)[0]

    soon = int(time.time()) + 3
    first, second = scene.caller("sara", exp=soon), scene.caller("sara")
    body = json.dumps(initialize(1)).encode()
    status, received, _ = scene.server.request("POST", "/mcp", body, **first.headers)
    assert status == 200
    session = {"Mcp-Session-Id": received["mcp-session-id"]}
    with scene.server.connect() as connection:
        lines = [
            "GET /mcp HTTP/1.1",
            "Host: 127.0.0.1",
            "Accept: text/event-stream",
            f"Mcp-Session-Id: {session['Mcp-Session-Id']}",
        ]
        authorization = f"Authorization: {first.headers['Authorization']}"
        connection.sendall("\r\n".join([*lines, authorization, "Connection: close", "", ""]).encode())
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert sent(second, "POST", ping, **session) == 200
        until_closed(connection)  # or the test ends by the connection's patience
    assert time.time() >= soon
    assert sent(first, "POST", ping, **session) == 401
    assert sent(second, "POST", ping, **session) == 200
    TokenFile(scene.home).revoke(oauth_name(scene.issuer.url, "sara"))
    assert sent(second, "POST", ping, **session) == 401
