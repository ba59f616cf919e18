"""Views in headless Chromium: `make browser`.

- `installation`: what the tests need from npm: the host library of MCP Apps, axe-core, esbuild, the TypeScript checker
- `chromium`: the browser, and pages that report every fault
- `hosting`: the page of a host of MCP Apps (`host.js`, made with the official library), served on this machine
- `ui_process`: `pif ui` in a process of its own
- `screenshots`: the pictures of the documents: `make screenshots`
"""
