"""README.md as a newcomer follows it: its commands in order, in one shell, with a home and an environment of its own.

Some `sh` blocks are ways to install the product, one of which a reader chooses: the word behind `sh` names the way. For each
way all blocks of that way and all blocks without such a word are run in a fresh copy of the working tree. The shell finds the
system's commands, Python, and the installer that the way is named after; `pif` and `kleis` come from README's own commands.
`make test` is shown, not run, as it would run this test again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.guide.test_documents import check_server
from tests.guide.transcripts import ROOT, Block, blocks, exchanges, matches

README = ROOT / "README.md"
WAYS = sorted({block.info.split()[1] for block in blocks(README) if re.match(r"sh \w", block.info)})
PACKAGES = {"pipx": "pipx", "uv": "uv", "make": "uv"}
"""What a reader of each way has besides Python. `make` uses uv where it is there, and else pip, as in CI; uv is quicker."""

_END = "\x1e"
_NETWORK = ("PIP_", "UV_", "SSL_", "REQUESTS_", "HTTP_", "HTTPS_", "NO_PROXY", "ALL_PROXY", "LANG", "LC_")


@dataclass(frozen=True)
class Command:
    """A command that README shows; what it must print, where README says so; and the line of its block."""

    text: str
    expected: str | None
    line: int


def of_way(way: str) -> list[Block]:
    """The blocks that a reader follows who installs in this way."""
    return [
        block for block in blocks(README) if not re.match(r"sh \w", block.info) or block.info == f"sh {way}"
    ]


def commands(way: str) -> list[Command]:
    """What that reader types, in order."""
    found = []
    for block in of_way(way):
        if block.info.startswith("sh"):
            lines = re.sub(r"(?m)^make test\b", "make --dry-run test", block.text).splitlines()
            found += [Command(line, None, block.line) for line in lines if line.split("#")[0].strip()]
        elif block.info == "console":
            found += [Command(each.command, each.expected, block.line) for each in exchanges(block)]
    return found


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the working tree as a fresh clone would have it, changes that are not committed included."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip(f"no checkout: {listed.stderr.decode().strip()}")
    for name in filter(None, os.fsdecode(listed.stdout).split("\0")):
        if (ROOT / name).is_file():
            (tmp_path / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / "checkout" / name)
    return tmp_path / "checkout"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A new user's: an empty home, Python and the system's commands; packages are cached where they are for others."""
    made = subprocess.run(
        [sys.executable, "-m", "venv", str(tmp_path / "tools")], capture_output=True, text=True, check=False
    )
    if made.returncode:
        pytest.skip(f"Python makes no environments here: {made.stdout.strip()}")
    (tmp_path / "user").mkdir()
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    settings = [Path.home() / ".config/pip/pip.conf", Path.home() / ".pip/pip.conf", Path(os.devnull)]
    return {
        "PIP_CONFIG_FILE": str(next(path for path in settings if path.exists())),
        "PIP_CACHE_DIR": str(cache / "pip"),
        "UV_CACHE_DIR": str(cache / "uv"),
        **{name: value for name, value in os.environ.items() if name.upper().startswith(_NETWORK)},
        "HOME": str(tmp_path / "user"),
        "PATH": f"{tmp_path / 'tools' / 'bin'}{os.pathsep}{os.defpath}",
        "NO_COLOR": "1",
    }


@pytest.mark.parametrize("way", WAYS)
def test_readme(way: str, checkout: Path, environment: dict[str, str], tmp_path: Path) -> None:
    installer = PACKAGES.get(way, "hatchling")
    fetch = [["pip", "install", "--quiet", installer]]
    if installer == "uv":  # which has indexes of its own
        fetch.append(
            ["uv", "pip", "install", "--quiet", "--dry-run", "--python", sys.executable, "hatchling"]
        )
    for words in fetch:
        program = str(tmp_path / "tools" / "bin" / words[0])
        fetched = subprocess.run(
            [program, *words[1:]], env=environment, capture_output=True, text=True, check=False
        )
        if fetched.returncode:
            pytest.skip(f"no package index: {' '.join(words)}: {fetched.stderr.strip()}")
    if way == "make" and shutil.which("make", path=environment["PATH"]) is None:
        pytest.skip("make is not installed")

    shown = commands(way)
    outputs, path = follow(shown, checkout, environment)
    for command, (output, status) in zip(shown, outputs, strict=True):
        place = f"README.md:{command.line}: {command.text}\n"
        if command.expected is None:
            assert status == 0, f"{place}ended with status {status}:\n{output}"
        else:
            assert matches(command.expected, output), (
                f"{place}expected:\n{command.expected}\nprinted:\n{output}"
            )
    for block in of_way(way):
        if block.info == "json config":
            (servers,) = json.loads(block.text.replace("/path/to/pif-kleis", str(checkout))).values()
            for server in servers.values():
                if server["command"] in ("pif", way, f"{way}x"):
                    check_server(server, environment | {"PATH": path})


def follow(
    shown: list[Command], checkout: Path, environment: dict[str, str]
) -> tuple[list[tuple[str, int]], str]:
    """Type commands into one shell; what each prints and its status, and the PATH at the end."""
    script = "".join(f"{{ {command.text}\n}} 2>&1\nprintf '{_END}%s{_END}' $?\n" for command in shown)
    (checkout.parent / "script").write_text(script + 'printf "%s" "$PATH"')
    done = subprocess.run(
        ["bash", str(checkout.parent / "script")],
        cwd=checkout,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    *pieces, path = done.stdout.split(_END)
    assert len(pieces) == 2 * len(shown), f"the shell ended early:\n{done.stdout}\n{done.stderr}"
    return [
        (output.rstrip("\n"), int(status)) for output, status in zip(pieces[::2], pieces[1::2], strict=True)
    ], path


def test_the_ways_of_readme() -> None:
    assert set(WAYS) == {"make", "pip", "pipx", "uv"}
    text = README.read_text()
    assert text.index("pipx install .") < text.index("make demo") < text.index("make test")
    assert text.index("make test") < text.index("make install")
