"""Kleis in notebooks: a kernel of its own, and a cell of Python notebooks.

- `fragment`: a view as a part of a page that others made
- `reply_views`: replies of a conversation, and values of the Python functions, as views
- `display`: replies and values as texts by media type; pictures drawn
- `session`: a session that is gone with its notebook
- `kernel_spec`: the kernel entered where Jupyter looks for kernels
- `kernel`: the kernel, on ipykernel's base class
- `python_cells`: `%load_ext kleis`: the cell `%%kleis`, and values that show themselves

Only `kernel` imports ipykernel, only `kernel_spec` jupyter_client; nothing imports IPython, which hands itself over. See
docs/reference/interactive.md §6 and docs/adr/041-prompts-and-notebooks.md.
"""
