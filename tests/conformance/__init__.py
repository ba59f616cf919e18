"""The server against what others wrote: `make conformance` or `python -m tests.conformance` (docs/conformance.md).

- `installation`: Node, the suite, the Inspector and the clients, pinned, in `.build/conformance` and nowhere else
- `server`: a server over HTTP or standard input and output, with a home of its own
- `suite`: the published conformance suite, for both generations of the protocol
- `clients`: the Inspector, both TypeScript SDKs and four agent frameworks, each with the same tasks
- `gateway/`: servers that others wrote behind the gateway, and the suite through it
- `report`: what is not scored and why, and the page docs/conformance.md

`package.json` and `requirements.txt` pin what is run; `typescript_client.mjs` and `framework_client.py` run inside of it.
`test_conformance.py` is what `make test` runs of it.
"""
