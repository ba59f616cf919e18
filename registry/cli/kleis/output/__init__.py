"""What leaves for others.

- `export`: Lean, TPTP, SMT-LIB
- `graph`: Mermaid and SVG
- `publish`: a paper with verdicts
"""
