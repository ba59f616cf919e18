"""What `kleis` writes for others.

- `export`: `kleis export`: Lean, TPTP, SMT-LIB
- `publish`: `kleis publish`: a paper of a corpus, with verdicts
- `document_request`: what `kleis document` is asked for
- `document`: documents compiled
- `document_paper`: a paper of a file
- `graph`: `kleis graph`: Mermaid and SVG
"""
