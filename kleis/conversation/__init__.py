"""A theory session that is talked to statement by statement: at a prompt, in a notebook, in a cell of Python.

- `interruption`: a question that an interrupt stops, and not the session
- `reply`: what becomes of a statement
- `commands`: the statements that begin with a colon, and how they are found
- `expression_types`: what a name is declared as, and the type of an expression
- `replies`: findings of sessions as replies
- `conversation`: statements put to a session, a reply each

Call `conversation.Conversation.replies` with a text; `kleis.editing.statements` says what its statements are.
`registry/cli/kleis/repl/` shows replies on a terminal, `registry/notebook/` in a notebook.  A new command is an entry of
`commands.COMMANDS` and a method of `Conversation`.  See docs/reference/interactive.md.
"""
