"""The gateway as a process: who connects, and how.

- `one_client`: one client on standard input and output
- `http_clients`: the protocol over streamable HTTP: sessions, requests that stand alone
- `http_serving`: socket, TLS, access, signals
- `own_server`: the registry's own tools as one of the servers
- `serve`: the parts put together; what `pif gateway` calls
"""
