"""Tools as a directory of files.

- `directory`: files of a directory, opened without ever leaving it
- `file_format`: the fields and the text of the files, read from hostile input
- `export_import`: what to call first

See docs/reference/registry.md §3.
"""
