"""Pictures drawn and documents compiled, each in a child process that can be stopped; papers made of theories.

- `extras`: which extra a library belongs to
- `labels`: texts of pictures, with simple mathematics
- `scale_functions`: the functions of a derived axis, on arrays
- `matplotlib_series`: one element drawn
- `matplotlib_axes`: scales, ticks, legends, themes, second axes
- `matplotlib_picture`: a whole picture to SVG or PNG; the child's job
- `typst_compile`: Typst text to pages; the child's job
- `confine`: networks and files that the kernel refuses a child
- `child`: a job in a process of its own, with limits
- `draw`: pictures to bytes and files
- `compile`: a Typst text and its pictures to PDF, PNG or SVG
- `statements`: declarations as Typst
- `stated_verdicts`: propositions decided, with their certificates' hashes
- `paper`: a paper from a theory, its verdicts, pictures and prose

Call `draw.draw_picture`, `compile.compile_document` or `paper.paper_text` first. matplotlib is in the extra `numeric`, Typst
in the extra `documents`; both are imported in the child only. See docs/reference/documents.md.
"""
