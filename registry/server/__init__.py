"""The MCP server: groups of tools behind standard input and output. The only package that imports `mcp`.

From the wire inwards:

- `descriptors`: standard input and output moved away, read and written without blocking
- `framing`: bytes → messages, newline-delimited or in `Content-Length` blocks
- `messages`: texts → requests and refusals; answers → texts
- `stdio`: the stream pair that the SDK's server runs over
- `lane`: plain calls of tools, taken past the SDK's dispatcher for the sake of latency
- `shell`: the SDK's low-level server over our groups; both protocol generations
- `calls`, `arguments`, `call`, `workers`, `announcer`, `defects`: one call, from its name to its `Answer`
- `group`: what a group of tools is. Read this to write one; `schemas`: the forms its arguments are described in
- `serving`: the process: signals, garbage collection, exit status
- `serve`, `settings`, `groups`: what `pif serve` starts, what its groups share, which groups there are
- `pif_group`, `theory_group`, `policy_group`, `lean_group`, `corpus_group`: the groups, each with its `…_tools`;
  `scoped`: tools that groups have in common; `exposure`: evolved tools as tools of their own
- `client`: the SDK's client to this server, for demonstrations and tests

Not promised: HTTP, prompts, and anything about the modules' Python interfaces but `group` and `serve`.
"""
