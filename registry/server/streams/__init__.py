"""Bytes to JSON-RPC messages and back. Pure but for `descriptors`; no MCP library.

- `descriptors`: standard input and output moved to private descriptors, read and written without blocking
- `framing`: bytes to message texts, by lines or `Content-Length` blocks; what is too long or broken is a `Fault`
- `messages`: texts to requests, errors for texts and faults that are none, answers to texts
- `connection`: one client at the other end of two descriptors
- `generations`: what the two generations of the protocol are called, and what they say
- `tuning`: the interpreter, set up for a server

What is accepted here is accepted over HTTP too: `registry.server.mcp.http_requests` reads bodies with `messages`.
"""
