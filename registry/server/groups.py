"""The groups of tools that a server may offer, by name, in the order of their tools (servers.md).

A group's module is imported when the group is chosen: a server without proofs loads no prover.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from pif.language.errors import nearest
from registry.server.group import Group
from registry.server.named_places import check_places
from registry.server.scoped import share
from registry.server.settings import Site

__all__ = ["GROUPS", "chosen_names", "make_groups"]

GROUPS: dict[str, str] = {
    "pif": "registry.server.pif_group",
    "theory": "registry.server.theory_group",
    "policy": "registry.server.policy_group",
    "lean": "registry.server.lean_group",
    "corpus": "registry.server.corpus_group",
}
"""Where each group's `make(site)` is."""


def chosen_names(names: str) -> list[str]:
    """The groups that `--groups` asks for ("pif,theory" or "all"), in the order of `GROUPS`.

    Raises ValueError that names the groups there are.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name != "all" and name not in GROUPS]
    if unknown or not wanted:
        what = f"there is no group {unknown[0]!r}" if unknown else "no group is chosen"
        close = nearest(unknown[0], GROUPS) if unknown else None
        meant = f"did you mean {close!r}? " if close else ""
        raise ValueError(f"{what}; {meant}groups: {', '.join(GROUPS)}, all")
    return [name for name in GROUPS if "all" in wanted or name in wanted]


def make_groups(names: str, site: Site) -> list[Group]:
    """The chosen groups, ready to serve, with the tools that they have in common put together.

    ``all`` leaves out what needs a file that is not named. Raises ValueError (see `chosen_names`, `check_places`), and
    RegistryError of a group.
    """
    chosen = chosen_names(names)
    if site.settings.policy is None and "policy" not in names.replace(" ", "").split(","):
        chosen = [name for name in chosen if name != "policy"]
    check_places(site.settings, chosen)
    made = [cast("Group", import_module(GROUPS[name]).make(site)) for name in chosen]
    return share(made)
