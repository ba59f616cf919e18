"""A theory or proposition as a Lean file.

- `stated_propositions`: propositions a theory states
- `assemble_file`: commands to file, tables
- `export`: what to call first
"""
