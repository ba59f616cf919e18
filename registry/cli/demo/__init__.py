"""`pif demo`: a server driven by a real client, every answer compared.

- `client`: a client to our server, over the SDK's
- `acts`: the acts of tools
- `theory_acts`: the acts of theories, policies and laws
- `play`: the server started, the acts played and shown
- `gateway`: `pif demo gateway`: calls judged, a promise broken, a server that changes, a log edited
"""
