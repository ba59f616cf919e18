"""`pif repl`: terms, tools and small Python at a prompt.

- `inputs`: what a text is: a term in JSON, a call of a tool, a function or an expression in the subset of Python
- `drafts`: what was named and defined and is no tool yet, kept in the home
- `repl`: the prompt over the tools of a home
"""
