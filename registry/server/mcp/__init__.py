"""The one package that imports the SDK.

- `mcp_server`: groups as an MCP server
- `fast_path`: calls past the dispatcher
- `stdio_streams`: stream pair for the SDK
- `stdio_server`: one process on stdio
- `http_server`: streamable HTTP
"""
