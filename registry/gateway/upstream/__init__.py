"""The wire to the servers behind the gateway. No MCP library: what a result says is handed on byte by byte.

In reading order:

- `protocol`: what an upstream is to the front: settings, requests, answers, notifications, failures
"""
