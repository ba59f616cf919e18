"""Typst text from plain text, prose, expressions and values.

- `escape`: plain text as it is, prose with emphasis, mathematics, references and lists
- `mathematics`: expressions and types as Typst mathematics, with parentheses where they are needed
- `value_terms`: values as expressions, to be written as mathematics
- `editor_terms`: the terms of an equation editor as Typst mathematics

Nothing here runs Typst, and nothing of a user's text becomes code of Typst. See docs/reference/documents.md §2.
"""
