"""The MCP server: groups of tools over standard input and output, or streamable HTTP.

Specification: docs/reference/serving.md. In reading order:

- `contract/`: what a group of tools is, and what a server was asked for; read `group` there to write a group
- `groups/`: the five groups
- `calls/`: one call, from its name and arguments to its `Answer`
- `workers/`: many processes as one server
- `monitoring/`: the server seen from outside: health, metrics, logs
- `streams/`: bytes to messages and back; no MCP library
- `offers/`: groups with their calls, lists and announcements, whoever speaks for them
- `mcp/`: the server over the SDK; only these modules and `registry.cli.demo.client` import the SDK
- `stdio/`: standard input and output: our own front, and the SDK's server behind it
- `serve`: what `pif serve` and `kleis serve` start: groups chosen and made
- `serve_ui`: what `pif ui` starts: the same on this machine, with the page that shows the views

Call `registry.server.serve:serve` first. Nothing is promised of the Python interfaces but `contract.group` and `serve`.
A new tool of a group: its request type (`registry.workspace.requests` or beside the group), `groups/<group>/tool_specs`,
`groups/<group>/group`, and the tables of docs/reference/serving.md.
"""
