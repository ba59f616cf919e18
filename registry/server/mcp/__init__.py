"""The server over the MCP SDK. With `registry.cli.demo.client` the only modules that import `mcp`.

- `listed`: what groups offer, in the SDK's types
- `apps`: views of answers for clients that show them (MCP Apps)
- `callers`: who makes a request
- `sdk_server`: the SDK's server as it is used here
- `traced_requests`: a span for each request
- `mcp_server`: groups as a server of both protocol generations
- `subscriptions`: what clients watch, and how they are told of changes
- `request_client`: the client of one request: its questions, answers and log
- `stdio_streams`: the stream pair that the SDK's server runs over on standard input and output
- `oauth`: this server as a resource of an authorization server
- `http_options`: how to serve over HTTP
- `http_access`: who may call over HTTP
- `http_bodies`: the bodies of requests while they are held
- `http_sessions`: the door to one server: sessions of the older protocol
- `shared_sessions`: the same where many workers serve them
- `among_workers`: what a server over HTTP passes on to other workers and asks them
- `principal_servers`: a server for each principal
- `http_requests`: what a request over HTTP passes before the SDK: its head, its body, its principal
- `listening`: the listening socket: made, or handed over by systemd
- `http_connection`: one connection of HTTP: deadlines, and refusals of what is no HTTP
- `http_server`: one process that serves streamable HTTP: socket, TLS, signals, the end

`mcp_server` and `registry.server.stdio` build an answer with the same functions; a test compares what they send.
"""
