"""The group `pif`: evolve, run, list, help, analyze, and the evolved tools.

- `tool_specs`: the tools as clients see them
- `exposed_names`: evolved tools as names of MCP, in which `/` may not stand
- `exposure`: which evolved tools are listed as tools of their own
- `asks`: questions to a store, in threads where it is a database
- `completion`: completion of names and versions
- `text`: results as answers
- `operations`: what most tools do, and tools to and from directories and other registries
- `group`: the handlers; the work is in `registry.workspace`
"""
