"""Files to a theory, and the names in it.

- `declaration_summary`: facts about all declarations of a theory, kept as it grows
- `theory`: declarations: immutable, growing one by one
- `import_search`: where imported files are looked for, and which may be read
- `parse_cache`: parse results on disk
- `loader`: a file and its imports to a theory
- `name_dependencies`: the names that a section (a structure without parameters) depends on
- `library_index`: which file of the library declares a name, for hints
- `name_check/`: are names known, and used with as many arguments as they take

Call `loader.Loader.load`, or `theory.Theory().include(program)` for a text without imports; then
`name_check.check_names.check_names`.  A new declaration touches `theory.Theory` and `name_check/` here,
`kleis/evaluator/environment.py` and `kleis/elaborate/scopes/`.
"""
