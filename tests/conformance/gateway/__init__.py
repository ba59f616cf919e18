"""Servers that others wrote behind the gateway: the same requests straight and through it (`make conformance`).

- `cases`: each server with its requests, feature by feature, and what is not compared
- `server`: the gateway as a server under test
- `differential`: both runs, and where they differ
- `unnaming_proxy`: the gateway under the names of the one server behind it
- `suite_through`: the published conformance suite through the gateway
- `clients`: three clients that others wrote, at the gateway
- `report`: the part of docs/conformance.md about the gateway

`typescript_client.mjs` runs inside of Node.  `package.json`, `requirements-servers.txt` and
`requirements-older-servers.txt` pin the servers, which are installed in `.build/conformance`
(`tests/conformance/installation.py`).  `test_through_the_gateway.py` is what `make test` runs of it.
"""
