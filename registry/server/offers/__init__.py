"""What a server offers, whoever speaks for it: the SDK's server, or our own front on standard input and output.

- `wire_forms`: tools, prompts and resources as lists show them
- `offer`: groups with the calls of their tools, their lists and their announcements

No MCP library here.
"""
