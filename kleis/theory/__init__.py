"""Files to a theory, and the names in it.

- `theory`: declarations, immutable, growing
- `structure_summary`: what structures declare together
- `import_search`: where imports may be
- `parse_cache`: parsed files on disk
- `loader`: imports first, every file once
- `name_dependencies`: names that texts use
"""
