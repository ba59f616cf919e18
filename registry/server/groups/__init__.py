"""The groups of tools, one folder each: `tool_specs` (the tools as clients see them) and `group` (the handlers).

- `pif/`: evolve, run, list, help, analyze; every evolved tool under its own name
- `theory/`: theory sessions
- `policy/`: a gate for an agent's actions
- `lean/`: jobs of the proving service for Lean
- `corpus/`: papers with claims linked to Lean declarations
- `documents/`: pictures drawn, papers of theory sessions
- `conformance/`: what the conformance suite of the protocol asks for by name; offered by name only

Groups know neither each other nor the protocol. `registry.server.serve.GROUPS` and `FIXTURES` name them; a group is imported when it
is chosen.
"""
