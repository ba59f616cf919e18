"""Tools and versions that outlive the process.

- `protocol`: what a store is, arguments
- `failures`: disk errors as refusals
"""
