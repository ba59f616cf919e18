"""Bytes to messages.

- `descriptors`: own input and output
- `framing`: bytes to frames
- `messages`: JSON-RPC read and written
"""
