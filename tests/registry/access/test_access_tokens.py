"""Access tokens as principals: their names, their end, and what an issuer's documents may be. Attacks are in `tests.attacks.test_oauth`."""

from __future__ import annotations

import asyncio
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registry.access.access_tokens import LEEWAY, AccessTokens, OAuthPrincipal
from registry.access.issuer import DOCUMENT_BYTES, Issuer, IssuerError, check_url
from registry.access.key_set import KeySet
from registry.access.principals import NAME_RULE, Principal, home_of, issuer_and_subject, oauth_name
from registry.access.tokens import TokenFile
from registry.access.verifier import Denied
from registry.errors import RegistryError
from registry.store.postgres.address import of_principal
from tests.support.servers.issuer import AUDIENCE, TokenIssuer, new_key, token_issuer

ISSUER = "https://auth.example.org"


# ── names ────────────────────────────────────────────────────────────────────────────────────────────────────


@given(st.text(min_size=1, max_size=24), st.text(min_size=1, max_size=24))
def test_issuer_and_subject_can_be_read_from_a_name(issuer: str, subject: str) -> None:
    try:
        name = oauth_name(issuer, subject)
    except ValueError:
        assert len((issuer + subject).encode("utf-8", "surrogatepass")) > 70 or any(
            "\ud800" <= each <= "\udfff" for each in issuer + subject
        )
        return
    assert issuer_and_subject(name) == (issuer, subject)
    assert name.isascii()
    assert name == name.lower()
    assert home_of(Path("/home"), Principal(name, frozenset())).parent == Path("/home/principals")


@given(st.from_regex(NAME_RULE, fullmatch=True))
def test_no_name_of_a_local_principal_is_one_of_a_subject(name: str) -> None:
    assert issuer_and_subject(name) is None
    with pytest.raises(RegistryError):
        TokenFile(Path("/nowhere")).create(oauth_name(ISSUER, name), frozenset(), lambda now: None)


@pytest.mark.parametrize(
    "name",
    ["oauth.", "oauth..", "oauth.a", "oauth.a.b.c", "oauth.a./b", "oauth.a.B", "oauth.a._2", "oauth.a._61", "oauth.a._ff", "oauth.a.b\n",
     "oauth.a.../b", "xoauth.a.b", "oauth.a._2E"],
)  # fmt: skip
def test_what_no_subject_is_called(name: str, tmp_path: Path) -> None:
    assert issuer_and_subject(name) is None
    with pytest.raises(RegistryError):
        home_of(tmp_path, Principal(name, frozenset()))


def test_schemas_of_subjects_are_those_of_nobody_else() -> None:
    names = [oauth_name(ISSUER, each) for each in ("alice", "Alice", "a-b", "a_b", "x" * 150)]
    urls = [
        of_principal("postgresql://h/d", each) for each in [*names, "alice", "oauth", "oauth-" + "a" * 26]
    ]
    assert len(set(urls)) == len(urls)
    assert all(len(each.partition("schema=")[2]) <= 63 for each in urls)


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def judged(issuer: TokenIssuer, token: str, **options: Any) -> OAuthPrincipal:
    keys = KeySet(Issuer(issuer.url).keys)
    return asyncio.run(AccessTokens(issuer.url, [AUDIENCE], keys, **options).principal(token))


def test_a_stream_ends_with_its_token_with_its_key_and_with_its_subject(tmp_path: Path) -> None:
    async def talk(issuer: TokenIssuer) -> None:
        file = TokenFile(tmp_path)
        clock, ticks = Clock(issuer.claims()["iat"]), Clock(0.0)
        keys = KeySet(Issuer(issuer.url).keys, ticks)
        tokens = AccessTokens(issuer.url, [AUDIENCE], keys, tokens=TokenFile(tmp_path), clock=clock)
        alice = await tokens.principal(issuer.token("alice"))
        bob = await tokens.principal(issuer.token("bob", iat=int(clock.now) - 100))
        assert tokens.still_valid(alice)
        clock.now = alice.ends
        assert not tokens.still_valid(alice)
        clock.now -= 1
        assert tokens.still_valid(bob)
        file.revoke(bob.name)
        assert not tokens.still_valid(bob)
        assert tokens.still_valid(alice)
        issuer.published = {"keys": [new_key("two").jwk]}
        ticks.now += 301
        assert tokens.still_valid(alice)  # which lets the keys be looked for
        while keys._asking is not None:
            await asyncio.sleep(0.01)
        assert not tokens.still_valid(alice)

    with token_issuer() as issuer:
        asyncio.run(talk(issuer))


