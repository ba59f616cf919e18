"""Upstreams for tests of the gateway, and gateways in one process.

- `hostile_upstream`: a program that misbehaves as it is told
- `hostile_pool`: a pool with it, and shorthand for calling it
- `fake_servers`: a gateway in front of servers that are objects
"""
