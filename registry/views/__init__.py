"""Views: what the product's answers look like, as documents that carry everything with them.

A view is a function from an answer of the MCP tools to HTML; the same document is a file and an MCP App. It shows everything without its script, which adds folding, search and the bridge to a host.

- `markup`: the one way from text to HTML, and elements
- `page/`: the document around a view: style, script, policy
- `parts`: pieces that several views share: tables, statuses, code, what is left out
- `verdict`: a proposition decided, a value, an error
- `tool`: a tool, a list of them, a difference, a run
- `graph`: which uses which

Call `page.document` with what a view gives. Specification: docs/how-to/views.md. Text enters pages only by `markup`: what a view writes of
its own is `Markup`, everything else is escaped.
"""
