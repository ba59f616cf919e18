"""What is known of tools without Kleis.

- `library`: the standard library, certificates
- `snapshot_tools`: a snapshot as evaluators see
- `code_and_examples`: from text to checked tool
- `analysis`: what `analyze` answers
- `composition`: tools made of tools
- `difference`: how two tools differ
- `fuzzing`: tools on made-up inputs
- `help`: help from the table
"""
