"""Which proving service the environment asks for.  See docs/reference/lean.md §8.2.

| variable | meaning |
|---|---|
| `ARISTOTLE_MOCK` | `true`, `1` or `yes`: the stand-in, in process; no network, no key |
| `ARISTOTLE_STAND_IN` | an address on loopback: the stand-in over HTTP |
| `ARISTOTLE_API_KEY` | a key: the real service, through `aristotlelib` |
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from registry.aristotle.service import AristotleService, ServiceFailure

__all__ = ["KEY", "MOCK", "STAND_IN", "check_origin", "choose_service", "is_mock"]

KEY = "ARISTOTLE_API_KEY"
MOCK = "ARISTOTLE_MOCK"
STAND_IN = "ARISTOTLE_STAND_IN"


def is_mock(environment: Mapping[str, str]) -> bool:
    """Whether the stand-in in process is asked for."""
    return environment.get(MOCK, "").strip().casefold() in ("true", "1", "yes")


def check_origin(origin: str) -> None:
    """Raise ValueError where an address of the stand-in is not on loopback."""
    from registry.aristotle.stand_in import HttpService

    HttpService(origin, "")


def choose_service(environment: Mapping[str, str], home: Path) -> AristotleService:
    """The service.  Raises `ServiceFailure` (``no_key``, ``library_missing``, ``authentication``) where there is none."""
    key = environment.get(KEY, "").strip()
    if is_mock(environment):
        from registry.aristotle.stand_in import StandIn

        return StandIn(home / "aristotle" / "mock")
    if origin := environment.get(STAND_IN, ""):
        from registry.aristotle.stand_in import HttpService

        return HttpService(origin, key)
    if not key:
        raise ServiceFailure("no_key")
    from registry.aristotle.real_service import RealService, load_library

    return RealService(load_library(), key)
