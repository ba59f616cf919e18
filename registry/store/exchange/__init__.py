"""Tools as a directory of files.

- `directory`: files without leaving it
- `file_format`: fields, text, hostile input
- `export_import`: export and import
"""
