"""The gateway: one MCP server in front of many, behind a policy that is proved.

In reading order, the ground first:

- `upstream/`: the wire to the servers behind the gateway: raw JSON-RPC over stdio and HTTP, both generations
"""
