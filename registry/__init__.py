"""The registry: tools and their versions, their laws, and the ways to reach them.

In reading order, the ground first:

- `errors`: `RegistryError`, the one exception for what a user sends
- `home`: the directory that holds a user's registry
- `records`: a version of a tool, its kept laws, and the rules for names
- `layered_layout`: where the boxes of a drawing stand
- `diagrams`: graphs as Mermaid text, DOT and SVG pictures
- `access/`: who is asking: principals, tokens, scopes, teams
- `store/`: versions on disk: one SQLite file, and its exchange format
- `teams/`: the tools that the members of a team have in common
- `tools/`: what is known of tools without Kleis: the standard library, examples, analysis, composition
- `translate/`: PIF tools as Kleis definitions
- `laws/`: propositions about tools: proved, refuted or tested, and kept with versions
- `oracles/`: theories that PIF runs ask
- `explore/`: conjectures made by a tool, decided by laws or by the prover
- `workspace/`: every operation on PIF tools, for the server and the commands
- `aristotle/`: jobs of the proving service for Lean
- `scripting`: `open`: the tools of a home, for people who script
- `views/`: what answers look like: self-contained HTML documents
- `sharing/`: tools exchanged with registries that nobody here has to trust
- `server/`: the MCP server
- `gateway/`: one MCP server in front of many, behind a policy
- `notebook/`: a kernel for Jupyter, and a cell of Python notebooks
- `cli/`: the commands `pif` and `kleis`, and the demo

In a script (docs/reference/python.md)::

    import registry
    with registry.open() as tools:
        tools.run("std.gcd", arguments=[12, 18])["value"]        # raises PifError or RegistryError where there is none

In a program call `workspace.Workspace` first: each of its methods answers one JSON object, and reports what is wrong with an argument
in that object instead of raising. A folder imports only from earlier lines of this list. A field of an answer is made in `tools`, `laws` or
`workspace`, shown by `cli`, described by the schemas of `server`, and specified in docs/reference/registry.md.
"""

from __future__ import annotations

TYPE_CHECKING = (
    False  # `typing`, which has this name too, is not imported before the commands catch an interrupt
)
if TYPE_CHECKING:
    from registry.scripting import Registry, open

__all__ = ["Registry", "open"]


def __getattr__(name: str) -> object:
    """A public name, from the module where it lives."""
    if name not in __all__:
        raise AttributeError(f"module registry has no attribute {name}")
    from importlib import import_module

    return getattr(import_module("registry.scripting"), name)
