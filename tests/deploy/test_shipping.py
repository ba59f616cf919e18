"""What a deployment is made from: the image, the unit, the registry's description, the versions of Python."""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from registry.cli.pif.commands import pif
from registry.server.monitoring.monitoring import LIVE, READY

ROOT = Path(__file__).resolve().parents[2]
IMAGE = ROOT / "deploy" / "Dockerfile"
UNIT = next((ROOT / "deploy").glob("*.service"))
SOCKET = UNIT.with_suffix(".socket")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def accepted(arguments: list[str]) -> None:
    """Let `pif` read a command line; nothing is run. Raises click's errors."""
    # `pif` makes the context itself: a command keeps the help option of the first one it is read under.
    with pif.make_context("pif", [], resilient_parsing=True) as context:
        command = pif.get_command(context, arguments[0])
        assert command is not None, arguments[0]
        command.make_context(arguments[0], arguments[1:], parent=context).close()


def instruction(name: str) -> list[str]:
    """The last of a Dockerfile's instructions of that name, as a list."""
    text = IMAGE.read_text().replace("\\\n", " ")
    found: list[str] = json.loads(re.findall(rf"^{name} .*?(\[.*\])$", text, re.MULTILINE)[-1])
    return found


def test_the_image_starts_the_server_without_privileges() -> None:
    program, *arguments = [*instruction("ENTRYPOINT"), *instruction("CMD")]
    assert program == "pif"
    accepted(arguments)
    (user,) = re.findall(r"^USER (\S+)$", IMAGE.read_text(), re.MULTILINE)
    assert int(user.partition(":")[0]) > 0


def test_the_health_check_of_the_image_asks_a_page_that_the_server_has() -> None:
    code = instruction("HEALTHCHECK")[-1]
    compile(code, "HEALTHCHECK", "exec")
    (page,) = re.findall(r"127\.0\.0\.1:8000(/\w+)'", code)
    assert page in (LIVE, READY)


def test_the_dockerfile_has_no_finding() -> None:
    linter = shutil.which("hadolint", path=Path(sys.executable).parent)
    if linter is None:
        pytest.skip("hadolint is not installed (the extra dev)")
    done = subprocess.run([linter, IMAGE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.fixture
def container() -> Iterator[str]:
    """The name of a running container of the image, whose file system is read-only but for /data and /tmp."""
    if shutil.which("docker") is None or docker("info").returncode:
        pytest.skip("no Docker answers here")
    for base in set(re.findall(r"^FROM (\S+)", IMAGE.read_text(), re.MULTILINE)):
        if docker("image", "inspect", base).returncode and docker("pull", base).returncode:
            pytest.skip(f"the image {base} cannot be had here")
    name = f"pif-shipping-{os.getpid()}"
    built = docker("build", "--network", "host", "-q", "-f", str(IMAGE), "-t", name, str(ROOT))
    assert built.returncode == 0, built.stderr[-2000:]
    try:
        started = docker(
            "run", "--detach", "--name", name, "--read-only", "--tmpfs", "/tmp",
            "--env", f"PIF_HTTP_TOKEN={secrets.token_urlsafe(32)}", name,
        )  # fmt: skip
        assert started.returncode == 0, started.stderr
        yield name
    finally:
        docker("rm", "--force", "--volumes", name)
        docker("image", "rm", name)


def docker(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Let the Docker of this machine do something."""
    return subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)


def test_the_image_is_built_and_serves(container: str) -> None:
    asked = ("exec", container, *instruction("HEALTHCHECK"))
    until = time.monotonic() + 120
    while docker(*asked).returncode and time.monotonic() < until:
        time.sleep(0.5)
    assert docker(*asked).returncode == 0, docker("logs", container).stderr
    assert docker("exec", container, "id", "-u").stdout.strip() != "0"
    assert docker("exec", container, "touch", "/opt/pif/written").returncode != 0
    proved = docker("exec", container, "kleis", "verify", "∀(x : ℤ). x + 0 = x")
    assert proved.returncode == 0, proved.stderr


def test_the_unit_starts_a_server() -> None:
    (line,) = re.findall(r"^ExecStart=/opt/pif/bin/pif (.*)$", UNIT.read_text(), re.MULTILINE)
    accepted([each for each in shlex.split(line) if each != "$PIF_SERVE"])


def test_the_socket_is_where_the_server_would_listen_without_it() -> None:
    (address,) = re.findall(r"^ListenStream=(\S+)$", SOCKET.read_text(), re.MULTILINE)
    assert f"--http {address} " in UNIT.read_text()


def test_systemd_accepts_the_unit_and_finds_it_confined(tmp_path: Path) -> None:
    systemd = shutil.which("systemd-analyze")
    if systemd is None:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/pif/bin/pif", sys.executable))
    listening = tmp_path / SOCKET.name
    listening.write_text(SOCKET.read_text())
    checked = subprocess.run(
        [systemd, "verify", unit, listening], capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    rated = subprocess.run(
        [systemd, "security", "--offline=yes", "--threshold=20", unit],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert rated.returncode == 0, rated.stdout[-200:]


DESCRIBED = {
    "$schema",
    "name",
    "title",
    "description",
    "version",
    "repository",
    "websiteUrl",
    "icons",
    "packages",
    "remotes",
    "_meta",
}
PACKAGE = {
    "registryType", "registryBaseUrl", "identifier", "version", "fileSha256", "runtimeHint", "transport", "runtimeArguments",
    "packageArguments", "environmentVariables",
}  # fmt: skip


def test_the_description_for_the_registry_agrees_with_the_package() -> None:
    """The registry's schema is in no package, so that what it asks is written here by hand."""
    described = json.loads((ROOT / "server.json").read_text())
    (package,) = described["packages"]
    assert described["version"] == package["version"] == PROJECT["version"]
    assert package["identifier"] == PROJECT["name"]
    assert package["identifier"] in PROJECT["scripts"], (
        "uvx starts the script that is called like the package"
    )
    assert package["transport"] == {"type": "stdio"}
    accepted([each["value"] for each in package["packageArguments"]])
    assert set(described) <= DESCRIBED
    assert set(package) <= PACKAGE
    assert re.fullmatch(
        r"https://static\.modelcontextprotocol\.io/schemas/\d{4}-\d\d-\d\d/server\.schema\.json",
        described["$schema"],
    )
    assert package["registryType"] == "pypi"
    for argument in package["packageArguments"]:
        assert argument["type"] in ("positional", "named")
    for variable in package["environmentVariables"]:
        assert set(variable) <= {
            "name",
            "description",
            "isRequired",
            "isSecret",
            "format",
            "default",
            "value",
            "choices",
            "placeholder",
        }
    assert 1 <= len(described["description"]) <= 100
    assert 1 <= len(described["title"]) <= 100
    assert 3 <= len(described["name"]) <= 200
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", described["name"])
    # The registry takes the first that it finds in the published README: there is one.
    assert re.findall(r"mcp-name: (\S+)", (ROOT / "README.md").read_text()) == [described["name"]]
    assert f'"{described["name"]}"' in IMAGE.read_text()


def test_every_python_that_is_promised_has_a_session() -> None:
    promised = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", each)]
    (line,) = re.findall(r"python=(\[.*\])\)", (ROOT / "noxfile.py").read_text())
    assert json.loads(line) == promised
