"""Upstreams for tests of the gateway.

- `hostile_upstream`: a program that misbehaves as it is told
- `hostile_pool`: a pool with it, and shorthand for calling it
"""
