"""A gateway that allows and approves everything, as a program: what is tried is what it hands on.

`python -m tests.conformance.gateway.open_gateway FOLDER [--http]`; FOLDER has `policy.kleis` and `servers.json`.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from kleis.policy.calls import Principal
from registry.access.principals import Principal as Caller
from registry.access.tokens import TokenFile
from registry.gateway.config import read_config_file
from registry.gateway.front.catalogue import Approval, Listed
from registry.gateway.front.gateway import Gateway
from registry.gateway.front.policies import Policies
from registry.gateway.front.records import Asked, Outcome
from registry.gateway.serving.http_serving import HttpServing
from registry.gateway.serving.one_client import OneClient, local_principal
from registry.gateway.upstream.pool import Pool
from registry.server.mcp.http_server import HttpOptions
from registry.server.streams.descriptors import move_descriptors

__all__ = ["main"]


class _NoLog:
    def before(self, asked: Asked) -> object:
        return None

    def after(self, token: object, outcome: Outcome) -> None:
        pass

    def close(self) -> None:
        pass


class _Everything:
    def check(self, server: str, kind: Listed, items: Mapping[str, bytes]) -> Mapping[str, Approval]:
        return {own: Approval(hashlib.sha256(item).hexdigest()) for own, item in items.items()}

    def instructions(self, server: str) -> str:
        return ""


async def main(folder: Path, *, over_http: bool) -> None:
    """Serve until the client goes, or a signal comes."""
    policies = Policies.of(folder / "policy.kleis")
    pool = Pool(read_config_file(folder / "servers.json").values())
    gateway = Gateway(pool, policies, _NoLog(), _Everything(), version="0")
    gateway.start()
    try:
        if not over_http:
            await OneClient(gateway, local_principal([])).serve(*move_descriptors())
            return
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            options = HttpOptions(("127.0.0.1", port))
            serving = HttpServing(gateway, options, TokenFile(folder), _identity, "127.0.0.1")
            await serving.run(listening, f"http://127.0.0.1:{port}/mcp\n")
    finally:
        await gateway.close()


def _identity(caller: Caller, is_open: bool) -> Principal:
    return local_principal([])


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), over_http="--http" in sys.argv))
