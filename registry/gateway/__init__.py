"""The gateway: one MCP server in front of many, behind a policy that is proved.

In reading order, the ground first:

- `config`: the `mcpServers` object of a file, as settings of upstreams
- `upstream/`: the wire to the servers behind the gateway: raw JSON-RPC over stdio and HTTP, both generations
- `wrapping`: a client's file that goes through the gateway, and back
- `messages/`: the messages of clients, read and written; names
- `log/`: lines that are chained, checkpoints that are signed
- `pins/`: what was approved of the servers
- `front/`: one client's requests judged, logged, forwarded; what all clients share
- `serving/`: the process: standard input and output, HTTP
"""
