"""`kleis serve` and `pif serve` as commands: which groups they offer, the configuration, progress, closed streams."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from registry.cli.demo.client import Connection, connected

_NINE = {
    "evaluate", "describe_schema", "submit_structure", "submit_define", "submit_data", "try_structure", "list_session",
    "load_theory", "save_theory",
}  # fmt: skip

_BAG = "structure Bag(B) { operation (⊙) : B × B → B  axiom same : ∀(x : B). x ⊙ x = x }"


def command(program: str, *arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", f"registry.cli.{program}", *arguments]


def environment(home: Path, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIF_", "KLEIS_"))}
    return {**kept, "PIF_HOME": str(home), "PYTHONPATH": os.getcwd(), **more}


def talk(
    words: list[str], surroundings: dict[str, str], *calls: tuple[str, dict[str, object]]
) -> list[object]:
    """The names of the tools, then the answers to some calls."""

    async def run() -> list[object]:
        async with connected(words, environment=surroundings, diagnostics=sys.stderr) as connection:
            found: list[object] = [await connection.tools()]
            found += [(await connection.call(name, given)).structured for name, given in calls]
            return found

    return asyncio.run(run())


def test_kleis_serve_offers_theories_alone(tmp_path: Path) -> None:
    names, answer = talk(
        command("kleis", "serve", "--home", str(tmp_path / "own")),
        environment(tmp_path / "home"),
        ("submit_define", {"kleis": "define f() : ℤ = 1"}),
    )
    assert isinstance(names, list)
    assert set(names) >= _NINE
    assert "evolve" not in names
    assert isinstance(answer, dict)
    assert answer["accepted"]
    assert (tmp_path / "own" / "sessions" / "default" / "session.kleis").is_file()


def test_pif_serve_offers_pif_and_theories(tmp_path: Path) -> None:
    (names,) = talk(command("pif", "serve"), environment(tmp_path / "home"))
    assert isinstance(names, list)
    assert set(names) >= {*_NINE, "evolve", "run", "help"}
    assert not {"check_action", "undo"} & set(names)


def test_a_configuration_moves_sessions_and_theories(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[theory]\nworkspace_dir = "work"\nsave_dir = "kept"\n')
    talk(
        command("kleis", "serve", "--more"),
        environment(tmp_path / "home", KLEIS_CONFIG=str(file)),
        ("submit_define", {"kleis": "define f() : ℤ = 1"}),
        ("save_theory", {"name": "one"}),
    )
    assert (tmp_path / "work" / "default" / "session.kleis").is_file()
    assert (tmp_path / "kept" / "one.kleis").is_file()


def test_a_broken_configuration_stops_the_server(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[theory")
    done = subprocess.run(
        command("kleis", "serve"),
        env=environment(tmp_path / "home", KLEIS_CONFIG=str(file)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "settings.toml cannot be read" in done.stderr
    assert "Traceback" not in done.stderr


def test_long_work_reports_progress(tmp_path: Path) -> None:
    heard: list[str] = []

    async def run(connection: Connection) -> None:
        answer = await connection.call("submit_structure", {"kleis": _BAG}, listener=heard.append)
        assert answer.structured["accepted"]
        await connection.call("explain", {"expression": "∀(x : B). x ⊙ x = x"}, listener=heard.append)

    async def whole() -> None:
        words = command("kleis", "serve", "--more")
        async with connected(
            words, environment=environment(tmp_path / "home"), diagnostics=sys.stderr
        ) as found:
            await run(found)

    asyncio.run(whole())
    assert "verifying Bag" in heard
    assert "without Bag::same" in heard
