"""A server on standard input and output: our own front, and the SDK's server behind it, loaded when something needs it.

- `plain_requests`: which first requests are taken, and what the SDK would make of them
- `fast_path`: plain calls of tools
- `front`: one connection: what it answers itself, and how the SDK's server takes over
- `stdio_server`: the process: descriptors, signals, event loop, exit status

What is ours then is in docs/adr/054-a-front-of-its-own-on-standard-streams.md.
"""
