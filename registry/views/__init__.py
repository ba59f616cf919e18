"""Views: what the product's answers look like, as documents that carry everything with them.

A view is a function from an answer of the MCP tools to HTML; the same document is a file and an MCP App. It shows everything without its script, which adds folding, search and the bridge to a host.

- `markup`: the one way from text to HTML, and elements
- `page/`: the document around a view: style, script, policy
- `parts`: pieces that several views share: tables, statuses, code, what is left out
- `actions`: buttons and forms that call tools back
- `mathematics`: propositions as MathML
- `graph`: which uses which
- `tool`: a tool, lists of them, a difference, an analysis, an error
- `run`: a run with its timeline
- `verdict`: a proposition decided, a value
- `models`: models and state machines
- `theory`: what a session declares, its submissions, sessions side by side
- `exploration`: laws found
- `policy`: rules, decisions, findings, a second policy
- `corpus`: papers, claims, dependencies
- `job`: work that goes on
- `answers`: which view shows the answer of which tool
- `notebook`: the same for the values of Python functions
- `shell`: the page of `pif ui`

Call `answers.view_of`, then `page.document`. Specification: docs/how-to/views.md. Text enters pages only by `markup`: what a view writes of
its own is `Markup`, everything else is escaped. A new view is a function from the fields of an answer to a `View`, and a row of `answers.TOOLS`.
"""
