"""The wire to the servers behind the gateway. No MCP library: what a result says is handed on byte by byte.

In reading order:

- `protocol`: what an upstream is to the front: settings, requests, answers, notifications, failures
- `raw_json`: JSON as the bytes that were sent, checked whole and taken apart one level deep
- `envelopes`: JSON-RPC messages around what is handed on
- `generations`: results of one generation of the protocol for clients of the other
- `transport`: what a transport is: whole messages out, whole messages and endings in
- `process`: an upstream as a process, over stdio
- `event_stream`: `text/event-stream` to events
- `http_session`: an upstream over streamable HTTP
- `connection`: requests and their answers: numbers, deadlines, cancelling
- `handshake`: which generation an upstream speaks, and what it offers
- `parameter_headers`: arguments that a 2026 upstream wants repeated in headers
- `running`: a started upstream: requests, lists, subscriptions
- `pool`: one upstream for each client session or principal, restarted with back-off

Call `pool.Pool` first; a server that hangs, floods, crashes or lies costs only its own calls.
"""