def test_a_subject_that_was_cut_off_comes_in_with_what_is_issued_later(tmp_path: Path) -> None:
    with token_issuer() as issuer:
        now = issuer.claims()["iat"]
        name = oauth_name(issuer.url, "bob")
        (row,) = TokenFile(tmp_path, Clock(now - 2 * LEEWAY)).revoke(name)
        assert (row.name, row.scopes, row.revoked) == (name, (), now - 2 * LEEWAY)
        with pytest.raises(Denied):
            judged(issuer, issuer.token("bob", iat=int(now - 2 * LEEWAY)), tokens=TokenFile(tmp_path))
        assert judged(issuer, issuer.token("bob", iat=now), tokens=TokenFile(tmp_path)).subject == "bob"
        TokenFile(tmp_path, Clock(now)).revoke(name)
        assert len(TokenFile(tmp_path).read()) == 1
        with pytest.raises(Denied):
            judged(issuer, issuer.token("bob", iat=now), tokens=TokenFile(tmp_path))


def test_tokens_of_older_servers_are_taken_where_that_is_asked_for() -> None:
    with token_issuer() as issuer:
        for kind in ("JWT", None, "application/jwt"):
            made = issuer.token(
                headers={"typ": kind}, scope=None, scp=["read", "openid"], client_id=None, azp="a client"
            )
            with pytest.raises(Denied):
                judged(issuer, made)
            found = judged(issuer, made, any_type=True)
            assert (found.scopes, found.client) == ({"read"}, "a client")
        for kind in ("dpop+jwt", "logout+jwt", "id-jag+jwt"):
            with pytest.raises(Denied):
                judged(issuer, issuer.token(headers={"typ": kind}), any_type=True)


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "RS512", "ES256", "ES384", "ES512", "EdDSA"])
def test_algorithms_that_are_taken(algorithm: str) -> None:
    with token_issuer() as issuer:
        key = new_key(f"of {algorithm}", algorithm)
        issuer.published = {"keys": [key.jwk]}
        assert judged(issuer, issuer.token("ann", key=key)).subject == "ann"


# ── the issuer ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "url",
    ["", "auth.example.org", "ftp://x.org", "http://auth.example.org", "https://", "https:///x", "https://u@x.org", "https://x.org?a",
     "https://x.org#a", "https://x.org:99999", "https://x .org", 'https://x.org/"', "https://ünicode.org", "http://127.0.0.1.evil.org",
     "https://x.org/?", "file:///etc/passwd"],
)  # fmt: skip
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(ValueError, match="--oauth-issuer"):
        check_url("--oauth-issuer", url)


def test_metadata_of_openid_are_found_too_and_a_path_is_kept() -> None:
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            where = f"http://127.0.0.1:{self.server.server_address[1]}"  # type: ignore[index,str-bytes-safe]
            answers: dict[str, tuple[int, bytes]] = {
                "/tenant/.well-known/openid-configuration": (200, f'{{"issuer": "{where}/tenant", "jwks_uri": "{where}/keys"}}'.encode()),
                "/keys": (200, b"the keys"), "/huge": (200, b"x" * (DOCUMENT_BYTES + 1)), "/moved": (302, b""),
            }  # fmt: skip
            status, body = answers.get(self.path, (404, b""))
            self.send_response(status)
            self.send_header("Location", "/keys")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    where = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        assert Issuer(f"{where}/tenant").keys() == b"the keys"
        assert asked[0] == "/.well-known/oauth-authorization-server/tenant"
        assert Issuer("https://named.example.org", f"{where}/keys").keys() == b"the keys"
        for path in ("/huge", "/moved", "/nothing"):
            with pytest.raises(IssuerError, match=path):
                Issuer("https://named.example.org", where + path).keys()
    finally:
        server.shutdown()
        server.server_close()
    with pytest.raises(IssuerError):
        Issuer(where).keys()
