"""What a name may stand for, from near to far.

- `scope`: candidates for a name
- `structure_scope`: a structure at its arguments
- `inheritance`: structures with their parents
- `implements`: implementations, their obligations
- `global_scope`: global names, proposition scope
- `section_links`: sections joined by names
- `structure_search`: structures that fit
"""
