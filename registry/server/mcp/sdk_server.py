"""The SDK's server as it is used here, and what servers of one principal in many processes have in common."""

from __future__ import annotations

from typing import Any, Protocol

from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from registry.server.calls.jobs import JobsElsewhere

__all__ = ["SdkServer", "Shared"]


class Shared(JobsElsewhere, Protocol):
    """What the servers of one principal in many processes have in common: how many `workers` there are, the key of what clients
    keep between two rounds, their jobs, and what they tell each other."""

    @property
    def workers(self) -> int: ...

    @property
    def state_key(self) -> bytes: ...

    def share(self, topic: str, text: str) -> None: ...


class SdkServer(Server[Any]):
    """The SDK's server, with a true `listChanged` on the older protocol too."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        options = notification_options or NotificationOptions(
            prompts_changed=True, resources_changed=True, tools_changed=True
        )
        return super().create_initialization_options(options, experimental_capabilities, extensions)
