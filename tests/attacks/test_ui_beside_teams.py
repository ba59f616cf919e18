"""`pif ui` on a home that has principals and teams: its page is the owner's, and no token of anybody else opens it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from registry.access.principals import ALL_SCOPES
from registry.access.teams import TeamFile
from tests.browser.ui_process import Ui
from tests.support.servers.http_server import serving
from tests.support.servers.principals import Caller, token

SQUARE = {"lam": "x", "body": {"mul": [{"var": "x"}, {"var": "x"}]}}


def test_the_page_shows_nothing_of_a_principal_and_opens_for_no_token_but_its_own(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    teams = TeamFile(home)
    teams.create("ops")
    teams.add("ops", "alice", "write")
    secrets = {name: token(home, name, ALL_SCOPES) for name in ("alice", "mallory", "owner")}
    with serving(home, groups="pif,theory", more=True) as server:
        alice = Caller(server, secrets["alice"])
        for name in ("of_alice_alone", "team/ops/shared"):
            assert alice.call("evolve", name=name, description="d", code=SQUARE)["type"] == "tool"
        defined = alice.call("submit_define", kleis="define hidden(x : ℤ) : ℤ = x * 7", session="plans")
        assert defined["accepted"]
        ui = Ui(tmp_path)
        try:

            def asked(tool: str, /, **arguments: Any) -> Any:
                status, answer = ui.call(tool, arguments)
                assert status == 200, answer
                return answer.get("result", answer.get("error"))

            told = [
                asked("list"),
                asked("list", query="of_alice"),
                asked("run", tool="of_alice_alone", input=3),
                asked("history", name="of_alice_alone"),
                asked("list_session", session="*"),
                asked("describe_schema", session="plans"),
                asked("evaluate", expression="hidden(3)", session="plans"),
                asked("evaluate", expression="hidden(3)", session="../principals/alice/sessions/plans"),
            ]
            assert told[2]["isError"]
            assert told[3]["isError"]
            said = json.dumps(told)
            assert "x * 7" not in said
            assert '"21"' not in said
            assert '"value": 9' not in said
            # The owner reads every team, and the page of it changes nothing there.
            assert asked("run", tool="team/ops/shared", input=3)["structuredContent"]["value"] == 9
            for tool in ("evolve", "forget", "submit_define", "save_theory", "undo"):
                refused = asked(tool, name="team/ops/shared", description="d", code=SQUARE)
                assert refused["structuredContent"]["error"]["kind"] == "unknown_tool", refused
            for secret in (*secrets.values(), "", ui.token.swapcase(), ui.token[:-1]):
                assert ui.call("list", {}, Authorization=f"Bearer {secret}")[0] == 401
            # … nor does the page's secret open the server beside it, whose principals see no more than before.
            assert Caller(server, ui.token).status_of("list")[0] == 401
            mallory = Caller(server, secrets["mallory"])
            assert mallory.call("list")["total"] == 0
            assert mallory.call("run", tool="team/ops/shared", input=3)["type"] == "error"
        finally:
            ui.process.kill()
            ui.process.communicate()
