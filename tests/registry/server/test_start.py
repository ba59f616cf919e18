"""The start of a server: which libraries a group loads, and in whose name it says what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.servers.pif_server import pif_server

_LOADED = """
import json, sys
from pathlib import Path
from registry.server import serve
from registry.server.contract.settings import Settings
from registry.server.mcp.mcp_server import McpServer
from registry.server.offers.offer import Offer

def report(groups, **options):
    McpServer(Offer(groups, name="pif", version="1"))
    print(json.dumps(sorted(sys.modules)))
    return 0

serve.serve_stdio = report
from registry.cli.pif import main
main(["--home", sys.argv[1], "serve", "--groups", sys.argv[2]])
"""

SIGNED_IN = [
    "--http",
    "0",
    "--oauth-issuer",
    "https://a.example",
    "--oauth-audience",
    "https://b.example/mcp",
]

LIBRARIES = {
    "z3",
    "cvc5",
    "lark",
    "RestrictedPython",
    "rich",
    "prompt_toolkit",
    "numpy",
    "regex",
    "rpds",
    "sympy",
}
PROVING = {"kleis.syntax", "kleis.theory", "kleis.core", "kleis.elaborate", "kleis.prover.engines",
           "kleis.prover.portfolio", "registry.translate", "registry.oracles", "registry.aristotle"}  # fmt: skip


def loaded(home: Path, groups: str) -> set[str]:
    """The modules that are loaded when a server of these groups is ready."""
    words = [sys.executable, "-c", _LOADED, str(home), groups]
    done = subprocess.run(
        words, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": os.getcwd()}
    )
    return set(json.loads(done.stdout))


def test_the_group_pif_loads_no_prover_and_no_heavy_library(tmp_path: Path) -> None:
    found = loaded(tmp_path, "pif")
    assert "registry.server.groups.pif.group" in found
    assert not found & (LIBRARIES | PROVING)
    assert "registry.server.mcp.http_server" not in found


def test_the_default_groups_load_no_solver(tmp_path: Path) -> None:
    found = loaded(tmp_path, "pif,theory")
    assert "registry.server.groups.theory.group" in found
    assert not found & {
        "z3",
        "cvc5",
        "RestrictedPython",
        "rich",
        "numpy",
        "kleis.prover.engines.solvers.runs",
    }


def test_the_group_pif_is_small_when_idle(tmp_path: Path) -> None:
    """75 MB are promised; a library that is loaded without need takes more than what is added here."""
    with pif_server(tmp_path) as client:
        assert client.memory() < 85_000_000


@pytest.mark.parametrize(
    ("program", "words", "said"),
    [
        ("kleis", ["--groups", "piff"], "there is no group 'piff'"),
        ("kleis", ["--http", "0.0.0.0:0"], "callers need a token"),
        ("pif", ["--http", "nowhere"], "is no address"),
        ("pif", ["--certfile", "x.pem"], "add --http HOST:PORT"),
        ("pif", ["--http", "0", "--keyfile", "x.pem"], "add --certfile FILE"),
        ("pif", ["--http", "0", "--allow-origin", "*"], "write the scheme"),
        ("kleis", ["--http", "0", "--certfile", "none.pem"], "cannot be read"),
        (
            "pif",
            [*SIGNED_IN, "--store", "postgresql://a@127.0.0.1/b?schema=longer_than_fifteen"],
            "48 characters longer",
        ),
    ],
)
def test_what_is_wrong_is_said_by_the_command_that_was_called(
    tmp_path: Path, program: str, words: list[str], said: str
) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIF_", "KLEIS_"))}
    done = subprocess.run(
        [sys.executable, "-P", "-m", f"registry.cli.{program}", "serve", *words],
        env={**kept, "PIF_HOME": str(tmp_path), "PYTHONPATH": os.getcwd()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"{program} serve: ")
    assert said in done.stderr
