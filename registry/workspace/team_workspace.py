"""The workspace of one member over the tools of a team: the same operations, and names mean what they mean in the team's code."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from registry.teams.team_store import TeamStore
from registry.tools.snapshot_tools import TeamTools
from registry.workspace.workspace import Workspace

if TYPE_CHECKING:
    from registry.laws.law_prover import LawProver

__all__ = ["TeamWorkspace"]


class TeamWorkspace(Workspace):
    """Limits, caches and the prover are those of the member's own workspace; whether it may be used was judged before."""

    def __init__(self, store: TeamStore, beside: Workspace) -> None:
        super().__init__(
            store,
            maximum_fuel=beside.maximum_fuel,
            default_fuel=beside.default_fuel,
            library=beside.library,
            fractions=beside.fractions,
            admission=beside.admission,
        )
        self._team_store = store
        self._beside = beside
        self._terms, self._types = beside._terms, beside._types

    @cached_property
    def prover(self) -> LawProver:
        return self._beside.prover

    def tools(self) -> TeamTools:
        """A snapshot of the team's tools over the library; nothing of the member's own."""
        store = self._team_store
        return TeamTools(store.team, store.snapshot(), self._terms, self.library)

    def namespace_of(self, name: str, *, writing: bool = False) -> Workspace:
        return self

    def close(self) -> None:
        """Nothing: the store is the team's, and the prover the member's."""
