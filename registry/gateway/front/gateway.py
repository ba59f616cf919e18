"""What all clients of one gateway share: servers, policy, log, approvals."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakSet

from kleis.policy.calls import Principal
from kleis.policy.policy_file import Served
from registry.gateway.front.client import Client
from registry.gateway.front.forwarding import Forwarding
from registry.gateway.front.judging import Judge, Mode
from registry.gateway.front.policies import Policies
from registry.gateway.front.reach import Everything, ProvedReach, Reach
from registry.gateway.log.records import CallLog
from registry.gateway.messages.instructions import merged
from registry.gateway.messages.names import names_of_servers
from registry.gateway.pins.approvals import Approvals
from registry.gateway.upstream.protocol import UpstreamPool
from registry.gateway.upstream.raw_json import written

__all__ = ["Gateway"]

logger = logging.getLogger(__name__)


class Gateway:
    """The servers of a pool behind a policy. `start` it on the event loop, `close` it at the end."""

    def __init__(
        self,
        pool: UpstreamPool,
        policies: Policies,
        log: CallLog,
        approvals: Approvals,
        *,
        version: str,
        mode: Mode = "enforce",
        proves_lists: bool = False,
    ) -> None:
        """With `proves_lists`, tools of which every call is proved to be denied are not listed. Raises `KleisError` where two servers cannot be told apart by their names."""
        self.pool = pool
        self.parts: Mapping[str, str] = names_of_servers(pool.settings)
        self.approvals = approvals
        self.reach: Reach = ProvedReach(self._relisted) if proves_lists else Everything()
        self.info: Mapping[str, Any] = {"name": "pif-gateway", "title": "PIF gateway", "version": version}
        self.forwarding = Forwarding(Judge(policies, log, mode), self.parts)
        self._policies = policies
        self._log = log
        self._clients: WeakSet[Client] = WeakSet()
        self.on_client: Callable[[str, Principal], None] = lambda key, who: None
        """Told of each client before its first request: its key, and who it is."""

    def start(self) -> None:
        self._policies.on_change = self._changed
        self._policies.start()

    async def served(self) -> Served:
        """The policy in force."""
        return await self._policies.served()

    @property
    def instructions(self) -> str:
        """Those of all servers, as far as they are known and approved."""
        return merged({part: self.approvals.instructions(server) for server, part in self.parts.items()})

    def client(self, key: str, who: Principal, *, is_modern: bool) -> Client:
        """A client, which its owner closes."""
        self.on_client(key, who)
        client = Client(self, key, who, is_modern=is_modern)
        self._clients.add(client)
        return client

    def _changed(self, served: Served) -> None:
        """Another policy is in force, or the file cannot be used: whoever looks is told."""
        said = served.problem or "the policy in its file is in force"
        sys.stderr.write(f"pif gateway: {said}\n")
        sys.stderr.flush()
        level = "warning" if served.problem else "info"
        for client in tuple(self._clients):
            if not client.form.is_modern:
                message = {"level": written(level), "logger": b'"gateway"', "data": written(said)}
                client.tell("notifications/message", message)
        self._relisted()

    def _relisted(self) -> None:
        """Other tools may be listed."""
        for client in tuple(self._clients):
            client.tell("notifications/tools/list_changed", {})

    async def close(self) -> None:
        for client in tuple(self._clients):
            await client.close()
        await self.reach.close()
        self._policies.close()
        await self.pool.close()
        self._log.close()
