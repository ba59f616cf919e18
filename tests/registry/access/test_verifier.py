"""The header `Authorization` as a principal, and what each may do."""

from __future__ import annotations

from pathlib import Path

import pytest

from registry.access.principals import ALL_SCOPES, OWNER, USUAL_SCOPES, Principal
from registry.access.required_scopes import METHODS, TOOLS, scope_of_method, scope_of_tool
from registry.access.tokens import FILE, TokenFile
from registry.access.verifier import Denied, Verifier
from registry.records import SYSTEM_TOOLS
from registry.server.contract.settings import Settings, Site
from registry.server.serve import GROUPS, make_groups

READ = frozenset(("read",))


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def refused(verifier: Verifier, header: bytes) -> Denied:
    with pytest.raises(Denied) as caught:
        verifier.principal(header)
    return caught.value


def test_without_a_secret_and_without_tokens_everybody_is_the_owner(tmp_path: Path) -> None:
    verifier = Verifier("", TokenFile(tmp_path))
    assert verifier.is_open
    assert verifier.principal(b"") == OWNER
    assert verifier.principal(b"Bearer whatever") == OWNER
    assert Verifier().is_open


def test_a_server_that_others_reach_is_never_open(tmp_path: Path) -> None:
    verifier = Verifier("", TokenFile(tmp_path), is_closed=True)
    assert not verifier.is_open
    assert not verifier.has_callers
    assert refused(verifier, b"").status == 401
    TokenFile(tmp_path).create("alice", READ, lambda now: None)
    assert verifier.has_callers


def test_with_a_secret_who_has_it_is_the_owner(tmp_path: Path) -> None:
    verifier = Verifier("the secret", TokenFile(tmp_path))
    assert verifier.principal(b"Bearer the secret") == OWNER
    assert verifier.principal(b"bearer  the secret ") == OWNER
    for wrong in (
        b"",
        b"Bearer",
        b"Bearer the secre",
        b"Bearer the secrets",
        b"Basic the secret",
        b"the secret",
        b"Bearer \xff",
    ):
        assert refused(verifier, wrong).status == 401


def test_a_token_is_its_principal_until_it_ends(tmp_path: Path) -> None:
    clock, file = Clock(), TokenFile(tmp_path)
    token, secret = file.create("alice", READ, lambda now: 2_000.0)
    verifier = Verifier("", TokenFile(tmp_path), clock=clock)
    header = f"Bearer {secret}".encode()
    found = verifier.principal(header)
    assert found == Principal("alice", READ, token.id)
    assert verifier.still_valid(found)
    clock.now = 2_000.0
    assert not verifier.still_valid(found)
    expired = refused(verifier, header)
    clock.now = 1_000.0
    file.revoke("alice")
    gone = refused(verifier, header)
    unknown = refused(verifier, b"Bearer pif_x")
    assert len({(each.status, each.said, each.authenticate) for each in (expired, gone, unknown)}) == 1
    assert not verifier.still_valid(found)


def test_who_came_in_while_it_was_open_stays_only_as_long(tmp_path: Path) -> None:
    verifier = Verifier("", TokenFile(tmp_path))
    owner = verifier.principal(b"")
    assert verifier.still_valid(owner)
    TokenFile(tmp_path).create("alice", READ, lambda now: None)
    assert not verifier.still_valid(owner)
    (tmp_path / FILE).unlink()
    assert not verifier.is_open


# ── scopes ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_tool_has_a_scope_and_every_scope_is_one() -> None:
    assert {group: set(names) for group, names in TOOLS.items()} == {
        group: set(names) for group, names in SYSTEM_TOOLS.items()
    }
    for names in TOOLS.values():
        assert set(names.values()) <= ALL_SCOPES
    assert {scope for scope in METHODS.values() if scope is not None} == {"read"}


def test_every_tool_that_a_server_lists_is_in_the_table(tmp_path: Path) -> None:
    policy = tmp_path / "p.kleis"
    policy.write_text('define check_x(p : String) : String = "allow"\n')
    site = Site(Settings(home=tmp_path, policy=policy, more=True))
    try:
        for group in make_groups(",".join(GROUPS), site):
            for spec in group.tools():
                assert spec.name in TOOLS[group.name], f"{group.name}: {spec.name}"
                assert scope_of_tool(group.name, spec.name) != "admin"
                reads = TOOLS[group.name][spec.name] == "read"
                assert spec.read_only or not reads, f"{spec.name} changes something and needs only `read`"
            group.close()
    finally:
        site.close()


def test_what_is_not_in_the_table_is_for_the_administrator() -> None:
    assert scope_of_method("tools/new") == "admin"
    assert scope_of_tool("pif", "erase") == "admin"
    assert scope_of_tool("a new group", "run") == "admin"


def test_a_tool_of_two_groups_needs_the_scope_of_the_one_that_is_asked() -> None:
    assert scope_of_tool("theory", "evaluate", {}) == "theory"
    assert scope_of_tool("theory", "evaluate", {"scope": "policy"}) == "policy"
    assert scope_of_tool("theory", "evaluate", {"scope": "pif"}) == "theory"
    assert scope_of_tool("theory", "evaluate", "no object") == "theory"


def test_what_a_token_usually_has_serves_the_usual_groups() -> None:
    for group in ("pif", "theory"):
        assert set(TOOLS[group].values()) <= USUAL_SCOPES
