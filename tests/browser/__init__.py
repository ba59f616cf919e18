"""Views in headless Chromium: `make browser`.

- `installation`: what the tests need from npm: the host library of MCP Apps, axe-core, esbuild, the TypeScript checker
- `chromium`: the browser, and pages that report every fault
- `host.js`: a host page made with the official library
"""
